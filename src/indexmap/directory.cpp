// SPDX-License-Identifier: BSD-3-Clause
// A directory that is spread over all processes: who owns the element with an id.

#include "indexmap/directory.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <utility>

#include "base/error.hpp"
#include "base/index.hpp"
#include "mpi/comm.hpp"
#include "sparse/sparse_exchange.hpp"
#include "topology/agreement.hpp"

namespace ortho::indexmap {

namespace {

using base::ErrorKind;
using sparse::SparseMessage;
/// For each process: how many ids are owned, these, their indices, and the ids that are asked for.
using Rows = std::map<int, std::vector<std::int64_t>>;

/// Ids that follow each other, or are multiples of a number, are spread over all processes.
int keeper_of(MPI_Count id, int processes)
{
    std::uint64_t mixed = static_cast<std::uint64_t>(id) * 0x9e3779b97f4a7c15U;
    mixed = (mixed ^ mixed >> 32U) * 0xd6e8feb86659fd93U;
    return static_cast<int>((mixed >> 32U) % static_cast<unsigned>(processes));
}

std::vector<SparseMessage> messages_of(const Rows& rows)
{
    std::vector<SparseMessage> result;
    for (const auto& [rank, row] : rows) {
        const std::size_t length = row.size() * sizeof(std::int64_t);
        std::memcpy(result.emplace_back(rank, length).bytes.get(), row.data(), length);
    }
    return result;
}

std::vector<std::int64_t> row_of(const SparseMessage& message)
{
    std::vector<std::int64_t> row(message.length / sizeof(std::int64_t));
    std::memcpy(row.data(), message.bytes.get(), message.length);
    return row;
}

/// An element that a process owns.
struct Entry {
    std::int64_t id, index;
    int owner;
};

/// Sorts the entries.  Throws base::Error (arg) if there are two of one id.
void check_once(std::vector<Entry>& entries)
{
    std::ranges::stable_sort(entries, {}, &Entry::id);
    const auto twice = std::ranges::adjacent_find(entries, {}, &Entry::id);
    if (twice != entries.end())
        base::fail(ErrorKind::arg, "ids", "id ", twice->id, " is owned twice: ids[", twice->index,
                   "] on rank ", twice->owner, " and ids[", twice[1].index, "] on rank ", twice[1].owner);
}

} // namespace

Places find_owners(MPI_Comm comm, std::span<const MPI_Count> ids, std::span<const MPI_Count> wanted)
{
    const int processes = mpi::size_of(comm);
    std::map<int, std::vector<std::size_t>> asked; // of each keeper: which of `wanted`
    const auto told = sparse::run(comm, [&] {
        Rows rows;
        for (std::size_t i = 0; i < ids.size(); ++i) {
            std::vector<std::int64_t>& row = rows[keeper_of(ids[i], processes)];
            if (row.empty()) row.push_back(0);
            ++row[0];
            row.insert(row.end(), {ids[i], static_cast<std::int64_t>(i)});
        }
        for (std::size_t g = 0; g < wanted.size(); ++g) {
            const int keeper = keeper_of(wanted[g], processes);
            if (rows[keeper].empty()) rows[keeper].push_back(0);
            rows[keeper].push_back(wanted[g]);
            asked[keeper].push_back(g);
        }
        return messages_of(rows);
    });

    std::vector<Entry> entries;
    std::vector<std::pair<int, std::vector<std::int64_t>>> questions;
    for (const SparseMessage& message : told->received()) {
        const std::vector<std::int64_t> row = row_of(message);
        const auto end = row.begin() + 1 + 2 * row[0];
        for (auto owned = row.begin() + 1; owned != end; owned += 2)
            entries.push_back({owned[0], owned[1], message.partner});
        if (end != row.end()) questions.emplace_back(message.partner, std::vector(end, row.end()));
    }
    topology::check_together(comm, [&] { check_once(entries); });

    const auto answers = sparse::run(comm, [&] {
        Rows rows;
        for (const auto& [rank, list] : questions)
            for (const std::int64_t id : list) {
                const auto found = std::ranges::lower_bound(entries, id, {}, &Entry::id);
                const bool is_there = found != entries.end() && found->id == id;
                const std::int64_t index = is_there ? found->index : 0;
                rows[rank].insert(rows[rank].end(), {is_there ? found->owner : -1, index});
            }
        return messages_of(rows);
    });
    Places places{std::vector<int>(wanted.size()), std::vector<MPI_Count>(wanted.size())};
    for (const SparseMessage& message : answers->received()) {
        const std::vector<std::int64_t> row = row_of(message);
        const std::vector<std::size_t>& of = asked.at(message.partner);
        for (std::size_t i = 0; i < of.size(); ++i) {
            places.owners[of[i]] = static_cast<int>(row[2 * i]);
            places.indices[of[i]] = row[2 * i + 1];
        }
    }
    topology::check_together(comm, [&] {
        for (std::size_t g = 0; g < wanted.size(); ++g)
            base::require(places.owners[g] >= 0, ErrorKind::arg, "ghost_ids", "ghost_ids[", g, "]: id ",
                          wanted[g], " is owned by no process");
    });
    return places;
}

} // namespace ortho::indexmap
