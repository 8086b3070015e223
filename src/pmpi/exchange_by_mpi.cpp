// SPDX-License-Identifier: BSD-3-Clause
// A neighborhood exchange as one operation of MPI's, whose request MPI's own calls complete.

#include "pmpi/exchange_by_mpi.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "base/error.hpp"
#include "mpi/large_count_type.hpp"
#include "pmpi/init_finalize.hpp"
#include "pmpi/topology_attribute.hpp"

namespace ortho::pmpi {

namespace {

using base::ErrorKind;
using base::require;

MPI_Aint address_of(const void* buffer)
{
    MPI_Aint address = 0;
    if (buffer != MPI_BOTTOM) PMPI_Get_address(buffer, &address);
    return address;
}

MPI_Aint extent_of(MPI_Datatype type, const SideNames& names)
{
    require(type != MPI_DATATYPE_NULL, ErrorKind::type, names.type, names.type, " is MPI_DATATYPE_NULL");
    MPI_Aint lower = 0;
    MPI_Aint extent = 0;
    PMPI_Type_get_extent(type, &lower, &extent);
    return extent;
}

void check_count(MPI_Count count, const SideNames& names)
{
    require(count >= 0, ErrorKind::count, names.count, names.count, " = ", count, " is negative");
}

void require_array(const void* array, std::size_t n, const char* name)
{
    require(array != nullptr || n == 0, ErrorKind::arg, name, name, " is a null pointer");
}

/// Is it a datatype that nobody can free?
bool is_mpis(MPI_Datatype type)
{
    int integers = 0;
    int addresses = 0;
    int types = 0;
    int combiner = MPI_UNDEFINED;
    return PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner) == MPI_SUCCESS &&
           combiner == MPI_COMBINER_NAMED;
}

int size_of(MPI_Comm comm)
{
    int size = 0;
    PMPI_Comm_size(comm, &size);
    return size;
}

} // namespace

std::vector<Block> regular(const void* buffer, std::size_t n, MPI_Count count, MPI_Datatype type,
                           const SideNames& names)
{
    check_count(count, names);
    const MPI_Aint step = extent_of(type, names) * count;
    std::vector<Block> blocks;
    for (MPI_Aint address = address_of(buffer); blocks.size() < n; address += step)
        blocks.push_back({address, count, type});
    return blocks;
}

std::vector<Block> same(const void* buffer, std::size_t n, MPI_Count count, MPI_Datatype type,
                        const SideNames& names)
{
    check_count(count, names);
    extent_of(type, names);
    return std::vector<Block>(n, {address_of(buffer), count, type});
}

std::vector<Block> varying(const void* buffer, std::size_t n, const mpi::Numbers& counts,
                           const mpi::Numbers& displacements, MPI_Datatype type, const SideNames& names)
{
    require_array(counts.data(), n, names.count);
    require_array(displacements.data(), n, names.displacements);
    const MPI_Aint extent = extent_of(type, names);
    const MPI_Aint base = address_of(buffer);
    std::vector<Block> blocks;
    for (std::size_t i = 0; i < n; ++i) {
        check_count(counts[i], names);
        blocks.push_back({base + displacements[i] * extent, counts[i], type});
    }
    return blocks;
}

std::vector<Block> typed(const void* buffer, std::size_t n, const mpi::Numbers& counts,
                         const mpi::Numbers& displacements, const MPI_Datatype* types, const SideNames& names)
{
    require_array(counts.data(), n, names.count);
    require_array(displacements.data(), n, names.displacements);
    require_array(types, n, names.type);
    const MPI_Aint base = address_of(buffer);
    std::vector<Block> blocks;
    for (std::size_t i = 0; i < n; ++i) {
        check_count(counts[i], names);
        require(types[i] != MPI_DATATYPE_NULL, ErrorKind::type, names.type, names.type, "[", i,
                "] is MPI_DATATYPE_NULL");
        blocks.push_back({base + displacements[i], counts[i], types[i]});
    }
    return blocks;
}

