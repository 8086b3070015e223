// SPDX-License-Identifier: BSD-3-Clause
// ORTHO_VERIFY: compares calls on a graph across its edges, before a call begins or while it is under way.

#include "verify/verification.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <type_traits>
#include <utility>

#include "runtime/internal_collectives.hpp"
#include "runtime/wait.hpp"
#include "topology/error_consensus.hpp"

namespace ortho::verify {

namespace {

constexpr int verification_tag =
    0; // one is enough: messages between two processes do not overtake each other

static_assert(std::is_trivially_copyable_v<Heading> && std::is_trivially_copyable_v<End>);

std::vector<std::byte> bytes_of(const Telling& telling)
{
    const std::size_t out = telling.out.size() * sizeof(End);
    const std::size_t in = telling.in.size() * sizeof(End);
    std::vector<std::byte> result(sizeof(Heading) + out + in);
    std::memcpy(result.data(), &telling.heading, sizeof(Heading));
    if (out > 0) std::memcpy(result.data() + sizeof(Heading), telling.out.data(), out);
    if (in > 0) std::memcpy(result.data() + sizeof(Heading) + out, telling.in.data(), in);
    return result;
}

/// A neighbor's message; its out-edges are our in-edges.
Telling telling_of(const std::vector<std::byte>& bytes, const Telling& mine)
{
    Telling result{{}, std::vector<End>(mine.in.size()), std::vector<End>(mine.out.size())};
    const std::size_t out = result.out.size() * sizeof(End);
    const std::size_t in = result.in.size() * sizeof(End);
    std::memcpy(&result.heading, bytes.data(), sizeof(Heading));
    if (out > 0) std::memcpy(result.out.data(), bytes.data() + sizeof(Heading), out);
    if (in > 0) std::memcpy(result.in.data(), bytes.data() + sizeof(Heading) + out, in);
    return result;
}

} // namespace

Verification::Verification(topology::Graph& graph, const CallSignature& statement)
    : title_(graph.title()),
      rank_(graph.graph_info->lists.rank)
{
    for (const int partner : statement.partners()) {
        Telling mine = statement.to(partner);
        std::vector<std::byte> sent = bytes_of(mine);
        std::vector<std::byte> received = sent; // complete for a message to oneself
        exchanges_.push_back({partner, std::move(mine), std::move(sent), std::move(received)});
    }
    MPI_Comm const comm = graph.verification_comm.get();
    for (Exchange& exchange : exchanges_) {
        if (exchange.partner == rank_) continue;
        const int bytes = static_cast<int>(exchange.sent.size());
        mpi::check(PMPI_Irecv(exchange.received.data(), bytes, MPI_BYTE, exchange.partner, verification_tag,
                              comm, &requests_.emplace_back(MPI_REQUEST_NULL)));
        mpi::check(PMPI_Isend(exchange.sent.data(), bytes, MPI_BYTE, exchange.partner, verification_tag, comm,
                              &requests_.emplace_back(MPI_REQUEST_NULL)));
    }
}

bool Verification::advance()
{
    if (is_over_) return true;
    bool all = true;
    for (MPI_Request& request : requests_) {
        int flag = 0;
        const int code = runtime::test(&request, &flag);
        // Pending requests write into memory of this object.
        if (failure_ == MPI_SUCCESS) failure_ = code;
        all = all && (flag != 0 || code != MPI_SUCCESS);
    }
    if (all && failure_ == MPI_SUCCESS) look_through();
    is_over_ = all;
    return all;
}

void Verification::look_through()
{
    for (const Exchange& exchange : exchanges_) {
        const Telling theirs = telling_of(exchange.received, exchange.mine);
        auto difference = compare(title_, rank_, exchange.mine, exchange.partner, theirs);
        if (!difference) continue;
        misfits_.push_back(exchange.partner);
        meets_nonblocking_ = meets_nonblocking_ || theirs.heading.is_nonblocking != 0;
        if (!finding_) finding_ = std::move(difference);
    }
}

std::vector<int> Verification::waiting_for() const
{
    std::vector<int> result;
    auto request = requests_.begin();
    for (const Exchange& exchange : exchanges_) {
        if (exchange.partner == rank_) continue;
        if (*request != MPI_REQUEST_NULL) result.push_back(exchange.partner);
        request += 2;
    }
    return result;
}

namespace {

/// Throws an error about different calls of processes that are no neighbors, with their ranks.  Collective;
/// throws on all processes alike.
void fail_by_headings(topology::Graph& graph, const Heading& mine)
{
    const std::vector<Heading> all = runtime::gather_all(graph.verification_comm.get(),
                                                         std::vector<Heading>{mine});
    const std::string title = [&] {
        const std::lock_guard lock(graph.mutex);
        return graph.title();
    }();
    for (std::size_t rank = 1; rank < all.size(); ++rank)
        if (const auto error = compare(title, 0, all[0], static_cast<int>(rank), all[rank]))
            throw base::Error(*error);
    base::fail(base::ErrorKind::mismatch, "call", "the calls of two processes differ");
}

} // namespace

void require_no_misfits(const topology::Graph& graph)
{
    base::require(!graph.has_misfits, base::ErrorKind::mismatch, "comm",
                  "comm has messages of an earlier call that did not fit, and can only be freed");
}

void verify(topology::Graph& graph, const char* function, const call::Describe& describe)
{
    std::optional<base::Error> wrong;
    std::exception_ptr refusal;
    std::optional<CallSignature> made;
    try {
        {
            const std::lock_guard lock(graph.mutex);
            require_no_misfits(graph);
        }
        made.emplace(graph.graph_info, describe(), false);
    } catch (...) {
        refusal = std::current_exception();
        const base::Error why = refusal_in_words();
        made.emplace(graph.graph_info, function, why, false);
        wrong.emplace(why.kind(), why.argument(),
                      base::text("rank ", graph.graph_info->lists.rank, ' ', why.what()));
    }
    const CallSignature& statement = *made;
    std::optional<Verification> begun;
    {
        const std::lock_guard lock(graph.mutex);
        begun.emplace(graph, statement);
    }
    Verification& verification = *begun;
    runtime::wait_until([&] { return verification.advance(); },
                        [&](const runtime::StallWatch& watch) {
                            const std::lock_guard lock(graph.mutex);
                            watch.report(nullptr, graph.waiting(function, verification.waiting_for()));
                        },
                        [&] {
                            const int code = mpi::loss_in_call();
                            if (code == MPI_SUCCESS) return;
                            const std::lock_guard lock(graph.mutex);
                            graph.give_up();
                            verification.give_up(code);
                        });
    mpi::check(verification.failure());
    if (!wrong) wrong = verification.finding();
    // Processes in a non-blocking call do not take part in the agreement.
    if (verification.meets_nonblocking()) {
        const std::lock_guard lock(graph.mutex);
        graph.has_misfits = true;
        throw base::Error(*verification.finding());
    }
    topology::ErrorConsensus verdict(graph.verification_comm.get(), wrong, statement.number());
    runtime::wait_until_on(graph.verification_comm.get(), [&] { return verdict.advance(); });
    if (refusal) std::rethrow_exception(refusal);
    verdict.rethrow();
    if (verdict.numbers_differ()) fail_by_headings(graph, statement.heading());
}

} // namespace ortho::verify
