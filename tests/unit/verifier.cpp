// SPDX-License-Identifier: BSD-3-Clause
// Runs schedules symbolically and proves their results.  No MPI in this file.

#include "verifier.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <utility>

#include "base/index.hpp"
#include "base/text.hpp"
#include "plan/schedule_text.hpp"

namespace ortho::schedule {

namespace {

using base::text;

/// Thrown at the first error; never leaves this file.
struct Failure {
    std::string what;
};

struct Parcel {
    Value value;
    int block; // the block whose size it has
};
using Message = std::vector<Parcel>;

class Process {
public:
    Process(int number, const Schedule& schedule, const Goal& goal)
        : number_(number),
          schedule_(schedule),
          goal_(goal),
          temp_(schedule.temp.size()),
          receive_(goal.receive[at(number)].size())
    {
        for (const Part& part : schedule.parts) wholes_.emplace(part.part, part.whole);
        for (const int slot : goal.present)
            if (at(slot) < receive_.size()) receive_[at(slot)] = Value{{number, slot}};
    }

    bool done() const { return phase_ == schedule_.phases.size(); }
    const Schedule& schedule() const { return schedule_; }
    const Phase& phase() const { return schedule_.phases[phase_]; }
    void next_phase()
    {
        ++phase_;
        entered_ = false;
    }
    bool enter() { return !std::exchange(entered_, true); }

    Value read(Slot slot) const
    {
        slot = place(slot);
        if (slot.buffer == Buffer::send) return {{number_, slot.index}};
        check_exists(slot);
        const std::optional<Value>& value = (slot.buffer == Buffer::temp ? temp_ : receive_)[at(slot.index)];
        if (!value) fail("reads ", to_text(slot), " before anything is there");
        return *value;
    }

    void write(Slot slot, Value value)
    {
        slot = place(slot);
        if (slot.buffer == Buffer::send) fail("writes ", to_text(slot));
        check_exists(slot);
        (slot.buffer == Buffer::temp ? temp_ : receive_)[at(slot.index)] = std::move(value);
    }

    int size_block(Slot slot) const
    {
        return slot.buffer == Buffer::temp ? schedule_.temp[at(slot.index)] : slot.index;
    }

    void run(const Action& action)
    {
        Value value = read(action.from);
        if (action.kind == Action::Kind::reduce) {
            const Value right = read(action.to);
            value.insert(value.end(), right.begin(), right.end());
        }
        write(action.to, std::move(value));
    }

    /// Checks that nothing in the phase writes a slot that something else in it reads or writes.
    void check_phase() const
    {
        std::set<Slot> read, written;
        for (const Round& round : schedule_.rounds_of(phase()))
            for (const Slot slot : schedule_.sends(round)) read.insert(place(slot));
        const auto write = [&](Slot slot) {
            if (read.contains(place(slot)) || !written.insert(place(slot)).second)
                fail("writes ", to_text(slot), ", which something else in the phase uses");
        };
        for (const Round& round : schedule_.rounds_of(phase()))
            for (const Slot slot : schedule_.receives(round)) write(slot);
        for (const Action& action : schedule_.meanwhile(phase())) {
            if (written.contains(place(action.from)))
                fail("reads ", to_text(action.from), ", which something else in the phase writes");
            read.insert(place(action.from));
            write(action.to);
        }
    }

    void check_result() const
    {
        const auto& wanted = goal_.receive[at(number_)];
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            std::optional<Value> have = receive_[i];
            std::optional<Value> want = wanted[i];
            const int slot = static_cast<int>(i);
            if (!want && std::ranges::find(goal_.present, slot) != goal_.present.end())
                want = Value{{number_, slot}};
            if (goal_.commutative) {
                if (have) std::ranges::sort(*have);
                if (want) std::ranges::sort(*want);
            }
            if (have != want)
                fail("receive slot ", i, " ends with ", describe(have), " instead of ", describe(want));
        }
    }

    template <class... What>
    [[noreturn]] void fail(const What&... what) const
    {
        throw Failure{text("process ", number_, ", phase ", phase_, ": ", what...)};
    }

private:
    static std::string describe(const std::optional<Value>& value)
    {
        if (!value) return "nothing";
        std::string result;
        for (const Origin& origin : *value)
            result += text(result.empty() ? "" : " + ", "block ", origin.block, " of process ",
                           origin.process);
        return result;
    }

    /// The whole of a slot, or the slot itself if it is no part.
    Slot place(Slot slot) const
    {
        const auto found = wholes_.find(slot);
        return found == wholes_.end() ? slot : found->second;
    }

    void check_exists(Slot slot) const
    {
        const std::size_t size = (slot.buffer == Buffer::temp ? temp_ : receive_).size();
        if (slot.index < 0 || at(slot.index) >= size) fail("names ", to_text(slot), ", which does not exist");
    }

