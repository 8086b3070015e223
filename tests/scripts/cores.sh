# SPDX-License-Identifier: BSD-3-Clause
# How many processes share a core: of the cores that the launcher may use, whatever core it binds processes to.
program=$builddir/tests/mpi/core_sharing

prints() { # what each process prints, command
    wanted=$1
    shift
    timeout -k 10 "$limit" "$@" >"$work/out" 2>"$work/err" && ! grep -vx "$wanted" "$work/out" && grep -qx "$wanted" "$work/out" ||
        { cat "$work/out" "$work/err"; return 1; }
}
first=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//') # of the cores that we may use
all=$(nproc)
check "one process" prints "cores $all processes a core 1" $MPIEXEC -n 1 "$program"
check "a process for each core" prints "cores $all processes a core 1" $MPIEXEC -n "$all" "$program"
check "one more" prints "cores $all processes a core 2" $MPIEXEC -n $((all + 1)) "$program"
check "one core of the launcher's" prints "cores 1 processes a core 2" taskset -c "$first" $MPIEXEC -n 2 "$program"
case $flavour in
mpich) bind="-bind-to core" ;;
*) bind="--bind-to core" ;;
esac
check "bound to a core each" prints "cores $all processes a core 1" $MPIEXEC $bind -n "$all" "$program"
check "the same, started by shells" prints "cores $all processes a core 1" $MPIEXEC $bind -n "$all" sh -c "$program; true"
