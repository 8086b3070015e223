// SPDX-License-Identifier: BSD-3-Clause
// Agreement on settings from the environment and from infos.

#include "topology/agreed_settings.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <exception>
#include <iterator>
#include <string_view>
#include <vector>

#include "agree/on_comm.hpp"
#include "base/cores.hpp"
#include "base/environment.hpp"
#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/text.hpp"
#include "mpi/library_lifetime.hpp"
#include "mpi/public_call.hpp"
#include "planner/planner.hpp"
#include "planner/tune.hpp"
#include "runtime/progress_thread.hpp"
#include "runtime/stall_report.hpp"
#include "runtime/wait.hpp"
#include "topology/agreement.hpp"
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

/// Nothing if the key is not there.
std::optional<bool> info_flag(MPI_Info info, const char* key)
{
    const std::optional<std::string> value = info_value(info, key);
    if (!value) return std::nullopt;
    const std::optional<bool> truth = base::truth_of(*value);
    base::require(truth.has_value(), base::ErrorKind::info, "info", key, " = '", *value,
                  "' is neither true nor false");
    return truth;
}

/// The keys of infos, and the calls that read them.
struct Key {
    std::string_view name;
    unsigned reads;
};
constexpr Key keys_of_ours[] = {
    {"ortho_algorithm", when_made | in_init},
    {"ortho_forward", when_made | in_init},
    {"ortho_rebind", in_init},
    {"ortho_name", in_init},
    {"ortho_regions", in_halo_by_name},
    {"ortho_order", in_halo_of_one_shape},
    {"ortho_assert_uniform", when_made},
    {"ortho_sizes", when_made},
    {"ortho_independent", when_made},
};

/// Texts and flags that rank 0 tells all processes.
struct Words {
    NamedAlgorithms named;
    std::string nodes;             ///< ORTHO_NODES
    std::string verify;            ///< ORTHO_VERIFY
    std::string stall;             ///< ORTHO_STALL_S
    std::string stall_abort;       ///< ORTHO_STALL_ABORT
    std::string progress;          ///< ORTHO_PROGRESS
    std::string tune_file;         ///< ORTHO_TUNE
    std::string tune_text;         ///< content of that file
    bool tune_is_readable = false; ///< if not, there is no text

    std::array<std::string*, 8> texts()
    {
        return {&named.list, &nodes, &verify, &stall, &stall_abort, &progress, &tune_file, &tune_text};
    }
    std::array<bool*, 3> flags() { return {&tune_is_readable, &named.found, &named.in_environment}; }
};

/// The words of this process.
Words read_words(MPI_Info info)
{
    Words result;
    if (!base::any_variable_of_ours()) {
        result.named = algorithms_in(info);
        return result;
    }
    result.named = algorithms_of(info);
    result.nodes = base::environment("ORTHO_NODES").value_or("");
    result.verify = base::environment("ORTHO_VERIFY").value_or("");
    result.stall = base::environment("ORTHO_STALL_S").value_or("");
    result.stall_abort = base::environment("ORTHO_STALL_ABORT").value_or("");
    result.progress = base::environment("ORTHO_PROGRESS").value_or("");
    result.tune_file = base::environment("ORTHO_TUNE").value_or("");
    if (result.tune_file.empty()) return result;
    const auto content = base::content_of(result.tune_file);
    result.tune_is_readable = content.has_value();
    result.tune_text = content.value_or("");
    return result;
}

/// Words as one text, and back.
std::string text_of(Words words)
{
    std::string result;
    for (const bool* const flag : words.flags()) result += *flag ? '1' : '0';
    for (const std::string* const text : words.texts()) result.append(*text).push_back('\0');
    return result;
}

Words words_in(std::string_view text)
{
    Words words;
    if (text.empty()) return words;
    const auto take = [&](std::size_t length) {
        const std::string_view taken = text.substr(0, length);
        text.remove_prefix(length);
        return taken;
    };
    for (bool* const flag : words.flags()) *flag = take(1) == "1";
    for (std::string* const part : words.texts()) {
        // A file may contain zeros.
        const bool is_last = part == &words.tune_text;
        *part = take(is_last ? text.size() - 1 : text.find('\0'));
        take(1);
    }
    return words;
}

/// Null without a file.  Throws base::Error (info), on all processes alike, if it is wrong.
std::shared_ptr<const planner::Tune> tune_of(const Words& words)
{
    constexpr const char* variable = "ORTHO_TUNE";
    const std::string& file = words.tune_file;
    if (file.empty()) return nullptr;
    base::require(words.tune_is_readable, base::ErrorKind::info, variable, variable,
                  " names a file that cannot be read, ", file);
    return std::make_shared<const planner::Tune>(planner::parse_tune(words.tune_text, file));
}

/// Throws base::Error (info), on all processes alike, for a text that is neither true nor false.
bool flag_of(const char* variable, const std::string& value)
{
    if (value.empty()) return false;
    const auto truth = base::truth_of(value);
    base::require(truth.has_value(), base::ErrorKind::info, variable, variable, " = '", value,
                  "' is neither 1 nor 0");
    return *truth;
}

