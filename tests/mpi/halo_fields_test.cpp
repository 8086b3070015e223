// SPDX-License-Identifier: BSD-3-Clause
// Halo exchanges of fields with shapes, depths, directions, orders and strides of their own, with values
// beyond closed sides, and their adjoints, on graphs and on named communicators with and without land, with
// arrays that take turns, against arithmetic; fields of one shape, by the calls for these, too.
#include <complex>
#include <optional>

#include "ghost_shapes.hpp"
#include "mpi/large_count_type.hpp"

using ortho::grid::Grid;
using ortho::grid::Order;
using test::for_each_index;
using test::periods_of;
using test::random_grid_of;
using test::sizes_of;

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
    test::Type members;
    MPI_Type_create_struct(2, lengths, places, types, &members);
    return test::committed(MPI_Type_create_resized, members.handle(), 0, MPI_Aint{sizeof(Cell)});
}

enum Kind { real, integer, cell, byte, short_integer, complex_number, longest_real, in_a_row, kinds };
constexpr std::size_t bytes_of[kinds] = {
    sizeof(double),      sizeof(int),      sizeof(Cell), 1, sizeof(short), sizeof(std::complex<float>),
    sizeof(long double), 3 * sizeof(float)};

void put(char* to, Kind kind, int value)
{
    const auto copy = [to](const auto& element) { std::memcpy(to, &element, sizeof element); };
    const auto number = static_cast<float>(value);
    switch (kind) {
    case real: return copy(static_cast<double>(value));
    case integer: return copy(value);
    case cell: return copy(Cell{value, -7, value / 2.0});
    case byte: return copy(static_cast<signed char>(value));
    case short_integer: return copy(static_cast<short>(value));
    case complex_number: return copy(std::complex<float>(number, -2 * number));
    case longest_real: return copy(static_cast<long double>(value));
    default: copy(std::array{number, -2 * number, 3 * number});
    }
}

/// All of {-1,0,1}^d but 0.
std::vector<Ints> all_regions(int d)
{
    std::vector<Ints> result;
    for (const Ints& region : cases::box(d, -1, 1))
        if (region != Ints(at(d), 0)) result.push_back(region);
    return result;
}

/// A communicator that fields are exchanged on.
struct World {
    Grid grid;
    std::set<Ints> regions; ///< that the stencil fills
    /// Not 0: there are several nodes, of so many processes, and all processes own as much.
    int node_size = 0;
    bool is_named = false, faces_only = false; ///< the latter for info
    MPI_Comm comm = MPI_COMM_NULL;

    int d() const { return grid.dimensions(); }
    bool is_here() const { return test::rank() < grid.points(); }
    /// Where the stencil fills the region, on this process.
    bool is_on_grid(int process, const Ints& region) const
    {
        return grid.neighbor(process, region) != Grid::nowhere;
    }
    /// This process's side, or one of its corners, is one of the grid's, and is closed.
    bool is_closed(int k, int side) const
    {
        const int c = grid.coordinate(test::rank(), k) + side;
        return !grid.periodic(k) && (c < 0 || c >= grid.size(k));
    }
};

/// A field, of which all processes know everything but how it lies in their memory.
struct FieldPlan : test::GhostShape {
    Kind kind = real;
    test::Axes axes;
    bool has_all_directions = true;
    std::set<Ints> regions;                           ///< to fill, layers or not
    std::vector<std::array<ORTHO_Boundary, 2>> sides; ///< by dimension; none: closed ones show nothing

    bool has_layers(const Ints& region) const
    {
        for (std::size_t k = 0; k < region.size(); ++k)
            if ((region[k] < 0 && lower[k] == 0) || (region[k] > 0 && upper[k] == 0)) return false;
        return true;
    }
    test::Layout random_layout(Random& mine, const Ints& sizes, bool packed) const
    {
        const auto element = static_cast<MPI_Aint>(bytes_of[kind]);
        return {mine, axes, sizes, lower, upper, element, element, packed};
    }
    void add_sides(Random& random)
    {
        sides.resize(at(dimensions()));
        for (std::size_t k = 0; k < sides.size(); ++k)
            for (const int above : {0, 1}) {
                ORTHO_Boundary& side = sides[k][at(above)];
                side.kind = uniform(random, 0, 9) == 0 ? ORTHO_BOUNDARY_NONE : uniform(random, 1, 4);
                if (kind != cell) side.sign = uniform(random, -1, 1);
                const bool is_too_deep = above == 1 ? owned[k].back() <= upper[k]
                                                    : owned[k].front() <= lower[k];
                if (side.kind == ORTHO_BOUNDARY_REFLECT && is_too_deep) side.kind = ORTHO_BOUNDARY_SYMMETRIC;
                if (at(axes.divided) <= k) side = {ORTHO_BOUNDARY_EDGE, 0, nullptr}; // of no ghosts
            }
    }
    static int constant(int k, int above) { return 15'000 + 2 * k + above; }
};

/// A field in this process's memory.
struct Array {
    Kind kind;
    test::Layout layout;
    std::vector<char> bytes = std::vector<char>(layout.bytes() + 8, 0x55);

