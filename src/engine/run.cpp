// SPDX-License-Identifier: BSD-3-Clause
// Running collectives on graphs: the three forms of a call.

#include "engine/run.hpp"

#include <mutex>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "engine/operation.hpp"
#include "engine/persistent.hpp"
#include "mpi/quiet.hpp"
#include "mpi/wait.hpp"

namespace ortho::engine {

namespace {

using Lock = std::unique_lock<std::recursive_mutex>;

/// What non-blocking and persistent operations on a graph have in common.
class GraphTask : public Task {
public:
    explicit GraphTask(std::shared_ptr<topology::Graph> graph) : graph_(std::move(graph)) {}

    bool advance(bool eager) override
    {
        if (over_.load(std::memory_order_acquire)) return true;
        Lock lock(graph_->mutex, std::defer_lock);
        if (eager)
            lock.lock();
        else if (!lock.try_lock())
            return false;
        if (!over_.load() && go_on()) {
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
        if (over_.load()) return true;
        if (!operation_ || reduces_) return false;
        return operation_->has_arrived(slot);
    }

    std::string explanation() const override
    {
        const Lock lock(graph_->mutex);
        if (!bound_.decision) return "mpiortho: nothing is chosen yet: the communicator is being attached\n";
        return explain(*bound_.decision, *bound_.binding);
    }

    MPI_Comm error_comm() const override
    {
        const Lock lock(graph_->mutex);
        return graph_->users != MPI_COMM_NULL ? graph_->users : graph_->channel.get();
    }

    bool needs_us() const override { return true; }

protected:
    /// Under the lock: go on; true once over.
    virtual bool go_on() { return operation_->advance(); }
    /// Under the lock: it is over.
    virtual void end() {}

    /// Under the lock.
    void bound(Bound call, int tag, MPI_Op op)
    {
        bound_ = std::move(call);
        operation_.emplace(bound_.binding, graph_->channel.get(), tag, op);
    }

    std::shared_ptr<topology::Graph> graph_;
    Bound bound_;
    std::optional<Operation> operation_;
    std::exception_ptr failure_; ///< what kept the operation from starting
    int slots_ = 0;              ///< in-neighbors
    bool reduces_ = false;
    std::atomic<bool> over_{true};
};

/// The next tag in turn, as soon as it is free.  Not to be called under the mutex.
int take_tag(topology::Graph& graph, const Tags::Drive& drive)
{
    for (;;) {
        Tags::Drive oldest;
        {
            const Lock lock(graph.mutex);
            Tags& tags = engine_of(graph).tags();
            oldest = tags.holder_of_next();
            if (!oldest) return tags.take(drive);
        }
        mpi::wait_until(oldest);
    }
}

class NonblockingTask final : public GraphTask {
public:
    NonblockingTask(std::shared_ptr<topology::Graph> graph, const Call& call)
        : GraphTask(std::move(graph)), call_(call)
    {
        slots_ = static_cast<int>(graph_->facts->lists.sources.size());
        reduces_ = call.op != MPI_OP_NULL;
    }
    ~NonblockingTask() override
    {
        const Lock lock(graph_->mutex);
        end();
        // The binding may be kept for the next call: give it back under the lock.
        operation_.reset();
        bound_ = {};
    }

    void start() override
    {
        // The tag first: it must count on all processes, whatever comes.
        tag_ = take_tag(*graph_, [this] { return advance(true); });
        const Lock lock(graph_->mutex);
        over_.store(false, std::memory_order_release);
        if (graph_->attached()) {
            begin();
            return;
        }
        // The user's arrays and datatypes may be gone when the time comes.
        call_.send = call_.send.kept();
        call_.receive = call_.receive.kept();
        waits_ = true;
    }

private:
    void begin()
    {
        bound(engine_of(*graph_).context().bind(call_, Form::nonblocking), tag_, call_.op);
        operation_->start();
        call_ = {.collective = call_.collective, .send = {}, .receive = {}}; // the user's arrays go
    }

    bool go_on() override
    {
        if (waits_) {
            try {
                if (!topology::advance_attachment(*graph_)) return false;
                waits_ = false;
                begin();
            } catch (...) {
                failure_ = std::current_exception();
                return true;
            }
        }
        return GraphTask::go_on();
    }

    void end() override
    {
        // Once only: another operation may have the tag by now.
        if (tag_ != 0) engine_of(*graph_).tags().give_back(tag_);
        tag_ = 0;
    }

    Call call_;
    int tag_ = 0;
    bool waits_ = false; // for the graph to be attached
};

class PersistentTask final : public GraphTask {
public:
    PersistentTask(std::shared_ptr<topology::Graph> graph, const Describe& describe, MPI_Info info)
        : GraphTask(std::move(graph))
    {
        const auto [call, terms] = agree_on_call(*graph_, describe, info);
        tag_ = agree_on_tag(*graph_);
        const Lock lock(graph_->mutex);
        try {
            slots_ = static_cast<int>(graph_->facts->lists.sources.size());
            reduces_ = call.op != MPI_OP_NULL;
            bound(engine_of(*graph_).context().make(call, terms), tag_, call.op);
        } catch (...) {
            engine_of(*graph_).tags().give_back_persistent(tag_);
            throw;
        }
    }
    ~PersistentTask() override
    {
        const Lock lock(graph_->mutex);
        engine_of(*graph_).tags().give_back_persistent(tag_);
    }

    void start() override
    {
        const Lock lock(graph_->mutex);
        operation_->start();
        over_.store(false, std::memory_order_release);
    }

private:
    int tag_;
};

} // namespace

void run(const std::shared_ptr<topology::Graph>& graph, const Call& call)
{
    const mpi::QuietRequests quiet;
    const int tag = take_tag(*graph, {});
    std::optional<Operation> operation;
    Lock lock(graph->mutex);
    {
        Bound bound = engine_of(*graph).context().bind(call, Form::blocking);
        operation.emplace(std::move(bound.binding), graph->channel.get(), tag, call.op);
    }
    operation->start();
    // Not under the lock for long: other threads may wait for operations on this communicator.
    lock.unlock();
    mpi::wait_until([&] {
        const Lock again(graph->mutex);
        return operation->advance();
    });
    operation->rethrow();
    lock.lock();
    operation.reset(); // gives the binding back
}

std::unique_ptr<Task> start(const std::shared_ptr<topology::Graph>& graph, const Call& call)
{
    auto task = std::make_unique<NonblockingTask>(graph, call);
    task->start();
    return task;
}

std::unique_ptr<Task> prepare(const std::shared_ptr<topology::Graph>& graph, const Describe& describe, MPI_Info info)
{
    return std::make_unique<PersistentTask>(graph, describe, info);
}

} // namespace ortho::engine
