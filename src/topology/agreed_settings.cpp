// SPDX-License-Identifier: BSD-3-Clause
// Agreeing on what environment and info say.

#include "topology/agreed_settings.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <exception>
#include <fstream>
#include <iterator>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <sstream>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/cores.hpp"
#include "base/did_you_mean.hpp"
#include "base/environment.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "mpi/library_lifetime.hpp"
#include "mpi/warning.hpp"
#include "planner/planner.hpp"
#include "planner/tune_file.hpp"
#include "runtime/internal_collectives.hpp"
#include "runtime/progress_thread.hpp"
#include "runtime/stall_report.hpp"
#include "runtime/wait.hpp"
#include "topology/agreement.hpp"
#include "topology/network_trial.hpp"
#include "topology/node_map.hpp"
#include "topology/private_comm.hpp"

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
    bool plan_first = false;       ///< ORTHO_PLAN_FIRST, or somebody wants to read plans

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
    result.plan_first = base::environment_flag("ORTHO_PLAN_FIRST").value_or(false) ||
                        base::environment_flag("ORTHO_EXPLAIN").value_or(false);
    if (result.tune_file.empty()) return result;
    std::ifstream in(result.tune_file);
    std::ostringstream content;
    // An empty file leaves the stream without a character to write, which is no mistake.
    if (in.is_open()) content << in.rdbuf();
    result.tune_text = content.str();
    result.tune_is_readable = in.is_open() && !in.bad();
    return result;
}

/// What rank 0 says in words.
struct Words {
    Environment environment;
    NamedAlgorithms named;

    std::array<std::string*, 8> texts()
    {
        const auto its = environment.texts();
        std::array<std::string*, 8> result{&named.list};
        std::ranges::copy(its, result.begin() + 1);
        return result;
    }
    std::array<bool*, 4> flags()
    {
        return {&environment.tune_is_readable, &environment.plan_first, &named.found, &named.in_environment};
    }
};

/// Rank 0's words on their way to all processes, along with numbers of which all get the largest: one
/// operation if the words are short, as most are, else one more.
class WordsAndNumbers {
public:
    /// `words` count on rank 0.  Collective.
    WordsAndNumbers(MPI_Comm comm, Words words, std::span<const int> numbers) : words_(std::move(words))
    {
        const bool speaks = mpi::rank_of(comm) == 0;
        std::vector<int> all;
        all.reserve(numbers.size() + std::tuple_size_v<decltype(words_.texts())> +
                    std::tuple_size_v<decltype(words_.flags())> + room / sizeof(int));
        all.assign(numbers.begin(), numbers.end());
        std::string spoken;
        const auto say = [&](int number) { all.push_back(speaks ? number : silence); };
        for (const std::string* const text : words_.texts()) {
            say(static_cast<int>(text->size()));
            spoken += *text;
        }
        for (const bool* const flag : words_.flags()) say(*flag ? 1 : 0);
        std::array<int, room / sizeof(int)> short_text{};
        spoken.copy(reinterpret_cast<char*>(short_text.data()), room);
        for (const int part : short_text) say(part);
        maximize_on(comm, all);

        const int* next = all.data() + numbers.size();
        numbers_.assign(all.begin(), all.begin() + std::ssize(numbers));
        std::array<std::size_t, std::tuple_size_v<decltype(words_.texts())>> lengths{};
        for (std::size_t& length : lengths) length = static_cast<std::size_t>(*next++);
        for (bool* const flag : words_.flags()) *flag = *next++ != 0;
        spoken.resize(std::accumulate(lengths.begin(), lengths.end(), std::size_t{0}));
        if (spoken.size() <= room)
            std::memcpy(spoken.data(), next, spoken.size());
        else
            runtime::broadcast(comm, spoken.data(), static_cast<int>(spoken.size()));
        std::size_t begin = 0;
        const auto texts = words_.texts();
        for (std::size_t i = 0; i < texts.size(); ++i) {
            *texts[i] = spoken.substr(begin, lengths[i]);
            begin += lengths[i];
        }
    }

    const Words& words() const { return words_; }
    std::span<const int> numbers() const { return numbers_; }

private:
    static constexpr int silence = std::numeric_limits<int>::min(); // no number is smaller
    static constexpr std::size_t room = 128;

