// SPDX-License-Identifier: BSD-3-Clause
// Requests: what is under way, and its completion.  Messages from process to process.
#pragma once

#include <mpi.h>

#include <memory>

#include "communicators.hpp"
#include "real_mpi.hpp"

namespace loopback {

/// The contents of a status.
struct Outcome {
    int source = MPI_ANY_SOURCE, tag = MPI_ANY_TAG;
    std::size_t bytes = 0;
    bool is_cancelled = false;
    int error = MPI_SUCCESS;
};

/// Made, used and destroyed by the process that it belongs to.
struct Request {
    explicit Request(MPI_Comm comm_) : comm(comm_) {}
    virtual ~Request() = default;
    Request(const Request&) = delete;
    Request& operator=(const Request&) = delete;

    virtual const char* what() const = 0;
    /// Could it complete now?
    virtual bool is_ready() = 0;
    /// It completes.
    virtual Outcome finish() = 0;
    /// For persistent requests.
    virtual void start() {}
    virtual void cancel() {}

    MPI_Comm comm; ///< whose error handler is called
    bool is_persistent = false, is_active = true;
};

void set_status(MPI_Status* status, const Outcome& outcome);
/// The blocking form of what a request is.
void complete(Request& request, MPI_Status* status);

struct Send;

struct Message {
    std::shared_ptr<Context> context; ///< until it has arrived
    int from;                         ///< rank
    int tag;
    int sender; ///< member of the context
    int receiver;
    Bytes data;
    std::size_t bytes; ///< of the data
    Send* send;        ///< that waits until it is received, and has the data; null: it was buffered
    bool is_taken = false;

    /// A receive or a matching probe gets it.
    void take();
};

enum class Mode { standard, synchronous };

struct Send final : Request {
    Send(Communicator& comm, Elements elements, int to, int tag, Mode mode);
    const char* what() const override { return "a send"; }
    bool is_ready() override;
    Outcome finish() override { return {}; }
    void cancel() override;

    Elements elements_;
    std::shared_ptr<const void> type_;
    std::weak_ptr<Message> message_;
    bool is_done_ = false;
    Process* receiver_ = nullptr;
};

struct Receive final : Request {
    Receive(Communicator& comm, Elements elements, int from, int tag);
    /// Receives a message that a matching probe has got.
    Receive(std::shared_ptr<Message> message, Elements elements);
    ~Receive() override;
    const char* what() const override { return "a receive"; }
    bool is_ready() override;
    Outcome finish() override;
    void cancel() override;

    bool matches(const Message& message) const
    {
        return (from_ == MPI_ANY_SOURCE || from_ == message.from) &&
               (tag_ == MPI_ANY_TAG || tag_ == message.tag);
    }
    void match(std::shared_ptr<Message> message);

    std::shared_ptr<Context> context_;
    Mailbox* mailbox_ = nullptr;
    Elements elements_;
    std::shared_ptr<const void> type_;
    int from_, tag_;
    std::shared_ptr<Message> message_;
    std::uint64_t ready_at_ = 0;
    bool is_cancelled_ = false;
};

/// The work of a process inside of MPI: messages arrive.
void progress();
/// Inside of MPI until `done()`.
template <class Done>
void wait_inside(Done done)
{
    while (progress(), !done()) scheduler->wait();
}
/// All messages to a process arrive that are under way.
void let_all_arrive(Process& process);

} // namespace loopback
