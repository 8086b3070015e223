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
    MPI_Comm made = MPI_COMM_NULL; ///< that no mistake makes
    int answers[2] = {};           ///< that nobody reads
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
/// Rank 0 does something else than the others: not for one process.
void add_odd(Mistakes& all);

inline void add(Mistakes& all, const char* kind, const std::string& name, Said plain, Said verified,
                std::function<int(Stage&, bool odd)> make)
{
    all.push_back({kind, name, std::move(make), std::move(plain), std::move(verified)});
}

/// A mistake that is told alike with verification and without.
inline void add(Mistakes& all, const char* kind, const std::string& name, int error_class, const char* words,
                std::function<int(Stage&)> make)
{
    const Said said{Who::all, error_class, words};
    add(all, kind, name, said, said, [make = std::move(make)](Stage& s, bool) { return make(s); });
}

inline void add_wrong_argument(Mistakes& all, const char* kind, const std::string& call, int error_class,
                               const char* words, std::function<int(Stage&)> make)
{
    add(all, kind, call, error_class, words, std::move(make));
    all.back().function = call.substr(0, call.find('('));
}
/// A call on the stage `s` with a wrong argument.
#define WRONG(call, error_class, words)                                                                      \
    add_wrong_argument(all, kind, #call, error_class, words, [=]([[maybe_unused]] Stage& s) { return call; })

/// Another mistake of all processes.
#define ALWAYS(name, call, error_class, words)                                                               \
    add(all, kind, name, error_class, words, [=]([[maybe_unused]] Stage& s) { return call; })

/// A call in which rank 0, the `odd` one, does something else.
#define ODD(name, call, plain, verified)                                                                     \
    add(all, kind, name, plain, verified,                                                                    \
        [=]([[maybe_unused]] Stage& s, [[maybe_unused]] bool odd) { return call; })

inline Said told(Who who, int error_class, const char* words) { return {who, error_class, words}; }

} // namespace test
