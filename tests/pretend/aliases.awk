# SPDX-License-Identifier: BSD-3-Clause
# Reads include/mpiortho.h, and writes for each call that takes buffers a function that calls it with aliases of
# these (tests/pretend/aliases.hpp), and a macro that has test programs call that.
/^int ORTHO_/ { declaration = "" }
/^int ORTHO_/ || declaration != "" {
    declaration = declaration " " $0
    if (/;/) {
        if (declaration ~ /buf/ && declaration ~ /[Ss]parse_/)
            write(declaration, "Alias()", 0)
        else if (declaration ~ /buf/ && declaration ~ /MPI_Comm comm/)
            write(declaration, "call", 1)
        else if (declaration ~ /nfields, /)
            write(declaration, "", 0)
        declaration = ""
    }
}

function write(text, alias, is_collective,    name, parameters, number, list, i, parameter, arguments, type) {
    gsub(/[ \t]+/, " ", text)
    name = text
    sub(/^ int /, "", name)
    sub(/\(.*/, "", name)
    parameters = text
    sub(/^[^(]*\(/, "", parameters)
    sub(/\);.*/, "", parameters)
    number = split(parameters, list, /, /)
    arguments = ""
    for (i = 1; i <= number; ++i) {
        parameter = list[i]
        sub(/\[.*/, "", parameter)
        sub(/.*[ *]/, "", parameter)
        if (parameter ~ /^(sendbuf|recvbuf|buffer)$/) parameter = alias "(" parameter ")"
        if (parameter ~ /^(fields|bases|owned|ghosts)$/)
            parameter = "List(nfields, " parameter (text ~ /ORTHO_Mosaic mosaic/ ? ", mosaic" : "") ")"
        arguments = arguments (i > 1 ? ", " : "") parameter
    }
    printf "inline int %s(%s)\n{\n", substr(name, 7), parameters
    if (is_collective) print "    Call call(comm);"
    printf "    const int code = %s(%s);\n", name, arguments
    if (is_collective && text ~ /ORTHO_Request \*request/) print "    call.note(code, request);"
    print "    return code;\n}"
    macros = macros "#undef " name "\n#define " name " (::pretend::" substr(name, 7) ")\n"
}

END {
    print "} // namespace pretend"
    printf "%s", macros
}
