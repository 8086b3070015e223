// SPDX-License-Identifier: BSD-3-Clause
// The table of kinds of memory.  No MPI in this file.

#include "memory/kind.hpp"

#include <link.h>

#include <atomic>
#include <map>
#include <mutex>

#include "base/environment.hpp"
#include "base/error.hpp"

namespace ortho::memory {

namespace {

constexpr std::array finders = {find_cuda};

/// By row; null where the driver is not in the process.
constinit std::array<std::atomic<Kind*>, finders.size()> found{};

/// How many libraries the process has loaded so far.
unsigned long long libraries_loaded() noexcept
{
    unsigned long long result = 0;
    dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* to) {
            *static_cast<unsigned long long*>(to) = info->dlpi_adds;
            return 1;
        },
        &result);
    return result;
}

/// Looks for drivers again once another library has been loaded: a program may load one at any time.
void look()
{
    static const bool is_wanted = base::environment_flag("ORTHO_DEVICE").value_or(true);
    if (!is_wanted) return;
    static constinit std::atomic<unsigned long long> last{0};
    const unsigned long long now = libraries_loaded();
    if (now == last.load(std::memory_order_acquire)) return;
    for (std::size_t i = 0; i < finders.size(); ++i)
        if (found[i].load() == nullptr) found[i].store(finders[i]());
    last.store(now, std::memory_order_release);
}

struct KnownRows {
    struct Row {
        std::size_t bytes;
        RowPart part;
    };
    std::mutex mutex;
    std::map<const std::byte*, Row, std::less<>> by_begin;
};
KnownRows& rows()
{
    static auto* const all = new KnownRows; // calls may end while the program does
    return *all;
}

} // namespace

FoundRows::FoundRows(Transfer& transfer, std::size_t fetched_bytes, std::size_t stored_bytes)
    : transfer_(&transfer)
{
    const std::lock_guard lock(rows().mutex);
    if (fetched_bytes > 0) rows().by_begin[transfer.fetched()] = {fetched_bytes, {&transfer, false}};
    if (stored_bytes > 0) rows().by_begin[transfer.stored()] = {stored_bytes, {&transfer, true}};
}

FoundRows::~FoundRows()
{
    const std::lock_guard lock(rows().mutex);
    std::erase_if(rows().by_begin, [&](const auto& row) { return row.second.part.transfer == transfer_; });
}

bool any_row()
{
    const std::lock_guard lock(rows().mutex);
    return !rows().by_begin.empty();
}

RowPart find_row(const std::byte* begin, std::size_t bytes)
{
    const std::lock_guard lock(rows().mutex);
    const auto after = rows().by_begin.upper_bound(begin);
    if (after == rows().by_begin.begin()) return {};
    const auto& [first, row] = *std::prev(after);
    const auto offset = static_cast<std::size_t>(begin - first);
    if (offset + bytes > row.bytes) return {};
    return {row.part.transfer, row.part.is_stored, offset};
}

bool any_driver()
{
    for (const bool looks : {false, true}) {
        if (looks) look();
        for (const auto& kind : found)
            if (kind.load(std::memory_order_acquire) != nullptr) return true;
    }
    return false;
}

Home home_of(const void* address)
{
    if (address == nullptr || !any_driver()) return {};
    for (const auto& entry : found)
        if (Kind* const kind = entry.load())
            if (const auto device = kind->device_of(address)) return {kind, *device};
    return {};
}

void wait_for(void* stream)
{
    base::require(any_driver(), base::ErrorKind::arg, "stream", no_driver);
    for (const auto& entry : found)
        if (Kind* const kind = entry.load()) return kind->wait_for(stream);
}

} // namespace ortho::memory
