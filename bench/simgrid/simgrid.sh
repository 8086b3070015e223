#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Runs ortho-bench in a simulated machine: SimGrid's SMPI (Debian: libsimgrid-dev) runs all processes in one, and says how long
# they would have taken.  Two runs give the same times.
#
#   bench/simgrid/simgrid.sh [--program NAME] MACHINE[:NODESxPROCESSES[,NODESxPROCESSES...]] OPTIONS-OF-ORTHO-BENCH...
#   bench/simgrid/simgrid.sh [--program NAME] MACHINE@NETWORK OPTIONS-OF-ORTHO-BENCH...
#
# With --program it runs another program: bench/apps, bench/book_bench or bench/edges.
# NETWORK is a torus, as titan@8,8,4 of 256 nodes, or a dragonfly, as theta@2,4;2,3;4,2;4: 2 groups with 4 links between two of them, each
# of 2 chassis with 3 links, each of 4 routers with 2 links, each of 4 nodes.
# It builds what is simulated in build/simgrid.  ORTHO_TUNE is passed on; a name of a file is taken from the root of the source tree.
#
# Computing takes no time, messages do.  A process pays the overhead o for each message that it sends, and o for each that it receives; the
# first byte then takes the latency of the links between; all processes of a node share its links in each direction; between
# processes of a node data goes through memory.  Sources, of what is not a round figure of our own (o is the half of small messages' latency
# that is not on the wire; the papers give none):
#   hydra  36 nodes of 32: OmniPath, 100 Gbit/s (Cartesian Collective Communication, section 4, names the machine);
#          o = 0.4 us, 2 links of 0.15 us: 1.1 us in all, the latency Intel states for OPA 100.
#   titan  1024 nodes of 16 in a torus of 8x8x16: Gemini-like, 6 GB/s injection, 1.5 us in all (R. Alverson et al.,
#          The Gemini System Interconnect, 2010): o = 0.5 us, links of 0.1 us.
#   today  64 nodes of 128, 200 Gbit/s: o = 0.25 us, 2 links of 0.2 us.
#   theta  nodes of 64, daint: nodes of 36: Aries-like, 10 GB/s injection, 1.3 us in all (B. Alverson et al., Cray XC Series Network,
#          2012): o = 0.45 us, links of 0.1 us.  All links of a dragonfly have the rate of a node; several of them side by side share.
#   ib     nodes of 4: 10 Gbit/s of InfiniBand at 1 GB/s; o = 1.5 us, links of 0.5 us, a guess: 4 us in all.  Messages that meet at a node
#          are slower than their share of the link (SimGrid's model IB, J. Vienne 2010).
#   sx8    nodes of 8: IXS, 16 GB/s a node in each direction (its makers' figure); o = 2 us, links of 0.5 us, a guess: 5 us in all.
set -eu
cd "$(dirname "$0")/../.."
. ./packages.sh
usage() { sed -n 's/^#   bench/usage: bench/p' bench/simgrid/simgrid.sh >&2; exit 2; }
program=ortho-bench
if [ "${1-}" = --program ]; then
    case ${2-} in apps | book_bench | edges) ;; *) usage ;; esac
    program=$2
    shift 2
fi
[ $# -ge 1 ] || usage

machine=${1%%[:@]*}
model=
case $machine in
hydra) nodes=36 cores=32 bandwidth=12.5GBps latency=0.15us overhead=4e-7 shape= ;;
titan) nodes=1024 cores=16 bandwidth=6GBps latency=0.1us overhead=5e-7 shape='topology="TORUS" topo_parameters="8,8,16"' ;;
today) nodes=64 cores=128 bandwidth=25GBps latency=0.2us overhead=2.5e-7 shape= ;;
theta) nodes=64 cores=64 bandwidth=10GBps latency=0.1us overhead=4.5e-7 shape= ;;
daint) nodes=64 cores=36 bandwidth=10GBps latency=0.1us overhead=4.5e-7 shape= ;;
ib) nodes=32 cores=4 bandwidth=1GBps latency=0.5us overhead=1.5e-6 shape= model=IB ;;
sx8) nodes=4 cores=8 bandwidth=16GBps latency=0.5us overhead=2e-6 shape= ;;
*) usage ;;
esac
case $1 in
*@*\;*) # each number before a comma or by itself counts nodes
    [ "$(echo "${1#*@}" | awk -F'[;,]' '{ print $5 + 0 }')" -gt 1 ] ||
        { echo "bench/simgrid/simgrid.sh: $1: a chassis must have two routers or more" >&2; exit 2; }
    nodes=$(echo "${1#*@}" | awk -F';' '{ n = 1; for (i = 1; i <= NF; ++i) n *= $i + 0; print n }')
    shape="topology=\"DRAGONFLY\" topo_parameters=\"${1#*@}\"" groups=${nodes}x$cores
    ;;
*@*)
    nodes=$(($(echo "${1#*@}" | tr , '*')))
    shape="topology=\"TORUS\" topo_parameters=\"${1#*@}\"" groups=${nodes}x$cores
    ;;
*:*x*) groups=${1#*:} shape= ;; # a part of it, on one switch
*:*) usage ;;
*) groups=${nodes}x$cores ;;
esac
shift

