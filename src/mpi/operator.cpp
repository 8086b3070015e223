// SPDX-License-Identifier: BSD-3-Clause
// Reduction operators.

#include "mpi/operator.hpp"

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "mpi/datatype.hpp"
#include "mpi/failure.hpp"
#include "mpi/quiet.hpp"

namespace ortho::mpi {

namespace {

bool is_predefined(MPI_Op op)
{
    const MPI_Op predefined[] = {MPI_MAX,  MPI_MIN,  MPI_SUM,  MPI_PROD,   MPI_LAND,   MPI_BAND,
                                 MPI_LOR,  MPI_BOR,  MPI_LXOR, MPI_BXOR,   MPI_MINLOC, MPI_MAXLOC,
                                 MPI_NO_OP, MPI_REPLACE};
    return std::ranges::find(predefined, op) != std::end(predefined);
}

/// Ask the MPI, which knows its own types best.
bool accepted(MPI_Op op, MPI_Datatype type)
{
    static std::mutex mutex;
    static std::vector<std::pair<MPI_Op, MPI_Datatype>> known; // both predefined: handles that stay
    const std::lock_guard lock(mutex);
    const std::pair pair(op, type);
    if (std::ranges::find(known, pair) != known.end()) return true;
    const Quiet quiet;
    long double in[4] = {};
    long double inout[4] = {};
    if (PMPI_Reduce_local(in, inout, 1, type, op) != MPI_SUCCESS) return false;
    known.push_back(pair);
    return true;
}

} // namespace

void require_operator(MPI_Op op, MPI_Datatype type)
{
    using base::ErrorKind;
    base::require(op != MPI_OP_NULL, ErrorKind::op, "op", "op is MPI_OP_NULL");
    if (!is_predefined(op)) return; // users' operators take what users give them
    base::require(op != MPI_NO_OP && op != MPI_REPLACE, ErrorKind::op, "op",
                  "op is for one-sided communication only");
    base::require(is_named(type) && accepted(op, type), ErrorKind::op, "op",
                  "op is not defined for the datatype");
}

bool commutes(MPI_Op op)
{
    if (op == MPI_OP_NULL) return true;
    int flag = 0;
    check(PMPI_Op_commutative(op, &flag));
    return flag != 0;
}

} // namespace ortho::mpi
