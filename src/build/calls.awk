# SPDX-License-Identifier: BSD-3-Clause
# awk -v make=WHAT -f src/build/calls.awk src/calls.table: makes files from the table of calls.
#   arguments   structs of the calls' arguments (C++)
#   forms       the public functions
#   pmpi        the interposer's functions with MPI's names
#   fortran     the interposer's wrappers of Fortran functions
#   loopback    MPI's functions with large counts for tests/loopback, which call those without
#   hooks       declarations of functions that the interposer calls instead of MPI's neighborhood collectives
#   names       the functions that the library exports: by the node that has them (libmpiortho.map.in)
#   pages       each exported function, and its manual page if that has another name
#   prototypes  the declarations that the header must have

/^#/ || NF == 0 { next }
$1 == "group" {
    groups[$2] = ""
    for (i = 3; i <= NF; ++i) groups[$2] = groups[$2] " " $i
    next
}
$1 == "call" {
    name = $2
    page = $3
    own = "," $4 ","
    read_parameters()
    if (make == "arguments") write_arguments()
    if (make == "forms") each_form("write_form")
    if (make == "pmpi") write_pmpi()
    if (make == "fortran") write_fortran()
    if (make == "loopback" && is_mpis && is_large) {
        write_played("")
        write_played("i")
        write_played("init")
    }
    if (make == "names" || make == "pages" || make == "prototypes" || make == "hooks") each_form(make)
    next
}
{
    print FILENAME ": line " FNR " is neither a group nor a call" >"/dev/stderr"
    exit 1
}

# --- The row --------------------------------------------------------------------------------------

# kind[1..n] and parameter[1..n], and the group that each is of: group[g], where[g], first[g]..last[g].
function read_parameters(    g, i, list, parts, count)
{
    n = n_groups = is_large = 0
    has_root = has_op = 0
    for (g = 5; g <= NF; ++g) {
        split($g, parts, "@")
        if (!(parts[1] in groups)) { print FILENAME ": no group " parts[1] >"/dev/stderr"; exit 1 }
        group[++n_groups] = parts[1]
        where[n_groups] = parts[2]
        first[n_groups] = n + 1
        count = split(groups[parts[1]], list, " ")
        for (i = 1; i <= count; ++i) {
            split(list[i], parts, ":")
            kind[++n] = parts[1]
            parameter[n] = parts[2]
            if (parts[1] ~ /count|shares/) is_large = 1
            if (parts[1] == "root") has_root = 1
            if (parts[1] == "op") has_op = 1
        }
        last[n_groups] = n
    }
    is_neighbor = own ~ /,neighbor,/
    is_mpis = own ~ /,full,/
    is_dense = own ~ /,dense,/
}
function is_typed() { return group[1] == "SEND_TYPED" || group[2] == "RECV_TYPED" }
# Does the call have arrays that a single datatype cannot replace?
function is_varying(    g)
{
    for (g = 1; g <= n_groups; ++g) if (group[g] ~ /VARYING|GATHERED|SCATTERED|SHARES/) return 1
    return 0
}

# --- Text -----------------------------------------------------------------------------------------

function lower(text) { return tolower(substr(text, 1, 1)) substr(text, 2) }
# The functions of a form: prefix is ORTHO_, MPI_ or PMPI_.
function function_name(prefix, form, large)
{
    return prefix (form == "i" ? "I" lower(name) : name) (form == "init" ? "_init" : "") (large ? "_c" : "")
}
function neighbor_name(prefix, form, large)
{
    return prefix (form == "i" ? "Ineighbor_" : "Neighbor_") lower(name) (form == "init" ? "_init" : "") (large ? "_c" : "")
}
# Lines of at most 110 columns, broken behind commas.
function wrapped(text, indent,    pieces, count, i, line, result, piece)
{
    count = split(text, pieces, ", ")
    line = indent
    indent = indent "    "
    result = ""
    for (i = 1; i <= count; ++i) {
        piece = pieces[i] (i < count ? "," : "")
        if (length(line) + length(piece) > 108 && line ~ /[^ ]/) {
            sub(/ $/, "", line)
            result = result line "\n"
            line = indent
        }
        line = line piece (i < count ? " " : "")
    }
    return result line
}
function put(text) { match(text, /^ */); print wrapped(substr(text, RLENGTH + 1), sprintf("%" RLENGTH "s", "")) }
function joined(a, b) { return a == "" ? b : b == "" ? a : a ", " b }

