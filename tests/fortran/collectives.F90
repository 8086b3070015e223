! SPDX-License-Identifier: BSD-3-Clause
! Every collective in every form, on a graph and on the full communicator.  Element e of block i of process r
! is 1000 r + 10 i + e.
#include "binding.inc"
module case
    use mpiortho
    implicit none
    integer :: rank, processes, nin, nout, root, failures = 0
    integer, allocatable :: source(:), source_block(:)   ! of each received block
    integer, allocatable :: s(:, :), r(:, :), one(:)
    logical :: full
contains
    integer function value(process, block, element)
        integer, intent(in) :: process, block, element
        value = 1000 * process + 10 * block + element
    end function
    subroutine reset()
        integer :: i, e
        do i = 1, size(s, 2)
            do e = 1, 2
                s(e, i) = value(rank, i, e)
            end do
        end do
        r = -1
        one = -1
    end subroutine
    subroutine check(what, element, got, expected)
        character(*), intent(in) :: what
        integer, intent(in) :: element, got, expected
        if (got == expected) return
        failures = failures + 1
        if (failures < 20) print '(3a, i0, a, l1, 3(a, i0))', 'not ok: ', what, ' on rank ', rank, &
            ', full ', full, ', element ', element, ': ', got, ' and not ', expected
    end subroutine
    ! Blocks in r as they come, or (turned) in the opposite order.
    subroutine expect_blocks(what, own_block, turned)
        character(*), intent(in) :: what
        logical, intent(in) :: own_block, turned
        integer :: k, e, place
        do k = 1, nin
            place = merge(nin + 1 - k, k, turned)
            do e = 1, 2
                call check(what, e, r(e, place), value(source(k), merge(source_block(k), 1, own_block), e))
            end do
        end do
    end subroutine
    ! The sum of what comes from these processes, in `one`.
    subroutine expect_sum(what, is_in, own_block, there)
        character(*), intent(in) :: what
        logical, intent(in) :: is_in(:), own_block, there
        integer :: k, e, total
        do e = 1, 2
            total = 0
            do k = 1, nin
                if (is_in(k)) total = total + value(source(k), merge(source_block(k), 1, own_block), e)
            end do
            call check(what, e, one(e), merge(total, -1, there .and. any(is_in)))
        end do
    end subroutine
    subroutine expect_scattered(what, turned)
        character(*), intent(in) :: what
        logical, intent(in) :: turned
        integer :: k, e, block
        block = 0
        do k = 1, nin
            if (source(k) == root) block = merge(nout + 1 - source_block(k), source_block(k), turned)
        end do
        do e = 1, 2
            call check(what, e, one(e), merge(value(root, block, e), -1, block > 0))
        end do
    end subroutine
    ! The call of this name has delivered what it should.
    subroutine expect(name, what)
        character(*), intent(in) :: name, what
        integer :: e
        select case (name)
        case ('bcast')
            do e = 1, 2
                call check(what, e, s(e, 1), value(merge(root, rank, any(source == root)), 1, e))
            end do
        case ('gather', 'gatherv')
            if (rank == root) call expect_blocks(what, .false., name == 'gatherv')
        case ('scatter', 'scatterv')
            call expect_scattered(what, name == 'scatterv')
        case ('allgather', 'allgatherv', 'allgatherw')
            call expect_blocks(what, .false., name /= 'allgather')
        case ('alltoall', 'alltoallv', 'alltoallw')
            call expect_blocks(what, .true., name /= 'alltoall')
        case ('reduce', 'allreduce')
            call expect_sum(what, source >= 0, .false., name == 'allreduce' .or. rank == root)
        case ('reduce_scatter_block', 'reduce_scatter', 'reduce_scatterv')
            call expect_sum(what, source >= 0, .true., .true.)
        case ('scan')
            call expect_sum(what, source <= rank, .false., .true.)
        case ('exscan')
            if (rank > 0) call expect_sum(what, source < rank, .false., .true.)
        case default
            call check(what, 0, merge(0, 1, name == 'barrier'), 0)
        end select
    end subroutine
end module

