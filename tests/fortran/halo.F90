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
    real(8) function value(i, j, k)
        integer, intent(in) :: i, j, k
        value = 10000 * modulo(at(1) * n + i - 1, dims(1) * n) + 100 * modulo(at(2) * n + j - 1, &
            dims(2) * n) + k
    end function
#include "check.inc"
    subroutine set(a, g)
        real(8), intent(inout) :: a(:, :)
        integer, intent(in) :: g
        integer :: i, j
        a = -1
        do j = 1, n
            do i = 1, n
                a(g + i, g + j) = value(i, j, 0)
            end do
        end do
    end subroutine
    logical function is_set(a, lower, upper, k)
        real(8), intent(in) :: a(:, :)
        integer, intent(in) :: lower(2), upper(2), k
        integer :: i, j
        is_set = .true.
        do j = 1 - lower(2), n + upper(2)
            do i = 1 - lower(1), n + upper(1)
                if (a(i + lower(1), j + lower(2)) /= value(i, j, k)) is_set = .false.
            end do
        end do
    end function
    ! Starts with a copy where the actual argument is a section.  The copy is there until this ends.
    subroutine start_copy(halo, a, original, ierr)
        type(ortho_halo), intent(inout) :: halo
        real(8), intent(inout) :: a(n + 2, n + 2), original(:, :)
        integer, intent(out) :: ierr
        call ortho_start(halo, a)
        call ortho_wait(halo, original, ierror=ierr)
    end subroutine
    ! An error code is given without its name.
    subroutine check_unnamed(routine, ierr)
        character(*), intent(in) :: routine
        integer, intent(in) :: ierr
        integer :: length
        character(400) :: text
        call ortho_error_message(text, length)
        call check('an unnamed error code: ' // trim(text), index(text, routine) == 1 .and. &
            index(text, 'ierror=') > 0)
        call check('an unnamed error code of ' // routine, ierr /= 0)
    end subroutine
    subroutine set_kinds(a, i2, i8, z4, z8, l1)
        real(8), intent(in) :: a(:, :)
        integer(2), intent(out) :: i2(:, :)
        integer(8), intent(out) :: i8(:, :)
        complex(4), intent(out) :: z4(:, :)
        complex(8), intent(out) :: z8(:, :)
        logical(1), intent(out) :: l1(:, :)
        i2 = int(mod(a, 30000.0_8), 2)
        i8 = int(a, 8) * 1000000000
        z4 = cmplx(a, 1, 4)
        z8 = cmplx(1, a, 8)
        l1 = mod(a, 2.0_8) == 0
    end subroutine
end module

program halos
    USE_MPI
    use case
    implicit none
    INCLUDE_MPI
    integer :: ierr, total, i, j, k, d, points, found, length, class
    COMM_T :: comm
    logical :: flag, is_refused
    type(ortho_halo) :: halo, copied
    real(8) :: a(0:n + 1, -3:n - 2), b(0:n + 1, -3:n - 2), wide(2 * n + 4, 3 * n + 6), u(n + 2, n + 2, 3), &
        w(n + 2, 3, n + 2)
    real(8) :: staggered(n + 3, n + 1), empty(n + 2, n + 2, 0), turned(n + 2, n + 2)
    integer :: block_first(3), block_size(3)
    real(8), allocatable :: whole(:, :, :), again(:, :, :), none(:, :)
    real(4) :: single(n + 2, n + 2)
    complex(8) :: z(n + 2, n + 2)
    logical :: l(n + 2, n + 2)
    integer(1) :: small(n + 2, n + 2)
    character(3) :: c(n + 2, n + 2)
    real(8) :: seven(2, n + 2, 1, 2, n + 2, 1, 2)
    type(cell) :: cells(n + 2, n + 2)
    type(holder) :: h
    integer :: directions(2, 8)
    character(400) :: text
    TYPE_T :: pair
    integer(2) :: i2(n + 2, n + 2), j2(n + 2, n + 2)
    integer(8) :: i8(n + 2, n + 2), j8(n + 2, n + 2)
    complex(4) :: z4(n + 2, n + 2), y4(n + 2, n + 2)
    complex(8) :: y8(n + 2, n + 2)
    logical(1) :: l1(n + 2, n + 2), m1(n + 2, n + 2)
    real(8) :: hollow(0, n + 2)

    call MPI_Init(ierr)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    call MPI_Comm_size(MPI_COMM_WORLD, processes, ierr)
    call MPI_Comm_dup(MPI_COMM_WORLD, comm, ierr)
    call MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN, ierr)
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
    call set(a, 1)
    call ortho_halo_init([ortho_field(a)], ghosts=[1, 1], comm=comm, request=halo)
    call ortho_start(halo, a)
    call ortho_wait(halo, a)
    call check('start and wait', is_set(a, [1, 1], [1, 1], 0))
    call set(a, 1)
    call ortho_run(halo, a, ierror=ierr)
    call check('run', ierr == MPI_SUCCESS .and. is_set(a, [1, 1], [1, 1], 0))
    call set(a, 1)
    call ortho_start(halo)
    flag = .false.
    do while (.not. flag)
        call ortho_test(halo, flag)
    end do
    call ortho_wait(halo, a)
    call check('test', is_set(a, [1, 1], [1, 1], 0))
    ! Another array of this shape.
    call set(b, 1)
    call ortho_run(halo, b)
    call check('another array', is_set(b, [1, 1], [1, 1], 0))
    call set(a, 1)
    call ortho_halo_rebind(halo, a)
    call ortho_run(halo)
    call check('rebind', is_set(a, [1, 1], [1, 1], 0))
    ! Calls that are refused.
    call ortho_run(halo, wide, ierror=ierr)
    call refused('another shape', MPI_ERR_ARG)
    call ortho_error_message(text, length)
    call check('message', index(text, 'array 1 ') > 0 .and. length > 10)
    call ortho_run(halo, a, b, ierror=ierr)
    call check('too many arrays', ierr /= MPI_SUCCESS)
    ierr = MPI_SUCCESS
    call ortho_run(halo, a, ierr)
    call check_unnamed('ortho_run', ierr)
    ierr = MPI_SUCCESS
    call ortho_start(halo, a, ierr)
    call check_unnamed('ortho_start', ierr)
    ierr = MPI_SUCCESS
    call ortho_wait(halo, a, ierr)
    call check_unnamed('ortho_wait', ierr)
    ierr = MPI_SUCCESS
    call ortho_halo_rebind(halo, a, ierr)
    call check_unnamed('ortho_halo_rebind', ierr)
    call ortho_run(halo, wide, ierror=ierr)
    call ortho_error_message(text, length)
    call check('no copy of another shape', index(text, 'copy') == 0)
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
    call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN, ierr)
    copied = halo
    call ortho_request_free(halo)
    do k = 1, 2
        if (k == 2) call ortho_halo_init([ortho_field(a)], ghosts=[1, 1], comm=comm, request=halo)
        call ortho_run(copied, a, ierror=ierr)
        call ortho_error_message(text, length)
        call check('a handle of a freed halo', ierr /= MPI_SUCCESS .and. index(text, 'was freed') > 0)
        call ortho_wait(copied, ierror=ierr)
        call check('it is not waited for', ierr /= MPI_SUCCESS)
        call ortho_test(copied, flag, ierr)
        call check('it is not tested', ierr /= MPI_SUCCESS)
        call ortho_request_free(copied, ierr)
        call check('it is freed once', ierr /= MPI_SUCCESS)
    end do
    call ortho_request_free(halo)

    ! A section; a copy of it is refused.
    wide = -1
    call set(wide(1:2 * n + 4:2, 2:3 * n + 5:3), 1)
    call ortho_halo_init([ortho_field(wide(1:2 * n + 4:2, 2:3 * n + 5:3))], ghosts=[1, 1], comm=comm, &
        request=halo)
    call ortho_run(halo, wide(1:2 * n + 4:2, 2:3 * n + 5:3))
    call check('section', is_set(wide(1:2 * n + 4:2, 2:3 * n + 5:3), [1, 1], [1, 1], 0))
    call check('beside the section', all(wide(2:2 * n + 4:2, :) == -1) .and. all(wide(:, 1:3 * n + &
        6:3) == -1))
    call ortho_request_free(halo)
    call ortho_halo_init([ortho_field(a)], ghosts=[1, 1], comm=comm, request=halo)
    call start_copy(halo, wide(1:2 * n + 4:2, 2:3 * n + 5:3), wide(1:2 * n + 4:2, 2:3 * n + 5:3), ierr)
    call check('a copy', ierr /= MPI_SUCCESS)
    call ortho_request_free(halo)

    ! Backwards, in both dimensions.
    call set(b, 1)
    turned = b(n + 1:0:-1, n - 2:-3:-1)
    call ortho_halo_init([ortho_field(turned(n + 2:1:-1, n + 2:1:-1))], ghosts=[1, 1], comm=comm, &
        request=halo)
    call ortho_start(halo, turned(n + 2:1:-1, n + 2:1:-1))
    call ortho_wait(halo, turned(n + 2:1:-1, n + 2:1:-1))
    call check('backwards', is_set(turned(n + 2:1:-1, n + 2:1:-1), [1, 1], [1, 1], 0))
    ! Arguments that are no array.  With flang they are as if they were not given.
