! SPDX-License-Identifier: BSD-3-Clause
! An ocean on a tripolar grid, as models of the earth have it: wind, pressure and the Coriolis force push
! water, which carries its temperature along.  East and west are joined.  In the north the grid is folded
! around the centre of a cell (pivot T): beyond the last row comes the row before it, backwards, and
! velocities point the other way.  Water flows through faces of cells (C grid).  A process has several
! patches of the grid, and patches of land belong to nobody.  At the end each process computes the whole
! ocean as one patch, and compares its own patches with it bit by bit.  No water may be lost, over the fold
! least of all.
!
!     g++ -std=c++20 -O2 -c map_picture.cpp colors.cpp picture.cpp
!     mpifort -O2 ocean.f90 map_picture.o colors.o picture.o $(pkg-config --cflags --libs mpiortho-fortran) \
!         -lpng -lstdc++ -o ocean
!     mpiexec -n 5 ./ocean [COLUMNS [ROWS [STEPS [SIDE of patches, in cells [PICTURE.png]]]]]
program ocean
    use, intrinsic :: iso_c_binding, only: c_bool, c_char, c_double, c_int, c_null_char
    use, intrinsic :: iso_fortran_env, only: int64, real64
    use mpi_f08
    use mpiortho
    implicit none
    integer, parameter :: levels = 4
    real(real64), parameter :: pi = acos(-1.0_real64), land = 1e30_real64
    type part    ! of the ocean: a patch, with a layer of ghosts around its cells
        integer :: first(2), n(2)
        real(real64), allocatable :: t(:, :, :), ssh(:, :)     ! temperature, the height of the surface
        real(real64), allocatable :: u(:, :, :), v(:, :, :)    ! velocity through faces east, and north
        real(real64), allocatable :: wet(:, :)                 ! 1: sea, 0: land
    end type
    interface
        logical(c_bool) function draw_map(file, columns, rows, values, most, land) bind(C)
            import
            character(kind=c_char), intent(in) :: file(*)
            integer(c_int), value :: columns, rows
            real(c_double), intent(in) :: values(*)
            real(c_double), value :: most, land
        end function
    end interface
    type(ortho_patch), allocatable :: patches(:)
    type(part), allocatable :: mine(:), whole(:)
    character(200) :: file
    integer :: columns, rows, steps, side, rank, processes, dry, different, k
    real(real64) :: lost

    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, processes)
    columns = argument(1, 96)
    rows = argument(2, 60)
    steps = argument(3, 200)
    side = argument(4, 12)
    if (modulo(columns, 2) > 0) error stop 'a column is folded onto itself: COLUMNS must be even'

    call choose_patches()
    call simulate(MPI_COMM_SELF, [ortho_patch(count=int([columns, rows, 1, 1], MPI_COUNT_KIND))], whole, lost)
    call simulate(MPI_COMM_WORLD, patches, mine, lost)
    different = sum([(differences(mine(k), whole(1)), k = 1, size(patches))])
    call MPI_Allreduce(MPI_IN_PLACE, different, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    if (rank == 0) print '(6(i0, a))', columns, ' x ', rows, ' cells, ', steps, ' steps, ', processes, &
        ' processes and ', dry, ' patches of land: ', different, ' values differ from those of one patch'
    if (rank == 0) print '(a, es8.1)', 'the mean height of the water fell by', lost
    call get_command_argument(5, file)
    if (file /= '') call draw()
    deallocate (patches, mine, whole)
    call MPI_Finalize()
    if (rank == 0 .and. (different > 0 .or. .not. abs(lost) < 1e-12)) error stop 1

contains

    integer function argument(number, default)
        integer, intent(in) :: number, default
        character(20) :: text
        integer :: status
        call get_command_argument(number, text)
        argument = default
        if (text /= '') read (text, *, iostat=status) argument
    end function

    ! --- The earth ------------------------------------------------------------------------------

    logical function is_sea(x, y)
        integer, intent(in) :: x, y
        is_sea = 4 * y > rows .and. .not. (3 * x > columns .and. 2 * x < columns .and. y < rows * 4 / 5) &
            .and. (10 * x > columns .or. 2 * y > rows)
    end function
    ! The angle from the fold, pi at the other end of the earth.  It grows on both sides of the fold.
    real(real64) function angle(y)
        real(real64), intent(in) :: y
        angle = pi * abs(rows - y) / rows
    end function

    ! Divides the grid into patches, leaves out those without sea, and takes those of this process.
    subroutine choose_patches()
        integer :: all, k, i, first, count
        allocate (patches(((columns - 1) / side + 1) * ((rows - 1) / side + 1)))
        call ortho_mosaic_divide(2, 1, [columns, rows], [side, side], 1, 0, size(patches), patches, all)
        patches = pack(patches, [(has_sea(patches(k)), k = 1, all)])
        dry = all - size(patches)
        call ortho_blocks_count(size(patches), processes, rank, first, count)
        patches = [(patches(i), i = first, first + count - 1)]
    end subroutine

    logical function has_sea(patch)
        type(ortho_patch), intent(in) :: patch
        type(part) :: p
        call begin(patch, p)
        has_sea = any(p%wet > 0)
    end function

    ! Cell (i, j) of a part is cell first + (i, j) - 1 of the ocean.  Nobody fills ghosts on land: they stay
    ! dry, without a current.
    subroutine begin(patch, p)
        type(ortho_patch), intent(in) :: patch
        type(part), intent(out) :: p
        real(real64) :: wave
        integer :: i, j, k
        p%first = int(patch%first(:2))
        p%n = int(patch%count(:2))
        allocate (p%t(0:p%n(1) + 1, 0:p%n(2) + 1, levels), source=0.0_real64)
        allocate (p%ssh(0:p%n(1) + 1, 0:p%n(2) + 1), source=0.0_real64)
        p%u = p%t
        p%v = p%t
        p%wet = p%ssh
        do j = 1, p%n(2)
            do i = 1, p%n(1)
                associate (x => p%first(1) + i - 1, y => p%first(2) + j - 1)
                    if (.not. is_sea(x, y)) cycle
                    wave = cos(2 * angle(real(y, real64)))
                    p%wet(i, j) = 1
                    p%ssh(i, j) = 0.3_real64 * sin(6 * pi * x / columns) * (1 - wave)
                    p%t(i, j, :) = [((p%ssh(i, j) - 3 * wave) / k, k = 1, levels)]
                end associate
            end do
        end do
    end subroutine

    ! --- Its grid -------------------------------------------------------------------------------

    ! Lets the ocean flow on patches of the processes of comm.  Cells of the last row are there twice: sync
    ! keeps them equal.  lost: of the water, in heights of the surface.
    subroutine simulate(comm, patches, p, lost)
        type(MPI_Comm), intent(in) :: comm
        type(ortho_patch), intent(in) :: patches(:)
        type(part), allocatable, target, intent(out) :: p(:)
        real(real64), intent(out) :: lost
        integer, parameter :: east(2) = [ORTHO_UPPER, ORTHO_CENTRE], north(2) = [ORTHO_CENTRE, ORTHO_UPPER]
        type(ortho_contact) :: contacts(2)
        type(ortho_mosaic) :: earth
        type(ortho_halo) :: coasts, tracers, currents
        integer :: n, k, step
        call ortho_contact_periodic(2, [columns, rows], 1, 1, contacts(1))
        call ortho_contact_fold(2, [columns, rows], 1, 2, ORTHO_UPPER, 1, ORTHO_PIVOT_T, contacts(2))
        call ortho_mosaic_create(comm, 2, 1, [columns, rows], 2, contacts, size(patches), patches, &
            mosaic=earth)
        n = max(size(patches), 1)
        allocate (p(n))
        call begin(ortho_patch(), p(1))    ! without patches, it shows what the fields of other processes are
        do k = 1, size(patches)
            call begin(patches(k), p(k))
        end do
        call ortho_mosaic_halo_init([(ortho_field(p(k)%wet), k = 1, n)], [1, 1], earth, request=coasts)
        call ortho_mosaic_halo_init([(ortho_field(p(k)%t), k = 1, n), (ortho_field(p(k)%ssh), k = 1, n)], &
            [1, 1], earth, sync=[1, 2], request=tracers)
        call ortho_mosaic_halo_init([(ortho_field(p(k)%u, location=east, kind=ORTHO_VECTOR), k = 1, n), &
            (ortho_field(p(k)%v, location=north, kind=ORTHO_VECTOR), k = 1, n)], [1, 1], earth, sync=[1, 2], &
            request=currents)
        call ortho_run(coasts)
        lost = water(comm, p(:size(patches)))
        do step = 1, steps
            call ortho_run(tracers)
            do k = 1, size(patches)
                call push(p(k))
            end do
            call ortho_run(currents)
            do k = 1, size(patches)
                call carry(p(k))
            end do
        end do
        lost = lost - water(comm, p(:size(patches)))
        call ortho_request_free(coasts)
        call ortho_request_free(tracers)
        call ortho_request_free(currents)
        call ortho_mosaic_free(earth)
    end subroutine

    ! The height of the water, on the mean.  Two cells of the last row are one.
    real(real64) function water(comm, p)
        type(MPI_Comm), intent(in) :: comm
        type(part), intent(in) :: p(:)
        integer :: j, k
        water = 0
        do k = 1, size(p)
            do j = 1, p(k)%n(2)
                water = water + sum(p(k)%ssh(1:p(k)%n(1), j)) * merge(0.5, 1.0, p(k)%first(2) + j - 1 == rows)
            end do
        end do
        call MPI_Allreduce(MPI_IN_PLACE, water, 1, MPI_DOUBLE_PRECISION, MPI_SUM, comm)
        water = water / columns / rows
    end function

    ! --- Its flow -------------------------------------------------------------------------------

    ! Pressure, the Coriolis force and wind push water through faces between cells of sea.
    subroutine push(p)
        type(part), intent(inout) :: p
        real(real64), parameter :: gravity = 0.2, coriolis = 0.05, wind = 0.006, kept = 0.99
        type(part) :: was
        real(real64) :: y
        integer :: i, j, k
        was = p
        do k = 1, levels
            do j = 1, p%n(2)
                y = p%first(2) + j - 1
                do i = 1, p%n(1)
                    p%u(i, j, k) = p%wet(i, j) * p%wet(i + 1, j) * (kept * was%u(i, j, k) - &
                        gravity * (p%ssh(i + 1, j) - p%ssh(i, j)) + wind * sin(3 * angle(y)) / k**2 + &
                        coriolis * cos(angle(y)) * sum(was%v(i:i + 1, j - 1:j, k)) / 4)
                    p%v(i, j, k) = p%wet(i, j) * p%wet(i, j + 1) * (kept * was%v(i, j, k) - &
                        gravity * (p%ssh(i, j + 1) - p%ssh(i, j)) - &
                        coriolis * cos(angle(y + 0.5_real64)) * sum(was%u(i - 1:i, j:j + 1, k)) / 4)
                end do
            end do
        end do
    end subroutine

    ! The water carries the temperature, which spreads out, too.
    subroutine carry(p)
        type(part), intent(inout) :: p
        real(real64), parameter :: spreading = 0.1
        type(part) :: was
        real(real64), dimension(4) :: into, around, open
        integer :: i, j, k
        was = p
        do k = 1, levels
            do j = 1, p%n(2)
                do i = 1, p%n(1)
                    into = [p%u(i - 1, j, k), -p%u(i, j, k), p%v(i, j - 1, k), -p%v(i, j, k)]
                    around = [was%t(i - 1, j, k), was%t(i + 1, j, k), was%t(i, j - 1, k), was%t(i, j + 1, k)]
                    open = p%wet(i, j) * [p%wet(i - 1, j), p%wet(i + 1, j), p%wet(i, j - 1), p%wet(i, j + 1)]
                    p%ssh(i, j) = p%ssh(i, j) + sum(into) / levels
                    p%t(i, j, k) = was%t(i, j, k) + &
                        sum((into / 2 + spreading * open) * (around - was%t(i, j, k)))
                end do
            end do
        end do
    end subroutine

    ! --- What came out --------------------------------------------------------------------------

    ! Values of a part that are others in the whole, in any bit.
    integer function differences(p, whole)
        type(part), intent(in) :: p, whole
        integer :: a, b, m, n, k
        a = p%first(1)
        b = p%first(2)
        m = p%n(1)
        n = p%n(2)
        differences = unequal(p%ssh(1:m, 1:n), whole%ssh(a:a + m - 1, b:b + n - 1))
        do k = 1, levels
            differences = differences + unequal(p%t(1:m, 1:n, k), whole%t(a:a + m - 1, b:b + n - 1, k)) + &
                unequal(p%u(1:m, 1:n, k), whole%u(a:a + m - 1, b:b + n - 1, k)) + &
                unequal(p%v(1:m, 1:n, k), whole%v(a:a + m - 1, b:b + n - 1, k))
        end do
    end function
    integer function unequal(a, b)
        real(real64), intent(in) :: a(:, :), b(:, :)
        unequal = count(transfer(a, [0_int64]) /= transfer(b, [0_int64]))
    end function

    ! The temperature at the surface.
    subroutine draw()
        real(real64) :: picture(columns, rows)
        integer :: i, j, k
        picture = land
        do k = 1, size(patches)
            do j = 1, mine(k)%n(2)
                do i = 1, mine(k)%n(1)
                    if (mine(k)%wet(i, j) > 0) &
                        picture(mine(k)%first(1) + i - 1, mine(k)%first(2) + j - 1) = mine(k)%t(i, j, 1)
                end do
            end do
        end do
        call MPI_Allreduce(MPI_IN_PLACE, picture, size(picture), MPI_DOUBLE_PRECISION, MPI_MIN, &
            MPI_COMM_WORLD)
        if (rank > 0) return
        if (.not. draw_map(trim(file)//c_null_char, columns, rows, picture, 3.5_real64, land / 2)) &
            error stop 1
    end subroutine
end program
