// SPDX-License-Identifier: BSD-3-Clause
// The first exchanges on a graph, which are not planned.

#include "engine/first_calls.hpp"

#include <algorithm>
#include <cstddef>
#include <exception>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/index.hpp"
#include "base/text.hpp"
#include "engine/block_sizes.hpp"
#include "engine/call_text.hpp"
#include "engine/context.hpp"
#include "engine/graph_task.hpp"
#include "engine/staging.hpp"
#include "mpi/argument_copies.hpp"
#include "mpi/quiet_errors.hpp"
#include "runtime/wait.hpp"
#include "transport/local_copy.hpp"
#include "transport/transport.hpp"

namespace ortho::engine {

namespace {

/// A call whose blocks go by a message each.  The k-th edge u -> v in u's list meets the k-th edge from u in
/// v's list, as messages of one pair arrive in order.
class UnplannedExchange {
public:
    /// `call` and `lists` must live as long as this, and so must what the call refers to.
    UnplannedExchange(topology::Graph& graph, const Call& call, const grid::LocalGraph& lists)
        : call_(call),
          lists_(lists),
          comm_(graph.private_comm.messages()),
          requests_(lists_.sources.size() + lists_.targets.size(), MPI_REQUEST_NULL)
    {
        // Before anything is under way, which nobody would end.
        require_committed(call.send, mpi::type_of_sent);
        require_committed(call.receive, mpi::type_of_received);
        static_cast<void>(agreed_sizes(call, *graph.graph_info)); // as in calls that are planned
        if (memory::any_driver()) make_staging();
    }

    /// Errors do not stop it, lest partners wait for ever.
    void start(int tag)
    {
        if (staging_) attempt([&] { staging_->fetch_now(); });
        std::vector<int> from_oneself;
        from_oneself.reserve(lists_.sources.size());
        for (std::size_t i = 0; i < lists_.sources.size(); ++i) {
            const int partner = lists_.sources[i];
            if (partner == lists_.rank) from_oneself.push_back(static_cast<int>(i));
            if (partner == lists_.rank || partner == grid::gap) continue;
            attempt([&] {
                const DataLocation place = received(static_cast<int>(i));
                mpi::check(PMPI_Irecv(place.address, place.elements(), place.type, partner, tag, comm_,
                                      &requests_[i]));
            });
        }
        auto next = from_oneself.begin();
        for (std::size_t i = 0; i < lists_.targets.size(); ++i) {
            const int partner = lists_.targets[i];
            if (partner == grid::gap) continue;
            const int slot = sends_one() ? 0 : static_cast<int>(i);
            if (partner == lists_.rank) {
                if (next != from_oneself.end()) copy(slot, *next++);
                continue;
            }
            attempt([&] {
                const DataLocation place = sent(slot);
                mpi::check(PMPI_Isend(place.address, place.elements(), place.type, partner, tag, comm_,
                                      &requests_[lists_.sources.size() + i]));
            });
        }
    }

    /// True once it is over.
    bool advance()
    {
        while (completed_ < requests_.size() && is_complete(completed_)) ++completed_;
        return completed_ == requests_.size() && (!staging_ || is_stored());
    }
    /// Once it is over.
    const std::exception_ptr& error() const { return error_; }

    bool has_arrived(int slot)
    {
        if (!is_complete(static_cast<std::size_t>(slot))) return false;
        if (is_storing_) return is_stored();
        if (staging_) attempt([&] { staging_->store_block(slot); });
        return true;
    }
    std::vector<int> waiting_for()
    {
        std::set<int> ranks;
        for (std::size_t i = 0; i < requests_.size(); ++i)
            if (!is_complete(i)) ranks.insert(partner_of(i));
        return {ranks.begin(), ranks.end()};
    }

private:
    static void require_committed(const BufferBlocks& blocks, const char* what)
    {
        MPI_Datatype last = MPI_DATATYPE_NULL; // most calls have one
        for (int slot = 0; slot < blocks.slots(); ++slot) {
            if (blocks.is_gap(slot) || blocks.count(slot) == 0 || blocks.type(slot) == last) continue;
            last = blocks.type(slot);
            if (!mpi::is_named(last)) mpi::require_committed(last, what);
        }
    }

