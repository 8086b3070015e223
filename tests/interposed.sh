# SPDX-License-Identifier: BSD-3-Clause
# For scripts that run programs with the interposer and without, after tests/environment.sh.  $work: their folder.

preload="$builddir/.libs/libmpiortho-pmpi.so ${LD_PRELOAD:-}"
# Where AddressSanitizer watches, it must be there first.
asan_options=$ASAN_OPTIONS
case $sanitizers in
*address*)
    preload="$(${CC%% *} -print-file-name=libasan.so) $preload $builddir/tests/keep.so"
    asan_options=$quick_asan
    ;;
esac
with() { # settings, number of processes, program, arguments
    settings=$1 processes=$2
    shift 2
    on "$processes" env LD_PRELOAD="$preload" ASAN_OPTIONS="$asan_options" $settings "$@"
}
# fails COMMAND...: for what must go wrong.
fails() { ! "$@"; }
exits_with() { # status, command
    status=$1
    shift
    "$@"
    [ $? = "$status" ]
}
