// SPDX-License-Identifier: BSD-3-Clause
// A schedule bound to buffers, datatypes and ranks.

#include "engine/binding.hpp"

#include <algorithm>
#include <climits>
#include <cstdint>

#include "base/error.hpp"
#include "base/index.hpp"
#include "engine/copy.hpp"
#include "engine/placed.hpp"
#include "mpi/failure.hpp"
#include "mpi/strides.hpp"

namespace ortho::engine {

using schedule::Buffer;
using schedule::Slot;

namespace {

/// Temporary blocks begin where any datatype may.
constexpr std::size_t alignment = 64;

std::size_t aligned(std::size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

std::uintptr_t number(const void* address) { return reinterpret_cast<std::uintptr_t>(address); }

/// The process at the other end.
int target_of(const BindingRequest& request, const schedule::Round& round)
{
    if (request.schedule->partners == schedule::Partners::graph_edges)
        return request.facts->lists.targets[at(round.to)];
    return request.facts->isomorphism->neighborhood.grid.neighbor(request.facts->lists.rank,
                                                                  request.schedule->steps[round.to]);
}

/// The index of the last message on the line; -1 if there is none.
template <class Messages, class Line>
int last_on(const Messages& messages, const Line* line)
{
    for (std::size_t i = messages.size(); i > 0; --i)
        if (messages[i - 1].line == line) return static_cast<int>(i - 1);
    return -1;
}

int receive_index(const BindingRequest& request, int index)
{
    return request.canonical_receive ? request.facts->isomorphism->slots.receive[at(index)] : index;
}

} // namespace

Binding::Binding(const BindingRequest& request)
    : arrivals_(at(request.sides.receive.slots())),
      contents_{request.schedule, request.facts, request.canonical_receive,
                request.sides.operands.slots() > 0}
{
    make_temp(request);
    for (const schedule::Part& part : request.schedule->parts) wholes_.emplace(part.part, part.whole);
    const schedule::Schedule& schedule = *request.schedule;
    for (const schedule::Phase& phase : schedule.phases) {
        BoundPhase bound;
        const std::size_t number = phases_.size();
        for (const schedule::Round& round : schedule.rounds_of(phase)) {
            if (round.from != schedule::nobody) {
                const std::size_t messages = bound.receives.size();
                bind_receive(request, source_of(schedule, *request.facts, round), schedule.receives(round),
                             bound);
                const Arrival arrival = bound.receives.size() > messages
                                            ? Arrival{Arrival::With::message, number, messages}
                                            : Arrival{Arrival::With::read, number, bound.reads.size() - 1};
                for (const Slot slot : schedule.receives(round)) note_arrival(request, slot, arrival);
            }
            if (round.to != schedule::nobody)
                bind_send(request, target_of(request, round), schedule.sends(round), bound);
        }
        for (const schedule::Action& action : schedule.meanwhile(phase))
            note_arrival(request, action.to, {Arrival::With::beginning, number, 0});
        for (const schedule::Action& action : schedule.afterwards(phase))
            note_arrival(request, action.to, {Arrival::With::end, number, 0});
        bound.meanwhile = bind_actions(request, schedule.meanwhile(phase));
        bound.afterwards = bind_actions(request, schedule.afterwards(phase));
        takes_mpi_ = takes_mpi_ || !bound.receives.empty() || !bound.sends.empty() ||
                     !bound.meanwhile.others.empty() || !bound.afterwards.others.empty();
        phases_.push_back(std::move(bound));
    }
    wholes_.clear();
    kept_.clear(); // handles of the user's mean nothing once the call has returned
    shapes_.clear();
}

void Binding::note_arrival(const BindingRequest& request, Slot slot, const Arrival& arrival)
{
    // The last to write a slot completes it.
    if (slot.buffer == Buffer::receive) arrivals_[at(receive_index(request, slot.index))] = arrival;
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
        Place place = request.sides.operands[block];
        const mpi::Span span = mpi::span_of(mpi::measure(place.type), place.count);
        place.type = keep(place.type);
        temp_slots_.push_back(place);
        rooms.push_back({temp_bytes_, span.begin});
        temp_bytes_ += aligned(static_cast<std::size_t>(span.end - span.begin));
    }
    temp_bytes_ += alignment;
    temp_ = std::make_unique_for_overwrite<std::byte[]>(temp_bytes_);
    const std::uintptr_t first = (number(temp_.get()) + alignment - 1) / alignment * alignment;
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
        Place place{temp_.get() + offsets[s], 0, MPI_BYTE};
        const std::int64_t bytes = size_of(temp[s]);
        if (bytes <= INT_MAX) {
            place.count = static_cast<int>(bytes);
        } else {
            types_.push_back(mpi::Datatype::of_bytes(static_cast<MPI_Aint>(bytes)));
            place.count = 1;
            place.type = types_.back().get();
        }
        temp_slots_.push_back(place);
    }
}

