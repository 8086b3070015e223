// SPDX-License-Identifier: BSD-3-Clause
// Communicators of our own behind a graph: for its messages, and for collectives.

#include "topology/private_comm.hpp"

#include <algorithm>
#include <mutex>
#include <new>
#include <set>
#include <span>
#include <vector>

#include "agree/on_comm.hpp"
#include "mpi/failure.hpp"
#include "mpi/keyval.hpp"
#include "mpi/library_lifetime.hpp"
#include "mpi/mutex.hpp"
#include "mpi/process_failure.hpp"
#include "mpi/which_mpi.hpp"
#include "runtime/message.hpp"

namespace ortho::topology {

namespace {

/// The least number of ranges.  A range is given again only after all others; by then leftovers of calls that
/// did not fit must be gone.  An MPI with 2^23 tags has this number.
constexpr int least_ranges = 63;

/// The number of tags in a range: more than the operations of a graph that are under way at once.
int tags_a_graph()
{
    constexpr int least = 1 << 17;
    constexpr int most = 1 << 22;
    constexpr int usual_ranges = 1024;
    static const int number = std::clamp(mpi::last_tag() / usual_ranges + 1, least, most);
    return number;
}

/// MPICH has 2048 communicators in all: with more graphs than this alive, a graph gets no new one.
constexpr int most_with_own = 128;

/// The tag of constructors' agreements.  Ranges begin behind it.
constexpr int agreement_tag = 0;

/// The number of ranges of tags.  None where processes may fail: a graph that gives up its operations has its
/// communicator revoked, so no other graph may use that communicator.
int ranges() { return mpi::processes_may_fail() ? 0 : (mpi::last_tag() - agreement_tag) / tags_a_graph(); }

} // namespace

class SharedComm {
public:
    explicit SharedComm(mpi::Comm comm) : comm_(std::move(comm)) {}

    MPI_Comm get() const { return comm_.get(); }

    /// May constructors agree by messages on it?  All processes get the same answer.
    bool takes_agreements() const { return takes_agreements_; }
    void take_agreements(bool takes) { takes_agreements_ = takes; }

    /// The number of the next range, the same on all processes.
    int next() const { return next_; }
    void go_on() { next_ = (next_ + 1) % ranges(); }

    bool has(int number) const
    {
        const std::lock_guard lock(mutex_);
        return taken_.contains(number);
    }
    void take(int number)
    {
        const std::lock_guard lock(mutex_);
        taken_.insert(number);
    }
    void give_back(int number)
    {
        const std::lock_guard lock(mutex_);
        taken_.erase(number);
    }

private:
    mpi::Comm comm_;
    bool takes_agreements_ = false;
    int next_ = 0;
    mutable mpi::Mutex mutex_;
    std::set<int> taken_;
};

namespace {

/// The attribute of the communicator that graphs are made on.
struct SharedAttribute final : mpi::Attached {
    explicit SharedAttribute(std::shared_ptr<SharedComm> of_graphs) : comm(std::move(of_graphs)) {}

    std::shared_ptr<SharedComm> comm;
};

mpi::CommAttribute<SharedAttribute> shared_comms;

/// Null if there is none.
std::shared_ptr<SharedComm> shared_of(MPI_Comm parent)
{
    const auto* const attribute = shared_comms.find(parent);
    return attribute != nullptr ? attribute->comm : nullptr;
}

/// Replaces the shared communicator.  Collective.
std::shared_ptr<SharedComm> make_new(MPI_Comm parent)
{
    auto made = std::make_shared<SharedComm>(make_own(parent, runtime::HaveMet::yes));
    shared_comms.attach(parent, std::make_unique<SharedAttribute>(made));
    return made;
}

} // namespace

TagRange::TagRange(std::shared_ptr<SharedComm> comm, int number) : comm_(std::move(comm)), number_(number)
{
    comm_->take(number_);
}

TagRange::~TagRange()
{
    if (comm_) comm_->give_back(number_);
}

MPI_Comm TagRange::comm() const { return comm_->get(); }
int TagRange::first() const { return agreement_tag + 1 + number_ * tags_a_graph(); }
int TagRange::last() const { return first() + (tags_a_graph() - 1); }

void PrivateComm::lose() noexcept
try {
    struct Lost {
        mpi::Mutex mutex;
        std::vector<PrivateComm> comms;
    };
    static auto* const lost = new Lost;
    const std::lock_guard lock(lost->mutex);
    if (*this) lost->comms.push_back(std::move(*this));
} catch (const std::bad_alloc&) { // they are used again
}

MPI_Comm PrivateComm::collectives(MPI_Comm comm)
{
    if (!own_) own_ = make_own(comm);
    return own_.get();
}

mpi::Comm taken_over(mpi::Comm made)
{
    mpi::check(mpi::return_errors(made.get()));
    mpi::set_own(made.get());
    return made;
}

mpi::Comm make_own(MPI_Comm comm, runtime::HaveMet have_met)
{
    return taken_over(runtime::bare_copy(comm, have_met));
}

void SharingVote::say(MPI_Comm parent, int graphs)
{
    known_ = shared_of(parent);
    const int next = known_ ? known_->next() : 0;
    is_known_.say(known_ != nullptr);
    next_.say(next);
    is_taken_.say(known_ && known_->has(next));
    ranges_.say(ranges());
    graphs_.say(graphs);
}

void SharingVote::hear(bool one_node) const noexcept
{
    if (is_everywhere()) known_->take_agreements(one_node);
}

PrivateComm SharingVote::agreed_alone(MPI_Comm comm) const
{
    const bool can_share = ranges_.value() > 0; // else each graph has its own, however many there are
    return can_share && graphs_.value() > most_with_own ? PrivateComm()
                                                        : PrivateComm(make_own(comm, runtime::HaveMet::yes));
}

PrivateComm SharingVote::agreed(MPI_Comm parent) const
{
    // In a process without MPI_Init, MPI may not tell the number of tags.
    if (!ranges_.holds() || ranges() < least_ranges) return agreed_alone(parent);
    if (!is_everywhere() && graphs_.value() > most_with_own) return {};
    const std::shared_ptr<SharedComm> shared = is_everywhere() ? known_ : make_new(parent);
    const int next = shared->next();
    shared->go_on();
    // An old graph still has this range.
    if (is_everywhere() && is_taken_.holds()) return agreed_alone(parent);
    return PrivateComm(TagRange(shared, next));
}

void hold_on(MPI_Comm parent, agree::Ballot& ballot)
{
    const std::shared_ptr<SharedComm> shared = shared_of(parent);
    if (!shared || !shared->takes_agreements()) return agree::hold(parent, ballot);
    ballot.hold([&](std::span<long long> numbers) {
        runtime::maximize_in_one_call(numbers, mpi::rank_of(parent), [&](std::span<long long> row) {
            runtime::maximize_by_messages(shared->get(), agreement_tag, nullptr, row);
        });
    });
}

} // namespace ortho::topology
