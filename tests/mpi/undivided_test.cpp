// SPDX-License-Identifier: BSD-3-Clause
// Fields with dimensions that are not divided among processes: exchanged, reduced, gathered and scattered, on
// grids with and without land, each layer as if it were a field of its own; what is wrong with them.

#include "ghost_shapes.hpp"

using ortho::grid::Grid;

namespace {

/// A field, and what each of its layers is as a field.
class Array {
public:
    /// `along`: the dimension of the grid of each of the array's, or -1; `sizes`: of the array.
    Array(Random& mine, const Ints& along, const Ints& sizes, const Ints& lower, const Ints& upper, int order)
        : along_(along),
          order_(order),
          sizes_(sizes.begin(), sizes.end()),
          lower_(lower.begin(), lower.end()),
          upper_(upper.begin(), upper.end()),
          strides_(sizes.size())
    {
        Ints nesting(along.size()); // the innermost first
        for (std::size_t k = 0; k < along.size(); ++k)
            nesting[k] = static_cast<int>(order == MPI_ORDER_C ? along.size() - 1 - k : k);
        is_packed_ = uniform(mine, 0, 1) == 0;
        if (!is_packed_) std::ranges::shuffle(nesting, mine);
        MPI_Aint stride = sizeof(int);
        for (const int k : nesting) {
            strides_[at(k)] = stride;
            stride *= std::max(1, sizes[at(k)]);
        }
        ints.resize(at(static_cast<int>(stride) / 4), -1);
    }

    ORTHO_Field whole()
    {
        ORTHO_Field field = test::field(ints.data(), MPI_INT, sizes_.data(), lower_.data(), upper_.data());
        if (!is_packed_) field.strides = strides_.data();
        field.dimension = along_.data();
        field.order = order_;
        field.ndims = static_cast<int>(along_.size());
        return field;
    }
    std::vector<ORTHO_Field> layers()
    {
        std::vector<MPI_Aint> begins{0};
        kept_ = {};
        for (std::size_t k = 0; k < along_.size(); ++k) {
            if (along_[k] >= 0) {
                kept_.along.push_back(along_[k]);
                kept_.sizes.push_back(sizes_[k]);
                kept_.lower.push_back(lower_[k]);
                kept_.upper.push_back(upper_[k]);
                kept_.strides.push_back(strides_[k]);
                continue;
            }
            const std::vector<MPI_Aint> before = std::exchange(begins, {});
            for (MPI_Count i = 0; i < sizes_[k]; ++i)
                for (const MPI_Aint begin : before)
                    begins.push_back(begin + static_cast<MPI_Aint>(i) * strides_[k]);
        }
        std::vector<ORTHO_Field> result;
        for (const MPI_Aint begin : begins) {
            ORTHO_Field field = whole();
            field.base = reinterpret_cast<char*>(ints.data()) + begin;
            field.sizes = kept_.sizes.data();
            field.lower = kept_.lower.data();
            field.upper = kept_.upper.data();
            field.strides = kept_.strides.data();
            field.dimension = kept_.along.data();
            field.ndims = 0;
            result.push_back(field);
        }
        return result;
    }

