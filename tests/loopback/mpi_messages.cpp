// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_messages.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "mpi_errors.hpp"

namespace loopback {

namespace {

std::uint64_t messages = 0;

/// 0 most often in some runs, long in others.
std::uint64_t delay()
{
    if (manner.longest_delay == 0 || scheduler->below(3) == 0) return 0;
    return scheduler->below(scheduler->below(8) == 0 ? manner.longest_delay : manner.longest_delay / 8 + 1);
}

void arrive(const std::shared_ptr<Message>& message)
{
    scheduler->progressed();
    const auto context = std::exchange(message->context, nullptr);
    Mailbox& mailbox = context->mailboxes[at(message->receiver)];
    const auto found = std::ranges::find_if(mailbox.posted,
                                            [&](const Receive* r) { return r->matches(*message); });
    if (found == mailbox.posted.end()) {
        mailbox.unexpected.push_back(message);
        return;
    }
    Receive* const receive = *found;
    mailbox.posted.erase(found);
    receive->match(message);
}

void arrive_until(std::uint64_t time, Process& process)
{
    while (!process.arrivals.empty() && process.arrivals.top().at <= time) {
        const auto message = process.arrivals.top().message;
        process.arrivals.pop();
        arrive(message);
    }
}

void progress_of(Process& process) { arrive_until(scheduler->now(), process); }

/// Argument checks.
void check(Communicator& c, const Elements& elements, int partner, int tag, bool is_receive)
{
    require(elements.count >= 0, MPI_ERR_COUNT, &c);
    require(elements.type != MPI_DATATYPE_NULL && is_usable(elements.type), MPI_ERR_TYPE, &c);
    require((partner >= 0 && partner < c.partners()) || partner == MPI_PROC_NULL ||
                (is_receive && partner == MPI_ANY_SOURCE),
            MPI_ERR_RANK, &c);
    require(tag >= 0 || (is_receive && tag == MPI_ANY_TAG), MPI_ERR_TAG, &c);
}

/// The first message that has arrived for such a receive; null: there is none.
std::shared_ptr<Message> find(Communicator& c, int from, int tag, bool takes)
{
    progress();
    Mailbox& mailbox = c.context->mailboxes[at(c.member())];
    const auto found = std::ranges::find_if(mailbox.unexpected, [&](const auto& m) {
        return (from == MPI_ANY_SOURCE || from == m->from) && (tag == MPI_ANY_TAG || tag == m->tag);
    });
    if (found == mailbox.unexpected.end()) return nullptr;
    const auto message = *found;
    if (takes) {
        mailbox.unexpected.erase(found);
        message->take();
    }
    return message;
}

std::shared_ptr<Message> probed(MPI_Comm comm, int from, int tag, bool takes)
{
    Communicator& c = communicator(comm);
    check(c, {nullptr, 0, MPI_BYTE}, from, tag, true);
    return find(c, from, tag, takes);
}

Outcome outcome_of(const Message& message) { return {message.from, message.tag, message.bytes}; }

/// Puts what is started among the requests.
template <class Started, class... Arguments>
void start(MPI_Request* request, Arguments&&... arguments)
{
    *request = me->requests.add(std::make_unique<Started>(std::forward<Arguments>(arguments)...));
}

} // namespace

void let_all_arrive(Process& process) { arrive_until(std::numeric_limits<std::uint64_t>::max(), process); }

void progress()
{
    progress_of(*me);
    std::erase_if(me->undriven, [](Undriven& part) {
        if (part.times-- > 0) return false;
        part.meeting->is_driven[part.member] = true;
        scheduler->progressed();
        return true;
    });
    std::erase_if(me->freed_requests, [](const auto& request) {
        if (!request->is_ready()) return false;
        request->finish();
        return true;
    });
}

void Message::take()
{
    is_taken = true;
    if (send == nullptr) return;
    data = send->elements_.pack(); // not before: the sender's buffer is its data until then
    std::exchange(send, nullptr)->is_done_ = true;
    scheduler->progressed();
}

Send::Send(Communicator& c, Elements elements, int to, int tag, Mode mode)
    : Request(c.handle),
      elements_(elements)
{
    check(c, elements, to, tag, false);
    is_done_ = to == MPI_PROC_NULL;
    if (is_done_) return;
    const bool is_eager = mode == Mode::standard && scheduler->below(100) < manner.eager_percent;
    const int receiver = c.partner(to);
    auto message = std::make_shared<Message>(Message{
        c.context, c.rank, tag, c.member(), receiver, {}, elements.bytes(), is_eager ? nullptr : this});
    if (is_eager) {
        message->data = elements.pack();
        is_done_ = true;
    } else {
        type_ = keep_type(elements.type);
    }
    receiver_ = processes[at(c.context->world_rank(receiver))].get();
    Mailbox& mailbox = c.context->mailboxes[at(receiver)];
    std::uint64_t& last = mailbox.last_arrival[at(c.member())];
    last = std::max(last, scheduler->now() + delay());
    message_ = message;
    receiver_->arrivals.push({last, messages++, std::move(message)});
    scheduler->progressed();
}

/// The data leaves, as that of a message that is sent at once.
void Send::cancel()
{
    if (is_done_) return;
    const auto message = message_.lock();
    message->data = elements_.pack();
    message->send = nullptr;
    is_done_ = true;
}

bool Send::is_ready()
{
    if (!is_done_ && manner.progresses_alone) progress_of(*receiver_);
    return is_done_;
}

Receive::Receive(Communicator& c, Elements elements, int from, int tag)
    : Request(c.handle),
      context_(c.context),
      mailbox_(&c.context->mailboxes[at(c.member())]),
      elements_(elements),
      from_(from),
      tag_(tag)
{
    check(c, elements, from, tag, true);
    if (from == MPI_PROC_NULL) return;
    type_ = keep_type(elements.type);
    if (auto message = find(c, from, tag, true))
        match(std::move(message));
    else
        mailbox_->posted.push_back(this);
}

Receive::Receive(std::shared_ptr<Message> message, Elements elements)
    : Request(MPI_COMM_WORLD),
      elements_(elements),
      type_(keep_type(elements.type)),
      from_(message->from),
      tag_(message->tag)
{
    match(std::move(message));
}

Receive::~Receive()
{
    if (mailbox_ != nullptr && !message_) std::erase(mailbox_->posted, this);
}

void Receive::match(std::shared_ptr<Message> message)
{
    if (!message->is_taken) message->take();
    message_ = std::move(message);
    ready_at_ = scheduler->now() + delay() / 4;
}

bool Receive::is_ready()
{
    return from_ == MPI_PROC_NULL || is_cancelled_ || (message_ && scheduler->now() >= ready_at_);
}

Outcome Receive::finish()
{
    if (from_ == MPI_PROC_NULL) return {.source = MPI_PROC_NULL};
    if (is_cancelled_) return {.is_cancelled = true};
    Outcome result = outcome_of(*message_);
    if (!elements_.unpack(message_->data)) {
        result.error = MPI_ERR_TRUNCATE;
        result.bytes = elements_.bytes();
    }
    return result;
}

void Receive::cancel()
{
    if (message_ || from_ == MPI_PROC_NULL) return;
    is_cancelled_ = true;
    std::erase(mailbox_->posted, this);
}

} // namespace loopback