    void* base() { return bytes.data() + layout.begin(); }
    void set(const Ints& index, int value) { put(bytes.data() + layout.place(index), kind, value); }
    /// The bytes without what means nothing in these numbers.
    std::vector<char> meaning(const Ints& sizes) const
    {
        constexpr std::size_t significant = 10;
        std::vector<char> result = bytes;
        if (kind == longest_real && sizeof(long double) > significant)
            for_each_index(sizes, [&](const Ints& index) {
                std::memset(result.data() + layout.place(index) + significant, 0,
                            sizeof(long double) - significant);
            });
        return result;
    }
};

/// 0, or less than so many.
int random_node_size(Random& random, int processes)
{
    return processes > 1 && uniform(random, 0, 2) == 0 ? uniform(random, 1, std::min(2, processes - 1)) : 0;
}

/// On a graph with a random stencil.
World graph_world(Random& random)
{
    World world;
    // As ORTHO_Cart_neighborhood_create numbers processes.
    world.grid = test::row_major(random_grid_of(random, test::size()));
    const int share = uniform(random, 0, 1) == 0 ? 10 : uniform(random, 1, 9);
    Ints offsets;
    for (const Ints& offset : cases::box(world.d(), -1, 1))
        if (uniform(random, 1, 10) <= share) offsets.insert(offsets.end(), offset.begin(), offset.end());
    const ortho::grid::Stencil stencil(world.d(), offsets);
    // Whatever the size of the grid: those opposite to the offsets.
    for (int i = 0; i < stencil.size(); ++i) {
        Ints region(stencil[i].begin(), stencil[i].end());
        for (int& n : region) n = -n;
        if (region != Ints(at(world.d()), 0)) world.regions.insert(region);
    }
    offsets.push_back(0); // never a null pointer
    world.node_size = random_node_size(random, test::size());
    const test::Nodes nodes(world.node_size);
    world.comm = test::neighborhood(sizes_of(world.grid), periods_of(world.grid), offsets);
    // Duplicates know the offsets, too.
    const int how = uniform(random, 0, 3);
    if (how > 1) return world;
    test::Comm original = world.comm;
    CHECK_OK(how == 0 ? MPI_Comm_dup(original, &world.comm) : ORTHO_Comm_dup(original, &world.comm));
    return world;
}

/// On a graph whose lists are shuffled, from a random stencil: regions are known by their processes.
World listed_world(Random& random)
{
    World world;
    world.grid = random_grid_of(random, test::size());
    const int share = uniform(random, 0, 2) == 0 ? 10 : uniform(random, 0, 9);
    ortho::grid::Stencil stencil(world.d());
    for (const Ints& offset : cases::box(world.d(), -1, 1))
        if (uniform(random, 1, 10) <= share) stencil.push_back(offset);
    const auto neighborhood = ortho::grid::canonical(world.grid, stencil).neighborhood;
    std::set<Ints> offsets;
    for (int i = 0; i < neighborhood.size(); ++i)
        offsets.insert({neighborhood.offsets[i].begin(), neighborhood.offsets[i].end()});
    for (const Ints& region : all_regions(world.d())) {
        Ints offset;
        for (int k = 0; k < world.d(); ++k)
            offset.push_back(static_cast<int>(world.grid.representative(k, -region[at(k)])));
        bool leaves = true; // from everywhere: nobody knows whether the stencil had it
        for (int r = 0; r < world.grid.points(); ++r) leaves = leaves && !world.is_on_grid(r, region);
        if (leaves || offsets.contains(offset)) world.regions.insert(region);
    }
    const auto mine = cases::shuffled_graph(random, neighborhood).processes[at(test::rank())];
    world.node_size = random_node_size(random, test::size());
    const test::Nodes nodes(world.node_size);
    test::Comm named = test::duplicate();
    test::name(named, world.grid);
    world.comm = test::adjacent(test::to_mpi(mine.sources), test::to_mpi(mine.targets), named);
    return world;
}

/// On a communicator that has a name, and no graph.
World named_world(Random& random)
{
    World world;
    world.is_named = true;
    const bool is_mpis = uniform(random, 0, 1) == 0;
    // MPI's own grids, and those with processes to spare.
    const int processes = is_mpis ? test::size() : uniform(random, 1, test::size());
    world.grid = random_grid_of(random, processes);
    world.node_size = random_node_size(random, processes);
    if (is_mpis) {
        world.grid = test::row_major(world.grid);
        world.comm = test::cart(sizes_of(world.grid), periods_of(world.grid));
    } else {
        world.comm = test::duplicate();
        if (uniform(random, 0, 1) == 0) {
            world.grid = test::random_grid_with_land(random, processes);
            world.node_size = 0;
        }
        test::name(world.comm, world.grid);
    }
    world.faces_only = uniform(random, 0, 2) == 0;
    for (const Ints& region : all_regions(world.d()))
        if (!world.faces_only || std::ranges::count(region, 0) == world.d() - 1) world.regions.insert(region);
    return world;
}

/// `is_plain`: one that ORTHO_Halo_init takes.  `in_all`: directions.
FieldPlan random_plan(Random& random, const World& world, bool is_plain, bool in_all = false)
{
    FieldPlan plan;
    static_cast<test::GhostShape&>(plan) = test::random_ghost_shape(random, world.grid);
    if (world.node_size > 0) plan.make_even();
    for (int n = is_plain ? 0 : std::max(0, uniform(random, -2, 2)); n > 0; --n)
        plan.add_undivided(uniform(random, 0, 2));
    plan.axes = {test::random_order(random, world.d(), plan.dimensions()), world.d()};
    if (is_plain || uniform(random, 0, 1) == 0) std::ranges::sort(plan.axes.dimension);
    if (uniform(random, 0, 1) == 0) plan.axes.order = MPI_ORDER_FORTRAN;
    plan.has_all_directions = is_plain || in_all || uniform(random, 0, 1) == 0;
    const int share = uniform(random, 0, 10);
    for (const Ints& region : world.regions)
        if (plan.has_all_directions || uniform(random, 1, 10) <= share) plan.regions.insert(region);
    return plan;
}

/// Checks that the choice follows what info asks for.  If it asks for nothing, a halo that is started is direct
/// unless it was promised to come by, and one that is run is whichever is faster.
void check_choice(ORTHO_Request request, const std::string& family, const char* wanted, const char* forward)
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
        if (wanted != nullptr) CHECK(is(section, wanted));
    }
    // It does not say what ORTHO_Run would do if that does the same.
    if (middle == std::string::npos && text.find("ORTHO_Run does the same") != std::string::npos)
        CHECK(text.find("use a blocking call or ORTHO_Run") == std::string::npos);
    if (wanted == nullptr && (forward == nullptr)) CHECK(is(started, "direct"));
    if (forward != nullptr)
        for (const char* const algorithm : {"direct", "combining", "node_pairs"})
            CHECK_EQ(is(started, algorithm), is(run, algorithm));
}

