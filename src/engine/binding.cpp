// SPDX-License-Identifier: BSD-3-Clause
// A schedule bound to buffers, datatypes and ranks.

#include "engine/binding.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "base/arithmetic.hpp"
#include "base/error.hpp"
#include "base/index.hpp"
#include "mpi/strides.hpp"

namespace ortho::engine {

using schedule::Buffer;
using schedule::Slot;

namespace {

/// Temporary blocks begin where any datatype may.
constexpr std::size_t alignment = 64;

/// As many as are counted without taking memory; there are three.
constexpr std::size_t most_transports = 4;

std::uintptr_t number(const void* address) { return reinterpret_cast<std::uintptr_t>(address); }

/// The process at the other end.
int target_of(const schedule::Schedule& schedule, const topology::GraphInfo& graph_info,
              const schedule::Round& round)
{
    if (schedule.partners == schedule::Partners::graph_edges) return graph_info.lists.targets[at(round.to)];
    return graph_info.isomorphism->neighborhood.grid.neighbor(graph_info.lists.rank,
                                                              schedule.steps[round.to]);
}

} // namespace

Binding::Binding(const BindingRequest& request)
    : transports_(request.transports),
      arrivals_(request.has_request ? at(request.sides.receive.slots()) : 0),
      contents_{request.schedule, request.graph_info, request.canonical_receive,
                request.sides.operands.slots() > 0},
      canonical_send_(request.canonical_send)
{
    make_temp(request);
    for (const schedule::Part& part : request.schedule->parts) wholes_.emplace(part.part, part.whole);
    if (memory::any_driver()) make_staging(request);
    const schedule::Schedule& schedule = *request.schedule;
    phases_.reserve(schedule.phases.size());
    for (const schedule::Phase& phase : schedule.phases) {
        BoundPhase bound;
        bound.messages.resize(transports_.size());
        const std::size_t number = phases_.size();
        for (const schedule::Round& round : schedule.rounds_of(phase)) {
            transport::Label label{static_cast<int>(&round - schedule.rounds.data())};
            if (round.from != schedule::nobody) {
                const int source = source_of(schedule, *request.graph_info, round);
                label.is_signal = schedule.receives(round).empty();
                bind_round(
                    request, source, schedule.receives(round), bound,
                    [&](transport::Messages& messages, std::size_t transport, std::span<const Slot> slots,
                        const std::vector<DataLocation>& places) {
                        const Arrival arrival{Arrival::With::message, number, transport, messages.receives()};
                        messages.bind_receive(source, places, layouts_, label);
                        for (const Slot slot : slots) note_arrival(slot, arrival);
                    });
            }
            if (round.to != schedule::nobody) {
                const int target = target_of(schedule, *request.graph_info, round);
                label.is_signal = schedule.sends(round).empty();
                bind_round(request, target, schedule.sends(round), bound,
                           [&](transport::Messages& messages, std::size_t, std::span<const Slot> slots,
                               const std::vector<DataLocation>& places) {
                               sent_bytes_ += static_cast<std::int64_t>(layouts_.bytes_of(places));
                               messages.bind_send(target, places, layouts_, label);
                               if (messages.last_send_stays_on_device())
                                   ++sends_on_devices_;
                               else if (staging_)
                                   with_host_.insert(slots.begin(), slots.end());
                           });
            }
        }
        for (const schedule::Action& action : schedule.meanwhile(phase))
            note_arrival(action.to, {Arrival::With::beginning, number});
        for (const schedule::Action& action : schedule.afterwards(phase))
            note_arrival(action.to, {Arrival::With::end, number});
        bound.meanwhile = bind_actions(request, schedule.meanwhile(phase));
        if (!staging_ || !staging_->reduces())
            bound.afterwards = bind_actions(request, schedule.afterwards(phase));
        phases_.push_back(std::move(bound));
    }
    for (std::size_t i = 0; i < transports_.size(); ++i) {
        if (!transports_[i]->all_take_part()) continue;
        if (phases_.empty()) phases_.emplace_back().messages.resize(transports_.size());
        for (BoundPhase& phase : phases_)
            if (!phase.messages[i]) phase.messages[i] = transports_[i]->bind();
    }
    for (const BoundPhase& phase : phases_) {
        takes_mpi_ = takes_mpi_ || !phase.meanwhile.others.empty() || !phase.afterwards.others.empty();
        for (const auto& messages : phase.messages)
            takes_mpi_ = takes_mpi_ || (messages && messages->takes_mpi());
    }
    if (staging_) leave_on_devices(schedule);
    wholes_.clear();
    with_host_.clear();
    layouts_.forget_handles();
}

[[gnu::hot]] std::size_t Binding::transport_to(int partner, std::size_t bytes, std::size_t mpi_messages) const
{
    std::size_t i = 0;
    while (!transports_[i]->reaches(partner, bytes, mpi_messages)) ++i;
    return i;
}

bool Binding::takes_blocks(std::size_t transport, int partner, std::size_t blocks) const
{
    return blocks > 1 && transports_[transport]->takes_blocks(partner);
}

template <class Bind>
void Binding::bind_round(const BindingRequest& request, int partner, std::span<const Slot> slots,
                         BoundPhase& phase, Bind bind)
{
    std::vector<DataLocation> places;
    places.reserve(slots.size());
    for (const Slot slot : slots) places.push_back(place_of(request, slot));
    const auto bind_some = [&](std::size_t transport, std::size_t begin, std::size_t end) {
        auto& messages = phase.messages[transport];
        if (!messages) messages = transports_[transport]->bind();
        std::vector<DataLocation> joined;
        if (takes_blocks(transport, partner, slots.size())) {
            joined = places;
        } else {
            joined.reserve(end - begin);
            for (std::size_t i = begin; i < end; ++i) layouts_.append(joined, places[i]);
        }
        bind(*messages, transport, slots.subspan(begin, end - begin), joined);
        phase.local_last = phase.local_last ||
                           (transports_[transport]->copies_on_node(partner) && messages->takes_mpi());
    };
    std::vector<std::size_t> sizes;
    sizes.reserve(slots.size());
    for (const DataLocation& place : places) sizes.push_back(layouts_.bytes_of({&place, 1}));
    visit_messages(partner, sizes, bind_some);
}

template <class Use>
void Binding::visit_messages(int partner, std::span<const std::size_t> sizes, Use use) const
{
    const std::size_t bytes = std::reduce(sizes.begin(), sizes.end());
    if (sizes.size() == 1) {
        use(transport_to(partner, bytes, 1), 0, 1);
        return;
    }
    for (std::size_t i = 0; i < transports_.size(); ++i)
        if (takes_blocks(i, partner, sizes.size())) return use(i, 0, sizes.size());
    const auto together = [&](std::size_t transport) {
        return transports_[transport]->most_together(partner, sizes.size(), bytes);
    };
    // As MPI's messages would be: visit(begin, end, bytes).
    const auto split = [&](auto visit) {
        if (bytes <= transport::Transport::always_together) return visit(0, sizes.size(), bytes);
        const std::size_t most = together(transports_.size() - 1);
        std::size_t begin = 0;
        std::size_t some = 0;
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            if (sizes[i] > 0 && some > 0 && some + sizes[i] > most) {
                visit(begin, i, some);
                begin = i;
                some = 0;
            }
            some += sizes[i];
        }
        visit(begin, sizes.size(), some);
    };
    std::size_t mpi_messages = 0;
    split([&](std::size_t, std::size_t, std::size_t) { ++mpi_messages; });
    const std::size_t whole = transport_to(partner, bytes, mpi_messages);
    if (mpi_messages == 1 || bytes <= together(whole)) {
        use(whole, 0, sizes.size());
        return;
    }
    split([&](std::size_t begin, std::size_t end, std::size_t some) {
        use(transport_to(partner, some, 1), begin, end);
    });
}

