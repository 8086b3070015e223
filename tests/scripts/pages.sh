# SPDX-License-Identifier: BSD-3-Clause
# The examples of the manual pages, and of README.md, do what the pages say: the first program of
# EXAMPLES is compiled as C99 (that of mpiortho-cpp(7) as C++20, that of mpiortho-fortran(7) as Fortran 2018) and run on 4 processes, and prints the second block,
# in any order of lines.
export ASAN_OPTIONS="$ASAN_OPTIONS:verify_asan_link_order=0"

# The choices of ORTHO_Explain depend on whether processes share cores; the pages tell of processes that do
# not.
printf '%s.switch_ps 0\n' node shared network >"$work/tune"
ORTHO_TUNE=$work/tune
export ORTHO_TUNE
unset ORTHO_SHM # and of what goes through shared memory
export ORTHO_PMPI_PAIRING=standard # as mpiortho-pmpi(7) says of its example

builds() { # source
    library=-lmpiortho language="$MPICC -std=c99"
    case $1 in
    *.mpiortho-fortran.7.c)
        library="-x none -I$builddir/fortran -lmpiortho_fortran -lmpiortho" language="$MPIFC -x f95 -ffree-form -std=f2018"
        ;;
    *.mpiortho-pmpi.7.c) library=-lmpiortho-pmpi ;;
    *.mpiortho-cpp.7.c)
        library="-x none -lmpiortho -lstdc++" language="$MPICC -x c++ -std=c++20 -DOMPI_SKIP_MPICXX -DMPICH_SKIP_MPICXX"
        ;;
    esac
    $language $sanitizers -Wall -Wextra -Werror -I"$srcdir/include" "$1" -o "${1%.c}" \
        -L"$builddir/.libs" $library -Wl,-rpath,"$builddir/.libs" -Wl,-rpath-link,"$builddir/.libs"
}
prints() { # program, expected
    timeout -k 10 60 $MPIEXEC -n 4 "$1" >"$work/out" 2>"$work/err" || { cat "$work/out" "$work/err"; return 1; }
    # So do the times that it predicts, and how much longer one is than another.
    for file in "$work/out" "$2"; do
        sed 's/predicted [0-9.]* us\(, [0-9]* % longer\)*/predicted/' "$file" | sort >"$file.sorted"
    done
    diff "$2.sorted" "$work/out.sorted"
}

# With sanitizers, which take their time to compile, every second page.
turn=0
for page in "$srcdir"/man/*.[37]; do
    case $(head -n 1 "$page") in .so*) continue ;; esac
    turn=$((turn + 1))
    [ -z "$sanitizers" ] || [ $((turn % 2)) = 1 ] || continue
    name=$(basename "$page")
    [ "$name" != mpiortho-fortran.7 ] || [ -n "$MPIFC" ] || continue
    [ "$name" != mpiortho-python.7 ] || continue # see python.sh
    for n in 1 3; do
        case $n$name in 1* | 3mpiortho.7 | 3ORTHO_Field_gather.3) ;; *) continue ;; esac
        display "$page" $n >"$work/$n.$name.c"
        display "$page" $((n + 1)) >"$work/$n.$name.expected"
        check "$name has an example, $n" test -s "$work/$n.$name.c"
        check "$name: its example compiles, $n" builds "$work/$n.$name.c"
        check "$name: it prints what the page says, $n" prints "$work/$n.$name" "$work/$n.$name.expected"
    done
done

# Their Fortran synopses are what the module says (make fortran-synopses).
synopses_are_the_modules() {
    mkdir "$work/man" && cp "$srcdir"/man/ORTHO_*.3 "$srcdir"/man/fortran.* "$work/man" &&
        $AWK -v make=module -f "$srcdir/fortran/fortran.awk" -f "$srcdir/src/build/calls.awk" "$srcdir/src/calls.table" \
            "$srcdir/fortran/functions.table" "$srcdir/fortran/module.f90" >"$work/module.f90" &&
        sh "$work/man/fortran.sh" "$work/man" "$work/module.f90" "$AWK" || return 1
    for page in "$srcdir"/man/ORTHO_*.3; do
        case $(head -n 1 "$page") in .so*) continue ;; esac
        cmp "$page" "$work/man/${page##*/}" || return 1
    done
}
check "Fortran synopses are those of the module" synopses_are_the_modules