    void make_staging()
    {
        std::vector<StagedBlock> blocks;
        const auto add = [&](schedule::Buffer buffer, const BufferBlocks& side,
                             const std::vector<int>& partners) {
            const bool is_sent = buffer == schedule::Buffer::send;
            for (int slot = 0; slot < side.slots(); ++slot)
                if ((is_sent && sends_one()) || partners[at(slot)] != grid::gap)
                    blocks.push_back({{buffer, slot}, slot, side[slot], is_sent, !is_sent, false});
        };
        add(schedule::Buffer::send, call_.send, lists_.targets);
        add(schedule::Buffer::receive, call_.receive, lists_.sources);
        staging_ = Staging::of(blocks);
    }
    DataLocation sent(int slot)
    {
        const DataLocation place = call_.send[slot];
        return layouts_.fitting(staging_ ? staging_->place({schedule::Buffer::send, slot}, place, layouts_)
                                         : place);
    }
    DataLocation received(int slot)
    {
        const DataLocation place = call_.receive[slot];
        return layouts_.fitting(staging_ ? staging_->place({schedule::Buffer::receive, slot}, place, layouts_)
                                         : place);
    }
    /// All has come: copies it to the devices.  Is that done?
    bool is_stored()
    {
        bool is = true;
        attempt([&] {
            if (!std::exchange(is_storing_, true)) staging_->store();
            is = staging_->is_stored();
        });
        return is;
    }

    bool sends_one() const { return call_.collective == planner::Collective::allgather; }

    /// These speak of a request.
    bool is_receive(std::size_t i) const { return i < lists_.sources.size(); }
    int partner_of(std::size_t i) const
    {
        return is_receive(i) ? lists_.sources[i] : lists_.targets[i - lists_.sources.size()];
    }
    bool is_complete(std::size_t i)
    {
        if (requests_[i] == MPI_REQUEST_NULL) return true;
        int flag = 0;
        const int code = runtime::test(&requests_[i], &flag);
        if (code == MPI_SUCCESS) return flag != 0;
        requests_[i] = MPI_REQUEST_NULL; // it is not asked again
        attempt([&] {
            if (!is_receive(i)) throw mpi::Failure(code);
            const int slot = static_cast<int>(i);
            transport::fail_receive(code, partner_of(i), call_.receive.bytes(slot), text_of(slot));
        });
        return true;
    }

    void copy(int from, int to)
    {
        attempt([&] {
            try {
                transport::copy(sent(from), received(to));
            } catch (const base::Error& error) {
                throw base::Error(error.kind(), error.argument(),
                                  base::text(error.what(), " in ", text_of(to)));
            }
        });
    }
    static std::string text_of(int slot) { return base::text("slot ", slot); }

    /// Does it, and keeps what goes wrong first.
    template <class Action>
    void attempt(Action action)
    {
        try {
            action();
        } catch (...) {
            if (!error_) error_ = std::current_exception();
        }
    }

    const Call& call_;
    const grid::LocalGraph& lists_;
    MPI_Comm comm_;
    std::vector<MPI_Request> requests_; // of the receives by slot, and of the sends likewise
    std::size_t completed_ = 0;         // requests_[0..completed_) are
    transport::BoundDatatypes layouts_;
    std::unique_ptr<Staging> staging_; // null if nothing lies in the memory of a device
    bool is_storing_ = false;
    std::exception_ptr error_;
};

/// One under way.
class UnplannedTask final : public GraphTask {
public:
    UnplannedTask(const std::shared_ptr<topology::Graph>& graph, const Call& call)
        : GraphTask(graph),
          tag_(graph, false),
          call_(call),
          graph_info_(graph->graph_info),
          exchange_(*graph, call_, graph_info_->lists),
          text_(text_of(call))
    {
        // Its messages are under way by the time that this call returns; errors speak of the blocks that
        // arrive.
        call_.receive.keep(kept_);
        slots_ = static_cast<int>(graph->graph_info->lists.sources.size());
        function_ = call.function;
    }

