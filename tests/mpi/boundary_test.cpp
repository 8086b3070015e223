// SPDX-License-Identifier: BSD-3-Clause
// Values of ghosts beyond closed sides, on grids with and without land, against whole arrays that are padded
// axis by axis, as numpy.pad does it; what is wrong with them.
#include <complex>

#include "ghost_shapes.hpp"

using ortho::grid::Grid;
using test::for_each_index;

namespace {

constexpr int untouched = 0;

enum Type { integer, real, short_integer, complex_number, longest_real, in_a_row, with_hole, types };
constexpr std::size_t bytes_of[types] = {
    sizeof(int),         sizeof(double),    sizeof(short),  sizeof(std::complex<float>),
    sizeof(long double), 3 * sizeof(float), 3 * sizeof(int)};

void put(char* to, Type type, int value)
{
    const auto copy = [to](const auto& number) { std::memcpy(to, &number, sizeof number); };
    switch (type) {
    case integer: return copy(value);
    case real: return copy(static_cast<double>(value));
    case short_integer: return copy(static_cast<short>(value));
    case complex_number:
        return copy(std::complex<float>(static_cast<float>(value), static_cast<float>(-2 * value)));
    case longest_real: return copy(static_cast<long double>(value));
    case in_a_row: {
        const auto number = static_cast<float>(value);
        return copy(std::array{number, -2 * number, 3 * number});
    }
    default: // the hole stays
        copy(value);
        std::memcpy(to + 2 * sizeof value, &value, sizeof value);
    }
}

MPI_Datatype datatype_of(Type type)
{
    const MPI_Datatype predefined[] = {MPI_INT, MPI_DOUBLE, MPI_SHORT, MPI_C_FLOAT_COMPLEX, MPI_LONG_DOUBLE};
    if (type < in_a_row) return predefined[type];
    return type == in_a_row ? test::committed(MPI_Type_contiguous, 3, MPI_FLOAT)
                            : test::committed(MPI_Type_vector, 2, 1, 2, MPI_INT);
}

/// A field whose sides show something, of which all processes know all but how it lies in their memory.
struct Plan : test::GhostShape {
    test::Axes axes;
    std::vector<bool> is_periodic;                    ///< by dimension
    std::vector<std::array<ORTHO_Boundary, 2>> sides; ///< likewise
    std::vector<ORTHO_Boundary> listed;               ///< by dimension of the array
    Type type = integer;
    std::vector<char> values; ///< of constants, one element a side

    Ints padded_sizes() const
    {
        Ints sizes;
        for (int k = 0; k < dimensions(); ++k) sizes.push_back(lower[at(k)] + all(k) + upper[at(k)]);
        return sizes;
    }
    /// The whole array as numpy.pad makes it, in lexicographic order.
    std::vector<int> padded() const
    {
        const Ints sizes = padded_sizes();
        const auto place = [&](const Ints& index) {
            int result = 0;
            for (std::size_t k = 0; k < sizes.size(); ++k) result = result * sizes[k] + index[k];
            return at(result);
        };
        std::vector<int> whole(at(std::accumulate(sizes.begin(), sizes.end(), 1, std::multiplies<>())),
                               untouched);
        for_each_index(sizes, [&](const Ints& index) {
            whole[place(index)] = 1 + static_cast<int>(place(index) * 7919 % 14983);
        });
        for (const int axis : axes.dimension) {
            const std::size_t k = at(axis);
            const int n = all(axis);
            for_each_index(sizes, [&](const Ints& index) {
                const int i = index[k] - lower[k];
                if (i >= 0 && i < n) return;
                const bool is_above = i >= 0;
                const ORTHO_Boundary& side = sides[k][is_above ? 1 : 0];
                const int beyond = is_above ? i - n : -1 - i; // layers
                const int edge = is_above ? n - 1 : 0, inwards = is_above ? -1 : 1;
                Ints from = index;
                int sign = side.sign < 0 ? -1 : 1;
                if (is_periodic[k]) {
                    from[k] = (i + n) % n;
                    sign = 1;
                } else if (side.kind == ORTHO_BOUNDARY_CONSTANT) {
                    whole[place(index)] = constant(k, is_above);
                    return;
                } else if (side.kind == ORTHO_BOUNDARY_EDGE) {
                    from[k] = edge;
                } else if (side.kind == ORTHO_BOUNDARY_SYMMETRIC) {
                    from[k] = edge + inwards * beyond;
                } else if (side.kind == ORTHO_BOUNDARY_REFLECT) {
                    from[k] = edge + inwards * (beyond + 1);
                } else {
                    return; // whoever asks knows
                }
                from[k] += lower[k];
                whole[place(index)] = sign * whole[place(from)];
            });
        }
        return whole;
    }
    static int constant(std::size_t k, bool is_above)
    {
        return 15000 + 2 * static_cast<int>(k) + (is_above ? 1 : 0);
    }
};

/// The part of one process.
struct Array {
    test::Layout layout;
    std::vector<char> memory = std::vector<char>(layout.bytes() + 16, 0x55);

