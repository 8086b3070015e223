// SPDX-License-Identifier: BSD-3-Clause
#include "collectives.hpp"

#include <algorithm>
#include <utility>

#include "mpi_errors.hpp"
#include "mpi_messages.hpp"

namespace loopback {

namespace {

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
    const auto keep = [&](Elements& elements) {
        if (elements.type == MPI_DATATYPE_NULL) return;
        types_.emplace_back(elements.type);
        elements.type = types_.back().get();
    };
    for (Elements& elements : part_.takes) keep(elements);
    if (part_.folds) keep(part_.result);
    if (persistent) {
        for (Elements& elements : part_.gives) keep(elements);
        ++c.meetings; // its starts are numbered
        return;
    }
    ++c.meetings;
    start();
}

/// Buffers that are given are read now: others may take the data after this process's part has completed.
void Collective::start()
{
    // Persistent ones may start in any order, so that each has numbers of its own.
    auto& meeting = context_->meetings[is_persistent ? ((number_ + 1) << 32U) + starts_++ : number_];
    if (!meeting) meeting = std::make_shared<Meeting>();
    meeting_ = meeting;
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
    const std::uint64_t number = is_persistent ? ((number_ + 1) << 32U) + starts_ - 1 : number_;
    if (++meeting_->gone == static_cast<int>(context_->processes())) context_->meetings.erase(number);
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

/// A collective on a communicator, with the arguments that all three forms have.
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
std::vector<bool> everybody(const Communicator& c)
{
    std::vector<bool> result(c.context->processes(), false);
    for (int r = 0; r < c.partners(); ++r) result[at(c.partner(r))] = true;
    return result;
}
std::vector<bool> only(const Communicator& c, int first, int last)
{
    std::vector<bool> result(c.context->processes(), false);
    for (int r = first; r <= last; ++r) result[at(c.partner(r))] = true;
    return result;
}
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

auto bcast(void* data, int count, MPI_Datatype type, int root)
{
    return [=](Part& part, Communicator& c) {
        const Elements elements{data, count, type};
        const Role role = role_of(part, c, root);
        if (role == Role::root) part.gives = {elements};
        if (role == Role::other) take_from_root(part, c, elements, root);
    };
}

/// `into`: the blocks at the root.
template <class Blocks>
auto gather(const void* data, int count, MPI_Datatype type, Blocks into, int root)
{
    return [=](Part& part, Communicator& c) {
        const Role role = role_of(part, c, root);
        if (role == Role::none) return;
        if (data != MPI_IN_PLACE && (role == Role::other || !c.is_inter()))
            part.gives = {{data, count, type}};
        if (role != Role::root) return;
        part.takes = spread(c, into(c));
        if (data == MPI_IN_PLACE) part.takes[at(c.partner(root))] = {};
        part.waits_for = everybody(c);
    };
}

template <class Blocks>
auto scatter(Blocks from, void* data, int count, MPI_Datatype type, int root)
{
    return [=](Part& part, Communicator& c) {
        const Role role = role_of(part, c, root);
        if (role == Role::root) part.gives = spread(c, from(c));
        if (role == Role::none || (role == Role::root && c.is_inter()) || data == MPI_IN_PLACE) return;
        take_from_root(part, c, {data, count, type}, root);
    };
}

template <class Blocks>
auto allgather(const void* data, int count, MPI_Datatype type, Blocks into)
{
    return [=](Part& part, Communicator& c) {
        part.takes = spread(c, into(c));
        part.gives = {data == MPI_IN_PLACE ? part.takes[at(c.rank)] : Elements{data, count, type}};
        part.waits_for = everybody(c);
    };
}

template <class From, class Into>
auto alltoall(const void* data, From from, Into into)
{
    return [=](Part& part, Communicator& c) {
        part.takes = spread(c, into(c));
        part.gives = data == MPI_IN_PLACE ? part.takes : spread(c, from(c));
        part.waits_for = everybody(c);
    };
}

auto in_blocks(const void* address, int count, MPI_Datatype type)
{
    return [=](const Communicator& c) { return blocks(c, address, count, type); };
}
template <class Types>
auto in_blocks(const void* address, const int* counts, const int* displacements, Types types)
{
    return [=](const Communicator& c) { return blocks(c, address, counts, displacements, types); };
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

auto reduce(const void* data, void* into, int count, MPI_Datatype type, MPI_Op op, int root)
{
    return [=](Part& part, Communicator& c) {
        check_op(c, op);
        const Role role = role_of(part, c, root);
        if (role == Role::none) return;
        if (role == Role::other || !c.is_inter())
            part.gives = {{data == MPI_IN_PLACE ? into : data, count, type}};
        if (role == Role::root) fold(part, c, {into, count, type}, op, c.partners() - 1);
    };
}

/// `last`: the last rank that counts.
template <class Last>
auto reduce_to_all(const void* data, void* into, int count, MPI_Datatype type, MPI_Op op, Last last)
{
    return [=](Part& part, Communicator& c) {
        check_op(c, op);
        part.gives = {{data == MPI_IN_PLACE ? into : data, count, type}};
        fold(part, c, {into, count, type}, op, last(c));
    };
}
auto allreduce(const void* data, void* into, int count, MPI_Datatype type, MPI_Op op)
{
    return reduce_to_all(data, into, count, type, op, [](const Communicator& c) { return c.partners() - 1; });
}
auto scan(const void* data, void* into, int count, MPI_Datatype type, MPI_Op op)
{
    return reduce_to_all(data, into, count, type, op, [](const Communicator& c) { return c.rank; });
}
auto exscan(const void* data, void* into, int count, MPI_Datatype type, MPI_Op op)
{
    return reduce_to_all(data, into, count, type, op, [](const Communicator& c) { return c.rank - 1; });
}

/// `counts`: of each process.
template <class Counts>
auto reduce_scatter(const void* data, void* into, Counts counts, MPI_Datatype type, MPI_Op op)
{
    return [=](Part& part, Communicator& c) {
        check_op(c, op);
        if (c.is_inter()) fail("MPI_Reduce_scatter on an intercommunicator is not played");
        const void* const from = data == MPI_IN_PLACE ? into : data;
        MPI_Aint before = 0;
        for (int r = 0; r < c.size(); ++r) {
            part.gives.push_back({after(from, before, type), counts(r), type});
            before += counts(r);
        }
        fold(part, c, {into, counts(c.rank), type}, op, c.size() - 1);
    };
}

} // namespace

// The three forms of a collective; `arguments` in parentheses, with names.
#define UNPACKED(...) __VA_ARGS__
#define COLLECTIVE(Name, iname, arguments, describe)                                                         \
    PLAYED(int, Name, UNPACKED arguments, MPI_Comm comm)                                                     \
    {                                                                                                        \
        return blocking("MPI_" #Name, #Name, comm, describe);                                                \
    }                                                                                                        \
    PLAYED(int, I##iname, UNPACKED arguments, MPI_Comm comm, MPI_Request* request)                           \
    {                                                                                                        \
        return started("MPI_I" #iname, "I" #iname, comm, false, request, describe);                          \
    }                                                                                                        \
    PERSISTENT(Name, arguments, describe)
#if MPI_VERSION >= 4
#define PERSISTENT(Name, arguments, describe)                                                                \
    PLAYED(int, Name##_init, UNPACKED arguments, MPI_Comm comm, MPI_Info, MPI_Request* request)              \
    {                                                                                                        \
        return started("MPI_" #Name "_init", #Name, comm, true, request, describe);                          \
    }
#else
#define PERSISTENT(Name, arguments, describe)
#endif

PLAYED(int, Barrier, MPI_Comm comm) { return blocking("MPI_Barrier", "Barrier", comm, barrier); }
PLAYED(int, Ibarrier, MPI_Comm comm, MPI_Request* request)
{
    return started("MPI_Ibarrier", "Ibarrier", comm, false, request, barrier);
}
#if MPI_VERSION >= 4
PLAYED(int, Barrier_init, MPI_Comm comm, MPI_Info, MPI_Request* request)
{
    return started("MPI_Barrier_init", "Barrier", comm, true, request, barrier);
}
#endif

COLLECTIVE(Bcast, bcast, (void* data, int count, MPI_Datatype type, int root), bcast(data, count, type, root))
COLLECTIVE(Gather, gather,
           (const void* from, int n, MPI_Datatype type, void* into, int m, MPI_Datatype into_type, int root),
           gather(from, n, type, in_blocks(into, m, into_type), root))
COLLECTIVE(Gatherv, gatherv,
           (const void* from, int n, MPI_Datatype type, void* into, const int* m, const int* where,
            MPI_Datatype into_type, int root),
           gather(from, n, type, in_blocks(into, m, where, into_type), root))
COLLECTIVE(Scatter, scatter,
           (const void* from, int n, MPI_Datatype type, void* into, int m, MPI_Datatype into_type, int root),
           scatter(in_blocks(from, n, type), into, m, into_type, root))
COLLECTIVE(Scatterv, scatterv,
           (const void* from, const int* n, const int* where, MPI_Datatype type, void* into, int m,
            MPI_Datatype into_type, int root),
           scatter(in_blocks(from, n, where, type), into, m, into_type, root))
COLLECTIVE(Allgather, allgather,
           (const void* from, int n, MPI_Datatype type, void* into, int m, MPI_Datatype into_type),
           allgather(from, n, type, in_blocks(into, m, into_type)))
COLLECTIVE(Allgatherv, allgatherv,
           (const void* from, int n, MPI_Datatype type, void* into, const int* m, const int* where,
            MPI_Datatype into_type),
           allgather(from, n, type, in_blocks(into, m, where, into_type)))
COLLECTIVE(Alltoall, alltoall,
           (const void* from, int n, MPI_Datatype type, void* into, int m, MPI_Datatype into_type),
           alltoall(from, in_blocks(from, n, type), in_blocks(into, m, into_type)))
COLLECTIVE(Alltoallv, alltoallv,
           (const void* from, const int* n, const int* from_where, MPI_Datatype type, void* into,
            const int* m, const int* where, MPI_Datatype into_type),
           alltoall(from, in_blocks(from, n, from_where, type), in_blocks(into, m, where, into_type)))
COLLECTIVE(Alltoallw, alltoallw,
           (const void* from, const int* n, const int* from_where, const MPI_Datatype* types, void* into,
            const int* m, const int* where, const MPI_Datatype* into_types),
           alltoall(from, in_blocks(from, n, from_where, types), in_blocks(into, m, where, into_types)))
COLLECTIVE(Reduce, reduce, (const void* from, void* into, int count, MPI_Datatype type, MPI_Op op, int root),
           reduce(from, into, count, type, op, root))
COLLECTIVE(Allreduce, allreduce, (const void* from, void* into, int count, MPI_Datatype type, MPI_Op op),
           allreduce(from, into, count, type, op))
COLLECTIVE(Reduce_scatter, reduce_scatter,
           (const void* from, void* into, const int* counts, MPI_Datatype type, MPI_Op op),
           reduce_scatter(
               from, into, [=](int r) { return counts[r]; }, type, op))
COLLECTIVE(Reduce_scatter_block, reduce_scatter_block,
           (const void* from, void* into, int count, MPI_Datatype type, MPI_Op op),
           reduce_scatter(
               from, into, [=](int) { return count; }, type, op))
COLLECTIVE(Scan, scan, (const void* from, void* into, int count, MPI_Datatype type, MPI_Op op),
           scan(from, into, count, type, op))
COLLECTIVE(Exscan, exscan, (const void* from, void* into, int count, MPI_Datatype type, MPI_Op op),
           exscan(from, into, count, type, op))
