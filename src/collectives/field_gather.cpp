// SPDX-License-Identifier: BSD-3-Clause
// Arrays in blocks over the processes of a grid: ORTHO_Blocks_count, ORTHO_Blocks_owner, ORTHO_Field_gather,
// ORTHO_Field_scatter, and those of the fields of a halo.

#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "agree/on_comm.hpp"
#include "base/environment.hpp"
#include "base/index.hpp"
#include "collectives/halo_arguments.hpp"
#include "collectives/halo_blocks.hpp"
#include "mpi/comm.hpp"
#include "mpi/datatype.hpp"
#include "mpi/error_handling.hpp"
#include "mpi/ialltoallw.hpp"
#include "mpi/type_signature.hpp"
#include "mpiortho.h"
#include "runtime/internal_collectives.hpp"
#include "runtime/wait.hpp"
#include "topology/agreement.hpp"
#include "topology/graph.hpp"
#include "topology/graph_consistency.hpp"
#include "topology/neighbor_lists.hpp"

namespace {

using namespace ortho;
using base::ErrorKind;
using base::require;
using collectives::CheckedFields;
using collectives::HaloArguments;
using mpi::guard;
using mpi::require_result;

void check_blocks(MPI_Count n, int parts)
{
    require(n >= 0, ErrorKind::count, "n", "n = ", n, " is negative");
    require(parts >= 1, ErrorKind::arg, "parts", "parts = ", parts, " is not a positive number of parts");
}

/// An array that is known by a pointer of this name.  Which ghosts to fill is of no account.
CheckedFields check_array(const ORTHO_Field* field, const char* name, int d, const grid::Grid& grid)
{
    require_result(field, name);
    ORTHO_Field array = *field;
    array.ndirections = ORTHO_ALL_DIRECTIONS;
    HaloArguments arguments = HaloArguments::of_fields(1, &array, d, MPI_INFO_NULL);
    arguments.names.pointer = name;
    return collectives::check_fields(arguments, grid, grid::Stencil(d));
}

/// One call on one process.
class Transfer {
public:
    /// `number`: of the field, where there are several.
    Transfer(MPI_Comm comm, int root, grid::Grid grid, CheckedFields part, CheckedFields whole,
             int number = 0)
        : comm_(comm),
          number_(number),
          rank_(mpi::rank_of(comm)),
          root_(root),
          grid_(std::move(grid)),
          part_(std::move(part)),
          whole_(std::move(whole))
    {}

    /// All processes learn where all parts lie.  Throws base::Error (mismatch), on all of them, unless the
    /// parts fit together.  Collective.
    void compare();
    /// Collective.
    void run(bool gathers);

private:
    /// Bytes of an element; nothing where this process has no such array.
    static std::optional<long long> bytes_of(const CheckedFields& array)
    {
        if (array.fields.empty()) return std::nullopt;
        return mpi::measure(array.fields[0].element).size;
    }
    /// Name a process on each side.  Collective.
    [[noreturn]] void fail_for_sizes();
    [[noreturn]] void fail_for_extents(const agree::AllEqual& extent, int k, int c);
    /// Under ORTHO_VERIFY.  Collective.
    void compare_elements();
    bool is_on_grid() const { return rank_ < grid_.points(); }
    bool is_root() const { return rank_ == root_; }
    // These take any dimension of the arrays: those that are not divided have one coordinate.
    int size(int k) const { return k < grid_.dimensions() ? grid_.size(k) : 1; }
    int coordinate(int process, int k) const
    {
        return k < grid_.dimensions() ? grid_.coordinate(process, k) : 0;
    }
    /// The dimensions that all arrays have.  Throws as compare() does.  Collective.
    int agree_on_dimensions() const;
    /// The elements of the whole that a process owns.
    grid::Box box_of(int process) const;
    /// The cells that this process owns, in its own array.
    grid::Box own_box() const { return {std::vector<std::int64_t>(begins_.size(), 0), box_of(rank_).size}; }
    /// Where a box of an array begins.
    MPI_Aint address_of(const CheckedFields& array, const grid::Box& box) const;
    /// One element of it is the box of that array, wherever that is.
    mpi::Datatype place(const CheckedFields& array, const grid::Box& box) const;
    /// Is the root's part in the whole already?
    bool is_in_place() const;

