// SPDX-License-Identifier: BSD-3-Clause
// From exceptions to MPI error codes and the error handler of a communicator or a window.

#include "mpi/error_handling.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>
#include <new>
#include <string_view>
#include <thread>
#include <tuple>

#include "mpi/failure.hpp"
#include "mpi/interposer.hpp"
#include "mpi/object_info.hpp"
#include "mpi/process_failure.hpp"
#include "mpiortho.h"

// In release 0.2 the classes are variables, whose names are macros today.  Its programs read them.
extern "C" {
int ortho_class_name __asm__("ORTHO_ERR_NAME") = -1001;
int ortho_class_neighbor __asm__("ORTHO_ERR_NEIGHBOR") = -1002;
int ortho_class_undefined __asm__("ORTHO_ERR_UNDEFINED") = -1003;
int ortho_class_algorithm __asm__("ORTHO_ERR_ALGORITHM") = -1004;
int ortho_class_mismatch __asm__("ORTHO_ERR_MISMATCH") = -1005;
}

namespace ortho::mpi {

namespace {

using base::ErrorKind;

std::mutex tables_mutex; // protects the tables below
thread_local std::string last_message;
thread_local std::string last_words; // the part of the message that says what is wrong
thread_local const base::Error* refusal = nullptr;

/// The names of functions in another language, and its first index of arrays (ORTHO_Set_face).
struct Face {
    const char* prefix = nullptr;
    int first_index = 0;

