// SPDX-License-Identifier: BSD-3-Clause
// Messages of non-blocking operations between processes of a node.  A queue says how each of them comes.
//
// The size of a block decides whether it goes through the queue or by MPI.  In a wrong program the ends may
// disagree about the size, and MPIs let programs receive into blocks that are larger than those sent.  So the
// queue announces a block that goes by MPI, and a receiver finds each block that was sent.  Several blocks
// for one process share a message of the queue.  It begins with their sizes, so that each gets to its place,
// whatever its receiver expects.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "base/index.hpp"
#include "mpi/datatype.hpp"
#include "nodequeue/shm_channels.hpp"
#include "nodequeue/shm_messages.hpp"
#include "transport/data_location.hpp"

namespace ortho::nodequeue {

namespace {

/// The beginning of an entry of several blocks: how many blocks there are, flags, and their sizes, or the one
/// that all have.
using Head = std::vector<std::uint32_t>;
constexpr std::uint32_t is_last = 1;   // of the operation's entries for this process
constexpr std::uint32_t are_equal = 2; // all sizes
constexpr std::size_t words_before_sizes = 2;
constexpr std::uint32_t comes_by_mpi = std::numeric_limits<std::uint32_t>::max(); // in place of a size
constexpr std::size_t most_blocks = 1 << 16;                                      // of an entry
constexpr std::size_t most_bytes = UnboundedSender::longest / 2; // the same, without its head

/// Data that comes behind is aligned for the usual numbers.
constexpr std::size_t head_bytes(std::size_t sizes)
{
    return (words_before_sizes + sizes + 1) / 2 * 2 * sizeof(std::uint32_t);
}

void make_head(Head& head, std::span<const std::uint32_t> sizes, bool last)
{
    const bool equal = std::ranges::all_of(sizes, [&](std::uint32_t size) { return size == sizes[0]; });
    const std::size_t listed = equal ? 1 : sizes.size();
    head.assign(head_bytes(listed) / sizeof(std::uint32_t), 0);
    head[0] = static_cast<std::uint32_t>(sizes.size());
    head[1] = (last ? is_last : 0) | (equal ? are_equal : 0);
    std::ranges::copy(sizes.first(listed), head.begin() + words_before_sizes);
}

/// A message in the queue: a head, and the blocks that do not go by MPI.  A block alone has no head.
struct Entry {
    Head head;
    Message message;

    std::size_t head_size() const { return head.size() * sizeof(std::uint32_t); }
    std::size_t bytes() const { return head_size() + message.bytes; }
    /// `stores`: of a ring, if the row lies in one.
    template <class... Stores>
    void put(std::byte* row, Stores&... stores) const
    {
        if (!head.empty()) std::memcpy(row, head.data(), head_size());
        nodequeue::put(message, row + head_size(), stores...);
    }
    /// Is the row one of blocks of the same sizes?
    bool is_like(const std::byte* row, std::size_t length) const
    {
        return length == bytes() && std::memcmp(row, head.data(), head_size()) == 0;
    }
};

/// The blocks for one process, or from it.
struct Bundle {
    int partner;
    transport::Label label;
    std::vector<transport::DataLocation> blocks;
    std::vector<Entry> entries;        ///< none for a block alone that is sent by MPI
    std::vector<std::uint32_t> by_mpi; ///< the blocks that go by MPI, in order
    std::size_t first_by_mpi;          ///< the first one's message among MPI's

    bool has_several() const { return blocks.size() > 1; }
    bool is_announced() const { return !has_several() && !by_mpi.empty(); }
};

class AnnouncedMessages final : public transport::Messages {
public:
    AnnouncedMessages(NodeChannels& channels, transport::Transport& by_mpi)
        : by_mpi_(by_mpi.bind()),
          channels_(channels)
    {}

    struct Incoming {
        Bundle bundle;
        Inbox* inbox;
    };
    struct Outgoing {
        Bundle bundle;
        UnboundedSender* channel;
    };
    std::vector<Incoming> incoming;
    std::vector<Outgoing> outgoing;

