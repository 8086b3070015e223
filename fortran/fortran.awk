# SPDX-License-Identifier: BSD-3-Clause
# awk -v make=WHAT -f fortran/fortran.awk -f src/build/calls.awk src/calls.table fortran/functions.table \
#     [fortran/module.f90]: the Fortran face, from both tables.
#   module      the module: what stands in module.f90, with what the tables say where that has @interfaces and
#               @bodies
#   c           what the interfaces lead to
# src/build/calls.awk reads the rows of calls for it.

FILENAME ~ /module\.f90$/ {
    if (/^@handles$/) is_twice = 1
    else if (/^@$/) write_twice()
    else if (is_twice) twice = twice $0 "\n"
    else if (/^@halo /) write_halo($2)
    else if (/^@constants$/) write_constants()
    else if (/^@interfaces$/) print text["interfaces"] generic_names()
    else if (/^@bodies$/) print text["bodies"]
    else print
    next
}
$1 == "call" {
    name = $2
    own = "," $4 ","
    read_parameters()
    for (large = 0; large <= is_large; ++large) {
        a_form("", large)
        a_form("i", large)
        a_form("init", large)
    }
    next
}
$1 == "function" || $1 == "interface" {
    row = ""
    for (i = 3; i <= NF; ++i) row = row " " ($i in groups ? groups[$i] : $i)
    m = split(row, list, " ")
    for (i = 1; i <= m; ++i) {
        split(list[i], parts, ":")
        k[i] = parts[1]
        p[i] = parts[2]
    }
    is_large = has("number|place|displs")
    has_size = has("^(number|place)$")
    # With large counts, and with those in lists alone.
    split("_c _n", suffix, " ")
    for (large = 0; large <= (has("^numbers$") && has_size ? 2 : is_large); ++large)
        a_routine("ORTHO_" $2, "ortho_" tolower($2) suffix[large], "ortho_" tolower($2))
    next
}

# --- Descriptions -----------------------------------------------------------------------------------------

# A collective as a row of the table of functions has it.  Routines with large counts share the generic name.
function a_form(form, large,    i, c_name)
{
    m = n
    for (i = 1; i <= n; ++i) {
        p[i] = parameter[i]
        k[i] = kind[i]
        if (kind[i] == "root") k[i] = "int"
        if (kind[i] == "count") k[i] = large ? "count" : "int"
        if (kind[i] ~ /^(counts|shares)$/) k[i] = large ? "counts" : "list"
        if (kind[i] == "places") k[i] = large ? "aints" : "list"
        if (kind[i] == "bytes") k[i] = "aints"
    }
    k[++m] = "comm"
    p[m] = "comm"
    if (form == "init") {
        k[++m] = "info"
        p[m] = "info"
    }
    if (form != "") {
        k[++m] = "got_request"
        p[m] = "request"
    }
    c_name = function_name("ORTHO_", form, large)
    a_routine(c_name, tolower(c_name), tolower(function_name("ORTHO_", form, 0)))
}
function has(pattern,    i)
{
    for (i = 1; i <= m; ++i) if (k[i] ~ pattern) return 1
    return 0
}
# Do handles of integers and of types make two interfaces?
function has_handles()
{
    return has("^(types?|op|(got_)?comm|info|group|(got_|free_)?win|got_mpi_request|status(es)?)$")
}
function has_logicals() { return has("logical") }

function a_routine(c_name, name, generic)
{
    # Interfaces get the kind of lists in their descriptors.
    label = $1 == "interface" ? tolower($2) (large == 1 && has_size ? "_c" : "") : substr(name, 7)
    if (make == "c" && $1 != "interface") write_c(c_name, name, generic)
    add_specific(c_name, name, generic, "f08")
    if (has_handles()) add_specific(c_name, name, generic, "int")
}
function add_specific(c_name, name, generic, binding)
{
    if (!(generic in specifics)) generics[++n_generics] = generic
    specifics[generic] = joined(specifics[generic], name "_" binding)
    if (make == "module") write_interface(name, (has_logicals() ? "c_" : "") name "_" binding, binding)
    if (make == "module" && has_logicals()) write_body(name, binding)
}

# --- Fortran ----------------------------------------------------------------------------------------------

