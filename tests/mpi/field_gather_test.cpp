// SPDX-License-Identifier: BSD-3-Clause
// Arrays in blocks over random grids with and without land, of any extents, layouts and orders, with
// dimensions that are not divided: gathered and scattered, against arithmetic; how many elements each part
// has, and who owns which; grids of parts of grids; what is wrong.

#include "ghost_shapes.hpp"
#include "mpi/large_count_type.hpp"

using ortho::grid::Grid;
using test::for_each_index;
using test::periods_of;
using test::sizes_of;

namespace {

/// An element: a byte, or a pair of ints, behind each other, or with a gap between.
class Item {
public:
    Item(bool is_byte, bool gap)
        : is_byte_(is_byte),
          step_(gap ? 2 : 1),
          type_(is_byte ? test::committed(MPI_Type_contiguous, 1, MPI_CHAR)
                        : test::committed(MPI_Type_vector, 2, 1, gap ? 2 : 1, MPI_INT))
    {}

    MPI_Datatype type() const { return type_; }
    MPI_Aint extent() const { return is_byte_ ? 1 : MPI_Aint{sizeof(int)} * (step_ + 1); }
    /// A gap between rows.
    MPI_Aint gap() const { return is_byte_ ? 1 : MPI_Aint{sizeof(int)}; }
    /// Numbers 2 n and 2 n + 1.
    void set(char* element, int n) const
    {
        if (is_byte_) *element = static_cast<char>(n);
        for (int i = 0; i < 2 && !is_byte_; ++i) {
            const int value = 2 * n + i;
            std::memcpy(element + i * static_cast<int>(sizeof value) * step_, &value, sizeof value);
        }
    }

private:
    bool is_byte_;
    int step_;
    test::Type type_;
};

/// A part of the whole: where it begins in each dimension, and how much it is.
struct Part {
    Ints first, owned;
};

/// An array in this process's memory, with a layout and ghosts of its own, of which nobody else knows.
class Array {
public:
    /// `divided`: dimensions of the grid.
    Array(Random& mine, const Ints& owned, int divided, bool of_bytes)
        : element_(of_bytes, uniform(mine, 0, 1) == 0),
          axes_{test::random_order(mine, divided, static_cast<int>(owned.size())), divided,
                uniform(mine, 0, 1) == 0 ? MPI_ORDER_C : MPI_ORDER_FORTRAN},
          lower_(owned.size())
    {
        Ints sizes = owned, upper = lower_;
        for (int k = 0; k < divided; ++k) {
            lower_[at(k)] = uniform(mine, 0, 2);
            upper[at(k)] = uniform(mine, 0, 2);
            sizes[at(k)] += lower_[at(k)] + upper[at(k)];
        }
        layout_ = std::make_unique<test::Layout>(mine, axes_, sizes, lower_, upper, element_.extent(),
                                                 element_.gap());
        bytes_ = untouched();
    }

    ORTHO_Field describe()
    {
        ORTHO_Field field = layout_->field(bytes_.data(), element_.type());
        field.ndirections = 99; // not looked at
        return field;
    }
    /// Owned elements become the part of a whole of these extents.
    void fill(const Part& part, const Ints& extents) { fill(bytes_, part, Ints(extents.size(), 0), extents); }
    /// Only these elements have been written.
    bool is_filled(const Part& part, const Ints& extents) const
    {
        std::vector<char> expected = untouched();
        fill(expected, part, Ints(extents.size(), 0), extents);
        return bytes_ == expected;
    }
    /// This is the whole, and all of these parts have been written.
    bool is_filled(const std::vector<Part>& parts, const Ints& extents) const
    {
        std::vector<char> expected = untouched();
        for (const Part& part : parts) fill(expected, part, part.first, extents);
        return bytes_ == expected;
    }
    bool is_untouched() const { return bytes_ == untouched(); }

private:
    std::vector<char> untouched() const { return std::vector<char>(layout_->bytes() + 8, 0x55); }
    /// `first`: where the part begins in this array.
    void fill(std::vector<char>& bytes, const Part& part, const Ints& first, const Ints& extents) const
    {
        for_each_index(part.owned, [&](const Ints& y) {
            Ints index = y;
            int number = 0; // among the elements of the whole
            for (std::size_t k = 0; k < y.size(); ++k) {
                index[k] += lower_[k] + first[k];
                number = number * extents[k] + part.first[k] + y[k];
            }
            element_.set(bytes.data() + layout_->place(index), number);
        });
    }