# The parameters of a form in C: of the public function, or of MPI's function of that name.
function c_type(k, p, large, mpis)
{
    if (k == "in") return "const void* " p
    if (k == "out") return "void* " p
    if (k == "count") return (large ? "MPI_Count " : "int ") p
    if (k == "counts" || k == "shares") return (large ? "const MPI_Count " : "const int ") p "[]"
    if (k == "places" || (k == "bytes" && mpis)) return (large ? "const MPI_Aint " : "const int ") p "[]"
    if (k == "bytes") return "const MPI_Aint " p "[]"
    if (k == "type") return "MPI_Datatype " p
    if (k == "types") return "const MPI_Datatype " p "[]"
    if (k == "op") return "MPI_Op " p
    return "int " p
}
function c_parameters(form, large, mpis, request,    i, result)
{
    for (i = 1; i <= n; ++i) result = joined(result, c_type(kind[i], parameter[i], large, mpis))
    return joined(result, "MPI_Comm comm") (form == "init" ? ", MPI_Info info" : "") (form != "" ? ", " request "* request" : "")
}
function plain_arguments(    i, result)
{
    for (i = 1; i <= n; ++i) result = joined(result, parameter[i])
    return result
}
function rest(form, comm, request) { return comm (form == "init" ? ", info" : "") (form != "" ? ", " request : "") }

function each_form(what,    large)
{
    for (large = 0; large <= is_large && large <= LARGE; ++large) {
        use(what, "", large)
        use(what, "i", large)
        use(what, "init", large)
    }
}
function use(what, form, large)
{
    if (what == "write_form") write_form(form, large)
    if (what == "write_form" && is_neighbor) write_hook(form, large)
    if (what == "hooks" && is_neighbor) put(hook_declaration(form, large) ";")
    if (what == "names" && is_neighbor) print "private " hook_name(form, large)
    if (what == "names") print (large ? "0.2 " : "0 ") function_name("ORTHO_", form, large)
    if (what == "pages" && (form != "" || large || name != page)) print function_name("ORTHO_", form, large), "ORTHO_" page
    if (what == "prototypes") print "int " function_name("ORTHO_", form, large) "(" c_parameters(form, large, 0, "ORTHO_Request") ");"
}

# --- The library ----------------------------------------------------------------------------------

function head(text)
{
    print "// SPDX-License-Identifier: BSD-3-Clause"
    print "// Made by src/build/calls.awk from src/calls.table.  " text
}
BEGIN {
    LARGE = 1
    if (make == "arguments") {
        head("The arguments of each collective.")
        print "#pragma once\n"
        print "#include <mpi.h>\n"
        print "#include \"collectives/argument_checks.hpp\""
        print "#include \"mpi/argument_copies.hpp\""
        print "#include \"collectives/on_mpi.hpp\""
        print "#include \"engine/context.hpp\""
        print "#include \"call/edges.hpp\""
        print "#include \"mpi/comm.hpp\""
        print "#include \"mpi/count_array.hpp\"\n"
        print "namespace ortho::collectives {"
    }
    if (make == "forms") {
        head("The public functions of each collective.")
        print "#include \"calls/hooks.hpp\""
        print "#include \"collectives/call_forms.hpp\"\n"
        print "using namespace ortho;\n"
        print "extern \"C\" {"
    }
    if (make == "pmpi") {
        head("MPI's collectives, by the library's.")
        print "#include \"calls/hooks.hpp\""
        print "#include \"mpiortho.h\""
        print "#include \"pmpi/replace.hpp\""
        print "#include \"pmpi/unify.hpp\"\n"
        print "using namespace ortho;"
        print "using pmpi::Counter;"
        print "using pmpi::EdgeOrder;"
        print "using pmpi::InEdgeOrder;"
        print "using pmpi::InterposedTopology;\n"
        print "extern \"C\" {"
    }
    if (make == "hooks") {
        head("What stands for MPI's neighborhood collectives: exported for the interposer alone.")
        print "#pragma once\n"
        print "#include <mpi.h>\n"
        print "#include \"mpiortho.h\"\n"
        print "extern \"C\" {"
    }
    if (make == "loopback") head("MPI's functions with large counts.")
    if (make == "fortran") {
        head("Fortran's collectives, by MPI's functions of C, which the interposer has.")
        print "#include \"pmpi/fortran_collectives.hpp\"\n"
        print "using namespace ortho;"
        print "using namespace ortho::pmpi::fortran;"
    }
}
END {
    if (make == "arguments") print "\n} // namespace ortho::collectives"
    if (make == "forms" || make == "pmpi" || make == "hooks") print "\n} // extern \"C\""
}

