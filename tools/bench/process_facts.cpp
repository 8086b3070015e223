// SPDX-License-Identifier: BSD-3-Clause
#include "bench/process_facts.hpp"

#include <fmt/format.h>
#include <link.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "base/cores.hpp"
#include "base/environment.hpp"

extern char** environ;

namespace bench::doctor {

namespace {

namespace fs = std::filesystem;

/// The first line of a file; "" if there is none.
std::string line_of(const fs::path& file)
{
    std::ifstream in(file);
    std::string line;
    std::getline(in, line);
    return line;
}

bool is_there(const char* path) { return access(path, F_OK) == 0; }

/// Names in a folder, in order; none if there is no such folder.
std::vector<std::string> names_in(const fs::path& folder)
{
    std::vector<std::string> names;
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
        names.push_back(entry->path().filename());
    std::ranges::sort(names);
    return names;
}

void append(std::string& list, const std::string& word) { list += (list.empty() ? "" : ", ") + word; }

std::string namespace_of(const char* kind)
{
    std::error_code error;
    return fs::read_symlink(fmt::format("/proc/self/ns/{}", kind), error);
}

std::string container()
{
    for (const char* name : {"APPTAINER_CONTAINER", "SINGULARITY_CONTAINER"})
        if (std::getenv(name) != nullptr) return "Apptainer";
    if (is_there("/run/.containerenv")) return "Podman";
    if (is_there("/.dockerenv")) return "Docker";
    return "";
}

/// The line "Cpus_allowed_list" of this process's status.
std::string cores()
{
    std::ifstream in("/proc/self/status");
    const std::string name = "Cpus_allowed_list:\t";
    for (std::string line; std::getline(in, line);)
        if (line.starts_with(name)) return line.substr(name.size());
    return "";
}

/// The cores that the control group grants, if it has a limit (versions 2 and 1).
std::string quota()
{
    double time = 0;
    double period = 0;
    std::ifstream("/sys/fs/cgroup/cpu.max") >> time >> period;
    if (period == 0) {
        std::ifstream("/sys/fs/cgroup/cpu/cpu.cfs_quota_us") >> time;
        std::ifstream("/sys/fs/cgroup/cpu/cpu.cfs_period_us") >> period;
    }
    return time > 0 && period > 0 ? fmt::format("{:.3g}", time / period) : "";
}

/// Drivers of cards, with the number of cards.
std::string devices()
{
    std::string result;
    if (is_there("/dev/nvidiactl")) {
        const auto is_card = [](const std::string& name) {
            return name.size() > 6 && name.starts_with("nvidia") &&
                   name.find_first_not_of("0123456789", 6) == std::string::npos;
        };
        append(result, fmt::format("NVIDIA ({} cards)", std::ranges::count_if(names_in("/dev"), is_card)));
    }
    if (is_there("/dev/kfd")) append(result, "AMD");
    return result;
}

std::string fabrics()
{
    std::string result;
    const fs::path root = "/sys/class/infiniband";
    for (const std::string& card : names_in(root))
        for (const std::string& port : names_in(root / card / "ports")) {
            const fs::path folder = root / card / "ports" / port;
            if (line_of(folder / "state").find("ACTIVE") != std::string::npos)
                append(result, fmt::format("{}/{} {} {}", card, port, line_of(folder / "link_layer"),
                                           line_of(folder / "rate")));
        }
    for (const std::string& name : names_in("/dev"))
        if (name.starts_with("cxi") || name.starts_with("hfi1_") || name == "kgni0") append(result, name);
    return result;
}

std::string ethernet()
{
    std::string result;
    const fs::path root = "/sys/class/net";
    for (const std::string& name : names_in(root)) {
        const std::string state = line_of(root / name / "operstate");
        if (name == "lo" || (state != "up" && state != "unknown")) continue;
        const int speed = std::atoi(line_of(root / name / "speed").c_str()); // Mbit/s; -1 if not known
        append(result, speed > 0 ? fmt::format("{} {} Gb/s", name, speed / 1000.0) : name);
    }
    return result;
}

/// Calls look(path) for each library of this process.
template <class Look>
void for_each_library(Look look)
{
    dl_iterate_phdr(
        [](dl_phdr_info* one, std::size_t, void* data) {
            (*static_cast<Look*>(data))(std::string(one->dlpi_name));
            return 0;
        },
        &look);
}

std::string network_libraries()
{
    constexpr std::array<std::pair<const char*, const char*>, 7> known{{
        {"libucp.so", "UCX"},
        {"libfabric.so", "libfabric"},
        {"libpsm2.so", "PSM2"},
        {"libpsm3", "PSM3"},
        {"libportals.so", "Portals"},
        {"mca_btl_tcp.so", "TCP"},
        {"mca_btl_openib.so", "verbs"},
    }};
    std::vector<std::string> found;
    for_each_library([&](const std::string& path) {
        const std::string name = path.substr(path.rfind('/') + 1);
        for (const auto& [file, word] : known)
            if (name.starts_with(file) && std::ranges::find(found, word) == found.end())
                found.emplace_back(word);
    });
    std::ranges::sort(found);
    std::string result;
    for (const std::string& word : found) append(result, word);
    return result;
}

std::string interposer()
{
    std::string result;
    for_each_library([&](const std::string& path) {
        if (path.find("libmpiortho-pmpi") != std::string::npos) result = path;
    });
    return result;
}

std::string variables()
{
    std::vector<std::string> found;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string text = *entry;
        if (text.starts_with("ORTHO_") && !text.starts_with("ORTHO_TEST_")) found.push_back(text);
    }
    std::ranges::sort(found);
    std::string result;
    for (const std::string& text : found) append(result, text);
    return result;
}

std::string lines_of(const std::vector<std::string>& sentences)
{
    std::string result;
    for (const std::string& sentence : sentences) result += (result.empty() ? "" : "\n") + sentence;
    return result;
}

} // namespace

