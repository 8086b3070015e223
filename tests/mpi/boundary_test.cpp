// SPDX-License-Identifier: BSD-3-Clause
// Values of ghosts beyond closed sides, on grids with and without land, against whole arrays that are padded
// axis by axis, as numpy.pad does it; what is wrong with them.
#include <complex>

#include "ghost_shapes.hpp"

using ortho::grid::Grid;
using test::for_each_index;

namespace {

constexpr int untouched = 0;

/// A dimension of an array that is divided, or not.
struct Axis {
    int along = -1; ///< the grid's
    int lower = 0, upper = 0;
    int all = 1; ///< elements without ghosts, of all processes
    bool is_periodic = false;
    ORTHO_Boundary sides[2] = {};

    int padded() const { return lower + all + upper; }
};

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

struct Plan {
    std::vector<Axis> axes;
    Type type = integer;
    int order = MPI_ORDER_C;
    std::vector<char> values; ///< of constants, one element a side

    /// The whole array as numpy.pad makes it, in lexicographic order.
    std::vector<int> padded() const
    {
        Ints sizes;
        for (const Axis& axis : axes) sizes.push_back(axis.padded());
        const auto place = [&](const Ints& index) {
            int result = 0;
            for (std::size_t k = 0; k < axes.size(); ++k) result = result * sizes[k] + index[k];
            return at(result);
        };
        std::vector<int> whole(at(std::accumulate(sizes.begin(), sizes.end(), 1, std::multiplies<>())),
                               untouched);
        for_each_index(sizes, [&](const Ints& index) {
            whole[place(index)] = 1 + static_cast<int>(place(index) * 7919 % 14983);
        });
        for (std::size_t k = 0; k < axes.size(); ++k) {
            const Axis& axis = axes[k];
            for_each_index(sizes, [&](const Ints& index) {
                const int i = index[k] - axis.lower;
                if (i >= 0 && i < axis.all) return;
                const bool is_above = i >= 0;
                const ORTHO_Boundary& side = axis.sides[is_above ? 1 : 0];
                const int beyond = is_above ? i - axis.all : -1 - i; // layers
                const int edge = is_above ? axis.all - 1 : 0, inwards = is_above ? -1 : 1;
                Ints from = index;
                int sign = side.sign < 0 ? -1 : 1;
                if (axis.is_periodic) {
                    from[k] = (i + axis.all) % axis.all;
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
                from[k] += axis.lower;
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
    std::vector<MPI_Count> sizes, lower, upper;
    std::vector<MPI_Aint> strides;
    Ints dimension;
    std::vector<ORTHO_Boundary> sides;
    MPI_Aint base = 0;
    std::vector<char> memory;

    Array(Random& mine, const Plan& plan, const Ints& of)
    {
        Ints nesting(of.size()); // the innermost first
        std::iota(nesting.begin(), nesting.end(), 0);
        std::ranges::shuffle(nesting, mine);
        strides.resize(of.size());
        const auto element = static_cast<MPI_Aint>(bytes_of[plan.type]);
        MPI_Aint stride = element;
        for (const int k : nesting) {
            if (uniform(mine, 0, 2) == 0) stride += element;
            const bool is_backwards = uniform(mine, 0, 4) == 0;
            strides[at(k)] = is_backwards ? -stride : stride;
            const MPI_Aint reach = stride * std::max(0, of[at(k)] - 1);
            if (is_backwards) base += reach;
            stride += reach;
        }
        memory.assign(static_cast<std::size_t>(stride) + 16, 0x55);
        for (std::size_t k = 0; k < of.size(); ++k) {
            const Axis& axis = plan.axes[k];
            sizes.push_back(of[k]);
            lower.push_back(axis.lower);
            upper.push_back(axis.upper);
            dimension.push_back(axis.along);
            sides.insert(sides.end(), axis.sides, axis.sides + 2);
        }
        for (std::size_t i = 0; i < sides.size(); ++i)
            if (sides[i].kind == ORTHO_BOUNDARY_CONSTANT) sides[i].value = plan.values.data() + i * 16;
    }
    MPI_Aint place(const Ints& index) const
    {
        MPI_Aint result = base;
        for (std::size_t k = 0; k < index.size(); ++k) result += index[k] * strides[k];
        return result;
    }
    /// The bytes without what means nothing in these numbers.
    std::vector<char> bytes(Type type) const
    {
        constexpr std::size_t meaning = 10;
        std::vector<char> result = memory;
        if (type == longest_real && sizeof(long double) > meaning)
            for_each_index(Ints(sizes.begin(), sizes.end()), [&](const Ints& index) {
                std::memset(result.data() + place(index) + meaning, 0, sizeof(long double) - meaning);
            });
        return result;
    }
    ORTHO_Field field(MPI_Datatype element)
    {
        ORTHO_Field field = test::field(memory.data() + base, element, sizes.data(), lower.data(),
                                        upper.data(), strides.data());
        field.dimension = dimension.data();
        field.ndims = static_cast<int>(sizes.size());
        field.boundary = sides.data();
        return field;
    }
};

Plan random_plan(Random& random, const Grid& grid, const test::GhostShape& shape)
{
    Plan plan;
    plan.type = static_cast<Type>(uniform(random, 0, types - 1));
    Ints along(at(grid.dimensions()));
    std::iota(along.begin(), along.end(), 0);
    std::ranges::shuffle(along, random);
    if (uniform(random, 0, 3) == 0) along.insert(along.begin() + uniform(random, 0, grid.dimensions()), -1);
    for (const int k : along) {
        Axis& axis = plan.axes.emplace_back();
        axis.along = k;
        if (k < 0) {
            axis.all = uniform(random, 1, 2);
            for (ORTHO_Boundary& side : axis.sides) side.kind = ORTHO_BOUNDARY_EDGE; // of no ghosts
            continue;
        }
        const Ints& owned = shape.owned[at(k)];
        axis.all = std::accumulate(owned.begin(), owned.end(), 0);
        axis.lower = shape.lower[at(k)];
        axis.upper = shape.upper[at(k)];
        axis.is_periodic = grid.periodic(k);
        for (const bool is_above : {false, true}) {
            ORTHO_Boundary& side = axis.sides[is_above ? 1 : 0];
            side.kind = uniform(random, 0, 9) == 0 ? ORTHO_BOUNDARY_NONE : uniform(random, 1, 4);
            if (plan.type != with_hole) side.sign = uniform(random, -1, 1);
            const bool is_too_deep = is_above ? owned.back() <= axis.upper : owned.front() <= axis.lower;
            if (side.kind == ORTHO_BOUNDARY_REFLECT && is_too_deep) side.kind = ORTHO_BOUNDARY_SYMMETRIC;
        }
    }
    plan.values.resize(2 * plan.axes.size() * 16);
    for (std::size_t i = 0; i < 2 * plan.axes.size(); ++i)
        put(plan.values.data() + i * 16, plan.type, Plan::constant(i / 2, i % 2 != 0));
    return plan;
}

/// Is the ghost, or the owned element, of this process written, or there from the start?
bool is_filled(const Plan& plan, const Grid& grid, const Ints& region, bool faces_only)
{
    const int r = test::rank();
    if (faces_only && std::ranges::count(region, 0) < std::ssize(region) - 1) return false;
    Ints shown = region;
    bool has_constant = false;
    for (const Axis& axis : plan.axes) {
        if (axis.along < 0 || region[at(axis.along)] == 0 || axis.is_periodic) continue;
        const int side = region[at(axis.along)], c = grid.coordinate(r, axis.along) + side;
        if (c >= 0 && c < grid.size(axis.along)) continue;
        const int kind = axis.sides[side > 0 ? 1 : 0].kind;
        if (kind == ORTHO_BOUNDARY_NONE) return false;
        has_constant = has_constant || kind == ORTHO_BOUNDARY_CONSTANT;
        shown[at(axis.along)] = 0;
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
    std::vector<test::GhostShape> shapes;
    std::vector<Plan> plans;
    for (int f = 0; f < nfields; ++f) {
        shapes.push_back(test::random_ghost_shape(random, grid));
        plans.push_back(random_plan(random, grid, shapes.back()));
    }
    Random mine(random() + static_cast<unsigned>(r));

    std::vector<MPI_Datatype> elements;
    std::vector<Array> arrays, wanted;
    std::vector<ORTHO_Field> fields;
    arrays.reserve(plans.size());
    for (std::size_t f = 0; f < plans.size(); ++f) {
        const Plan& plan = plans[f];
        elements.push_back(datatype_of(plan.type));
        const Ints own = is_here ? shapes[f].sizes(grid, r) : Ints(at(grid.dimensions()), 0);
        Ints sizes, first; // of the process's elements among the whole
        for (const Axis& axis : plan.axes) {
            sizes.push_back(axis.along < 0 ? axis.all : own[at(axis.along)]);
            const int before = !is_here || axis.along < 0 ? 0 : grid.coordinate(r, axis.along);
            const auto owned = axis.along < 0 ? Ints() : shapes[f].owned[at(axis.along)];
            first.push_back(std::accumulate(owned.begin(), owned.begin() + before, 0));
        }
        arrays.emplace_back(mine, plan, sizes);
        Array image = arrays.back();
        const std::vector<int> whole = plan.padded();
        for_each_index(is_here ? sizes : Ints{0}, [&](const Ints& index) {
            Ints region(at(grid.dimensions()), 0);
            int place = 0;
            for (std::size_t k = 0; k < index.size(); ++k) {
                const Axis& axis = plan.axes[k];
                place = place * axis.padded() + first[k] + index[k];
                if (axis.along < 0) continue;
                const int layer = index[k] - axis.lower;
                region[at(axis.along)] = layer < 0 ? -1 : index[k] < sizes[k] - axis.upper ? 0 : 1;
            }
            const bool is_owned = std::ranges::count(region, 0) == std::ssize(region);
            if (!is_owned && !is_filled(plan, grid, region, faces_only)) return;
            put(image.memory.data() + image.place(index), plan.type, whole[at(place)]);
            if (is_owned) put(arrays[f].memory.data() + arrays[f].place(index), plan.type, whole[at(place)]);
        });
        wanted.push_back(std::move(image));
        fields.push_back(arrays[f].field(elements[f]));
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
            bases.push_back(now[f].memory.data() + now[f].base);
        }
        if (step > 0) CHECK_OK(ORTHO_Halo_rebind(request, nfields, bases.data()));
        const auto compare = [&] {
            for (std::size_t f = 0; f < now.size(); ++f)
                CHECK(now[f].bytes(plans[f].type) == wanted[f].bytes(plans[f].type));
        };
        if (pretend::is_on() && uniform(random, 0, 1) == 0) {
            if (uniform(random, 0, 1) == 0) {
                CHECK_OK(ORTHO_Run_enqueue(&request, nullptr));
            } else {
                CHECK_OK(ORTHO_Start_enqueue(&request, nullptr));
                CHECK_OK(ORTHO_Wait_enqueue(&request, nullptr));
            }
            char text[8192] = "";
            int length = 0;
            CHECK_OK(ORTHO_Explain(request, text, sizeof text, &length));
            // The host waits for ghosts beyond closed sides, for others the next start does.
            if (std::string(text).find("closed sides:") != std::string::npos) compare();
        }
        if (uniform(random, 0, 1) == 0) {
            CHECK_OK(ORTHO_Run(&request, MPI_STATUS_IGNORE));
        } else {
            CHECK_OK(test::start_and_wait(&request));
        }
        compare();
    }
}

/// A row of processes, each with 3 elements and 2 ghosts on either side.
struct Row {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Count sizes[1] = {7}, widths[1] = {2};
    double cells[7] = {};
    ORTHO_Boundary sides[2] = {};
    ORTHO_Field field = ORTHO_FIELD_INIT;
    ORTHO_Request request = ORTHO_REQUEST_NULL;

    explicit Row(int period = 0)
    {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
        const int p = test::size();
        int points = 0;
        CHECK_OK(ORTHO_Cart_name(comm, 1, ORTHO_ROWMAJOR, &p, &period, &points));
        field.base = cells;
        field.element = MPI_DOUBLE;
        field.sizes = sizes;
        field.lower = field.upper = widths;
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
        char text[4096] = "";
        int length = 0;
        CHECK_OK(ORTHO_Explain(row.request, text, sizeof text, &length));
        const int sides = (test::rank() == 0 ? 1 : 0) + (test::rank() == test::size() - 1 ? 1 : 0);
        const std::string line = "closed sides: ghosts of 1 array beyond them, " + std::to_string(16 * sides);
        CHECK_EQ(std::string(text).find(line) != std::string::npos, period == 0 && sides > 0);
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
