#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Tests and times on a real card.  A folder is made here, and runs on a machine that has a card, its driver and a
# shell:
#   tests/device/device.sh pack FOLDER   in a build folder of the MPICH wheel: programs, the library and the MPI
#   sh FOLDER/device.sh                  on that machine: at most eight minutes; tables in FOLDER/out
set -u

pack() {
    folder=$1
    . tests/facts
    make tests/mpi/device_test tools/ortho-bench libmpiortho.la libmpiortho-pmpi.la || return 1
    mkdir -p "$folder/bin" "$folder/lib" "$folder/.libs" "$folder/tests" "$folder/bench" || return 1
    cp "$srcdir/tests/device/device.sh" "$folder/"
    cp -r "$srcdir/bench/as_installed.sh" "$srcdir/bench/unmodified" "$folder/bench/"
    cp .libs/libmpiortho.so.* "$folder/lib/"
    cp -L .libs/libmpiortho-pmpi.so "$folder/.libs/"
    mpi=${MPIEXEC%/bin/*}
    cp "$mpi/bin/mpiexec.hydra" "$mpi/bin/hydra_pmi_proxy" "$folder/bin/" || return 1
    cat >"$folder/bin/mpiexec" <<'SCRIPT'
#!/bin/sh
case $1 in --version) exec "${0%/*}/mpiexec.hydra" --version ;; esac
exec "${0%/*}/mpiexec.hydra" -launcher fork "$@"
SCRIPT
    chmod +x "$folder/bin/mpiexec"
    # As the build folder's, in the folder itself.
    sed 's|^\(MPIEXEC\)=.*|\1="$PWD/bin/mpiexec"|; s|^\(srcdir\)=.*|\1="$PWD"|; s|^\(builddir\)=.*|\1="$PWD"|' tests/facts \
        >"$folder/tests/facts"
    for program in exchanges everybody; do
        $MPICC -std=c11 -O2 -w -DHAVE_PERSISTENT "$srcdir/bench/unmodified/$program.c" -o "$folder/bin/$program" || return 1
    done
    for program in tests/mpi/device_test tools/ortho-bench; do
        built=${program%/*}/.libs/${program##*/}
        [ -f "$built" ] || built=$program
        cp "$built" "$folder/bin/" || return 1
    done
    "$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)" -O2 -std=c++17 -forward-unknown-to-host-compiler -I"$srcdir/include" \
        "$srcdir/examples/heat3d.cu" -o "$folder/bin/heat3d_gpu" -L.libs -lmpiortho \
        $($MPICC -show | tr ' ' '\n' | grep -E '^-(I|L|l)' | tr '\n' ' ') || return 1
    # The MPI, and what programs need that the other machine's system may lack.
    for library in $(LD_LIBRARY_PATH="$PWD/.libs:$mpi/lib" ldd "$folder"/bin/* .libs/libmpiortho.so 2>/dev/null |
        sed -n 's/.* => \(\/[^ ]*\) .*/\1/p' | sort -u); do
        case ${library##*/} in libc.so* | libm.so* | libpthread* | ld-linux* | libmpiortho*) ;; *) cp -L "$library" "$folder/lib/" ;; esac
    done
    strip --strip-debug "$folder"/bin/device_test "$folder"/bin/ortho-bench "$folder"/lib/* "$folder"/.libs/* 2>/dev/null
    du -sm "$folder"
}

# The driver's service that has processes use a card side by side.
with_service() {
    service=$(command -v nvidia-cuda-mps-control) || return 0
    mkdir -p out/service
    export CUDA_MPS_PIPE_DIRECTORY="$PWD/out/service" CUDA_MPS_LOG_DIRECTORY="$PWD/out/service"
    "$service" -d || return 0
    "$@"
    echo quit | timeout 10 "$service"
}
# The name of the tables
benched() {
    for p in 2 4; do
        timeout -k 5 60 bin/mpiexec -n $p bin/ortho-bench device --budget-s 4 >"out/$1-$p" 2>&1 ||
            echo "not ok - ortho-bench device on $p, $1"
        cat "out/$1-$p"
    done
}

# what, processes, variable...
on_card() {
    what=$1
    processes=$2
    shift 2
    begin=$(date +%s)
    if timeout -k 5 60 bin/mpiexec -n "$processes" env "$@" ORTHO_TEST_DEVICE=1 $watcher bin/device_test \
        >out/test 2>&1; then
        echo "ok - $what on $processes, $(($(date +%s) - begin)) s"
    else
        echo "not ok - $what on $processes"
        tail -n 40 out/test
    fi
}

there() {
    cd "$(dirname "$0")" || exit 1
    mkdir -p out
    export LD_LIBRARY_PATH="$PWD/lib" FI_PROVIDER=tcp
    nvidia-smi -L 2>/dev/null || echo "# nvidia-smi does not say which card"
    nproc
    watcher=
    for p in 1 2 4 8; do on_card "device_test" $p A=1; done
    on_card "two nodes" 4 ORTHO_NODES=2
    on_card "a node each" 3 ORTHO_NODES=1
    for p in 1 2 4; do
        timeout -k 5 60 bin/mpiexec -n $p bin/heat3d_gpu || echo "not ok - heat3d_gpu on $p"
    done
    benched device
    with_service benched service
    (export ORTHO_NODES=1 && benched nodes)
    sanitizer=$(command -v compute-sanitizer || echo /usr/local/cuda/bin/compute-sanitizer)
    if [ -x "$sanitizer" ]; then
        for tool in memcheck racecheck; do
            watcher="$sanitizer --tool $tool --error-exitcode 1"
            on_card "$tool" 2 A=1
        done
    else
        echo "# no compute-sanitizer there"
    fi
    # A core for each process.
    for p in 2 4 8 16; do
        [ "$p" -le "$(nproc)" ] || continue
        timeout -k 5 45 sh bench/unmodified/unmodified.sh $p 3 8 256 4096 32768 131072 >out/unmodified-$p 2>out/errors || tail -n 5 out/errors
        cat out/unmodified-$p
        BENCH_PROGRAM=everybody timeout -k 5 45 sh bench/unmodified/unmodified.sh $p 3 8 256 4096 32768 131072 \
            >out/everybody-$p 2>out/errors || tail -n 5 out/errors
        cat out/everybody-$p
    done
}

case ${1:-there} in
pack) [ $# = 2 ] || { echo "usage: tests/device/device.sh pack FOLDER" >&2; exit 1; } && pack "$2" ;;
there) there ;;
*) echo "usage: tests/device/device.sh pack FOLDER, or FOLDER/device.sh" >&2; exit 1 ;;
esac
