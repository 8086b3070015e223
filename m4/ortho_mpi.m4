# SPDX-License-Identifier: BSD-3-Clause

# ORTHO_MPI: find an MPI.
#
# MPICC (or MPICXX), MPIEXEC name one; else MPICH is preferred.  The wrapper is asked once for
# its flags, and the plain compilers do the work: the rooms of the library that know no MPI are
# compiled without MPI_CPPFLAGS.  Sets MPICC, MPIEXEC, MPI_CPPFLAGS, MPI_LIBS, MPI_FLAVOUR.
AC_DEFUN([ORTHO_MPI], [
  AC_ARG_VAR([MPICC], [MPI's C compiler wrapper])
  AC_ARG_VAR([MPICXX], [MPI's C++ compiler wrapper, asked for flags if there is no MPICC])
  AC_ARG_VAR([MPIEXEC], [MPI's launcher, for the tests])
  AC_ARG_VAR([MPI_CPPFLAGS], [preprocessor flags for MPI, overriding the wrapper's])
  AC_ARG_VAR([MPI_LIBS], [linker flags for MPI, overriding the wrapper's])

  AS_IF([test "x$MPICC" = x && test "x$MPICXX" != x], [MPICC=$MPICXX])
  AC_CHECK_PROGS([MPICC], [mpicc.mpich mpicc mpicc.openmpi mpiicc])
  AS_IF([test "x$MPICC" = x && test "x$MPI_LIBS" = x],
    [AC_MSG_ERROR([no MPI compiler wrapper; name one with MPICC=])])

  # The C++ wrapper that goes with it, which CMake projects in C++ are told of.
  AS_IF([test "x$MPICXX" = x], [
    ortho_name=`AS_ECHO(["$MPICC"]) | $SED 's,mpiicc\(@<:@^/@:>@*\)$,mpiicpc\1,; s,mpicc\(@<:@^/@:>@*\)$,mpicxx\1,'`
    AS_IF([test "x$ortho_name" != "x$MPICC" && command -v "$ortho_name" >/dev/null 2>&1], [MPICXX=$ortho_name])])

  # The launcher that goes with the wrapper: same folder, same suffix.
  AS_IF([test "x$MPIEXEC" = x], [
    ortho_name=`AS_ECHO(["$MPICC"]) | $SED 's,.*/,,; s, .*,,; s,^mpi@<:@^.@:>@*,mpiexec,'`
    AS_CASE([$MPICC], [*/*], [MPIEXEC=`AS_DIRNAME(["$MPICC"])`/$ortho_name], [MPIEXEC=$ortho_name])
    AS_IF([command -v "$MPIEXEC" >/dev/null 2>&1], [], [MPIEXEC=mpiexec])])

  AC_MSG_CHECKING([for the flags of $MPICC])
  AS_IF([$MPICC --showme:compile >/dev/null 2>&1], [
    ortho_compile=`$MPICC --showme:compile`
    ortho_link=`$MPICC --showme:link`
  ], [
    # Intel's has quotes, and pairs of -Xlinker.
    ortho_all=`$MPICC -show 2>/dev/null | $SED 's,",,g; s,-Xlinker ,-Wl\,,g'`
    ortho_compile=
    ortho_link=
    for ortho_word in $ortho_all; do
      AS_CASE([$ortho_word],
        [-I*|-D*], [ortho_compile="$ortho_compile $ortho_word"],
        [-L*|-l*|-R*|-Wl,*|-pthread|*.a|*.so], [ortho_link="$ortho_link $ortho_word"])
    done
  ])
  AS_IF([test "x$MPI_CPPFLAGS" = x], [MPI_CPPFLAGS=$ortho_compile])
  AS_IF([test "x$MPI_LIBS" = x], [MPI_LIBS=$ortho_link])
  AC_MSG_RESULT([$MPI_CPPFLAGS $MPI_LIBS])

  AC_LANG_PUSH([C]) # in C++, some mpi.h bring along bindings that need a library of their own
  ortho_save_CPPFLAGS=$CPPFLAGS
  ortho_save_LIBS=$LIBS
  CPPFLAGS="$CPPFLAGS $MPI_CPPFLAGS"
  LIBS="$MPI_LIBS $LIBS"
  AC_MSG_CHECKING([whether an MPI-3.1 program links])
  AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <mpi.h>]],
      [[MPI_Comm comm = MPI_COMM_NULL;
        MPI_Request request;
        return MPI_Comm_idup(MPI_COMM_WORLD, &comm, &request);]])],
    [AC_MSG_RESULT([yes])],
    [AC_MSG_RESULT([no])
     AC_MSG_ERROR([cannot link an MPI program; name another wrapper with MPICC=, or see config.log])])
  # The last one counts: headers of an MPI's own may tell of the standard ABI, too, and Intel's is one of MPICH's.
  MPI_FLAVOUR=other
  m4_foreach([ortho_pair], [[[MPI_ABI_VERSION], [abi]], [[OMPI_MAJOR_VERSION], [openmpi]],
      [[MPICH_VERSION], [mpich]], [[I_MPI_VERSION], [intel]]],
    [AC_CHECK_DECL(m4_car(ortho_pair), [MPI_FLAVOUR=]m4_cdr(ortho_pair), [], [[#include <mpi.h>]])
  ])
  # An MPI of the standard ABI may have the functions for profilers in a library of their own.
  AC_MSG_CHECKING([for the functions of profilers])
  AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <mpi.h>]], [[return PMPI_Barrier(MPI_COMM_WORLD);]])],
    [AC_MSG_RESULT([yes])],
    [AC_MSG_RESULT([in -lpmpi_abi])
     MPI_LIBS="$MPI_LIBS -lpmpi_abi"
     LIBS="$LIBS -lpmpi_abi"])
  AC_MSG_CHECKING([whether C knows Fortran's handles])
  AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <mpi.h>]],
      [[MPI_Fint comm = PMPI_Comm_c2f(MPI_COMM_WORLD);
        MPI_Status status;
        return PMPI_Status_f2c(&comm, &status);]])],
    [ortho_mpi_fortran=yes
     MPI_FEATURES="$MPI_FEATURES -DORTHO_MPI_FORTRAN"],
    [ortho_mpi_fortran=no])
  AC_MSG_RESULT([$ortho_mpi_fortran])
  AM_CONDITIONAL([MPI_FORTRAN], [test $ortho_mpi_fortran = yes])
  AC_MSG_CHECKING([whether it has sessions])
  AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <mpi.h>]],
      [[MPI_Session session = MPI_SESSION_NULL;
        return PMPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);]])],
    [AC_MSG_RESULT([yes])
     MPI_FEATURES="$MPI_FEATURES -DORTHO_MPI_SESSIONS"],
    [AC_MSG_RESULT([no])])
  AC_MSG_CHECKING([whether it tells of processes that have failed (ULFM)])
  AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <mpi.h>
      #include <mpi-ext.h>]],
      [[int flag = MPI_FT;
        MPI_Group group;
        return PMPIX_Comm_is_revoked(MPI_COMM_WORLD, &flag) + PMPIX_Comm_get_failed(MPI_COMM_WORLD, &group) +
               PMPIX_Comm_revoke(MPI_COMM_WORLD) + MPIX_ERR_PROC_FAILED + MPIX_ERR_REVOKED;]])],
    [AC_MSG_RESULT([yes])
     MPI_FEATURES="$MPI_FEATURES -DORTHO_MPI_ULFM"],
    [AC_MSG_RESULT([no])])
  # Not by MPI_VERSION: Open MPI 5 has them and says that it is MPI 3.1.
  AC_MSG_CHECKING([whether it has persistent collectives])
  AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <mpi.h>]],
      [[int count = 0, data = 0;
        MPI_Aint place = 0;
        MPI_Datatype type = MPI_INT;
        MPI_Request request;
        PMPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        return PMPI_Neighbor_alltoallw_init(&data, &count, &place, &type, &data, &count, &place, &type, MPI_COMM_WORLD,
                                            MPI_INFO_NULL, &request);]])],
    [AC_MSG_RESULT([yes])
     MPI_FEATURES="$MPI_FEATURES -DORTHO_MPI_PERSISTENT"],
    [AC_MSG_RESULT([no])])
  # Of counts in MPI_Count, in all their forms: Open MPI 5.0 has none.
  AC_MSG_CHECKING([whether it has collectives with large counts])
  AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <mpi.h>]],
      [[MPI_Count count = 0;
        MPI_Aint place = 0;
        int data = 0;
        MPI_Datatype type = MPI_INT;
        MPI_Request request;
        PMPI_Reduce_scatter_c(&data, &data, &count, type, MPI_SUM, MPI_COMM_WORLD);
        PMPI_Ialltoallv_c(&data, &count, &place, type, &data, &count, &place, type, MPI_COMM_WORLD, &request);
        PMPI_Alltoallw_init_c(&data, &count, &place, &type, &data, &count, &place, &type, MPI_COMM_WORLD,
                              MPI_INFO_NULL, &request);
        return PMPI_Neighbor_alltoallw_init_c(&data, &count, &place, &type, &data, &count, &place, &type, MPI_COMM_WORLD,
                                              MPI_INFO_NULL, &request);]])],
    [AC_MSG_RESULT([yes])
     MPI_FEATURES="$MPI_FEATURES -DORTHO_MPI_LARGE_COUNTS"],
    [AC_MSG_RESULT([no])])
  # Other functions tell nothing of datatypes that constructors with large counts have made.
  AC_MSG_CHECKING([whether it has datatypes with large counts])
  AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <mpi.h>]],
      [[MPI_Count integers = 0, addresses = 0, counts = 0, types = 0;
        int combiner = 0, integer = 0;
        MPI_Aint address = 0;
        MPI_Datatype type = MPI_INT;
        PMPI_Type_get_contents_c(type, integers, addresses, counts, types, &integer, &address, &counts, &type);
        return PMPI_Type_get_envelope_c(type, &integers, &addresses, &counts, &types, &combiner);]])],
    [AC_MSG_RESULT([yes])
     MPI_FEATURES="$MPI_FEATURES -DORTHO_MPI_LARGE_TYPES"],
    [AC_MSG_RESULT([no])])
  AC_SUBST([MPI_FEATURES])
  CPPFLAGS=$ortho_save_CPPFLAGS
  LIBS=$ortho_save_LIBS
  AC_LANG_POP([C])
  AC_SUBST([MPI_FLAVOUR])
])
