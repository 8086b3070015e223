// SPDX-License-Identifier: BSD-3-Clause
// ORTHO_Sparse_alltoallv and what belongs to it.

#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/environment.hpp"
#include "base/handles.hpp"
#include "mpi/comm.hpp"
#include "mpi/datatype.hpp"
#include "mpi/error_handling.hpp"
#include "mpi/mutex.hpp"
#include "mpi/type_signature.hpp"
#include "mpi/users_comm.hpp"
#include "mpiortho.h"
#include "request/request.hpp"
#include "request/task.hpp"
#include "runtime/wait.hpp"
#include "sparse/sparse_exchange.hpp"
#include "staging/staging.hpp"
#include "topology/agreed_settings.hpp"
#include "topology/neighbor_lists.hpp"
#include "transport/data_location.hpp"

/// An ORTHO_Sparse points to this: an exchange that is over, or under way.
struct ORTHO_Sparse_s {
    std::shared_ptr<ortho::sparse::SparseExchange> exchange;
};

namespace {

using namespace ortho;
using base::ErrorKind;
using base::require;
using sparse::SparseExchange;
using sparse::SparseMessage;
using transport::DataLocation;

base::Handles<ORTHO_Sparse_s>& sparses()
{
    static auto* const all = new base::Handles<ORTHO_Sparse_s>; // some may outlive what is destroyed at exit
    return *all;
}

// A message: how many blocks there are, how many elements each has, and their data in a row.

std::size_t bytes_of_heading(std::size_t blocks) { return (1 + blocks) * sizeof(std::int64_t); }

/// The arguments of a call.
struct Arguments {
    const void* sendbuf;
    int ntargets;
    const int* targets;
    const MPI_Count* sendcounts;
    const MPI_Aint* sdispls;
    MPI_Datatype sendtype;
    MPI_Comm comm;
    MPI_Info info;
    ORTHO_Sparse* exchange;

