# SPDX-License-Identifier: BSD-3-Clause

# ORTHO_FORTRAN: find the MPI's Fortran compiler, and whether it can compile module mpiortho.
#
# MPIFC names its wrapper; else it is the one that goes with MPICC.  Sets have_fortran, MPIFC, FORTRAN_FOLDER
# (of modules: named for the compiler), MPI_FCLIBS, FORTRAN_RUNTIME.  Without one, all else is built.
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

  # Handles go from Fortran to C.
  AS_IF([test $ortho_mpi_fortran = no], [
    AS_IF([test "x$enable_fortran" = xyes],
      [AC_MSG_ERROR([C of the standard ABI knows no handles of Fortran's: there is no module mpiortho for it])])
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
end module
ORTHO_END
    AS_IF([$MPIFC $FCFLAGS -c conftest.f90 >&AS_MESSAGE_LOG_FD 2>&1], [have_fortran=yes])
    AC_MSG_RESULT([$have_fortran])
    rm -f conftest.f90 conftest.$ac_objext conftest_routines.mod])
  AS_IF([test "$have_fortran" = yes], [
    # Descriptors are those of the compiler whose header this is.
    AC_CHECK_HEADER([ISO_Fortran_binding.h], [], [have_fortran=no])
    AC_MSG_CHECKING([which Fortran compiler that is])
    AS_IF([$MPIFC --version 2>/dev/null | grep -q '^GNU Fortran'], [
      FORTRAN_FOLDER=gfortran-`$MPIFC -dumpversion | $SED 's/@<:@^0-9@:>@.*//'`
      FORTRAN_RUNTIME=-lgfortran
    ], [have_fortran=no])
    AC_MSG_RESULT([${FORTRAN_FOLDER:-none that is known}])])
  AS_IF([test "x$enable_fortran" = xyes && test "$have_fortran" = no],
    [AC_MSG_ERROR([cannot compile module mpiortho; name a wrapper with MPIFC=, or see config.log])])
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
    [AC_CONFIG_FILES([mpiortho-fortran-$MPI_FLAVOUR.pc:fortran/mpiortho-fortran.pc.in])])
])
