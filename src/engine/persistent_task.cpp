// SPDX-License-Identifier: BSD-3-Clause
// Persistent collectives on graphs.

#include "engine/persistent_task.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/index.hpp"
#include "engine/agreement.hpp"
#include "engine/comm_transports.hpp"
#include "engine/explain.hpp"
#include "engine/graph_task.hpp"
#include "engine/road.hpp"
#include "mpi/argument_copies.hpp"
#include "runtime/wait.hpp"

namespace ortho::engine {

namespace {

/// Can be started, and be run: two operations, of which one is under way at a time.  Each has a tag of its
/// own, so that nothing wrong is delivered where some processes start it and others run it.
class PersistentTask final : public GraphTask {
public:
    PersistentTask(std::shared_ptr<topology::Graph> graph, const Describe& describe, MPI_Info info)
        : GraphTask(std::move(graph))
    {
        AgreedWays agreed = agree_on_call(*graph_, describe, info);
        const Call& call = agreed.started.call;
        collective_ = call.collective;
        has_fields_ = call.bases_of_fields != nullptr;
        in_place_ = call.in_place;
        bases_ = bases_of(call);
        tag_ = agreed.tag;
        try {
            if (!graph_->verification_comm && !agreed.have_one_size)
                compare_with_neighbors(*graph_, call, tag_);
            bind(agreed);
        } catch (...) {
            const std::lock_guard lock(graph_->mutex);
            end_both();
            throw;
        }
    }
    ~PersistentTask() override
    {
        const std::lock_guard lock(graph_->mutex);
        end_both();
    }

    grid::Stencil unfilled(int field) const override
    {
        if (!has_fields_) return request::Task::unfilled(field);
        const std::vector<grid::Stencil>& all = started_.call.unfilled;
        base::require(field >= 0 && field < std::ssize(all), base::ErrorKind::arg, "field", "fields[", field,
                      "] is none of ", all.size(), " fields");
        return all[at(field)];
    }

    void rebind_fields(std::span<void* const> bases) override
    {
        if (!has_fields_) return request::Task::rebind_fields(bases);
        require_as_many(bases.size());
        for (std::size_t f = 0; f < bases.size(); ++f) require_same_kind(bases[f], bases_[f], "bases", f);
        bases_.assign(bases.begin(), bases.end());
    }

    std::vector<void*> bases_of_fields(std::span<const ORTHO_Field> fields) const override
    {
        if (!has_fields_) return request::Task::bases_of_fields(fields);
        require_as_many(fields.size());
        return started_.call.bases_of_fields(fields);
    }

    void rebind_buffers(const void* send, void* receive) override
    {
        if (has_fields_) fail_as_halo();
        Bases bases{const_cast<void*>(send), receive};
        if (collective_ == planner::Collective::bcast) {
            bases[0] = receive;
        } else {
            base::require((send == MPI_IN_PLACE) == in_place_, base::ErrorKind::buffer, "sendbuf",
                          "sendbuf is ", in_place_ ? "not " : "", "MPI_IN_PLACE, and was ",
                          in_place_ ? "" : "not ", "when the request was made");
            if (in_place_) bases[0] = receive;
        }
        base::require(receive != MPI_IN_PLACE, base::ErrorKind::buffer, "recvbuf", "recvbuf is MPI_IN_PLACE");
        for (std::size_t i = 0; i < 2; ++i)
            require_same_kind(bases[i], bases_[i], i == 0 ? "sendbuf" : "recvbuf");
        bases_ = std::move(bases);
    }

    bool takes_mpi() const override
    {
        return some_go_by_mpi_.load(std::memory_order_relaxed) || GraphTask::takes_mpi();
    }

