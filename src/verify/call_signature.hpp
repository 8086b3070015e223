// SPDX-License-Identifier: BSD-3-Clause
// What a process says of its call to its neighbors, where calls are verified.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "engine/binding.hpp"
#include "engine/context.hpp"
#include "mpi/type_signature.hpp"
#include "topology/graph.hpp"

namespace ortho::verify {

/// What must be the same on both ends of an edge, whatever block goes along it.  Plain data, as is all that
/// travels.
struct Heading {
    std::array<char, 40> function{}; ///< the public one
    std::array<char, 40> op{};       ///< the operator in words; empty if there is none
    int root = -1;                   ///< -1 if there is none
    int in_place = 0;                ///< of an Allreduce
    /// What is wrong with it by itself, a base::ErrorKind, an argument and words; empty if nothing is.
    int refusal_kind = 0;
    std::array<char, 40> refused_argument{};
    std::array<char, 200> refusal{};
    /// Of a non-blocking call: how many messages of it are on their way to whom this is told.  Else waiting:
    /// nothing is done before all have agreed.
    int messages = waiting;

    static constexpr int waiting = -1;

    bool is_refused() const { return refusal[0] != '\0'; }
};

/// One end of an edge: what is sent along it, or expected.
struct End {
    int slot = 0;
    int has_block = 0;
    mpi::TypeSignature signature{};
};

/// What one process says to another, or the other to it: the heading, and its ends of the edges between them.
struct Telling {
    Heading heading;
    std::vector<End> out; ///< of edges from the one who tells to the other, in the order of its lists
    std::vector<End> in;
};

/// Do two neighbors' calls fit?  `rank` is the process that asks; `title` is what the report calls the
/// communicator.
std::optional<base::Error> compare(const std::string& title, int rank, const Telling& mine, int partner,
                                   const Telling& theirs);

/// Do the headings of two processes fit?
std::optional<base::Error> compare(const std::string& title, int rank, const Heading& mine, int other,
                                   const Heading& theirs);

/// Why a call is refused: what the exception that is being handled says, in words behind "rank 3".
base::Error refusal_in_words();

/// What a process has to say to all its neighbors.
class CallSignature {
public:
    /// Of a call that is refused.
    CallSignature(std::shared_ptr<const topology::GraphInfo> graph_info, const char* function,
                  const base::Error& refusal);
    /// Throws base::Error if the call is wrong by itself in what its checks leave out.
    CallSignature(std::shared_ptr<const topology::GraphInfo> graph_info, const engine::Call& call);

    /// Of a non-blocking call: the first phase of this will be under way.
    void begins(const engine::Binding& binding);
    /// Of a non-blocking call that is refused: nothing of it will be under way.
    void begins_with_nothing() { has_begun_ = true; }

    /// What must be the same on all processes, whether they are neighbors or not.
    const Heading& heading() const { return heading_; }
    /// Of all that: headings that differ have different numbers.
    std::uint64_t number() const;

    /// What this process tells one of its neighbors, or itself.
    Telling to(int partner) const;
    /// All of them, and it itself if there is an edge from it to it, in order.
    std::vector<int> partners() const;

private:
    std::shared_ptr<const topology::GraphInfo> graph_info_;
    Heading heading_;
    std::vector<End> out_; // by edge
    std::vector<End> in_;
    std::vector<int> receivers_; // of messages under way, one entry each
    bool has_begun_ = false;
};

} // namespace ortho::verify
