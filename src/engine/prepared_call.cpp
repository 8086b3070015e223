// SPDX-License-Identifier: BSD-3-Clause
// A persistent call on a graph.

#include "engine/prepared_call.hpp"

#include <algorithm>
#include <iterator>
#include <mutex>
#include <utility>

#include "agree/ballot.hpp"
#include "base/index.hpp"
#include "engine/context.hpp"
#include "engine/explain.hpp"
#include "request/task.hpp"
#include "runtime/wait.hpp"

namespace ortho::engine {

namespace {

std::uint64_t argument(const void* base) { return reinterpret_cast<std::uintptr_t>(base); }

bool by_wires(const PreparedCall::OneWay& way) { return way.kept->bound.decision->plan.algorithm->by_wires; }

/// A null pointer is an address where it was one before (MPI_BOTTOM, or there is no data), and nowhere else.
void require_address(const void* base, const void* before, const char* argument,
                     std::optional<std::size_t> index = {})
{
    if ((base == nullptr && before != nullptr) || (base == MPI_IN_PLACE && index)) // texts take time
        base::fail(base::ErrorKind::buffer, argument, argument, index ? base::text("[", *index, "]") : "",
                   base == nullptr ? " is a null pointer" : " is MPI_IN_PLACE");
}

} // namespace

PreparedCall::PreparedCall(std::shared_ptr<topology::Graph> graph, const call::Describe& describe,
                           MPI_Info info)
    : graph_(std::move(graph))
{
    AgreedCall agreed = agree_on_call(*graph_, describe, info);
    call_ = std::move(agreed.call);
    bases_ = bases_of(call_);
    started_.specification = std::move(agreed.started);
    run_.specification = std::move(agreed.run);
    started_.stamp.tag = agreed.tag;
    run_.stamp.tag = agreed.tag + 1;
    try {
        if (!graph_->verification_comm && !agreed.have_one_size)
            compare_with_neighbors(*graph_, call_, agreed.bytes, agreed.tag);
        // The user may free what the arguments refer to.
        if (!call_.lay)
            for (BufferBlocks* const blocks : {&call_.send, &call_.receive, &call_.element})
                blocks->keep(copies_);
        // All processes plan both ways with the same knowledge.  The way that is run is bound when it is run
        // first, unless all processes must bind it together.
        decide(started_);
        decide(run_);
        bind(started_);
        if (by_wires(run_)) bind(run_);
    } catch (...) {
        end();
        throw;
    }
}

PreparedCall::~PreparedCall() { end(); }

void PreparedCall::end()
{
    const std::lock_guard lock(graph_->mutex);
    for (OneWay* const way : {&started_, &run_}) {
        engine_of(*graph_).tags().give_back_persistent(way->stamp.tag);
        *way = {way->way};
    }
}

void PreparedCall::decide(OneWay& way)
{
    const std::lock_guard lock(graph_->mutex);
    way.kept = std::make_unique<KeptOperation>();
    way.kept->bound.decision = engine_of(*graph_).context().decide(call_, way.specification, way.way);
}

/// For the first time, in a call that all processes are in.
void PreparedCall::bind(OneWay& way)
{
    for (;;) {
        {
            const std::lock_guard lock(graph_->mutex);
            begin_to_bind(way);
        }
        if (!by_wires(way)) break;
        agree::Ballot ballot;
        const agree::AllTrue have_memory(ballot, way.transports.connect_wires(way.stamp.tag));
        graph_->hold(ballot);
        if (have_memory.holds()) break;
        way.specification.counts.reset();
        decide(way);
    }
    way.transports.begin_to_connect(way.stamp.tag);
    runtime::wait_until_on(graph_->private_comm.messages(), [&] { return way.transports.are_connected(); });
    if (way.transports.some_go_by_mpi()) some_go_by_mpi_ = true;
}

/// To transports that lead nowhere yet.
void PreparedCall::begin_to_bind(OneWay& way)
{
    OwnTransports transports = transports_of(way);
    auto kept = operation_of(bound_to(way, transports));
    engine_of(*graph_).context().print(kept->bound);
    // All of it or nothing: a bound operation is not bound again.
    way.kept = std::move(kept);
    way.transports = std::move(transports);
}

OwnTransports PreparedCall::transports_of(const OneWay& way) const
{
    return engine_of(*graph_).network().own(facts_of(way.way).on_node, way.specification,
                                            by_wires(way) ? graph_->graph_info->settings->layout.nodes
                                                          : nullptr);
}

/// With the buffers that the user wants.
BoundCall PreparedCall::bound_to(const OneWay& way, const OwnTransports& transports) const
{
    return engine_of(*graph_).context().bind_again(call_, way.specification, way.kept->bound, bases_,
                                                   transports.transports());
}

std::unique_ptr<KeptOperation> PreparedCall::operation_of(BoundCall bound) const
{
    auto kept = std::make_unique<KeptOperation>();
    std::ranges::transform(bases_, std::back_inserter(kept->arguments), argument);
    kept->operation = std::make_unique<Operation>(bound.binding, call_.op);
    kept->bound = std::move(bound);
    return kept;
}

const PreparedCall::OneWay& PreparedCall::begin(bool to_run)
{
    OneWay& way = to_run ? run_ : started_;
    if (to_run) {
        if (!way.kept->operation) [[unlikely]] {
            begin_to_bind(way);
            way.transports.begin_to_connect(way.stamp.tag);
            is_connecting_ = some_go_by_mpi_ = true;
        }
        ++way.stamp.number;
    }
    // The operation has these buffers, or an earlier one had them, or a new one is bound.
    const auto has_these = [&](const std::vector<std::uint64_t>& arguments) {
        return std::ranges::equal(arguments, bases_, {}, {}, argument);
    };
    if (!has_these(way.kept->arguments)) {
        auto next = way.earlier.take(way.kept->function, has_these);
        if (!next) {
            way.transports.bind_again();
            next = operation_of(bound_to(way, way.transports));
        }
        way.earlier.add(std::exchange(way.kept, std::move(next)));
    }
    return way;
}

bool PreparedCall::go_on_connecting()
{
    try {
        is_connecting_ = !run_.transports.are_connected();
    } catch (...) {
        is_connecting_ = false;
        throw;
    }
    if (!is_connecting_)
        some_go_by_mpi_ = run_.transports.some_go_by_mpi() || started_.transports.some_go_by_mpi();
    return !is_connecting_;
}

std::string PreparedCall::text() const
{
    const BoundCall& started = started_.kept->bound;
    BoundCall run = run_.kept->bound;
    const std::string title = graph_->title();
    const planner::Plan& a = started.decision->plan;
    const planner::Plan& b = run.decision->plan;
    if (a.algorithm == b.algorithm && a.choice.groups == b.choice.groups)
        return explain(title, *started.decision, *started.binding, &b) + call_.at_end.words;
    OwnTransports to_run;
    if (!run.binding) {
        to_run = transports_of(run_);
        run = bound_to(run_, to_run);
    }
    return explain(title, *started.decision, *started.binding) + "and by ORTHO_Run\n" +
           explain(title, *run.decision, *run.binding) + call_.at_end.words;
}

void PreparedCall::require_fields() const
{
    if (!call_.bases_of_fields) request::Task::fail_as_no_halo();
}

void PreparedCall::require_as_many(std::size_t fields) const
{
    base::require(fields == bases_.size(), base::ErrorKind::arg, "nfields", "nfields = ", fields,
                  " of a halo exchange of ", bases_.size(), " fields");
}

grid::Stencil PreparedCall::unfilled(int field) const
{
    require_fields();
    const std::vector<grid::Stencil>& all = call_.unfilled;
    base::require(field >= 0 && field < std::ssize(all), base::ErrorKind::arg, "field", "fields[", field,
                  "] is none of ", all.size(), " fields");
    return all[at(field)];
}

void PreparedCall::move_field(const request::FieldMove& move) const
{
    if (!call_.move_field) request::Task::fail_as_no_halo();
    call_.move_field(bases_, move);
}

void PreparedCall::require_apart(std::span<void* const> bases)
{
    // Two sets of arrays take turns in most programs.
    for (const Bases& known : apart_)
        if (std::ranges::equal(known, bases)) return;
    Bases others(bases.begin(), bases.end());
    if (const auto found = call_.find_overlap(others))
        base::fail(base::ErrorKind::buffer, "bases", "bases[", found->first, "] and bases[", found->second,
                   "] are of arrays that share memory");
    apart_[0] = std::exchange(apart_[1], std::move(others));
}

void PreparedCall::rebind_fields(std::span<void* const> bases)
{
    require_fields();
    require_as_many(bases.size());
    for (std::size_t f = 0; f < bases.size(); ++f) require_address(bases[f], bases_[f], "bases", f);
    if (call_.find_overlap) require_apart(bases);
    bases_.assign(bases.begin(), bases.end());
}

std::vector<void*> PreparedCall::bases_of_fields(std::span<const ORTHO_Field> fields) const
{
    require_fields();
    require_as_many(fields.size());
    return call_.bases_of_fields(fields);
}

void PreparedCall::rebind_buffers(const void* send, void* receive)
{
    if (call_.bases_of_fields) request::Task::fail_as_halo();
    Bases bases{const_cast<void*>(send), receive};
    if (call_.collective == planner::Collective::bcast) {
        bases[0] = receive;
    } else {
        base::require((send == MPI_IN_PLACE) == call_.in_place, base::ErrorKind::buffer, "sendbuf",
                      "sendbuf is ", call_.in_place ? "not " : "", "MPI_IN_PLACE, and was ",
                      call_.in_place ? "" : "not ", "when the request was made");
        if (call_.in_place) bases[0] = receive;
    }
    base::require(receive != MPI_IN_PLACE, base::ErrorKind::buffer, "recvbuf", "recvbuf is MPI_IN_PLACE");
    for (std::size_t i = 0; i < 2; ++i) require_address(bases[i], bases_[i], i == 0 ? "sendbuf" : "recvbuf");
    bases_ = std::move(bases);
}

} // namespace ortho::engine
