// SPDX-License-Identifier: BSD-3-Clause
// Reduction operators.

#include "mpi/operator.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <mutex>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "mpi/datatype.hpp"
#include "mpi/failure.hpp"
#include "mpi/large_count_type.hpp"
#include "mpi/library_lifetime.hpp"
#include "mpi/object_info.hpp"
#include "mpi/quiet_errors.hpp"
#include "mpi/which_mpi.hpp"

namespace ortho::mpi {

namespace {

/// Asks the MPI whether it reduces the type.
bool accepted(MPI_Op op, MPI_Datatype type)
{
    static std::mutex mutex;
    static std::vector<std::pair<MPI_Op, MPI_Datatype>> known; // both predefined, so that handles stay
    const std::lock_guard lock(mutex);
    const std::pair pair(op, type);
    if (std::ranges::find(known, pair) != known.end()) return true;
    const QuietErrors quiet;
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
    // Open MPI's MPI_Reduce_local uses MPI_COMM_WORLD.
    base::require(has_world() || !which_mpi().is_open_mpi, ErrorKind::op, "op",
                  "Open MPI reduces only in programs that call MPI_Init");
    if (!name_of(op)) return; // the user's operators are the user's business
    base::require(op != MPI_NO_OP && op != MPI_REPLACE, ErrorKind::op, "op",
                  "op is for one-sided communication only");
    base::require(is_named(type) && accepted(op, type), ErrorKind::op, "op", "op: ", words_of(op),
                  " is not defined for ", is_named(type) ? type_name(type) : "a derived datatype");
}

int reduce_local(const void* in, void* inout, MPI_Count count, MPI_Datatype type, MPI_Op op)
try {
    if (fits(count)) return PMPI_Reduce_local(in, inout, static_cast<int>(count), type, op);
    const MPI_Aint extent = measure(type).extent;
    const auto at = [&](const void* buffer, MPI_Count element) {
        return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(buffer) +
                                       static_cast<std::uintptr_t>(element * extent));
    };
    for (MPI_Count begin = 0; begin < count; begin += most_elements) {
        const int elements = static_cast<int>(std::min(most_elements, count - begin));
        const int code = PMPI_Reduce_local(at(in, begin), at(inout, begin), elements, type, op);
        if (code != MPI_SUCCESS) return code;
    }
    return MPI_SUCCESS;
} catch (...) {
    return MPI_ERR_OP; // the user's operator has thrown
}

std::optional<const char*> name_of(MPI_Op op)
{
    const std::pair<MPI_Op, const char*> predefined[] = {
        {MPI_MAX, "MPI_MAX"},     {MPI_MIN, "MPI_MIN"},         {MPI_SUM, "MPI_SUM"},
        {MPI_PROD, "MPI_PROD"},   {MPI_LAND, "MPI_LAND"},       {MPI_BAND, "MPI_BAND"},
        {MPI_LOR, "MPI_LOR"},     {MPI_BOR, "MPI_BOR"},         {MPI_LXOR, "MPI_LXOR"},
        {MPI_BXOR, "MPI_BXOR"},   {MPI_MINLOC, "MPI_MINLOC"},   {MPI_MAXLOC, "MPI_MAXLOC"},
        {MPI_NO_OP, "MPI_NO_OP"}, {MPI_REPLACE, "MPI_REPLACE"},
    };
    const auto* const found = std::ranges::find(predefined, op, [](const auto& one) { return one.first; });
    if (found == std::end(predefined)) return std::nullopt;
    return found->second;
}

std::string_view words_of(MPI_Op op)
{
    if (op == MPI_OP_NULL) return {};
    if (const auto name = name_of(op)) return *name;
    return commutes(op) ? "a commutative operator of its own" : "a non-commutative operator of its own";
}

bool commutes(MPI_Op op)
{
    if (op == MPI_OP_NULL) return true;
    int flag = 0;
    check(PMPI_Op_commutative(op, &flag));
    return flag != 0;
}

} // namespace ortho::mpi
