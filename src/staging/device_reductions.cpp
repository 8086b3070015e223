// SPDX-License-Identifier: BSD-3-Clause
// Reductions that a device makes where data lies in its memory.

#include "staging/device_reductions.hpp"

#include <algorithm>
#include <span>

namespace ortho::staging {

using memory::Reduction;
using schedule::Action;
using schedule::Buffer;
using schedule::Slot;

std::optional<Reduction> device_reduction(MPI_Op op, MPI_Datatype type)
{
    using By = Reduction::By;
    using Number = Reduction::Number;
    const std::pair<MPI_Op, By> operators[] = {{MPI_SUM, By::sum}, {MPI_MIN, By::min}, {MPI_MAX, By::max}};
    const MPI_Datatype integers[] = {MPI_INT, MPI_LONG, MPI_LONG_LONG, MPI_INT32_T, MPI_INT64_T, MPI_INTEGER};
    const MPI_Datatype floats[] = {MPI_FLOAT, MPI_DOUBLE, MPI_REAL, MPI_DOUBLE_PRECISION};
    const auto by = std::ranges::find(operators, op, &std::pair<MPI_Op, By>::first);
    if (type == MPI_DATATYPE_NULL || by == std::end(operators)) return std::nullopt;
    const auto find = [&](std::span<const MPI_Datatype> types, Number of_4,
                          Number of_8) -> std::optional<Reduction> {
        if (std::ranges::find(types, type) == types.end()) return std::nullopt;
        int bytes = 0;
        PMPI_Type_size(type, &bytes);
        if (bytes != 4 && bytes != 8) return std::nullopt;
        return Reduction{bytes == 4 ? of_4 : of_8, by->second};
    };
    const auto whole = find(integers, Number::int32, Number::int64);
    return whole ? whole : find(floats, Number::float32, Number::float64);
}

std::optional<std::vector<Action>> last_steps(const schedule::Schedule& schedule)
{
    const auto is_sent = [](Slot slot) { return slot.buffer == Buffer::send; };
    const auto is_temp = [](Slot slot) { return slot.buffer == Buffer::temp; };
    if (schedule.phases.size() != 1) return std::nullopt;
    const schedule::Phase& phase = schedule.phases.front();
    for (const schedule::Round& round : schedule.rounds_of(phase))
        if (!std::ranges::all_of(schedule.sends(round), is_sent)) return std::nullopt;
    for (const Action& action : schedule.meanwhile(phase))
        if (action.kind != Action::Kind::copy || !is_sent(action.from) || !is_temp(action.to))
            return std::nullopt;
    std::vector<Action> result;
    for (auto rest = schedule.afterwards(phase); !rest.empty();) {
        Action step = rest[0];
        std::size_t taken = 1;
        // Operators of MPI take elements in a row, and so algorithms take the result out and put it back.
        if (rest.size() > 2 && is_temp(step.to) && rest[1].kind == Action::Kind::reduce &&
            rest[1].to == step.to && rest[2] == Action{Action::Kind::copy, step.to, step.from}) {
            step = {Action::Kind::reduce, rest[1].from, step.from};
            taken = 3;
        }
        if (step.to.buffer != Buffer::receive || step.from.buffer == Buffer::receive) return std::nullopt;
        result.push_back(step);
        rest = rest.subspan(taken);
    }
    return result;
}

} // namespace ortho::staging