#ifndef __flang__
    call ortho_run(halo, h%a, ierror=ierr)
    call refused('not allocated', MPI_ERR_BUFFER)
    nullify (h%p)
    call ortho_run(halo, h%p, ierror=ierr)
    call refused('a null pointer', MPI_ERR_BUFFER)
#endif
    call ortho_run(halo, h%a, b, ierror=ierr)
    call check('not allocated, and another', ierr /= MPI_SUCCESS)
    call ortho_request_free(halo)
    call ortho_halo_init([ortho_field(b), ortho_field(h%a)], ghosts=[1, 1], comm=comm, request=halo, &
        ierror=ierr)
    call refused('a field that is not allocated', MPI_ERR_BUFFER, 'field 2 is not')

    ! Several kinds of numbers.
    call set(b, 1)
    call set_kinds(b, i2, i8, z4, z, l1)
    call ortho_halo_init([ortho_field(i2), ortho_field(i8), ortho_field(z4), ortho_field(z), &
        ortho_field(l1), ortho_field(b)], ghosts=[1, 1], comm=comm, request=halo)
    call ortho_run(halo, i2, i8, z4, z, l1, b)
    call ortho_request_free(halo)
    call set_kinds(b, j2, j8, y4, y8, m1)
    call check('kinds', all(i2 == j2) .and. all(i8 == j8) .and. all(z4 == y4) .and. all(z == y8) .and. &
        all(l1 .eqv. m1))
    ! And sums of them, which need a datatype where the module's compiler is another one than the library's.
