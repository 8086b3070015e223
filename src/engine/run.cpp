// SPDX-License-Identifier: BSD-3-Clause
// Running collectives on graphs: the three forms of a call.

#include "engine/run.hpp"

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "engine/measure.hpp"
#include "engine/operation.hpp"
#include "engine/persistent.hpp"
#include "engine/verify.hpp"
#include "mpi/exchange.hpp"
#include "mpi/operator.hpp"
#include "mpi/quiet.hpp"
#include "mpi/wait.hpp"
#include "planner/registry.hpp"
#include "topology/settings.hpp"
#include "transport/misfits.hpp"
#include "transport/network.hpp"

namespace ortho::engine {

namespace {

using Lock = std::unique_lock<std::recursive_mutex>;

/// What non-blocking and persistent operations on a graph have in common.
class GraphTask : public Task {
public:
    explicit GraphTask(std::shared_ptr<topology::Graph> graph) : graph_(std::move(graph)) {}
    ~GraphTask() override
    {
        const Lock lock(graph_->mutex);
        // The binding may be kept for the next call: give it back under the lock.
        operation_.reset();
        bound_ = {};
    }

    void start() override
    {
        const Lock lock(graph_->mutex);
        operation_->start(stamp_);
        over_.store(false, std::memory_order_release);
    }

    bool advance(bool eager, mpi::Backoff& backoff) override
    {
        if (over_.load(std::memory_order_acquire)) return true;
        Lock lock(graph_->mutex, std::defer_lock);
        if (eager)
            lock.lock();
        else if (!lock.try_lock())
            return false;
        if (!over_.load() && go_on(backoff)) {
            end();
            over_.store(true, std::memory_order_release);
        }
        return over_.load();
    }

    void rethrow() const override
    {
        if (failure_) std::rethrow_exception(failure_);
        if (operation_) operation_->rethrow();
    }

    bool has_arrived(int slot) override
    {
        const Lock lock(graph_->mutex);
        base::require(slot >= 0 && slot < slots_, base::ErrorKind::arg, "inneighbor", "inneighbor = ", slot,
                      " is none of ", slots_, " in-neighbors");
        if (over_.load() || graph_->facts->lists.sources[static_cast<std::size_t>(slot)] == grid::gap)
            return true;
        // Where in-neighbors have no blocks of their own, the whole will do.
        if (!operation_ || as_a_whole_ || bound_.binding->receive_slots() != slots_) return false;
        return operation_->has_arrived(slot);
    }

    std::string explanation() const override
    {
        const Lock lock(graph_->mutex);
        return explain(graph_->title(), *bound_.decision, op_, *bound_.binding);
    }

    mpi::Waiting waiting() override
    {
        const Lock lock(graph_->mutex);
        return waiting_on(*graph_, function_, waiting_for());
    }

    MPI_Comm error_comm() const noexcept override { return graph_->error_comm(); }

protected:
    /// Under the lock: go on; true once over.
    virtual bool go_on(mpi::Backoff& backoff) { return operation_->advance(backoff); }
    /// Under the lock: it is over.
    virtual void end() {}
    /// Under the lock: who keeps it from going on.
    virtual std::vector<int> waiting_for() { return operation_->waiting_for(); }

    /// Under the lock: the call is bound.
    void set(Bound bound, const Call& call, int tag)
    {
        slots_ = static_cast<int>(graph_->facts->lists.sources.size());
        as_a_whole_ = call.op != MPI_OP_NULL || call.halo;
        function_ = call.function;
        op_ = mpi::words_of(call.op);
        bound_ = std::move(bound);
        operation_.emplace(bound_.binding, call.op);
        stamp_.tag = tag;
    }

    std::shared_ptr<topology::Graph> graph_;
    Bound bound_;
    std::optional<Operation> operation_;
    transport::Stamp stamp_;
    std::exception_ptr failure_; ///< what was found wrong when it was over
    int slots_ = 0;              ///< in-neighbors
    bool as_a_whole_ = false;    ///< its receive blocks are none of in-neighbors
    const char* function_ = "";
    std::string_view op_; ///< in words
    std::atomic<bool> over_{true};
};

/// The tag of a non-blocking operation, until it is over.
class HeldTag {
public:
    explicit HeldTag(std::shared_ptr<topology::Graph> graph)
        : graph_(std::move(graph)),
          number_(take_tag(*graph_, Form::nonblocking))
    {}
    HeldTag(HeldTag&& other) noexcept
        : graph_(std::move(other.graph_)),
          number_(std::exchange(other.number_, 0))
    {}
    HeldTag& operator=(HeldTag&&) = delete;
    ~HeldTag() { give_back(); }

