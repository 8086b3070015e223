// SPDX-License-Identifier: BSD-3-Clause
// Messages between nodes that travel together.

#include "nodequeue/node_wires.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <list>
#include <new>
#include <set>
#include <utility>

#include "base/cores.hpp"
#include "base/index.hpp"
#include "base/numbers.hpp"
#include "mpi/comm.hpp"
#include "mpi/failure.hpp"
#include "nodequeue/shm_messages.hpp"
#include "runtime/message.hpp"
#include "runtime/wait.hpp"

namespace ortho::nodequeue {

using algorithm::WireDeclaration;
using algorithm::WireEnd;
using algorithm::WireMessage;
using algorithm::WireRow;
using algorithm::WiresByNode;
using algorithm::WireTasks;
using base::Numbers;

/// The state of one end of a wire: how often each of its two rows has been filled, and how often emptied,
/// since the beginning.  Where several processes fill or empty a row, each of them counts.
struct WireState {
    alignas(64) std::atomic<std::uint64_t> filled[2];
    alignas(64) std::atomic<std::uint64_t> emptied[2];
};
static_assert(sizeof(WireState) == algorithm::wire_state_bytes);
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

/// Bytes that one process copies between memory of its own and a row.
struct WireCopy {
    std::byte* address;
    std::int64_t begin;
    std::size_t bytes;
};

/// A message whose data we know how to find, or a row that it is packed in.
struct WiredMessage {
    Message message;
    std::unique_ptr<std::byte[]> packed{};
    std::vector<transport::Piece> pieces{};

    explicit WiredMessage(Message its) : message(std::move(its))
    {
        if (!message.parts.empty()) {
            pieces = transport::runs_of(message.parts);
        } else if (message.bytes > 0) {
            packed = std::make_unique_for_overwrite<std::byte[]>(message.bytes);
            pieces = {{packed.get(), message.bytes}};
        }
    }
};

namespace {

Numbers receive_numbers(MPI_Comm comm, int source, int tag)
{
    RowByMpi row;
    runtime::wait_until_on(comm, [&] { return row.is_here(source, tag, comm); });
    Numbers result(row.bytes() / sizeof(std::int64_t));
    if (!result.empty()) std::memcpy(result.data(), row.row(), row.bytes());
    return result;
}

void add_copy(std::vector<WireCopy>& copies, WireCopy copy)
{
    if (!copies.empty() && copies.back().address + copies.back().bytes == copy.address &&
        copies.back().begin + static_cast<std::int64_t>(copies.back().bytes) == copy.begin)
        copies.back().bytes += copy.bytes;
    else
        copies.push_back(copy);
}

/// `copy(address, row, bytes)` of each; most are one number.
template <class Copy>
void copy_all(const std::vector<WireCopy>& copies, std::byte* row, Copy copy)
{
    for (const auto& [address, begin, bytes] : copies)
        if (bytes == 8)
            copy(address, row + begin, std::integral_constant<std::size_t, 8>());
        else
            copy(address, row + begin, bytes);
}

/// Calls use(address, bytes) for so many bytes of a message, from an offset on.
template <class Use>
void visit_pieces(const std::vector<transport::Piece>& pieces, std::size_t& piece, std::size_t& done,
                  std::size_t bytes, Use use)
{
    while (bytes > 0 && piece < pieces.size()) {
        const std::size_t some = std::min(bytes, pieces[piece].bytes - done);
        use(pieces[piece].address + done, some);
        bytes -= some;
        done += some;
        if (done < pieces[piece].bytes) return;
        ++piece;
        done = 0;
    }
}

} // namespace

class WireMessages final : public transport::Messages {
public:
    /// A message that comes.
    struct Arriving {
        std::size_t receive;
        std::size_t bytes; ///< that were sent
    };

    std::vector<WiredMessage> out, in;
    // Once the wires are there:
    bool is_resolved = false;
    std::vector<std::vector<WireCopy>> contributions; ///< by task
    std::vector<std::vector<WireCopy>> readings;      ///< likewise
    std::vector<std::vector<Arriving>> arriving;      ///< with each of them

