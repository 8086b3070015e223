// SPDX-License-Identifier: BSD-3-Clause
// A directory that is spread over all processes: who owns the element with an id.

#include "indexmap/directory.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/error.hpp"
#include "mpi/comm.hpp"
#include "sparse/sparse_exchange.hpp"
#include "topology/agreement.hpp"

namespace ortho::indexmap {

namespace {

/// Ids that follow each other, or are multiples of a number, are spread over all processes.
int keeper_of(MPI_Count id, int processes)
{
    std::uint64_t mixed = static_cast<std::uint64_t>(id) * 0x9e3779b97f4a7c15U;
    mixed = (mixed ^ mixed >> 32U) * 0xd6e8feb86659fd93U;
    return static_cast<int>((mixed >> 32U) % static_cast<unsigned>(processes));
}

/// An element's id, its owner, and its place there.
using Entry = std::array<std::int64_t, 3>;

} // namespace

Rows exchange_rows(MPI_Comm comm, const std::function<Rows()>& prepare)
{
    const auto exchange = sparse::run(comm, [&] {
        std::vector<sparse::SparseMessage> messages;
        for (const auto& [rank, row] : prepare()) {
            const auto bytes = std::as_bytes(std::span(row));
            std::ranges::copy(bytes, messages.emplace_back(rank, bytes.size()).bytes.get());
        }
        return messages;
    });
    Rows result;
    topology::check_together(comm, [&] { // for want of memory
        for (const sparse::SparseMessage& message : exchange->received()) {
            std::vector<std::int64_t>& row = result[message.partner];
            row.resize(message.length / sizeof row[0]);
            std::memcpy(row.data(), message.bytes.get(), message.length);
        }
    });
    return result;
}

Places find_owners(MPI_Comm comm, std::span<const MPI_Count> ids, std::span<const MPI_Count> wanted)
{
    const int processes = mpi::size_of(comm);
    std::vector<Entry> entries; // that this process keeps
    const Rows told = exchange_rows(comm, [&] {
        Rows rows;
        for (std::size_t i = 0; i < ids.size(); ++i) {
            std::vector<std::int64_t>& row = rows[keeper_of(ids[i], processes)];
            row.insert(row.end(), {ids[i], static_cast<std::int64_t>(i)});
        }
        return rows;
    });
    topology::check_together(comm, [&] {
        for (const auto& [owner, row] : told)
            for (std::size_t i = 0; i < row.size(); i += 2) entries.push_back({row[i], owner, row[i + 1]});
        std::ranges::sort(entries);
        const auto twice = std::ranges::adjacent_find(entries, {},
                                                      [](const Entry& entry) { return entry[0]; });
        if (twice == entries.end()) return;
        const auto& [id, owner, index] = *twice;
        base::fail(base::ErrorKind::arg, "ids", "id ", id, " is owned twice: ids[", index, "] on rank ",
                   owner, " and ids[", twice[1][2], "] on rank ", twice[1][1]);
    });
    std::map<int, std::vector<std::size_t>> asked; // of each keeper: which of `wanted`
    const Rows questions = exchange_rows(comm, [&] {
        Rows rows;
        for (std::size_t g = 0; g < wanted.size(); ++g) {
            const int keeper = keeper_of(wanted[g], processes);
            rows[keeper].push_back(wanted[g]);
            asked[keeper].push_back(g);
        }
        return rows;
    });
    const Rows answers = exchange_rows(comm, [&] {
        Rows rows;
        for (const auto& [rank, row] : questions)
            for (const std::int64_t id : row) {
                const auto found = std::ranges::lower_bound(entries, Entry{id, 0, 0});
                const bool is_there = found != entries.end() && (*found)[0] == id;
                rows[rank].insert(rows[rank].end(),
                                  {is_there ? (*found)[1] : -1, is_there ? (*found)[2] : 0});
            }
        return rows;
    });
    Places places;
    topology::check_together(comm, [&] {
        places.owners.resize(wanted.size());
        places.indices.resize(wanted.size());
        for (const auto& [keeper, row] : answers)
            for (std::size_t i = 0; i < row.size(); i += 2) {
                const std::size_t g = asked.at(keeper)[i / 2];
                places.owners[g] = static_cast<int>(row[i]);
                places.indices[g] = row[i + 1];
            }
        for (std::size_t g = 0; g < wanted.size(); ++g)
            base::require(places.owners[g] >= 0, base::ErrorKind::arg, "ghost_ids", "ghost_ids[", g, "]: id ",
                          wanted[g], " is owned by no process");
    });
    return places;
}

} // namespace ortho::indexmap