    /// The bytes without what means nothing in these numbers.
    std::vector<char> bytes(Type type, const Ints& sizes) const
    {
        constexpr std::size_t meaning = 10;
        std::vector<char> result = memory;
        if (type == longest_real && sizeof(long double) > meaning)
            for_each_index(sizes, [&](const Ints& index) {
                std::memset(result.data() + layout.place(index) + meaning, 0, sizeof(long double) - meaning);
            });
        return result;
    }
};

Plan random_plan(Random& random, const Grid& grid)
{
    Plan plan;
    static_cast<test::GhostShape&>(plan) = test::random_ghost_shape(random, grid);
    if (uniform(random, 0, 3) == 0) plan.add_undivided(uniform(random, 1, 2));
    plan.type = static_cast<Type>(uniform(random, 0, types - 1));
    plan.axes = {test::random_order(random, grid.dimensions(), plan.dimensions()), grid.dimensions()};
    plan.sides.resize(at(plan.dimensions()));
    plan.values.resize(2 * plan.sides.size() * 16);
    for (int k = 0; k < plan.dimensions(); ++k) {
        const bool is_divided = k < grid.dimensions();
        plan.is_periodic.push_back(is_divided && grid.periodic(k));
        const Ints& owned = plan.owned[at(k)];
        for (const bool is_above : {false, true}) {
            ORTHO_Boundary& side = plan.sides[at(k)][is_above ? 1 : 0];
            side.kind = uniform(random, 0, 9) == 0 ? ORTHO_BOUNDARY_NONE : uniform(random, 1, 4);
            if (plan.type != with_hole) side.sign = uniform(random, -1, 1);
            const bool is_too_deep = is_above ? owned.back() <= plan.upper[at(k)]
                                              : owned.front() <= plan.lower[at(k)];
            if (side.kind == ORTHO_BOUNDARY_REFLECT && is_too_deep) side.kind = ORTHO_BOUNDARY_SYMMETRIC;
            if (!is_divided) side = {ORTHO_BOUNDARY_EDGE, 0, nullptr}; // of no ghosts
            char* const value = plan.values.data() + (2 * k + (is_above ? 1 : 0)) * 16;
            put(value, plan.type, Plan::constant(at(k), is_above));
            if (side.kind == ORTHO_BOUNDARY_CONSTANT) side.value = value;
        }
    }
    for (const int k : plan.axes.dimension)
        plan.listed.insert(plan.listed.end(), plan.sides[at(k)].begin(), plan.sides[at(k)].end());
    return plan;
}

/// Is the ghost, or the owned element, of this process written, or there from the start?
bool is_filled(const Plan& plan, const Grid& grid, const Ints& region, bool faces_only)
{
    const int r = test::rank();
    if (faces_only && std::ranges::count(region, 0) < std::ssize(region) - 1) return false;
    Ints shown = region;
    bool has_constant = false;
    for (int k = 0; k < grid.dimensions(); ++k) {
        const int side = region[at(k)], c = grid.coordinate(r, k) + side;
        if (side == 0 || grid.periodic(k) || (c >= 0 && c < grid.size(k))) continue;
        const int kind = plan.sides[at(k)][side > 0 ? 1 : 0].kind;
        if (kind == ORTHO_BOUNDARY_NONE) return false;
        has_constant = has_constant || kind == ORTHO_BOUNDARY_CONSTANT;
        shown[at(k)] = 0;
    }
    return has_constant || grid.neighbor(r, shown) != Grid::nowhere;
}

void random_case(Random& random)
{
    const int processes = uniform(random, 1, test::size());
    const Grid grid = uniform(random, 0, 2) > 0 ? test::random_grid_of(random, processes)
                                                : test::random_grid_with_land(random, processes);
    const bool faces_only = uniform(random, 0, 4) == 0;
    test::Comm comm = test::duplicate();
    test::name(comm, grid);
    const test::Info info{{"ortho_regions", faces_only ? "faces" : nullptr}};
    const int r = test::rank();
    const bool is_here = r < grid.points();
    const int nfields = uniform(random, 1, 3);
    std::vector<Plan> plans;
    for (int f = 0; f < nfields; ++f) plans.push_back(random_plan(random, grid));
    Random mine(random() + static_cast<unsigned>(r));

    std::vector<MPI_Datatype> elements;
    std::vector<Ints> sizes;
    std::vector<Array> arrays, wanted;
    std::vector<ORTHO_Field> fields;
    arrays.reserve(plans.size());
    for (std::size_t f = 0; f < plans.size(); ++f) {
        const Plan& plan = plans[f];
        elements.push_back(datatype_of(plan.type));
        sizes.push_back(is_here ? plan.sizes(grid, r) : Ints(plan.sides.size(), 0));
        const auto element = static_cast<MPI_Aint>(bytes_of[plan.type]);
        Array& array = arrays.emplace_back(
            Array{{mine, plan.axes, sizes[f], plan.lower, plan.upper, element, element}});
        Array image = array;
        const std::vector<int> whole = plan.padded();
        const Ints all = plan.padded_sizes();
        Ints first; // of this process's elements, among these
        for (int k = 0; k < plan.dimensions(); ++k) first.push_back(is_here ? plan.first(grid, r, k) : 0);
        for_each_index(sizes[f], [&](const Ints& index) {
            int place = 0;
            for (std::size_t k = 0; k < index.size(); ++k) place = place * all[k] + first[k] + index[k];
            const Ints region = plan.region_of(grid, r, index);
            const bool is_owned = std::ranges::count(region, 0) == std::ssize(region);
            if (!is_owned && !is_filled(plan, grid, region, faces_only)) return;
            const MPI_Aint here = array.layout.place(index);
            put(image.memory.data() + here, plan.type, whole[at(place)]);
            if (is_owned) put(array.memory.data() + here, plan.type, whole[at(place)]);
        });
        wanted.push_back(std::move(image));
        fields.push_back(array.layout.field(array.memory.data(), elements[f], f % 2 == 0));
        fields.back().boundary = plan.listed.data();
    }

    test::Request request;
    CHECK_OK(ORTHO_Halo_fields_init(nfields, fields.data(), grid.dimensions(), comm, info, &request));
    // The user may free what they point to.
    for (Plan& plan : plans) std::ranges::fill(plan.values, 0);
    for (std::size_t f = 0; f < plans.size(); ++f)
        if (plans[f].type >= in_a_row) MPI_Type_free(&elements[f]);
    const std::vector<Array> before = arrays;
    std::vector<Array> others = arrays;
    for (const int step : {0, 1, 2}) { // these, the others, and these again
        std::vector<Array>& now = step == 1 ? others : arrays;
        std::vector<void*> bases;
        for (std::size_t f = 0; f < now.size(); ++f) {
            std::ranges::copy(before[f].memory, now[f].memory.begin());
            bases.push_back(now[f].memory.data() + now[f].layout.begin());
        }
        if (step > 0) CHECK_OK(ORTHO_Halo_rebind(request, nfields, bases.data()));
        const auto compare = [&] {
            for (std::size_t f = 0; f < now.size(); ++f)
                CHECK(now[f].bytes(plans[f].type, sizes[f]) == wanted[f].bytes(plans[f].type, sizes[f]));
        };
        if (pretend::is_on() && uniform(random, 0, 1) == 0) {
            if (uniform(random, 0, 1) == 0) {
                CHECK_OK(ORTHO_Run_enqueue(&request, nullptr));
            } else {
                CHECK_OK(ORTHO_Start_enqueue(&request, nullptr));
                CHECK_OK(ORTHO_Wait_enqueue(&request, nullptr));
            }
            // The host waits for ghosts beyond closed sides, for others the next start does.
            if (test::explanation(request).find("closed sides:") != std::string::npos) compare();
        }
        CHECK_OK(test::execute(&request, uniform(random, 0, 1) == 0));
        compare();
    }
}

/// A row of processes, each with 3 elements and 2 ghosts on either side.
struct Row {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Count sizes[1] = {7}, widths[1] = {2};
    double cells[7] = {};
    ORTHO_Boundary sides[2] = {};
    ORTHO_Field field = test::field(cells, MPI_DOUBLE, sizes, widths, widths);
    ORTHO_Request request = ORTHO_REQUEST_NULL;

