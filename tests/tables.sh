# SPDX-License-Identifier: BSD-3-Clause
# For scripts that look at tables of $bench, a program: in $work/out, on one line or several.

# bench_on PROCESSES WORDS...: the words are options, or variables, `$bench` and options.
bench_on() {
    p=$1
    shift
    case $1 in *=*) ;; *) set -- "$bench" "$@" ;; esac
    quiet on "$p" env "$@"
}
# measures PROCESSES WORDS...: likewise, with few samples, and a file $work/csv.
measures() { bench_on "$@" --runs 5 --samples 2 --batch-ms 0.2 --csv "$work/csv"; }
# lines NUMBER FILE PATTERN...: so many lines of the file (out, csv) have the pattern; and so on.
lines() {
    while [ $# -gt 0 ]; do
        found=$(grep -cE -- "$3" "$work/$2")
        [ "$found" = "$1" ] || { cat "$work/out"; echo "$found lines of $2 and not $1: $3"; return 1; }
        shift 3
    done
}
refuses() { # words, options: status 1 and one line
    words=$1
    shift
    if timeout 60 $MPIEXEC -n 2 "$bench" "$@" >"$work/out" 2>"$work/err"; then echo "accepted"; return 1; fi
    [ "$(grep -c -- "$words" "$work/err")" = 1 ] || { cat "$work/out" "$work/err"; return 1; }
}
# The last run's tables: their names of columns are those that are explained above them, no more and no fewer.
columns_are_explained() {
    $AWK '
        /^#   / { name = substr($0, 5); sub(/  .*/, "", name); names[++n] = name }
        !/^#/ && NF {
            line = $0
            split("", seen)
            for (turn = 1; turn <= n; ++turn) { # long names first, since short ones may be in them
                longest = 0
                for (i = 1; i <= n; ++i) if (!(i in seen) && (!longest || length(names[i]) > length(names[longest]))) longest = i
                seen[longest] = 1
                place = index(line, names[longest])
                if (!place) next
                line = substr(line, 1, place - 1) " " substr(line, place + length(names[longest]))
            }
            if (line ~ /^ *$/) ++headers
        }
        END { exit !(n && headers) }' "$work/out" || { cat "$work/out"; return 1; }
}
fields() { # lines of a table that begin so: fields that every one has, lines there are
    lines "$3" out "$1" || return 1
    bad=$($AWK -v wanted="$2" -v pattern="$1" '$0 ~ pattern && NF != wanted' "$work/out")
    [ -z "$bad" ] || { cat "$work/out"; echo "not of $2 fields: $bad"; return 1; }
}