/// The choices that info asks for.
const char* const algorithms[] = {nullptr, "direct", "combining"};

/// Several fields of this process, in several places.
class Fields {
    struct Description;

public:
    /// `kinds`: of elements, one of which each field has.  `closed`: closed sides show something.
    Fields(Random& random, const World& world, const std::vector<Kind>& kinds, bool closed = false)
        : world_(world),
          plain_(!closed && world.grid.points() == test::size() && uniform(random, 0, 1) == 0)
    {
        Random mine(random() + static_cast<unsigned>(test::rank()));
        const FieldPlan plain = random_plan(random, world, true);
        for (int n = uniform(random, 0, 4); n > 0; --n) {
            plans_.push_back(plain_ ? plain : random_plan(random, world, false, closed));
            plans_.back().kind = kinds[at(uniform(random, 0, static_cast<int>(kinds.size()) - 1))];
            if (closed) plans_.back().add_sides(random);
        }
        if (world.is_here())
            for (const FieldPlan& plan : plans_)
                places_[0].push_back(
                    {plan.kind, plan.random_layout(mine, plan.sizes(world.grid, test::rank()), plain_)});
        places_[1] = places_[2] = places_[0];
    }

    int count() const { return static_cast<int>(plans_.size()); }
    const FieldPlan& plan(std::size_t f) const { return plans_[f]; }
    Array& array(std::size_t place, std::size_t f) { return places_[place][f]; }
    static constexpr std::size_t places = 3;

