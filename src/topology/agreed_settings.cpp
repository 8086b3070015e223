// SPDX-License-Identifier: BSD-3-Clause
// Agreeing on what environment and info say.

#include "topology/agreed_settings.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <fstream>
#include <iterator>
#include <numeric>
#include <optional>
#include <sstream>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/cores.hpp"
#include "base/did_you_mean.hpp"
#include "base/environment.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "mpi/internal_collectives.hpp"
#include "mpi/library_lifetime.hpp"
#include "mpi/progress_thread.hpp"
#include "mpi/stall_report.hpp"
#include "mpi/wait.hpp"
#include "mpi/warning.hpp"
#include "planner/planner.hpp"
#include "planner/tune_file.hpp"
#include "topology/network_trial.hpp"
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

/// Nothing if it is not there.
std::optional<bool> info_flag(MPI_Info info, const char* key)
{
    const std::optional<std::string> value = info_value(info, key);
    if (!value) return std::nullopt;
    const std::optional<bool> truth = base::truth_of(*value);
    base::require(truth.has_value(), base::ErrorKind::info, "info", key, " = '", *value,
                  "' is neither true nor false");
    return truth;
}

/// Keys that begin as ours do, but mean nothing, are told of.
void look_at_keys(MPI_Info info)
{
    if (info == MPI_INFO_NULL) return;
    constexpr std::string_view known[] = {"ortho_algorithm", "ortho_assert_uniform", "ortho_forward",
                                          "ortho_rebind", "ortho_regions"};
    int keys = 0;
    mpi::check_users(PMPI_Info_get_nkeys(info, &keys));
    for (int i = 0; i < keys; ++i) {
        char buffer[MPI_MAX_INFO_KEY + 1];
        mpi::check_users(PMPI_Info_get_nthkey(info, i, buffer));
        const std::string_view key = buffer;
        if (!key.starts_with("ortho_") || std::ranges::find(known, key) != std::end(known)) continue;
        mpi::warn(base::text("info key ", key, " means nothing to mpiortho", base::did_you_mean(key, known)));
    }
}

/// What the environment of rank 0 says, everywhere.
struct Environment {
    std::string nodes;             ///< ORTHO_NODES
    std::string verify;            ///< ORTHO_VERIFY
    std::string stall;             ///< ORTHO_STALL_S
    std::string stall_abort;       ///< ORTHO_STALL_ABORT
    std::string progress;          ///< ORTHO_PROGRESS
    std::string tune_file;         ///< ORTHO_TUNE
    std::string tune_text;         ///< what is in that file
    bool tune_is_readable = false; ///< if not, there is no text

    std::array<std::string*, 7> texts()
    {
        return {&nodes, &verify, &stall, &stall_abort, &progress, &tune_file, &tune_text};
    }
};

