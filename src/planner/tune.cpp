// SPDX-License-Identifier: BSD-3-Clause
// The tune file: numbers of a machine.  No MPI in this file.

#include "planner/tune.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <set>
#include <sstream>

#include "base/error.hpp"
#include "base/index.hpp"

namespace ortho::planner {

namespace {

// With sockets each message is a system call at both ends, and an interrupt: at least 10 us.  A network with
// its own access to the processes' memory takes 1 to 3 us.
constexpr schedule::Machine built_in;
constexpr NetworkKind kinds[] = {
    {"a fast network", 0, 0, built_in.network, built_in.injection_byte_ps},
    {"sockets", 8'000'000, 0, {4'500'000, 4'500'000, 8'000'000, 500, 400}, 500},
    {"sockets of about 1 Gbit/s", 8'000'000, 2'500, {4'500'000, 4'500'000, 20'000'000, 8'000, 400}, 8'000},
};

} // namespace

std::span<const NetworkKind> network_kinds() { return kinds; }

int network_kind_of(std::int64_t latency_ps, std::int64_t byte_ps)
{
    int result = 0;
    for (int i = 0; i < static_cast<int>(std::size(kinds)); ++i)
        if (latency_ps >= kinds[i].latency_from_ps &&
            std::max<std::int64_t>(0, byte_ps) >= kinds[i].byte_from_ps)
            result = i;
    return result;
}

schedule::Machine with_network(schedule::Machine machine, int kind)
{
    if (kind == 0) return machine;
    machine.network = network_kinds()[at(kind)].link;
    machine.injection_byte_ps = network_kinds()[at(kind)].injection_byte_ps;
    return machine;
}

namespace {

/// Calls use(name, number) for each of a machine's numbers.
template <class SomeMachine, class Use>
void visit(SomeMachine& machine, Use use)
{
    const auto link = [&](const std::string& its, auto& figures) {
        use(its + ".send_ps", figures.send_ps);
        use(its + ".receive_ps", figures.receive_ps);
        use(its + ".latency_ps", figures.latency_ps);
        use(its + ".byte_ps", figures.byte_ps);
        use(its + ".copy_ps", figures.copy_ps);
        use(its + ".switch_ps", figures.switch_ps);
    };
    link("node", machine.node);
    link("shared", machine.shared);
    link("single", machine.single);
    link("network", machine.network);
    use("injection_byte_ps", machine.injection_byte_ps);
    use("meeting.two_byte_ps", machine.two_byte_ps);
    use("meeting.more_byte_ps", machine.more_byte_ps);
    use("block_ps", machine.block_ps);
    use("reduce_byte_ps", machine.reduce_byte_ps);
}

} // namespace

std::string to_text(const Machine& machine)
{
    std::ostringstream out;
    visit(machine,
          [&](const std::string& name, std::int64_t number) { out << name << ' ' << number << '\n'; });
    return out.str();
}

Tune parse_tune(const std::string& text, const std::string& file)
{
    Tune tune;
    std::set<std::string> said;
    std::istringstream in(text);
    std::string line;
    for (int number = 1; std::getline(in, line); ++number) {
        std::istringstream words(line);
        std::string name;
        std::string value;
        std::string rest;
        if (!(words >> name) || name.front() == '#') continue;
        words >> value >> rest;
        std::int64_t time = -1;
        const char* const end = value.data() + value.size();
        const auto parsed = std::from_chars(value.data(), end, time);
        bool known = false;
        visit(tune.machine, [&](const std::string& its_name, std::int64_t& its_time) {
            if (name != its_name) return;
            known = true;
            its_time = time;
            said.insert(name);
        });
        constexpr std::int64_t longest = 1'000'000'000'000'000; // 1000 s
        base::require(known && parsed.ec == std::errc() && parsed.ptr == end && rest.empty() && time >= 0 &&
                          time <= longest,
                      base::ErrorKind::info, "ORTHO_TUNE", "line ", number, " of ", file,
                      ", which ORTHO_TUNE names, is no 'name picoseconds': ", line.substr(0, 80));
    }
    // Without a number for copying, the cores move all bytes.
    const auto complete = [&](const std::string& link, schedule::Link& figures) {
        if (said.contains(link + ".byte_ps") && !said.contains(link + ".copy_ps"))
            figures.copy_ps = figures.byte_ps;
    };
    complete("node", tune.machine.node);
    complete("shared", tune.machine.shared);
    complete("single", tune.machine.single);
    // Older files have no numbers for single copies.  The numbers of shared memory are on the safe side.
    const auto tells_of = [&](const std::string& link) {
        const auto first = said.lower_bound(link + '.');
        return first != said.end() && first->starts_with(link + '.');
    };
    if (tells_of("shared") && !tells_of("single")) tune.machine.single = tune.machine.shared;
    complete("network", tune.machine.network);
    tune.tells_of_network = tells_of("network") || tells_of("meeting") || said.contains("injection_byte_ps");
    return tune;
}

} // namespace ortho::planner
