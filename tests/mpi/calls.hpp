// SPDX-License-Identifier: BSD-3-Clause
// Every collective on a graph with random datatypes on both sides, in any of its three forms, against
// arithmetic: all processes know the whole graph, and an int says where it comes from.
#pragma once

#include <type_traits>

#include "odd_datatypes.hpp"

namespace test {

/// A graph, of which this process is `me`, on a communicator.
struct Case {
    const cases::Multigraph& graph;
    MPI_Comm comm;
    int me;
    int ints = -1;   ///< of a block, about; -1: a few, each time others
    int layout = -1; ///< the kind of all datatypes, 0, 2, 3 or 9 where calls have one a side; -1: any
    int number = 0;  ///< of the call, whose data are no other one's
    const ortho::grid::LocalGraph& mine() const { return graph.processes[at(me)]; }
    int processes() const { return static_cast<int>(graph.processes.size()); }
    int sources() const { return static_cast<int>(mine().sources.size()); }
    int targets() const { return static_cast<int>(mine().targets.size()); }
    /// The size of all blocks of a call.
    int regular(cases::Random& random) const { return ints < 0 ? cases::uniform(random, 0, 5) : ints; }
    /// Int k of what process `process` sends as block `block`.
    int content(int process, int block, int k) const
    {
        return 1'000'000 * process + 1'000 * block + k + 1 + 7919 * number;
    }
    /// A size of its own, of the few there are.
    int irregular(int small) const { return ints < 0 ? small : small * ints / 3; }
};

enum class Form { blocking, nonblocking, persistent };

/// The buffers that a call reads and writes, and the result that it shall have written.
struct Buffers {
    Buffer send, receive;
    Buffer before; ///< the receive buffer as it was
    Buffer expected;
    const char* what;
    enum class Rebind { both, in_place, receive_alone, never } rebind = Rebind::both;

    Buffers(Buffer send_, Buffer receive_, Buffer expected_, const char* what_)
        : send(std::move(send_)),
          receive(std::move(receive_)),
          before(receive),
          expected(std::move(expected_)),
          what(what_)
    {}
    void verify() const;
};

/// A call that was issued in some form.
struct Pending {
    std::shared_ptr<Buffers> buffers;
    ORTHO_Request request;
    bool persistent;

