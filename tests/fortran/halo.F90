! SPDX-License-Identifier: BSD-3-Clause
! Halos of all kinds of arrays.  A cell's value is its place in the whole periodic domain: 1 to n in each
! dimension, one group of digits each; so a ghost's value is that of the place where it would be.
#include "binding.inc"
module case
    use mpiortho
    implicit none
    integer, parameter :: n = 4 ! cells of a process in each dimension
    integer :: rank, processes, failures = 0
    integer :: dims(2), at(2)
    type cell
        integer :: mark = 7
        real(8) :: x = -1
    end type
    type holder
        real(8), allocatable :: a(:, :)
        real(8), pointer :: p(:, :)
    end type
contains
    ! The value of the cell (i, j), counted from 1 in this process.
    real(8) function value(i, j)
        integer, intent(in) :: i, j
        value = 10000 * modulo(at(1) * n + i - 1, dims(1) * n) + 100 * modulo(at(2) * n + j - 1, dims(2) * n)
    end function
    ! The values of the cells from `first` to `last`, or k more.
    function values(first, last, k)
        integer, intent(in) :: first(2), last(2)
        integer, intent(in), optional :: k
        real(8) :: values(first(1):last(1), first(2):last(2))
        integer :: i, j
        do j = first(2), last(2)
            values(:, j) = [(value(i, j), i = first(1), last(1))]
        end do
        if (present(k)) values = values + k
    end function
#include "check.inc"
    subroutine set(a, k)
        real(8), intent(inout) :: a(:, :)
        integer, intent(in), optional :: k
        a = -1
        a(2:n + 1, 2:n + 1) = values([1, 1], [n, n], k)
    end subroutine
    logical function is_set(a, k)
        real(8), intent(in) :: a(:, :)
        integer, intent(in), optional :: k
        is_set = all(a == values([0, 0], [n + 1, n + 1], k))
    end function
    ! Starts with a copy where the actual argument is a section.  The copy is there until this ends.
    subroutine start_copy(halo, a, original, ierr)
        type(ortho_halo), intent(inout) :: halo
        real(8), intent(inout) :: a(n + 2, n + 2), original(:, :)
        integer, intent(out) :: ierr
        call ortho_start(halo, a)
        call ortho_wait(halo, original, ierror=ierr)
    end subroutine
end module