    const transport::Messages& by_mpi() const { return *by_mpi_; }
    bool takes_mpi() const override { return by_mpi_->receives() > 0 || !by_mpi_->receivers().empty(); }
    std::size_t sent_as_worded() const override
    {
        return at(
            std::ranges::count_if(outgoing, [](const Outgoing& its) { return its.bundle.by_mpi.empty(); }));
    }

private:
    void add_receive(int partner, const std::vector<transport::DataLocation>& data,
                     transport::BoundDatatypes& layouts, transport::Label label) override
    {
        Bundle bundle = make(partner, data, layouts, label, by_mpi_->receives());
        if (bundle.entries.empty()) bundle.entries.push_back({{}, {partner, data, layouts, label}});
        visit_by_mpi(bundle, [&](const std::vector<transport::DataLocation>& block, transport::Label its) {
            by_mpi_->bind_receive(partner, block, layouts, its);
        });
        incoming.push_back({std::move(bundle), channels_.unbounded_from(partner)});
    }
    void add_send(int partner, const std::vector<transport::DataLocation>& data,
                  transport::BoundDatatypes& layouts, transport::Label label) override
    {
        Bundle bundle = make(partner, data, layouts, label, by_mpi_->receivers().size());
        visit_by_mpi(bundle, [&](const std::vector<transport::DataLocation>& block, transport::Label its) {
            by_mpi_->bind_send(partner, block, layouts, its);
        });
        outgoing.push_back({std::move(bundle), channels_.unbounded_to(partner)});
    }
    bool change_receive(std::size_t i, std::span<const transport::PlainData> data) override
    {
        Bundle& bundle = incoming[i].bundle;
        return change(bundle, data, [&](std::size_t message, std::span<const transport::PlainData> block) {
            return by_mpi_->replace_receive(message, bundle.partner, block);
        });
    }
    bool change_send(std::size_t i, std::span<const transport::PlainData> data) override
    {
        Bundle& bundle = outgoing[i].bundle;
        return change(bundle, data, [&](std::size_t message, std::span<const transport::PlainData> block) {
            return by_mpi_->replace_send(message, bundle.partner, block);
        });
    }

    /// `most`: bytes that go through the queue.
    std::uint32_t size_of(std::size_t bytes, std::size_t most) const
    {
        return bytes <= most && channels_.limits().are_small(bytes, 1) ? static_cast<std::uint32_t>(bytes)
                                                                       : comes_by_mpi;
    }
    /// The blocks of each entry: visit(begin, end).
    template <class Visit>
    void visit_entries(Visit visit) const
    {
        std::size_t begin = 0;
        std::size_t bytes = 0;
        for (std::size_t i = 0; i < sizes_.size(); ++i) {
            const std::size_t more = sizes_[i] == comes_by_mpi ? 0 : sizes_[i];
            if (i - begin == most_blocks || bytes + more > most_bytes) {
                visit(begin, i);
                begin = i;
                bytes = 0;
            }
            bytes += more;
        }
        visit(begin, sizes_.size());
    }

