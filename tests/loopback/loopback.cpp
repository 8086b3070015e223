// SPDX-License-Identifier: BSD-3-Clause
// Plays all processes of an MPI program in one process, one at a time, in an order that a seed decides.
#include <mpi.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <numeric>
#include <string>
#include <vector>

#include "command_line.hpp"
#include "communicators.hpp"
#include "modules.hpp"
#include "mpi_messages.hpp"
#include "process.hpp"
#include "real_mpi.hpp"
#include "virtual_system.hpp"

/// Is there in builds with --coverage: there exit() writes what has been counted.
extern "C" [[gnu::weak]] void __gcov_exit();

extern "C" {
__attribute__((visibility("default"))) unsigned long loopback_calls = 0;
__attribute__((visibility("default"))) unsigned long loopback_steps = 0;
}

namespace loopback {

Process::Process() = default;
Process::~Process() = default;

namespace {

struct Options {
    int processes = 3;
    std::vector<int> nodes;
    std::string seeds = "1:1";
    std::string strategy, refusals;
    double time_limit = 0;
    int jobs = 1, seed_limit = 600;
    bool calls = false, verbose = false, keep = false;
    std::vector<std::string> module; ///< and its arguments

    std::uint64_t first_seed = 1, seed_count = 1;
};

/// The results of a run.
struct Result {
    std::uint64_t calls, mpi_calls, picks, trace;
    int strategy;
};

std::string quoted(const std::string& text)
{
    if (text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/") ==
            std::string::npos &&
        !text.empty())
        return text;
    return "'" + text + "'";
}

std::string command(const Options& options, const char* program, std::uint64_t seed)
{
    std::string result;
    for (char** entry = environ; *entry != nullptr; ++entry)
        if (std::strncmp(*entry, "ORTHO_", 6) == 0) result += quoted(*entry) + " ";
    if (!result.empty()) result = "env " + result;
    result += std::string(program) + " --processes " + std::to_string(options.processes) + " --seeds " +
              std::to_string(seed) + ":1";
    if (!options.nodes.empty()) {
        result += " --nodes ";
        for (std::size_t i = 0; i < options.nodes.size(); ++i)
            result += (i > 0 ? "," : "") + std::to_string(options.nodes[i]);
    }
    if (!options.strategy.empty()) result += " --strategy " + options.strategy;
    if (!options.refusals.empty()) result += " --fail-allocations " + options.refusals;
    for (const std::string& word : options.module) result += " " + quoted(word);
    return result;
}

/// The node of each process.
std::vector<int> node_of_processes(const Options& options)
{
    std::vector<int> sizes = options.nodes;
    const int p = options.processes;
    if (sizes.empty()) sizes = {p};
    if (sizes.size() == 1 && !options.nodes.empty()) { // so many nodes
        const int n = sizes[0];
        sizes.assign(at(n), p / n);
        for (int i = 0; i < p % n; ++i) ++sizes[at(i)];
    }
    std::vector<int> result;
    for (std::size_t node = 0; static_cast<int>(result.size()) < p; ++node)
        for (int i = 0; i < sizes[std::min(node, sizes.size() - 1)]; ++i)
            result.push_back(static_cast<int>(node));
    return result;
}

Strategy strategy_of(const Options& options, std::uint64_t number)
{
    for (int i = 0; i < strategies; ++i)
        if (options.strategy == name_of(static_cast<Strategy>(i))) return static_cast<Strategy>(i);
    return static_cast<Strategy>(number % strategies);
}

void choose_manner(std::mt19937_64& random)
{
    constexpr std::uint64_t delays[] = {0, 20, 300, 5'000};
    constexpr unsigned eager[] = {0, 50, 90, 100};
    constexpr unsigned yields[] = {2, 20, 60};
    manner.longest_delay = delays[random() % 4];
    manner.eager_percent = eager[random() % 4];
    manner.yield_percent = yields[random() % 3];
    manner.progresses_alone = random() % 2 == 0;
    manner.collectives_meet = random() % 3 == 0;
}

/// A copy of the environment that a process may change.
char** copy_environment()
{
    std::size_t n = 0;
    while (environ[n] != nullptr) ++n;
    char** const result = static_cast<char**>(std::calloc(n + 1, sizeof(char*)));
    for (std::size_t i = 0; i < n; ++i) result[i] = strdup(environ[i]);
    return result;
}

void make_processes(const Options& options)
{
    std::vector<int> all(at(options.processes));
    std::iota(all.begin(), all.end(), 0);
    const auto world = std::make_shared<Context>(all, std::vector<int>());
    const std::vector<int> nodes = node_of_processes(options);
    for (const int rank : all) {
        auto process = std::make_unique<Process>();
        process->rank = rank;
        process->node = nodes[at(rank)];
        process->world = std::make_unique<Communicator>(world, 0, rank);
        process->world->handle = MPI_COMM_WORLD;
        process->world->name = "MPI_COMM_WORLD";
        process->self = std::make_unique<Communicator>(
            std::make_shared<Context>(std::vector{rank}, std::vector<int>()), 0, 0);
        process->self->handle = MPI_COMM_SELF;
        process->self->name = "MPI_COMM_SELF";
        processes.push_back(std::move(process));
    }
}

void say(const std::string& what)
{
    std::fflush(stdout);
    std::fprintf(stderr, "loopback: %s\n", what.c_str());
}

void tell_place()
{
    say("rank " + std::to_string(me->rank) +
        (me->call != nullptr ? std::string(" is in ") + me->call : " is outside of MPI"));
    print_place();
}

[[noreturn]] void hang()
{
    say("no process gets any further");
    scheduler->tell_places(tell_place);
    _exit(1);
}

extern "C" void on_signal(int number)
{
    say(std::string("signal ") + strsignal(number) + " after " + std::to_string(scheduler->now()) +
        " picks and " + std::to_string(mpi_calls) + " MPI calls");
    if (me != nullptr) tell_place();
    _exit(1);
}

void catch_signals(const Options& options)
{
    stack_t stack{};
    stack.ss_size = 1U << 20U;
    stack.ss_sp = std::malloc(stack.ss_size);
    sigaltstack(&stack, nullptr);
    struct sigaction action {};
    action.sa_handler = on_signal;
    action.sa_flags = SA_ONSTACK;
    for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM})
        sigaction(number, &action, nullptr);
    alarm(static_cast<unsigned>(options.seed_limit));
}

/// After the ends of all processes.  Messages may be left on communicators that nobody has freed: calls that do
/// not fit, where they are verified, leave such messages.
void look_at_what_is_left()
{
    for (const auto& process : processes) {
        if (process->status != 0)
            say("rank " + std::to_string(process->rank) + " returns " + std::to_string(process->status));
        if (process->is_initialized && !process->is_finalized)
            fail("rank " + std::to_string(process->rank) + " ends without MPI_Finalize");
        let_all_arrive(*process);
        for (const auto& c : {process->world.get(), process->self.get()})
            c->context->require_received(c->member());
    }
    for (const auto& process : processes)
        if (process->status != 0) _exit(1);
}

/// In a process of the system's of its own.
void run_seed(const Options& options, const std::vector<Main>& mains, std::uint64_t seed,
              const std::string& folder, Result& result)
{
    catch_signals(options);
    if (chdir(folder.c_str()) != 0) fail("there is no folder " + folder);
    std::mt19937_64 random(seed);
    random.discard(16);
    const Strategy strategy = strategy_of(options, random());
    choose_manner(random);
    if (options.refusals == "random") {
        if (random() % 2 == 0)
            refusals.from = 1 + random() % 100;
        else
            refusals.percent = static_cast<unsigned>(1 + random() % 50);
    } else if (!options.refusals.empty()) {
        refusals.from = std::stoul(options.refusals);
    }
    if (!options.refusals.empty()) setenv("ORTHO_TEST_LITTLE_MEMORY", "1", 1);
    setenv("ORTHO_TEST_SEED", std::to_string(seed & 0x7fffffffU).c_str(), 0);
    Scheduler the_scheduler(random(), strategy);
    scheduler = &the_scheduler;
    scheduler->hang = hang;
    scheduler->calls = [] { return loopback_steps; };
    make_processes(options);
    std::vector<std::function<void()>> bodies;
    std::vector<char**> environments;
    for (std::size_t i = 0; i < mains.size(); ++i) {
        environments.push_back(copy_environment());
        bodies.emplace_back([&, i] {
            std::vector<std::string> words = options.module;
            std::vector<char*> arguments;
            for (std::string& word : words) arguments.push_back(word.data());
            arguments.push_back(nullptr);
            const int status = mains[i](static_cast<int>(words.size()), arguments.data());
            me->status = status;
        });
    }
    scheduler->run(bodies, environments, [](int i) { me = i < 0 ? nullptr : processes[at(i)].get(); });
    result = {loopback_calls, mpi_calls, scheduler->now(), scheduler->trace(), static_cast<int>(strategy)};
    look_at_what_is_left();
    std::fflush(stdout);
}

/// One process of the system's after the other plays a seed; some at a time.
class Runs {
public:
    Runs(const Options& options, const char* program, const std::vector<Main>& mains)
        : options_(options),
          program_(program),
          mains_(mains),
          results_(static_cast<Result*>(mmap(nullptr, sizeof(Result) * at(options.jobs),
                                             PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0))),
          children_(at(options.jobs))
    {}