/// Throws base::Error (info), on all processes alike, for a text that is no number of seconds.
runtime::StallSettings stall_of(const Words& words, bool verified)
{
    constexpr const char* variable = "ORTHO_STALL_S";
    const std::string& value = words.stall;
    runtime::StallSettings result{0, flag_of("ORTHO_STALL_ABORT", words.stall_abort)};
    if (value.empty() && verified) result.seconds = runtime::seconds_where_verified;
    if (value.empty() || value == "0") return result;
    const auto seconds = base::positive_number(value);
    base::require(seconds.has_value(), base::ErrorKind::info, variable, variable, " = '", value,
                  "' is no number of seconds");
    result.seconds = *seconds;
    return result;
}

/// Shall a thread drive operations?  Throws base::Error (info), on all processes alike, for other texts.
bool wants_thread(const Words& words)
{
    const std::string& value = words.progress;
    base::require(value.empty() || value == "thread", base::ErrorKind::info, "ORTHO_PROGRESS",
                  "ORTHO_PROGRESS = '", value, "' is not thread");
    return !value.empty();
}

/// The knowledge of each process about its place.
struct Place {
    agree::Ballot& ballot;
    MPI_Comm comm;
    agree::AllEqual processor{ballot, processor_number()};
    agree::Largest processes_a_core{ballot, base::processes_a_core()};
    agree::AllTrue all_know_nodes{ballot, knows_nodes(comm)};
    agree::AllTrue all_know_network{ballot, found_network_kind().has_value()};
    agree::Smallest network_kind{ballot, found_network_kind().value_or(0)}; ///< the fastest kind

    NodesBy nodes_by() const
    {
        if (processor.holds()) return NodesBy::one_processor;
        return all_know_nodes.holds() ? NodesBy::knowledge : NodesBy::asking;
    }
};

/// Makes sure that this process has a thread that drives operations.  False if it can have none.
bool get_thread()
{
    mpi::require_running(); // else it is not known whether threads are allowed
    // The thread level of a session is not known.
    if (!mpi::has_threads() || !mpi::has_world()) return false;
    try {
        runtime::start_progress_thread();
        return true;
    } catch (const std::exception&) { // the system has no more threads, or no memory
        return false;
    }
}

/// Have all processes such a thread, if rank 0's environment wants one?  Collective.
bool agree_on_thread(MPI_Comm comm, const Words& words)
{
    if (!wants_thread(words)) return false;
    const bool have_threads = agree::all_true(comm, get_thread());
    if (!have_threads)
        mpi::warn("ORTHO_PROGRESS=thread needs MPI_THREAD_MULTIPLE, which MPI_Init_thread gives, on all "
                  "processes; so nothing drives operations while the program computes");
    return have_threads;
}

/// Holds the ballot with rank 0's words, and returns them.  Without words if `checked` fails: the error comes
/// first.  Collective.
Words hear_words(agree::Ballot& ballot, MPI_Comm comm, MPI_Info info, const Checked& checked)
{
    agree::Text text(ballot);
    if (mpi::rank_of(comm) == 0 && !checked.has_failed()) text.say(text_of(read_words(info)));
    hold_on(comm, ballot);
    return words_in(text.value());
}

} // namespace

void look_at_keys(MPI_Info info, unsigned reads)
{
    if (info == MPI_INFO_NULL) return;
    std::vector<std::string_view> names; // those of this call come first
    for (const bool known : {true, false})
        for (const Key& key : keys_of_ours)
            if (((key.reads & reads) != 0) == known) names.push_back(key.name);
    int keys = 0;
    mpi::check_users(PMPI_Info_get_nkeys(info, &keys));
    for (int i = 0; i < keys; ++i) {
        char key[MPI_MAX_INFO_KEY + 1];
        mpi::check_users(PMPI_Info_get_nthkey(info, i, key));
        std::string small = key;
        for (char& c : small) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        if (!small.starts_with("ortho_")) continue;
        const auto* const found = std::ranges::find(keys_of_ours, std::string_view(key), &Key::name);
        if (found == std::end(keys_of_ours))
            mpi::warn(
                base::text("info key ", key, " means nothing to mpiortho", base::did_you_mean(small, names)));
        else if ((found->reads & reads) == 0)
            mpi::warn(
                base::text("info key ", key, " does nothing in ", mpi::PublicCall::current()->function()));
    }
}

void Promises::say(MPI_Info info, unsigned reads)
{
    look_at_keys(info, reads);
    // Rank 0's list counts, but all must be correct.
    if (const auto list = info_value(info, "ortho_algorithm"))
        planner::parse_algorithms(*list, "ortho_algorithm");
    assert_uniform.say(info_flag(info, "ortho_assert_uniform").value_or(false));
    forward.say(info_flag(info, "ortho_forward").value_or(false));
    if ((reads & when_made) == 0) return;
    const std::string sizes = info_value(info, "ortho_sizes").value_or("");
    base::require(sizes.empty() || sizes == "weights", base::ErrorKind::info, "info", "ortho_sizes = '",
                  sizes, "' is not weights");
    by_weights.say(!sizes.empty());
    independent.say(info_flag(info, "ortho_independent").value_or(false));
}

