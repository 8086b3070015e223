! SPDX-License-Identifier: BSD-3-Clause
! Module mpiortho: mpiortho for Fortran 2018.  The contents of the tables of calls and functions replace
! @interfaces and @bodies.  Handles that are integers have the lines between @handles and @, too.
module mpiortho
    use, intrinsic :: iso_c_binding, only: c_char, c_double, c_int, c_null_char, c_null_ptr, c_ptr, c_size_t
    use mpi_f08, only: MPI_ADDRESS_KIND, MPI_COUNT_KIND, MPI_ORDER_C, MPI_ORDER_FORTRAN, MPI_STATUS_SIZE, &
        MPI_Comm, &
        MPI_Datatype, MPI_Group, MPI_Info, MPI_Op, MPI_Request, MPI_Status, MPI_Win
    implicit none
    private

    integer, parameter, public :: ORTHO_ROWMAJOR = MPI_ORDER_C, ORTHO_COLMAJOR = MPI_ORDER_FORTRAN
    integer, parameter, public :: ORTHO_MANHATTAN_DISTANCE = 1, ORTHO_CHEBYSHEV_DISTANCE = 2, &
        ORTHO_CHEBYCHEV_DISTANCE = 2
    integer, parameter, public :: ORTHO_BOUNDARY_NONE = 0, ORTHO_BOUNDARY_CONSTANT = 1, &
        ORTHO_BOUNDARY_EDGE = 2, ORTHO_BOUNDARY_SYMMETRIC = 3, ORTHO_BOUNDARY_REFLECT = 4
    integer, parameter, public :: ORTHO_LOWER = -1, ORTHO_CENTRE = 0, ORTHO_UPPER = 1, ORTHO_BOTH = 2
    integer, parameter, public :: ORTHO_SCALAR = 0, ORTHO_VECTOR = 1, ORTHO_PAIR = 2, ORTHO_POSITION = 3
    integer, parameter, public :: ORTHO_PIVOT_T = 0, ORTHO_PIVOT_F = 1, ORTHO_PIVOT_U = 2, ORTHO_PIVOT_V = 3
    integer, parameter, public :: ORTHO_FULL = 1, ORTHO_INTER = 2, ORTHO_GRAPH = 3

    ! Error classes, which have these values until the first error.
    integer(c_int), bind(C, name="mpiortho_fortran_err_name"), protected, public :: ORTHO_ERR_NAME = -1001
    integer(c_int), bind(C, name="mpiortho_fortran_err_neighbor"), protected, &
        public :: ORTHO_ERR_NEIGHBOR = -1002
    integer(c_int), bind(C, name="mpiortho_fortran_err_undefined"), protected, &
        public :: ORTHO_ERR_UNDEFINED = -1003
    integer(c_int), bind(C, name="mpiortho_fortran_err_algorithm"), protected, &
        public :: ORTHO_ERR_ALGORITHM = -1004
    integer(c_int), bind(C, name="mpiortho_fortran_err_mismatch"), protected, &
        public :: ORTHO_ERR_MISMATCH = -1005

    ! A non-blocking or persistent operation.
    type, bind(C), public :: ortho_request
        private
        type(c_ptr) :: handle = c_null_ptr
    end type
    type(ortho_request), parameter, public :: ORTHO_REQUEST_NULL = ortho_request()

    ! A persistent operation on ghost layers.  Its request is an operation as others are.
    type, bind(C), public :: ortho_halo
        type(ortho_request) :: request
        type(c_ptr), private :: arrays = c_null_ptr
    end type

    ! The blocks that have come in a sparse exchange.
    type, bind(C), public :: ortho_sparse
        private
        type(c_ptr) :: handle = c_null_ptr
    end type
    type(ortho_sparse), parameter, public :: ORTHO_SPARSE_NULL = ortho_sparse()

    ! Which elements of an array other processes have copies of: fortran/index_map.cpp.
    type, bind(C), public :: ortho_index_map
        private
        type(c_ptr) :: handle = c_null_ptr
        integer(c_size_t) :: owned = 0, ghosts = 0
    end type
    type(ortho_index_map), parameter, public :: ORTHO_INDEX_MAP_NULL = ortho_index_map()

    ! A contact says what lies beyond a side of a tile, and a patch is a box of cells: fortran/mosaic.cpp.
    type, bind(C), public :: ortho_contact
        integer(c_int) :: tile = 1, dimension = 1, side = ORTHO_UPPER
        integer(MPI_COUNT_KIND) :: first(4) = 1, count(4) = 0
        integer(c_int) :: donor = 1, transform(4) = [1, 2, 3, 4]
        integer(MPI_COUNT_KIND) :: origin(4) = 0
        real(c_double) :: shift(4) = 0
    end type
    type, bind(C), public :: ortho_patch
        integer(c_int) :: tile = 1
        integer(MPI_COUNT_KIND) :: first(4) = 1, count(4) = 1
    end type
    type, bind(C), public :: ortho_mosaic
        private
        type(c_ptr) :: handle = c_null_ptr
    end type
    type(ortho_mosaic), parameter, public :: ORTHO_MOSAIC_NULL = ortho_mosaic()

    ! An array with ghosts: fortran/field.cpp.  gfortran blames the first component where an array is given
    ! that cannot be written.
    type, bind(C), public :: ortho_field
        private
        type(c_ptr) :: array_must_be_definable = c_null_ptr
        integer(c_size_t) :: element = 0, extents(15) = 0, strides(15) = 0
        integer(c_int) :: rank = 0, code = 0, datatype = 0, problem = 0
        integer(c_int) :: ndivided = 0, nlower = 0, nupper = 0, divided(15) = 0, lower(15) = 0, upper(15) = 0
        integer(c_int) :: nkinds = 0, nsigns = 0, kinds(30) = 0, signs(30) = 0
        integer(c_int) :: nlocation = 0, location(4) = 0, kind = 0, has_value = 0
        integer(c_size_t) :: value(8) = 0
    end type

    interface operator(==)
        procedure :: equal_requests, equal_sparses, equal_maps, equal_mosaics
    end interface
    interface operator(/=)
        procedure :: unequal_requests, unequal_sparses, unequal_maps, unequal_mosaics
    end interface
    public :: operator(==), operator(/=)

    interface ortho_cart_name
        procedure :: cart_name_dims_f08, cart_name_dims_int
    end interface

    ! --- Halos ----------------------------------------------------------------------------------

    interface
        function field(a, divided, lower, upper, boundary, sign, value, location, kind) result(made) &
            bind(C, name="mpiortho_fortran_field")
            import
            type(*), dimension(..), intent(inout), target, asynchronous :: a
            integer, intent(in), optional :: divided(:), lower(:), upper(:), boundary(:), sign(:)
            type(*), dimension(..), intent(in), optional, target :: value
            integer, intent(in), optional :: location(:), kind
            type(ortho_field) :: made
        end function