    /// Returns whether all went well.
    bool play()
    {
        std::uint64_t next = 0;
        while (next < options_.seed_count && !is_late() && failures_ == 0) {
            std::size_t slot = 0;
            while (slot < children_.size() && children_[slot].process != 0) ++slot;
            if (slot == children_.size())
                await();
            else
                begin(slot, options_.first_seed + next++);
        }
        if (failures_ > 0) end_others();
        while (std::ranges::any_of(children_, [](const Child& child) { return child.process != 0; })) await();
        const double took = seconds();
        if (options_.calls || options_.verbose)
            std::printf(
                "%llu seeds, %llu library calls, %llu MPI calls, %llu picks, %.1f s: %.0f library calls/s\n",
                counted(played_), counted(all_.calls), counted(all_.mpi_calls), counted(all_.picks), took,
                static_cast<double>(all_.calls) / took);
        return failures_ == 0;
    }

private:
    struct Child {
        pid_t process = 0;
        std::uint64_t seed = 0;
        std::string folder{}; ///< of files that it writes
    };

    static unsigned long long counted(std::uint64_t n) { return n; }
    double seconds() const
    {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    }
    bool is_late() const { return options_.time_limit > 0 && seconds() >= options_.time_limit; }

    void begin(std::size_t slot, std::uint64_t seed)
    {
        std::fflush(stdout);
        results_[slot] = {};
        const std::string folder = new_folder();
        const pid_t child = fork();
        if (child == 0) {
            run_seed(options_, mains_, seed, folder, results_[slot]);
            if (__gcov_exit != nullptr) std::exit(0);
            _exit(0);
        }
        children_[slot] = {child, seed, folder};
    }

