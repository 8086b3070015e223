! SPDX-License-Identifier: BSD-3-Clause
! An ocean on a tripolar grid, as models of the earth have it: blocks in two dimensions of three-dimensional
! fields, with two layers of ghosts.  East and west are joined.  In the north the grid is folded: beyond the
! last row come the last rows again, backwards, where velocities point the other way.  Blocks of land have no
! process.  All fields travel in one message a neighbor, the folded rows in one, too, while the interior is
! computed.  At the end each process computes the whole ocean alone, and compares its block bit by bit.
!
!     g++ -std=c++20 -O2 -c map_picture.cpp colors.cpp picture.cpp
!     mpifort -O2 ocean.f90 map_picture.o colors.o picture.o $(pkg-config --cflags --libs mpiortho-fortran) \
!         -lpng -lstdc++ -o ocean
!     mpiexec -n 5 ./ocean [COLUMNS [ROWS [STEPS [PICTURE.png]]]]
program ocean
    use, intrinsic :: iso_c_binding, only: c_bool, c_char, c_double, c_int, c_null_char
    use, intrinsic :: iso_fortran_env, only: int64, real64
    use mpi_f08
    use mpiortho
    implicit none
    integer, parameter :: levels = 4, ghosts = 2
    real(real64), parameter :: fill = 1e30_real64    ! on land
    type fields    ! each with ghosts; t: temperature, u, v: velocity, ssh: the height of the surface
        real(real64), allocatable :: t(:, :, :), u(:, :, :), v(:, :, :), ssh(:, :)
        logical, allocatable :: wet(:, :)
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
    type(fields), target, asynchronous :: a(2)    ! now and next, in turn
    type(fields) :: whole(2)
    type(MPI_Comm) :: grid, folded
    type(ortho_halo) :: halo
    type(ortho_request) :: fold(2)
    integer, allocatable :: ranks(:, :)    ! of blocks, MPI_PROC_NULL for those of land
    real(real64), allocatable :: picture(:, :)
    character(200) :: file
    logical :: top
    integer :: columns, rows, steps, rank, processes, dims(2), at(2), first(2), n(2), k, now, next, step, land
    integer :: different, total

    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, processes)
    columns = argument(1, 96)
    rows = argument(2, 60)
    steps = argument(3, 20)

    ! A grid of blocks of which so many are not all land as there are processes.
    call divide()
    call MPI_Comm_dup(MPI_COMM_WORLD, grid)
    call ortho_cart_name(grid, dims, periods=[.true., .false.], ranks=ranks)
    call ortho_cart_coordinates(grid, rank, at)
    do k = 1, 2
        call block_of(k, at(k), first(k), n(k))
    end do
    top = at(2) == dims(2) - 1
    do k = 1, 2
        a(k) = begun(first, n)
    end do

    call ortho_halo_init([ortho_field(a(1)%t), ortho_field(a(1)%u), ortho_field(a(1)%v), &
        ortho_field(a(1)%ssh)], ghosts=[ghosts, ghosts], comm=grid, request=halo)
    call make_fold(folded, fold)
    now = 1
    do step = 1, steps
        next = 3 - now
        call ortho_start(halo, a(now)%t, a(now)%u, a(now)%v, a(now)%ssh)
        call ortho_start(fold(now))
        call advance(a(now), a(next), 3, n(1) - 2, 3, n(2) - 2)
        call ortho_wait(fold(now))
        if (top) call turn(a(now), n(2))
        call ortho_wait(halo, a(now)%t, a(now)%u, a(now)%v, a(now)%ssh)
        call advance(a(now), a(next), 1, n(1), 1, min(2, n(2)))
        call advance(a(now), a(next), 1, n(1), max(n(2) - 1, 3), n(2))
        call advance(a(now), a(next), 1, min(2, n(1)), 3, n(2) - 2)
        call advance(a(now), a(next), max(n(1) - 1, 3), n(1), 3, n(2) - 2)
        now = next
    end do
    call ortho_request_free(halo)
    do k = 1, 2
        call ortho_request_free(fold(k))
    end do

    different = compared_with_one_process()
    call MPI_Reduce(different, total, 1, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD)
    if (rank == 0) then
        land = count(ranks == MPI_PROC_NULL)
        print '(6(i0, a))', columns, ' x ', rows, ' cells, ', steps, ' steps, ', processes, &
            ' processes and ', land, ' blocks of land: ', total, ' values differ from those of one process'
    end if
    call get_command_argument(4, file)
    if (file /= '') call draw()
    call MPI_Comm_free(folded)
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

    ! --- The earth ------------------------------------------------------------------------------

    ! Where a cell beyond the edges of the map is.  folds: it lies beyond the fold.
    subroutine find(i, j, at_i, at_j, folds)
        integer, intent(in) :: i, j
        integer, intent(out) :: at_i, at_j
        logical, intent(out) :: folds
        folds = j > rows
        at_j = merge(2 * rows + 1 - j, j, folds)
        at_i = modulo(merge(columns + 1 - i, i, folds) - 1, columns) + 1
    end subroutine
    logical function is_sea(i, j)
        integer, intent(in) :: i, j
        integer :: x, y
        logical :: folds
        is_sea = .false.
        if (j < 1) return
        call find(i, j, x, y, folds)
        is_sea = 4 * y > rows .and. .not. (3 * x > columns .and. 2 * x < columns .and. y < rows * 4 / 5) &
            .and. (10 * x > columns .or. 2 * y > rows)
    end function

    ! The first cell of block c in dimension k, and how many it has.
    subroutine block_of(k, c, first, count)
        integer, intent(in) :: k, c
        integer, intent(out) :: first, count
        call ortho_blocks_count(merge(columns, rows, k == 1), dims(k), c, first, count)
    end subroutine
    ! The smallest blocks, and of those the ones with the fewest cells around.
    subroutine divide()
        integer :: i, j, cost, least, best(2), size(2)
        least = huge(least)
        do i = 1, min(2 * processes, columns / ghosts)
            do j = 1, min(2 * processes / i + 1, rows / ghosts)
                dims = [i, j]
                size = ([columns, rows] + dims - 1) / dims
                cost = product(size) * 100 + sum(size)
                if (cost >= least .or. numbered() /= processes) cycle
                least = cost
                best = dims
            end do
        end do
        if (least == huge(least)) error stop 'there are more processes than blocks with two rows and columns'
        dims = best
        if (numbered() /= processes) error stop
    end subroutine
    ! Numbers the blocks that have sea.
    integer function numbered()
        integer :: i, j, x(2), y(2), p, q
        if (allocated(ranks)) deallocate (ranks)
        allocate (ranks(dims(1), dims(2)))
        numbered = 0
        do j = 1, dims(2)
            do i = 1, dims(1)
                call block_of(1, i - 1, x(1), x(2))
                call block_of(2, j - 1, y(1), y(2))
                ranks(i, j) = MPI_PROC_NULL
                if (.not. any([((is_sea(p, q), p = x(1), x(1) + x(2) - 1), q = y(1), y(1) + y(2) - 1)])) cycle
                ranks(i, j) = numbered
                numbered = numbered + 1
            end do
        end do
    end function

    ! Cell (i, j) of the block is cell first + (i, j) - 1 of the ocean.  Nothing is sent to ghosts on land, so
    ! that they keep the value that they have here.
    function begun(first, n) result(f)
        integer, intent(in) :: first(2), n(2)
        type(fields) :: f
        integer :: i, j, k, x, y
        allocate (f%t(1 - ghosts:n(1) + ghosts, 1 - ghosts:n(2) + ghosts, levels), source=fill)
        allocate (f%ssh(1 - ghosts:n(1) + ghosts, 1 - ghosts:n(2) + ghosts), source=fill)
        allocate (f%wet(1 - ghosts:n(1) + ghosts, 1 - ghosts:n(2) + ghosts))
        f%u = f%t
        f%v = f%t
        do j = 1 - ghosts, n(2) + ghosts
            do i = 1 - ghosts, n(1) + ghosts
                x = first(1) + i - 1
                y = first(2) + j - 1
                f%wet(i, j) = is_sea(x, y)
                if (.not. f%wet(i, j) .or. i < 1 .or. i > n(1) .or. j < 1 .or. j > n(2)) cycle
                f%ssh(i, j) = sin(0.2_real64 * x) * cos(0.1_real64 * y)
                do k = 1, levels
                    f%t(i, j, k) = 0.1_real64 * modulo(x * k + 3 * y, 31) + sin(0.1_real64 * y)
                    f%u(i, j, k) = 0.01_real64 * modulo(x + y * k, 7)
                    f%v(i, j, k) = 0.01_real64 * modulo(2 * x + y + k, 5)
                end do
            end do
        end do
    end function

    ! The cells (i1 to i2, j1 to j2) one step later: it flows, and spreads out; nothing crosses a coast.
    subroutine advance(f, later, i1, i2, j1, j2)
        type(fields), intent(in) :: f
        type(fields), intent(inout) :: later
        integer, intent(in) :: i1, i2, j1, j2
        integer :: i, j, k
        do j = j1, j2
            do i = i1, i2
                if (.not. f%wet(i, j)) cycle
                later%ssh(i, j) = f%ssh(i, j) + 0.1_real64 * spread_out(f%ssh, f%wet, i, j)
                do k = 1, levels
                    later%t(i, j, k) = f%t(i, j, k) + 0.05_real64 * spread_out(f%t(:, :, k), f%wet, i, j) - &
                        0.1_real64 * (f%u(i, j, k) * slope(f%t(:, :, k), f%wet, i, j, [1, 0]) + &
                        f%v(i, j, k) * slope(f%t(:, :, k), f%wet, i, j, [0, 1]))
                    later%u(i, j, k) = f%u(i, j, k) + 0.02_real64 * spread_out(f%u(:, :, k), f%wet, i, j) - &
                        0.01_real64 * slope(f%ssh, f%wet, i, j, [1, 0])
                    later%v(i, j, k) = f%v(i, j, k) + 0.02_real64 * spread_out(f%v(:, :, k), f%wet, i, j) - &
                        0.01_real64 * slope(f%ssh, f%wet, i, j, [0, 1])
                    later%ssh(i, j) = later%ssh(i, j) - 0.02_real64 * &
                        (slope(f%u(:, :, k), f%wet, i, j, [1, 0]) + slope(f%v(:, :, k), f%wet, i, j, [0, 1]))
                end do
            end do
        end do
    end subroutine
    ! Differences to the two next cells in each direction.
    real(real64) function spread_out(a, wet, i, j)
        real(real64), intent(in) :: a(1 - ghosts:, 1 - ghosts:)
        logical, intent(in) :: wet(1 - ghosts:, 1 - ghosts:)
        integer, intent(in) :: i, j
        integer, parameter :: x(8) = [-1, 1, 0, 0, -2, 2, 0, 0], y(8) = [0, 0, -1, 1, 0, 0, -2, 2]
        integer :: m
        spread_out = 0
        do m = 1, 8
            if (wet(i + x(m), j + y(m))) spread_out = spread_out + &
                (a(i + x(m), j + y(m)) - a(i, j)) * merge(1.0_real64, -0.0625_real64, m <= 4)
        end do
    end function
    real(real64) function slope(a, wet, i, j, to)
        real(real64), intent(in) :: a(1 - ghosts:, 1 - ghosts:)
        logical, intent(in) :: wet(1 - ghosts:, 1 - ghosts:)
        integer, intent(in) :: i, j, to(2)
        real(real64) :: before, behind
        before = a(i, j)
        behind = a(i, j)
        if (wet(i - to(1), j - to(2))) before = a(i - to(1), j - to(2))
        if (wet(i + to(1), j + to(2))) behind = a(i + to(1), j + to(2))
        slope = 0.5_real64 * (behind - before)
    end function

    ! --- The fold -------------------------------------------------------------------------------

    ! The ghosts beyond the top block c come in runs, each from one block: cells i1 to i2 of block c are those of
    ! block `source` backwards from cell `from` on.
    subroutine run_of(c, i1, i2, source, from)
        integer, intent(in) :: c, i1
        integer, intent(out) :: i2, source, from
        integer :: begin, size, x, y, other, place
        logical :: folds
        source = -1
        from = -1
        call block_of(1, c, begin, size)
        do i2 = i1, size + ghosts
            call find(begin + i2 - 1, rows + 1, x, y, folds)
            call ortho_blocks_owner(columns, dims(1), x, other, place)
            if (i2 == i1) then
                source = other
                from = place
            else if (other /= source .or. place /= from - (i2 - i1)) then
                exit
            end if
        end do
        i2 = i2 - 1
    end subroutine

    ! Blocks of the top row send their last rows, which arrive backwards.
    subroutine make_fold(folded, fold)
        type(MPI_Comm), intent(out) :: folded
        type(ortho_request), intent(out) :: fold(2)
        integer, parameter :: most = 100
        integer :: sources(most), targets(most), send_at(2, most), recv_at(2, most), ones(most)
        integer :: ns, nt, c, i1, i2, source, from, begin, size, k, e
        integer(MPI_ADDRESS_KIND) :: zeros(most)
        type(MPI_Datatype) :: sent(most), received(most)
        ns = 0
        nt = 0
        do c = 0, dims(1) - 1
            if (.not. top .or. ranks(c + 1, dims(2)) == MPI_PROC_NULL) cycle
            call block_of(1, c, begin, size)
            i1 = 1 - ghosts
            do while (i1 <= size + ghosts)
                call run_of(c, i1, i2, source, from)
                if (source == at(1)) then
                    nt = nt + 1
                    targets(nt) = ranks(c + 1, dims(2))
                    send_at(:, nt) = [from, i2 - i1 + 1]
                end if
                if (c == at(1) .and. ranks(source + 1, dims(2)) /= MPI_PROC_NULL) then
                    ns = ns + 1
                    sources(ns) = ranks(source + 1, dims(2))
                    recv_at(:, ns) = [i1, i2 - i1 + 1]
                end if
                i1 = i2 + 1
            end do
        end do
        call ortho_dist_graph_create_adjacent(MPI_COMM_WORLD, ns, sources, MPI_UNWEIGHTED, nt, targets, &
            MPI_UNWEIGHTED, MPI_INFO_NULL, .false., folded)
        ones = 1
        zeros = 0
        do k = 1, 2
            do e = 1, nt
                sent(e) = mirrored(a(k), send_at(1, e), n(2), send_at(2, e), -1)
            end do
            do e = 1, ns
                received(e) = mirrored(a(k), recv_at(1, e), n(2) + 1, recv_at(2, e), 1)
            end do
            call ortho_alltoallw_init(MPI_BOTTOM, ones, zeros, sent, MPI_BOTTOM, ones, zeros, received, &
                folded, MPI_INFO_NULL, fold(k))
            do e = 1, nt
                call MPI_Type_free(sent(e))
            end do
            do e = 1, ns
                call MPI_Type_free(received(e))
            end do
        end do
    end subroutine
    ! A datatype of all fields: from cell (i, j) on, two rows of so many cells, forwards (1) or backwards
    ! (-1).
    function mirrored(f, i, j, cells, way) result(type)
        type(fields), intent(in), target, asynchronous :: f
        integer, intent(in) :: i, j, cells, way
        type(MPI_Datatype) :: type, line, two, three
        integer(MPI_ADDRESS_KIND), parameter :: element = storage_size(fill) / 8
        integer(MPI_ADDRESS_KIND) :: row, addresses(4)
        row = element * size(f%ssh, 1)
        call MPI_Type_create_hvector(cells, 1, way * element, MPI_DOUBLE_PRECISION, line)
        call MPI_Type_create_hvector(ghosts, 1, way * row, line, two)
        call MPI_Type_create_hvector(levels, 1, row * size(f%ssh, 2), two, three)
        call MPI_Get_address(f%t(i, j, 1), addresses(1))
        call MPI_Get_address(f%u(i, j, 1), addresses(2))
        call MPI_Get_address(f%v(i, j, 1), addresses(3))
        call MPI_Get_address(f%ssh(i, j), addresses(4))
        call MPI_Type_create_struct(4, [1, 1, 1, 1], addresses, [three, three, three, two], type)
        call MPI_Type_commit(type)
        call MPI_Type_free(line)
        call MPI_Type_free(two)
        call MPI_Type_free(three)
    end function
    ! Velocities beyond the fold point the other way.
    subroutine turn(f, last)
        type(fields), intent(inout) :: f
        integer, intent(in) :: last
        integer :: k
        do k = 1, levels
            where (f%wet(:, last + 1:)) f%u(:, last + 1:, k) = -f%u(:, last + 1:, k)
            where (f%wet(:, last + 1:)) f%v(:, last + 1:, k) = -f%v(:, last + 1:, k)
        end do
    end subroutine

    ! --- One process ----------------------------------------------------------------------------

    integer function compared_with_one_process() result(different)
        integer :: k, step
        do k = 1, 2
            whole(k) = begun([1, 1], [columns, rows])
        end do
        do step = 1, steps
            k = 2 - modulo(step, 2)
            call wrap(whole(k)%ssh, 1)
            call wrap_levels(whole(k)%t, 1)
            call wrap_levels(whole(k)%u, -1)
            call wrap_levels(whole(k)%v, -1)
            call advance(whole(k), whole(3 - k), 1, columns, 1, rows)
        end do
        k = 1 + modulo(steps, 2)
        different = differences(a(now)%ssh, whole(k)%ssh)
        do step = 1, levels
            different = different + differences(a(now)%t(:, :, step), whole(k)%t(:, :, step)) + &
                differences(a(now)%u(:, :, step), whole(k)%u(:, :, step)) + &
                differences(a(now)%v(:, :, step), whole(k)%v(:, :, step))
        end do
    end function
    ! The ghosts of an ocean that one process has; sign: beyond the fold.
    subroutine wrap_levels(f, sign)
        real(real64), intent(inout) :: f(:, :, :)
        integer, intent(in) :: sign
        integer :: k
        do k = 1, levels
            call wrap(f(:, :, k), sign)
        end do
    end subroutine
    subroutine wrap(f, sign)
        real(real64), intent(inout) :: f(1 - ghosts:, 1 - ghosts:)
        integer, intent(in) :: sign
        integer :: i, j, x, y
        logical :: folds
        do j = 1, rows + ghosts
            do i = 1 - ghosts, columns + ghosts
                call find(i, j, x, y, folds)
                if (is_sea(i, j)) f(i, j) = merge(sign, 1, folds) * f(x, y)
            end do
        end do
    end subroutine
    ! Cells of a block that are others than in the whole, in any bit.
    integer function differences(f, of)
        real(real64), intent(in) :: f(1 - ghosts:, 1 - ghosts:), of(1 - ghosts:, 1 - ghosts:)
        integer :: i, j
        differences = 0
        do j = 1, n(2)
            do i = 1, n(1)
                if (transfer(f(i, j), 0_int64) /= transfer(of(first(1) + i - 1, first(2) + j - 1), 0_int64)) &
                    differences = differences + 1
            end do
        end do
    end function

    ! The temperature at the surface.
    subroutine draw()
        allocate (picture(columns, rows), source=fill)
        call ortho_field_gather(ortho_field(a(now)%t(:, :, 1)), ortho_field(picture), 0, grid, &
            ghosts=[ghosts, ghosts])
        if (rank > 0) return
        if (.not. draw_map(trim(file)//c_null_char, columns, rows, picture, 3.5_real64, fill / 2)) &
            error stop 1
    end subroutine
end program
