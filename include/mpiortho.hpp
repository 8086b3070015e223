// SPDX-License-Identifier: BSD-3-Clause
//
// mpiortho for C++20.  Header-only: all of it calls the C interface, <mpiortho.h>, whose comments say what
// the operations mean.  Link with libmpiortho.
//
//     mpiortho::grid<2> g{MPI_COMM_WORLD, {.periodic = {true, true}}};     // a grid with neighbors
//     mpiortho::field<double, 2> f({ny, nx}, 1);                           // an array with a ghost layer
//     auto halo = mpiortho::halo(g, f);
//     halo.run();                                                          // fills the ghosts
//     double s = g.neighbors().sum(x);                                     // over the neighbors
//     double t = g.all().sum(x);                                           // over all processes
//
// The headers:
//
//     mpiortho/error.hpp           error: what is thrown
//     mpiortho/datatype.hpp        element, datatype<T>(), travels_as_bytes, custom_datatype
//     mpiortho/op.hpp              operators: std::plus<> and its like, minimum, maximum, functions
//     mpiortho/communicator.hpp    communicator, comm_ref, info, large(comm)
//     mpiortho/buffer.hpp          what is a buffer: typed, in_place, buffer_traits
//     mpiortho/request.hpp         pending, operation, future; wait_all, run_all
//     mpiortho/collectives.hpp     alltoall, allgather, allreduce, ...
//     mpiortho/naming.hpp          cart_name: processes as points of a grid
//     mpiortho/grid.hpp            grid, stencil, neighborhood, nodecart, dims_create
//     mpiortho/field.hpp           field, view, interior and boundary
//     mpiortho/halo.hpp            halo, halo_reduce
//     mpiortho/blocks.hpp          blocks: who owns what; field_gather, field_scatter
//     mpiortho/index_map.hpp       index_map: ghosts of unstructured meshes
//     mpiortho/mosaic.hpp          mosaic: grids that are not one box
//     mpiortho/sparse.hpp          sparse_alltoallv: receivers do not know who sends
//     mpiortho/window.hpp          window: one-sided communication
//     mpiortho/memory.hpp          shared_memory
//
// Everything works between MPI_Init and MPI_Finalize.  Objects that live longer do nothing in their
// destructors.  doc/cpp.md leads from MPI_Isend to a halo.
#ifndef MPIORTHO_HPP
#define MPIORTHO_HPP

#include "mpiortho/error.hpp" // first: it looks for C++20

#include "mpiortho/blocks.hpp"
#include "mpiortho/collectives.hpp"
#include "mpiortho/index_map.hpp"
#include "mpiortho/memory.hpp"
#include "mpiortho/mosaic.hpp"
#include "mpiortho/sparse.hpp"
#include "mpiortho/window.hpp"

#endif
