// SPDX-License-Identifier: BSD-3-Clause
// The processes of a graph know these things of a call together.

#include "engine/agreement.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/index.hpp"
#include "base/text.hpp"
#include "mpi/operator.hpp"
#include "mpi/strides.hpp"
#include "planner/algorithm_list.hpp"
#include "runtime/internal_collectives.hpp"
#include "runtime/message.hpp"
#include "topology/agreed_settings.hpp"
#include "topology/agreement.hpp"
#include "topology/error_consensus.hpp"

namespace ortho::engine {

namespace {

using algorithm::is_among_neighbors;
using planner::Collective;

/// True if the collective has schedules that combine blocks, and so need their sizes.
bool may_combine(const Call& call)
{
    return is_among_neighbors(call.collective) &&
           (call.op == MPI_OP_NULL || (!call.irregular && mpi::commutes(call.op)));
}

/// All blocks of the call have one size.
bool is_of_one_size(const Call& call) { return !call.irregular || call.collective == Collective::allgather; }

/// A forwarding process reads the sizes of others' blocks off its own slots: has it one for each canonical
/// index?
bool has_slot_for_every_index(const topology::GraphInfo& graph_info)
{
    return graph_info.isomorphism->neighborhood.grid.is_torus() || graph_info.stencil.has_value();
}

/// Calls visit(i, bytes) for each size that this process knows, of calls that may be combined and of those
/// with one size.  `i` is 0 if all blocks have one size, else a canonical index.  Blocks that are sent come
/// first.
template <class Visit>
void visit_sizes(const Call& call, const topology::GraphInfo& graph_info, Visit visit)
{
    constexpr std::size_t all = 0;
    if (call.element.slots() > 0) return visit(all, call.element.bytes(0)); // of a reduction
    if (is_of_one_size(call)) {
        if (call.send.slots() > 0) visit(all, call.send.bytes(0));
        const int different = call.irregular ? call.receive.slots() : std::min(1, call.receive.slots());
        for (int slot = 0; slot < different; ++slot)
            if (!call.receive.is_gap(slot)) visit(all, call.receive.bytes(slot));
        return;
    }
    if (!graph_info.isomorphism || call.collective != Collective::alltoall) return;
    const auto& [send, receive] = graph_info.isomorphism->slots;
    const bool gaps_have_sizes = irregular_sizes_agree(graph_info);
    for (std::size_t i = 0; i < send.size(); ++i) {
        const int slot = gaps_have_sizes ? graph_info.isomorphism->size_slots[i] : send[i];
        if (slot != grid::gap) visit(i, call.send.bytes(slot));
        if (receive[i] != grid::gap) visit(i, call.receive.bytes(receive[i]));
    }
}

void require_equal(MPI_Count sent, MPI_Count received)
{
    base::require(sent <= received, base::ErrorKind::truncate, "recvcount", "this process sends blocks of ",
                  sent, " bytes, and has room for ", received,
                  " in a slot: on this grid all blocks have one size");
    base::require(sent == received, base::ErrorKind::count, "sendcount", "this process sends blocks of ",
                  sent, " bytes, and expects ", received,
                  " in a slot: on this grid all blocks have one size");
}

} // namespace

bool irregular_sizes_agree(const topology::GraphInfo& graph_info)
{
    return graph_info.isomorphism && graph_info.settings && graph_info.settings->assert_uniform &&
           has_slot_for_every_index(graph_info);
}

bool sizes_agree(const Call& call, const topology::GraphInfo& graph_info)
{
    if (!graph_info.isomorphism) return false;
    if (irregular_sizes_agree(graph_info)) return true;
    if (call.irregular) return false;
    return call.op == MPI_OP_NULL ? graph_info.isomorphism->regular_sizes_agree()
                                  : graph_info.isomorphism->reduction_sizes_agree();
}

std::optional<std::vector<std::int64_t>> agreed_sizes(const Call& call, const topology::GraphInfo& graph_info)
{
    if (!may_combine(call) || !sizes_agree(call, graph_info)) return std::nullopt;
    constexpr std::int64_t unknown = -1; // a process may have a block on one side only, or none
    std::vector<std::int64_t> bytes(is_of_one_size(call) ? 1 : graph_info.isomorphism->slots.send.size(),
                                    unknown);
    visit_sizes(call, graph_info, [&](std::size_t i, MPI_Count size) {
        if (bytes[i] != unknown) require_equal(bytes[i], size);
        bytes[i] = size;
    });
    std::ranges::replace(bytes, unknown, 0);
    return bytes;
}

void set_compared(algorithm::CallSpecification& specification, std::optional<std::vector<std::int64_t>> sizes)
{
    specification.compared = sizes ? algorithm::Compared::equal : algorithm::Compared::different;
    if (sizes) specification.set_sizes(std::move(*sizes));
}

namespace {

using algorithm::ExchangeCounts;
constexpr std::array numbers_of_exchange{&ExchangeCounts::node_messages, &ExchangeCounts::node_bytes,
                                         &ExchangeCounts::off_messages, &ExchangeCounts::off_bytes,
                                         &ExchangeCounts::nodes};

} // namespace

CallVote::CallVote(agree::Ballot& ballot, const topology::GraphInfo& graph_info)
    : ballot_(ballot),
      graph_info_(graph_info)
{
    const std::size_t indices = graph_info.isomorphism ? graph_info.isomorphism->slots.send.size() : 0;
    for (std::size_t i = 0; i < std::max<std::size_t>(indices, 1); ++i) sizes_.emplace_back(ballot);
    for (std::size_t i = 0; i < numbers_of_exchange.size(); ++i) counts_.emplace_back(ballot);
}

void CallVote::say_sizes(const Call& call)
{
    kind_.say((static_cast<long long>(call.collective) << 32) + call.root);
    are_of_one_size_.say(is_of_one_size(call));
    visit_sizes(call, graph_info_, [&](std::size_t i, MPI_Count bytes) { sizes_[i].say(bytes); });
}

bool CallVote::have_one_size() const
{
    return kind_.holds() && are_of_one_size_.holds() && sizes_[0].holds();
}

std::optional<std::vector<std::int64_t>> CallVote::sizes() const
{
    std::vector<std::int64_t> bytes;
    for (const agree::AllEqual& size :
         std::span(sizes_).first(are_of_one_size_.holds() ? 1 : sizes_.size())) {
        if (!size.holds()) return std::nullopt;
        bytes.push_back(size.is_said() ? size.value() : 0); // nobody has a block that nobody knows
    }
    return bytes;
}

namespace {

/// The bytes that go to each other process, or come from it.
std::map<int, std::int64_t> by_partner(const std::vector<int>& partners,
                                       const std::vector<std::int64_t>& bytes, int me)
{
    std::map<int, std::int64_t> result;
    for (std::size_t i = 0; i < partners.size(); ++i)
        if (partners[i] != grid::gap && partners[i] != me) result[partners[i]] += along(bytes, i);
    return result;
}

} // namespace

void CallVote::say_messages(const Call& call, const BlockBytes& bytes, const CommTransports& network)
{
    const grid::Nodes* const nodes = graph_info_.settings->layout.nodes.get();
    const auto& [me, sources, targets] = graph_info_.lists;
    // ORTHO_NODES may put processes together that share no memory.
    const bool is_among = is_among_neighbors(call.collective);
    may_join_.say(is_among && nodes != nullptr && !call.may_separate &&
                  network.shares_memory_with(nodes->members(nodes->of(me)), me));
    if (!is_among) return;
    const auto sent = by_partner(targets, bytes.sent, me);
    most_.say(std::ssize(sent));
    heaviest_.say(0); // where there are no messages
    for (const auto& [partner, size] : sent) {
        heaviest_.say(size);
        lightest_.say(size);
    }
    if (nodes == nullptr) return;
    for (const auto& messages : {sent, by_partner(sources, bytes.received, me)}) {
        std::set<int> others;
        ExchangeCounts counts{};
        for (const auto& [partner, size] : messages) {
            const bool stays = nodes->of(partner) == nodes->of(me);
            if (!stays) others.insert(nodes->of(partner));
            ++(stays ? counts.node_messages : counts.off_messages);
            (stays ? counts.node_bytes : counts.off_bytes) += size;
        }
        counts.nodes = std::ssize(others);
        for (std::size_t i = 0; i < numbers_of_exchange.size(); ++i)
            counts_[i].say(counts.*numbers_of_exchange[i]);
    }
}

std::optional<algorithm::Extremes> CallVote::extremes() const
{
    if (!most_.is_said()) return std::nullopt;
    return algorithm::Extremes{most_.value(), heaviest_.value(), lightest_.value()};
}

std::optional<ExchangeCounts> CallVote::counts() const
{
    if (!may_join_.holds() || !counts_[0].is_said()) return std::nullopt;
    ExchangeCounts counts{};
    for (std::size_t i = 0; i < numbers_of_exchange.size(); ++i)
        counts.*numbers_of_exchange[i] = counts_[i].value();
    return counts;
}

namespace {

/// True if most of the data does not lie in rows, or there is none.
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

/// The facts that possible algorithms want agreed.  If the user has named algorithms of the collective, no
/// others are possible.
std::vector<algorithm::Agreed> agree_on_algorithms(topology::Graph& graph,
                                                   const std::vector<std::int64_t>& sent,
                                                   const algorithm::CallSpecification& specification)
{
    const std::vector<std::string>& names = specification.algorithms;
    const bool is_bound = std::ranges::any_of(
        names, [&](const std::string& name) { return planner::serves(name, specification.collective); });
    const auto is_named = [&](const planner::Algorithm* algorithm) {
        return std::ranges::find(names, algorithm->name) != names.end();
    };
    const auto may_ask = [&](const planner::Algorithm* algorithm) {
        return algorithm->agree != nullptr && algorithm->collective == specification.collective &&
               (!is_bound || is_named(algorithm));
    };
    if (std::ranges::none_of(planner::all_algorithms(), may_ask)) return {};
    const planner::PlannerContext context = [&] {
        const std::lock_guard lock(graph.mutex);
        return engine_of(graph).context().planner_context();
    }();
    const grid::LocalGraph& lists = context.graph;
    const auto bytes_of_edges = [&] {
        std::vector<std::int64_t> bytes;
        for (std::size_t edge = 0; edge < lists.targets.size(); ++edge)
            bytes.push_back(lists.targets[edge] == grid::gap ? 0 : along(sent, edge));
        return bytes;
    };
    std::vector<algorithm::Agreed> result;
    const algorithm::Agreement agreement{
        mpi::size_of(graph.private_comm.messages()),
        [&](const std::vector<long long>& mine) { return runtime::gather_all(graph.collectives(), mine); }};
    for (const planner::Algorithm* const algorithm : planner::all_algorithms()) {
        if (!may_ask(algorithm)) continue;
        // Algorithms that agree on something agree on the same: the first one asks.
        std::optional<algorithm::Agreed> agreed;
        if (result.empty())
            agreed = algorithm->agree(context, specification, bytes_of_edges(), is_named(algorithm),
                                      agreement);
        else
            agreed = result.front();
        if (!agreed) continue;
        agreed->algorithm = algorithm->name;
        result.push_back(std::move(*agreed));
    }
    return result;
}

/// This process proposes `n` tags in a row, which are free here, from this one on.
int propose_tags(topology::Graph& graph, int n, std::optional<int> from = {})
{
    const std::lock_guard lock(graph.mutex);
    const Tags& tags = engine_of(graph).tags();
    return tags.free_persistent(from.value_or(tags.next_persistent()), n);
}

/// The first of `n` tags in a row, which are taken on all processes.  `proposed`: in a ballot that was held.
/// Collective, unless all have proposed the same.
int take_tags(topology::Graph& graph, int n, const agree::AllEqual& proposed)
{
    std::unique_lock lock(graph.mutex);
    Tags& tags = engine_of(graph).tags();
    const int last = tags.last_persistent() - n + 1;
    int proposal = proposed.value<int>();
    bool is_agreed = proposed.holds();
    // From the largest proposal all go on to the next one that is free with them, until all propose the same.
    // After the last tag they begin with the first one, once.
    for (bool again = true; proposal > last || !is_agreed;) {
        base::require(proposal <= last || std::exchange(again, false), base::ErrorKind::other, "request",
                      "too many persistent operations on one communicator");
        lock.unlock();
        agree::Ballot ballot;
        const agree::AllEqual next(
            ballot, propose_tags(graph, n, proposal <= last ? proposal : tags.first_persistent()));
        graph.hold(ballot);
        proposal = next.value<int>();
        is_agreed = next.holds();
        lock.lock();
    }
    for (int i = 0; i < n; ++i) tags.take_persistent(proposal + i);
    return proposal;
}

/// Throws an error about names of a call that differ, with two of them.  Collective; throws on all processes.
void fail_by_names(MPI_Comm comm, const std::string& name)
{
    std::array<char, 200> on_rank_0{};
    name.copy(on_rank_0.data(), on_rank_0.size() - 1);
    runtime::broadcast(comm, on_rank_0.data(), static_cast<int>(on_rank_0.size()));
    std::optional<base::Error> mine;
    if (name.substr(0, on_rank_0.size() - 1) != on_rank_0.data())
        mine.emplace(base::ErrorKind::mismatch, "info",
                     base::text("ortho_name is '", name, "', and on rank 0 '", on_rank_0.data(),
                                "': the processes make requests in different orders"));
    topology::fail_if_any(comm, std::move(mine));
}

} // namespace

AgreedCall agree_on_call(topology::Graph& graph, const call::Describe& describe, MPI_Info info)
{
    const std::shared_ptr<const topology::GraphInfo> graph_info = [&] {
        const std::lock_guard lock(graph.mutex);
        return graph.graph_info;
    }();
    AgreedCall agreed;
    Call& call = agreed.call;
    algorithm::CallSpecification& specification = agreed.started;
    topology::NamedAlgorithms named; // by rank 0
    agree::Ballot ballot;
    const agree::AllEqual tags(ballot, propose_tags(graph, 2));
    agree::AnyTrue is_named(ballot);
    agree::AllEqual same_name(ballot);
    topology::Promises promises{ballot};
    agree::AllTrue all_strided(ballot);
    agree::AnyTrue on_devices(ballot);
    CallVote vote(ballot, *graph_info);
    bool is_one_node = false;
    const topology::Checked checked(ballot, [&] {
        call = describe();
        call.name = topology::name_in(info);
        same_name.say(static_cast<long long>(base::hash_of(call.name)));
        const std::lock_guard lock(graph.mutex);
        specification = engine_of(graph).context().specification_of(call, Way::started);
        if (graph_info->lists.rank == 0) named = topology::algorithms_in(info);
        is_named.say(named.found);
        promises.say(info, topology::in_init | (call.by_name ? topology::in_halo_by_name : 0U) |
                               (call.of_one_shape ? topology::in_halo_of_one_shape : 0U));
        all_strided.say(call.halo ? call.strided : is_strided(call.send));
        on_devices.say(is_on_devices(call));
        const CommTransports& network = engine_of(graph).network();
        is_one_node = network.all_here();
        vote.say_sizes(call);
        agreed.bytes = bytes_of(call, graph_info->lists);
        vote.say_messages(call, agreed.bytes, network);
    });
    ballot.hold([&](std::span<long long> numbers) {
        runtime::maximize_in_one_call(numbers, graph_info->lists.rank,
                                      [&](std::span<long long> row) { graph.maximize(row); });
    });
    // To tell an error the graph may need another communicator, which takes a collective call.
    checked.require(checked.has_failed_anywhere() ? graph.collectives() : MPI_COMM_NULL);
    if (!same_name.holds()) fail_by_names(graph.collectives(), call.name);
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
    specification.extremes = vote.extremes();
    if (specification.shared_memory) specification.counts = vote.counts();
    // An operation that is run may forward blocks, whatever was promised.
    if (specification.sizes.empty() && graph_info->isomorphism && may_combine(call))
        set_compared(specification, vote.sizes());
    specification.agreed = agree_on_algorithms(graph, agreed.bytes.sent, specification);
    // Forwarded blocks go through host memory, where within a node nothing else needs to.
    specification.on_devices = on_devices.holds() && is_one_node;

    agreed.have_one_size = vote.have_one_size();
    agreed.run = specification;
    set_way(agreed.run, Way::run);
    // MPI would pack it.
    if (specification.large == schedule::Large::mpi && all_strided.holds())
        specification.large = schedule::Large::shared;
    agreed.tag = take_tags(graph, 2, tags);
    return agreed;
}

int agree_on_tags(topology::Graph& graph, int n)
{
    agree::Ballot ballot;
    const agree::AllEqual proposed(ballot, propose_tags(graph, n));
    graph.hold(ballot);
    return take_tags(graph, n, proposed);
}

namespace {

/// One end of an edge.
struct BlockEnd {
    std::int64_t slot;
    std::int64_t bytes; ///< -1 if no block goes along it