    /// Those to a node.
    std::vector<std::size_t> sends_to(int node, const NodeWires& wires) const
    {
        std::vector<std::size_t> result;
        for (std::size_t i = 0; i < out.size(); ++i)
            if (wires.node_of(out[i].message.partner) == node) result.push_back(i);
        return result;
    }
    void resolve(const NodeWires& wires)
    {
        for (const WireTasks::Contribution& contribution : wires.tasks().contributions)
            contributions.push_back(copies_of(contribution, wires));
        for (const WireTasks::Reading& reading : wires.tasks().readings) {
            readings.emplace_back();
            arriving.emplace_back();
            for (const WireMessage& message : reading.messages) add_reading(message);
        }
        is_resolved = true;
    }

private:
    void add_receive(int partner, const std::vector<transport::DataLocation>& data,
                     transport::BoundDatatypes& layouts, transport::Label label) override
    {
        in.emplace_back(Message(partner, data, layouts, label));
    }
    void add_send(int partner, const std::vector<transport::DataLocation>& data,
                  transport::BoundDatatypes& layouts, transport::Label label) override
    {
        out.emplace_back(Message(partner, data, layouts, label));
    }

    std::vector<WireCopy> copies_of(const WireTasks::Contribution& contribution, const NodeWires& wires) const
    {
        const std::vector<std::size_t> messages = sends_to(contribution.node, wires);
        // Where in its message each piece begins.
        std::vector<std::vector<std::size_t>> begins;
        std::vector<std::size_t> ends;
        for (const std::size_t i : messages) {
            std::size_t& end = ends.emplace_back(0);
            std::vector<std::size_t>& list = begins.emplace_back();
            for (const transport::Piece& piece : out[i].pieces)
                list.push_back(std::exchange(end, end + piece.bytes));
        }
        std::vector<WireCopy> result;
        for (const auto& [message, offset, bytes, begin] : wires.part_for(contribution.node).pieces()) {
            if (at(offset) >= ends[message]) continue; // it is shorter than it may be
            const auto behind = std::ranges::upper_bound(begins[message], at(offset));
            auto piece = at(behind - begins[message].begin() - 1);
            std::size_t done = at(offset) - begins[message][piece];
            std::int64_t to = contribution.begin + begin;
            visit_pieces(out[messages[message]].pieces, piece, done, at(bytes),
                         [&](std::byte* address, std::size_t some) {
                             add_copy(result, {address, to, some});
                             to += static_cast<std::int64_t>(some);
                         });
        }
        return result;
    }
    void add_reading(const WireMessage& message)
    {
        const auto found = std::ranges::find(in, message.source,
                                             [](const WiredMessage& mine) { return mine.message.partner; });
        if (found == in.end()) return; // a wrong program
        Arriving& message_there = arriving.back().emplace_back(at(found - in.begin()), 0);
        std::size_t piece = 0;
        std::size_t done = 0;
        for (const WireRow& row : message.rows) {
            std::int64_t from = row.begin;
            visit_pieces(found->pieces, piece, done, at(row.bytes),
                         [&](std::byte* address, std::size_t some) {
                             add_copy(readings.back(), {address, from, some});
                             from += static_cast<std::int64_t>(some);
                         });
            message_there.bytes += at(row.bytes);
        }
        message_there.bytes = std::min(message_there.bytes, found->message.bytes);
    }
};

namespace {

class WirePassage final : public transport::Passage {
public:
    explicit WirePassage(NodeWires& wires) : wires_(wires) {}

    void reserve(const transport::Messages& messages) override
    {
        // Bound again, by the same schedule.
        auto& bound = const_cast<WireMessages&>(static_cast<const WireMessages&>(messages));
        if (wires_.is_connected() && !bound.is_resolved) bound.resolve(wires_);
    }
    void post(const transport::Messages& messages, transport::Stamp stamp) override;
    bool advance(runtime::Backoff& backoff) override;
    bool has_arrived(std::size_t receive) override;
    void add_waiting_for(std::set<int>& ranks) override;
    void give_up() override;

private:
    enum class Step : std::uint8_t { waits, is_under_way, is_over };

    /// How often each row of this turn has been used before.
    std::uint64_t uses() const { return turn_ / 2; }
    std::size_t row() const { return turn_ % 2; }
    bool go_on();
    bool contribute(std::size_t i);
    bool read(std::size_t i);
    bool send(std::size_t i);
    bool receive(std::size_t i);
    void look_at_requests();
    MPI_Request& receive_request(std::size_t i) { return requests_[i]; }
    MPI_Request& send_request(std::size_t i) { return requests_[receives_.size() + i]; }

