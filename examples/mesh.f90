! SPDX-License-Identifier: BSD-3-Clause
! An unstructured mesh: nodes are divided among processes, and edges lead anywhere.  Conjugate gradients solve
! (1 + L) x = b, where L is the Laplacian of the mesh.  Each process computes on its edges, and has ghosts of
! the nodes at their ends that others own.  Ghosts are filled before.  The values that were added to them go
! to their owners after.  At the end x is compared with the solution, which is known.
!
!     mpifort -O2 mesh.f90 $(pkg-config --cflags --libs mpiortho-fortran) -o mesh
!     mpiexec -n 4 ./mesh
program mesh
    use, intrinsic :: iso_fortran_env, only: real64
    use mpi_f08
    use mpiortho
    implicit none
    integer, parameter :: nodes = 10000, mates = 3   ! edges lead from each node to so many others
    type(ortho_index_map) :: map
    type(ortho_halo) :: fill, add
    integer :: rank, processes, first, n, all, i, k, steps, edges(2, nodes * mates), nedges
    integer, allocatable :: number(:)                ! of each node that is here, in the whole mesh
    real(real64), allocatable :: x(:), r(:), d(:), ld(:)
    real(real64) :: alpha, now, before, error

    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, processes)

    ! Nodes first to first + n - 1 are this process's, and the edges that begin there.  Here nodes have other
    ! numbers: 1 to n are its own, n + 1 to all are ghosts.
    call ortho_blocks_count(nodes, processes, rank, first, n)
    number = [(first + i - 1, i = 1, n)]
    nedges = 0
    do i = 1, n
        do k = 1, mates
            nedges = nedges + 1
            edges(:, nedges) = [i, here(1 + modulo((first + i - 1) * 7**k + k, nodes))]
        end do
    end do
    all = size(number)
    call ortho_index_map_create_global(n, all - n, number(n + 1:), MPI_COMM_WORLD, map=map)

    allocate (x(n), r(n), d(all), ld(all))
    call ortho_ghosts_init([ortho_field(d)], map=map, request=fill)
    call ortho_ghosts_reduce_init([ortho_field(ld)], op=MPI_SUM, map=map, request=add)

    ! b is what the solution gives; x = 0 at first, so that the residue is b.
    d(:n) = solution(number(:n))
    call multiply()
    r = ld(:n)
    x = 0
    d(:n) = r
    now = dot(r, r)
    do steps = 1, 1000
        call multiply()
        alpha = now / dot(d(:n), ld(:n))
        x = x + alpha * d(:n)
        r = r - alpha * ld(:n)
        before = now
        now = dot(r, r)
        if (now < 1e-24_real64) exit
        d(:n) = r + now / before * d(:n)
    end do

    error = maxval(abs(x - solution(number(:n))))
    call MPI_Allreduce(MPI_IN_PLACE, error, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD)
    if (rank == 0) print '(i0, a, i0, a, i0, a, f12.10)', nodes, ' nodes, ', processes, ' processes, ', &
        steps, ' steps, largest error: ', error
    call ortho_request_free(fill)
    call ortho_request_free(add)
    call ortho_index_map_free(map)
    call MPI_Finalize()
    if (error > 1e-8_real64) error stop 1

contains

    ! The number here of a node of the mesh, which becomes a ghost if it is not there yet.
    integer function here(node)
        integer, intent(in) :: node
        integer, allocatable, save :: places(:)
        if (.not. allocated(places)) then
            allocate (places(nodes), source=0)
            places(first:first + n - 1) = [(i, i = 1, n)]
        end if
        if (places(node) == 0) then
            number = [number, node]
            places(node) = size(number)
        end if
        here = places(node)
    end function

    elemental real(real64) function solution(node)
        integer, intent(in) :: node
        solution = sin(0.01_real64 * node)
    end function

    ! ld = (1 + L) d: each edge adds the difference of its ends to both of them.
    subroutine multiply()
        real(real64) :: difference
        integer :: e
        call ortho_run(fill, d)
        ld(:n) = d(:n)
        ld(n + 1:) = 0
        do e = 1, nedges
            difference = d(edges(1, e)) - d(edges(2, e))
            ld(edges(1, e)) = ld(edges(1, e)) + difference
            ld(edges(2, e)) = ld(edges(2, e)) - difference
        end do
        call ortho_run(add, ld)
    end subroutine

    real(real64) function dot(a, b)
        real(real64), intent(in) :: a(:), b(:)
        dot = dot_product(a, b)
        call MPI_Allreduce(MPI_IN_PLACE, dot, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
    end function
end program
