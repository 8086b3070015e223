! SPDX-License-Identifier: BSD-3-Clause
! A plain Fortran program: a ring of processes exchanges blocks with its neighbors, blocking and not, and
! sends to one that is no neighbor.  With the argument `unify` collectives on a graph are to mean the
! neighborhood.
program halo
#include "binding.inc"
    COMM :: ring, graph, gaps, weighted, part
    WINDOW :: window
    integer(MPI_ADDRESS_KIND) :: bytes, place
    integer, asynchronous :: memory(4)
    REQUEST :: request, requests(4)
    STATUS :: status
    integer :: several(2, 3), places(4), done, way, index
    logical :: flag, unify
    character(8) :: argument
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

    ! Data that goes to -1 comes from +1.
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

    ! A place in the lists without an edge stays there.
    call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, [MPI_PROC_NULL, before], MPI_UNWEIGHTED, 2, &
                                        [next, MPI_PROC_NULL], MPI_UNWEIGHTED, MPI_INFO_NULL, .false., gaps, ierror)
    call MPI_Dist_graph_neighbors_count(gaps, counts(1), counts(2), flag, ierror)
    call MPI_Dist_graph_neighbors(gaps, 2, sources, MPI_UNWEIGHTED, 2, targets, MPI_UNWEIGHTED, ierror)
    receive(1:4) = [counts, sources(2), targets(1)]
    call expect('MPI_Dist_graph_neighbors', 4, [2, 2, before, next])
    call MPI_Dist_graph_create(MPI_COMM_WORLD, 1, [me], [1], [next], [7], MPI_INFO_NULL, .false., weighted, ierror)
    call MPI_Dist_graph_neighbors_count(weighted, counts(1), counts(2), flag, ierror)
    call MPI_Dist_graph_neighbors(weighted, 1, sources, several(:, 1), 1, targets, several(:, 2), ierror)
    receive(1:4) = [counts, several(1, 1), several(1, 2)]
    if (.not. flag) receive(1) = -1
    call expect('MPI_Dist_graph_create', 4, [1, 1, 7, 7])
    counts = 1

    ! Several at once, among which a message of its own, completed in each of MPI's ways.
    do way = 1, 8
        several = -1
        receive = -1
        call MPI_Irecv(receive(4), 1, MPI_INTEGER, before, 2, MPI_COMM_WORLD, requests(2), ierror)
        call MPI_Ineighbor_alltoall(send, 1, MPI_INTEGER, receive, 1, MPI_INTEGER, graph, requests(1), ierror)
        call MPI_Ineighbor_alltoall(send, 1, MPI_INTEGER, several, 1, MPI_INTEGER, ring, requests(3), ierror)
        call MPI_Isend(me, 1, MPI_INTEGER, next, 2, MPI_COMM_WORLD, requests(4), ierror)
        flag = .false.
        select case (way)
        case (1)
            call MPI_Waitall(4, requests, MPI_STATUSES_IGNORE, ierror)
        case (2)
            do i = 1, 4
                call MPI_Wait(requests(i), status, ierror)
            end do
        case (3)
            do while (.not. flag)
                call MPI_Testall(4, requests, flag, MPI_STATUSES_IGNORE, ierror)
            end do
        case (4)
            do i = 1, 4
                call MPI_Waitany(4, requests, index, status, ierror)
            end do
        case (5)
            i = 0
            do while (i < 4)
                call MPI_Testany(4, requests, index, flag, status, ierror)
                if (flag) i = i + 1
            end do
        case (6)
            i = 0
            do while (i < 4)
                call MPI_Waitsome(4, requests, done, places, MPI_STATUSES_IGNORE, ierror)
                i = i + done
            end do
        case (7)
            i = 0
            do while (i < 4)
                call MPI_Testsome(4, requests, done, places, MPI_STATUSES_IGNORE, ierror)
                i = i + done
            end do
        case default
            do i = 1, 4
                flag = .false.
                do while (.not. flag)
                    call MPI_Test(requests(i), flag, status, ierror)
                end do
            end do
        end select
        do i = 1, 4
            if (requests(i) /= MPI_REQUEST_NULL) wrong = wrong + 1
        end do
        if (receive(4) /= before .or. any(several(1:2, 1) /= [100 * before + 1, 100 * next])) wrong = wrong + 1
        receive(4) = -1
        call expect('several requests', 3, [(100 * before + i, i = 0, 2)])
    end do

    ! A request that is freed: what it stood for ends all the same.
    receive = -1
    call MPI_Ineighbor_alltoall(send, 1, MPI_INTEGER, receive, 1, MPI_INTEGER, graph, request, ierror)
    call MPI_Request_free(request, ierror)
    if (request /= MPI_REQUEST_NULL) wrong = wrong + 1
    call MPI_Neighbor_alltoall(send, 1, MPI_INTEGER, several, 1, MPI_INTEGER, graph, ierror)

    ! From the process before, three times, or from all.
    call get_command_argument(1, argument)
    unify = argument == 'unify'
    several = -1
    call MPI_Allreduce(me, done, 1, MPI_INTEGER, MPI_SUM, graph, ierror)
    call MPI_Iallreduce(me, index, 1, MPI_INTEGER, MPI_SUM, graph, request, ierror)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
    i = size * (size - 1) / 2
    if (unify) i = 3 * before
    if (done /= i .or. index /= i) then
        wrong = wrong + 1
        print '(a,4(1x,i0))', 'MPI_Allreduce: wrong on process', me, done, index, i
    end if
    if (unify) then
        receive = -1
        call MPI_Alltoall(send, 1, MPI_INTEGER, receive, 1, MPI_INTEGER, graph, ierror)
        call expect('MPI_Alltoall on a graph', 3, [(100 * before + i, i = 0, 2)])
        receive = -1
        call MPI_Iallgather(send, 1, MPI_INTEGER, receive, 1, MPI_INTEGER, graph, request, ierror)
        call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
        call expect('MPI_Iallgather on a graph', 3, [(100 * before, i = 0, 2)])
        call MPI_Barrier(graph, ierror)
        ! A part with all processes has all edges, and a window's fence waits for neighbors.
        call MPI_Comm_split(graph, 0, me, part, ierror)
        receive = -1
        call MPI_Alltoall(send, 1, MPI_INTEGER, receive, 1, MPI_INTEGER, part, ierror)
        call expect('MPI_Alltoall on a part', 3, [(100 * before + i, i = 0, 2)])
        call MPI_Comm_free(part, ierror)
        memory = -1
        bytes = 4 * storage_size(me) / 8
        call MPI_Win_create(memory, bytes, storage_size(me) / 8, MPI_INFO_NULL, graph, window, ierror)
        call MPI_Win_fence(0, window, ierror)
        place = 0
        call MPI_Put(send, 3, MPI_INTEGER, next, place, 3, MPI_INTEGER, window, ierror)
        call MPI_Win_fence(MPI_MODE_NOSUCCEED, window, ierror)
        receive = memory
        call expect('a fence', 3, [(100 * before + i, i = 0, 2)])
        call MPI_Win_free(window, ierror)
    end if

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