    /// One failure is enough; what is wrong may keep another seed going for ever.
    void end_others()
    {
        for (const Child& child : children_)
            if (child.process != 0) kill(child.process, SIGKILL);
    }

    void await()
    {
        int status = 0;
        const pid_t ended = wait(&status);
        for (std::size_t slot = 0; slot < children_.size(); ++slot) {
            Child& child = children_[slot];
            if (child.process != ended) continue;
            const Result& result = results_[slot];
            ++played_;
            all_.calls += result.calls;
            all_.mpi_calls += result.mpi_calls;
            all_.picks += result.picks;
            if (options_.verbose)
                std::printf(
                    "seed %llu, %s: %llu library calls, %llu MPI calls, %llu picks, decisions %016llx\n",
                    counted(child.seed), name_of(static_cast<Strategy>(result.strategy)),
                    counted(result.calls), counted(result.mpi_calls), counted(result.picks),
                    counted(result.trace));
            const bool is_ended_by_us = failures_ > 0 && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
            if (!is_ended_by_us && (!WIFEXITED(status) || WEXITSTATUS(status) != 0)) {
                ++failures_;
                say("FAILED.  To repeat: " + command(options_, program_, child.seed));
            }
            std::filesystem::remove_all(child.folder);
            child = {};
        }
    }

