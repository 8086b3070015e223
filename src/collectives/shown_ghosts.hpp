// SPDX-License-Identifier: BSD-3-Clause
// Ghosts of an array that get the values of elements of the same array, or constants.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "memory/kind.hpp"
#include "mpi/type_signature.hpp"
#include "mpiortho.h"
#include "transport/packing.hpp"

namespace ortho::collectives {

/// The ghosts of one array that are filled after an exchange.
class ShownGhosts {
public:
    /// Changes elements that lie in a row, without gaps, before ghosts get them.
    using Change = std::function<void(std::byte* row, std::size_t bytes)>;

    /// The datatype of elements must live while ghosts are added.
    explicit ShownGhosts(MPI_Datatype element);

    /// Ghosts show what lies elsewhere in the array: both have the layout `type`, and begin so many bytes
    /// behind the array.
    void show(MPI_Aint ghosts, MPI_Aint shown, MPI_Datatype type, int sign);
    /// Elements of such a layout change where they are; in the first form as mpi::change() does it.
    void change(MPI_Aint elements, MPI_Datatype type, int sign, double shift);
    void change(MPI_Aint elements, MPI_Datatype type, Change change);
    /// Ghosts of such a layout get a constant: zero if `value` is null.
    void set(MPI_Aint ghosts, MPI_Datatype type, const void* value, int sign);
    /// No more are added.
    void finish();
    /// The bytes of all these ghosts.
    std::size_t bytes() const { return row_.size() + constants_.size(); }

    // In this order, of several arrays all in one step:
    void begin(void* base);
    void fill();
    void wait();

private:
    struct Changed {
        std::size_t first, bytes; ///< of the row
        Change change;
    };

    void copy(MPI_Aint ghosts, MPI_Aint shown, MPI_Datatype type, Change change);
    Change change_of(int sign, double shift) const;

    MPI_Datatype element_;
    std::optional<mpi::SignedNumbers> numbers_;
    /// Elements, and the ghosts that get them.  Behind these are those that get constants, once all are
    /// there.
    transport::Parts from_, to_, to_constants_;
    std::vector<std::byte> constants_;
    std::vector<std::byte> row_;   ///< of all that ghosts get
    std::size_t copied_ = 0;       ///< bytes of it that are no constants
    std::vector<Changed> changed_; ///< parts of it
    std::intptr_t base_ = 0;       ///< where the parts take the array to begin
    std::vector<std::pair<std::intptr_t, std::unique_ptr<memory::Transfer>>> transfers_; ///< by base
    memory::Transfer* transfer_ = nullptr; ///< null if the array lies in memory of the host
};

/// The ghosts of several arrays, by the number of the array.
using AllShownGhosts = std::vector<std::pair<std::size_t, ShownGhosts>>;
template <class All, class Bases>
void fill_all(All& all, const Bases& bases)
{
    for (auto& [number, ghosts] : all) ghosts.begin(bases[number]);
    for (auto& [number, ghosts] : all) ghosts.fill();
    for (auto& [number, ghosts] : all) ghosts.wait();
}
/// A line for reports.
std::string text_of(const AllShownGhosts& all);

/// The words for a side of dimension k in errors, behind those for its field.
std::string name_of_side(const std::string& whose, std::size_t k, bool above);
/// Throws base::Error (arg) unless this is a kind, and this a sign.
void require_side(const ORTHO_Boundary& side, const std::string& name);
/// The side, with the sign that counts.  Throws base::Error (type), about `argument`, if elements have none.
ORTHO_Boundary signed_side(ORTHO_Boundary side, MPI_Datatype element, const std::string& name,
                           const char* argument, const std::string& element_name);
/// The name of an ORTHO_Boundary's kind.
const char* name_of_kind(int kind);
/// So many layers before the last one of a side lies what its ghost number i shows, from 0 on.
std::int64_t steps_to(int kind, std::int64_t i);

} // namespace ortho::collectives
