// SPDX-License-Identifier: BSD-3-Clause
// The pairing of blocks where a process has a neighbor twice.

#include "pmpi/pairing.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "base/error.hpp"
#include "mpi/which_mpi.hpp"
#include "pmpi/init_finalize.hpp"
#include "pmpi/pmpi_settings.hpp"

namespace ortho::pmpi {

namespace {

constexpr int loops = 4; // a grid of two dimensions, or as many edges of a graph
using Blocks = std::array<int, loops>;

/// A communicator of this process alone, which is its own neighbor on all edges.
class Loops {
public:
    explicit Loops(bool is_grid)
    {
        MPI_Comm alone = make_comm_alone();
        // An error is better than leaving the call to MPI, while other processes make our call.
        base::require(alone != MPI_COMM_NULL, base::ErrorKind::other, "comm",
                      "no communicator can be made to try out how MPI pairs blocks");
        constexpr int ones[] = {1, 1};
        constexpr Blocks nobody_else{};
        int code = MPI_SUCCESS;
        if (is_grid)
            code = PMPI_Cart_create(alone, 2, ones, ones, 0, &comm_);
        else
            code = PMPI_Dist_graph_create_adjacent(alone, loops, nobody_else.data(), MPI_UNWEIGHTED, loops,
                                                   nobody_else.data(), MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                                   &comm_);
        PMPI_Comm_free(&alone);
        if (code != MPI_SUCCESS) comm_ = MPI_COMM_NULL;
        if (comm_ != MPI_COMM_NULL) mpi::return_errors(comm_);
        counts_.fill(1);
        types_.fill(MPI_INT);
        std::iota(places_.begin(), places_.end(), 0);
        for (std::size_t i = 0; i < loops; ++i) bytes_[i] = static_cast<MPI_Aint>(i * sizeof(int));
    }
    Loops(const Loops&) = delete;
    Loops& operator=(const Loops&) = delete;
    ~Loops()
    {
        if (comm_ != MPI_COMM_NULL) PMPI_Comm_free(&comm_);
    }

    Pairing pairing_of(Call call)
    {
        received_.fill(-1);
        if (comm_ == MPI_COMM_NULL || !exchange(call)) return Pairing::unknown;
        if (received_ == Blocks{0, 1, 2, 3}) return Pairing::in_order;
        if (received_ == Blocks{1, 0, 3, 2}) return Pairing::by_direction;
        if (received_ == Blocks{3, 2, 1, 0}) return Pairing::reversed;
        return Pairing::unknown;
    }

private:
    bool exchange(Call call)
    {
        switch (call.form) {
        case Form::blocking: return exchange(call.exchange) == MPI_SUCCESS;
        case Form::nonblocking: {
            MPI_Request request = MPI_REQUEST_NULL;
            return begin(call.exchange, &request) == MPI_SUCCESS &&
                   PMPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS;
        }
        case Form::persistent: {
            MPI_Request request = MPI_REQUEST_NULL;
            if (prepare(call.exchange, &request) != MPI_SUCCESS) return false;
            const bool is_good = PMPI_Start(&request) == MPI_SUCCESS &&
                                 PMPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS;
            PMPI_Request_free(&request);
            return is_good;
        }
        }
        return false;
    }
    int exchange(Exchange exchange)
    {
        return call(exchange, PMPI_Neighbor_alltoall, PMPI_Neighbor_alltoallv, PMPI_Neighbor_alltoallw);
    }
    int begin(Exchange exchange, MPI_Request* request)
    {
        return call(exchange, PMPI_Ineighbor_alltoall, PMPI_Ineighbor_alltoallv, PMPI_Ineighbor_alltoallw,
                    request);
    }
    int prepare([[maybe_unused]] Exchange exchange, [[maybe_unused]] MPI_Request* request)
    {
#ifdef ORTHO_MPI_PERSISTENT
        return call(exchange, PMPI_Neighbor_alltoall_init, PMPI_Neighbor_alltoallv_init,
                    PMPI_Neighbor_alltoallw_init, MPI_INFO_NULL, request);
#else
        return MPI_ERR_OTHER;
#endif
    }
    template <class Alltoall, class Alltoallv, class Alltoallw, class... More>
    int call(Exchange exchange, Alltoall alltoall, Alltoallv alltoallv, Alltoallw alltoallw, More... more)
    {
        switch (exchange) {
        case Exchange::allgather: break;
        case Exchange::alltoall:
            return alltoall(sent, 1, MPI_INT, received_.data(), 1, MPI_INT, comm_, more...);
        case Exchange::alltoallv:
            return alltoallv(sent, counts_.data(), places_.data(), MPI_INT, received_.data(), counts_.data(),
                             places_.data(), MPI_INT, comm_, more...);
        case Exchange::alltoallw:
            return alltoallw(sent, counts_.data(), bytes_.data(), types_.data(), received_.data(),
                             counts_.data(), bytes_.data(), types_.data(), comm_, more...);
        }
        return MPI_ERR_OTHER;
    }

    static constexpr int sent[loops] = {0, 1, 2, 3};

    MPI_Comm comm_ = MPI_COMM_NULL;
    Blocks received_{};
    Blocks counts_{};
    Blocks places_{};
    std::array<MPI_Aint, loops> bytes_{};
    std::array<MPI_Datatype, loops> types_{};
};

/// The pairings, by the number of the call.
using Pairings = std::array<Pairing, Call::numbers>;

Pairings try_all(bool on_grids)
{
    Loops trial(on_grids);
    Pairings result{}; // in order, as in allgathers
    for (const Exchange exchange : {Exchange::alltoall, Exchange::alltoallv, Exchange::alltoallw})
        for (const Form form : {Form::blocking, Form::nonblocking, Form::persistent}) {
            const Call call{exchange, form};
            result[call.number()] = trial.pairing_of(call);
        }
    return result;
}

Pairing tried(Call call, bool on_grids)
{
    if (on_grids) {
        static const Pairings of_grids = try_all(true);
        return of_grids[call.number()];
    }
    static const Pairings of_graphs = try_all(false);
    return of_graphs[call.number()];
}

} // namespace

Pairing pairing_of(Call call, bool on_grids)
{
    if (call.exchange == Exchange::allgather) return Pairing::in_order;
    if (pairs_as_standard()) return on_grids ? Pairing::by_direction : Pairing::in_order;
    return tried(call, on_grids);
}

} // namespace ortho::pmpi
