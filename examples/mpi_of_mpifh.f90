! SPDX-License-Identifier: BSD-3-Clause
! Modules mpi and mpi_f08 as far as module mpiortho needs them, made of mpif.h: for compilers that the MPI has
! no modules for.  Programs then include mpif.h, or use this module mpi:
!
!     F=flang-new-22 M=lib/mpiortho-MPI/gfortran-12          # where mpiortho.f90 is
!     $F -c mpi_of_mpifh.f90 -IMPI_INCLUDE
!     $F -c $M/mpiortho.f90 -IMPI_INCLUDE
!     $F program.f90 mpiortho.o mpi_of_mpifh.o -lmpiortho_fortran -lmpiortho -lmpifort -lmpi
module mpi
    implicit none
    include 'mpif.h'
end module
module mpi_f08
    use mpi
    implicit none
    type, bind(C) :: MPI_Comm
        integer :: MPI_VAL
    end type
    type, bind(C) :: MPI_Datatype
        integer :: MPI_VAL
    end type
    type, bind(C) :: MPI_Group
        integer :: MPI_VAL
    end type
    type, bind(C) :: MPI_Info
        integer :: MPI_VAL
    end type
    type, bind(C) :: MPI_Op
        integer :: MPI_VAL
    end type
    type, bind(C) :: MPI_Request
        integer :: MPI_VAL
    end type
    type, bind(C) :: MPI_Win
        integer :: MPI_VAL
    end type
    type, bind(C) :: MPI_Status
        integer :: values(MPI_STATUS_SIZE)
    end type
end module