    MPI_Comm comm_;
    int number_;
    int rank_;
    int root_;
    grid::Grid grid_;
    CheckedFields part_, whole_;
    std::vector<std::vector<std::int64_t>> begins_; ///< by dimension and coordinate, and the end
    std::vector<int> nesting_;                      ///< in which elements travel
};

int Transfer::agree_on_dimensions() const
{
    agree::Ballot ballot;
    agree::AllEqual n(ballot);
    const agree::AllEqual number(ballot, number_);
    for (const CheckedFields* const array : {&part_, &whole_})
        if (!array->fields.empty()) n.say(array->fields[0].shape.dimensions());
    agree::hold(comm_, ballot);
    if (!number.holds())
        base::fail(ErrorKind::mismatch, "field", "field is not the same on all processes: it is ",
                   agree::words_of(comm_, number, number_));
    require(n.holds(), ErrorKind::mismatch, "field", "some arrays have ", n.least(), " dimensions and some ",
            n.value());
    return n.value<int>();
}

void Transfer::compare()
{
    const int d = agree_on_dimensions();
    agree::Ballot ballot;
    const agree::AllEqual root(ballot, root_);
    agree::AllEqual bytes(ballot);
    agree::AnyTrue is_verified(ballot, base::environment_flag("ORTHO_VERIFY").value_or(false));
    std::vector<agree::Largest> nesting, sizes;        // of the whole
    std::vector<std::vector<agree::AllEqual>> extents; // by dimension and coordinate
    for (int k = 0; k < d; ++k) {
        nesting.emplace_back(ballot);
        sizes.emplace_back(ballot);
        auto& along = extents.emplace_back();
        for (int c = 0; c < size(k); ++c) along.emplace_back(ballot);
    }

    if (is_on_grid()) {
        const collectives::Field& part = part_.fields[0];
        bytes.say(*bytes_of(part_));
        for (int k = 0; k < d; ++k) extents[at(k)][at(coordinate(rank_, k))].say(part.shape.owned(k));
    }
    if (is_root()) {
        const collectives::Field& whole = whole_.fields[0];
        bytes.say(*bytes_of(whole_));
        const std::vector<int> in_memory = nesting_in_memory(whole);
        for (int k = 0; k < d; ++k) {
            nesting[at(k)].say(in_memory[at(k)]);
            sizes[at(k)].say(whole.shape.owned(k));
        }
    }
    agree::hold(comm_, ballot);

    if (!root.holds())
        base::fail(ErrorKind::mismatch, "root", "root is not the same on all processes: it is ",
                   agree::words_of(comm_, root, root_));
    if (!bytes.holds()) fail_for_sizes();
    if (is_verified.holds()) compare_elements();
    for (int k = 0; k < d; ++k) {
        std::vector<std::int64_t>& begins = begins_.emplace_back(1, 0);
        for (int c = 0; c < size(k); ++c) {
            const agree::AllEqual& extent = extents[at(k)][at(c)];
            if (!extent.holds()) fail_for_extents(extent, k, c);
            // Where no process is, on land, the usual division counts.
            MPI_Count first = 0, usual = 0;
            ORTHO_Blocks_count(sizes[at(k)].value(), size(k), c, &first, &usual);
            begins.push_back(begins.back() + (extent.is_said() ? extent.value() : usual));
        }
        require(begins.back() == sizes[at(k)].value(), ErrorKind::mismatch, "whole", "along dimension ", k,
                " of the grid, whole has ", sizes[at(k)].value(), " elements, and the processes own ",
                begins.back());
        nesting_.push_back(nesting[at(k)].value<int>());
    }
}

void Transfer::fail_for_sizes()
{
    const std::optional<long long> part = bytes_of(part_);
    agree::Ballot ballot;
    agree::AllEqual of_parts(ballot);
    agree::Largest of_whole(ballot);
    if (part) of_parts.say(*part);
    if (is_root()) of_whole.say(*bytes_of(whole_));
    agree::hold(comm_, ballot);
    if (!of_parts.holds())
        base::fail(ErrorKind::mismatch, "field", "elements of field are not of one size in bytes: ",
                   agree::words_of(comm_, of_parts, part));
    base::fail(ErrorKind::mismatch, "whole", "elements of field have ", of_parts.value(),
               " bytes, and those of whole, on rank ", root_, ", ", of_whole.value());
}

void Transfer::fail_for_extents(const agree::AllEqual& extent, int k, int c)
{
    std::optional<long long> mine;
    if (is_on_grid() && coordinate(rank_, k) == c) mine = part_.fields[0].shape.owned(k);
    base::fail(ErrorKind::mismatch, "field", "the processes with coordinate ", c, " in dimension ", k,
               " of the grid do not own as many layers there: ", agree::words_of(comm_, extent, mine));
}

void Transfer::compare_elements()
{
    mpi::TypeSignature whole;
    if (is_root()) whole = mpi::signature_of(1, whole_.fields[0].element);
    runtime::broadcast(comm_, &whole, sizeof whole, root_);
    topology::check_together(comm_, [&] {
        if (!is_on_grid()) return;
        const mpi::TypeSignature part = mpi::signature_of(1, part_.fields[0].element);
        require(mpi::fit(part, whole), ErrorKind::mismatch, "field", "field->element is ", mpi::text_of(part),
                ", and whole->element on rank ", root_, " is ", mpi::text_of(whole));
    });
}

grid::Box Transfer::box_of(int process) const
{
    grid::Box box;
    for (int k = 0; k < static_cast<int>(begins_.size()); ++k) {
        const auto begin = begins_[at(k)].begin() + coordinate(process, k);
        box.start.push_back(*begin);
        box.size.push_back(begin[1] - begin[0]);
    }
    return box;
}

MPI_Aint Transfer::address_of(const CheckedFields& array, const grid::Box& box) const
{
    const collectives::Field& field = array.fields[0];
    auto result = static_cast<MPI_Aint>(reinterpret_cast<std::uintptr_t>(array.bases[0]));
    for (int k = 0; k < field.shape.dimensions(); ++k)
        result += static_cast<MPI_Aint>(field.shape.lower[at(k)] + box.start[at(k)]) * field.strides[at(k)];
    return result;
}

mpi::Datatype Transfer::place(const CheckedFields& array, const grid::Box& box) const
{
    collectives::Field field = array.fields[0];
    field.nesting = nesting_;
    const mpi::Datatype box_type = make_box(field, field.strides, box);
    const int one = 1;
    const MPI_Aint address = address_of(array, box);
    const MPI_Datatype old = box_type.get();
    MPI_Datatype made = MPI_DATATYPE_NULL;
    mpi::check(PMPI_Type_create_struct(1, &one, &address, &old, &made));
    mpi::Datatype result(made);
    mpi::check(PMPI_Type_commit(&made));
    return result;
}

bool Transfer::is_in_place() const
{
    return is_root() && is_on_grid() && part_.fields[0].strides == whole_.fields[0].strides &&
           address_of(part_, own_box()) == address_of(whole_, box_of(rank_));
}

void Transfer::run(bool gathers)
{
    mpi::Ialltoallw exchange(comm_);
    auto& parts = gathers ? exchange.send : exchange.receive;
    auto& wholes = gathers ? exchange.receive : exchange.send;
    std::vector<mpi::Datatype> types;
    const auto add = [&](mpi::Ialltoallw::Side& side, int partner, const CheckedFields& array,
                         const grid::Box& box) {
        if (box.is_empty() || (partner == rank_ && is_in_place())) return;
        side.set(partner, types.emplace_back(place(array, box)).get());
    };
    if (is_on_grid()) add(parts, root_, part_, own_box());
    for (int process = 0; is_root() && process < grid_.points(); ++process)
        add(wholes, process, whole_, box_of(process));
    MPI_Request request = MPI_REQUEST_NULL;
    mpi::check_users(exchange.start(comm_, &request));
    runtime::wait(request, comm_);
}

int transfer(const char* function, bool gathers, const ORTHO_Field* part, const ORTHO_Field* whole, int d,
             int root, MPI_Comm comm)
{
    return guard(function, comm, [&] {
        mpi::require_intra(comm, "comm");
        std::optional<grid::Grid> grid;
        CheckedFields parts;
        CheckedFields wholes;
        topology::check_together(comm, [&] {
            grid = topology::grid_of(comm);
            require(grid.has_value(), ErrorKind::name, "comm",
                    "comm has no Cartesian name (see ORTHO_Cart_name)");
            topology::check_rank(root, mpi::size_of(comm), "root", -1, ErrorKind::root);
            require(d == grid->dimensions(), ErrorKind::dims, "d", "d = ", d, " on a grid of ",
                    grid->dimensions(), " dimensions");
            if (mpi::rank_of(comm) < grid->points()) parts = check_array(part, "field", d, *grid);
            if (mpi::rank_of(comm) == root) wholes = check_array(whole, "whole", d, *grid);
        });
        if (!topology::same_name_everywhere(comm, &*grid)) topology::require_same_name(comm, &*grid, "comm");
        Transfer transfer(comm, root, std::move(*grid), std::move(parts), std::move(wholes));
        transfer.compare();
        transfer.run(gathers);
    });
}

} // namespace

