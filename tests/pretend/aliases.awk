# SPDX-License-Identifier: BSD-3-Clause
# Reads include/mpiortho.h, and writes for each collective a function that calls it with aliases of its
# buffers (tests/pretend/aliases.hpp), and a macro that has test programs call that.
/^int ORTHO_/ { declaration = "" }
/^int ORTHO_/ || declaration != "" {
    declaration = declaration " " $0
    if (/;/) {
        if (declaration ~ /buf/ && declaration ~ /MPI_Comm comm/ && declaration !~ /[Ss]parse_/)
            write(declaration)
        declaration = ""
    }
}

function write(text,    name, parameters, number, list, i, parameter, arguments, type) {
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
        if (parameter ~ /^(sendbuf|recvbuf|buffer)$/) parameter = "call(" parameter ")"
        arguments = arguments (i > 1 ? ", " : "") parameter
    }
    printf "inline int %s(%s)\n{\n    Call call(comm);\n    const int code = ORTHO_%s(%s);\n", substr(name, 7),
        parameters, substr(name, 7), arguments
    if (text ~ /ORTHO_Request \*request/) print "    call.note(code, request);"
    print "    return code;\n}"
    macros = macros "#undef " name "\n#define " name " (::pretend::" substr(name, 7) ")\n"
}

END {
    print "} // namespace pretend"
    printf "%s", macros
}