program halos
    USE_MPI
    use case
    implicit none
    INCLUDE_MPI
    integer :: ierr, i, j, k, d, points, found, length, class
    COMM_T :: comm
    logical :: flag, is_refused
    type(ortho_halo) :: halo, copied
    real(8) :: a(0:n + 1, -3:n - 2), b(0:n + 1, -3:n - 2), wide(2 * n + 4, 3 * n + 6), u(n + 2, n + 2, 3), &
        w(n + 2, 3, n + 2), staggered(n + 3, n + 1), empty(n + 2, n + 2, 0), turned(n + 2, n + 2), &
        seven(2, n + 2, 1, 2, n + 2, 1, 2), hollow(0, n + 2)
    integer :: block_first(3), block_size(3), directions(2, 8)
    real(8), allocatable :: whole(:, :, :), again(:, :, :), none(:, :)
    real(4) :: single(n + 2, n + 2)
    integer(1) :: small(n + 2, n + 2)
    integer(2) :: i2(n + 2, n + 2)
    integer(8) :: i8(n + 2, n + 2)
    complex(4) :: z4(n + 2, n + 2)
    complex(8) :: z(n + 2, n + 2), pairs(n + 2, n + 2)
    logical :: l(n + 2, n + 2)
    logical(1) :: l1(n + 2, n + 2)
    character(3) :: c(n + 2, n + 2), digits(n + 2, n + 2)
    type(cell) :: cells(n + 2, n + 2)
    type(holder) :: h
    character(400) :: text
    TYPE_T :: pair

    call begin()
    dims = merge([2, 2], [processes, 1], processes == 4)
    call ortho_cart_name(comm, dims=dims, periods=[.true., .true.], size=points, ierror=ierr)
    call check('points', points == processes)
    call ortho_cart_test(comm, flag, d, points, ierr)
    call check('name', flag .and. d == 2 .and. points == processes)
    call ortho_cart_coordinates(comm, rank, at, ierr)
    call check('coordinates are column-major', at(1) == modulo(rank, dims(1)) .and. at(2) == rank / dims(1))
    call ortho_block(comm, [4 * dims(1) + 1, 3 * dims(2), 7], block_first, block_size)
    call check('block', all(block_first == [4 * at(1) + 1 + min(at(1), 1), 3 * at(2) + 1, 1]) .and. &
        all(block_size == [merge(5, 4, at(1) == 0), 3, 7]))
    call ortho_block(MPI_COMM_NULL, [5, 6, 7], block_first, block_size, ierr)
    call check('a process that is not on the grid has no block', all(block_first == 1) .and. &
        all(block_size == 0) .and. ierr == MPI_SUCCESS)

    ! One array, whose lower bounds are others than 1.
    call set(a)
    call make([ortho_field(a)])
    call ortho_start(halo, a)
    call ortho_wait(halo, a)
    call check('start and wait', is_set(a))
    call set(a)
    call ortho_run(halo, a, ierror=ierr)
    call check('run', ierr == MPI_SUCCESS .and. is_set(a))
    call set(a)
    call ortho_start(halo)
    flag = .false.
    do while (.not. flag)
        call ortho_test(halo, flag)
    end do
    call ortho_wait(halo, a)
    call check('test', is_set(a))
    ! Another array of this shape.
    call set(b)
    call ortho_run(halo, b)
    call check('another array', is_set(b))
    call set(a)
    call ortho_halo_rebind(halo, a)
    call ortho_run(halo)
    call check('rebind', is_set(a))
    ! Calls that are refused.
    call ortho_run(halo, wide, ierror=ierr)
    call refused('another shape', MPI_ERR_ARG, 'array 1 ')
    call ortho_error_message(text, length)
    call check('no copy of another shape', index(text, 'copy') == 0)
    call ortho_run(halo, a, b, ierror=ierr)
    call refused('too many arrays', WHICHEVER)
    ierr = MPI_SUCCESS
    call ortho_run(halo, a, ierr)
    call unnamed('ortho_run')
    call ortho_start(halo, a, ierr)
    call unnamed('ortho_start')
    call ortho_wait(halo, a, ierr)
    call unnamed('ortho_wait')
    call ortho_halo_rebind(halo, a, ierr)
    call unnamed('ortho_halo_rebind')
    call ortho_run(halo, turned(n + 2:1:-1, :), ierror=ierr)
    call refused('perhaps a copy', WHICHEVER, 'has passed a copy')
    call ortho_start(halo, a)
    call ortho_wait(halo, b, ierror=ierr)
    call refused('another array at the end', MPI_ERR_BUFFER)
#ifndef __flang__
    call ortho_run(halo, i8, ierror=ierr)
    call refused('integers for real numbers', WHICHEVER, 'array 1 has integer elements')
#endif
    ! A copy of the handle outlives the halo.  Errors go to MPI_COMM_SELF.
    copied = halo
    call ortho_request_free(halo)
    do k = 1, 2
        if (k == 2) call make([ortho_field(a)])
        call ortho_run(copied, a, ierror=ierr)
        call refused('a handle of a freed halo', WHICHEVER, 'was freed')
        call ortho_wait(copied, ierror=ierr)
        call refused('it is not waited for', WHICHEVER)
        call ortho_test(copied, flag, ierr)
        call refused('it is not tested', WHICHEVER)
        call ortho_request_free(copied, ierr)
        call refused('it is freed once', WHICHEVER)
    end do

    ! A section; a copy of it is refused.
    wide = -1
    call set(wide(1:2 * n + 4:2, 2:3 * n + 5:3))
    call make([ortho_field(wide(1:2 * n + 4:2, 2:3 * n + 5:3))])
    call ortho_run(halo, wide(1:2 * n + 4:2, 2:3 * n + 5:3))
    call check('section', is_set(wide(1:2 * n + 4:2, 2:3 * n + 5:3)))
    call check('beside the section', all(wide(2:2 * n + 4:2, :) == -1) .and. &
        all(wide(:, 1:3 * n + 6:3) == -1))
    call make([ortho_field(a)])
    call start_copy(halo, wide(1:2 * n + 4:2, 2:3 * n + 5:3), wide(1:2 * n + 4:2, 2:3 * n + 5:3), ierr)
    call refused('a copy', WHICHEVER)

    ! Backwards, in both dimensions.
    call set(b)
    turned = b(n + 1:0:-1, n - 2:-3:-1)
    call make([ortho_field(turned(n + 2:1:-1, n + 2:1:-1))])
    call ortho_start(halo, turned(n + 2:1:-1, n + 2:1:-1))
    call ortho_wait(halo, turned(n + 2:1:-1, n + 2:1:-1))
    call check('backwards', is_set(turned(n + 2:1:-1, n + 2:1:-1)))
    ! Arguments that are no array.  With flang they are as if they were not given.