Place Binding::place_of(const BindingRequest& request, Slot slot)
{
    if (slot.buffer == Buffer::temp) return temp_slots_[at(slot.index)];
    Place place;
    if (slot.buffer == Buffer::receive)
        place = request.sides.receive[receive_index(request, slot.index)];
    else if (request.canonical_send)
        place = request.sides.send[request.facts->isomorphism->slots.send[at(slot.index)]];
    else
        place = request.sides.send[slot.index];
    place.type = keep(place.type);
    if (const auto whole = wholes_.find(slot); whole != wholes_.end() && whole->second.buffer == Buffer::temp)
        place.address = reinterpret_cast<void*>(number(place.address) +
                                                number(temp_slots_[at(whole->second.index)].address));
    return place;
}

void Binding::bind_receive(const BindingRequest& request, int partner, std::span<const Slot> slots,
                           BoundPhase& phase)
{
    const std::vector<Place> places = places_of(request, slots);
    const std::size_t bytes = bytes_of(places);
    if (request.lines == nullptr || !request.lines->lead_to(partner)) {
        phase.receives.push_back(bind_message(request, partner, places));
        return;
    }
    shared::Receiver* const line = request.lines->from(partner);
    phase.reads.push_back({bind_shared(request, partner, places), bytes, line, last_on(phase.reads, line)});
}

void Binding::bind_send(const BindingRequest& request, int partner, std::span<const Slot> slots,
                        BoundPhase& phase)
{
    const std::vector<Place> places = places_of(request, slots);
    const std::size_t bytes = bytes_of(places);
    sent_bytes_ += static_cast<std::int64_t>(bytes);
    if (request.lines == nullptr || !request.lines->lead_to(partner)) {
        phase.sends.push_back(bind_message(request, partner, places));
        return;
    }
    Message message = bind_shared(request, partner, places);
    const bool one_copy = request.lines->may_wait_for_receivers() &&
                          may_be_read_where_it_lies(message.parts, bytes);
    const std::size_t directions = one_copy ? bytes_of_directions(message.parts) : 0;
    shared::Sender* const line = request.lines->to(partner, one_copy ? directions : bytes);
    phase.writes.push_back({std::move(message), bytes, directions, line, last_on(phase.writes, line)});
}

std::vector<Place> Binding::places_of(const BindingRequest& request, std::span<const Slot> slots)
{
    std::vector<Place> places;
    for (const Slot slot : slots) {
        const Place place = place_of(request, slot);
        if (place.count == 0) continue;
        if (!places.empty() && places.back().type == place.type &&
            places.back().count <= INT_MAX - place.count) {
            // A block that begins where the last one of its type ends is more of it.
            const MPI_Aint extent = shape_of(place.type).measures.extent;
            const std::uintptr_t end = number(places.back().address) +
                                       static_cast<std::uintptr_t>(places.back().count * extent);
            if (end == number(place.address)) {
                places.back().count += place.count;
                continue;
            }
        }
        places.push_back(place);
    }
    return places;
}

std::size_t Binding::bytes_of(const std::vector<Place>& places)
{
    std::size_t bytes = 0;
    for (const Place& place : places)
        bytes += static_cast<std::size_t>(shape_of(place.type).measures.size) *
                 static_cast<std::size_t>(place.count);
    return bytes;
}

Message Binding::bind_message(const BindingRequest& request, int partner, const std::vector<Place>& places)
{
    Message message{partner, {}, {}};
    if (!request.packs || !pack(message, places)) message.place = combine(places);
    return message;
}

Message Binding::bind_shared(const BindingRequest& request, int partner, const std::vector<Place>& places)
{
    Message message{partner, {}, {}};
    if (!make_parts(message, places) || request.lines->are_too_large(bytes_of(places)))
        message.place = combine(places);
    return message;
}

bool Binding::make_parts(Message& message, const std::vector<Place>& places)
{
    Parts& parts = message.parts;
    if (std::ranges::all_of(places, [&](const Place& place) { return shape_of(place.type).plain; })) {
        for (const Place& place : places)
            parts.pieces.push_back({static_cast<std::byte*>(place.address), bytes_of({place})});
        parts.crumble();
        return true;
    }
    for (const Place& place : places) {
        auto box = mpi::strided_box(place.address, place.count, place.type);
        if (!box) {
            parts.boxes.clear();
            return false;
        }
        parts.boxes.push_back(std::move(*box));
    }
    return true;
}

bool Binding::pack(Message& message, const std::vector<Place>& places)
{
    // One piece is no worse where it lies.
    if (places.empty() || (places.size() == 1 && shape_of(places[0].type).plain)) return false;
    const std::size_t bytes = bytes_of(places);
    if (bytes > INT_MAX || !make_parts(message, places)) return false;
    if (bytes > message.parts.runs() * packed_bytes_a_run) {
        message.parts = {};
        return false;
    }
    rows_.push_back(std::make_unique_for_overwrite<std::byte[]>(bytes));
    temp_bytes_ += bytes;
    message.place = {rows_.back().get(), static_cast<int>(bytes), MPI_BYTE};
    return true;
}

int Binding::writes() const
{
    std::size_t result = 0;
    for (const BoundPhase& phase : phases_) result += phase.writes.size();
    return static_cast<int>(result);
}