    int number() const { return number_; }
    /// Once only: another operation may have it by now.
    void give_back()
    {
        if (number_ == 0) return;
        const Lock lock(graph_->mutex);
        engine_of(*graph_).tags().give_back(std::exchange(number_, 0));
    }

private:
    std::shared_ptr<topology::Graph> graph_;
    int number_;
};

class NonblockingTask final : public GraphTask {
public:
    NonblockingTask(std::shared_ptr<topology::Graph> graph, const Call& call, HeldTag& tag)
        : GraphTask(std::move(graph))
    {
        const Lock lock(graph_->mutex);
        Engine& engine = engine_of(*graph_);
        set(engine.context().bind(call, Form::nonblocking, engine.network().nonblocking()), call, tag.number());
        // What forwards cannot be abandoned: others count on it.
        if (graph_->checks && !bound_.decision->plan.algorithm->forwards) {
            statement_.emplace(graph_->facts, call);
            statement_->begins(*bound_.binding);
        }
        tag_.emplace(std::move(tag)); // its caller's, until nothing can fail any more
    }

    void start() override
    {
        const Lock lock(graph_->mutex);
        if (statement_) verification_.emplace(*graph_, *statement_);
        GraphTask::start();
    }

private:
    bool go_on(mpi::Backoff& backoff) override
    {
        if (verification_) {
            if (!verification_->advance()) return false;
            if (verification_->finding()) {
                failure_ = std::make_exception_ptr(*verification_->finding());
                operation_->abandon(verification_->misfits());
            }
            verification_.reset();
        }
        return GraphTask::go_on(backoff);
    }
    std::vector<int> waiting_for() override
    {
        return verification_ ? verification_->waiting_for() : GraphTask::waiting_for();
    }
    void end() override { tag_->give_back(); }

    std::optional<HeldTag> tag_;
    std::optional<Statement> statement_; // only where calls are verified
    std::optional<Verification> verification_;
};

/// A non-blocking call that this process may not make, where calls are verified: tells its neighbors why, and
/// takes in what they send.
class RefusedTask final : public Task {
public:
    RefusedTask(std::shared_ptr<topology::Graph> graph, const char* function, const base::Error& refusal,
                HeldTag tag)
        : graph_(std::move(graph)),
          function_(function),
          tag_(std::move(tag))
    {
        const Lock lock(graph_->mutex);
        Statement statement(graph_->facts, function, refusal);
        statement.begins_with_nothing();
        verification_.emplace(*graph_, statement);
    }

    void start() override {} // it has been

    bool advance(bool eager, mpi::Backoff&) override
    {
        Lock lock(graph_->mutex, std::defer_lock);
        if (eager)
            lock.lock();
        else if (!lock.try_lock())
            return false;
        if (verification_) {
            if (!verification_->advance()) return false;
            misfits_ = verification_->misfits();
            verification_.reset();
        }
        if (!transport::take_in(graph_->channel.get(), tag_.number(), misfits_)) return false;
        tag_.give_back();
        return true;
    }