[[gnu::hot]] void Binding::note_arrival(Slot slot, const Arrival& arrival)
{
    // The last to write a slot completes it.
    if (slot.buffer == Buffer::receive && !arrivals_.empty())
        arrivals_[at(contents_.index_of(slot))] = arrival;
}

void Binding::make_temp(const BindingRequest& request)
{
    if (request.schedule->temp.empty()) return;
    if (request.sides.operands.slots() > 0)
        make_operands(request);
    else
        make_transit(request);
}

void Binding::make_operands(const BindingRequest& request)
{
    struct Room {
        std::size_t offset;
        MPI_Aint begin; // of the data, from the address
    };
    std::vector<Room> rooms;
    for (const int block : request.schedule->temp) {
        DataLocation place = request.sides.operands[block];
        const mpi::Span span = mpi::operands_span(mpi::measure(place.type), place.count);
        place.type = layouts_.keep(place.type, "the datatype of the reduction");
        temp_slots_.push_back(place);
        rooms.push_back({temp_bytes_, span.begin});
        temp_bytes_ += base::rounded_up(static_cast<std::size_t>(span.end - span.begin), alignment);
    }
    temp_bytes_ += alignment;
    temp_ = std::make_unique_for_overwrite<std::byte[]>(temp_bytes_);
    const std::uintptr_t first = base::rounded_up(number(temp_.get()), alignment);
    for (std::size_t s = 0; s < rooms.size(); ++s) {
        // The data lies at `begin` from the address, wherever that is.
        const std::uintptr_t address = first + rooms[s].offset - static_cast<std::uintptr_t>(rooms[s].begin);
        temp_slots_[s].address = reinterpret_cast<void*>(address);
    }
}

