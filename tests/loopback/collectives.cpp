// SPDX-License-Identifier: BSD-3-Clause
// Collectives: what a process gives to a meeting, and what it takes from it.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "communicators.hpp"
#include "mpi_errors.hpp"
#include "mpi_messages.hpp"

namespace loopback {

namespace {

/// One process's part in a collective.
struct Part {
    std::string name;              ///< the same on all processes
    int root = -1;                 ///< too
    std::vector<Elements> gives{}; ///< to each process, or the same to all
    std::vector<Elements> takes{}; ///< from each process; no address: nothing
    std::vector<bool> waits_for{}; ///< which processes must have come; none: nobody
    bool folds = false;            ///< takes one result instead, of the processes `first` .. `last`
    Elements result{};
    MPI_Op op = MPI_OP_NULL;
    int first = 0, last = -1;
};

/// The form without `persistent` starts at once.
struct Collective final : Request {
    Collective(Communicator& comm, Part part, bool persistent);
    const char* what() const override { return part_.name.c_str(); }
    bool is_ready() override;
    Outcome finish() override;
    void start() override;

private:
    int fold();

    std::shared_ptr<Context> context_;
    int member_;
    Part part_;
    std::vector<std::shared_ptr<const void>> types_;
    std::uint64_t number_; ///< of the first meeting
    std::uint64_t starts_ = 0;
    std::uint64_t meeting_number_ = 0;
    std::shared_ptr<Meeting> meeting_;
    std::uint64_t ready_at_ = 0;
};

constexpr std::uint64_t not_yet = ~std::uint64_t{0};

const Bytes& piece_for(const std::vector<Bytes>& pieces, int process)
{
    static const Bytes nothing;
    if (pieces.empty()) return nothing;
    return pieces.size() == 1 ? pieces.front() : pieces[at(process)];
}

/// Memory for elements, as a user's buffer.
class Buffer {
public:
    explicit Buffer(const Elements& elements)
    {
        MPI_Aint lower = 0, extent = 0, true_lower = 0, true_extent = 0;
        PMPI_Type_get_extent(elements.type, &lower, &extent);
        PMPI_Type_get_true_extent(elements.type, &true_lower, &true_extent);
        const MPI_Aint steps = extent * (elements.count - 1);
        const MPI_Aint low = true_lower + std::min<MPI_Aint>(0, steps);
        const MPI_Aint high = true_lower + true_extent + std::max<MPI_Aint>(0, steps);
        constexpr MPI_Aint grain = 16; // of alignment
        memory_.resize(static_cast<std::size_t>(high - low + 2 * grain));
        address_ = memory_.data() + grain - (low - (low % grain + grain) % grain);
    }
    void* address() { return address_; }

private:
    Bytes memory_;
    std::byte* address_;
};

} // namespace

Collective::Collective(Communicator& c, Part part, bool persistent)
    : Request(c.handle),
      context_(c.context),
      member_(c.member()),
      part_(std::move(part)),
      number_(c.meetings)
{
    is_persistent = persistent;
    is_active = !persistent;
    const auto keep = [&](const Elements& elements) {
        if (elements.type != MPI_DATATYPE_NULL) types_.push_back(keep_type(elements.type));
    };
    std::ranges::for_each(part_.takes, keep);
    if (part_.folds) keep(part_.result);
    if (persistent) std::ranges::for_each(part_.gives, keep);
    ++c.meetings; // the starts of a persistent one are numbered
    if (!persistent) start();
}

/// Buffers that are given are read now: others may take the data after this process's part has completed.
void Collective::start()
{
    // Persistent ones may start in any order, so that each has numbers of its own.
    meeting_number_ = is_persistent ? ((number_ + 1) << 32U) + starts_++ : number_;
    meeting_ = meeting_in(context_->meetings, meeting_number_);
    std::vector<Bytes> gives;
    for (const Elements& elements : part_.gives)
        gives.push_back(elements.type == MPI_DATATYPE_NULL ? Bytes() : elements.pack());
    const std::string name = is_persistent ? part_.name + "_init" : part_.name;
    meeting_->join(name, part_.root, member_, context_->processes(), std::move(gives));
    ready_at_ = not_yet;
    const auto me_there = at(member_);
    if (manner.progresses_alone)
        meeting_->is_driven[me_there] = true;
    else
        me->undriven.push_back({meeting_, me_there, scheduler->below(4)});
}

bool Collective::is_ready()
{
    if (ready_at_ == not_yet) {
        if (!meeting_->is_driven[at(member_)]) return false;
        if (manner.collectives_meet && !meeting_->are_all_here()) return false;
        for (std::size_t i = 0; i < part_.waits_for.size(); ++i)
            if (part_.waits_for[i] && !meeting_->is_driven[i]) return false;
        ready_at_ = scheduler->now() +
                    (manner.longest_delay > 0 ? scheduler->below(manner.longest_delay / 4 + 1) : 0);
    }
    return scheduler->now() >= ready_at_;
}

Outcome Collective::finish()
{
    Outcome outcome;
    for (std::size_t i = 0; i < part_.takes.size(); ++i) {
        const Elements& takes = part_.takes[i];
        if (takes.type == MPI_DATATYPE_NULL) continue;
        const Bytes& given = piece_for(meeting_->told[i], member_);
        if (given.size() < takes.bytes())
            fail(part_.name + ": rank " + std::to_string(i) + " gives " + std::to_string(given.size()) +
                 " bytes, but rank " + std::to_string(member_) + " takes " + std::to_string(takes.bytes()));
        if (!takes.unpack(given)) outcome.error = MPI_ERR_TRUNCATE;
    }
    if (part_.folds && part_.last >= part_.first) outcome.error = fold();
    context_->leave(meeting_number_);
    meeting_ = nullptr;
    return outcome;
}

int Collective::fold()
{
    const Elements& result = part_.result;
    if (result.count == 0 || result.bytes() == 0) return MPI_SUCCESS;
    const auto bytes_of_rank = [&](int r) -> const Bytes& {
        const Bytes& bytes = piece_for(meeting_->told[at(r)], member_);
        if (bytes.size() != result.bytes())
            fail(part_.name + ": ranks " + std::to_string(r) + " and " + std::to_string(member_) +
                 " reduce other numbers of bytes");
        return bytes;
    };
    Buffer left(result), right(result);
    Elements into{right.address(), result.count, result.type};
    into.unpack(bytes_of_rank(part_.last));
    for (int r = part_.last - 1; r >= part_.first; --r) {
        Elements{left.address(), result.count, result.type}.unpack(bytes_of_rank(r));
        if (const int code = PMPI_Reduce_local(left.address(), right.address(), result.count, result.type,
                                               part_.op))
            return code;
    }
    result.unpack(into.pack());
    return MPI_SUCCESS;
}

} // namespace loopback