    ORTHO_Request init(Random& random, const std::string& family, MPI_Op op)
    {
        const int d = world_.d();
        derived_ = op == MPI_OP_NULL && uniform(random, 0, 1) == 0;
        Description description(*this, 0);
        const char* const forward = uniform(random, 0, 2) == 0 ? "true" : nullptr;
        const bool by_nodes = world_.node_size > 0 && op == MPI_OP_NULL;
        const int most = world_.grid.is_full() ? 2 : 1;
        const char* const algorithm = by_nodes ? "node_pairs" : algorithms[uniform(random, 0, most)];
        const std::string name = family + (algorithm != nullptr ? algorithm : "");
        // Arrays of one shape lie as the ranks do, or as info says.
        const bool is_c = !plans_.empty() && plans_[0].axes.order == MPI_ORDER_C;
        const bool is_said = plain_ && !plans_.empty() &&
                             (is_c == world_.grid.is(Order::col_major) || forward == nullptr);
        const test::Info info{{"ortho_regions", world_.faces_only ? "faces" : nullptr},
                              {"ortho_order", !is_said ? nullptr
                                              : is_c   ? "C"
                                                       : "Fortran"},
                              {"ortho_algorithm", algorithm != nullptr ? name.c_str() : nullptr},
                              {"ortho_forward", forward}};
        const int count = static_cast<int>(description.fields.size());
        description.fields.emplace_back(); // never a null pointer
        const ORTHO_Field* const list = description.fields.data();
        const test::Nodes nodes(world_.node_size); // here named communicators get their graph
        ORTHO_Request request = ORTHO_REQUEST_NULL;
        if (plain_)
            plain_init(description, op, info, &request);
        else
            CHECK_OK(op == MPI_OP_NULL
                         ? ORTHO_Halo_fields_init(count, list, d, world_.comm, info, &request)
                         : ORTHO_Halo_reduce_fields_init(count, list, d, op, world_.comm, info, &request));
        if (plain_) check_choice(request, family, algorithm, forward);
        return request;
    }

    /// The region is filled on this process.
    bool is_filled(std::size_t f, int process, const Ints& region) const
    {
        return plans_[f].regions.contains(region) && plans_[f].has_layers(region) &&
               world_.is_on_grid(process, region);
    }
    /// The value that a ghost of this process gets, by those of owned elements; none if nothing fills it.
    template <class Owned>
    std::optional<int> shown(std::size_t f, const Ints& index, Owned owned) const
    {
        const FieldPlan& plan = plans_[f];
        const int me = test::rank();
        Ints region = plan.region_of(world_.grid, me, index), from = index;
        if (!plan.regions.contains(region) || !plan.has_layers(region)) return std::nullopt;
        int sign = 1;
        std::optional<int> constant;
        // As if the array were padded axis by axis, as numpy.pad does it.
        for (auto axis = plan.axes.dimension.rbegin(); axis != plan.axes.dimension.rend(); ++axis) {
            const int k = *axis;
            if (plan.sides.empty() || k >= world_.d() || !world_.is_closed(k, region[at(k)])) continue;
            const bool is_above = std::exchange(region[at(k)], 0) > 0;
            const ORTHO_Boundary& side = plan.sides[at(k)][is_above ? 1 : 0];
            if (side.kind == ORTHO_BOUNDARY_NONE) return std::nullopt;
            if (side.kind == ORTHO_BOUNDARY_CONSTANT && !constant)
                constant = sign * FieldPlan::constant(k, is_above ? 1 : 0);
            const int first = plan.lower[at(k)], last = first + plan.owned_by(world_.grid, me, k) - 1;
            const int beyond = is_above ? index[at(k)] - last - 1 : first - 1 - index[at(k)]; // layers
            const int inwards = side.kind == ORTHO_BOUNDARY_EDGE        ? 0
                                : side.kind == ORTHO_BOUNDARY_SYMMETRIC ? beyond
                                                                        : beyond + 1;
            from[at(k)] = is_above ? last - inwards : first + inwards;
            if (side.sign < 0) sign = -sign;
        }
        if (constant || !world_.is_on_grid(me, region)) return constant;
        return sign * owned(from);
    }

