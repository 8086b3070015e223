// SPDX-License-Identifier: BSD-3-Clause
// Agreeing on what environment and info say.

#include "topology/settings.hpp"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <utility>

#include "base/environment.hpp"
#include "base/error.hpp"
#include "mpi/exchange.hpp"
#include "mpi/wait.hpp"
#include "planner/planner.hpp"
#include "planner/tune.hpp"
#include "topology/node_map.hpp"

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

/// What the environment of rank 0 says, everywhere.
struct Environment {
    std::string nodes;             ///< ORTHO_NODES
    std::string verify;            ///< ORTHO_VERIFY
    std::string stall;             ///< ORTHO_STALL_S
    std::string tune_file;         ///< ORTHO_TUNE
    std::string tune_text;         ///< what is in that file
    bool tune_is_readable = false; ///< if not, there is no text
};

Environment read_environment()
{
    Environment result;
    result.nodes = base::environment("ORTHO_NODES").value_or("");
    result.verify = base::environment("ORTHO_VERIFY").value_or("");
    result.stall = base::environment("ORTHO_STALL_S").value_or("");
    result.tune_file = base::environment("ORTHO_TUNE").value_or("");
    std::ifstream in(result.tune_file);
    std::ostringstream content;
    // An empty file leaves the stream without a character to write, which is no mistake.
    if (in.is_open()) content << in.rdbuf();
    result.tune_text = content.str();
    result.tune_is_readable = in.is_open() && !in.bad();
    return result;
}

/// Collective.
Environment environment_of_rank_0(MPI_Comm comm)
{
    Environment environment;
    if (mpi::rank_of(comm) == 0) environment = read_environment();
    std::string* const texts[] = {&environment.nodes, &environment.verify, &environment.stall, &environment.tune_file,
                                  &environment.tune_text};
    int numbers[] = {0, 0, 0, 0, 0, environment.tune_is_readable ? 1 : 0}; // the texts' lengths
    std::string all;
    for (std::size_t i = 0; i < std::size(texts); ++i) {
        numbers[i] = static_cast<int>(texts[i]->size());
        all += *texts[i];
    }
    mpi::broadcast(comm, numbers, sizeof numbers);
    environment.tune_is_readable = numbers[std::size(texts)] != 0;
    std::size_t length = 0;
    for (std::size_t i = 0; i < std::size(texts); ++i) length += static_cast<std::size_t>(numbers[i]);
    if (length == 0) return environment;
    all.resize(length);
    mpi::broadcast(comm, all.data(), static_cast<int>(length));
    std::size_t begin = 0;
    for (std::size_t i = 0; i < std::size(texts); ++i) {
        *texts[i] = all.substr(begin, static_cast<std::size_t>(numbers[i]));
        begin += texts[i]->size();
    }
    return environment;
}

/// Throws base::Error (info), on all processes alike, if the file is no good.
planner::Tune tune_of(const Environment& environment)
{
    constexpr const char* variable = "ORTHO_TUNE";
    const std::string& file = environment.tune_file;
    if (file.empty()) return {};
    base::require(environment.tune_is_readable, base::ErrorKind::info, variable, variable,
                  " names a file that cannot be read, ", file);
    return planner::parse_tune(environment.tune_text, file);
}

/// Throws base::Error (info), on all processes alike, for what is neither 0 nor 1.
bool verify_of(const Environment& environment)
{
    constexpr const char* variable = "ORTHO_VERIFY";
    const std::string& value = environment.verify;
    base::require(value.empty() || value == "0" || value == "1", base::ErrorKind::info, variable, variable, " = '", value,
                  "' is neither 0 nor 1");
    return value == "1";
}

/// Likewise for what is no number of seconds; 0 if there is none.
int stall_of(const Environment& environment)
{
    constexpr const char* variable = "ORTHO_STALL_S";
    const std::string& value = environment.stall;
    if (value.empty()) return 0;
    const auto seconds = base::positive_number(value);
    base::require(seconds.has_value(), base::ErrorKind::info, variable, variable, " = '", value,
                  "' is no number of seconds, 1 or more");
    return *seconds;
}

/// Where the processes are.  Collective.
planner::Layout layout_of(MPI_Comm comm, const Environment& environment)
{
    // The largest processor_number() and the smallest must meet.
    const int number = processor_number();
    int extremes[] = {number, -number, mpi::processes_a_core()};
    mpi::maximize(comm, extremes);
    auto nodes = find_nodes(comm, environment.nodes, extremes[0] == -extremes[1]);
    return {nodes == nullptr, extremes[2], std::move(nodes)};
}

} // namespace

Votes votes_of(MPI_Info info, int reorder)
{
    // Rank 0's list counts, but nobody may misspell.
    if (const auto list = info_value(info, "ortho_algorithm")) planner::parse_algorithms(*list, "ortho_algorithm");
    const std::optional<bool> forward = info_flag(info, "ortho_forward");
    return {info_flag(info, "ortho_assert_uniform").value_or(false), forward.value_or(false), forward.value_or(true),
            info == MPI_INFO_NULL, reorder != 0};
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
    mpi::check(mpi::test(&request_, &flag));
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

std::shared_ptr<const grid::Nodes> agree_on_nodes(MPI_Comm comm)
{
    return layout_of(comm, environment_of_rank_0(comm)).nodes;
}

Settings agree_on_settings(MPI_Comm comm, MPI_Info info, const Votes& agreed)
{
    Announcement announcement(comm, mpi::rank_of(comm) == 0 ? algorithms_of(info) : std::string());
    mpi::wait_until([&] { return announcement.advance(); });
    Settings settings = make_settings(announcement.list(), agreed);
    const Environment environment = environment_of_rank_0(comm);
    settings.tune = tune_of(environment);
    settings.verify = verify_of(environment);
    settings.stall_s = settings.verify ? stall_of(environment) : 0;
    settings.layout = layout_of(comm, environment);
    return settings;
}

} // namespace ortho::topology
