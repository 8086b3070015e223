// SPDX-License-Identifier: BSD-3-Clause
// Collectives on full and inter-communicators, where MPI runs them.

#include "collectives/on_mpi.hpp"

#include <memory>

#include "base/error.hpp"
#include "mpi/keyval.hpp"
#include "mpi/large_count_type.hpp"
#include "mpi/operator.hpp"

namespace ortho::collectives {

int partners_of(MPI_Comm comm)
{
    if (!mpi::is_inter(comm)) return mpi::size_of(comm);
    int size = 0;
    mpi::check_users(PMPI_Comm_remote_size(comm, &size));
    return size;
}

bool is_root(MPI_Comm comm, int root)
{
    return mpi::is_inter(comm) ? root == MPI_ROOT : root == mpi::rank_of(comm);
}

bool is_leaf(MPI_Comm comm, int root)
{
    return !mpi::is_inter(comm) || (root != MPI_ROOT && root != MPI_PROC_NULL);
}

void require_count(MPI_Count count, const char* argument)
{
    base::require(count >= 0, base::ErrorKind::count, argument, argument, " = ", count, " is negative");
}

void require_counts(const mpi::CountArray& counts, int n, const char* argument)
{
    base::require(counts != nullptr, base::ErrorKind::arg, argument, argument, " is a null pointer");
    for (int i = 0; i < n; ++i)
        base::require(counts[i] >= 0, base::ErrorKind::count, argument, argument, "[", i, "] = ", counts[i],
                      " is negative");
}

namespace {

/// The parts of one element of a datatype of a large reduction, and how they are reduced.
struct Elements {
    Elements(MPI_Count count_, MPI_Datatype type_, MPI_Op op_) : count(count_), type(type_), op(op_)
    {
        kept.keep_type(type);
    }

    MPI_Count count;
    MPI_Datatype type;
    MPI_Op op;
    mpi::ArgumentCopies kept;
};

extern "C" int ortho_delete_elements(MPI_Datatype, int, void* value, void*)
{
    delete static_cast<Elements*>(value);
    return MPI_SUCCESS;
}

int elements_key()
{
    static mpi::Key key;
    return key.get(
        [](int* made) {
            mpi::check(PMPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, ortho_delete_elements, made, nullptr));
        },
        [](int made) { PMPI_Type_free_keyval(&made); });
}

extern "C" void ortho_reduce_elements(void* in, void* inout, int* n, MPI_Datatype* type)
{
    void* value = nullptr;
    int found = 0;
    if (PMPI_Type_get_attr(*type, elements_key(), &value, &found) != MPI_SUCCESS || found == 0) return;
    const auto& elements = *static_cast<const Elements*>(value);
    static_cast<void>(mpi::reduce_local(in, inout, *n * elements.count, elements.type, elements.op));
}

/// The operator of such datatypes.
MPI_Op elements_op(bool commutes)
{
    static mpi::Key key; // whose number is of no account
    static MPI_Op ops[2];
    key.get(
        [](int* made) {
            for (const int flag : {0, 1}) mpi::check(PMPI_Op_create(ortho_reduce_elements, flag, &ops[flag]));
            *made = 0;
        },
        [](int) {
            for (MPI_Op& op : ops) PMPI_Op_free(&op);
        });
    return ops[commutes ? 1 : 0];
}

} // namespace

void Fitted::fit(MPI_Count& count, MPI_Datatype& type)
{
    if (mpi::fits(count)) return;
    type = own(mpi::Datatype::row(count, type));
    count = 1;
}

void Fitted::fit(MPI_Count& count, MPI_Datatype& type, MPI_Op& op)
{
    if (mpi::fits(count)) return;
    mpi::require_operator(op, type);
    auto elements = std::make_unique<Elements>(count, type, op);
    fit(count, type);
    mpi::check(PMPI_Type_set_attr(type, elements_key(), elements.get()));
    static_cast<void>(elements.release()); // the attribute's delete function has it now
    op = elements_op(mpi::commutes(op));
}

} // namespace ortho::collectives
