// SPDX-License-Identifier: BSD-3-Clause
// Operations that are under way, and operations that are prepared: a part of <mpiortho.hpp>.
#ifndef MPIORTHO_REQUEST_HPP
#define MPIORTHO_REQUEST_HPP

#include <array>
#include <concepts>
#include <cstdlib>
#include <initializer_list>
#include <span>
#include <strings.h>
#include <utility>

#include "error.hpp"

namespace mpiortho {
inline namespace MPIORTHO_NAMESPACE {

namespace detail {

/// Is ORTHO_VERIFY set?
inline bool verifies() noexcept
{
    const char* const value = std::getenv("ORTHO_VERIFY");
    if (value == nullptr) return false;
    for (const char* yes : {"1", "true", "yes", "on"})
        if (strcasecmp(value, yes) == 0) return true;
    return false;
}

} // namespace detail

/// A stream of a device, a cudaStream_t, that an operation is ordered with: start({.stream = stream}).
struct in_stream {
    void* stream = nullptr; ///< null: the default stream
};

/// A request of the C interface, and its communicator: what pending and operation have in common.
class request_holder {
public:
    /// The algorithm that was chosen, and why.
    text explain() const
    {
        int length = 0;
        detail::check_code(ORTHO_Explain(request_, nullptr, 0, &length), comm_);
        text result(static_cast<std::size_t>(length));
        detail::check_code(ORTHO_Explain(request_, result.data(), length + 1, &length), comm_);
        return result;
    }

    /// Is there a request?  If it is under way: still, as far as this process has been told?
    explicit operator bool() const noexcept { return request_ != ORTHO_REQUEST_NULL; }
    ORTHO_Request get() const noexcept { return request_; }
    MPI_Comm comm() const noexcept { return comm_; }
    /// Give the request up: the caller waits for it, or frees it.
    ORTHO_Request release() noexcept { return std::exchange(request_, ORTHO_REQUEST_NULL); }

protected:
    request_holder() = default;
    request_holder(ORTHO_Request request, MPI_Comm comm) noexcept : request_(request), comm_(comm) {}
    request_holder(request_holder&& other) noexcept : request_(other.release()), comm_(other.comm_) {}
    request_holder& operator=(request_holder&& other) noexcept
    {
        request_ = other.release();
        comm_ = other.comm_;
        return *this;
    }
    ~request_holder() = default;

    ORTHO_Request request_ = ORTHO_REQUEST_NULL;
    MPI_Comm comm_ = MPI_COMM_NULL;
};

/// An operation that is under way: what non-blocking collectives and operation::start() return.
///
/// Its buffers and its communicator must live until it is over.  Until then what is sent must not be changed,
/// and what is received must not be accessed.  The destructor waits for it.  With ORTHO_VERIFY=1 it says so
/// on stderr if it had to.
class [[nodiscard("the destructor would wait at once: keep it, and call wait()")]] pending
    : public request_holder
{
public:
    pending() = default;
    /// Takes a request of the C interface over.
    explicit pending(ORTHO_Request request, MPI_Comm comm) noexcept : request_holder(request, comm) {}
    pending(pending &&) noexcept = default;
    pending& operator=(pending&& other) noexcept
    {
        if (this == &other) return *this;
        finish();
        request_holder::operator=(std::move(other));
        return *this;
    }
    ~pending() { finish(); }

    /// Wait until it is over.
    void wait()
    {
        ORTHO_Request request = release();
        detail::check_code(ORTHO_Wait(&request, MPI_STATUS_IGNORE), comm_);
    }
    /// Wait until the host has nothing more to do for it: what is put into the stream later finds the result.
    void wait(in_stream before)
    {
        ORTHO_Request request = release();
        detail::check_code(ORTHO_Wait_enqueue(&request, before.stream), comm_);
    }
    /// Is it over?  Advances it, and all other operations of the process.
    bool test()
    {
        int flag = 0;
        ORTHO_Request request = request_;
        const int code = ORTHO_Test(&request, &flag, MPI_STATUS_IGNORE);
        if (flag != 0 || code != MPI_SUCCESS) request_ = ORTHO_REQUEST_NULL;
        detail::check_code(code, comm_);
        return flag != 0;
    }
    /// Advance it, for a loop that computes meanwhile.
    void poll() { static_cast<void>(test()); }
    /// Has the block of this in-neighbor, an index of the receive side, arrived?
    bool arrived(int in_neighbor) const
    {
        int flag = 1;
        if (request_ != ORTHO_REQUEST_NULL)
            detail::check_code(ORTHO_Parrived(request_, in_neighbor, &flag), comm_);
        return flag != 0;
    }

private:
    void finish() noexcept
    {
        if (request_ == ORTHO_REQUEST_NULL || !detail::is_running()) return;
        ORTHO_Request request = release();
        if (detail::verifies()) {
            int flag = 0;
            if (ORTHO_Test(&request, &flag, MPI_STATUS_IGNORE) != MPI_SUCCESS || flag != 0) return;
            std::fputs("mpiortho: an operation was under way when its mpiortho::pending was destroyed; the "
                       "destructor waits for it\n",
                       stderr);
        }
        ORTHO_Wait(&request, MPI_STATUS_IGNORE);
    }
};

namespace detail {
/// Bytes of the buffers that an operation was prepared with; -1: not known.
struct buffer_bytes {
    MPI_Count send = -1;
    MPI_Count receive = -1;
};
template <class C>
struct call_on;
} // namespace detail

/// A persistent operation: what the functions whose names end with _init return.
///
/// It refers to its buffers, which must live as long as it is used.
class [[nodiscard("it is prepared, and not started: keep it, and call start() or run()")]] operation
    : public request_holder
{
public:
    operation() = default;
    /// Takes a persistent request of the C interface over.
    explicit operation(ORTHO_Request request, MPI_Comm comm) noexcept : request_holder(request, comm) {}
    operation(operation &&) noexcept = default;
    operation& operator=(operation&& other) noexcept
    {
        if (this == &other) return *this;
        free();
        request_holder::operator=(std::move(other));
        bytes_ = other.bytes_;
        MPIORTHO_IF_CHECKED(watched_ = std::move(other.watched_);)
        return *this;
    }
    ~operation() { free(); }

    /// Starts it.  The result must end before this operation is destroyed.
    pending start()&
    {
        MPIORTHO_IF_CHECKED(require_arrays();)
        detail::check_code(ORTHO_Start(&request_), comm_);
        return pending(request_, comm_);
    }
    /// Start it after the work that is in the stream now.
    pending start(in_stream behind)&
    {
        MPIORTHO_IF_CHECKED(require_arrays();)
        detail::check_code(ORTHO_Start_enqueue(&request_, behind.stream), comm_);
        return pending(request_, comm_);
    }
    /// A temporary would be destroyed at once.
    pending start()&& = delete;
    pending start(in_stream)&& = delete;
    /// Start it and wait until it is over.  Blocks may travel through other processes, which can be faster.
    void run()
    {
        MPIORTHO_IF_CHECKED(require_arrays();)
        detail::check_code(ORTHO_Run(&request_, MPI_STATUS_IGNORE), comm_);
    }
    /// run() in the order of a device's stream.
    void run(in_stream order)
    {
        MPIORTHO_IF_CHECKED(require_arrays();)
        detail::check_code(ORTHO_Run_enqueue(&request_, order.stream), comm_);
    }
    /// Other buffers of the same types, and at least as long, from the next start on.  On a full communicator only if it was
    /// prepared with info{{"ortho_rebind", "true"}}.  Local.
    template <class S, class R>
    void rebind(S && send, R && recv);
    /// Rebinds a bcast, which has one buffer.
    template <class B>
    void rebind(B && buffer);
    MPIORTHO_IF_CHECKED(void watch(const auto& arrays) {
        watched_ = {};
        for (const auto& array : arrays) watched_.push_back(array.watched);
    })
    MPIORTHO_IF_CHECKED(void require_arrays() const {
        for (std::size_t i = 0; i < watched_.size(); ++i)
            if (watched_[i].is_gone())
                detail::fail_on(
                    comm_, MPI_ERR_BUFFER,
                    "mpiortho: the field whose memory is array %zu of the exchange was destroyed, or "
                    "got other memory: keep it, or give the exchange the one that is there now",
                    i);
    })

private:
    void free() noexcept
    {
        if (request_ == ORTHO_REQUEST_NULL || !detail::is_running()) return;
        ORTHO_Wait(&request_, MPI_STATUS_IGNORE); // returns at once where nothing is under way
        ORTHO_Request_free(&request_);
    }

    template <class C>
    friend struct detail::call_on;
    /// Prepared with buffers of so many bytes.
    operation(operation && other, detail::buffer_bytes bytes) noexcept : operation(std::move(other))
    {
        bytes_ = bytes;
    }
    template <class Described>
    void require_room(const Described& buffer, MPI_Count had, const char* which) const;

    detail::buffer_bytes bytes_;
    MPIORTHO_IF_CHECKED(detail::list<detail::watched_memory> watched_;)
};

/// A value that is on its way: what non-blocking reductions of a value return.  It owns what is sent and
/// received.
template <class T>
class [[nodiscard("the destructor would wait at once: keep it, and call get()")]] future
{
public:
    /// Where the value comes from, and where it arrives.
    struct values {
        T sent;
        T received;
    };

    future(values * both, pending operation) noexcept : both_(both), operation_(std::move(operation)) {}
    future(future && other) noexcept
        : both_(std::exchange(other.both_, nullptr)),
          operation_(std::move(other.operation_))
    {}
    future& operator=(future&& other) noexcept
    {
        std::swap(both_, other.both_);
        std::swap(operation_, other.operation_);
        return *this;
    }
    ~future()
    {
        operation_ = pending();
        delete both_;
    }

    /// Wait for the value, and return it.
    T get()
    {
        operation_.wait();
        return both_->received;
    }
    bool test() { return operation_.test(); }
    void poll() { operation_.poll(); }

private:
    values* both_;
    pending operation_;
};

/// Advance all operations of the process that are under way.
inline void progress() { detail::check_code(ORTHO_Progress(), MPI_COMM_SELF); }

namespace detail {

/// The requests of several operations.
inline list<ORTHO_Request> requests_of(std::span<pending> all)
{
    list<ORTHO_Request> requests(all.size());
    for (std::size_t i = 0; i < all.size(); ++i) requests[i] = all[i].get();
    return requests;
}
/// The communicator whose handler has seen an error of one of them.
inline MPI_Comm comm_of(std::span<pending> all) { return all.empty() ? MPI_COMM_SELF : all[0].comm(); }
/// After a call that ends one of them at most: its index, or -1.
inline int release_one(std::span<pending> all, int index, int code)
{
    if (index == MPI_UNDEFINED) index = -1;
    if (index != -1) static_cast<void>(all[static_cast<std::size_t>(index)].release());
    check_code(code, comm_of(all));
    return index;
}
/// After a call that ends some of them: how many.
inline int release_some(std::span<pending> all, std::span<const int> indices, int count, int code)
{
    if (count == MPI_UNDEFINED) count = 0;
    for (int i = 0; i < count; ++i)
        static_cast<void>(all[static_cast<std::size_t>(indices[static_cast<std::size_t>(i)])].release());
    check_code(code, comm_of(all));
    return count;
}

} // namespace detail

/// Wait for several operations.
inline void wait_all(std::span<pending> all)
{
    detail::list<ORTHO_Request> requests = detail::requests_of(all);
    for (pending& p : all) static_cast<void>(p.release());
    detail::check_code(ORTHO_Waitall(static_cast<int>(all.size()), requests.data(), MPI_STATUSES_IGNORE),
                       detail::comm_of(all));
}
template <std::same_as<pending>... Pending>
void wait_all(Pending&... all)
{
    pending list[] = {std::move(all)...};
    wait_all(std::span<pending>(list));
}

/// Wait for one of several operations, and return its index; -1 if none is under way.
inline int wait_any(std::span<pending> all)
{
    detail::list<ORTHO_Request> requests = detail::requests_of(all);
    int index = MPI_UNDEFINED;
    const int code = ORTHO_Waitany(static_cast<int>(all.size()), requests.data(), &index, MPI_STATUS_IGNORE);
    return detail::release_one(all, index, code);
}

/// Wait for one at least of several operations.  `indices` has room for all: those that are over now stand
/// first. Returns how many there are; 0 if none is under way.
inline int wait_some(std::span<pending> all, std::span<int> indices)
{
    detail::list<ORTHO_Request> requests = detail::requests_of(all);
    int count = 0;
    const int code = ORTHO_Waitsome(static_cast<int>(all.size()), requests.data(), &count, indices.data(),
                                    MPI_STATUSES_IGNORE);
    return detail::release_some(all, indices, count, code);
}

/// Are all of several operations over?  If not, they stay as they are.
inline bool test_all(std::span<pending> all)
{
    detail::list<ORTHO_Request> requests = detail::requests_of(all);
    int flag = 0;
    const int code = ORTHO_Testall(static_cast<int>(all.size()), requests.data(), &flag, MPI_STATUSES_IGNORE);
    if (flag != 0 || code != MPI_SUCCESS)
        for (pending& p : all) static_cast<void>(p.release());
    detail::check_code(code, detail::comm_of(all));
    return flag != 0;
}

/// The index of one of several operations that is over now; -1 if there is none.
inline int test_any(std::span<pending> all)
{
    detail::list<ORTHO_Request> requests = detail::requests_of(all);
    int index = MPI_UNDEFINED;
    int flag = 0;
    const int code = ORTHO_Testany(static_cast<int>(all.size()), requests.data(), &index, &flag,
                                   MPI_STATUS_IGNORE);
    return detail::release_one(all, index, code);
}

/// As wait_some, without waiting: 0 if none is over.
inline int test_some(std::span<pending> all, std::span<int> indices)
{
    detail::list<ORTHO_Request> requests = detail::requests_of(all);
    int count = 0;
    const int code = ORTHO_Testsome(static_cast<int>(all.size()), requests.data(), &count, indices.data(),
                                    MPI_STATUSES_IGNORE);
    return detail::release_some(all, indices, count, code);
}

/// Start several operations.
template <std::derived_from<operation>... Operations>
std::array<pending, sizeof...(Operations)> start_all(Operations&... all)
{
    ORTHO_Request requests[] = {all.get()...};
    const MPI_Comm comms[] = {all.comm()...};
    MPIORTHO_IF_CHECKED((all.require_arrays(), ...);)
    detail::check_code(ORTHO_Startall(static_cast<int>(sizeof...(all)), requests), comms[0]);
    return {pending(all.get(), all.comm())...};
}

/// Start several operations, which overlap, and wait until they are over.
template <std::derived_from<operation>... Operations>
void run_all(Operations&... all)
{
    ORTHO_Request requests[] = {all.get()...};
    const MPI_Comm comms[] = {all.comm()...};
    MPIORTHO_IF_CHECKED((all.require_arrays(), ...);)
    detail::check_code(ORTHO_Runall(static_cast<int>(sizeof...(all)), requests, MPI_STATUSES_IGNORE),
                       comms[0]);
}

} // namespace MPIORTHO_NAMESPACE
} // namespace mpiortho

#endif