function field_type(k)
{
    if (k == "in") return "const void*"
    if (k == "out") return "void*"
    if (k == "count") return "MPI_Count"
    if (k ~ /^(counts|shares|places|bytes)$/) return "mpi::CountArray"
    if (k == "type") return "MPI_Datatype"
    if (k == "types") return "const MPI_Datatype*"
    if (k == "op") return "MPI_Op"
    return "int"
}
function write_arguments(    i)
{
    print "\n/// ORTHO_" name "."
    print "struct " name " {"
    for (i = 1; i <= n; ++i) print "    " field_type(kind[i]) " " parameter[i] ";"
    print "    MPI_Comm comm;"
    print "    bool large = false;        ///< counts are of type MPI_Count"
    print "    bool of_neighbors = false; ///< one of MPI's neighborhood collectives, which mean a grid's neighbors, too\n"
    print "    static constexpr bool on_inter = " (is_mpis && own !~ /,inter,/ ? "false" : "true") ";"
    print "    static constexpr bool may_be_dense = " (is_dense ? "true" : "false") "; ///< run on the complete graph"
    if (has_op) print "    call::Call describe(const ArgumentChecks& arguments) const;"
    else write_describe()
    write_list()
    write_keep()
    if (has_root) write_uses()
    write_check_counts()
    if (is_mpis) {
        if (is_large && !is_varying()) write_fit()
        write_mpis("int run() const", "", "")
        write_mpis("int post(MPI_Request* request) const", "i", ", request")
        print "#ifdef ORTHO_MPI_PERSISTENT"
        write_mpis("int prepare(MPI_Info info, MPI_Request* request) const", "init", ", info, request")
        print "#endif"
        print "    void finish() const {}"
    }
    print "};"
}
function write_describe(    side, g)
{
    print "    call::Call describe(const ArgumentChecks& arguments) const"
    print "    {"
    put("        Description description(arguments, planner::Collective::" lower_stem() ", " (name ~ /[vw]$/ ? "true" : "false") ", " names_of(1) ", " names_of(group[1] == "BUFFER" ? 1 : 2) ");")
    print "        list(description, arguments.edges());"
    print "        return description.take();"
    print "    }"
}
function lower_stem(    stem)
{
    stem = lower(name)
    sub(/[vw]$/, "", stem)
    return stem
}
# The names of a group's arguments in errors.
function names_of(g,    i, k, p, by_kind)
{
    if (g > n_groups) return "{}"
    for (i = first[g]; i <= last[g]; ++i) {
        k = kind[i]
        p = parameter[i]
        if (k ~ /^(counts|types)$/) sub(/s$/, "", p)
        by_kind[k ~ /count/ ? "count" : k ~ /type/ ? "type" : k ~ /places|bytes/ ? "place" : "buffer"] = p
    }
    return "{\"" by_kind["buffer"] "\", \"" by_kind["count"] "\", \"" by_kind["type"] "\", \"" by_kind["place"] "\"}"
}
function write_list(    g, i, arguments, type, op, root)
{
    for (i = 1; i <= n; ++i) {
        if (kind[i] == "type") type = parameter[i]
        if (kind[i] == "op") op = parameter[i]
        if (kind[i] == "root") root = parameter[i]
    }
    print "    template <class Each>"
    print "    void list([[maybe_unused]] Each& each, [[maybe_unused]] const call::Edges& edges) const"
    print "    {"
    if (root != "") print "        each.root(" root ");"
    for (g = 1; g <= n_groups; ++g) {
        arguments = ""
        for (i = first[g]; i <= last[g]; ++i) if (kind[i] !~ /^(in|out|op)$/) arguments = joined(arguments, parameter[i])
        if (group[g] == "SEND_REDUCED") arguments = joined(arguments, type)
        if (group[g] == "REDUCE_SHARES") continue # they have no meaning on a graph
        if (group[g] == "BUFFER") { # the root sends it, and others receive it
            print "        each.blocks(buffer, edges.at_root(edges.one_for(edges.out()), root), " arguments ");"
            print "        each.blocks(buffer, edges.off_root(edges.from(root), root), " arguments ");"
            continue
        }
        for (i = first[g]; i <= last[g]; ++i)
            if (kind[i] ~ /^(in|out)$/) print "        each.blocks(" parameter[i] ", " slots_of(g, i, op, root) ", " arguments ");"
    }
    if (op != "") print "        each.op(" op ");"
    print "    }"
}
# The blocks of a buffer.  The one block of a reduction counts on processes without edges, too.
function slots_of(g, i, op, root,    edges)
{
    if (group[g] == "SEND_SAME" && where[g] == "") return "edges.one_for(edges.out())"
    if (where[g] == "leaf") return "edges." (kind[i] == "in" ? "to" : "from") "(" root ")"
    if (op != "" && group[g] != "SEND_REDUCED") edges = "edges.one()"
    else edges = kind[i] == "in" ? "edges.out()" : "edges.in()"
    return where[g] == "root" || (op != "" && root != "" && kind[i] == "out") ? "edges.at_root(" edges ", " root ")" : edges
}
# The condition under which this process uses the arguments of a group, where MPI runs the call.
function use_of(g,    i, condition, buffers, of)
{
    for (i = first[g]; i <= last[g]; ++i) if (kind[i] ~ /^(in|out)$/) { ++buffers; of = parameter[i] }
    condition = where[g] == "" ? "" : "is_" where[g] "(comm, root)"
    if (buffers == 1 && of != "buffer") condition = of " != MPI_IN_PLACE" (condition == "" ? "" : " && " condition)
    return condition == "" ? "        {" : "        if (" condition ") {"
}
# The arguments to keep while MPI runs the call: those that this process uses.
function write_keep(    g, i)
{
    print "    void keep([[maybe_unused]] mpi::ArgumentCopies& kept)"
    print "    {"
    for (g = 1; g <= n_groups; ++g) {
        if (group[g] == "ROOT") continue
        print use_of(g)
        for (i = first[g]; i <= last[g]; ++i) {
            if (kind[i] ~ /^(counts|places|bytes)$/) print "            kept.keep(" parameter[i] ", partners_of(comm));"
            if (kind[i] == "shares") print "            kept.keep(" parameter[i] ", mpi::size_of(comm));"
            if (kind[i] == "type") print "            kept.keep_type(" parameter[i] ");"
            if (kind[i] == "types") print "            kept.keep_types(" parameter[i] ", partners_of(comm));"
        }
        print "        }"
    }
    print "    }"
}
# Which buffers of a call with a root this process uses, where MPI runs the call.
function write_uses(    g, i)
{
    for (g = 1; g <= n_groups; ++g)
        for (i = first[g]; i <= last[g]; ++i)
            if (parameter[i] ~ /^(send|recv)buf$/)
                print "    bool uses_" parameter[i] "() const { return is_" \
                    (where[g] != "" ? where[g] : kind[i] == "in" ? "leaf" : "root") "(comm, root); }"
}
# MPIs do not look at all counts, and some count in int alone.
function write_check_counts(    g, i)
{
    print "    /// Throws base::Error where a count that this process uses is negative."
    print "    void check_counts() const"
    print "    {"
    for (g = 1; g <= n_groups; ++g) {
        if (group[g] == "ROOT") continue
        print use_of(g)
        for (i = first[g]; i <= last[g]; ++i) {
            if (kind[i] == "count") print "            require_count(" parameter[i] ", \"" parameter[i] "\");"
            if (kind[i] == "counts") print "            require_counts(" parameter[i] ", partners_of(comm), \"" parameter[i] "\");"
            if (kind[i] == "shares") print "            require_counts(" parameter[i] ", mpi::size_of(comm), \"" parameter[i] "\");"
        }
        print "        }"
    }
    print "    }"
}
# One element of a larger datatype in place of elements that MPI cannot count.
function write_fit(    g, i, count, type, op)
{
    print "    void fit([[maybe_unused]] Fitted& fitted)"
    print "    {"
    for (g = 1; g <= n_groups; ++g) {
        op = ""
        count = ""
        for (i = first[g]; i <= last[g]; ++i) {
            if (kind[i] == "count") count = parameter[i]
            if (kind[i] == "type") type = parameter[i]
            if (kind[i] == "op") op = ", " parameter[i]
        }
        if (count == "") continue
        print "        " (where[g] == "" ? "" : "if (is_" where[g] "(comm, root)) ") "fitted.fit(" count ", " type op ");"
    }
    print "    }"
}
function mpi_arguments(large,    i, result, p)
{
    for (i = 1; i <= n; ++i) {
        p = parameter[i]
        if (kind[i] == "count" && !large) p = "static_cast<int>(" p ")"
        if (kind[i] ~ /^(counts|shares)$/) p = p (large ? ".counts()" : ".ints()")
        if (kind[i] == "places") p = p (large ? ".addresses()" : ".ints()")
        result = joined(result, p)
    }
    return joined(result, "comm")
}
function write_mpis(signature, form, more)
{
    print "    " signature
    print "    {"
    if (is_large && LARGE) {
        print "#ifdef ORTHO_MPI_LARGE_COUNTS"
        print "        if (large)"
        put("            return " function_name("PMPI_", form, 1) "(" mpi_arguments(1) more ");")
        print "#endif"
    }
    put("        return " function_name("PMPI_", form, 0) "(" mpi_arguments(0) more ");")
    print "    }"
}