    Bundle make(int partner, const std::vector<transport::DataLocation>& data,
                transport::BoundDatatypes& layouts, transport::Label label, std::size_t first)
    {
        Bundle bundle{partner, label, data, {}, {}, first};
        if (!bundle.has_several()) {
            if (size_of(layouts.bytes_of(data), UnboundedSender::longest) == comes_by_mpi)
                bundle.by_mpi.push_back(0);
            else
                bundle.entries.push_back({{}, {partner, data, layouts, label}});
            return bundle;
        }
        sizes_.clear();
        for (const transport::DataLocation& block : data)
            sizes_.push_back(size_of(layouts.bytes_of({&block, 1}), most_bytes));
        for (std::size_t i = 0; i < data.size(); ++i)
            if (sizes_[i] == comes_by_mpi) bundle.by_mpi.push_back(static_cast<std::uint32_t>(i));
        visit_entries([&](std::size_t begin, std::size_t end) {
            std::vector<transport::DataLocation> joined;
            for (std::size_t i = begin; i < end; ++i)
                if (sizes_[i] != comes_by_mpi) layouts.append(joined, data[i]);
            Entry& entry = bundle.entries.emplace_back(Head(), Message(partner, joined, layouts, label));
            make_head(entry.head, std::span(sizes_).subspan(begin, end - begin), end == data.size());
        });
        return bundle;
    }
    /// `visit(its place, its label)`
    template <class Visit>
    static void visit_by_mpi(const Bundle& bundle, Visit visit)
    {
        if (bundle.is_announced()) return visit(bundle.blocks, bundle.label);
        for (const std::uint32_t block : bundle.by_mpi)
            visit({bundle.blocks[block]}, transport::Label{bundle.label.round, static_cast<int>(block)});
    }

    /// False if other blocks go by MPI now, or they take more or fewer entries.
    template <class ChangeByMpi>
    bool change(Bundle& bundle, std::span<const transport::PlainData> data, ChangeByMpi change_by_mpi)
    {
        if (!bundle.has_several()) {
            if (!bundle.entries.empty()) bundle.entries[0].message.replace(data);
            const std::size_t bytes = data.empty() ? 0 : data[0].bytes;
            if (size_of(bytes, UnboundedSender::longest) != comes_by_mpi) return bundle.by_mpi.empty();
            return !bundle.by_mpi.empty() && change_by_mpi(bundle.first_by_mpi, data);
        }
        sizes_.clear();
        std::size_t by_mpi = 0;
        for (std::size_t i = 0; i < data.size(); ++i) {
            sizes_.push_back(size_of(data[i].bytes, most_bytes));
            bundle.blocks[i] = data[i].place;
            if (sizes_[i] != comes_by_mpi) continue;
            if (by_mpi == bundle.by_mpi.size() || bundle.by_mpi[by_mpi] != i ||
                !change_by_mpi(bundle.first_by_mpi + by_mpi, data.subspan(i, 1)))
                return false;
            ++by_mpi;
        }
        std::size_t entries = 0;
        visit_entries([&](std::size_t begin, std::size_t end) {
            if (++entries > bundle.entries.size()) return;
            Entry& entry = bundle.entries[entries - 1];
            make_head(entry.head, std::span(sizes_).subspan(begin, end - begin), end == data.size());
            data_.clear();
            for (std::size_t i = begin; i < end; ++i)
                if (sizes_[i] != comes_by_mpi) data_.push_back(data[i]);
            entry.message.replace(data_);
        });
        return by_mpi == bundle.by_mpi.size() && entries == bundle.entries.size();
    }

    std::unique_ptr<transport::Messages> by_mpi_;
    NodeChannels& channels_;
    // While binding: of each block.
    std::vector<std::uint32_t> sizes_;
    std::vector<transport::PlainData> data_;
};

class AnnouncedPassage final : public transport::Passage {
public:
    AnnouncedPassage(MPI_Comm private_comm, transport::Transport& by_mpi, const transport::Labels& labels)
        : by_mpi_(by_mpi.passage(labels)),
          private_comm_(private_comm),
          labels_(labels)
    {}

    void reserve(const transport::Messages& messages) override
    {
        by_mpi_->reserve(static_cast<const AnnouncedMessages&>(messages).by_mpi());
        reads_.reserve(messages.receives());
    }
    void post(const transport::Messages& messages, transport::Stamp stamp) override;
    bool advance(runtime::Backoff& backoff) override;
    bool has_arrived(std::size_t receive) override;
    void add_waiting_for(std::set<int>& ranks) override;
    void give_up() override
    {
        for (Progress& progress : reads_) progress.is_announced = progress.is_announced || !progress.row;
        if (uses_mpi_) by_mpi_->give_up();
    }

private:
    /// A block that comes by MPI, and was not waited for there.
    struct Late {
        std::uint32_t block;
        RowByMpi row{};
    };
    struct Progress {
        std::uint64_t turn = 0;
        bool is_announced = false;       ///< it is known which way each block comes
        std::size_t entries = 0;         ///< that have been read
        std::size_t blocks = 0;          ///< of those
        std::unique_ptr<RowByMpi> row{}; ///< an entry that comes by MPI
        std::vector<Late> late{};
    };

