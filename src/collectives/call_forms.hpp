// SPDX-License-Identifier: BSD-3-Clause
// The three forms of a collective.
//
// The struct of a collective's arguments (calls/arguments.hpp, from the table src/calls.table) says how MPI
// runs it, and how its arguments are kept and compared; describe(arguments) checks them, and describes the
// call on a graph.  The structs of reductions are written by hand, and so are properties of single
// collectives (collectives/call_traits.hpp).
#pragma once

#include <mpi.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <vector>

#include "calls/arguments.hpp"
#include "collectives/call_traits.hpp"
#include "engine/kept_operations.hpp"
#include "engine/road.hpp"
#include "mpi/comm.hpp"
#include "mpi/error_handling.hpp"
#include "mpi/which_mpi.hpp"
#include "mpiortho.h"
#include "request/native_task.hpp"
#include "request/request.hpp"
#include "topology/agreed_settings.hpp"
#include "topology/graph.hpp"
#include "verify/verification.hpp"

namespace ortho::collectives {

/// May persistent operations of MPI's be on one communicator, and on the user's?  MPI_Start of Open MPI
/// 5.0.11 may crash, and Intel's MPI takes them in the order in which each process starts them.
inline bool persistent_operations_share_communicators()
{
    return !mpi::which_mpi().is_open_mpi && !mpi::which_mpi().is_intel;
}

/// True if MPI has a persistent form of the collective.
template <class Collective>
constexpr bool has_persistent = requires(Collective collective, MPI_Request* request)
{
    collective.prepare(MPI_INFO_NULL, request);
};

/// Calls use(call), where the call, with run(), post(), prepare() and keep(), is what MPI runs: the
/// collective itself, or, where MPI has none, or none with such counts, what stands for it.  A second
/// argument is what the call needs as long as it is used.
template <class Collective, class Use>
void with_mpis(const Collective& collective, Use use)
{
    if constexpr (!Collective::on_inter)
        base::require(!mpi::is_inter(collective.comm), base::ErrorKind::undefined, "comm", no_order);
    collective.check_counts();
    if constexpr (requires { stand_in(collective); }) {
        use(stand_in(collective));
    } else {
        if constexpr (requires { must_be_folded(collective); })
            if (must_be_folded(collective)) return use(folded(collective));
#ifndef ORTHO_MPI_LARGE_COUNTS
        if (collective.large) {
            if constexpr (requires(Collective it, std::vector<int> ints) { narrow(it, ints); }) {
                std::vector<int> ints;
                Collective it = collective;
                if (narrow(it, ints)) return use(it);
            }
            if constexpr (requires(Collective it, Fitted fitted) { it.fit(fitted); }) {
                Fitted fitted;
                Collective it = collective;
                it.fit(fitted);
                return use(it, std::move(fitted));
            } else if constexpr (requires { folded(collective); }) {
                return use(folded(collective));
            }
        }
#endif
        use(collective);
    }
}

/// A collective, or what stands for it, as MPI runs it.
template <class Collective>
class OnMpi final : public request::NativeCall {
public:
    explicit OnMpi(const Collective& collective, mpi::ArgumentCopies kept = {})
        : kept_(std::move(kept)),
          collective_(collective)
    {
        collective_.keep(kept_);
    }

    void prepare([[maybe_unused]] MPI_Info info, [[maybe_unused]] MPI_Request* request) override
    {
        if constexpr (has_persistent<Collective>) mpi::check_users(collective_.prepare(info, request));
    }
    void post(MPI_Request* request) override { mpi::check_users(collective_.post(request)); }
    void finish() override { collective_.finish(); }

private:
    mpi::ArgumentCopies kept_;
    Collective collective_;
};

template <class Collective>
std::unique_ptr<request::NativeCall> on_mpi(const Collective& collective)
{
    std::unique_ptr<request::NativeCall> result;
    with_mpis(collective, [&]<class Call>(const Call& call, mpi::ArgumentCopies kept = {}) {
        result = std::make_unique<OnMpi<Call>>(call, std::move(kept));
    });
    return result;
}

/// A persistent collective with copies of its arguments, which may get other buffers.
template <class Collective>
class Rebindable {
public:
    explicit Rebindable(const Collective& collective) : collective_(collective) { collective_.keep(kept_); }

