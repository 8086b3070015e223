// SPDX-License-Identifier: BSD-3-Clause
// The engine keeps this with a communicator that carries a graph: its planner, and the operations of the
// calls that it has seen.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "call/buffer_blocks.hpp"
#include "call/edges.hpp"
#include "engine/binding.hpp"
#include "engine/comm_transports.hpp"
#include "engine/expected_sizes.hpp"
#include "engine/explain.hpp"
#include "engine/kept_operations.hpp"
#include "engine/tags.hpp"
#include "engine/ways.hpp"
#include "mpi/comm.hpp"
#include "mpiortho.h"
#include "planner/planner.hpp"
#include "runtime/stall_report.hpp"
#include "topology/agreed_settings.hpp"
#include "topology/graph.hpp"

namespace ortho::engine {

/// Tells the arguments of a call.
using ListArguments = std::function<void(ArgumentWriter&, const Edges&)>;

/// To be used under the graph's mutex.
class Context {
public:
    /// `network`: null before there is one.  `graph`: whose plans are printed where the environment wants
    /// that; null if none are.
    explicit Context(std::shared_ptr<const topology::GraphInfo> graph_info,
                     const CommTransports* network = nullptr, const topology::Graph* graph = nullptr);

    /// The description of the call for the planner, as far as it is known without asking other processes.  It
    /// is the same on all processes, but for `only_to_choose`, and for the sizes on a process whose arguments
    /// are wrong.
    algorithm::CallSpecification specification_of(const Call& call, Way way) const;
    /// Sets what follows from the way.  `have_promised`: all processes come by in started operations.
    void set_way(algorithm::CallSpecification& specification, Way way, bool have_promised) const;

    /// Finds the kept operation of a call with the same arguments, or points one of a similar call at the new
    /// buffers.  Null if there is none.  `list(reader, edges)`: tells the arguments.
    template <class List>
    [[gnu::hot]] std::unique_ptr<KeptOperation> find(Way way, const char* function, List list)
    {
        bool is_last = true;
        std::optional<FirstArguments> first;
        auto same = kept_.take(function, [&](const std::vector<std::uint64_t>& arguments) {
            // Calls that are equal follow one another, as a rule.  The arguments of others are not all read.
            if (!std::exchange(is_last, false)) {
                if (!first) list(first.emplace(), edges_);
                if (!first->begin(arguments)) return false;
            }
            ArgumentReader reader(arguments);
            list(reader, edges_);
            return reader.same();
        });
        if (same) return same;
        try {
            std::optional<NewBuffers> buffers;
            auto other = kept_.take_other(function, [&](KeptOperation& kept) {
                list(buffers.emplace(*kept.shape), edges_);
                return buffers->fit() && may_become(kept, buffers->send(), buffers->receive());
            });
            if (!other || !become(*other, way, buffers->send(), buffers->receive())) return nullptr;
            ArgumentWriter writer(std::move(other->arguments));
            list(writer, edges_);
            other->arguments = writer.take();
            return other;
        } catch (...) { // Whoever plans it anew has its tag by then, which must count on all processes.
            return nullptr;
        }
    }

    /// Finds the operation that an earlier blocking or non-blocking call with the same arguments left behind,
    /// or makes a new one.  `transports`: always the same for calls of this form.
    std::unique_ptr<KeptOperation> find_or_make(const Call& call, Way way, const ListArguments& list,
                                                const transport::Transports& transports);
    /// That call has ended well, and may come again.
    void keep(std::unique_ptr<KeptOperation> kept) noexcept
    {
        if (kept->bound.binding->temp_bytes() <= KeptOperations::most_temp_bytes) kept_.add(std::move(kept));
    }
    /// Operations of calls that may come again, and are not under way.
    KeptOperations& kept() { return kept_; }

    /// True if the kept operation can serve a call with these blocks.
    bool may_become(KeptOperation& kept, const BufferBlocks& send, const BufferBlocks& receive) const;
    /// Points the kept operation at other buffers.  This takes a tenth of the time of binding a new one.
    /// False if messages would go other ways: then the operation must be destroyed.
    bool become(KeptOperation& kept, Way way, const BufferBlocks& send, const BufferBlocks& receive);

    /// A call bound for itself alone.
    BoundCall make(const Call& call, const algorithm::CallSpecification& specification, Way way,
                   const transport::Transports& transports);

