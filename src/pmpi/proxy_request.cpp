// SPDX-License-Identifier: BSD-3-Clause
// Proxy requests: MPI's requests in the place of our operations.

#include "pmpi/proxy_request.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "mpi/object_info.hpp"
#include "pmpi/init_finalize.hpp"

namespace ortho::pmpi {

class ProxyRequest {
public:
    ProxyRequest(bool again, int its_tag) : persistent(again), tag(its_tag) {}

    void stand_for(ORTHO_Request its_operation, Caller by)
    {
        operation = its_operation;
        caller = std::move(by);
        active = !persistent;
        error = MPI_SUCCESS;
    }

    /// Waits for the operation.
    int wait()
    {
        const Counter::Timing timing(*caller.counter, Counter::same_call);
        const Named named(caller.counter->function());
        return ORTHO_Wait(&operation, MPI_STATUS_IGNORE);
    }
    int test(bool& is_over)
    {
        const Counter::Timing timing(*caller.counter, Counter::same_call);
        const Named named(caller.counter->function());
        is_over = true; // an error handler throws once it is over
        int flag = 0;
        const int code = ORTHO_Test(&operation, &flag, MPI_STATUS_IGNORE);
        is_over = flag != 0;
        return code;
    }

    /// Frees the operation, if there is one.  An operation under way ends by itself.
    void free_operation()
    {
        if (operation != ORTHO_REQUEST_NULL) ORTHO_Request_free(&operation);
    }

    const bool persistent;
    const int tag;
    bool has_tag = true;
    /// The receive was posted; MPI may have ended it without our knowing.
    bool posted = false;
    bool told = false; ///< its message has been sent

