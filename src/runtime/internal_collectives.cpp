// SPDX-License-Identifier: BSD-3-Clause
// Collectives for the library itself: MPI's non-blocking ones, with our way to wait.

#include "runtime/internal_collectives.hpp"

#include <array>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/text.hpp"

namespace ortho::runtime {

namespace {

using Maximize = std::function<void(std::span<long long>)>;

constexpr long long nothing = std::numeric_limits<long long>::min(); // no number is smaller

/// Calls that differ in how they take their arguments have one hash.
long long hash_of_call(std::string_view function)
{
    if (function.ends_with("_c")) function.remove_suffix(2);
    const std::size_t fields = std::min(function.find("_fields"), function.size());
    const std::uint64_t begin = base::hash_of(function.substr(0, fields));
    function.remove_prefix(fields);
    if (!function.empty()) function.remove_prefix(std::strlen("_fields"));
    return static_cast<long long>(base::hash_of(function, begin) >> 1U); // its complement is no hash
}

[[noreturn]] void tell(int rank, long long mine, long long one, long long other, const Maximize& maximize)
{
    std::array<long long, 2> first{mine == one ? ~rank : nothing, mine == other ? ~rank : nothing};
    maximize(first);
    std::ranges::sort(first, std::ranges::greater());
    const mpi::PublicCall* const call = mpi::PublicCall::current();
    std::array<std::array<long long, 8>, 2> names{};
    for (std::size_t i = 0; i < names.size(); ++i)
        if (first[i] == ~rank)
            std::string_view(call->function())
                .copy(reinterpret_cast<char*>(names[i].data()), sizeof names[i] - 1);
    for (auto& name : names) maximize(name);
    const MPI_Comm comm = call != nullptr ? call->comm() : MPI_COMM_NULL;
    const std::string where = comm == MPI_COMM_NULL ? "" : base::text("on ", mpi::title_of(comm), ' ');
    base::fail(base::ErrorKind::mismatch, "call", where, "rank ", ~first[0], " is in ",
               reinterpret_cast<const char*>(names[0].data()), ", and rank ", ~first[1], " in ",
               reinterpret_cast<const char*>(names[1].data()),
               ": all processes make the same collective calls, in one order");
}

} // namespace

void maximize_in_one_call(std::span<long long> numbers, int rank, const Maximize& maximize)
{
    constexpr std::size_t least = 100; // other calls' numbers, most of which are fewer, must have this length
    const mpi::PublicCall* const call = mpi::PublicCall::current();
    std::vector<long long> row(std::max(least, numbers.size() + 2), nothing);
    const long long mine = call != nullptr ? hash_of_call(call->function()) : nothing;
    if (call != nullptr) row[0] = mine, row[1] = ~mine;
    std::ranges::copy(numbers, row.begin() + 2);
    maximize(row);
    if (row[0] != nothing && row[0] != ~row[1]) tell(rank, mine, row[0], ~row[1], maximize);
    std::copy_n(row.begin() + 2, numbers.size(), numbers.begin());
}

mpi::Comm bare_copy(MPI_Comm comm, HaveMet have_met)
{
    // A single process has nobody to wait for, and no operation of it may need the new communicator.
    if (have_met == HaveMet::no && mpi::size_of(comm) > 1) nonblocking_barrier(comm);
    return mpi::copy_of(comm);
}

} // namespace ortho::runtime