#ifndef __flang__
    z4 = 1
    z = (0, 1)
    i8 = 10000000000_8
    call ortho_halo_reduce_init([ortho_field(z4), ortho_field(z), ortho_field(i8)], ghosts=[1, 1], &
        op=MPI_SUM, comm=comm, request=halo)
    call ortho_run(halo, z4, z, i8)
    call check('sums', all(z4(3:n, 3:n) == 1) .and. all(z4(2, 3:n) == 2) .and. z4(2, 2) == 4 .and. &
        all(z(3:n, 2) == (0, 2)) .and. i8(2, 2) == 40000000000_8)
    call ortho_request_free(halo)
    l = .false.
    l(1, :) = .true.
    call ortho_halo_reduce_init([ortho_field(l)], ghosts=[1, 1], op=MPI_LOR, comm=comm, request=halo)
    call ortho_run(halo, l)
    call check('logical or', all(l(n + 1, 2:n + 1)) .and. .not. any(l(2:n, 2:n + 1)))
    call ortho_request_free(halo)
#else
    call ortho_halo_reduce_init([ortho_field(z4)], ghosts=[1, 1], op=MPI_SUM, comm=comm, request=halo, &
        ierror=ierr)
    call refused('of flang sums need a datatype', MPI_ERR_TYPE)
#endif

    ! Arrays whose type the compiler has to tell: as they are, or refused with the cure.
    call set(b, 1)
    call of_class_star(b)
    call check('class(*)', is_refused .or. is_set(b, [1, 1], [1, 1], 0))
    i = merge(40, -1, rank == 0)
    call bcast_class_star(i)
    call check('an element of class(*)', i == 40 .or. (is_refused .and. i == merge(40, -1, rank == 0)))
    call set(b, 1)
    call in_select_type(b)
    call check('in select type', is_set(b, [1, 1], [1, 1], 0))
    call set(b, 1)
    cells%x = b
    call in_select_type(cells)
    call check('derived types in select type', is_set(cells%x, [1, 1], [1, 1], 0) .and. all(cells%mark == 7))
