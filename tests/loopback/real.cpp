// SPDX-License-Identifier: BSD-3-Clause
#include "real.hpp"

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
    int integers = 0;
    int addresses = 0;
    int types = 0;
    int combiner = 0;
    PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
    return combiner == MPI_COMBINER_NAMED;
}

/// Bytes of an element of a datatype of MPI's own without gaps, else 0.
std::size_t plain_size(MPI_Datatype type)
{
    static std::unordered_map<std::uintptr_t, std::size_t> known;
    if (const auto found = known.find(number_of(type)); found != known.end()) return found->second;
    if (!is_named(type)) return 0;
    MPI_Aint lower = 0;
    MPI_Aint extent = 0;
    int size = 0;
    PMPI_Type_get_extent(type, &lower, &extent);
    PMPI_Type_size(type, &size);
    const bool is_plain = size > 0 && lower == 0 && extent == size;
    return known[number_of(type)] = is_plain ? static_cast<std::size_t>(size) : 0;
}

void check_real(int code, const char* what)
{
    if (code != MPI_SUCCESS) fail(std::string("the real MPI's ") + what + " fails");
}

} // namespace

KeptType::KeptType(MPI_Datatype type) : type_(type)
{
    if (plain_size(type) > 0 || is_named(type)) return;
    check_real(PMPI_Type_contiguous(1, type, &type_), "MPI_Type_contiguous"); // no copies of attributes
    check_real(PMPI_Type_commit(&type_), "MPI_Type_commit");
    is_ours_ = true;
}

KeptType::KeptType(KeptType&& other) noexcept
    : type_(other.type_),
      is_ours_(std::exchange(other.is_ours_, false))
{}

KeptType& KeptType::operator=(KeptType&& other) noexcept
{
    std::swap(type_, other.type_);
    std::swap(is_ours_, other.is_ours_);
    return *this;
}

KeptType::~KeptType()
{
    if (is_ours_) PMPI_Type_free(&type_);
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
    if (result.empty()) return result;
    if (plain_size(type) > 0) {
        std::memcpy(result.data(), address, result.size());
        return result;
    }
    const std::size_t size = result.size();
    int room = 0;
    check_real(REAL(PMPI_Pack_size)(count, type, MPI_COMM_SELF, &room), "MPI_Pack_size");
    result.resize(static_cast<std::size_t>(room));
    int position = 0;
    check_real(REAL(PMPI_Pack)(address, count, type, result.data(), room, &position, MPI_COMM_SELF),
               "MPI_Pack");
    if (static_cast<std::size_t>(position) != size) fail("the real MPI packs more than the data");
    result.resize(size);
    return result;
}

bool Elements::unpack(const Bytes& bytes_) const
{
    const std::size_t room = bytes();
    if (bytes_.size() > room) return false;
    if (bytes_.empty()) return true;
    if (plain_size(type) > 0) {
        std::memcpy(const_cast<void*>(address), bytes_.data(), bytes_.size());
        return true;
    }
    const Bytes* from = &bytes_;
    Bytes whole;
    if (bytes_.size() < room) { // what lies behind stays as it is
        whole = pack();
        std::memcpy(whole.data(), bytes_.data(), bytes_.size());
        from = &whole;
    }
    int position = 0;
    check_real(REAL(PMPI_Unpack)(from->data(), static_cast<int>(from->size()), &position,
                                 const_cast<void*>(address), count, type, MPI_COMM_SELF),
               "MPI_Unpack");
    return true;
}

} // namespace loopback
