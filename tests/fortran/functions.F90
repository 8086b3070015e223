! SPDX-License-Identifier: BSD-3-Clause
! Every routine that is no collective and no halo.
#include "binding.inc"
module case
    implicit none
    integer :: rank, processes, next, before, failures = 0
contains
#include "check.inc"
end module

program functions
    USE_MPI
    use mpiortho
    use case
    implicit none
    INCLUDE_MPI
    integer :: ierr
    COMM_T :: comm

    call begin()
    next = modulo(rank + 1, processes)
    before = modulo(rank - 1, processes)
    call test_library()
    call test_names()
    call test_topology()
    call test_requests()
    call test_windows()
    call test_sections()
    call finish()
contains
#include "program.inc"
#include "refused.inc"

    subroutine test_library()
        integer :: major, minor, patch, part, class, length, first, count, place
        integer(MPI_COUNT_KIND) :: first_c, count_c, place_c
        character(400) :: text
        character(5) :: short
        call ortho_get_version(major, minor, patch)
        call check('version', major == 0 .and. minor >= 2)
        call ortho_cart_rank(comm, [0], part, ierr)
        call check('ierror', ierr /= MPI_SUCCESS)
        call ortho_error_class(ierr, class)
        call check('class', class == ORTHO_ERR_NAME .and. all([ORTHO_ERR_NEIGHBOR, ORTHO_ERR_UNDEFINED, &
            ORTHO_ERR_ALGORITHM, ORTHO_ERR_MISMATCH] /= class))
        call ortho_error_message(text, length)
        call check('text', length > 20 .and. text(length:length) /= ' ' .and. text(length + 1:) == ' ')
        call ortho_error_message(short, major)
        call check('a short text', short == text(1:5) .and. major == length)
        call ortho_blocks_count(10, 3, 1, first, count)
        call check('blocks', first == 5 .and. count == 3)
        call ortho_blocks_count(10_MPI_COUNT_KIND, 3, 0, first_c, count_c)
        call check('blocks of large counts', first_c == 1 .and. count_c == 4)
        call ortho_blocks_owner(10, 3, 5, part, place)
        call check('owner', part == 1 .and. place == 1)
        call ortho_blocks_owner(10_MPI_COUNT_KIND, 3, 10_MPI_COUNT_KIND, part, place_c)
        call check('owner of large counts', part == 2 .and. place_c == 3)
        call ortho_blocks_owner(10, 3, 0, part, place, ierr)
        call refused('elements count from 1', WHICHEVER, 'element 0 is none of 10 elements')
        call ortho_progress()
    end subroutine

    subroutine test_names()
        integer :: d, size, order, dims(2), where(2), to, from, n, relative(2), ranks(2), offsets(2, 9), &
            more(2, 9)
        logical :: flag, periods(2)
        COMM_T :: part
        call ortho_cart_name(comm, 2, ORTHO_ROWMAJOR, [processes, 1], [.true., .false.], size, ierr)
        call check('points', size == processes)
        call ortho_cart_name_map(comm, 2, ORTHO_ROWMAJOR, [processes, 2], [.true., .false.], &
            reshape([(merge(n / 2, MPI_PROC_NULL, mod(n, 2) == 0), n = 0, 2 * processes - 1)], &
            [2, processes]), size, ierr)
        call check('cart_name_map', ierr == MPI_SUCCESS .and. size == processes)
        call ortho_cart_name_permuted(comm, 2, [1, 0], [1, processes], [.true., .false.], size, ierr)
        call check('cart_name_permuted', ierr == MPI_SUCCESS .and. size == processes)
        call ortho_cart_name(comm, [processes, 1], [.true.], size=n, ierror=ierr)
        call refused('too few periods', WHICHEVER, &
            'ortho_cart_name: periods has 1 elements, and 2 are needed')
        call ortho_cart_name(comm, [processes, 1], [.true., .false.], size=size)
        call ortho_cart_test(comm, flag, d, size)
        call check('test', flag .and. d == 2 .and. size == processes)
        call ortho_cart_testall(comm, flag, d, size)
        call check('testall', flag .and. d == 2)
        periods = .false.
        call ortho_cart_get(comm, order, 2, dims, periods)
        call check('get', order == ORTHO_COLMAJOR .and. all(dims == [processes, 1]) .and. &
            periods(1) .and. .not. periods(2))
        call ortho_cart_coordinates(comm, rank, where)
        call check('coordinates', all(where == [rank, 0]))
        call ortho_cart_rank(comm, [rank + processes, 0], to)
        call check('rank', to == rank)
        call ortho_cart_relative_rank(comm, rank, [1, 0], to)
        call check('relative rank', to == next)
        call ortho_cart_relative_rank(comm, rank, [0, 1], to)
        call check('off the grid', to == MPI_PROC_NULL)
        call ortho_cart_relative_coordinates(comm, 0, 0, relative)
        call check('relative coordinates', all(relative == 0))
        call ortho_cart_relative_shift(comm, rank, [1, 0], from, to)
        call check('shift', from == before .and. to == next)
        call ortho_cart_allranks(comm, 2, reshape([0, 0, processes - 1, 0], [2, 2]), ranks)
        call check('all ranks', all(ranks == [0, processes - 1]))
        call ortho_cart_allranks_relative(comm, rank, 2, reshape([0, 0, 1, 0], [2, 2]), ranks)
        call check('all ranks, relative', all(ranks == [rank, next]))
        call ortho_cart_stencil_count(comm, ORTHO_MANHATTAN_DISTANCE, 1, n)
        call check('stencil', n == 5)
        call ortho_cart_stencil(comm, ORTHO_CHEBYSHEV_DISTANCE, 1, 9, offsets)
        call check('offsets', all(offsets(:, 1) == [-1, -1]) .and. all(offsets(:, 9) == [1, 1]))
        call ortho_stencil_count(2, ORTHO_CHEBYSHEV_DISTANCE, 1, n)
        call ortho_stencil(2, ORTHO_CHEBYSHEV_DISTANCE, 1, n, more)
        call check('without a communicator', n == 9 .and. all(more == offsets))
        call ortho_cart_stencil_diff(comm, 9, offsets, 1, [0, 0], n, more)
        call check('difference', n == 8 .and. all(more(:, 5) == [0, 1]))
        call ortho_cart_neighbors_count(comm, rank, ORTHO_MANHATTAN_DISTANCE, 1, 1, n)
        call check('neighbors', n == 2)
        call ortho_cart_neighbors(comm, rank, ORTHO_MANHATTAN_DISTANCE, 1, 1, n, more)
        call check('their coordinates', all(more(:, 1) == [-1, 0]) .and. all(more(:, 2) == [1, 0]))
        call ortho_cart_create_sub(comm, [.true., .false.], part)
        call MPI_Comm_size(part, n, ierr)
        call check('part', n == 1)
        call ortho_cart_name_part(comm, part, size)
        call check('its name', size == 1)
        call MPI_Comm_free(part, ierr)
        call ortho_cart_unname(comm)
        call ortho_cart_test(comm, flag, d, size)
        call check('unnamed', .not. flag)
    end subroutine

    subroutine test_topology()
        integer :: topology, in, out, t, n, nout, slots(2), more(2), sources(2), targets(2), weights(2), &
            offsets(2, 2), dims(2), r
        logical :: flag
        COMM_T :: other, graph, part
        GROUP_T :: group
        call ortho_topo_test(comm, topology)
        call check('full', topology == ORTHO_FULL)
        call ortho_comm_base(comm, other)
        call ended('base', other)
        call ortho_comm_dup(comm, other)
        call ended('dup', other)
        call ortho_comm_split(comm, 0, -rank, other)
        call MPI_Comm_rank(other, r, ierr)
        call check('split', r == processes - 1 - rank)
        call ended('split', other)
        call ortho_comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, other)
        call ended('split_type', other)
        call MPI_Comm_group(comm, group, ierr)
        call ortho_comm_create(comm, group, other)
        call ended('create', other)
        call ortho_comm_create_group(comm, group, 3, other)
        call ended('create_group', other)
        call MPI_Group_free(group, ierr)

        call ortho_dist_graph_create_from_targets(comm, 1, [next], MPI_UNWEIGHTED, &
            MPI_INFO_NULL, .false., graph, ierr)
        call ortho_dist_graph_neighbors_count(graph, in, out, flag)
        call check('create_from_targets', in == 1 .and. out == 1 .and. .not. flag)
        call MPI_Comm_free(graph, ierr)
        call ortho_dist_graph_create(comm, 1, [rank], [1], [next], MPI_UNWEIGHTED, &
            MPI_INFO_NULL, .false., graph)
        call ortho_topo_test(graph, topology)
        call ortho_dist_graph_neighbors_count(graph, in, out, flag)
        call check('graph', topology == ORTHO_GRAPH .and. in == 1 .and. out == 1 .and. .not. flag)
        call ortho_comm_isomorphic(graph, flag, t)
        call ortho_dist_graph_neighbors(graph, 1, sources, MPI_UNWEIGHTED, 1, targets, MPI_UNWEIGHTED)
        call check('its neighbors', sources(1) == before .and. targets(1) == next)
        call ortho_comm_dup(comm, other)
        call ortho_comm_subgraph(graph, other, part)
        call ended('subgraph', part)
        call MPI_Comm_free(other, ierr)
        call MPI_Comm_free(graph, ierr)
        call ortho_dist_graph_create_adjacent(comm, 1, [rank], [5], 1, [rank], [5], MPI_INFO_NULL, .false., &
            graph)
        call ortho_dist_graph_neighbors(graph, 1, sources, weights, 1, targets, more)
        call check('weights', weights(1) == 5 .and. more(1) == 5 .and. sources(1) == rank)
        call MPI_Comm_free(graph, ierr)

        call ortho_cart_neighborhood_create(comm, 2, [processes, 1], [.true., .false.], 2, &
            reshape([1, 0, 0, 1], [2, 2]), MPI_UNWEIGHTED, MPI_INFO_NULL, .false., graph)
        call ortho_comm_isomorphic(graph, flag, t)
        call check('isomorphic', flag)
        call ortho_cart_neighborhood_count(graph, t)
        call ortho_cart_neighborhood_get(graph, 2, sources, MPI_UNWEIGHTED, 2, targets, MPI_UNWEIGHTED)
        call check('neighborhood', t == 2 .and. sources(1) == before .and. targets(2) == MPI_PROC_NULL)
        call ortho_cart_neighborhood_offsets(graph, 2, offsets)
        call check('offsets', all(offsets(:, 1) == [1, 0]) .and. all(offsets(:, 2) == [0, 1]))
        call ortho_cart_neighborhood_find(graph, [0, 1], in, out)
        call check('slots count from 1', out == 2 .and. in == 2)
        call ortho_cart_neighborhood_find(graph, [0, -1], in, out)
        call check('no slot is 0', out == 0 .and. in == 0)
        call ortho_dist_graph_find(graph, next, 2, slots, n, more, nout)
        call check('slots of a rank', nout == 1 .and. more(1) == 1)
        more = 7
        call find_in_assumed_size(graph, slots, more)
        call check('slots of a rank in lists of assumed size', all(more == [1, 7]))
        call MPI_Comm_free(graph, ierr)
        call ortho_nodecart_create(comm, 2, [processes, 1], [.true., .true.], .true., other)
        call ended('nodecart', other)
        dims = 0
        call ortho_dims_create(comm, 2, dims)
        call check('dims', product(dims) == processes .and. dims(1) >= dims(2))
    end subroutine
    subroutine find_in_assumed_size(graph, in, out)
        COMM_T, intent(in) :: graph
        integer, intent(inout) :: in(*), out(*)
        integer :: nin, nout
        call ortho_dist_graph_find(graph, next, 2, in, nin, out, nout, ierr)
        call check('find', ierr == MPI_SUCCESS .and. nout == 1)
    end subroutine
    ! Adds up the indices of n requests that end.  Half of the calls wait.
    integer function sum_in_assumed_size(n, r, indices) result(total)
        integer, intent(in) :: n
        type(ortho_request), intent(inout) :: r(*)
        integer, intent(inout) :: indices(*)
        integer :: ended, came
        total = 0
        ended = 0
        do while (ended < n)
            call ortho_testsome(n, r, came, indices, ierror=ierr)
            if (came == 0) call ortho_waitsome(n, r, came, indices, ierror=ierr)
            call check('some', ierr == MPI_SUCCESS)
            if (ierr /= MPI_SUCCESS) exit
            total = total + sum(indices(:came))
            ended = ended + came
        end do
    end function
    subroutine ended(what, made)
        character(*), intent(in) :: what
        COMM_T, intent(inout) :: made
        integer :: n
        call MPI_Comm_size(made, n, ierr)
        call check(what, n == processes)
        call MPI_Comm_free(made, ierr)
    end subroutine

    subroutine test_requests()
        type(ortho_request) :: r(2), one
        STATUS_T :: status
        integer :: a(2), b(2), n, which, indices(2), i
        logical :: flag
        character(100) :: text
        a = rank
        do i = 1, 2
            call ortho_allreduce_init(a(i:i), b(i:i), 1, MPI_INTEGER, MPI_SUM, comm, MPI_INFO_NULL, r(i))
        end do
        call check('not null', all(r /= ORTHO_REQUEST_NULL))
        call ortho_startall(2, r)
        call ortho_waitall(2, r)
        call check('waitall', all(b == processes * (processes - 1) / 2))
        call ortho_runall(2, r)
        call ortho_startall(2, r)
        call ortho_waitall(2, r, MPI_STATUSES_IGNORE)
        call ortho_start(r(2))
        call ortho_waitany(2, r, which, status)
        call check('waitany counts from 1', which == 2)
        call ortho_waitany(2, r, which)
        call check('none is active', which == MPI_UNDEFINED)
        call ortho_start(r(2))
        n = 0
        do while (n == 0)
            call ortho_testsome(2, r, n, indices)
        end do
        call check('testsome', n == 1 .and. indices(1) == 2)
        call ortho_startall(2, r)
        n = 0
        do while (n < 2)
            call ortho_waitsome(2, r, which, indices(n + 1:))
            n = n + which
        end do
        call check('waitsome', sum(indices) == 3)
        call ortho_startall(2, r)
        call check('indices of assumed size', sum_in_assumed_size(2, r, indices) == 3)
        call ortho_startall(2, r)
        flag = .false.
        do while (.not. flag)
            call ortho_testall(2, r, flag)
        end do
        call ortho_start(r(1))
        flag = .false.
        do while (.not. flag)
            call ortho_testany(2, r, which, flag, status)
        end do
        call check('testany', which == 1)
        call ortho_start(r(1))
        flag = .false.
        do while (.not. flag)
            call ortho_test(r(1), flag, status)
        end do
        call ortho_start(r(1))
        call ortho_wait(r(1), MPI_STATUS_IGNORE)
        call ortho_parrived(r(1), 1, flag)
        call check('parrived', flag)
        call ortho_run(r(1), status)
        call test_streams(r(1))
        call ortho_explain(r(1), text, n)
        call check('explain', n > 0 .and. text(1:8) == 'mpiortho')
        call ortho_request_rebind(r(1), a, b, ierr)
        call refused('MPI''s own, bound again', WHICHEVER)
        call ortho_request_free(r(1))
        call ortho_request_free(r(2))
        call check('null', all(r == ORTHO_REQUEST_NULL))
        call ortho_wait(one)
    end subroutine

    ! The default stream, where a driver of a device is in the process (tests/pretend); else there are none.
    subroutine test_streams(request)
        type(ortho_request), intent(inout) :: request
        integer(MPI_ADDRESS_KIND), parameter :: stream = 0
        integer :: found, ierr
        logical :: has_driver
        call get_environment_variable('ORTHO_TEST_PRETEND', status=found)
        has_driver = found == 0
        call ortho_run_enqueue(request, stream, ierr)
        call check('run_enqueue', (ierr == MPI_SUCCESS) .eqv. has_driver)
        call ortho_start_enqueue(request, stream, ierr)
        call check('start_enqueue', (ierr == MPI_SUCCESS) .eqv. has_driver)
        if (.not. has_driver) call ortho_start(request)
        call ortho_wait_enqueue(request, stream, ierr)
        call check('wait_enqueue', (ierr == MPI_SUCCESS) .eqv. has_driver)
        if (.not. has_driver) call ortho_wait(request, MPI_STATUS_IGNORE)
    end subroutine

    subroutine test_windows()
        use, intrinsic :: iso_c_binding, only: c_f_pointer, c_ptr
        WIN_T :: win
        REQUEST_T :: request
        type(c_ptr) :: base
        integer, pointer :: memory(:)
        integer :: a, b
        integer(MPI_ADDRESS_KIND), parameter :: bytes = 16, at = 1
        COMM_T :: graph
        call ortho_dist_graph_create_adjacent(comm, 1, [before], MPI_UNWEIGHTED, 1, &
            [next], MPI_UNWEIGHTED, MPI_INFO_NULL, .false., graph)
        call ortho_win_allocate(bytes, 4, MPI_INFO_NULL, graph, base, win)
        call c_f_pointer(base, memory, [4])
        memory = -rank
        call ortho_win_fence(0, win)
        call ortho_put(rank, 1, MPI_INTEGER, next, at, 1, MPI_INTEGER, win)
        call ortho_win_fence(0, win)
        call check('put', memory(2) == before)
        b = -1
        call ortho_get(b, 1, MPI_INTEGER, next, at, 1, MPI_INTEGER, win)
        call ortho_win_fence(0, win)
        call check('get', b == rank)
        call ortho_accumulate(1, 1, MPI_INTEGER, next, at, 1, MPI_INTEGER, MPI_SUM, win)
        call ortho_win_fence(MPI_MODE_NOSUCCEED, win)
        call MPI_Barrier(comm, ierr)
        call ortho_win_lock(MPI_LOCK_SHARED, next, 0, win)
        call ortho_get_accumulate(0, 1, MPI_INTEGER, a, 1, MPI_INTEGER, next, at, 1, MPI_INTEGER, MPI_SUM, &
            win)
        call ortho_win_flush(next, win)
        call check('get_accumulate', a == rank + 1)
        call ortho_fetch_and_op(0, a, MPI_INTEGER, next, at, MPI_SUM, win)
        call ortho_win_flush_local(next, win)
        call check('fetch_and_op', a == rank + 1)
        call ortho_compare_and_swap(0, -5, a, MPI_INTEGER, next, at, win)
        call ortho_win_flush_all(win)
        call check('compare_and_swap', a == rank + 1)
        call ortho_rget(b, 1, MPI_INTEGER, next, at, 1, MPI_INTEGER, win, request)
        call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
        call check('rget', b == rank + 1)
        call ortho_rput(9, 1, MPI_INTEGER, next, 2 * at, 1, MPI_INTEGER, win, request)
        call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
        call ortho_raccumulate(9, 1, MPI_INTEGER, next, 3 * at, 1, MPI_INTEGER, MPI_SUM, win, request)
        call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
        call ortho_rget_accumulate(0, 1, MPI_INTEGER, b, 1, MPI_INTEGER, next, at, 1, MPI_INTEGER, &
            MPI_SUM, win, request)
        call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
        call ortho_win_flush_local_all(win)
        call ortho_win_sync(win)
        call ortho_win_unlock(next, win)
        call ortho_win_lock_all(0, win)
        call ortho_win_unlock_all(win)
        call MPI_Barrier(comm, ierr)
        call check('rput', memory(3) == 9)
        call ortho_win_free(win)
        call ortho_alloc_mem(bytes, MPI_INFO_NULL, comm, base)
        call c_f_pointer(base, memory, [4])
        call ortho_win_create(memory, bytes, 4, MPI_INFO_NULL, graph, win)
        call ortho_win_free(win)
        call ortho_free_mem(memory, comm)
        call MPI_Comm_free(graph, ierr)
    end subroutine

    subroutine test_sections()
        integer :: a(2, 4), b(4), zero(0)
        a = rank
        b = 0
        call ortho_allreduce(a(1, :), b, 4, MPI_INTEGER, MPI_SUM, comm, ierr)
        call refused('a section whose elements lie apart', MPI_ERR_BUFFER)
        call ortho_allreduce(a(:, 2:3), b, 4, MPI_INTEGER, MPI_SUM, comm, ierr)
        call check('a section without gaps', all(b == processes * (processes - 1) / 2))
        call ortho_allreduce(zero, b, 0, MPI_INTEGER, MPI_SUM, comm, ierr)
        call check('no elements', ierr == MPI_SUCCESS)
        b = 7
        call ortho_cart_name(comm, [processes])
        call ortho_cart_coordinates(comm, rank, b(2:4:2))
        call check('a section of integers', all(b == [7, rank, 7, 7]))
        call ortho_cart_unname(comm)
    end subroutine
end program
