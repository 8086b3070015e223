! SPDX-License-Identifier: BSD-3-Clause
! Index maps of all kinds of arrays, and sparse exchanges.  Process r owns 4 + r elements.  It has 3 ghosts:
! the first element of the next process, the last one of the process before, and its own second one.
#include "binding.inc"
module case
    implicit none
    integer :: rank, processes, failures = 0
    integer :: next, before, n, whole   ! n: owned elements; whole: with ghosts
    type cell
        integer :: mark = 7
        real(8) :: x = -1
    end type
    type holder
        real(8), allocatable :: a(:)
        real(8), pointer :: p(:)
    end type
contains
#include "check.inc"
    ! The value of element i of a process.
    integer function value(owner, i)
        integer, intent(in) :: owner, i
        value = 1000 * owner + 10 * i
    end function
    ! The value that element or ghost i of this process is to have.
    integer function expected(i)
        integer, intent(in) :: i
        select case (i - n)
        case (1)
            expected = value(next, 1)
        case (2)
            expected = value(before, 4 + before)
        case (3)
            expected = value(rank, 2)
        case default
            expected = value(rank, i)
        end select
    end function
    ! Owned elements; ghosts are -1.
    function begun() result(a)
        real(8) :: a(whole)
        integer :: i
        a(:n) = [(value(rank, i), i = 1, n)]
        a(n + 1:) = -1
    end function
    logical function is_filled(a)
        real(8), intent(in) :: a(:)
        integer :: i
        is_filled = all(a == [(real(expected(i), 8), i = 1, whole)])
    end function
    ! Starts with a copy where the actual argument is a section.
    subroutine start_copy(halo, a, ierr)
        use mpiortho
        type(ortho_halo), intent(inout) :: halo
        real(8), intent(inout) :: a(whole)
        integer, intent(out) :: ierr
        call ortho_start(halo, a, ierror=ierr)
    end subroutine
end module

program index_maps
    USE_MPI
    use mpiortho
    use case
    implicit none
    INCLUDE_MPI
    integer :: ierr, i, k
    type(ortho_index_map) :: map
    type(ortho_halo) :: halo
    COMM_T :: comm

    call begin()
    next = modulo(rank + 1, processes)
    before = modulo(rank - 1, processes)
    n = 4 + rank
    whole = n + 3
    call test_maps()
    call test_arrays()
    call test_layouts()
    call test_reductions()
    call test_errors()
    call ortho_index_map_free(map, ierr)
    call check('free', ierr == MPI_SUCCESS .and. map == ORTHO_INDEX_MAP_NULL)
    call test_sparse()
    call finish()
