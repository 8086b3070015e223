// SPDX-License-Identifier: BSD-3-Clause
#include "bench/doctor_findings.hpp"

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
#include <utility>

#include "base/environment.hpp"
#include "base/text.hpp"
#include "bench/table_columns.hpp"
#include "mpi/interposer.hpp"
#include "planner/tune.hpp"
#include "size_text.hpp"
#include "timing_samples.hpp"

namespace bench::doctor {

namespace {

using ortho::planner::Machine;
using ortho::schedule::Link;

constexpr std::int64_t little_shm = std::int64_t{256} << 20;   // of /dev/shm, for MPIs
constexpr std::int64_t little_locked = std::int64_t{64} << 20; // of memory that a card may use

/// "1 process", "2 processes".
std::string counted(std::size_t n, const char* one, const char* more)
{
    return fmt::format("{} {}", n, n == 1 ? one : more);
}

std::string processes_text(std::size_t n) { return counted(n, "process", "processes"); }

/// The machine of the planner: built-in numbers, a tune file's, or those of the network that was found.
Machine believed(const Library& library)
{
    Machine machine;
    const auto file = ortho::base::environment("ORTHO_TUNE");
    if (file) // the library has read it, too
        machine = ortho::planner::parse_tune(ortho::base::content_of(*file).value_or(""), *file).machine;
    const auto kinds = ortho::planner::network_kinds();
    for (std::size_t kind = 0; kind < kinds.size(); ++kind)
        if (library.network == kinds[kind].name)
            machine = ortho::planner::with_network(machine, static_cast<int>(kind));
    return machine;
}

/// Makes the report from what was found.  Only rank 0 has it.
class Doctor {
public:
    explicit Doctor(Findings&& findings)
        : processes_(std::move(findings.processes)),
          library_(std::move(findings.library))
    {
        for (std::size_t rank = 0; rank < processes_.size(); ++rank)
            nodes_[processes_[rank].node].push_back(static_cast<int>(rank));
        report_.title = fmt::format("mpiortho {}: {} on {}", PACKAGE_VERSION,
                                    processes_text(processes_.size()), nodes_text(nodes_.size()));
    }

    void look_at_program();
    void look_at_nodes();
    void look_at_memory();
    void look_at_network();
    void look_at_machine(const MeasuredMachine& measured);
    void look_at_exchanges(const std::vector<Outcome>& outcomes);
    const Report& report() const { return report_; }

private:
    static std::string nodes_text(std::size_t n) { return counted(n, "node", "nodes"); }
    void add(std::string what, std::string remedy)
    {
        report_.problems.push_back({std::move(what), std::move(remedy)});
    }
    const ProcessFacts& facts(int rank) const { return processes_[static_cast<std::size_t>(rank)].facts; }
    const ProcessFacts& rank_0() const { return facts(0); }
    bool is_set(const char* variable, bool wanted) const
    {
        return ortho::base::environment_flag(variable) == std::optional<bool>(wanted);
    }
    /// The values of a member on all processes: one value, or each value with its number of processes.
    std::string all_of(std::string ProcessFacts::*member, const std::string& none) const
    {
        std::map<std::string, std::size_t> values;
        for (const Process& process : processes_) ++values[process.facts.*member];
        std::string result;
        for (const auto& [value, number] : values) {
            result += (result.empty() ? "" : "; ") + (value.empty() ? none : value);
            if (values.size() > 1) result += fmt::format(" ({})", processes_text(number));
        }
        return result;
    }
    /// The least number that processes have; -1 if none has one.
    std::int64_t least_of(std::string ProcessFacts::*member) const
    {
        std::int64_t result = -1;
        for (const Process& process : processes_) {
            const std::string& text = process.facts.*member;
            if (text.empty()) continue;
            const std::int64_t number = std::atoll(text.c_str());
            result = result < 0 ? number : std::min(result, number);
        }
        return result;
    }
    void look_at_variables();
    void look_at_cores(const std::vector<int>& ranks);
    bool look_for_split_hosts();
    void look_for_containers();
    std::string one_copy();

