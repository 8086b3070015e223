// SPDX-License-Identifier: BSD-3-Clause
// Writing a schedule down, in order.  No MPI in this file.

#include "schedule/builder.hpp"

#include <utility>

namespace ortho::schedule {

namespace {

template <class T>
Range append(std::vector<T>& all, std::vector<T>& part)
{
    const int begin = static_cast<int>(all.size());
    all.insert(all.end(), part.begin(), part.end());
    part.clear();
    return {begin, static_cast<int>(all.size())};
}

} // namespace

Builder::Builder(Partners partners, int dimensions)
{
    schedule_.partners = partners;
    schedule_.steps = grid::Stencil(dimensions);
}

void Builder::begin_phase()
{
    end_phase();
    in_phase_ = true;
    const int next = static_cast<int>(schedule_.rounds.size());
    schedule_.phases.push_back({{next, next}, {}, {}, begun_phases_++});
}

void Builder::begin_round(std::span<const int> step)
{
    end_round();
    in_round_ = true;
    const int index = schedule_.steps.size();
    schedule_.steps.push_back(step);
    round_ = {index, index, {}, {}};
}

void Builder::begin_round(int out_edge, int in_edge)
{
    end_round();
    in_round_ = true;
    round_ = {out_edge, in_edge, {}, {}};
}

void Builder::send(Slot block) { sends_.push_back(block); }
void Builder::receive(Slot place) { receives_.push_back(place); }

void Builder::copy_meanwhile(Slot from, Slot to) { meanwhile_.push_back({Action::Kind::copy, from, to}); }

void Builder::copy_afterwards(Slot from, Slot to) { afterwards_.push_back({Action::Kind::copy, from, to}); }

void Builder::reduce_afterwards(Slot from, Slot to)
{
    afterwards_.push_back({Action::Kind::reduce, from, to});
}

Slot Builder::new_temp(int block)
{
    schedule_.temp.push_back(block);
    return {Buffer::temp, static_cast<int>(schedule_.temp.size()) - 1};
}

void Builder::part(Slot part, Slot whole) { schedule_.parts.push_back({part, whole}); }

void Builder::end_round()
{
    if (!in_round_) return;
    in_round_ = false;
    if (schedule_.partners == Partners::grid_steps) {
        if (sends_.empty()) round_.to = nobody;
        if (receives_.empty()) round_.from = nobody;
    }
    if (round_.to == nobody && round_.from == nobody) return;
    round_.sends = append(schedule_.slots, sends_);
    round_.receives = append(schedule_.slots, receives_);
    schedule_.rounds.push_back(round_);
}

void Builder::end_phase()
{
    if (!in_phase_) return;
    in_phase_ = false;
    end_round();
    Phase& phase = schedule_.phases.back();
    phase.rounds.end = static_cast<int>(schedule_.rounds.size());
    phase.meanwhile = append(schedule_.actions, meanwhile_);
    phase.afterwards = append(schedule_.actions, afterwards_);
    if (phase.rounds.size() == 0 && phase.meanwhile.size() == 0 && phase.afterwards.size() == 0)
        schedule_.phases.pop_back();
}

Schedule Builder::finish() &&
{
    end_phase();
    schedule_.rounds.shrink_to_fit(); // a graph keeps them
    schedule_.slots.shrink_to_fit();
    return std::move(schedule_);
}

} // namespace ortho::schedule