using namespace loopback;

COMMUNICATING(Isend, const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request* request)
{
    start<Send>(request, communicator(comm), Elements{data, count, type}, to, tag, Mode::standard);
}

COMMUNICATING(Issend, const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request* request)
{
    start<Send>(request, communicator(comm), Elements{data, count, type}, to, tag, Mode::synchronous);
}

COMMUNICATING(Send, const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
    Send send(communicator(comm), {data, count, type}, to, tag, Mode::standard);
    complete(send, MPI_STATUS_IGNORE);
}

COMMUNICATING(Irecv, void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
              MPI_Request* request)
{
    start<Receive>(request, communicator(comm), Elements{data, count, type}, from, tag);
}

COMMUNICATING(Recv, void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
              MPI_Status* status)
{
    Receive receive(communicator(comm), {data, count, type}, from, tag);
    complete(receive, status);
}

COMMUNICATING(Sendrecv, const void* data, int count, MPI_Datatype type, int to, int send_tag, void* into,
              int room, MPI_Datatype into_type, int from, int receive_tag, MPI_Comm comm, MPI_Status* status)
{
    Communicator& c = communicator(comm);
    Receive receive(c, {into, room, into_type}, from, receive_tag);
    Send send(c, {data, count, type}, to, send_tag, Mode::standard);
    complete(send, MPI_STATUS_IGNORE);
    complete(receive, status);
}

COMMUNICATING(Iprobe, int from, int tag, MPI_Comm comm, int* flag, MPI_Status* status)
{
    const auto message = probed(comm, from, tag, false);
    *flag = message ? 1 : 0;
    if (!message) return scheduler->wait();
    set_status(status, outcome_of(*message));
}

COMMUNICATING(Improbe, int from, int tag, MPI_Comm comm, int* flag, MPI_Message* result, MPI_Status* status)
{
    auto message = probed(comm, from, tag, true);
    *flag = message ? 1 : 0;
    if (!message) return scheduler->wait();
    set_status(status, outcome_of(*message));
    *result = me->messages.add(std::make_unique<std::shared_ptr<Message>>(std::move(message)));
}

COMMUNICATING(Imrecv, void* data, int count, MPI_Datatype type, MPI_Message* message, MPI_Request* request)
{
    require(me->messages.find(*message) != nullptr, MPI_ERR_REQUEST);
    start<Receive>(request, *me->messages.remove(*message), Elements{data, count, type});
    *message = MPI_MESSAGE_NULL;
}
