// SPDX-License-Identifier: BSD-3-Clause
// The collectives: a part of <mpiortho.hpp>.
//
// One name a collective.  The topology that the communicator carries decides what it means: on a full
// communicator it is MPI's call of that name; on a graph it is the same between neighbors.  Block i belongs
// to neighbor i, or to process i.  <mpiortho.h> says it for each.
//
// Each has three forms:
//
//     alltoall(send, recv, comm);                       blocks until it is over
//     pending p = ialltoall(send, recv, comm);          starts it; p.wait()
//     operation o = alltoall_init(send, recv, comm);    prepares it; o.run(), or o.start() and wait()
//
// Non-blocking and persistent forms refer to their buffers, and do not take temporaries.  Lists of counts and
// displacements may go when the call returns.  _init takes an mpiortho::info as a last argument.
//
// Sizes come from buffers: the block of an alltoall has send.size() / comm.out_blocks() elements.  Nothing is
// communicated to find a size out.  Overloads with counts take one count for each block.  Without
// displacements blocks lie one after another.
#ifndef MPIORTHO_COLLECTIVES_HPP
#define MPIORTHO_COLLECTIVES_HPP

#include "buffer.hpp"
#include "op.hpp"
#include "request.hpp"

namespace mpiortho {
inline namespace v0_2 {
namespace detail {

// Of each collective the functions of the C interface: blocking, non-blocking, persistent, and with large
// counts.
#define MPIORTHO_CALL(name, X, Ix)                                                                           \
    struct name {                                                                                            \
        static int now(auto... a) { return ORTHO_##X(a...); }                                                \
        static int start(auto... a) { return ORTHO_##Ix(a...); }                                             \
        static int prepare(auto... a) { return ORTHO_##X##_init(a...); }                                     \
        static int now_large(auto... a) { return ORTHO_##X##_c(a...); }                                      \
        static int start_large(auto... a) { return ORTHO_##Ix##_c(a...); }                                   \
        static int prepare_large(auto... a) { return ORTHO_##X##_init_c(a...); }                             \
    }
MPIORTHO_CALL(bcast_call, Bcast, Ibcast);
MPIORTHO_CALL(gather_call, Gather, Igather);
MPIORTHO_CALL(gatherv_call, Gatherv, Igatherv);
MPIORTHO_CALL(scatter_call, Scatter, Iscatter);
MPIORTHO_CALL(scatterv_call, Scatterv, Iscatterv);
MPIORTHO_CALL(allgather_call, Allgather, Iallgather);
MPIORTHO_CALL(allgatherv_call, Allgatherv, Iallgatherv);
MPIORTHO_CALL(allgatherw_call, Allgatherw, Iallgatherw);
MPIORTHO_CALL(alltoall_call, Alltoall, Ialltoall);
MPIORTHO_CALL(alltoallv_call, Alltoallv, Ialltoallv);
MPIORTHO_CALL(alltoallw_call, Alltoallw, Ialltoallw);
MPIORTHO_CALL(reduce_call, Reduce, Ireduce);
MPIORTHO_CALL(allreduce_call, Allreduce, Iallreduce);
MPIORTHO_CALL(reduce_scatter_block_call, Reduce_scatter_block, Ireduce_scatter_block);
MPIORTHO_CALL(reduce_scatter_call, Reduce_scatter, Ireduce_scatter);
MPIORTHO_CALL(reduce_scatterv_call, Reduce_scatterv, Ireduce_scatterv);
MPIORTHO_CALL(scan_call, Scan, Iscan);
MPIORTHO_CALL(exscan_call, Exscan, Iexscan);
#undef MPIORTHO_CALL
struct barrier_call {
    static int now(auto... a) { return ORTHO_Barrier(a...); }
    static int start(auto... a) { return ORTHO_Ibarrier(a...); }
    static int prepare(auto... a) { return ORTHO_Barrier_init(a...); }
};

// A form calls one of these functions.
struct blocking {
    static constexpr bool later = false;
    template <class Call, bool is_large>
    void call(MPI_Comm comm, auto... a) const
    {
        if constexpr (is_large)
            check(Call::now_large(a..., comm), comm);
        else
            check(Call::now(a..., comm), comm);
    }
};
struct nonblocking {
    static constexpr bool later = true;
    template <class Call, bool is_large>
    pending call(MPI_Comm comm, auto... a) const
    {
        ORTHO_Request request = ORTHO_REQUEST_NULL;
        if constexpr (is_large)
            check(Call::start_large(a..., comm, &request), comm);
        else
            check(Call::start(a..., comm, &request), comm);
        return pending(request, comm);
    }
};
struct persistent {
    static constexpr bool later = true;
    MPI_Info info = MPI_INFO_NULL;
    template <class Call, bool is_large>
    operation call(MPI_Comm comm, auto... a) const
    {
        ORTHO_Request request = ORTHO_REQUEST_NULL;
        if constexpr (is_large)
            check(Call::prepare_large(a..., comm, info, &request), comm);
        else
            check(Call::prepare(a..., comm, info, &request), comm);
        return operation(request, comm);
    }
};

/// A collective call on a communicator of type C.
template <class C>
struct call_on {
    static constexpr bool is_large = std::is_same_v<C, large>;
    using count = std::conditional_t<is_large, MPI_Count, int>;
    using place = std::conditional_t<is_large, MPI_Aint, int>; // of a block, in elements
    const C& comm;

    MPI_Comm handle() const { return comm; }

    template <class Call, class Form>
    auto run(const Form& form, auto... a) const
    {
        return form.template call<Call, is_large>(handle(), a...);
    }

    count size(MPI_Count n) const
    {
        if constexpr (!is_large)
            if (n > 2147483647) [[unlikely]]
                fail(handle(), MPI_ERR_COUNT,
                     "mpiortho: %lld elements are more than an int can count: pass large(comm)",
                     static_cast<long long>(n));
        return static_cast<count>(n);
    }
    /// Elements of one of `blocks` blocks.
    count per_block(MPI_Count n, int blocks, const char* buffer) const
    {
        if (blocks == 0) return 0;
        if (n % blocks != 0) [[unlikely]]
            fail(handle(), MPI_ERR_COUNT,
                 "mpiortho: the %s buffer has %lld elements, which is no multiple of the %d blocks", buffer,
                 static_cast<long long>(n), blocks);
        return size(n / blocks);
    }
    /// The same where only the root has blocks: elsewhere any size will do.
    count per_block_at_root(MPI_Count n, int blocks, int root, const char* buffer) const
    {
        if (blocks == 0 || n == 0) return 0;
        if (n % blocks != 0 && root != MPI_PROC_NULL) {
            int rank = 0;
            check_mpi(MPI_Comm_rank(handle(), &rank), handle(), "MPI_Comm_rank");
            if (rank == root || root == MPI_ROOT) return per_block(n, blocks, buffer);
        }
        return size(n / blocks);
    }
    /// Displacements of blocks that lie one after another; there are `n` elements of room.
    const place* packed(std::span<const count> counts, MPI_Count n, small_list<place>& places,
                        const char* buffer) const
    {
        MPI_Count sum = 0;
        for (std::size_t i = 0; i < counts.size(); ++i) {
            places[i] = static_cast<place>(sum);
            sum += counts[i];
        }
        if (sum > n) [[unlikely]]
            fail(handle(), MPI_ERR_TRUNCATE,
                 "mpiortho: the %s buffer has %lld elements, and its blocks have %lld", buffer,
                 static_cast<long long>(n), static_cast<long long>(sum));
        return places.data();
    }
    /// One count for each of `blocks` blocks.
    template <class L>
    std::span<const count> counts(const L& list, int blocks, const char* what) const
    {
        const auto result = list_of<count>(list);
        enough(result.size(), blocks, what);
        return result;
    }
    template <class L>
    const place* places(const L& list, int blocks, const char* what) const
    {
        const auto result = list_of<place>(list);
        enough(result.size(), blocks, what);
        return result.data();
    }
    template <class T, class L>
    const T* one_each(const L& list, int blocks, const char* what) const
    {
        const auto result = list_of<T>(list);
        enough(result.size(), blocks, what);
        return result.data();
    }
    void enough(std::size_t n, int blocks, const char* what) const
    {
        if (n < static_cast<std::size_t>(blocks)) [[unlikely]]
            fail(handle(), MPI_ERR_COUNT, "mpiortho: %s has %zu entries for %d blocks", what, n, blocks);
    }
};
template <class C>
call_on(const C&) -> call_on<C>;

/// How many elements both buffers of a reduction have.
template <class C, class S, class R>
MPI_Count same_size(const call_on<C>& on, const S& s, const R& r, bool in_place)
{
    if (!in_place && s.count != r.count) [[unlikely]]
        fail(on.handle(), MPI_ERR_COUNT,
             "mpiortho: the send buffer has %lld elements, the receive buffer %lld",
             static_cast<long long>(s.count), static_cast<long long>(r.count));
    return r.count;
}

/// What F means for the elements of a buffer.
template <class T, class F>
reduction reduction_of(const F& op, MPI_Datatype type)
{
    if constexpr (std::is_void_v<T>) {
        static_assert(std::is_convertible_v<F, MPI_Op>,
                      "mpiortho: for a buffer whose element type is not known the operator is an MPI_Op");
        return {op, type, 1};
    } else
        return reduce_by<F, T>(op);
}

template <class Form, class C>
auto barrier(const Form& form, const C& comm)
{
    return form.template call<barrier_call, false>(comm);
}

template <class Form, class B, class C>
auto bcast(const Form& form, B&& buffer, int root, const C& comm)
{
    const call_on on{comm};
    const auto b = to_receive(std::forward<B>(buffer));
    return on.template run<bcast_call>(form, b.data, on.size(b.count), b.type, root);
}

template <class Form, class S, class R, class C>
auto gather(const Form& form, S&& send, R&& recv, int root, const C& comm)
{
    const call_on on{comm};
    const auto s = to_send<Form::later>(std::forward<S>(send));
    const auto r = to_receive(std::forward<R>(recv));
    return on.template run<gather_call>(
        form, s.data, on.size(s.count), s.type, r.data,
        on.per_block_at_root(r.count, look_at(comm).in_blocks(), root, "receive"), r.type, root);
}

template <class Form, class S, class R, class N, class C>
auto gather(const Form& form, S&& send, R&& recv, const N& counts, int root, const C& comm)
{
    const call_on on{comm};
    using on_type = call_on<C>;
    const auto s = to_send<Form::later>(std::forward<S>(send));
    const auto r = to_receive(std::forward<R>(recv));
    const auto list = list_of<typename on_type::count>(counts);
    small_list<typename on_type::place> places(list.size());
    return on.template run<gatherv_call>(form, s.data, on.size(s.count), s.type, r.data, list.data(),
                                         on.packed(list, r.count, places, "receive"), r.type, root);
}

template <class Form, class S, class R, class N, class P, class C>
auto gather(const Form& form, S&& send, R&& recv, const N& counts, const P& displacements, int root,
            const C& comm)
{
    const call_on on{comm};
    using on_type = call_on<C>;
    const auto s = to_send<Form::later>(std::forward<S>(send));
    const auto r = to_receive(std::forward<R>(recv));
    return on.template run<gatherv_call>(
        form, s.data, on.size(s.count), s.type, r.data, list_of<typename on_type::count>(counts).data(),
        list_of<typename on_type::place>(displacements).data(), r.type, root);
}

template <class Form, class S, class R, class C>
auto scatter(const Form& form, S&& send, R&& recv, int root, const C& comm)
{
    const call_on on{comm};
    const auto s = to_send<Form::later>(std::forward<S>(send));
    const auto r = to_receive(std::forward<R>(recv));
    return on.template run<scatter_call>(
        form, s.data, on.per_block_at_root(s.count, look_at(comm).out_blocks(), root, "send"), s.type, r.data,
        on.size(r.count), r.type, root);
}

template <class Form, class S, class N, class R, class C>
auto scatter(const Form& form, S&& send, const N& counts, R&& recv, int root, const C& comm)
{
    const call_on on{comm};
    using on_type = call_on<C>;
    const auto s = to_send<Form::later>(std::forward<S>(send));
    const auto r = to_receive(std::forward<R>(recv));
    const auto list = list_of<typename on_type::count>(counts);
    small_list<typename on_type::place> places(list.size());
    return on.template run<scatterv_call>(form, s.data, list.data(), on.packed(list, s.count, places, "send"),
                                          s.type, r.data, on.size(r.count), r.type, root);
}

template <class Form, class S, class N, class P, class R, class C>
auto scatter(const Form& form, S&& send, const N& counts, const P& displacements, R&& recv, int root,
             const C& comm)
{
    const call_on on{comm};
    using on_type = call_on<C>;
    const auto s = to_send<Form::later>(std::forward<S>(send));
    const auto r = to_receive(std::forward<R>(recv));
    return on.template run<scatterv_call>(form, s.data, list_of<typename on_type::count>(counts).data(),
                                          list_of<typename on_type::place>(displacements).data(), s.type,
                                          r.data, on.size(r.count), r.type, root);
}

template <class Form, class S, class R, class C>
auto allgather(const Form& form, S&& send, R&& recv, const C& comm)
{
    const call_on on{comm};
    const auto s = to_send<Form::later>(std::forward<S>(send));
    const auto r = to_receive(std::forward<R>(recv));
    return on.template run<allgather_call>(form, s.data, on.size(s.count), s.type, r.data,
                                           on.per_block(r.count, look_at(comm).in_blocks(), "receive"),
                                           r.type);
}

template <class Form, class S, class R, class N, class C>
auto allgather(const Form& form, S&& send, R&& recv, const N& counts, const C& comm)
{
    const call_on on{comm};
    const auto s = to_send<Form::later>(std::forward<S>(send));
    const auto r = to_receive(std::forward<R>(recv));
    const auto list = on.counts(counts, look_at(comm).in_blocks(), "the list of counts");
    small_list<typename call_on<C>::place> places(list.size());
    return on.template run<allgatherv_call>(form, s.data, on.size(s.count), s.type, r.data, list.data(),
                                            on.packed(list, r.count, places, "receive"), r.type);
}

template <class Form, class S, class R, class N, class P, class C>
auto allgather(const Form& form, S&& send, R&& recv, const N& counts, const P& displacements, const C& comm)
{
    const call_on on{comm};
    const auto s = to_send<Form::later>(std::forward<S>(send));
    const auto r = to_receive(std::forward<R>(recv));
    const int blocks = look_at(comm).in_blocks();
    return on.template run<allgatherv_call>(form, s.data, on.size(s.count), s.type, r.data,
                                            on.counts(counts, blocks, "the list of counts").data(),
                                            on.places(displacements, blocks, "the list of displacements"),
                                            r.type);
}

template <class Form, class S, class N, class C>
auto allgather(const Form& form, S&& send, void* recv, const N& counts,
               std::span<const MPI_Aint> displacements, std::span<const MPI_Datatype> types, const C& comm)
{
    const call_on on{comm};
    const auto s = to_send<Form::later>(std::forward<S>(send));
    const int blocks = look_at(comm).in_blocks();
    return on.template run<allgatherw_call>(
        form, s.data, on.size(s.count), s.type, recv, on.counts(counts, blocks, "the list of counts").data(),
        on.template one_each<MPI_Aint>(displacements, blocks, "the list of displacements"),
        on.template one_each<MPI_Datatype>(types, blocks, "the list of datatypes"));
}

template <class Form, class S, class R, class C>
auto alltoall(const Form& form, S&& send, R&& recv, const C& comm)
{
    const call_on on{comm};
    const auto s = to_send<Form::later>(std::forward<S>(send));
    const auto r = to_receive(std::forward<R>(recv));
    const auto blocks = look_at(comm);
    return on.template run<alltoall_call>(form, s.data, on.per_block(s.count, blocks.out_blocks(), "send"),
                                          s.type, r.data,
                                          on.per_block(r.count, blocks.in_blocks(), "receive"), r.type);
}

template <class Form, class S, class N, class R, class M, class C>
auto alltoall(const Form& form, S&& send, const N& sendcounts, R&& recv, const M& recvcounts, const C& comm)
{
    const call_on on{comm};
    const auto s = to_send<Form::later>(std::forward<S>(send));
    const auto r = to_receive(std::forward<R>(recv));
    const auto blocks = look_at(comm);
    const auto sent = on.counts(sendcounts, is_in_place<S> ? 0 : blocks.out_blocks(),
                                "the list of send counts");
    const auto received = on.counts(recvcounts, blocks.in_blocks(), "the list of receive counts");
    small_list<typename call_on<C>::place> send_places(sent.size());
    small_list<typename call_on<C>::place> recv_places(received.size());
    return on.template run<alltoallv_call>(
        form, s.data, sent.data(), on.packed(sent, s.count, send_places, "send"), s.type, r.data,
        received.data(), on.packed(received, r.count, recv_places, "receive"), r.type);
}

template <class Form, class S, class N, class P, class R, class M, class Q, class C>
auto alltoall(const Form& form, S&& send, const N& sendcounts, const P& senddispls, R&& recv,
              const M& recvcounts, const Q& recvdispls, const C& comm)
{
    const call_on on{comm};
    const auto s = to_send<Form::later>(std::forward<S>(send));
    const auto r = to_receive(std::forward<R>(recv));
    const auto blocks = look_at(comm);
    const int out = is_in_place<S> ? 0 : blocks.out_blocks();
    return on.template run<alltoallv_call>(
        form, s.data, on.counts(sendcounts, out, "the list of send counts").data(),
        on.places(senddispls, out, "the list of send displacements"), s.type, r.data,
        on.counts(recvcounts, blocks.in_blocks(), "the list of receive counts").data(),
        on.places(recvdispls, blocks.in_blocks(), "the list of receive displacements"), r.type);
}

template <class Form, class N, class M, class C>
auto alltoall(const Form& form, const void* send, const N& sendcounts, std::span<const MPI_Aint> senddispls,
              std::span<const MPI_Datatype> sendtypes, void* recv, const M& recvcounts,
              std::span<const MPI_Aint> recvdispls, std::span<const MPI_Datatype> recvtypes, const C& comm)
{
    const call_on on{comm};
    const auto blocks = look_at(comm);
    const int out = send == MPI_IN_PLACE ? 0 : blocks.out_blocks();
    const int in = blocks.in_blocks();
    return on.template run<alltoallw_call>(
        form, send, on.counts(sendcounts, out, "the list of send counts").data(),
        on.template one_each<MPI_Aint>(senddispls, out, "the list of send displacements"),
        on.template one_each<MPI_Datatype>(sendtypes, out, "the list of send datatypes"), recv,
        on.counts(recvcounts, in, "the list of receive counts").data(),
        on.template one_each<MPI_Aint>(recvdispls, in, "the list of receive displacements"),
        on.template one_each<MPI_Datatype>(recvtypes, in, "the list of receive datatypes"));
}

template <class Form, class S, class R, class F, class C>
auto reduce(const Form& form, S&& send, R&& recv, const F& op, int root, const C& comm)
{
    const call_on on{comm};
    const auto s = to_send<Form::later>(std::forward<S>(send));
    const auto r = to_receive(std::forward<R>(recv));
    const reduction by = reduction_of<typename decltype(r)::element_type>(op, r.type);
    const MPI_Count n = r.count == 0 ? s.count : same_size(on, s, r, is_in_place<S>);
    return on.template run<reduce_call>(form, s.data, r.data, on.size(n * by.per_element), by.type, by.op,
                                        root);
}

template <class Form, class S, class R, class F, class C>
auto allreduce(const Form& form, S&& send, R&& recv, const F& op, const C& comm)
{
    const call_on on{comm};
    const auto s = to_send<Form::later>(std::forward<S>(send));
    const auto r = to_receive(std::forward<R>(recv));
    const reduction by = reduction_of<typename decltype(r)::element_type>(op, r.type);
    return on.template run<allreduce_call>(
        form, s.data, r.data, on.size(same_size(on, s, r, is_in_place<S>) * by.per_element), by.type, by.op);
}

template <class Form, class S, class R, class F, class C>
auto reduce_scatter(const Form& form, S&& send, R&& recv, const F& op, const C& comm)
{
    const call_on on{comm};
    const auto s = to_send<Form::later>(std::forward<S>(send));
    const auto r = to_receive(std::forward<R>(recv));
    const reduction by = reduction_of<typename decltype(r)::element_type>(op, r.type);
    const MPI_Count all = r.count * look_at(comm).out_blocks();
    if (!is_in_place<S> && s.count != all) [[unlikely]]
        fail(on.handle(), MPI_ERR_COUNT, "mpiortho: the send buffer has %lld elements, not %lld",
             static_cast<long long>(s.count), static_cast<long long>(all));
    return on.template run<reduce_scatter_block_call>(form, s.data, r.data, on.size(r.count * by.per_element),
                                                      by.type, by.op);
}

template <class Form, class S, class N, class R, class F, class C>
auto reduce_scatter(const Form& form, S&& send, const N& sendcounts, R&& recv, const F& op, const C& comm)
{
    const call_on on{comm};
    using on_type = call_on<C>;
    const auto s = to_send<Form::later>(std::forward<S>(send));
    const auto r = to_receive(std::forward<R>(recv));
    const reduction by = reduction_of<typename decltype(r)::element_type>(op, r.type);
    const auto blocks = look_at(comm);
    const auto given = on.counts(sendcounts, blocks.out_blocks(), "the list of send counts");
    small_list<typename on_type::count> scaled(given.size());
    for (std::size_t i = 0; i < given.size(); ++i) scaled[i] = on.size(given[i] * by.per_element);
    const std::span<const typename on_type::count> list(scaled.data(), given.size());
    // On a full communicator the processes' counts are the lengths of the blocks: MPI's own call.
    if (blocks.topology() != topology::graph)
        return on.template run<reduce_scatter_call>(form, s.data, r.data, list.data(), by.type, by.op);
    small_list<typename on_type::place> places(list.size());
    return on.template run<reduce_scatterv_call>(form, s.data, list.data(),
                                                 on.packed(list, s.count * by.per_element, places, "send"),
                                                 r.data, on.size(r.count * by.per_element), by.type, by.op);
}

template <class Form, class S, class N, class P, class R, class F, class C>
auto reduce_scatter(const Form& form, S&& send, const N& sendcounts, const P& senddispls, R&& recv,
                    const F& op, const C& comm)
{
    const call_on on{comm};
    using on_type = call_on<C>;
    const auto s = to_send<Form::later>(std::forward<S>(send));
    const auto r = to_receive(std::forward<R>(recv));
    const reduction by = reduction_of<typename decltype(r)::element_type>(op, r.type);
    const int blocks = look_at(comm).out_blocks();
    const auto given = on.counts(sendcounts, blocks, "the list of send counts");
    const auto* const places = on.places(senddispls, blocks, "the list of send displacements");
    small_list<typename on_type::count> scaled(given.size());
    small_list<typename on_type::place> scaled_places(given.size());
    for (std::size_t i = 0; i < static_cast<std::size_t>(blocks); ++i) {
        scaled[i] = on.size(given[i] * by.per_element);
        scaled_places[i] = static_cast<typename on_type::place>(places[i] * by.per_element);
    }
    return on.template run<reduce_scatterv_call>(form, s.data, scaled.data(), scaled_places.data(), r.data,
                                                 on.size(r.count * by.per_element), by.type, by.op);
}

template <class Form, class S, class R, class F, class C>
auto scan(const Form& form, S&& send, R&& recv, const F& op, const C& comm)
{
    const call_on on{comm};
    const auto s = to_send<Form::later>(std::forward<S>(send));
    const auto r = to_receive(std::forward<R>(recv));
    const reduction by = reduction_of<typename decltype(r)::element_type>(op, r.type);
    return on.template run<scan_call>(
        form, s.data, r.data, on.size(same_size(on, s, r, is_in_place<S>) * by.per_element), by.type, by.op);
}

template <class Form, class S, class R, class F, class C>
auto exscan(const Form& form, S&& send, R&& recv, const F& op, const C& comm)
{
    const call_on on{comm};
    const auto s = to_send<Form::later>(std::forward<S>(send));
    const auto r = to_receive(std::forward<R>(recv));
    const reduction by = reduction_of<typename decltype(r)::element_type>(op, r.type);
    return on.template run<exscan_call>(
        form, s.data, r.data, on.size(same_size(on, s, r, is_in_place<S>) * by.per_element), by.type, by.op);
}

/// A reduction of one value.  `root...`: a root, or nothing.
template <class Call, class Form, class T, class F, class C>
auto value_call(const Form& form, const T& value, T& result, const F& op, const C& comm, auto... root)
{
    const reduction by = reduction_of<T>(op, MPI_DATATYPE_NULL);
    const void* const sent = &value;
    void* const received = &result;
    return call_on{comm}.template run<Call>(form, sent, received,
                                            static_cast<typename call_on<C>::count>(by.per_element), by.type,
                                            by.op, root...);
}
template <class Call, class T, class F, class C>
future<T> value_future(const T& value, const F& op, const C& comm, auto... root)
{
    auto* const both = new typename future<T>::values{value, T{}};
    try {
        return {both, value_call<Call>(nonblocking{}, both->sent, both->received, op, comm, root...)};
    } catch (...) {
        delete both;
        throw;
    }
}

} // namespace detail

// --- barrier ---

/// Wait until all in-neighbors, or all processes, have come here.
template <communicator_like C>
void barrier(const C& comm)
{
    detail::barrier(detail::blocking{}, comm);
}
template <communicator_like C>
pending ibarrier(const C& comm)
{
    return detail::barrier(detail::nonblocking{}, comm);
}
template <communicator_like C>
operation barrier_init(const C& comm, const info& hints = {})
{
    return detail::barrier(detail::persistent{hints.get()}, comm);
}

// --- bcast ---

/// The root's buffer to its out-neighbors, or to all processes.
template <class B, communicator_like C>
void bcast(B&& buffer, int root, const C& comm)
{
    detail::bcast(detail::blocking{}, std::forward<B>(buffer), root, comm);
}
template <class B, communicator_like C>
pending ibcast(B&& buffer, int root, const C& comm)
{
    return detail::bcast(detail::nonblocking{}, std::forward<B>(buffer), root, comm);
}
template <class B, communicator_like C>
operation bcast_init(B&& buffer, int root, const C& comm, const info& hints = {})
{
    return detail::bcast(detail::persistent{hints.get()}, std::forward<B>(buffer), root, comm);
}

// --- gather ---

/// At the root one block from each in-neighbor, or process.  Elsewhere `recv` may be empty.
template <class S, class R, communicator_like C>
void gather(S&& send, R&& recv, int root, const C& comm)
{
    detail::gather(detail::blocking{}, std::forward<S>(send), std::forward<R>(recv), root, comm);
}
template <class S, class R, communicator_like C>
pending igather(S&& send, R&& recv, int root, const C& comm)
{
    return detail::gather(detail::nonblocking{}, std::forward<S>(send), std::forward<R>(recv), root, comm);
}
template <class S, class R, communicator_like C>
operation gather_init(S&& send, R&& recv, int root, const C& comm, const info& hints = {})
{
    return detail::gather(detail::persistent{hints.get()}, std::forward<S>(send), std::forward<R>(recv), root,
                          comm);
}

/// The same with blocks of different sizes; the lists may be empty where the root is not.
template <class S, class R, class N, communicator_like C>
void gather(S&& send, R&& recv, const N& counts, int root, const C& comm)
{
    detail::gather(detail::blocking{}, std::forward<S>(send), std::forward<R>(recv), counts, root, comm);
}
template <class S, class R, class N, communicator_like C>
pending igather(S&& send, R&& recv, const N& counts, int root, const C& comm)
{
    return detail::gather(detail::nonblocking{}, std::forward<S>(send), std::forward<R>(recv), counts, root,
                          comm);
}
template <class S, class R, class N, communicator_like C>
operation gather_init(S&& send, R&& recv, const N& counts, int root, const C& comm, const info& hints = {})
{
    return detail::gather(detail::persistent{hints.get()}, std::forward<S>(send), std::forward<R>(recv),
                          counts, root, comm);
}

/// The same with displacements, in elements.
template <class S, class R, class N, class P, communicator_like C>
void gather(S&& send, R&& recv, const N& counts, const P& displacements, int root, const C& comm)
{
    detail::gather(detail::blocking{}, std::forward<S>(send), std::forward<R>(recv), counts, displacements,
                   root, comm);
}
template <class S, class R, class N, class P, communicator_like C>
pending igather(S&& send, R&& recv, const N& counts, const P& displacements, int root, const C& comm)
{
    return detail::gather(detail::nonblocking{}, std::forward<S>(send), std::forward<R>(recv), counts,
                          displacements, root, comm);
}
template <class S, class R, class N, class P, communicator_like C>
operation gather_init(S&& send, R&& recv, const N& counts, const P& displacements, int root, const C& comm,
                      const info& hints = {})
{
    return detail::gather(detail::persistent{hints.get()}, std::forward<S>(send), std::forward<R>(recv),
                          counts, displacements, root, comm);
}

// --- scatter ---

/// The root's block i to its out-neighbor i, or to process i.  Elsewhere `send` may be empty.
template <class S, class R, communicator_like C>
void scatter(S&& send, R&& recv, int root, const C& comm)
{
    detail::scatter(detail::blocking{}, std::forward<S>(send), std::forward<R>(recv), root, comm);
}
template <class S, class R, communicator_like C>
pending iscatter(S&& send, R&& recv, int root, const C& comm)
{
    return detail::scatter(detail::nonblocking{}, std::forward<S>(send), std::forward<R>(recv), root, comm);
}
template <class S, class R, communicator_like C>
operation scatter_init(S&& send, R&& recv, int root, const C& comm, const info& hints = {})
{
    return detail::scatter(detail::persistent{hints.get()}, std::forward<S>(send), std::forward<R>(recv),
                           root, comm);
}

/// The same with blocks of different sizes; the lists may be empty where the root is not.
template <class S, class N, class R, communicator_like C>
void scatter(S&& send, const N& counts, R&& recv, int root, const C& comm)
{
    detail::scatter(detail::blocking{}, std::forward<S>(send), counts, std::forward<R>(recv), root, comm);
}
template <class S, class N, class R, communicator_like C>
pending iscatter(S&& send, const N& counts, R&& recv, int root, const C& comm)
{
    return detail::scatter(detail::nonblocking{}, std::forward<S>(send), counts, std::forward<R>(recv), root,
                           comm);
}
template <class S, class N, class R, communicator_like C>
operation scatter_init(S&& send, const N& counts, R&& recv, int root, const C& comm, const info& hints = {})
{
    return detail::scatter(detail::persistent{hints.get()}, std::forward<S>(send), counts,
                           std::forward<R>(recv), root, comm);
}

/// The same with displacements, in elements.
template <class S, class N, class P, class R, communicator_like C>
void scatter(S&& send, const N& counts, const P& displacements, R&& recv, int root, const C& comm)
{
    detail::scatter(detail::blocking{}, std::forward<S>(send), counts, displacements, std::forward<R>(recv),
                    root, comm);
}
template <class S, class N, class P, class R, communicator_like C>
pending iscatter(S&& send, const N& counts, const P& displacements, R&& recv, int root, const C& comm)
{
    return detail::scatter(detail::nonblocking{}, std::forward<S>(send), counts, displacements,
                           std::forward<R>(recv), root, comm);
}
template <class S, class N, class P, class R, communicator_like C>
operation scatter_init(S&& send, const N& counts, const P& displacements, R&& recv, int root, const C& comm,
                       const info& hints = {})
{
    return detail::scatter(detail::persistent{hints.get()}, std::forward<S>(send), counts, displacements,
                           std::forward<R>(recv), root, comm);
}

// --- allgather ---

/// The same block to every out-neighbor; one block from each in-neighbor, or process.
template <class S, class R, communicator_like C>
void allgather(S&& send, R&& recv, const C& comm)
{
    detail::allgather(detail::blocking{}, std::forward<S>(send), std::forward<R>(recv), comm);
}
template <class S, class R, communicator_like C>
pending iallgather(S&& send, R&& recv, const C& comm)
{
    return detail::allgather(detail::nonblocking{}, std::forward<S>(send), std::forward<R>(recv), comm);
}
template <class S, class R, communicator_like C>
operation allgather_init(S&& send, R&& recv, const C& comm, const info& hints = {})
{
    return detail::allgather(detail::persistent{hints.get()}, std::forward<S>(send), std::forward<R>(recv),
                             comm);
}

/// The same with blocks of different sizes.
template <class S, class R, class N, communicator_like C>
void allgather(S&& send, R&& recv, const N& counts, const C& comm)
{
    detail::allgather(detail::blocking{}, std::forward<S>(send), std::forward<R>(recv), counts, comm);
}
template <class S, class R, class N, communicator_like C>
pending iallgather(S&& send, R&& recv, const N& counts, const C& comm)
{
    return detail::allgather(detail::nonblocking{}, std::forward<S>(send), std::forward<R>(recv), counts,
                             comm);
}
template <class S, class R, class N, communicator_like C>
operation allgather_init(S&& send, R&& recv, const N& counts, const C& comm, const info& hints = {})
{
    return detail::allgather(detail::persistent{hints.get()}, std::forward<S>(send), std::forward<R>(recv),
                             counts, comm);
}

/// The same with displacements, in elements.
template <class S, class R, class N, class P, communicator_like C>
void allgather(S&& send, R&& recv, const N& counts, const P& displacements, const C& comm)
{
    detail::allgather(detail::blocking{}, std::forward<S>(send), std::forward<R>(recv), counts, displacements,
                      comm);
}
template <class S, class R, class N, class P, communicator_like C>
pending iallgather(S&& send, R&& recv, const N& counts, const P& displacements, const C& comm)
{
    return detail::allgather(detail::nonblocking{}, std::forward<S>(send), std::forward<R>(recv), counts,
                             displacements, comm);
}
template <class S, class R, class N, class P, communicator_like C>
operation allgather_init(S&& send, R&& recv, const N& counts, const P& displacements, const C& comm,
                         const info& hints = {})
{
    return detail::allgather(detail::persistent{hints.get()}, std::forward<S>(send), std::forward<R>(recv),
                             counts, displacements, comm);
}

/// The same with a datatype for each block, and displacements in bytes (MPI_Aint) from `recv`.
template <class S, class N, communicator_like C>
void allgather(S&& send, void* recv, const N& counts, std::span<const MPI_Aint> displacements,
               std::span<const MPI_Datatype> types, const C& comm)
{
    detail::allgather(detail::blocking{}, std::forward<S>(send), recv, counts, displacements, types, comm);
}
template <class S, class N, communicator_like C>
pending iallgather(S&& send, void* recv, const N& counts, std::span<const MPI_Aint> displacements,
                   std::span<const MPI_Datatype> types, const C& comm)
{
    return detail::allgather(detail::nonblocking{}, std::forward<S>(send), recv, counts, displacements, types,
                             comm);
}
template <class S, class N, communicator_like C>
operation allgather_init(S&& send, void* recv, const N& counts, std::span<const MPI_Aint> displacements,
                         std::span<const MPI_Datatype> types, const C& comm, const info& hints = {})
{
    return detail::allgather(detail::persistent{hints.get()}, std::forward<S>(send), recv, counts,
                             displacements, types, comm);
}

// --- alltoall ---

/// Block i to out-neighbor i, or to process i; one block from each in-neighbor, or process.
template <class S, class R, communicator_like C>
void alltoall(S&& send, R&& recv, const C& comm)
{
    detail::alltoall(detail::blocking{}, std::forward<S>(send), std::forward<R>(recv), comm);
}
template <class S, class R, communicator_like C>
pending ialltoall(S&& send, R&& recv, const C& comm)
{
    return detail::alltoall(detail::nonblocking{}, std::forward<S>(send), std::forward<R>(recv), comm);
}
template <class S, class R, communicator_like C>
operation alltoall_init(S&& send, R&& recv, const C& comm, const info& hints = {})
{
    return detail::alltoall(detail::persistent{hints.get()}, std::forward<S>(send), std::forward<R>(recv),
                            comm);
}

/// The same with blocks of different sizes.
template <class S, class N, class R, class M, communicator_like C>
void alltoall(S&& send, const N& sendcounts, R&& recv, const M& recvcounts, const C& comm)
{
    detail::alltoall(detail::blocking{}, std::forward<S>(send), sendcounts, std::forward<R>(recv), recvcounts,
                     comm);
}
template <class S, class N, class R, class M, communicator_like C>
pending ialltoall(S&& send, const N& sendcounts, R&& recv, const M& recvcounts, const C& comm)
{
    return detail::alltoall(detail::nonblocking{}, std::forward<S>(send), sendcounts, std::forward<R>(recv),
                            recvcounts, comm);
}
template <class S, class N, class R, class M, communicator_like C>
operation alltoall_init(S&& send, const N& sendcounts, R&& recv, const M& recvcounts, const C& comm,
                        const info& hints = {})
{
    return detail::alltoall(detail::persistent{hints.get()}, std::forward<S>(send), sendcounts,
                            std::forward<R>(recv), recvcounts, comm);
}

/// The same with displacements, in elements.
template <class S, class N, class P, class R, class M, class Q, communicator_like C>
void alltoall(S&& send, const N& sendcounts, const P& senddispls, R&& recv, const M& recvcounts,
              const Q& recvdispls, const C& comm)
{
    detail::alltoall(detail::blocking{}, std::forward<S>(send), sendcounts, senddispls, std::forward<R>(recv),
                     recvcounts, recvdispls, comm);
}
template <class S, class N, class P, class R, class M, class Q, communicator_like C>
pending ialltoall(S&& send, const N& sendcounts, const P& senddispls, R&& recv, const M& recvcounts,
                  const Q& recvdispls, const C& comm)
{
    return detail::alltoall(detail::nonblocking{}, std::forward<S>(send), sendcounts, senddispls,
                            std::forward<R>(recv), recvcounts, recvdispls, comm);
}
template <class S, class N, class P, class R, class M, class Q, communicator_like C>
operation alltoall_init(S&& send, const N& sendcounts, const P& senddispls, R&& recv, const M& recvcounts,
                        const Q& recvdispls, const C& comm, const info& hints = {})
{
    return detail::alltoall(detail::persistent{hints.get()}, std::forward<S>(send), sendcounts, senddispls,
                            std::forward<R>(recv), recvcounts, recvdispls, comm);
}

/// The same with a datatype for each block, and displacements in bytes (MPI_Aint) from `send` and `recv`.
template <class N, class M, communicator_like C>
void alltoall(const void* send, const N& sendcounts, std::span<const MPI_Aint> senddispls,
              std::span<const MPI_Datatype> sendtypes, void* recv, const M& recvcounts,
              std::span<const MPI_Aint> recvdispls, std::span<const MPI_Datatype> recvtypes, const C& comm)
{
    detail::alltoall(detail::blocking{}, send, sendcounts, senddispls, sendtypes, recv, recvcounts,
                     recvdispls, recvtypes, comm);
}
template <class N, class M, communicator_like C>
pending ialltoall(const void* send, const N& sendcounts, std::span<const MPI_Aint> senddispls,
                  std::span<const MPI_Datatype> sendtypes, void* recv, const M& recvcounts,
                  std::span<const MPI_Aint> recvdispls, std::span<const MPI_Datatype> recvtypes,
                  const C& comm)
{
    return detail::alltoall(detail::nonblocking{}, send, sendcounts, senddispls, sendtypes, recv, recvcounts,
                            recvdispls, recvtypes, comm);
}
template <class N, class M, communicator_like C>
operation alltoall_init(const void* send, const N& sendcounts, std::span<const MPI_Aint> senddispls,
                        std::span<const MPI_Datatype> sendtypes, void* recv, const M& recvcounts,
                        std::span<const MPI_Aint> recvdispls, std::span<const MPI_Datatype> recvtypes,
                        const C& comm, const info& hints = {})
{
    return detail::alltoall(detail::persistent{hints.get()}, send, sendcounts, senddispls, sendtypes, recv,
                            recvcounts, recvdispls, recvtypes, comm);
}

// --- reduce ---

/// At the root the reduction over its in-neighbors, or over all processes.  Elsewhere `recv` may be empty.
template <class S, class R, class F, communicator_like C>
void reduce(S&& send, R&& recv, const F& op, int root, const C& comm)
{
    detail::reduce(detail::blocking{}, std::forward<S>(send), std::forward<R>(recv), op, root, comm);
}
template <class S, class R, class F, communicator_like C>
pending ireduce(S&& send, R&& recv, const F& op, int root, const C& comm)
{
    return detail::reduce(detail::nonblocking{}, std::forward<S>(send), std::forward<R>(recv), op, root,
                          comm);
}
template <class S, class R, class F, communicator_like C>
operation reduce_init(S&& send, R&& recv, const F& op, int root, const C& comm, const info& hints = {})
{
    return detail::reduce(detail::persistent{hints.get()}, std::forward<S>(send), std::forward<R>(recv), op,
                          root, comm);
}

// --- allreduce ---

/// At each process the reduction over its in-neighbors, or over all processes.
template <class S, class R, class F, communicator_like C>
void allreduce(S&& send, R&& recv, const F& op, const C& comm)
{
    detail::allreduce(detail::blocking{}, std::forward<S>(send), std::forward<R>(recv), op, comm);
}
template <class S, class R, class F, communicator_like C>
pending iallreduce(S&& send, R&& recv, const F& op, const C& comm)
{
    return detail::allreduce(detail::nonblocking{}, std::forward<S>(send), std::forward<R>(recv), op, comm);
}
template <class S, class R, class F, communicator_like C>
operation allreduce_init(S&& send, R&& recv, const F& op, const C& comm, const info& hints = {})
{
    return detail::allreduce(detail::persistent{hints.get()}, std::forward<S>(send), std::forward<R>(recv),
                             op, comm);
}

// --- reduce_scatter ---

/// Block i to out-neighbor i, or process i; each reduces the blocks that it gets.
template <class S, class R, class F, communicator_like C>
void reduce_scatter(S&& send, R&& recv, const F& op, const C& comm)
{
    detail::reduce_scatter(detail::blocking{}, std::forward<S>(send), std::forward<R>(recv), op, comm);
}
template <class S, class R, class F, communicator_like C>
pending ireduce_scatter(S&& send, R&& recv, const F& op, const C& comm)
{
    return detail::reduce_scatter(detail::nonblocking{}, std::forward<S>(send), std::forward<R>(recv), op,
                                  comm);
}
template <class S, class R, class F, communicator_like C>
operation reduce_scatter_init(S&& send, R&& recv, const F& op, const C& comm, const info& hints = {})
{
    return detail::reduce_scatter(detail::persistent{hints.get()}, std::forward<S>(send),
                                  std::forward<R>(recv), op, comm);
}

/// The same with blocks of different sizes: sendcounts[i] elements for out-neighbor i, or process i.
template <class S, class N, class R, class F, communicator_like C>
void reduce_scatter(S&& send, const N& sendcounts, R&& recv, const F& op, const C& comm)
{
    detail::reduce_scatter(detail::blocking{}, std::forward<S>(send), sendcounts, std::forward<R>(recv), op,
                           comm);
}
template <class S, class N, class R, class F, communicator_like C>
pending ireduce_scatter(S&& send, const N& sendcounts, R&& recv, const F& op, const C& comm)
{
    return detail::reduce_scatter(detail::nonblocking{}, std::forward<S>(send), sendcounts,
                                  std::forward<R>(recv), op, comm);
}
template <class S, class N, class R, class F, communicator_like C>
operation reduce_scatter_init(S&& send, const N& sendcounts, R&& recv, const F& op, const C& comm,
                              const info& hints = {})
{
    return detail::reduce_scatter(detail::persistent{hints.get()}, std::forward<S>(send), sendcounts,
                                  std::forward<R>(recv), op, comm);
}

/// The same with displacements, in elements.
template <class S, class N, class P, class R, class F, communicator_like C>
void reduce_scatter(S&& send, const N& sendcounts, const P& senddispls, R&& recv, const F& op, const C& comm)
{
    detail::reduce_scatter(detail::blocking{}, std::forward<S>(send), sendcounts, senddispls,
                           std::forward<R>(recv), op, comm);
}
template <class S, class N, class P, class R, class F, communicator_like C>
pending ireduce_scatter(S&& send, const N& sendcounts, const P& senddispls, R&& recv, const F& op,
                        const C& comm)
{
    return detail::reduce_scatter(detail::nonblocking{}, std::forward<S>(send), sendcounts, senddispls,
                                  std::forward<R>(recv), op, comm);
}
template <class S, class N, class P, class R, class F, communicator_like C>
operation reduce_scatter_init(S&& send, const N& sendcounts, const P& senddispls, R&& recv, const F& op,
                              const C& comm, const info& hints = {})
{
    return detail::reduce_scatter(detail::persistent{hints.get()}, std::forward<S>(send), sendcounts,
                                  senddispls, std::forward<R>(recv), op, comm);
}

// --- scan ---

/// The reduction over the processes up to this one.  On graphs it is undefined.
template <class S, class R, class F, communicator_like C>
void scan(S&& send, R&& recv, const F& op, const C& comm)
{
    detail::scan(detail::blocking{}, std::forward<S>(send), std::forward<R>(recv), op, comm);
}
template <class S, class R, class F, communicator_like C>
pending iscan(S&& send, R&& recv, const F& op, const C& comm)
{
    return detail::scan(detail::nonblocking{}, std::forward<S>(send), std::forward<R>(recv), op, comm);
}
template <class S, class R, class F, communicator_like C>
operation scan_init(S&& send, R&& recv, const F& op, const C& comm, const info& hints = {})
{
    return detail::scan(detail::persistent{hints.get()}, std::forward<S>(send), std::forward<R>(recv), op,
                        comm);
}

// --- exscan ---

/// The reduction over the processes before this one; on the first `recv` is untouched.  On graphs it is
/// undefined.
template <class S, class R, class F, communicator_like C>
void exscan(S&& send, R&& recv, const F& op, const C& comm)
{
    detail::exscan(detail::blocking{}, std::forward<S>(send), std::forward<R>(recv), op, comm);
}
template <class S, class R, class F, communicator_like C>
pending iexscan(S&& send, R&& recv, const F& op, const C& comm)
{
    return detail::exscan(detail::nonblocking{}, std::forward<S>(send), std::forward<R>(recv), op, comm);
}
template <class S, class R, class F, communicator_like C>
operation exscan_init(S&& send, R&& recv, const F& op, const C& comm, const info& hints = {})
{
    return detail::exscan(detail::persistent{hints.get()}, std::forward<S>(send), std::forward<R>(recv), op,
                          comm);
}

// --- Reductions of one value -------------------------------------------------------------------------------

/// The reduction of a value, returned: over the in-neighbors, or over all processes.  T{} where there are
/// none.
template <element T, class F, communicator_like C>
T allreduce(const T& value, const F& op, const C& comm)
{
    T result{};
    detail::value_call<detail::allreduce_call>(detail::blocking{}, value, result, op, comm);
    return result;
}
template <element T, class F, communicator_like C>
future<T> iallreduce(const T& value, const F& op, const C& comm)
{
    return detail::value_future<detail::allreduce_call>(value, op, comm);
}

/// The same at the root.  T{} elsewhere.
template <element T, class F, communicator_like C>
T reduce(const T& value, const F& op, int root, const C& comm)
{
    T result{};
    detail::value_call<detail::reduce_call>(detail::blocking{}, value, result, op, comm, root);
    return result;
}
template <element T, class F, communicator_like C>
future<T> ireduce(const T& value, const F& op, int root, const C& comm)
{
    return detail::value_future<detail::reduce_call>(value, op, comm, root);
}

/// The reduction over the processes up to this one.
template <element T, class F, communicator_like C>
T scan(const T& value, const F& op, const C& comm)
{
    T result{};
    detail::value_call<detail::scan_call>(detail::blocking{}, value, result, op, comm);
    return result;
}
template <element T, class F, communicator_like C>
future<T> iscan(const T& value, const F& op, const C& comm)
{
    return detail::value_future<detail::scan_call>(value, op, comm);
}

/// The reduction over the processes before this one.  T{} on the first.
template <element T, class F, communicator_like C>
T exscan(const T& value, const F& op, const C& comm)
{
    T result{};
    detail::value_call<detail::exscan_call>(detail::blocking{}, value, result, op, comm);
    return result;
}
template <element T, class F, communicator_like C>
future<T> iexscan(const T& value, const F& op, const C& comm)
{
    return detail::value_future<detail::exscan_call>(value, op, comm);
}

template <class S, class R>
void operation::rebind(S&& send, R&& recv)
{
    const auto s = detail::to_send<true>(std::forward<S>(send));
    const auto r = detail::to_receive(std::forward<R>(recv));
    detail::check(ORTHO_Request_rebind(request_, s.data, r.data), comm_);
}
template <class B>
void operation::rebind(B&& buffer)
{
    const auto b = detail::to_receive(std::forward<B>(buffer));
    detail::check(ORTHO_Request_rebind(request_, nullptr, b.data), comm_);
}

template <class T>
T comm_ref::sum(const T& value) const
{
    T result{};
    detail::value_call<detail::allreduce_call>(detail::blocking{}, value, result, MPI_SUM, *this);
    return result;
}
template <class T>
T comm_ref::min(const T& value) const
{
    return allreduce(value, minimum{}, *this);
}
template <class T>
T comm_ref::max(const T& value) const
{
    return allreduce(value, maximum{}, *this);
}

} // namespace v0_2
} // namespace mpiortho

#endif
