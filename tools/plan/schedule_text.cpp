// SPDX-License-Identifier: BSD-3-Clause
// Schedules in words.  No MPI in this file.

#include "plan/schedule_text.hpp"

#include <span>
#include <sstream>

#include "base/text.hpp"

namespace ortho::schedule {

namespace {

void write_slots(std::ostream& out, std::span<const Slot> slots)
{
    const char* separator = "";
    for (const Slot slot : slots) {
        out << separator << to_text(slot);
        separator = ", ";
    }
    if (slots.empty()) out << "no block";
}

/// "edge 3", or the step to the partner: "+(1, 0)" forwards, "-(1, 0)" backwards.
std::string partner(const Schedule& schedule, int index, char sign)
{
    if (schedule.partners == Partners::graph_edges) return base::text("edge ", index);
    std::string result{sign, '('};
    const char* separator = "";
    for (const int n : schedule.steps[index]) {
        result += base::text(separator, n);
        separator = ", ";
    }
    return result + ")";
}

void write_actions(std::ostream& out, const char* when, std::span<const Action> actions)
{
    for (const Action& action : actions) {
        out << "  " << when << (action.kind == Action::Kind::copy ? ": copy " : ": reduce ")
            << to_text(action.from) << " into " << to_text(action.to) << '\n';
    }
}

} // namespace

std::string to_text(Slot slot)
{
    constexpr const char* names[] = {"send ", "receive ", "temp "};
    return base::text(names[static_cast<int>(slot.buffer)], slot.index);
}

std::string to_text(const Schedule& schedule)
{
    std::ostringstream out;
    for (std::size_t i = 0; i < schedule.phases.size(); ++i) {
        const Phase& phase = schedule.phases[i];
        out << "phase " << i << '\n';
        for (const Round& round : schedule.rounds_of(phase)) {
            if (round.to != nobody) {
                out << "  to " << partner(schedule, round.to, '+') << ": ";
                write_slots(out, schedule.sends(round));
                out << '\n';
            }
            if (round.from != nobody) {
                out << "  from " << partner(schedule, round.from, '-') << ": ";
                write_slots(out, schedule.receives(round));
                out << '\n';
            }
        }
        write_actions(out, "meanwhile", schedule.meanwhile(phase));
        write_actions(out, "then", schedule.afterwards(phase));
    }
    for (const Part& part : schedule.parts)
        out << to_text(part.part) << " is part of " << to_text(part.whole) << '\n';
    return out.str();
}

} // namespace ortho::schedule
