# SPDX-License-Identifier: BSD-3-Clause
# awk -f functions.awk FILE...: the functions of MPI whose bodies these files have as COMMUNICATING(NAME, ...)
# or LOCAL(NAME, ...).  The parameters of a body have no parentheses.
function end(    i, n, words, type, parameters, arguments)
{
    n = split(substr(text, index(text, "(") + 1), words, / *, */)
    for (i = 2; i <= n; ++i) {
        type = words[i]
        if (match(type, /[A-Za-z_]+$/) && RSTART > 1) type = substr(type, 1, RSTART - 1)
        parameters = parameters ", " type " a" i
        arguments = arguments ", a" i
    }
    print "PLAYED(int, " words[1] parameters ")"
    print "{"
    print "    return " (text ~ /^L/ ? "play_local" : "play") \
        "(\"MPI_" words[1] "\", body_of_" words[1] arguments ");"
    print "}"
}
/^(COMMUNICATING|LOCAL)\(/ { text = ""; is_open = 1 }
is_open { text = text $0 }
is_open && /\)/ { sub(/\).*/, "", text); end(); is_open = 0 }
