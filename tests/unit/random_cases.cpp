// SPDX-License-Identifier: BSD-3-Clause
// Random grids, stencils and graphs, and the results that schedules must deliver on them.

namespace cases {

namespace {

/// The k-th edge u -> v of u's list meets the k-th u of v's list.
void pair_edges(Multigraph& graph)
{
    std::map<std::pair<int, int>, std::vector<int>> in_edges;
    for (const auto& process : graph.processes)
        for (int i = static_cast<int>(process.sources.size()); i-- > 0;)
            if (process.sources[at(i)] != grid::gap)
                in_edges[{process.sources[at(i)], process.rank}].push_back(i);
    for (const auto& process : graph.processes)
        for (int i = 0; i < static_cast<int>(process.targets.size()); ++i) {
            const int target = process.targets[at(i)];
            if (target == grid::gap) continue;
            auto& left = in_edges[{process.rank, target}];
            graph.pairs.push_back({process.rank, i, target, left.back()});
            left.pop_back();
        }
}

void add_gaps(Random& random, std::vector<int>& list)
{
    while (uniform(random, 0, 3) == 0)
        list.insert(list.begin() + uniform(random, 0, static_cast<int>(list.size())), grid::gap);
}

} // namespace

int one_in()
{
#ifdef __SANITIZE_ADDRESS__
    const int usual = 8;
#else
    const int usual = std::getenv("ORTHO_TEST_ALL") != nullptr ? 1 : 4;
#endif
    const char* const given = std::getenv("ORTHO_TEST_ONE_IN");
    return given != nullptr ? std::max(1, std::atoi(given)) : usual;
}

grid::Grid random_grid(Random& random, int most_dimensions, int most_points)
{
    constexpr std::array sizes{1, 1, 2, 2, 3, 3, 4, 5, 7};
    const int d = uniform(random, 1, most_dimensions);
    std::vector<int> size(at(d), 1);
    std::vector<char> periodic(at(d));
    int points = 1;
    for (int k = 0; k < d; ++k) {
        const int p = sizes[at(uniform(random, 0, static_cast<int>(sizes.size()) - 1))];
        if (points * p <= most_points) size[at(k)] = p;
        points *= size[at(k)];
        periodic[at(k)] = static_cast<char>(uniform(random, 0, 1));
    }
    std::vector<int> slowest_first(at(d));
    std::iota(slowest_first.begin(), slowest_first.end(), 0);
    std::ranges::shuffle(slowest_first, random);
    return grid::Grid(size, periodic, slowest_first);
}

grid::Stencil random_stencil(Random& random, int dimensions, int most_offsets, int reach)
{
    const int t = uniform(random, 0, most_offsets);
    grid::Stencil result(dimensions);
    std::vector<int> offset(at(dimensions));
    for (int i = 0; i < t; ++i) {
        if (i > 0 && uniform(random, 0, 3) == 0) {
            const auto again = result[uniform(random, 0, i - 1)];
            offset.assign(again.begin(), again.end());
        } else {
            const int here = uniform(random, 0, 5) == 0 ? 3 * reach : reach;
            for (int& n : offset) n = uniform(random, 0, 2) == 0 ? 0 : uniform(random, -here, here);
        }
        result.push_back(offset);
    }
    return result;
}

grid::Neighborhood random_neighborhood(Random& random, int most_dimensions, int most_points, int most_offsets,
                                       int reach)
{
    const grid::Grid grid = random_grid(random, most_dimensions, most_points);
    return grid::canonical(grid, random_stencil(random, grid.dimensions(), most_offsets, reach)).neighborhood;
}

std::vector<std::vector<int>> box(int dimensions, int low, int high)
{
    std::vector<std::vector<int>> result;
    std::vector<int> point(at(dimensions), low);
    for (bool more = true; more;) {
        result.push_back(point);
        more = false;
        for (int k = dimensions; k-- > 0 && !more;) {
            more = point[at(k)] < high;
            point[at(k)] = more ? point[at(k)] + 1 : low;
        }
    }
    return result;
}

grid::Stencil all_of(int dimensions, int low, int high)
{
    grid::Stencil result(dimensions);
    for (const auto& offset : box(dimensions, low, high)) result.push_back(offset);
    return result;
}

grid::Halo random_halo(Random& random, const grid::Grid& grid)
{
    std::vector<grid::Stencil> regions(at(uniform(random, 1, 3)), grid::Stencil(grid.dimensions()));
    for (grid::Stencil& of_field : regions) {
        const int share = uniform(random, 0, 10);
        for (const auto& region : box(grid.dimensions(), -1, 1))
            if (region != std::vector<int>(region.size(), 0) && uniform(random, 1, 10) <= share)
                of_field.push_back(region);
    }
    return grid::make_halo(grid, regions);
}

grid::Nodes random_nodes(Random& random, int processes)
{
    std::vector<int> sizes(at(uniform(random, 1, 4)));
    for (int& size : sizes) size = uniform(random, 1, uniform(random, 1, processes));
    const grid::Nodes in_a_row = grid::Nodes::consecutive(processes, sizes);
    std::vector<int> labels(in_a_row.of_all().begin(), in_a_row.of_all().end());
    switch (uniform(random, 0, 3)) {
    case 0: std::ranges::shuffle(labels, random); break;
    case 1:
        for (int i = 0; i < processes; ++i) labels[at(i)] = i % in_a_row.count();
        break;
    case 2:
        for (int& label : labels) label = uniform(random, 1, in_a_row.count());
        break;
    default: break;
    }
    return grid::Nodes(labels);
}

algorithm::Groups random_groups(Random& random, int dimensions)
{
    return random_steps(random, dimensions, 1);
}

algorithm::Groups random_steps(Random& random, int dimensions, int most)
{
    std::vector<int> order;
    for (int k = 0; k < dimensions; ++k) order.insert(order.end(), at(uniform(random, 1, most)), k);
    std::ranges::shuffle(order, random);
    algorithm::Groups groups;
    for (const int k : order) {
        if (groups.empty() || std::ranges::find(groups.back(), k) != groups.back().end() ||
            uniform(random, 0, 1) == 0)
            groups.emplace_back();
        groups.back().push_back(k);
    }
    return groups;
}

Multigraph random_graph(Random& random, int processes, int most_edges)
{
    Multigraph graph;
    const int p = processes;
    for (int rank = 0; rank < p; ++rank) graph.processes.push_back({rank, {}, {}});
    const int edges = uniform(random, 0, most_edges);
    for (int e = 0; e < edges; ++e) {
        // Few distinct ends: multi-edges, self-edges and isolated processes come by themselves.
        const int from = uniform(random, 0, p - 1);
        const int to = uniform(random, 0, 4) == 0 ? from : uniform(random, 0, p - 1);
        graph.processes[at(from)].targets.push_back(to);
        graph.processes[at(to)].sources.push_back(from);
    }
    for (auto& process : graph.processes) {
        std::ranges::shuffle(process.sources, random);
        std::ranges::shuffle(process.targets, random);
        add_gaps(random, process.sources);
        add_gaps(random, process.targets);
    }
    pair_edges(graph);
    return graph;
}

grid::LocalGraph lists_at(const grid::Neighborhood& neighborhood, int rank)
{
    static_assert(grid::Grid::nowhere == grid::gap);
    grid::LocalGraph result{rank, {}, {}};
    for (int i = 0; i < neighborhood.size(); ++i) {
        result.targets.push_back(neighborhood.grid.neighbor(rank, neighborhood.offsets[i]));
        result.sources.push_back(neighborhood.grid.neighbor_against(rank, neighborhood.offsets[i]));
    }
    return result;
}

Multigraph graph_of(const grid::Neighborhood& neighborhood)
{
    Multigraph graph;
    for (int r = 0; r < neighborhood.grid.points(); ++r) graph.processes.push_back(lists_at(neighborhood, r));
    pair_edges(graph);
    return graph;
}

Multigraph shuffled_graph(Random& random, const grid::Neighborhood& neighborhood)
{
    Multigraph graph = graph_of(neighborhood);
    graph.pairs.clear();
    for (auto& process : graph.processes) {
        std::erase(process.sources, grid::gap);
        std::erase(process.targets, grid::gap);
        std::ranges::shuffle(process.sources, random);
        std::ranges::shuffle(process.targets, random);
    }
    pair_edges(graph);
    return graph;
}

schedule::Goal delivery(const Multigraph& graph, bool personal)
{
    schedule::Goal goal;
    for (const auto& process : graph.processes) goal.receive.emplace_back(process.sources.size());
    for (const Pair& pair : graph.pairs)
        goal.receive[at(pair.to)][at(pair.in_edge)] = schedule::Value{
            {pair.from, personal ? pair.out_edge : 0}};
    return goal;
}

schedule::Goal delivery(const grid::Neighborhood& neighborhood, bool personal)
{
    schedule::Goal goal;
    goal.sizes_differ = personal;
    const grid::Grid& grid = neighborhood.grid;
    for (int q = 0; q < grid.points(); ++q) {
        auto& slots = goal.receive.emplace_back(at(neighborhood.size()));
        for (int i = 0; i < neighborhood.size(); ++i) {
            // Compute the source's coordinates by hand, not by the grid's own arithmetic.
            std::vector<int> source(at(grid.dimensions()));
            bool exists = true;
            for (int k = 0; k < grid.dimensions(); ++k) {
                int c = grid.coordinate(q, k) - neighborhood.offsets(i, k);
                if (grid.periodic(k))
                    while (c < 0 || c >= grid.size(k)) c += c < 0 ? grid.size(k) : -grid.size(k);
                exists = exists && c >= 0 && c < grid.size(k);
                source[at(k)] = c;
            }
            if (exists) slots[at(i)] = schedule::Value{{grid.rank(source), personal ? i : 0}};
        }
    }
    return goal;
}

void reduce(schedule::Goal& goal)
{
    for (auto& slots : goal.receive) {
        std::optional<schedule::Value> sum;
        for (const auto& slot : slots) {
            if (!slot) continue;
            if (!sum) sum.emplace();
            sum->insert(sum->end(), slot->begin(), slot->end());
        }
        slots = {sum};
    }
    goal.sizes_differ = false;
}

schedule::Goal goal(const algorithm::Algorithm& a, const grid::Neighborhood& neighborhood, bool in_place)
{
    using enum planner::Collective;
    schedule::Goal result = delivery(neighborhood,
                                     a.collective == alltoall || a.collective == reduce_scatter);
    if (algorithm::reduces(a.collective)) cases::reduce(result);
    result.commutative = algorithm::reduces(a.collective);
    if (in_place) result.present = {0};
    return result;
}

schedule::Goal goal(const algorithm::Algorithm& a, const grid::Halo& halo)
{
    const bool reduces = a.collective == planner::Collective::halo_reduce;
    const int n = halo.slots();
    schedule::Goal result;
    for (int r = 0; r < halo.grid.points(); ++r) {
        auto& here = result.receive.emplace_back(at(n + (reduces ? halo.fields : 0)));
        for (int f = 0; reduces && f < halo.fields; ++f) here[at(n + f)] = schedule::Value{{r, n + f}};
        for (int slot = 0; slot < n; ++slot) {
            const auto region = halo.regions[slot];
            const int owned = n + halo.field[at(slot)];
            const int other = reduces ? halo.grid.neighbor_against(r, region) : halo.grid.neighbor(r, region);
            if (other == grid::Grid::nowhere) continue;
            if (reduces)
                here[at(owned)]->push_back({other, slot});
            else
                here[at(slot)] = schedule::Value{{other, owned}};
        }
    }
    for (int f = 0; reduces && f < halo.fields; ++f) result.present.push_back(n + f);
    result.commutative = reduces;
    result.sizes_differ = true;
    return result;
}

grid::Grid cube(int dimensions, int size)
{
    return {std::vector<int>(at(dimensions), size), std::vector<char>(at(dimensions), 1)};
}

grid::Grid torus_of(const grid::Grid& grid)
{
    std::vector<int> sizes;
    for (int k = 0; k < grid.dimensions(); ++k) sizes.push_back(grid.size(k));
    return {sizes, std::vector<char>(sizes.size(), 1), grid.slowest_first()};
}

grid::Stencil all_offsets(const grid::Grid& grid)
{
    grid::Stencil result(grid.dimensions());
    for (int process = 0; process < grid.points(); ++process) result.push_back(grid.coordinates(process));
    return result;
}

schedule::Schedule build(const algorithm::Algorithm& algorithm, const grid::LocalGraph& graph,
                         const algorithm::CallSpecification& specification)
{
    return algorithm.build({}, graph, specification, {});
}

schedule::Schedule build(const algorithm::Algorithm& algorithm, const grid::Neighborhood& neighborhood,
                         int rank, const algorithm::Groups& groups,
                         const algorithm::CallSpecification& specification)
{
    algorithm::PlannerContext context;
    context.neighborhood = neighborhood;
    return algorithm.build(context, {rank, {}, {}}, specification, groups);
}

schedule::Schedule build(const algorithm::Algorithm& algorithm, const grid::Halo& halo, int rank,
                         const algorithm::PlannerContext& context)
{
    algorithm::CallSpecification specification{.collective = algorithm.collective};
    specification.halo = std::make_shared<const grid::Halo>(halo);
    return algorithm.build(context, {rank, {}, {}}, specification, {});
}

std::string fault(const algorithm::Algorithm& a, const grid::Neighborhood& neighborhood,
                  const algorithm::Groups& groups, bool in_place)
{
    std::vector<schedule::Schedule> schedules;
    const int distinct = neighborhood.grid.is_torus() ? 1 : neighborhood.grid.points();
    for (int r = 0; r < distinct; ++r)
        schedules.push_back(build(a, neighborhood, r, groups, {.in_place = in_place}));
    return verify(schedule::world_of(neighborhood.grid), schedules, goal(a, neighborhood, in_place))
        .value_or("");
}

std::string fault(const algorithm::Algorithm& a, const grid::Halo& halo)
{
    std::vector<schedule::Schedule> schedules;
    for (int r = 0; r < halo.grid.points(); ++r) schedules.push_back(build(a, halo, r));
    return verify(schedule::world_of(halo.grid), schedules, goal(a, halo)).value_or("");
}

} // namespace cases