# Functions that programs call again and again lie with all that they come by (HACKING.md).
function hot(form) { return is_neighbor && form != "init" ? "[[gnu::hot]] " : "" }
function maker_of(form) { return form == "" ? "blocking" : form == "i" ? "nonblocking" : "persistent" }
# The function in place of MPI's neighborhood collective; `function` is its name in errors.
function hook_name(form, large) { return tolower(neighbor_name("ORTHO_", form, large)) }
function hook_declaration(form, large)
{
    return "int " hook_name(form, large) "(const char* function, " c_parameters(form, large, 0, "ORTHO_Request") ")"
}
function write_hook(form, large)
{
    print ""
    put(hot(form) hook_declaration(form, large))
    print "{"
    put("    const collectives::" name " arguments{" joined(plain_arguments(), "comm") (large ? ", true" : ", false") ", true};")
    print "    return collectives::" maker_of(form) "(function, arguments" (form == "init" ? ", info" : "") (form != "" ? ", request" : "") ");"
    print "}"
}

function write_form(form, large,    call, maker)
{
    call = function_name("ORTHO_", form, large)
    maker = maker_of(form)
    print ""
    put(hot(form) "int " call "(" c_parameters(form, large, 0, "ORTHO_Request") ")")
    print "{"
    put("    const collectives::" name " arguments{" joined(plain_arguments(), "comm") (large ? ", true" : "") "};")
    print "    return collectives::" maker "(\"" call "\", arguments" (form == "init" ? ", info" : "") (form != "" ? ", request" : "") ");"
    print "}"
}

