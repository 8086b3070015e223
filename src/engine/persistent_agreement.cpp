// SPDX-License-Identifier: BSD-3-Clause
// The agreement of all processes of a communicator when a persistent operation is made.

#include "engine/persistent_agreement.hpp"

#include <algorithm>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "agree/ballot.hpp"
#include "base/error.hpp"
#include "base/index.hpp"
#include "engine/block_sizes.hpp"
#include "engine/messages_vote.hpp"
#include "mpi/strides.hpp"
#include "planner/algorithm_list.hpp"
#include "runtime/internal_collectives.hpp"
#include "topology/agreed_settings.hpp"
#include "topology/agreement.hpp"

namespace ortho::engine {

namespace {

/// One of the names is that of an algorithm for the collective.
bool names_one_of(const std::vector<std::string>& algorithms, planner::Collective collective)
{
    return std::ranges::any_of(algorithms,
                               [&](const std::string& name) { return planner::serves(name, collective); });
}

/// Does most of the data not lie in rows?  Whoever has none says so, too.
bool is_strided(const BufferBlocks& blocks)
{
    MPI_Count in_rows = 0;
    MPI_Count all = 0;
    for (int i = 0; i < blocks.slots(); ++i) {
        if (blocks.is_gap(i) || blocks.count(i) == 0) continue;
        const MPI_Count bytes = blocks.bytes(i);
        const auto box = mpi::strided_box(nullptr, blocks.count(i), blocks.type(i));
        if (box && box->axes.empty()) in_rows += bytes;
        all += bytes;
    }
    return in_rows <= all / 2;
}

/// Asks the processes of a communicator.
class ByMessages final : public algorithm::Agreement {
public:
    explicit ByMessages(topology::Graph& graph) : graph_(graph) {}