command -v smpirun >/dev/null || { echo "bench/simgrid/simgrid.sh: there is no smpirun: apt-get install libsimgrid-dev" >&2; exit 77; }
build=build/simgrid
mkdir -p build
{
    # Static libraries: each process has its own copy of all variables, which SMPI makes of the program alone.  No variable is
    # unique to all copies (-fno-gnu-unique): those of inline functions in mpiortho.hpp would be.
    # Each program is a shared object: -fPIC is for all of it.
    # Nor is any a thread's own (thread_local): all processes are one thread.
    # SMPI names complex types of C++, and has none.
    complex=
    for type in FLOAT DOUBLE LONG_DOUBLE; do complex="$complex -Dsmpi_MPI_CXX_${type}_COMPLEX=smpi_MPI_C_${type}_COMPLEX"; done
    configure_in "$build" --disable-shared --with-pic --without-hwloc MPICC=smpicc \
        MPI_CPPFLAGS="-fPIC -fno-gnu-unique -I/usr/include/smpi -DORTHO_SIMULATED -Dthread_local= $complex" \
        MPI_LIBS=-lsimgrid MPIEXEC=smpirun CXXFLAGS="-fPIC ${CXXFLAGS:--O2}" CFLAGS="-fPIC ${CFLAGS:--O2}"
    make -s -C "$build" -j"$(nproc)" bench/simgrid/$program
} >"build/simgrid.log" 2>&1 || { tail -n 20 build/simgrid.log >&2; exit 1; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
nodes=0 processes=0 cores=0
for group in $(echo "$groups" | tr , ' '); do
    last=$((nodes + ${group%x*}))
    [ "${group#*x}" -le $cores ] || cores=${group#*x}
    while [ $nodes -lt $last ]; do
        # A line a process: of lines with numbers smpirun makes another file, in this folder, and may leave it.
        for process in $(seq "${group#*x}"); do echo "n$nodes"; done
        processes=$((processes + ${group#*x}))
        nodes=$((nodes + 1))
    done
done >"$work/hosts"
cat >"$work/platform.xml" <<END
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="machine" prefix="n" suffix="" radical="0-$((nodes - 1))" speed="1Gf" core="$cores" $shape
    bw="$bandwidth" lat="$latency" sharing_policy="SPLITDUPLEX" loopback_bw="10GBps" loopback_lat="0.3us"/>
</platform>
END

# A copy of the program for each process is fast; for thousands of them it is gigabytes, and their variables alone are swapped.
privatization=dlopen
[ $processes -lt "${ORTHO_SIMULATED_SWAP_FROM:-2000}" ] || privatization=mmap
cp "$build/bench/simgrid/$program" "$work/"

# Links carry what they are said to carry, and nothing depends on how far two nodes are apart but latency.  Collectives that are not
# measured are those whose messages are few.
ORTHO_SHM=0 ORTHO_SIMULATED_OVERHEAD=$overhead smpirun -np $processes -platform "$work/platform.xml" -hostfile "$work/hosts" --cfg=smpi/tmpdir:"$work" \
    --cfg=smpi/simulate-computation:no --cfg=smpi/ois:0:$overhead:0 --cfg=smpi/os:0:$overhead:0 --cfg=smpi/send-is-detached-thresh:0 \
    --cfg=smpi/bw-factor:0:1 --cfg=smpi/lat-factor:0:1 --cfg=network/weight-S:0 --cfg=network/crosstraffic:no --cfg=maxmin/precision:1e-3 \
    --cfg=smpi/bcast:binomial_tree --cfg=smpi/allreduce:rdb --cfg=smpi/allgather:bruck --cfg=smpi/allgatherv:ompi_bruck \
    --cfg=smpi/barrier:ompi_bruck --cfg=smpi/privatization:$privatization ${model:+--cfg=network/model:$model} --log=root.thres:error "$work/$program" "$@"
