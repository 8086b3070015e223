// SPDX-License-Identifier: BSD-3-Clause
// Halo exchanges and their adjoints on random grids, stencils, shapes and fields, against global
// coordinates; what is wrong with them.

#include "ghost_shapes.hpp"

using ortho::grid::Grid;
using ortho::grid::Order;
using test::for_each_index;

namespace {

/// An element of which two members travel, and `untouched` does not.
struct Cell {
    int a, untouched;
    double b;
};

MPI_Datatype cell_type()
{
    const int lengths[] = {1, 1};
    const MPI_Aint places[] = {offsetof(Cell, a), offsetof(Cell, b)};
    const MPI_Datatype types[] = {MPI_INT, MPI_DOUBLE};
    MPI_Datatype members = MPI_DATATYPE_NULL, type = MPI_DATATYPE_NULL;
    MPI_Type_create_struct(2, lengths, places, types, &members);
    MPI_Type_create_resized(members, 0, sizeof(Cell), &type);
    MPI_Type_free(&members);
    MPI_Type_commit(&type);
    return type;
}

enum class Kind { real, integer, cell };

std::size_t bytes_of(Kind kind)
{
    return kind == Kind::real ? sizeof(double) : kind == Kind::integer ? sizeof(int) : sizeof(Cell);
}

/// One field of one process.
struct Field {
    Kind kind;
    std::vector<char> bytes;

    Field(Kind k, std::int64_t cells) : kind(k), bytes(bytes_of(k) * static_cast<std::size_t>(cells)) {}

    void set(std::int64_t i, int value)
    {
        const double real = value;
        const Cell cell{value, -7, real / 2};
        put(i, kind == Kind::real      ? static_cast<const void*>(&real)
               : kind == Kind::integer ? static_cast<const void*>(&value)
                                       : &cell);
    }
    /// The value, or one that is none if the cell is not as set() leaves it.
    int get(std::int64_t i) const
    {
        const char* const place = bytes.data() + bytes_of(kind) * static_cast<std::size_t>(i);
        if (kind == Kind::integer) {
            int value = 0;
            std::memcpy(&value, place, sizeof value);
            return value;
        }
        if (kind == Kind::real) {
            double value = 0;
            std::memcpy(&value, place, sizeof value);
            return static_cast<int>(value);
        }
        Cell cell;
        std::memcpy(&cell, place, sizeof cell);
        return cell.untouched == -7 && cell.b == cell.a / 2.0 ? cell.a : -999'999;
    }

private:
    void put(std::int64_t i, const void* value)
    {
        std::memcpy(bytes.data() + bytes_of(kind) * static_cast<std::size_t>(i), value, bytes_of(kind));
    }
};

/// Arrays on a grid, of which all processes know everything.
struct World {
    Grid grid;
    std::set<Ints> offsets; ///< of the stencil, representatives
    test::GhostShape shape;
    MPI_Comm comm = MPI_COMM_NULL;

