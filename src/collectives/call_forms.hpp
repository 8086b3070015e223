// SPDX-License-Identifier: BSD-3-Clause
// The three forms of a collective.
//
// The struct of a collective's arguments (calls/arguments.hpp, from the table src/calls.table) says how MPI
// runs it, and how its arguments are kept and compared; describe(arguments) checks them, and describes the
// call on a graph.  The structs of reductions are written by hand, and so are properties of single
// collectives (collectives/call_traits.hpp).
#pragma once

#include <mpi.h>

#include <memory>
#include <utility>
#include <vector>

#include "calls/arguments.hpp"
#include "collectives/call_traits.hpp"
#include "engine/road.hpp"
#include "mpi/comm.hpp"
#include "mpi/error_handling.hpp"
#include "mpiortho.h"
#include "request/native_task.hpp"
#include "request/request.hpp"
#include "topology/graph.hpp"

namespace ortho::collectives {

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
    bool is_prepared_by_mpi() const override
    {
        return has_persistent<Collective> && persistent_is_right<Collective>();
    }
    void move_to(MPI_Comm comm) override { collective_.comm = comm; }
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

/// Throws base::Error unless both are MPI_IN_PLACE, or none is; no buffer takes the place of a null pointer.
void require_same_kind(const void* buffer, const void* before, const char* argument);

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
    mpi::ArgumentCopies kept_;
    Collective collective_;
};

/// A collective, whichever it is, with its arguments.
class AnyCollective {
public:
    AnyCollective(MPI_Comm user_comm, bool on_neighbors) : comm(user_comm), of_neighbors(on_neighbors) {}
    virtual ~AnyCollective() = default;

    /// Checks the arguments, and describes the call on a graph.
    virtual call::Call describe(const ArgumentChecks& arguments) const = 0;
    /// Tells the arguments to who keeps them.
    virtual void list(engine::ArgumentWriter& writer, const call::Edges& edges) const = 0;
    /// The call as MPI runs it: at once, or later, with copies of its arguments.
    virtual void run() const = 0;
    virtual std::unique_ptr<request::NativeCall> on_mpi() const = 0;
    /// Makes the call as MPI runs it, on that communicator, with the buffers that it is given.
    virtual request::NativeTask::Rebind on_mpi_with(MPI_Comm own) const = 0;

    const MPI_Comm comm;
    const bool of_neighbors;
};

/// A collective whose struct is known here.  Its arguments stay with the caller.
template <class Collective>
class Typed final : public AnyCollective {
public:
    explicit Typed(const Collective& collective)
        : AnyCollective(collective.comm, collective.of_neighbors),
          collective_(collective)
    {}

    call::Call describe(const ArgumentChecks& arguments) const override
    {
        return collective_.describe(arguments);
    }
    void list(engine::ArgumentWriter& writer, const call::Edges& edges) const override
    {
        collective_.list(writer, edges);
    }
    void run() const override
    {
        with_mpis(collective_, [](const auto& call, const auto&...) { mpi::check_users(call.run()); });
    }
    std::unique_ptr<request::NativeCall> on_mpi() const override { return collectives::on_mpi(collective_); }
    request::NativeTask::Rebind on_mpi_with(MPI_Comm own) const override
    {
        Collective moved = collective_;
        moved.comm = own;
        return [rebindable = std::make_shared<Rebindable<Collective>>(moved)](
                   const void* send, void* receive) { return rebindable->with(send, receive); };
    }

private:
    const Collective& collective_;
};

/// The graph that a blocking call runs on, attached unless very many are alive; none on full and
/// inter-communicators, where MPI's own call is taken.
GraphInUse graph_for(MPI_Comm comm, bool of_neighbors, bool may_be_dense);

/// A blocking call on a graph, of which nothing is kept.
void run_anew(const AnyCollective& collective, const char* function,
              const std::shared_ptr<topology::Graph>& graph);

/// Starts a non-blocking call of which nothing is kept, on a graph or by MPI.
std::unique_ptr<request::Task> start_anew(const AnyCollective& collective, const char* function,
                                          const ORTHO_Request* request);

/// Makes a persistent call.  Collective.
int make_persistent(const char* own_name, const AnyCollective& collective, MPI_Info info,
                    ORTHO_Request* request);

/// Tells a call's arguments to who writes them down and to who compares them.
template <class Collective>
auto lister(const Collective& collective)
{
    return [&](auto& each, const call::Edges& edges) { collective.list(each, edges); };
}
template <class Collective>
engine::Engine* find_engine(const Collective& collective) noexcept
{
    return engine::find_engine(collective.comm, collective.of_neighbors);
}

template <class Collective>
[[gnu::hot]] int blocking(const char* own_name, const Collective& collective)
{
    return mpi::guard(own_name, collective.comm, [&](const char* function) {
        const bool is_dense = Collective::may_be_dense && !collective.of_neighbors &&
                              last_dense(collective.comm) != nullptr;
        engine::Engine* engine = is_dense ? nullptr : find_engine(collective);
        GraphInUse in_use;
        if (engine == nullptr || !engine->graph().attached()) [[unlikely]] {
            bool may_be_dense = false;
            if constexpr (Collective::may_be_dense)
                may_be_dense = !collective.of_neighbors && collective.sendbuf != MPI_IN_PLACE;
            in_use = graph_for(collective.comm, collective.of_neighbors, may_be_dense);
            if (!in_use) return Typed(collective).run();
            engine = in_use.engine;
        }
        if (engine != nullptr && engine::run_kept(*engine, function, lister(collective))) return;
        run_anew(Typed(collective), function, in_use ? in_use.graph : engine->graph().shared_from_this());
    });
}

template <class Collective>
[[gnu::hot]] int nonblocking(const char* own_name, const Collective& collective, ORTHO_Request* request)
{
    return mpi::guard(own_name, collective.comm, [&](const char* function) {
        std::unique_ptr<request::Task> task;
        if (engine::Engine* const engine = find_engine(collective); engine != nullptr && request != nullptr)
            task = engine::start_kept(*engine, function, lister(collective));
        if (!task) task = start_anew(Typed(collective), function, request);
        *request = request::make_request(std::move(task), false);
    });
}

template <class Collective>
int persistent(const char* own_name, const Collective& collective, MPI_Info info, ORTHO_Request* request)
{
    return make_persistent(own_name, Typed(collective), info, request);
}

} // namespace ortho::collectives
