// SPDX-License-Identifier: BSD-3-Clause
// Mistakes that programs make, and what must be said of them: the rows of mistakes_test.
#pragma once

namespace test {

/// The objects with which a mistake is made.  Each row finds them as new.
struct Stage {
    int p = 0, me = 0, left = 0, right = 0;
    MPI_Comm ring = MPI_COMM_NULL; ///< slot 0: this process itself; slot 1: from the left, to the right
    MPI_Comm grid = MPI_COMM_NULL; ///< a torus in one dimension, offsets -1 and 1
    MPI_Comm full = MPI_COMM_NULL; ///< no graph, no name
    std::vector<int> from{}, to{};
    int* sent = nullptr; ///< the elements of `from`
    int* got = nullptr;  ///< the elements of `to`
    ORTHO_Request request = ORTHO_REQUEST_NULL;
};

/// The processes that get an error; the others' calls succeed.
enum class Who {
    nobody,
    all,
    first, ///< rank 0, which makes the mistake where one process alone does
    next,  ///< rank 1, to which rank 0 sends
    ends,  ///< both of them: of a non-blocking call
    near,  ///< rank 0 and its neighbors
    waits  ///< processes wait for ever, or memory is written that is not the call's: not run
};

struct Said {
    Who who;
    int error_class = MPI_SUCCESS;
    std::string words{};  ///< in the messages of those who get one
    std::string others{}; ///< in those of all but rank 0, if these say something else
};

inline const Said nothing{Who::nobody};

/// On all processes; the class has its value while MPI works.
inline Said mismatch(const char* words) { return {Who::all, ORTHO_ERR_MISMATCH, words}; }

struct Mistake {
    std::string kind; ///< its row in mpiortho(7), "Mistakes"
    std::string name;
    /// Makes it; `odd`: this is rank 0, which does something else than the others.
    std::function<int(Stage&, bool odd)> make;
    Said plain;
    Said verified;          ///< with ORTHO_VERIFY=1
    std::string function{}; ///< of all wrong arguments: the message begins with it, and `to` is untouched
};

using Mistakes = std::vector<Mistake>;

/// All processes pass the same wrong arguments.
void add_arguments(Mistakes& all);
/// Topologies, windows, requests, datatypes, infos.
void add_objects(Mistakes& all);
/// Rank 0 does something else than the others: not for one process.
void add_odd(Mistakes& all);
/// Adds the mistakes of graphs and of orders: not for one process.
void add_graphs(Mistakes& all);

/// A mistake that is told alike with verification and without.
inline Mistake always(const char* kind, const char* name, std::function<int(Stage&)> make, int error_class,
                      const char* words)
{
    const Said said{Who::all, error_class, words};
    return {kind, name, [make = std::move(make)](Stage& s, bool) { return make(s); }, said, said};
}

inline Mistake wrong_argument(const char* kind, const std::string& call, std::function<int(Stage&)> make,
                              int error_class, const char* words)
{
    Mistake mistake = always(kind, call.c_str(), std::move(make), error_class, words);
    mistake.function = call.substr(0, call.find('('));
    return mistake;
}
/// A call on the stage `s` with a wrong argument.
#define WRONG(call, error_class, words)                                                                      \
    all.push_back(wrong_argument(                                                                            \
        kind, #call, [=]([[maybe_unused]] Stage& s) { return call; }, error_class, words))

/// Another mistake of all processes.
#define ALWAYS(name, call, error_class, words)                                                               \
    all.push_back(always(                                                                                    \
        kind, name, [=]([[maybe_unused]] Stage& s) { return call; }, error_class, words))

/// A call in which rank 0, the `odd` one, does something else.
#define ODD(name, call, plain, verified)                                                                     \
    all.push_back({kind, name, [=]([[maybe_unused]] Stage& s, [[maybe_unused]] bool odd) { return call; },   \
                   plain, verified})

inline Said told(Who who, int error_class, const char* words) { return {who, error_class, words}; }

} // namespace test
