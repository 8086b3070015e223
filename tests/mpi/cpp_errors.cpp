// SPDX-License-Identifier: BSD-3-Clause
// The C++ interface: errors are exceptions, which say what is wrong, where, and of which communicator.

#include "cpp.hpp"

namespace ortho_cpp_test {

namespace {

int handler_calls = 0;
void count_call(MPI_Comm*, int*, ...) { ++handler_calls; }

} // namespace

void errors()
{
    const ring o;
    MPI_Comm_set_name(o.g, "ring");
    Ints send(3), recv(2), counts = {1, 1};
    throws(MPI_ERR_COUNT, "no multiple of the 2 blocks", [&] { alltoall(send, recv, o.g); });
    throws(MPI_ERR_COUNT, "1 entries for 2 blocks", [&] { alltoall(send, Ints{1}, recv, counts, o.g); });
    throws(MPI_ERR_TRUNCATE, "has 3 elements", [&] { alltoall(send, Ints{2, 2}, recv, counts, o.g); });
    throws(MPI_ERR_COUNT, "3 elements, the receive buffer 2",
           [&] { allreduce(send, recv, std::plus<>{}, o.g.neighbors()); });
    // Lists that are too short, buffers that are too small: where this process is the root.
    const comm_ref world(MPI_COMM_WORLD);
    const Ints few(at(o.p - 1), 1), twos(at(o.p), 2), no_places(at(o.p), 0);
    Ints room(at(o.p));
    const std::string entries = std::to_string(o.p - 1) + " entries for " + std::to_string(o.p) + " blocks";
    const std::string elements = "has " + std::to_string(o.p) + " elements, and its blocks have " +
                                 std::to_string(2 * o.p);
    const auto short_list = [&](auto&& call) { throws(MPI_ERR_COUNT, entries, call); };
    const auto small_buffer = [&](auto&& call) { throws(MPI_ERR_TRUNCATE, elements, call); };
    short_list([&] { gather(o.r, room, few, o.r, world); });
    short_list([&] { gather(o.r, room, few, no_places, o.r, world); });
    short_list([&] { gather(o.r, room, twos, few, o.r, world); });
    short_list([&] { scatter(room, few, recv, o.r, world); });
    short_list([&] { scatter(room, few, no_places, recv, o.r, world); });
    short_list([&] { scatter(room, twos, few, recv, o.r, world); });
    short_list([&] { reduce_scatter(room, few, recv, std::plus<>{}, world); });
    small_buffer([&] { gather(recv, room, twos, o.r, world); });
    small_buffer([&] { scatter(room, twos, recv, o.r, world); });
    small_buffer([&] { reduce_scatter(room, twos, recv, std::plus<>{}, world); });
    small_buffer([&] { reduce_scatter(in_place, twos, room, std::plus<>{}, world); });
    int one = 0;
    throws(MPI_ERR_TRUNCATE, "receive buffer has 1 elements, and its blocks have 2",
           [&] { reduce_scatter(Ints(at(2 * o.p)), twos, one, std::plus<>{}, world); });
    throws(MPI_ERR_COUNT, "1 entries for 2 blocks", [&] { gather(o.r, room, Ints{1}, o.r, o.g); });
    // Blocks that begin where no int leads, in memory that is not touched.
    const Ints thrice(3, o.r), most{INT_MAX, 1, 1};
    const neighborhood of_three(MPI_COMM_WORLD, thrice, thrice);
    const std::span<int> large_room(&one, (std::size_t{1} << 31) + 1);
    throws(MPI_ERR_COUNT, "pass large(comm)", [&] { allgather(one, large_room, most, of_three); });
    std::array<int, 2> two{};
    const std::span pairs(&two, 1);
    const Ints last{0, 0, 1}, far{0, 0, 1 << 30};
    throws(MPI_ERR_COUNT, "pass large(comm)",
           [&] { reduce_scatter(pairs, last, far, pairs, std::plus<>{}, of_three); });
    // A side that the stencil does not have.
    const grid<2> faces{MPI_COMM_WORLD, {.periodic = {true, true}, .stencil = neumann<2>()}};
    field<int, 2> f({2, 2}, 1);
    const auto all_sides = [](int, const point<2>&) { return true; };
    throws(MPI_ERR_ARG, "directions[0] = ", [&] { return halo(faces, f, {.crosses = all_sides}); });
    throws(MPI_ERR_BUFFER, "share memory", [&] { return halo(faces, f, f); });
    field<int, 2> alike = f.like();
    auto of_two = halo(faces, f, alike);
    throws(MPI_ERR_BUFFER, "share memory", [&] { of_two.run(alike, alike); });
    of_two.run(alike, f);
    // Graphs whose lists do not fit.
    const Ints both = {o.left, o.right};
    const auto no_graph = [&](auto&& call, const char* word) { throws(MPI_ERR_ARG, word, call); };
    const auto graph = [&](const graph_options& options) {
        neighborhood g(MPI_COMM_WORLD, both, both, options);
    };
    const auto edges = [&](const Ints& degrees, const graph_options& options = {}) {
        neighborhood::from_edges(MPI_COMM_WORLD, Ints{o.r}, degrees, both, options);
    };
    no_graph([&] { graph({.source_weights = Ints{1}, .destination_weights = both}); },
             "1 weights for 2 sources");
    no_graph([&] { graph({.source_weights = both}); }, "0 weights for 2 destinations");
    no_graph([&] { edges({2, 1}); }, "2 degrees for 1 sources");
    no_graph([&] { edges({1}); }, "2 destinations for degrees of 1 in all");
    no_graph([&] { edges({2}, {.destination_weights = Ints{1}}); }, "1 weights for 2 destinations");
    no_graph([&] { edges({2}, {.source_weights = both}); }, "destination_weights alone");
    // A mistake of one process throws on all of them.
    const bool is_wrong = o.r == o.p - 1;
    const Ints alone(is_wrong ? 1 : 0, 1);
    const auto on_all = [&](auto&& call, const char* word) {
        throws(any_class, is_wrong ? word : "-1 is negative", call);
    };
    on_all([&] { graph({.source_weights = alone}); }, "1 weights for 2 sources");
    on_all([&] { edges({is_wrong ? 1 : 2}); }, "2 destinations for degrees of 1 in all");
    on_all([&] { neighborhood::from_targets(MPI_COMM_WORLD, both, {.destination_weights = alone}); },
           "1 weights for 2 targets");
    on_all(
        [&] {
            grid<1> g{MPI_COMM_WORLD, {.periodic = {true}, .weights = alone}};
        },
        "1 weights for 2 offsets");
    field<int, 2> deep({3, 3}, is_wrong ? 2 : 1);
    on_all([&] { const auto h = halo(faces, deep, {.ghosts = 1}); }, "are not those that the fields have");
    throws(MPI_ERR_ROOT, "ORTHO_Bcast", [&] { bcast(recv, o.p + 3, o.g); });
    try {
        bcast(recv, -7, o.g);
        CHECK(false);
    } catch (const error& e) {
        CHECK_EQ(e.rank(), o.r);
        CHECK_EQ(std::string(e.comm_name()), "ring");
        CHECK(std::string(e.what()).find("of 'ring'") != std::string::npos);
        CHECK(e.code() != MPI_SUCCESS);
    }
    // A communicator without a name is named by its size.
    MPI_Comm_set_name(o.g, "");
    const std::string me = " [rank " + std::to_string(o.r) + " of " + std::to_string(o.p) + "]";
    throws(MPI_ERR_COUNT,
           "mpiortho::alltoall: the send buffer has 3 elements, which is no multiple of the 2 blocks" + me,
           [&] { alltoall(send, recv, o.g); });
    throws(MPI_ERR_COUNT, "mpiortho::scatter: ", [&] { scatter(send, recv, o.r, o.g); });
    MPI_Comm_set_name(o.g, "ring");
    throws(ORTHO_ERR_NAME, "ORTHO_Cart_get", [&] { cart_name<2> none(MPI_COMM_WORLD); });
    throws(MPI_ERR_DIMS, "1 dimensions, not 2", [&] { cart_name<2> other(o.g); });
    throws(MPI_ERR_DIMS, "ORTHO_Cart_name", [&] { cart_name<2> none(MPI_COMM_WORLD, {-1, 1}); });
    throws(MPI_ERR_REQUEST, "ORTHO_Run", [&] {
        operation none;
        none.run();
    });
    // Both buffers of a reduction have one datatype.
    double pair[] = {1, 2}, sums[] = {0, 0};
    float floats[] = {1, 2};
    for (const auto& wrong : {typed{static_cast<void*>(floats), 2, MPI_FLOAT},
                              typed{static_cast<void*>(pair), 2, MPI_DOUBLE_INT}}) {
        throws(MPI_ERR_TYPE, "different datatypes",
               [&] { allreduce(wrong, sums, std::plus<>{}, comm_ref(o.g)); });
        throws(MPI_ERR_TYPE, "different datatypes", [&] { allreduce(sums, wrong, MPI_SUM, comm_ref(o.g)); });
    }
    // A handler of the user's is called once, and then there is an exception.
    test::Errhandler handler;
    MPI_Comm_create_errhandler(count_call, &handler);
    MPI_Comm_set_errhandler(o.g, handler);
    throws(MPI_ERR_COUNT, "no multiple", [&] { alltoall(send, recv, o.g); });
    CHECK_EQ(handler_calls, 1);
    throws(MPI_ERR_ROOT, "root", [&] { bcast(recv, -7, o.g); });
    CHECK_EQ(handler_calls, 2);
}

} // namespace ortho_cpp_test
