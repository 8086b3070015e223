// SPDX-License-Identifier: BSD-3-Clause
// Wires: what travels between two nodes in one message, whoever on the nodes it is from and for.  No MPI in
// this file.
//
//     contributors ──parts──> sender's row ══one message══> receiver's row ──messages──> readers
//
// A wire is made in four steps, and nobody hears of more than two nodes at a time:
//
// 1. Each process tells its node's leader what it sends to which nodes (WireDeclaration).
// 2. The leader makes the node's wires, chooses their senders (WireAgents::outgoing), and tells the leaders
//    of the nodes at their other ends.
// 3. Those choose the receivers (WireAgents::receive), and answer.
// 4. The leader finds memory for all rows of its node, and tells each process what to do (WireTable).
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "algorithm/call_specification.hpp"
#include "schedule/machine.hpp"

namespace ortho::algorithm {

/// Bytes in a row: of what a process contributes to a wire, or of the wire.
struct WireRow {
    std::int64_t begin;
    std::int64_t bytes;

    auto fields() { return std::tie(begin, bytes); }
    bool operator==(const WireRow&) const = default;
};

/// A message of the call: where its bytes are, in order.  Several messages may have the same bytes.
struct WireMessage {
    int source;
    int target;
    std::vector<WireRow> rows;

    auto fields() { return std::tie(source, target, rows); }
};

/// The messages of a process to the processes of another node.
struct WirePart {
    int node;
    std::int64_t bytes = 0;
    std::vector<WireMessage> messages; ///< their rows are in the part

    auto fields() { return std::tie(node, bytes, messages); }
};

/// The message of a process to the leader of its node, which is the node's first process.
struct WireDeclaration {
    std::vector<WirePart> parts;
    std::vector<int> source_nodes; ///< other nodes whose processes send to this process

    auto fields() { return std::tie(parts, source_nodes); }
};

/// One message between two nodes.  Its sender and its receiver are the agents of the nodes.
struct Wire {
    int sender;
    int receiver;
    std::int64_t bytes;
    std::vector<WireMessage> messages;
    std::vector<std::pair<int, std::int64_t>> contributors; ///< ranks, and where their parts begin

    auto fields() { return std::tie(sender, receiver, bytes, messages); }
};
/// By the node at the other end.
using WiresByNode = std::map<int, std::vector<Wire>>;

/// If so many bytes go from one node to another, and processes have cores of their own, each of them sends its
/// own part in a wire of its own.  Where they share cores, that is more messages for the same cores.
inline constexpr std::int64_t heavy_wire = 65536;

/// The time of an exchange with these messages, without a stencil, by wires or with a message for each partner.
std::int64_t exchange_ps(const ExchangeCounts& counts, bool by_wires, const schedule::Machine& machine,
                         const schedule::Layout& layout);

/// The agents of a node, and how much each of them has to do.
class WireAgents {
public:
    /// `members`: of the node, by rank.
    WireAgents(std::span<const int> members, bool share_cores);

    /// The wires from this node, and their senders.  `declarations`: of the members.
    WiresByNode outgoing(std::span<const WireDeclaration> declarations);
    /// Chooses the receivers of wires to this node.
    void receive(WiresByNode& incoming);

private:
    /// The heaviest wire goes to the process that has least to do, and so on.
    void choose(std::vector<Wire*> wires, int Wire::*agent);

    std::map<int, std::int64_t> loads_; ///< by rank
    bool share_cores_;
};

/// Where in its node's memory a wire ends: its state, and two buffers that take turns.
struct WireEnd {
    std::int64_t state;
    std::int64_t buffer;
    std::int64_t stride; ///< from one buffer to the other

    auto fields() { return std::tie(state, buffer, stride); }
};

/// The tasks of one process.
struct WireTasks {
    struct Contribution {
        int node; ///< the node that the part is for
        std::int64_t begin;
        WireEnd end;

        auto fields() { return std::tie(node, begin, end); }
    };
    struct Agency {
        int partner;
        std::int64_t bytes;
        std::int64_t others; ///< how many processes of its node contribute, or read
        WireEnd end;

        auto fields() { return std::tie(partner, bytes, others, end); }
    };
    struct Reading {
        WireEnd end;
        std::vector<WireMessage> messages;

        auto fields() { return std::tie(end, messages); }
    };

    std::int64_t memory = 0; ///< the node's, in the leader's arena; 0 if there is none
    std::vector<Contribution> contributions;
    std::vector<Agency> sends;
    std::vector<Agency> receives;
    std::vector<Reading> readings;

    auto fields() { return std::tie(memory, contributions, sends, receives, readings); }
};

/// Bytes of a state.  The node's memory begins with one that belongs to no wire.
inline constexpr std::int64_t wire_state_bytes = 128;

/// The tasks of a node's processes.
class WireTable {
public:
    WireTable(std::span<const int> members, const WiresByNode& outgoing, const WiresByNode& incoming);

    /// By rank.
    std::map<int, WireTasks>& tasks() { return tasks_; }
    /// The memory that they take, in bytes.
    std::int64_t bytes() const { return bytes_; }

private:
    WireEnd end_of(const Wire& wire);

    std::map<int, WireTasks> tasks_;
    std::int64_t bytes_ = wire_state_bytes;
};

/// Several rows of memory as one row in which each byte is once, in the order of addresses.
class UnionOfRows {
public:
    /// Bytes of a message that no row before them has.
    struct Piece {
        std::size_t message;
        std::int64_t offset; ///< in the message
        std::int64_t bytes;
        std::int64_t begin; ///< in the union
    };
    /// `messages`: of each its rows in memory, which begin at addresses.
    explicit UnionOfRows(std::span<const std::vector<WireRow>> messages);

    std::int64_t bytes() const { return bytes_; }
    /// All of it.
    const std::vector<Piece>& pieces() const { return pieces_; }
    /// The places of a message's bytes in the union.
    const std::vector<WireRow>& rows(std::size_t message) const { return rows_[message]; }

private:
    std::int64_t bytes_ = 0;
    std::vector<Piece> pieces_;
    std::vector<std::vector<WireRow>> rows_;
};

} // namespace ortho::algorithm