void Binding::make_transit(const BindingRequest& request)
{
    // Bytes lie as densely as they come: what arrives together is one piece.
    const std::vector<int>& temp = request.schedule->temp;
    std::vector<std::size_t> offsets;
    const auto size_of = [&](int block) {
        return request.transit_bytes[request.transit_bytes.size() == 1 ? 0 : at(block)];
    };
    for (const int block : temp) {
        offsets.push_back(temp_bytes_);
        temp_bytes_ += static_cast<std::size_t>(size_of(block));
    }
    temp_ = std::make_unique_for_overwrite<std::byte[]>(std::max<std::size_t>(1, temp_bytes_));
    for (std::size_t s = 0; s < temp.size(); ++s) {
        temp_slots_.push_back(
            layouts_.bytes_at(temp_.get() + offsets[s], static_cast<std::size_t>(size_of(temp[s]))));
    }
}

int Binding::block_of(Slot slot) const
{
    if (slot.buffer == Buffer::receive) return contents_.index_of(slot);
    return canonical_send_ ? contents_.graph_info->isomorphism->slots.send[at(slot.index)] : slot.index;
}

DataLocation Binding::place_of_users(const BindingRequest& request, Slot slot) const
{
    return (slot.buffer == Buffer::send ? request.sides.send : request.sides.receive)[block_of(slot)];
}

DataLocation Binding::place_of(const BindingRequest& request, Slot slot)
{
    if (slot.buffer == Buffer::temp) {
        const DataLocation& place = temp_slots_[at(slot.index)];
        return staging_ ? staging_->place(slot, place, layouts_) : place;
    }
    DataLocation place = place_of_users(request, slot);
    place.type = layouts_.keep(place.type,
                               slot.buffer == Buffer::send ? mpi::type_of_sent : mpi::type_of_received);
    if (lies_in_temp(slot))
        place.address = reinterpret_cast<void*>(
            number(place.address) + number(temp_slots_[at(wholes_.find(slot)->second.index)].address));
    else if (staging_)
        place = staging_->place(slot, place, layouts_);
    return place;
}

bool Binding::lies_in_temp(Slot slot) const
{
    const auto whole = wholes_.find(slot);
    return whole != wholes_.end() && whole->second.buffer == Buffer::temp;
}

std::unique_ptr<Staging> Binding::make_reducing_staging(const BindingRequest& request)
{
    const schedule::Schedule& schedule = *request.schedule;
    const auto steps = staging::last_steps(schedule);
    if (!steps) return nullptr;
    const auto place_of = [&](Slot slot) {
        return slot.buffer == Buffer::temp ? temp_slots_[at(slot.index)] : place_of_users(request, slot);
    };
    std::set<Slot> sent;
    std::vector<StagedBlock> written;
    const auto write = [&](Slot slot) -> StagedBlock& {
        return written.emplace_back(StagedBlock{slot, block_of(slot), place_of(slot), false, true, false});
    };
    for (const schedule::Round& round : schedule.rounds) {
        const auto slots = schedule.sends(round);
        sent.insert(slots.begin(), slots.end());
        // The last operand may arrive in the place of the result.
        for (const Slot slot : schedule.receives(round))
            if (slot.buffer == Buffer::receive) write(slot);
    }
    for (const schedule::Action& action : schedule.meanwhile(schedule.phases.front()))
        sent.insert(action.from);
    const auto first = staging::device_reduction(
        request.op, steps->empty() ? request.sides.operands[0].type : place_of(steps->front().from).type);
    if (!first) return nullptr;
    for (const auto& [kind, from, to] : *steps) {
        if (from.buffer == Buffer::send) sent.insert(from);
        const auto reduction = staging::device_reduction(request.op, place_of(from).type);
        if (!reduction || reduction->bytes() != first->bytes()) return nullptr;
        StagedBlock& block = write(to);
        block.from = from;
        if (kind == schedule::Action::Kind::reduce) block.reduction = reduction;
    }
    std::vector<StagedBlock> blocks;
    for (const Slot slot : sent) blocks.push_back({slot, block_of(slot), place_of(slot), true, false, false});
    blocks.insert(blocks.end(), written.begin(), written.end());
    return Staging::of_reduction(blocks, first->bytes());
}