    void check_unfilled(ORTHO_Request request)
    {
        for (std::size_t f = 0; f < plans_.size(); ++f) {
            int n = -1;
            CHECK_OK(ORTHO_Halo_unfilled(request, static_cast<int>(f), 0, nullptr, &n));
            std::vector<Ints> expected;
            if (world_.is_here())
                for (const Ints& region : plans_[f].regions)
                    if (plans_[f].has_layers(region) && !world_.is_on_grid(test::rank(), region))
                        expected.push_back(region);
            CHECK_EQ(n, static_cast<int>(expected.size()));
            Ints found(at(n) * at(world_.d()) + 1, 9);
            CHECK_OK(ORTHO_Halo_unfilled(request, static_cast<int>(f), n, found.data(), &n));
            Ints flat;
            for (const Ints& region : expected) flat.insert(flat.end(), region.begin(), region.end());
            flat.push_back(9);
            CHECK(found == flat);
        }
    }

    /// Other arrays, on this process or not.
    void rebind(ORTHO_Request request, std::size_t place)
    {
        if (place == 1) {
            Description description(*this, place);
            description.fields.emplace_back(); // never a null pointer
            CHECK_OK(ORTHO_Halo_rebind_fields(request, count(), description.fields.data()));
            return;
        }
        std::vector<void*> bases(at(count()) + 1);
        for (std::size_t f = 0; f < places_[place].size(); ++f) bases[f] = array(place, f).base();
        CHECK_OK(ORTHO_Halo_rebind(request, count(), bases.data()));
    }

private:
    void plain_init(const Description& description, MPI_Op op, MPI_Info info, ORTHO_Request* request)
    {
        std::vector<void*> bases;
        std::vector<MPI_Datatype> elements;
        for (const ORTHO_Field& field : std::span(description.fields).first(at(count()))) {
            bases.push_back(field.base);
            elements.push_back(field.element);
        }
        Ints sizes(at(world_.d()), 1), lower(sizes), upper(sizes);
        if (count() > 0) {
            sizes = plans_[0].sizes(world_.grid, test::rank());
            lower = plans_[0].lower, upper = plans_[0].upper;
        }
        CHECK_OK(op == MPI_OP_NULL
                     ? ORTHO_Halo_init(count(), bases.data(), elements.data(), world_.d(), sizes.data(),
                                       lower.data(), upper.data(), world_.comm, info, request)
                     : ORTHO_Halo_reduce_init(count(), bases.data(), elements.data(), world_.d(),
                                              sizes.data(), lower.data(), upper.data(), op, world_.comm, info,
                                              request));
        std::ranges::fill(sizes, -1);
        std::ranges::fill(bases, nullptr);
    }

    /// The fields as the library is told of them.  Everything may go when the call is over.
    struct Description {
        std::vector<ORTHO_Field> fields;
        std::vector<test::Layout> layouts;
        std::vector<Ints> directions;
        std::vector<std::vector<ORTHO_Boundary>> sides;
        std::vector<std::vector<char>> constants;
        test::Type derived = test::committed(MPI_Type_dup, MPI_INT), cell_element = cell_type(),
                   three = test::committed(MPI_Type_contiguous, 3, MPI_FLOAT);

        Description(Fields& all, std::size_t place)
        {
            for (const Array& array : all.places_[place]) layouts.push_back(array.layout);
            for (std::size_t f = 0; f < layouts.size(); ++f) {
                const FieldPlan& plan = all.plans_[f];
                const MPI_Datatype types[kinds] = {MPI_DOUBLE,      all.derived_ ? derived.handle() : MPI_INT,
                                                   cell_element,    MPI_SIGNED_CHAR,
                                                   MPI_SHORT,       MPI_C_FLOAT_COMPLEX,
                                                   MPI_LONG_DOUBLE, three};
                ORTHO_Field& field = fields.emplace_back(
                    layouts[f].field(all.array(place, f).bytes.data(), types[plan.kind], place > 0));
                add_sides(plan, field);
                Ints& list = directions.emplace_back();
                for (const Ints& region : plan.regions)
                    list.insert(list.begin(), region.begin(), region.end());
                list.push_back(0); // never a null pointer
                field.ndirections = plan.has_all_directions ? ORTHO_ALL_DIRECTIONS
                                                            : static_cast<int>(plan.regions.size());
                field.directions = plan.has_all_directions ? nullptr : list.data();
            }
        }
        ~Description()
        {
            for (test::Layout& layout : layouts) layout.spoil();
            for (Ints& list : directions) std::ranges::fill(list, 7);
            for (auto& list : sides) std::ranges::fill(list, ORTHO_Boundary{9, 9, nullptr});
            for (auto& value : constants) std::ranges::fill(value, 9);
        }
        void add_sides(const FieldPlan& plan, ORTHO_Field& field)
        {
            if (plan.sides.empty()) return;
            auto& list = sides.emplace_back();
            for (const int k : plan.axes.dimension)
                for (const int above : {0, 1}) {
                    ORTHO_Boundary& side = list.emplace_back(plan.sides[at(k)][at(above)]);
                    if (side.kind != ORTHO_BOUNDARY_CONSTANT) continue;
                    side.value = constants.emplace_back(bytes_of[plan.kind]).data();
                    put(constants.back().data(), plan.kind, FieldPlan::constant(k, above));
                }
            field.boundary = list.data();
        }
        Description(const Description&) = delete;
        Description& operator=(const Description&) = delete;
    };

