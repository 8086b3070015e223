// SPDX-License-Identifier: BSD-3-Clause
// The C++ interface: each collective in its three forms on full communicators and on graphs, values, types,
// operators, errors, requests, grids, naming, subgraphs, windows.  Expected values come from arithmetic.
#include "cpp.hpp"

using namespace ortho_cpp_test;

TEST_MAIN()
{
    test::return_errors(MPI_COMM_NULL);
    types();
    full(MPI_COMM_WORLD);
    full(comm_ref(MPI_COMM_WORLD));
    full(large(MPI_COMM_WORLD));
    on_ring();
    values();
    buffers();
    errors();
    requests();
    names();
    fields();
    communicators();
    between_groups();
    halos();
    shapes();
    divided();
    turns();
    sides();
    halos_of_parts();
    boundaries_of_halos();
    kernels();
    wholes_of_halos();
    index_maps();
    sparse_exchanges();
    migration();
    mosaics();
    shared();
    windows();
}
