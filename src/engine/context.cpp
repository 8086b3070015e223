// SPDX-License-Identifier: BSD-3-Clause
// The engine keeps this with a communicator that carries a graph.

#include "engine/context.hpp"

#include <algorithm>
#include <cstdio>
#include <mutex>

#include "algorithm/edge_bundles.hpp"
#include "base/environment.hpp"
#include "base/text.hpp"
#include "call/call_text.hpp"
#include "engine/agreement.hpp"
#include "mpi/last_found.hpp"
#include "mpi/library_lifetime.hpp"
#include "mpi/mutex.hpp"
#include "mpi/operator.hpp"
#include "mpi/which_mpi.hpp"
#include "runtime/wait.hpp"
#include "transport/data_location.hpp"
#include "transport/transport.hpp"

namespace ortho::engine {

namespace {

planner::PlannerContext planner_context_of(const topology::GraphInfo& graph_info)
{
    planner::PlannerContext context;
    context.graph = graph_info.lists;
    if (const auto& isomorphism = graph_info.isomorphism) {
        context.set_stencil(*isomorphism);
        context.has_found_grid = graph_info.has_found_grid;
        context.irregular_sizes_agree = irregular_sizes_agree(graph_info);
    }
    if (graph_info.settings) context.layout = graph_info.settings->layout;
    if (graph_info.settings) context.independent = graph_info.settings->independent;
    context.by_weights = graph_info.rounds;
    return context;
}

/// Sees to it that the bytes of an element are known, if there is any.  False if elements do not lie in rows.
bool find_element_bytes(const BufferBlocks& blocks, std::optional<std::size_t>& bytes)
{
    if (bytes || !blocks.has_elements()) return true;
    MPI_Datatype const type = blocks.shape().type;
    const mpi::Measures measures = mpi::measure(type);
    if (!transport::is_plain(type, measures)) return false;
    bytes = static_cast<std::size_t>(measures.size);
    return true;
}

planner::Settings settings_of(const topology::GraphInfo& graph_info)
{
    if (!graph_info.settings) return {};
    const topology::Settings& settings = *graph_info.settings;
    return {settings.algorithms, settings.tune, settings.network_kind.value_or(0)};
}

} // namespace

Context::Context(std::shared_ptr<const topology::GraphInfo> graph_info, const CommTransports* network,
                 const topology::Graph* graph)
    : graph_info_(std::move(graph_info)),
      network_(network),
      planner_(planner_context_of(*graph_info_), settings_of(*graph_info_)),
      printed_of_(graph_info_->lists.rank == 0 && base::environment_flag("ORTHO_EXPLAIN").value_or(false)
                      ? graph
                      : nullptr)
{}

algorithm::CallSpecification Context::specification_of(const Call& call, Way way) const
{
    algorithm::CallSpecification specification;
    set_call(specification, call);
    specification.algorithms = planner_.settings().algorithms;
    specification.only_to_choose = !is_told(way);
    const OnNode on_node = facts_of(way).on_node;
    const auto& settings = graph_info_->settings;
    const bool is_verified = on_node == OnNode::announced && settings->verify;
    specification.shared_memory = network_ != nullptr && network_->shares_memory() &&
                                  (network_->all_here() || planner_.context().layout.nodes != nullptr) &&
                                  on_node != OnNode::users_comm && !is_verified;
    // A schedule that forwards blocks would have to wait until verification is over.
    set_way(specification, way, settings && settings->forward && !is_verified);
    if (auto sizes = agreed_sizes(call, *graph_info_)) specification.set_sizes(std::move(*sizes));
    if (call.expected && call.expected->counts)
        specification.counts = call.expected->counts;
    else if (call.expected)
        set_compared(specification, call.expected->canonical);
    return specification;
}

void Context::set_way(algorithm::CallSpecification& specification, Way way, bool have_promised) const
{
    const WayFacts& facts = facts_of(way);
    const bool come_by = facts.caller_waits || (facts.forwards == Forwards::if_promised && have_promised);
    specification.persistent = facts.kept_with == KeptWith::request;
    specification.forwards_by_mpi = facts.on_node == OnNode::announced;
    specification.forwards = come_by ? Forwards::always : facts.forwards;
    if (!specification.shared_memory) return;
    const bool by_price = facts.large == LargeOnNode::by_price ||
                          (facts.large == LargeOnNode::by_price_or_by_mpi && come_by);
    specification.large = by_price ? network_->large_while_waiting() : schedule::Large::mpi;
}

std::unique_ptr<KeptOperation> Context::find_or_make(const Call& call, Way way, const ListArguments& list,
                                                     const transport::Transports& transports)
{
    ArgumentWriter writer;
    list(writer, edges_);
    std::vector<std::uint64_t> arguments = writer.take();
    if (auto known = kept_.take(call.function, [&](const auto& others) { return others == arguments; }))
        return known;
    auto kept = std::make_unique<KeptOperation>(KeptOperation{call.function, std::move(arguments)});
    kept->bound = make(call, specification_of(call, way), way, transports);
    kept->operation = std::make_unique<Operation>(kept->bound.binding, call.op);
    kept->shape = shape_of(call, *kept->bound.binding);
    if (!is_told(way)) kept->bound.decision = nullptr;
    return kept;
}

std::optional<CallShape> Context::shape_of(const Call& call, const Binding& binding) const
{
    const bool is_exchange = call.collective == planner::Collective::alltoall ||
                             call.collective == planner::Collective::allgather;
    if (!is_exchange || call.expected || !binding.is_replaceable()) return std::nullopt;
    CallShape shape{call.send.shape(), call.receive.shape()};
    if (shape.send.form == BufferBlocks::Form::typed || shape.receive.form == BufferBlocks::Form::typed)
        return std::nullopt;
    if (!sizes_agree(call, *graph_info_)) return shape;
    // The plan may depend on them.
    if (call.irregular) return std::nullopt;
    shape.send_count = call.send.count(0);
    shape.receive_count = call.receive.count(0);
    return shape;
}

[[gnu::hot]] bool Context::may_become(KeptOperation& kept, const BufferBlocks& send,
                                      const BufferBlocks& receive) const
{
    if (printed_of_ != nullptr) return false; // it wants each call in words
    if (call::lie_on_device(send) || call::lie_on_device(receive)) return false;
    const bool are_plain = find_element_bytes(send, kept.send_element_bytes) &&
                           find_element_bytes(receive, kept.receive_element_bytes);
    if (!are_plain) kept.shape.reset(); // and never will be
    return are_plain;
}

[[gnu::hot]] bool Context::become(KeptOperation& kept, Way way, const BufferBlocks& send,
                                  const BufferBlocks& receive)
{
    // Nothing is asked of the datatype of no elements.
    const ElementBytes element_bytes{kept.send_element_bytes.value_or(0),
                                     kept.receive_element_bytes.value_or(0)};
    if (is_told(way)) {
        CallText& text = kept.bound.decision->call;
        text.send.replace(send, element_bytes.send);
        text.receive.replace(receive, element_bytes.receive);
    }
    return kept.bound.binding->replace(send, receive, element_bytes);
}

BoundCall Context::make(const Call& call, const algorithm::CallSpecification& specification, Way way,
                        const transport::Transports& transports)
{
    BoundCall bound{nullptr, decide(call, specification, way)};
    // Announced messages are those of one phase.
    const bool by_mpi = facts_of(way).on_node == OnNode::announced &&
                        bound.decision->plan.algorithm->forwards;
    bound = bind_again(
        call, specification, bound, call::bases_of(call), by_mpi ? network_->by_mpi() : transports,
        way == Way::blocking && call.op != MPI_OP_NULL ? call.element[0].type : MPI_DATATYPE_NULL);
    print(bound);
    return bound;
}

std::shared_ptr<Decision> Context::decide(const Call& call, const algorithm::CallSpecification& specification,
                                          Way way)
{
    auto decision = std::make_shared<Decision>();
    if (is_told(way)) {
        decision->call = text_of(call);
        decision->op = mpi::words_of(call.op);
    }
    decision->graph_info = graph_info_;
    decision->plan = plan(specification);
    return decision;
}

BoundCall Context::bind_again(const Call& call, const algorithm::CallSpecification& specification,
                              const BoundCall& bound, const Bases& bases,
                              const transport::Transports& transports, MPI_Datatype operand) const
{
    const planner::Plan& plan = bound.decision->plan;
    const bool canonical = plan.algorithm->slots == algorithm::Slots::canonical;
    const Sides sides = call.lay ? call.lay(*plan.schedule, bases)
                                 : Sides{call.send.of(bases[0]), call.receive.of(bases[1]), call.element};
    auto binding = std::make_shared<Binding>(BindingRequest{
        .schedule = plan.schedule,
        .graph_info = graph_info_,
        .canonical_send = canonical && algorithm::sends_personal(call.collective),
        .canonical_receive = canonical && call.op == MPI_OP_NULL,
        .has_request = !specification.only_to_choose,
        .sides = sides,
        .op = call.op,
        .operand = operand,
        .transit_bytes = specification.sizes,
        .transports = transports,
    });
    return {std::move(binding), bound.decision};
}

void Context::print(const BoundCall& bound)
{
    if (printed_of_ == nullptr) return;
    const std::string text = explain(printed_of_->title(), *bound.decision, *bound.binding);
    if (printed_.insert(text).second) std::fputs(text.c_str(), stderr);
}

namespace {

/// All engines.
struct Engines {
    mpi::Mutex mutex;
    std::set<Engine*> all;
    bool will_end = false;
};

Engines& engines()
{
    static auto* const all = new Engines; // graphs may outlive what is destroyed at exit
    return *all;
}

/// Communicators may be alive when MPI ends.
void drop_all_plans()
{
    const std::lock_guard lock(engines().mutex);
    for (Engine* const engine : engines().all) engine->drop_plans();
    engines().will_end = false;
}

} // namespace

Engine::Engine(topology::Graph& graph) : graph_(graph)
{
    const std::lock_guard lock(engines().mutex);
    if (!std::exchange(engines().will_end, true)) mpi::at_finalize(drop_all_plans);
    engines().all.insert(this);
}

Engine::~Engine()
{
    const std::lock_guard lock(engines().mutex);
    engines().all.erase(this);
}

void Engine::make_network()
{
    const auto& settings = *graph_.graph_info->settings;
    const auto from = [&](schedule::Large large) {
        const schedule::Machine machine = with_shared_memory(planner::machine_in(settings.tune.get()), large,
                                                             settings.layout);
        return static_cast<std::size_t>(faster_from(machine.node, *machine.node_large));
    };
    nodequeue::Limits limits{from(schedule::Large::single), from(schedule::Large::mpi)};
    // Prices that are built in know no caches; a trial has looked at those of this machine.
    const bool is_built_in = planner::machine_in(settings.tune.get()).node == schedule::Machine().node;
    if (is_built_in && graph_.node_channels && graph_.node_channels->two_copies_are_faster())
        limits.by_mpi = std::max(limits.by_mpi, nodequeue::by_mpi_where_caches_serve);
    if (graph_.node_channels && settings.layout.processes_a_core > 1)
        for (const auto& to : algorithm::EdgeBundles(graph_.graph_info->lists.targets))
            if (graph_.node_channels->lead_to(to.partner)) ++limits.partners;
    // Non-blocking calls that are verified may be abandoned, which MPI's messages alone can be.
    network_.emplace(graph_.private_comm.messages(), tags_.first(), tags_.number(), graph_.node_channels,
                     limits, !settings.verify);
    drop_plans();
}

const transport::Transports& Engine::transports(Way way, const Call& call, MPI_Comm user_comm)
{
    if (call.expected && call.expected->counts) return call.expected->by_wires;
    if (facts_of(way).on_node != OnNode::users_comm) return network().of(facts_of(way).on_node);
    if (detached_.empty()) detached_ = {transport::detached(user_comm)};
    return detached_;
}

std::shared_ptr<topology::Announcement> Engine::announcement_on(MPI_Comm user_comm)
{
    if (!announcement_)
        announcement_ = std::make_shared<topology::Announcement>(
            user_comm, graph_.graph_info->lists.rank == 0 ? topology::algorithms_of(MPI_INFO_NULL)
                                                          : topology::NamedAlgorithms());
    return announcement_;
}

void Engine::user_comm_freed()
{
    if (!mpi::which_mpi().is_open_mpi) return;
    // Otherwise MPI_Ialltoallw of Open MPI 4 and 5 may never end.  All processes have started theirs, and it
    // ends without anything else of theirs.
    runtime::wait_until([&] { return on_user_comm.load() == 0; });
}

[[gnu::hot]] Engine& engine_of(topology::Graph& graph)
{
    if (!graph.observer) graph.observer = std::make_unique<Engine>(graph);
    return static_cast<Engine&>(*graph.observer);
}

namespace {

/// One kind of what a communicator may have an engine for: `find` finds its graph.
template <auto find>
Engine* find_engine_by(MPI_Comm comm) noexcept
{
    using Last = mpi::LastFound<Engine, find>;
    const std::uint64_t changed = topology::changed_graphs();
    if (Engine* const engine = Last::of(comm, changed)) return engine;
    topology::Graph* const graph = find(comm);
    if (graph == nullptr || graph->verification_comm) return nullptr;
    try {
        const std::lock_guard lock(graph->mutex);
        return Last::keep(comm, changed, &engine_of(*graph));
    } catch (...) {
        return nullptr;
    }
}

} // namespace

[[gnu::hot]] Engine* find_engine(MPI_Comm comm, bool of_neighbors) noexcept
{
    return of_neighbors ? find_engine_by<topology::find_neighbors>(comm)
                        : find_engine_by<topology::find_graph>(comm);
}

int take_tag(topology::Graph& graph, Way way)
{
    std::optional<int> tag;
    Engine* const engine = [&] {
        const std::lock_guard lock(graph.mutex);
        return &engine_of(graph);
    }();
    // The operation that has the next tag is under way, and goes on while somebody waits.
    runtime::wait_until([&] {
        const std::lock_guard lock(graph.mutex);
        Tags& tags = engine->tags();
        if (tags.next_is_free()) tag = tags.take(facts_of(way).tag == TagOf::kept_turn);
        return tag.has_value();
    });
    return *tag;
}

} // namespace ortho::engine