    std::unique_ptr<request::NativeCall> with(const void* send, void* receive)
    {
        bool sends = true;
        bool receives = true;
        if constexpr (requires { collective_.uses_sendbuf(); }) {
            sends = collective_.uses_sendbuf();
            receives = collective_.uses_recvbuf();
        }
        if constexpr (requires { collective_.sendbuf; }) {
            if (sends) require_same_kind(send, collective_.sendbuf, "sendbuf");
            if constexpr (requires { collective_.recvbuf; })
                if (receives) require_same_kind(receive, collective_.recvbuf, "recvbuf");
            collective_.sendbuf = send;
        }
        if constexpr (requires { collective_.recvbuf; }) collective_.recvbuf = receive;
        if constexpr (requires { collective_.buffer; }) {
            require_same_kind(receive, collective_.buffer, "recvbuf");
            collective_.buffer = receive;
        }
        return on_mpi(collective_);
    }

private:
    static void require_same_kind(const void* buffer, const void* before, const char* argument)
    {
        base::require((buffer == MPI_IN_PLACE) == (before == MPI_IN_PLACE), base::ErrorKind::buffer, argument,
                      argument, before == MPI_IN_PLACE ? " is not" : " is",
                      " MPI_IN_PLACE, other than when the request was made");
        base::require(buffer != nullptr || before == nullptr, base::ErrorKind::buffer, argument, argument,
                      " is a null pointer");
    }

