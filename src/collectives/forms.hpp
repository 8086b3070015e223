// SPDX-License-Identifier: BSD-3-Clause
// The three forms of a collective.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "collectives/arguments.hpp"
#include "collectives/dense.hpp"
#include "collectives/kept.hpp"
#include "engine/native_task.hpp"
#include "engine/persistent_task.hpp"
#include "engine/replay.hpp"
#include "engine/request.hpp"
#include "engine/run.hpp"
#include "mpi/comm.hpp"
#include "mpi/error.hpp"
#include "mpiortho.h"
#include "topology/graph.hpp"
#include "verify/start.hpp"
#include "verify/verify.hpp"

/// What a collective is made of: a struct of the arguments of its blocking form, `comm` among them,
/// with these members, from which blocking(), nonblocking() and persistent() make its three forms:
///
///     engine::Call describe(const Arguments&) const;   on a graph: check the arguments, describe the call
///     int run() const;                                 MPI's blocking call; may throw
///     int post(MPI_Request*) const;                    MPI's non-blocking call
///     int prepare(MPI_Info, MPI_Request*) const;       MPI's persistent call, where there is one
///     void keep(Kept&);                                copies of arrays and datatypes for the latter two
///     void finish() const;                             what is left to do when they are over
///
/// where calls are told apart by their arguments, so that one that comes again takes a short way,
///
///     template <class Each>
///     void list(Each& each, std::size_t in, std::size_t out) const;   all arguments, on a graph of so many edges
///
/// and, where it may be another one in disguise,
///
///     std::shared_ptr<engine::Call> alternative(const topology::Graph&, const engine::Call&) const;
///                                                      of a persistent call on a graph:
///                                                      engine::Call::alternative
///
///     bool may_be_dense() const;                       on a full communicator: it may run on the complete graph, if
///                                                      the processes share memory
///     bool is_faster_by_mpi(const schedule::Layout&) const;   but better does not; the same on all processes
///
/// ORTHO_ON_MPI writes run, post and prepare for collectives that MPI has; ORTHO_ON_MPI_BUT_PERSISTENT the
/// former two.
#define ORTHO_ON_MPI_BUT_PERSISTENT(blocking, nonblocking, ...)                                              \
    int run() const { return blocking(__VA_ARGS__); }                                                        \
    int post(MPI_Request* request) const { return nonblocking(__VA_ARGS__, request); }                       \
    void finish() const {}
#ifdef ORTHO_MPI_PERSISTENT
#define ORTHO_ON_MPI(blocking, nonblocking, persistent, ...)                                                 \
    ORTHO_ON_MPI_BUT_PERSISTENT(blocking, nonblocking, __VA_ARGS__)                                          \
    int prepare(MPI_Info info, MPI_Request* request) const { return persistent(__VA_ARGS__, info, request); }
#else
#define ORTHO_ON_MPI(blocking, nonblocking, persistent, ...)                                                 \
    ORTHO_ON_MPI_BUT_PERSISTENT(blocking, nonblocking, __VA_ARGS__)
#endif

namespace ortho::collectives {

/// Does the MPI keep a communicator that the user frees until its persistent operations are freed?  Open MPI
/// 5.0.11 does not.
#ifdef OPEN_MPI
inline constexpr bool persistent_operations_keep_communicators = false;
#else
inline constexpr bool persistent_operations_keep_communicators = true;
#endif

/// A collective that MPI runs: kept arguments, and the request that it has with MPI.
template <class Collective>
class OnMpi final : public engine::NativeTask {
public:
    OnMpi(const Collective& collective, const char* function)
        : NativeTask(collective.comm, function),
          collective_(collective)
    {
        collective_.keep(kept_);
    }
    ~OnMpi() override
    {
        if (prepared_ && request_ != MPI_REQUEST_NULL && mpi::is_running()) PMPI_Request_free(&request_);
    }

    /// Make it persistent: MPI's own way where MPI has one, else by starting it anew each time, on a
    /// communicator of its own, since persistent operations may be started in any order, and after
    /// the user has freed theirs.  Collective.
    void prepare([[maybe_unused]] MPI_Info info)
    {
        constexpr bool has_persistent = requires { collective_.prepare(info, &request_); };
        if (!has_persistent || !persistent_operations_keep_communicators) {
            own_ = mpi::bare_copy(collective_.comm);
            mpi::copy_errhandler(collective_.comm, own_.get());
            collective_.comm = comm_ = own_.get();
        }
        if constexpr (has_persistent) {
            mpi::check_users(collective_.prepare(info, &request_));
            prepared_ = true;
        }
    }

private:
    void post(MPI_Request* request) override
    {
        mpi::check_users(prepared_ ? PMPI_Start(request) : collective_.post(request));
    }
    void finish() override { collective_.finish(); }