    void rethrow() const override {} // its caller has been told
    bool has_arrived(int) override { return true; }
    std::string explanation() const override { return {}; }
    mpi::Waiting waiting() override
    {
        const Lock lock(graph_->mutex);
        return waiting_on(*graph_, function_,
                          verification_ ? verification_->waiting_for() : std::vector<int>());
    }
    MPI_Comm error_comm() const noexcept override { return graph_->error_comm(); }

private:
    std::shared_ptr<topology::Graph> graph_;
    const char* function_;
    HeldTag tag_;
    std::optional<Verification> verification_;
    std::vector<transport::Misfit> misfits_; // all neighbors
};

/// May some process forward in a non-blocking call, which is not verified then?  `call`: if it is known.
bool is_bound_to_forward(topology::Graph& graph, const std::optional<Call>& call)
{
    const std::vector<std::string>& names = graph.facts->settings->algorithms;
    return std::ranges::any_of(planner::registry(), [&](const planner::Algorithm& algorithm) {
        return algorithm.forwards && (!call || call->collective == algorithm.collective) &&
               std::ranges::find(names, algorithm.name) != names.end();
    });
}

/// A non-blocking call on a communicator of MPI's making that nobody has attached yet.  To make a channel
/// would take several steps, and a process may be away in MPI_Recv between any two of them: so the
/// messages go by a collective of MPI's, which goes on by itself.
class DetachedTask final : public GraphTask {
public:
    DetachedTask(MPI_Comm users, std::shared_ptr<topology::Graph> graph, const Call& call)
        : GraphTask(std::move(graph)),
          call_(call)
    {
        const Lock lock(graph_->mutex);
        Engine& engine = engine_of(*graph_);
        set(engine.context().bind(call, Form::detached, engine.detached_transports(users)), call, 0);
        if (!graph_->facts->settings)
            announcement_.emplace(
                users, graph_->facts->lists.rank == 0 ? topology::algorithms_of(MPI_INFO_NULL) : "");
        call_.send = call_.receive = {}; // views of what the user may free
        ++engine.on_users;
    }
    ~DetachedTask() override { leave_users(); }

private:
    bool go_on(mpi::Backoff& backoff) override
    {
        const mpi::QuietRequests quiet(mpi::QuietRequests::Of::collectives);
        if (announcement_ && !announcement_->advance()) return false;
        return GraphTask::go_on(backoff);
    }
    void end() override
    {
        leave_users();
        // Only now it is known what the call was bound to.
        if (!announcement_) return;
        try {
            auto facts = std::make_shared<topology::Facts>(*graph_->facts);
            facts->settings = topology::make_settings(announcement_->list(), {});
            Context context(std::move(facts));
            context.plan(call_, context.terms_of(call_, Form::detached));
        } catch (...) {
            failure_ = std::current_exception();
        }
    }

    /// Once: when it is over, or has never begun.
    void leave_users()
    {
        const Lock lock(graph_->mutex);
        if (on_users_) --engine_of(*graph_).on_users;
        on_users_ = false;
    }

    Call call_;
    bool on_users_ = true;
    std::optional<topology::Announcement> announcement_;
};

/// Can be started, and be run: two operations, of which one is under way at a time.  Each has a tag of its
/// own, so that nothing wrong is delivered where some processes start it and others run it.
class PersistentTask final : public GraphTask {
public:
    PersistentTask(std::shared_ptr<topology::Graph> graph, const Describe& describe, MPI_Info info)
        : GraphTask(std::move(graph))
    {
        AgreedWays agreed = agree_on_call(*graph_, describe, info);
        tag_ = agree_on_tags(*graph_, 2);
        try {
            if (std::ranges::find(agreed.started.terms.algorithms, planner::measure) !=
                agreed.started.terms.algorithms.end()) {
                agreed.started.terms.measured = measure(*graph_, agreed.started.call, agreed.started.terms,
                                                        tag_);
                // Where all have promised to come by (info ortho_forward) the two are the same.
                agreed.run.terms.measured = agreed.started.terms.forwarding == planner::Forwarding::yes
                                                ? agreed.started.terms.measured
                                                : measure(*graph_, agreed.run.call, agreed.run.terms, tag_);
            }
            bind(agreed);
        } catch (...) {
            give_back_tags();
            throw;
        }
    }
    ~PersistentTask() override
    {
        const Lock lock(graph_->mutex);
        other_ = {};
        give_back_tags();
    }

    void start() override
    {
        const Lock lock(graph_->mutex);
        change_to(false);
        GraphTask::start();
    }
    void start_to_run() override
    {
        const Lock lock(graph_->mutex);
        change_to(true);
        ++stamp_.number;
        GraphTask::start();
    }

    std::string explanation() const override
    {
        const Lock lock(graph_->mutex);
        const Bound& started = runs_now_ ? other_.bound : bound_;
        const Bound& run = runs_now_ ? bound_ : other_.bound;
        const std::string title = graph_->title();
        const std::string text = explain(title, *started.decision, op_, *started.binding);
        const planner::Plan& a = started.decision->plan;
        const planner::Plan& b = run.decision->plan;
        if (a.algorithm == b.algorithm && a.choice.groups == b.choice.groups)
            return text + "  ORTHO_Run does the same\n";
        return text + "and by ORTHO_Run\n" + explain(title, *run.decision, op_, *run.binding);
    }

private:
    /// One of the two operations, with what it refers to.
    struct Way {
        Bound bound;
        std::optional<Operation> operation;
        transport::Stamp stamp;
    };

