// SPDX-License-Identifier: BSD-3-Clause
// Agreeing on what environment and info say.

#include "topology/settings.hpp"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <fstream>
#include <optional>
#include <sstream>
#include <utility>

#include "base/environment.hpp"
#include "base/error.hpp"
#include "mpi/exchange.hpp"
#include "planner/planner.hpp"
#include "planner/tune.hpp"

namespace ortho::topology {

namespace {

std::optional<std::string> info_value(MPI_Info info, const char* key)
{
    if (info == MPI_INFO_NULL) return std::nullopt;
    int length = 0;
    int found = 0;
    mpi::check_users(PMPI_Info_get_valuelen(info, key, &length, &found));
    if (found == 0) return std::nullopt;
    std::string value(static_cast<std::size_t>(length) + 1, '\0');
    mpi::check_users(PMPI_Info_get(info, key, length, value.data(), &found));
    value.resize(static_cast<std::size_t>(length));
    return value;
}

/// "true" or "false", in any case; nothing if it is not there.
std::optional<bool> info_flag(MPI_Info info, const char* key)
{
    std::optional<std::string> value = info_value(info, key);
    if (!value) return std::nullopt;
    std::ranges::transform(*value, value->begin(), [](unsigned char c) { return std::tolower(c); });
    base::require(value == "true" || value == "false", base::ErrorKind::info, "info", key, " = '",
                  *value, "' is neither true nor false");
    return value == "true";
}

/// The tune file that ORTHO_TUNE names on rank 0, everywhere.  Throws base::Error (info), on all processes alike,
/// if it is no good.  Collective.
planner::Tune agree_on_tune(MPI_Comm comm)
{
    constexpr const char* variable = "ORTHO_TUNE";
    std::string file;
    std::string text;
    int lengths[] = {0, -1}; // of the file's name and text; -1: it cannot be read
    if (mpi::rank_of(comm) == 0) {
        file = base::environment(variable).value_or("");
        std::ifstream in(file);
        std::ostringstream content;
        if (in.is_open()) content << in.rdbuf();
        text = content.str();
        lengths[0] = static_cast<int>(file.size());
        // An empty file leaves the stream without a character to write, which is no mistake.
        lengths[1] = in.is_open() && !in.bad() ? static_cast<int>(text.size()) : -1;
    }
    mpi::broadcast(comm, lengths, sizeof lengths);
    if (lengths[0] == 0) return {};
    file.resize(static_cast<std::size_t>(lengths[0]));
    mpi::broadcast(comm, file.data(), lengths[0]);
    base::require(lengths[1] >= 0, base::ErrorKind::info, variable, variable, " names a file that cannot be read, ", file);
    text.resize(static_cast<std::size_t>(lengths[1]));
    if (lengths[1] > 0) mpi::broadcast(comm, text.data(), lengths[1]);
    return planner::parse_tune(text, file);
}

/// Where the processes are.  Collective.
planner::Layout layout_of(MPI_Comm comm)
{
    // FNV-1a of the node's name; the largest and the smallest must meet.
    char name[MPI_MAX_PROCESSOR_NAME];
    int length = 0;
    mpi::check(PMPI_Get_processor_name(name, &length));
    std::uint32_t hash = 2166136261U;
    for (int i = 0; i < length; ++i) hash = (hash ^ static_cast<unsigned char>(name[i])) * 16777619U;
    const int number = static_cast<int>(hash >> 1U);
    int extremes[] = {number, -number, mpi::processes_a_core()};
    mpi::maximize(comm, extremes);
    return {extremes[0] == -extremes[1], extremes[2]};
}

} // namespace

Votes votes_of(MPI_Info info)
{
    // Rank 0's list counts, but nobody may misspell.
    if (const auto list = info_value(info, "ortho_algorithm")) planner::parse_algorithms(*list, "ortho_algorithm");
    const std::optional<bool> forward = info_flag(info, "ortho_forward");
    return {info_flag(info, "ortho_assert_uniform").value_or(false), forward.value_or(false), forward.value_or(true),
            info == MPI_INFO_NULL};
}

std::string algorithms_in(MPI_Info info)
{
    const auto value = info_value(info, "ortho_algorithm");
    return value ? "i" + *value : std::string();
}

std::string algorithms_of(MPI_Info info)
{
    if (std::string list = algorithms_in(info); !list.empty()) return list;
    if (const auto variable = base::environment("ORTHO_ALGORITHM")) return "e" + *variable;
    return {};
}

Announcement::Announcement(MPI_Comm comm, const std::string& list)
{
    message_.length = static_cast<int>(list.size());
    list.copy(message_.text, sizeof message_.text);
    mpi::check_users(PMPI_Ibcast(&message_, sizeof message_, MPI_BYTE, 0, comm, &request_));
}

bool Announcement::advance()
{
    int flag = 0;
    mpi::check(PMPI_Test(&request_, &flag, MPI_STATUS_IGNORE));
    return flag != 0;
}

std::string Announcement::list() const
{
    const auto length = static_cast<std::size_t>(message_.length);
    base::require(length <= sizeof message_.text, base::ErrorKind::algorithm, "ortho_algorithm",
                  "the list of algorithms has ", length, " characters");
    return {message_.text, length};
}

Settings make_settings(const std::string& list, const Votes& agreed)
{
    Settings settings;
    settings.assert_uniform = agreed.assert_uniform;
    settings.forward = agreed.forward;
    if (!list.empty())
        settings.algorithms = planner::parse_algorithms(
            list.substr(1), list[0] == 'i' ? "ortho_algorithm" : "ORTHO_ALGORITHM");
    return settings;
}

Settings agree_on_settings(MPI_Comm comm, MPI_Info info, const Votes& agreed)
{
    Announcement announcement(comm, mpi::rank_of(comm) == 0 ? algorithms_of(info) : std::string());
    mpi::wait_until([&] { return announcement.advance(); });
    Settings settings = make_settings(announcement.list(), agreed);
    settings.tune = agree_on_tune(comm);
    settings.layout = layout_of(comm);
    return settings;
}

Settings inherit_settings(MPI_Comm comm, Settings of_all)
{
    of_all.assert_uniform = false;
    of_all.forward = false;
    of_all.layout = layout_of(comm);
    return of_all;
}

} // namespace ortho::topology
