! SPDX-License-Identifier: BSD-3-Clause
! As nonblocking.c, in Fortran.
program nonblocking
#include "binding.inc"
    integer, parameter :: most = 5
    COMM :: made(most), plane
    REQUEST :: request, both(2)
    STATUSES(statuses, 2)
    integer :: me, size, ierror, wrong, all, i, next, before, from(2), to(2), dims(2), kind
    integer :: twice(3), short(2)
    integer, allocatable :: ends(:), edges(:)
    logical :: periods(2), kept(2)

    call MPI_Init(ierror)
    call MPI_Comm_rank(MPI_COMM_WORLD, me, ierror)
    call MPI_Comm_size(MPI_COMM_WORLD, size, ierror)
    next = mod(me + 1, size)
    before = mod(me + size - 1, size)
    dims = [1, size]
    periods = .true.
    kept = [.false., .true.]
    call MPI_Cart_create(MPI_COMM_WORLD, 1, dims(2:2), periods, .false., made(1), ierror)
    call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, .false., plane, ierror)
    call MPI_Cart_sub(plane, kept, made(2), ierror)
    ends = [(2 * i, i = 1, size)]
    edges = [(mod(i + size - 1, size), mod(i + 1, size), i = 0, size - 1)]
    call MPI_Graph_create(MPI_COMM_WORLD, size, ends, edges, .false., made(3), ierror)
    call MPI_Comm_dup(made(1), made(4), ierror)
    call MPI_Comm_dup_with_info(made(3), MPI_INFO_NULL, made(5), ierror)

    wrong = 0
    do i = 1, most
        from = [100 * me, 100 * me + 1]
        to = -1
        call MPI_Ineighbor_alltoall(from, 1, MPI_INTEGER, to, 1, MPI_INTEGER, made(i), request, ierror)
        call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
        if (any(to /= [100 * before + 1, 100 * next])) wrong = wrong + 1
    end do
    ! If several fail, the statuses say which: the first has no room for what comes.
    call MPI_Comm_set_errhandler(made(1), MPI_ERRORS_RETURN, ierror)
    twice = 1
    to = -1
    call MPI_Ineighbor_alltoallv(twice, [1, 2], [0, 1], MPI_INTEGER, short, [1, 1], [0, 1], MPI_INTEGER, &
                                 made(1), both(1), ierror)
    call MPI_Ineighbor_alltoall(from, 1, MPI_INTEGER, to, 1, MPI_INTEGER, made(1), both(2), ierror)
    call MPI_Waitall(2, both, statuses, ierror)
    call MPI_Error_class(ierror, kind, i)
    if (kind /= MPI_ERR_IN_STATUS) wrong = wrong + 1
    call MPI_Error_class(ERROR_OF(statuses, 1), kind, i)
    if (kind /= MPI_ERR_TRUNCATE) wrong = wrong + 1
    if (ERROR_OF(statuses, 2) /= MPI_SUCCESS) wrong = wrong + 1
    if (any(to /= [100 * before + 1, 100 * next])) wrong = wrong + 1

    call MPI_Reduce(wrong, all, 1, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, ierror)
    if (me == 0) print '(i0, a)', all, ' wrong'
    do i = 1, most
        call MPI_Comm_free(made(i), ierror)
    end do
    call MPI_Comm_free(plane, ierror)
    deallocate (ends, edges)
    call MPI_Finalize(ierror)
end program
