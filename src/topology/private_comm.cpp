// SPDX-License-Identifier: BSD-3-Clause
// Communicators of our own behind a graph: for its messages, and for collectives.

#include "topology/private_comm.hpp"

#include <limits>
#include <mutex>
#include <set>

#include "mpi/failure.hpp"
#include "mpi/keyval.hpp"
#include "mpi/library_lifetime.hpp"
#include "mpi/mutex.hpp"

namespace ortho::topology {

namespace {

/// Of a graph: more than its operations will be at once.
constexpr int tags_a_graph = 1 << 17;
/// A range is given again only after all others, when what may still be under way in it, if calls did not
/// fit, is long forgotten.
constexpr int least_ranges = 64;

/// How many ranges of tags the MPI has.
int ranges()
{
    static const int number = (mpi::last_tag() - tags_a_graph + 1) / tags_a_graph + 1;
    return number;
}

} // namespace

class SharedComm {
public:
    explicit SharedComm(mpi::Comm comm) : comm_(std::move(comm)) {}

    MPI_Comm get() const { return comm_.get(); }

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
    int next_ = 0;
    mutable mpi::Mutex mutex_;
    std::set<int> taken_;
};

namespace {

/// The attribute of the communicator that graphs are made on.
struct SharedAttribute {
    std::shared_ptr<SharedComm> comm;
    mpi::Held held{};
};

extern "C" int ortho_delete_shared_comm(MPI_Comm, int, void* value, void*)
{
    delete static_cast<SharedAttribute*>(value);
    return MPI_SUCCESS;
}

mpi::CommKeyval& shared_key()
{
    // A duplicate has one of its own.
    static mpi::CommKeyval keyval(MPI_COMM_NULL_COPY_FN, ortho_delete_shared_comm);
    return keyval;
}

/// In place of what was there.  Collective.
std::shared_ptr<SharedComm> make_shared(MPI_Comm parent)
{
    auto made = std::make_shared<SharedComm>(make_own(parent, mpi::HaveMet::yes));
    auto attribute = std::make_unique<SharedAttribute>(SharedAttribute{made});
    shared_key().set(parent, attribute.get());
    static_cast<void>(attribute.release()); // the attribute's delete function has it now
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
int TagRange::first() const { return number_ * tags_a_graph; }
int TagRange::last() const { return first() + tags_a_graph - 1; }

MPI_Comm PrivateComm::collectives(MPI_Comm comm)
{
    if (!own_) own_ = make_own(comm);
    return own_.get();
}

mpi::Comm make_own(MPI_Comm comm, mpi::HaveMet have_met)
{
    mpi::Comm own = mpi::bare_copy(comm, have_met);
    mpi::check(PMPI_Comm_set_errhandler(own.get(), MPI_ERRORS_RETURN));
    return own;
}

SharingVote::SharingVote(MPI_Comm parent)
{
    if (const auto* const attribute = static_cast<const SharedAttribute*>(shared_key().find(parent)))
        known_ = attribute->comm;
}

std::array<int, SharingVote::count> SharingVote::numbers() const
{
    if (!known_) return {1, 0, std::numeric_limits<int>::min(), 0};
    const int next = known_->next();
    return {0, next, -next, known_->has(next) ? 1 : 0};
}

PrivateComm SharingVote::agreed(MPI_Comm parent, std::span<const int, count> largest) const
{
    if (ranges() < least_ranges) return PrivateComm(make_own(parent, mpi::HaveMet::yes));
    const bool is_known = largest[0] == 0 && largest[1] == -largest[2];
    const std::shared_ptr<SharedComm> shared = is_known ? known_ : make_shared(parent);
    const int next = shared->next();
    shared->go_on();
    // A graph that has been there for all this time.
    if (is_known && largest[3] != 0) return PrivateComm(make_own(parent, mpi::HaveMet::yes));
    return PrivateComm(TagRange(shared, next));
}

} // namespace ortho::topology
