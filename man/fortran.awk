# SPDX-License-Identifier: BSD-3-Clause
# awk -f man/fortran.awk MODULE PAGE: the page, with the Fortran synopsis that the source of module mpiortho makes:
# what is called, in the binding of mpi_f08, then the declarations of all dummy arguments.

function joined(list, item) { return list == "" ? item : list ", " item }
# Splits a list at commas that are in no parentheses.
function split_list(list, items,    n, i, c, depth)
{
    split("", items)
    n = list == "" ? 0 : 1
    for (i = 1; i <= length(list); ++i) {
        c = substr(list, i, 1)
        depth += (c == "(") - (c == ")")
        if (c == "," && depth == 0) ++n
        else items[n] = items[n] c
    }
    for (i = 1; i <= n; ++i) sub(/^ +/, "", items[i])
    return n
}

# --- The module ---------------------------------------------------------------------------------

FNR == 1 { ++file }
file == 1 {
    sub(/^ +/, "")
    sub(/ *!.*/, "")
    statement = statement $0
    if (sub(/ *& *$/, "", statement)) { statement = statement " "; next }
    read_statement(statement)
    statement = ""
    next
}
function read_statement(line,    list, n, i, name, type)
{
    if (line ~ /^interface ortho_/) {
        generic = substr(line, 11)
    } else if (line ~ /^end interface/) {
        generic = ""
    } else if (line ~ /^procedure ::/ && generic != "") {
        sub(/^procedure :: */, "", line)
        n = split(line, list, / *, */)
        for (i = 1; i <= n; ++i) specifics[generic] = specifics[generic] " " list[i]
    } else if (line ~ /^(subroutine|function) /) {
        routine = line
        sub(/^[a-z]+ /, "", routine)
        sub(/\(.*/, "", routine)
        sub(/^[^(]*\(/, "", line)
        sub(/\).*/, "", line)
        dummies[routine] = line
        if (!(routine in specifics)) specifics[routine] = routine
    } else if (line ~ /^end (subroutine|function)/) {
        routine = ""
    } else if (routine != "" && line ~ / :: /) {
        type = line
        sub(/ *:: .*/, "", type)
        sub(/^.* :: /, "", line)
        n = split_list(line, list)
        for (i = 1; i <= n; ++i) {
            name = list[i]
            sub(/\(.*/, "", name)
            declared[routine, name] = type " :: " list[i]
        }
    }
}

# --- The page -----------------------------------------------------------------------------------

/^\.SH / { part = $2 }
part == "NAME" { names = names " " $0 }
/^\.S[SH] / { is_old = part == "SYNOPSIS" && $2 == "Fortran" }
/^\.SH DESCRIPTION/ { write_synopsis() }
!is_old

function write_synopsis(    words, n, i, name, calls)
{
    gsub(/,/, " ", names)
    n = split(names, words, " ")
    for (i = 1; i <= n; ++i) {
        if (words[i] !~ /^ORTHO_[A-Z][a-z]/ || words[i] ~ /_c$/) continue
        name = tolower(words[i])
        sub(/_fields_init$/, "_init", name)
        sub(/_rebind_fields$/, "_rebind", name)
        # tests/scripts/fortran.sh says which functions the module lacks.
        if (name in written || !(name in specifics)) continue
        written[name] = 1
        if (name == "ortho_halo_init") calls = calls text_of("ortho_field", "")
        calls = calls text_of(name, "call ")
    }
    if (calls == "") return
    printf ".SS Fortran\n.nf\n.B use mpiortho\n.sp\n%s.sp\n", calls
    for (i = 1; i <= n_types; ++i) write_declaration(types[i], of_type[types[i]])
    print ".fi"
}
# Those of one type stand together.
function declare(declaration,    list)
{
    if (declaration in is_declared) return
    is_declared[declaration] = 1
    split(declaration, list, / :: /)
    if (!(list[1] in of_type)) types[++n_types] = list[1]
    of_type[list[1]] = joined(of_type[list[1]], list[2])
}
function write_declaration(type, names,    list, n, i, line)
{
    n = split_list(names, list)
    line = type " :: " list[1]
    for (i = 2; i <= n; ++i) {
        if (length(line list[i]) > 98) {
            print line ", &"
            line = "    " list[i]
        } else {
            line = line ", " list[i]
        }
    }
    print line
}
function text_of(name, call,    list, n, i, result)
{
    n = split(specifics[name], list, " ")
    for (i = 1; i <= n; ++i)
        if (list[i] !~ /(_int|_[cn]_f08)$/) result = result text_of_one(name, list[i], call)
    return result
}
function text_of_one(name, specific, call,    list, n, i, line, lines, type, width, item)
{
    n = split(dummies[specific], list, / *, */)
    line = call name "("
    width = length(line)
    for (i = 1; i <= n; ++i) {
        type = declared[specific, list[i]]
        if (list[i] ~ /^a[0-9]+$/) {
            if (list[i] != "a1") continue
            type = "type(*), dimension(..), intent(inout), optional :: a1, a2, ..."
            list[i] = "a1, a2, ..."
        }
        gsub(/, (target|asynchronous)/, "", type)
        declare(type)
        item = i == 1 ? list[i] : type ~ /optional/ ? " [, " list[i] "]" : ", " list[i]
        if (i == n) item = item ")"
        if (length(line item) > 100) {
            if (sub(/^, /, "", item)) line = line ","
            lines = lines ".B \"" line "\"\n"
            line = sprintf("%" width "s", "")
            sub(/^ /, "", item)
        }
        line = line item
    }
    return lines ".B \"" line "\"\n"
}
