// SPDX-License-Identifier: BSD-3-Clause
// The C++ interface: each collective in its three forms on full communicators and on graphs, values, types,
// operators, errors, requests, grids, naming, subgraphs, windows.  Expected values come from arithmetic.
#include "cpp.hpp"

using namespace ortho_cpp_test;

TEST_MAIN()
{
    test::return_errors(MPI_COMM_NULL);
    types();
    collectives();
    values();
    buffers();
    errors();
    names();
    communicators();
    between_groups();
    fields_and_halos();
    blocks_of_grids();
    index_maps();
    sparse_exchanges();
    migration();
    mosaics();
    shared();
    windows();
}
