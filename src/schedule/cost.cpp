// SPDX-License-Identifier: BSD-3-Clause
// The counts of a schedule.  No MPI in this file.

#include "schedule/cost.hpp"

namespace ortho::schedule {

Cost cost(const Schedule& schedule)
{
    Cost result;
    for (const Phase& phase : schedule.phases) result.phases += phase.rounds.size() > 0 ? 1 : 0;
    for (const Round& round : schedule.rounds) {
        if (round.to != nobody) {
            ++result.messages;
            result.blocks += round.sends.size();
        }
        if (round.from != nobody) {
            ++result.messages_in;
            result.blocks_in += round.receives.size();
        }
    }
    for (const Action& action : schedule.actions)
        ++(action.kind == Action::Kind::copy ? result.copies : result.reductions);
    return result;
}

} // namespace ortho::schedule