    NodeWires& wires_;
    const WireMessages* posted_ = nullptr;
    std::uint64_t turn_ = 0;
    int tag_ = 0;
    std::vector<Step> contributions_, readings_, sends_, receives_;
    std::vector<MPI_Request> requests_; // of its receives, then of its sends
};

void WirePassage::post(const transport::Messages& messages, transport::Stamp stamp)
{
    posted_ = static_cast<const WireMessages*>(&messages);
    turn_ = wires_.next_turn();
    tag_ = stamp.tag;
    error_ = nullptr;
    const WireTasks& tasks = wires_.tasks();
    contributions_.assign(tasks.contributions.size(), Step::waits);
    readings_.assign(tasks.readings.size(), Step::waits);
    sends_.assign(tasks.sends.size(), Step::waits);
    receives_.assign(tasks.receives.size(), Step::waits);
    requests_.assign(sends_.size() + receives_.size(), MPI_REQUEST_NULL);
    for (const WiredMessage& send : posted_->out)
        if (send.packed) attempt([&] { put(send.message, send.packed.get()); });
    go_on();
}

/// `advance(i)` of all that are not over.  True if all are.
template <class Steps, class Advance>
bool advance_each(const Steps& steps, Advance advance)
{
    bool all = true;
    for (std::size_t i = 0; i < steps.size(); ++i) all = advance(i) && all;
    return all;
}

bool WirePassage::go_on()
{
    // Other processes wait for contributions, so these go first.
    bool all = advance_each(contributions_, [&](std::size_t i) { return contribute(i); });
    look_at_requests();
    all = advance_each(sends_, [&](std::size_t i) { return send(i); }) && all;
    all = advance_each(receives_, [&](std::size_t i) { return receive(i); }) && all;
    return advance_each(readings_, [&](std::size_t i) { return read(i); }) && all;
}

bool WirePassage::advance(runtime::Backoff& backoff)
{
    if (go_on()) return true;
    if (std::ranges::count(requests_, MPI_REQUEST_NULL) == std::ssize(requests_)) backoff.looked_at_memory();
    return false;
}

bool WirePassage::contribute(std::size_t i)
{
    if (contributions_[i] == Step::is_over) return true;
    const WireTasks::Contribution& task = wires_.tasks().contributions[i];
    WireState& state = wires_.state(task.end);
    if (state.emptied[row()].load(std::memory_order_acquire) < uses()) return false;
    copy_all(posted_->contributions[i], wires_.row(task.end, turn_),
             [](const std::byte* from, std::byte* to, auto bytes) { std::memcpy(to, from, bytes); });
    state.filled[row()].fetch_add(1, std::memory_order_release);
    contributions_[i] = Step::is_over;
    return true;
}

bool WirePassage::send(std::size_t i)
{
    if (sends_[i] == Step::is_over) return true;
    const WireTasks::Agency& task = wires_.tasks().sends[i];
    WireState& state = wires_.state(task.end);
    if (sends_[i] == Step::waits) {
        const auto contributors = static_cast<std::uint64_t>(task.others);
        if (state.filled[row()].load(std::memory_order_acquire) < contributors * (uses() + 1)) return false;
        sends_[i] = Step::is_under_way;
        attempt([&] {
            with_row(wires_.row(task.end, turn_), at(task.bytes), [&](const transport::DataLocation& from) {
                mpi::check(PMPI_Isend(from.address, from.elements(), from.type, task.partner, tag_,
                                      wires_.comm(), &send_request(i)));
            });
        });
    }
    if (send_request(i) != MPI_REQUEST_NULL) return false;
    sends_[i] = Step::is_over;
    state.emptied[row()].store(uses() + 1, std::memory_order_release);
    return true;
}

bool WirePassage::receive(std::size_t i)
{
    if (receives_[i] == Step::is_over) return true;
    const WireTasks::Agency& task = wires_.tasks().receives[i];
    WireState& state = wires_.state(task.end);
    if (receives_[i] == Step::waits) {
        const auto readers = static_cast<std::uint64_t>(task.others);
        if (state.emptied[row()].load(std::memory_order_acquire) < readers * uses()) return false;
        receives_[i] = Step::is_under_way;
        attempt([&] {
            with_row(wires_.row(task.end, turn_), at(task.bytes), [&](const transport::DataLocation& to) {
                mpi::check(PMPI_Irecv(to.address, to.elements(), to.type, task.partner, tag_, wires_.comm(),
                                      &receive_request(i)));
            });
        });
    }
    if (receive_request(i) != MPI_REQUEST_NULL) return false;
    receives_[i] = Step::is_over;
    state.filled[row()].store(uses() + 1, std::memory_order_release);
    return true;
}

/// Looks at all together: each look that finds nothing may give the core away, and others wait for this
/// process.
void WirePassage::look_at_requests()
{
    int index = MPI_UNDEFINED;
    for (int flag = 1; flag != 0;) {
        const int code = PMPI_Testany(static_cast<int>(requests_.size()), requests_.data(), &index, &flag,
                                      MPI_STATUS_IGNORE);
        if (code != MPI_SUCCESS)
            attempt([&] {
                if (index < 0 || index >= std::ssize(receives_)) throw mpi::Failure(code);
                const WireTasks::Agency& task = wires_.tasks().receives[at(index)];
                transport::fail_receive(code, task.partner, task.bytes, "a message between nodes");
            });
        if (index == MPI_UNDEFINED) return;
    }
}

bool WirePassage::read(std::size_t i)
{
    if (readings_[i] == Step::is_over) return true;
    const WireEnd& end = wires_.tasks().readings[i].end;
    WireState& state = wires_.state(end);
    if (state.filled[row()].load(std::memory_order_acquire) < uses() + 1) return false;
    copy_all(posted_->readings[i], wires_.row(end, turn_),
             [](std::byte* to, const std::byte* from, auto bytes) { std::memcpy(to, from, bytes); });
    for (const WireMessages::Arriving& arrived : posted_->arriving[i]) {
        const WiredMessage& its = posted_->in[arrived.receive];
        if (its.packed) attempt([&] { take(its.packed.get(), arrived.bytes, its.message); });
    }
    state.emptied[row()].fetch_add(1, std::memory_order_release);
    readings_[i] = Step::is_over;
    return true;
}

bool WirePassage::has_arrived(std::size_t receive)
{
    go_on();
    for (std::size_t i = 0; i < readings_.size(); ++i)
        if (readings_[i] != Step::is_over &&
            std::ranges::find(posted_->arriving[i], receive, &WireMessages::Arriving::receive) !=
                posted_->arriving[i].end())
            return false;
    return true;
}

void WirePassage::add_waiting_for(std::set<int>& ranks)
{
    const WireTasks& tasks = wires_.tasks();
    for (std::size_t i = 0; i < sends_.size(); ++i)
        if (sends_[i] == Step::is_under_way) ranks.insert(tasks.sends[i].partner);
    for (std::size_t i = 0; i < readings_.size(); ++i)
        if (readings_[i] != Step::is_over)
            for (const WireMessage& message : tasks.readings[i].messages) ranks.insert(message.source);
}

void WirePassage::give_up()
{
    std::ranges::fill(contributions_, Step::is_over);
    std::ranges::fill(readings_, Step::is_over);
    for (std::size_t i = 0; i < sends_.size(); ++i)
        if (send_request(i) == MPI_REQUEST_NULL) sends_[i] = Step::is_over;
    for (std::size_t i = 0; i < receives_.size(); ++i)
        if (receive_request(i) == MPI_REQUEST_NULL) receives_[i] = Step::is_over;
}

} // namespace

NodeWires::NodeWires(std::shared_ptr<NodeChannels> channels, std::shared_ptr<const grid::Nodes> nodes,
                     MPI_Comm comm)
    : channels_(std::move(channels)),
      nodes_(std::move(nodes)),
      comm_(comm),
      rank_(mpi::rank_of(comm)),
      node_(nodes_->of(rank_))
{}

NodeWires::~NodeWires()
{
    if (!is_connected()) return;
    // The first state counts those of the node that have done with the memory.
    auto& left = std::launder(reinterpret_cast<WireState*>(memory_))->filled[0];
    left.fetch_add(1, std::memory_order_release);
    if (leader_of(node_) != rank_) return;
    const auto all = static_cast<std::uint64_t>(nodes_->size(node_));
    channels_->arena().release_later({memory_},
                                     [&left, all] { return left.load(std::memory_order_acquire) == all; });
}

std::unique_ptr<transport::Messages> NodeWires::bind()
{
    auto messages = std::make_unique<WireMessages>();
    bound_ = messages.get();
    return messages;
}

std::unique_ptr<transport::Passage> NodeWires::passage(const transport::Labels&)
{
    return std::make_unique<WirePassage>(*this);
}

WireState& NodeWires::state(const WireEnd& end) const
{
    return *std::launder(reinterpret_cast<WireState*>(memory_ + end.state));
}

std::byte* NodeWires::row(const WireEnd& end, std::uint64_t turn) const
{
    return memory_ + end.buffer + static_cast<std::int64_t>(turn % 2) * end.stride;
}

/// The messages of this process to other nodes and from them.
WireDeclaration NodeWires::declare()
{
    std::set<int> targets;
    std::set<int> sources;
    for (const WiredMessage& send : bound_->out) targets.insert(node_of(send.message.partner));
    for (const WiredMessage& receive : bound_->in) sources.insert(node_of(receive.message.partner));
    WireDeclaration result;
    result.source_nodes.assign(sources.begin(), sources.end());
    for (const int node : targets) {
        const std::vector<std::size_t> messages = bound_->sends_to(node, *this);
        std::vector<std::vector<WireRow>> rows;
        for (const std::size_t i : messages) {
            rows.emplace_back();
            for (const transport::Piece& piece : bound_->out[i].pieces)
                rows.back().push_back(
                    {static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(piece.address)),
                     static_cast<std::int64_t>(piece.bytes)});
        }
        const auto& part = parts_.emplace(node, algorithm::UnionOfRows(rows)).first->second;
        algorithm::WirePart& declared = result.parts.emplace_back();
        declared.node = node;
        declared.bytes = part.bytes();
        for (std::size_t m = 0; m < messages.size(); ++m)
            declared.messages.push_back({rank_, bound_->out[messages[m]].message.partner, part.rows(m)});
    }
    return result;
}