    /// Puts the receive buffer back, and starts a persistent call that is not under way.
    void start();
    /// Gives a persistent call that is not under way a copy of its buffers, or of one: but for the one that it
    /// sends (1), or receives (2).
    void rebind(unsigned which);
    /// After completion.
    void verify() const { buffers->verify(); }
};

/// The three forms of a call.
template <class... P>
struct Forms {
    int (*blocking)(P...);
    int (*nonblocking)(P..., ORTHO_Request*);
    int (*init)(P..., MPI_Info, ORTHO_Request*);
};
template <class... P>
Forms(int (*)(P...), int (*)(std::type_identity_t<P>..., ORTHO_Request*),
      int (*)(std::type_identity_t<P>..., MPI_Info, ORTHO_Request*)) -> Forms<P...>;
#define SMALL_FORMS(name, nonblocking) test::Forms(ORTHO_##name, ORTHO_##nonblocking, ORTHO_##name##_init)
/// The forms of a collective, and the forms with large counts.
#define FORMS(name, nonblocking)                                                                             \
    SMALL_FORMS(name, nonblocking),                                                                          \
        test::Forms(ORTHO_##name##_c, ORTHO_##nonblocking##_c, ORTHO_##name##_init_c)

/// An argument as a function wants it: a number of another type, a list as an array of another type.
template <class Wanted>
class As {
public:
    template <class Given>
    explicit As(const Given& given) : value_(static_cast<Wanted>(given))
    {}
    template <class Given>
    explicit As(const std::vector<Given>& given)
        : numbers_(given.begin(), given.end()),
          value_(numbers_.data())
    {}
    As(const As&) = delete;
    As& operator=(const As&) = delete;
    ~As()
    {
        for (auto& number : numbers_) *const_cast<volatile decltype(numbers_)::value_type*>(&number) = 77;
    }
    Wanted get() const { return value_; }

private:
    using Target = std::remove_cv_t<std::remove_pointer_t<Wanted>>;
    std::vector<std::conditional_t<std::is_pointer_v<Wanted> && std::is_integral_v<Target>, Target, char>>
        numbers_;
    Wanted value_;
};

/// Begins a call.  Its arguments, except buffers, arrays and datatypes, are gone when this returns.
template <class... P, class... A>
int begin(Form form, const Forms<P...>& forms, ORTHO_Request* request, const A&... arguments)
{
    switch (form) {
    case Form::blocking: return forms.blocking(As<P>(arguments).get()...);
    case Form::nonblocking: return forms.nonblocking(As<P>(arguments).get()..., request);
    default: return forms.init(As<P>(arguments).get()..., MPI_INFO_NULL, request);
    }
}
/// Starts and ends it: nothing is left to do for a blocking one.
inline int complete(Form form, ORTHO_Request* request)
{
    if (form == Form::blocking) return MPI_SUCCESS;
    return form == Form::persistent ? start_and_wait(request) : ORTHO_Wait(request, MPI_STATUS_IGNORE);
}
/// Makes a call from its beginning to its end: the code of what fails.
template <class... P, class... A>
int in(Form form, const Forms<P...>& forms, const A&... arguments)
{
    Request request;
    const int code = begin(form, forms, &request, arguments...);
    CHECK_EQ(request == ORTHO_REQUEST_NULL, code != MPI_SUCCESS || form == Form::blocking);
    return code != MPI_SUCCESS ? code : complete(form, &request);
}

/// Issues calls in one form after another.
class Session {
public:
    /// `form`: of the next call; the same on all processes.  `is_large`: the first call has small counts.
    explicit Session(std::function<Form()> form, bool is_large = false)
        : form_(std::move(form)),
          is_large_(is_large)
    {}

    /// A call, with what it reads and writes.  Blocking calls are made twice, the second time from what the
    /// library kept of the first one.
    template <class... P, class... A>
    void call(const Forms<P...>& forms, const std::shared_ptr<Buffers>& buffers, const A&... arguments)
    {
        const Form form = form_();
        for (int repeat = 0; form == Form::blocking && repeat < 2; ++repeat) {
            buffers->receive.assign(buffers->before);
            CHECK_OK(begin(form, forms, nullptr, arguments...));
            buffers->verify();
        }
        if (form == Form::blocking) return;
        ORTHO_Request request = ORTHO_REQUEST_NULL;
        CHECK_OK(begin(form, forms, &request, arguments...));
        CHECK(request != ORTHO_REQUEST_NULL);
        pending.push_back({buffers, request, form == Form::persistent});
        if (form == Form::persistent) pending.back().start();
    }

    /// Every second call with large counts.
    template <class... S, class... L, class... A>
    void call(const Forms<S...>& small, const Forms<L...>& large, const std::shared_ptr<Buffers>& buffers,
              const A&... arguments)
    {
        is_large_ = !is_large_;
        if (is_large_)
            call(large, buffers, arguments...);
        else
            call(small, buffers, arguments...);
    }

    /// Complete all, in the order of the calls, and each persistent one a second time, and run it, now and then
    /// with other buffers on some processes.
    void complete();

    std::vector<Pending> pending;

private:
    std::function<Form()> form_;
    bool is_large_;
    int executions_ = 0;
};

/// An operation and a datatype for reductions.
struct Reduction {
    MPI_Op op = MPI_OP_NULL;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    int step = 1;      ///< ints from one element to the next
    int shift = 0;     ///< ints from the address to the data
    bool sums = false; ///< one int an element, MPI_SUM
    bool commutes = true;
};

/// MPI_SUM, and operators of our own: two that do not commute and one that does, the latter and one of the
/// others on a type with a negative lower bound.
class Reductions {
public:
    Reductions();
    ~Reductions();
    Reductions(const Reductions&) = delete;
    Reductions& operator=(const Reductions&) = delete;
    const std::vector<Reduction>& all() const { return all_; }

private:
    std::vector<Reduction> all_;
};

/// Sizes of edges, in ints, by process and out-edge; empty: sizes of our own choosing.
using Sizes = std::function<int(int, int)>;

/// `random` is the same on all processes, `local` is this process's own.
struct Dice {
    cases::Random& random;
    cases::Random& local;
};

void alltoall(Session& session, const Case& c, Dice dice);
void alltoallv(Session& session, const Case& c, Dice dice, const Sizes& sizes);
void alltoallw(Session& session, const Case& c, Dice dice, const Sizes& sizes);
void allgather(Session& session, const Case& c, Dice dice);
/// `same`: all processes send as many ints.
void allgatherv(Session& session, const Case& c, Dice dice, bool same);
void allgatherw(Session& session, const Case& c, Dice dice, bool same);

void reduce(Session& session, const Case& c, Dice dice, const Reduction& r, int root);
void allreduce(Session& session, const Case& c, Dice dice, const Reduction& r);
void reduce_scatter_block(Session& session, const Case& c, Dice dice, const Reduction& r);
void reduce_scatterv(Session& session, const Case& c, Dice dice, const Reduction& r);

/// How many kinds of calls there are.
constexpr int kinds_of_calls = 16;
/// Call of kind 0 .. kinds_of_calls - 1, a collective that has a meaning on graphs.
void any_call(Session& session, const Case& c, Dice dice, int kind, const Reductions& reductions,
              const Sizes& sizes);
/// All of them.
void every_call(Session& session, const Case& c, Dice dice, const Reductions& reductions, const Sizes& sizes);

} // namespace test