Environment read_environment()
{
    Environment result;
    result.nodes = base::environment("ORTHO_NODES").value_or("");
    result.verify = base::environment("ORTHO_VERIFY").value_or("");
    result.stall = base::environment("ORTHO_STALL_S").value_or("");
    result.stall_abort = base::environment("ORTHO_STALL_ABORT").value_or("");
    result.progress = base::environment("ORTHO_PROGRESS").value_or("");
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
    const auto texts = environment.texts();
    std::array<int, std::tuple_size_v<decltype(texts)> + 1> numbers{}; // the texts' lengths
    std::string all;
    for (std::size_t i = 0; i < texts.size(); ++i) {
        numbers[i] = static_cast<int>(texts[i]->size());
        all += *texts[i];
    }
    numbers.back() = environment.tune_is_readable ? 1 : 0;
    mpi::broadcast(comm, numbers.data(), sizeof numbers);
    environment.tune_is_readable = numbers.back() != 0;
    const auto length = static_cast<std::size_t>(
        std::accumulate(numbers.begin(), std::prev(numbers.end()), 0));
    if (length == 0) return environment;
    all.resize(length);
    mpi::broadcast(comm, all.data(), static_cast<int>(length));
    std::size_t begin = 0;
    for (std::size_t i = 0; i < texts.size(); ++i) {
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

/// Throws base::Error (info), on all processes alike, for what is neither true nor false.
bool flag_of(const char* variable, const std::string& value)
{
    if (value.empty()) return false;
    const auto truth = base::truth_of(value);
    base::require(truth.has_value(), base::ErrorKind::info, variable, variable, " = '", value,
                  "' is neither 1 nor 0");
    return *truth;
}

/// Likewise for what is no number of seconds.
mpi::StallSettings stall_of(const Environment& environment)
{
    constexpr const char* variable = "ORTHO_STALL_S";
    const std::string& value = environment.stall;
    mpi::StallSettings result{0, flag_of("ORTHO_STALL_ABORT", environment.stall_abort)};
    if (value.empty() || value == "0") return result;
    const auto seconds = base::positive_number(value);
    base::require(seconds.has_value(), base::ErrorKind::info, variable, variable, " = '", value,
                  "' is no number of seconds");
    result.seconds = *seconds;
    return result;
}

/// Is a thread to drive what is started?  Throws base::Error (info), on all processes alike, for anything
/// else.
bool wants_thread(const Environment& environment)
{
    const std::string& value = environment.progress;
    base::require(value.empty() || value == "thread", base::ErrorKind::info, "ORTHO_PROGRESS",
                  "ORTHO_PROGRESS = '", value, "' is not thread");
    return !value.empty();
}

/// What processes find out together.
struct FoundTogether {
    schedule::Layout layout;
    bool have_thread;                ///< all of them have one that drives what is started
    std::optional<int> network_kind; ///< if each of them has found one: the fastest
};

/// Sees to it that this process has a thread that drives what is started.  False if there can be none.
bool get_thread()
{
    mpi::require_running(); // or it is not known whether there may be threads
    // What a session allows is not known.
    if (!mpi::has_threads() || !mpi::has_world()) return false;
    try {
        mpi::start_progress_thread();
        return true;
    } catch (const std::exception&) { // the system has no more threads, or no memory
        return false;
    }
}

/// Collective.  `have_thread`: this process has one.
FoundTogether find_together(MPI_Comm comm, const Environment& environment, bool have_thread)
{
    // The largest processor_number() and the smallest must meet.
    const int number = processor_number();
    const std::optional<int> kind = found_network_kind();
    int extremes[] = {number,       -number,          base::processes_a_core(), have_thread ? 0 : 1,
                      kind ? 0 : 1, -kind.value_or(0)};
    mpi::maximize(comm, extremes);
    auto nodes = find_nodes(comm, environment.nodes, extremes[0] == -extremes[1]);
    const bool one_node = nodes == nullptr;
    FoundTogether found{{one_node, extremes[2], std::move(nodes)}, extremes[3] == 0, std::nullopt};
    if (extremes[4] == 0) found.network_kind = -extremes[5];
    return found;
}

} // namespace

AgreedFlags flags_of(MPI_Info info, int reorder)
{
    look_at_keys(info);
    // Rank 0's list counts, but nobody may misspell.
    if (const auto list = info_value(info, "ortho_algorithm"))
        planner::parse_algorithms(*list, "ortho_algorithm");
    return {info_flag(info, "ortho_assert_uniform").value_or(false),
            info_flag(info, "ortho_forward").value_or(false), info == MPI_INFO_NULL, reorder != 0};
}

Around around_in(MPI_Info info)
{
    const std::string value = info_value(info, "ortho_regions").value_or("all");
    base::require(value == "all" || value == "faces", base::ErrorKind::info, "info", "ortho_regions = '",
                  value, "' is neither all nor faces");
    return value == "all" ? Around::all : Around::faces;
}

bool agree_on_rebinding(MPI_Comm comm, MPI_Info info)
{
    std::exception_ptr mine;
    int against = 1;
    try {
        against = info_flag(info, "ortho_rebind").value_or(false) ? 0 : 1;
    } catch (const base::Error&) {
        mine = std::current_exception();
    }
    // Between two groups each hears of the other one first, and then of itself.
    for (int rounds = mpi::is_inter(comm) ? 2 : 1; rounds > 0; --rounds) {
        int heard = 0;
        MPI_Request request = MPI_REQUEST_NULL;
        mpi::check_users(PMPI_Iallreduce(&against, &heard, 1, MPI_INT, MPI_MAX, comm, &request));
        mpi::wait(request);
        against = std::max(against, heard);
    }
    if (mine) std::rethrow_exception(mine);
    return against == 0;
}

NamedAlgorithms algorithms_in(MPI_Info info)
{
    const auto value = info_value(info, "ortho_algorithm");
    return {value.value_or(""), value.has_value()};
}

NamedAlgorithms algorithms_of(MPI_Info info)
{
    if (NamedAlgorithms named = algorithms_in(info); named.found) return named;
    const auto variable = base::environment("ORTHO_ALGORITHM");
    return {variable.value_or(""), variable.has_value(), variable.has_value()};
}

Announcement::Announcement(MPI_Comm comm, const NamedAlgorithms& named)
{
    message_.length = static_cast<int>(named.list.size());
    message_.found = named.found ? 1 : 0;
    message_.in_environment = named.in_environment ? 1 : 0;
    named.list.copy(message_.text, sizeof message_.text);
    mpi::check_users(PMPI_Ibcast(&message_, sizeof message_, MPI_BYTE, 0, comm, &request_));
}

bool Announcement::advance()
{
    int flag = 0;
    mpi::check(mpi::test(&request_, &flag));
    return flag != 0;
}

NamedAlgorithms Announcement::named() const
{
    const auto length = static_cast<std::size_t>(message_.length);
    base::require(length <= sizeof message_.text, base::ErrorKind::algorithm, "ortho_algorithm",
                  "the list of algorithms has ", length, " characters");
    return {{message_.text, length}, message_.found != 0, message_.in_environment != 0};
}

Settings make_settings(const NamedAlgorithms& named, const AgreedFlags& agreed)
{
    Settings settings;
    settings.assert_uniform = agreed.assert_uniform;
    settings.forward = agreed.forward;
    planner::Settings planned = planner::parse_algorithms(
        named.list, named.in_environment ? "ORTHO_ALGORITHM" : "ortho_algorithm");
    settings.algorithms = std::move(planned.algorithms);
    settings.measure = planned.measure;
    return settings;
}

std::shared_ptr<const grid::Nodes> agree_on_nodes(MPI_Comm comm)
{
    return find_together(comm, environment_of_rank_0(comm), false).layout.nodes;
}

Settings agree_on_settings(MPI_Comm comm, MPI_Info info, const AgreedFlags& agreed)
{
    Announcement announcement(comm, mpi::rank_of(comm) == 0 ? algorithms_of(info) : NamedAlgorithms());
    mpi::wait_until([&] { return announcement.advance(); });
    Settings settings = make_settings(announcement.named(), agreed);
    const Environment environment = environment_of_rank_0(comm);
    settings.tune = tune_of(environment);
    settings.verify = flag_of("ORTHO_VERIFY", environment.verify);
    mpi::set_stall_settings(stall_of(environment));
    const bool thread = wants_thread(environment);
    FoundTogether found = find_together(comm, environment, thread && get_thread());
    settings.layout = std::move(found.layout);
    // Nodes that are not there have no network.
    const bool is_given = settings.tune.tells_of_network || !environment.nodes.empty();
    settings.network_kind = is_given ? 0 : found.network_kind;
    settings.thread = found.have_thread;
    settings.forward = settings.forward || settings.thread;
    if (thread && !settings.thread)
        mpi::warn("ORTHO_PROGRESS=thread needs MPI_THREAD_MULTIPLE, which MPI_Init_thread gives, on all "
                  "processes; so nothing drives operations while the program computes");
    return settings;
}

} // namespace ortho::topology