    std::string name_of(const char* function) const
    {
        if (prefix == nullptr) return function;
        const std::string_view start = prefix;
        if (!start.ends_with('_') && !start.ends_with('.')) return prefix;
        std::string name = function;
        if (name.starts_with("ORTHO_")) name.erase(0, std::strlen("ORTHO_"));
        for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        return prefix + name;
    }
    /// Counts "fields[0]", "dimension 0", "tile = 0" and their like from the first index on, and writes elements
    /// of arrays with parentheses.
    std::string numbered(std::string_view text) const
    {
        if (first_index == 0) return std::string(text);
        std::string result;
        while (!text.empty()) {
            const std::size_t begin = text.find_first_of("0123456789");
            result += text.substr(0, begin);
            if (begin == std::string_view::npos) break;
            const std::size_t end = std::min(text.find_first_not_of("0123456789", begin), text.size());
            std::string number(text.substr(begin, end - begin));
            text.remove_prefix(end);
            const bool is_negative = result.ends_with('-');
            if (is_negative) result.pop_back();
            const bool is_element = result.size() > 1 && result.back() == '[' && text.starts_with(']') &&
                                    std::isalpha(static_cast<unsigned char>(result[result.size() - 2])) != 0;
            if (is_element || is_counted(result))
                number = std::to_string((is_negative ? -1 : 1) * std::stoll(number) + first_index);
            else if (is_negative)
                result += '-';
            if (is_element) {
                result.back() = '(';
                number += ')';
                text.remove_prefix(1);
            }
            result += number;
        }
        return result;
    }
    /// `before`: the text before a number, or before a place in a list such as "(0,4)".
    static bool is_counted(std::string_view before)
    {
        const std::size_t open = before.find_last_not_of("0123456789,-");
        if (open != std::string_view::npos && before[open] == '(') before = before.substr(0, open);
        static constexpr std::string_view words[] = {
            "dimension ", "element ", "ghost ",   "slot ",        "tile ",    "patch ", "cell ",
            "tile = ",    "patch = ", "field = ", "dimension = ", "along = ", "dim = ", "donor = "};
        return std::ranges::any_of(words, [&](std::string_view word) { return before.ends_with(word); });
    }
};
__attribute__((tls_model("initial-exec"))) // set twice in each call
thread_local constinit Face face;

void set_message(const char* function, std::string_view message, const std::string& place = {})
{
    last_message = base::text(face.name_of(function), ": ", face.numbered(message), place);
}

/// A class of our own.  Until it is made, no error can have it: it begins with a value that no MPI class has.
struct OwnClass {
    ErrorKind kind;
    int& value;
    const char* text;
};

OwnClass own_classes[] = {
    {ErrorKind::name, ortho_class_name, "ORTHO_ERR_NAME: the communicator has no Cartesian name"},
    {ErrorKind::neighbor, ortho_class_neighbor, "ORTHO_ERR_NEIGHBOR: the processes are no neighbors"},
    {ErrorKind::undefined, ortho_class_undefined,
     "ORTHO_ERR_UNDEFINED: the operation has no meaning on the communicator's topology"},
    {ErrorKind::algorithm, ortho_class_algorithm,
     "ORTHO_ERR_ALGORITHM: unknown algorithm, or one that cannot serve the call"},
    {ErrorKind::mismatch, ortho_class_mismatch, "ORTHO_ERR_MISMATCH: processes disagree"},
};

/// Called under the mutex of the tables.
void make_own_classes()
{
    static bool made = false;
    if (made) return;
    for (OwnClass& own : own_classes) {
        int value = 0;
        check(PMPI_Add_error_class(&value));
        check(PMPI_Add_error_string(value, const_cast<char*>(own.text))); // some MPIs' prototypes lack const
        own.value = value;
    }
    made = true;
}

int class_of(ErrorKind kind)
{
    switch (kind) {
    case ErrorKind::arg: return MPI_ERR_ARG;
    case ErrorKind::buffer: return MPI_ERR_BUFFER;
    case ErrorKind::comm: return MPI_ERR_COMM;
    case ErrorKind::count: return MPI_ERR_COUNT;
    case ErrorKind::dims: return MPI_ERR_DIMS;
    case ErrorKind::group: return MPI_ERR_GROUP;
    case ErrorKind::info: return MPI_ERR_INFO_VALUE;
    case ErrorKind::intern: return MPI_ERR_INTERN;
    case ErrorKind::memory: return MPI_ERR_NO_MEM;
    case ErrorKind::op: return MPI_ERR_OP;
    case ErrorKind::other: return MPI_ERR_OTHER;
    case ErrorKind::rank: return MPI_ERR_RANK;
    case ErrorKind::request: return MPI_ERR_REQUEST;
    case ErrorKind::rma_sync: return MPI_ERR_RMA_SYNC;
    case ErrorKind::root: return MPI_ERR_ROOT;
    case ErrorKind::tag: return MPI_ERR_TAG;
    case ErrorKind::topology: return MPI_ERR_TOPOLOGY;
    case ErrorKind::truncate: return MPI_ERR_TRUNCATE;
    case ErrorKind::type: return MPI_ERR_TYPE;
    case ErrorKind::win: return MPI_ERR_WIN;
    default: break;
    }
    for (const OwnClass& own : own_classes)
        if (own.kind == kind) return own.value;
    return MPI_ERR_OTHER;
}

/// To compare with: made where MPI works.
int own_class(ErrorKind kind) noexcept
{
    const std::lock_guard lock(tables_mutex);
    try {
        require_mpi();
        make_own_classes();
    } catch (...) { // then no error can have it
    }
    return class_of(kind);
}

/// A new code of the class with this string.  Some MPIs (MPICH 4.0) forget strings of codes in their own
/// classes; there it is the class itself, which is a code too.
int make_code(int error_class, const std::string& text)
{
    int code = 0;
    check(PMPI_Add_error_code(error_class, &code));
    check(PMPI_Add_error_string(code, const_cast<char*>(text.c_str())));
    std::array<char, MPI_MAX_ERROR_STRING + 1> kept{};
    int length = 0;
    check(PMPI_Error_string(code, kept.data(), &length));
    return std::string_view(kept.data()) == text ? code : error_class;
}

/// One code for each function, argument and kind, made at first use.
int code_of(ErrorKind kind, const char* function, const char* argument)
{
    static std::map<std::tuple<ErrorKind, std::string, std::string>, int> codes;
    const std::lock_guard lock(tables_mutex);
    make_own_classes();
    const auto [entry, is_new] = codes.try_emplace({kind, function, argument}, MPI_ERR_OTHER);
    if (is_new) entry->second = make_code(class_of(kind), base::text(function, ": invalid ", argument));
    return entry->second;
}

/// The object whose handler is called: the window, else the communicator, else MPI_COMM_SELF.
struct Handled {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Win win = MPI_WIN_NULL;

    int get(MPI_Errhandler* handler) const
    {
        return win != MPI_WIN_NULL ? PMPI_Win_get_errhandler(win, handler)
                                   : PMPI_Comm_get_errhandler(usable_comm(), handler);
    }
    void call(int code) const
    {
        try {
            if (win != MPI_WIN_NULL)
                PMPI_Win_call_errhandler(win, code);
            else
                PMPI_Comm_call_errhandler(usable_comm(), code);
        } catch (...) {
            throw ThrownByHandler{std::current_exception()};
        }
    }