#ifndef __flang__
    call ortho_run(halo, h%a, ierror=ierr)
    call refused('not allocated', MPI_ERR_BUFFER)
    nullify (h%p)
    call ortho_run(halo, h%p, ierror=ierr)
    call refused('a null pointer', MPI_ERR_BUFFER)
#endif
    call ortho_run(halo, h%a, b, ierror=ierr)
    call refused('not allocated, and another', WHICHEVER)
    call make([ortho_field(b), ortho_field(h%a)])
    call refused('a field that is not allocated', MPI_ERR_BUFFER, 'field 2 is not')

    ! Sums of numbers need a datatype where the module's compiler is another one than the library's.
#ifndef __flang__
    z4 = 1
    z = (0, 1)
    i8 = 10000000000_8
    call reduce([ortho_field(z4), ortho_field(z), ortho_field(i8)])
    call ortho_run(halo, z4, z, i8)
    call check('sums', all(z4(3:n, 3:n) == 1) .and. all(z4(2, 3:n) == 2) .and. z4(2, 2) == 4 .and. &
        all(z(3:n, 2) == (0, 2)) .and. i8(2, 2) == 40000000000_8)
    call ortho_request_free(halo)
    l = .false.
    l(1, :) = .true.
    call ortho_halo_reduce_init([ortho_field(l)], ghosts=[1, 1], op=MPI_LOR, comm=comm, request=halo)
    call ortho_run(halo, l)
    call check('logical or', all(l(n + 1, 2:n + 1)) .and. .not. any(l(2:n, 2:n + 1)))
#else
    call reduce([ortho_field(z4)])
    call refused('of flang sums need a datatype', MPI_ERR_TYPE)
#endif

    ! Arrays whose type the compiler has to tell: as they are, or refused with the cure.
    call set(b)
    call of_class_star(b)
    call check('class(*)', is_refused .or. is_set(b))
    i = merge(40, -1, rank == 0)
    call bcast_class_star(i)
    call check('an element of class(*)', i == 40 .or. (is_refused .and. i == merge(40, -1, rank == 0)))
    call set(b)
    call in_select_type(b)
    call check('in select type', is_set(b))
    call set(b)
    cells%x = b
    call in_select_type(cells)
    call check('derived types in select type', is_set(cells%x) .and. all(cells%mark == 7))
#ifndef __flang__
    call check('class(*) is refused', is_refused)
    call of_class_star_passed_on(cells)
    call refused('class(*) that was passed on', MPI_ERR_TYPE)
    call in_select_type(c)
    call refused('what gfortran tells wrongly of class(*)', MPI_ERR_TYPE)
    call make([ortho_field(b)])
    call run_class_star(b)
    call refused('where a halo is run, too', WHICHEVER, 'select type')
    call ortho_request_free(halo)