    std::vector<int> ints;

private:
    Ints along_;
    int order_;
    bool is_packed_ = false;
    std::vector<MPI_Count> sizes_, lower_, upper_;
    std::vector<MPI_Aint> strides_;
    struct {
        Ints along;
        std::vector<MPI_Count> sizes, lower, upper;
        std::vector<MPI_Aint> strides;
    } kept_;
};

/// Makes one halo of whole fields and one of their layers, and compares what they do.
void as_layers(Random& random)
{
    const int processes = uniform(random, 1, test::size());
    const Grid grid = uniform(random, 0, 1) == 0 ? test::random_grid_of(random, processes)
                                                 : test::random_grid_with_land(random, processes);
    const int d = grid.dimensions();
    test::Comm comm = test::duplicate();
    test::name(comm, grid);
    const int r = test::rank();
    const bool is_here = r < grid.points();
    Random mine(random() + static_cast<unsigned>(r));

    test::GhostShape shape = test::random_ghost_shape(random, grid);
    Ints along(at(d));
    for (int k = 0; k < d; ++k) along[at(k)] = k;
    for (int n = uniform(random, 1, 2); n > 0; --n) along.insert(along.begin() + uniform(random, 0, d), -1);
    Ints sizes, whole_sizes, lower, upper, none(along.size(), 0);
    const Ints own = is_here ? shape.sizes(grid, r) : Ints(at(d), 0);
    for (const int k : along) {
        const int undivided = uniform(random, 0, 3);
        sizes.push_back(k < 0 ? undivided : own[at(k)]);
        lower.push_back(k < 0 ? 0 : shape.lower[at(k)]);
        upper.push_back(k < 0 ? 0 : shape.upper[at(k)]);
        int all = 0;
        for (int c = 0; k >= 0 && c < grid.size(k); ++c) all += shape.owned[at(k)][at(c)];
        whole_sizes.push_back(k < 0 ? undivided : all);
    }
    const int order = uniform(random, 0, 1) == 0 ? MPI_ORDER_C : MPI_ORDER_FORTRAN;
    if (!is_here) sizes = lower = upper = none;
    Array one(mine, along, sizes, lower, upper, order);
    for (std::size_t i = 0; i < one.ints.size(); ++i) one.ints[i] = static_cast<int>(i) + 1000 * r;
    Array other = one;

    for (const MPI_Op op : {MPI_OP_NULL, MPI_SUM}) {
        const ORTHO_Field whole = one.whole();
        std::vector<ORTHO_Field> layers = other.layers();
        // The others know how many there are.
        int n = static_cast<int>(layers.size());
        MPI_Bcast(&n, 1, MPI_INT, 0, comm); // process 0 is always on the grid
        layers.resize(at(n) + 1, whole);
        ORTHO_Request requests[2] = {ORTHO_REQUEST_NULL, ORTHO_REQUEST_NULL};
        const auto init = [&](int count, const ORTHO_Field* fields, ORTHO_Request* request) {
            CHECK_OK(op == MPI_OP_NULL
                         ? ORTHO_Halo_fields_init(count, fields, d, comm, MPI_INFO_NULL, request)
                         : ORTHO_Halo_reduce_fields_init(count, fields, d, op, comm, MPI_INFO_NULL, request));
        };
        init(1, &whole, &requests[0]);
        init(n, layers.data(), &requests[1]);
        for (ORTHO_Request& request : requests) {
            if (uniform(random, 0, 1) == 0) {
                CHECK_OK(ORTHO_Run(&request, MPI_STATUS_IGNORE));
            } else {
                CHECK_OK(test::start_and_wait(&request));
            }
        }
        CHECK(one.ints == other.ints);
        Array copy = one;
        const ORTHO_Field moved = copy.whole();
        CHECK_OK(ORTHO_Halo_rebind_fields(requests[0], 1, &moved));
        for (ORTHO_Request& request : requests) CHECK_OK(ORTHO_Request_free(&request));
    }

    // Layer by layer, and at once.  Where nobody is, nobody knows how much there is.
    for (int k = 0; k < d; ++k)
        for (int c = 0; c < grid.size(k); ++c) {
            bool is_known = false;
            for (int q = 0; q < processes; ++q) is_known = is_known || grid.coordinate(q, k) == c;
            if (!is_known) {
                MPI_Comm_free(&comm);
                return;
            }
        }
    const int root = processes - 1;
    Array gathered(mine, along, r == root ? whole_sizes : none, none, none, order);
    Array by_layers = gathered;
    const ORTHO_Field part = one.whole();
    const ORTHO_Field all = gathered.whole();
    CHECK_OK(ORTHO_Field_gather(&part, &all, d, root, comm));
    std::vector<ORTHO_Field> parts = one.layers();
    std::vector<ORTHO_Field> wholes = by_layers.layers();
    int n = static_cast<int>(parts.size());
    MPI_Bcast(&n, 1, MPI_INT, 0, comm);
    parts.resize(at(n) + 1, part);
    wholes.resize(at(n) + 1, all);
    for (int i = 0; i < n; ++i) CHECK_OK(ORTHO_Field_gather(&parts[at(i)], &wholes[at(i)], d, root, comm));
    CHECK(gathered.ints == by_layers.ints);
    const std::vector<int> before = one.ints;
    CHECK_OK(ORTHO_Field_scatter(&all, &part, d, root, comm));
    CHECK(one.ints == before);
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
    const MPI_Count owned[] = {2, 5};
    const MPI_Count all[] = {7, 5 * p}; // 3 + 2 + 2 rows
    const MPI_Count none[] = {0, 0};
    std::vector<int> mine(10, r), whole(at(35 * p), -1);
    ORTHO_Field part = test::field(mine.data(), MPI_INT, owned, none, none);
    ORTHO_Field sea = part;
    sea.base = whole.data();
    sea.sizes = all;
    CHECK_OK(ORTHO_Field_gather(&part, &sea, 2, 0, comm));
    for (int i = 0; i < 7; ++i)
        for (int j = 0; j < 5 * p; ++j)
            CHECK_EQ(whole[at(i * 5 * p + j)], r == 0 && (i == 3 || i == 4) ? p - 1 - j / 5 : -1);
}

void errors()
{
    test::Comm comm = test::duplicate();
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    const int p = test::size(), dims[] = {p, 1}, periods[] = {1, 1};
    int points = 0;
    CHECK_OK(ORTHO_Cart_name(comm, 2, ORTHO_ROWMAJOR, dims, periods, &points));
    std::vector<double> cells(4 * 4 * 4);
    MPI_Count sizes[] = {4, 4, 2}, widths[] = {1, 1, 0};
    int dimension[] = {0, 1, ORTHO_UNDIVIDED};
    ORTHO_Field field = test::field(cells.data(), MPI_DOUBLE, sizes, widths, widths);
    field.dimension = dimension;
    field.ndims = 3;
    ORTHO_Request request = ORTHO_REQUEST_NULL;
    const auto refused = [&](int wanted, const char* words) {
        test::refused(ORTHO_Halo_fields_init(1, &field, 2, comm, MPI_INFO_NULL, &request), wanted, words);
    };
    widths[2] = 1;
    sizes[2] = 3;
    refused(MPI_ERR_ARG, "dimension 2, which is not divided");
    widths[2] = 0;
    field.ndims = 1;
    refused(MPI_ERR_DIMS, "ndims = 1 on a grid of 2 dimensions");
    field.ndims = 3;
    dimension[1] = ORTHO_UNDIVIDED;
    refused(MPI_ERR_ARG, "dimension names 1 of the grid's 2 dimensions");
    dimension[1] = -2;
    refused(MPI_ERR_ARG, "dimension[1] = -2");
    CHECK_OK(ORTHO_Set_face("ortho_halo_init", 1));
    refused(MPI_ERR_ARG, "ortho_halo_init: fields(1).dimension(2) = -2");
    CHECK_OK(ORTHO_Set_face("ortho_", 1));
    refused(MPI_ERR_ARG, "ortho_halo_fields_init: ");
    CHECK_OK(ORTHO_Set_face(nullptr, 0));
    dimension[1] = 1;
    if (p > 1) { // wrong on one process, all hear of it
        sizes[2] = test::rank() == 0 ? 2 : 3;
        refused(ORTHO_ERR_MISMATCH, "sizes leaves");
        sizes[2] = 1;
        field.ndims = test::rank() == 0 ? 2 : 3;
        refused(ORTHO_ERR_MISMATCH, "ndims is not the same");
        field.ndims = 3;
    }
    sizes[2] = 2;
    CHECK_OK(ORTHO_Halo_fields_init(1, &field, 2, comm, MPI_INFO_NULL, &request));
    ORTHO_Field less = field;
    less.ndims = 2;
    CHECK_EQ(error_class(ORTHO_Halo_rebind_fields(request, 1, &less)), MPI_ERR_ARG);
    sizes[2] = 1;
    CHECK_EQ(error_class(ORTHO_Halo_rebind_fields(request, 1, &field)), MPI_ERR_ARG);
    CHECK_OK(ORTHO_Request_free(&request));

    // Where there are no elements, steps do not matter.
    const MPI_Count nothing[] = {4, 4, 0};
    const MPI_Aint steps[] = {8, 0, 0};
    field.sizes = nothing;
    field.strides = steps;
    CHECK_OK(ORTHO_Halo_fields_init(1, &field, 2, comm, MPI_INFO_NULL, &request));
    CHECK_OK(ORTHO_Request_free(&request));

    // Ranks that make no grid.
    std::vector<int> ranks(at(p), 0);
    if (p > 1)
        CHECK_EQ(
            error_class(ORTHO_Cart_name_map(comm, 1, ORTHO_ROWMAJOR, &p, periods, ranks.data(), &points)),
            MPI_ERR_ARG);
    ranks.assign(at(p), -7);
    CHECK_EQ(error_class(ORTHO_Cart_name_map(comm, 1, ORTHO_ROWMAJOR, &p, periods, ranks.data(), &points)),
             MPI_ERR_ARG);
    CHECK_EQ(error_class(ORTHO_Cart_name_map(comm, 1, ORTHO_ROWMAJOR, &p, periods, nullptr, &points)),
             MPI_ERR_ARG);
}

} // namespace

TEST_MAIN()
{
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    Random random(7);
    for (int repeat = 0; repeat < 60; ++repeat) as_layers(random);
    rows_of_land();
    errors();
}
