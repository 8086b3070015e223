# SPDX-License-Identifier: BSD-3-Clause

# ORTHO_BUILD_FOLDER: the source folder is never configured itself, since make in a build folder would take its objects.
#
# `./configure` there goes on in build/default.  A Makefile in the source folder hands all targets on.
AC_DEFUN([ORTHO_BUILD_FOLDER], [
  AC_BEFORE([$0], [AM_INIT_AUTOMAKE])
  AS_IF([test "`cd "$srcdir" && pwd -P`" = "`pwd -P`"], [
    AS_IF([test -f config.status], [
      AC_MSG_ERROR([this folder was configured by an older version: run "make distclean" here first])])
    AS_MKDIR_P([build/default])
    cat >Makefile <<'ORTHO_END'
# Written by ./configure, which has gone on in build/default.  All targets are made there.
goals := $(or $(MAKECMDGOALS),all)
.PHONY: $(goals)
.NOTPARALLEL:
$(goals):
	@$(MAKE) --no-print-directory -C build/default $][@
	@$(if $(filter distclean maintainer-clean,$][@),rm -f Makefile)
ORTHO_END
    rm -f config.log confdefs.h
    cd build/default || exit 1
    test "x$silent" = xyes || AS_ECHO(["configuring in build/default, where make in this folder makes everything"])
    eval "exec ${CONFIG_SHELL-/bin/sh} ../../configure $ac_configure_args ${silent:+--silent} --srcdir=../.."])
])
