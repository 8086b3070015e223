// SPDX-License-Identifier: BSD-3-Clause
// Errors of the C++ interface: a part of <mpiortho.hpp>.
#ifndef MPIORTHO_ERROR_HPP
#define MPIORTHO_ERROR_HPP

// All parts include this one.  A file that is not there ends the compilation: after an #error it would go on
// with a thousand lines about what older standards lack.
#if __cplusplus < 202002L
#include "mpiortho.hpp needs C++20; compile with -std=c++20"
#endif

#include <mpi.h>
#include <mpiortho.h>

#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <exception>

#include "list.hpp"

/// Stands between the name of a function and its arguments, where other headers may define a macro of that
/// name: Windows' min(a, b).
#define MPIORTHO_NO_MACRO

#if MPI_VERSION >= 4 || (defined OMPI_MAJOR_VERSION && OMPI_MAJOR_VERSION >= 5)
#define MPIORTHO_SESSIONS // and an info may be made at any time
#endif

namespace mpiortho {
inline namespace MPIORTHO_NAMESPACE {

/// Text that the library gives.  It converts to std::string, and goes into streams.  (<string> and <iostream>
/// are not included here: they take longer to compile than all of this.)
class text {
public:
    text() = default;
    /// Room for `size` characters.
    explicit text(std::size_t size) : characters_(size + 1) {}

    const char* c_str() const noexcept { return characters_.data(); }
    char* data() noexcept { return characters_.data(); }
    std::size_t size() const noexcept { return characters_.size() - 1; }
    template <class String>
    requires requires(const char* s, std::size_t n) { String(s, n).substr(n); }
    operator String() const { return String(c_str(), size()); }
    template <class Stream>
    requires requires(Stream& out, const char* s) { out.write(s, 1).flush(); }
    friend Stream& operator<<(Stream& out, const text& t)
    {
        out.write(t.c_str(), static_cast<std::ptrdiff_t>(t.size()));
        return out;
    }

private:
    detail::list<char> characters_ = detail::list<char>(1);
};

namespace detail {

/// Is MPI there?  Destructors do nothing after MPI_Finalize.
inline bool is_running() noexcept
{
    int finalized = 0;
    MPI_Finalized(&finalized);
    return finalized == 0;
}

inline bool has_world() noexcept
{
    int initialized = 0;
    MPI_Initialized(&initialized);
    return initialized != 0;
}

/// A program with sessions never calls MPI_Init.
inline bool may_be_of_session(MPI_Comm comm) noexcept
{
    return comm != MPI_Comm() && comm != MPI_COMM_NULL && comm != MPI_COMM_SELF && comm != MPI_COMM_WORLD;
}

/// Is MPI there for a call on this communicator?
inline bool has_mpi(MPI_Comm comm) noexcept
{
    return (has_world() || may_be_of_session(comm)) && is_running();
}

/// Has the library been called on a communicator that may be a session's?  From then on it keeps a session,
/// and so MPI, until the program ends.  Several threads may ask; <atomic> would take a tenth of a second to
/// compile.
inline bool noted_session = false;
inline bool knows_session() noexcept { return __atomic_load_n(&noted_session, __ATOMIC_RELAXED); }
inline void note_session(MPI_Comm comm) noexcept
{
    if (knows_session() || !may_be_of_session(comm)) return;
    int topology = 0;
    if (has_world() || ORTHO_Topo_test(comm, &topology) == MPI_SUCCESS)
        __atomic_store_n(&noted_session, true, __ATOMIC_RELAXED);
}

} // namespace detail

/// An error of the library or of the MPI.
///
/// The communicator's error handler sees an error first.  MPI_ERRORS_ARE_FATAL ends the program there, and
/// nothing is thrown.  If the handler returns, as MPI_ERRORS_RETURN does, the call throws this.
/// what() is the library's message: function, argument, what is wrong with its value, rank and communicator.
class error : public std::exception {
public:
    error(int code, MPI_Comm comm, const char* message) noexcept : code_(code)
    {
        std::snprintf(message_, sizeof message_, "%s", message);
        int length = 0;
        if (comm == MPI_COMM_NULL || !detail::has_mpi(comm)) return;
        if (MPI_Comm_rank(comm, &rank_) != MPI_SUCCESS) rank_ = -1;
        if (MPI_Comm_get_name(comm, comm_name_, &length) != MPI_SUCCESS) comm_name_[0] = '\0';
    }

    const char* what() const noexcept override { return message_; }
    /// The error code that the C function has returned.
    int code() const noexcept { return code_; }
    /// Its class: one of MPI's, such as MPI_ERR_COUNT, or of mpiortho's, such as ORTHO_ERR_NAME.
    int error_class() const noexcept
    {
        int result = MPI_ERR_UNKNOWN;
        ORTHO_Error_class(code_, &result);
        return result;
    }
    /// The calling process in the communicator of the call; -1 where there is none.
    int rank() const noexcept { return rank_; }
    /// The name of that communicator (MPI_Comm_set_name), which may be empty.
    const char* comm_name() const noexcept { return comm_name_; }

private:
    int code_;
    int rank_ = -1;
    char comm_name_[MPI_MAX_OBJECT_NAME + 1] = {};
    char message_[2048] = {};
};

namespace detail {

/// Throws what a function of mpiortho's C interface has returned.
[[noreturn]] inline void raise(int code, MPI_Comm comm)
{
    char message[2048] = {};
    ORTHO_Error_message(message, sizeof message, nullptr);
    throw error(code, comm, message);
}

/// The result of a function of mpiortho's.
inline void check_code(int code, MPI_Comm comm)
{
    if (code != MPI_SUCCESS) [[unlikely]]
        raise(code, comm);
}

/// The result of a function of MPI's.
inline void check_mpi(int code, MPI_Comm comm, const char* function)
{
    if (code == MPI_SUCCESS) [[likely]]
        return;
    char text[MPI_MAX_ERROR_STRING + 1] = {};
    char message[MPI_MAX_ERROR_STRING + 64] = {};
    int length = 0;
    MPI_Error_string(code, text, &length);
    std::snprintf(message, sizeof message, "%s: %s", function, text);
    throw error(code, comm, message);
}

/// MPI's functions end the program where MPI is not there.  `function`: the one that is called next.
inline void require_there(bool is_there, const char* function)
{
    if (is_there) [[likely]]
        return;
    char message[128] = {};
    std::snprintf(message, sizeof message, "%s: called before MPI_Init or after MPI_Finalize", function);
    throw error(MPI_ERR_OTHER, MPI_COMM_NULL, message);
}
inline void require_mpi(MPI_Comm comm, const char* function) { require_there(has_mpi(comm), function); }
/// For functions without a communicator.
inline void require_mpi(const char* function)
{
    require_there((has_world() || knows_session()) && is_running(), function);
}

/// The handler of a communicator; MPI_ERRHANDLER_NULL if it is a user's.
inline MPI_Errhandler handler_of(MPI_Comm comm)
{
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    if (MPI_Comm_get_errhandler(comm, &handler) != MPI_SUCCESS) return MPI_ERRHANDLER_NULL;
    const bool is_predefined = handler == MPI_ERRORS_ARE_FATAL || handler == MPI_ERRORS_RETURN;
    MPI_Errhandler const result = is_predefined ? handler : MPI_ERRHANDLER_NULL;
    MPI_Errhandler_free(&handler);
    return result;
}
/// True if a collective call with wrong arguments tells the other processes.  Where the handler is fatal, its
/// error would end the program in the words of C, before fail_on() says more.
inline bool tells_others(MPI_Comm comm) { return handler_of(comm) != MPI_ERRORS_ARE_FATAL; }

/// An error that this interface itself has found: goes through the communicator's handler as all others do.
[[noreturn, gnu::__format__(__printf__, 3, 4)]] inline void fail_on(MPI_Comm comm, int error_class,
                                                                    const char* format, ...)
{
    char message[512] = {};
    va_list values;
    va_start(values, format);
    std::vsnprintf(message, sizeof message, format, values);
    va_end(values);
    const MPI_Comm where = comm == MPI_COMM_NULL ? MPI_COMM_SELF : comm;
    if (!has_mpi(where)) throw error(error_class, MPI_COMM_NULL, message);
    const error bare(error_class, comm, message);
    char whole[1024] = {};
    int size = 0;
    if (comm == MPI_COMM_NULL || MPI_Comm_size(comm, &size) != MPI_SUCCESS)
        std::snprintf(whole, sizeof whole, "%s", message);
    else if (*bare.comm_name() != '\0')
        std::snprintf(whole, sizeof whole, "%s [rank %d of '%s']", message, bare.rank(), bare.comm_name());
    else
        std::snprintf(whole, sizeof whole, "%s [rank %d of %d]", message, bare.rank(), size);
    MPI_Errhandler const handler = handler_of(where);
    if (handler == MPI_ERRORS_ARE_FATAL) std::fprintf(stderr, "%s\n", whole);
    if (handler != MPI_ERRORS_RETURN) MPI_Comm_call_errhandler(where, error_class);
    throw error(error_class, comm, whole);
}

/// Looks at arguments of a collective call.  If they are wrong here alone, `tell_others` is a call of C that
/// fails on all processes, so that none waits for this one.
template <class Look, class Tell>
void check_together(MPI_Comm comm, Look look_at_them, Tell tell_others)
{
    try {
        look_at_them();
    } catch (...) {
        if (comm != MPI_COMM_NULL && tells_others(comm)) tell_others();
        throw;
    }
}
/// Makes a collective call of C with `n` elements of a list, once its arguments are right.  With -1 it fails on
/// all processes.
template <class Look, class Call>
void call_together(MPI_Comm comm, Look look_at_them, Call call, std::size_t n)
{
    check_together(comm, look_at_them, [&] { call(-1); });
    check_code(call(static_cast<int>(n)), comm);
}

} // namespace detail

/// The version of the library that is running.
struct library_version {
    int major, minor, patch;
};
inline library_version version()
{
    library_version result{};
    detail::check_code(ORTHO_Get_version(&result.major, &result.minor, &result.patch), MPI_COMM_SELF);
    return result;
}

} // namespace MPIORTHO_NAMESPACE
} // namespace mpiortho

#endif
