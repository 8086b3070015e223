// SPDX-License-Identifier: BSD-3-Clause
// Calls before MPI_Init and after MPI_Finalize.  Every function of the header, whose names the build has put
// into calls/functions.inc, says that it must not be called then, or is among those that may be.
#include <string_view>
#include <type_traits>

#include "mpiortho.hpp"

namespace {

int failures = 0;

void expect(bool holds, const std::string& what)
{
    if (holds) return;
    ++failures;
    std::fprintf(stderr, "%s\n", what.c_str());
}

constexpr std::string_view at_any_time[] = {
    "ORTHO_Error_class",  "ORTHO_Error_message",    "ORTHO_Get_version",          "ORTHO_Set_face",
    "ORTHO_Stencil",      "ORTHO_Stencil_count",    "ORTHO_Contact_cubed_sphere", "ORTHO_Contact_fold",
    "ORTHO_Contact_join", "ORTHO_Contact_periodic", "ORTHO_Mosaic_divide"};

std::string message()
{
    char text[500] = "";
    ORTHO_Error_message(text, sizeof text, nullptr);
    return text;
}

/// The objects that are there when the functions are called.
struct Objects {
    MPI_Comm comm = MPI_COMM_WORLD;
    ORTHO_Request request = ORTHO_REQUEST_NULL;
};

template <class T>
T argument(Objects& objects)
{
    static long long room[64] = {};
    if constexpr (std::is_same_v<T, MPI_Comm>)
        return objects.comm;
    else if constexpr (std::is_same_v<T, ORTHO_Request>)
        return objects.request;
    else if constexpr (std::is_same_v<T, ORTHO_Request*>)
        return &objects.request;
    else if constexpr (std::is_same_v<T, MPI_Datatype>)
        return MPI_INT;
    else if constexpr (std::is_same_v<T, MPI_Op>)
        return MPI_SUM;
    else if constexpr (std::is_pointer_v<T>)
        return reinterpret_cast<T>(room);
    else
        return T{};
}

template <class... Arguments>
void try_out(const char* name, int (*function)(Arguments...), Objects& objects)
{
    if (std::ranges::find(at_any_time, name) != std::end(at_any_time)) return;
    const int code = function(argument<Arguments>(objects)...);
    int its_class = MPI_SUCCESS;
    ORTHO_Error_class(code, &its_class);
    const std::string wanted = std::string(name) + ": called before MPI_Init or after MPI_Finalize";
    expect(its_class == MPI_ERR_OTHER, std::string(name) + " returns " + std::to_string(code));
    expect(message() == wanted, std::string(name) + " says " + message());
}

void try_all(Objects& objects)
{
#define FUNCTION(name) try_out(#name, name, objects);
#include "calls/functions.inc"
#undef FUNCTION
    int offsets = 0;
    expect(ORTHO_Stencil_count(2, ORTHO_MANHATTAN_DISTANCE, 1, &offsets) == MPI_SUCCESS && offsets == 5,
           "ORTHO_Stencil_count");
    int relatives[10] = {};
    expect(ORTHO_Stencil(2, ORTHO_MANHATTAN_DISTANCE, 1, 5, relatives) == MPI_SUCCESS && relatives[0] == -1,
           "ORTHO_Stencil");
    expect(ORTHO_Stencil(2, ORTHO_MANHATTAN_DISTANCE, -1, 5, relatives) == MPI_ERR_ARG &&
               message() == "ORTHO_Stencil: depth = -1 is negative",
           "ORTHO_Stencil says " + message());
    int version = -1;
    expect(ORTHO_Get_version(&version, nullptr, nullptr) == MPI_SUCCESS && version >= 0, "ORTHO_Get_version");
}

/// Each call throws what names the function, and says that MPI is not there.
template <class Call>
void expect_error(const std::string& function, Call call)
{
    try {
        call();
        expect(false, function + " throws nothing");
    } catch (const mpiortho::error& error) {
        expect(error.error_class() == MPI_ERR_OTHER && error.rank() == -1, function + " has another error");
        expect(error.what() == function + ": called before MPI_Init or after MPI_Finalize",
               function + " says " + error.what());
    }
}

void try_cpp()
{
    expect_error("ORTHO_Topo_test", [] { mpiortho::comm_ref all(MPI_COMM_WORLD); });
    expect_error("ORTHO_Topo_test", [] { mpiortho::comm_ref never_set{MPI_Comm()}; });
#ifndef MPIORTHO_SESSIONS
    expect_error("MPI_Info_create", [] { mpiortho::info hints{{"ortho_forward", "true"}}; });
#endif
    expect_error("ORTHO_Dims_create", [] { mpiortho::grid<1> g(MPI_COMM_WORLD, {}); });
    expect_error("ORTHO_Cart_neighborhood_create",
                 [] { mpiortho::grid<1> g(MPI_COMM_WORLD, {.sizes = {1}}); });
    expect_error("ORTHO_Allreduce", [] {
        int value = 1;
        mpiortho::allreduce(value, std::plus<>{}, MPI_COMM_WORLD);
    });
    expect_error("MPI_Type_contiguous", [] { mpiortho::datatype<std::array<int, 3>>(); });
}

/// MPI_Finalize calls this after it has deleted the library's attribute, which is younger.
struct Farewell {
    static int say(MPI_Comm, int, void* value, void*)
    {
        static_cast<Farewell*>(value)->use();
        return MPI_SUCCESS;
    }
    void use()
    {
        ++times;
        exchange();
        expect(ORTHO_Request_free(&request) == MPI_SUCCESS && request == ORTHO_REQUEST_NULL,
               "ORTHO_Request_free in MPI_Finalize");
        make();
        exchange();
        expect(ORTHO_Request_free(&request) == MPI_SUCCESS, "ORTHO_Request_free in MPI_Finalize, again");
        own.reset();
        expect(MPI_Comm_free(&graph) == MPI_SUCCESS, "MPI_Comm_free in MPI_Finalize");
        make_graph();
        make();
        exchange();
    }
    void make_graph()
    {
        const int zero = 0;
        expect(ORTHO_Dist_graph_create_adjacent(MPI_COMM_SELF, 1, &zero, MPI_UNWEIGHTED, 1, &zero,
                                                MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph) == MPI_SUCCESS,
               "ORTHO_Dist_graph_create_adjacent");
    }
    void make()
    {
        expect(ORTHO_Alltoall_init(&sent, 1, MPI_INT, &received, 1, MPI_INT, graph, MPI_INFO_NULL,
                                   &request) == MPI_SUCCESS,
               "ORTHO_Alltoall_init");
    }
    void exchange()
    {
        ++sent;
        expect(ORTHO_Run(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS && received == sent, "ORTHO_Run");
    }

    int times = 0, sent = 7, received = 0;
    MPI_Comm graph = MPI_COMM_NULL;
    ORTHO_Request request = ORTHO_REQUEST_NULL;
    std::unique_ptr<mpiortho::grid<1>> own;
};

} // namespace

int main(int argc, char** argv)
{
    Objects objects{.comm = MPI_Comm()}; // never set
    try_all(objects);
    objects.comm = MPI_COMM_WORLD;
    try_all(objects);
    try_cpp();
    MPI_Init(&argc, &argv);
    static Farewell farewell;
    int key = MPI_KEYVAL_INVALID;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, Farewell::say, &key, nullptr);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, &farewell);
    farewell.make_graph();
    farewell.make();
    farewell.exchange();
    farewell.own = std::make_unique<mpiortho::grid<1>>(MPI_COMM_SELF,
                                                       mpiortho::grid_options<1>{.sizes = {1}});
    int size = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int one = 1, offset = 1;
    ORTHO_Cart_neighborhood_create(MPI_COMM_WORLD, 1, &size, &one, 1, &offset, MPI_UNWEIGHTED, MPI_INFO_NULL,
                                   0, &objects.comm);
    int sent = 0, received = 0;
    expect(ORTHO_Alltoall_init(&sent, 1, MPI_INT, &received, 1, MPI_INT, objects.comm, MPI_INFO_NULL,
                               &objects.request) == MPI_SUCCESS,
           "between MPI_Init and MPI_Finalize");
    const mpiortho::comm_ref kept(MPI_COMM_WORLD);
    MPI_Finalize();
    expect(farewell.times == 1, "MPI_Finalize has called the program's function");
    try_all(objects);
    try_cpp();
    expect_error("MPI_Comm_rank", [&] { static_cast<void>(kept.rank()); });
    expect_error("MPI_Comm_size", [&] { static_cast<void>(kept.size()); });
    // The program has ended MPI: what is left to it is to say so.
    return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