const schedule::Phase& Binding::unbound(const BoundPhase& phase) const
{
    return contents_.schedule->phases[static_cast<std::size_t>(&phase - phases_.data())];
}

std::string Binding::contents_of(const BoundPhase& phase, const Message& message) const
{
    const schedule::Schedule& schedule = *contents_.schedule;
    std::size_t receives = 0;
    std::size_t reads = 0;
    for (const schedule::Round& round : schedule.rounds_of(unbound(phase))) {
        if (round.from == schedule::nobody) continue;
        // All messages of a process are reads, or none are.
        const int source = source_of(schedule, *contents_.facts, round);
        const bool is_read = reads < phase.reads.size() && phase.reads[reads].message.partner == source;
        const Message& bound = is_read ? phase.reads[reads++].message : phase.receives[receives++];
        if (&bound == &message) return contents_.of_message(round);
    }
    return "a message";
}

void Binding::fail(int code, const BoundPhase& phase, const Message& message, MPI_Count room) const
{
    int error_class = MPI_SUCCESS;
    mpi::check(PMPI_Error_class(code, &error_class));
    if (error_class != MPI_ERR_TRUNCATE) throw mpi::Failure(code);
    base::fail(base::ErrorKind::truncate, "recvcount", "rank ", message.partner, " sends more than the ",
               room, " bytes that there is room for in ", contents_of(phase, message));
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

Place Binding::combine(const std::vector<Place>& places)
{
    if (places.empty()) return {};
    if (places.size() == 1) return places.front();

    std::vector<int> counts;
    std::vector<MPI_Aint> displacements;
    std::vector<MPI_Datatype> types;
    // From the first one, not from MPI_BOTTOM, which MPICH's MPI_Pack does not take.
    void* const base = places.front().address;
    for (const Place& place : places) {
        counts.push_back(place.count);
        displacements.push_back(static_cast<MPI_Aint>(number(place.address) - number(base)));
        types.push_back(place.type);
    }
    const int n = static_cast<int>(places.size());
    MPI_Datatype type = MPI_DATATYPE_NULL;
    if (std::ranges::adjacent_find(types, std::ranges::not_equal_to{}) != types.end())
        mpi::check(PMPI_Type_create_struct(n, counts.data(), displacements.data(), types.data(), &type));
    else if (std::ranges::adjacent_find(counts, std::ranges::not_equal_to{}) != counts.end())
        mpi::check(PMPI_Type_create_hindexed(n, counts.data(), displacements.data(), types[0], &type));
    else
        mpi::check(PMPI_Type_create_hindexed_block(n, counts[0], displacements.data(), types[0], &type));
    return {base, 1, own(type)};
}

Steps Binding::bind_actions(const BindingRequest& request, std::span<const schedule::Action> actions)
{
    Steps steps;
    std::vector<Step>& list = steps.others;
    list.reserve(actions.size());
    bool all_plain = true;
    for (const schedule::Action& action : actions) {
        list.push_back({action.kind, place_of(request, action.from), place_of(request, action.to)});
        const Step& step = list.back();
        all_plain = all_plain && action.kind == schedule::Action::Kind::copy &&
                    shape_of(step.from.type).plain && shape_of(step.to.type).plain &&
                    bytes_of({step.from}) <= bytes_of({step.to});
        if (action.kind == schedule::Action::Kind::copy) make_copy(list.back());
    }
    if (!all_plain) return steps;
    for (const Step& step : list)
        steps.copies.push_back({static_cast<const std::byte*>(step.from.address),
                                static_cast<std::byte*>(step.to.address), bytes_of({step.from})});
    list = {};
    return steps;
}

void Binding::make_copy(Step& step)
{
    // Where both lie in a row there is nothing to gain; what does not fit is an error, which copying finds.
    if (step.from.count == 0 || (shape_of(step.from.type).plain && shape_of(step.to.type).plain)) return;
    if (bytes_of({step.from}) > bytes_of({step.to})) return;
    auto from = mpi::strided_box(step.from.address, step.from.count, step.from.type);
    auto to = mpi::strided_box(step.to.address, step.to.count, step.to.type);
    if (!from || !to) return;
    step.boxes.push_back(std::move(*from));
    step.parts.boxes.push_back(std::move(*to));
}

MPI_Datatype Binding::keep(MPI_Datatype type)
{
    const auto [entry, is_new] = kept_.try_emplace(type, type);
    if (is_new && !mpi::is_named(type)) {
        mpi::require_committed(type);
        types_.push_back(mpi::Datatype::duplicate(type));
        entry->second = types_.back().get();
    }
    return entry->second;
}

const Binding::Shape& Binding::shape_of(MPI_Datatype type)
{
    const auto found = shapes_.find(type);
    if (found != shapes_.end()) return found->second;
    const mpi::Measures measures = mpi::measure(type);
    return shapes_[type] = {measures, is_plain(type, measures)};
}

MPI_Datatype Binding::own(MPI_Datatype made)
{
    types_.emplace_back(made);
    mpi::check(PMPI_Type_commit(&made));
    return made;
}

} // namespace ortho::engine