    int processes() const override { return mpi::size_of(graph_.private_comm.messages()); }
    std::vector<long long> gather(std::span<const long long> mine) override
    {
        return runtime::gather_all(graph_.collectives(), std::vector<long long>(mine.begin(), mine.end()));
    }

private:
    topology::Graph& graph_;
};

/// The facts that possible algorithms want agreed.  `bound`: the user has named some for it.
std::vector<algorithm::Agreed> agree_on_algorithms(topology::Graph& graph, const Call& call,
                                                   const algorithm::CallSpecification& specification,
                                                   bool bound)
{
    std::vector<algorithm::Agreed> result;
    ByMessages agreement(graph);
    for (const planner::Algorithm* const algorithm : planner::all_algorithms()) {
        if (algorithm->agree == nullptr || algorithm->collective != call.collective) continue;
        const bool named = std::ranges::find(specification.algorithms, algorithm->name) !=
                           specification.algorithms.end();
        if (bound && !named) continue;
        const std::shared_ptr<const topology::GraphInfo> graph_info = [&] {
            const std::lock_guard lock(graph.mutex);
            return graph.graph_info;
        }();
        std::vector<std::int64_t> bytes;
        for (int edge = 0; edge < std::ssize(graph_info->lists.targets); ++edge)
            bytes.push_back(graph_info->lists.targets[at(edge)] == grid::gap ? 0 : call.send.bytes(edge));
        if (auto numbers = algorithm->agree(specification, graph_info->lists, bytes, named, agreement))
            result.push_back({algorithm->name, std::move(*numbers)});
    }
    return result;
}

/// How long the call is predicted to take.
} // namespace

AgreedWays agree_on_call(agree::Ballot& ballot, topology::Graph& graph, const Describe& describe,
                         MPI_Info info)
{
    Agreed agreed;
    auto& [call, specification] = agreed;
    std::shared_ptr<const topology::GraphInfo> graph_info;
    topology::NamedAlgorithms named; // by rank 0
    agree::AnyTrue is_named(ballot);
    topology::Promises promises{ballot};
    agree::AllTrue all_strided(ballot);
    agree::AnyTrue on_devices(ballot);
    SizesVote sizes(ballot);
    MessagesVote messages(ballot);
    bool is_one_node = false;
    const topology::Checked checked(ballot, [&] {
        call = describe();
        const std::lock_guard lock(graph.mutex);
        specification = engine_of(graph).context().specification_of(call, Way::started);
        graph_info = graph.graph_info;
        if (graph_info->lists.rank == 0) named = topology::algorithms_in(info);
        is_named.say(named.found);
        promises.say(info, call.by_name ? topology::Reads::in_halo_by_name : topology::Reads::in_init);
        all_strided.say(call.halo ? call.strided : is_strided(call.send));
        on_devices.say(is_on_devices(call));
        sizes.say(call);
        const CommTransports& network = engine_of(graph).network();
        is_one_node = network.all_here();
        messages.say(call, *graph_info, network);
    });
    graph.hold(ballot);
    // Where it has to speak of an error the graph may need another communicator, which takes a collective call.
    checked.require(checked.has_failed_anywhere() ? graph.collectives() : MPI_COMM_NULL);
    const auto set_way = [&](algorithm::CallSpecification& its, Way way) {
        const std::lock_guard lock(graph.mutex);
        engine_of(graph).context().set_way(its, way,
                                           promises.forward.holds() || graph_info->settings->forward);
    };
    set_way(specification, Way::started);
    if (is_named.holds()) {
        topology::Announcement announcement(graph.collectives(), named);
        runtime::wait_until_on(graph.collectives(), [&] { return announcement.advance(); });
        topology::Settings settings = topology::make_settings(announcement.named());
        specification.algorithms = std::move(settings.algorithms);
    }

    const bool bound = names_one_of(specification.algorithms, call.collective);
    specification.extremes = messages.extremes();
    if (specification.shared_memory) specification.counts = messages.counts();
    // An operation that is run may forward blocks, whatever was promised.
    if (specification.sizes.empty() && graph_info->isomorphism && may_combine(call))
        set_compared(specification, compare_sizes(graph, call, *graph_info->isomorphism));
    specification.agreed = agree_on_algorithms(graph, call, specification, bound);

    // Forwarded blocks go through host memory, where within a node nothing else needs to.
    specification.on_devices = on_devices.holds() && is_one_node;
    AgreedWays both{agreed, agreed, sizes.are_equal()};
    set_way(both.run.specification, Way::run);
    // MPI would pack it.
    if (specification.large == schedule::Large::mpi && all_strided.holds())
        both.started.specification.large = schedule::Large::shared;
    return both;
}

agree::AllEqual propose_tags(agree::Ballot& ballot, topology::Graph& graph, int n)
{
    const std::lock_guard lock(graph.mutex);
    const Tags& tags = engine_of(graph).tags();
    return {ballot, tags.free_persistent(tags.next_persistent(), n)};
}

int agree_on_tags(topology::Graph& graph, int n, const agree::AllEqual& proposed)
{
    const auto locked = [&](auto action) {
        const std::lock_guard lock(graph.mutex);
        return action(engine_of(graph).tags());
    };
    const int first = locked([](const Tags& tags) { return tags.first_persistent(); });
    const int last = locked([n](const Tags& tags) { return tags.last_persistent() - n + 1; });
    int proposal = proposed.value<int>();
    bool is_agreed = proposed.holds();
    // All go on from the largest proposal to one that is free with them, until all propose the same; after the
    // last tag once more from the first one on.
    bool again = true;
    while (proposal > last || !is_agreed) {
        base::require(proposal <= last || std::exchange(again, false), base::ErrorKind::other, "request",
                      "too many persistent operations on one communicator");
        const int from = proposal <= last ? proposal : first;
        agree::Ballot ballot;
        const agree::AllEqual next(ballot,
                                   locked([&](const Tags& tags) { return tags.free_persistent(from, n); }));
        graph.hold(ballot);
        proposal = next.value<int>();
        is_agreed = next.holds();
    }
    locked([&](Tags& tags) {
        for (int i = 0; i < n; ++i) tags.take_persistent(proposal + i);
    });
    return proposal;
}

int agree_on_tags(topology::Graph& graph, int n)
{
    agree::Ballot ballot;
    const agree::AllEqual proposed = propose_tags(ballot, graph, n);
    graph.hold(ballot);
    return agree_on_tags(graph, n, proposed);
}

} // namespace ortho::engine