    int d() const { return grid.dimensions(); }
    Ints sizes(int process) const { return shape.sizes(grid, process); }
    Ints region_of(int process, const Ints& index) const { return shape.region_of(grid, process, index); }
    int global(int process, const Ints& index) const { return shape.global(grid, process, index); }
    std::int64_t cells(int process) const
    {
        std::int64_t result = 1;
        for (const int n : sizes(process)) result *= n;
        return result;
    }
    /// Where an element lies in the array of a process.
    std::int64_t linear(int process, const Ints& index) const
    {
        const Ints n = sizes(process);
        std::int64_t result = 0;
        for (int i = 0; i < d(); ++i) {
            const int k = grid.is(Order::col_major) ? d() - 1 - i : i;
            result = result * n[at(k)] + index[at(k)];
        }
        return result;
    }
    /// The region is filled on this process.
    bool is_filled(int process, const Ints& region) const
    {
        if (region == Ints(at(d()), 0)) return false;
        Ints offset;
        for (int k = 0; k < d(); ++k)
            offset.push_back(static_cast<int>(grid.representative(k, -region[at(k)])));
        return offsets.contains(offset) && grid.neighbor(process, region) != Grid::nowhere;
    }
};

MPI_Comm graph_of(Random& random, const ortho::grid::Neighborhood& neighborhood)
{
    const auto graph = cases::shuffled_graph(random, neighborhood);
    ortho::grid::LocalGraph mine = graph.processes[at(test::rank())];
    for (Ints* list : {&mine.sources, &mine.targets}) {
        std::ranges::replace(*list, ortho::grid::gap, MPI_PROC_NULL);
        list->reserve(1);
    }
    test::Comm named = test::duplicate();
    test::name(named, neighborhood.grid);
    MPI_Comm comm = MPI_COMM_NULL;
    comm = test::adjacent(mine.sources, mine.targets, named);
    return comm;
}

/// `on_nodes`: on several nodes that are not there, with arrays of one shape.
World random_world(Random& random, bool on_nodes = false)
{
    const test::Nodes nodes(on_nodes ? uniform(random, 1, 2) : 0);
    World world;
    world.grid = test::random_grid_of(random, test::size());
    const int d = world.d();
    // Every offset, or a random part of them.
    ortho::grid::Stencil stencil(d);
    const int share = uniform(random, 0, 2) == 0 ? 10 : uniform(random, 0, 9);
    for_each_index(Ints(at(d), 3), [&](const Ints& index) {
        Ints offset;
        for (const int n : index) offset.push_back(n - 1);
        if (uniform(random, 1, 10) <= share) stencil.push_back(offset);
    });
    const auto neighborhood = ortho::grid::canonical(world.grid, stencil).neighborhood;
    for (int i = 0; i < neighborhood.size(); ++i)
        world.offsets.insert({neighborhood.offsets[i].begin(), neighborhood.offsets[i].end()});
    world.comm = graph_of(random, neighborhood);
    world.shape = test::random_ghost_shape(random, world.grid);
    if (on_nodes) world.shape.make_even();
    return world;
}

/// The choice that info asks for.
struct Wish {
    const char* algorithm;
    const char* forward;
};
constexpr Wish wishes[] = {{nullptr, nullptr}, {"direct", nullptr}, {"combining", nullptr},
                           {nullptr, "false"}, {nullptr, "true"},   {"node_pairs", nullptr}};

test::Info info_of(const Wish& wish, const std::string& family)
{
    const std::string name = family + (wish.algorithm != nullptr ? wish.algorithm : "");
    return {{"ortho_algorithm", wish.algorithm != nullptr ? name.c_str() : nullptr},
            {"ortho_forward", wish.forward}};
}

/// Checks that the choice follows the wish.  Without a wish, a halo that is started is direct unless it was
/// promised to come by, and one that is run is whichever is faster.
void check_choice(ORTHO_Request request, const Wish& wish, const std::string& family)
{
    const std::string text = test::explanation(request);
    const std::size_t middle = text.find("and by ORTHO_Run");
    CHECK(text.find(family == "halo_"
                        ? "  call: ORTHO_Halo_init fills the ghosts of "
                        : "  call: ORTHO_Halo_reduce_init sends the ghosts of ") != std::string::npos);
    const std::string started = text.substr(0, middle);
    const std::string run = middle == std::string::npos ? started : text.substr(middle);
    const auto is = [&](const std::string& section, const char* algorithm) {
        return section.find("chosen " + family + algorithm) != std::string::npos;
    };
    for (const std::string& section : {started, run}) {
        CHECK_EQ(is(section, "direct") + is(section, "combining") + is(section, "node_pairs"), 1);
        if (wish.algorithm != nullptr) CHECK(is(section, wish.algorithm));
    }
    // It does not say what ORTHO_Run would do if that does the same.
    if (middle == std::string::npos && text.find("ORTHO_Run does the same") != std::string::npos)
        CHECK(text.find("use a blocking call or ORTHO_Run") == std::string::npos);
    if (wish.algorithm == nullptr && (wish.forward == nullptr || wish.forward == std::string("false")))
        CHECK(is(started, "direct"));
    if (wish.forward != nullptr && wish.forward == std::string("true"))
        for (const char* const algorithm : {"direct", "combining", "node_pairs"})
            CHECK_EQ(is(started, algorithm), is(run, algorithm));
}

std::vector<void*> pointers(std::vector<Field>& fields)
{
    static char nothing; // a process may own no cell
    std::vector<void*> result;
    for (Field& field : fields)
        result.push_back(field.bytes.empty() ? static_cast<void*>(&nothing) : field.bytes.data());
    return result;
}

std::vector<MPI_Datatype> types_of(const std::vector<Field>& fields, MPI_Datatype cell)
{
    std::vector<MPI_Datatype> result;
    for (const Field& field : fields)
        result.push_back(field.kind == Kind::real      ? MPI_DOUBLE
                         : field.kind == Kind::integer ? MPI_INT
                                                       : cell);
    return result;
}

/// One execution, from step 3 on by ORTHO_Run, before by ORTHO_Start, and ended by ORTHO_Wait or otherwise.
void complete(ORTHO_Request& request, int step, int indegree)
{
    int flag = 0;
    for (int i = 0; i < indegree; ++i) {
        CHECK_OK(ORTHO_Parrived(request, i, &flag));
        CHECK_EQ(flag, 1); // not started
    }
    if (step >= 3) {
        CHECK_OK(ORTHO_Run(&request, MPI_STATUS_IGNORE));
        return;
    }
    CHECK_OK(ORTHO_Start(&request));
    if (step == 0 && indegree > 0)
        for (flag = 0; flag == 0;) CHECK_OK(ORTHO_Parrived(request, indegree - 1, &flag));
    if (step == 1)
        for (flag = 0; flag == 0;) CHECK_OK(ORTHO_Test(&request, &flag, MPI_STATUS_IGNORE));
    else
        CHECK_OK(ORTHO_Wait(&request, MPI_STATUS_IGNORE));
}

int indegree_of(MPI_Comm comm)
{
    int in = 0, out = 0, weighted = 0;
    CHECK_OK(ORTHO_Dist_graph_neighbors_count(comm, &in, &out, &weighted));
    return in;
}

void exchange(Random& random, World& world, const Wish& wish)
{
    constexpr int sentinel = -1234;
    const int me = test::rank();
    std::vector<Field> fields;
    for (int n = uniform(random, 0, 3); n > 0; --n)
        fields.emplace_back(static_cast<Kind>(uniform(random, 0, 2)), world.cells(me));
    const auto value = [](std::size_t f, int step, int global) {
        return 10 * global + static_cast<int>(f) + 100'000 * step;
    };

    test::Request request;
    const int indegree = indegree_of(world.comm);
    {
        MPI_Datatype cell = cell_type();
        Ints sizes = world.sizes(me);
        auto arrays = pointers(fields);
        auto types = types_of(fields, cell);
        const test::Info info = info_of(wish, "halo_");
        CHECK_OK(ORTHO_Halo_init(static_cast<int>(fields.size()), arrays.data(), types.data(), world.d(),
                                 sizes.data(), world.shape.lower.data(), world.shape.upper.data(), world.comm,
                                 info, &request));
        MPI_Type_free(&cell);
        std::ranges::fill(sizes, -1);
        std::ranges::fill(arrays, nullptr);
    }
    check_choice(request, wish, "halo_");
    MPI_Comm_free(&world.comm); // the request outlives it
    for (const int step : {3, 0, 1, 4, 2, 5}) {
        for_each_index(world.sizes(me), [&](const Ints& index) {
            const bool mine = world.region_of(me, index) == Ints(at(world.d()), 0);
            for (std::size_t f = 0; f < fields.size(); ++f)
                fields[f].set(world.linear(me, index),
                              mine ? value(f, step, world.global(me, index)) : sentinel);
        });
        complete(request.handle(), step, indegree);
        for_each_index(world.sizes(me), [&](const Ints& index) {
            const Ints region = world.region_of(me, index);
            const bool known = region == Ints(at(world.d()), 0) || world.is_filled(me, region);
            for (std::size_t f = 0; f < fields.size(); ++f)
                CHECK_EQ(fields[f].get(world.linear(me, index)),
                         known ? value(f, step, world.global(me, index)) : sentinel);
        });
    }
}

extern "C" void add_cells(void* in, void* inout, int* n, MPI_Datatype*)
{
    const Cell* from = static_cast<const Cell*>(in);
    Cell* to = static_cast<Cell*>(inout);
    for (int i = 0; i < *n; ++i) {
        to[i].a += from[i].a;
        to[i].b += from[i].b;
    }
}

/// The first value of an element.
int start_value(int process, std::int64_t linear, std::size_t f, int step)
{
    return static_cast<int>((static_cast<std::uint64_t>(linear) * 7919 +
                             static_cast<std::uint64_t>(process) * 104'729 + f * 31 +
                             static_cast<std::uint64_t>(step) * 17) %
                            1000);
}

void adjoint(Random& random, World& world, const Wish& wish)
{
    const int me = test::rank();
    const int which = uniform(random, 0, 2); // sum, maximum, or an operator of ours
    std::vector<Field> fields;
    for (int n = uniform(random, 0, 2); n > 0; --n)
        fields.emplace_back(which == 2 ? Kind::cell : static_cast<Kind>(uniform(random, 0, 1)),
                            world.cells(me));
    test::Op ours;
    MPI_Op_create(add_cells, 1, &ours);
    MPI_Op const op = which == 0 ? MPI_SUM : which == 1 ? MPI_MAX : MPI_Op(ours);

    test::Request request;
    const int indegree = indegree_of(world.comm);
    {
        test::Type cell = cell_type();
        const Ints sizes = world.sizes(me);
        const auto arrays = pointers(fields);
        const auto types = types_of(fields, cell);
        const test::Info info = info_of(wish, "halo_reduce_");
        CHECK_OK(ORTHO_Halo_reduce_init(static_cast<int>(fields.size()), arrays.data(), types.data(),
                                        world.d(), sizes.data(), world.shape.lower.data(),
                                        world.shape.upper.data(), op, world.comm, info, &request));
    }
    check_choice(request, wish, "halo_reduce_");
    MPI_Comm_free(&world.comm);

    for (const int step : {3, 0, 1, 4, 2, 5}) {
        for (std::size_t f = 0; f < fields.size(); ++f)
            for (std::int64_t i = 0; i < world.cells(me); ++i) fields[f].set(i, start_value(me, i, f, step));
        complete(request.handle(), step, indegree);
        for_each_index(world.sizes(me), [&](const Ints& index) {
            const std::int64_t here = world.linear(me, index);
            const bool mine = world.region_of(me, index) == Ints(at(world.d()), 0);
            Ints results;
            for (std::size_t f = 0; f < fields.size(); ++f) results.push_back(start_value(me, here, f, step));
            // The ghost elements, in region s of process r-s, that belong to this one.
            for_each_index(Ints(at(mine ? world.d() : 0), 3), [&](const Ints& code) {
                if (code.empty()) return;
                Ints region;
                for (const int n : code) region.push_back(n - 1);
                const int other = world.grid.neighbor_against(me, region);
                if (other == Grid::nowhere || !world.is_filled(other, region)) return;
                Ints there = index;
                for (int k = 0; k < world.d(); ++k) {
                    const int layer = index[at(k)] - world.shape.lower[at(k)];
                    if (region[at(k)] < 0) {
                        there[at(k)] = layer -
                                       (world.shape.owned_by(world.grid, me, k) - world.shape.lower[at(k)]);
                        if (there[at(k)] < 0) return;
                    } else if (region[at(k)] > 0) {
                        if (layer >= world.shape.upper[at(k)]) return;
                        there[at(k)] = world.shape.lower[at(k)] + world.shape.owned_by(world.grid, other, k) +
                                       layer;
                    }
                }
                for (std::size_t f = 0; f < fields.size(); ++f) {
                    const int contribution = start_value(other, world.linear(other, there), f, step);
                    results[f] = which == 1 ? std::max(results[f], contribution) : results[f] + contribution;
                }
            });
            for (std::size_t f = 0; f < fields.size(); ++f) CHECK_EQ(fields[f].get(here), results[f]);
        });
    }
}

/// Whoever has started it may wait elsewhere: others get what they need of it all the same.  Nobody has to
/// say so.  Each process owns a column of so many cells.
void processes_may_stay_away(const char* says, int rows)
{
    const int p = test::size();
    Ints dims{0, 0};
    const Ints periods{1, 1};
    Ints offsets;
    for (int i = 0; i < 9; ++i) offsets.insert(offsets.end(), {i / 3 - 1, i % 3 - 1});
    MPI_Dims_create(p, 2, dims.data());
    test::Comm torus = test::neighborhood(dims, periods, offsets);
    const auto value = [](int rank, int row) { return rank + 1000 * row; };
    Ints cells(at(3 * (rows + 2)), -1);
    for (int row = 0; row < rows; ++row) cells[at(3 * (row + 1) + 1)] = value(test::rank(), row);
    void* const fields[] = {cells.data()};
    const MPI_Datatype elements[] = {MPI_INT};
    const Ints sizes{rows + 2, 3}, ghosts{1, 1};
    // A process that promises to come by, must; one that does not is enough.
    const test::Info info{{"ortho_forward", test::rank() != 0 ? says : nullptr}};
    test::Request request;
    CHECK_OK(ORTHO_Halo_init(1, fields, elements, 2, sizes.data(), ghosts.data(), ghosts.data(), torus, info,
                             &request));
    CHECK_OK(ORTHO_Start(&request));
    const int last = p - 1;
    if (test::rank() == 0 && last > 0)
        MPI_Recv(nullptr, 0, MPI_INT, last, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK_OK(ORTHO_Wait(&request, MPI_STATUS_IGNORE));
    if (test::rank() == last && last > 0) MPI_Send(nullptr, 0, MPI_INT, 0, 0, MPI_COMM_WORLD);
    const Grid grid(dims, {1, 1});
    int wrong = 0;
    for (int row = -1; row <= rows; ++row) {
        const int side = row < 0 ? -1 : row == rows ? 1 : 0;
        for (int column = -1; column <= 1; ++column) {
            const int owner = grid.neighbor(test::rank(), Ints{side, column});
            const int got = cells[at(3 * (row + 1) + column + 1)];
            wrong += got != value(owner, row - side * rows) ? 1 : 0;
        }
    }
    CHECK_EQ(wrong, 0);
}

/// A ring of all processes, and the neighbors `reach` away on both sides.
MPI_Comm ring(bool named, int reach = 1)
{
    MPI_Comm base = test::duplicate();
    const int size = test::size(), period = 1;
    int points = 0;
    if (named) CHECK_OK(ORTHO_Cart_name(base, 1, ORTHO_ROWMAJOR, &size, &period, &points));
    const int right = (test::rank() + reach) % size;
    const int left = (test::rank() + size - reach % size) % size;
    MPI_Comm comm = test::adjacent({left, right}, {right, left}, base);
    MPI_Comm_free(&base);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    return comm;
}

/// The arguments of a call that is right on a ring, to be spoiled.
struct Call {
    std::vector<double> data = std::vector<double>(100, 0.0);
    int nfields = 1;
    void* field = data.data();
    void* const* fields = &field;
    MPI_Datatype element = MPI_DOUBLE;
    const MPI_Datatype* elements = &element;
    int d = 1;
    Ints size{10}, lower{2}, upper{3};
    const int* sizes = size.data();
    MPI_Op op = MPI_SUM;
    MPI_Info info = MPI_INFO_NULL;
};

/// Both calls give this class of error, on all processes.
void expect_class(const Call& c, MPI_Comm comm, int wanted, const char* word, bool reduce_only = false)
{
    ORTHO_Request request = ORTHO_REQUEST_NULL;
    for (const bool reduces : {false, true}) {
        if (reduce_only && !reduces) continue;
        const int code = reduces ? ORTHO_Halo_reduce_init(c.nfields, c.fields, c.elements, c.d, c.sizes,
                                                          c.lower.data(), c.upper.data(), c.op, comm, c.info,
                                                          &request)
                                 : ORTHO_Halo_init(c.nfields, c.fields, c.elements, c.d, c.sizes,
                                                   c.lower.data(), c.upper.data(), comm, c.info, &request);
        CHECK(code != MPI_SUCCESS);
        if (code == MPI_SUCCESS) {
            CHECK_OK(ORTHO_Request_free(&request));
            continue;
        }
        CHECK_EQ(error_class(code), wanted);
        if (word != nullptr && message().find(word) == std::string::npos)
            test::fail(__FILE__, __LINE__, message() + " does not name " + word);
    }
}

void add_backwards(void*, void*, int*, MPI_Datatype*) {}

void errors()
{
    MPI_Comm comm = ring(true);
    const auto wrong = [&](int wanted, const char* word, auto spoil, bool reduce_only = false) {
        Call call;
        spoil(call);
        expect_class(call, comm, wanted, word, reduce_only);
    };
    // On the last process alone: all must fail, the same way.
    const bool last = test::rank() == test::size() - 1;
    const auto wrong_on_last = [&](int wanted, const char* word, auto spoil) {
        wrong(wanted, last ? word : nullptr, [&](Call& call) {
            if (last) spoil(call);
        });
    };
    wrong(MPI_ERR_DIMS, "d = 2", [](Call& call) { call.d = 2; });
    wrong(MPI_ERR_DIMS, "d = 0", [](Call& call) { call.d = 0; });
    wrong(MPI_ERR_ARG, "nfields = -1", [](Call& call) { call.nfields = -1; });
    wrong(MPI_ERR_ARG, "fields", [](Call& call) { call.fields = nullptr; });
    wrong(MPI_ERR_ARG, "elements", [](Call& call) { call.elements = nullptr; });
    wrong(MPI_ERR_ARG, "sizes", [](Call& call) { call.sizes = nullptr; });
    wrong(MPI_ERR_BUFFER, "fields[0]", [](Call& call) { call.field = nullptr; });
    wrong(MPI_ERR_TYPE, "elements[0]", [](Call& call) { call.element = MPI_DATATYPE_NULL; });
    wrong(MPI_ERR_ARG, "lower[0] = -1", [](Call& call) { call.lower = {-1}; });
    wrong(MPI_ERR_ARG, "upper[0] = -1", [](Call& call) { call.upper = {-1}; });
    wrong(MPI_ERR_ARG, "sizes[0] = 4", [](Call& call) { call.size[0] = 4; });
    wrong(MPI_ERR_ARG, "2 owned layers", [](Call& call) { call.size[0] = 7; });
    wrong_on_last(MPI_ERR_ARG, "lower[0] = -1", [](Call& call) { call.lower = {-1}; });
    wrong_on_last(MPI_ERR_BUFFER, "fields[0]", [](Call& call) { call.field = nullptr; });
    wrong_on_last(MPI_ERR_ARG, "2 owned layers", [](Call& call) { call.size[0] = 7; });
    wrong(
        MPI_ERR_OP, "op", [](Call& call) { call.op = MPI_OP_NULL; }, true);
    wrong(
        MPI_ERR_OP, "op", [](Call& call) { call.op = MPI_BAND; }, true);
    MPI_Op ordered = MPI_OP_NULL;
    MPI_Op_create(add_backwards, 0, &ordered);
    wrong(
        MPI_ERR_OP, "commute", [&](Call& call) { call.op = ordered; }, true);
    MPI_Op_free(&ordered);
    MPI_Datatype pair = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(2, MPI_DOUBLE, &pair);
    test::return_errors(comm); // MPI has its say, too
    wrong(MPI_ERR_TYPE, nullptr, [&](Call& call) {
        call.element = pair;
        call.op = MPI_SUM;
    });
    MPI_Type_commit(&pair);
    wrong(
        MPI_ERR_OP, "op", [&](Call& call) { call.element = pair; }, true);
    MPI_Type_free(&pair);
    const test::Info info{{"ortho_forward", "perhaps"}};
    wrong(MPI_ERR_INFO_VALUE, "perhaps", [&](Call& call) { call.info = info; });
    if (test::size() > 1) {
        int mismatch = 0;
        CHECK_OK(ORTHO_Error_class(ORTHO_ERR_MISMATCH, &mismatch));
        const bool first = test::rank() == 0;
        wrong(ORTHO_ERR_MISMATCH, "lower", [&](Call& call) { call.lower[0] = first ? 2 : 1; });
        wrong(ORTHO_ERR_MISMATCH, "upper", [&](Call& call) { call.upper[0] = first ? 2 : 1; });
        wrong(ORTHO_ERR_MISMATCH, "nfields", [&](Call& call) { call.nfields = first ? 0 : 1; });
        wrong(ORTHO_ERR_MISMATCH, "elements", [&](Call& call) {
            if (first) call.element = MPI_FLOAT;
        });
    }
    MPI_Comm_free(&comm);

    // Owned sizes that do not meet across a face.
    if (test::size() > 1) {
        const Ints grid{test::size(), 1}, periods{1, 1}, offsets{1, 0, -1, 0};
        test::Comm column = test::neighborhood(grid, periods, offsets);
        MPI_Comm_set_errhandler(column, MPI_ERRORS_RETURN);
        Call call;
        call.d = 2;
        call.size = {6, test::rank() == 0 ? 4 : 5};
        call.sizes = call.size.data();
        call.lower = call.upper = {1, 0};
        expect_class(call, column, ORTHO_ERR_MISMATCH, nullptr);
    }

    MPI_Comm cart = MPI_COMM_NULL;
    const Ints dims{test::size(), 1}, periods{1, 1};
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims.data(), periods.data(), 0, &cart);
    MPI_Comm_set_errhandler(cart, MPI_ERRORS_RETURN);
    Call two_dimensions;
    two_dimensions.d = 2;
    two_dimensions.size = {5, 6};
    two_dimensions.sizes = two_dimensions.size.data();
    two_dimensions.lower = two_dimensions.upper = {1, 1};
    MPI_Info_create(&two_dimensions.info);
    MPI_Info_set(two_dimensions.info, "ortho_order", "c");
    expect_class(two_dimensions, cart, MPI_ERR_INFO_VALUE, "ortho_order = 'c' is neither C nor Fortran");
    MPI_Info_set(two_dimensions.info, "ortho_order", test::rank() == 0 ? "C" : "Fortran");
    if (test::size() > 1)
        expect_class(two_dimensions, cart, ORTHO_ERR_MISMATCH, "order is not the same on all processes");
    MPI_Info_free(&two_dimensions.info);
    MPI_Comm_free(&cart);

    MPI_Comm nameless = ring(false);
    expect_class({}, nameless, MPI_ERR_TOPOLOGY, "isomorphic");
    MPI_Comm_free(&nameless);
    if (test::size() >= 4) {
        test::Comm far = ring(true, 2);
        expect_class({}, far, MPI_ERR_ARG, "the offset (");
    }
    test::Comm plain = test::duplicate();
    MPI_Comm_set_errhandler(plain, MPI_ERRORS_RETURN);
    expect_class({}, plain, MPI_ERR_TOPOLOGY, "graph");
}

/// Nearly every offset of a small periodic grid leads to the same few processes: there are 3^6 - 1 regions.
void six_dimensions()
{
    constexpr int d = 6;
    const Ints dims{test::size(), 1, 1, 1, 1, 1}, periods(d, 1), sizes(d, 3), ones(d, 1);
    test::Comm grid;
    MPI_Cart_create(MPI_COMM_WORLD, d, dims.data(), periods.data(), 0, &grid);
    Ints cells(729, -1);
    cells[364] = test::rank(); // the middle
    void* const fields[] = {cells.data()};
    const MPI_Datatype elements[] = {MPI_INT};
    test::Request request;
    CHECK_OK(ORTHO_Halo_init(1, fields, elements, d, sizes.data(), ones.data(), ones.data(), grid,
                             MPI_INFO_NULL, &request));
    CHECK_OK(ORTHO_Run(&request, MPI_STATUS_IGNORE));
    int wrong = 0;
    for (int i = 0; i < 729; ++i)
        wrong += cells[at(i)] != (test::rank() + i / 243 - 1 + test::size()) % test::size() ? 1 : 0;
    CHECK_EQ(wrong, 0);
}

/// A setting that is wrong is an error on all processes, also those off the grid, and once more.
void wrong_setting_on_a_part()
{
    if (test::size() < 2) return;
    test::Comm comm = test::duplicate();
    test::return_errors(comm);
    const int points = test::size() - 1, period = 1;
    int named = 0;
    CHECK_OK(ORTHO_Cart_name(comm, 1, ORTHO_ROWMAJOR, &points, &period, &named));
    setenv("ORTHO_ALGORITHM", "halo_direkt", 1);
    MPI_Barrier(comm); // processes of one address space have one environment
    for (int time = 0; time < 2; ++time) expect_class({}, comm, ORTHO_ERR_ALGORITHM, "halo_direkt");
    MPI_Barrier(comm);
    unsetenv("ORTHO_ALGORITHM");
    MPI_Barrier(comm);

    // Errors of a request go through the communicator's handler, also off the grid.
    const Call call;
    test::Request request;
    CHECK_OK(ORTHO_Halo_init(call.nfields, call.fields, call.elements, call.d, call.sizes, call.lower.data(),
                             call.upper.data(), comm, call.info, &request));
    test::Errhandler before;
    MPI_Comm_get_errhandler(MPI_COMM_SELF, &before);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
    int number = 0;
    CHECK_EQ(error_class(ORTHO_Halo_unfilled(request, 0, -1, nullptr, &number)), MPI_ERR_ARG);
    refused(ORTHO_Request_rebind(request, &number, &number), MPI_ERR_REQUEST, "halo exchange");
    MPI_Comm_set_errhandler(MPI_COMM_SELF, before);
}

/// The arrays lie as info ortho_order says, whatever the order of the ranks.
void orders()
{
    const int p = test::size();
    const Ints dims{p, 1}, periods{1, 1}, sizes{4, 5}, ghosts{1, 1};
    test::Info info;
    for (const int ranks : {ORTHO_ROWMAJOR, ORTHO_COLMAJOR})
        for (const char* const order : {"C", "Fortran"}) {
            test::Comm comm = test::duplicate();
            int points = 0;
            CHECK_OK(ORTHO_Cart_name(comm, 2, ranks, dims.data(), periods.data(), &points));
            info.set("ortho_order", order);
            const bool is_c = order[0] == 'C';
            const auto place = [&](int row, int column) {
                return at(is_c ? 5 * row + column : row + 4 * column);
            };
            const auto value = [&](int owner, int row, int column) {
                return 100 * owner + 10 * row + column;
            };
            Ints cells(20, -1);
            for (int row : {1, 2})
                for (int column : {1, 2, 3}) cells[place(row, column)] = value(test::rank(), row, column);
            void* const field = cells.data();
            const MPI_Datatype element = MPI_INT;
            ORTHO_Request request = ORTHO_REQUEST_NULL;
            CHECK_OK(ORTHO_Halo_init(1, &field, &element, 2, sizes.data(), ghosts.data(), ghosts.data(), comm,
                                     info, &request));
            CHECK_OK(ORTHO_Run(&request, MPI_STATUS_IGNORE));
            CHECK_OK(ORTHO_Request_free(&request));
            for (int row = 0; row < 4; ++row)
                for (int column = 0; column < 5; ++column) {
                    const int owner = (test::rank() + (row == 0 ? p - 1 : row == 3 ? 1 : 0)) % p;
                    const int owned_row = row == 0 ? 2 : row == 3 ? 1 : row;
                    const int owned_column = column == 0 ? 3 : column == 4 ? 1 : column;
                    CHECK_EQ(cells[place(row, column)], value(owner, owned_row, owned_column));
                }
        }
}

/// Requests that are made in another order on one process have other names there.
void names()
{
    test::Comm on_graph = ring(true), plain = test::duplicate();
    MPI_Comm_set_errhandler(plain, MPI_ERRORS_RETURN);
    test::Info info;
    const std::string last(250, 'v'); // Open MPI's infos hold 255 characters, and errors tell 199
    const auto make = [&](const std::string& name, MPI_Comm comm, bool is_halo, ORTHO_Request* request) {
        if (!name.empty()) info.set("ortho_name", name.c_str());
        MPI_Info given = name.empty() ? MPI_INFO_NULL : info;
        Call c;
        return is_halo ? ORTHO_Halo_init(c.nfields, c.fields, c.elements, c.d, c.sizes, c.lower.data(),
                                         c.upper.data(), comm, given, request)
                       : ORTHO_Barrier_init(comm, given, request);
    };
    for (const bool is_halo : {true, false})
        for (MPI_Comm comm : std::initializer_list<MPI_Comm>{on_graph, plain}) {
            if (is_halo && comm == plain) continue;
            ORTHO_Request request = ORTHO_REQUEST_NULL;
            CHECK_OK(make("u", comm, is_halo, &request));
            CHECK_OK(ORTHO_Request_free(&request));
            if (test::size() == 1) continue;
            const bool is_last = test::rank() == test::size() - 1;
            for (const std::string& other : {std::string("v"), last, std::string()}) {
                const std::string mine = is_last ? other : "u";
                CHECK_EQ(error_class(make(mine, comm, is_halo, &request)), ORTHO_ERR_MISMATCH);
                const std::string said = message();
                if (said.find("ortho_name is '" + mine.substr(0, 100)) == std::string::npos && is_last)
                    test::fail(__FILE__, __LINE__, said);
                if (said.find("the processes make requests in different orders") == std::string::npos &&
                    mine.size() < 100 && other.size() < 100)
                    test::fail(__FILE__, __LINE__, said);
            }
        }
}

/// A grid without dimensions has no ghosts.
void no_dimensions()
{
    const int none = 0;
    test::Comm comm;
    MPI_Cart_create(MPI_COMM_WORLD, 0, &none, &none, 0, &comm);
    if (comm == MPI_COMM_NULL) return; // it has one point
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    int element = 0;
    void* const field = &element;
    const MPI_Datatype type = MPI_INT;
    ORTHO_Request request = ORTHO_REQUEST_NULL;
    CHECK_EQ(test::error_class(
                 ORTHO_Halo_init(1, &field, &type, 0, &none, &none, &none, comm, MPI_INFO_NULL, &request)),
             MPI_ERR_DIMS);
}

} // namespace

TEST_MAIN()
{
    // Fewer grids where there are more processes than cores, above all under MPICH, which spins.
    const int usual = test::size() <= (test::is_mpich() ? 2 : 5) ? 40 : 12;
    const int repeats = test::given("ORTHO_TEST_REPEATS", usual);
    Random random(static_cast<unsigned>(test::given("ORTHO_TEST_SEED", 4321)));
    for (int repeat = 0; repeat < repeats; ++repeat) {
        const Wish& wish = wishes[static_cast<std::size_t>(repeat) % std::size(wishes)];
        // Pairs of nodes are for exchanges, between nodes.
        const bool on_nodes = wish.algorithm != nullptr && wish.algorithm == std::string("node_pairs");
        if (on_nodes && test::size() <= 2) continue;
        World world = random_world(random, on_nodes);
        exchange(random, world, wish);
        World other = random_world(random);
        adjoint(random, other, on_nodes ? wishes[0] : wish);
    }
    no_dimensions();
    orders();
    for (const int rows : {1, 20'000}) {
        processes_may_stay_away(nullptr, rows);
        processes_may_stay_away("true", rows);
    }
    six_dimensions();
    test::return_errors(MPI_COMM_NULL);
    errors();
    names();
    wrong_setting_on_a_part();
}
