// SPDX-License-Identifier: BSD-3-Clause
// Every collective in every form on random multigraphs and stencils, one call after another.

#include "calls.hpp"
#include "mpi/large_count_type.hpp"
#include "planner/algorithm_list.hpp"
#include "random_graphs.hpp"

using test::Form;
using test::Made;

namespace {

namespace planner = ortho::planner;

/// The calls that are tried on a communicator: every collective; the collectives that some algorithms combine
/// alone, where it is bound to them; or alltoalls with sizes that differ, persistent.
enum class Which { all, combined, irregular, complete };

/// The value of ORTHO_NODES, and how many processes are on the first of these nodes.
struct Nodes {
    const char* sizes;
    int on_first;
};

Form any_form(Random& random) { return static_cast<Form>(uniform(random, 0, 2)); }

bool for_irregular_calls(const planner::Algorithm& a) { return a.agree != nullptr; }
bool for_several_nodes(const planner::Algorithm& a) { return a.depends_on_nodes; }
bool for_wires(const planner::Algorithm& a) { return a.by_wires; }

bool is_on_one_host()
{
    test::Comm host;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
    return test::size(host) == test::size();
}
/// It does not apply to a stencil of some neighbors, whose sizes agree.
bool for_complete_graphs(const planner::Algorithm& a)
{
    if (a.why_not == nullptr || for_irregular_calls(a) || for_several_nodes(a) || for_wires(a)) return false;
    const ortho::grid::Grid ring({5}, {1});
    ortho::algorithm::PlannerContext context;
    context.set_stencil({{ring, ortho::grid::Stencil(1, {-1, 0, 1})}, {}});
    return a.why_not(context, {.collective = a.collective}) != ortho::algorithm::WhyNot::nothing;
}
bool for_all(const planner::Algorithm& a)
{
    return !for_irregular_calls(a) && !for_several_nodes(a) && !for_complete_graphs(a) && !for_wires(a);
}

/// Lists that bind each collective that is combined to an algorithm: to the first of the list that is made
/// for such calls, to the second, and so on.
std::vector<std::string> lists_of(bool (*is_made_for)(const planner::Algorithm&))
{
    using enum planner::Collective;
    std::map<planner::Collective, std::vector<std::string>> names;
    std::size_t most = 0;
    for (const planner::Algorithm* const a : planner::all_algorithms()) {
        if (!is_made_for(*a)) continue;
        if (a->collective != alltoall && a->collective != allgather && a->collective != allreduce &&
            a->collective != reduce_scatter)
            continue;
        names[a->collective].emplace_back(a->name);
        most = std::max(most, names[a->collective].size());
    }
    std::vector<std::string> result(most);
    for (std::size_t i = 0; i < most; ++i)
        for (const auto& [collective, list] : names)
            result[i] += (result[i].empty() ? "" : ",") + list[i % list.size()];
    return result;
}

const MPI_Op few_operators[] = {MPI_SUM, MPI_MAX, MPI_MIN, MPI_BXOR};

int reduced(std::size_t op, int a, int b)
{
    const int results[] = {a + b, std::max(a, b), std::min(a, b), a ^ b};
    return results[op];
}

/// Calls in the same buffers, with other roots, operators and numbers of elements, twice and in another order
/// each time: none may be taken for an earlier one.
void in_the_same_buffers(Random& random, const test::Case& c)
{
    enum class Kind { bcast, reduce, allreduce };
    struct Call {
        Kind kind;
        int root;
        std::size_t op;
        int count;
    };
    constexpr int most = 3;
    const auto content = [](int process, int element) { return 3 * process + 7 * element + 1; };
    const auto any_root = [&] { return uniform(random, 0, c.processes() - 1); };
    const auto any_count = [&] { return uniform(random, 1, most); };
    const auto op = static_cast<std::size_t>(uniform(random, 0, 3));
    const int root = any_root(), count = any_count();
    std::vector<Call> calls{{Kind::bcast, root, op, count},
                            {Kind::bcast, any_root(), op, count},
                            {Kind::reduce, root, op, count},
                            {Kind::reduce, any_root(), op, count},
                            {Kind::reduce, root, (op + 1) % 4, count},
                            {Kind::allreduce, root, op, count},
                            {Kind::allreduce, root, (op + 1) % 4, count},
                            {Kind::allreduce, root, op, any_count()}};
    std::array<int, most> from{}, to{};
    for (int k = 0; k < most; ++k) from.at(static_cast<std::size_t>(k)) = content(c.me, k);
    for (int round = 0; round < 2; ++round) {
        std::ranges::shuffle(calls, random);
        for (const Call& call : calls) {
            to.fill(-1);
            std::array<int, most> expected = to;
            const bool is_root = c.me == call.root, is_bcast = call.kind == Kind::bcast;
            if (is_bcast && is_root) expected = to = from;
            for (std::size_t k = 0; k < static_cast<std::size_t>(call.count); ++k)
                for (const cases::Pair& pair : c.graph.pairs) {
                    if (pair.to != c.me) continue;
                    const int arrives = content(pair.from, static_cast<int>(k));
                    int& here = expected.at(k);
                    if (is_bcast)
                        here = pair.from == call.root ? arrives : here;
                    else if (is_root || call.kind == Kind::allreduce)
                        here = here == -1 ? arrives : reduced(call.op, here, arrives);
                }
            if (is_bcast)
                CHECK_OK(ORTHO_Bcast(to.data(), call.count, MPI_INT, call.root, c.comm));
            else if (call.kind == Kind::reduce)
                CHECK_OK(ORTHO_Reduce(from.data(), to.data(), call.count, MPI_INT, few_operators[call.op],
                                      call.root, c.comm));
            else
                CHECK_OK(ORTHO_Allreduce(from.data(), to.data(), call.count, MPI_INT, few_operators[call.op],
                                         c.comm));
            CHECK(to == expected);
        }
    }
}

void try_some(Random random, const Made& made, Which which, const test::Reductions& reductions)
{
    const test::Case c{made.graph, made.comm, test::rank(made.comm)};
    // Processes draw datatypes of their own, but forms, counts and roots together.
    Random local(random() + static_cast<unsigned>(c.me));
    const test::Dice dice{random, local};
    test::Session session([&] { return which == Which::irregular ? Form::persistent : any_form(random); });
    if (which == Which::all) {
        test::every_call(session, c, dice, reductions, made.sizes);
        in_the_same_buffers(random, c);
        return;
    }
    // A bound call that cannot be served is an error, and is tested elsewhere.
    if (!made.combines) return;
    test::alltoallv(session, c, dice, made.sizes);
    test::alltoallw(session, c, dice, made.sizes);
    if (which == Which::irregular) return session.complete();
    test::alltoall(session, c, dice);
    if (which == Which::complete) return session.complete();
    test::allgather(session, c, dice);
    test::allgatherv(session, c, dice, true);
    test::allgatherw(session, c, dice, true);
    for (const test::Reduction& r : reductions.all()) {
        if (!r.commutes) continue;
        test::allreduce(session, c, dice, r);
        test::reduce_scatter_block(session, c, dice, r);
    }
    session.complete();
}

/// `make`: a communicator out of the one that it is given.
template <class Make>
void on_many(Random& random, int repeats, Which which, const test::Reductions& reductions, Make make)
{
    test::Comm base = test::duplicate();
    for (int repeat = 0; repeat < repeats; ++repeat) {
        Made made = make(base);
        // All processes draw the same numbers here; some may have no part.
        const Random shared(random());
        if (made.comm == MPI_COMM_NULL) continue;
        // Datatypes stand for numbers that an int cannot hold; here they also stand for those above two.
        ortho::mpi::most_elements = repeat % 4 == 3 ? 2 : INT_MAX;
        try_some(shared, made, which, reductions);
        MPI_Comm_free(&made.comm);
    }
}

} // namespace