    Words words_;
    std::vector<int> numbers_;
};

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
runtime::StallSettings stall_of(const Environment& environment, bool verified)
{
    constexpr const char* variable = "ORTHO_STALL_S";
    const std::string& value = environment.stall;
    runtime::StallSettings result{0, flag_of("ORTHO_STALL_ABORT", environment.stall_abort)};
    if (value.empty() && verified) result.seconds = runtime::seconds_where_verified;
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

/// What each process knows of its place, as numbers of which all get the largest.
class Place {
public:
    explicit Place(MPI_Comm comm)
    {
        const int number = processor_number();
        const std::optional<int> kind = found_network_kind();
        // The largest processor_number() and the smallest must meet.
        numbers_ = {number,       -number,          base::processes_a_core(), knows_nodes(comm) ? 0 : 1,
                    kind ? 0 : 1, -kind.value_or(0)};
    }

    static constexpr std::size_t count = 6;
    const std::array<int, count>& numbers() const { return numbers_; }

    // Of the largest numbers:
    static NodesBy nodes_by(std::span<const int, count> largest)
    {
        if (largest[0] == -largest[1]) return NodesBy::one_processor;
        return largest[3] == 0 ? NodesBy::knowledge : NodesBy::asking;
    }
    static int processes_a_core(std::span<const int, count> largest) { return largest[2]; }
    /// If each process has found one: the fastest.
    static std::optional<int> network_kind(std::span<const int, count> largest)
    {
        return largest[4] == 0 ? std::optional(-largest[5]) : std::nullopt;
    }

private:
    std::array<int, count> numbers_{};
};

/// Sees to it that this process has a thread that drives what is started.  False if there can be none.
bool get_thread()
{
    mpi::require_running(); // or it is not known whether there may be threads
    // What a session allows is not known.
    if (!mpi::has_threads() || !mpi::has_world()) return false;
    try {
        runtime::start_progress_thread();
        return true;
    } catch (const std::exception&) { // the system has no more threads, or no memory
        return false;
    }
}

/// Have all processes a thread that drives what is started, if rank 0's environment wants one?  Collective.
bool agree_on_thread(MPI_Comm comm, const Environment& environment)
{
    if (!wants_thread(environment)) return false;
    int missing[] = {get_thread() ? 0 : 1};
    runtime::maximize(comm, missing);
    if (missing[0] != 0)
        mpi::warn("ORTHO_PROGRESS=thread needs MPI_THREAD_MULTIPLE, which MPI_Init_thread gives, on all "
                  "processes; so nothing drives operations while the program computes");
    return missing[0] == 0;
}

/// All that processes have said.
class Heard {
public:
    /// `also`: numbers of which each becomes the largest.  Collective.
    Heard(MPI_Comm comm, MPI_Info info, const Checked& checked, std::span<int> also = {})
        : exchanged_(comm, words_of(comm, info, checked), numbers_of(comm, checked, also))
    {
        std::ranges::copy(exchanged_.numbers().subspan(Checked::count + Place::count), also.begin());
    }

    const Words& words() const { return exchanged_.words(); }
    std::span<const int, Checked::count> checked() const
    {
        return exchanged_.numbers().first<Checked::count>();
    }
    std::span<const int, Place::count> place() const
    {
        return exchanged_.numbers().subspan<Checked::count, Place::count>();
    }

private:
    static Words words_of(MPI_Comm comm, MPI_Info info, const Checked& checked)
    {
        // What is wrong is told first, and then nobody wants words.
        if (mpi::rank_of(comm) != 0 || checked.has_failed()) return {};
        if (!base::any_variable_of_ours()) return {{}, algorithms_in(info)};
        return {read_environment(), algorithms_of(info)};
    }
    static std::vector<int> numbers_of(MPI_Comm comm, const Checked& checked, std::span<const int> also)
    {
        std::vector<int> result;
        result.reserve(Checked::count + Place::count + also.size());
        std::ranges::copy(checked.numbers(), std::back_inserter(result));
        std::ranges::copy(Place(comm).numbers(), std::back_inserter(result));
        std::ranges::copy(also, std::back_inserter(result));
        return result;
    }

    WordsAndNumbers exchanged_;
};

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
    constexpr int wrong = 2;
    std::exception_ptr mine;
    int against = 1;
    try {
        against = info_flag(info, "ortho_rebind").value_or(false) ? 0 : 1;
    } catch (const base::Error&) {
        mine = std::current_exception();
        against = wrong;
    }
    // Between two groups each hears of the other one first, and then of itself.
    for (int rounds = mpi::is_inter(comm) ? 2 : 1; rounds > 0; --rounds) {
        int heard = 0;
        MPI_Request request = MPI_REQUEST_NULL;
        mpi::check_users(PMPI_Iallreduce(&against, &heard, 1, MPI_INT, MPI_MAX, comm, &request));
        runtime::wait(request, comm);
        against = std::max(against, heard);
    }
    if (mine) std::rethrow_exception(mine);
    base::require(against != wrong, base::ErrorKind::info, "info",
                  "ortho_rebind is neither true nor false on another process");
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
    mpi::check(runtime::test(&request_, &flag));
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
    const Heard heard(comm, MPI_INFO_NULL, Checked([] { return AgreedFlags{}; }));
    return find_nodes(comm, heard.words().environment.nodes, Place::nodes_by(heard.place()));
}

std::pair<AgreedFlags, Settings> check_and_agree(MPI_Comm comm, MPI_Info info,
                                                 const std::function<AgreedFlags()>& check,
                                                 std::span<int> also)
{
    const Checked checked(check);
    const Heard heard(comm, info, checked, also);
    const AgreedFlags flags = checked.agreed(comm, heard.checked());
    Settings settings = make_settings(heard.words().named, flags);
    const Environment& environment = heard.words().environment;
    settings.tune = tune_of(environment);
    settings.verify = flag_of("ORTHO_VERIFY", environment.verify);
    if (settings.verify) runtime::any_verified = true;
    const runtime::StallSettings stall = stall_of(environment, settings.verify);
    runtime::set_stall_settings(stall);
    settings.thread = agree_on_thread(comm, environment);
    settings.forward = settings.forward || settings.thread;
    // Whoever says how calls are to be made wants plans.
    settings.plan_first = environment.plan_first || heard.words().named.found || !flags.no_info ||
                          settings.verify || settings.thread || stall.seconds > 0;
    settings.layout.nodes = find_nodes(comm, environment.nodes, Place::nodes_by(heard.place()));
    settings.layout.one_node = settings.layout.nodes == nullptr;
    settings.layout.processes_a_core = Place::processes_a_core(heard.place());
    // Nodes that are not there have no network.
    const bool is_given = settings.tune.tells_of_network || !environment.nodes.empty();
    settings.network_kind = is_given ? 0 : Place::network_kind(heard.place());
    return {flags, std::move(settings)};
}

Settings agree_on_settings(MPI_Comm comm)
{
    return check_and_agree(comm, MPI_INFO_NULL, [] { return AgreedFlags{}; }).second;
}

} // namespace ortho::topology