    void check() const;
    std::vector<SparseMessage> messages() const;
};

void Arguments::check() const
{
    topology::look_at_keys(info, topology::reads_nothing);
    mpi::require_result(exchange, "exchange");
    require(ntargets >= 0, ErrorKind::count, "ntargets", "ntargets = ", ntargets, " is negative",
            ntargets == -1 ? ", which C++ gives for lists that do not fit each other, or the buffer" : "");
    require(sendtype != MPI_DATATYPE_NULL, ErrorKind::type, "sendtype", "sendtype is MPI_DATATYPE_NULL");
    mpi::require_committed(sendtype, "sendtype");
    require(sendbuf != MPI_IN_PLACE, ErrorKind::buffer, "sendbuf", "sendbuf is MPI_IN_PLACE");
    if (ntargets == 0) return;
    mpi::require_result(targets, "targets");
    mpi::require_result(sendcounts, "sendcounts");
    mpi::require_result(sdispls, "sdispls");
    const int processes = mpi::size_of(comm);
    for (int i = 0; i < ntargets; ++i) {
        if (targets[i] == MPI_PROC_NULL) continue;
        topology::check_rank(targets[i], processes, "targets", i);
        require(sendcounts[i] >= 0, ErrorKind::count, "sendcounts", "sendcounts[", i, "] = ", sendcounts[i],
                " is negative");
        mpi::require_room(sendcounts[i], sendtype, "sendcounts", i);
        require(sendcounts[i] == 0 || sendbuf != nullptr || !mpi::is_named(sendtype), ErrorKind::buffer,
                "sendbuf", "sendbuf is a null pointer");
    }
}

/// The basic types of an element as a number, which stands above that of a message's blocks; 0 if packed.
std::int64_t mark_of(MPI_Datatype type)
{
    const mpi::TypeSignature signature = mpi::signature_of(1, type);
    const std::uint64_t folded = ((signature.hash ^ signature.hash >> 31U) & 0x7fffffffU) | 1U;
    return signature.packed ? 0 : static_cast<std::int64_t>(folded);
}

std::vector<SparseMessage> Arguments::messages() const
{
    std::map<int, std::vector<int>> blocks_to; // in the order of the arguments
    for (int i = 0; i < ntargets; ++i)
        if (targets[i] != MPI_PROC_NULL) blocks_to[targets[i]].push_back(i);
    const mpi::Measures measures = mpi::measure(sendtype);
    const auto bytes_of = [&](int block) {
        return static_cast<std::size_t>(sendcounts[block]) * static_cast<std::size_t>(measures.size);
    };
    const auto place_of = [&](int block) -> DataLocation {
        const auto address = reinterpret_cast<std::uintptr_t>(sendbuf) +
                             static_cast<std::uintptr_t>(sdispls[block] * measures.extent);
        return {reinterpret_cast<void*>(address), sendcounts[block], sendtype};
    };
    std::vector<staging::StagedBlock> all;
    for (const auto& [target, blocks] : blocks_to)
        for (const int block : blocks)
            all.push_back({{schedule::Buffer::send, block}, block, place_of(block), true, false, false});
    const auto staging = staging::Staging::of(all);
    if (staging) staging->fetch_now();
    transport::BoundDatatypes layouts;
    const bool is_verified = base::environment_flag("ORTHO_VERIFY").value_or(false);
    const std::int64_t mark = is_verified ? mark_of(sendtype) : 0;
    std::vector<SparseMessage> result;
    for (const auto& [target, blocks] : blocks_to) {
        std::size_t length = bytes_of_heading(blocks.size());
        for (const int block : blocks) length += bytes_of(block);
        SparseMessage& message = result.emplace_back(target, length);
        std::vector<std::int64_t> heading{mark << 32 | std::ssize(blocks)};
        for (const int block : blocks) heading.push_back(sendcounts[block]);
        std::byte* next = message.bytes.get();
        std::memcpy(next, heading.data(), bytes_of_heading(blocks.size()));
        next += bytes_of_heading(blocks.size());
        for (const int block : blocks) {
            const DataLocation place = place_of(block);
            transport::copy(staging ? staging->place({schedule::Buffer::send, block}, place, layouts) : place,
                            {next, static_cast<MPI_Count>(bytes_of(block)), MPI_BYTE});
            next += bytes_of(block);
        }
    }
    return result;
}

/// A block that has arrived.
struct Block {
    int source;
    std::int64_t mark; ///< 0 if the sender does not verify
    MPI_Count count;
    const std::byte* data;
    std::size_t bytes;
};

std::vector<Block> blocks_of(SparseExchange& exchange)
{
    std::vector<Block> result;
    for (const SparseMessage& message : exchange.received()) {
        std::int64_t first = 0;
        std::memcpy(&first, message.bytes.get(), sizeof first);
        const std::int64_t blocks = first & 0xffffffff;
        std::vector<std::int64_t> counts(static_cast<std::size_t>(blocks));
        const std::size_t heading = bytes_of_heading(counts.size());
        if (blocks > 0)
            std::memcpy(counts.data(), message.bytes.get() + sizeof blocks, heading - sizeof blocks);
        std::int64_t elements = 0;
        for (const std::int64_t count : counts) elements += count;
        const std::size_t element_bytes = elements == 0 ? 0
                                                        : (message.length - heading) /
                                                              static_cast<std::size_t>(elements);
        const std::byte* data = message.bytes.get() + heading;
        for (const std::int64_t count : counts) {
            const std::size_t bytes = element_bytes * static_cast<std::size_t>(count);
            result.push_back({message.partner, first >> 32, count, data, bytes});
            data += bytes;
        }
    }
    return result;
}

/// An exchange that is started.
class SparseTask final : public request::Task {
public:
    SparseTask(std::shared_ptr<SparseExchange> exchange, const char* function, MPI_Comm comm)
        : exchange_(std::move(exchange)),
          waiting_{function, mpi::title_of(comm), mpi::rank_of(comm)},
          users_(mpi::UsersComm::of(comm))
    {}

