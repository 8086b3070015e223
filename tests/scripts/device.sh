# SPDX-License-Identifier: BSD-3-Clause
# Arrays on devices, by a driver that pretends (tests/pretend/driver.cpp): no host instruction may touch them, and streams do
# their work late.  Programs of tests/mpi get their buffers there (tests/pretend/aliases.hpp).
. "$srcdir/tests/pretend/environment.sh"

pretended() { # processes, program, variable...
    processes=$1
    program=$builddir/$2
    shift 2
    # Streams take their time: fewer communicators there, but for check.sh --all.
    case $program in */random_test) [ -n "$(few 4)" ] || set -- ORTHO_TEST_REPEATS=6 "$@" ;; esac
    timeout -k 10 "$limit" $MPIEXEC -n "$processes" env "$preload" "$@" "$program"
}
for p in $(if thorough; then echo 1 2 3; else echo 2; fi); do
    check "order with streams on $p" pretended $p tests/mpi/device_test ORTHO_TEST_SEED=1
done

check "pieces between nodes" pretended 2 tests/mpi/device_test ORTHO_NODES=1

# Between nodes messages stay on the device with an MPI that takes its addresses, not with one that only says so.
with_aware() (preload="$preload:$builddir/tests/pretend/aware.so" && pretended 2 "$@" ORTHO_NODES=1) # program, variable...
aware() (
    with_aware tests/mpi/device_test ORTHO_EXPLAIN=1 "ORTHO_TEST_AWARE=$1" >"$work/out" 2>&1 &&
        [ "$(grep -c 'but for [1-9][0-9]* messages* that this process sends' "$work/out")" "$2" 0 ] || { cat "$work/out"; exit 1; }
)
check "messages between nodes stay on the device" aware all -gt
if thorough; then
    check "… not with an MPI that only says so" aware lies -eq
    check "random_test with that MPI" with_aware tests/mpi/random_test ORTHO_TEST_PRETEND=mixed
fi
check "halo_fields_test with that MPI" with_aware tests/mpi/halo_fields_test ORTHO_TEST_PRETEND=mixed

# Another build has all: here is what the MPI may have to do with.
if elsewhere; then
    for program in halo_fields_test random_test nonblocking_test; do
        check "$program on 2, on a device" pretended 2 tests/mpi/$program A=1
        check "… and with the host" pretended 2 tests/mpi/$program ORTHO_TEST_PRETEND=mixed
    done
    return 0
fi

! thorough || check "order with streams, other delays" pretended 2 tests/mpi/device_test ORTHO_TEST_SEED=2

# An order that is missing is found.  Work that comes too late may write into memory that is free by then.
forgotten() ( # what the driver does not do
    limit=30
    ! pretended 2 tests/mpi/device_test "ORTHO_TEST_PRETEND_FORGETS=$1" >"$work/out" 2>&1 &&
        grep -q 'received\|differs on the device' "$work/out" || { cat "$work/out"; exit 1; }
)
for what in cuStreamWaitEvent $(thorough && echo cuEventQuery cuEventSynchronize reduce_boxes); do
    check "wrong values without $what" forgotten "$what"
done
! thorough || check "wrong values without default stream" forgotten "default stream"

# The tests of all calls.  Loopback plays halos and non-blocking calls on devices, too.
programs="tests/mpi/random_test tests/mpi/counts_test tests/mpi/index_map_test tests/mpi/sparse_test
    tests/mpi/mosaic_test"
! thorough || programs="$programs tests/mpi/rebind_test tests/mpi/overlap_test tests/mpi/whole_structs_test
    tests/mpi/replay_test tests/mpi/halo_fields_test tests/mpi/nonblocking_test tests/mpi/halo_test"
export ORTHO_TEST_ONE_IN="${ORTHO_TEST_ONE_IN:-4}"
# Three processes of MPICH wait for one another on two cores: two will do.
on=$(if thorough; then echo 3; else echo 2; fi)
for program in $programs; do
    check "${program##*/} on $on, on two devices and with the host" pretended $on "$program" ORTHO_TEST_PRETEND=mixed
    ! thorough || check "${program##*/} on 2, on a device" pretended 2 "$program" A=1