using namespace loopback;

namespace {

/// A collective on a communicator.  `describe(part, c)`: the arguments that all three forms have.
template <class Describe>
Part part_of(const char* name, MPI_Comm comm, Describe describe)
{
    Communicator& c = communicator(comm);
    Part part{.name = name};
    describe(part, c);
    for (const auto& list : {part.gives, part.takes, {part.result}})
        for (const Elements& elements : list) {
            require(elements.count >= 0, MPI_ERR_COUNT, &c);
            if (elements.type != MPI_DATATYPE_NULL) require(is_usable(elements.type), MPI_ERR_TYPE, &c);
        }
    return part;
}

template <class Describe>
int blocking(const char* function, const char* name, MPI_Comm comm, Describe describe)
{
    return play(function, [&] {
        Collective collective(communicator(comm), part_of(name, comm, describe), false);
        complete(collective, MPI_STATUS_IGNORE);
    });
}

template <class Describe>
int started(const char* function, const char* name, MPI_Comm comm, bool is_persistent, MPI_Request* request,
            Describe describe)
{
    return play(function, [&] {
        *request = me->requests.add(
            std::make_unique<Collective>(communicator(comm), part_of(name, comm, describe), is_persistent));
    });
}

/// On an intercommunicator a process deals with the other group.
std::vector<bool> only(const Communicator& c, int first, int last)
{
    std::vector<bool> result(c.context->processes(), false);
    for (int r = first; r <= last; ++r) result[at(c.partner(r))] = true;
    return result;
}
std::vector<bool> everybody(const Communicator& c) { return only(c, 0, c.partners() - 1); }
/// Blocks for or from other processes, by member.
std::vector<Elements> spread(const Communicator& c, const std::vector<Elements>& blocks)
{
    std::vector<Elements> result(c.context->processes());
    for (std::size_t r = 0; r < blocks.size(); ++r) result[at(c.partner(static_cast<int>(r)))] = blocks[r];
    return result;
}

/// The role of a process in a collective with a root.
enum class Role { root, other, none };
Role role_of(Part& part, Communicator& c, int root)
{
    if (c.is_inter()) return root == MPI_ROOT ? Role::root : root == MPI_PROC_NULL ? Role::none : Role::other;
    require(root >= 0 && root < c.size(), MPI_ERR_ROOT, &c);
    part.root = root;
    return c.rank == root ? Role::root : Role::other;
}
void check_op(Communicator& c, MPI_Op op) { require(op != MPI_OP_NULL, MPI_ERR_OP, &c); }

/// The address of an element.
const void* after(const void* address, MPI_Aint elements, MPI_Datatype type)
{
    MPI_Aint lower = 0, extent = 0;
    PMPI_Type_get_extent(type, &lower, &extent);
    return static_cast<const std::byte*>(address) + elements * extent;
}

std::vector<Elements> blocks(const Communicator& c, const void* address, int count, MPI_Datatype type)
{
    std::vector<Elements> result;
    for (int r = 0; r < c.partners(); ++r)
        result.push_back({after(address, MPI_Aint{r} * count, type), count, type});
    return result;
}
std::vector<Elements> blocks(const Communicator& c, const void* address, const int* counts,
                             const int* displacements, MPI_Datatype type)
{
    std::vector<Elements> result;
    for (int r = 0; r < c.partners(); ++r)
        result.push_back({after(address, displacements[r], type), counts[r], type});
    return result;
}
std::vector<Elements> blocks(const Communicator& c, const void* address, const int* counts,
                             const int* displacements, const MPI_Datatype* types)
{
    std::vector<Elements> result;
    for (int r = 0; r < c.partners(); ++r)
        result.push_back({static_cast<const std::byte*>(address) + displacements[r], counts[r], types[r]});
    return result;
}

void barrier(Part& part, const Communicator& c) { part.waits_for = everybody(c); }

void take_from_root(Part& part, const Communicator& c, const Elements& elements, int root)
{
    part.takes.resize(c.context->processes());
    part.takes[at(c.partner(root))] = elements;
    part.waits_for = only(c, root, root);
}

void bcast(Part& part, Communicator& c, const Elements& elements, int root)
{
    const Role role = role_of(part, c, root);
    if (role == Role::root) part.gives = {elements};
    if (role == Role::other) take_from_root(part, c, elements, root);
}

/// `into()`: the blocks at the root.
template <class Blocks>
void gather(Part& part, Communicator& c, const Elements& from, Blocks into, int root)
{
    const bool is_in_place = from.address == MPI_IN_PLACE;
    const Role role = role_of(part, c, root);
    if (role == Role::none) return;
    if (!is_in_place && (role == Role::other || !c.is_inter())) part.gives = {from};
    if (role != Role::root) return;
    part.takes = spread(c, into());
    if (is_in_place) part.takes[at(c.partner(root))] = {};
    part.waits_for = everybody(c);
}

template <class Blocks>
void scatter(Part& part, Communicator& c, Blocks from, const Elements& into, int root)
{
    const Role role = role_of(part, c, root);
    if (role == Role::root) part.gives = spread(c, from());
    if (role == Role::none || (role == Role::root && c.is_inter()) || into.address == MPI_IN_PLACE) return;
    take_from_root(part, c, into, root);
}

void allgather(Part& part, const Communicator& c, const Elements& from, const std::vector<Elements>& into)
{
    part.takes = spread(c, into);
    part.gives = {from.address == MPI_IN_PLACE ? part.takes[at(c.rank)] : from};
    part.waits_for = everybody(c);
}

template <class Blocks>
void alltoall(Part& part, const Communicator& c, const void* data, Blocks from,
              const std::vector<Elements>& into)
{
    part.takes = spread(c, into);
    part.gives = data == MPI_IN_PLACE ? part.takes : spread(c, from());
    part.waits_for = everybody(c);
}

/// The result of ranks 0 .. last of those that a process deals with.
void fold(Part& part, const Communicator& c, const Elements& result, MPI_Op op, int last)
{
    part.folds = true;
    part.result = result;
    part.op = op;
    part.first = c.partner(0);
    part.last = part.first + last;
    part.waits_for = only(c, 0, last);
}

const void* own(const void* from, const void* into) { return from == MPI_IN_PLACE ? into : from; }

void reduce(Part& part, Communicator& c, const void* from, const Elements& into, MPI_Op op, int root)
{
    check_op(c, op);
    const Role role = role_of(part, c, root);
    if (role == Role::none) return;
    if (role == Role::other || !c.is_inter()) part.gives = {{own(from, into.address), into.count, into.type}};
    if (role == Role::root) fold(part, c, into, op, c.partners() - 1);
}

/// `last`: the last rank that counts.
void reduce_to_all(Part& part, Communicator& c, const void* from, const Elements& into, MPI_Op op, int last)
{
    check_op(c, op);
    part.gives = {{own(from, into.address), into.count, into.type}};
    fold(part, c, into, op, last);
}

/// `count(r)`: the count of process r.
template <class Count>
void reduce_scatter(Part& part, Communicator& c, const void* from, void* into, Count count, MPI_Datatype type,
                    MPI_Op op)
{
    check_op(c, op);
    if (c.is_inter()) fail("MPI_Reduce_scatter on an intercommunicator is not played");
    MPI_Aint before = 0;
    for (int r = 0; r < c.size(); ++r) {
        part.gives.push_back({after(own(from, into), before, type), count(r), type});
        before += count(r);
    }
    fold(part, c, {into, count(c.rank), type}, op, c.size() - 1);
}

} // namespace