@handles
        function field_of_type_f08(a, datatype, divided, lower, upper, boundary, sign, value, location, &
            kind) result(made) bind(C, name="mpiortho_fortran_field_of_type")
            import
            type(*), dimension(..), intent(inout), target, asynchronous :: a
            type(MPI_Datatype), intent(in) :: datatype
            integer, intent(in), optional :: divided(:), lower(:), upper(:), boundary(:), sign(:)
            type(*), dimension(..), intent(in), optional, target :: value
            integer, intent(in), optional :: location(:), kind
            type(ortho_field) :: made
        end function
        subroutine wrong_size_f08(comm, what, n, needed, ierror) bind(C, name="mpiortho_fortran_wrong_size")
            import
            type(MPI_Comm), intent(in) :: comm
            character(kind=c_char), intent(in) :: what(*)
            integer, intent(in) :: n, needed
            integer, intent(out), optional :: ierror
        end subroutine
        subroutine name_dims_f08(comm, d, dimorder, dims, periods, size, ierror) bind(C, &
            name="mpiortho_fortran_cart_name_dims")
            import
            type(MPI_Comm), intent(in) :: comm
            integer, intent(in) :: d, dimorder, dims(*), periods(*)
            integer, intent(out) :: size
            integer, intent(out), optional :: ierror
        end subroutine
        subroutine ortho_block_f08(grid, sizes, first, n, ierror) bind(C, name="mpiortho_fortran_block")
            import
            type(MPI_Comm), intent(in) :: grid
            integer, intent(in) :: sizes(:)
            integer, intent(out) :: first(:), n(:)
            integer, intent(out), optional :: ierror
        end subroutine
        subroutine ortho_halo_init_f08(fields, ghosts, comm, info, request, ierror) bind(C, &
            name="mpiortho_fortran_halo_init")
            import
            type(ortho_field), intent(in) :: fields(:)
            integer, intent(in), optional :: ghosts(:)
            type(MPI_Comm), intent(in) :: comm
            type(MPI_Info), intent(in), optional :: info
            type(ortho_halo), intent(out) :: request
            integer, intent(out), optional :: ierror
        end subroutine
        subroutine ortho_halo_reduce_init_f08(fields, ghosts, op, comm, info, request, ierror) &
            bind(C, name="mpiortho_fortran_halo_reduce_init")
            import
            type(ortho_field), intent(in) :: fields(:)
            integer, intent(in), optional :: ghosts(:)
            type(MPI_Op), intent(in) :: op
            type(MPI_Comm), intent(in) :: comm
            type(MPI_Info), intent(in), optional :: info
            type(ortho_halo), intent(out) :: request
            integer, intent(out), optional :: ierror
        end subroutine
        subroutine ortho_field_gather_f08(field, whole, root, comm, ghosts, ierror) &
            bind(C, name="mpiortho_fortran_field_gather")
            import
            type(ortho_field), intent(in) :: field
            type(ortho_field), intent(in), optional :: whole
            integer, intent(in) :: root
            type(MPI_Comm), intent(in) :: comm
            integer, intent(in), optional :: ghosts(:)
            integer, intent(out), optional :: ierror
        end subroutine
        subroutine ortho_field_scatter_f08(whole, field, root, comm, ghosts, ierror) &
            bind(C, name="mpiortho_fortran_field_scatter")
            import
            type(ortho_field), intent(in), optional :: whole
            type(ortho_field), intent(in) :: field
            integer, intent(in) :: root
            type(MPI_Comm), intent(in) :: comm
            integer, intent(in), optional :: ghosts(:)
            integer, intent(out), optional :: ierror
        end subroutine
        subroutine ortho_ghosts_reduce_init_f08(fields, ghosts, op, map, info, request, ierror) &
            bind(C, name="mpiortho_fortran_ghosts_reduce_init")
            import
            type(ortho_field), intent(in) :: fields(:)
            type(ortho_field), intent(in), optional :: ghosts(:)
            type(MPI_Op), intent(in) :: op
            type(ortho_index_map), intent(in) :: map
            type(MPI_Info), intent(in), optional :: info
            type(ortho_halo), intent(out) :: request
            integer, intent(out), optional :: ierror
        end subroutine
        subroutine ortho_mosaic_reduce_init_f08(fields, ghosts, op, mosaic, info, request, ierror) &
            bind(C, name="mpiortho_fortran_mosaic_reduce_init")
            import
            type(ortho_field), intent(in) :: fields(:)
            integer, intent(in), optional :: ghosts(:)
            type(MPI_Op), intent(in) :: op
            type(ortho_mosaic), intent(in) :: mosaic
            type(MPI_Info), intent(in), optional :: info
            type(ortho_halo), intent(out) :: request
            integer, intent(out), optional :: ierror
        end subroutine