contains
#include "program.inc"
#include "refused.inc"

    subroutine make(fields)
        type(ortho_field), intent(in) :: fields(:)
        call ortho_ghosts_init(fields, map=map, request=halo, ierror=ierr)
    end subroutine

    ! A map by each way to say it; the last one stays.
    subroutine test_maps()
        integer :: owners(3), indices(3), numbers(3), first, apart(6), ranks(8), copies(8), count, in, out
        integer(MPI_COUNT_KIND) :: copies_c(8)
        logical :: flag
        COMM_T :: graph
        owners = [next, before, rank]
        indices = [1, 4 + before, 2]
        do i = 1, 3
            first = sum([(4 + k, k = 0, owners(i) - 1)])
            numbers(i) = first + indices(i)
        end do
        apart(1::2) = numbers
        call ortho_index_map_create(n, 3, owners, indices, comm, MPI_INFO_NULL, map, ierr)
        call is_right('create')
        call ortho_index_map_create(n, 3, owners, int(indices, MPI_COUNT_KIND), comm, map=map)
        call is_right('indices are large')
        call ortho_index_map_create(int(n, MPI_COUNT_KIND), 3_MPI_COUNT_KIND, owners, &
            int(indices, MPI_COUNT_KIND), comm, MPI_INFO_NULL, map)
        call is_right('all are large')
        call ortho_index_map_create_global(int(n, MPI_COUNT_KIND), 3_MPI_COUNT_KIND, &
            int(numbers, MPI_COUNT_KIND), comm, map=map)
        call is_right('global, all are large')
        call ortho_index_map_create_global(n, 3, int(numbers, MPI_COUNT_KIND), comm, MPI_INFO_NULL, map)
        call is_right('global, numbers are large')
        call ortho_index_map_create_global(n, 3, apart(1::2), comm, map=map, ierror=ierr)
        call is_right('a section of numbers')
        ! Ids as a mesh generator leaves them: 7 times as large, and backwards.
        first = sum([(4 + k, k = 0, rank - 1)])
        call ortho_index_map_create_ids(n, ids_of([(first + i, i = 1, n)]), 3, ids_of(numbers), comm, map=map)
        call is_right('ids')
        call ortho_index_map_create_ids(n, int(ids_of([(first + i, i = 1, n)]), MPI_COUNT_KIND), 3, &
            int(ids_of(numbers), MPI_COUNT_KIND), comm, MPI_INFO_NULL, map)
        call is_right('ids are large')
        call ortho_index_map_create_ids(int(n, MPI_COUNT_KIND), int(ids_of([(first + i, i = 1, n)]), &
            MPI_COUNT_KIND), 3_MPI_COUNT_KIND, int(ids_of(numbers), MPI_COUNT_KIND), comm, map=map)
        call is_right('ids, all are large')
        call ortho_index_map_create_global(n, 3, numbers, comm, MPI_INFO_NULL, map)

        call ortho_index_map_graph(map, graph, ierr)
        call ortho_dist_graph_neighbors_count(graph, in, out, flag)
        call check('graph', in == min(processes, 3) .and. out == in)
        copies = -7
        call ortho_index_map_holders(map, 1, 8, ranks, copies, count)
        call check('holders', count == 1 .and. ranks(1) == before .and. all(copies(:2) == [1, -7]))
        call ortho_index_map_holders(map, 2, 8, ranks, n=count)
        call check('holders alone', count == 1 .and. ranks(1) == rank)
        call ortho_index_map_holders(map, int(n, MPI_COUNT_KIND), 8, ranks, copies_c, count)
        call check('holders, large', count == 1 .and. ranks(1) == next .and. copies_c(1) == 2)
        call ortho_index_map_holders(map, 3, 0, ranks, n=count)
        call check('no holders', count == 0)
    end subroutine
    elemental integer function ids_of(number)
        integer, intent(in) :: number
        ids_of = 7 * (100000 - number)
    end function
    subroutine is_right(what)
        character(*), intent(in) :: what
        real(8) :: u(whole)
        u = begun()
        call make([ortho_field(u)])
        call ortho_run(halo, u)
        call check(what, is_filled(u) .and. map /= ORTHO_INDEX_MAP_NULL)
        call ortho_request_free(halo)
        call ortho_index_map_free(map)
    end subroutine

    ! Arrays of one shape lie otherwise in memory on each process; some have no elements.
    subroutine test_layouts()
        real(8), allocatable :: a(:, :, :), b(:, :, :)
        real(8) :: none(0, whole), beside(whole, 0)
        integer :: i, j, step
        allocate (a(3 + mod(rank, 2), 2, whole), b(3, 2, whole))
        step = merge(1, -1, mod(rank, 2) == 0)
        a = -5
        do j = 1, 2
            do i = 1, 3
                a(i, j, :) = begun() + i + 3 * j
            end do
        end do
        b = a(1:3, :, :)
        call make([ortho_field(a(1:3, :, :)), ortho_field(b(2 - step:2 + step:step, :, :)), &
            ortho_field(none), ortho_field(beside, divided=[1, 0])])
        call check('other layouts', ierr == MPI_SUCCESS)
        if (ierr /= MPI_SUCCESS) return
        call ortho_run(halo, a(1:3, :, :), b(2 - step:2 + step:step, :, :), none, beside)
        do j = 1, 2
            do i = 1, 3
                call check('a section', is_filled(a(i, j, :) - (i + 3 * j)))
            end do
            call check('the middle', is_filled(b(2, j, :) - (2 + 3 * j)))
        end do
        call check('beside the sections', all(a(4:, :, :) == -5))
        call ortho_request_free(halo)
        call ortho_ghosts_reduce_init([ortho_field(b), ortho_field(none), ortho_field(beside, divided=[1, 0])], &
            op=MPI_SUM, map=map, request=halo, ierror=ierr)
        call check('nothing to reduce', ierr == MPI_SUCCESS)
        if (ierr /= MPI_SUCCESS) return
        call ortho_run(halo, b, none, beside)
        call ortho_request_free(halo)
    end subroutine

    subroutine test_arrays()
        type(holder) :: h
        type(cell) :: cells(whole)
        real(8) :: u(0:whole - 1), other(whole), wide(2, 3 * whole), layers(whole, 4), both(2, whole, 3), &
            ghosts(2, 3), owned(2, n)
        real(4) :: vectors(3, whole)
        integer(2) :: small(whole)
        complex(8) :: z(whole)
        logical :: l(whole), flag
        character(5) :: c(whole)
        integer :: j, numbers(whole)
        u = begun()
        vectors = spread(real(begun(), 4), 1, 3)
        wide = -5
        layers = spread(begun(), 2, 4)
        both = spread(spread(begun(), 1, 2), 3, 3)
        do j = 1, 3
            vectors(j, :n) = vectors(j, :n) + j
            layers(:n, j) = layers(:n, j) + j
            both(2, :n, j) = both(2, :n, j) + j
        end do
        wide(2, ::3) = begun()
        small = int(begun(), 2)
        z = cmplx(begun(), -begun(), 8)
        l = mod(int(begun()), 3) == 0
        write (c, '(i5)') int(begun())
        cells%x = begun()
        h%a = begun()
        allocate (h%p(-1:whole - 2))
        h%p = begun()
        call ortho_ghosts_init([ortho_field(u), ortho_field(vectors), ortho_field(layers, divided=[1, 0]), &
            ortho_field(both, divided=[0, 1, 0]), ortho_field(wide(2, ::3)), ortho_field(small), &
            ortho_field(z, MPI_DOUBLE_COMPLEX), ortho_field(l), ortho_field(c), ortho_field(cells%x), &
            ortho_field(h%a), ortho_field(h%p)], map=map, info=MPI_INFO_NULL, request=halo, ierror=ierr)
        call check('many fields', ierr == MPI_SUCCESS)
        call ortho_start(halo, u, vectors, layers, both, wide(2, ::3), small, z, l, c, cells%x, h%a, h%p)
        call ortho_wait(halo, u, vectors, layers, both, wide(2, ::3), small, z, l, c, cells%x, h%a, h%p, &
            ierror=ierr)
        call check('start and wait', ierr == MPI_SUCCESS .and. is_filled(u))
        do j = 1, 3
            call check('vectors', is_filled(real(vectors(j, :), 8) - j))
            call check('layers', is_filled(layers(:, j) - j))
            call check('in the middle', is_filled(both(2, :, j) - j) .and. is_filled(both(1, :, j)))
        end do
        call check('the last layer', is_filled(layers(:, 4)))
        call check('section', is_filled(wide(2, ::3)))
        wide(2, ::3) = -5
        call check('beside the section', all(wide == -5))
        call check('integer(2)', is_filled(real(small, 8)))
        call check('complex', is_filled(real(z, 8)) .and. is_filled(-aimag(z)))
        call check('component', is_filled(cells%x) .and. all(cells%mark == 7))
        call check('allocatable component', is_filled(h%a))
        call check('pointer component', is_filled(h%p))
        call check('logical', all(l .eqv. mod(int(h%a), 3) == 0))
        read (c, '(i5)') numbers
        call check('character', all(numbers == int(h%a)))
        call ortho_request_free(halo)

        ! Other arrays of this shape.
        call make([ortho_field(u)])
        other = begun()
        call ortho_run(halo, other)
        call check('another array', is_filled(other))
        u = begun()
        call ortho_ghosts_rebind(halo, u, ierr)
        call refused('an error code without its name', MPI_ERR_ARG, 'is given by name: ierror=')
        ierr = MPI_SUCCESS
        call ortho_run(halo, u, ierr)
        call refused('an error code of run without its name', MPI_ERR_ARG, 'is given by name: ierror=')
        call ortho_ghosts_rebind(halo, u)
        call ortho_start(halo)
        flag = .false.
        do while (.not. flag)
            call ortho_test(halo, flag)
        end do
        call ortho_wait(halo, u, ierror=ierr)
        call check('rebind', ierr == MPI_SUCCESS .and. is_filled(u))
        call ortho_run(halo, other(::1), ierror=ierr)
        call check('a section of all', ierr == MPI_SUCCESS)
        call ortho_run(halo, wide(2, ::3), ierror=ierr)
        call refused('other strides', MPI_ERR_ARG, 'ortho_run: array 1 has')
        call start_copy(halo, layers(:, 1), ierr)
        call ortho_wait(halo, layers(:, 2), ierror=ierr)
        call refused('elsewhere at the end', MPI_ERR_BUFFER, 'array 1 is not where it was')
        call ortho_request_free(halo)

        ! Ghosts in arrays of their own.
        other = begun()
        owned = spread(other(:n), 1, 2)
        ghosts = -1
        call ortho_ghosts_init([ortho_field(owned), ortho_field(other(:n))], &
            [ortho_field(ghosts), ortho_field(wide(1, :3))], map, request=halo, ierror=ierr)
        call refused('other elements', MPI_ERR_ARG, 'the array of ghosts of field 2 has other elements')
        call ortho_ghosts_init([ortho_field(owned)], [ortho_field(ghosts)], map, request=halo)
        call ortho_run(halo, owned, ghosts)
        call check('ghosts of their own', is_filled([owned(2, :), ghosts(2, :)]))
        call ortho_request_free(halo)
    end subroutine

    subroutine test_reductions()
        real(8) :: forces(3, whole), layers(whole, 2), sums(n)
        integer :: most(whole)
        type(cell) :: cells(whole)
        ! Each ghost has 10, each element 1.
        forces(:, :n) = 1
        forces(:, n + 1:) = 10
        forces(3, :) = 2 * forces(3, :)
        layers = transpose(forces(1:3:2, :))
        call ortho_ghosts_reduce_init([ortho_field(forces, MPI_DOUBLE_PRECISION), &
            ortho_field(layers, MPI_DOUBLE_PRECISION, divided=[1, 0])], op=MPI_SUM, map=map, request=halo, &
            ierror=ierr)
        call check('reduce_init', ierr == MPI_SUCCESS)
        call ortho_run(halo, forces, layers)
        sums = 1
        sums([1, 2]) = 11
        sums(n) = sums(n) + 10
        call check('sums of vectors', all(forces(1, :n) == sums) .and. all(forces(3, :n) == 2 * sums))
        call check('sums in layers', all(layers(:n, :) == transpose(forces(1:3:2, :n))))
        call check('ghosts stay', all(forces(2, n + 1:) == 10))
        call ortho_request_free(halo)
        most = [(merge(i, 100 + i, i <= n), i = 1, whole)]
        call ortho_ghosts_reduce_init([ortho_field(most, MPI_INTEGER)], op=MPI_MAX, map=map, &
            info=MPI_INFO_NULL, request=halo)
        call ortho_run(halo, most)
        call check('largest', most(1) == 100 + (4 + before) + 1 .and. most(2) == 100 + n + 3 .and. &
            most(3) == 3)
        call ortho_request_free(halo)
        call ortho_ghosts_reduce_init([ortho_field(most, MPI_INTEGER), &
            ortho_field(cells%x, MPI_DOUBLE_PRECISION)], op=MPI_SUM, map=map, request=halo, ierror=ierr)
        call refused('gaps', MPI_ERR_ARG, &
            'ortho_ghosts_reduce_init: field 2 has elements of 8 bytes, 16 bytes')
    end subroutine

    ! A mistake on the last process alone fails on all, which are told what it is.
    subroutine test_errors()
        type(ortho_index_map) :: wrong
        type(holder), save :: h   ! not allocated
        real(8) :: u(whole), v(whole, 2)
        integer :: numbers(3), owners(3), count, ranks(1), elements
        logical :: last
        last = rank == processes - 1
        elements = sum([(4 + k, k = 0, processes - 1)])
        numbers = merge(elements + 1, 1, last)
        call ortho_index_map_create_global(n, 3, numbers, comm, map=wrong, ierror=ierr)
        call refused('no element', MPI_ERR_ARG, 'numbers(1): element ' // &
            text_of(elements + 1) // ' is none of ' // text_of(elements) // ' elements')
        numbers(3) = merge(0, 1, last)
        owners = merge(processes, 0, last)
        call ortho_index_map_create(n, 3, owners, numbers, comm, map=wrong, ierror=ierr)
        call refused('no rank', MPI_ERR_RANK, 'owners(1) = ' // text_of(processes))
        owners = 0
        numbers = [1, 2, merge(0, 1, last)]
        call ortho_index_map_create(n, 3, owners, numbers, comm, map=wrong, ierror=ierr)
        call refused('element 0', MPI_ERR_ARG, 'indices(3): there is no element 0; the first one is element 1')
        numbers(3) = merge(5, 1, last)
        call ortho_index_map_create(n, 3, owners, numbers, comm, map=wrong, ierror=ierr)
        call refused('behind the last one', MPI_ERR_ARG, 'ghost 3 of rank ' // text_of(processes - 1) // &
            ' is element 5 of rank 0, which owns 4')
        call ortho_index_map_create(n, 3, owners(:merge(2, 3, last)), numbers, comm, map=wrong, ierror=ierr)
        call refused('too few owners', MPI_ERR_ARG, 'owners has 2 elements, and 3 are needed')
        call ortho_index_map_create_ids(2, [2 * rank, 2 * rank + 1], 1, [merge(7777, 0, last)], comm, &
            map=wrong, ierror=ierr)
        call refused('an id that nobody owns', MPI_ERR_ARG, 'ghost_ids(1): id 7777 is owned by no process')
        call ortho_index_map_create_ids(1, [merge(-5, rank, last)], 0, [0], comm, map=wrong, ierror=ierr)
        call refused('a negative id', MPI_ERR_ARG, 'ids(1) = -5 is negative')
        call ortho_index_map_create_ids(merge(2, 1, last), [rank], 0, [0], comm, map=wrong, ierror=ierr)
        call refused('too few ids', MPI_ERR_ARG, 'ids has 1 elements, and 2 are needed')
        call check('none is made', wrong == ORTHO_INDEX_MAP_NULL)
        call ortho_index_map_holders(map, n + 1, 1, ranks, n=count, ierror=ierr)
        call refused('no owned element', MPI_ERR_ARG, 'ortho_index_map_holders: element ' // &
            text_of(n + 1) // ' is none of ' // text_of(n) // ' owned')
        call ortho_index_map_holders(map, 1, 2, ranks, n=count, ierror=ierr)
        call refused('no room', MPI_ERR_ARG, 'ranks has 1 elements, and 2 are needed')

        call make([ortho_field(u), ortho_field(u(:merge(n, whole, last)))])
        call refused('without ghosts', MPI_ERR_ARG, 'field 2 has ' // text_of(3 + processes) // &
            ' elements in dimension 1, but the map has ' // text_of(3 + processes) // &
            ' owned ones and 3 ghosts')
        call make([ortho_field(v)])
        call refused('the other dimension', MPI_ERR_ARG, 'field 1 has 2 elements in dimension 2')
        call make([ortho_field(v, divided=[1, 1])])
        call refused('both dimensions', MPI_ERR_DIMS, 'field 1: divided must be 1')
        call make([ortho_field(u(whole:1:-1))])
        call refused('backwards', MPI_ERR_ARG, 'reverse order')
        call make([ortho_field(u, lower=[1], upper=[1])])
        call refused('widths', MPI_ERR_ARG, 'field 1 has ghost widths')
        call make([ortho_field(u, boundary=[ORTHO_BOUNDARY_EDGE])])
        call refused('a boundary', MPI_ERR_ARG, 'field 1 has a boundary, a location or a kind')
        call make([ortho_field(h%a)])
        call refused('not allocated', MPI_ERR_BUFFER, 'field 1 is not allocated')
        call make([ortho_field(count)])
        call refused('a scalar', MPI_ERR_DIMS, 'field 1 is no array')
        call ortho_ghosts_init([ortho_field(u)], map=wrong, request=halo, ierror=ierr)
        call refused('no map', MPI_ERR_ARG, 'ortho_ghosts_init: map is no index map')
        call ortho_ghosts_init([ortho_field(u)], [ortho_field(u), ortho_field(v)], map, &
            request=halo, ierror=ierr)
        call refused('other numbers of arrays', MPI_ERR_ARG, 'there are 1 fields')
        call make([ortho_field(u)])
        call ortho_run(halo, u, u, ierror=ierr)
        call refused('too many arrays', MPI_ERR_ARG, '2 arrays are given, but the halo is of 1')
        call ortho_request_free(halo)
    end subroutine
    function text_of(number) result(text)
        integer, intent(in) :: number
        character(:), allocatable :: text
        character(12) :: room
        write (room, '(i0)') number
        text = trim(room)
    end function

    ! Process r sends r + 1 numbers to the next one, and nothing to itself.
    subroutine test_sparse()
        type(ortho_sparse) :: exchange
        type(ortho_request) :: request
        integer :: numbers(8), targets(2), counts(2), displs(2), large(0:1)
        integer(MPI_COUNT_KIND) :: counts_c(2), total_c
        integer(MPI_ADDRESS_KIND) :: displs_c(2)
        integer :: got(8), sources(2), got_counts(2), got_displs(2), blocks, elements, sent(5, 8)
        integer(2) :: small(8)
        logical :: last
        TYPE_T :: nothing
        numbers = [(100 * rank + i, i = 1, 8)]
        targets = [next, rank]
        counts = [rank + 1, 0]
        displs = [2, 0]
        call check('null at first', exchange == ORTHO_SPARSE_NULL)
        call ortho_sparse_alltoallv(numbers, 2, targets, counts, displs, MPI_INTEGER, comm, MPI_INFO_NULL, &
            exchange, ierr)
        call check('sparse_alltoallv', ierr == MPI_SUCCESS .and. exchange /= ORTHO_SPARSE_NULL)
        call ortho_sparse_count(exchange, blocks, elements)
        call check('count', blocks == 2 .and. elements == before + 1)
        call ortho_sparse_receive(exchange, got, MPI_INTEGER, sources(:1), got_counts, got_displs, ierr)
        call refused('no room', MPI_ERR_ARG, 'ortho_sparse_receive: sources has 1 elements, and 2 are needed')
        call ortho_sparse_receive(exchange, sent(1, :), MPI_INTEGER, ierror=ierr)
        call refused('gaps', MPI_ERR_BUFFER, 'recvbuf is a section')
        call ortho_sparse_receive(exchange, got, MPI_DOUBLE_PRECISION, ierror=ierr)
        call refused('larger elements', MPI_ERR_TRUNCATE, 'an element of recvtype has 8 bytes')
        call ortho_sparse_receive(exchange, got(:before), MPI_INTEGER, ierror=ierr)
        call refused('a buffer that is too short', MPI_ERR_BUFFER, 'ortho_sparse_receive: recvbuf has ' // &
            'room for ' // text_of(before) // ' elements of recvtype, but ' // text_of(before + 1) // &
            ' have come')
        call ortho_sparse_receive(exchange, small(:before + 1), MPI_INTEGER, ierror=ierr)
        call refused('small elements', MPI_ERR_BUFFER, 'recvbuf has room for ' // &
            text_of((before + 1) / 2) // ' elements')
        call ortho_sparse_receive(exchange, got, MPI_INTEGER, sources, got_counts, got_displs)
        call check('over', exchange == ORTHO_SPARSE_NULL)
        call received('sparse_alltoallv', got, sources, got_counts, got_displs)
        call ortho_sparse_receive(exchange, got, MPI_INTEGER, ierror=ierr)
        call refused('once', MPI_ERR_ARG, 'ortho_sparse_receive: exchange is no exchange')

        counts_c = counts
        displs_c = displs
        call ortho_isparse_alltoallv(numbers, 2, targets, counts_c, displs_c, MPI_INTEGER, comm, &
            MPI_INFO_NULL, exchange, request, ierr)
        numbers = 0
        call ortho_wait(request)
        call ortho_sparse_count(exchange, blocks, total_c, ierr)
        call check('large count', blocks == 2 .and. total_c == before + 1)
        call ortho_sparse_receive(exchange, got, MPI_INTEGER, sources, counts_c, displs_c, ierr)
        got_counts = int(counts_c)
        got_displs = int(displs_c)
        call received('isparse_alltoallv', got, sources, got_counts, got_displs)
        numbers = [(100 * rank + i, i = 1, 8)]
        call ortho_isparse_alltoallv(numbers, 2, targets, counts, displs, MPI_INTEGER, comm, &
            exchange=exchange, request=request)
        call ortho_wait(request)
        call ortho_sparse_receive_at_most(exchange, got(:before), before, MPI_INTEGER, 2, ierror=ierr)
        call refused('more than is wanted', MPI_ERR_TRUNCATE, 'ortho_sparse_receive_at_most: recvcount = ' // &
            text_of(before) // ', and ' // text_of(before + 1) // ' elements have come')
        call ortho_sparse_receive_at_most(exchange, got, 8, MPI_INTEGER, 1, sources(:1), ierror=ierr)
        call refused('more blocks than are wanted', MPI_ERR_TRUNCATE, 'maxn = 1, and 2 blocks have come')
        call ortho_sparse_receive_at_most(exchange, got(:before), 8, MPI_INTEGER, 1, ierror=ierr)
        call refused('less room than is said', MPI_ERR_BUFFER, 'recvbuf has room for ' // text_of(before))
        call ortho_sparse_receive_at_most(exchange, got, int(before + 1, MPI_COUNT_KIND), MPI_INTEGER, 2, &
            sources, counts_c, displs_c, ierr)
        call check('at most', ierr == MPI_SUCCESS .and. exchange == ORTHO_SPARSE_NULL)
        got_counts = int(counts_c)
        got_displs = int(displs_c)
        call received('receive_at_most', got, sources, got_counts, got_displs)
        call ortho_isparse_alltoallv(numbers, 3, [targets, MPI_PROC_NULL], [counts, 9], [displs, 0], MPI_INTEGER, &
            comm, exchange=exchange, request=request)
        call ortho_wait(request)
        got_counts = 0
        call ortho_sparse_receive(exchange, got, MPI_INTEGER, recvcounts=got_counts)
        call check('counts alone', sum(got_counts) == before + 1)
        ! More blocks of nothing than a default integer counts.
        call MPI_Type_contiguous(0, MPI_INTEGER, nothing, ierr)
        call MPI_Type_commit(nothing, ierr)
        call ortho_sparse_alltoallv(numbers, 1, [next], [3000000000_MPI_COUNT_KIND], [0_MPI_ADDRESS_KIND], nothing, &
            comm, exchange=exchange)
        call ortho_sparse_count(exchange, blocks, elements)
        call check('too many to count', blocks == 1 .and. elements == MPI_UNDEFINED)
        call ortho_sparse_count(exchange, blocks, total_c)
        call check('many', total_c == 3000000000_MPI_COUNT_KIND)
        call ortho_sparse_receive(exchange, got, nothing, recvcounts=got_counts)
        call check('too many to list', got_counts(1) == MPI_UNDEFINED)
        call MPI_Type_free(nothing, ierr)
        counts_c = counts
        displs_c = displs
        call ortho_sparse_alltoallv(numbers, 2, targets, counts_c, displs_c, MPI_INTEGER, comm, &
            exchange=exchange)
        call ortho_sparse_free(exchange, ierr)
        call check('free', ierr == MPI_SUCCESS .and. exchange == ORTHO_SPARSE_NULL)
        call ortho_sparse_alltoallv(numbers, 0, [integer ::], [integer ::], [integer ::], MPI_INTEGER, comm, &
            exchange=exchange)
        call ortho_sparse_count(exchange, blocks, elements)
        call check('nothing', blocks == 0 .and. elements == 0)
        call ortho_sparse_free(exchange)

        ! A mistake on the last process fails on all.
        last = rank == processes - 1
        large = merge(-1, 0, last)
        call ortho_sparse_alltoallv(numbers, 2, targets, large, displs, MPI_INTEGER, comm, &
            exchange=exchange, ierror=ierr)
        call refused('a negative count', MPI_ERR_COUNT, 'sendcounts(1) = -1')
        counts_c = [7_MPI_COUNT_KIND, merge(huge(0_MPI_COUNT_KIND), 1_MPI_COUNT_KIND, last)]
        displs_c = 1
        call ortho_sparse_alltoallv(numbers, 2, targets, counts_c, displs_c, MPI_INTEGER, comm, &
            exchange=exchange, ierror=ierr)
        call refused('more than there is', MPI_ERR_COUNT, 'sendbuf has room for 8 elements of sendtype')
        call ortho_sparse_alltoallv(numbers(:merge(2, 3, last) + rank), 2, targets, counts, &
            displs, MPI_INTEGER, comm, exchange=exchange, ierror=ierr)
        call refused('one more', MPI_ERR_COUNT, 'sendcounts(1) = ' // text_of(processes) // &
            ' elements from sdispls(1) = 2 on')
        call ortho_sparse_alltoallv(numbers(1), 2, targets, counts, displs, MPI_INTEGER, comm, &
            exchange=exchange, ierror=ierr)
        call check('an element stands for those behind it', ierr == MPI_SUCCESS)
        call ortho_sparse_free(exchange)
        call ortho_sparse_alltoallv(numbers, 2, targets, counts, &
            displs(:merge(1, 2, last)), MPI_INTEGER, comm, exchange=exchange, ierror=ierr)
        call refused('too few displacements', MPI_ERR_ARG, 'sdispls has 1 elements, and 2 are needed')
        call ortho_isparse_alltoallv(numbers, 2, targets, counts, &
            displs(:merge(1, 2, last)), MPI_INTEGER, comm, exchange=exchange, request=request, ierror=ierr)
        if (rank < processes - 1) call ortho_wait(request, ierror=ierr)
        call refused('too few displacements, told at the end', MPI_ERR_ARG, 'sdispls has 1 elements')
        if (rank < processes - 1) call ortho_sparse_free(exchange)
        sent = 0
        call ortho_sparse_alltoallv(sent(:merge(1, 5, last), :), 2, targets, counts, displs, MPI_INTEGER, &
            comm, exchange=exchange, ierror=ierr)
        call refused('a section', MPI_ERR_BUFFER, 'sendbuf is a section')
    end subroutine
    subroutine received(what, got, sources, counts, displs)
        character(*), intent(in) :: what
        integer, intent(in) :: got(:), sources(2), counts(2), displs(2)
        integer :: its
        its = merge(1, 2, before <= rank)
        call check(what, sources(its) == before .and. sources(3 - its) == rank .and. &
            counts(its) == before + 1 .and. counts(3 - its) == 0 .and. displs(its) == 0)
        call check(what // ': numbers', all(got(:before + 1) == [(100 * before + i + 2, i = 1, before + 1)]))
    end subroutine
end program