    std::string text() const
    {
        return base::text(bytes < 0 ? "no block" : base::text(bytes, " bytes"), " in slot ", slot);
    }
};
using EndsByPartner = std::map<int, std::vector<BlockEnd>>;

/// The ends of the edges that lead to each partner, or come from it, in the order of the list.
template <class HasBlock>
EndsByPartner ends_of(const std::vector<std::int64_t>& bytes, const std::vector<int>& partners,
                      HasBlock has_block)
{
    EndsByPartner ends;
    for (std::size_t i = 0; i < partners.size(); ++i) {
        if (partners[i] == grid::gap) continue;
        const bool is_there = !bytes.empty() && has_block(partners[i]);
        ends[partners[i]].push_back({static_cast<std::int64_t>(i), is_there ? along(bytes, i) : -1});
    }
    return ends;
}

} // namespace

void compare_with_neighbors(topology::Graph& graph, const Call& call, const BlockBytes& bytes, int tag)
{
    if (call.halo) return;
    const auto [graph_info, title] = [&] {
        const std::lock_guard lock(graph.mutex);
        return std::pair(graph.graph_info, graph.title());
    }();
    const int me = graph_info->lists.rank;
    const EndsByPartner sent = ends_of(bytes.sent, graph_info->lists.targets,
                                       [&](int target) { return has_block(call, me, target); });
    const EndsByPartner expected = ends_of(bytes.received, graph_info->lists.sources,
                                           [&](int source) { return has_block(call, source, me); });
    EndsByPartner heard = expected; // as many
    runtime::Posted messages(graph.private_comm.messages(), tag);
    for (auto& [partner, ends] : heard) messages.receive(partner, std::as_writable_bytes(std::span(ends)));
    for (const auto& [partner, ends] : sent) messages.send(partner, std::as_bytes(std::span(ends)));
    messages.wait();
    std::optional<base::Error> difference;
    for (const auto& [partner, ends] : expected) {
        const auto [theirs, mine] = std::ranges::mismatch(heard.at(partner), ends, {}, &BlockEnd::bytes,
                                                          &BlockEnd::bytes);
        if (difference || mine == ends.end()) continue;
        const bool is_too_long = mine->bytes >= 0 && theirs->bytes > mine->bytes;
        difference.emplace(is_too_long ? base::ErrorKind::truncate : base::ErrorKind::mismatch, "recvcount",
                           base::text("on ", title, " rank ", partner, " sends ", theirs->text(), " to rank ",
                                      me, is_too_long ? ", which has room for " : ", which expects ",
                                      mine->text()));
    }
    agree::Ballot ballot;
    const agree::AnyTrue is_wrong(ballot, difference.has_value());
    graph.hold(ballot); // by messages, where that will do
    if (is_wrong.holds()) topology::fail_if_any(graph.collectives(), std::move(difference));
}

} // namespace ortho::engine
