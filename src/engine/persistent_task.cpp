// SPDX-License-Identifier: BSD-3-Clause
// Persistent collectives on graphs.

#include "engine/persistent_task.hpp"

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "engine/explain.hpp"
#include "engine/graph_task.hpp"
#include "engine/measure.hpp"
#include "engine/run.hpp"
#include "transport/comm_transports.hpp"

namespace ortho::engine {

namespace {

/// Can be started, and be run: two operations, of which one is under way at a time.  Each has a tag of its
/// own, so that nothing wrong is delivered where some processes start it and others run it.
class PersistentTask final : public GraphTask {
public:
    PersistentTask(std::shared_ptr<topology::Graph> graph, const Describe& describe, MPI_Info info)
        : GraphTask(std::move(graph))
    {
        AgreedWays agreed = agree_on_call(*graph_, describe, info);
        tag_ = agree_on_tags(*graph_, 2);
        try {
            if (agreed.started.specification.measure) {
                agreed.started.specification.measured = measure(*graph_, agreed.started.call,
                                                                agreed.started.specification, tag_);
                // Where all have promised to come by (info ortho_forward) the two are the same.
                agreed.run.specification.measured = agreed.started.specification.forwarding ==
                                                            algorithm::Forwarding::yes
                                                        ? agreed.started.specification.measured
                                                        : measure(*graph_, agreed.run.call,
                                                                  agreed.run.specification, tag_);
            }
            bind(agreed);
        } catch (...) {
            const std::lock_guard lock(graph_->mutex);
            give_back_tags();
            throw;
        }
    }
    ~PersistentTask() override
    {
        const std::lock_guard lock(graph_->mutex);
        other_ = {};
        give_back_tags();
    }

    bool takes_mpi() const override { return some_go_by_mpi_ || GraphTask::takes_mpi(); }

private:
    void begin() override
    {
        change_to(false);
        GraphTask::begin();
    }
    void begin_to_run() override
    {
        change_to(true);
        ++stamp_.number;
        GraphTask::begin();
    }

    std::string text() const override
    {
        const Bound& started = runs_now_ ? other_.bound : bound_;
        const Bound& run = runs_now_ ? bound_ : other_.bound;
        const std::string title = graph_->title();
        const std::string text = explain(title, *started.decision, op_, *started.binding);
        const planner::Plan& a = started.decision->plan;
        const planner::Plan& b = run.decision->plan;
        if (a.algorithm == b.algorithm && a.choice.groups == b.choice.groups)
            return text + "  ORTHO_Run does the same\n";
        return text + "and by ORTHO_Run\n" + explain(title, *run.decision, op_, *run.binding);
    }

    /// One of the two operations, with what it refers to.
    struct Way {
        Bound bound;
        std::unique_ptr<Operation> operation;
        transport::Stamp stamp;
    };

    void give_back_tags()
    {
        Tags& tags = engine_of(*graph_).tags();
        for (int i = 0; i < 2; ++i) tags.give_back_persistent(tag_ + i);
    }

    /// The current operation is the one that is run, or the one that is started.
    void change_to(bool runs)
    {
        if (runs == runs_now_) return;
        std::swap(bound_, other_.bound);
        std::swap(operation_, other_.operation);
        std::swap(stamp_, other_.stamp);
        runs_now_ = runs;
    }

    void bind(AgreedWays& agreed)
    {
        const bool comes_by = agreed.started.specification.forwarding == algorithm::Forwarding::yes;
        Bound started = make(agreed.started, tag_,
                             [=](const transport::Network& network) { return network.started(comes_by); });
        other_.bound = make(agreed.run, tag_ + 1,
                            [](const transport::Network& network) { return network.run(); });
        const std::lock_guard lock(graph_->mutex);
        other_.operation = std::make_unique<Operation>(other_.bound.binding, agreed.run.call.op);
        other_.stamp.tag = tag_ + 1;
        set(std::move(started), agreed.started.call);
        stamp_.tag = tag_;
    }
    template <class Choose>
    Bound make(const Agreed& agreed, int tag, Choose choose)
    {
        Bound bound;
        transport::OwnTransports own;
        {
            const std::lock_guard lock(graph_->mutex);
            Engine& engine = engine_of(*graph_);
            own = choose(engine.network());
            bound = engine.context().make(agreed.call, agreed.specification, Form::persistent,
                                          own.transports());
        }
        own.connect(tag);
        some_go_by_mpi_ = some_go_by_mpi_ || own.some_go_by_mpi();
        return bound;
    }

    int tag_;
    Way other_; // the operation that is not current
    bool runs_now_ = false;
    bool some_go_by_mpi_ = false; // whatever they are bound to
};

} // namespace

std::unique_ptr<Task> prepare(const std::shared_ptr<topology::Graph>& graph, const Describe& describe,
                              MPI_Info info)
{
    share_memory(*graph);
    return std::make_unique<PersistentTask>(graph, describe, info);
}

} // namespace ortho::engine