TEST_MAIN()
{
    // MPICH spins where there are more processes than cores: fewer communicators there.
    const int usual = test::is_mpich() && test::size() > 2 ? 6 : 20;
    const int repeats = test::given("ORTHO_TEST_REPEATS", usual);
    Random random(static_cast<unsigned>(test::given("ORTHO_TEST_SEED", 1234)));
    {
        const test::Reductions reductions;
        on_many(random, repeats, Which::all, reductions,
                [&](MPI_Comm base) { return test::random_multigraph(random, base); });
        const auto on_stencils = [&](const std::string& algorithms, Which which) {
            // Half of them promise that processes come by, so that blocks may travel in every form.
            const auto wishes = [&] { return test::Wishes{algorithms, uniform(random, 0, 1) == 1}; };
            on_many(random, repeats, which, reductions,
                    [&](MPI_Comm base) { return test::random_stencil_graph(random, base, wishes()); });
            on_many(random, repeats, which, reductions,
                    [&](MPI_Comm base) { return test::random_cart_neighborhood(random, base, wishes()); });
        };
        on_stencils("auto", Which::all);
        for (const std::string& list : lists_of(for_all)) on_stencils(list, Which::combined);
        for (const std::string& list : lists_of(for_irregular_calls)) on_stencils(list, Which::irregular);
        for (const std::string& list : lists_of(for_complete_graphs))
            on_many(random, repeats, Which::complete, reductions, [&](MPI_Comm base) {
                const test::Wishes wishes{list, uniform(random, 0, 1) == 1, true};
                return test::random_stencil_graph(random, base, wishes);
            });
        {
            // No communicator is made for graphs where very many are alive.
            const test::ManyGraphs many;
            on_many(random, repeats, Which::all, reductions,
                    [&](MPI_Comm base) { return test::random_multigraph(random, base); });
            on_many(random, repeats, Which::all, reductions, [&](MPI_Comm base) {
                return test::random_cart_neighborhood(random, base, {"auto", false});
            });
        }
        // On nodes that are none, whose processes share no memory with those of others.
        for (const Nodes& nodes : {Nodes{"1", 1}, Nodes{"2", 2}, Nodes{"3,1,2", 3}}) {
            setenv("ORTHO_NODES", nodes.sizes, 1);
            auto lists = lists_of(for_several_nodes);
            lists.insert(lists.begin(), "auto");
            for (const std::string& algorithms : lists) {
                const bool bound = algorithms != "auto";
                const auto make = [&](MPI_Comm base) {
                    const test::Wishes wishes{algorithms, uniform(random, 0, 1) == 1};
                    Made made = uniform(random, 0, 1) == 1
                                    ? test::random_stencil_graph(random, base, wishes)
                                    : test::random_cart_neighborhood(random, base, wishes);
                    // There are no pairs of one node.
                    if (bound && made.comm != MPI_COMM_NULL && test::size(made.comm) <= nodes.on_first)
                        made.combines = false;
                    return made;
                };
                on_many(random, std::max(1, repeats / 2), bound ? Which::combined : Which::all, reductions,
                        make);
            }
            if (test::size() <= nodes.on_first || std::string(nodes.sizes) == "1") continue;
            // Processes of a node must share memory, which loopback may refuse.
            if (!is_on_one_host() || test::given("ORTHO_TEST_LITTLE_MEMORY", 0) == 1) continue;
            for (const std::string& list : lists_of(for_wires))
                on_many(random, std::max(1, repeats / 2), Which::irregular, reductions, [&](MPI_Comm base) {
                    return test::random_stencil_graph(random, base, {list, uniform(random, 0, 1) == 1});
                });
        }
        unsetenv("ORTHO_NODES");
    }
}