std::vector<std::string*> ProcessFacts::members()
{
    return {&host,         &kernel,    &boot,      &pid_space,     &container,    &cores,
            &cores_of_job, &quota,     &shm_bytes, &shm_free,      &ptrace_scope, &xpmem,
            &clock,        &devices,   &fabrics,   &ethernet,      &locked_bytes, &network_libraries,
            &interposer,   &variables, &odd,       &processes_said};
}

ProcessFacts process_facts()
{
    ProcessFacts facts;
    utsname system{};
    if (uname(&system) == 0) {
        facts.host = system.nodename;
        facts.kernel = fmt::format("{} {}", system.sysname, system.release);
    }
    facts.boot = line_of("/proc/sys/kernel/random/boot_id");
    facts.pid_space = namespace_of("pid");
    facts.container = container();
    facts.cores = cores();
    facts.cores_of_job = std::to_string(ortho::base::cores_here());
    facts.quota = quota();
    struct statvfs memory {};
    if (statvfs("/dev/shm", &memory) == 0) {
        facts.shm_bytes = std::to_string(memory.f_blocks * memory.f_frsize);
        facts.shm_free = std::to_string(memory.f_bavail * memory.f_frsize);
    }
    facts.ptrace_scope = line_of("/proc/sys/kernel/yama/ptrace_scope");
    if (is_there("/dev/xpmem")) facts.xpmem = "/dev/xpmem";
    facts.clock = line_of("/sys/devices/system/clocksource/clocksource0/current_clocksource");
    facts.devices = devices();
    facts.fabrics = fabrics();
    facts.ethernet = ethernet();
    rlimit locked{};
    if (getrlimit(RLIMIT_MEMLOCK, &locked) == 0 && locked.rlim_cur != RLIM_INFINITY)
        facts.locked_bytes = std::to_string(locked.rlim_cur);
    facts.network_libraries = network_libraries();
    facts.interposer = interposer();
    facts.variables = variables();
    facts.odd = lines_of(ortho::base::odd_variables());
    facts.processes_said = std::to_string(ortho::base::processes_here());
    return facts;
}

std::vector<int> numbers_of(const std::string& list)
{
    std::vector<int> numbers;
    for (std::size_t at = 0; at < list.size();) {
        const std::size_t end = std::min(list.find(',', at), list.size());
        const std::string part = list.substr(at, end - at);
        const std::size_t dash = part.find('-');
        const int first = std::atoi(part.c_str());
        const int last = dash == std::string::npos ? first : std::atoi(part.c_str() + dash + 1);
        for (int i = first; i <= last; ++i) numbers.push_back(i);
        at = end + 1;
    }
    return numbers;
}

} // namespace bench::doctor
