# SPDX-License-Identifier: BSD-3-Clause

# ORTHO_CXX20: append what makes $CXX take C++20 to CXX, as AC_PROG_CXX does for C++11.
AC_DEFUN([ORTHO_CXX20], [
  AC_CACHE_CHECK([for the option of $CXX for C++20], [ortho_cv_cxx20], [
    ortho_cv_cxx20=no
    ortho_save_CXX=$CXX
    for ortho_option in -std=c++20 -std=c++2a; do
      CXX="$ortho_save_CXX $ortho_option"
      AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[#include <algorithm>
          #include <compare>
          #include <span>
          #include <vector>]],
        [[std::vector<int> v{3, 1, 2};
          std::ranges::sort(v);
          return static_cast<int>(std::span<int>(v).size()) - 3;]])],
        [ortho_cv_cxx20=$ortho_option; break])
    done
    CXX=$ortho_save_CXX])
  AS_IF([test "x$ortho_cv_cxx20" = xno], [AC_MSG_ERROR([$CXX has no C++20; name another with CXX=])])
  CXX="$CXX $ortho_cv_cxx20"
])

# ORTHO_WARNINGS: the warnings that the compiler knows, in WARNINGS; with --enable-werror they are errors.
AC_DEFUN([ORTHO_WARNINGS], [
  AC_ARG_ENABLE([werror], [AS_HELP_STRING([--enable-werror], [warnings are errors])], [], [enable_werror=no])
  WARNINGS=
  for ortho_warning in -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion; do
    ortho_save_CXXFLAGS=$CXXFLAGS
    CXXFLAGS="$CXXFLAGS -Werror $ortho_warning"
    AC_COMPILE_IFELSE([AC_LANG_PROGRAM()], [WARNINGS="$WARNINGS $ortho_warning"])
    CXXFLAGS=$ortho_save_CXXFLAGS
  done
  AS_IF([test "x$enable_werror" = xyes], [WARNINGS="$WARNINGS -Werror"])
  AC_SUBST([WARNINGS])
])

# ORTHO_COMPILER_MEMORY: CXXMEMORY lets g++ take 1 GB before it looks for what it could give back: a sixth of its
# time for a large unit.
AC_DEFUN([ORTHO_COMPILER_MEMORY], [
  ortho_save_CXXFLAGS=$CXXFLAGS
  CXXMEMORY="--param=ggc-min-heapsize=1000000"
  CXXFLAGS="$CXXFLAGS -Werror $CXXMEMORY"
  AC_COMPILE_IFELSE([AC_LANG_PROGRAM()], [], [CXXMEMORY=])
  CXXFLAGS=$ortho_save_CXXFLAGS
  AC_SUBST([CXXMEMORY])
])