@
        subroutine ortho_mosaic_halo_init_f08(fields, ghosts, mosaic, sync, info, request, ierror) bind(C, &
            name="mpiortho_fortran_mosaic_halo_init")
            import
            type(ortho_field), intent(in) :: fields(:)
            integer, intent(in), optional :: ghosts(:), sync(:)
            type(ortho_mosaic), intent(in) :: mosaic
            type(MPI_Info), intent(in), optional :: info
            type(ortho_halo), intent(out) :: request
            integer, intent(out), optional :: ierror
        end subroutine
        subroutine ortho_mosaic_halo_init_int(fields, ghosts, mosaic, sync, info, request, ierror) bind(C, &
            name="mpiortho_fortran_mosaic_halo_init")
            import
            type(ortho_field), intent(in) :: fields(:)
            integer, intent(in), optional :: ghosts(:), sync(:)
            type(ortho_mosaic), intent(in) :: mosaic
            integer, intent(in) :: info
            type(ortho_halo), intent(out) :: request
            integer, intent(out), optional :: ierror
        end subroutine
        subroutine ortho_mosaic_unfilled(halo, field, patch, maxn, boxes, n, ierror) bind(C, &
            name="mpiortho_fortran_mosaic_unfilled")
            import
            type(ortho_halo), intent(in) :: halo
            integer, intent(in) :: field, patch, maxn
            type(ortho_patch), intent(inout) :: boxes(:)
            integer, intent(out) :: n
            integer, intent(out), optional :: ierror
        end subroutine
        ! Where info is left out the interface of mpi_f08 is meant: both would do.
        subroutine ortho_ghosts_init_f08(fields, ghosts, map, info, request, ierror) bind(C, &
            name="mpiortho_fortran_ghosts_init")
            import
            type(ortho_field), intent(in) :: fields(:)
            type(ortho_field), intent(in), optional :: ghosts(:)
            type(ortho_index_map), intent(in) :: map
            type(MPI_Info), intent(in), optional :: info
            type(ortho_halo), intent(out) :: request
            integer, intent(out), optional :: ierror
        end subroutine
        subroutine ortho_ghosts_init_int(fields, ghosts, map, info, request, ierror) bind(C, &
            name="mpiortho_fortran_ghosts_init")
            import
            type(ortho_field), intent(in) :: fields(:)
            type(ortho_field), intent(in), optional :: ghosts(:)
            type(ortho_index_map), intent(in) :: map
            integer, intent(in) :: info
            type(ortho_halo), intent(out) :: request
            integer, intent(out), optional :: ierror
        end subroutine
