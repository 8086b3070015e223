// SPDX-License-Identifier: BSD-3-Clause
// Persistent collectives on graphs.

#include "engine/persistent_task.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <exception>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/index.hpp"
#include "engine/comm_transports.hpp"
#include "engine/explain.hpp"
#include "engine/graph_task.hpp"
#include "engine/measure.hpp"
#include "engine/run.hpp"
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
        agree::Ballot ballot;
        const agree::AllEqual tags = propose_tags(ballot, *graph_, 2);
        AgreedWays agreed = agree_on_call(ballot, *graph_, describe, info);
        const Call& call = agreed.started.call;
        collective_ = call.collective;
        has_fields_ = call.bases_of_fields != nullptr;
        in_place_ = call.in_place;
        bases_ = bases_of(call);
        tag_ = agree_on_tags(*graph_, 2, tags);
        try {
            if (agreed.started.specification.measure) {
                agreed.started.specification.measured = measure(*graph_, agreed.started.call,
                                                                agreed.started.specification, tag_);
                // Where all have promised to come by (info ortho_forward) the two are the same.
                agreed.run.specification.measured = agreed.started.specification.forwarding ==
                                                            algorithm::Forwarding::yes
                                                        ? agreed.started.specification.measured
                                                        : measure(*graph_, agreed.run.call,
                                                                  agreed.run.specification, tag_);
            }
            bind(agreed);
        } catch (...) {
            const std::lock_guard lock(graph_->mutex);
            give_back_tags();
            throw;
        }
    }
    ~PersistentTask() override
    {
        const std::lock_guard lock(graph_->mutex);
        other_ = {};
        rebinding_ = {};
        give_back_tags();
    }

    grid::Stencil unfilled(int field) const override
    {
        if (!has_fields_) return Task::unfilled(field);
        const std::vector<grid::Stencil>& all = rebinding_.call.unfilled;
        base::require(field >= 0 && field < std::ssize(all), base::ErrorKind::arg, "field", "field = ", field,
                      " is none of ", all.size(), " fields");
        return all[at(field)];
    }

    void rebind_fields(std::span<void* const> bases) override
    {
        if (!has_fields_) return Task::rebind_fields(bases);
        require_as_many(bases.size());
        for (std::size_t f = 0; f < bases.size(); ++f) require_same_kind(bases[f], bases_[f], "bases", f);
        bases_.assign(bases.begin(), bases.end());
    }

    std::vector<void*> bases_of_fields(std::span<const ORTHO_Field> fields) const override
    {
        if (!has_fields_) return Task::bases_of_fields(fields);
        require_as_many(fields.size());
        return rebinding_.call.bases_of_fields(fields);
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
        change_to(false);
        rebind_now();
        GraphTask::begin();
    }
    void begin_to_run() override
    {
        if (!other_.bound.binding) bind_to_run();
        change_to(true);
        rebind_now();
        ++stamp_.number;
        if (is_connecting_)
            over_.store(false, std::memory_order_release);
        else
            GraphTask::begin();
    }
    bool go_on(runtime::Backoff& backoff) override
    {
        if (is_connecting_) {
            try {
                if (!rebinding_.transports.are_connected()) return false;
            } catch (...) { // a process has failed
                if (!failure_) failure_ = std::current_exception();
                graph_->give_up();
                is_connecting_ = false;
                return true;
            }
            is_connecting_ = false;
            some_go_by_mpi_ = rebinding_.transports.some_go_by_mpi() ||
                              other_.rebinding.transports.some_go_by_mpi();
            operation_->start(stamp_);
        }
        return GraphTask::go_on(backoff);
    }
    std::vector<int> waiting_for() override
    {
        return is_connecting_ ? rebinding_.transports.unheard() : GraphTask::waiting_for();
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
        if (base == nullptr && before != nullptr) // texts take time
            base::fail(base::ErrorKind::buffer, argument, argument, index ? base::text("[", *index, "]") : "",
                       " is a null pointer");
    }

    std::string text() const override
    {
        const Bound& started = runs_now_ ? other_.bound : bound_;
        Bound run = runs_now_ ? bound_ : other_.bound;
        const std::string title = graph_->title();
        const planner::Plan& a = started.decision->plan;
        const planner::Plan& b = run.decision->plan;
        if (a.algorithm == b.algorithm && a.choice.groups == b.choice.groups)
            return explain(title, *started.decision, op_, *started.binding, &b);
        OwnTransports to_run;
        if (!run.binding) run = bound_to_run(to_run);
        return explain(title, *started.decision, op_, *started.binding) + "and by ORTHO_Run\n" +
               explain(title, *run.decision, op_, *run.binding);
    }

    /// An operation that has had other buffers, and may get them again.
    struct Earlier {
        Bases bases;
        Bound bound;
        std::unique_ptr<Operation> operation;
    };
    static constexpr std::size_t most_kept = 32;
    static constexpr std::size_t most_kept_bytes = std::size_t{64} << 20; ///< of temporary space

    /// What it takes to bind an operation to other buffers.
    struct Rebinding {
        Call call;
        algorithm::CallSpecification specification;
        std::unique_ptr<mpi::Kept> kept; ///< what the call refers to
        OwnTransports transports;
        Bases bases;                ///< that it is bound to
        std::list<Earlier> earlier; ///< most recently used first
    };

    /// One of the two operations, with what it refers to.
    struct Way {
        Bound bound;
        std::unique_ptr<Operation> operation;
        transport::Stamp stamp;
        Rebinding rebinding;
    };

    void give_back_tags()
    {
        Tags& tags = engine_of(*graph_).tags();
        for (int i = 0; i < 2; ++i) tags.give_back_persistent(tag_ + i);
    }

    /// The current operation is the one that is run, or the one that is started.
    void change_to(bool runs)
    {
        if (runs == runs_now_) return;
        std::swap(bound_, other_.bound);
        std::swap(operation_, other_.operation);
        std::swap(stamp_, other_.stamp);
        std::swap(rebinding_, other_.rebinding);
        runs_now_ = runs;
    }

    /// The current operation gets the buffers that the user wants: those that it has, those of before, or new
    /// ones.
    void rebind_now()
    {
        auto& [call, specification, kept, transports, bases, earlier] = rebinding_;
        if (bases == bases_) return;
        const auto known = std::ranges::find(earlier, bases_, &Earlier::bases);
        Earlier next{bases_, {}, nullptr};
        if (known != earlier.end()) {
            next = std::move(*known);
            earlier.erase(known);
        } else {
            transports.bind_again();
            next.bound = engine_of(*graph_).context().bind_again(call, specification, bound_, bases_,
                                                                 transports.transports());
            next.operation = std::make_unique<Operation>(next.bound.binding, call.op);
        }
        earlier.push_front({std::move(bases), std::move(bound_), std::move(operation_)});
        bases = std::move(next.bases);
        bound_ = std::move(next.bound);
        operation_ = std::move(next.operation);
        std::size_t bytes = 0;
        for (const Earlier& one : earlier) bytes += one.bound.binding->temp_bytes();
        while (earlier.size() > 1 && (earlier.size() > most_kept || bytes > most_kept_bytes)) {
            bytes -= earlier.back().bound.binding->temp_bytes();
            earlier.pop_back();
        }
    }

    /// Both are planned now, which all processes do alike.  The one that is run is bound when it first is.
    void bind(AgreedWays& agreed)
    {
        const algorithm::CallSpecification& specification = agreed.started.specification;
        const bool comes_by = specification.forwarding == algorithm::Forwarding::yes;
        const bool any_size = specification.large == schedule::Large::shared;
        Bound started;
        {
            const std::lock_guard lock(graph_->mutex);
            Engine& engine = engine_of(*graph_);
            rebinding_.transports = engine.network().started(comes_by, any_size);
            started = engine.context().make(agreed.started.call, specification, Form::persistent,
                                            rebinding_.transports.transports());
            other_.bound.decision = engine.context().decide(agreed.run.call, agreed.run.specification,
                                                            Form::persistent);
        }
        rebinding_.transports.begin_to_connect(tag_);
        runtime::wait_until_on(graph_->private_comm.messages(),
                               [&] { return rebinding_.transports.are_connected(); });
        some_go_by_mpi_ = rebinding_.transports.some_go_by_mpi();
        keep(rebinding_, agreed.started);
        keep(other_.rebinding, agreed.run);
        const std::lock_guard lock(graph_->mutex);
        set(std::move(started), agreed.started.call);
        stamp_.tag = tag_;
        other_.stamp.tag = tag_ + 1;
    }
    static void keep(Rebinding& rebinding, const Agreed& agreed)
    {
        rebinding.bases = bases_of(agreed.call);
        rebinding.specification = agreed.specification;
        // The user may free what the arguments refer to.
        rebinding.call = agreed.call;
        rebinding.call.alternative = nullptr;
        rebinding.kept = std::make_unique<mpi::Kept>();
        if (!rebinding.call.lay)
            for (Blocks* const blocks :
                 {&rebinding.call.send, &rebinding.call.receive, &rebinding.call.element})
                blocks->keep(*rebinding.kept);
    }

    /// The operation that is run, which has not been bound yet, with the buffers that the user wants.
    Bound bound_to_run(OwnTransports& transports) const
    {
        Engine& engine = engine_of(*graph_);
        transports = engine.network().run();
        const auto& [call, specification, kept, unused, bases, earlier] = other_.rebinding;
        return engine.context().bind_again(call, specification, other_.bound, bases_,
                                           transports.transports());
    }
    void bind_to_run()
    {
        Rebinding& rebinding = other_.rebinding;
        OwnTransports transports;
        Bound bound = bound_to_run(transports);
        auto operation = std::make_unique<Operation>(bound.binding, rebinding.call.op);
        engine_of(*graph_).context().print(rebinding.call, bound);
        transports.begin_to_connect(other_.stamp.tag);
        // All of it or nothing: a bound operation is not bound again.
        other_.bound = std::move(bound);
        other_.operation = std::move(operation);
        rebinding.transports = std::move(transports);
        rebinding.bases = bases_;
        is_connecting_ = true;
        some_go_by_mpi_ = true;
    }

    int tag_;
    Rebinding rebinding_; // of the current operation
    Way other_;           // the operation that is not current
    planner::Collective collective_;
    bool has_fields_;
    bool in_place_;
    Bases bases_; // that the user wants
    bool runs_now_ = false;
    bool is_connecting_ = false;               // the operation that is run
    std::atomic<bool> some_go_by_mpi_ = false; // whatever they are bound to
};

} // namespace

std::unique_ptr<Task> prepare(const std::shared_ptr<topology::Graph>& graph, const Describe& describe,
                              MPI_Info info)
{
    return std::make_unique<PersistentTask>(graph, describe, info);
}

} // namespace ortho::engine