Around around_in(MPI_Info info)
{
    const std::string value = info_value(info, "ortho_regions").value_or("all");
    base::require(value == "all" || value == "faces", base::ErrorKind::info, "info", "ortho_regions = '",
                  value, "' is neither all nor faces");
    return value == "all" ? Around::all : Around::faces;
}

std::optional<int> order_in(MPI_Info info)
{
    const std::optional<std::string> value = info_value(info, "ortho_order");
    if (!value) return std::nullopt;
    base::require(*value == "C" || *value == "Fortran", base::ErrorKind::info, "info", "ortho_order = '",
                  *value, "' is neither C nor Fortran");
    return *value == "C" ? MPI_ORDER_C : MPI_ORDER_FORTRAN;
}

std::string name_in(MPI_Info info) { return info_value(info, "ortho_name").value_or(""); }

bool agree_on_rebinding(MPI_Comm comm, MPI_Info info)
{
    look_at_keys(info, in_init);
    constexpr long long wrong = 2;
    std::exception_ptr mine;
    const std::string name = name_in(info);
    const auto number = static_cast<long long>(base::hash_of(name));
    std::array<long long, 3> most{1, number, ~number}; // against rebinding, and the names
    try {
        most[0] = info_flag(info, "ortho_rebind").value_or(false) ? 0 : 1;
    } catch (const base::Error&) {
        mine = std::current_exception();
        most[0] = wrong;
    }
    // Between two groups each group first gets the other's values, and then its own.
    for (int rounds = mpi::is_inter(comm) ? 2 : 1; rounds > 0; --rounds) {
        std::array<long long, 3> heard{};
        MPI_Request request = MPI_REQUEST_NULL;
        mpi::check_users(
            PMPI_Iallreduce(most.data(), heard.data(), 3, MPI_LONG_LONG, MPI_MAX, comm, &request));
        runtime::wait(request, comm);
        for (std::size_t i = 0; i < most.size(); ++i) most[i] = std::max(most[i], heard[i]);
    }
    if (mine) std::rethrow_exception(mine);
    base::require(most[0] != wrong, base::ErrorKind::info, "info",
                  "ortho_rebind is neither true nor false on another process");
    base::require(most[1] == ~most[2], base::ErrorKind::mismatch, "info", "ortho_name is '", name,
                  "', and not so on another process: the processes make requests in different orders");
    return most[0] == 0;
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
    if (request_ == MPI_REQUEST_NULL) return true;
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

Settings make_settings(const NamedAlgorithms& named)
{
    Settings settings;
    settings.algorithms = planner::parse_algorithms(named.list, named.in_environment ? "ORTHO_ALGORITHM"
                                                                                     : "ortho_algorithm");
    return settings;
}

std::shared_ptr<const grid::Nodes> agree_on_nodes(MPI_Comm comm)
{
    agree::Ballot ballot;
    const Checked checked(ballot, [] {});
    const Place place{ballot, comm};
    const Words words = hear_words(ballot, comm, MPI_INFO_NULL, checked);
    return find_nodes(comm, words.nodes, place.nodes_by());
}

Settings check_and_agree(agree::Ballot& ballot, MPI_Comm comm, MPI_Info info,
                         const std::function<void()>& check)
{
    Promises promises{ballot};
    const Checked checked(ballot, [&] {
        check();
        promises.say(info, when_made);
    });
    const Place place{ballot, comm};
    const Words words = hear_words(ballot, comm, info, checked);
    checked.require(comm);
    Settings settings = make_settings(words.named);
    settings.assert_uniform = promises.assert_uniform.holds();
    settings.sizes_by_weights = promises.by_weights.holds();
    settings.independent = promises.independent.holds();
    settings.tune = tune_of(words);
    // Verification compares the calls of all processes.
    settings.verify = flag_of("ORTHO_VERIFY", words.verify) && !settings.independent;
    if (settings.verify) runtime::any_verified = true;
    const runtime::StallSettings stall = stall_of(words, settings.verify);
    runtime::set_stall_settings(stall);
    settings.thread = agree_on_thread(comm, words);
    settings.forward = promises.forward.holds() || settings.thread;
    settings.layout.nodes = find_nodes(comm, words.nodes, place.nodes_by());
    settings.layout.one_node = settings.layout.nodes == nullptr;
    settings.layout.processes_a_core = place.processes_a_core.value<int>();
    // Simulated nodes have no network.
    if ((settings.tune && settings.tune->tells_of_network) || !words.nodes.empty())
        settings.network_kind = 0;
    else if (place.all_know_network.holds())
        settings.network_kind = place.network_kind.value<int>();
    return settings;
}

Settings agree_on_settings(MPI_Comm comm)
{
    agree::Ballot ballot;
    return check_and_agree(ballot, comm, MPI_INFO_NULL, [] {});
}

} // namespace ortho::topology