    bool has_arrived(int slot) override
    {
        {
            const std::lock_guard lock(graph_->mutex);
            require_slot(slot, slots_);
            if (is_connecting_) return false;
        }
        return GraphTask::has_arrived(slot);
    }

private:
    void begin() override
    {
        make_current(started_);
        GraphTask::begin();
    }
    void begin_to_run() override
    {
        if (!run_.kept->operation) {
            begin_to_bind(run_);
            run_.transports.begin_to_connect(run_.stamp.tag);
            is_connecting_ = true;
            some_go_by_mpi_ = true;
        }
        ++run_.stamp.number;
        make_current(run_);
        if (is_connecting_)
            over_.store(false, std::memory_order_release);
        else
            GraphTask::begin();
    }
    bool go_on(runtime::Backoff& backoff) override
    {
        if (is_connecting_) {
            try {
                if (!run_.transports.are_connected()) return false;
            } catch (...) { // a process has failed
                if (!failure_) failure_ = std::current_exception();
                graph_->give_up();
                is_connecting_ = false;
                return true;
            }
            is_connecting_ = false;
            some_go_by_mpi_ = run_.transports.some_go_by_mpi() || started_.transports.some_go_by_mpi();
            start_current();
        }
        return GraphTask::go_on(backoff);
    }
    std::vector<int> waiting_for() override
    {
        return is_connecting_ ? run_.transports.unheard() : GraphTask::waiting_for();
    }

    void require_as_many(std::size_t fields) const
    {
        base::require(fields == bases_.size(), base::ErrorKind::arg, "nfields", "nfields = ", fields,
                      " of a halo exchange of ", bases_.size(), " fields");
    }
    /// A null pointer is an address where it was one before (MPI_BOTTOM, or there is no data), and nowhere
    /// else.
    static void require_same_kind(const void* base, const void* before, const char* argument,
                                  std::optional<std::size_t> index = {})
    {
        if ((base == nullptr && before != nullptr) || (base == MPI_IN_PLACE && index)) // texts take time
            base::fail(base::ErrorKind::buffer, argument, argument, index ? base::text("[", *index, "]") : "",
                       base == nullptr ? " is a null pointer" : " is MPI_IN_PLACE");
    }

    std::string text() const override
    {
        const BoundCall& started = started_.kept->bound;
        BoundCall run = run_.kept->bound;
        const std::string title = graph_->title();
        const planner::Plan& a = started.decision->plan;
        const planner::Plan& b = run.decision->plan;
        if (a.algorithm == b.algorithm && a.choice.groups == b.choice.groups)
            return explain(title, *started.decision, *started.binding, &b);
        OwnTransports to_run;
        if (!run.binding) {
            to_run = transports_of(run_);
            run = bound_to(run_, to_run);
        }
        return explain(title, *started.decision, *started.binding) + "and by ORTHO_Run\n" +
               explain(title, *run.decision, *run.binding);
    }

    /// One of the two operations, and what it takes to bind it to other buffers.
    struct OneWay {
        Way way = Way::started;
        Call call{};
        algorithm::CallSpecification specification{};
        std::unique_ptr<mpi::ArgumentCopies> copies{}; ///< what the call refers to
        OwnTransports transports{};
        /// Its arguments are the buffers; it has no operation before it is bound.
        std::unique_ptr<KeptOperation> kept{};
        KeptOperations earlier{}; ///< those that have had other buffers, and may get them again
        transport::Stamp stamp{};

        static std::uint64_t argument(const void* base) { return reinterpret_cast<std::uintptr_t>(base); }
    };

    void end_both()
    {
        started_ = {};
        run_ = {};
        Tags& tags = engine_of(*graph_).tags();
        for (int i = 0; i < 2; ++i) tags.give_back_persistent(tag_ + i);
    }

    /// The next start begins this way's operation, on the buffers that the user wants: the operation has them,
    /// or an earlier one had them, or a new one is bound.
    void make_current(OneWay& way)
    {
        const auto has_these = [&](const std::vector<std::uint64_t>& arguments) {
            return std::ranges::equal(arguments, bases_, {}, {}, &OneWay::argument);
        };
        if (!has_these(way.kept->arguments)) {
            auto next = way.earlier.take(way.kept->function, has_these);
            if (!next) {
                way.transports.bind_again();
                next = operation_of(way, bound_to(way, way.transports));
            }
            way.earlier.add(std::exchange(way.kept, std::move(next)));
        }
        current_ = way.kept.get();
        stamp_ = way.stamp;
    }

