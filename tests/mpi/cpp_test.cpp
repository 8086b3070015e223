// SPDX-License-Identifier: BSD-3-Clause
// The C++ interface: each collective in its three forms on full communicators and on graphs, values, types,
// operators, errors, requests, grids, naming, subgraphs, windows.  Expected values come from arithmetic.
#include "cpp.hpp"

using namespace ortho_cpp_test;

TEST_MAIN()
{
    test::return_errors(MPI_COMM_NULL);
    values_and_types();
    collectives();
    errors();
    communicators_and_names();
    fields_and_halos();
    blocks_of_grids();
    indices_and_sparse_exchanges();
    mosaics();
    windows_and_memory();
}
