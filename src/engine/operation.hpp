// SPDX-License-Identifier: BSD-3-Clause
// A bound schedule on its way.
#pragma once

#include <mpi.h>

#include <memory>
#include <vector>

#include "engine/binding.hpp"

namespace ortho::engine {

/// One execution of a binding: started by its constructor, driven by advance(), over when that
/// returns true.  Errors on the way do not stop it, lest partners wait for ever; the first is kept.
class Operation {
public:
    /// `op` is MPI_OP_NULL for operations that reduce nothing.
    Operation(std::shared_ptr<const Binding> binding, MPI_Comm channel, int tag, MPI_Op op);

    /// Drive MPI's progress and go on as far as possible without waiting.
    bool advance();

    /// The first error as an MPI code, MPI_SUCCESS if there was none.
    int error() const { return error_; }
    /// The first error where it is one of our own making; rethrows it.
    void rethrow() const
    {
        if (thrown_) std::rethrow_exception(thrown_);
    }

private:
    void begin_phase();
    void run(std::span<const Step> steps);
    bool messages_done();
    void note(int code)
    {
        if (error_ == MPI_SUCCESS) error_ = code;
    }

    std::shared_ptr<const Binding> binding_;
    MPI_Comm channel_;
    int tag_;
    MPI_Op op_;
    std::size_t phase_ = 0;
    std::vector<MPI_Request> requests_;
    std::size_t completed_ = 0; // requests_[0..completed_) are
    int error_ = MPI_SUCCESS;
    std::exception_ptr thrown_;
};

} // namespace ortho::engine