    const World& world_;
    const bool plain_; ///< by ORTHO_Halo_init
    bool derived_ = false;
    std::vector<FieldPlan> plans_;
    std::vector<Array> places_[places];
};

int indegree_of(MPI_Comm comm) { return test::topology(comm) == ORTHO_GRAPH ? test::edges(comm)[0] : 0; }

/// One execution: run, or started and ended by ORTHO_Wait or otherwise.  `indegree`: 0 without a graph.
void complete(ORTHO_Request& request, int step, int indegree)
{
    int flag = 0;
    for (int i = 0; i < indegree; ++i) {
        CHECK_OK(ORTHO_Parrived(request, i, &flag));
        CHECK_EQ(flag, 1); // not started
    }
    if (step % 2 == 0) {
        CHECK_OK(ORTHO_Run(&request, MPI_STATUS_IGNORE));
        return;
    }
    CHECK_OK(ORTHO_Start(&request));
    if (step % 3 == 0 && indegree > 0)
        for (flag = 0; flag == 0;) CHECK_OK(ORTHO_Parrived(request, indegree - 1, &flag));
    if (step % 3 == 1)
        for (flag = 0; flag == 0;) CHECK_OK(ORTHO_Test(&request, &flag, MPI_STATUS_IGNORE));
    else
        CHECK_OK(ORTHO_Wait(&request, MPI_STATUS_IGNORE));
}

/// Executions in one place after another.  `values(field, step, index)`: what an element is before and after.
template <class Values>
void play(Random& random, World& world, Fields& fields, ORTHO_Request request, bool reduces, Values values)
{
    const int me = test::rank(), indegree = indegree_of(world.comm);
    fields.check_unfilled(request);
    const bool keeps_comm = uniform(random, 0, 1) == 0;
    if (!keeps_comm) MPI_Comm_free(&world.comm); // the request outlives it
    Random mine(random() + static_cast<unsigned>(me));
    std::size_t place = 0;
    for (int step = 0; step < 8; ++step) {
        if (uniform(mine, 0, 1) == 0) {
            place = static_cast<std::size_t>(uniform(mine, 0, Fields::places - 1));
            fields.rebind(request, place);
        }
        std::vector<Array> expected;
        for (std::size_t f = 0; f < at(world.is_here() ? fields.count() : 0); ++f) {
            Array& array = fields.array(place, f);
            Array result = array;
            for_each_index(fields.plan(f).sizes(world.grid, me), [&](const Ints& index) {
                const auto [before, after] = values(f, step, index);
                array.set(index, before);
                result.set(index, after);
            });
            expected.push_back(std::move(result));
        }
        const auto compare = [&] {
            for (std::size_t f = 0; f < expected.size(); ++f) {
                const Ints sizes = fields.plan(f).sizes(world.grid, me);
                CHECK(fields.array(place, f).meaning(sizes) == expected[f].meaning(sizes));
            }
        };
        if (pretend::is_on() && !reduces && step % 2 == 0) {
            if (step % 4 == 0) {
                CHECK_OK(ORTHO_Run_enqueue(&request, nullptr));
            } else {
                CHECK_OK(ORTHO_Start_enqueue(&request, nullptr));
                CHECK_OK(ORTHO_Wait_enqueue(&request, nullptr));
            }
            // The host waits for ghosts beyond closed sides, for others the next start does.
            if (test::explanation(request).find("closed sides:") != std::string::npos) compare();
        }
        complete(request, step, indegree);
        compare();
    }
    CHECK_OK(ORTHO_Request_free(&request));
    if (keeps_comm) MPI_Comm_free(&world.comm);
}