    // About the operation behind the proxy.
    bool taken = false; ///< the proxy serves an operation
    ORTHO_Request operation = ORTHO_REQUEST_NULL;
    bool active = false;     ///< started, and not completed
    int error = MPI_SUCCESS; ///< the result of MPI's call
    Caller caller{};
};

namespace {

/// The last tag that the MPI has.
int last_tag()
{
    static const int last = mpi::last_tag_of(self() == MPI_COMM_SELF ? MPI_COMM_WORLD : self());
    return last;
}

/// A program that began thousands at once does not keep them all: MPI searches all posted receives.
constexpr std::size_t most_idle = 64;

/// A proxy without operation: posted, or persistent.
struct Idle {
    MPI_Request request;
    std::shared_ptr<ProxyRequest> proxy;
};

struct All {
    std::mutex mutex;
    MPI_Comm self = MPI_COMM_NULL; // for our messages only
    std::unordered_map<MPI_Request, std::shared_ptr<ProxyRequest>> proxies;
    std::array<std::vector<Idle>, 2> idle; // the second list is for persistent ones
    std::vector<int> free_tags;
    int next_tag = 0;
    std::atomic<std::size_t> number{0}; // number of taken proxies; if it is 0, nothing is looked up
};

[[gnu::hot]] All& all()
{
    static All& instance = *new All; // stays in a program that does not end MPI
    return instance;
}

/// Sends the message that MPI's request waits for.
void tell(ProxyRequest& proxy)
{
    proxy.told = true;
    // It is received already, so this does not wait.
    PMPI_Send(nullptr, 0, MPI_BYTE, 0, proxy.tag, all().self);
}

/// Ends the receive.
void end_receive(ProxyRequest& proxy, MPI_Request& request)
{
    if (!proxy.told) tell(proxy);
    PMPI_Wait(&request, MPI_STATUS_IGNORE);
    proxy.posted = proxy.told = false;
}

/// Call it under the lock.
void take(ProxyRequest& proxy, bool taken)
{
    if (std::exchange(proxy.taken, taken) == taken) return;
    if (taken)
        all().number.fetch_add(1, std::memory_order_release);
    else
        all().number.fetch_sub(1, std::memory_order_release);
}

/// Makes the proxy unknown to calls.  Call it under the lock.  Another proxy may get its tag while its
/// message is on the way: there are as many messages as receives, and any message completes any receive.
void forget(MPI_Request request, ProxyRequest& proxy)
{
    take(proxy, false);
    if (std::exchange(proxy.has_tag, false)) all().free_tags.push_back(proxy.tag);
    const auto found = all().proxies.find(request);
    // Another proxy may have this handle by now.
    if (found != all().proxies.end() && found->second.get() == &proxy) all().proxies.erase(found);
}

/// Ends all our receives before MPI ends.
void end_receives()
{
    const std::lock_guard lock(all().mutex);
    for (auto& [handle, proxy] : all().proxies) {
        // Active operations are the program's error; persistent ones need not be freed.
        if (!proxy->posted || proxy->told || proxy->active) continue;
        MPI_Request request = handle;
        end_receive(*proxy, request);
    }
    for (auto& idle : all().idle) {
        for (auto& [request, proxy] : idle) {
            forget(request, *proxy);
            if (proxy->persistent) PMPI_Request_free(&request);
        }
        idle.clear();
    }
    // Functions that MPI_Finalize calls after this one may complete requests.
    if (all().self != MPI_COMM_NULL && !any_stands()) PMPI_Comm_free(&all().self);
}

/// Call it under the lock.
MPI_Comm own()
{
    if (all().self != MPI_COMM_NULL) return all().self;
    all().self = make_comm_alone();
    if (all().self != MPI_COMM_NULL) at_end(end_receives);
    return all().self;
}

/// Call it under the lock.  Throws base::Error.
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

/// Lets MPI complete the request of an operation that is over and has returned `code`.
void finish(MPI_Request request, ProxyRequest& proxy, int code)
{
    if (!proxy.persistent) proxy.free_operation(); // it exists also if the call itself failed
    proxy.error = code;
    proxy.active = false;
    tell(proxy);
    if (proxy.persistent || code != MPI_SUCCESS) return;
    // At once: when MPI has completed the request, another thread may get its handle.
    const std::lock_guard lock(all().mutex);
    forget(request, proxy);
}

/// Makes a new proxy.  Call it under the lock.  Throws base::Error.
std::shared_ptr<ProxyRequest> new_proxy(bool persistent, MPI_Request* request)
{
    All& a = all();
    MPI_Comm const private_comm = own();
    base::require(private_comm != MPI_COMM_NULL, base::ErrorKind::other, "request",
                  "no communicator can be made for it");
    auto proxy = std::make_shared<ProxyRequest>(persistent, take_tag());
    // The entry below then allocates only itself, and rehashing is rare.
    if (a.proxies.size() >= a.proxies.bucket_count()) a.proxies.reserve(2 * a.proxies.size() + 64);
    a.idle[persistent].reserve(most_idle); // since completing cannot report errors
    const int code = persistent ? PMPI_Recv_init(nullptr, 0, MPI_BYTE, 0, proxy->tag, private_comm, request)
                                : PMPI_Irecv(nullptr, 0, MPI_BYTE, 0, proxy->tag, private_comm, request);
    base::require(code == MPI_SUCCESS, base::ErrorKind::other, "request", "no request can be made for it");
    proxy->posted = !persistent;
    a.proxies[*request] = proxy;
    return proxy;
}

/// Takes an idle proxy, or makes a new one.  Call it under the lock.  Throws base::Error.
std::shared_ptr<ProxyRequest> find_or_make(bool persistent, MPI_Request* request)
{
    std::vector<Idle>& idle = all().idle[persistent];
    if (idle.empty()) return new_proxy(persistent, request);
    const Idle one = std::move(idle.back());
    idle.pop_back();
    *request = one.request;
    return one.proxy;
}

/// Makes a proxy idle.  Call it under the lock.  False if there are enough idle ones.
bool keep(MPI_Request request, const std::shared_ptr<ProxyRequest>& proxy)
{
    std::vector<Idle>& idle = all().idle[proxy->persistent];
    if (idle.size() >= most_idle) return false;
    take(*proxy, false);
    idle.push_back({request, proxy});
    return true;
}

/// The proxy of an operation, or null.  Call it under the lock.
[[gnu::hot]] std::shared_ptr<ProxyRequest> taken_one(MPI_Request request)
{
    const auto found = all().proxies.find(request);
    return found == all().proxies.end() || !found->second->taken ? nullptr : found->second;
}

} // namespace

[[gnu::hot]] int make_proxy(ORTHO_Request operation, bool persistent, Caller caller, MPI_Request* request)
{
    try {
        const std::lock_guard lock(all().mutex);
        const auto proxy = find_or_make(persistent, request);
        proxy->stand_for(operation, std::move(caller));
        take(*proxy, true);
        return MPI_SUCCESS;
    } catch (...) {
        ORTHO_Request_free(&operation);
        throw;
    }
}

bool sees_requests()
{
    static const bool value = [] {
        Dl_info here{};
        if (dladdr(reinterpret_cast<void*>(&sees_requests), &here) == 0) return true;
        for (const char* const name :
             {"MPI_Wait", "MPI_Waitall", "MPI_Waitany", "MPI_Waitsome", "MPI_Test", "MPI_Testall",
              "MPI_Testany", "MPI_Testsome", "MPI_Start", "MPI_Startall", "MPI_Request_free",
              "MPI_Request_get_status", "MPI_Cancel"}) {
            Dl_info taken{};
            void* const function = dlsym(RTLD_DEFAULT, name);
            if (function == nullptr || dladdr(function, &taken) == 0 || taken.dli_fbase == here.dli_fbase)
                continue;
            if (world().rank == 0)
                std::fprintf(
                    stderr, "mpiortho: %s is that of %s: non-blocking and persistent calls are left to MPI\n",
                    name, taken.dli_fname);
            return false;
        }
        return true;
    }();
    return value;
}

[[gnu::hot]] bool any_stands() { return all().number.load(std::memory_order_acquire) != 0; }

[[gnu::hot]] std::shared_ptr<ProxyRequest> find_proxy(MPI_Request request)
{
    if (!any_stands()) return nullptr;
    const std::lock_guard lock(all().mutex);
    return taken_one(request);
}

[[gnu::hot]] int start(ProxyRequest& proxy, MPI_Request* request)
{
    const Counter::Timing timing(*proxy.caller.counter);
    const Named named("MPI_Start");
    const int code = ORTHO_Start(&proxy.operation);
    if (code != MPI_SUCCESS) return code;
    // The program may start only complete requests.
    if (std::exchange(proxy.told, false)) proxy.posted = false;
    if (!proxy.posted) {
        const int posted = PMPI_Start(request);
        if (posted != MPI_SUCCESS) return posted;
    }
    proxy.posted = proxy.active = true;
    return MPI_SUCCESS;
}

int give_back(const std::shared_ptr<ProxyRequest>& proxy, MPI_Request* request)
{
    proxy->free_operation();
    if (proxy->persistent) {
        if (proxy->told) end_receive(*proxy, *request);
        const std::lock_guard lock(all().mutex);
        if (keep(*request, proxy)) {
            *request = MPI_REQUEST_NULL;
            return MPI_SUCCESS;
        }
    }
    if (proxy->posted && !proxy->told) tell(*proxy);
    {
        const std::lock_guard lock(all().mutex);
        forget(*request, *proxy);
    }
    return PMPI_Request_free(request);
}

int refuse_to_cancel(const ProxyRequest& proxy)
{
    MPI_Comm const comm = *proxy.caller.there ? proxy.caller.comm : self();
    return guarded("MPI_Cancel", comm, [&]() -> int {
        base::fail(base::ErrorKind::request, "request", "request is of ", proxy.caller.counter->function(),
                   ": collectives cannot be cancelled");
    });
}

OursAmong::OursAmong(int n, const MPI_Request requests[]) : n_(n)
{
    if (!any_stands() || requests == nullptr) return;
    const std::lock_guard lock(all().mutex);
    for (int i = 0; i < n; ++i) {
        auto proxy = taken_one(requests[i]);
        if (proxy == nullptr) continue;
        if (++number_ == 1) {
            one_ = {i, requests[i], std::move(proxy)};
            continue;
        }
        if (number_ == 2) several_.push_back(one_);
        several_.push_back({i, requests[i], std::move(proxy)});
    }
}

/// Hides a request whose operation is over.
void OursAmong::hide(Ours& one, MPI_Request requests[])
{
    ProxyRequest& proxy = *one.proxy;
    one.hidden = true;
    requests[one.index] = MPI_REQUEST_NULL;
    proxy.active = false;
    if (proxy.persistent) return;
    proxy.free_operation();
    {
        const std::lock_guard lock(all().mutex);
        if (keep(one.request, one.proxy)) return;
        forget(one.request, proxy);
    }
    MPI_Request request = one.request;
    end_receive(proxy, request);
}

/// The code of a call on one of them.  An exception of an error handler waits for settle().
template <class Call>
int OursAmong::code_of(Call call)
{
    try {
        return call();
    } catch (...) {
        thrown_ = std::current_exception();
        return MPI_ERR_OTHER;
    }
}

bool OursAmong::complete(MPI_Request requests[])
{
    for (Ours& one : ours()) {
        ProxyRequest& proxy = *one.proxy;
        if (proxy.told) continue; // MPI completes it
        if (proxy.active) one.error = code_of([&] { return proxy.wait(); });
        hide(one, requests);
    }
    return std::any_of(requests, requests + n_,
                       [](MPI_Request request) { return request != MPI_REQUEST_NULL; });
}

bool OursAmong::complete_if_over(MPI_Request* request)
{
    ProxyRequest& proxy = *one_.proxy;
    if (proxy.told) return false;
    bool is_over = true;
    if (proxy.active) one_.error = code_of([&] { return proxy.test(is_over); });
    if (is_over) hide(one_, request);
    return is_over;
}

void OursAmong::look()
{
    for (const Ours& one : ours()) {
        ProxyRequest& proxy = *one.proxy;
        if (proxy.active) {
            bool is_over = false;
            const int code = code_of([&] { return proxy.test(is_over); });
            if (is_over) finish(one.request, proxy, code);
        } else if (proxy.posted && !proxy.told) { // persistent: MPI must find it inactive
            MPI_Request request = one.request;
            end_receive(proxy, request);
        }
    }
}

void OursAmong::settle(MPI_Request requests[])
{
    for (const Ours& one : ours()) {
        if (one.hidden) {
            if (one.proxy->persistent) requests[one.index] = one.request;
        } else if (!one.proxy->persistent && requests[one.index] == MPI_REQUEST_NULL) {
            const std::lock_guard lock(all().mutex);
            forget(one.request, *one.proxy);
        }
    }
    if (thrown_) std::rethrow_exception(thrown_);
}

bool is_in_status(int code)
{
    int error_class = MPI_SUCCESS;
    return code != MPI_SUCCESS && PMPI_Error_class(code, &error_class) == MPI_SUCCESS &&
           error_class == MPI_ERR_IN_STATUS;
}

int OursAmong::take_error(int i)
{
    const auto one = std::ranges::find(ours(), i, &Ours::index);
    if (one == ours().end()) return MPI_SUCCESS;
    return std::exchange(one->hidden ? one->error : one->proxy->error, MPI_SUCCESS);
}

/// Has any operation failed?
bool OursAmong::any_error()
{
    return std::ranges::any_of(
        ours(), [](const Ours& one) { return (one.hidden ? one.error : one.proxy->error) != MPI_SUCCESS; });
}

} // namespace ortho::pmpi