bool NodeWires::connect(int tag)
{
    WireDeclaration mine = declare();
    const int leader = leader_of(node_);
    if (leader == rank_) {
        tasks_ = lead(std::move(mine), tag);
    } else {
        const Numbers numbers = base::to_numbers(mine);
        runtime::send(comm_, leader, tag, std::as_bytes(std::span(numbers)));
        tasks_ = base::from_numbers<WireTasks>(receive_numbers(comm_, leader, tag));
    }
    if (tasks_.memory == 0) return false;
    memory_ = (leader == rank_ ? channels_->arena().base() : channels_->arena_of(leader)) + tasks_.memory;
    bound_->resolve(*this);
    return true;
}

/// Makes the wires of the node on its leader: see algorithm/wires.hpp.
WireTasks NodeWires::lead(WireDeclaration mine, int tag)
{
    const std::span<const int> members = nodes_->members(node_);
    std::vector<WireDeclaration> declarations;
    declarations.push_back(std::move(mine));
    for (const int member : members.subspan(1))
        declarations.push_back(base::from_numbers<WireDeclaration>(receive_numbers(comm_, member, tag)));

    algorithm::WireAgents agents(members, base::processes_a_core() > 1);
    WiresByNode outgoing = agents.outgoing(declarations);
    std::set<int> sources;
    for (const WireDeclaration& declaration : declarations)
        sources.insert(declaration.source_nodes.begin(), declaration.source_nodes.end());

    std::list<Numbers> letters;
    runtime::Posted posted(comm_, tag);
    const auto post = [&](int to, Numbers numbers) {
        posted.send(to, std::as_bytes(std::span(letters.emplace_back(std::move(numbers)))));
    };
    // A leader writes to another one before it answers that one's letter.
    for (auto& [node, wires] : outgoing) post(leader_of(node), base::to_numbers(wires));
    WiresByNode incoming;
    for (const int node : sources)
        incoming[node] = base::from_numbers<std::vector<algorithm::Wire>>(
            receive_numbers(comm_, leader_of(node), tag));
    agents.receive(incoming);
    for (const auto& [node, wires] : incoming) {
        Numbers receivers;
        for (const algorithm::Wire& wire : wires) receivers.push_back(wire.receiver);
        post(leader_of(node), std::move(receivers));
    }
    for (auto& [node, wires] : outgoing) {
        const Numbers receivers = receive_numbers(comm_, leader_of(node), tag);
        for (std::size_t i = 0; i < wires.size(); ++i) wires[i].receiver = static_cast<int>(receivers[i]);
    }

    algorithm::WireTable table(members, outgoing, incoming);
    std::byte* const memory = channels_->arena().allocate(at(table.bytes()));
    if (memory != nullptr) std::memset(memory, 0, at(table.bytes())); // no state has counted anything
    for (auto& [member, tasks] : table.tasks()) {
        if (memory != nullptr) tasks.memory = static_cast<std::int64_t>(channels_->arena().offset_of(memory));
        if (member != rank_) post(member, base::to_numbers(tasks));
    }
    posted.wait();
    return std::move(table.tasks()[rank_]);
}

} // namespace ortho::nodequeue
