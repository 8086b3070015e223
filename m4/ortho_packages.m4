# SPDX-License-Identifier: BSD-3-Clause

# ORTHO_PACKAGE(NAME, MODULE, INCLUDES, CALL, IF-THERE, IF-NOT): as PKG_CHECK_MODULES, and a program has to
# link with it, too.  In a cross build pkg-config may know the libraries of this machine.
AC_DEFUN([ORTHO_PACKAGE], [
  ortho_links=no
  PKG_CHECK_MODULES([$1], [$2], [
    AC_MSG_CHECKING([whether programs link with $2])
    ortho_cppflags=$CPPFLAGS ortho_libs=$LIBS
    CPPFLAGS="$CPPFLAGS $[$1]_CFLAGS" LIBS="$[$1]_LIBS $LIBS"
    AC_LINK_IFELSE([AC_LANG_PROGRAM([[$3]], [[$4]])], [ortho_links=yes])
    CPPFLAGS=$ortho_cppflags LIBS=$ortho_libs
    AC_MSG_RESULT([$ortho_links])], [:])
  AS_IF([test $ortho_links = yes], [$5], [[$1]_CFLAGS= [$1]_LIBS=
    $6])
])

# ORTHO_GTEST: Google Test, for the unit tests.
AC_DEFUN([ORTHO_GTEST], [
  ORTHO_PACKAGE([GTEST], [gtest_main], [#include <gtest/gtest.h>], [testing::InitGoogleTest();],
    [have_gtest=yes], [have_gtest=no])
  AM_CONDITIONAL([HAVE_GTEST], [test "x$have_gtest" = xyes])
])

# ORTHO_EXAMPLES: what the example programs are made with.
AC_DEFUN([ORTHO_EXAMPLES], [
  have_examples=yes
  ORTHO_PACKAGE([PNG], [libpng], [#include <png.h>], [png_access_version_number();], [], [have_examples=no])
  AC_CHECK_HEADER([CLI/CLI.hpp], [], [have_examples=no])
  AM_CONDITIONAL([HAVE_EXAMPLES], [test "x$have_examples" = xyes])
  AS_IF([test "x$have_examples" = xno],
    [AC_MSG_WARN([the examples are not built: they need CLI11 and libpng])])
])

# ORTHO_METIS: to cut meshes, in examples and in ortho-plan: else a curve does it, or rows in blocks.
AC_DEFUN([ORTHO_METIS], [
  AC_ARG_WITH([metis], [AS_HELP_STRING([--with-metis], [examples and programs cut graphs by METIS @<:@if it is there@:>@])],
    [], [with_metis=check])
  have_metis=no METIS_CPPFLAGS= METIS_LIBS=
  AS_IF([test "x$with_metis" != xno],
    [AC_CHECK_HEADER([metis.h], [AC_CHECK_LIB([metis], [METIS_PartGraphKway],
      [have_metis=yes METIS_CPPFLAGS=-DHAVE_METIS METIS_LIBS=-lmetis])])])
  AS_IF([test "x$with_metis$have_metis" = xyesno], [AC_MSG_ERROR([there is no METIS])])
  AC_SUBST([METIS_CPPFLAGS])
  AC_SUBST([METIS_LIBS])
])

# ORTHO_CGNS: ortho-plan reads grids of CGNS.
AC_DEFUN([ORTHO_CGNS], [
  AC_ARG_WITH([cgns], [AS_HELP_STRING([--with-cgns], [ortho-plan reads files of CGNS @<:@if it is there@:>@])],
    [], [with_cgns=check])
  have_cgns=no CGNS_CPPFLAGS= CGNS_LIBS=
  AS_IF([test "x$with_cgns" != xno],
    [AC_CHECK_HEADER([cgnslib.h], [AC_CHECK_LIB([cgns], [cg_1to1_read],
      [have_cgns=yes CGNS_CPPFLAGS=-DHAVE_CGNS CGNS_LIBS=-lcgns])])])
  AS_IF([test "x$with_cgns$have_cgns" = xyesno], [AC_MSG_ERROR([there is no CGNS])])
  AC_SUBST([CGNS_CPPFLAGS])
  AC_SUBST([CGNS_LIBS])
])

# ORTHO_TOOLS: what the programs are made with, unless --disable-programs.
AC_DEFUN([ORTHO_TOOLS], [
  AC_ARG_ENABLE([programs], [AS_HELP_STRING([--disable-programs], [no ortho-bench, ortho-conform, ortho-plan])],
    [], [enable_programs=yes])
  have_tools=$enable_programs
  ORTHO_PACKAGE([FMT], [fmt], [#include <fmt/core.h>], [fmt::print("{}", 1);], [], [have_tools=no])
  AC_CHECK_HEADER([CLI/CLI.hpp], [], [have_tools=no])
  AM_CONDITIONAL([HAVE_TOOLS], [test "x$have_tools" = xyes])
  AS_IF([test "x$have_tools$enable_programs" = xnoyes],
    [AC_MSG_WARN([ortho-bench, ortho-conform and ortho-plan are not built: they need CLI11 and fmt])])
])

# ORTHO_HWLOC: which part of a node's memory is next to a process.
AC_DEFUN([ORTHO_HWLOC], [
  AC_ARG_WITH([hwloc],
    [AS_HELP_STRING([--with-hwloc], [place processes inside nodes, too, by what hwloc knows @<:@if it is there@:>@])],
    [], [with_hwloc=check])
  have_hwloc=no
  AS_IF([test "x$with_hwloc" != xno],
    [ORTHO_PACKAGE([HWLOC], [hwloc >= 2.0], [#include <hwloc.h>],
      [hwloc_topology_t topology; hwloc_topology_init(&topology);],
      [have_hwloc=yes
       HWLOC_CFLAGS="$HWLOC_CFLAGS -DORTHO_HAVE_HWLOC"],
      [AS_IF([test "x$with_hwloc" = xyes], [AC_MSG_ERROR([there is no hwloc of version 2.0 or newer])])])])
])
