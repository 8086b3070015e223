! SPDX-License-Identifier: BSD-3-Clause
! Grids that are not one box: a fold with a staggered vector and several patches a process, a sphere, arrays with
! levels, reductions, elements that are one point.
#include "binding.inc"
module case
    use mpiortho
    implicit none
    integer :: rank, processes, failures = 0
    real(8), parameter :: untouched = -1e6_8
    type block
        real(8), allocatable :: t(:, :), u(:, :), v(:, :)
    end type
contains
#include "check.inc"
    ! The value of element (i, j) of field f.
    real(8) function value(f, i, j)
        integer, intent(in) :: f, i, j
        value = 1000 * f + 10 * i + j
    end function
    ! The value that element (i, j) of a field is to have in an ocean of 8 x 5 cells, folded at its top around the corner of a
    ! cell.  Elements of field 2 lie at the upper faces of dimension 1, those of field 3 at those of dimension 2.
    real(8) function expected(f, i, j)
        integer, intent(in) :: f, i, j
        integer :: x, there, beyond
        expected = untouched
        if (j < 1) return
        x = modulo(i - 1, 8) + 1
        there = modulo(merge(7, 8, f == 2) - x, 8) + 1
        beyond = merge(10, 11, f == 3) - j
        expected = value(f, x, j)
        ! Elements on the fold are one point with their images, of which the first counts.
        if (j > 5 .or. (j == beyond .and. there < x)) expected = merge(1, -1, f == 1) * value(f, there, beyond)
    end function
    subroutine set(patch, f, a)
        type(ortho_patch), intent(in) :: patch
        integer, intent(in) :: f
        real(8), allocatable, intent(inout) :: a(:, :)
        integer :: i, j, n(2), at(2)
        n = int(patch%count(:2))
        at = int(patch%first(:2)) - 1
        if (.not. allocated(a)) allocate (a(-1:n(1) + 2, -1:n(2) + 2))
        a = untouched
        do j = 1, n(2)
            a(1:n(1), j) = [(value(f, at(1) + i, at(2) + j), i = 1, n(1))]
        end do
    end subroutine
    logical function is_set(patch, f, a)
        type(ortho_patch), intent(in) :: patch
        integer, intent(in) :: f
        real(8), allocatable, intent(in) :: a(:, :)
        real(8), allocatable :: owned(:, :)
        integer :: i, j, at(2)
        at = int(patch%first(:2)) - 1
        call set(patch, f, owned)
        is_set = .true.
        do j = -1, ubound(a, 2)
            where (owned(:, j) == untouched) &
                owned(:, j) = [(expected(f, at(1) + i, at(2) + j), i = -1, ubound(a, 1))]
            is_set = is_set .and. all(a(:, j) == owned(:, j))
        end do
    end function
end module

program mosaics
    USE_MPI
    use mpiortho
    use case
    implicit none
    INCLUDE_MPI
    integer :: ierr
    COMM_T :: comm

    call begin()
    call test_fold()
    call test_sphere()
    call test_levels()
    call test_row()
    call test_errors()
    call finish()