    const Options& options_;
    const char* program_;
    const std::vector<Main>& mains_;
    Result* results_;
    std::vector<Child> children_;
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
    std::uint64_t played_ = 0, failures_ = 0;
    Result all_{};
};

/// The same addresses in each run: the order of pointers is a part of what is repeated.
void fix_addresses(char** argv)
{
    const int before = personality(0xffffffff);
    if (before < 0 || (before & ADDR_NO_RANDOMIZE) != 0) return;
    if (personality(static_cast<unsigned long>(before) | ADDR_NO_RANDOMIZE) < 0) return;
    if ((personality(0xffffffff) & ADDR_NO_RANDOMIZE) != 0) execv("/proc/self/exe", argv);
}

void init_real_mpi()
{
    // Open MPI starts no other programs then.
    setenv("OMPI_MCA_ess_singleton_isolated", "1", 0);
    setenv("OMPI_MCA_pml", "ob1", 0);
    setenv("OMPI_MCA_btl", "self", 0);
    int provided = 0;
    if (REAL(PMPI_Init_thread)(nullptr, nullptr, MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS) {
        say("the real MPI does not start");
        std::exit(2);
    }
    REAL(PMPI_Comm_set_errhandler)(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    REAL(PMPI_Comm_set_errhandler)(MPI_COMM_SELF, MPI_ERRORS_RETURN);
}

} // namespace

void fail(const std::string& what)
{
    say((me != nullptr ? "rank " + std::to_string(me->rank) + ": " : "") + what);
    if (me != nullptr) tell_place();
    _exit(1);
}

} // namespace loopback

int main(int argc, char** argv)
{
    using namespace loopback;
    fix_addresses(argv);
    Options options;
    CommandLine line("Plays all processes of an MPI program in one, in an order that a seed decides.",
                     "loopback");
    line.add_option("--processes", options.processes, "how many processes").between(1, 1000);
    line.add_option("--nodes", options.nodes, "how many nodes, or their sizes").list();
    line.add_option("--seeds", options.seeds, "FIRST:COUNT");
    line.add_option("--strategy", options.strategy,
                    "uniform, late, away, alternating or greedy; else the seed decides")
        .one_of({"uniform", "late", "away", "alternating", "greedy"});
    line.add_option("--fail-allocations", options.refusals,
                    "no more memory to share from that request on, or 'random'");
    line.add_option("--time-limit", options.time_limit, "take no new seed after so many seconds");
    line.add_option("--seed-limit", options.seed_limit, "seconds that a seed may take");
    line.add_option("--jobs", options.jobs, "how many seeds to play at a time").between(1, 1000);
    line.add_flag("--calls", options.calls, "say how many calls there were");
    line.add_flag("--verbose", options.verbose, "say so of each seed, with a number for all decisions");
    line.add_flag("--keep", options.keep, "leave the copies of the module, for a debugger");
    line.add_option("module", options.module, "the module, and its arguments").required();
    line.ends_at_argument();
    line.parse_or_exit(argc, argv);
    char* end = nullptr;
    options.first_seed = std::strtoull(options.seeds.c_str(), &end, 10);
    options.seed_count = *end == ':' ? std::strtoull(end + 1, nullptr, 10) : 1;
    init_real_mpi();
    const std::vector<Main> mains = load(options.module.front(), options.processes, options.keep);
    Runs runs(options, argv[0], mains);
    const bool is_good = runs.play();
    std::fflush(stdout);
    _exit(is_good ? 0 : 1); // the real MPI's end is of no interest
}
