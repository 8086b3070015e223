// SPDX-License-Identifier: BSD-3-Clause
// Messages of non-blocking operations that MPI moves between processes of a node.

#include "transport/announced_messages.hpp"

#include <cstdint>
#include <utility>
#include <vector>

#include "transport/shm_messages.hpp"

namespace ortho::transport {

namespace {

class AnnouncedMessages final : public Messages {
public:
    AnnouncedMessages(NodeChannels& channels, Transport& by_mpi) : by_mpi_(by_mpi.bind()), channels_(channels)
    {}

    struct Incoming {
        Message message;
        Inbox* inbox;
    };
    std::vector<Incoming> incoming;
    std::vector<shared::UnboundedSender*> outgoing;

    const Messages& by_mpi() const { return *by_mpi_; }

private:
    void add_receive(int partner, const std::vector<Place>& data, Layouts& layouts, int label) override
    {
        by_mpi_->bind_receive(partner, data, layouts, label);
        incoming.push_back({{partner, data, layouts, label}, channels_.unbounded_from(partner)});
    }
    void add_send(int partner, const std::vector<Place>& data, Layouts& layouts) override
    {
        by_mpi_->bind_send(partner, data, layouts);
        outgoing.push_back(channels_.unbounded_to(partner));
    }
    bool change_receive(std::size_t i, std::span<const PlainData> data) override
    {
        Message& message = incoming[i].message;
        message.replace(data);
        return by_mpi_->replace_receive(i, message.partner, data);
    }
    bool change_send(std::size_t i, std::span<const PlainData> data) override
    {
        return by_mpi_->replace_send(i, receivers()[i], data);
    }

    std::unique_ptr<Messages> by_mpi_;
    NodeChannels& channels_;
};

class AnnouncedPassage final : public Passage {
public:
    AnnouncedPassage(Transport& by_mpi, const Labels& labels)
        : by_mpi_(by_mpi.passage(labels)),
          labels_(labels)
    {}

    void reserve(const Messages& messages) override
    {
        by_mpi_->reserve(static_cast<const AnnouncedMessages&>(messages).by_mpi());
        announcements_.reserve(messages.receives());
    }
    void post(const Messages& messages, Stamp stamp) override;
    bool advance(mpi::Backoff& backoff) override;
    bool has_arrived(std::size_t receive) override
    {
        return is_announced(receive) && by_mpi_->has_arrived(receive);
    }
    void add_waiting_for(std::set<int>& ranks) override;
    // Calls that may be abandoned are verified, and not announced.
    void abandon(std::span<const Misfit>, Stamp) override {}

private:
    struct Announcement {
        std::uint64_t turn = 0;
        bool is_here = false;
    };

    /// Is it known which way the message comes?
    bool is_announced(std::size_t i);

    std::unique_ptr<Passage> by_mpi_;
    const Labels& labels_;
    const AnnouncedMessages* posted_ = nullptr;
    std::uint32_t number_ = 0;
    std::vector<Announcement> announcements_;
    std::size_t announced_ = 0; // those before are here
};

void AnnouncedPassage::post(const Messages& messages, Stamp stamp)
{
    posted_ = static_cast<const AnnouncedMessages*>(&messages);
    number_ = stamp.number;
    error_ = nullptr;
    announced_ = 0;
    announcements_.clear();
    for (const auto& incoming : posted_->incoming)
        announcements_.push_back({.turn = incoming.inbox->next_turn++}); // there is room
    // Without memory for it the receiver is told that what comes does not come this way, which says the same.
    for (shared::UnboundedSender* const channel : posted_->outgoing)
        if (channel->announce(number_)) channel->commit();
    by_mpi_->post(posted_->by_mpi(), stamp);
}

bool AnnouncedPassage::advance(mpi::Backoff& backoff)
{
    // All of them, or one late partner would keep the others' later messages waiting for their turn.
    for (std::size_t i = announced_; i < announcements_.size(); ++i)
        if (is_announced(i) && i == announced_) ++announced_;
    const bool are_announced = announced_ == announcements_.size();
    // One that comes another way is waited for no longer.
    const bool are_through = by_mpi_->advance(backoff);
    if (by_mpi_->error()) keep(by_mpi_->error());
    if (are_through && !are_announced) backoff.looked_at_memory();
    return are_through && are_announced;
}

void AnnouncedPassage::add_waiting_for(std::set<int>& ranks)
{
    by_mpi_->add_waiting_for(ranks);
    for (std::size_t i = 0; i < announcements_.size(); ++i)
        if (!is_announced(i)) ranks.insert(posted_->incoming[i].message.partner);
}

bool AnnouncedPassage::is_announced(std::size_t i)
{
    Announcement& announcement = announcements_[i];
    if (announcement.is_here) return true;
    const auto& [message, inbox] = posted_->incoming[i];
    if (inbox->turn != announcement.turn) return false;
    const shared::Found found = inbox->channel.find(number_);
    if (found == shared::Found::nothing) return false;
    if (found == shared::Found::message) {
        if (!inbox->channel.is_announcement()) {
            // It is smaller than what was waited for.
            by_mpi_->forgo(i);
            attempt([&] {
                require_one(*inbox, message);
                require_room(inbox->channel.length(), message, labels_);
                take(inbox->channel.row(), inbox->channel.length(), message);
            });
        }
        inbox->channel.close();
    }
    announcement.is_here = true;
    ++inbox->turn;
    return true;
}

class AnnouncedTransport final : public Transport {
public:
    AnnouncedTransport(std::shared_ptr<NodeChannels> channels, std::shared_ptr<Transport> by_mpi)
        : channels_(std::move(channels)),
          by_mpi_(std::move(by_mpi))
    {}

    bool reaches(int rank, std::size_t, std::size_t) const override { return channels_->lead_to(rank); }
    std::size_t most_together(int rank, std::size_t blocks, std::size_t bytes) const override
    {
        return by_mpi_->most_together(rank, blocks, bytes);
    }
    bool copies_on_node(int rank) const override { return by_mpi_->copies_on_node(rank); }
    bool takes_forwarding() const override { return false; }
    std::unique_ptr<Messages> bind() override
    {
        return std::make_unique<AnnouncedMessages>(*channels_, *by_mpi_);
    }
    std::unique_ptr<Passage> passage(const Labels& labels) override
    {
        return std::make_unique<AnnouncedPassage>(*by_mpi_, labels);
    }

private:
    std::shared_ptr<NodeChannels> channels_;
    std::shared_ptr<Transport> by_mpi_;
};

} // namespace

std::shared_ptr<Transport> announced_messages(std::shared_ptr<NodeChannels> channels,
                                              std::shared_ptr<Transport> by_mpi)
{
    return std::make_shared<AnnouncedTransport>(std::move(channels), std::move(by_mpi));
}

} // namespace ortho::transport
