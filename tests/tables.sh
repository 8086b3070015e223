# SPDX-License-Identifier: BSD-3-Clause
# For scripts that look at tables of $bench, a program: in $work/out, on one line or several.

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
    lines=$(grep -cE "$1" "$work/out")
    bad=$($AWK -v wanted="$2" -v pattern="$1" '$0 ~ pattern && NF != wanted' "$work/out")
    if [ "$lines" != "$3" ] || [ -n "$bad" ]; then cat "$work/out"; echo "$lines lines; not of $2 fields: $bad"; return 1; fi
}