    int number_;
    const Schedule& schedule_;
    const Goal& goal_;
    std::size_t phase_ = 0;
    bool entered_ = false;
    std::map<Slot, Slot> wholes_;
    std::vector<std::optional<Value>> temp_;
    std::vector<std::optional<Value>> receive_;
};

/// All processes and the messages between them.
class Run {
public:
    Run(const World& world, std::span<const Schedule> schedules, const Goal& goal)
        : world_(world),
          goal_(goal)
    {
        for (int p = 0; p < world.processes; ++p)
            processes_.emplace_back(p, schedules[schedules.size() == 1 ? 0 : at(p)], goal);
    }

    void run()
    {
        for (bool moved = true; moved;) {
            moved = false;
            for (int p = 0; p < world_.processes; ++p)
                while (!processes_[at(p)].done() && step(p)) moved = true;
        }
        for (int p = 0; p < world_.processes; ++p) {
            if (!processes_[at(p)].done()) processes_[at(p)].fail("waits for a message for ever");
        }
        for (const auto& [pair, queue] : wire_) {
            if (!queue.empty())
                throw Failure{text("a message from process ", pair.first, " to process ", pair.second,
                                   " is never received")};
        }
        for (const Process& process : processes_) process.check_result();
    }

private:
    int partner(int p, int other) const
    {
        if (other < 0 || other >= world_.processes) processes_[at(p)].fail("has a partner nowhere");
        if (other == p) processes_[at(p)].fail("sends itself a message");
        return other;
    }

    void send(int p)
    {
        Process& process = processes_[at(p)];
        process.check_phase();
        for (const Round& round : process.schedule().rounds_of(process.phase())) {
            if (round.to == nobody) continue;
            Message message;
            for (const Slot slot : process.schedule().sends(round))
                message.push_back({process.read(slot), process.size_block(slot)});
            const int target = partner(p, world_.target(p, process.schedule(), round));
            wire_[{p, target}].push_back(std::move(message));
        }
        for (const Action& action : process.schedule().meanwhile(process.phase())) process.run(action);
    }

    /// Have all messages of the phase arrived?
    bool arrived(int p)
    {
        const Process& process = processes_[at(p)];
        std::map<int, std::size_t> needed;
        for (const Round& round : process.schedule().rounds_of(process.phase())) {
            if (round.from == nobody) continue;
            ++needed[partner(p, world_.source(p, process.schedule(), round))];
        }
        return std::ranges::all_of(needed, [&](const auto& need) {
            return wire_[{need.first, p}].size() >= need.second;
        });
    }

    void receive(int p)
    {
        Process& process = processes_[at(p)];
        for (const Round& round : process.schedule().rounds_of(process.phase())) {
            if (round.from == nobody) continue;
            const int source = world_.source(p, process.schedule(), round);
            auto& queue = wire_[{source, p}];
            Message message = std::move(queue.front());
            queue.pop_front();
            const auto places = process.schedule().receives(round);
            if (places.size() != message.size())
                process.fail("expects ", places.size(), " blocks from process ", source, " and gets ",
                             message.size());
            for (std::size_t i = 0; i < places.size(); ++i) {
                if (goal_.sizes_differ && process.size_block(places[i]) != message[i].block)
                    process.fail("puts a block of the size of block ", message[i].block, " into ",
                                 to_text(places[i]));
                process.write(places[i], std::move(message[i].value));
            }
        }
    }

    /// Takes the process one phase further if it can go.
    bool step(int p)
    {
        Process& process = processes_[at(p)];
        if (process.enter()) send(p);
        if (!arrived(p)) return false;
        receive(p);
        for (const Action& action : process.schedule().afterwards(process.phase())) process.run(action);
        process.next_phase();
        return true;
    }

    const World& world_;
    const Goal& goal_;
    std::vector<Process> processes_;
    std::map<std::pair<int, int>, std::deque<Message>> wire_;
};

} // namespace

World world_of(const grid::Grid& grid)
{
    return {grid.points(),
            [grid](int process, const Schedule& schedule, const Round& round) {
                return grid.neighbor(process, schedule.steps[round.to]);
            },
            [grid](int process, const Schedule& schedule, const Round& round) {
                return grid.neighbor_against(process, schedule.steps[round.from]);
            }};
}

World world_of(const std::vector<grid::LocalGraph>& graph)
{
    return {static_cast<int>(graph.size()),
            [graph](int process, const Schedule&, const Round& round) {
                return graph[at(process)].targets[at(round.to)];
            },
            [graph](int process, const Schedule&, const Round& round) {
                return graph[at(process)].sources[at(round.from)];
            }};
}

std::optional<std::string> verify(const World& world, std::span<const Schedule> schedules, const Goal& goal)
{
    try {
        Run(world, schedules, goal).run();
        return std::nullopt;
    } catch (const Failure& failure) {
        return failure.what;
    }
}

} // namespace ortho::schedule