void Binding::make_staging(const BindingRequest& request)
{
    if (contents_.reduces && (staging_ = make_reducing_staging(request))) {
        staging_->tell_of_rows();
        return;
    }
    const schedule::Schedule& schedule = *request.schedule;
    // Blocks that were received are passed on from where they lie.
    std::set<Slot> passed_on;
    for (const auto& [part, whole] : wholes_)
        if (whole.buffer == Buffer::receive) passed_on.insert({part, whole});
    std::set<Slot> named(schedule.slots.begin(), schedule.slots.end());
    for (const schedule::Action& action : schedule.actions) named.insert({action.from, action.to});
    std::vector<StagedBlock> blocks;
    for (const Slot slot : named) {
        if (slot.buffer == Buffer::temp || lies_in_temp(slot)) continue;
        const bool is_sent = slot.buffer == Buffer::send;
        // A block that is reduced into has a value before.
        blocks.push_back({slot, block_of(slot), place_of_users(request, slot), is_sent || contents_.reduces,
                          !is_sent, contents_.reduces || passed_on.contains(slot)});
    }
    staging_ = Staging::of(blocks);
    const auto is_sent = [](Slot slot) { return slot.buffer == Buffer::send; };
    const auto is_copied = [&](const schedule::Action& action) {
        return action.kind == schedule::Action::Kind::copy && is_sent(action.from) && !is_sent(action.to);
    };
    // Blocks that are passed on go through host memory.
    const auto are_sent = [&](const schedule::Round& round) {
        return round.to == schedule::nobody || std::ranges::all_of(schedule.sends(round), is_sent);
    };
    if (staging_ && temp_slots_.empty() && !contents_.reduces && passed_on.empty() &&
        std::ranges::all_of(schedule.actions, is_copied) && std::ranges::all_of(schedule.rounds, are_sent))
        staging_->tell_of_rows();
}

void Binding::leave_on_devices(const schedule::Schedule& schedule)
{
    std::set<Slot> sent(schedule.slots.begin(), schedule.slots.end());
    for (const schedule::Action& action : schedule.actions) sent.insert(action.from);
    for (const Slot slot : sent)
        if (slot.buffer == Buffer::send && !with_host_.contains(slot)) staging_->leave_on_device(slot);
}

bool Binding::copy_on_devices(const Step& step, Steps& steps)
{
    const auto row_of = [](const DataLocation& place, std::size_t bytes) {
        return memory::find_row(static_cast<const std::byte*>(place.address), bytes);
    };
    const std::size_t bytes = layouts_.bytes_of({&step.from, 1});
    if (bytes == 0 || bytes > layouts_.bytes_of({&step.to, 1})) return false;
    const memory::RowPart from = row_of(step.from, bytes);
    const memory::RowPart to = row_of(step.to, bytes);
    if (from.transfer == nullptr || to.transfer == nullptr || from.is_stored || !to.is_stored) return false;
    steps.on_devices.push_back({from, to, bytes});
    return true;
}

bool Binding::is_replaceable() const
{
    return contents_.schedule->parts.empty() && !contents_.reduces && transports_.size() <= most_transports &&
           !staging_;
}

[[gnu::hot]] bool Binding::replace(const BufferBlocks& send, const BufferBlocks& receive,
                                   const ElementBytes& element_bytes)
{
    sent_bytes_ = 0;
    const Replacement by{send, receive, element_bytes};
    for (std::size_t i = 0; i < contents_.schedule->phases.size(); ++i)
        if (!replace_phase(i, by)) return false;
    return true;
}

