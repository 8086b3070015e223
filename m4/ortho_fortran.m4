# SPDX-License-Identifier: BSD-3-Clause

# ORTHO_FORTRAN: find the MPI's Fortran compiler, and whether it can compile module mpiortho.
#
# MPIFC names its wrapper; else it is the one that goes with MPICC.  Sets have_fortran, MPIFC, FORTRAN_FOLDER
# (of modules: named for the compiler), MPI_FCLIBS, FORTRAN_RUNTIME, and fortran_note: the compiler, or why
# there is none.  Without one, all else is built.
AC_DEFUN([ORTHO_FORTRAN], [
  AC_REQUIRE([ORTHO_MPI])
  AC_ARG_VAR([MPIFC], [MPI's Fortran compiler wrapper])
  AC_ARG_VAR([FCFLAGS], [flags of the Fortran compiler])
  : ${FCFLAGS="-g1 -O2"}
  AC_ARG_ENABLE([fortran],
    [AS_HELP_STRING([--disable-fortran], [no module mpiortho for Fortran])],
    [], [enable_fortran=auto])
  AS_IF([test "x$MPIFC" = x], [
    ortho_name=`AS_ECHO(["$MPICC"]) |
      $SED 's,mpiicc\(@<:@^/@:>@*\)$,mpiifort\1,; s,mpicc\(@<:@^/@:>@*\)$,mpifort\1,'`
    AS_IF([test "x$ortho_name" != "x$MPICC" && command -v "$ortho_name" >/dev/null 2>&1],
      [MPIFC=$ortho_name])])
  fortran_note=
  AS_IF([test "x$enable_fortran" = xno], [fortran_note=--disable-fortran],
    [test "x$MPIFC" = x], [fortran_note="no mpifort lies beside $MPICC: name the MPI's wrapper by MPIFC="])

  # Handles go from Fortran to C.
  AS_IF([test $ortho_mpi_fortran = no], [
    AS_IF([test "x$enable_fortran" = xyes],
      [AC_MSG_ERROR([C of the standard ABI knows no handles of Fortran's: there is no module mpiortho for it])])
    fortran_note="C of the standard ABI knows no handles of Fortran's"
    enable_fortran=no])

  have_fortran=no
  AS_IF([test "x$enable_fortran" != xno && test "x$MPIFC" != x], [
    AC_MSG_CHECKING([whether $MPIFC compiles module mpiortho])
    cat >conftest.f90 <<'ORTHO_END'
module conftest_routines
    use, intrinsic :: iso_c_binding, only: c_int
    use mpi_f08, only: MPI_Comm, MPI_IN_PLACE
    ! Neither is an integer where integers are no longer those of C.
    integer, parameter :: is_int = 1 / merge(1, 0, kind(1) == c_int)
    interface
        subroutine routine(a, comm, ierror) bind(C, name="routine")
            import
            type(*), dimension(..), target, asynchronous, optional :: a
            type(MPI_Comm), intent(in) :: comm
            integer, intent(out), optional :: ierror
        end subroutine
    end interface
contains
    subroutine other()
        use mpi, only: MPI_IN_PLACE
        call routine(MPI_IN_PLACE, MPI_Comm(0))
    end subroutine
    ! flang 19 needs an option for its own procedures with arrays of any rank.
    integer function size_of(a)
        integer, dimension(..), intent(in) :: a
        size_of = product(shape(a))
    end function
end module
ORTHO_END
    fortran_note="$MPIFC does not compile it: see config.log"
    for ortho_option in '' ' -mmlir -allow-assumed-rank'; do
      AS_IF([test $have_fortran = no &&
             $MPIFC $FCFLAGS$ortho_option -c conftest.f90 >&AS_MESSAGE_LOG_FD 2>&1],
        [have_fortran=yes fortran_note=$MPIFC FCFLAGS="$FCFLAGS$ortho_option" ortho_with=$ortho_option])
    done
    AC_MSG_RESULT([$have_fortran${ortho_with:+, with$ortho_with}])
    rm -f conftest.f90 conftest.$ac_objext conftest_routines.mod])
  AS_IF([test "$have_fortran" = yes], [
    # Descriptors are those of the compiler whose header this is.
    AC_CHECK_HEADER([ISO_Fortran_binding.h], [],
      [have_fortran=no fortran_note="there is no ISO_Fortran_binding.h, which comes with gfortran"])
    AC_MSG_CHECKING([which Fortran compiler that is])
    AS_IF([$MPIFC --version 2>/dev/null | grep -q '^GNU Fortran'], [
      FORTRAN_FOLDER=gfortran-`$MPIFC -dumpversion | $SED 's/@<:@^0-9@:>@.*//'`
      FORTRAN_RUNTIME=-lgfortran
    ], [
      have_fortran=no
      fortran_note="$MPIFC is not gfortran; others compile the module themselves"
      fortran_note="$fortran_note${ortho_with:+, with$ortho_with}: mpiortho-fortran(7)"])
    AC_MSG_RESULT([${FORTRAN_FOLDER:-none that is known}])])
  # The module asks this again when it runs, since another compiler may have made it.
  AS_IF([test "$have_fortran" = yes && test "$cross_compiling" != yes], [
    AC_MSG_CHECKING([whether $MPIFC describes arrays as C is told])
    cat >conftest_c.c <<'ORTHO_END'
#include <ISO_Fortran_binding.h>
int is_right(const CFI_cdesc_t *a, const char *first, const char *next, const char *beside, const int *rows)
{
    return a->version == CFI_VERSION && a->base_addr == first && a->rank == 2 && a->dim->extent == *rows &&
           (a->dim + 1)->extent == 3 && first + a->dim->sm == next && first + (a->dim + 1)->sm == beside;
}
ORTHO_END
    cat >conftest.f90 <<'ORTHO_END'
program conftest
    use, intrinsic :: iso_c_binding, only: c_int, c_double
    implicit none
    type item
        integer(c_int) :: i
        real(c_double) :: x
    end type
    interface
        integer(c_int) function is_right(a, first, next, beside, rows) bind(C)
            import
            type(*), dimension(..), intent(inout), target, asynchronous :: a
            type(*), intent(in), target :: first, next, beside
            integer(c_int), intent(in) :: rows
        end function
    end interface
    real(c_double), target :: a(0:4, -3:0)
    real(c_double), allocatable, target :: b(:, :)
    real(c_double), pointer :: p(:, :)
    type(item), target :: c(5, 3)
    allocate (b(7:9, 3))
    p => a(::3, ::-1)
    if (is_right(a(1:4:3, 0:-2:-1), a(1, 0), a(4, 0), a(1, -1), 2) == 0) error stop 1
    if (is_right(c(5:1:-1, :)%x, c(5, 1)%x, c(4, 1)%x, c(5, 2)%x, 5) == 0) error stop 2
    if (is_right(b, b(7, 1), b(8, 1), b(7, 2), 3) == 0) error stop 3
    if (is_right(p(:, :3), p(1, 1), p(2, 1), p(1, 2), 2) == 0) error stop 4
    if (is_right(b(:, 1:3), b(7, 1), b(8, 1), b(7, 2), 3) == 0) error stop 5
end program
ORTHO_END
    AS_IF([$MPICC -c conftest_c.c >&AS_MESSAGE_LOG_FD 2>&1 &&
           $MPIFC $FCFLAGS conftest.f90 conftest_c.$ac_objext -o conftest$ac_exeext >&AS_MESSAGE_LOG_FD 2>&1 &&
           ./conftest$ac_exeext >&AS_MESSAGE_LOG_FD 2>&1], [],
      [have_fortran=no fortran_note="$MPIFC does not describe arrays as C is told: see config.log"])
    AC_MSG_RESULT([$have_fortran])
    rm -f conftest*])
  AS_IF([test "x$enable_fortran" = xyes && test "$have_fortran" = no],
    [AC_MSG_ERROR([no module mpiortho: $fortran_note])])
  AS_IF([test "$have_fortran" = yes], [
    AS_IF([ortho_all=`$MPIFC --showme:link 2>/dev/null`], [], [ortho_all=`$MPIFC -show 2>/dev/null`])
    for ortho_word in $ortho_all; do
      AS_CASE([$ortho_word], [-L*|-l*|-R*|-Wl,*|-pthread|*.a|*.so], [MPI_FCLIBS="$MPI_FCLIBS $ortho_word"])
    done])
  AC_SUBST([FORTRAN_FOLDER])
  AC_SUBST([FORTRAN_RUNTIME])
  AC_SUBST([MPI_FCLIBS])
  AC_SUBST([TEST_MPIFC], [`test "$have_fortran" = no || AS_ECHO(["$MPIFC"])`])
  AM_CONDITIONAL([FORTRAN], [test "$have_fortran" = yes])
  AS_IF([test "$have_fortran" = yes],
    [AC_CONFIG_FILES([mpiortho-fortran-$MPI_FLAVOUR.pc:packaging/mpiortho-fortran.pc.in])])
])