    void give_back_tags()
    {
        const Lock lock(graph_->mutex);
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
        runs_now_ = runs;
    }

    void bind(AgreedWays& agreed)
    {
        const bool comes_by = agreed.started.terms.forwarding == planner::Forwarding::yes;
        Bound started = make(agreed.started, tag_, [=](const transport::Network& network) {
            return network.started(comes_by);
        });
        other_.bound = make(agreed.run, tag_ + 1,
                            [](const transport::Network& network) { return network.run(); });
        const Lock lock(graph_->mutex);
        other_.operation.emplace(other_.bound.binding, agreed.run.call.op);
        other_.stamp.tag = tag_ + 1;
        set(std::move(started), agreed.started.call, tag_);
    }
    template <class Choose>
    Bound make(const Agreed& agreed, int tag, Choose choose)
    {
        Bound bound;
        transport::OwnTransports own;
        {
            const Lock lock(graph_->mutex);
            Engine& engine = engine_of(*graph_);
            own = choose(engine.network());
            bound = engine.context().make(agreed.call, agreed.terms, own.transports());
        }
        own.connect(tag);
        return bound;
    }

    int tag_;
    Way other_; // the operation that is not current
    bool runs_now_ = false;
};

} // namespace

bool share_memory(topology::Graph& graph)
{
    {
        const Lock lock(graph.mutex);
        const transport::Network& network = engine_of(graph).network();
        if (network.has_agreed()) return network.all_here();
    }
    auto memory = transport::Network::agree_on_memory(graph.channel.get(),
                                                      graph.facts->settings->layout.nodes.get());
    const Lock lock(graph.mutex);
    Engine& engine = engine_of(graph);
    engine.share_memory(std::move(memory));
    return engine.network().all_here();
}

void run(const std::shared_ptr<topology::Graph>& graph, const Call& call)
{
    // That takes as long as a small message through shared memory: only where MPI completes something.
    std::optional<mpi::QuietRequests> quiet;
    if (mpi::Outstanding::any()) quiet.emplace();
    share_memory(*graph);
    const int tag = take_tag(*graph, Form::blocking);
    std::optional<Operation> operation;
    Lock lock(graph->mutex);
    {
        Engine& engine = engine_of(*graph);
        const transport::Stamp stamp = engine.network().next_blocking(tag);
        Bound bound = engine.context().bind(call, Form::blocking, engine.network().blocking());
        if (bound.binding->takes_mpi() && !quiet) quiet.emplace();
        operation.emplace(std::move(bound.binding), call.op);
        operation->start(stamp);
    }
    // Not under the lock for long: other threads may wait for operations on this communicator.
    lock.unlock();
    mpi::wait_until(
        [&](mpi::Backoff& backoff) {
            const Lock again(graph->mutex);
            return operation->advance(backoff);
        },
        [&](const mpi::StallWatch& watch) {
            const Lock again(graph->mutex);
            watch.report(nullptr, waiting_on(*graph, call.function, operation->waiting_for()));
        });
    operation->rethrow();
    lock.lock();
    operation.reset(); // gives the binding back
}

std::unique_ptr<Task> start(MPI_Comm users, const std::shared_ptr<topology::Graph>& graph,
                            const char* function, const Describe& describe)
{
    std::unique_ptr<Task> task;
    // The same on all processes: only calls that are collective, and wait, attach.
    if (!graph->attached()) {
        task = std::make_unique<DetachedTask>(users, graph, describe());
        task->start();
        return task;
    }
    std::optional<Call> call;
    std::optional<HeldTag> tag;
    try {
        call = describe();
        // Now: it must count on all processes, whatever comes.
        tag.emplace(graph);
        task = std::make_unique<NonblockingTask>(graph, *call, *tag);
    } catch (...) {
        if (graph->checks && !is_bound_to_forward(*graph, call)) {
            if (!tag) tag.emplace(graph);
            mpi::Outstanding::adopt(
                std::make_unique<RefusedTask>(graph, function, refusal_in_words(), std::move(*tag)));
        }
        throw;
    }
    task->start();
    return task;
}

std::unique_ptr<Task> prepare(const std::shared_ptr<topology::Graph>& graph, const Describe& describe,
                              MPI_Info info)
{
    share_memory(*graph);
    return std::make_unique<PersistentTask>(graph, describe, info);
}

} // namespace ortho::engine