    /// The rank of this process; 0 if it is not known.
    int rank() const
    {
        int result = 0;
        if (win != MPI_WIN_NULL || PMPI_Comm_rank(usable_comm(), &result) != MPI_SUCCESS) return 0;
        return result;
    }

private:
    MPI_Comm usable_comm() const { return comm != MPI_COMM_NULL && comm != MPI_COMM_SELF ? comm : self(); }
};

enum class Reaction { returns, aborts, calls };

Reaction reaction_of(const Handled& handled)
{
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    if (handled.get(&handler) != MPI_SUCCESS) return Reaction::aborts;
    Reaction result = handler == MPI_ERRORS_RETURN ? Reaction::returns : Reaction::calls;
    if (handler == MPI_ERRORS_ARE_FATAL) result = Reaction::aborts;
#ifdef MPI_ERRORS_ABORT
    if (handler == MPI_ERRORS_ABORT) result = Reaction::aborts;
#endif
    PMPI_Errhandler_free(&handler);
    return result;
}

/// " [rank 2 of 'halo']" with the name of the communicator or window, or " [rank 2 of 8]"; empty without one.
std::string place_of(const Handled& handled)
{
    const auto text = [](int rank, int size, const std::string& name) {
        return base::text(" [rank ", rank, " of ", name.empty() ? std::to_string(size) : "'" + name + "'",
                          "]");
    };
    MPI_Comm const comm = handled.comm;
    int rank = 0;
    int size = 0;
    if (handled.win != MPI_WIN_NULL) {
        MPI_Group group = MPI_GROUP_NULL;
        if (PMPI_Win_get_group(handled.win, &group) != MPI_SUCCESS) return {};
        const bool is_known = PMPI_Group_rank(group, &rank) == MPI_SUCCESS &&
                              PMPI_Group_size(group, &size) == MPI_SUCCESS;
        PMPI_Group_free(&group);
        return is_known ? text(rank, size, win_name(handled.win)) : std::string();
    }
    if (comm == MPI_COMM_NULL || comm == MPI_COMM_SELF || PMPI_Comm_rank(comm, &rank) != MPI_SUCCESS ||
        PMPI_Comm_size(comm, &size) != MPI_SUCCESS)
        return {};
    return text(rank, size, comm_name(comm));
}

/// Prints the message before the program ends.  If all processes are in one call they have found the same
/// error, and one line is enough: higher ranks wait before they print theirs, and end meanwhile.  Elsewhere
/// nobody waits: otherwise mpiexec of Open MPI 4 may crash or never end.
void print_in_turn(int rank)
{
    constexpr std::chrono::milliseconds a_turn{500};
    constexpr std::chrono::milliseconds for_launcher{100}; // to pass the line on
    const PublicCall* const call = PublicCall::current();
    const bool takes_turns = call != nullptr && call->has_met();
    if (takes_turns) std::this_thread::sleep_for(std::bit_width(static_cast<unsigned>(rank)) * a_turn);
    std::fprintf(stderr, "mpiortho: %s\n", last_message.c_str());
    std::fflush(stderr);
    if (takes_turns) std::this_thread::sleep_for(for_launcher);
}

int raise(const char* function, const Handled& handled, int code, const char* message)
{
    last_words = message;
    set_message(function, message, place_of(handled));
    const Reaction reaction = reaction_of(handled);
    if (reaction == Reaction::aborts) print_in_turn(handled.rank());
    if (reaction != Reaction::returns) handled.call(code);
    return code;
}

std::string mpi_text(int code)
{
    std::array<char, MPI_MAX_ERROR_STRING + 1> text{};
    int length = 0;
    if (PMPI_Error_string(code, text.data(), &length) != MPI_SUCCESS) return "unknown MPI error";
    return std::string(text.data(), std::strlen(text.data()));
}

/// Prints the current exception and returns a code, where MPI is not running and has no handler.
int complain(const char* function)
{
    int code = MPI_ERR_OTHER;
    try {
        throw;
    } catch (const base::Error& error) {
        set_message(function, error.what());
        code = class_of(error.kind());
    } catch (const std::exception& error) {
        set_message(function, error.what());
    }
    std::fprintf(stderr, "mpiortho: %s\n", last_message.c_str());
    return code;
}

/// Does `require`, require_mpi() or require_running(), not throw?
bool is_met(void (*require)())
{
    try {
        require();
        return true;
    } catch (const base::Error&) {
        return false;
    }
}

int classify(const char* function, const Handled& handled)
{
    if (!is_met(require_running)) return complain(function);
    try {
        throw;
    } catch (const base::Error& error) {
        return raise(function, handled, code_of(error.kind(), function, error.argument()), error.what());
    } catch (const Failure& failure) {
        if (failure.raised() == Failure::Raised::by_us) return failure.code();
        if (failure.raised() == Failure::Raised::by_mpi) {
            set_message(function, mpi_text(failure.code()));
            return failure.code();
        }
        const int code = code_for_user(handled.comm, failure.code());
        return raise(function, handled, code, mpi_text(code).c_str());
    } catch (const std::bad_alloc&) {
        return raise(function, handled, code_of(ErrorKind::memory, function, "memory"), "out of memory");
    } catch (const std::exception& error) {
        return raise(function, handled, code_of(ErrorKind::intern, function, "library"), error.what());
    } catch (const ThrownByHandler&) {
        throw;
    } catch (...) {
        return raise(function, handled, code_of(ErrorKind::intern, function, "library"),
                     "a function of the program has thrown");
    }
}

int raise_on(const char* function, const Handled& handled, bool leaves)
{
    try {
        return classify(function, handled);
    } catch (const ThrownByHandler& thrown) {
        const PublicCall* const call = PublicCall::current();
        if (leaves && (call == nullptr || !call->is_nested())) std::rethrow_exception(thrown.exception);
        throw;
    } catch (...) {
        // Making or raising the error has failed, too: probably no memory is left.
        return MPI_ERR_INTERN;
    }
}

} // namespace

int raise_current(const char* function, MPI_Comm comm, bool leaves)
{
    return raise_on(function, {.comm = comm}, leaves);
}

int raise_current_of_window(const char* function, MPI_Win win)
{
    return raise_on(function, {.win = win}, true);
}

void write_text(const std::string& text, char* room, int maxlen, int* len)
{
    base::require(maxlen >= 0, ErrorKind::arg, "maxlen", "maxlen = ", maxlen, " is negative");
    if (maxlen > 0) {
        require_result(room, "text");
        const std::size_t n = text.copy(room, static_cast<std::size_t>(maxlen) - 1);
        room[n] = '\0';
    }
    if (len != nullptr) *len = static_cast<int>(text.size());
}

void rethrow_refusal()
{
    if (refusal != nullptr) throw base::Error(*refusal);
}

} // namespace ortho::mpi

