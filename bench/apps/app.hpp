// SPDX-License-Identifier: BSD-3-Clause
// Programs that compute and exchange in turns, with several ways to exchange.
#pragma once

#include <mpi.h>

#include <memory>

namespace apps {

/// The way of an exchange.
enum class Form {
    by_hand,  ///< MPI_Isend and MPI_Irecv, data packed by loops
    neighbor, ///< MPI's neighborhood collective, blocking
    ours      ///< mpiortho, prepared once, ORTHO_Run
};
/// The measured forms: the first one again as the control.
inline constexpr Form all_forms[] = {Form::by_hand, Form::neighbor, Form::ours, Form::by_hand};
inline constexpr const char* form_names[] = {"by-hand", "neighbor", "mpiortho", "control"};

/// One program.  A step is exchange() and compute().
class App {
public:
    App() = default;
    App(const App&) = delete;
    App& operator=(const App&) = delete;
    virtual ~App() = default;

    /// Begins anew, with the same data each time.
    virtual void reset() = 0;
    virtual void exchange(Form form) = 0;
    virtual void compute() = 0;
    /// The checksum of everything in memory here, with ghosts.
    virtual double checksum() const = 0;
};

/// Blocks of side x side cells of D2Q9, whose nine directions travel where they stream.
std::unique_ptr<App> make_cavity(MPI_Comm comm, int side);
/// Blocks of side^3 cells, each of which becomes warmer or colder by its six neighbors.
std::unique_ptr<App> make_heat(MPI_Comm comm, int side);
/// The product of a sparse matrix, with 27 entries in a row and side^3 rows in a process, and a vector.
std::unique_ptr<App> make_sparse(MPI_Comm comm, int side);

} // namespace apps
