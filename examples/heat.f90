! SPDX-License-Identifier: BSD-3-Clause
! Heat, salt and a dye in three layers spread on a torus.  The ghosts of all three fields travel in one
! message a neighbor, while the interior is computed; two sets of arrays take turns.  At the end each process
! computes the whole domain alone, and compares its part bit by bit.
!
!     mpifort -O2 heat.f90 $(pkg-config --cflags --libs mpiortho-fortran) -o heat
!     mpiexec -n 4 ./heat [CELLS [STEPS]]
program heat
    use, intrinsic :: iso_fortran_env, only: int64, real64
    use mpi_f08
    use mpiortho
    implicit none
    integer, parameter :: layers = 3
    type fields
        real(real64), allocatable :: t(:, :), s(:, :), dye(:, :, :)   ! each with one layer of ghosts
    end type
    type(fields) :: now, next, whole
    type(MPI_Comm) :: grid
    type(ortho_halo) :: halo
    integer :: cells, steps, rank, processes, dims(2), at(2), first(2), n(2), k, step, different, total

    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, processes)
    cells = argument(1, 48)
    steps = argument(2, 20)

    ! The processes are a grid, of which each has a block of cells.
    dims = 0
    call ortho_dims_create(MPI_COMM_WORLD, 2, dims)
    call MPI_Comm_dup(MPI_COMM_WORLD, grid)
    call ortho_cart_name(grid, dims, periods=[.true., .true.])
    call ortho_cart_coordinates(grid, rank, at)
    do k = 1, 2
        call ortho_blocks_count(cells, dims(k), at(k), first(k), n(k))
    end do
    now = begun(first, n)
    next = now

    call ortho_halo_init([ortho_field(now%t), ortho_field(now%s), ortho_field(now%dye)], ghosts=[1, 1], &
        comm=grid, request=halo)
    do step = 1, steps
        call ortho_start(halo, now%t, now%s, now%dye)
        call advance(now, next, 2, n(1) - 1, 2, n(2) - 1)
        call ortho_wait(halo, now%t, now%s, now%dye)
        call advance(now, next, 1, n(1), 1, 1)
        call advance(now, next, 1, n(1), max(n(2), 2), n(2))
        call advance(now, next, 1, 1, 2, n(2) - 1)
        call advance(now, next, max(n(1), 2), n(1), 2, n(2) - 1)
        call swap(now, next)
    end do
    call ortho_request_free(halo)

    whole = begun([1, 1], [cells, cells])
    next = whole
    do step = 1, steps
        call wrap(whole)
        call advance(whole, next, 1, cells, 1, cells)
        call swap(whole, next)
    end do
    different = differences(now%t, whole%t) + differences(now%s, whole%s)
    do k = 1, layers
        different = different + differences(now%dye(:, :, k), whole%dye(:, :, k))
    end do
    call MPI_Reduce(different, total, 1, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD)
    if (rank == 0) print '(4(i0, a), i0, a)', cells, ' x ', cells, ' cells, ', steps, ' steps, ', &
        processes, ' processes: ', total, ' values differ from those of one process'
    call MPI_Comm_free(grid)
    call MPI_Finalize()
    if (rank == 0 .and. total > 0) error stop 1

contains

    integer function argument(number, default)
        integer, intent(in) :: number, default
        character(20) :: text
        integer :: status
        call get_command_argument(number, text)
        argument = default
        if (text /= '') read (text, *, iostat=status) argument
    end function

    ! Cell i of the block is cell first + i - 1 of the domain.
    function begun(first, n) result(f)
        integer, intent(in) :: first(2), n(2)
        type(fields) :: f
        integer :: i, j, k
        allocate (f%t(0:n(1) + 1, 0:n(2) + 1), f%s(0:n(1) + 1, 0:n(2) + 1), source=0.0_real64)
        allocate (f%dye(0:n(1) + 1, 0:n(2) + 1, layers), source=0.0_real64)
        do j = 1, n(2)
            do i = 1, n(1)
                f%t(i, j) = sin(0.1_real64 * (first(1) + i)) + &
                    0.01_real64 * modulo((first(1) + i) * (first(2) + j), 97)
                f%s(i, j) = cos(0.2_real64 * (first(2) + j))
                do k = 1, layers
                    f%dye(i, j, k) = modulo((first(1) + i) * k + first(2) + j, 5)
                end do
            end do
        end do
    end function

    ! The cells (i1 to i2, j1 to j2) one step later.
    subroutine advance(f, later, i1, i2, j1, j2)
        type(fields), intent(in) :: f
        type(fields), intent(inout) :: later
        integer, intent(in) :: i1, i2, j1, j2
        integer :: i, j, k
        do j = j1, j2
            do i = i1, i2
                later%t(i, j) = f%t(i, j) + 0.1_real64 * &
                    (f%t(i - 1, j) + f%t(i + 1, j) + f%t(i, j - 1) + f%t(i, j + 1) - 4 * f%t(i, j))
                later%s(i, j) = f%s(i, j) + 0.05_real64 * &
                    (f%s(i - 1, j - 1) + f%s(i + 1, j + 1) - 2 * f%s(i, j))
            end do
        end do
        do k = 1, layers
            do j = j1, j2
                do i = i1, i2
                    later%dye(i, j, k) = f%dye(i, j, k) + 0.02_real64 * k * &
                        (f%dye(i - 1, j, k) - f%dye(i, j, k)) * f%t(i, j)
                end do
            end do
        end do
    end subroutine

    subroutine swap(a, b)
        type(fields), intent(inout) :: a, b
        real(real64), allocatable :: two(:, :), three(:, :, :)
        call move_alloc(a%t, two)
        call move_alloc(b%t, a%t)
        call move_alloc(two, b%t)
        call move_alloc(a%s, two)
        call move_alloc(b%s, a%s)
        call move_alloc(two, b%s)
        call move_alloc(a%dye, three)
        call move_alloc(b%dye, a%dye)
        call move_alloc(three, b%dye)
    end subroutine

    ! The ghosts of a domain that one process has.
    subroutine wrap(f)
        type(fields), intent(inout) :: f
        integer :: k
        call wrap_one(f%t)
        call wrap_one(f%s)
        do k = 1, layers
            call wrap_one(f%dye(:, :, k))
        end do
    end subroutine
    subroutine wrap_one(a)
        real(real64), intent(inout) :: a(0:, 0:)
        a(0, :) = a(cells, :)
        a(cells + 1, :) = a(1, :)
        a(:, 0) = a(:, cells)
        a(:, cells + 1) = a(:, 1)
    end subroutine

    ! Cells of a block that are others than in the whole, in any bit.
    integer function differences(a, of)
        real(real64), intent(in) :: a(0:, 0:), of(0:, 0:)
        integer :: i, j
        differences = 0
        do j = 1, n(2)
            do i = 1, n(1)
                if (transfer(a(i, j), 0_int64) /= transfer(of(first(1) + i - 1, first(2) + j - 1), 0_int64)) &
                    differences = differences + 1
            end do
        end do
    end function
end program