using namespace ortho;

extern "C" const char* ortho_call_as(const char* function) { return mpi::PublicCall::give_name(function); }

extern "C" int ortho_raise(const char* function, MPI_Comm comm, base::ErrorKind kind, const char* argument,
                           const char* message)
{
    return mpi::guard(function, comm, [&] { base::fail(kind, argument, message); });
}

extern "C" int ortho_raise_again(const char* function, MPI_Comm comm, int code)
{
    try {
        const std::string message = mpi::last_words;
        return mpi::raise(function, mpi::Handled{comm, MPI_WIN_NULL}, code, message.c_str());
    } catch (const mpi::ThrownByHandler& thrown) {
        std::rethrow_exception(thrown.exception);
    } catch (...) {
        return MPI_ERR_INTERN;
    }
}

extern "C" void ortho_refuse(const base::Error* error) { mpi::refusal = error; }

extern "C" int ORTHO_Set_face(const char* prefix, int first_index)
{
    mpi::face = {prefix, first_index};
    return MPI_SUCCESS;
}

extern "C" int ortho_err_name() { return mpi::own_class(base::ErrorKind::name); }
extern "C" int ortho_err_neighbor() { return mpi::own_class(base::ErrorKind::neighbor); }
extern "C" int ortho_err_undefined() { return mpi::own_class(base::ErrorKind::undefined); }
extern "C" int ortho_err_algorithm() { return mpi::own_class(base::ErrorKind::algorithm); }
extern "C" int ortho_err_mismatch() { return mpi::own_class(base::ErrorKind::mismatch); }

extern "C" int ORTHO_Error_class(int errorcode, int* errorclass)
{
    return mpi::guard_at_any_time("ORTHO_Error_class", [&] {
        mpi::require_result(errorclass, "errorclass");
        if (mpi::is_met(mpi::require_mpi))
            mpi::check_users(PMPI_Error_class(errorcode, errorclass));
        else
            *errorclass = errorcode; // for codes of complain()
    });
}

extern "C" int ORTHO_Error_message(char text[], int maxlen, int* len)
{
    return mpi::guard_at_any_time("ORTHO_Error_message", [&] {
        // This call may change the message.
        const std::string message = mpi::last_message;
        mpi::write_text(message, text, maxlen, len);
    });
}