    /// The choice for a call, and its reasons.
    std::shared_ptr<Decision> decide(const Call& call, const algorithm::CallSpecification& specification,
                                     Way way);
    /// A call for which that is done, with buffers that begin here.
    BoundCall bind_again(const Call& call, const algorithm::CallSpecification& specification,
                         const BoundCall& bound, const Bases& bases, const transport::Transports& transports,
                         MPI_Datatype operand = MPI_DATATYPE_NULL) const;

    /// Says what was chosen, once, where the environment wants that.  make() does.
    void print(const BoundCall& bound);

    const planner::PlannerContext& planner_context() const { return planner_.context(); }
    /// Plans the call.  Throws base::Error (algorithm) if no algorithm that it is bound to can serve it.
    planner::Plan plan(const algorithm::CallSpecification& specification)
    {
        return planner_.plan(specification, specification.algorithms);
    }

private:
    /// May users be told of what is chosen?  It has a request to be asked by, or is printed.
    bool is_told(Way way) const
    {
        return !facts_of(way).caller_waits || facts_of(way).kept_with == KeptWith::request ||
               printed_of_ != nullptr;
    }

    /// The calls that the operation of this call, bound so, can serve; nothing if it can only repeat this
    /// one.
    std::optional<CallShape> shape_of(const Call& call, const Binding& binding) const;

    std::shared_ptr<const topology::GraphInfo> graph_info_;
    Edges edges_{*graph_info_};
    const CommTransports* network_;
    planner::Planner planner_;
    KeptOperations kept_;
    const topology::Graph* printed_of_; // null if plans are not printed
    std::set<std::string> printed_;
};

/// The data that the engine keeps with a graph.
class Engine final : public topology::Observer {
public:
    explicit Engine(topology::Graph& graph);
    ~Engine() override;

    /// Calls that are kept, datatypes among them, must be gone when MPI ends.
    void drop_plans()
    {
        ++drops_;
        context_.reset();
    }
    void graph_info_changed() override { drop_plans(); }
    void user_comm_freed() override;

    Context& context()
    {
        if (context_ && network_) [[likely]]
            return *context_;
        if (graph_.attached()) network();
        if (!context_) context_.emplace(graph_.graph_info, network_ ? &*network_ : nullptr, &graph_);
        return *context_;
    }

    /// The transports of an attached graph.
    CommTransports& network()
    {
        if (!network_) make_network();
        return *network_;
    }
    /// The transports of a blocking or non-blocking call.  `user_comm`: for a graph that is not attached.
    const transport::Transports& transports(Way way, const Call& call, MPI_Comm user_comm = MPI_COMM_NULL);
    /// For those calls: what rank 0 names.  The first one starts to send it.
    std::shared_ptr<topology::Announcement> announcement_on(MPI_Comm user_comm);
    /// Are they bound to no algorithm, as far as is known here?
    bool detached_are_free() const
    {
        return graph_.graph_info->settings || (announcement_ && announcement_->says_nothing());
    }

    Tags& tags() { return tags_; }
    /// How often plans have been dropped: nothing is kept of calls that were planned before.
    unsigned drops() const { return drops_; }
    topology::Graph& graph() const { return graph_; }

    /// Operations under way on the user's communicator itself.
    std::atomic<int> on_user_comm = 0;
    /// Only calls that block use them, and these come one after the other.
    ExpectedSizesOfKinds expected_sizes;

private:
    void make_network();

    topology::Graph& graph_;
    Tags tags_{graph_.private_comm.first_tag(), graph_.private_comm.last_tag()};
    std::optional<CommTransports> network_; // none before the graph is attached
    transport::Transports detached_;
    std::shared_ptr<topology::Announcement> announcement_; // null before the first of those calls
    std::optional<Context> context_;
    unsigned drops_ = 0;
};

/// The engine of a graph, made at first use.  Under the graph's mutex.
Engine& engine_of(topology::Graph& graph);

/// The engine of a communicator where calls are not verified, attached or not; null in doubt.  Quick.
/// `of_neighbors`: of topology::neighbors_of().
Engine* find_engine(MPI_Comm comm, bool of_neighbors = false) noexcept;

/// The next tag in turn, as soon as it is free.  A blocking call is over before that tag's turn comes
/// again, and need not give it back.  Not to be called under the mutex.
int take_tag(topology::Graph& graph, Way way);

} // namespace ortho::engine
