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

#include "collective_calls.hpp"

namespace mpiortho {
inline namespace MPIORTHO_NAMESPACE {

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

/// Gathers blocks of different sizes; the lists may be empty where the root is not.
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

/// Gathers blocks with displacements, in elements.
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

/// Scatters blocks of different sizes; the lists may be empty where the root is not.
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

/// Scatters blocks with displacements, in elements.
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

/// allgather() with blocks of different sizes.
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

/// allgather() with displacements, in elements.
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

/// allgather() with a datatype for each block, and displacements in bytes (MPI_Aint) from `recv`.
template <class S, class N, communicator_like C>
void allgather(S&& send, void* recv, const N& counts, detail::row_span<const MPI_Aint> displacements,
               detail::row_span<const MPI_Datatype> types, const C& comm)
{
    detail::allgather(detail::blocking{}, std::forward<S>(send), recv, counts, displacements, types, comm);
}
template <class S, class N, communicator_like C>
pending iallgather(S&& send, void* recv, const N& counts, detail::row_span<const MPI_Aint> displacements,
                   detail::row_span<const MPI_Datatype> types, const C& comm)
{
    return detail::allgather(detail::nonblocking{}, std::forward<S>(send), recv, counts, displacements, types,
                             comm);
}
template <class S, class N, communicator_like C>
operation allgather_init(S&& send, void* recv, const N& counts,
                         detail::row_span<const MPI_Aint> displacements,
                         detail::row_span<const MPI_Datatype> types, const C& comm, const info& hints = {})
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

/// alltoall() with blocks of different sizes.
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

/// alltoall() with displacements, in elements.
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

/// alltoall() with a datatype for each block, and displacements in bytes (MPI_Aint) from `send` and `recv`.
template <class N, class M, communicator_like C>
void alltoall(const void* send, const N& sendcounts, detail::row_span<const MPI_Aint> senddispls,
              detail::row_span<const MPI_Datatype> sendtypes, void* recv, const M& recvcounts,
              detail::row_span<const MPI_Aint> recvdispls, detail::row_span<const MPI_Datatype> recvtypes,
              const C& comm)
{
    detail::alltoall(detail::blocking{}, send, sendcounts, senddispls, sendtypes, recv, recvcounts,
                     recvdispls, recvtypes, comm);
}
template <class N, class M, communicator_like C>
pending ialltoall(const void* send, const N& sendcounts, detail::row_span<const MPI_Aint> senddispls,
                  detail::row_span<const MPI_Datatype> sendtypes, void* recv, const M& recvcounts,
                  detail::row_span<const MPI_Aint> recvdispls, detail::row_span<const MPI_Datatype> recvtypes,
                  const C& comm)
{
    return detail::alltoall(detail::nonblocking{}, send, sendcounts, senddispls, sendtypes, recv, recvcounts,
                            recvdispls, recvtypes, comm);
}
template <class N, class M, communicator_like C>
operation alltoall_init(const void* send, const N& sendcounts, detail::row_span<const MPI_Aint> senddispls,
                        detail::row_span<const MPI_Datatype> sendtypes, void* recv, const M& recvcounts,
                        detail::row_span<const MPI_Aint> recvdispls,
                        detail::row_span<const MPI_Datatype> recvtypes, const C& comm, const info& hints = {})
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

// On a grid or another graph: say over whom.
template <class S, class R, class F, graph_like C>
MPIORTHO_SAYS_NOT_WHO void reduce(S&& send, R&& recv, const F& op, int root, const C& comm)
{
    reduce(std::forward<S>(send), std::forward<R>(recv), op, root, comm.neighbors());
}
template <class S, class R, class F, graph_like C>
MPIORTHO_SAYS_NOT_WHO pending ireduce(S&& send, R&& recv, const F& op, int root, const C& comm)
{
    return ireduce(std::forward<S>(send), std::forward<R>(recv), op, root, comm.neighbors());
}
template <class S, class R, class F, graph_like C>
MPIORTHO_SAYS_NOT_WHO operation reduce_init(S&& send, R&& recv, const F& op, int root, const C& comm,
                                            const info& hints = {})
{
    return reduce_init(std::forward<S>(send), std::forward<R>(recv), op, root, comm.neighbors(), hints);
}

// --- allreduce ---

/// At each process the reduction over its in-neighbors, or over all processes.
template <class S, class R, class F, communicator_like C>
void allreduce(S&& send, R&& recv, const F& op, const C& comm)
{
    detail::reduction_call<detail::allreduce_call>(detail::blocking{}, std::forward<S>(send),
                                                   std::forward<R>(recv), op, comm);
}
template <class S, class R, class F, communicator_like C>
pending iallreduce(S&& send, R&& recv, const F& op, const C& comm)
{
    return detail::reduction_call<detail::allreduce_call>(detail::nonblocking{}, std::forward<S>(send),
                                                          std::forward<R>(recv), op, comm);
}
template <class S, class R, class F, communicator_like C>
operation allreduce_init(S&& send, R&& recv, const F& op, const C& comm, const info& hints = {})
{
    return detail::reduction_call<detail::allreduce_call>(
        detail::persistent{hints.get()}, std::forward<S>(send), std::forward<R>(recv), op, comm);
}

// On a grid or another graph: say over whom.
template <class S, class R, class F, graph_like C>
MPIORTHO_SAYS_NOT_WHO void allreduce(S&& send, R&& recv, const F& op, const C& comm)
{
    allreduce(std::forward<S>(send), std::forward<R>(recv), op, comm.neighbors());
}
template <class S, class R, class F, graph_like C>
MPIORTHO_SAYS_NOT_WHO pending iallreduce(S&& send, R&& recv, const F& op, const C& comm)
{
    return iallreduce(std::forward<S>(send), std::forward<R>(recv), op, comm.neighbors());
}
template <class S, class R, class F, graph_like C>
MPIORTHO_SAYS_NOT_WHO operation allreduce_init(S&& send, R&& recv, const F& op, const C& comm,
                                               const info& hints = {})
{
    return allreduce_init(std::forward<S>(send), std::forward<R>(recv), op, comm.neighbors(), hints);
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

/// reduce_scatter() with blocks of different sizes: sendcounts[i] elements for out-neighbor i, or process i.
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

/// reduce_scatter() with displacements, in elements.
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
    detail::reduction_call<detail::scan_call>(detail::blocking{}, std::forward<S>(send),
                                              std::forward<R>(recv), op, comm);
}
template <class S, class R, class F, communicator_like C>
pending iscan(S&& send, R&& recv, const F& op, const C& comm)
{
    return detail::reduction_call<detail::scan_call>(detail::nonblocking{}, std::forward<S>(send),
                                                     std::forward<R>(recv), op, comm);
}
template <class S, class R, class F, communicator_like C>
operation scan_init(S&& send, R&& recv, const F& op, const C& comm, const info& hints = {})
{
    return detail::reduction_call<detail::scan_call>(detail::persistent{hints.get()}, std::forward<S>(send),
                                                     std::forward<R>(recv), op, comm);
}

// --- exscan ---

/// The reduction over the processes before this one; on the first `recv` is untouched.  On graphs it is
/// undefined.
template <class S, class R, class F, communicator_like C>
void exscan(S&& send, R&& recv, const F& op, const C& comm)
{
    detail::reduction_call<detail::exscan_call>(detail::blocking{}, std::forward<S>(send),
                                                std::forward<R>(recv), op, comm);
}
template <class S, class R, class F, communicator_like C>
pending iexscan(S&& send, R&& recv, const F& op, const C& comm)
{
    return detail::reduction_call<detail::exscan_call>(detail::nonblocking{}, std::forward<S>(send),
                                                       std::forward<R>(recv), op, comm);
}
template <class S, class R, class F, communicator_like C>
operation exscan_init(S&& send, R&& recv, const F& op, const C& comm, const info& hints = {})
{
    return detail::reduction_call<detail::exscan_call>(detail::persistent{hints.get()}, std::forward<S>(send),
                                                       std::forward<R>(recv), op, comm);
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

/// The result of the reduction at the root.  T{} elsewhere.
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

// On a grid or another graph: say over whom.
template <element T, class F, graph_like C>
MPIORTHO_SAYS_NOT_WHO T allreduce(const T& value, const F& op, const C& comm)
{
    return allreduce(value, op, comm.neighbors());
}
template <element T, class F, graph_like C>
MPIORTHO_SAYS_NOT_WHO future<T> iallreduce(const T& value, const F& op, const C& comm)
{
    return iallreduce(value, op, comm.neighbors());
}
template <element T, class F, graph_like C>
MPIORTHO_SAYS_NOT_WHO T reduce(const T& value, const F& op, int root, const C& comm)
{
    return reduce(value, op, root, comm.neighbors());
}
template <element T, class F, graph_like C>
MPIORTHO_SAYS_NOT_WHO future<T> ireduce(const T& value, const F& op, int root, const C& comm)
{
    return ireduce(value, op, root, comm.neighbors());
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

template <class Described>
void operation::require_room(const Described& buffer, MPI_Count had, const char* which) const
{
    if (const MPI_Count has = detail::row_size{buffer.count, buffer.type}.bytes(); has < had)
        detail::fail_on(comm_, MPI_ERR_BUFFER,
                        "mpiortho::operation::rebind: the %s buffer has %lld bytes, and had %lld when the "
                        "operation was prepared",
                        which, static_cast<long long>(has), static_cast<long long>(had));
}
template <class S, class R>
void operation::rebind(S&& send, R&& recv)
{
    const auto s = detail::to_send<true>(detail::caller{comm_, "operation::rebind"}, std::forward<S>(send));
    const auto r = detail::to_receive(detail::caller{comm_, "operation::rebind"}, std::forward<R>(recv));
    if (s.data != MPI_IN_PLACE) require_room(s, bytes_.send, "send");
    require_room(r, bytes_.receive, "receive");
    detail::check_code(ORTHO_Request_rebind(request_, s.data, r.data), comm_);
}
template <class B>
void operation::rebind(B&& buffer)
{
    const auto b = detail::to_receive(detail::caller{comm_, "operation::rebind"}, std::forward<B>(buffer));
    require_room(b, bytes_.receive, "receive");
    detail::check_code(ORTHO_Request_rebind(request_, nullptr, b.data), comm_);
}

template <class T>
T comm_ref::sum(const T& value) const
{
    T result{};
    detail::value_call<detail::allreduce_call>(detail::blocking{}, value, result, MPI_SUM, *this);
    return result;
}
template <class T>
T comm_ref::min MPIORTHO_NO_MACRO(const T& value) const
{
    return allreduce(value, minimum{}, *this);
}
template <class T>
T comm_ref::max MPIORTHO_NO_MACRO(const T& value) const
{
    return allreduce(value, maximum{}, *this);
}

} // namespace MPIORTHO_NAMESPACE
} // namespace mpiortho

#endif
