// SPDX-License-Identifier: BSD-3-Clause
// A process's description of its call for its neighbors, where calls are verified.
#pragma once

#include <mpi.h>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "call/call.hpp"
#include "mpi/type_signature.hpp"
#include "topology/graph.hpp"

namespace ortho::verify {

/// Facts about a call that must agree at both ends of an edge, whatever block goes along it.  Plain data.
struct Heading {
    std::array<char, 40> function{}; ///< the name of the public function
    std::array<char, 40> op{};       ///< the operator in words; empty if there is none
    int root = -1;                   ///< -1 if there is none
    int in_place = 0;                ///< only of an Allreduce
    /// An error of the call itself: a base::ErrorKind, an argument and words; empty if there is none.
    int refusal_kind = 0;
    std::array<char, 40> refused_argument{};
    std::array<char, 200> refusal{};
    /// The messages of a non-blocking call are on their way.  Other calls begin when all have agreed.
    int is_nonblocking = 0;

    bool is_refused() const { return refusal[0] != '\0'; }
};

/// One end of an edge: the block that is sent along it, or expected.
struct End {
    int slot = 0;
    int has_block = 0;
    mpi::TypeSignature signature{};
};

/// The message of one process to another one: the heading, and its ends of the edges between them.
struct Telling {
    Heading heading;
    std::vector<End> out; ///< of edges from the sender of this message, in the order of its lists
    std::vector<End> in;
};

/// Do the calls of two neighbors fit?  `rank` is the process that asks; `title` is the communicator's title
/// in the report.
std::optional<base::Error> compare(const std::string& title, int rank, const Telling& mine, int partner,
                                   const Telling& theirs);

/// Do the headings of two processes fit?
std::optional<base::Error> compare(const std::string& title, int rank, const Heading& mine, int other,
                                   const Heading& theirs);

/// The current exception as the reason why a call is refused, in words behind "rank 3".
base::Error refusal_in_words();

/// The description of a process's call for all its neighbors.
class CallSignature {
public:
    /// The description of a call that is refused.
    CallSignature(std::shared_ptr<const topology::GraphInfo> graph_info, const char* function,
                  const base::Error& refusal, bool is_nonblocking);
    /// Throws base::Error if the call has an error that other checks do not find.
    CallSignature(std::shared_ptr<const topology::GraphInfo> graph_info, const call::Call& call,
                  bool is_nonblocking);

    /// The part that must be the same on all processes, whether they are neighbors or not.
    const Heading& heading() const { return heading_; }
    /// A number for the heading: different headings have different numbers.
    std::uint64_t number() const;

    /// The message to a neighbor, or to this process itself.
    Telling to(int partner) const;
    /// All neighbors in order; with this process, if it has an edge to itself.
    std::vector<int> partners() const;

private:
    std::shared_ptr<const topology::GraphInfo> graph_info_;
    Heading heading_;
    std::vector<End> out_; // by edge
    std::vector<End> in_;
};

} // namespace ortho::verify
