// SPDX-License-Identifier: BSD-3-Clause
// The tune file: a machine in words.  No MPI in this file.

#include "planner/tune.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <sstream>
#include <string_view>

#include "base/error.hpp"

namespace ortho::planner {

namespace {

/// Calls use(name, number) for each of a machine's numbers.
template <class SomeMachine, class Use>
void visit(SomeMachine& machine, Use use)
{
    use("node.send_ps", machine.node.send_ps);
    use("node.receive_ps", machine.node.receive_ps);
    use("node.latency_ps", machine.node.latency_ps);
    use("node.byte_ps", machine.node.byte_ps);
    use("network.send_ps", machine.network.send_ps);
    use("network.receive_ps", machine.network.receive_ps);
    use("network.latency_ps", machine.network.latency_ps);
    use("network.byte_ps", machine.network.byte_ps);
    use("block_ps", machine.block_ps);
    use("reduce_byte_ps", machine.reduce_byte_ps);
    use("switch_ps", machine.switch_ps);
}

} // namespace

std::string to_text(const Machine& machine)
{
    std::ostringstream out;
    visit(machine, [&](const char* name, std::int64_t number) { out << name << ' ' << number << '\n'; });
    return out.str();
}

Machine parse_machine(const std::string& text, const std::string& file)
{
    Machine machine;
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
        visit(machine, [&](const char* its_name, std::int64_t& its_time) {
            if (name != its_name) return;
            known = true;
            its_time = time;
        });
        constexpr std::int64_t longest = 1'000'000'000'000'000; // 1000 s
        base::require(known && parsed.ec == std::errc() && parsed.ptr == end && rest.empty() && time >= 0 &&
                          time <= longest,
                      base::ErrorKind::info, "ORTHO_TUNE", "line ", number, " of ", file, " is no 'name picoseconds': ",
                      line.substr(0, 80));
    }
    return machine;
}

} // namespace ortho::planner
