// SPDX-License-Identifier: BSD-3-Clause
// How the collectives of collectives.hpp call the C interface: a part of <mpiortho.hpp> that users need not
// know.
//
// Each overload has one function here, whose first argument is the form: blocking, non-blocking or
// persistent.  It finds out sizes, datatypes and operators, and gives them to the form, which calls the
// function of C.
#ifndef MPIORTHO_COLLECTIVE_CALLS_HPP
#define MPIORTHO_COLLECTIVE_CALLS_HPP

#include "buffer.hpp"
#include "op.hpp"
#include "request.hpp"

namespace mpiortho {
inline namespace MPIORTHO_NAMESPACE {
namespace detail {

// The functions of the C interface for each collective: blocking, non-blocking, persistent, and with large
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
            check_code(Call::now_large(a..., comm), comm);
        else
            check_code(Call::now(a..., comm), comm);
    }
};
struct nonblocking {
    static constexpr bool later = true;
    template <class Call, bool is_large>
    pending call(MPI_Comm comm, auto... a) const
    {
        ORTHO_Request request = ORTHO_REQUEST_NULL;
        if constexpr (is_large)
            check_code(Call::start_large(a..., comm, &request), comm);
        else
            check_code(Call::start(a..., comm, &request), comm);
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
            check_code(Call::prepare_large(a..., comm, info, &request), comm);
        else
            check_code(Call::prepare(a..., comm, info, &request), comm);
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
    const char* function; // of this interface, for errors
    mutable row_size sent{}, received{};

    call_on(const C& on, const char* name) noexcept : comm(on), function(name)
    {
        if constexpr (!std::is_base_of_v<comm_ref, C>) note_session(on);
    }
    MPI_Comm handle() const { return comm; }

    template <class Call, class Form>
    auto run(const Form& form, auto... a) const
    {
        if constexpr (std::is_same_v<Form, persistent>)
            return operation(form.template call<Call, is_large>(handle(), a...),
                             {sent.bytes(), received.bytes()});
        else
            return form.template call<Call, is_large>(handle(), a...);
    }

    count size(MPI_Count n) const
    {
        if constexpr (!is_large)
            if (n > 2147483647) [[unlikely]]
                fail_on(handle(), MPI_ERR_COUNT,
                        "mpiortho::%s: %lld elements are more than an int can count: pass large(comm)",
                        function, static_cast<long long>(n));
        return static_cast<count>(n);
    }
    /// Elements of one of `blocks` blocks.
    count per_block(MPI_Count n, int blocks, const char* buffer) const
    {
        if (blocks == 0) return 0;
        if (n % blocks != 0) [[unlikely]]
            fail_on(handle(), MPI_ERR_COUNT,
                    "mpiortho::%s: the %s buffer has %lld elements, which is no multiple of the %d blocks",
                    function, buffer, static_cast<long long>(n), blocks);
        return size(n / blocks);
    }
    /// The number of elements of one block where only the root has blocks: elsewhere any size will do.
    count per_block_at_root(MPI_Count n, int blocks, int root, const char* buffer) const
    {
        if (blocks == 0 || n == 0) return 0;
        if (n % blocks != 0 && is_root(root)) return per_block(n, blocks, buffer);
        return size(n / blocks);
    }
    /// Displacements of blocks that lie one after another; there are `n` elements of room.
    const place* packed(std::span<const count> counts, MPI_Count n, small_list<place>& places,
                        const char* buffer, int root = MPI_ROOT) const
    {
        MPI_Count sum = 0, last = 0; // where the last block begins
        for (std::size_t i = 0; i < counts.size(); ++i) {
            places[i] = static_cast<place>(sum);
            if (counts[i] > 0) last = sum;
            sum += counts[i];
        }
        if (sum > n && is_root(root)) [[unlikely]]
            too_small(n, sum, buffer);
        if (last > 2147483647 && is_root(root)) [[unlikely]]
            static_cast<void>(size(last));
        return places.data();
    }
    /// One count for each of `blocks` blocks.
    template <class L>
    std::span<const count> counts(const L& list, int blocks, const char* what, int root = MPI_ROOT) const
    {
        const auto result = list_of<count>(list);
        enough(result.size(), blocks, what, root);
        return result;
    }
    template <class L>
    const place* places(const L& list, int blocks, const char* what, int root = MPI_ROOT) const
    {
        const auto result = list_of<place>(list);
        enough(result.size(), blocks, what, root);
        return result.data();
    }
    template <class T, class L>
    const T* one_each(const L& list, int blocks, const char* what) const
    {
        const auto result = list_of<T>(list);
        enough(result.size(), blocks, what);
        return result.data();
    }
    void enough(std::size_t n, int blocks, const char* what, int root = MPI_ROOT) const
    {
        if (n < static_cast<std::size_t>(blocks) && is_root(root)) [[unlikely]]
            fail_on(handle(), MPI_ERR_COUNT, "mpiortho::%s: %s has %zu entries for %d blocks", function, what,
                    n, blocks);
    }
    [[noreturn]] void too_small(MPI_Count n, MPI_Count wanted, const char* buffer) const
    {
        fail_on(handle(), MPI_ERR_TRUNCATE,
                "mpiortho::%s: the %s buffer has %lld elements, and its blocks have %lld", function, buffer,
                static_cast<long long>(n), static_cast<long long>(wanted));
    }
    int rank() const
    {
        int result = 0;
        require_mpi(handle(), "MPI_Comm_rank");
        check_mpi(MPI_Comm_rank(handle(), &result), handle(), "MPI_Comm_rank");
        return result;
    }
    /// Is this process the root?  MPI_ROOT stands for this process.  On an inter-communicator another root is
    /// a rank of the other group.
    bool is_root(int root) const
    {
        if (root == MPI_ROOT) return true;
        return root == rank() && look_at(comm).topology() != topology::inter;
    }
};

/// How many elements both buffers of a reduction have.
template <class C, class S, class R>
MPI_Count same_size(const call_on<C>& on, const S& s, const R& r, bool in_place)
{
    if (!in_place && s.count != r.count) [[unlikely]]
        fail_on(on.handle(), MPI_ERR_COUNT,
                "mpiortho::%s: the send buffer has %lld elements, the receive buffer %lld", on.function,
                static_cast<long long>(s.count), static_cast<long long>(r.count));
    return r.count;
}

/// Into how many blocks a result is cut.  On an inter-communicator the processes of this group have one each.
inline int scattered_blocks(const comm_ref& comm)
{
    return comm.topology() == topology::inter ? comm.size() : comm.out_blocks();
}

/// A reduction has one datatype for both buffers.  A buffer in place, and an empty one, may have none.
template <class On>
void require_same_layout(const On& on, MPI_Datatype sent, MPI_Datatype received)
{
    if (sent == received || sent == MPI_DATATYPE_NULL || received == MPI_DATATYPE_NULL) return;
    int sizes[2] = {};
    MPI_Aint lower[2] = {}, extents[2] = {};
    MPI_Type_size(sent, &sizes[0]);
    MPI_Type_size(received, &sizes[1]);
    MPI_Type_get_extent(sent, &lower[0], &extents[0]);
    MPI_Type_get_extent(received, &lower[1], &extents[1]);
    if (sizes[0] != sizes[1] || extents[0] != extents[1])
        fail_on(on.handle(), MPI_ERR_TYPE,
                "mpiortho::%s: the send and receive buffers of a reduction have different datatypes",
                on.function);
}

/// Finds MPI's operator and datatype for F on the elements of the buffers of a reduction.
template <class On, class S, class R, class F>
reduction reduction_of(const On& on, const S& s, const R& r, const F& op)
{
    require_same_order(on, s, r);
    using T = typename R::element_type;
    static_assert(same_elements<typename S::element_type, T>,
                  "mpiortho: the buffers have different element types");
    if constexpr (std::is_void_v<typename S::element_type> || std::is_void_v<T>)
        require_same_layout(on, s.type, r.type);
    if constexpr (std::is_void_v<T>) {
        static_assert(std::is_convertible_v<F, MPI_Op>,
                      "mpiortho: for a buffer whose element type is not known the operator is an MPI_Op");
        return {op, r.type, 1};
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
    const call_on on{comm, __func__};
    const auto b = to_receive(on, std::forward<B>(buffer));
    return on.template run<bcast_call>(form, b.data, on.size(b.count), b.type, root);
}

template <class Form, class S, class R, class C>
auto gather(const Form& form, S&& send, R&& recv, int root, const C& comm)
{
    const call_on on{comm, __func__};
    const auto s = to_send<Form::later>(on, std::forward<S>(send));
    const auto r = to_receive(on, std::forward<R>(recv));
    require_same_elements(on, s, r);
    return on.template run<gather_call>(
        form, s.data, on.size(s.count), s.type, r.data,
        on.per_block_at_root(r.count, look_at(comm).in_blocks(), root, "receive"), r.type, root);
}

template <class Form, class S, class R, class N, class C>
auto gather(const Form& form, S&& send, R&& recv, const N& counts, int root, const C& comm)
{
    const call_on on{comm, __func__};
    const auto s = to_send<Form::later>(on, std::forward<S>(send));
    const auto r = to_receive(on, std::forward<R>(recv));
    require_same_elements(on, s, r);
    const auto list = on.counts(counts, look_at(comm).in_blocks(), "the list of counts", root);
    small_list<typename call_on<C>::place> places(list.size());
    return on.template run<gatherv_call>(form, s.data, on.size(s.count), s.type, r.data, list.data(),
                                         on.packed(list, r.count, places, "receive", root), r.type, root);
}

template <class Form, class S, class R, class N, class P, class C>
auto gather(const Form& form, S&& send, R&& recv, const N& counts, const P& displacements, int root,
            const C& comm)
{
    const call_on on{comm, __func__};
    const auto s = to_send<Form::later>(on, std::forward<S>(send));
    const auto r = to_receive(on, std::forward<R>(recv));
    require_same_elements(on, s, r);
    const int blocks = look_at(comm).in_blocks();
    return on.template run<gatherv_call>(form, s.data, on.size(s.count), s.type, r.data,
                                         on.counts(counts, blocks, "the list of counts", root).data(),
                                         on.places(displacements, blocks, "the list of displacements", root),
                                         r.type, root);
}

template <class Form, class S, class R, class C>
auto scatter(const Form& form, S&& send, R&& recv, int root, const C& comm)
{
    const call_on on{comm, __func__};
    const auto s = to_send<Form::later>(on, std::forward<S>(send));
    const auto r = to_receive(on, std::forward<R>(recv));
    require_same_elements(on, s, r);
    return on.template run<scatter_call>(
        form, s.data, on.per_block_at_root(s.count, look_at(comm).out_blocks(), root, "send"), s.type, r.data,
        on.size(r.count), r.type, root);
}

template <class Form, class S, class N, class R, class C>
auto scatter(const Form& form, S&& send, const N& counts, R&& recv, int root, const C& comm)
{
    const call_on on{comm, __func__};
    const auto s = to_send<Form::later>(on, std::forward<S>(send));
    const auto r = to_receive(on, std::forward<R>(recv));
    require_same_elements(on, s, r);
    const auto list = on.counts(counts, look_at(comm).out_blocks(), "the list of counts", root);
    small_list<typename call_on<C>::place> places(list.size());
    return on.template run<scatterv_call>(form, s.data, list.data(),
                                          on.packed(list, s.count, places, "send", root), s.type, r.data,
                                          on.size(r.count), r.type, root);
}

template <class Form, class S, class N, class P, class R, class C>
auto scatter(const Form& form, S&& send, const N& counts, const P& displacements, R&& recv, int root,
             const C& comm)
{
    const call_on on{comm, __func__};
    const auto s = to_send<Form::later>(on, std::forward<S>(send));
    const auto r = to_receive(on, std::forward<R>(recv));
    require_same_elements(on, s, r);
    const int blocks = look_at(comm).out_blocks();
    return on.template run<scatterv_call>(form, s.data,
                                          on.counts(counts, blocks, "the list of counts", root).data(),
                                          on.places(displacements, blocks, "the list of displacements", root),
                                          s.type, r.data, on.size(r.count), r.type, root);
}

template <class Form, class S, class R, class C>
auto allgather(const Form& form, S&& send, R&& recv, const C& comm)
{
    const call_on on{comm, __func__};
    const auto s = to_send<Form::later>(on, std::forward<S>(send));
    const auto r = to_receive(on, std::forward<R>(recv));
    require_same_elements(on, s, r);
    return on.template run<allgather_call>(form, s.data, on.size(s.count), s.type, r.data,
                                           on.per_block(r.count, look_at(comm).in_blocks(), "receive"),
                                           r.type);
}

template <class Form, class S, class R, class N, class C>
auto allgather(const Form& form, S&& send, R&& recv, const N& counts, const C& comm)
{
    const call_on on{comm, __func__};
    const auto s = to_send<Form::later>(on, std::forward<S>(send));
    const auto r = to_receive(on, std::forward<R>(recv));
    require_same_elements(on, s, r);
    const auto list = on.counts(counts, look_at(comm).in_blocks(), "the list of counts");
    small_list<typename call_on<C>::place> places(list.size());
    return on.template run<allgatherv_call>(form, s.data, on.size(s.count), s.type, r.data, list.data(),
                                            on.packed(list, r.count, places, "receive"), r.type);
}

template <class Form, class S, class R, class N, class P, class C>
auto allgather(const Form& form, S&& send, R&& recv, const N& counts, const P& displacements, const C& comm)
{
    const call_on on{comm, __func__};
    const auto s = to_send<Form::later>(on, std::forward<S>(send));
    const auto r = to_receive(on, std::forward<R>(recv));
    require_same_elements(on, s, r);
    const int blocks = look_at(comm).in_blocks();
    return on.template run<allgatherv_call>(form, s.data, on.size(s.count), s.type, r.data,
                                            on.counts(counts, blocks, "the list of counts").data(),
                                            on.places(displacements, blocks, "the list of displacements"),
                                            r.type);
}

template <class Form, class S, class N, class C>
auto allgather(const Form& form, S&& send, void* recv, const N& counts,
               row_span<const MPI_Aint> displacements, row_span<const MPI_Datatype> types, const C& comm)
{
    const call_on on{comm, __func__};
    const auto s = to_send<Form::later>(on, std::forward<S>(send));
    const int blocks = look_at(comm).in_blocks();
    return on.template run<allgatherw_call>(
        form, s.data, on.size(s.count), s.type, recv, on.counts(counts, blocks, "the list of counts").data(),
        on.template one_each<MPI_Aint>(displacements, blocks, "the list of displacements"),
        on.template one_each<MPI_Datatype>(types, blocks, "the list of datatypes"));
}

template <class Form, class S, class R, class C>
auto alltoall(const Form& form, S&& send, R&& recv, const C& comm)
{
    const call_on on{comm, __func__};
    const auto s = to_send<Form::later>(on, std::forward<S>(send));
    const auto r = to_receive(on, std::forward<R>(recv));
    require_same_elements(on, s, r);
    const auto blocks = look_at(comm);
    return on.template run<alltoall_call>(form, s.data, on.per_block(s.count, blocks.out_blocks(), "send"),
                                          s.type, r.data,
                                          on.per_block(r.count, blocks.in_blocks(), "receive"), r.type);
}

template <class Form, class S, class N, class R, class M, class C>
auto alltoall(const Form& form, S&& send, const N& sendcounts, R&& recv, const M& recvcounts, const C& comm)
{
    const call_on on{comm, __func__};
    const auto s = to_send<Form::later>(on, std::forward<S>(send));
    const auto r = to_receive(on, std::forward<R>(recv));
    require_same_elements(on, s, r);
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
    const call_on on{comm, __func__};
    const auto s = to_send<Form::later>(on, std::forward<S>(send));
    const auto r = to_receive(on, std::forward<R>(recv));
    require_same_elements(on, s, r);
    const auto blocks = look_at(comm);
    const int out = is_in_place<S> ? 0 : blocks.out_blocks();
    return on.template run<alltoallv_call>(
        form, s.data, on.counts(sendcounts, out, "the list of send counts").data(),
        on.places(senddispls, out, "the list of send displacements"), s.type, r.data,
        on.counts(recvcounts, blocks.in_blocks(), "the list of receive counts").data(),
        on.places(recvdispls, blocks.in_blocks(), "the list of receive displacements"), r.type);
}

template <class Form, class N, class M, class C>
auto alltoall(const Form& form, const void* send, const N& sendcounts, row_span<const MPI_Aint> senddispls,
              row_span<const MPI_Datatype> sendtypes, void* recv, const M& recvcounts,
              row_span<const MPI_Aint> recvdispls, row_span<const MPI_Datatype> recvtypes, const C& comm)
{
    const call_on on{comm, __func__};
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
    const call_on on{comm, __func__};
    const auto s = to_send<Form::later>(on, std::forward<S>(send));
    const auto r = to_receive(on, std::forward<R>(recv));
    const reduction by = reduction_of(on, s, r, op);
    const MPI_Count n = r.count == 0 ? s.count : same_size(on, s, r, is_in_place<S>);
    return on.template run<reduce_call>(form, s.data, r.data, on.size(n * by.per_element), by.type, by.op,
                                        root);
}

/// A reduction whose buffers have the same number of elements: an allreduce, a scan, an exscan.
template <class Call, class Form, class S, class R, class F, class C>
auto reduction_call(const Form& form, S&& send, R&& recv, const F& op, const C& comm)
{
    const call_on on{comm, __func__};
    const auto s = to_send<Form::later>(on, std::forward<S>(send));
    const auto r = to_receive(on, std::forward<R>(recv));
    const reduction by = reduction_of(on, s, r, op);
    return on.template run<Call>(
        form, s.data, r.data, on.size(same_size(on, s, r, is_in_place<S>) * by.per_element), by.type, by.op);
}

template <class Form, class S, class R, class F, class C>
auto reduce_scatter(const Form& form, S&& send, R&& recv, const F& op, const C& comm)
{
    const call_on on{comm, __func__};
    const auto s = to_send<Form::later>(on, std::forward<S>(send));
    const auto r = to_receive(on, std::forward<R>(recv));
    const reduction by = reduction_of(on, s, r, op);
    const int blocks = scattered_blocks(look_at(comm));
    const MPI_Count n = is_in_place<S> ? on.per_block(r.count, blocks, "receive") : r.count;
    if (!is_in_place<S> && s.count != n * blocks) [[unlikely]]
        fail_on(on.handle(), MPI_ERR_COUNT, "mpiortho::%s: the send buffer has %lld elements, not %lld",
                on.function, static_cast<long long>(s.count), static_cast<long long>(n * blocks));
    return on.template run<reduce_scatter_block_call>(form, s.data, r.data, on.size(n * by.per_element),
                                                      by.type, by.op);
}

template <class Form, class S, class N, class R, class F, class C>
auto reduce_scatter(const Form& form, S&& send, const N& sendcounts, R&& recv, const F& op, const C& comm)
{
    const call_on on{comm, __func__};
    using on_type = call_on<C>;
    const auto s = to_send<Form::later>(on, std::forward<S>(send));
    const auto r = to_receive(on, std::forward<R>(recv));
    const reduction by = reduction_of(on, s, r, op);
    const auto blocks = look_at(comm);
    const auto given = on.counts(sendcounts, scattered_blocks(blocks), "the list of send counts");
    small_list<typename on_type::count> scaled(given.size());
    for (std::size_t i = 0; i < given.size(); ++i) scaled[i] = on.size(given[i] * by.per_element);
    const std::span<const typename on_type::count> list(scaled.data(), given.size());
    // On a full communicator the processes' counts are the lengths of the blocks: MPI's own call.
    if (blocks.topology() != topology::graph) {
        MPI_Count all = 0;
        for (int i = 0; i < scattered_blocks(blocks); ++i) all += given[static_cast<std::size_t>(i)];
        const bool all_here = is_in_place<S> || all == 0;
        const MPI_Count received = all_here ? all : given[static_cast<std::size_t>(on.rank())];
        if (!is_in_place<S> && s.count < all) [[unlikely]]
            on.too_small(s.count, all, "send");
        if (r.count < received) [[unlikely]]
            on.too_small(r.count, received, "receive");
        return on.template run<reduce_scatter_call>(form, s.data, r.data, list.data(), by.type, by.op);
    }
    small_list<typename on_type::place> places(list.size());
    return on.template run<reduce_scatterv_call>(form, s.data, list.data(),
                                                 on.packed(list, s.count * by.per_element, places, "send"),
                                                 r.data, on.size(r.count * by.per_element), by.type, by.op);
}

template <class Form, class S, class N, class P, class R, class F, class C>
auto reduce_scatter(const Form& form, S&& send, const N& sendcounts, const P& senddispls, R&& recv,
                    const F& op, const C& comm)
{
    const call_on on{comm, __func__};
    using on_type = call_on<C>;
    const auto s = to_send<Form::later>(on, std::forward<S>(send));
    const auto r = to_receive(on, std::forward<R>(recv));
    const reduction by = reduction_of(on, s, r, op);
    const int blocks = look_at(comm).out_blocks();
    const auto given = on.counts(sendcounts, blocks, "the list of send counts");
    const auto* const places = on.places(senddispls, blocks, "the list of send displacements");
    small_list<typename on_type::count> scaled(given.size());
    small_list<typename on_type::place> scaled_places(given.size());
    for (std::size_t i = 0; i < static_cast<std::size_t>(blocks); ++i) {
        scaled[i] = on.size(given[i] * by.per_element);
        scaled_places[i] = on.size(places[i] * by.per_element);
    }
    return on.template run<reduce_scatterv_call>(form, s.data, scaled.data(), scaled_places.data(), r.data,
                                                 on.size(r.count * by.per_element), by.type, by.op);
}

/// A reduction of one value.  `root...`: a root, or nothing.
template <class Call, class Form, class T, class F, class C>
auto value_call(const Form& form, const T& value, T& result, const F& op, const C& comm, auto... root)
{
    const reduction by = reduce_by<F, T>(op);
    const void* const sent = &value;
    void* const received = &result;
    return call_on{comm, __func__}.template run<Call>(form, sent, received,
                                                      static_cast<typename call_on<C>::count>(by.per_element),
                                                      by.type, by.op, root...);
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
} // namespace MPIORTHO_NAMESPACE
} // namespace mpiortho

#endif