#endif

    ! Arrays of no cells.
    call ortho_halo_init([ortho_field(hollow, lower=[0, 1], upper=[0, 1]), ortho_field(b(0:-1, :), &
        lower=[0, 1], upper=[0, 1])], comm=comm, request=halo, ierror=ierr)
    call check('no cells', ierr == MPI_SUCCESS)
    call ortho_start(halo, hollow, b(0:-1, :))
    call ortho_wait(halo, hollow, b(0:-1, :), ierror=ierr)
    call check('no cells are exchanged', ierr == MPI_SUCCESS)
    call ortho_request_free(halo)
    ! gfortran says that such an array has -3 rows.
    allocate (none(5:1, 4))
    call ortho_halo_init([ortho_field(none, lower=[0, 1], upper=[0, 1])], comm=comm, request=halo, &
        ierror=ierr)
    call check('no cells between bounds that lie apart', ierr == MPI_SUCCESS)
    call ortho_run(halo, none, ierror=ierr)
    call check('they are exchanged', ierr == MPI_SUCCESS)
    deallocate (none)
    call make([ortho_field(none)])
    call refused('a field that is no longer allocated', WHICHEVER, 'field 1 is not allocated')

    ! Several: dimensions that are not divided, other widths, other elements.
    do k = 1, 3
        call set(u(:, :, k), k)
        call set(w(:, k, :), k)
    end do
    staggered = -1
    staggered(3:n + 2, :n) = values([1, 1], [n, n])
    call set(turned)
    turned = transpose(turned)
    call set(a)
    single = real(a, 4)
    i2 = int(mod(a, 30000.0_8), 2)
    i8 = int(a, 8) * 1000000000
    z4 = cmplx(a, 1, 4)
    z = cmplx(1, a, 8)
    pairs = cmplx(a, -a, 8)
    l = mod(int(a), 3) == 0
    l1 = mod(a, 2.0_8) == 0
    small = int(mod(int(a), 100), 1)
    write (c, '(i3)') mod(int(a), 97)
    cells%x = a
    do k = 0, 7
        call set(seven(1 + mod(k, 2), :, 1, 1 + mod(k / 2, 2), :, 1, 1 + k / 4), k)
    end do
    h%a = a
    allocate (h%p(0:n + 1, 0:n + 1))
    h%p = a
    call MPI_Type_contiguous(16, MPI_BYTE, pair, ierr)
    call MPI_Type_commit(pair, ierr)
    call make([ortho_field(u), ortho_field(w, divided=[1, 0, 2]), &
        ortho_field(staggered, lower=[2, 0], upper=[1, 1]), ortho_field(turned, divided=[2, 1]), &
        ortho_field(single), ortho_field(pairs, pair), ortho_field(l), ortho_field(small), ortho_field(c), &
        ortho_field(cells%x), ortho_field(seven, divided=[0, 1, 0, 0, 1, 0, 0]), ortho_field(h%a), &
        ortho_field(h%p), ortho_field(empty), ortho_field(i2), ortho_field(i8), ortho_field(z4), &
        ortho_field(z), ortho_field(l1)])
    call ortho_start(halo, u, w, staggered, turned, single, pairs, l, small, c, cells%x, seven, h%a, h%p, &
        empty, i2, i8, z4, z, l1)
    call ortho_wait(halo, u, w, staggered, turned, single, pairs, l, small, c, cells%x, seven, h%a, h%p, &
        empty, i2, i8, z4, z, l1)
    do k = 1, 3
        call check('3-D', is_set(u(:, :, k), k))
        call check('3-D, second dimension not divided', is_set(w(:, k, :), k))
    end do
    call check('widths of each side', all(staggered == values([-1, 1], [n + 1, n + 1])))
    call check('transposed', is_set(transpose(turned)))
    call check('real(4)', is_set(real(single, 8)))
    call check('complex, with a datatype', is_set(real(pairs)) .and. is_set(-aimag(pairs)))
    call check('complex', is_set(real(z4, 8)) .and. all(aimag(z4) == 1) .and. is_set(aimag(z)) .and. &
        all(real(z) == 1))
    call check('component', is_set(cells%x) .and. all(cells%mark == 7))
    call check('allocatable component', is_set(h%a))
    call check('pointer component', is_set(h%p))
    call check('logical', all(l .eqv. mod(int(h%a), 3) == 0) .and. all(l1 .eqv. mod(h%a, 2.0_8) == 0))
    call check('integers', all(small == mod(int(h%a), 100)) .and. all(i2 == int(mod(h%a, 30000.0_8))) .and. &
        all(i8 == int(h%a, 8) * 1000000000))
    write (digits, '(i3)') mod(int(h%a), 97)
    call check('character', all(c == digits))
    do k = 0, 7
        call check('7-D', is_set(seven(1 + mod(k, 2), :, 1, 1 + mod(k / 2, 2), :, 1, 1 + k / 4), k))
    end do
    call ortho_halo_unfilled(halo, 3, 8, directions, found)
    call check('all is filled', found == 0)
    call ortho_explain(halo%request, text, length)
    call check('explain', index(text, 'halo_') > 0)
    call ortho_request_free(halo)
    call MPI_Type_free(pair, ierr)

    ! Reductions into owners: each ghost adds 1 to the cell that it is a copy of.
    u = 0
    u([1, n + 2], :, :) = 1
    u(:, [1, n + 2], :) = 1
    call reduce([ortho_field(u, MPI_DOUBLE_PRECISION)])
    call ortho_run(halo, u)
    call check('reduced', all(u(3:n, 3:n, :) == 0) .and. all(u(3:n, 2, :) == 1) .and. &
        all(u(2, 3:n, :) == 1) .and. all(u(2, 2, :) == 3))
    call reduce([ortho_field(c)])
    call refused('characters are not reduced', MPI_ERR_TYPE)

    ! All of an array at one process, and back.
    allocate (whole(dims(1) * n, dims(2) * n, 3))
    do k = 1, 3
        call set(u(:, :, k), k)
    end do
    whole = -1
    if (rank == processes - 1) then
        call ortho_field_gather(ortho_field(u), ortho_field(whole), processes - 1, comm, ghosts=[1, 1])
        do k = 1, 3
            call check('gathered', all(whole(:, :, k) == values(1 - n * at, n * (dims - at), k)))
        end do
    else
        call ortho_field_gather(ortho_field(u), root=processes - 1, comm=comm, ghosts=[1, 1])
        call check('gathered elsewhere', all(whole == -1))
    end if
    ! A halo knows its ghosts.
    call make([ortho_field(u)])
    if (rank == processes - 1) then
        again = whole
        whole = -1
        call ortho_field_gather(halo, 1, ortho_field(whole), root=processes - 1)
        call check('gathered from a halo', all(whole == again))
    else
        call ortho_field_gather(halo, 1, root=processes - 1)
    end if
    turned = u(:, :, 3)
    u = -1
    call ortho_field_scatter(halo, 1, ortho_field(whole), processes - 1)
    call check('scattered to a halo', is_scattered())
    call ortho_field_gather(halo, 2, ortho_field(whole), 0, ierr)
    call refused('no such field', WHICHEVER, 'ortho_field_gather: fields(2) is none of 1 fields')
    call ortho_field_gather(halo, 1, root=0, ierror=ierr)
    call refused('no whole', WHICHEVER, 'whole is not given at the root')
    u = -1
    call ortho_field_scatter(ortho_field(whole), ortho_field(u), processes - 1, comm, ghosts=[1, 1])
    call check('scattered', is_scattered())

    call ortho_block(comm, [5, -3, 7], block_first, block_size, ierr)
    call refused('a negative size', WHICHEVER, 'ortho_block: sizes(2) = -3 is negative')
    call ortho_block(comm, [5], block_first(:1), block_size(:1), ierr)
    call refused('too few sizes', WHICHEVER, 'sizes has 1 elements, and the grid 2 dimensions')
    call ortho_block(comm, [5, 6], block_first, block_size(:2), ierr)
    call refused('too long a list', WHICHEVER, 'first has 3 elements, n 2, and sizes 2')
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, ierr)
    call ortho_block(MPI_COMM_WORLD, [5, 6, 7], block_first, block_size, ierr)
    call refused('no grid', ORTHO_ERR_NAME)

    ! Errors of the beginning.  A mistake on one process fails on all.
    call make([ortho_field(u, divided=[1, merge(3, 2, rank == processes - 1)])])
    call refused('all are told what', WHICHEVER, 'is not divided along each')
    call ortho_field_gather(ortho_field(u), ortho_field(whole(:, :, :merge(2, 3, rank == processes - 1))), &
        processes - 1, comm, ghosts=[1, 1], ierror=ierr)
    call refused('another whole', WHICHEVER)
    call make([ortho_field(u, divided=[1, 1, 1])])
    call refused('three dimensions on a grid of two', MPI_ERR_DIMS)
    call ortho_halo_init([ortho_field(u)], comm=comm, request=halo, ierror=ierr)
    call refused('the routine and the argument', WHICHEVER, 'ortho_halo_init: no ghost widths')
    call make([ortho_field(a), ortho_field(u, lower=[1, -1], upper=[1, 1])])
    call refused('numbers from 1 on', WHICHEVER, 'fields(2).lower(2) = -1')
    call make([ortho_field(a), ortho_field(a)])
    call refused('one array twice', WHICHEVER, &
        'fields(1).base and fields(2).base are arrays that share memory')
    call make([ortho_field(a)], [1])
    call refused('one width on a grid', WHICHEVER, 'ghosts has 1 width on a grid of 2 dimensions')
    call ortho_halo_init([ortho_field(a, lower=[1], upper=[1])], comm=comm, request=halo, ierror=ierr)
    call refused('one width of a field', WHICHEVER, 'field 1 has 1 ghost widths on a grid of 2')
    call make([ortho_field(a)], [3, 1])
    call refused('too wide', WHICHEVER, &
        'sizes leaves 0 owned layers in dimension 1 of the grid, but ghosts are 3 layers wide')
    call ortho_cart_name(comm, dims=[processes, 2], ierror=ierr)
    call refused('too many processes', WHICHEVER, 'dims gives a grid of')
    call ortho_cart_name(comm, dims=[1, -1], ierror=ierr)
    call refused('fewer than no processes', WHICHEVER, 'dims(2) = -1 is not a positive')
    call ortho_cart_unname(comm)
    call make([ortho_field(u)])
    call refused('no name', WHICHEVER)
    call ortho_cart_rank(comm, at, d, ierr)
    call ortho_error_class(ierr, class)
    call check('ORTHO_ERR_NAME', class == ORTHO_ERR_NAME .and. class > 0)

    ! At borders: regions that nothing fills.
    call ortho_cart_name(comm, dims=dims)
    call set(a)
    call make([ortho_field(u), ortho_field(a)])
    call ortho_run(halo, u, a)
    call ortho_halo_unfilled(halo, 0, 8, directions, found, ierr)
    call refused('fields count from 1', WHICHEVER, 'fields(0) is none of 2 fields')
    call ortho_halo_unfilled(halo, 2, 8, directions, found)
    points = count([((any(at + [i, j] < 0 .or. at + [i, j] >= dims), i = -1, 1), j = -1, 1)])
    call check('unfilled', found == points)

    ! Values beyond borders: a mirror in the first dimension, constants and the edge in the second.
    call set(a)
    call set(b)
    call make([ortho_field(a, boundary=[ORTHO_BOUNDARY_REFLECT, ORTHO_BOUNDARY_SYMMETRIC, &
        ORTHO_BOUNDARY_CONSTANT, ORTHO_BOUNDARY_EDGE], sign=[1, -1, 1, 1], value=-5.0_8), &
        ortho_field(b, boundary=[ORTHO_BOUNDARY_EDGE])])
    call ortho_run(halo, a, b)
    do j = 0, n + 1
        do i = 0, n + 1
            call check('boundary', a(i, j - 3) == beyond(at(1) * n + i, at(2) * n + j))
            call check('boundary, edges', b(i, j - 3) == value(min(max(at(1) * n + i, 1), dims(1) * n) - &
                at(1) * n, min(max(at(2) * n + j, 1), dims(2) * n) - at(2) * n))
        end do
    end do
    call make([ortho_field(a, boundary=[ORTHO_BOUNDARY_EDGE], sign=[1, 1, 1])])
    call refused('signs of three sides', WHICHEVER, '3 numbers in boundary or sign, and the grid has 4')
    call make([ortho_field(a, boundary=[ORTHO_BOUNDARY_EDGE], value=1.0_8)])
    call refused('a value of no constant', WHICHEVER, 'is for ORTHO_BOUNDARY_CONSTANT, and no side is')
    call make([ortho_field(a, boundary=[ORTHO_BOUNDARY_CONSTANT], value=1)])
    call refused('a constant of another type', MPI_ERR_TYPE)

    ! On a grid of which only every second point has a process.
    call ortho_cart_name(comm, dims=[2, processes], ranks=reshape([(merge(i / 2, MPI_PROC_NULL, &
        mod(i, 2) == 0), i = 0, 2 * processes - 1)], [2, processes]), size=points)
    call check('ranks', points == processes)
    call ortho_cart_coordinates(comm, rank, at)
    call check('coordinates with ranks', at(1) == 0 .and. at(2) == rank)
    a = -1
    a(1:n, -2:n - 3) = rank
    call make([ortho_field(a)])
    call ortho_run(halo, a)
    call check('land', all(a([0, n + 1], :) == -1) .and. all(a(1:n, -3) == rank - 1) .and. &
        all(a(1:n, n - 2) == merge(rank + 1, -1, rank < processes - 1)))
    call ortho_request_free(halo)

    call test_memory
    call finish()

