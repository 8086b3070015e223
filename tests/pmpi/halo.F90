! SPDX-License-Identifier: BSD-3-Clause
! A plain Fortran program: a ring of processes exchanges blocks with its neighbors, blocking and not, and sends
! to one that is no neighbor.  Compiled with -DBINDING_MPIF, -DBINDING_MPI or -DBINDING_F08.
program halo
#ifdef BINDING_F08
    use mpi_f08
#endif
#ifdef BINDING_MPI
    use mpi
#endif
    implicit none
#ifdef BINDING_MPIF
    include 'mpif.h'
#endif
#ifdef BINDING_F08
    type(MPI_Comm) :: ring, graph
    type(MPI_Request) :: request
#else
    integer :: ring, graph, request
#endif
    integer :: me, size, ierror, wrong, i, next, before
    integer :: send(4), receive(4), counts(2), displacements(2), dims(1), sources(3), targets(3)
    logical :: periods(1)

    wrong = 0
    call MPI_Init(ierror)
    call MPI_Comm_rank(MPI_COMM_WORLD, me, ierror)
    call MPI_Comm_size(MPI_COMM_WORLD, size, ierror)
    next = mod(me + 1, size)
    before = mod(me + size - 1, size)
    dims = size
    periods = .true.
    call MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, .false., ring, ierror)
    counts = 1
    displacements = [0, 1]
    send(1:2) = [100 * me, 100 * me + 1]

    ! What goes to -1 comes from +1.
    receive = -1
    call MPI_Neighbor_alltoall(send, 1, MPI_INTEGER, receive, 1, MPI_INTEGER, ring, ierror)
    call expect('MPI_Neighbor_alltoall', 2, [100 * before + 1, 100 * next])
    receive = -1
    call MPI_Neighbor_alltoallv(send, counts, displacements, MPI_INTEGER, receive, counts, displacements, &
                                MPI_INTEGER, ring, ierror)
    call expect('MPI_Neighbor_alltoallv', 2, [100 * before + 1, 100 * next])
    receive = -1
    call MPI_Ineighbor_alltoallv(send, counts, displacements, MPI_INTEGER, receive, counts, displacements, &
                                 MPI_INTEGER, ring, request, ierror)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
    call expect('MPI_Ineighbor_alltoallv', 2, [100 * before + 1, 100 * next])
    receive = -1
    call MPI_Neighbor_allgather(send, 1, MPI_INTEGER, receive, 1, MPI_INTEGER, ring, ierror)
    call expect('MPI_Neighbor_allgather', 2, [100 * before, 100 * next])

    ! Three edges to one process: in their order.
    targets = next
    sources = before
    send(1:3) = [100 * me, 100 * me + 1, 100 * me + 2]
    call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 3, sources, MPI_UNWEIGHTED, 3, targets, MPI_UNWEIGHTED, &
                                        MPI_INFO_NULL, .false., graph, ierror)
    receive = -1
    call MPI_Neighbor_alltoall(send, 1, MPI_INTEGER, receive, 1, MPI_INTEGER, graph, ierror)
    call expect('MPI_Neighbor_alltoall on a graph', 3, [(100 * before + i, i = 0, 2)])
    receive = -1
    call MPI_Ineighbor_alltoall(send, 1, MPI_INTEGER, receive, 1, MPI_INTEGER, graph, request, ierror)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
    call expect('MPI_Ineighbor_alltoall on a graph', 3, [(100 * before + i, i = 0, 2)])

    ! Under ORTHO_STRICT=1 this is an error; there is an edge to the next process only.
    call MPI_Comm_set_errhandler(graph, MPI_ERRORS_RETURN, ierror)
    call MPI_Send(send, 0, MPI_INTEGER, before, 1, graph, ierror)
    if (ierror /= MPI_SUCCESS) then
        if (me == 0) print '(a)', 'refused'
    else
        call MPI_Recv(receive, 0, MPI_INTEGER, next, 1, graph, MPI_STATUS_IGNORE, ierror)
    end if

    call MPI_Comm_free(graph, ierror)
    call MPI_Comm_free(ring, ierror)
    i = wrong
    call MPI_Allreduce(i, wrong, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
    if (me == 0) print '(i0,a)', wrong, ' wrong'
    call MPI_Finalize(ierror)

contains

    subroutine expect(what, n, values)
        character(*), intent(in) :: what
        integer, intent(in) :: n, values(n)
        if (all(receive(1:n) == values) .and. all(receive(n + 1:) == -1)) return
        wrong = wrong + 1
        print '(2a,i0)', what, ': wrong on process ', me
    end subroutine expect

end program halo