    std::vector<Process> processes_;
    Library library_;
    std::map<int, std::vector<int>> nodes_; ///< the ranks of each
    Report report_;
};

void Doctor::look_at_variables()
{
    std::set<std::string> odd;
    std::size_t others = 0;
    for (const Process& process : processes_) {
        for (std::size_t at = 0; at < process.facts.odd.size();) {
            const std::size_t end = std::min(process.facts.odd.find('\n', at), process.facts.odd.size());
            odd.insert(process.facts.odd.substr(at, end - at));
            at = end + 1;
        }
        if (process.facts.variables != rank_0().variables) ++others;
    }
    for (const std::string& sentence : odd)
        add(sentence + '.',
            "Correct or unset it; the table \"environment\" of mpiortho(7) has all variables.");
    if (others > 0)
        add(fmt::format("{} other variables ORTHO_* than rank 0.",
                        others == 1 ? "1 process has" : fmt::format("{} processes have", others)),
            "What rank 0 reads counts for nearly all. Have the launcher pass them on: \"mpiexec -n P env "
            "ORTHO_...=... program\", \"-x ORTHO_...\" (Open MPI), \"--export=ALL\" (srun).");
    if (const auto nodes = ortho::base::environment("ORTHO_NODES"))
        add(fmt::format("ORTHO_NODES={} has the library plan for other nodes than there are.", *nodes),
            "Unset it, unless you try another machine.");
    if (is_set("ORTHO_VERIFY", true))
        add("ORTHO_VERIFY=1 has each call compared with those of the neighbors, which takes time.",
            "Unset it when the mistake is found.");
}

void Doctor::look_at_program()
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = 0;
    int standard = 0;
    int minor = 0;
    int level = MPI_THREAD_SINGLE;
    MPI_Get_library_version(version, &length);
    MPI_Get_version(&standard, &minor);
    MPI_Query_thread(&level);
    const std::string device = after(version, "MPICH Device:").value_or("");
    const std::size_t letter = device.find_first_not_of(" \t");
    std::string mpi = mpi_name();
    std::ranges::replace(mpi, '\t', ' ');
    if (letter != std::string::npos) mpi += ", device " + device.substr(letter);
#if defined(MPI_ABI_VERSION) && !defined(MPICH_VERSION)
    const char* const abi = "the standard ABI of MPI";
#else
    const char* const abi = "this MPI's own";
#endif
    Section section{"Program",
                    {{"MPI", mpi},
                     {"standard", fmt::format("MPI {}.{}", standard, minor)},
                     {"ABI", abi},
                     {"interposer", all_of(&ProcessFacts::interposer, "not loaded")},
                     {"variables", all_of(&ProcessFacts::variables, "none")},
                     {"tune file", ortho::base::environment("ORTHO_TUNE").value_or("none")}}};
    report_.sections.push_back(std::move(section));
    if (!library_.error.empty())
        add(fmt::format("The library makes no graph: {}.", library_.error),
            "Correct that first: nothing was measured.");
    look_at_variables();
}

void Doctor::look_at_cores(const std::vector<int>& ranks)
{
    const std::string& host = facts(ranks[0]).host;
    std::set<int> all;
    std::map<int, int> bound; // by core: the process that may use no other
    bool is_told = false;
    for (const int rank : ranks) {
        const std::vector<int> cores = numbers_of(facts(rank).cores);
        all.insert(cores.begin(), cores.end());
        if (cores.size() != 1) continue;
        const auto [other, is_new] = bound.emplace(cores[0], rank);
        if (is_new || is_told) continue;
        is_told = true;
        add(fmt::format("Ranks {} and {} are both bound to core {} of {}.", other->second, rank, cores[0],
                        host),
            "Let each process have its own: \"--bind-to core\" (mpiexec), \"--cpu-bind=cores\" (srun), or "
            "ask "
            "for more cores.");
    }
    const int of_job = std::atoi(facts(ranks[0]).cores_of_job.c_str());
    const std::size_t cores = std::max<std::size_t>(all.size(),
                                                    of_job > 0 ? static_cast<std::size_t>(of_job) : 0);
    if (!is_told && ranks.size() > cores)
        add(fmt::format("{} share {} of {}.", processes_text(ranks.size()), counted(cores, "core", "cores"),
                        host),
            "Times tell little where processes take turns: start no more processes than cores.");
    const double quota = std::atof(facts(ranks[0]).quota.c_str());
    if (quota > 0 && quota < static_cast<double>(ranks.size()))
        add(fmt::format("The control group of {} grants {} cores to {}.", host, facts(ranks[0]).quota,
                        processes_text(ranks.size())),
            "Processes stand still when the time is used up: ask for more cores, or start fewer processes.");
    const int said = std::atoi(facts(ranks[0]).processes_said.c_str());
    if (said > 0 && static_cast<std::size_t>(said) != ranks.size())
        add(fmt::format("The launcher says that {} on {}, and MPI finds {}.",
                        said == 1 ? "1 process is" : fmt::format("{} processes are", said), host,
                        ranks.size()),
            "The library may take cores for shared, or not: please report it with the name of the launcher.");
}

/// A host that is several nodes to the MPI.  True if there is one.
bool Doctor::look_for_split_hosts()
{
    std::map<std::string, std::set<int>> hosts;
    for (const auto& [first, ranks] : nodes_) {
        const ProcessFacts& its = facts(first);
        if (!its.boot.empty()) hosts[its.boot + its.pid_space + its.host].insert(first);
    }
    for (const auto& [key, nodes] : hosts) {
        if (nodes.size() == 1) continue;
        add(fmt::format("MPI takes {} for {}.", facts(*nodes.begin()).host, nodes_text(nodes.size())),
            "MPICH takes lines of a host file for one node only if they follow each other: name each host "
            "once, as in \"mpiexec -hosts a:2,b:2\", and in MPICH 5 say the order by \"-rankmap 0,1,1,0\" "
            "(\"ortho-plan place --rankmap\").");
        return true;
    }
    return false;
}

void Doctor::look_for_containers()
{
    std::map<std::string, std::set<int>> machines;
    for (const Process& process : processes_)
        if (!process.facts.boot.empty()) machines[process.facts.boot].insert(process.node);
    for (const auto& [boot, nodes] : machines) {
        if (nodes.size() == 1) continue;
        add(fmt::format("MPI takes {} of one machine for {}: processes there do not share memory.",
                        facts(*nodes.begin()).container.empty() ? "parts" : "containers",
                        nodes_text(nodes.size())),
            "Start one container a node, or have them share it: \"--ipc=host --pid=host\" (Docker, Podman).");
        return;
    }
}

void Doctor::look_at_nodes()
{
    Section section{"Nodes", {}, {"node", "processes", "cores", "bound to", "container", "kernel"}, {}};
    for (const auto& [first, ranks] : nodes_) {
        std::set<std::string> bound;
        for (const int rank : ranks) bound.insert(facts(rank).cores);
        std::string bindings;
        for (const std::string& cores : bound) bindings += (bindings.empty() ? "" : " ") + cores;
        section.rows.push_back({{facts(first).host},
                                {std::to_string(ranks.size()), true},
                                {facts(first).cores_of_job, true},
                                {bindings.empty() ? "?" : bindings},
                                {facts(first).container.empty() ? "-" : facts(first).container},
                                {facts(first).kernel}});
        look_at_cores(ranks);
    }
    const bool is_split = look_for_split_hosts();
    if (library_.error.empty()) {
        const std::string seen = nodes_text(static_cast<std::size_t>(library_.nodes));
        section.facts.push_back({"the library sees", seen});
        if (!is_split && static_cast<std::size_t>(library_.nodes) != nodes_.size() &&
            !ortho::base::environment("ORTHO_NODES"))
            add(fmt::format("The library sees {}, and MPI {}.", seen, nodes_text(nodes_.size())),
                "Please report it.");
    }
    report_.sections.push_back(std::move(section));
    if (!is_split) look_for_containers();
}

/// Is one copy possible, and why not?
std::string Doctor::one_copy()
{
    if (is_set("ORTHO_SINGLE_COPY", false)) {
        add("ORTHO_SINGLE_COPY=0 has large messages on a node copied twice.", "Unset it.");
        return "switched off by ORTHO_SINGLE_COPY=0";
    }
    bool is_tried = false;
    for (std::size_t rank = 0; rank < processes_.size(); ++rank) {
        const Process& process = processes_[rank];
        is_tried |= process.read != Read::nobody;
        if (process.read != Read::refused) continue;
        const std::string why = std::strerror(process.error);
        const std::string& scope = process.facts.ptrace_scope;
        std::string remedy = "Arrays from ORTHO_Alloc_mem are copied once nevertheless.";
        if (!scope.empty() && scope != "0")
            remedy = fmt::format("/proc/sys/kernel/yama/ptrace_scope is {}: ask for 0. {}", scope, remedy);
        else if (!process.facts.container.empty())
            remedy = fmt::format("The container forbids it: start it with \"--cap-add=SYS_PTRACE\" (Docker, "
                                 "Podman), or all processes of a node in one container. {}",
                                 remedy);
        add(fmt::format(
                "Rank {} may not read the memory of its neighbor on {} ({}), so large messages on a node "
                "are copied twice.",
                rank, process.facts.host, why),
            remedy);
        return fmt::format("refused: {}", why);
    }
    return is_tried ? "allowed (process_vm_readv); the library uses it where it is faster"
                    : "not tried: no node has two processes";
}

void Doctor::look_at_memory()
{
    const bool has_neighbors = processes_.size() > nodes_.size();
    std::string shared = !library_.error.empty() ? "not tried"
                         : !has_neighbors        ? "not tried: no node has two processes"
                         : library_.shared       ? "works: messages of a node go through it"
                                                 : "messages of a node go by MPI";
    if (is_set("ORTHO_SHM", false)) {
        shared = "switched off by ORTHO_SHM=0";
        add("ORTHO_SHM=0 has messages on a node go by MPI.", "Unset it.");
    } else if (has_neighbors && library_.error.empty() && !library_.shared) {
        bool apart = false;
        for (const auto& [first, ranks] : nodes_)
            for (const int rank : ranks) apart |= facts(rank).pid_space != facts(first).pid_space;
        add("Messages between processes of a node go by MPI, not through shared memory.",
            apart ? "They have namespaces of process numbers of their own, as in containers: start all "
                    "processes "
                    "of a node in one container, or with \"--pid=host\"."
            : ortho::base::environment("ORTHO_TUNE")
                ? "The prices of the tune file may say that MPI is faster: try without ORTHO_TUNE."
                : "The processes must belong to one user, and /proc must be there. If both is so, please "
                  "report it.");
    }
    const std::int64_t bytes = least_of(&ProcessFacts::shm_bytes);
    const std::int64_t free = least_of(&ProcessFacts::shm_free);
    if (bytes < 0)
        add("There is no /dev/shm, which MPIs need.", "Mount a tmpfs there.");
    else if (free < little_shm)
        add(fmt::format("/dev/shm has {} free on some node, of {}. MPIs may end programs there.",
                        tools::size_text(free), tools::size_text(bytes)),
            "Remove what ended programs have left there; give containers more: \"--shm-size=1g\" (Docker, "
            "Podman). "
            "mpiortho itself does not use it.");
    report_.sections.push_back(
        {"Memory of a node",
         {{"shared memory", shared},
          {"/dev/shm",
           bytes < 0 ? "none"
                     : fmt::format("at least {}, {} free", tools::size_text(bytes), tools::size_text(free))},
          {"one copy", one_copy()},
          {"ptrace_scope", all_of(&ProcessFacts::ptrace_scope, "none: no Yama")},
          {"XPMEM", all_of(&ProcessFacts::xpmem, "none; mpiortho does not need it")},
          {"devices", all_of(&ProcessFacts::devices, "none: no driver")}}});
}

void Doctor::look_at_network()
{
    const std::string found = library_.network.empty() ? "as a fast network" : "as over " + library_.network;
    Section section{
        "Network",
        {{"fast cards", all_of(&ProcessFacts::fabrics, "none")},
         {"Ethernet", all_of(&ProcessFacts::ethernet, "none")},
         {"MPI has loaded", all_of(&ProcessFacts::network_libraries, "nothing that is known here")},
         {"messages take", library_.nodes > 1 && library_.error.empty() ? found + ", as the library sees it"
                                                                        : "not tried: there is one node"}}};
    report_.sections.push_back(std::move(section));
    const bool has_cards = std::ranges::any_of(processes_,
                                               [](const Process& p) { return !p.facts.fabrics.empty(); });
    if (has_cards && nodes_.size() > 1 && !library_.network.empty())
        add(fmt::format("There is a fast network card, and messages take as long as over {}.",
                        library_.network),
            "The MPI does not use the card: load the cluster's module of an MPI for it; Open MPI: \"--mca "
            "pml ucx\".");
    const std::int64_t locked = least_of(&ProcessFacts::locked_bytes);
    if (has_cards && locked >= 0 && locked < little_locked)
        add(fmt::format("Processes may lock {} of memory, and the card needs more.",
                        tools::size_text(locked)),
            "Ask for \"ulimit -l unlimited\" (Slurm: PropagateResourceLimitsExcept=MEMLOCK).");
}

/// Do two numbers differ by more than a factor of `factor`?
bool differ(double a, double b, double factor)
{
    return std::max(a, b) > factor * std::max(1e-9, std::min(a, b));
}

void Doctor::look_at_machine(const MeasuredMachine& measured)
{
    const Machine planned = believed(library_);
    Section section{
        "Machine", {}, {"link", "planned us", "measured us", "planned GB/s", "measured GB/s"}, {}};
    const auto us = [](const Link& link) {
        return 1e-6 * static_cast<double>(link.send_ps + link.receive_ps + link.latency_ps);
    };
    const auto rate = [](const Link& link) {
        return 1e3 / static_cast<double>(std::max<std::int64_t>(1, link.byte_ps));
    };
    std::string far;
    const auto add_link = [&](const char* name, const Link& plan, const Link& found, bool has) {
        if (!has) return;
        section.rows.push_back({{name},
                                {fixed(us(plan), 2), true},
                                {fixed(us(found), 2), true},
                                {fixed(rate(plan), 2), true},
                                {fixed(rate(found), 2), true}});
        if (differ(us(plan), us(found), 4) || differ(rate(plan), rate(found), 4))
            far += (far.empty() ? "" : "; ") + std::string(name);
    };
    add_link("on a node, shared memory", planned.shared, measured.machine.shared, measured.has_shared);
    add_link("on a node, one copy", planned.single, measured.machine.single, measured.has_shared);
    add_link("on a node, by MPI", planned.node, measured.machine.node, measured.has_node);
    add_link("between nodes, by MPI", planned.network, measured.machine.network, measured.has_network);
    section.facts = {
        {"clock",
         fmt::format("{}; MPI_Wtick {:.3g} s", all_of(&ProcessFacts::clock, "not known"), MPI_Wtick())},
        {"planned with", ortho::base::environment("ORTHO_TUNE") ? "the tune file" : "built-in numbers"}};
    if (section.rows.empty()) {
        section.columns.clear();
        section.facts.push_back({"links", "not measured: there is one process"});
    }
    report_.sections.push_back(std::move(section));
    const bool is_slow_clock = std::ranges::any_of(processes_, [](const Process& p) {
        return p.facts.clock == "hpet" || p.facts.clock == "acpi_pm" || p.facts.clock == "jiffies";
    });
    if (is_slow_clock)
        add("The kernel reads a slow clock on some node: each look at the time takes a microsecond.",
            "Have it use tsc: the parameter \"clocksource=tsc\" of the kernel.");
    if (!measured.doubt.empty())
        add(fmt::format("The measured numbers mean little: {}.", measured.doubt),
            "Something else keeps the machine busy: ask for whole nodes (\"--exclusive\"), and try again.");
    else if (!far.empty())
        add(fmt::format("Planned and measured times are far from each other: {}.", far),
            "\"ortho-bench tune --out FILE\" in such a job, then ORTHO_TUNE=FILE.");
}

void Doctor::look_at_exchanges(const std::vector<Outcome>& outcomes)
{
    Section section{"Exchanges", {}, {"exchange", "MPI us", "ours us", "ratio", "control", "chosen"}, {}};
    double strays = 1;
    std::string ours_wrong;
    std::string mpi_wrong;
    std::string slower;
    const auto append = [](std::string& list, bool is_so, const std::string& name) {
        if (is_so) list += (list.empty() ? "" : "; ") + name;
    };
    for (const Outcome& outcome : outcomes) {
        strays = std::max({strays, outcome.verdict.control, 1 / outcome.verdict.control});
        section.rows.push_back({{outcome.name},
                                {fixed(1e6 * outcome.mpi, 2), true},
                                {fixed(1e6 * outcome.ours, 2), true},
                                {fixed(outcome.verdict.ratio, 2), true},
                                {fixed(outcome.verdict.control, 2), true},
                                {outcome.chosen}});
        append(ours_wrong, outcome.ours_is_wrong, outcome.name);
        append(mpi_wrong, outcome.mpi_is_wrong, outcome.name);
        append(slower, outcome.verdict.slower, outcome.name);
    }
    if (!ours_wrong.empty())
        add(fmt::format("mpiortho has wrong results: {}.", ours_wrong),
            "Please report it, with this page and the output of ortho-conform.");
    if (!mpi_wrong.empty())
        add(fmt::format("The MPI has wrong results: {}.", mpi_wrong),
            "\"ortho-conform\" tells which of its calls are wrong.");
    if (!slower.empty())
        add(fmt::format("mpiortho is slower than the MPI: {}.", slower),
            "Measure once more on quiet nodes, with a tune file. If it stays so, please report it.");
    if (strays > 1.5)
        add(fmt::format(
                "The same call of the MPI takes {:.1f} times as long when it is measured again, so the "
                "ratios mean little.",
                strays),
            "Ask for whole nodes (\"--exclusive\") and bind processes to cores; or give more time: "
            "\"--budget-s 20\".");
    section.facts = {
        {"ratio", "the MPI's time / ours: above 1 ours is faster; control: the MPI's / the same again"}};
    char copies[200];
    ortho_copies_text(copies, sizeof copies);
    if (copies[0] != '\0') section.facts.push_back({"copies", copies});
    report_.sections.push_back(std::move(section));
}

} // namespace

/// The rest of the line of `text` that follows `words`; nothing if they are not there.
std::optional<std::string> after(const std::string& text, const std::string& words)
{
    const std::size_t at = text.find(words);
    if (at == std::string::npos) return std::nullopt;
    const std::size_t from = at + words.size();
    return text.substr(from, text.find('\n', from) - from);
}

Report report_of(Findings findings)
{
    const MeasuredMachine measured = findings.measured;
    const std::vector<Outcome> outcomes = findings.outcomes;
    const bool works = findings.library.error.empty();
    Doctor doctor(std::move(findings));
    doctor.look_at_program();
    doctor.look_at_nodes();
    doctor.look_at_memory();
    doctor.look_at_network();
    if (works) {
        doctor.look_at_machine(measured);
        doctor.look_at_exchanges(outcomes);
    }
    return doctor.report();
}

} // namespace bench::doctor
