! SPDX-License-Identifier: BSD-3-Clause
! As if the compiler passed sections of arrays otherwise than it should: that is said, and nothing done.
subroutine wrong() bind(C, name="mpiortho_fortran_constants")
    use, intrinsic :: iso_c_binding, only: c_int
    implicit none
    interface
        subroutine section(a, first, below, beside) bind(C, name="mpiortho_fortran_section")
            import
            type(*), dimension(..), intent(in), target :: a
            integer(c_int), intent(in), target :: first, below, beside
        end subroutine
    end interface
    integer(c_int), target :: a(5, 4)
    call section(a(2:5:3, 4:2:-1), a(2, 4), a(5, 4), a(3, 4))
end subroutine

program sections
    use mpi_f08
    use mpiortho
    implicit none
    type(MPI_Comm) :: comm
    type(ortho_halo) :: halo
    real :: a(3, 3)
    integer :: codes(2), k, length
    character(200) :: texts(2)
    call MPI_Init()
    call MPI_Comm_dup(MPI_COMM_WORLD, comm)
    call MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN)
    call ortho_bcast(a, 9, MPI_REAL, 0, comm, codes(1))
    call ortho_error_message(texts(1), length)
    call ortho_halo_init([ortho_field(a)], ghosts=[1], comm=comm, request=halo, ierror=codes(2))
    call ortho_error_message(texts(2), length)
    print '(a)', texts
    print '(a, i0)', 'failures: ', &
        count([(codes(k) == MPI_SUCCESS .or. index(texts(k), 'sections') == 0, k = 1, 2)])
    call MPI_Finalize()
end program
