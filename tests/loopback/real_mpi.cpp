// SPDX-License-Identifier: BSD-3-Clause
#include "real_mpi.hpp"

#include <algorithm>
#include <cstring>
#include <unordered_map>
#include <utility>

#include "handles.hpp"
#include "process.hpp"

namespace loopback {

namespace {

/// Is it one of MPI's own datatypes?
bool is_named(MPI_Datatype type)
{
    int integers = 0, addresses = 0, types = 0, combiner = 0;
    PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
    return combiner == MPI_COMBINER_NAMED;
}

/// Bytes of an element of a datatype of MPI's own without gaps, else 0.
std::size_t plain_size(MPI_Datatype type)
{
    static std::unordered_map<std::uintptr_t, std::size_t> known;
    if (const auto found = known.find(number_of(type)); found != known.end()) return found->second;
    if (!is_named(type)) return 0;
    MPI_Aint lower = 0, extent = 0;
    int size = 0;
    PMPI_Type_get_extent(type, &lower, &extent);
    PMPI_Type_size(type, &size);
    const bool is_plain = size > 0 && lower == 0 && extent == size;
    return known[number_of(type)] = is_plain ? static_cast<std::size_t>(size) : 0;
}

int end_type(MPI_Datatype* type)
{
    forget_layout(*type);
    return REAL(PMPI_Type_free)(type);
}

/// A datatype that is kept.
struct Use {
    explicit Use(MPI_Datatype type_) : type(type_) {}
    ~Use();
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

    MPI_Datatype type;
    bool is_freed = false; ///< by its user
};
std::unordered_map<std::uintptr_t, std::weak_ptr<Use>> uses;

Use::~Use()
{
    uses.erase(number_of(type));
    if (is_freed) end_type(&type);
}

} // namespace

std::shared_ptr<const void> keep_type(MPI_Datatype type)
{
    if (plain_size(type) > 0 || is_named(type)) return nullptr;
    std::weak_ptr<Use>& use = uses[number_of(type)];
    auto result = use.lock();
    if (!result) use = result = std::make_shared<Use>(type);
    return result;
}

int free_type(MPI_Datatype* type)
{
    const auto use = uses.find(number_of(*type));
    if (use == uses.end()) return end_type(type);
    use->second.lock()->is_freed = true;
    *type = MPI_DATATYPE_NULL;
    return MPI_SUCCESS;
}

bool is_usable(MPI_Datatype type)
{
    if (plain_size(type) > 0) return true;
    char nothing[16] = "";
    int position = 0;
    const int code = REAL(PMPI_Pack)(nothing, 0, type, nothing, sizeof nothing, &position, MPI_COMM_SELF);
    return code == MPI_SUCCESS;
}

std::size_t Elements::bytes() const
{
    if (const std::size_t size = plain_size(type)) return size * static_cast<std::size_t>(count);
    int size = 0;
    PMPI_Type_size(type, &size);
    return static_cast<std::size_t>(size) * static_cast<std::size_t>(count);
}

Bytes Elements::pack() const
{
    Bytes result(bytes());
    std::byte* to = result.data();
    visit([&](std::byte* from, std::size_t n) {
        std::memcpy(to, from, n);
        to += n;
        return true;
    });
    return result;
}

bool Elements::unpack(const Bytes& packed) const
{
    if (packed.size() > bytes()) return false;
    const std::byte* from = packed.data();
    std::size_t left = packed.size();
    visit([&](std::byte* to, std::size_t n) {
        n = std::min(n, left);
        std::memcpy(to, from, n);
        from += n;
        left -= n;
        return left > 0;
    });
    return true;
}

/// Calls visitor(address, bytes) for each run, until it returns false.
template <class Visitor>
void Elements::visit(Visitor visitor) const
{
    auto* const begin = static_cast<std::byte*>(const_cast<void*>(address));
    const std::size_t all = bytes();
    if (all == 0) return;
    if (plain_size(type) > 0) {
        visitor(begin, all);
        return;
    }
    const auto layout = layout_of(type);
    for (int i = 0; i < count; ++i)
        for (const Run& run : layout->runs) {
            std::byte* const first = begin + i * layout->extent + run.offset;
            for (MPI_Aint k = 0; k < run.times; ++k)
                if (!visitor(first + k * run.distance, static_cast<std::size_t>(run.bytes))) return;
        }
}

} // namespace loopback