# --- The interposer -------------------------------------------------------------------------------

function write_pmpi(    large)
{
    for (large = 0; large <= is_large && large <= LARGE; ++large) {
        if (large) print "\n#ifdef ORTHO_MPI_LARGE_COUNTS"
        if (is_neighbor) {
            write_neighbor("", large)
            write_neighbor("i", large)
        }
        if (own !~ /by_hand/) {
            write_unify("", large)
            write_unify("i", large)
            print "\n#ifdef ORTHO_MPI_PERSISTENT"
            if (is_neighbor) write_neighbor("init", large)
            write_unify("init", large)
            print "#endif"
        }
        if (large) print "#endif"
    }
}
function write_unify(form, large,    i, ours, p, widens)
{
    for (i = 1; i <= n; ++i) {
        p = parameter[i]
        if (kind[i] == "bytes" && !large) {
            p = "pmpi::widened(" p ", blocks." (i < n / 2 ? "sent" : "received") ").data()"
            widens = 1
        }
        ours = joined(ours, p)
    }
    print ""
    put("int " function_name("MPI_", form, large) "(" c_parameters(form, large, 1, "MPI_Request") ")")
    print "{"
    print "    static Counter counter(\"" function_name("MPI_", form, large) "\");"
    if (form == "" && is_dense)
        print "    const auto ours = [&](MPI_Comm on) {"
    else
        print "    const auto ours = [&]([[maybe_unused]] const InterposedTopology& neighbors" (form == "" ? "" : ", ORTHO_Request* operation") ") {"
    if (widens) print "        const pmpi::BlockNumbers blocks(comm, sendbuf);"
    put("        return " function_name("ORTHO_", form, large) "(" joined(ours, rest(form, form == "" && is_dense ? "on" : "comm", "operation")) ");")
    print "    };"
    print "    const auto mpis = [&] {"
    put("        return " function_name("PMPI_", form, large) "(" joined(plain_arguments(), rest(form, "comm", "request")) ");")
    print "    };"
    if (form == "" && is_dense) print "    return pmpi::unify_or_dense(counter, comm, sendbuf, ours, mpis);"
    else if (form == "") print "    return pmpi::unify(counter, comm, ours, mpis);"
    else print "    return pmpi::unify_begin(counter, comm, " (form == "init" ? "true" : "false") ", request, ours, mpis);"
    print "}"
}
# A neighborhood collective as pmpi/pairing.hpp names it.
function named_call(form)
{
    return "pmpi::Call{pmpi::Exchange::" (group[1] == "SEND_SAME" ? "allgather" : lower(name)) ", pmpi::Form::" \
        (form == "" ? "blocking" : form == "i" ? "nonblocking" : "persistent") "}"
}
function write_neighbor(form, large,    i, ours, p, call, typed, behind)
{
    call = neighbor_name("MPI_", form, large)
    behind = rest(form, "comm", "operation")
    for (i = 1; i <= n; ++i) {
        p = parameter[i]
        if (group[1] != "SEND_SAME" && i <= last[1] && kind[i] ~ /^(counts|places|bytes|types)$/)
            p = "InEdgeOrder(" p ", order).data()"
        ours = joined(ours, p)
    }
    print ""
    put(hot(form) "int " call "(" c_parameters(form, large, 0, "MPI_Request") ")")
    print "{"
    print "    static Counter counter(\"" call "\");"
    print "    const auto ours = [&]([[maybe_unused]] const EdgeOrder& order" (form == "" ? "" : ", ORTHO_Request* operation") ") {"
    if (group[1] == "SEND_REGULAR") {
        # With repeated neighbors this may be a call with other blocks.
        put("        return pmpi::alltoall_in_edge_order(order, " plain_arguments() ",")
        typed = hook_name(form, large)
        print "            [&](auto... arguments) { return " typed "(counter.function(), arguments..., " behind "); },"
        sub(/toall/, "toallw", typed)
        print "            [&](auto... arguments) { return " typed "(counter.function(), arguments..., " behind "); });"
    } else {
        put("        return " hook_name(form, large) "(counter.function(), " ours ", " behind ");")
    }
    print "    };"
    print "    const auto mpis = [&] {"
    put("        return P" call "(" plain_arguments() ", " rest(form, "comm", "request") ");")
    print "    };"
    if (form != "") {
        put("    return pmpi::replace_begin(counter, comm, " named_call(form) ", request, ours, mpis);")
    } else {
        put("    return pmpi::replace(counter, comm, " named_call(form) ", ours, mpis);")
    }
    print "}"
}

