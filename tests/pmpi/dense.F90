! SPDX-License-Identifier: BSD-3-Clause
! A plain Fortran program: everybody exchanges with everybody.
program dense
#include "binding.inc"
    integer, parameter :: most = 16
    integer :: me, size, ierror, wrong, i
    integer :: send(most), receive(most), ones(most), places(most), bytes(most)
#ifdef BINDING_F08
    type(MPI_Datatype) :: types(most)
#else
    integer :: types(most)
#endif

    wrong = 0
    call MPI_Init(ierror)
    call MPI_Comm_rank(MPI_COMM_WORLD, me, ierror)
    call MPI_Comm_size(MPI_COMM_WORLD, size, ierror)
    ones = 1
    places = 0 ! those beyond size, too
    do i = 1, size
        send(i) = 100 * me + i - 1
        places(i) = size - i
    end do
    receive = -1
    call MPI_Alltoall(send, 1, MPI_INTEGER, receive, 1, MPI_INTEGER, MPI_COMM_WORLD, ierror)
    do i = 1, size
        call expect(receive(i), 100 * (i - 1) + me)
    end do
    receive = -1 ! in descending order
    call MPI_Alltoallv(send, ones, places, MPI_INTEGER, receive, ones, places, MPI_INTEGER, &
                       MPI_COMM_WORLD, ierror)
    do i = 1, size
        call expect(receive(size + 1 - i), 100 * (i - 1) + size - 1 - me)
    end do
    receive = -1 ! sent from places in descending order
    bytes = places * storage_size(me) / 8
    types = MPI_INTEGER
    call MPI_Alltoallw(send, ones, bytes, types, receive, ones, bytes, types, MPI_COMM_WORLD, ierror)
    do i = 1, size
        call expect(receive(size + 1 - i), 100 * (i - 1) + size - 1 - me)
    end do
    receive = -1
    call MPI_Allgather(me, 1, MPI_INTEGER, receive, 1, MPI_INTEGER, MPI_COMM_WORLD, ierror)
    do i = 1, size
        call expect(receive(i), i - 1)
    end do
    receive = -1
    call MPI_Allgatherv(me, 1, MPI_INTEGER, receive, ones, places, MPI_INTEGER, MPI_COMM_WORLD, ierror)
    do i = 1, size
        call expect(receive(size + 1 - i), i - 1)
    end do
    receive = 7 * me ! in place, by MPI
    call MPI_Allgather(MPI_IN_PLACE, 1, MPI_INTEGER, receive, 1, MPI_INTEGER, MPI_COMM_WORLD, ierror)
    do i = 1, size
        call expect(receive(i), 7 * (i - 1))
    end do
    call MPI_Allreduce(MPI_IN_PLACE, wrong, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
    if (me == 0) print '(I0, A)', wrong, ' wrong'
    call MPI_Finalize(ierror)
contains
    subroutine expect(got, wanted)
        integer, intent(in) :: got, wanted
        if (got /= wanted) wrong = wrong + 1
    end subroutine expect
end program dense
