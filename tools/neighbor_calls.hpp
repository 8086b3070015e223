// SPDX-License-Identifier: BSD-3-Clause
// Exchanges with neighbors as contestants: MPI's calls and ours, on data that reveals errors.
#pragma once

#include <mpi.h>
#include <mpiortho.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "stencil_exchange.hpp"
#include "timing_samples.hpp"

namespace bench {

/// The arguments of an exchange of blocks of ints with each neighbor.
struct Data {
    const Exchange& exchange;
    int rank;
    bool personal; ///< one block for each neighbor
    int count;     ///< of each block, if all have one size
    std::vector<int> send;
    std::vector<int> receive;
    // For the v and w forms.
    std::vector<int> send_counts, send_places, receive_counts, receive_places;
    std::vector<MPI_Aint> send_bytes, receive_bytes;
    std::vector<MPI_Datatype> types;

    Data(const Exchange& exchange, int rank, bool personal, int count);
    /// Blocks for each neighbor, with counts by the number of the offset.  For the v and w forms.
    Data(const Exchange& exchange, int rank, const std::vector<int>& counts);
    void prepare(int sample);
    bool is_right(int sample) const;

private:
    Data(const Exchange& exchange, int rank, bool personal, int count, std::vector<int> sent,
         std::vector<int> received);
};

/// A collective in its three forms: `blocking(comm)`, `start(comm, request)`, `init(comm, info, request)`.
/// Request is MPI's or ours; init may be missing.
template <class Request>
struct Calls {
    std::function<void(MPI_Comm)> blocking;
    std::function<void(MPI_Comm, Request*)> start;
    std::function<void(MPI_Comm, MPI_Info, Request*)> init;
};

struct Family {
    Calls<MPI_Request> mpi;
    Calls<ORTHO_Request> ours;
};

/// The calls of "alltoall", "alltoallv", "alltoallw", "allgather" or "allgatherv", with the arguments *data.
Family family(const std::string& collective, Data* data);

/// Persistent requests of contestants, freed with this object.
struct Requests {
    std::vector<std::unique_ptr<MPI_Request>> mpi;
    std::vector<std::unique_ptr<ORTHO_Request>> ours;

    Requests() = default;
    Requests(const Requests&) = delete;
    Requests& operator=(const Requests&) = delete;
    ~Requests()
    {
        for (auto& request : mpi) MPI_Request_free(request.get());
        for (auto& request : ours) ORTHO_Request_free(request.get());
    }
};

/// MPI's blocking, non-blocking or persistent form; the latter needs calls.init.
Contestant mpi_form(const std::string& form, const Calls<MPI_Request>& calls, MPI_Comm comm,
                    Requests& requests);

/// Adds MPI's blocking, non-blocking and, if there is one, persistent form.
void add_mpi(std::vector<Contestant>& contestants, const Calls<MPI_Request>& calls, MPI_Comm comm,
             Requests& requests);

/// Our blocking, non-blocking or persistent form; or "run", the persistent one by ORTHO_Run.
Contestant our_form(const std::string& form, const Calls<ORTHO_Request>& calls, MPI_Comm comm,
                    const std::string& algorithm, Requests& requests);

/// The graph of the exchange, made by MPI.
MPI_Comm mpi_comm(MPI_Comm base, const Exchange& exchange);

/// The graph of the exchange, made by us.
MPI_Comm ortho_comm(MPI_Comm base, const Exchange& exchange, MPI_Info info = MPI_INFO_NULL);
/// Such a graph that is bound to `algorithm`.  `forward`: blocks may travel in all forms.  `uniform`: all
/// have one size.
MPI_Comm ortho_comm(MPI_Comm base, const Exchange& exchange, const std::string& algorithm, bool forward,
                    bool uniform = true);

/// Communicators with the graph of one stencil: MPI's, and ours with the planner's choice and with
/// `direct_name`.
struct Comms {
    MPI_Comm mpi;
    MPI_Comm automatic;
    MPI_Comm direct;

    Comms(MPI_Comm base, const Exchange& exchange, const std::string& direct_name)
        : mpi(mpi_comm(base, exchange)),
          automatic(ortho_comm(base, exchange, "auto", true)),
          direct(ortho_comm(base, exchange, direct_name, true))
    {}
    Comms(const Comms&) = delete;
    Comms& operator=(const Comms&) = delete;
    ~Comms()
    {
        MPI_Comm_free(&mpi);
        MPI_Comm_free(&automatic);
        MPI_Comm_free(&direct);
    }
};

} // namespace bench