done

# ortho-bench device: both tables, and right values of all contestants.  Messages stay on the device.
benched() {
    ORTHO_EXPLAIN=1 timeout -k 10 "$limit" $MPIEXEC -n 2 env "$preload" "$builddir/tools/ortho-bench" device --sides 6 --fields 2 --depths 1,3 --runs 5 \
        --samples 2 --batch-ms 0.1 --csv "$work/csv" >"$work/out" 2>&1 && ! grep -q 'WRONG' "$work/out" || { cat "$work/out"; return 1; }
    lines=$(grep -cE '^ +[0-9]+ +[0-9]+ +[0-9]+( +[0-9.]+){3}( +[0-9.]+ \[ *[0-9.]+, *[0-9.]+\]){2}$' "$work/out")
    packed=$(grep -cE '^ +[0-9]+ [KM]iB +[0-9]+( +[0-9.]+){3}$' "$work/out")
    right=$(grep -c ',yes$' "$work/csv")
    [ "$lines/$packed/$right" = 2/12/60 ] && grep -q 'but for [1-9][0-9]* messages* that this process sends' "$work/out" ||
        { cat "$work/out"; echo "$lines/$packed/$right"; return 1; }
}
no_device() {
    ! timeout -k 10 "$limit" $MPIEXEC -n 2 "$builddir/tools/ortho-bench" device >"$work/out" 2>&1 && grep -q 'there is no d' "$work/out" ||
        { cat "$work/out"; return 1; }
}
if [ -x "$builddir/tools/ortho-bench" ] && thorough; then
    check "ortho-bench device: right, and messages stay on the device" benched
    [ -e /dev/nvidia0 ] || check "… says that there is no device" no_device
fi

# Data stays on the device where another process opens its memory, and goes through the host where it may not.
for function in cuIpcGetMemHandle $(thorough && echo cuIpcOpenMemHandle_v2); do
    check "right without $function" pretended 2 tests/mpi/halo_fields_test ORTHO_TEST_PRETEND_FAILS=$function
done

# Errors of the driver.
check "no memory left on the device for tables" pretended 2 tests/mpi/random_test ORTHO_TEST_PRETEND_FAILS=cuMemAlloc_v2
on_one() { # function
    program=$builddir/tests/mpi/device_test
    timeout -k 10 60 $MPIEXEC -n 1 env "$preload" "$program" : -n 1 env "$preload" ORTHO_TEST_PRETEND_FAILS="$1" "$program"
}
for function in cuLaunchKernel cuModuleLoadData cuMemHostRegister_v2 cuEventCreate cuStreamCreate; do
    ! thorough || check "$function fails" pretended 2 tests/mpi/device_test ORTHO_TEST_PRETEND_FAILS=$function
    check "$function fails on one process alone" on_one "$function"
done

# The PTX is the one that nvcc makes of its source, and suits devices of today.
is_made_again() { sh "$srcdir/src/memory/ptx.sh" "$nvcc" "$srcdir/src/memory" | cmp - "$srcdir/src/memory/kernels_ptx.hpp"; }
is_taken() {
    sed -n '/^\.version/,/^)ptx/p' "$srcdir/src/memory/kernels_ptx.hpp" | grep -v '^)ptx' >"$work/kernels.ptx"
    "${nvcc%nvcc}ptxas" -arch="$1" -o "$work/kernels.cubin" "$work/kernels.ptx"
}
if [ -x "$nvcc" ]; then
    case $("$nvcc" --version) in
    *"release 13.0"*) check "the kernels are those of kernels.cu" is_made_again ;;
    esac
    for arch in sm_75 sm_80 sm_90 sm_100; do check "ptxas takes the kernels for $arch" is_taken $arch; done
fi
