// SPDX-License-Identifier: BSD-3-Clause
// Messages of non-blocking operations through shared memory.

#include "nodequeue/shm_nonblocking.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "nodequeue/shm_messages.hpp"

namespace ortho::nodequeue {

namespace {

class NonblockingMessages final : public transport::Messages {
public:
    explicit NonblockingMessages(NodeChannels& channels) : channels_(channels) {}

    bool takes_mpi() const override { return false; }

    struct Outgoing {
        Message message;
        UnboundedSender* channel;
    };
    struct Incoming {
        Message message;
        Inbox* inbox;
    };
    std::vector<Outgoing> outgoing;
    std::vector<Incoming> incoming;

private:
    void add_receive(int partner, const std::vector<transport::DataLocation>& data,
                     transport::BoundDatatypes& layouts, transport::Label label) override
    {
        incoming.push_back({{partner, data, layouts, label}, channels_.unbounded_from(partner)});
    }
    void add_send(int partner, const std::vector<transport::DataLocation>& data,
                  transport::BoundDatatypes& layouts, transport::Label label) override
    {
        outgoing.push_back({{partner, data, layouts, label}, channels_.unbounded_to(partner)});
    }
    bool change_receive(std::size_t i, std::span<const transport::PlainData> data) override
    {
        incoming[i].message.replace(data);
        return true;
    }
    bool change_send(std::size_t i, std::span<const transport::PlainData> data) override
    {
        outgoing[i].message.replace(data);
        return true;
    }

    NodeChannels& channels_;
};

class NonblockingPassage final : public transport::Passage {
public:
    NonblockingPassage(MPI_Comm private_comm, const transport::Labels& labels)
        : private_comm_(private_comm),
          labels_(labels)
    {}

    void reserve(const transport::Messages& messages) override { reads_.reserve(messages.receives()); }
    void post(const transport::Messages& messages, transport::Stamp stamp) override;
    bool advance(runtime::Backoff& backoff) override;
    bool has_arrived(std::size_t receive) override { return read(receive); }
    void add_waiting_for(std::set<int>& ranks) override;
    void give_up() override
    {
        for (Progress& progress : reads_) progress.done = progress.done || !progress.by_mpi;
    }
    // Calls that may be abandoned are verified, and go by MPI.
    void abandon(std::span<const transport::UnmatchedMessage>, transport::Stamp) override {}

private:
    struct Progress {
        bool done = false;
        std::uint64_t turn = 0;
        std::unique_ptr<RowByMpi> by_mpi{}; ///< of a message that comes another way
    };

    void send(const NonblockingMessages::Outgoing& outgoing);
    bool go_on();
    bool read(std::size_t i);
    bool receive_by_mpi(const Message& message, Progress& progress);

    MPI_Comm private_comm_; // for messages that there is no memory for
    const transport::Labels& labels_;
    const NonblockingMessages* posted_ = nullptr;
    transport::Stamp stamp_;
    std::vector<Progress> reads_;
    std::size_t read_ = 0; // reads before are done
};

void NonblockingPassage::post(const transport::Messages& messages, transport::Stamp stamp)
{
    posted_ = static_cast<const NonblockingMessages*>(&messages);
    stamp_ = stamp;
    error_ = nullptr;
    read_ = 0;
    reads_.clear();
    for (const auto& incoming : posted_->incoming)
        reads_.push_back({.turn = incoming.inbox->next_turn++}); // there is room
    for (const auto& outgoing : posted_->outgoing) send(outgoing);
}

void NonblockingPassage::send(const NonblockingMessages::Outgoing& outgoing)
{
    const Message& message = outgoing.message;
    if (std::byte* const row = outgoing.channel->reserve(stamp_.number, message.bytes)) {
        attempt([&] { put(message, row, outgoing.channel->stores()); });
        outgoing.channel->commit();
    } else {
        attempt([&] {
            send_row_by_mpi(
                message.partner, message.bytes, [&](std::byte* to) { put(message, to); }, stamp_.tag,
                private_comm_);
        });
    }
}

bool NonblockingPassage::advance(runtime::Backoff& backoff)
{
    if (go_on()) return true;
    backoff.looked_at_memory();
    return false;
}

bool NonblockingPassage::go_on()
{
    for (std::size_t i = read_; i < reads_.size(); ++i) {
        if (read(i) && i == read_) ++read_;
    }
    return read_ == reads_.size();
}

void NonblockingPassage::add_waiting_for(std::set<int>& ranks)
{
    for (std::size_t i = 0; i < reads_.size(); ++i)
        if (!reads_[i].done) ranks.insert(posted_->incoming[i].message.partner);
}

bool NonblockingPassage::read(std::size_t i)
{
    Progress& progress = reads_[i];
    if (progress.done) return true;
    const auto& [message, inbox] = posted_->incoming[i];
    if (inbox->turn != progress.turn) return false;
    if (!progress.by_mpi) {
        const Found found = inbox->channel.find(stamp_.number);
        if (found == Found::nothing) return false;
        const bool is_here = found == Found::message;
        if (is_here && !inbox->channel.is_announcement()) {
            attempt([&] {
                require_room(inbox->channel.length(), message, labels_);
                take(inbox->channel.row(), inbox->channel.length(), message);
            });
            progress.done = true;
        } else {
            // Its sender had no memory, or it is larger than what was waited for.
            attempt([&] { progress.by_mpi = std::make_unique<RowByMpi>(); });
            progress.done = progress.by_mpi == nullptr;
        }
        if (is_here) inbox->channel.close();
    }
    if (!progress.done && !receive_by_mpi(message, progress)) return false;
    ++inbox->turn;
    return true;
}

bool NonblockingPassage::receive_by_mpi(const Message& message, Progress& progress)
{
    progress.done = true; // or whatever is wrong would be so again
    attempt([&] { progress.done = progress.by_mpi->advance(message, labels_, stamp_.tag, private_comm_); });
    if (progress.done) progress.by_mpi.reset();
    return progress.done;
}

class NonblockingTransport final : public transport::Transport {
public:
    NonblockingTransport(std::shared_ptr<NodeChannels> channels, MPI_Comm private_comm)
        : channels_(std::move(channels)),
          private_comm_(private_comm)
    {}

    bool reaches(int rank, std::size_t bytes, std::size_t mpi_messages) const override
    {
        return channels_->lead_to(rank) && channels_->limits().are_small(bytes, mpi_messages) &&
               bytes <= UnboundedSender::longest;
    }
    // Messages are read in the order of operations: what comes after a phase would keep later ones waiting.
    bool takes_forwarding() const override { return false; }
    std::unique_ptr<transport::Messages> bind() override
    {
        return std::make_unique<NonblockingMessages>(*channels_);
    }
    std::unique_ptr<transport::Passage> passage(const transport::Labels& labels) override
    {
        return std::make_unique<NonblockingPassage>(private_comm_, labels);
    }
    const char* words() const override { return "through shared memory"; }

private:
    std::shared_ptr<NodeChannels> channels_;
    MPI_Comm private_comm_;
};

} // namespace

std::shared_ptr<transport::Transport> shm_nonblocking(std::shared_ptr<NodeChannels> channels,
                                                      MPI_Comm private_comm)
{
    return std::make_shared<NonblockingTransport>(std::move(channels), private_comm);
}

} // namespace ortho::nodequeue