# The version of configure.ac.
version=$(sed -n 's/^AC_INIT(\[mpiortho\], \[\([^]]*\)\].*/\1/p' "$srcdir/configure.ac")
pages_have_the_version() {
    ! grep -H '^\.TH' "$srcdir"/man/*.[137] | grep -vF "\"mpiortho $version\" \"mpiortho\""
}
news_begin_with_the_version() { head -n 1 "$srcdir/NEWS" | grep "^mpiortho $version ("; }
check "the pages name the version" pages_have_the_version
check "NEWS begins with it" news_begin_with_the_version

# Lines of text, no tables and no code, are as long as those of code.
lines_are_short() {
    ! (cd "$srcdir" && LC_ALL=C.UTF-8 grep -nE '^[^| ].{110,}' README.md CONTRIBUTING.md HACKING.md NEWS doc/*.md)
}
check "lines of text have at most 110 characters" lines_are_short

# A sentence on a page begins with its subject.
sentences_have_subjects() {
    ! (cd "$srcdir" &&
        grep -nE '^(.*[.?!:] +)?(Of|That of|Those of) ' README.md CONTRIBUTING.md HACKING.md doc/*.md man/*.[137])
}
check "sentences on pages begin with their subject" sentences_have_subjects

# An entry of mpi-bugs.md that says in text or table that an MPI crashes or does not end has no code.
code_is_harmless() { # page
    $AWK '
        {
            line = tolower($0)
            harmful = line ~ /(^|[^a-z])(crash|hang|hung|abort|dead ?lock|segfault)/ ||
                line ~ /end(s|ed)? the program|(never|not) end|for ?ever([^y]|$)/
        }
        /^\| [0-9]+ \|/ && harmful { bad[$2] }
        /^[0-9]+\. / { number = $1 + 0; entries++ }
        number && harmful && !/^        / { bad[number] }
        number && /^        / { code[number] }
        END {
            for (number in code) {
                codes++
                if (number in bad) { print number ": it has code, and does harm"; wrong = 1 }
            }
            if (entries < 40 || codes < 3) { print "the page is not understood"; wrong = 1 }
            exit wrong
        }' "$1"
}
code_that_harms_is_seen() {
    sed 's/^42\. A message/42. A program crashes. A message/' "$srcdir/doc/mpi-bugs.md" >"$work/text.md"
    sed 's/^| 42 | right/| 42 | never ends/' "$srcdir/doc/mpi-bugs.md" >"$work/table.md"
    for page in text table; do
        ! code_is_harmless "$work/$page.md" >"$work/found" && grep '^42: ' "$work/found" ||
            { cat "$work/found"; return 1; }
    done
}
check "doc/mpi-bugs.md: what crashes or hangs an MPI has no code" code_is_harmless "$srcdir/doc/mpi-bugs.md"
check "the test of that notices it" code_that_harms_is_seen

# README.md's program is examples/ghosts.c, but for the comment that begins the file.
readme() { sed -n "/^\`\`\`c\$/,/^\`\`\`\$/p" "$srcdir/README.md" | sed '/^```/d'; }
is_the_example() { readme | diff "$srcdir/examples/ghosts.c" - | grep '^[<>]' | grep -v '^< \(/\*\| \*\)'; [ $? = 1 ]; }
sed -n 's/^    \(rank [0-9]: .*\)/\1/p' "$srcdir/README.md" >"$work/readme.expected"
readme >"$work/readme.c"
check "README.md: its program is examples/ghosts.c" is_the_example
check "README.md: its program is C99" builds "$work/readme.c"
check "README.md: it prints what README.md says" prints "$work/readme" "$work/readme.expected"

# A number in README.md in bold stands in the section of the book that its line links to; what README.md, HACKING.md and
# doc/ link to is there.
slug() { tr 'A-Z' 'a-z' | sed -e 's/[^a-z0-9 _-]//g' -e 's/ /-/g'; }
section() { # of a file: the one with this anchor, and what is below it
    while IFS= read -r line; do
        case $line in
        \#*)
            level=${line%%[!#]*}
            if [ "$(printf '%s' "${line#"$level" }" | slug)" = "$2" ]; then
                on=$level
            else
                case $level in "$on#"*) ;; *) on= ;; esac
            fi
            ;;
        esac
        [ -z "$on" ] || printf '%s\n' "$line"
    done <"$1"
}
numbers_stand_in_the_book() {
    on=
    sed -n 's/^|.*\*\*\([0-9.]*\)\*\*.*| \[results\]\(.*\) |$/\1 \2/p' "$srcdir/README.md" >"$work/numbers"
    [ "$(wc -l <"$work/numbers")" = 5 ] || { cat "$work/numbers"; return 1; }
    while read -r number where; do
        case $where in \[*) where=$(sed -n "s/^\\$where: //p" "$srcdir/README.md") ;; esac
        where=$(echo "$where" | tr -d '()')
        section "$srcdir/${where%%#*}" "${where#*#}" | grep -q "[Gg]eometric mean.*[ /]$number[.,]" ||
            { echo "$number is not in $where"; return 1; }
    done <"$work/numbers"
}
links_lead_somewhere() {
    for page in $(cd "$srcdir" && echo [A-Z]*.md doc/*.md); do
        folder=$(dirname "$page")
        for link in $(sed -e '/^```/,/^```/d' -e 's/`[^`]*`//g' "$srcdir/$page" | grep -oE '\]\([^)]*\)|^\[[a-z]*\]: .*' | sed -e 's/^](\(.*\))$/\1/' -e 's/^\[[a-z]*\]: //'); do
            case $link in http*) continue ;; \#*) link=$(basename "$page")$link ;; esac
            file=$srcdir/$folder/${link%%#*}
            [ -e "$file" ] || { echo "$page: $link"; return 1; }
            case $link in *#*) ;; *) continue ;; esac
            grep '^#' "$file" | sed 's/^#* //' | slug | grep -qx -- "${link#*#}" || { echo "$page: $link"; return 1; }
        done
    done
}
check "README.md: its numbers stand in the book" numbers_stand_in_the_book
check "README.md, HACKING.md and doc/: links lead somewhere" links_lead_somewhere