std::function<void(const call::Bases&, const request::FieldMove&)> collectives::field_mover(
    MPI_Comm comm, const grid::Grid& grid, const CheckedFields& checked)
{
    return [comm, grid, fields = checked.fields](const call::Bases& bases, const request::FieldMove& move) {
        CheckedFields part, whole;
        topology::check_together(comm, [&] {
            require(!move.is_active, ErrorKind::request, "request", "request is active");
            require(move.field >= 0 && move.field < std::ssize(fields), ErrorKind::arg, "field", "fields[",
                    move.field, "] is none of ", fields.size(), " fields");
            topology::check_rank(move.root, mpi::size_of(comm), "root", -1, ErrorKind::root);
            part.fields.push_back(fields[at(move.field)]);
            part.bases.push_back(bases[at(move.field)]);
            if (mpi::rank_of(comm) == move.root)
                whole = check_array(move.whole, "whole", grid.dimensions(), grid);
        });
        Transfer transfer(comm, move.root, grid, std::move(part), std::move(whole), move.field);
        transfer.compare();
        transfer.run(move.gathers);
    };
}

extern "C" {

int ORTHO_Blocks_count(MPI_Count n, int parts, int part, MPI_Count* first, MPI_Count* count)
{
    return guard("ORTHO_Blocks_count", [&] {
        check_blocks(n, parts);
        require(part >= 0 && part < parts, ErrorKind::arg, "part", "part = ", part, " is none of ", parts,
                " parts");
        require_result(first, "first");
        require_result(count, "count");
        const MPI_Count larger = n % parts; // the first so many have one more
        *first = n / parts * part + std::min<MPI_Count>(part, larger);
        *count = n / parts + (part < larger ? 1 : 0);
    });
}

int ORTHO_Blocks_owner(MPI_Count n, int parts, MPI_Count index, int* part, MPI_Count* place)
{
    return guard("ORTHO_Blocks_owner", [&] {
        check_blocks(n, parts);
        require(index >= 0 && index < n, ErrorKind::arg, "index", "index: element ", index, " is none of ", n,
                " elements");
        require_result(part, "part");
        const MPI_Count small = n / parts;
        const MPI_Count in_larger = n % parts * (small + 1);
        const MPI_Count size = index < in_larger ? small + 1 : small;
        const MPI_Count offset = index < in_larger ? 0 : in_larger;
        *part = static_cast<int>((index - offset) / size + (index < in_larger ? 0 : n % parts));
        if (place != nullptr) *place = (index - offset) % size;
    });
}

int ORTHO_Field_gather(const ORTHO_Field* field, const ORTHO_Field* whole, int d, int root, MPI_Comm comm)
{
    return transfer("ORTHO_Field_gather", true, field, whole, d, root, comm);
}

int ORTHO_Field_scatter(const ORTHO_Field* whole, const ORTHO_Field* field, int d, int root, MPI_Comm comm)
{
    return transfer("ORTHO_Field_scatter", false, field, whole, d, root, comm);
}

} // extern "C"