contains
#include "program.inc"
#include "refused.inc"

    ! Makes a halo with one layer of ghosts, or others.  The last one ends.
    subroutine make(fields, ghosts)
        type(ortho_field), intent(in) :: fields(:)
        integer, intent(in), optional :: ghosts(:)
        call drop
        if (present(ghosts)) then
            call ortho_halo_init(fields, ghosts, comm, request=halo, ierror=ierr)
        else
            call ortho_halo_init(fields, [1, 1], comm, request=halo, ierror=ierr)
        end if
    end subroutine
    subroutine drop
        if (halo%request /= ORTHO_REQUEST_NULL) call ortho_request_free(halo)
    end subroutine
    subroutine reduce(fields)
        type(ortho_field), intent(in) :: fields(:)
        call drop
        call ortho_halo_reduce_init(fields, ghosts=[1, 1], op=MPI_SUM, comm=comm, request=halo, ierror=ierr)
    end subroutine
    ! The last call, of this routine, was given its error code without a name.
    subroutine unnamed(routine)
        character(*), intent(in) :: routine
        call refused('an unnamed error code', MPI_ERR_ARG, routine // &
            ': 2 arrays are given, but the halo is of 1; the error code is given by name: ierror=')
        ierr = MPI_SUCCESS
    end subroutine
    logical function is_scattered()
        is_scattered = all(u(2:n + 1, 2:n + 1, 3) == turned(2:n + 1, 2:n + 1)) .and. all(u(1, :, :) == -1)
    end function
    ! The value that the cell (x, y) of the whole domain is to have, also beyond its borders.
    real(8) function beyond(x, y)
        integer, intent(in) :: x, y
        integer :: inside
        inside = merge(2, min(x, dims(1) * n), x == 0)
        beyond = value(inside - at(1) * n, min(y, dims(2) * n) - at(2) * n)
        if (x > dims(1) * n) beyond = -beyond
        if (y == 0) beyond = -5
    end function

    ! Halos on MPI_COMM_SELF leave nothing behind.  With sanitizers freed memory is kept for a while.
    subroutine test_memory