    Item element_;
    test::Axes axes_;
    Ints lower_;
    std::unique_ptr<test::Layout> layout_;
    std::vector<char> bytes_;
};

/// A communicator with a grid, MPI_COMM_NULL on processes that are not in it.
MPI_Comm comm_on(const Grid& grid, int way)
{
    MPI_Comm comm = MPI_COMM_NULL;
    const Ints sizes = sizes_of(grid), periods = periods_of(grid);
    if (way == 1) return test::cart(sizes, periods);
    if (way == 0) {
        comm = test::duplicate();
        test::name(comm, grid);
        return comm;
    }
    test::Comm graph = test::neighborhood(sizes, periods, Ints(sizes.size(), 1));
    if (way == 2) return std::exchange(graph.handle(), MPI_COMM_NULL);
    if (graph != MPI_COMM_NULL) CHECK_OK(ORTHO_Comm_dup(graph, &comm)); // without a name
    return comm;
}

/// There is a process for each layer of points: the others do not know how much it has.
bool are_all_known(const Grid& grid, int processes)
{
    for (int k = 0; k < grid.dimensions(); ++k) {
        std::set<int> known;
        for (int q = 0; q < processes; ++q) known.insert(grid.coordinate(q, k));
        if (static_cast<int>(known.size()) < grid.size(k)) return false;
    }
    return true;
}

void there_and_back(Random& random)
{
    Random mine(random() + static_cast<unsigned>(test::rank()));
    const int way = uniform(random, 0, 3);
    const int processes = uniform(random, 0, 1) == 0 ? test::size() : uniform(random, 1, test::size());
    Grid grid = test::random_grid_of(random, processes);
    const Grid with_land = test::random_grid_with_land(random, processes);
    if (way != 0)
        grid = test::row_major(grid);
    else if (uniform(random, 0, 1) == 0 && are_all_known(with_land, processes))
        grid = with_land;
    const int d = grid.dimensions();
    test::GhostShape shape; // without ghosts
    for (int k = 0; k < d; ++k) {
        Ints& list = shape.owned.emplace_back();
        for (int c = 0; c < grid.size(k); ++c) list.push_back(uniform(random, 0, d > 2 ? 3 : 6));
    }
    shape.lower = shape.upper = Ints(at(d), 0);
    for (int n = std::max(0, uniform(random, -2, 2)); n > 0; --n) shape.add_undivided(uniform(random, 0, 3));
    const Ints zero(at(shape.dimensions()), 0);
    Ints extents;
    for (int k = 0; k < shape.dimensions(); ++k) extents.push_back(shape.all(k));
    std::vector<Part> parts;
    for (int q = 0; q < processes; ++q) {
        Part& part = parts.emplace_back(Part{{}, shape.sizes(grid, q)});
        for (int k = 0; k < shape.dimensions(); ++k) part.first.push_back(shape.first(grid, q, k));
    }
    test::Comm comm = comm_on(grid, way);
    const int root_seed = uniform(random, 0, 999);
    const bool of_bytes = uniform(random, 0, 2) == 0;
    if (comm == MPI_COMM_NULL) return;
    const int root = root_seed % test::size(comm); // may be off the grid
    const int r = test::rank(comm);
    const bool is_on_grid = r < processes;
    const Part part = is_on_grid ? parts[at(r)] : Part{zero, zero};

    Array mine_before(mine, part.owned, d, of_bytes);
    Array whole(mine, r == root ? extents : zero, d, of_bytes);
    Array mine_after(mine, part.owned, d, of_bytes);
    mine_before.fill(part, extents);
    const ORTHO_Field from = mine_before.describe();
    const ORTHO_Field all = whole.describe();
    const ORTHO_Field to = mine_after.describe();
    const bool says_something = is_on_grid || uniform(mine, 0, 1) == 0;
    const auto its = [&](const ORTHO_Field& field) { return says_something ? &field : nullptr; };
    CHECK_OK(ORTHO_Field_gather(its(from), r == root ? &all : nullptr, d, root, comm));
    CHECK(r == root ? whole.is_filled(parts, extents) : whole.is_untouched());
    CHECK(mine_before.is_filled(part, extents));
    CHECK_OK(ORTHO_Field_scatter(r == root ? &all : nullptr, its(to), d, root, comm));
    CHECK(mine_after.is_filled(part, extents));
    CHECK(r == root ? whole.is_filled(parts, extents) : whole.is_untouched());
}

/// The tests below gather this array: ints on p processes in a row.
struct Row {
    std::vector<int> ints;
    std::vector<MPI_Count> sizes, none = {0, 0};
    ORTHO_Field field;

