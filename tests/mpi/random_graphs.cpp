// SPDX-License-Identifier: BSD-3-Clause
#include "random_graphs.hpp"

#include "grids.hpp"
#include "sequences.hpp"

using cases::Multigraph;
using ortho::grid::gap;
using ortho::grid::Grid;

namespace test {

namespace {

MPI_Comm make_comm(MPI_Comm base, const ortho::grid::LocalGraph& mine, MPI_Info info)
{
    return test::adjacent(to_mpi(mine.sources), to_mpi(mine.targets), base, info);
}

test::Info make_info(const Wishes& wishes)
{
    return {{"ortho_algorithm", wishes.algorithms.c_str()},
            {"ortho_assert_uniform", "true"},
            {"ortho_forward", wishes.forward ? "TRUE" : "false"}};
}

/// A size for each offset, the same everywhere, by process and out-edge.
Sizes sizes_by_offset(const Grid& grid, const Multigraph& graph)
{
    std::vector<std::vector<int>> sizes;
    std::vector<int> offset(at(grid.dimensions()));
    for (const auto& process : graph.processes) {
        std::vector<int>& here = sizes.emplace_back();
        for (const int target : process.targets) {
            grid.offset(process.rank, target, offset);
            int code = 0;
            for (const int x : offset) code = 5 * code + x + 2;
            here.push_back((code % 4 + 4) % 4);
        }
    }
    return [sizes = std::move(sizes)](int from, int out_edge) { return sizes[at(from)][at(out_edge)]; };
}

/// Drives, or does not drive, the calls under way at random.
void follow_a_whim(Random& local, std::vector<Pending>& pending)
{
    if (pending.empty()) return;
    const int n = static_cast<int>(pending.size());
    std::vector<ORTHO_Request> requests;
    for (const Pending& call : pending) requests.push_back(call.request);
    std::vector<int> indices(pending.size());
    int count = 0, flag = 0;
    // Completed requests stay in the list, null or inactive, as users leave them there.
    switch (uniform(local, 0, 9)) {
    case 0: CHECK_OK(ORTHO_Progress()); break;
    case 1: CHECK_OK(ORTHO_Test(&requests[at(uniform(local, 0, n - 1))], &flag, MPI_STATUS_IGNORE)); break;
    case 2: CHECK_OK(ORTHO_Testany(n, requests.data(), &count, &flag, MPI_STATUS_IGNORE)); break;
    case 3: CHECK_OK(ORTHO_Testsome(n, requests.data(), &count, indices.data(), MPI_STATUSES_IGNORE)); break;
    case 4: CHECK_OK(ORTHO_Testall(n, requests.data(), &flag, MPI_STATUSES_IGNORE)); break;
    case 5: CHECK_OK(ORTHO_Wait(&requests[at(uniform(local, 0, n - 1))], MPI_STATUS_IGNORE)); break;
    case 6: CHECK_OK(ORTHO_Waitany(n, requests.data(), &count, MPI_STATUS_IGNORE)); break;
    case 7: CHECK_OK(ORTHO_Waitsome(n, requests.data(), &count, indices.data(), MPI_STATUSES_IGNORE)); break;
    default: break;
    }
    for (int i = 0; i < n; ++i) {
        Pending& call = pending[at(i)];
        if (call.request != ORTHO_REQUEST_NULL && requests[at(i)] == ORTHO_REQUEST_NULL) {
            CHECK(!call.persistent);
            call.verify();
        }
        call.request = requests[at(i)];
    }
}

/// A sum over all processes of a full communicator, which MPI computes beneath.
void sum_over_all(Session& session, MPI_Comm comm, int step)
{
    const int p = size(comm);
    Buffer send(0, 1), receive(1, 2);
    send[0] = step + rank(comm);
    Buffer expected = receive;
    expected[0] = p * step + p * (p - 1) / 2;
    auto buffers = std::make_shared<Buffers>(std::move(send), std::move(receive), std::move(expected),
                                             "Allreduce over all");
    buffers->rebind = Buffers::Rebind::never; // MPI's own
    session.call(SMALL_FORMS(Allreduce, Iallreduce), buffers, buffers->send.address(),
                 buffers->receive.address(), 1, MPI_INT, MPI_SUM, comm);
}

/// A graph that MPI made, which the library has not seen yet.
Made foreign_multigraph(Random& random, MPI_Comm base)
{
    Made made{.graph = cases::random_graph(random, size(base), 5 * size(base))};
    close_gaps(made.graph);
    const auto& mine = made.graph.processes[at(rank(base))];
    made.comm = test::adjacent_by_mpi({mine.sources, {}, mine.targets, {}}, false, base);
    return made;
}

} // namespace

Multigraph neighborhood_graph(const Grid& grid, const ortho::grid::Stencil& stencil)
{
    Multigraph graph;
    for (int r = 0; r < grid.points(); ++r) {
        ortho::grid::LocalGraph process{r, {}, {}};
        for (int i = 0; i < stencil.size(); ++i) {
            process.targets.push_back(grid.neighbor(r, stencil[i]));
            process.sources.push_back(grid.neighbor_against(r, stencil[i]));
            if (process.targets.back() != gap) graph.pairs.push_back({r, i, process.targets.back(), i});
        }
        graph.processes.push_back(std::move(process));
    }
    return graph;
}

void close_gaps(Multigraph& graph)
{
    // Every slot moves up by the gaps before it.
    const auto move = [](const std::vector<int>& list, int& slot) {
        slot -= static_cast<int>(std::count(list.begin(), list.begin() + slot, gap));
    };
    for (cases::Pair& pair : graph.pairs) {
        move(graph.processes[at(pair.from)].targets, pair.out_edge);
        move(graph.processes[at(pair.to)].sources, pair.in_edge);
    }
    for (auto& process : graph.processes)
        for (auto* const list : {&process.sources, &process.targets}) std::erase(*list, gap);
}

Made random_multigraph(Random& random, MPI_Comm base)
{
    Made made{.graph = cases::random_graph(random, size(base), 6 * size(base))};
    made.comm = make_comm(base, made.graph.processes[at(rank(base))], MPI_INFO_NULL);
    return made;
}

Made random_stencil_graph(Random& random, MPI_Comm base, const Wishes& wishes)
{
    const Grid any = random_grid_of(random, size(base));
    const Grid grid = wishes.complete ? cases::torus_of(any) : any;
    const auto stencil = wishes.complete ? cases::all_offsets(grid)
                                         : cases::random_stencil(random, grid.dimensions(), 9, 2);
    const auto n = ortho::grid::canonical(grid, stencil).neighborhood;
    Made made{.graph = cases::shuffled_graph(random, n), .combines = grid.is_torus()};
    made.sizes = sizes_by_offset(grid, made.graph);
    name(base, grid);
    const test::Info info = make_info(wishes);
    made.comm = make_comm(base, made.graph.processes[at(rank(base))], info);
    int flag = 0, t = -1;
    CHECK_OK(ORTHO_Comm_isomorphic(made.comm, &flag, &t));
    CHECK_EQ(flag, 1);
    CHECK_EQ(t, n.size());
    return made;
}

Made random_cart_neighborhood(Random& random, MPI_Comm base, const Wishes& wishes)
{
    const Grid any = random_grid_of(random, uniform(random, (size(base) + 1) / 2, size(base)));
    const Grid grid = row_major(any);
    const auto stencil = cases::random_stencil(random, grid.dimensions(), 9, 2);
    // Sizes are the same for the same slot everywhere, gaps included.
    Made made{.graph = neighborhood_graph(grid, stencil),
              .sizes = [](int, int slot) { return 1 + slot % 3; },
              .combines = true};
    const test::Info info = make_info(wishes);
    Ints periods = periods_of(grid);
    for (int& period : periods) period *= 7; // it is true as well
    made.comm = test::neighborhood(sizes_of(grid), periods, stencil.flat(), base, info);
    if (rank(base) >= grid.points())
        CHECK(made.comm == MPI_COMM_NULL);
    else
        CHECK_EQ(rank(made.comm), rank(base));
    return made;
}

void overlap(MPI_Comm base, Dice dice, const Reductions& reductions, int steps)
{
    auto& [random, local] = dice;
    const bool forward = uniform(random, 0, 1) == 1;
    const Wishes wishes{"auto", forward};
    std::vector<Made> made;
    made.push_back(foreign_multigraph(random, base));
    made.push_back(random_multigraph(random, base));
    made.push_back(random_stencil_graph(random, base, wishes));
    made.push_back(random_cart_neighborhood(random, base, wishes));

    Form form = Form::blocking;
    Session session([&] { return form; });
    for (int step = 0; step < steps; ++step) {
        Random shared(random());
        const int which = uniform(shared, 0, static_cast<int>(made.size()));
        form = static_cast<Form>(uniform(shared, 0, 5) % 5 % 3); // fewer persistent ones
        if (which == static_cast<int>(made.size())) {
            // Nobody may be in MPI's own blocking calls while blocks travel through it.
            if (forward && form == Form::blocking) form = Form::nonblocking;
            if (forward && form == Form::persistent) form = Form::nonblocking;
            sum_over_all(session, base, step);
        } else if (const Made& chosen = made[at(which)]; chosen.comm != MPI_COMM_NULL) {
            const Case c{chosen.graph, chosen.comm, rank(chosen.comm)};
            Random own(local());
            any_call(session, c, {shared, own}, uniform(shared, 0, kinds_of_calls - 1), reductions,
                     chosen.sizes);
        }
        follow_a_whim(local, session.pending);
    }
    // Operations outlive their communicators, started or to be started again.
    if (!forward)
        for (Made& each : made)
            if (each.comm != MPI_COMM_NULL) MPI_Comm_free(&each.comm);
    session.complete();
    for (Made& each : made)
        if (each.comm != MPI_COMM_NULL) MPI_Comm_free(&each.comm);
}

} // namespace test
