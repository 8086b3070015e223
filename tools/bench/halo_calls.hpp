// SPDX-License-Identifier: BSD-3-Clause
// Ghost exchanges as contestants: ours, MPI's, and those by hand.
#pragma once

#include <mpi.h>
#include <mpiortho.h>

#include <string>
#include <vector>

#include "bench/ghost_fields.hpp"
#include "bench/ghost_region_types.hpp"
#include "timing_samples.hpp"

namespace bench {

/// MPI_Neighbor_alltoallw for each field: blocking, one after the other; nonblocking, all at once;
/// persistent, with requests in `persistent`.
Contestant alltoallw_form(const std::string& form, const Neighbors& n, Ghosts& ghosts, MPI_Comm comm,
                          std::vector<MPI_Request>& persistent);

/// The forms of MPI_Neighbor_alltoallw in this MPI.
const std::vector<std::string>& alltoallw_forms();

/// Starts a message for each neighbor and field; tags tell them apart.
void start_messages(const Exchange& exchange, const Neighbors& n, Ghosts& ghosts, MPI_Comm comm,
                    std::vector<MPI_Request>& requests);
/// start_messages(), and waits.
void by_messages(const Exchange& exchange, const Neighbors& n, Ghosts& ghosts, MPI_Comm comm);

/// The way of expert programs by hand: one dimension after the other, in each two messages for each field.
/// Faces include the ghosts that have arrived.
class Faces {
public:
    struct Step {
        int to;
        MPI_Datatype out;
        int from;
        MPI_Datatype in;
    };

    Faces(const Exchange& exchange, Ghosts& ghosts, MPI_Comm comm);
    void exchange();
    const std::vector<Step>& steps() const { return steps_; }

private:
    static int partner(const Exchange& exchange, const std::vector<int>& ranks,
                       const std::vector<int>& offsets, const Point& wanted);
    Ghosts& ghosts_;
    RegionTypes types_;
    MPI_Comm comm_;
    std::vector<Step> steps_;
};

/// Faces with all fields in one message: two messages for each dimension, of a structure of all fields.
class JoinedFaces {
public:
    JoinedFaces(const Exchange& exchange, Ghosts& ghosts, MPI_Comm comm);
    JoinedFaces(const JoinedFaces&) = delete;
    JoinedFaces& operator=(const JoinedFaces&) = delete;
    ~JoinedFaces();
    void exchange();

private:
    MPI_Datatype joined(Ghosts& ghosts, MPI_Datatype face);

    Faces faces_; // has the types and partners
    MPI_Comm comm_;
    std::vector<Faces::Step> steps_;
};

/// A persistent halo of ours, of the fields, or of others of their shape.
ORTHO_Request halo(Ghosts& ghosts, MPI_Comm comm, MPI_Info info = MPI_INFO_NULL,
                   std::vector<void*> fields = {});

/// A persistent halo of the ghosts that the fields move into.
ORTHO_Request outward_halo(Ghosts& ghosts, MPI_Comm comm, MPI_Info info = MPI_INFO_NULL);

/// The request, by ORTHO_Start and ORTHO_Wait.
Contestant started(ORTHO_Request& request, const std::string& algorithm);

/// The request, by ORTHO_Run.
Contestant run(ORTHO_Request& request, const std::string& algorithm);

} // namespace bench