@halo start
@halo wait
@halo run
@halo rebind
@halo ghosts_rebind
        subroutine ortho_halo_unfilled(halo, field, maxn, directions, n, ierror) bind(C, &
            name="mpiortho_fortran_halo_unfilled")
            import
            type(ortho_halo), intent(in) :: halo
            integer, intent(in) :: field, maxn
            integer, dimension(..), intent(inout) :: directions
            integer, intent(out) :: n
            integer, intent(out), optional :: ierror
        end subroutine
        subroutine gather_of_halo(halo, field, whole, root, ierror) bind(C, &
            name="mpiortho_fortran_halo_gather")
            import
            type(ortho_halo), intent(in) :: halo
            integer, intent(in) :: field
            type(ortho_field), intent(in), optional :: whole
            integer, intent(in) :: root
            integer, intent(out), optional :: ierror
        end subroutine
        subroutine scatter_of_halo(halo, field, whole, root, ierror) bind(C, &
            name="mpiortho_fortran_halo_scatter")
            import
            type(ortho_halo), intent(in) :: halo
            integer, intent(in) :: field
            type(ortho_field), intent(in), optional :: whole
            integer, intent(in) :: root
            integer, intent(out), optional :: ierror
        end subroutine
        subroutine c_test_halo(halo, flag, ierror) bind(C, name="mpiortho_fortran_halo_test")
            import
            type(ortho_halo), intent(inout) :: halo
            integer, intent(out) :: flag
            integer, intent(out), optional :: ierror
        end subroutine
        subroutine free_halo(halo, ierror) bind(C, name="mpiortho_fortran_halo_free")
            import
            type(ortho_halo), intent(inout) :: halo
            integer, intent(out), optional :: ierror
        end subroutine
        subroutine constant(what, binding, address) bind(C, name="mpiortho_fortran_constant")
            import
            integer, intent(in) :: what, binding
            type(*), dimension(..), intent(in), target :: address
        end subroutine
        subroutine section(a, first, below, beside) bind(C, name="mpiortho_fortran_section")
            type(*), dimension(..), intent(in), target :: a
            integer, intent(in), target :: first, below, beside
        end subroutine
    end interface

    interface ortho_field
        procedure :: field, field_of_type_f08, field_of_type_int
    end interface
    interface ortho_block
        procedure :: ortho_block_f08, ortho_block_int
    end interface
    interface ortho_halo_init
        procedure :: ortho_halo_init_f08, ortho_halo_init_int
    end interface
    interface ortho_halo_reduce_init
        procedure :: ortho_halo_reduce_init_f08, ortho_halo_reduce_init_int
    end interface
    interface ortho_ghosts_init
        procedure :: ortho_ghosts_init_f08, ortho_ghosts_init_int
    end interface
    interface ortho_ghosts_reduce_init
        procedure :: ortho_ghosts_reduce_init_f08, ortho_ghosts_reduce_init_int
    end interface
    interface ortho_mosaic_halo_init
        procedure :: ortho_mosaic_halo_init_f08, ortho_mosaic_halo_init_int
    end interface
    interface ortho_mosaic_reduce_init
        procedure :: ortho_mosaic_reduce_init_f08, ortho_mosaic_reduce_init_int
    end interface
    interface ortho_ghosts_rebind
        procedure :: halo_ghosts_rebind
    end interface
    interface ortho_field_gather
        procedure :: ortho_field_gather_f08, ortho_field_gather_int, gather_of_halo
    end interface
    interface ortho_field_scatter
        procedure :: ortho_field_scatter_f08, ortho_field_scatter_int, scatter_of_halo
    end interface
    interface ortho_start
        procedure :: halo_start
    end interface
    interface ortho_wait
        procedure :: halo_wait
    end interface
    interface ortho_run
        procedure :: halo_run
    end interface
    interface ortho_test
        procedure :: test_halo
    end interface
    interface ortho_request_free
        procedure :: free_halo
    end interface
    interface ortho_halo_rebind
        procedure :: halo_rebind
    end interface
    public :: ortho_block, ortho_field_gather, ortho_field_scatter
    public :: ortho_halo_init, ortho_halo_reduce_init, ortho_halo_rebind, ortho_halo_unfilled
    public :: ortho_mosaic_halo_init, ortho_mosaic_reduce_init, ortho_mosaic_unfilled
    public :: ortho_ghosts_init, ortho_ghosts_reduce_init, ortho_ghosts_rebind

    ! --- Collectives, and the rest ------------------------------------------------------------------