# --- Fortran --------------------------------------------------------------------------------------

function write_fortran(    form)
{
    if (own ~ /by_hand/) return
    # In MPICH, the Fortran bindings of functions without buffers do not pass through C functions.
    if (n > 0) print "\n#ifdef OPEN_MPI"
    write_fortran_form("")
    write_fortran_form("i")
    print "\n#ifdef ORTHO_MPI_PERSISTENT"
    write_fortran_form("init")
    print "#endif"
    if (n > 0) print "#endif // OPEN_MPI"
}
function fortran_type(k, p, mpis)
{
    if (k == "in" || k == "out") return "void* " p
    if (k == "bytes" && !mpis) return "MPI_Aint* " p
    return "Fint* " p
}
function fortran_value(k, p)
{
    if (k == "in" || k == "out") return "buffer_of(" p ")"
    if (k == "count" || k == "root") return "*" p
    if (k == "type") return "type_of(" p ")"
    if (k == "types") return "types." p ".data()"
    if (k == "op") return "PMPI_Op_f2c(*" p ")"
    return p
}
function write_fortran_form(form)
{
    if (is_neighbor) write_fortran_call(form, neighbor_name("MPI_", form, 0), 0)
    write_fortran_call(form, function_name("MPI_", form, 0), 1)
}
function write_fortran_call(form, call, unify,    i, parameters, arguments, values, fortran)
{
    for (i = 1; i <= n; ++i) {
        parameters = joined(parameters, fortran_type(kind[i], parameter[i], unify))
        arguments = joined(arguments, parameter[i])
        values = joined(values, fortran_value(kind[i], parameter[i]))
    }
    parameters = joined(parameters, "Fint* comm" (form == "init" ? ", Fint* info" : "") (form != "" ? ", Fint* request" : "") ", Fint* ierror")
    arguments = joined(arguments, rest(form, "comm", "request") ", ierror")
    values = joined(values, "comm_of(comm)" (form == "init" ? ", PMPI_Info_f2c(*info)" : ""))
    fortran = tolower(substr(call, 5))
    print ""
    put((!unify ? "ORTHO_FORTRAN(" : form == "" && is_dense ? "ORTHO_DENSE_FORTRAN(" : "ORTHO_UNIFY_FORTRAN(") fortran ", (" parameters "), (" arguments "))")
    print "{"
    if (is_typed()) {
        # Open MPI reads the datatypes until the operation is over: where its own call is right, its Fortran
        # knows how to keep them.
        if (!unify && form != "") {
            put("    if (is_mpis(comm, " named_call(form) ")) return mpis(" arguments ");")
        }
        if (unify) print "    const pmpi::BlockNumbers blocks(comm_of(comm), buffer_of(sendbuf));"
        print "    const Types types(" (unify ? "blocks" : "comm") ", sendtypes, recvtypes);"
    }
    if (form == "") {
        put("    give(ierror, " call "(" values "));")
    } else {
        print "    MPI_Request made = MPI_REQUEST_NULL;"
        put("    const int code = " call "(" values ", &made);")
        print "    give_request(request, made, ierror, code);"
    }
    print "}"
}

# --- Loopback -------------------------------------------------------------------------------------

function write_played(form,    i, p, arguments, large)
{
    for (i = 1; i <= n; ++i) {
        p = parameter[i]
        if (kind[i] == "count") p = "static_cast<int>(" p ")"
        if (kind[i] ~ /^(counts|places)$/) p = "Ints(" p ", partners_of(comm)).data()"
        if (kind[i] == "shares") p = "Ints(" p ", size_of(comm)).data()"
        arguments = joined(arguments, p)
    }
    large = function_name("", form, 1)
    if (form == "init") print "\n#ifdef ORTHO_MPI_PERSISTENT"
    else print ""
    put("PLAYED(int, " large ", " c_parameters(form, 1, 1, "MPI_Request") ")")
    print "{"
    put("    return " function_name("PMPI_", form, 0) "(" arguments ", " rest(form, "comm", "request") ");")
    print "}"
    if (form == "init") print "#endif"
}