[[gnu::hot]] bool Binding::replace_phase(std::size_t i, const Replacement& by)
{
    const schedule::Schedule& schedule = *contents_.schedule;
    const schedule::Phase& unbound = schedule.phases[i];
    BoundPhase& phase = phases_[i];
    // By transport, how many have been replaced.
    std::array<std::size_t, most_transports> receives{};
    std::array<std::size_t, most_transports> sends{};
    for (const schedule::Round& round : schedule.rounds_of(unbound)) {
        if (round.from != schedule::nobody) {
            const int source = source_of(schedule, *contents_.graph_info, round);
            const bool all = replace_messages(
                by, source, schedule.receives(round),
                [&](std::size_t transport, std::span<const Slot> slots) {
                    const std::size_t message = receives[transport]++;
                    if (!phase.messages[transport] ||
                        !phase.messages[transport]->replace_receive(message, source, laid_))
                        return false;
                    for (const Slot slot : slots)
                        note_arrival(slot, {Arrival::With::message, i, transport, message});
                    return true;
                });
            if (!all) return false;
        }
        if (round.to != schedule::nobody) {
            const int target = target_of(schedule, *contents_.graph_info, round);
            const bool all = replace_messages(
                by, target, schedule.sends(round), [&](std::size_t transport, std::span<const Slot>) {
                    for (const transport::PlainData& data : laid_)
                        sent_bytes_ += static_cast<std::int64_t>(data.bytes);
                    return phase.messages[transport] &&
                           phase.messages[transport]->replace_send(sends[transport]++, target, laid_);
                });
            if (!all) return false;
        }
    }
    for (std::size_t transport = 0; transport < transports_.size(); ++transport) {
        const transport::Messages* const messages = phase.messages[transport].get();
        if (messages == nullptr) continue;
        // Some message that was bound goes another way now.
        if (receives[transport] != messages->receives() || sends[transport] != messages->receivers().size())
            return false;
    }
    // In the order of the binding: the last to write a slot completes it.
    for (const schedule::Action& action : schedule.meanwhile(unbound))
        note_arrival(action.to, {Arrival::With::beginning, i});
    for (const schedule::Action& action : schedule.afterwards(unbound))
        note_arrival(action.to, {Arrival::With::end, i});
    return replace(phase.meanwhile, schedule.meanwhile(unbound), by) &&
           replace(phase.afterwards, schedule.afterwards(unbound), by);
}

[[gnu::hot]] bool Binding::replace(Steps& steps, std::span<const schedule::Action> actions,
                                   const Replacement& by) const
{
    if (steps.copies.size() != actions.size()) return false;
    for (std::size_t i = 0; i < actions.size(); ++i) {
        transport::PlainData from;
        transport::PlainData to;
        if (!find_plain(by, actions[i].from, from) || !find_plain(by, actions[i].to, to)) return false;
        if (from.bytes > to.bytes) return false;
        steps.copies[i] = {from.begin(), to.begin(), from.bytes};
    }
    return true;
}

template <class Use>
[[gnu::hot]] bool Binding::replace_messages(const Replacement& by, int partner, std::span<const Slot> slots,
                                            Use use)
{
    blocks_.clear();
    sizes_.clear();
    for (const Slot slot : slots) {
        transport::PlainData& block = blocks_.emplace_back();
        if (!find_plain(by, slot, block)) return false;
        sizes_.push_back(block.bytes);
    }
    bool all = true;
    visit_messages(partner, sizes_, [&](std::size_t transport, std::size_t begin, std::size_t end) {
        if (takes_blocks(transport, partner, slots.size()))
            laid_ = blocks_;
        else
            lay(std::span(blocks_).subspan(begin, end - begin));
        all = all && use(transport, slots.subspan(begin, end - begin));
    });
    return all;
}

[[gnu::hot]] void Binding::lay(std::span<const transport::PlainData> blocks)
{
    laid_.clear();
    for (const transport::PlainData& block : blocks) {
        if (block.bytes == 0) continue;
        transport::PlainData* const before = laid_.empty() ? nullptr : &laid_.back();
        if (before != nullptr && before->place.type == block.place.type &&
            before->begin() + before->bytes == block.begin()) {
            before->place.count += block.place.count;
            before->bytes += block.bytes;
        } else {
            laid_.push_back(block);
        }
    }
}

inline bool Binding::find_plain(const Replacement& by, Slot slot, transport::PlainData& data) const
{
    if (slot.buffer == Buffer::temp) {
        data.place = temp_slots_[at(slot.index)];
        data.bytes = static_cast<std::size_t>(data.place.count);
        return data.place.type == MPI_BYTE;
    }
    const bool is_sent = slot.buffer == Buffer::send;
    const BufferBlocks& blocks = is_sent ? by.send : by.receive;
    const std::size_t element_bytes = is_sent ? by.element_bytes.send : by.element_bytes.receive;
    const int index = block_of(slot);
    const MPI_Count count = blocks.count(index);
    data.bytes = static_cast<std::size_t>(count) * element_bytes;
    if (count > 0) data.place = {blocks.begin_of_plain(index, element_bytes), count, blocks.type(index)};
    return true;
}