    explicit Row(int period = 0)
    {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
        test::name(comm, {test::size()}, {period});
        field.boundary = sides;
        for (int i = 0; i < 3; ++i) cells[2 + i] = 3 * test::rank() + i + 1;
    }
    Row(const Row&) = delete;
    Row& operator=(const Row&) = delete;
    ~Row() { MPI_Comm_free(&comm); }
    int init() { return ORTHO_Halo_fields_init(1, &field, 1, comm, MPI_INFO_NULL, &request); }
};

void errors()
{
    Row row;
    const auto expect = [&](int wanted, const char* words) {
        EXPECT(row.init(), wanted, "ORTHO_Halo_fields_init", words);
    };
    row.sides[1] = {ORTHO_BOUNDARY_REFLECT, 0, nullptr};
    row.widths[0] = 3;
    row.sizes[0] = 9;
    double more[9] = {};
    row.field.base = more;
    expect(MPI_ERR_ARG,
           "fields[0].boundary of dimension 0, upper side, is reflect, which needs 4 owned layers");
    row.sides[1].kind = ORTHO_BOUNDARY_SYMMETRIC;
    row.widths[0] = 2;
    row.sizes[0] = 5; // one is left
    if (test::size() == 1)
        expect(MPI_ERR_ARG,
               "fields[0].boundary of dimension 0, upper side, is symmetric, which needs 2 owned layers");
    row.sizes[0] = 7;
    row.sides[0] = {5, 0, nullptr};
    expect(MPI_ERR_ARG, "fields[0].boundary of dimension 0, lower side, has kind 5");
    row.sides[0] = {ORTHO_BOUNDARY_EDGE, 2, nullptr};
    expect(MPI_ERR_ARG, "fields[0].boundary of dimension 0, lower side, has sign 2");
    row.sides[0].sign = -1;
    row.field.element = MPI_UINT64_T;
    expect(MPI_ERR_TYPE, "fields[0].boundary of dimension 0, lower side, has sign -1");
    row.field.element = MPI_DOUBLE;
    EXPECT(ORTHO_Halo_reduce_fields_init(1, &row.field, 1, MPI_SUM, row.comm, MPI_INFO_NULL, &row.request),
           MPI_ERR_ARG, "ORTHO_Halo_reduce_fields_init", "lower side, is edge, and ghosts that are reduced");
    // One process alone says something else.
    if (test::size() == 1) return;
    if (test::rank() == 1) row.sides[0].kind = ORTHO_BOUNDARY_REFLECT;
    expect(ORTHO_ERR_MISMATCH,
           "fields[0].boundary[0] is not the same on all processes: 2 on rank 0, 4 on rank 1");
    row.sides[0].kind = ORTHO_BOUNDARY_EDGE;
    if (test::rank() == 1) row.sides[1].sign = -1;
    expect(ORTHO_ERR_MISMATCH,
           "fields[0].boundary[1] is not the same on all processes: 1 on rank 0, -1 on rank 1");
}

/// Sides of a ring are not looked at; the explanation tells of closed ones; reductions and arrays that are
/// gathered may have sides that say nothing.
void what_is_said()
{
    for (const int period : {0, 1}) {
        Row row(period);
        for (ORTHO_Boundary& side : row.sides) side.kind = ORTHO_BOUNDARY_CONSTANT; // of no value: 0
        for (double& ghost : row.cells)
            if (ghost == 0) ghost = -1;
        CHECK_OK(row.init());
        CHECK_OK(ORTHO_Run(&row.request, MPI_STATUS_IGNORE));
        const int first = 3 * test::rank() + 1, all = 3 * test::size();
        for (int i = 0; i < 7; ++i) {
            const int wanted = first + i - 2;
            const bool is_beyond = wanted < 1 || wanted > all;
            CHECK_EQ(row.cells[i], is_beyond && period == 0 ? 0 : (wanted + all - 1) % all + 1);
        }
        const int sides = (test::rank() == 0 ? 1 : 0) + (test::rank() == test::size() - 1 ? 1 : 0);
        const std::string line = "closed sides: ghosts of 1 array beyond them, " + std::to_string(16 * sides);
        CHECK_EQ(test::explanation(row.request).find(line) != std::string::npos, period == 0 && sides > 0);
        CHECK_OK(ORTHO_Request_free(&row.request));
    }
    Row row;
    CHECK_OK(ORTHO_Halo_reduce_fields_init(1, &row.field, 1, MPI_SUM, row.comm, MPI_INFO_NULL, &row.request));
    CHECK_OK(ORTHO_Request_free(&row.request));
}

} // namespace

TEST_MAIN()
{
    test::return_errors(MPI_COMM_NULL);
    Random random(20261128);
    for (int i = 0; i < test::times(150); ++i) {
        random.seed(static_cast<unsigned>(i) + 1);
        random_case(random);
        int failures = test::failures;
        MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        if (failures == 0) continue;
        if (test::rank() == 0) std::fprintf(stderr, "case %d\n", i);
        break;
    }
    errors();
    what_is_said();
}
