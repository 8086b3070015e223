# SPDX-License-Identifier: BSD-3-Clause
"""The package is imported before there is an MPI.  Then come sessions, one after the other, and no MPI_Init;
MPI_Init alone where the MPI has no sessions."""

import mpi4py

mpi4py.rc.initialize = False
import numpy as np
from mpi4py import MPI

import mpiortho


def use(everybody):
    ring = mpiortho.grid(everybody, (0,), periodic=True, stencil=[(-1,), (1,)])
    sent, got = np.full(2, ring.rank), np.zeros(2, int)
    ring.alltoall(sent, got)
    assert got.tolist() == [ring.neighbor((1,)), ring.neighbor((-1,))]
    cells = np.zeros(4, [("x", "f8"), ("mark", "i4")])
    cells["mark"] = ring.rank
    ring.halo(cells, ghosts=1, info={"ortho_forward": "true"}).run()
    assert cells["mark"].tolist() == [ring.neighbor((-1,)), ring.rank, ring.rank, ring.neighbor((1,))]


try:
    mpiortho.Communicator(MPI.COMM_WORLD)
    raise SystemExit("MPI is not there yet")
except mpiortho.Error as error:
    assert "before MPI_Init" in str(error)
for lap in range(2):
    try:
        session = MPI.Session.Init()
    except NotImplementedError:
        MPI.Init()
        use(MPI.COMM_WORLD)
        break
    group = session.Create_group("mpi://WORLD")
    comm = MPI.Intracomm.Create_from_group(group)
    use(comm)
    comm.Free()
    group.Free()
    session.Finalize()
print("right")