function names_of_dummies(    i, result)
{
    for (i = 1; i <= m; ++i) result = joined(result, p[i])
    return joined(result, "ierror")
}
function handle(type, binding) { return binding == "f08" ? "type(" type ")" : "integer" }
BEGIN {
    MOST_ARRAYS = 48 # given to a routine of halos
    split("type MPI_Datatype op MPI_Op comm MPI_Comm info MPI_Info group MPI_Group win MPI_Win " \
        "mpi_request MPI_Request", list, " ")
    for (i = 1; i in list; i += 2) mpi_type[list[i]] = list[i + 1]
}
function integer_of_size() { return large == 1 ? "integer(MPI_COUNT_KIND)" : "integer" }
function list_of(kind) { return (large ? "integer(" kind ")" : "integer") ", dimension(..)" }
# The declaration of a parameter where C is called, or (public) where the user calls.
function declaration(i, binding, public,    kind)
{
    kind = k[i]
    if (kind == "in") return "type(*), dimension(..), intent(in), target, asynchronous :: " p[i]
    if (kind == "out") return "type(*), dimension(..), target, asynchronous :: " p[i]
    if (kind == "int" || kind == "index") return "integer, intent(in) :: " p[i]
    if (kind ~ /^(number|place)$/) return integer_of_size() ", intent(in) :: " p[i]
    if (kind ~ /^got_(number|place)$/) return integer_of_size() ", intent(out) :: " p[i]
    if (kind == "count") return "integer(MPI_COUNT_KIND), intent(in) :: " p[i]
    if (kind == "aint" || kind == "stream") return "integer(MPI_ADDRESS_KIND), intent(in) :: " p[i]
    if (kind == "list") return "integer, intent(in) :: " p[i] "(*)"
    if (kind == "counts") return "integer(MPI_COUNT_KIND), intent(in) :: " p[i] "(*)"
    if (kind == "aints") return "integer(MPI_ADDRESS_KIND), intent(in) :: " p[i] "(*)"
    if (kind == "ints") return "integer, dimension(..), intent(in) :: " p[i]
    if (kind == "numbers") return list_of("MPI_COUNT_KIND") ", intent(in) :: " p[i]
    if (kind == "displs") return list_of("MPI_ADDRESS_KIND") ", intent(in) :: " p[i]
    # Those that could be left out would not tell the kinds apart.
    if (kind ~ /^got_(numbers|displs)$/)
        return list_of(kind ~ /displs/ ? "MPI_ADDRESS_KIND" : "MPI_COUNT_KIND") ", intent(inout)" \
            (large ? "" : ", optional") " :: " p[i]
    if (kind == "maybe_got_ints") return "integer, dimension(..), intent(inout), optional :: " p[i]
    if (kind == "maybe_info") return handle("MPI_Info", binding) ", intent(in), optional :: " p[i]
    if (kind ~ /^(got_|free_)?(map|sparse|mosaic|contacts?|patches)$/) return declaration_of_own(kind, p[i])
    if (kind ~ /^(sizes|cell|most)$/) return "integer, dimension(..), intent(in) :: " p[i]
    if (kind == "types") return handle("MPI_Datatype", binding) ", intent(in) :: " p[i] "(*)"
    if (kind in mpi_type) return handle(mpi_type[kind], binding) ", intent(in) :: " p[i]
    if (kind == "free_win") return handle("MPI_Win", binding) ", intent(inout) :: " p[i]
    if (kind == "logical") return (public ? "logical" : "integer") ", intent(in) :: " p[i]
    if (kind ~ /^(maybe_)?logicals$/)
        return (public ? "logical" : "integer") ", intent(in)" (public && kind ~ /maybe/ ? ", optional" : "") \
            " :: " p[i] (public ? "(:)" : "(*)")
    if (kind == "got_logical") return (public ? "logical" : "integer") ", intent(out) :: " p[i]
    if (kind == "got_logicals")
        return (public ? "logical" : "integer") ", intent(inout) :: " p[i] (public ? "(:)" : "(*)")
    if (kind ~ /^got_(int|index)$/) return "integer, intent(out) :: " p[i]
    if (kind ~ /^got_(ints|indices)$/) return "integer, dimension(..), intent(inout) :: " p[i]
    if (kind == "got_pointer") return "type(c_ptr), intent(out) :: " p[i]
    if (kind == "got_request") return "type(ortho_request), intent(out) :: " p[i]
    if (kind == "request") return "type(ortho_request), intent(inout) :: " p[i]
    if (kind == "old_request") return "type(ortho_request), intent(in) :: " p[i]
    if (kind == "requests") return "type(ortho_request), intent(inout) :: " p[i] "(*)"
    if (kind == "text") return "character(len=*, kind=c_char), intent(out) :: " p[i]
    # Where it is left out the interface of mpi_f08 is meant: both would do.
    if (kind ~ /^status/ && binding == "f08")
        return "type(MPI_Status), optional :: " p[i] (kind == "statuses" ? "(*)" : "")
    if (kind == "status") return "integer :: " p[i] "(*)"
    if (kind == "statuses") return "integer :: " p[i] "(MPI_STATUS_SIZE, *)"
    sub(/^got_/, "", kind)
    if (kind in mpi_type) return handle(mpi_type[kind], binding) ", intent(out) :: " p[i]
    print "no kind " k[i] >"/dev/stderr"
    exit 1
}
function own_type(kind)
{
    sub(/^(got|free)_/, "", kind)
    return "ortho_" (kind == "map" ? "index_map" : kind == "patches" ? "patch" : kind == "contacts" ? "contact" : kind)
}
function declaration_of_own(kind, p)
{
    return "type(" own_type(kind) "), intent(" \
        (kind ~ /^got_.*s$/ || kind ~ /^free_/ ? "inout" : kind ~ /^got_/ ? "out" : "in") ") :: " p \
        (kind ~ /(contacts|patches)$/ ? "(:)" : "")
}
# A line of a section of the module.
function out(line) { text[section] = text[section] line "\n" }
# A statement on lines of at most 110 columns.
function statement(line, indent)
{
    line = wrapped(line, indent)
    gsub(/,\n/, ", \\&\n", line)
    out(line)
}
function write_head(name, tail, binding, public,    i)
{
    statement("subroutine " name "(" names_of_dummies() ")" tail, "    ")
    if (!public) out("        import")
    for (i = 1; i <= m; ++i) out("        " declaration(i, binding, public))
    out("        integer, intent(out), optional :: ierror")
}
function write_interface(name, specific, binding)
{
    section = "interfaces"
    out("    interface")
    write_head(specific, " bind(C, name=\"mpiortho_fortran_" label "\")", binding, 0)
    out("    end subroutine")
    out("    end interface")
}
function write_body(name, binding,    i, arguments)
{
    section = "bodies"
    out("")
    write_head(name "_" binding, "", binding, 1)
    for (i = 1; i <= m; ++i) {
        if (k[i] == "got_logical") out("        integer :: c_" p[i])
        if (k[i] == "got_logicals") out("        integer :: c_" p[i] "(size(" p[i] "))")
        if (k[i] == "maybe_logicals") out("        integer :: c_" p[i] "(4)")
        if (k[i] ~ /^logicals?$/) arguments = joined(arguments, "merge(1, 0, " p[i] ")")
        else if (k[i] ~ /logical/) arguments = joined(arguments, "c_" p[i])
        else arguments = joined(arguments, p[i])
    }
    for (i = 1; i <= m; ++i) if (k[i] == "got_logicals") out("        c_" p[i] " = merge(1, 0, " p[i] ")")
    for (i = 1; i <= m; ++i)
        if (k[i] == "maybe_logicals") {
            out("        c_" p[i] " = 0")
            out("        if (present(" p[i] ")) c_" p[i] "(:min(4, size(" p[i] "))) = &")
            out("            merge(1, 0, " p[i] "(:min(4, size(" p[i] "))))")
        }
    statement("call c_" name "_" binding "(" joined(arguments, "ierror") ")", "        ")
    for (i = 1; i <= m; ++i) if (k[i] ~ /got_logical/) out("        " p[i] " = c_" p[i] " /= 0")
    out("    end subroutine")
}
# The generic names, and what they stand for.
function generic_names(    i, j, count, list, result)
{
    for (i = 1; i <= n_generics; ++i) {
        result = result "    interface " generics[i] "\n"
        count = split(specifics[generics[i]], list, ", ")
        for (j = 1; j <= count; ++j) result = result "        procedure :: " list[j] "\n"
        result = result "    end interface\n    public :: " generics[i] "\n"
    }
    return result
}
# For both kinds of handles.
function write_twice()
{
    printf "%s", twice
    gsub(/_f08/, "_int", twice)
    gsub(/type\(MPI_[A-Za-z]+\)/, "integer", twice)
    printf "%s", twice
    twice = ""
    is_twice = 0
}
# A routine of halos, which is given the arrays.
function write_halo(name,    i, arrays)
{
    for (i = 1; i <= MOST_ARRAYS; ++i) arrays = joined(arrays, "a" i)
    section = "halo"
    text[section] = ""
    statement("subroutine halo_" name "(halo, " arrays ", ierror) " \
        "bind(C, name=\"mpiortho_fortran_halo_" name "\")",
        "        ")
    out("            import")
    out("            type(ortho_halo), intent(inout) :: halo")
    statement("type(*), dimension(..), intent(inout), target, asynchronous, optional :: " arrays,
        "            ")
    out("            integer, intent(out), optional :: ierror")
    out("        end subroutine")
    printf "%s", text[section]
}
# All that MPI recognises by its address, in the order of Constants::Kind.
function write_constants(    list, count, i)
{
    count = split("IN_PLACE BOTTOM UNWEIGHTED WEIGHTS_EMPTY STATUS_IGNORE STATUSES_IGNORE", list, " ")
    for (i = 1; i <= count; ++i) print "        call constant(" i - 1 ", binding, MPI_" list[i] ")"
}

