# SPDX-License-Identifier: BSD-3-Clause
# Shared memory that cannot be had, or is unwanted, on some processes: all agree to go without.  And nothing is left of
# processes that are killed.
export ASAN_OPTIONS="$quick_asan"
program=$builddir/tests/mpi/shared_test

# way "shared memory" or "messages", then a command: its output says that messages went so.
goes_by() {
    way=$1
    shift
    says "^$way\$" timeout -k 10 "$limit" "$@"
}
limited() { goes_by messages $MPIEXEC -n 2 sh -c "ulimit $1 && exec $program short"; } # what sh's ulimit is told
one_limited() { # the last process alone
    goes_by messages $MPIEXEC -n 2 "$program" short : -n 1 sh -c "ulimit $1 && exec $program short"
}
each_with() { # way, what each process begins with
    way=$1 processes=
    shift
    for words; do processes="${processes:+$processes : }-n 1 env $words $program short"; done
    goes_by "$way" $MPIEXEC $processes
}
# The MPI's own memory must not be there.
in_own_mounts="env UCX_TLS=sysv,self OMPI_MCA_btl=tcp,self unshare -m sh -c"
mount_small="mount -t tmpfs -o size=1M none /dev/shm"
small_dev_shm() { goes_by "shared memory" $in_own_mounts "$mount_small && exec $MPIEXEC -n 2 $program short"; }
# Processes in containers of their own have numbers that mean others elsewhere.
container="unshare --user --map-root-user --pid --fork --mount-proc"
apart="env UCX_TLS=sysv,self OMPI_MCA_btl=tcp,self $MPIEXEC -n 2 $container $program short"
# unless_mpich_5 WHAT COMMAND...: a test of what MPICH 5 cannot do.
unless_mpich_5() {
    case $(mpi_release) in
    mpich5 | abi5) left_out "$1" "MPICH 5 cannot" ;;
    *) check "$@" ;;
    esac
}
theirs() { # processes of the job with this mark
    grep -szl "ORTHO_TEST_MARK=$mark" /proc/[0-9]*/environ 2>/dev/null | grep -v "/$$/"
}
killed() { # processes, victim: the job ends by itself
    mark=$$-$1-$2
    begin=$(date +%s)
    timeout -k 10 60 env ORTHO_TEST_MARK="$mark" $MPIEXEC -n "$1" "$program" loop "$2" >"$work/out" 2>&1
    status=$?
    took=$(($(date +%s) - begin))
    for i in 1 2 3 4 5 6 7 8 9 10; do
        [ -z "$(theirs)" ] && break
        sleep 0.5
    done
    [ $status != 0 ] && [ $took -lt 60 ] && [ -z "$(theirs)" ] && return 0
    cat "$work/out"
    echo "status $status after $took s; left: $(theirs)"
    return 1
}

check "where nothing is in the way" goes_by "shared memory" $MPIEXEC -n 3 "$program" short
if thorough; then
    on=ORTHO_SHM=1 off=ORTHO_SHM=0
    check "ORTHO_SHM=0 on rank 1" each_with messages $on $off $on
    check "ORTHO_SHM=0 on rank 0" each_with messages $off $on $on
    check "ORTHO_SHM=0 on the last rank" each_with messages $on $on $off
    check "ORTHO_SHM=0 everywhere" each_with messages $off $off $off
fi
if [ "$flavour" = intel ]; then
    left_out "small files only" "Intel's MPI needs larger ones"
else
    ! thorough || check "small files only" limited "-f 262144"
fi
check "small files only on one process" one_limited "-f 262144"
if [ -z "$sanitizers" ]; then # which reserve terabytes
    ! thorough || check "few addresses" limited "-v 4000000"
    check "few addresses on one process" one_limited "-v 4000000"
    ! thorough || check "a limit of addresses, however high" limited "-v 1000000000"
fi
if [ "$flavour" = intel ]; then
    left_out "a small /dev/shm" "Intel's MPI needs a larger one"
elif unshare -m sh -c "$mount_small" 2>/dev/null; then
    unless_mpich_5 "a small /dev/shm" small_dev_shm
else
    left_out "a small /dev/shm" "it cannot be mounted"
fi
if $container true 2>/dev/null; then
    ! thorough || check "all processes in one container" goes_by "shared memory" $container $MPIEXEC -n 2 "$program" short
    unless_mpich_5 "each process in a container" goes_by messages $apart
else
    left_out "processes in containers" "unshare makes none"
fi
# The system refuses to read another process's memory after so many times, on some or all processes.
refuse="LD_PRELOAD=${LD_PRELOAD:+$LD_PRELOAD:}$builddir/tests/read_limit.so ORTHO_TEST_READS"
after() { each_with "shared memory" "$refuse=$1" "$refuse=$2" "$refuse=$3"; }
as_nobody() { # who may not read the memory of a process that allows it to nobody
    goes_by "shared memory" setpriv --reuid 65534 --regid 65534 --clear-groups env HOME=/tmp $MPIEXEC -n 2 "$program" closed
}

# As users have it: a trial says from which size on one copy is faster.  There is none where processes share cores.
tried() { (unset ORTHO_SINGLE_COPY && "$@"); }
check "a trial of one copy" tried goes_by "shared memory" $MPIEXEC -n 2 "$program" short
! thorough || check "three processes, as users have them" tried goes_by "shared memory" $MPIEXEC -n 3 "$program" short
if [ -z "$sanitizers" ]; then
    check "a trial that cannot read" tried each_with "shared memory" "" "$refuse=3"
    ! thorough || check "no memory of others is read" after 0 0 0
    check "one process may not read" after 99999999 0 99999999
    ! thorough || check "reads fail later on one process" after 99999999 5 99999999
    check "reads fail later on all" after 3 4 7
    if [ "$(id -u)" = 0 ] && [ "$flavour" != openmpi ]; then
        check "memory is closed to others later" as_nobody
    fi
fi
check "one of two processes is killed" killed 2 1
! thorough || check "rank 0 is killed" killed 2 0
elsewhere || check "one of three processes is killed" killed 3 1
