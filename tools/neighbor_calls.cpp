// SPDX-License-Identifier: BSD-3-Clause
#include "neighbor_calls.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/index.hpp"

namespace bench {

namespace {

using ortho::at;

/// Int k of the block that process `process` sends for an offset in a sample.
int content(int process, int offset, int sample, int k)
{
    return static_cast<int>(1'000'003U * static_cast<unsigned>(process) +
                            7'919U * static_cast<unsigned>(offset) +
                            104'729U * static_cast<unsigned>(sample) + static_cast<unsigned>(k));
}

/// The list for MPI: some MPIs refuse a null pointer for an empty list.
const int* pointer_to(const std::vector<int>& ranks)
{
    static const int none = 0;
    return ranks.empty() ? &none : ranks.data();
}

/// The counts of these edges.
std::vector<int> counts_of(const std::vector<int>& edge_offsets, const std::vector<int>& counts_of_offsets)
{
    std::vector<int> counts;
    for (const int offset : edge_offsets) counts.push_back(counts_of_offsets[at(offset)]);
    return counts;
}

/// Computes the places of blocks with these counts, one after the other, and the end.  The lists get `room`
/// entries: some MPIs refuse a null pointer for an empty list, or read behind a short one.
void lay_out(std::vector<int>& counts, std::vector<int>& places, std::vector<MPI_Aint>& bytes,
             std::size_t room)
{
    counts.resize(room, 0);
    int place = 0;
    for (const int count : counts) {
        places.push_back(place);
        bytes.push_back(MPI_Aint{4} * place);
        place += count;
    }
}

} // namespace

Data::Data(const Exchange& exchange_, int rank_, bool personal_, int count_)
    : Data(exchange_, rank_, personal_, count_, std::vector<int>(exchange_.targets.size(), count_),
           std::vector<int>(exchange_.sources.size(), count_))
{}

Data::Data(const Exchange& exchange_, int rank_, const std::vector<int>& counts)
    : Data(exchange_, rank_, true, 0, counts_of(exchange_.target_offsets, counts),
           counts_of(exchange_.source_offsets, counts))
{}

Data::Data(const Exchange& exchange_, int rank_, bool personal_, int count_, std::vector<int> sent,
           std::vector<int> received)
    : exchange(exchange_),
      rank(rank_),
      personal(personal_),
      count(count_),
      send_counts(std::move(sent)),
      receive_counts(std::move(received)),
      types(std::max(exchange.targets.size(), exchange.sources.size()) + 1, MPI_INT)
{
    lay_out(send_counts, send_places, send_bytes, types.size());
    lay_out(receive_counts, receive_places, receive_bytes, types.size());
    send.resize(at(personal ? send_places.back() : count) + 1);
    receive.resize(at(receive_places.back()) + 1);
}

void Data::prepare(int sample)
{
    std::ranges::fill(receive, -1);
    if (!personal) {
        for (int k = 0; k < count; ++k) send[at(k)] = content(rank, 0, sample, k);
        return;
    }
    for (std::size_t i = 0; i < exchange.targets.size(); ++i)
        for (int k = 0; k < send_counts[i]; ++k)
            send[at(send_places[i] + k)] = content(rank, exchange.target_offsets[i], sample, k);
}

bool Data::is_right(int sample) const
{
    for (std::size_t i = 0; i < exchange.sources.size(); ++i)
        for (int k = 0; k < receive_counts[i]; ++k)
            if (receive[at(receive_places[i] + k)] !=
                content(exchange.sources[i], personal ? exchange.source_offsets[i] : 0, sample, k))
                return false;
    return receive.back() == -1;
}

// The arguments of the collectives, up to the communicator, in the data *d.
#define BENCH_REGULAR d->send.data(), d->count, MPI_INT, d->receive.data(), d->count, MPI_INT
#define BENCH_GATHERED                                                                                       \
    d->send.data(), d->count, MPI_INT, d->receive.data(), d->receive_counts.data(),                          \
        d->receive_places.data(), MPI_INT
#define BENCH_IRREGULAR                                                                                      \
    d->send.data(), d->send_counts.data(), d->send_places.data(), MPI_INT, d->receive.data(),                \
        d->receive_counts.data(), d->receive_places.data(), MPI_INT
#define BENCH_TYPED                                                                                          \
    d->send.data(), d->send_counts.data(), d->send_bytes.data(), d->types.data(), d->receive.data(),         \
        d->receive_counts.data(), d->receive_bytes.data(), d->types.data()

#ifdef ORTHO_MPI_PERSISTENT
#define BENCH_MPI_INIT(name, ...)                                                                            \
    [d](MPI_Comm comm, MPI_Info info, MPI_Request* request) {                                                \
        MPI_Neighbor_##name##_init(__VA_ARGS__, comm, info, request);                                        \
    }
#else
#define BENCH_MPI_INIT(name, ...) nullptr
#endif

/// MPI's calls and ours of one name.
#define BENCH_FAMILY(name, Name, ...)                                                                        \
    {                                                                                                        \
        {[d](MPI_Comm comm) { MPI_Neighbor_##name(__VA_ARGS__, comm); },                                     \
         [d](MPI_Comm comm, MPI_Request* request) { MPI_Ineighbor_##name(__VA_ARGS__, comm, request); },     \
         BENCH_MPI_INIT(name, __VA_ARGS__)},                                                                 \
        {                                                                                                    \
            [d](MPI_Comm comm) { ORTHO_##Name(__VA_ARGS__, comm); },                                         \
                [d](MPI_Comm comm, ORTHO_Request* request) { ORTHO_I##name(__VA_ARGS__, comm, request); },   \
                [d](MPI_Comm comm, MPI_Info info, ORTHO_Request* request) {                                  \
                    ORTHO_##Name##_init(__VA_ARGS__, comm, info, request);                                   \
                }                                                                                            \
        }                                                                                                    \
    }

Family family(const std::string& collective, Data* d)
{
    if (collective == "alltoall") return BENCH_FAMILY(alltoall, Alltoall, BENCH_REGULAR);
    if (collective == "alltoallv") return BENCH_FAMILY(alltoallv, Alltoallv, BENCH_IRREGULAR);
    if (collective == "alltoallw") return BENCH_FAMILY(alltoallw, Alltoallw, BENCH_TYPED);
    if (collective == "allgather") return BENCH_FAMILY(allgather, Allgather, BENCH_REGULAR);
    return BENCH_FAMILY(allgatherv, Allgatherv, BENCH_GATHERED);
}

Contestant mpi_form(const std::string& form, const Calls<MPI_Request>& calls, MPI_Comm comm,
                    Requests& requests)
{
    if (form == "blocking") return {"MPI", form, "", [=] { calls.blocking(comm); }};
    if (form == "nonblocking")
        return {"MPI", form, "", [=] {
                    MPI_Request request = MPI_REQUEST_NULL;
                    calls.start(comm, &request);
                    MPI_Wait(&request, MPI_STATUS_IGNORE);
                }};
    MPI_Request* const request =
        requests.mpi.emplace_back(std::make_unique<MPI_Request>(MPI_REQUEST_NULL)).get();
    calls.init(comm, MPI_INFO_NULL, request);
    return {"MPI", form, "", [=] {
                MPI_Start(request);
                MPI_Wait(request, MPI_STATUS_IGNORE);
            }};
}

void add_mpi(std::vector<Contestant>& contestants, const Calls<MPI_Request>& calls, MPI_Comm comm,
             Requests& requests)
{
    for (const char* form : {"blocking", "nonblocking"})
        contestants.push_back(mpi_form(form, calls, comm, requests));
    if (calls.init) contestants.push_back(mpi_form("persistent", calls, comm, requests));
}

Contestant our_form(const std::string& form, const Calls<ORTHO_Request>& calls, MPI_Comm comm,
                    const std::string& algorithm, Requests& requests)
{
    if (form == "blocking") return {"mpiortho", form, algorithm, [=] { calls.blocking(comm); }};
    if (form == "nonblocking")
        return {"mpiortho", form, algorithm, [=] {
                    ORTHO_Request request = ORTHO_REQUEST_NULL;
                    calls.start(comm, &request);
                    ORTHO_Wait(&request, MPI_STATUS_IGNORE);
                }};
    ORTHO_Request* const request =
        requests.ours.emplace_back(std::make_unique<ORTHO_Request>(ORTHO_REQUEST_NULL)).get();
    calls.init(comm, MPI_INFO_NULL, request);
    if (form == "run") return {"mpiortho", form, algorithm, [=] { ORTHO_Run(request, MPI_STATUS_IGNORE); }};
    return {"mpiortho", form, algorithm, [=] {
                ORTHO_Start(request);
                ORTHO_Wait(request, MPI_STATUS_IGNORE);
            }};
}

MPI_Comm ortho_comm(MPI_Comm base, const Exchange& exchange, MPI_Info info)
{
    MPI_Comm comm = MPI_COMM_NULL;
    ORTHO_Dist_graph_create_adjacent(base, static_cast<int>(exchange.sources.size()),
                                     pointer_to(exchange.sources), MPI_UNWEIGHTED,
                                     static_cast<int>(exchange.targets.size()), pointer_to(exchange.targets),
                                     MPI_UNWEIGHTED, info, 0, &comm);
    return comm;
}

MPI_Comm ortho_comm(MPI_Comm base, const Exchange& exchange, const std::string& algorithm, bool forward,
                    bool uniform)
{
    MPI_Info info = MPI_INFO_NULL;
    MPI_Info_create(&info);
    MPI_Info_set(info, "ortho_algorithm", algorithm.c_str());
    MPI_Info_set(info, "ortho_forward", forward ? "true" : "false");
    MPI_Info_set(info, "ortho_assert_uniform", uniform ? "true" : "false");
    MPI_Comm const comm = ortho_comm(base, exchange, info);
    MPI_Info_free(&info);
    return comm;
}

MPI_Comm mpi_comm(MPI_Comm base, const Exchange& exchange)
{
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Dist_graph_create_adjacent(base, static_cast<int>(exchange.sources.size()),
                                   pointer_to(exchange.sources), MPI_UNWEIGHTED,
                                   static_cast<int>(exchange.targets.size()), pointer_to(exchange.targets),
                                   MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);
    return comm;
}

} // namespace bench