# --- C ----------------------------------------------------------------------------------------------------

function c_integer_of_size() { return large ? "MPI_Count* " : "MPI_Fint* " }
function c_dummy(i,    kind)
{
    kind = k[i]
    if (kind ~ /^(in|out|ints|got_ints|got_indices|text|sizes|cell|most|(got_)?(contacts|patches))$/)
        return "const CFI_cdesc_t* " p[i]
    if (kind == "got_contact") return "ORTHO_Contact* " p[i]
    if (kind ~ /^(number|place)$/) return "const " c_integer_of_size() p[i]
    if (kind ~ /^got_(number|place)$/) return c_integer_of_size() p[i]
    if (kind == "count" || kind == "counts") return "const MPI_Count* " p[i]
    if (kind ~ /^(aint|aints|stream)$/) return "const MPI_Aint* " p[i]
    if (kind == "got_pointer") return "void** " p[i]
    if (kind == "old_request") return "const ORTHO_Request* " p[i]
    if (kind ~ /^(free_)?(map|sparse|mosaic)$/)
        return (kind ~ /^free_/ ? "" : "const ") "ORTHO_" toupper(substr(own_type(kind), 7, 1)) \
            substr(own_type(kind), 8) "* " p[i]
    if (kind ~ /request/ && kind != "got_mpi_request") return "ORTHO_Request* " p[i]
    if (kind ~ /^(got_|free_win|status)/) return "MPI_Fint* " p[i]
    return "const MPI_Fint* " p[i]
}
function c_argument(i,    kind)
{
    kind = k[i]
    if (kind == "in" || kind == "out") return "choice_buffer(" p[i] ", \"" p[i] "\")"
    if (kind == "index" || kind == "place") return "*" p[i] " - 1"
    if (kind ~ /^got_(number|place)$/) return "GotNumber(" p[i] ", " (kind == "got_place") ")"
    if (kind ~ /^(int|number|logical|count|aint|old_request|map|sparse|mosaic)$/) return "*" p[i]
    if (kind ~ /^(list|counts|aints|(maybe_)?logicals|requests?|got_(int|logicals?|pointer|request))$/) return p[i]
    if (kind == "sizes") return "Sizes(*" p[i] ", *d, " tiles_named() ").data()"
    if (kind == "cell") return "Cell(*" p[i] ", 1, dimensions_of(*mosaic)).data()"
    if (kind == "most") return "Cell(*" p[i] ", 0, *d).data()"
    if (kind == "got_contact") return "GotContact(" p[i] ")"
    if (kind == "got_contacts") return "GotItems<ORTHO_Contact>(" p[i] ", \"" p[i] "\", 12)"
    if (kind == "got_patches") return "GotItems<ORTHO_Patch>(" p[i] ", \"" p[i] "\", *maxn)"
    if (kind ~ /^free_(map|sparse)$/) return p[i]
    if (kind == "stream") return "reinterpret_cast<void*>(*" p[i] ")"
    if (kind == "ints") return "Ints(" p[i] ")"
    if (kind == "got_ints") return "GotInts(" p[i] ")"
    if (kind == "got_indices") return "GotIndices(" p[i] ", *" (p[i] == "indices" ? "n" : "maxn") ")"
    if (kind == "got_index") return "GotIndex(" p[i] ")"
    if (kind == "types")
        return "Types(" p[i] ", *comm, " (p[i] ~ /^send/ ? "sendbuf, Side::out" : "recvbuf, Side::in") ")"
    if (kind == "type") return "MPI_Type_f2c(*" p[i] ")"
    if (kind in mpi_type) return mpi_type[kind] "_f2c(*" p[i] ")"
    if (kind == "free_win") return made("MPI_Win", p[i], "MPI_Win_f2c(*" p[i] ")")
    if (kind == "status") return "Status(" p[i] ")"
    if (kind == "statuses") return "Statuses(" p[i] ", *n)"
    if (kind == "text") return "Text(" p[i] "), length(" p[i] ")"
    sub(/^got_/, "", kind)
    return made(mpi_type[kind], p[i], toupper(mpi_type[kind]) "_NULL")
}
# The tiles whose sizes C reads.
function tiles_named()
{
    return has_parameter("ntiles") ? "*ntiles" : has_parameter("a") ? "std::max(*a, *b)" : \
        has_parameter("tile") ? "*tile" : "6"
}
function has_parameter(name,    i)
{
    for (i = 1; i <= m; ++i) if (p[i] == name) return 1
    return 0
}
function made(type, p, first)
{
    return "Made(" p ", " first ", [](" type " made) { return " type "_c2f(made); })"
}
function handler(    i)
{
    for (i = 1; i <= m; ++i) if (k[i] == "comm") return "MPI_Comm_f2c(*" p[i] ")"
    return "MPI_COMM_SELF"
}
function write_c(c_name, name, generic,    i, dummies, arguments)
{
    for (i = 1; i <= m; ++i) {
        dummies = joined(dummies, c_dummy(i))
        arguments = joined(arguments, c_argument(i))
    }
    print ""
    put("void mpiortho_fortran_" substr(name, 7) "(" joined(dummies, "MPI_Fint* ierror") ")")
    print "{"
    put("    answer(\"" generic "\", " handler() ", ierror, [&] { return " c_name "(" arguments "); });")
    print "}"
}
BEGIN {
    if (make == "c") {
        head("What the interfaces of module mpiortho lead to.")
        print "#include \"fortran/halo.hpp\""
        print "#include \"fortran/mosaic.hpp\"\n"
        print "using namespace ortho::fortran;\n"
        print "extern \"C\" {"
    }
}
# Most calls give few arrays: the others are not looked at.
function write_given(name,    i, arrays, few)
{
    for (i = 1; i <= MOST_ARRAYS; ++i) {
        arrays = joined(arrays, "a" i)
        if (i == 9) few = arrays
    }
    print ""
    put("void mpiortho_fortran_halo_" name "(Halo* halo, " replaced(arrays, "a", "const CFI_cdesc_t* a") \
        ", MPI_Fint* ierror)")
    print "{"
    print "    if (a9 == nullptr) {"
    put("        const CFI_cdesc_t* const given[] = {" few "};")
    print "        return halo_" name "(halo, given, ierror);"
    print "    }"
    put("    const CFI_cdesc_t* const given[] = {" arrays ", nullptr};")
    print "    halo_" name "(halo, given, ierror);"
    print "}"
}
function replaced(line, from, to) { gsub(from, to, line); return line }
END {
    if (make != "c") exit
    write_given("start")
    write_given("wait")
    write_given("run")
    write_given("rebind")
    write_given("ghosts_rebind")
    print "\n} // extern \"C\""
}