    void send(const AnnouncedMessages::Outgoing& outgoing);
    bool read(std::size_t i);
    bool read_announcement(std::size_t i);
    bool read_row_by_mpi(const Bundle& bundle, Progress& progress);
    void take_entry(const Bundle& bundle, Progress& progress, const std::byte* row, std::size_t length);
    void take_blocks(const Bundle& bundle, Progress& progress, const std::byte* row, std::size_t length);
    void take_block(const Bundle& bundle, std::uint32_t block, const std::byte* row, std::size_t length);
    void forgo_block(const Bundle& bundle, std::uint32_t block);
    bool are_here(const Bundle& bundle, std::vector<Late>& late);

    std::unique_ptr<transport::Passage> by_mpi_;
    MPI_Comm private_comm_;
    const transport::Labels& labels_;
    const AnnouncedMessages* posted_ = nullptr;
    transport::Stamp stamp_;
    bool uses_mpi_ = false; // for any of the messages, as they should come
    std::vector<Progress> reads_;
    std::size_t read_ = 0; // those before are over, but for what MPI moves
};

[[gnu::hot]] void AnnouncedPassage::post(const transport::Messages& messages, transport::Stamp stamp)
{
    posted_ = static_cast<const AnnouncedMessages*>(&messages);
    stamp_ = stamp;
    error_ = nullptr;
    read_ = 0;
    reads_.clear();
    for (const auto& incoming : posted_->incoming)
        reads_.push_back({.turn = incoming.inbox->next_turn++}); // there is room
    // Messages of MPI take longest, and begin first.
    uses_mpi_ = posted_->takes_mpi();
    if (uses_mpi_) by_mpi_->post(posted_->by_mpi(), stamp);
    for (const auto& outgoing : posted_->outgoing) send(outgoing);
}

void AnnouncedPassage::send(const AnnouncedMessages::Outgoing& outgoing)
{
    UnboundedSender& channel = *outgoing.channel;
    const Bundle& bundle = outgoing.bundle;
    if (bundle.is_announced()) {
        // Without memory for it the receiver is told that what comes does not come this way: the same.
        if (channel.announce(stamp_.number)) channel.commit();
        return;
    }
    for (const Entry& entry : bundle.entries) {
        if (std::byte* const row = channel.reserve(stamp_.number, entry.bytes())) {
            attempt([&] { entry.put(row, channel.stores()); });
            channel.commit();
        } else {
            bool is_sent = false;
            attempt([&] {
                send_row_by_mpi(
                    bundle.partner, entry.bytes(), [&](std::byte* to) { entry.put(to); }, stamp_.tag,
                    private_comm_);
                is_sent = true;
            });
            if (!is_sent) return; // its receiver is told so, and looks for no more entries
        }
    }
}

[[gnu::hot]] bool AnnouncedPassage::advance(runtime::Backoff& backoff)
{
    // All of them, or one late partner would keep the others' later messages waiting for their turn.
    for (std::size_t i = read_; i < reads_.size(); ++i)
        if (read(i) && i == read_) ++read_;
    const bool all_read = read_ == reads_.size();
    // A message that comes another way is waited for no longer.
    const bool are_through = !uses_mpi_ || by_mpi_->advance(backoff);
    if (uses_mpi_ && by_mpi_->error()) keep(by_mpi_->error());
    if (are_through && !all_read) backoff.looked_at_memory();
    return are_through && all_read;
}

bool AnnouncedPassage::has_arrived(std::size_t receive)
{
    if (!read(receive)) return false;
    const Bundle& bundle = posted_->incoming[receive].bundle;
    bool all = true;
    for (std::size_t i = 0; i < bundle.by_mpi.size(); ++i)
        all = by_mpi_->has_arrived(bundle.first_by_mpi + i) && all;
    return all;
}

void AnnouncedPassage::add_waiting_for(std::set<int>& ranks)
{
    if (uses_mpi_) by_mpi_->add_waiting_for(ranks);
    for (std::size_t i = 0; i < reads_.size(); ++i)
        if (!read(i)) ranks.insert(posted_->incoming[i].bundle.partner);
}

/// Has all come that is not MPI's to move?
[[gnu::hot]] bool AnnouncedPassage::read(std::size_t i)
{
    Progress& progress = reads_[i];
    if (!progress.is_announced && !read_announcement(i)) return false;
    return progress.late.empty() || are_here(posted_->incoming[i].bundle, progress.late);
}

bool AnnouncedPassage::read_announcement(std::size_t i)
{
    Progress& progress = reads_[i];
    const auto& [bundle, inbox] = posted_->incoming[i];
    if (inbox->turn != progress.turn) return false;
    UnboundedReceiver& channel = inbox->channel;
    while (!progress.is_announced) {
        const Found found = progress.row ? Found::elsewhere : channel.find(stamp_.number);
        if (found == Found::nothing) return false;
        const bool is_here = found == Found::message;
        const bool is_entry = is_here && (bundle.has_several() || !channel.is_announcement());
        if (is_entry)
            take_entry(bundle, progress, channel.row(), channel.length());
        else
            progress.is_announced = bundle.is_announced();
        if (is_here) channel.close();
        // Its sender had no memory, or it is larger than what was waited for.
        if (!is_entry && !progress.is_announced && !read_row_by_mpi(bundle, progress)) return false;
    }
    ++inbox->turn;
    return true;
}

bool AnnouncedPassage::read_row_by_mpi(const Bundle& bundle, Progress& progress)
{
    bool is_here = false;
    attempt([&] {
        progress.is_announced = true; // or whatever is wrong would be so again
        if (!progress.row) progress.row = std::make_unique<RowByMpi>();
        is_here = progress.row->is_here(bundle.partner, stamp_.tag, private_comm_);
        progress.is_announced = false;
    });
    if (!is_here) return progress.is_announced;
    const std::unique_ptr<RowByMpi> row = std::move(progress.row);
    take_entry(bundle, progress, row->row(), row->bytes());
    return true;
}

[[gnu::hot]] void AnnouncedPassage::take_entry(const Bundle& bundle, Progress& progress, const std::byte* row,
                                               std::size_t length)
{
    if (!bundle.has_several()) {
        take_block(bundle, 0, row, length);
        progress.is_announced = true;
        return;
    }
    const bool is_like_ours = progress.entries < bundle.entries.size() &&
                              bundle.entries[progress.entries].is_like(row, length);
    if (!is_like_ours) {
        attempt([&] {
            progress.is_announced = true; // if it fails
            take_blocks(bundle, progress, row, length);
        });
    } else {
        const Entry& entry = bundle.entries[progress.entries];
        attempt([&] { take(row + entry.head_size(), entry.message.bytes, entry.message); });
        progress.blocks += entry.head[0];
        progress.is_announced = (entry.head[1] & is_last) != 0;
    }
    ++progress.entries;
}

/// Takes an entry whose blocks have other sizes than ours: each goes where it belongs.
void AnnouncedPassage::take_blocks(const Bundle& bundle, Progress& progress, const std::byte* row,
                                   std::size_t length)
{
    if (length == 0) return; // its sender has failed, and tells of that
    const auto word = [&](std::size_t i) {
        std::uint32_t result = 0;
        std::memcpy(&result, row + i * sizeof result, sizeof result);
        return result;
    };
    const std::size_t blocks = word(0);
    const bool equal = (word(1) & are_equal) != 0;
    const std::byte* data = row + head_bytes(equal ? 1 : blocks);
    for (std::size_t i = 0; i < blocks && progress.blocks < bundle.blocks.size(); ++i, ++progress.blocks) {
        const std::uint32_t size = word(words_before_sizes + (equal ? 0 : i));
        const auto block = static_cast<std::uint32_t>(progress.blocks);
        if (size != comes_by_mpi) {
            take_block(bundle, block, data, size);
            data += size;
        } else if (!std::ranges::binary_search(bundle.by_mpi, block)) {
            progress.late.push_back({block});
        }
    }
    progress.is_announced = (word(1) & is_last) != 0;
}

void AnnouncedPassage::take_block(const Bundle& bundle, std::uint32_t block, const std::byte* row,
                                  std::size_t length)
{
    if (!bundle.by_mpi.empty()) forgo_block(bundle, block); // it is smaller than what was waited for
    attempt([&] {
        if (!bundle.has_several()) {
            const Message& message = bundle.entries[0].message;
            require_room(length, message, labels_);
            return take(row, length, message);
        }
        const transport::DataLocation& place = bundle.blocks[block];
        const MPI_Count room = place.count == 0 ? 0 : mpi::measure(place.type).size * place.count;
        require_room(length, static_cast<std::size_t>(room), bundle.partner,
                     {bundle.label.round, static_cast<int>(block)}, labels_);
        if (length == 0) return;
        with_row(const_cast<std::byte*>(row), length,
                 [&](const transport::DataLocation& from) { copy(from, place); });
    });
}

/// The block does not come by MPI.
void AnnouncedPassage::forgo_block(const Bundle& bundle, std::uint32_t block)
{
    const auto found = std::ranges::lower_bound(bundle.by_mpi, block);
    if (found == bundle.by_mpi.end() || *found != block) return;
    by_mpi_->forgo(bundle.first_by_mpi + at(found - bundle.by_mpi.begin()));
}

bool AnnouncedPassage::are_here(const Bundle& bundle, std::vector<Late>& late)
{
    std::erase_if(late, [&](Late& its) {
        bool is_here = true; // or whatever is wrong would be so again
        attempt([&] {
            is_here = its.row.is_here(bundle.partner, stamp_.tag_of(static_cast<int>(its.block)),
                                      private_comm_);
            if (is_here) take_block(bundle, its.block, its.row.row(), its.row.bytes());
        });
        return is_here;
    });
    return late.empty();
}

class AnnouncedTransport final : public transport::Transport {
public:
    AnnouncedTransport(std::shared_ptr<NodeChannels> channels, std::shared_ptr<transport::Transport> by_mpi,
                       MPI_Comm private_comm)
        : channels_(std::move(channels)),
          by_mpi_(std::move(by_mpi)),
          private_comm_(private_comm)
    {}

    bool reaches(int rank, std::size_t, std::size_t) const override { return channels_->lead_to(rank); }
    bool takes_blocks(int rank) const override { return channels_->lead_to(rank); }
    bool copies_on_node(int rank) const override { return by_mpi_->copies_on_node(rank); }
    std::unique_ptr<transport::Messages> bind() override
    {
        return std::make_unique<AnnouncedMessages>(*channels_, *by_mpi_);
    }
    std::unique_ptr<transport::Passage> passage(const transport::Labels& labels) override
    {
        return std::make_unique<AnnouncedPassage>(private_comm_, *by_mpi_, labels);
    }
    const char* words() const override { return "through shared memory"; }

private:
    std::shared_ptr<NodeChannels> channels_;
    std::shared_ptr<transport::Transport> by_mpi_;
    MPI_Comm private_comm_;
};

} // namespace

std::shared_ptr<transport::Transport> announced_messages(std::shared_ptr<NodeChannels> channels,
                                                         std::shared_ptr<transport::Transport> by_mpi,
                                                         MPI_Comm private_comm)
{
    return std::make_shared<AnnouncedTransport>(std::move(channels), std::move(by_mpi), private_comm);
}

} // namespace ortho::nodequeue