contains
#include "program.inc"
#include "refused.inc"

    subroutine make_ocean(ocean, patches, n)
        type(ortho_mosaic), intent(out) :: ocean
        type(ortho_patch), intent(out) :: patches(:)
        integer, intent(out) :: n
        type(ortho_contact) :: contacts(2)
        call ortho_contact_periodic(2, [8, 5], 1, 1, contacts(1))
        call ortho_contact_fold(2, [8, 5], 1, 2, ORTHO_UPPER, 1, ORTHO_PIVOT_F, contacts(2), ierr)
        call check('the fold', ierr == MPI_SUCCESS .and. contacts(2)%tile == 1 .and. &
            contacts(2)%dimension == 2 .and. contacts(2)%donor == 1 .and. contacts(2)%first(1) == 1 .and. &
            all(contacts(2)%transform(:2) == [-1, -2]) .and. all(contacts(2)%origin(:2) == [8, 10]))
        call ortho_mosaic_divide(2, 1, [8, 5], [2, 3], processes, rank, size(patches), patches, n)
        call ortho_mosaic_create(comm, 2, 1, [8, 5], 2, contacts, n, patches, MPI_INFO_NULL, ocean, ierr)
        call check('create', ierr == MPI_SUCCESS .and. ocean /= ORTHO_MOSAIC_NULL)
        call take_assumed_size(ocean, [8, 5], [2, 3], [8, 5])
    end subroutine

    ! Lists of assumed size, as old programs pass them.
    subroutine take_assumed_size(ocean, sizes, most, cell)
        type(ortho_mosaic), intent(in) :: ocean
        integer, intent(in) :: sizes(*), most(*), cell(*)
        type(ortho_patch) :: patches(8)
        integer :: n, owner, number
        call ortho_mosaic_divide(2, 1, sizes, most, 1, 0, 8, patches, n, ierr)
        call check('most of assumed size', ierr == MPI_SUCCESS .and. n == 8)
        call ortho_mosaic_owner(ocean, 1, cell, owner, number, ierr)
        call check('a cell of assumed size', ierr == MPI_SUCCESS .and. owner == processes - 1)
    end subroutine

    ! The halo of a scalar and a staggered vector.
    subroutine make_halo(p, ocean, halo)
        type(block), intent(inout), target :: p(:)
        type(ortho_mosaic), intent(in) :: ocean
        type(ortho_halo), intent(out) :: halo
        integer :: k
        call ortho_mosaic_halo_init([(ortho_field(p(k)%t), k = 1, size(p)), &
            (ortho_field(p(k)%u, location=[ORTHO_UPPER, ORTHO_CENTRE], kind=ORTHO_VECTOR), k = 1, size(p)), &
            (ortho_field(p(k)%v, location=[ORTHO_CENTRE, ORTHO_UPPER], kind=ORTHO_VECTOR), k = 1, size(p))], &
            ghosts=[2, 2], mosaic=ocean, request=halo)
    end subroutine

    subroutine test_fold()
        type(ortho_mosaic) :: ocean
        type(ortho_patch) :: patches(8), boxes(8)
        type(block), allocatable, target :: p(:), q(:)
        type(ortho_halo) :: halo
        integer :: n, k, count, owner, number, unfilled, length, no_driver
        character(400) :: text
        call make_ocean(ocean, patches, n)
        allocate (p(n), q(n))
        do k = 1, n
            call set(patches(k), 1, p(k)%t)
            call set(patches(k), 2, p(k)%u)
            call set(patches(k), 3, p(k)%v)
        end do
        call make_halo(p, ocean, halo)
        ! In the default stream, where a driver of a device is in the process (tests/pretend).
        call get_environment_variable('ORTHO_TEST_PRETEND', status=no_driver)
        if (no_driver == 0) call ortho_run_enqueue(halo%request, 0_MPI_ADDRESS_KIND)
        if (no_driver /= 0) call ortho_run(halo)
        do k = 1, n
            call check('scalar across a fold', is_set(patches(k), 1, p(k)%t))
            call check('component 1 across a fold', is_set(patches(k), 2, p(k)%u))
            call check('component 2 across a fold', is_set(patches(k), 3, p(k)%v))
        end do
        call ortho_explain(halo%request, text, length)
        call check('explain', length > 0)

        ! Other arrays.
        q = p
        do k = 1, n
            q(k)%t = q(k)%t + 1
            call set(patches(k), 2, q(k)%u)
            call set(patches(k), 3, q(k)%v)
        end do
        select case (n)
        case (8)
            call ortho_start(halo, p(1)%t, p(2)%t, p(3)%t, p(4)%t, p(5)%t, p(6)%t, p(7)%t, p(8)%t, &
                q(1)%u, q(2)%u, q(3)%u, q(4)%u, q(5)%u, q(6)%u, q(7)%u, q(8)%u, &
                q(1)%v, q(2)%v, q(3)%v, q(4)%v, q(5)%v, q(6)%v, q(7)%v, q(8)%v)
        case (4)
            call ortho_start(halo, p(1)%t, p(2)%t, p(3)%t, p(4)%t, q(1)%u, q(2)%u, q(3)%u, q(4)%u, &
                q(1)%v, q(2)%v, q(3)%v, q(4)%v)
        case (3)
            call ortho_start(halo, p(1)%t, p(2)%t, p(3)%t, q(1)%u, q(2)%u, q(3)%u, q(1)%v, q(2)%v, q(3)%v)
        case (2)
            call ortho_start(halo, p(1)%t, p(2)%t, q(1)%u, q(2)%u, q(1)%v, q(2)%v)
        end select
        call ortho_wait(halo)
        do k = 1, n
            call check('other arrays', is_set(patches(k), 2, q(k)%u) .and. is_set(patches(k), 3, q(k)%v))
        end do

        do k = 1, n
            call ortho_mosaic_owner(ocean, 1, int(patches(k)%first(:2)), owner, number)
            call check('owner', owner == rank .and. number == k)
            call ortho_mosaic_unfilled(halo, 1, k, 8, boxes, count, ierr)
            unfilled = int(sum(boxes(:count)%count(1) * boxes(:count)%count(2)))
            call check('unfilled', unfilled == merge(2 * (int(patches(k)%count(1)) + 4), 0, &
                patches(k)%first(2) == 1) .and. all(boxes(:count)%first(2) < 1))
        end do
        call ortho_request_free(halo)
        call test_reduction(p, patches(:n), ocean)
        call ortho_mosaic_free(ocean, ierr)
        call check('free', ierr == MPI_SUCCESS .and. ocean == ORTHO_MOSAIC_NULL)
    end subroutine

    ! Ghosts are 1.  Each adds its sign to the element that would fill it: all patches' ghosts are counted.
    subroutine test_reduction(p, patches, ocean)
        type(block), intent(inout), target :: p(:)
        type(ortho_patch), intent(in) :: patches(:)
        type(ortho_mosaic), intent(in) :: ocean
        type(ortho_halo) :: halo
        type(ortho_patch) :: its(8)
        integer :: sums(8, 5), k, r, n, i, j, x, y
        real(8) :: from
        sums = 0
        do r = 0, processes - 1
            call ortho_mosaic_divide(2, 1, [8, 5], [2, 3], processes, r, 8, its, n)
            do k = 1, n
                do j = int(its(k)%first(2)) - 2, int(its(k)%first(2) + its(k)%count(2)) + 1
                    do i = int(its(k)%first(1)) - 2, int(its(k)%first(1) + its(k)%count(1)) + 1
                        if (i >= its(k)%first(1) .and. i < its(k)%first(1) + its(k)%count(1) .and. &
                            j >= its(k)%first(2) .and. j < its(k)%first(2) + its(k)%count(2)) cycle
                        from = expected(3, i, j)
                        if (from == untouched) cycle
                        x = mod(int(abs(from)), 1000) / 10
                        y = mod(int(abs(from)), 10)
                        sums(x, y) = sums(x, y) + int(sign(1.0_8, from))
                    end do
                end do
            end do
        end do
        do k = 1, size(p)
            p(k)%u = 1
            p(k)%v = 1
            p(k)%u(1:patches(k)%count(1), 1:patches(k)%count(2)) = 0
            p(k)%v(1:patches(k)%count(1), 1:patches(k)%count(2)) = 0
        end do
        call ortho_mosaic_reduce_init([ &
            (ortho_field(p(k)%u, location=[ORTHO_UPPER, ORTHO_CENTRE], kind=ORTHO_VECTOR), k = 1, size(p)), &
            (ortho_field(p(k)%v, location=[ORTHO_CENTRE, ORTHO_UPPER], kind=ORTHO_VECTOR), k = 1, size(p))], &
            [2, 2], MPI_SUM, ocean, MPI_INFO_NULL, halo, ierr)
        call ortho_run(halo)
        do k = 1, size(p)
            do j = 1, int(patches(k)%count(2))
                do i = 1, int(patches(k)%count(1))
                    call check('reduction', p(k)%v(i, j) == &
                        sums(patches(k)%first(1) + i - 1, patches(k)%first(2) + j - 1))
                end do
            end do
            call check('ghosts of a reduction', p(k)%v(-1, -1) == 1)
        end do
        call ortho_request_free(halo)
    end subroutine

    ! Beyond the top of an odd panel, 1, 3, 5, dimension 1 runs along -2, and 2 along 1.
    subroutine test_sphere()
        integer, parameter :: n = 4
        type(ortho_contact) :: contacts(12)
        type(ortho_patch) :: panels(6)
        type(ortho_mosaic) :: sphere
        type(ortho_halo) :: halo
        integer :: sizes(2, 6), m, k, i, j, right, above, count
        real(4), target :: u(0:n + 1, 0:n + 1, 6), v(0:n + 1, 0:n + 1, 6)
        sizes = n
        call ortho_contact_cubed_sphere(2, sizes, contacts)
        call ortho_mosaic_divide(2, 6, sizes, [0, 0], processes, rank, 6, panels, m)
        call ortho_mosaic_create(comm, 2, 6, sizes, 12, contacts, m, panels, mosaic=sphere)
        u = -1
        v = -1
        do k = 1, m
            do j = 1, n
                do i = 1, n
                    u(i, j, k) = 1000 + 100 * panels(k)%tile + 10 * i + j
                    v(i, j, k) = 2000 + 100 * panels(k)%tile + 10 * i + j
                end do
            end do
        end do
        call ortho_mosaic_halo_init([(ortho_field(u(:, :, k), kind=ORTHO_VECTOR), k = 1, m), &
            (ortho_field(v(:, :, k), kind=ORTHO_VECTOR), k = 1, m)], [1, 1], sphere, request=halo)
        call ortho_run(halo)
        do k = 1, m
            if (mod(panels(k)%tile, 2) == 0) cycle
            right = 100 * (mod(panels(k)%tile, 6) + 1)
            above = 100 * (mod(panels(k)%tile + 1, 6) + 1)
            do i = 1, n
                call check('to the right', u(n + 1, i, k) == 1000 + right + 10 + i .and. &
                    v(n + 1, i, k) == 2000 + right + 10 + i)
                call check('above', u(i, n + 1, k) == -(2000 + above + 10 + n + 1 - i) .and. &
                    v(i, n + 1, k) == 1000 + above + 10 + n + 1 - i)
            end do
            call check('corners', u(0, 0, k) == -1 .and. v(n + 1, n + 1, k) == -1)
            call ortho_mosaic_unfilled(halo, 2, k, 0, panels(:0), count)
            call check('four corners', count == 4)
        end do
        call ortho_request_free(halo)
        call ortho_mosaic_free(sphere)
    end subroutine

    ! One patch a process, but for the last of several, which has none: arrays with levels, given to each run.
    subroutine test_levels()
        type(ortho_contact) :: contact
        type(ortho_patch) :: patches(1)
        type(ortho_mosaic) :: ring
        type(ortho_halo) :: halo
        integer :: owners, n, i, next, before
        integer, allocatable :: t(:, :, :), s(:, :, :)
        owners = max(processes - 1, 1)
        call ortho_contact_periodic(2, [4 * owners, 3], 1, 1, contact)
        n = merge(1, 0, rank < owners)
        patches(1)%first(:2) = [4 * rank + 1, 1]
        patches(1)%count(:2) = [4, 3]
        call ortho_mosaic_create(comm, 2, 1, [4 * owners, 3], 1, [contact], n, patches, mosaic=ring)
        if (n == 1) then
            allocate (t(2, 0:5, 3), s(2, 0:5, 3))
        else
            allocate (t(2, 0, 0), s(2, 0, 0)) ! examples
        end if
        call ortho_mosaic_halo_init([ortho_field(t, divided=[0, 1, 2], lower=[1, 0], upper=[1, 0])], mosaic=ring, &
            request=halo, ierror=ierr)
        call check('levels', ierr == MPI_SUCCESS)
        do i = 1, 2
            t = -1
            s = -1
            if (n == 1) t(:, 1:4, :) = 10 * i + rank
            if (n == 1) s(:, 1:4, :) = 10 * i + rank
            if (i == 1) call ortho_run(halo, t)
            if (i == 2) call ortho_run(halo, s)
            if (n == 0) cycle
            next = 10 * i + modulo(rank + 1, owners)
            before = 10 * i + modulo(rank - 1, owners)
            if (i == 2) t = s
            call check('ghosts with levels', all(t(:, 0, :) == before) .and. all(t(:, 5, :) == next) .and. &
                all(t(:, 1:4, :) == 10 * i + rank))
        end do
        call ortho_request_free(halo)
        call ortho_mosaic_free(ring)
    end subroutine

    ! Two tiles, whose patches process 0 owns: positions, with elements at all faces.
    subroutine test_row()
        type(ortho_contact) :: contact
        type(ortho_patch) :: patches(2)
        type(ortho_mosaic) :: row
        type(ortho_halo) :: halo
        integer :: n, i
        real(8), target :: x(0:5), y(0:6)
        call ortho_contact_join(1, [3, 4], 1, 1, ORTHO_UPPER, 2, 1, ORTHO_LOWER, contact=contact)
        contact%shift(1) = 0.5
        n = merge(2, 0, rank == 0)
        patches(:)%tile = [1, 2]
        patches(:)%count(1) = [3, 4]
        call ortho_mosaic_create(comm, 1, 2, [3, 4], 1, [contact], n, patches, mosaic=row)
        x = [(i, i = 0, 5)]
        y = [(10 + i, i = 0, 6)]
        if (rank == 0) then
            call ortho_mosaic_halo_init([ortho_field(x, location=[ORTHO_BOTH], kind=ORTHO_POSITION), &
                ortho_field(y, location=[ORTHO_BOTH], kind=ORTHO_POSITION)], [1], row, [1], request=halo)
        else
            call ortho_mosaic_halo_init([ortho_field(x, location=[ORTHO_BOTH], kind=ORTHO_POSITION)], [1], &
                row, [1], request=halo)
        end if
        call ortho_run(halo)
        ! The side that both have is element 4 of tile 1, and takes its value.
        if (rank == 0) call check('positions', x(5) == 12.5 .and. x(4) == 4 .and. y(0) == 2.5 .and. &
            y(1) == 3.5 .and. x(0) == 0 .and. y(6) == 16)
        call ortho_request_free(halo)
        ! Backward: only the order of dimensions that run along each other is reversed.
        call ortho_contact_join(2, reshape([2, 3, 3, 4], [2, 2]), 1, 1, ORTHO_UPPER, 2, 2, ORTHO_LOWER, &
            [.false., .true.], contact)
        call check('join', all(contact%transform(:2) == [2, -1]) .and. all(contact%origin(:2) == [3, -2]) .and. &
            contact%donor == 2)
        call ortho_mosaic_free(row)
        ! A row that both ends close.
        patches(1)%count(1) = 4
        call ortho_mosaic_create(comm, 1, 1, [4], 0, [contact], merge(1, 0, rank == 0), patches, mosaic=row)
        x = [0, 1, 2, 3, 4, 0]
        call ortho_mosaic_halo_init([ortho_field(x, boundary=[ORTHO_BOUNDARY_SYMMETRIC, ORTHO_BOUNDARY_EDGE], &
            sign=[-1, 1])], [1], row, request=halo)
        call ortho_run(halo)
        if (rank == 0) call check('closed sides', x(0) == -1 .and. x(5) == 4)
        call ortho_request_free(halo)
        call ortho_mosaic_free(row)
    end subroutine

    subroutine test_errors()
        type(ortho_mosaic) :: ocean, copied, wrong
        type(ortho_patch) :: patches(9), boxes(1)
        type(ortho_contact) :: contact
        type(ortho_halo) :: halo
        type(block), allocatable, target :: p(:)
        integer :: n, k, owner, number
        logical :: last
        character :: cell(2)
        last = rank == processes - 1
        call ortho_contact_periodic(2, [8, 5], 2, 1, contact, ierr)
        call refused('no tile', MPI_ERR_ARG, 'sizes has 2 elements, and 4 are needed')
        call ortho_contact_periodic(2, [8, 5], 1, 3, contact, ierr)
        call refused('no dimension', MPI_ERR_ARG, 'ortho_contact_periodic: dimension = 3 is none of 2')
        call ortho_contact_periodic(2, [8, 5], 0, 1, contact, ierr)
        call refused('tile 0', MPI_ERR_ARG, 'tile: there is no tile 0; the first one is tile 1')
        patches(1)%first(:2) = [1, 0]
        patches(1)%count(:2) = 3
        call ortho_mosaic_create(comm, 2, 1, [8, 5], 0, [contact], 1, patches, mosaic=wrong, ierror=ierr)
        call refused('cell 0', MPI_ERR_ARG, 'leaves its tile: it has 3 cells from cell 0 on in dimension 2')
        call make_ocean(ocean, patches(:8), n)
        if (last) patches(n + 1) = patches(1)
        call ortho_mosaic_create(comm, 2, 1, [8, 5], 0, [contact], merge(n + 1, n, last), patches, &
            mosaic=wrong, ierror=ierr)
        call refused('two patches at one place', MPI_ERR_ARG, 'that another patch has')
        cell = achar(iachar('0') + patches(1)%first(:2))
        if (last) call refused('its cell', MPI_ERR_ARG, 'begins at cell (' // cell(1) // ',' // cell(2) // ')')
        call ortho_mosaic_create(comm, 2, 1, [8, 5], 0, [contact], n, patches(:merge(n - 1, n, last)), &
            mosaic=wrong, ierror=ierr)
        call refused('too few patches', MPI_ERR_ARG, 'patches has ')
        call check('none is made', wrong == ORTHO_MOSAIC_NULL)
        call ortho_mosaic_owner(ocean, 1, [9, 1], owner, number, ierr)
        call refused('no cell', MPI_ERR_ARG, 'ortho_mosaic_owner: element(1): cell 9 is none of 8')
        call ortho_mosaic_owner(ocean, 2, [1, 1], owner, number, ierr)
        call refused('no tile of a mosaic', MPI_ERR_ARG, 'tile = 2 is none of 1 tiles')
        call ortho_mosaic_owner(ocean, 1, [8], owner, number, ierr)
        call refused('half a cell', MPI_ERR_ARG, 'element(2)')

        allocate (p(n))
        do k = 1, n
            call set(patches(k), 1, p(k)%t)
        end do
        if (last) p(n)%t = reshape([real(8) ::], [3, 3], [0.0_8])
        call ortho_mosaic_halo_init([(ortho_field(p(k)%t), k = 1, n)], [2, 2], ocean, request=halo, ierror=ierr)
        call refused('an array that is too small', MPI_ERR_ARG, ' has 3 elements in dimension 1, and its patch')
        deallocate (p(n)%t)
        call set(patches(n), 1, p(n)%t)
        call ortho_mosaic_halo_init([(ortho_field(p(k)%t), k = 1, n)], [1, 1], ocean, request=halo, ierror=ierr)
        call refused('fewer ghosts', MPI_ERR_ARG, 'and its patch with ghosts has')
        call ortho_mosaic_halo_init([(ortho_field(p(k)%t), k = 1, n), ortho_field(p(1)%t)], [2, 2], ocean, &
            request=halo, ierror=ierr)
        if (n > 1) call refused('one array more', MPI_ERR_ARG, 'which are not as many on each of')
        call ortho_mosaic_halo_init([(ortho_field(p(k)%t, location=[ORTHO_UPPER]), k = 1, n)], [2, 2], ocean, &
            request=halo, ierror=ierr)
        call refused('one location', MPI_ERR_DIMS, 'has 1 locations on a mosaic of 2 dimensions')
        call ortho_mosaic_halo_init([(ortho_field(p(k)%t), k = 1, n)], [2], ocean, request=halo, ierror=ierr)
        call refused('one width', MPI_ERR_DIMS, 'ghosts has 1 widths')
        call ortho_mosaic_halo_init([(ortho_field(p(k)%t), k = 1, n)], [2, 2], ocean, sync=[2], request=halo, ierror=ierr)
        call refused('no field to sync', MPI_ERR_ARG, 'sync has 2, which is none of 1 fields')
        call ortho_mosaic_halo_init([(ortho_field(p(k)%t, sign=[-1]), k = 1, n)], [2, 2], ocean, request=halo, ierror=ierr)
        call refused('a sign alone', MPI_ERR_ARG, 'has a sign, which is for sides that are mirrors')
        call ortho_mosaic_halo_init([(ortho_field(p(k)%t, kind=ORTHO_VECTOR), k = 1, n)], [2, 2], ocean, &
            request=halo, ierror=ierr)
        call refused('half a vector', MPI_ERR_ARG, 'it needs all 2')
        call ortho_mosaic_halo_init([(ortho_field(p(k)%t, boundary=spread(ORTHO_BOUNDARY_EDGE, 1, 3)), k = 1, n)], [2, 2], &
            ocean, request=halo, ierror=ierr)
        call refused('three sides', MPI_ERR_DIMS, 'has 3 numbers in boundary')
        call ortho_mosaic_halo_init([(ortho_field(p(k)%t, kind=merge(ORTHO_SCALAR, ORTHO_PAIR, k == 1)), &
            k = 1, n)], [2, 2], ocean, request=halo, ierror=ierr)
        call refused('patches that differ', MPI_ERR_ARG, 'array 2 is not like the array of the field')
        call ortho_mosaic_halo_init([(ortho_field(p(k)%t, boundary=[ORTHO_BOUNDARY_CONSTANT], value=real(k, 8)), &
            k = 1, n)], [2, 2], ocean, request=halo, ierror=ierr)
        call refused('values that differ', MPI_ERR_ARG, 'array 2 is not like the array of the field')
        call ortho_mosaic_halo_init([(ortho_field(p(k)%t), k = 1, n)], [2, 2], ocean, request=halo, ierror=ierr)
        call ortho_mosaic_unfilled(halo, 1, n + 1, 1, boxes, number, ierr)
        call refused('no patch', MPI_ERR_ARG, 'ortho_mosaic_unfilled: patch = ' // char(iachar('1') + n) // ' is none of')
        call ortho_mosaic_unfilled(halo, 1, 1, 2, boxes, number, ierr)
        call refused('no room', MPI_ERR_ARG, 'boxes has 1 elements, and 2 are needed')
        call ortho_run(halo, p(1)%t, p(1)%t, p(1)%t, p(1)%t, p(1)%t, p(1)%t, p(1)%t, p(1)%t, p(1)%t, ierror=ierr)
        call refused('too many arrays', MPI_ERR_ARG, '9 arrays are given')
        call ortho_request_free(halo)
        call ortho_halo_init([ortho_field(p(1)%t, location=[0, 0], kind=ORTHO_VECTOR)], [2, 2], comm, &
            request=halo, ierror=ierr)
        call check('a grid has no location', ierr /= MPI_SUCCESS)
        copied = ocean
        call ortho_mosaic_free(ocean)
        call ortho_mosaic_free(copied, ierr)
        call refused('freed twice', MPI_ERR_ARG, 'mosaic is no mosaic')
        call ortho_mosaic_halo_init([ortho_field(p(1)%t)], [2, 2], copied, request=halo, ierror=ierr)
        call refused('a freed one', MPI_ERR_ARG, 'mosaic is no mosaic')
    end subroutine
end program