    mpi::ArgumentCopies kept_;
    Collective collective_;
};

/// A persistent collective on a full or inter-communicator: MPI's own where MPI has one, else started anew
/// each time, on a communicator of its own.  Collective.
template <class Collective>
std::unique_ptr<request::Task> prepare_on_mpi(Collective collective, const char* function, MPI_Info info)
{
    auto task = std::make_unique<request::NativeTask>(collective.comm, function);
    const bool rebinds = topology::agree_on_rebinding(collective.comm, info);
    task->set_name(topology::name_in(info));
    if (rebinds) {
        collective.comm = task->make_own_comm();
        auto rebindable = std::make_shared<Rebindable<Collective>>(collective);
        task->set(on_mpi(collective));
        task->set_rebind(
            [rebindable](const void* send, void* receive) { return rebindable->with(send, receive); });
        return task;
    }
    with_mpis(collective, [&]<class Call>(Call call, mpi::ArgumentCopies kept = {}) {
        const bool is_mpis = has_persistent<Call> && persistent_is_right<Call>();
        if (!is_mpis || !persistent_operations_share_communicators()) call.comm = task->make_own_comm();
        task->set(std::make_unique<OnMpi<Call>>(call, std::move(kept)));
        if (is_mpis) task->prepare(info);
    });
    return task;
}

/// Is it a call on a graph: the one that its communicator carries, or that of a neighborhood collective?
template <class Collective>
bool is_on_graph(const Collective& collective)
{
    return collective.of_neighbors || topology::collective_topology(collective.comm) == ORTHO_GRAPH;
}
template <class Collective>
std::shared_ptr<topology::Graph> graph_of(const Collective& collective)
{
    return collective.of_neighbors ? topology::neighbors_of(collective.comm)
                                   : topology::graph_of(collective.comm);
}
template <class Collective>
engine::Engine* find_engine(const Collective& collective) noexcept
{
    return engine::find_engine(collective.comm, collective.of_neighbors);
}

/// The graph that a blocking call runs on, attached unless very many are alive; none on full and
/// inter-communicators, where MPI's own call is taken.
template <class Collective>
GraphInUse graph_for(const Collective& collective)
{
    MPI_Comm const comm = collective.comm;
    bool may_be_dense = false;
    if constexpr (Collective::may_be_dense)
        may_be_dense = !collective.of_neighbors && collective.sendbuf != MPI_IN_PLACE;
    if (may_be_dense)
        if (Dense* const dense = find_dense(comm)) return dense->complete;
    if (is_on_graph(collective)) {
        GraphInUse in_use{graph_of(collective)};
        topology::attach_if_plenty(*in_use.graph, comm);
        return in_use;
    }
    return may_be_dense && !mpi::is_inter(comm) ? decide_dense(comm).complete : GraphInUse{};
}

/// The call on a graph that a collective is there.
template <class Collective>
call::Call described(const char* function, const Collective& collective, const topology::Graph& graph)
{
    call::Call call = collective.describe(ArgumentChecks(collective.comm, graph));
    call.function = function;
    return call;
}

/// Tells a call's arguments, to who writes them down and to who compares them.
template <class Collective>
auto lister(const Collective& collective)
{
    return [&](auto& each, const call::Edges& edges) { collective.list(each, edges); };
}

template <class Collective>
[[gnu::hot]] int blocking(const char* own_name, const Collective& collective)
{
    return mpi::guard(own_name, collective.comm, [&](const char* function) {
        const auto list = lister(collective);
        const bool is_dense = Collective::may_be_dense && !collective.of_neighbors &&
                              last_dense(collective.comm) != nullptr;
        engine::Engine* engine = is_dense ? nullptr : find_engine(collective);
        GraphInUse in_use;
        if (engine == nullptr || !engine->graph().attached()) [[unlikely]] {
            in_use = graph_for(collective);
            if (!in_use) {
                with_mpis(collective, [](const auto& call, const auto&...) { mpi::check_users(call.run()); });
                return;
            }
            engine = in_use.engine;
        }
        if (engine != nullptr && engine::run_kept(*engine, function, list)) return;
        const auto graph = in_use ? in_use.graph : engine->graph().shared_from_this();
        const auto describe = [&] { return described(function, collective, *graph); };
        if (!graph->attached()) return engine::run_detached(collective.comm, graph, function, describe, list);
        if (graph->verification_comm) verify::verify(*graph, function, describe);
        engine::run(*graph, describe(), list); // describe checks the arguments
    });
}

template <class Collective>
[[gnu::hot]] int nonblocking(const char* own_name, const Collective& collective, ORTHO_Request* request)
{
    return mpi::guard(own_name, collective.comm, [&](const char* function) {
        std::unique_ptr<request::Task> task;
        const auto list = lister(collective);
        if (engine::Engine* const engine = find_engine(collective); engine != nullptr && request != nullptr)
            task = engine::start_kept(*engine, function, list);
        if (task) {
            // It has been made before.
        } else if (is_on_graph(collective)) {
            const auto graph = graph_of(collective);
            const auto describe = [&] {
                mpi::require_result(request, "request");
                return described(function, collective, *graph);
            };
            // By reference, which takes no memory.
            task = engine::start(collective.comm, graph, function, std::cref(describe), list);
        } else {
            mpi::require_result(request, "request");
            auto native = std::make_unique<request::NativeTask>(collective.comm, function);
            native->set(on_mpi(collective));
            native->start(false);
            task = std::move(native);
        }
        *request = request::make_request(std::move(task), false);
    });
}

template <class Collective>
int persistent(const char* own_name, const Collective& collective, MPI_Info info, ORTHO_Request* request)
{
    return mpi::guard(own_name, collective.comm, [&](const char* function) {
        std::unique_ptr<request::Task> task;
        if (is_on_graph(collective)) {
            const auto graph = graph_of(collective);
            topology::attach(*graph, collective.comm);
            const auto describe = [&] {
                mpi::require_result(request, "request");
                return described(function, collective, *graph);
            };
            if (graph->verification_comm) verify::verify(*graph, function, describe);
            task = engine::prepare(graph, describe, info);
        } else {
            mpi::require_result(request, "request");
            task = prepare_on_mpi(collective, function, info);
        }
        *request = request::make_request(std::move(task), true);
    });
}

} // namespace ortho::collectives
