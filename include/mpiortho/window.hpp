// SPDX-License-Identifier: BSD-3-Clause
// One-sided communication: a part of <mpiortho.hpp>.
#ifndef MPIORTHO_WINDOW_HPP
#define MPIORTHO_WINDOW_HPP

#include "buffer.hpp"
#include "op.hpp"

namespace mpiortho {
inline namespace MPIORTHO_NAMESPACE {

/// Memory of each process that others access.  On a graph these are its in-neighbors, and fences and locks go
/// between neighbors alone.
///
/// Making it is collective, and so is its destructor.  Errors go through the window's handler, which is
/// MPI_ERRORS_ARE_FATAL at first: call return_errors() to get exceptions.
template <element T>
class window {
public:
    window() = default;
    /// A window on `memory`.
    window(MPI_Comm comm, detail::row_span<T> memory, const info& hints = {}) : memory_(memory), comm_(comm)
    {
        detail::check_code(
            ORTHO_Win_create(memory.data(), bytes(memory.size()), sizeof(T), hints.get(), comm, &handle_),
            comm);
    }
    /// A window with n elements of its own.
    window(MPI_Comm comm, std::size_t n, const info& hints = {}) : comm_(comm)
    {
        T* base = nullptr;
        detail::check_code(ORTHO_Win_allocate(bytes(n), sizeof(T), hints.get(), comm, &base, &handle_), comm);
        memory_ = {base, n};
    }
    window(window&& other) noexcept
        : memory_(other.memory_),
          handle_(std::exchange(other.handle_, MPI_WIN_NULL)),
          comm_(other.comm_)
    {}
    window& operator=(window&& other) noexcept
    {
        std::swap(memory_, other.memory_);
        std::swap(handle_, other.handle_);
        std::swap(comm_, other.comm_);
        return *this;
    }
    ~window()
    {
        if (handle_ != MPI_WIN_NULL && detail::is_running()) ORTHO_Win_free(&handle_);
    }

    MPI_Win get() const noexcept { return handle_; }
    /// This process's memory.
    std::span<T> local() const noexcept { return memory_; }
    /// Errors of this window become exceptions.
    void return_errors() { check_code(MPI_Win_set_errhandler(handle_, MPI_ERRORS_RETURN)); }

    /// End the epoch that the last fence has begun, and begin the next one.  `assertion`: MPI_MODE_NOSUCCEED,
    /// ...
    void fence(int assertion = 0) { check_code(ORTHO_Win_fence(assertion, handle_)); }

    /// A lock, which is given back by unlock(), or by its destructor.  The window may be moved meanwhile.
    class [[nodiscard("it is given back at once: keep it")]] lock_guard
    {
    public:
        lock_guard(lock_guard && other) noexcept
            : window_(std::exchange(other.window_, MPI_WIN_NULL)),
              comm_(other.comm_),
              rank_(other.rank_),
              all_(other.all_)
        {}
        lock_guard& operator=(lock_guard&&) = delete;
        ~lock_guard()
        {
            if (detail::is_running()) static_cast<void>(end());
        }
        /// Does nothing the second time.
        void unlock() { detail::check_code(end(), comm_); }

    private:
        friend window;
        lock_guard(MPI_Win locked, MPI_Comm comm, int rank, bool all) noexcept
            : window_(locked),
              comm_(comm),
              rank_(rank),
              all_(all)
        {}
        int end()
        {
            const MPI_Win locked = std::exchange(window_, MPI_WIN_NULL);
            if (locked == MPI_WIN_NULL) return MPI_SUCCESS;
            return all_ ? ORTHO_Win_unlock_all(locked) : ORTHO_Win_unlock(rank_, locked);
        }
        MPI_Win window_;
        MPI_Comm comm_;
        int rank_;
        bool all_;
    };
    lock_guard lock(int rank, bool exclusive = false, int assertion = 0) const
    {
        check_code(
            ORTHO_Win_lock(exclusive ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, rank, assertion, handle_));
        return {handle_, comm_, rank, false};
    }
    /// All out-neighbors, or all processes, shared.
    lock_guard lock_all(int assertion = 0) const
    {
        check_code(ORTHO_Win_lock_all(assertion, handle_));
        return {handle_, comm_, MPI_PROC_NULL, true};
    }

    /// Under a lock: complete what was started, at the target, or as far as the buffers here go.
    void flush(int rank) const { check_code(ORTHO_Win_flush(rank, handle_)); }
    void flush_all() const { check_code(ORTHO_Win_flush_all(handle_)); }
    void flush_local(int rank) const { check_code(ORTHO_Win_flush_local(rank, handle_)); }
    void flush_local_all() const { check_code(ORTHO_Win_flush_local_all(handle_)); }
    void sync() const { check_code(ORTHO_Win_sync(handle_)); }

    /// To, from, and into the target's elements, from number `at` on.  The buffers must live until the epoch
    /// ends.
    template <class B>
    void put(B&& from, int target, MPI_Aint at) const
    {
        const auto b = detail::to_send<true>(caller(), std::forward<B>(from));
        check_code(ORTHO_Put(b.data, count(b), b.type, target, at, count(b), b.type, handle_));
    }
    template <class B>
    void get(B&& into, int target, MPI_Aint at) const
    {
        const auto b = detail::to_receive(caller(), std::forward<B>(into));
        check_code(ORTHO_Get(b.data, count(b), b.type, target, at, count(b), b.type, handle_));
    }
    template <class B, class F>
    void accumulate(B&& from, int target, MPI_Aint at, const F& op) const
    {
        const auto b = detail::to_send<true>(caller(), std::forward<B>(from));
        const auto a = combined(b, op);
        check_code(ORTHO_Accumulate(b.data, a.n, a.type, target, at, a.n, a.type, a.op, handle_));
    }
    /// accumulate() that also puts the target's earlier values into `before`.
    template <class B, class R, class F>
    void get_accumulate(B&& from, R&& before, int target, MPI_Aint at, const F& op) const
    {
        const auto b = detail::to_send<true>(caller(), std::forward<B>(from));
        const auto r = detail::to_receive(caller(), std::forward<R>(before));
        const auto a = combined(b, op);
        const auto c = combined(r, op);
        check_code(ORTHO_Get_accumulate(b.data, a.n, a.type, r.data, c.n, c.type, target, at, a.n, a.type,
                                        a.op, handle_));
    }
    template <class F>
    void fetch_and_op(const T& value, T& before, int target, MPI_Aint at, const F& op) const
    {
        if constexpr (detail::flat<T>::size == 1) {
            using scalar = typename detail::flat<T>::scalar;
            check_code(ORTHO_Fetch_and_op(&value, &before, detail::number<scalar>(), target, at,
                                          detail::operator_of_mpi(op), handle_));
        } else
            get_accumulate(value, before, target, at, op);
    }
    void compare_and_swap(const T& value, const T& expected, T& before, int target, MPI_Aint at) const
    {
        check_code(ORTHO_Compare_and_swap(&value, &expected, &before, datatype<T>(), target, at, handle_));
    }

    /// put() with a request of MPI's.  Under locks alone.
    template <class B>
    MPI_Request rput(B&& from, int target, MPI_Aint at) const
    {
        const auto b = detail::to_send<true>(caller(), std::forward<B>(from));
        MPI_Request request = MPI_REQUEST_NULL;
        check_code(ORTHO_Rput(b.data, count(b), b.type, target, at, count(b), b.type, handle_, &request));
        return request;
    }
    template <class B>
    MPI_Request rget(B&& into, int target, MPI_Aint at) const
    {
        const auto b = detail::to_receive(caller(), std::forward<B>(into));
        MPI_Request request = MPI_REQUEST_NULL;
        check_code(ORTHO_Rget(b.data, count(b), b.type, target, at, count(b), b.type, handle_, &request));
        return request;
    }
    template <class B, class F>
    MPI_Request raccumulate(B&& from, int target, MPI_Aint at, const F& op) const
    {
        const auto b = detail::to_send<true>(caller(), std::forward<B>(from));
        const auto a = combined(b, op);
        MPI_Request request = MPI_REQUEST_NULL;
        check_code(ORTHO_Raccumulate(b.data, a.n, a.type, target, at, a.n, a.type, a.op, handle_, &request));
        return request;
    }
    template <class B, class R, class F>
    MPI_Request rget_accumulate(B&& from, R&& before, int target, MPI_Aint at, const F& op) const
    {
        const auto b = detail::to_send<true>(caller(), std::forward<B>(from));
        const auto r = detail::to_receive(caller(), std::forward<R>(before));
        const auto a = combined(b, op);
        const auto c = combined(r, op);
        MPI_Request request = MPI_REQUEST_NULL;
        check_code(ORTHO_Rget_accumulate(b.data, a.n, a.type, r.data, c.n, c.type, target, at, a.n, a.type,
                                         a.op, handle_, &request));
        return request;
    }

private:
    static MPI_Aint bytes(std::size_t n) { return static_cast<MPI_Aint>(n * sizeof(T)); }
    detail::caller caller() const { return {comm_, "window"}; }
    void check_code(int code) const { detail::check_code(code, comm_); }
    int as_int(MPI_Count n) const
    {
        if (n > 2147483647)
            detail::fail_on(comm_, MPI_ERR_COUNT, "mpiortho::window: more elements than an int can count");
        return static_cast<int>(n);
    }
    /// How many elements a buffer has.  They are the window's.  An array of fixed size stands for its
    /// elements.
    template <class Pointer, class E>
    int count(const detail::described<Pointer, E>& b) const
    {
        static_assert(
            detail::same_elements<typename detail::flat<E>::scalar, typename detail::flat<T>::scalar>,
            "mpiortho: the elements of the buffer are not the window's");
        return as_int(b.count);
    }
    /// A buffer as MPI reduces it.  Elements whose type is not known have the buffer's datatype, others that of
    /// their scalars.
    struct items {
        MPI_Op op;
        MPI_Datatype type;
        int n;
    };
    template <class Pointer, class E, class F>
    items combined(const detail::described<Pointer, E>& b, const F& op) const
    {
        const int n = count(b);
        MPI_Op const by = detail::operator_of_mpi(op);
        if constexpr (std::is_void_v<E>)
            return {by, b.type, n};
        else {
            using flat = detail::flat<E>;
            return {by, detail::number<typename flat::scalar>(),
                    as_int(n * static_cast<MPI_Count>(flat::size))};
        }
    }

    std::span<T> memory_;
    MPI_Win handle_ = MPI_WIN_NULL;
    MPI_Comm comm_ = MPI_COMM_NULL;
};

} // namespace MPIORTHO_NAMESPACE
} // namespace mpiortho

#endif