    void start(bool) override {} // it has been
    bool advance(bool eager, runtime::Backoff&) override
    {
        const std::unique_lock lock = mpi::lock_to_drive(mutex_, eager);
        if (!lock) return false;
        if (is_over_) return true;
        try {
            if (!exchange_->advance()) return false;
            exchange_->rethrow();
        } catch (...) {
            failure_ = std::current_exception();
        }
        is_over_ = true;
        return true;
    }
    void rethrow() const override
    {
        if (failure_) std::rethrow_exception(failure_);
    }
    bool has_arrived(int) override
    {
        runtime::Backoff backoff;
        return advance(true, backoff);
    }
    std::string explanation() const override
    {
        return "mpiortho: " + waiting_.function + ": one message to each process that is a target\n";
    }
    runtime::Waiting waiting() override { return waiting_; }
    MPI_Comm error_comm() const noexcept override { return users_->for_errors(); }

private:
    mpi::Mutex mutex_; // another thread may be the one to drive it
    std::shared_ptr<SparseExchange> exchange_;
    std::exception_ptr failure_;
    runtime::Waiting waiting_;
    std::shared_ptr<mpi::UsersComm> users_;
    bool is_over_ = false;
};

SparseExchange& checked(ORTHO_Sparse exchange)
{
    require(exchange != ORTHO_SPARSE_NULL && sparses().find(exchange) != nullptr, ErrorKind::arg, "exchange",
            "exchange is no exchange: it was never set, or was received or freed");
    return *exchange->exchange;
}

std::vector<Block> received_by(ORTHO_Sparse exchange)
{
    SparseExchange& its = checked(exchange);
    require(its.is_over(), ErrorKind::request, "exchange",
            "exchange is under way: its request is to be completed first");
    its.rethrow();
    return blocks_of(its);
}

void check_room(const Block& block, const void* recvbuf, MPI_Datatype recvtype, const mpi::Measures& measures)
{
    if (block.count == 0) return;
    const auto bytes = static_cast<MPI_Count>(block.bytes) / block.count;
    require(bytes == measures.size, ErrorKind::truncate, "recvtype", "an element of recvtype has ",
            measures.size, " bytes, and rank ", block.source, " has sent elements of ", bytes);
    const std::int64_t mark = block.mark == 0 ? 0 : mark_of(recvtype);
    require(mark == 0 || mark == block.mark, ErrorKind::mismatch, "recvtype", "an element of recvtype is ",
            mpi::text_of(mpi::signature_of(1, recvtype)), ", and rank ", block.source,
            " has sent elements of other types");
    require(recvbuf != nullptr || !mpi::is_named(recvtype), ErrorKind::buffer, "recvbuf",
            "recvbuf is a null pointer");
    require(recvbuf != MPI_IN_PLACE, ErrorKind::buffer, "recvbuf", "recvbuf is MPI_IN_PLACE");
}

/// One block behind the other.
void receive(const std::vector<Block>& blocks, void* recvbuf, MPI_Datatype recvtype)
{
    MPI_Count elements = 0;
    for (const Block& block : blocks) elements += block.count;
    const staging::StagedBlock all{
        {schedule::Buffer::receive, 0}, 0, {recvbuf, elements, recvtype}, false, true, true};
    const auto staging = staging::Staging::of({&all, 1});
    transport::BoundDatatypes layouts;
    if (staging) {
        staging->fetch_now(); // nothing, after the work that reads what was there before
        recvbuf = staging->place(all.slot, all.place, layouts).address;
    }
    const MPI_Aint extent = mpi::measure(recvtype).extent;
    elements = 0;
    for (const Block& block : blocks) {
        const auto address = reinterpret_cast<std::uintptr_t>(recvbuf) +
                             static_cast<std::uintptr_t>(elements * extent);
        transport::copy({const_cast<std::byte*>(block.data), static_cast<MPI_Count>(block.bytes), MPI_BYTE},
                        {reinterpret_cast<void*>(address), block.count, recvtype});
        elements += block.count;
    }
    if (staging) staging->store_now();
}

/// A buffer, and how many elements it has room for, if that is known.
struct Room {
    void* buffer;
    std::optional<MPI_Count> elements;
    MPI_Datatype type;
};

/// `maxn`: the room of the lists, if that is known.
void receive(ORTHO_Sparse* exchange, const Room& room, std::optional<int> maxn, int sources[],
             MPI_Count recvcounts[], MPI_Aint rdispls[])
{
    mpi::require_result(exchange, "exchange");
    const std::vector<Block> blocks = received_by(*exchange);
    require(room.type != MPI_DATATYPE_NULL, ErrorKind::type, "recvtype", "recvtype is MPI_DATATYPE_NULL");
    mpi::require_committed(room.type, "recvtype");
    const mpi::Measures measures = mpi::measure(room.type);
    MPI_Count elements = 0;
    for (const Block& block : blocks) {
        check_room(block, room.buffer, room.type, measures);
        elements += block.count;
    }
    require(!room.elements || elements <= *room.elements, ErrorKind::truncate, "recvcount",
            "recvcount = ", room.elements.value_or(0), ", and ", elements, " elements have come");
    const bool has_lists = sources != nullptr || recvcounts != nullptr || rdispls != nullptr;
    require(!has_lists || !maxn || std::ssize(blocks) <= *maxn, ErrorKind::truncate, "maxn",
            "maxn = ", maxn.value_or(0), ", and ", blocks.size(), " blocks have come");
    receive(blocks, room.buffer, room.type);
    elements = 0; // before the block
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        if (sources != nullptr) sources[i] = blocks[i].source;
        if (recvcounts != nullptr) recvcounts[i] = blocks[i].count;
        if (rdispls != nullptr) rdispls[i] = static_cast<MPI_Aint>(elements);
        elements += blocks[i].count;
    }
    sparses().remove(*exchange);
    *exchange = ORTHO_SPARSE_NULL;
}