    Row(MPI_Count rows, MPI_Count columns)
        : ints(static_cast<std::size_t>(rows * columns), test::rank()),
          sizes{rows, columns},
          field(test::field(ints.data(), MPI_INT, sizes.data(), none.data(), none.data()))
    {}
};

/// The root's part lies where it belongs.
void in_place()
{
    const Grid grid({test::size(), 1}, {0, 0});
    test::Comm comm = comm_on(grid, 0);
    Row part(2, 3);
    Row whole(2 * test::size(), 3);
    if (test::rank() == 0) part.field.base = whole.ints.data();
    CHECK_OK(ORTHO_Field_gather(&part.field, &whole.field, 2, 0, comm));
    if (test::rank() == 0)
        for (int i = 0; i < 6 * test::size(); ++i) CHECK_EQ(whole.ints[at(i)], i / 6);
    CHECK_OK(ORTHO_Field_scatter(&whole.field, &part.field, 2, 0, comm));
    for (const int n : part.ints) CHECK_EQ(n, test::rank());
}

/// Ints of a process in a column, 2 x 3 of them, with ghosts around.
struct Ghosted {
    static constexpr MPI_Count lower[] = {1, 2}, upper[] = {2, 0}, sizes[] = {5, 5};
    std::vector<int> ints = std::vector<int>(25, -1);

