// SPDX-License-Identifier: BSD-3-Clause
// Datatypes: their measures, their identity, and our own ones.

#include "mpi/datatype.hpp"

#include <algorithm>
#include <atomic>
#include <climits>
#include <cstdlib>
#include <string>

#include "base/error.hpp"
#include "mpi/comm.hpp"
#include "mpi/keyval.hpp"
#include "mpi/large_count_type.hpp"
#include "mpi/object_info.hpp"
#include "mpi/type_contents.hpp"

namespace ortho::mpi {

namespace {

/// The attribute that holds a type's number.  It ends with the type, and is not copied to duplicates.
int identity_key()
{
    static Key key;
    return key.get(
        [](int* made) {
            check(PMPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, made, nullptr));
        },
        [](int made) { PMPI_Type_free_keyval(&made); });
}

} // namespace

Measures measure(MPI_Datatype type)
{
    Measures result{};
    check(PMPI_Type_size_x(type, &result.size));
    check(PMPI_Type_get_extent(type, &result.lb, &result.extent));
    check(PMPI_Type_get_true_extent(type, &result.true_lb, &result.true_extent));
    return result;
}

Span span_of(const Measures& measures, MPI_Count count)
{
    if (count <= 0) return {0, 0};
    // Extents may be negative: the last element may come first in memory.
    const MPI_Aint last = static_cast<MPI_Aint>(count - 1) * measures.extent;
    return {measures.true_lb + std::min<MPI_Aint>(0, last),
            measures.true_lb + measures.true_extent + std::max<MPI_Aint>(0, last)};
}

Span operands_span(const Measures& measures, MPI_Count count)
{
    const auto [first, last] = std::minmax({measures.lb, measures.lb + measures.extent, measures.true_lb,
                                            measures.true_lb + measures.true_extent});
    return span_of({0, 0, measures.extent, first, last - first}, count);
}

bool is_named(MPI_Datatype type) { return !is_derived(combiner_of(type)); }

namespace {

bool is_committed([[maybe_unused]] MPI_Datatype type)
{
#ifdef ORTHO_SIMULATED
    return true; // SMPI (SimGrid 3.32) would lose the type
#else
    // Send a message of the type to nobody; nothing is read.
    MPI_Request request = MPI_REQUEST_NULL;
    const int code = PMPI_Isend(&request, 1, type, MPI_PROC_NULL, 0, self_channel(), &request);
    int error_class = MPI_SUCCESS;
    check(PMPI_Error_class(code, &error_class));
    if (error_class == MPI_ERR_TYPE) return false;
    check(code);
    check(PMPI_Wait(&request, MPI_STATUS_IGNORE));
    return true;
#endif
}

} // namespace

void require_committed(MPI_Datatype type, std::string_view what)
{
    base::require(is_committed(type), base::ErrorKind::type, "datatype", what,
                  " has not been committed by MPI_Type_commit, or was freed");
}

std::uint64_t identity(MPI_Datatype type)
{
    static std::atomic<std::uintptr_t> last_number{0};

    const int key = identity_key();
    void* value = nullptr;
    int found = 0;
    check(PMPI_Type_get_attr(type, key, &value, &found));
    // Odd numbers are ours; even ones are handles of predefined types, which are never freed.
    if (found != 0) return std::uint64_t{reinterpret_cast<std::uintptr_t>(value)} << 1 | 1;
    if (is_named(type)) return handle_number(type) << 1;
    const std::uintptr_t number = ++last_number;
    check(PMPI_Type_set_attr(type, key, reinterpret_cast<void*>(number)));
    return std::uint64_t{number} << 1 | 1;
}

namespace {

/// Two elements, the second one `stride` bytes behind the first.
Datatype pair(MPI_Aint stride, MPI_Datatype type)
{
    const MPI_Aint places[] = {0, stride};
    MPI_Datatype made = MPI_DATATYPE_NULL;
    check(PMPI_Type_create_hindexed_block(2, 1, places, type, &made));
    return Datatype(made);
}

} // namespace

void require_room(MPI_Count count, MPI_Datatype type, const char* argument, int index)
{
    if (count <= INT_MAX) return;
    constexpr MPI_Count reach = MPI_Count{1} << 57;
    const Measures element = measure(type);
    base::require(count <=
                      reach / std::max({element.size, MPI_Count{std::abs(element.extent)}, MPI_Count{1}}),
                  base::ErrorKind::count, argument, argument, index < 0 ? "" : base::text("[", index, "]"),
                  " = ", count, " are more elements of ", element.size, " bytes than memory has");
}

Datatype Datatype::duplicate(MPI_Datatype type)
{
    // Not MPI_Type_dup, which runs the program's functions that copy attributes.
    MPI_Datatype copy = MPI_DATATYPE_NULL;
    check(PMPI_Type_contiguous(1, type, &copy));
    Datatype result(copy);
    if (is_committed(type)) check(PMPI_Type_commit(&copy));
    // Reports call it by its name.
    if (const std::string name = type_name(type); !name.empty())
        check(PMPI_Type_set_name(copy, name.c_str()));
    return result;
}

Datatype Datatype::row(MPI_Count count, MPI_Datatype type)
{
    MPI_Datatype made = MPI_DATATYPE_NULL;
    check_users(make_row(count, type, &made));
    Datatype result(made);
    check(PMPI_Type_commit(&made));
    return result;
}

Datatype Datatype::strided(MPI_Count count, MPI_Aint stride, MPI_Datatype type)
{
    // Open MPI confuses a stride of -1 with no stride (doc/mpi-bugs.md).
    const bool goes_by_pairs = stride == -1;
    MPI_Datatype made = MPI_DATATYPE_NULL;
    if (fits(count) && !goes_by_pairs) {
        const int n = static_cast<int>(count);
        check(measure(type).extent == stride ? PMPI_Type_contiguous(n, type, &made)
                                             : PMPI_Type_create_hvector(n, 1, stride, type, &made));
        return Datatype(made);
    }
    // Pieces that fit, and the rest.  Extents cannot help: with a negative stride they are not the distance.
    const MPI_Count piece = goes_by_pairs ? 2 : std::min<MPI_Count>(most_elements, 1 << 30);
    const MPI_Count pieces = count / piece;
    const Datatype one = goes_by_pairs ? pair(stride, type) : strided(piece, stride, type);
    const Datatype all = strided(pieces, static_cast<MPI_Aint>(piece) * stride, one.get());
    const MPI_Count left = count % piece;
    const MPI_Aint places[] = {0, static_cast<MPI_Aint>(pieces * piece) * stride};
    const Datatype rest = left > 1 ? strided(left, stride, type) : Datatype();
    const MPI_Datatype types[] = {all.get(), left == 1 ? type : rest.get()};
    const int ones[] = {1, 1};
    check(PMPI_Type_create_struct(left > 0 ? 2 : 1, ones, places, types, &made));
    return Datatype(made);
}

} // namespace ortho::mpi