void exchange(Random& random, World world, bool closed = false)
{
    constexpr int sentinel = -1234;
    const int me = test::rank();
    Fields fields(random, world,
                  {real, integer, cell, byte, byte, short_integer, complex_number, longest_real, in_a_row},
                  closed);
    const ORTHO_Request request = fields.init(random, "halo_", MPI_OP_NULL);
    play(random, world, fields, request, false, [&](std::size_t f, int step, const Ints& index) {
        const FieldPlan& plan = fields.plan(f);
        const auto number = [&](const Ints& i) {
            return 10 * plan.global(world.grid, me, i) + static_cast<int>(f) + 1 + 100'000 * step;
        };
        if (plan.region_of(world.grid, me, index) == Ints(at(world.d()), 0))
            return std::pair(number(index), number(index));
        return std::pair(sentinel, fields.shown(f, index, number).value_or(sentinel));
    });
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
int start_value(int process, const Ints& index, std::size_t f, int step)
{
    std::uint64_t number = static_cast<std::uint64_t>(process) * 104'729 + f * 31 +
                           static_cast<std::uint64_t>(step) * 17;
    for (const int i : index) number = number * 7919 + static_cast<std::uint64_t>(i);
    return static_cast<int>(number % 1000);
}

void adjoint(Random& random, World world)
{
    const int me = test::rank();
    const int which = uniform(random, 0, 2); // sum, maximum, or an operator of ours
    test::Op ours;
    MPI_Op_create(add_cells, 1, &ours);
    Fields fields(random, world, {which == 2 ? cell : integer});
    const ORTHO_Request request = fields.init(random, "halo_reduce_",
                                              which == 0   ? MPI_SUM
                                              : which == 1 ? MPI_MAX
                                                           : MPI_Op(ours));
    play(random, world, fields, request, true, [&](std::size_t f, int step, const Ints& index) {
        const FieldPlan& plan = fields.plan(f);
        const int first = start_value(me, index, f, step);
        int sum = first;
        if (plan.region_of(world.grid, me, index) != Ints(at(world.d()), 0)) return std::pair(first, first);
        // The ghost elements, in region s of process r-s, that belong to this one.
        for (const Ints& region : plan.regions) {
            const int other = world.grid.neighbor_against(me, region);
            if (other == Grid::nowhere || !fields.is_filled(f, other, region)) continue;
            Ints there = index;
            bool is_there = true;
            for (int k = 0; k < world.d() && is_there; ++k) {
                const int layer = index[at(k)] - plan.lower[at(k)];
                if (region[at(k)] < 0) {
                    there[at(k)] = layer - (plan.owned_by(world.grid, me, k) - plan.lower[at(k)]);
                    is_there = there[at(k)] >= 0;
                } else if (region[at(k)] > 0) {
                    is_there = layer < plan.upper[at(k)];
                    there[at(k)] = plan.lower[at(k)] + plan.owned_by(world.grid, other, k) + layer;
                }
            }
            if (!is_there) continue;
            const int contribution = start_value(other, there, f, step);
            sum = which != 1 ? sum + contribution : std::max(sum, contribution);
        }
        return std::pair(first, sum);
    });
}

/// The populations of a lattice-Boltzmann cavity: nine fields, of which each crosses the sides that it moves
/// to.
void nine_populations()
{
    Ints dims{0, 0};
    const Ints periods{1, 1};
    MPI_Dims_create(test::size(), 2, dims.data());
    test::Comm cart = test::cart(dims, periods);
    constexpr MPI_Count n = 128;
    const MPI_Count sizes[] = {n + 2, n + 2}, ghosts[] = {1, 1};
    std::vector<std::vector<double>> memory(9, std::vector<double>(at((n + 2) * (n + 2)), -1.0));
    std::vector<ORTHO_Field> fields;
    std::vector<Ints> directions;
    directions.reserve(9);
    for (const Ints& velocity : cases::box(2, -1, 1)) {
        Ints& mine = directions.emplace_back();
        for (const Ints& side : all_regions(2))
            if ((side[0] == 0 || side[0] == -velocity[0]) && (side[1] == 0 || side[1] == -velocity[1]))
                mine.insert(mine.end(), side.begin(), side.end());
        ORTHO_Field field = test::field(memory[fields.size()].data(), MPI_DOUBLE, sizes, ghosts, ghosts);
        field.ndirections = static_cast<int>(mine.size() / 2);
        field.directions = mine.data();
        fields.push_back(field);
    }
    for (const bool all : {false, true}) {
        for (ORTHO_Field& field : fields)
            if (all) field.ndirections = ORTHO_ALL_DIRECTIONS;
        test::Request request;
        CHECK_OK(ORTHO_Halo_fields_init(9, fields.data(), 2, cart, MPI_INFO_NULL, &request));
        // Each side: 3 populations of 128 cells; 4 corners. And of all: 9 of both.
        const char* const bytes = all ? "37152 bytes on each process" : "12320 bytes on each process";
        CHECK(test::explanation(request).find(bytes) != std::string::npos);
        CHECK_OK(ORTHO_Run(&request, MPI_STATUS_IGNORE));
    }
}

/// Names that change, and are made again, on one communicator.
void names_change()
{
    test::Comm comm = test::duplicate();
    const int p = test::size();
    for (const int round : {0, 1, 0, 1, 2}) {
        const int size = round == 2 ? 1 : p, period = round == 0 ? 1 : 0;
        test::name(comm, {size}, {period});
        int cells[] = {-1, test::rank(), -1};
        const MPI_Count three = 3, one = 1;
        ORTHO_Field field = test::field(cells, MPI_INT, &three, &one, &one);
        test::Request request;
        CHECK_OK(ORTHO_Halo_fields_init(1, &field, 1, comm, MPI_INFO_NULL, &request));
        CHECK_OK(ORTHO_Run(&request, MPI_STATUS_IGNORE));
        const Grid grid({size}, {static_cast<char>(period)});
        const bool here = test::rank() < size;
        CHECK_EQ(cells[0], here ? grid.neighbor(test::rank(), Ints{-1}) : -1);
        CHECK_EQ(cells[2], here ? grid.neighbor(test::rank(), Ints{1}) : -1);
        int n = -1;
        CHECK_OK(ORTHO_Halo_unfilled(request, 0, 0, nullptr, &n));
        CHECK_EQ(n, !here ? 0 : (cells[0] < 0 ? 1 : 0) + (cells[2] < 0 ? 1 : 0));
    }
}

/// Three numbers of an element lie in three arrays: elements lie in each other's holes.
void components_apart()
{
    const int p = test::size();
    test::Comm ring = test::cart({p}, {1});
    constexpr int cells = 4; // of which the last one is a ghost
    test::Type element = test::strided_ints(3, 1, cells, 1);
    Ints numbers(3 * cells, test::rank());
    const MPI_Count size = cells, none = 0, one = 1;
    const MPI_Aint stride = sizeof(int);
    ORTHO_Field field = test::field(numbers.data(), element, &size, &none, &one, &stride);
    test::Request request;
    CHECK_OK(ORTHO_Halo_fields_init(1, &field, 1, ring, MPI_INFO_NULL, &request));
    CHECK_OK(ORTHO_Run(&request, MPI_STATUS_IGNORE));
    for (int i = 0; i < 3 * cells; ++i)
        CHECK_EQ(numbers[at(i)], i % cells < cells - 1 ? test::rank() : (test::rank() + 1) % p);
}

/// Offsets that are longer than one step are refused, also where they lead to a neighbor.
void far_offsets()
{
    const int n = test::size();
    for (const int far : {-2, 2, n - 1 + 3, n + 1}) {
        test::Comm comm = test::neighborhood({n}, {1}, {far});
        MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
        int cells[3] = {};
        const MPI_Count three = 3, one = 1;
        const ORTHO_Field field = test::field(cells, MPI_INT, &three, &one, &one);
        ORTHO_Request request = ORTHO_REQUEST_NULL;
        refused(ORTHO_Halo_fields_init(1, &field, 1, comm, MPI_INFO_NULL, &request), MPI_ERR_ARG,
                "the offset (" + std::to_string(far) + ")");
    }
}

} // namespace

TEST_MAIN()
{
    const int usual = test::size() <= (test::is_mpich() ? 2 : 5) ? 40 : 12;
    const int repeats = test::given("ORTHO_TEST_REPEATS", test::times(usual));
    Random random(static_cast<unsigned>(test::given("ORTHO_TEST_SEED", 8642)));
    for (int repeat = 0; repeat < repeats; ++repeat) {
        // Large counts, of what is large for a test.
        ortho::mpi::most_elements = repeat % 4 == 3 ? 2 : INT_MAX;
        const auto world = [&](int kind) {
            return kind % 3 == 0   ? graph_world(random)
                   : kind % 3 == 1 ? named_world(random)
                                   : listed_world(random);
        };
        exchange(random, world(repeat));
        adjoint(random, world(repeat + 1));
    }
    ortho::mpi::most_elements = INT_MAX;
    const int closed = test::is_played() ? 10 : std::min(60, 4 * repeats);
    for (int i = 0; i < closed; ++i) exchange(random, named_world(random), true);
    nine_populations();
    names_change();
    components_apart();
    test::return_errors(MPI_COMM_NULL);
    far_offsets();
}