// The three forms of a collective.  `arguments` are in parentheses, with names; a part of it is described on
// communicator `c`.
#define UNPACKED(...) __VA_ARGS__ __VA_OPT__(, )
#define DESCRIBED(...) [&](Part& part, Communicator& c) { __VA_ARGS__; }
#define COLLECTIVE(Name, iname, arguments, ...)                                                              \
    PLAYED(int, Name, UNPACKED arguments MPI_Comm comm)                                                      \
    {                                                                                                        \
        return blocking("MPI_" #Name, #Name, comm, DESCRIBED(__VA_ARGS__));                                  \
    }                                                                                                        \
    PLAYED(int, I##iname, UNPACKED arguments MPI_Comm comm, MPI_Request* request)                            \
    {                                                                                                        \
        return started("MPI_I" #iname, "I" #iname, comm, false, request, DESCRIBED(__VA_ARGS__));            \
    }                                                                                                        \
    PERSISTENT(Name, arguments, __VA_ARGS__)
#if MPI_VERSION >= 4
#define PERSISTENT(Name, arguments, ...)                                                                     \
    PLAYED(int, Name##_init, UNPACKED arguments MPI_Comm comm, MPI_Info, MPI_Request* request)               \
    {                                                                                                        \
        return started("MPI_" #Name "_init", #Name, comm, true, request, DESCRIBED(__VA_ARGS__));            \
    }
#else
#define PERSISTENT(Name, arguments, ...)
#endif
#define BLOCKS(...) [&] { return blocks(c, __VA_ARGS__); }

COLLECTIVE(Barrier, barrier, (), barrier(part, c))
COLLECTIVE(Bcast, bcast, (void* data, int n, MPI_Datatype type, int root),
           bcast(part, c, {data, n, type}, root))
COLLECTIVE(Gather, gather,
           (const void* from, int n, MPI_Datatype type, void* into, int m, MPI_Datatype into_type, int root),
           gather(part, c, {from, n, type}, BLOCKS(into, m, into_type), root))
COLLECTIVE(Gatherv, gatherv,
           (const void* from, int n, MPI_Datatype type, void* into, const int* m, const int* where,
            MPI_Datatype into_type, int root),
           gather(part, c, {from, n, type}, BLOCKS(into, m, where, into_type), root))
COLLECTIVE(Scatter, scatter,
           (const void* from, int n, MPI_Datatype type, void* into, int m, MPI_Datatype into_type, int root),
           scatter(part, c, BLOCKS(from, n, type), {into, m, into_type}, root))
COLLECTIVE(Scatterv, scatterv,
           (const void* from, const int* n, const int* where, MPI_Datatype type, void* into, int m,
            MPI_Datatype into_type, int root),
           scatter(part, c, BLOCKS(from, n, where, type), {into, m, into_type}, root))
COLLECTIVE(Allgather, allgather,
           (const void* from, int n, MPI_Datatype type, void* into, int m, MPI_Datatype into_type),
           allgather(part, c, {from, n, type}, blocks(c, into, m, into_type)))
COLLECTIVE(Allgatherv, allgatherv,
           (const void* from, int n, MPI_Datatype type, void* into, const int* m, const int* where,
            MPI_Datatype into_type),
           allgather(part, c, {from, n, type}, blocks(c, into, m, where, into_type)))
COLLECTIVE(Alltoall, alltoall,
           (const void* from, int n, MPI_Datatype type, void* into, int m, MPI_Datatype into_type),
           alltoall(part, c, from, BLOCKS(from, n, type), blocks(c, into, m, into_type)))
COLLECTIVE(Alltoallv, alltoallv,
           (const void* from, const int* n, const int* from_where, MPI_Datatype type, void* into,
            const int* m, const int* where, MPI_Datatype into_type),
           alltoall(part, c, from, BLOCKS(from, n, from_where, type), blocks(c, into, m, where, into_type)))
COLLECTIVE(Alltoallw, alltoallw,
           (const void* from, const int* n, const int* from_where, const MPI_Datatype* types, void* into,
            const int* m, const int* where, const MPI_Datatype* into_types),
           alltoall(part, c, from, BLOCKS(from, n, from_where, types), blocks(c, into, m, where, into_types)))
COLLECTIVE(Reduce, reduce, (const void* from, void* into, int n, MPI_Datatype type, MPI_Op op, int root),
           reduce(part, c, from, {into, n, type}, op, root))
COLLECTIVE(Allreduce, allreduce, (const void* from, void* into, int n, MPI_Datatype type, MPI_Op op),
           reduce_to_all(part, c, from, {into, n, type}, op, c.partners() - 1))
COLLECTIVE(Reduce_scatter, reduce_scatter,
           (const void* from, void* into, const int* n, MPI_Datatype type, MPI_Op op),
           reduce_scatter(
               part, c, from, into, [&](int r) { return n[r]; }, type, op))
COLLECTIVE(Reduce_scatter_block, reduce_scatter_block,
           (const void* from, void* into, int n, MPI_Datatype type, MPI_Op op),
           reduce_scatter(
               part, c, from, into, [&](int) { return n; }, type, op))
COLLECTIVE(Scan, scan, (const void* from, void* into, int n, MPI_Datatype type, MPI_Op op),
           reduce_to_all(part, c, from, {into, n, type}, op, c.rank))
COLLECTIVE(Exscan, exscan, (const void* from, void* into, int n, MPI_Datatype type, MPI_Op op),
           reduce_to_all(part, c, from, {into, n, type}, op, c.rank - 1))