    bool takes_mpi() const override { return true; }
    bool has_arrived(int slot) override
    {
        const std::lock_guard lock(graph_->mutex);
        require_slot(slot, slots_);
        return over_.load() || exchange_.has_arrived(slot);
    }

private:
    void begin() override
    {
        exchange_.start(tag_.tag());
        over_.store(false, std::memory_order_release);
    }
    bool go_on(runtime::Backoff&) override
    {
        const mpi::QuietRequests quiet;
        return exchange_.advance();
    }
    void end() override
    {
        tag_.give_back();
        if (!failure_) failure_ = exchange_.error();
    }
    std::vector<int> waiting_for() override { return exchange_.waiting_for(); }
    std::string text() const override
    {
        return base::text("mpiortho: ", text_.words(), " on rank ", graph_->graph_info->lists.rank, " of ",
                          graph_->title(),
                          "\n  not planned: each block goes by a message of MPI's.  To plan ",
                          "takes as long as the first ", number_of_first_calls(*graph_),
                          " exchanges on this graph; with ORTHO_PLAN_FIRST=1 they are planned, too\n");
    }

    HeldTag tag_;
    Call call_;
    mpi::ArgumentCopies kept_;
    std::shared_ptr<const topology::GraphInfo> graph_info_; // whose lists it reads
    UnplannedExchange exchange_;
    CallText text_;
};

/// All processes get the same answer.
bool is_exchange(const Call& call)
{
    return call.collective == planner::Collective::alltoall ||
           call.collective == planner::Collective::allgather;
}

} // namespace

int number_of_first_calls(const topology::Graph& graph)
{
    const topology::GraphInfo& graph_info = *graph.graph_info;
    if (!graph_info.has_first_calls) return 0;
    // These take the longer the more neighbors there are, and planning much less so, unless there are ways to
    // combine blocks, which take long to compare.
    constexpr int with_one_neighbor = 48;
    constexpr int most_blocks = 16;
    constexpr int where_neighbors_differ = 16;
    constexpr int where_blocks_combine = 32;
    // A plan makes one message of all blocks for a process.
    const int blocks = std::max(1, graph_info.most_edges);
    if (!graph_info.isomorphism) return where_neighbors_differ / blocks;
    const grid::Stencil& offsets = graph_info.isomorphism->neighborhood.offsets;
    if (!grid::is_star(offsets)) return where_blocks_combine / blocks;
    if (blocks > most_blocks) return 0;
    return std::max(2, with_one_neighbor / std::max(1, offsets.size()));
}

bool take_first_call(topology::Graph& graph, const Call& call)
{
    const std::lock_guard lock(graph.mutex);
    Engine& engine = engine_of(graph);
    if (engine.first_calls == 0) return false;
    // Other calls are planned in any case.
    engine.first_calls = is_exchange(call) ? engine.first_calls - 1 : 0;
    return is_exchange(call);
}

void run_unplanned(topology::Graph& graph, const Call& call)
{
    const int tag = take_tag(graph, Form::blocking);
    const std::shared_ptr<const topology::GraphInfo> graph_info = graph.graph_info; // whose lists it reads
    run_unplanned(graph, call, graph_info->lists, tag);
}

void run_unplanned(topology::Graph& graph, const Call& call, const grid::LocalGraph& lists, int tag)
{
    UnplannedExchange exchange(graph, call, lists);
    const mpi::QuietRequests quiet;
    graph.require_whole();
    exchange.start(tag);
    runtime::wait_until([&] { return exchange.advance(); },
                        [&](const runtime::StallWatch& watch) {
                            const std::lock_guard lock(graph.mutex);
                            watch.report(nullptr, waiting_on(graph, call.function, exchange.waiting_for()));
                        },
                        [&] {
                            if (mpi::loss_in_call() == MPI_SUCCESS) return;
                            const std::lock_guard lock(graph.mutex);
                            graph.give_up(); // which ends all messages with errors
                        });
    if (const std::exception_ptr error = exchange.error()) std::rethrow_exception(error);
}

std::unique_ptr<Task> start_unplanned(const std::shared_ptr<topology::Graph>& graph, const Call& call)
{
    auto task = std::make_unique<UnplannedTask>(graph, call);
    task->start();
    return task;
}

} // namespace ortho::engine