program collectives
    USE_MPI
    use case
    implicit none
    INCLUDE_MPI
    integer :: ierr
    COMM_T :: comm, graph

    call begin()
    root = processes - 1

    ! A ring, in both directions: block i comes into slot i.
    nin = 2
    nout = 2
    source = [modulo(rank - 1, processes), modulo(rank + 1, processes)]
    source_block = [1, 2]
    full = .false.
    call ortho_dist_graph_create_adjacent(MPI_COMM_WORLD, 2, source, MPI_UNWEIGHTED, 2, source(2:1:-1), &
        MPI_UNWEIGHTED, MPI_INFO_NULL, .false., graph, ierr)
    call test(graph)
    call MPI_Comm_free(graph, ierr)

    nin = processes
    nout = processes
    source = [(ierr, ierr = 0, processes - 1)]
    source_block = [(rank + 1, ierr = 0, processes - 1)]
    full = .true.
    call test(MPI_COMM_WORLD)

    call finish()
contains
#include "program.inc"
    subroutine test(comm)
        COMM_T, intent(in) :: comm
        type(ortho_request) :: request
        STATUS_T :: status
        integer :: i, n, counts(nin), places(nin), scounts(nout), splaces(nout)
        integer(MPI_COUNT_KIND) :: n_c, counts_c(nin), scounts_c(nout)
        integer(MPI_ADDRESS_KIND) :: places_c(nin), splaces_c(nout), bytes(nin), sbytes(nout)
        TYPE_T :: types(nin), stypes(nout)
        allocate (s(2, nout), r(2, nin), one(2))
        n = 2
        n_c = 2
        counts = 2
        counts_c = 2
        scounts = 2
        scounts_c = 2
        places = [(2 * (nin - i), i = 1, nin)]
        places_c = places
        splaces = [(2 * (i - 1), i = 1, nout)]
        splaces_c = splaces
        bytes = 4 * places
        sbytes = 4 * splaces
        do i = 1, nin
            types(i) = MPI_INTEGER
        end do
        do i = 1, nout
            stypes(i) = MPI_INTEGER
        end do
@call barrier
@call bcast s, n#, MPI_INTEGER, root
@call gather s, n#, MPI_INTEGER, r, n#, MPI_INTEGER, root
@call gatherv s, n#, MPI_INTEGER, r, counts#, places#, MPI_INTEGER, root
@call scatter s, n#, MPI_INTEGER, one, n#, MPI_INTEGER, root
@call allgather s, n#, MPI_INTEGER, r, n#, MPI_INTEGER
@call allgatherv s, n#, MPI_INTEGER, r, counts#, places#, MPI_INTEGER
@call allgatherw s, n#, MPI_INTEGER, r, counts#, bytes, types
@call alltoall s, n#, MPI_INTEGER, r, n#, MPI_INTEGER
@call alltoallv s, scounts#, splaces#, MPI_INTEGER, r, counts#, places#, MPI_INTEGER
@call alltoallw s, scounts#, sbytes, stypes, r, counts#, bytes, types
@call reduce s, one, n#, MPI_INTEGER, MPI_SUM, root
@call allreduce s, one, n#, MPI_INTEGER, MPI_SUM
@call reduce_scatter_block s, one, n#, MPI_INTEGER, MPI_SUM
@call reduce_scatterv s, scounts#, splaces#, one, n#, MPI_INTEGER, MPI_SUM
        if (full) then
@call scan s, one, n#, MPI_INTEGER, MPI_SUM
@call exscan s, one, n#, MPI_INTEGER, MPI_SUM
@call reduce_scatter s, one, counts#, MPI_INTEGER, MPI_SUM
        end if
        splaces = splaces(nout:1:-1)
        splaces_c = splaces
@call scatterv s, scounts#, splaces#, MPI_INTEGER, one, n#, MPI_INTEGER, root
        ! MPI_IN_PLACE of this binding.
        call reset()
        r(:, 1) = s(:, 1)
        call ortho_allreduce(MPI_IN_PLACE, r, 2, MPI_INTEGER, MPI_SUM, comm, ierr)
        one = r(:, 1)
        call expect('allreduce', 'ortho_allreduce with MPI_IN_PLACE')
        deallocate (s, r, one)
    end subroutine
end program