sparse::Prepare prepare_of(const Arguments& arguments)
{
    return [=] {
        arguments.check();
        return arguments.messages();
    };
}

ORTHO_Sparse make_handle(std::shared_ptr<SparseExchange> exchange)
{
    auto made = std::make_unique<ORTHO_Sparse_s>();
    made->exchange = std::move(exchange);
    return sparses().add(std::move(made));
}

void run(const Arguments& arguments)
{
    mpi::require_intra(arguments.comm, "comm");
    *arguments.exchange = make_handle(sparse::run(arguments.comm, prepare_of(arguments)));
}

void start(const char* function, const Arguments& arguments, ORTHO_Request* request)
{
    mpi::require_intra(arguments.comm, "comm");
    sparse::Started started = sparse::start(arguments.comm, [&] {
        mpi::require_result(request, "r");
        return prepare_of(arguments)();
    });
    auto task = std::make_unique<SparseTask>(started.exchange, function, arguments.comm);
    if (started.refusal) {
        // The others must not wait for this process.
        runtime::OutstandingOperations::adopt(std::move(task));
        std::rethrow_exception(started.refusal);
    }
    *request = request::make_request(std::move(task), false);
    *arguments.exchange = make_handle(std::move(started.exchange));
}

} // namespace

extern "C" {

int ORTHO_Sparse_alltoallv(const void* sendbuf, int ntargets, const int targets[],
                           const MPI_Count sendcounts[], const MPI_Aint sdispls[], MPI_Datatype sendtype,
                           MPI_Comm comm, MPI_Info info, ORTHO_Sparse* exchange)
{
    return mpi::guard("ORTHO_Sparse_alltoallv", comm, [&] {
        run({sendbuf, ntargets, targets, sendcounts, sdispls, sendtype, comm, info, exchange});
    });
}

int ORTHO_Isparse_alltoallv(const void* sendbuf, int ntargets, const int targets[],
                            const MPI_Count sendcounts[], const MPI_Aint sdispls[], MPI_Datatype sendtype,
                            MPI_Comm comm, MPI_Info info, ORTHO_Sparse* exchange, ORTHO_Request* r)
{
    return mpi::guard("ORTHO_Isparse_alltoallv", comm, [&](const char* function) {
        start(function, {sendbuf, ntargets, targets, sendcounts, sdispls, sendtype, comm, info, exchange}, r);
    });
}

int ORTHO_Sparse_count(ORTHO_Sparse exchange, int* nsources, MPI_Count* total)
{
    return mpi::guard("ORTHO_Sparse_count", [&] {
        const std::vector<Block> blocks = received_by(exchange);
        mpi::require_result(nsources, "nsources");
        *nsources = static_cast<int>(blocks.size());
        if (total == nullptr) return;
        *total = 0;
        for (const Block& block : blocks) *total += block.count;
    });
}

int ORTHO_Sparse_receive(ORTHO_Sparse* exchange, void* recvbuf, MPI_Datatype recvtype, int sources[],
                         MPI_Count recvcounts[], MPI_Aint rdispls[])
{
    return mpi::guard("ORTHO_Sparse_receive", [&] {
        receive(exchange, {recvbuf, std::nullopt, recvtype}, std::nullopt, sources, recvcounts, rdispls);
    });
}

int ORTHO_Sparse_receive_at_most(ORTHO_Sparse* exchange, void* recvbuf, MPI_Count recvcount,
                                 MPI_Datatype recvtype, int maxn, int sources[], MPI_Count recvcounts[],
                                 MPI_Aint rdispls[])
{
    return mpi::guard("ORTHO_Sparse_receive_at_most", [&] {
        receive(exchange, {recvbuf, recvcount, recvtype}, maxn, sources, recvcounts, rdispls);
    });
}

int ORTHO_Sparse_free(ORTHO_Sparse* exchange)
{
    return mpi::guard("ORTHO_Sparse_free", [&] {
        mpi::require_result(exchange, "exchange");
        static_cast<void>(checked(*exchange));
        sparses().remove(*exchange);
        *exchange = ORTHO_SPARSE_NULL;
    });
}

} // extern "C"