#ifndef __flang__
    call check('class(*) is refused', is_refused)
    call of_class_star_passed_on(cells)
    call check('class(*) that was passed on is refused', class == MPI_ERR_TYPE)
    call in_select_type(c)
    call check('what gfortran tells wrongly of class(*) is refused', class == MPI_ERR_TYPE)
    call ortho_halo_init([ortho_field(b)], ghosts=[1, 1], comm=comm, request=halo)
    call run_class_star(b)
    call check('where a halo is run, too', ierr /= MPI_SUCCESS .and. index(text, 'select type') > 0)
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
    call ortho_halo_init([ortho_field(none, lower=[0, 1], upper=[0, 1])], comm=comm, request=halo, ierror=ierr)
    call check('no cells between bounds that lie apart', ierr == MPI_SUCCESS)
    call ortho_run(halo, none, ierror=ierr)
    call check('they are exchanged', ierr == MPI_SUCCESS)
    call ortho_request_free(halo)
    deallocate (none)
    call ortho_halo_init([ortho_field(none)], ghosts=[1, 1], comm=comm, request=halo, ierror=ierr)
    call refused('a field that is no longer allocated', WHICHEVER, 'field 1 is not allocated')

    ! Several: dimensions that are not divided, other widths, other elements.
    do k = 1, 3
        call set(u(:, :, k), 1)
        call set(w(:, k, :), 1)
        where (u(:, :, k) >= 0) u(:, :, k) = u(:, :, k) + k
        where (w(:, k, :) >= 0) w(:, k, :) = w(:, k, :) + k
    end do
    staggered = -1
    do j = 1, n
        do i = 1, n
            staggered(i + 2, j) = value(i, j, 0)
        end do
    end do
    call set(turned, 1)
    turned = transpose(turned)
    call set(a, 1)
    single = real(a, 4)
    z = cmplx(a, -a, 8)
    l = mod(int(a), 3) == 0
    small = int(mod(int(a), 100), 1)
    do j = 1, n + 2
        do i = 1, n + 2
            write (c(i, j), '(i3)') mod(int(a(i - 1, j - 4)), 97)
        end do
    end do
    cells%x = a
    do k = 1, 2
        do d = 1, 2
            do i = 1, 2
                seven(k, :, 1, d, :, 1, i) = merge(a + 4 * k + 2 * d + i, a, a >= 0)
            end do
        end do
    end do
    h%a = a
    allocate (h%p(0:n + 1, 0:n + 1))
    h%p = a
    call MPI_Type_contiguous(16, MPI_BYTE, pair, ierr)
    call MPI_Type_commit(pair, ierr)
    call ortho_halo_init([ortho_field(u), ortho_field(w, divided=[1, 0, 2]), ortho_field(staggered, &
        lower=[2, 0], upper=[1, 1]), &
        ortho_field(turned, divided=[2, 1]), ortho_field(single), ortho_field(z, pair), ortho_field(l), &
        ortho_field(small), &
        ortho_field(c), ortho_field(cells%x), ortho_field(seven, divided=[0, 1, 0, 0, 1, 0, 0]), &
        ortho_field(h%a), &
        ortho_field(h%p), ortho_field(empty)], ghosts=[1, 1], comm=comm, request=halo)
    call ortho_start(halo, u, w, staggered, turned, single, z, l, small, c, cells%x, seven, h%a, h%p, empty)
    call ortho_wait(halo, u, w, staggered, turned, single, z, l, small, c, cells%x, seven, h%a, h%p, empty)
    do k = 1, 3
        call check('3-D', is_set(u(:, :, k), [1, 1], [1, 1], k))
        call check('3-D, second dimension not divided', is_set(w(:, k, :), [1, 1], [1, 1], k))
    end do
    call check('widths of each side', is_set(staggered, [2, 0], [1, 1], 0))
    call check('transposed', is_set(transpose(turned), [1, 1], [1, 1], 0))
    call check('real(4)', is_set(real(single, 8), [1, 1], [1, 1], 0))
    call check('complex, with a datatype', is_set(real(z), [1, 1], [1, 1], 0) .and. is_set(-aimag(z), [1, &
        1], [1, 1], 0))
    call check('component', is_set(cells%x, [1, 1], [1, 1], 0) .and. all(cells%mark == 7))
    call check('allocatable component', is_set(h%a, [1, 1], [1, 1], 0))
    call check('pointer component', is_set(h%p, [1, 1], [1, 1], 0))
    call check('logical', all(l .eqv. mod(int(h%a), 3) == 0))
    call check('integer(1)', all(small == mod(int(h%a), 100)))
    do j = 1, n + 2
        do i = 1, n + 2
            write (text, '(i3)') mod(int(h%a(i - 1, j - 4)), 97)
            call check('character', c(i, j) == text)
        end do
    end do
    do k = 1, 2
        do d = 1, 2
            do i = 1, 2
                call check('7-D', is_set(seven(k, :, 1, d, :, 1, i), [1, 1], [1, 1], 4 * k + 2 * d + i))
            end do
        end do
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
    call ortho_halo_reduce_init([ortho_field(u, MPI_DOUBLE_PRECISION)], ghosts=[1, 1], op=MPI_SUM, &
        comm=comm, request=halo)
    call ortho_run(halo, u)
    call check('reduced', all(u(3:n, 3:n, :) == 0) .and. all(u(3:n, 2, :) == 1) .and. all(u(2, 3:n, &
        :) == 1) .and. &
        all(u(2, 2, :) == 3))
    call ortho_request_free(halo)
    call ortho_halo_reduce_init([ortho_field(c)], ghosts=[1, 1], op=MPI_SUM, comm=comm, request=halo, &
        ierror=ierr)
    call refused('characters are not reduced', MPI_ERR_TYPE)

    ! All of an array at one process, and back.
    allocate (whole(dims(1) * n, dims(2) * n, 3))
    do k = 1, 3
        call set(u(:, :, k), 1)
        where (u(:, :, k) >= 0) u(:, :, k) = u(:, :, k) + k
    end do
    whole = -1
    if (rank == processes - 1) then
        call ortho_field_gather(ortho_field(u), ortho_field(whole), processes - 1, comm, ghosts=[1, 1])
    else
        call ortho_field_gather(ortho_field(u), root=processes - 1, comm=comm, ghosts=[1, 1])
    end if
    flag = .true.
    do k = 1, 3
        do j = 1, dims(2) * n
            do i = 1, dims(1) * n
                flag = flag .and. (whole(i, j, k) == 10000 * (i - 1) + 100 * (j - 1) + k .eqv. &
                    rank == processes - 1)
            end do
        end do
    end do
    call check('gathered', flag)
    ! A halo knows its ghosts.
    call ortho_halo_init([ortho_field(u)], ghosts=[1, 1], comm=comm, request=halo)
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
    call check('scattered to a halo', all(u(2:n + 1, 2:n + 1, 3) == turned(2:n + 1, 2:n + 1)) .and. &
        all(u(1, :, :) == -1))
    call ortho_field_gather(halo, 2, ortho_field(whole), 0, ierr)
    call refused('no such field', WHICHEVER, 'ortho_field_gather: fields(2) is none of 1 fields')
    call ortho_field_gather(halo, 1, root=0, ierror=ierr)
    call refused('no whole', WHICHEVER, 'whole is not given at the root')
    call ortho_request_free(halo)
    u = -1
    call ortho_field_scatter(ortho_field(whole), ortho_field(u), processes - 1, comm, ghosts=[1, 1])
    call check('scattered', all(u(2:n + 1, 2:n + 1, 3) == turned(2:n + 1, 2:n + 1)) .and. &
        all(u(1, :, :) == -1))

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
    call ortho_halo_init([ortho_field(u, divided=[1, merge(3, 2, rank == processes - 1)])], ghosts=[1, 1], &
        comm=comm, request=halo, ierror=ierr)
    call refused('all are told what', WHICHEVER, 'is not divided along each')
    call ortho_field_gather(ortho_field(u), ortho_field(whole(:, :, :merge(2, 3, rank == processes - 1))), &
        processes - 1, comm, ghosts=[1, 1], ierror=ierr)
    call check('another whole', ierr /= MPI_SUCCESS)
    call ortho_halo_init([ortho_field(u, divided=[1, 1, 1])], ghosts=[1, 1], comm=comm, request=halo, &
        ierror=ierr)
    call refused('three dimensions on a grid of two', MPI_ERR_DIMS)
    call ortho_halo_init([ortho_field(u)], comm=comm, request=halo, ierror=ierr)
    call refused('the routine and the argument', WHICHEVER, 'ortho_halo_init: no ghost widths')
    call ortho_halo_init([ortho_field(a), ortho_field(u, lower=[1, -1], upper=[1, 1])], ghosts=[1, 1], &
        comm=comm, request=halo, ierror=ierr)
    call refused('numbers from 1 on', WHICHEVER, 'fields(2).lower(2) = -1')
    call ortho_halo_init([ortho_field(a), ortho_field(a)], ghosts=[1, 1], comm=comm, request=halo, ierror=ierr)
    call refused('one array twice', WHICHEVER, &
        'fields(1).base and fields(2).base are arrays that share memory')
    call ortho_halo_init([ortho_field(a)], ghosts=[1], comm=comm, request=halo, ierror=ierr)
    call refused('one width on a grid of two dimensions', WHICHEVER, &
        'ghosts has 1 width on a grid of 2 dimensions')
    call ortho_halo_init([ortho_field(a, lower=[1], upper=[1])], comm=comm, request=halo, ierror=ierr)
    call refused('one width of a field', WHICHEVER, 'field 1 has 1 ghost widths on a grid of 2')
    call ortho_halo_init([ortho_field(a)], ghosts=[3, 1], comm=comm, request=halo, ierror=ierr)
    call refused('too wide', WHICHEVER, 'sizes leaves 0 owned layers in dimension 1 of the grid, but ' // &
        'ghosts are 3 layers wide')
    call ortho_cart_name(comm, dims=[processes, 2], ierror=ierr)
    call refused('too many processes', WHICHEVER, 'dims gives a grid of')
    call ortho_cart_name(comm, dims=[1, -1], ierror=ierr)
    call refused('fewer than no processes', WHICHEVER, 'dims(2) = -1 is not a positive')
    call ortho_cart_unname(comm)
    call ortho_halo_init([ortho_field(u)], ghosts=[1, 1], comm=comm, request=halo, ierror=ierr)
    call check('no name', ierr /= MPI_SUCCESS)
    call ortho_cart_rank(comm, at, d, ierr)
    call ortho_error_class(ierr, class)
    call check('ORTHO_ERR_NAME', class == ORTHO_ERR_NAME .and. class > 0)

    ! At borders: regions that nothing fills.
    call ortho_cart_name(comm, dims=dims)
    call set(a, 1)
    call ortho_halo_init([ortho_field(u), ortho_field(a)], ghosts=[1, 1], comm=comm, request=halo)
    call ortho_run(halo, u, a)
    call ortho_halo_unfilled(halo, 0, 8, directions, found, ierr)
    call refused('fields count from 1', WHICHEVER, 'fields(0) is none of 2 fields')
    call ortho_halo_unfilled(halo, 2, 8, directions, found)
    points = 0
    do j = -1, 1
        do i = -1, 1
            if (any(at + [i, j] < 0 .or. at + [i, j] >= dims)) points = points + 1
        end do
    end do
    call check('unfilled', found == points)
    call ortho_request_free(halo)

    ! Values beyond borders: a mirror in the first dimension, constants and the edge in the second.
    call set(a, 1)
    call set(b, 1)
    call ortho_halo_init([ortho_field(a, boundary=[ORTHO_BOUNDARY_REFLECT, ORTHO_BOUNDARY_SYMMETRIC, &
        ORTHO_BOUNDARY_CONSTANT, ORTHO_BOUNDARY_EDGE], sign=[1, -1, 1, 1], value=-5.0_8), &
        ortho_field(b, boundary=[ORTHO_BOUNDARY_EDGE])], ghosts=[1, 1], comm=comm, request=halo)
    call ortho_run(halo, a, b)
    flag = .true.
    do j = 0, n + 1
        do i = 0, n + 1
            total = merge(-1, 1, at(1) * n + i > dims(1) * n) ! sign
            points = at(1) * n + i
            points = merge(2, merge(dims(1) * n, points, points > dims(1) * n), points == 0) - at(1) * n
            found = min(at(2) * n + j, dims(2) * n) - at(2) * n
            if (at(2) * n + j == 0) then
                flag = flag .and. a(i, j - 3) == -5
            else
                flag = flag .and. a(i, j - 3) == total * value(points, found, 0)
            end if
            flag = flag .and. b(i, j - 3) == value(min(max(at(1) * n + i, 1), dims(1) * n) - at(1) * n, &
                min(max(at(2) * n + j, 1), dims(2) * n) - at(2) * n, 0)
        end do
    end do
    call check('boundary', flag)
    call ortho_request_free(halo)
    call ortho_halo_init([ortho_field(a, boundary=[ORTHO_BOUNDARY_EDGE], sign=[1, 1, 1])], ghosts=[1, 1], &
        comm=comm, request=halo, ierror=ierr)
    call refused('signs of three sides', WHICHEVER, '3 numbers in boundary or sign, and the grid has 4')
    call ortho_halo_init([ortho_field(a, boundary=[ORTHO_BOUNDARY_EDGE], value=1.0_8)], ghosts=[1, 1], &
        comm=comm, request=halo, ierror=ierr)
    call refused('a value of no constant', WHICHEVER, 'is for ORTHO_BOUNDARY_CONSTANT, and no side is')
    call ortho_halo_init([ortho_field(a, boundary=[ORTHO_BOUNDARY_CONSTANT], value=1)], ghosts=[1, 1], &
        comm=comm, request=halo, ierror=ierr)
    call refused('a constant of another type', MPI_ERR_TYPE)

    ! On a grid of which only every second point has a process.
    call ortho_cart_name(comm, dims=[2, processes], ranks=reshape([(merge(i / 2, MPI_PROC_NULL, &
        mod(i, 2) == 0), i = 0, 2 * processes - 1)], [2, processes]), size=points)
    call check('ranks', points == processes)
    call ortho_cart_coordinates(comm, rank, at)
    call check('coordinates with ranks', at(1) == 0 .and. at(2) == rank)
    a = -1
    a(1:n, -2:n - 3) = rank
    call ortho_halo_init([ortho_field(a)], ghosts=[1, 1], comm=comm, request=halo)
    call ortho_run(halo, a)
    call check('land', all(a([0, n + 1], :) == -1) .and. all(a(1:n, -3) == rank - 1) .and. &
        all(a(1:n, n - 2) == merge(rank + 1, -1, rank < processes - 1)))
    call ortho_request_free(halo)
    call MPI_Comm_free(comm, ierr)

    call test_memory
    call MPI_Reduce(failures, total, 1, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
    if (rank == 0) print '(a, i0)', 'failures: ', total
    call MPI_Finalize(ierr)

contains
#include "refused.inc"

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

    ! Makes a halo of the array and runs it.  Sets class to that of the error, and text.
    subroutine run_any(a)
        type(*), intent(inout), target, asynchronous :: a(:, :)
        call ortho_halo_init([ortho_field(a)], ghosts=[1, 1], comm=comm, request=halo, ierror=ierr)
        call explain
        if (class /= MPI_SUCCESS) return
        call ortho_run(halo, a)
        call ortho_request_free(halo)
    end subroutine
    subroutine explain
        call MPI_Error_class(ierr, class, total)
        if (class /= MPI_SUCCESS) call ortho_error_message(text, length)
    end subroutine
    subroutine of_class_star(a)
        class(*), intent(inout), target :: a(:, :)
        call ortho_halo_init([ortho_field(a)], ghosts=[1, 1], comm=comm, request=halo, ierror=ierr)
        call explain
        is_refused = class == MPI_ERR_TYPE .and. index(text, 'select type') > 0
        if (class /= MPI_SUCCESS) return
        call ortho_run(halo, a)
        call ortho_request_free(halo)
    end subroutine
    subroutine of_class_star_passed_on(a)
        class(*), intent(inout), target :: a(:, :)
        call run_any(a)
    end subroutine
    subroutine run_class_star(a)
        class(*), intent(inout), target :: a(:, :)
        call ortho_run(halo, a, ierror=ierr)
        call explain
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
        call explain
        is_refused = class == MPI_ERR_BUFFER .and. index(text, 'select type') > 0
    end subroutine

end program