@interfaces

contains

    elemental logical function equal_requests(a, b)
        type(ortho_request), intent(in) :: a, b
        equal_requests = address_of(a%handle) == address_of(b%handle)
    end function
    elemental logical function unequal_requests(a, b)
        type(ortho_request), intent(in) :: a, b
        unequal_requests = .not. a == b
    end function
    elemental logical function equal_sparses(a, b)
        type(ortho_sparse), intent(in) :: a, b
        equal_sparses = address_of(a%handle) == address_of(b%handle)
    end function
    elemental logical function unequal_sparses(a, b)
        type(ortho_sparse), intent(in) :: a, b
        unequal_sparses = .not. a == b
    end function
    elemental logical function equal_maps(a, b)
        type(ortho_index_map), intent(in) :: a, b
        equal_maps = address_of(a%handle) == address_of(b%handle)
    end function
    elemental logical function unequal_maps(a, b)
        type(ortho_index_map), intent(in) :: a, b
        unequal_maps = .not. a == b
    end function
    elemental logical function equal_mosaics(a, b)
        type(ortho_mosaic), intent(in) :: a, b
        equal_mosaics = address_of(a%handle) == address_of(b%handle)
    end function
    elemental logical function unequal_mosaics(a, b)
        type(ortho_mosaic), intent(in) :: a, b
        unequal_mosaics = .not. a == b
    end function
    elemental integer(c_size_t) function address_of(handle)
        type(c_ptr), intent(in) :: handle
        address_of = transfer(handle, 0_c_size_t)
    end function

    ! A name from sizes and periods alone, which are false unless given.