Exchange::Exchange(MPI_Comm comm, const Neighbors& neighbors, std::span<const Block> sends,
                   std::span<const Block> receives)
    : exchange_(size_of(comm), neighbors.sources.size(), neighbors.targets.size())
{
    std::vector<Edge> out;
    std::vector<Edge> in;
    if (!sends.empty())
        for (const int block : neighbors.blocks)
            out.push_back({neighbors.targets[static_cast<std::size_t>(block)],
                           &sends[static_cast<std::size_t>(block)]});
    if (!receives.empty())
        for (std::size_t i = 0; i < neighbors.sources.size(); ++i)
            in.push_back({neighbors.sources[i], &receives[i]});
    try {
        fill(exchange_.send, out);
        fill(exchange_.receive, in);
        const std::lock_guard lock(living().mutex);
        living().exchanges.insert(this);
    } catch (...) {
        free_types();
        throw;
    }
}

Exchange::~Exchange()
{
    const std::lock_guard lock(living().mutex);
    living().exchanges.erase(this);
    free_types();
}

void Exchange::free_types()
{
    for (MPI_Datatype& type : made_) PMPI_Type_free(&type);
    made_.clear();
}

Exchange::Living& Exchange::living()
{
    static Living& instance = *[] {
        // Programs may leave communicators, and what is kept with them, to the end of MPI.
        at_end([] {
            const std::lock_guard lock(living().mutex);
            for (Exchange* const exchange : living().exchanges) exchange->free_types();
        });
        return new Living;
    }();
    return instance;
}

void Exchange::fill(mpi::Ialltoallw::Side& side, std::span<const Edge> edges)
{
    std::map<int, std::vector<const Block*>> messages;
    for (const Edge& edge : edges)
        if (edge.partner != MPI_PROC_NULL) messages[edge.partner].push_back(edge.block);
    for (const auto& [partner, blocks] : messages) {
        std::vector<int> counts;
        std::vector<MPI_Aint> addresses;
        std::vector<MPI_Datatype> types;
        for (const Block* const block : blocks) {
            MPI_Datatype row = MPI_DATATYPE_NULL; // of more elements than an int can count
            const bool fits = mpi::fits(block->count);
            if (!fits && mpi::make_row(block->count, block->type, &row) == MPI_SUCCESS) made_.push_back(row);
            counts.push_back(fits ? static_cast<int>(block->count) : 1);
            addresses.push_back(block->address);
            types.push_back(fits ? block->type : row);
        }
        MPI_Datatype type = MPI_DATATYPE_NULL;
        require(PMPI_Type_create_struct(static_cast<int>(blocks.size()), counts.data(), addresses.data(),
                                        types.data(), &type) == MPI_SUCCESS,
                ErrorKind::type, "datatype", "the blocks for process ", partner, " do not make a datatype");
        made_.push_back(type);
        PMPI_Type_commit(&type);
        side.set(partner, type);
    }
}

std::shared_ptr<const Exchange> Repeated::find_or_make(MPI_Comm comm, const Neighbors& neighbors,
                                                       Blocks blocks)
{
    const auto made = [&] {
        return std::make_shared<Exchange>(comm, neighbors, blocks.sends, blocks.receives);
    };
    if (!std::ranges::all_of(blocks.sends, is_mpis, &Block::type) ||
        !std::ranges::all_of(blocks.receives, is_mpis, &Block::type))
        return made();
    const auto entry = std::ranges::find(entries_, blocks, &Entry::blocks);
    if (entry != entries_.end()) return entry->exchange;
    auto exchange = made();
    if (entries_.size() < most) {
        entries_.push_back({std::move(blocks), exchange});
    } else {
        entries_[oldest_] = {std::move(blocks), exchange};
        oldest_ = (oldest_ + 1) % most;
    }
    return exchange;
}

} // namespace ortho::pmpi