    ORTHO_Field describe() { return test::field(ints.data(), MPI_INT, sizes, lower, upper); }
    /// Where an element of the whole lies.
    int& operator()(int row, int column) { return ints[at(5 * (row - 2 * test::rank() + 1) + column + 2)]; }
    void fill(int first)
    {
        for_each_index({2, 3}, [&](const Ints& i) {
            const int row = 2 * test::rank() + i[0];
            (*this)(row, i[1]) = first + 3 * row + i[1];
        });
    }
};

/// Fields of a halo, whose ghosts nobody says again.
void of_a_halo(int way)
{
    const int p = test::size(), root = p - 1;
    MPI_Comm comm = comm_on(Grid({p, 1}, {0, 0}), way);
    test::return_errors(comm);
    Ghosted a, b, c;
    const ORTHO_Field fields[] = {a.describe(), b.describe()};
    a.fill(1000);
    b.fill(2000);
    c.fill(3000);
    ORTHO_Request halo = ORTHO_REQUEST_NULL;
    CHECK_OK(ORTHO_Halo_fields_init(2, fields, 2, comm, MPI_INFO_NULL, &halo));
    Row whole(2 * p, 3);
    const ORTHO_Field* const all = test::rank() == root ? &whole.field : nullptr;
    const auto holds = [&](int first) {
        std::vector<int> expected(at(6 * p), test::rank());
        if (all != nullptr) std::iota(expected.begin(), expected.end(), first);
        return whole.ints == expected;
    };
    CHECK_OK(ORTHO_Halo_gather(halo, 0, all, root));
    CHECK(holds(1000));
    CHECK_OK(ORTHO_Halo_gather(halo, 1, all, root));
    CHECK(holds(2000));
    void* const others[] = {c.ints.data(), b.ints.data()};
    CHECK_OK(ORTHO_Halo_rebind(halo, 2, others));
    CHECK_OK(ORTHO_Halo_gather(halo, 0, all, root));
    CHECK(holds(3000));
    CHECK_OK(ORTHO_Halo_scatter(halo, 1, all, root));
    CHECK(b.ints == c.ints); // ghosts are as they were

    // The sizes with ghosts would fit, and are not meant.
    Row with_ghosts(5 * p, 5);
    refused(ORTHO_Halo_gather(halo, 0, &with_ghosts.field, root), ORTHO_ERR_MISMATCH,
            "along dimension 0 of the grid, whole has " + std::to_string(5 * p) +
                " elements, and the processes own " + std::to_string(2 * p));
    refused(ORTHO_Halo_gather(halo, 2, all, root), MPI_ERR_ARG, "fields[2] is none of 2 fields");
    refused(ORTHO_Halo_gather(halo, 0, all, p), MPI_ERR_ROOT, "root = " + std::to_string(p));
    refused(ORTHO_Halo_scatter(halo, 0, nullptr, root), MPI_ERR_ARG, "whole is a null pointer");
    if (p > 1)
        refused(ORTHO_Halo_gather(halo, test::rank() == root ? 1 : 0, all, root), ORTHO_ERR_MISMATCH,
                "field is not the same on all processes: it is 0 on rank 0 and 1 on rank " +
                    std::to_string(root));
    CHECK_OK(ORTHO_Start(&halo));
    refused(ORTHO_Halo_gather(halo, 0, all, root), MPI_ERR_REQUEST, "request is active");
    CHECK_OK(ORTHO_Wait(&halo, MPI_STATUS_IGNORE));
    MPI_Comm_free(&comm);
    CHECK_OK(ORTHO_Halo_gather(halo, 0, all, root));
    CHECK(holds(3000));
    CHECK_OK(ORTHO_Request_free(&halo));
    refused(ORTHO_Halo_gather(halo, 0, all, root), MPI_ERR_REQUEST, "request is ORTHO_REQUEST_NULL");
}

/// A row of blocks in a sea of five columns a process, and land above and below.
void rows_of_land()
{
    const int p = test::size(), r = test::rank(), dims[] = {3, p}, periods[] = {0, 0};
    Ints ranks(at(3 * p), MPI_PROC_NULL);
    for (int i = 0; i < p; ++i) ranks[at(p + i)] = p - 1 - i; // from the last to the first
    int points = 0;
    test::Comm comm = test::duplicate();
    CHECK_OK(ORTHO_Cart_name_map(comm, 2, ORTHO_ROWMAJOR, dims, periods, ranks.data(), &points));
    CHECK_EQ(points, p);
    Row part(2, 5);
    Row sea(7, 5 * p); // 3 + 2 + 2 rows
    std::ranges::fill(sea.ints, -1);
    CHECK_OK(ORTHO_Field_gather(&part.field, &sea.field, 2, 0, comm));
    for (int i = 0; i < 7; ++i)
        for (int j = 0; j < 5 * p; ++j)
            CHECK_EQ(sea.ints[at(i * 5 * p + j)], r == 0 && (i == 3 || i == 4) ? p - 1 - j / 5 : -1);
    // Ranks that make no grid.
    test::return_errors(comm);
    const auto wrong = [&](const int* list) {
        const int code = ORTHO_Cart_name_map(comm, 1, ORTHO_ROWMAJOR, &p, periods, list, &points);
        CHECK_EQ(error_class(code), MPI_ERR_ARG);
    };
    if (p > 1) wrong(Ints(at(p), 0).data());
    wrong(Ints(at(p), -7).data());
    wrong(nullptr);
}

/// A process that is not on the grid has no part.
void off_the_grid()
{
    if (test::size() < 2) return;
    test::Comm comm = comm_on(Grid({1}, {0}), 0);
    int mine[] = {-1, 5, -1}, whole[] = {0};
    const MPI_Count three = 3, one = 1, none = 0;
    const ORTHO_Field field = test::field(mine, MPI_INT, &three, &one, &one);
    const ORTHO_Field all = test::field(whole, MPI_INT, &one, &none, &none);
    test::Request halo;
    CHECK_OK(ORTHO_Halo_fields_init(1, &field, 1, comm, MPI_INFO_NULL, &halo));
    CHECK_OK(ORTHO_Halo_gather(halo, 0, &all, 0));
    CHECK_EQ(whole[0], test::rank() == 0 ? 5 : 0);
}

void errors()
{
    const int p = test::size(), r = test::rank();
    const Grid grid({1, p}, {0, 0});
    test::Comm comm = comm_on(grid, 0);
    test::return_errors(comm);
    Row part(2, 3);
    Row whole(2, 3 * p);
    const auto gather = [&](const Row& mine, int d, int root) {
        return ORTHO_Field_gather(&mine.field, &whole.field, d, root, comm);
    };
    const auto gather_spoiled = [&](auto spoil) {
        Row mine(2, 3);
        spoil(mine.field);
        return gather(mine, 2, 0);
    };
    const auto gather_to = [&](const Row& to) {
        return ORTHO_Field_gather(&part.field, &to.field, 2, 0, comm);
    };
    if (p > 1) {
        // Errors of processes that do not fit together are told to all, and so are those of one process.
        const Row higher(r == p - 1 ? 3 : 2, 3);
        refused(gather(higher, 2, 0), ORTHO_ERR_MISMATCH,
                "the processes with coordinate 0 in dimension 0 of the grid do not own as many layers there: "
                "2 on "
                "rank 0 and 3 on rank " +
                    std::to_string(p - 1));
        refused(gather(part, 2, r == 0 ? 1 : 0), ORTHO_ERR_MISMATCH,
                "root is not the same on all processes: it is 0 on rank 1 and 1 on rank 0");
        const auto on_last = [&](auto spoil) {
            return gather_spoiled([&](ORTHO_Field& field) {
                if (r == p - 1) spoil(field);
            });
        };
        refused(on_last([](ORTHO_Field& field) { field.element = MPI_DOUBLE; }), ORTHO_ERR_MISMATCH,
                "elements of field are not of one size in bytes: 4 on rank 0 and 8 on rank " +
                    std::to_string(p - 1));
        refused(on_last([](ORTHO_Field& field) { field.base = nullptr; }), MPI_ERR_BUFFER,
                "field->base is a null pointer");
        refused(ORTHO_Field_scatter(&whole.field, r == p - 1 ? nullptr : &part.field, 2, 0, comm),
                MPI_ERR_ARG, "field is a null pointer");
        test::Comm different = comm_on(Grid({p, 1}, {0, 0}), 0);
        test::return_errors(different);
        if (r == 0) test::name(different, grid);
        refused(ORTHO_Field_gather(&part.field, &whole.field, 2, 0, different), ORTHO_ERR_MISMATCH,
                " has a grid of " + std::to_string(p) + " x 1, and rank 0 has a grid of 1 x " +
                    std::to_string(p));
    }
    refused(ORTHO_Field_gather(&part.field, r == 0 ? nullptr : &whole.field, 2, 0, comm), MPI_ERR_ARG,
            "whole is a null pointer");
    const Row narrow(2, 3 * p - 1);
    refused(gather_to(narrow), ORTHO_ERR_MISMATCH,
            "whole has " + std::to_string(3 * p - 1) + " elements, and the processes own " +
                std::to_string(3 * p));
    Row wide_whole(2, 3 * p);
    wide_whole.field.element = MPI_DOUBLE;
    refused(gather_to(wide_whole), ORTHO_ERR_MISMATCH,
            "elements of field have 4 bytes, and those of whole, on rank 0, 8");
    // Elements of the same size are compared where calls are verified.
    Row other_whole(2, 3 * p);
    other_whole.field.element = MPI_FLOAT;
    CHECK_OK(gather_to(other_whole));
    setenv("ORTHO_VERIFY", "1", 1);
    for (const bool gathers : {true, false})
        refused(
            gathers ? gather_to(other_whole)
                    : ORTHO_Field_scatter(&other_whole.field, &part.field, 2, 0, comm),
            ORTHO_ERR_MISMATCH,
            "field->element is 1 MPI_INT (4 bytes), and whole->element on rank 0 is 1 MPI_FLOAT (4 bytes)");
    CHECK_OK(gather(part, 2, 0));
    unsetenv("ORTHO_VERIFY");
    refused(gather(part, 2, p), MPI_ERR_ROOT, "is no rank");
    refused(gather(part, 2, -1), MPI_ERR_ROOT, "root = -1");
    refused(gather(part, 1, 0), MPI_ERR_DIMS, "d = 1 on a grid of 2");
    refused(gather_spoiled([](ORTHO_Field& field) { field.order = 77; }), MPI_ERR_ARG, "field->order = 77");
    refused(gather_spoiled([](ORTHO_Field& field) { field.element = MPI_DATATYPE_NULL; }), MPI_ERR_TYPE,
            "field->element is MPI_DATATYPE_NULL");
    refused(ORTHO_Field_gather(&part.field, &whole.field, 2, 0, MPI_COMM_WORLD), ORTHO_ERR_NAME,
            "has no Cartesian name");
    refused(ORTHO_Field_gather(&part.field, &whole.field, 2, 0, MPI_COMM_NULL), MPI_ERR_COMM,
            "comm is MPI_COMM_NULL");
    // After all that it works.
    CHECK_OK(gather(part, 2, 0));
}

void blocks()
{
    for (int n = 0; n <= 40; ++n)
        for (int parts = 1; parts <= 9; ++parts) {
            MPI_Count next = 0;
            for (int part = 0; part < parts; ++part) {
                MPI_Count first = -1, count = -1;
                CHECK_OK(ORTHO_Blocks_count(n, parts, part, &first, &count));
                CHECK_EQ(first, next);
                CHECK_EQ(count, (n + parts - 1 - part) / parts);
                for (MPI_Count i = 0; i < count; ++i) {
                    int owner = -1;
                    MPI_Count place = -1;
                    CHECK_OK(ORTHO_Blocks_owner(n, parts, first + i, &owner, &place));
                    CHECK_EQ(owner, part);
                    CHECK_EQ(place, i);
                }
                next += count;
            }
            CHECK_EQ(next, n);
        }
    // As many as there may be.
    const MPI_Count most = INT64_MAX;
    for (const int part : {0, 7, 1'000'000, INT_MAX - 1}) {
        MPI_Count first = -1, count = -1;
        int owner = -1;
        CHECK_OK(ORTHO_Blocks_count(most, INT_MAX, part, &first, &count));
        CHECK_OK(ORTHO_Blocks_owner(most, INT_MAX, first, &owner, nullptr));
        CHECK_EQ(owner, part);
        CHECK_OK(ORTHO_Blocks_owner(most, INT_MAX, first + count - 1, &owner, nullptr));
        CHECK_EQ(owner, part);
        if (part == INT_MAX - 1) CHECK_EQ(first + (count - 1), most - 1);
    }
    MPI_Count first = 0, count = 0;
    int owner = 0;
    refused(ORTHO_Blocks_count(-1, 2, 0, &first, &count), MPI_ERR_COUNT, "n = -1");
    refused(ORTHO_Blocks_count(3, 0, 0, &first, &count), MPI_ERR_ARG, "parts = 0");
    refused(ORTHO_Blocks_count(3, 2, 2, &first, &count), MPI_ERR_ARG, "part = 2 is none of 2 parts");
    refused(ORTHO_Blocks_count(3, 2, 1, nullptr, &count), MPI_ERR_ARG, "first is a null");
    refused(ORTHO_Blocks_count(3, 2, 1, &first, nullptr), MPI_ERR_ARG, "count is a null");
    refused(ORTHO_Blocks_owner(3, 2, 3, &owner, nullptr), MPI_ERR_ARG,
            "index: element 3 is none of 3 elements");
    refused(ORTHO_Blocks_owner(0, 2, 0, &owner, nullptr), MPI_ERR_ARG,
            "index: element 0 is none of 0 elements");
    refused(ORTHO_Blocks_owner(3, 2, 1, nullptr, nullptr), MPI_ERR_ARG, "part is a null");
}

/// Every second process in each dimension, in its own steps; and what is no grid.
void grids_of_parts(Random& random)
{
    const Grid grid = test::random_grid_of(random, test::size());
    const int d = grid.dimensions(), r = test::rank();
    test::Comm comm = comm_on(grid, 0);
    MPI_Comm part = MPI_COMM_NULL;
    bool is_in = true;
    Ints coarse, coordinates;
    for (int k = 0; k < d; ++k) {
        is_in = is_in && grid.coordinate(r, k) % 2 == 0;
        coarse.push_back((grid.size(k) + 1) / 2);
        coordinates.push_back(grid.coordinate(r, k) / 2);
    }
    CHECK_OK(ORTHO_Comm_split(comm, is_in ? 0 : MPI_UNDEFINED, r, &part));
    if (is_in) {
        int size = 0;
        CHECK_EQ(test::named(part)[0], 0); // nothing is inherited
        CHECK_OK(ORTHO_Cart_name_part(comm, part, &size));
        CHECK_EQ(size, test::size(part));
        int order = 0;
        Ints sizes(at(d)), periods(at(d)), mine(at(d));
        CHECK_OK(ORTHO_Cart_get(part, &order, d, sizes.data(), periods.data()));
        CHECK(sizes == coarse);
        CHECK_EQ(order, grid.is(ortho::grid::Order::row_major)   ? ORTHO_ROWMAJOR
                        : grid.is(ortho::grid::Order::col_major) ? ORTHO_COLMAJOR
                                                                 : int{MPI_UNDEFINED});
        for (int k = 0; k < d; ++k) // it leads around still
            if (grid.size(k) > 2) CHECK_EQ(periods[at(k)], grid.periodic(k) && grid.size(k) % 2 == 0 ? 1 : 0);
        CHECK_OK(ORTHO_Cart_coordinates(part, test::rank(part), mine.data()));
        CHECK(mine == coordinates);
        MPI_Comm_free(&part);
    }
}

void no_grids_of_parts()
{
    const int p = test::size(), r = test::rank();
    if (p < 4) return;
    test::Comm row = comm_on(Grid({p}, {0}), 0);
    test::return_errors(row);
    int size = -1;
    MPI_Comm part = MPI_COMM_NULL; // 0, 1 and 3
    CHECK_OK(ORTHO_Comm_split(row, r < 4 && r != 2 ? 0 : MPI_UNDEFINED, r, &part));
    if (part != MPI_COMM_NULL) {
        test::return_errors(part);
        CHECK_OK(ORTHO_Cart_name_part(row, part, &size));
        CHECK_EQ(size, 0);
        refused(ORTHO_Cart_name_part(part, row, &size), ORTHO_ERR_NAME, "cart has no Cartesian name");
        test::name(part, Grid({3}, {0}));
        refused(ORTHO_Cart_name_part(part, row, &size), MPI_ERR_COMM, "is not in cart");
        refused(ORTHO_Cart_name_part(row, part, nullptr), MPI_ERR_ARG, "size is a null pointer");
        refused(ORTHO_Cart_name_part(row, MPI_COMM_NULL, &size), MPI_ERR_COMM, "part is MPI_COMM_NULL");
        MPI_Comm_free(&part);
    }
}

} // namespace

TEST_MAIN()
{
    Random random(static_cast<unsigned>(test::given("ORTHO_TEST_SEED", 4711)));
    const int repeats = test::given("ORTHO_TEST_REPEATS", test::times(60));
    for (int repeat = 0; repeat < repeats; ++repeat) {
        // Large counts, of what is large for a test.
        ortho::mpi::most_elements = repeat % 4 == 3 ? 2 : INT_MAX;
        there_and_back(random);
        if (repeat % 4 == 0) grids_of_parts(random);
    }
    ortho::mpi::most_elements = INT_MAX;
    in_place();
    test::return_errors(MPI_COMM_NULL);
    blocks();
    errors();
    for (const int way : {0, 1}) of_a_halo(way);
    rows_of_land();
    off_the_grid();
    no_grids_of_parts();
}