    Kept kept_;
    Collective collective_;
    bool prepared_ = false;
    mpi::Comm own_;
};

inline bool carries_graph(MPI_Comm comm) { return topology::collective_topology(comm) == ORTHO_GRAPH; }

/// How many blocks a v or w call has on each side on a full or inter-communicator.
inline int partners_of(MPI_Comm comm)
{
    if (!mpi::is_inter(comm)) return mpi::size_of(comm);
    int size = 0;
    mpi::check_users(PMPI_Comm_remote_size(comm, &size));
    return size;
}

/// Is this process the root of a call on a full or inter-communicator?
inline bool is_root(MPI_Comm comm, int root)
{
    return mpi::is_inter(comm) ? root == MPI_ROOT : root == mpi::rank_of(comm);
}

/// Has it, besides, one block that goes to the root, or comes from it?  Not so in the root's own group,
/// if that is another than the other processes'.
inline bool is_leaf(MPI_Comm comm, int root)
{
    return !mpi::is_inter(comm) || (root != MPI_ROOT && root != MPI_PROC_NULL);
}

/// The complete graph of a full communicator where the call runs on that; null if MPI's own call is taken.
template <class Collective>
std::shared_ptr<topology::Graph> dense_graph_for(const Collective& collective, const Dense& dense)
{
    if constexpr (requires { collective.is_faster_by_mpi(schedule::Layout{}); })
        if (dense.graph && collective.is_faster_by_mpi(dense.graph->facts->settings->layout)) return nullptr;
    return dense.graph;
}

/// The graph that a blocking call runs on; null on full and inter-communicators, where MPI's own call is
/// taken.
template <class Collective>
std::shared_ptr<topology::Graph> graph_for(const Collective& collective)
{
    MPI_Comm const comm = collective.comm;
    bool may_be_dense = false;
    if constexpr (requires { collective.may_be_dense(); }) may_be_dense = collective.may_be_dense();
    if (may_be_dense)
        if (const Dense* const dense = find_dense(comm)) return dense_graph_for(collective, *dense);
    if (carries_graph(comm)) return topology::attached_graph(comm);
    return may_be_dense && !mpi::is_inter(comm) ? dense_graph_for(collective, decide_dense(comm)) : nullptr;
}

/// The call on a graph that a collective is there.
template <class Collective>
engine::Call described(const char* function, const Collective& collective, const topology::Graph& graph)
{
    engine::Call call = collective.describe(Arguments(collective.comm, graph));
    call.function = function;
    return call;
}

/// Are its calls told apart by their arguments?
template <class Collective>
concept Repeatable = requires(const Collective& collective, engine::ArgumentWriter& each)
{
    collective.list(each, std::size_t{}, std::size_t{});
};

/// Tells a call's arguments, to who writes them down and to who compares them.
template <Repeatable Collective>
auto lister(const Collective& collective, const engine::Engine& engine)
{
    return [&](auto& each) {
        const grid::LocalGraph& lists = engine.graph().facts->lists;
        collective.list(each, lists.sources.size(), lists.targets.size());
    };
}

/// The arguments that a call on a graph was made with; none where nobody would look for them again.
template <class Collective>
std::vector<std::uint64_t> arguments_of([[maybe_unused]] const Collective& collective)
{
    engine::ArgumentWriter writer;
    if constexpr (Repeatable<Collective>) {
        const engine::Engine* const engine = engine::find_engine(collective.comm);
        if (engine == nullptr) return {};
        const grid::LocalGraph& lists = engine->graph().facts->lists;
        const auto has_gaps = [](const std::vector<int>& list) {
            return std::ranges::find(list, grid::gap) != list.end(); // nothing is read of their blocks
        };
        if (has_gaps(lists.sources) || has_gaps(lists.targets)) return {};
        lister(collective, *engine)(writer);
    }
    return writer.take();
}

template <class Collective>
int blocking(const char* function, const Collective& collective)
{
    return mpi::guard(function, collective.comm, [&] {
        if constexpr (Repeatable<Collective>)
            if (engine::Engine* const engine = engine::find_engine(collective.comm))
                if (engine::run_again(*engine, function, lister(collective, *engine))) return;
        const std::shared_ptr<topology::Graph> graph = graph_for(collective);
        if (!graph) {
            mpi::check_users(collective.run());
            return;
        }
        const auto describe = [&] { return described(function, collective, *graph); };
        if (graph->checks) verify::verify(*graph, function, describe);
        const engine::Call call = describe(); // which checks the arguments
        engine::run(graph, call, arguments_of(collective));
    });
}

template <class Collective>
int nonblocking(const char* function, const Collective& collective, ORTHO_Request* request)
{
    return mpi::guard(function, collective.comm, [&] {
        std::unique_ptr<engine::Task> task;
        if constexpr (Repeatable<Collective>)
            if (engine::Engine* const engine = engine::find_engine(collective.comm);
                engine != nullptr && request != nullptr)
                task = engine::start_again(*engine, function, lister(collective, *engine));
        if (task) {
            // It has been made before.
        } else if (carries_graph(collective.comm)) {
            const auto graph = topology::graph_of(collective.comm);
            const auto describe = [&] {
                mpi::require_result(request, "request");
                return described(function, collective, *graph);
            };
            // By reference, which takes no memory.
            task = verify::start(collective.comm, graph, function, std::cref(describe),
                                 [&] { return arguments_of(collective); });
        } else {
            mpi::require_result(request, "request");
            task = std::make_unique<OnMpi<Collective>>(collective, function);
            task->start();
        }
        *request = engine::make_request(std::move(task), false);
    });
}

template <class Collective>
int persistent(const char* function, const Collective& collective, MPI_Info info, ORTHO_Request* request)
{
    return mpi::guard(function, collective.comm, [&] {
        std::unique_ptr<engine::Task> task;
        if (carries_graph(collective.comm)) {
            const auto graph = topology::attached_graph(collective.comm);
            const auto describe = [&] {
                mpi::require_result(request, "request");
                engine::Call call = described(function, collective, *graph);
                if constexpr (requires { collective.alternative(*graph, call); })
                    call.alternative = [&](const engine::Call& c) {
                        return collective.alternative(*graph, c);
                    };
                return call;
            };
            if (graph->checks) verify::verify(*graph, function, describe);
            task = engine::prepare(graph, describe, info);
        } else {
            mpi::require_result(request, "request");
            auto native = std::make_unique<OnMpi<Collective>>(collective, function);
            native->prepare(info);
            task = std::move(native);
        }
        *request = engine::make_request(std::move(task), true);
    });
}

} // namespace ortho::collectives