    /// Plans both ways, as all processes do.  The way that is run is bound when it is run first, unless all
    /// processes must bind it together.
    void bind(const AgreedWays& agreed)
    {
        plan(started_, agreed.started, tag_);
        plan(run_, agreed.run, tag_ + 1);
        bind(started_);
        if (by_wires(run_)) bind(run_);
        const std::lock_guard lock(graph_->mutex);
        set(*started_.kept, started_.call);
    }
    void plan(OneWay& way, const Agreed& agreed, int tag)
    {
        way.stamp.tag = tag;
        way.specification = agreed.specification;
        // The user may free what the arguments refer to.
        way.call = agreed.call;
        way.copies = std::make_unique<mpi::ArgumentCopies>();
        if (!way.call.lay)
            for (BufferBlocks* const blocks : {&way.call.send, &way.call.receive, &way.call.element})
                blocks->keep(*way.copies);
        decide(way);
    }
    void decide(OneWay& way)
    {
        const std::lock_guard lock(graph_->mutex);
        way.kept = std::make_unique<KeptOperation>();
        way.kept->bound.decision = engine_of(*graph_).context().decide(way.call, way.specification, way.way);
    }
    static bool by_wires(const OneWay& way) { return way.kept->bound.decision->plan.algorithm->by_wires; }

    /// For the first time, in a call that all processes are in.
    void bind(OneWay& way)
    {
        for (;;) {
            {
                const std::lock_guard lock(graph_->mutex);
                begin_to_bind(way);
            }
            if (!by_wires(way)) break;
            agree::Ballot ballot;
            const agree::AllTrue have_memory(ballot, way.transports.connect_wires(way.stamp.tag));
            graph_->hold(ballot);
            if (have_memory.holds()) break;
            way.specification.counts.reset();
            decide(way);
        }
        way.transports.begin_to_connect(way.stamp.tag);
        runtime::wait_until_on(graph_->private_comm.messages(),
                               [&] { return way.transports.are_connected(); });
        if (way.transports.some_go_by_mpi()) some_go_by_mpi_ = true;
    }
    /// To transports that lead nowhere yet.
    void begin_to_bind(OneWay& way)
    {
        Engine& engine = engine_of(*graph_);
        OwnTransports transports = transports_of(way);
        auto kept = operation_of(way, bound_to(way, transports));
        engine.context().print(kept->bound);
        // All of it or nothing: a bound operation is not bound again.
        way.kept = std::move(kept);
        way.transports = std::move(transports);
    }
    OwnTransports transports_of(const OneWay& way) const
    {
        const CommTransports& network = engine_of(*graph_).network();
        const auto wired = by_wires(way) ? graph_->graph_info->settings->layout.nodes : nullptr;
        if (facts_of(way.way).on_node == OnNode::own_channels) return network.run(wired);
        return network.started(way.specification.forwarding == algorithm::Forwarding::yes,
                               way.specification.large == schedule::Large::shared, wired);
    }

    /// With the buffers that the user wants.
    BoundCall bound_to(const OneWay& way, const OwnTransports& transports) const
    {
        return engine_of(*graph_).context().bind_again(way.call, way.specification, way.kept->bound, bases_,
                                                       transports.transports());
    }
    std::unique_ptr<KeptOperation> operation_of(const OneWay& way, BoundCall bound) const
    {
        auto kept = std::make_unique<KeptOperation>();
        std::ranges::transform(bases_, std::back_inserter(kept->arguments), &OneWay::argument);
        kept->operation = std::make_unique<Operation>(bound.binding, way.call.op);
        kept->bound = std::move(bound);
        return kept;
    }

    int tag_;
    OneWay started_{Way::started};
    OneWay run_{Way::run};
    planner::Collective collective_;
    bool has_fields_;
    bool in_place_;
    Bases bases_;                              // that the user wants
    bool is_connecting_ = false;               // the operation that is run
    std::atomic<bool> some_go_by_mpi_ = false; // whatever they are bound to
};

} // namespace

std::unique_ptr<request::Task> prepare(const std::shared_ptr<topology::Graph>& graph,
                                       const Describe& describe, MPI_Info info)
{
    return std::make_unique<PersistentTask>(graph, describe, info);
}

} // namespace ortho::engine
