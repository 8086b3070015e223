// SPDX-License-Identifier: BSD-3-Clause
// Requests of MPI's that stand for operations of ours.

#include "pmpi/proxy_request.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "mpi/object_info.hpp"
#include "pmpi/init_finalize.hpp"

namespace ortho::pmpi {

class ProxyRequest {
public:
    ProxyRequest(ORTHO_Request begun, bool again, int its_tag, Caller by)
        : operation(begun),
          persistent(again),
          tag(its_tag),
          active(!again),
          caller(std::move(by))
    {}

    /// What a call of ours has returned is the program's to know.
    int raised(int code) const
    {
        if (code == MPI_SUCCESS || caller.raised || !*caller.there) return code;
        return ortho_raise_again(caller.counter->function(), caller.comm, code);
    }

    ORTHO_Request operation;
    const bool persistent;
    const int tag;
    bool active; ///< started, and MPI has not been told that it is over
    bool has_tag = true;
    int error = MPI_SUCCESS;
    const Caller caller;
};

namespace {

/// The last tag that the MPI has.
int last_tag()
{
    static const int last = mpi::last_tag_of(self() == MPI_COMM_SELF ? MPI_COMM_WORLD : self());
    return last;
}

struct All {
    std::mutex mutex;
    MPI_Comm self = MPI_COMM_NULL; // the messages are nobody else's
    std::unordered_map<MPI_Request, std::shared_ptr<ProxyRequest>> standings;
    std::vector<int> free_tags;
    int next_tag = 0;
    std::atomic<std::size_t> number{0}; // of standings; where there are none, nothing is looked up
};

All& all()
{
    static All& instance = *new All; // a program that does not end MPI leaves it be
    return instance;
}

/// Under the lock.
MPI_Comm own()
{
    // No duplicate: that would call the program's functions for its attributes of MPI_COMM_SELF.
    MPI_Group me = MPI_GROUP_NULL;
    if (all().self == MPI_COMM_NULL && PMPI_Comm_group(pmpi::self(), &me) == MPI_SUCCESS &&
        PMPI_Comm_create_group(pmpi::self(), me, mpi::promised_tag, &all().self) == MPI_SUCCESS) {
        PMPI_Comm_set_errhandler(all().self, MPI_ERRORS_RETURN);
        at_end([] {
            const std::lock_guard lock(all().mutex);
            if (all().self != MPI_COMM_NULL) PMPI_Comm_free(&all().self);
        });
    }
    if (me != MPI_GROUP_NULL) PMPI_Group_free(&me);
    return all().self;
}

/// Under the lock.  Throws base::Error.
int take_tag()
{
    if (!all().free_tags.empty()) {
        const int tag = all().free_tags.back();
        all().free_tags.pop_back();
        return tag;
    }
    base::require(all().next_tag < last_tag(), base::ErrorKind::other, "request", "more than ", last_tag(),
                  " requests of neighborhood collectives at once");
    return all().next_tag++;
}

/// Under the lock: no call need know of it any more.  Its message is received before any that comes later
/// with its tag.
void forget(MPI_Request request, ProxyRequest& standing)
{
    if (std::exchange(standing.has_tag, false)) all().free_tags.push_back(standing.tag);
    const auto found = all().standings.find(request);
    // Another one may have the handle by now.
    if (found == all().standings.end() || found->second.get() != &standing) return;
    all().standings.erase(found);
    all().number.store(all().standings.size(), std::memory_order_release);
}

/// The operation is over: send the message that MPI's request waits for.
void tell(ProxyRequest& standing)
{
    standing.active = false;
    // It is being received: this waits for nobody.
    PMPI_Send(nullptr, 0, MPI_BYTE, 0, standing.tag, all().self);
}

/// The operation is over, and has returned `code`.
void finish(MPI_Request request, ProxyRequest& standing, int code)
{
    // Where the call itself failed, what it was to end ends by itself.
    if (!standing.persistent && standing.operation != ORTHO_REQUEST_NULL)
        ORTHO_Request_free(&standing.operation);
    standing.error = code;
    tell(standing);
    if (standing.persistent || code != MPI_SUCCESS) return;
    // At once: when MPI has completed the request another thread may be given its handle.
    const std::lock_guard lock(all().mutex);
    forget(request, standing);
}

} // namespace

int make_proxy(ORTHO_Request operation, bool persistent, Caller caller, MPI_Request* request)
{
    All& a = all();
    try {
        const std::lock_guard lock(a.mutex);
        MPI_Comm const private_comm = own();
        base::require(private_comm != MPI_COMM_NULL, base::ErrorKind::other, "request",
                      "no communicator can be made for it");
        auto standing = std::make_shared<ProxyRequest>(operation, persistent, take_tag(), std::move(caller));
        // So that the entry below takes no memory but its own, and buckets are seldom made anew.
        if (a.standings.size() >= a.standings.bucket_count())
            a.standings.reserve(2 * a.standings.size() + 64);
        const int code = persistent
                             ? PMPI_Recv_init(nullptr, 0, MPI_BYTE, 0, standing->tag, private_comm, request)
                             : PMPI_Irecv(nullptr, 0, MPI_BYTE, 0, standing->tag, private_comm, request);
        base::require(code == MPI_SUCCESS, base::ErrorKind::other, "request",
                      "no request can be made for it");
        a.standings[*request] = std::move(standing);
        a.number.store(a.standings.size(), std::memory_order_release);
        return MPI_SUCCESS;
    } catch (...) {
        ORTHO_Request_free(&operation);
        throw;
    }
}

bool any_stands() { return all().number.load(std::memory_order_acquire) != 0; }

std::shared_ptr<ProxyRequest> find_standing(MPI_Request request)
{
    if (!any_stands()) return nullptr;
    const std::lock_guard lock(all().mutex);
    const auto found = all().standings.find(request);
    return found == all().standings.end() ? nullptr : found->second;
}

int start(ProxyRequest& standing)
{
    const Counter::Timing timing(*standing.caller.counter, Counter::same_call);
    const int code = standing.raised(ORTHO_Start(&standing.operation));
    if (code == MPI_SUCCESS) standing.active = true;
    return code;
}

void give_back(ProxyRequest& standing, MPI_Request request)
{
    if (standing.operation != ORTHO_REQUEST_NULL) ORTHO_Request_free(&standing.operation);
    if (standing.active) tell(standing);
    const std::lock_guard lock(all().mutex);
    forget(request, standing);
}

int refuse_to_cancel(const ProxyRequest& standing)
{
    MPI_Comm const comm = *standing.caller.there ? standing.caller.comm : self();
    return guarded("MPI_Cancel", comm, [&]() -> int {
        base::fail(base::ErrorKind::request, "request", "request is of ", standing.caller.counter->function(),
                   ": collectives cannot be cancelled");
    });
}

OursAmong::OursAmong(int n, const MPI_Request requests[])
{
    if (!any_stands() || requests == nullptr) return;
    const std::lock_guard lock(all().mutex);
    for (int i = 0; i < n; ++i) {
        const auto found = all().standings.find(requests[i]);
        if (found != all().standings.end()) ours_.push_back({i, requests[i], found->second});
    }
}

void OursAmong::wait()
{
    for (const auto& [index, request, standing] : ours_) {
        if (!standing->active) continue;
        const Counter::Timing timing(*standing->caller.counter, Counter::same_call);
        finish(request, *standing, standing->raised(ORTHO_Wait(&standing->operation, MPI_STATUS_IGNORE)));
    }
}

void OursAmong::look()
{
    for (const auto& [index, request, standing] : ours_) {
        if (!standing->active) continue;
        const Counter::Timing timing(*standing->caller.counter, Counter::same_call);
        int flag = 0;
        const int code = standing->raised(ORTHO_Test(&standing->operation, &flag, MPI_STATUS_IGNORE));
        if (flag != 0) finish(request, *standing, code);
    }
}

void OursAmong::settle(const MPI_Request now[])
{
    const std::lock_guard lock(all().mutex);
    for (const auto& [index, request, standing] : ours_)
        if (!standing->persistent && now[index] == MPI_REQUEST_NULL) forget(request, *standing);
}

int OursAmong::take_error(int i)
{
    const auto ours = std::ranges::find(ours_, i, &Ours::index);
    return ours == ours_.end() ? MPI_SUCCESS : std::exchange(ours->standing->error, MPI_SUCCESS);
}

bool OursAmong::any_error() const
{
    return std::ranges::any_of(ours_, [](const Ours& ours) { return ours.standing->error != MPI_SUCCESS; });
}

} // namespace ortho::pmpi
