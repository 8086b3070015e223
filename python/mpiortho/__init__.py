# SPDX-License-Identifier: BSD-3-Clause
"""mpiortho: halos and collectives on grids and graphs of processes, with mpi4py.

A grid of processes, arrays with ghost layers, and an exchange that is prepared once:

>>> g = mpiortho.grid(MPI.COMM_WORLD, (0, 0), periodic=(True, False))
>>> u, v = g.zeros((64, 64), ghosts=2), np.zeros((68, 68), order="F")   # any strides, no copy
>>> h = g.halo([u, v], ghosts=2)
>>> h.run()

Arrays are NumPy's, or have the buffer protocol, and are used in place.  Errors are exceptions, of
``mpiortho.Error``, which is an ``MPI.Exception``; arrays that cannot be used are ``TypeError`` or
``ValueError``.  Examples below have a ring of processes, each with two neighbors:

>>> ring = mpiortho.grid(MPI.COMM_WORLD, (0,), periodic=True, stencil=[(-1,), (1,)])
>>> everybody = mpiortho.Communicator(MPI.COMM_WORLD)
"""

import importlib
from typing import Any, Optional

_missing: Optional[BaseException] = None
try:
    import mpi4py.MPI  # noqa: F401
except (ImportError, RuntimeError) as error:  # mpiortho.plan needs no MPI
    _missing = error
else:
    from ._grid import (
        CHEBYSHEV, COLMAJOR, FULL, GRAPH, INTER, MANHATTAN, ROWMAJOR, Communicator, Grid, blocks_count,
        blocks_owner, cart, dims_create, dist_graph, dist_graph_adjacent, dist_graph_from_targets, grid,
        is_neighborhood, moore, name, named, neumann, stencil,
    )  # fmt: skip
    from ._halo import Field, Halo
    from ._library import Error, error_class, error_constant, get_version, progress
    from ._mosaic import (
        Contact, Mosaic, MosaicHalo, Patch, contact_cubed_sphere, contact_fold, contact_join,
        contact_periodic,
    )  # fmt: skip
    from ._request import Request, runall, startall, testall, testany, testsome, waitall, waitany, waitsome
    from ._sparse import Ghosts, IndexMap, index_map, isparse_alltoallv, sparse_alltoallv
    from ._window import Transfer, Window, alloc_mem, free_mem

__all__ = [
    "CHEBYSHEV", "COLMAJOR", "Communicator", "Contact", "ERR_ALGORITHM", "ERR_MISMATCH", "ERR_NAME",
    "ERR_NEIGHBOR", "ERR_UNDEFINED", "Error", "FULL", "Field", "GRAPH", "Ghosts", "Grid", "Halo", "INTER",
    "IndexMap", "MANHATTAN", "Mosaic", "MosaicHalo", "Patch", "ROWMAJOR", "Request", "Transfer", "Window",
    "alloc_mem", "blocks_count", "blocks_owner", "cart", "contact_cubed_sphere", "contact_fold",
    "contact_join", "contact_periodic", "dims_create", "dist_graph", "dist_graph_adjacent",
    "dist_graph_from_targets", "error_class", "free_mem", "get_version", "grid", "index_map",
    "is_neighborhood", "isparse_alltoallv", "moore", "name", "named", "neumann", "progress", "runall",
    "sparse_alltoallv", "startall", "stencil", "testall", "testany", "testsome", "waitall", "waitany",
    "waitsome",
]  # fmt: skip

ERR_NAME: int
ERR_NEIGHBOR: int
ERR_UNDEFINED: int
ERR_ALGORITHM: int
ERR_MISMATCH: int


def __getattr__(attribute: str) -> Any:
    """Error classes are made when they are asked for."""
    if _missing is not None and attribute in __all__:
        raise ImportError(f"mpiortho: without an MPI there is mpiortho.plan alone: {_missing}") from _missing
    if attribute == "plan":  # a module of its own, whether there is an MPI or not
        return importlib.import_module("mpiortho.plan")
    if attribute in ("ERR_NAME", "ERR_NEIGHBOR", "ERR_UNDEFINED", "ERR_ALGORITHM", "ERR_MISMATCH"):
        return error_constant(attribute)
    raise AttributeError(f"module 'mpiortho' has no attribute {attribute!r}")
