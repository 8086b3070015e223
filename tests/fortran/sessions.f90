! SPDX-License-Identifier: BSD-3-Clause
! A program that never calls MPI_Init: two sessions, one after the other.
program sessions
    use mpi_f08
    use mpiortho
    implicit none
    type(MPI_Session) :: session
    type(MPI_Group) :: group
    type(MPI_Comm) :: all
    integer :: lap, failures = 0
    do lap = 1, 2
        call MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, session)
        call MPI_Group_from_session_pset(session, 'mpi://WORLD', group)
        call MPI_Comm_create_from_group(group, 'mpiortho.test', MPI_INFO_NULL, MPI_ERRORS_RETURN, all)
        call MPI_Group_free(group)
        call use_it()
        call MPI_Comm_free(all)
        call MPI_Session_finalize(session)
    end do
    print '(a, i0)', 'failures: ', failures
contains
    subroutine use_it()
        type(MPI_Comm) :: grid, graph
        type(ortho_halo) :: halo
        integer :: rank, processes, ierr, length, sent(2), received(2)
        real(8) :: a(4, 4), wide(8, 8)
        character(200) :: text
        call MPI_Comm_rank(all, rank)
        call MPI_Comm_size(all, processes)
        call MPI_Comm_dup(all, grid)
        call ortho_cart_name(grid, [processes, 1], periods=[.true., .true.])
        a = rank
        wide = rank
        call ortho_halo_init([ortho_field(a), ortho_field(wide(::2, ::2))], ghosts=[1, 1], comm=grid, &
            request=halo)
        call ortho_run(halo)
        call ortho_request_free(halo)
        if (a(1, 2) /= modulo(rank - 1, processes) .or. wide(7, 3) /= modulo(rank + 1, processes)) &
            failures = failures + 1
        call ortho_cart_neighborhood_create(all, 1, [processes], [.true.], 2, reshape([-1, 1], [1, 2]), &
            MPI_UNWEIGHTED, MPI_INFO_NULL, .false., graph)
        sent = rank
        call ortho_alltoall(sent, 1, MPI_INTEGER, received, 1, MPI_INTEGER, graph)
        if (received(1) /= modulo(rank + 1, processes)) failures = failures + 1
        call MPI_Comm_set_errhandler(graph, MPI_ERRORS_RETURN)
        call ortho_alltoall(sent, -1, MPI_INTEGER, received, 1, MPI_INTEGER, graph, ierr)
        call ortho_error_message(text, length)
        if (ierr == 0 .or. index(text, 'ortho_alltoall: sendcount = -1') /= 1) failures = failures + 1
        call MPI_Comm_free(graph)
        call MPI_Comm_free(grid)
    end subroutine
end program