std::vector<std::size_t> Binding::sent_messages() const
{
    std::vector<std::size_t> result(transports_.size(), 0);
    for (const BoundPhase& phase : phases_)
        for (std::size_t i = 0; i < result.size(); ++i)
            if (phase.messages[i]) result[i] += phase.messages[i]->sent_as_worded();
    return result;
}

const schedule::Phase& Binding::unbound(const BoundPhase& phase) const
{
    return contents_.schedule->phases[static_cast<std::size_t>(&phase - phases_.data())];
}

std::string Binding::contents_of(transport::Label label) const
{
    return contents_.of_message(contents_.schedule->rounds[at(label.round)], label.block);
}

std::string Binding::contents_of(const BoundPhase& phase, const Step& step) const
{
    const schedule::Schedule& schedule = *contents_.schedule;
    const auto find = [&](const Steps& steps, std::span<const schedule::Action> actions) {
        for (std::size_t i = 0; i < steps.others.size(); ++i)
            if (&steps.others[i] == &step) return &actions[i];
        return static_cast<const schedule::Action*>(nullptr);
    };
    const schedule::Action* action = find(phase.meanwhile, schedule.meanwhile(unbound(phase)));
    if (action == nullptr) action = find(phase.afterwards, schedule.afterwards(unbound(phase)));
    return contents_.of_slot(action->to);
}

Steps Binding::bind_actions(const BindingRequest& request, std::span<const schedule::Action> actions)
{
    Steps steps;
    std::vector<Step>& list = steps.others;
    list.reserve(actions.size());
    bool all_plain = true;
    for (const schedule::Action& action : actions) {
        list.push_back({action.kind, place_of(request, action.from), place_of(request, action.to)});
        if (action.kind == schedule::Action::Kind::reduce && request.operand != MPI_DATATYPE_NULL)
            list.back().to.type = request.operand;
        const Step& step = list.back();
        all_plain = all_plain && action.kind == schedule::Action::Kind::copy &&
                    layouts_.shape_of(step.from.type).plain && layouts_.shape_of(step.to.type).plain &&
                    layouts_.bytes_of({&step.from, 1}) <= layouts_.bytes_of({&step.to, 1});
        if (action.kind == schedule::Action::Kind::copy) make_copy(list.back());
    }
    if (staging_) {
        if (std::ranges::all_of(list, [&](const Step& step) { return copy_on_devices(step, steps); })) {
            list = std::vector<Step>();
            return steps;
        }
        steps.on_devices.clear();
        for (const schedule::Action& action : actions) with_host_.insert(action.from);
    }
    if (!all_plain) return steps;
    for (const Step& step : list)
        steps.copies.push_back({static_cast<const std::byte*>(step.from.address),
                                static_cast<std::byte*>(step.to.address),
                                layouts_.bytes_of({&step.from, 1})});
    list = std::vector<Step>(); // {} would keep the memory
    return steps;
}

namespace {

/// The boxes of a place, one after the other; none if they are not known, or too many.
std::vector<grid::StridedBox> boxes_of(const DataLocation& place)
{
    constexpr std::size_t most = std::size_t{1} << 18;
    if (auto box = mpi::strided_box(place.address, place.count, place.type)) return {std::move(*box)};
    return mpi::boxes_in_order(place.address, place.count, place.type, most)
        .value_or(std::vector<grid::StridedBox>());
}

} // namespace

void Binding::make_copy(Step& step)
{
    // Where both lie in a row there is nothing to gain; what does not fit is an error, which copying finds.
    if (step.from.count == 0 ||
        (layouts_.shape_of(step.from.type).plain && layouts_.shape_of(step.to.type).plain))
        return;
    if (layouts_.bytes_of({&step.from, 1}) > layouts_.bytes_of({&step.to, 1})) return;
    auto from = boxes_of(step.from);
    auto to = boxes_of(step.to);
    if (from.empty() || to.empty()) return;
    from.shrink_to_fit(); // a request keeps them
    to.shrink_to_fit();
    step.boxes = std::move(from);
    step.parts.boxes = std::move(to);
}

} // namespace ortho::engine