@handles
    subroutine cart_name_dims_f08(comm, dims, periods, dimorder, ranks, size, ierror)
        type(MPI_Comm), intent(in) :: comm
        integer, intent(in) :: dims(:)
        logical, intent(in), optional :: periods(:)
        integer, intent(in), optional :: dimorder
        integer, dimension(..), intent(in), optional :: ranks
        integer, intent(out), optional :: size
        integer, intent(out), optional :: ierror
        integer :: order, points, k, c_periods(ubound(dims, 1))
        if (present(size)) size = 0
        if (present(periods)) then
            if (ubound(periods, 1) /= ubound(dims, 1)) then
                call wrong_size_f08(comm, "periods" // c_null_char, ubound(periods, 1), ubound(dims, 1), &
                    ierror)
                return
            end if
        end if
        if (present(ranks)) then
            if (product(shape(ranks)) /= product(dims)) then
                call wrong_size_f08(comm, "ranks" // c_null_char, product(shape(ranks)), product(dims), &
                    ierror)
                return
            end if
        end if
        order = ORTHO_COLMAJOR
        if (present(dimorder)) order = dimorder
        c_periods = 0
        if (present(periods)) c_periods = [(merge(1, 0, periods(k)), k = 1, ubound(dims, 1))]
        if (present(ranks)) then
            call c_ortho_cart_name_map_f08(comm, ubound(dims, 1), order, dims, c_periods, ranks, points, &
                ierror)
        else
            call name_dims_f08(comm, ubound(dims, 1), order, dims, c_periods, points, ierror)
        end if
        if (present(size)) size = points
    end subroutine
@

    subroutine test_halo(halo, flag, ierror)
        type(ortho_halo), intent(inout) :: halo
        logical, intent(out) :: flag
        integer, intent(out), optional :: ierror
        integer :: c_flag
        call c_test_halo(halo, c_flag, ierror)
        flag = c_flag /= 0
    end subroutine
@bodies

    ! --- MPI's constants, by their addresses in each binding; how the compiler passes a section --------

    subroutine constants() bind(C, name="mpiortho_fortran_constants")
        integer, target :: a(5, 4)
        call section(a(2:5:3, 4:2:-1), a(2, 4), a(5, 4), a(2, 3))
        call constants_of_mpi_f08()
        call constants_of_mpi()
        call constants_of_mpifh()
    end subroutine
    subroutine constants_of_mpi_f08()
        use mpi_f08, only: MPI_BOTTOM, MPI_IN_PLACE, MPI_STATUSES_IGNORE, MPI_STATUS_IGNORE, &
            MPI_UNWEIGHTED, MPI_WEIGHTS_EMPTY
        integer, parameter :: binding = 0
@constants
    end subroutine
    subroutine constants_of_mpi()
        use mpi, only: MPI_BOTTOM, MPI_IN_PLACE, MPI_STATUSES_IGNORE, MPI_STATUS_IGNORE, MPI_UNWEIGHTED, &
            MPI_WEIGHTS_EMPTY
        integer, parameter :: binding = 1
@constants
    end subroutine
    subroutine constants_of_mpifh()
        include 'mpif.h'
        integer, parameter :: binding = 2
@constants
    end subroutine

end module