#ifndef SANITIZED
        integer :: i, before
        real(8) :: row(4)
        if (rank > 0) return
        before = 0
        call ortho_cart_name(MPI_COMM_SELF, dims=[1])
        do i = 1, 2500
            if (i == 500) before = resident_kb()
            call ortho_halo_init([ortho_field(row)], ghosts=[1], comm=MPI_COMM_SELF, request=halo)
            call ortho_request_free(halo)
        end do
        call check('memory of halos on MPI_COMM_SELF', resident_kb() - before < 300)
        call ortho_cart_unname(MPI_COMM_SELF)
#endif
    end subroutine
    ! 0 where the system does not tell.
    integer function resident_kb()
        character(100) :: line
        integer :: unit
        resident_kb = 0
        open (newunit=unit, file='/proc/self/status', action='read', iostat=ierr)
        do while (ierr == 0)
            read (unit, '(a)', iostat=ierr) line
            if (ierr == 0 .and. line(:6) == 'VmRSS:') read (line(7:), *) resident_kb
        end do
        close (unit, iostat=ierr)
    end function

    ! Makes a halo of the array and runs it.
    subroutine run_any(a)
        type(*), intent(inout), target, asynchronous :: a(:, :)
        call make([ortho_field(a)])
        if (ierr /= MPI_SUCCESS) return
        call ortho_run(halo, a)
    end subroutine
    ! The last call has failed with this class, and says the cure.
    logical function is_cured(class)
        integer, intent(in) :: class
        integer :: its
        is_cured = .false.
        if (ierr == MPI_SUCCESS) return
        call MPI_Error_class(ierr, its, length)
        call ortho_error_message(text, length)
        is_cured = its == class .and. index(text, 'select type') > 0
    end function
    subroutine of_class_star(a)
        class(*), intent(inout), target :: a(:, :)
        call make([ortho_field(a)])
        is_refused = is_cured(MPI_ERR_TYPE)
        if (ierr /= MPI_SUCCESS) return
        call ortho_run(halo, a)
    end subroutine
    subroutine of_class_star_passed_on(a)
        class(*), intent(inout), target :: a(:, :)
        call run_any(a)
    end subroutine
    subroutine run_class_star(a)
        class(*), intent(inout), target :: a(:, :)
        call ortho_run(halo, a, ierror=ierr)
    end subroutine
    subroutine in_select_type(a)
        class(*), intent(inout), target :: a(:, :)
        select type (a)
        type is (real(8))
            call run_any(a)
        type is (cell)
            call run_any(a)
        type is (character(*))
            call run_any(a)
        end select
    end subroutine
    subroutine bcast_class_star(a)
        class(*), intent(inout), target :: a
        call ortho_bcast(a, 1, MPI_INTEGER, 0, comm, ierr)
        is_refused = is_cured(MPI_ERR_BUFFER)
    end subroutine

end program
