// SPDX-License-Identifier: BSD-3-Clause
// A persistent call on a graph: planned for ORTHO_Start and for ORTHO_Run, and bound to one set of buffers
// after the other.
#pragma once

#include <mpi.h>

#include <array>
#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/agreement.hpp"
#include "engine/comm_transports.hpp"
#include "engine/kept_operations.hpp"
#include "engine/ways.hpp"
#include "mpi/argument_copies.hpp"
#include "topology/graph.hpp"

namespace ortho::engine {

/// Two operations, of which one is under way at a time: one to be started, and one to be run.  Each has a tag
/// of its own, so that nothing wrong is delivered where some processes start it and others run it.
class PreparedCall {
public:
    /// One of the two operations, and what it takes to bind it to other buffers.
    struct OneWay {
        Way way;
        algorithm::CallSpecification specification{};
        OwnTransports transports{};
        /// Its arguments are the buffers; it has no operation before it is bound.
        std::unique_ptr<KeptOperation> kept{};
        KeptOperations earlier{}; ///< those that have had other buffers, and may get them again
        transport::Stamp stamp{};
    };

    /// Collective; the graph must be attached.  If `describe` throws base::Error on any process, all throw.
    PreparedCall(std::shared_ptr<topology::Graph> graph, const call::Describe& describe, MPI_Info info);
    PreparedCall(const PreparedCall&) = delete;
    PreparedCall& operator=(const PreparedCall&) = delete;
    ~PreparedCall();

    const std::shared_ptr<topology::Graph>& graph() const { return graph_; }
    const Call& call() const { return call_; }
    const OneWay& started() const { return started_; }
    /// True if MPI moves messages on, whatever the operations are bound to.
    bool takes_mpi() const { return some_go_by_mpi_.load(std::memory_order_relaxed); }

    // Under the graph's mutex:

    /// The operation of the next start or run, bound to the buffers that the user wants.
    const OneWay& begin(bool to_run);
    /// True if the channels of the operation that is run do not lead to all partners yet.
    bool is_connecting() const { return is_connecting_; }
    /// All has come to the buffers.
    void finish() const { call_.at_end.act(bases_); }
    /// Goes on; true once they do.  Throws if a process has failed, and is through then, too.
    bool go_on_connecting();
    /// The ranks that they do not lead to.
    std::vector<int> unheard() const { return run_.transports.unheard(); }
    std::string text() const;

    /// The first persistent operation of this process is 1.
    int number() const { return number_; }
    // See request::Task.
    grid::Stencil unfilled(int field) const;
    void move_field(const request::FieldMove& move) const;
    void rebind_fields(std::span<void* const> bases);
    std::vector<void*> bases_of_fields(std::span<const ORTHO_Field> fields) const;
    void rebind_buffers(const void* send, void* receive);

private:
    void end();
    void require_fields() const;
    void require_as_many(std::size_t fields) const;
    void require_apart(std::span<void* const> bases);
    void decide(OneWay& way);
    void bind(OneWay& way);
    void begin_to_bind(OneWay& way);
    OwnTransports transports_of(const OneWay& way) const;
    BoundCall bound_to(const OneWay& way, const OwnTransports& transports) const;
    std::unique_ptr<KeptOperation> operation_of(BoundCall bound) const;

    std::shared_ptr<topology::Graph> graph_;
    Call call_;
    static inline std::atomic<int> made_{0};
    int number_ = ++made_;
    mpi::ArgumentCopies copies_; // what the call refers to
    OneWay started_{Way::started};
    OneWay run_{Way::run};
    Bases bases_;                // that the user wants
    std::array<Bases, 2> apart_; // the last ones that were found to share no memory
    bool is_connecting_ = false;
    std::atomic<bool> some_go_by_mpi_ = false;
};

} // namespace ortho::engine
