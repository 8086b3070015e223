// SPDX-License-Identifier: BSD-3-Clause
// Halo exchanges that ORTHO_Alltoallw_init finds in datatypes, and those that it must not: whole arrays
// against global coordinates.
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "base/index.hpp"
#include "check.hpp"
#include "mpiortho.h"
#include "random_cases.hpp"

using cases::Random;
using cases::uniform;
using ortho::grid::Grid;
using Ints = std::vector<int>;

namespace {

using ortho::at;

/// How blocks are described.
enum class Kind {
    subarray_c,
    subarray_fortran,
    strides,  ///< vectors of vectors of rows, each at its displacement
    listing,  ///< in two dimensions, what rows, columns and corners are at their simplest
    disguised ///< duplicates of resized strides
};
constexpr Kind kinds[] = {Kind::subarray_c, Kind::subarray_fortran, Kind::strides, Kind::listing,
                          Kind::disguised};

/// A box of an array, ghosts included.
struct Box {
    Ints start, size;

    bool is_empty() const { return std::ranges::find(size, 0) != size.end(); }
};

/// Arrays on a grid, of which all processes know everything.
struct World {
    Grid grid;
    std::vector<Ints> steps; ///< block i travels along step i
    Ints lower, upper, padding;
    std::vector<Ints> owned;  ///< by dimension and coordinate: layers
    std::vector<int> nesting; ///< the dimensions, outermost first
    MPI_Comm comm = MPI_COMM_NULL;

    int d() const { return grid.dimensions(); }
    int mine(int k) const { return owned[at(k)][at(grid.coordinate(test::rank(), k))]; }
    int room(int k) const { return lower[at(k)] + mine(k) + upper[at(k)] + padding[at(k)]; }
    /// Cells from one to the next in dimension k.
    int stride(int k) const
    {
        int result = 1;
        for (int i = d(); nesting[at(--i)] != k;) result *= room(nesting[at(i)]);
        return result;
    }
    int cells() const { return stride(nesting[0]) * room(nesting[0]); }

    Box sent(const Ints& step) const
    {
        Box box;
        for (int k = 0; k < d(); ++k) {
            const int s = step[at(k)];
            box.size.push_back(s > 0 ? lower[at(k)] : s < 0 ? upper[at(k)] : mine(k));
            box.start.push_back(lower[at(k)] + (s > 0 ? mine(k) - lower[at(k)] : 0));
        }
        return box;
    }
    Box received(const Ints& step) const
    {
        Box box;
        for (int k = 0; k < d(); ++k) {
            const int s = step[at(k)];
            box.size.push_back(s > 0 ? lower[at(k)] : s < 0 ? upper[at(k)] : mine(k));
            box.start.push_back(s > 0 ? 0 : s < 0 ? lower[at(k)] + mine(k) : lower[at(k)]);
        }
        return box;
    }
};

/// The arguments of one side.
struct Side {
    Ints counts;
    std::vector<MPI_Aint> displacements;
    std::vector<MPI_Datatype> types;

    ~Side()
    {
        for (MPI_Datatype& type : types)
            if (type != MPI_DOUBLE) MPI_Type_free(&type);
    }
    Side() = default;
    Side(const Side&) = delete;
    Side& operator=(const Side&) = delete;
};

void wrap(MPI_Datatype& type, const std::function<void(MPI_Datatype, MPI_Datatype*)>& make)
{
    MPI_Datatype made = MPI_DATATYPE_NULL;
    make(type, &made);
    if (type != MPI_DOUBLE) MPI_Type_free(&type);
    type = made;
}

void add(Side& side, const World& world, const Box& box, Kind kind)
{
    side.counts.push_back(box.is_empty() ? 0 : 1);
    side.displacements.push_back(0);
    MPI_Datatype& type = side.types.emplace_back(MPI_DOUBLE);
    if (box.is_empty()) return;
    const int d = world.d();
    MPI_Aint first = 0;
    for (int k = 0; k < d; ++k) first += MPI_Aint{8} * world.stride(k) * box.start[at(k)];
    if (kind == Kind::subarray_c || kind == Kind::subarray_fortran) {
        Ints sizes, subsizes, starts;
        for (const int k : world.nesting) {
            sizes.push_back(world.room(k));
            subsizes.push_back(box.size[at(k)]);
            starts.push_back(box.start[at(k)]);
        }
        if (kind == Kind::subarray_fortran)
            for (Ints* list : {&sizes, &subsizes, &starts}) std::ranges::reverse(*list);
        MPI_Type_create_subarray(d, sizes.data(), subsizes.data(), starts.data(),
                                 kind == Kind::subarray_c ? MPI_ORDER_C : MPI_ORDER_FORTRAN, MPI_DOUBLE,
                                 &type);
        MPI_Type_commit(&type);
        return;
    }
    side.displacements.back() = first;
    const int inner = world.nesting.back();
    if (kind == Kind::listing && d == 2) {
        const int outer = world.nesting[0];
        if (box.size[at(outer)] == 1) {
            side.counts.back() = box.size[at(inner)]; // a row of doubles
            return;
        }
        MPI_Type_vector(box.size[at(outer)], box.size[at(inner)], world.stride(outer), MPI_DOUBLE, &type);
        MPI_Type_commit(&type);
        return;
    }
    wrap(type,
         [&](MPI_Datatype old, MPI_Datatype* made) { MPI_Type_contiguous(box.size[at(inner)], old, made); });
    for (int i = d - 1; i-- > 0;) {
        const int k = world.nesting[at(i)];
        wrap(type, [&](MPI_Datatype old, MPI_Datatype* made) {
            MPI_Type_create_hvector(box.size[at(k)], 1, MPI_Aint{8} * world.stride(k), old, made);
        });
    }
    if (kind == Kind::disguised) {
        wrap(type, [&](MPI_Datatype old, MPI_Datatype* made) { MPI_Type_create_resized(old, 0, 8, made); });
        wrap(type, [&](MPI_Datatype old, MPI_Datatype* made) { MPI_Type_dup(old, made); });
    }
    MPI_Type_commit(&type);
}

constexpr double sentinel = -1;

/// The value of a cell at its owner.
double value(int global, int start) { return global + 0.5 + 100'000.0 * start; }

/// Number of a cell among all owned cells of the grid, wrapped around; `region` tells where it is here.
int global(const World& world, const Ints& index, Ints& region)
{
    int result = 0;
    region.clear();
    for (int k = 0; k < world.d(); ++k) {
        const Ints& layers = world.owned[at(k)];
        const int all = std::accumulate(layers.begin(), layers.end(), 0);
        const int here = world.grid.coordinate(test::rank(), k);
        const int layer = index[at(k)] - world.lower[at(k)];
        const int c = std::accumulate(layers.begin(), layers.begin() + here, 0) + layer;
        region.push_back(layer < 0                                    ? -1
                         : layer < world.mine(k)                      ? 0
                         : layer < world.mine(k) + world.upper[at(k)] ? 1
                                                                      : 9);
        result = result * all + (c % all + all) % all;
    }
    return result;
}

bool is_filled(const World& world, const Ints& region)
{
    Ints step;
    for (const int s : region) step.push_back(-s);
    return std::ranges::find(world.steps, step) != world.steps.end() &&
           world.grid.neighbor(test::rank(), region) != Grid::nowhere;
}

template <class Visit>
void for_each_cell(const World& world, Visit visit)
{
    Ints index(at(world.d()), 0);
    for (int n = 0; n < world.cells(); ++n) {
        int rest = n;
        for (int k = world.d(); k-- > 0; rest /= world.room(k)) index[at(k)] = rest % world.room(k);
        int place = 0;
        for (int k = 0; k < world.d(); ++k) place += index[at(k)] * world.stride(k);
        visit(index, place);
    }
}

bool has(const std::string& text, const char* words) { return text.find(words) != std::string::npos; }

MPI_Info info_of(const char* forward, const char* algorithm)
{
    MPI_Info info = MPI_INFO_NULL;
    MPI_Info_create(&info);
    if (forward != nullptr) MPI_Info_set(info, "ortho_forward", forward);
    if (algorithm != nullptr) MPI_Info_set(info, "ortho_algorithm", algorithm);
    return info;
}

enum class Found { taken, not_taken, not_found };

/// How the call is made.
struct How {
    Kind kind = Kind::subarray_c;
    const char* forward = "true";
    const char* algorithm = "halo_combining"; ///< else the cheaper one is taken
    Found found = Found::taken;
    std::optional<Found> by_run = std::nullopt; ///< by ORTHO_Run, if that is something else
    bool from_bottom = false;                   ///< absolute addresses
    bool own_pointers = false;                  ///< the buffers are pointers to different cells
    /// Changes what the process has, and what arrives in consequence.
    std::function<void(Side& send, Side& receive)> spoil = nullptr;
    std::function<void(const Ints& index, double& expected, int start)> expect = nullptr;
};

std::string name_of(const World& world, const How& how)
{
    std::string text = "kind " + std::to_string(static_cast<int>(how.kind)) + ", grid";
    for (int k = 0; k < world.d(); ++k)
        text += " " + std::to_string(world.grid.size(k)) + (world.grid.periodic(k) ? "p" : "m") + " (" +
                std::to_string(world.lower[at(k)]) + "+" + std::to_string(world.mine(k)) + "+" +
                std::to_string(world.upper[at(k)]) + "+" + std::to_string(world.padding[at(k)]) + ")";
    return text + ", " + std::to_string(world.steps.size()) + " steps";
}

/// Makes the request, starts it twice, and looks at the whole array.
void exchange(World& world, const How& how)
{
    std::vector<double> array(at(world.cells()), sentinel);
    ORTHO_Request request = ORTHO_REQUEST_NULL;
    {
        Side send;
        Side receive;
        for (const Ints& step : world.steps) {
            const bool moves = std::ranges::any_of(step, [](int s) { return s != 0; });
            add(send, world, moves ? world.sent(step) : Box{{}, {0}}, how.kind);
            add(receive, world, moves ? world.received(step) : Box{{}, {0}}, how.kind);
        }
        if (how.spoil) how.spoil(send, receive);
        MPI_Aint from = 0;
        MPI_Aint to = 0;
        if (how.own_pointers) from = 8 * (world.cells() - 1); // wherever they point to
        if (how.from_bottom) MPI_Get_address(array.data(), &from), from = to = -from;
        for (MPI_Aint& place : send.displacements) place -= from;
        for (MPI_Aint& place : receive.displacements) place -= to;
        MPI_Info info = info_of(how.forward, how.algorithm);
        char* const base = reinterpret_cast<char*>(array.data());
        CHECK_OK(ORTHO_Alltoallw_init(
            how.from_bottom ? MPI_BOTTOM : base + from, send.counts.data(), send.displacements.data(),
            send.types.data(), how.from_bottom ? MPI_BOTTOM : base + to, receive.counts.data(),
            receive.displacements.data(), receive.types.data(), world.comm, info, &request));
        MPI_Info_free(&info);
    }
    const std::string text = test::explanation(request);
    const std::size_t middle = text.find("and by ORTHO_Run");
    const auto check_found = [&](const std::string& section, Found found) {
        if (has(section, "chosen halo_") == (found == Found::taken) &&
            has(section, "chosen alltoall_") != (found == Found::taken) &&
            has(section, "  call: ORTHO_Alltoallw_init") &&
            has(section, "a halo exchange of one array was found") == (found != Found::not_found))
            return;
        test::fail(__FILE__, __LINE__, name_of(world, how) + ":\n" + text);
    };
    check_found(text.substr(0, middle), how.found);
    check_found(middle == std::string::npos ? text : text.substr(middle), how.by_run.value_or(how.found));

    for (int start = 0; start < 4; ++start) {
        Ints region;
        for_each_cell(world, [&](const Ints& index, int place) {
            const int number = global(world, index, region);
            array[at(place)] = region == Ints(at(world.d()), 0) ? value(number, start) : sentinel;
        });
        if (start % 2 == 0) {
            CHECK_OK(ORTHO_Start(&request));
            CHECK_OK(ORTHO_Wait(&request, MPI_STATUS_IGNORE));
        } else {
            CHECK_OK(ORTHO_Run(&request, MPI_STATUS_IGNORE));
        }
        int wrong = 0;
        for_each_cell(world, [&](const Ints& index, int place) {
            const int number = global(world, index, region);
            const bool known = region == Ints(at(world.d()), 0) || is_filled(world, region);
            double expected = known ? value(number, start) : sentinel;
            if (how.expect) how.expect(index, expected, start);
            wrong += array[at(place)] == expected ? 0 : 1;
        });
        if (wrong > 0)
            test::fail(__FILE__, __LINE__,
                       name_of(world, how) + ": " + std::to_string(wrong) + " wrong\n" + text);
    }
    CHECK_OK(ORTHO_Request_free(&request));
}

MPI_Comm graph_of(const World& world, const char* forward = nullptr)
{
    Ints sizes, periods, offsets;
    for (int k = 0; k < world.d(); ++k) {
        sizes.push_back(world.grid.size(k));
        periods.push_back(world.grid.periodic(k) ? 1 : 0);
    }
    for (const Ints& step : world.steps) offsets.insert(offsets.end(), step.begin(), step.end());
    MPI_Info info = info_of(forward, nullptr);
    MPI_Comm comm = MPI_COMM_NULL;
    CHECK_OK(ORTHO_Cart_neighborhood_create(MPI_COMM_WORLD, world.d(), sizes.data(), periods.data(),
                                            static_cast<int>(world.steps.size()), offsets.data(),
                                            MPI_UNWEIGHTED, info, 0, &comm));
    MPI_Info_free(&info);
    return comm;
}

std::vector<Ints> moore(int d) { return cases::box(d, -1, 1); }

std::vector<Ints> faces(int d)
{
    std::vector<Ints> result = moore(d);
    std::erase_if(result, [](const Ints& step) {
        return std::ranges::count(step, 0) + 1 != static_cast<std::ptrdiff_t>(step.size());
    });
    return result;
}

/// Does anything travel?
bool is_anything(const World& world)
{
    return std::ranges::any_of(world.steps, [&](const Ints& step) {
        bool somewhere = std::ranges::any_of(step, [](int s) { return s != 0; });
        for (int k = 0; k < world.d(); ++k) {
            const int s = step[at(k)];
            if (s != 0 && world.grid.size(k) == 1 && !world.grid.periodic(k)) somewhere = false;
            if ((s > 0 && world.lower[at(k)] == 0) || (s < 0 && world.upper[at(k)] == 0)) somewhere = false;
        }
        return somewhere;
    });
}

World world_of(const Ints& sizes, const std::vector<char>& periods, std::vector<Ints> steps,
               const Ints& lower, const Ints& upper)
{
    const std::size_t d = sizes.size();
    World world{Grid(sizes, periods), std::move(steps), lower, upper, Ints(d, 0), {}, Ints(d), MPI_COMM_NULL};
    std::iota(world.nesting.begin(), world.nesting.end(), 0);
    for (std::size_t k = 0; k < d; ++k) {
        Ints& layers = world.owned.emplace_back();
        for (int c = 0; c < sizes[k]; ++c) layers.push_back(4 + (c + static_cast<int>(k)) % 3);
    }
    return world;
}

/// The sizes of all grids of the processes in d dimensions.
std::vector<Ints> all_sizes(int d, int processes)
{
    if (d == 1) return {{processes}};
    std::vector<Ints> result;
    for (int first = 1; first <= processes; ++first) {
        if (processes % first != 0) continue;
        for (Ints rest : all_sizes(d - 1, processes / first)) {
            rest.insert(rest.begin(), first);
            result.push_back(rest);
        }
    }
    return result;
}

void grids()
{
    std::size_t kind = 0;
    int skipped = 0;
    for (int d = 1; d <= 3; ++d) {
        for (const Ints& sizes : all_sizes(d, test::size())) {
            for (int mask = 0; mask < 1 << d; ++mask) {
                std::vector<char> periods;
                for (int k = 0; k < d; ++k) periods.push_back(static_cast<char>(mask >> k & 1));
                for (const bool all : {false, true}) {
                    // A part of them where there are many.
                    if (d == 3 && test::size() > 4 && ++skipped % 3 != 0) continue;
                    const int deep = 1 + (mask + (all ? 1 : 0)) % 2;
                    World world = world_of(sizes, periods, all ? moore(d) : faces(d), Ints(at(d), deep),
                                           Ints(at(d), 1 + mask % 3));
                    world.comm = graph_of(world);
                    How how{.kind = kinds[kind++ % std::size(kinds)]};
                    if (!is_anything(world)) how.found = Found::not_found;
                    exchange(world, how);
                    MPI_Comm_free(&world.comm);
                }
            }
        }
    }
}

void random(Random& random)
{
    for (int n = cases::times(60); n > 0; --n) {
        const int d = uniform(random, 1, 3);
        const auto choices = all_sizes(d, test::size());
        const Ints sizes = choices[at(uniform(random, 0, static_cast<int>(choices.size()) - 1))];
        std::vector<char> periods;
        World world = world_of(sizes, std::vector<char>(at(d), 0), {}, {}, {});
        for (int k = 0; k < d; ++k) {
            periods.push_back(static_cast<char>(uniform(random, 0, 1)));
            world.lower.push_back(uniform(random, 0, 3));
            world.upper.push_back(uniform(random, 0, 3));
            world.padding[at(k)] = uniform(random, 0, 3) == 0 ? uniform(random, 1, 3) : 0;
            const bool has_ghosts = world.lower[at(k)] + world.upper[at(k)] > 0;
            const int all_own = uniform(random, 4, 7); // without ghosts it is part of the dimension outside
            for (int& layers : world.owned[at(k)]) layers = has_ghosts ? uniform(random, 4, 7) : all_own;
        }
        world.grid = Grid(sizes, periods);
        // Faces, and any others that lie between them, in any order.
        const bool all = uniform(random, 0, 1) == 0;
        world.steps = faces(d);
        for (const Ints& step : moore(d))
            if (std::ranges::find(world.steps, step) == world.steps.end() &&
                (all || uniform(random, 0, 1) == 0))
                world.steps.push_back(step);
        std::ranges::shuffle(world.steps, random);
        // With ghosts in all dimensions memory need not be in the grid's order: else one process may take it
        // for another.
        const bool all_have_ghosts = std::ranges::count(world.lower, 0) +
                                         std::ranges::count(world.upper, 0) ==
                                     0;
        if (all_have_ghosts && uniform(random, 0, 1) == 0) std::ranges::shuffle(world.nesting, random);
        world.comm = graph_of(world);
        How how{.kind = kinds[uniform(random, 0, 4)]};
        how.own_pointers = uniform(random, 0, 3) == 0;
        how.from_bottom = uniform(random, 0, 3) == 0 && !how.own_pointers;
        if (!is_anything(world)) how.found = Found::not_found;
        exchange(world, how);
        MPI_Comm_free(&world.comm);
    }
}

/// Calls that are no halo exchange, or must not be taken for one.
void others()
{
    Ints sizes(2, 0);
    MPI_Dims_create(test::size(), 2, sizes.data());
    const auto make = [&](const std::vector<Ints>& steps) {
        World world = world_of(sizes, {1, 1}, steps, {1, 1}, {1, 1});
        world.comm = graph_of(world);
        return world;
    };
    const bool last = test::rank() == test::size() - 1;
    {
        World world = make(moore(2));
        exchange(world, {.forward = nullptr, .found = Found::not_found, .by_run = Found::taken});
        exchange(world,
                 {.forward = last ? "false" : "true", .found = Found::not_found, .by_run = Found::taken});
        exchange(world, {.algorithm = "alltoall_direct", .found = Found::not_found});
        exchange(world, {.algorithm = "alltoall_direct, halo_combining", .found = Found::not_found});
        exchange(world, {.algorithm = "measure", .found = Found::not_found});
        exchange(world, {.algorithm = "halo_direct"});
        exchange(world, {.algorithm = "allgather_direct, halo_combining"});

        // Bytes one by one, on one process: the same, but who would know?
        const auto index = [&](Side& side) {
            for (std::size_t i = 0; i < side.types.size(); ++i) {
                if (side.counts[i] == 0) continue;
                const int one = 1;
                const MPI_Aint nowhere = 0;
                wrap(side.types[i], [&](MPI_Datatype old, MPI_Datatype* made) {
                    MPI_Type_create_hindexed(1, &one, &nowhere, old, made);
                });
                MPI_Type_commit(&side.types[i]);
            }
        };
        exchange(world, {.found = Found::not_found, .spoil = [&](Side& send, Side& receive) {
                             if (!last) return;
                             index(send);
                             index(receive);
                         }});

        // Another cell in place of one of a corner, on one process.
        const auto corner = std::ranges::find(world.steps, Ints{1, 1}) - world.steps.begin();
        const int receiver = world.grid.neighbor(test::size() - 1, Ints{1, 1});
        const auto expect = [&](const Ints& place, double& expected, int start) {
            if (test::rank() != receiver || place != Ints{0, 0}) return;
            // The cell before that: its number is one less, since rows are last.
            Ints region;
            const int number = global(world, place, region);
            expected = value(number - 1, start);
        };
        exchange(world, {.found = Found::not_found,
                         .spoil =
                             [&](Side& send, Side&) {
                                 if (last) send.displacements[at(static_cast<int>(corner))] -= 8;
                             },
                         .expect = expect});

        // Two corners that have changed places, everywhere: blocks fit, and are those of other regions.
        const auto first = std::ranges::find(world.steps, Ints{-1, -1}) - world.steps.begin();
        exchange(world, {.found = Found::not_found,
                         .spoil =
                             [&](Side&, Side& receive) {
                                 std::swap(receive.types[at(static_cast<int>(first))],
                                           receive.types[at(static_cast<int>(corner))]);
                             },
                         .expect =
                             [&](const Ints& place, double& expected, int start) {
                                 const Ints high{world.mine(0) + 1, world.mine(1) + 1};
                                 if (place != Ints{0, 0} && place != high) return;
                                 Ints region;
                                 const Ints other = place == high ? Ints{0, 0} : high;
                                 expected = value(global(world, other, region), start);
                             }});

        // Nothing at all.
        exchange(world, {.found = Found::not_found,
                         .spoil =
                             [](Side& send, Side& receive) {
                                 std::ranges::fill(send.counts, 0);
                                 std::ranges::fill(receive.counts, 0);
                             },
                         .expect =
                             [&](const Ints& place, double& expected, int) {
                                 Ints region;
                                 global(world, place, region);
                                 if (region != Ints{0, 0}) expected = sentinel;
                             }});
        MPI_Comm_free(&world.comm);
    }
    {
        std::vector<Ints> corners = moore(2);
        std::erase_if(corners, [](const Ints& step) { return step[0] == 0 || step[1] == 0; });
        World world = make(corners);
        exchange(world, {.found = Found::not_found});
        MPI_Comm_free(&world.comm);
    }
    {
        // One more edge, without data.
        World world = make(moore(2));
        world.steps.push_back({1, 0});
        MPI_Comm_free(&world.comm);
        world.comm = graph_of(world);
        exchange(world, {.spoil = [&](Side& send, Side& receive) {
                     send.counts.back() = receive.counts.back() = 0;
                 }});
        MPI_Comm_free(&world.comm);
    }
}

/// A ring of arrays of which every other one has the shape of its faces the other way round: a legal exchange
/// of as many elements, which a halo exchange has no meaning for, and no error.
void shapes_differ()
{
    const int p = test::size();
    const int me = test::rank();
    const int left = (me + p - 1) % p;
    World world = world_of({p, 1, 1}, {1, 0, 0}, {{1, 0, 0}, {-1, 0, 0}}, {1, 0, 0}, {1, 0, 0});
    world.comm = graph_of(world);
    world.padding = {0, 1, 1};
    const auto turn = [&](int process) {
        world.owned[1] = {process % 2 == 0 ? 3 : 4};
        world.owned[2] = {process % 2 == 0 ? 4 : 3};
    };
    turn(me);
    std::vector<double> array(at(world.cells()), sentinel);
    Side send;
    Side receive;
    for (const Ints& step : world.steps) {
        add(send, world, world.sent(step), Kind::subarray_c);
        add(receive, world, world.received(step), Kind::subarray_c);
    }
    // A cell by its layer and its number in there.
    const auto cell = [&](int layer, int n) -> double& {
        return array[at(layer * world.stride(0) + n / world.mine(2) * world.stride(1) + n % world.mine(2))];
    };
    MPI_Info info = info_of("true", "halo_combining");
    ORTHO_Request request = ORTHO_REQUEST_NULL;
    CHECK_OK(ORTHO_Alltoallw_init(array.data(), send.counts.data(), send.displacements.data(),
                                  send.types.data(), array.data(), receive.counts.data(),
                                  receive.displacements.data(), receive.types.data(), world.comm, info,
                                  &request));
    MPI_Info_free(&info);
    CHECK_EQ(has(test::explanation(request), "halo exchange"), p == 1);
    for (int start = 0; start < 2; ++start) {
        for (int n = 0; n < 12; ++n) {
            cell(1, n) = value(100 * me + n, start);
            cell(world.mine(0), n) = value(100 * me + 50 + n, start);
        }
        CHECK_OK(ORTHO_Start(&request));
        CHECK_OK(ORTHO_Wait(&request, MPI_STATUS_IGNORE));
        for (int n = 0; n < 12; ++n) {
            CHECK_EQ(cell(0, n), value(100 * left + 50 + n, start));
            CHECK_EQ(cell(world.mine(0) + 1, n), value(100 * ((me + 1) % p) + n, start));
        }
    }
    CHECK_OK(ORTHO_Request_free(&request));
    MPI_Comm_free(&world.comm);
}

/// Without a name the model decides.
void prices()
{
    // In a ring the halo takes as many messages as anything.
    World line = world_of({test::size()}, {1}, faces(1), {1}, {1});
    line.comm = graph_of(line, "true"); // the promise may be the communicator's
    exchange(line, {.forward = nullptr, .algorithm = nullptr, .found = Found::not_taken});
    exchange(line, {.forward = nullptr});
    MPI_Comm_free(&line.comm);
    if (test::size() < 6) return;
    // Here it has 4 in place of 5 or more, on a machine on which nothing else costs.
    const std::string file = "alltoallw_halo_test." + std::to_string(getpid()) + ".tune";
    if (test::rank() == 0) {
        std::ofstream(file)
            << "node.send_ps 1000000\nnode.latency_ps 0\nnetwork.send_ps 1000000\nnetwork.latency_ps 0\n"
               "node.switch_ps 0\nshared.switch_ps 0\nnetwork.switch_ps 0\n";
        setenv("ORTHO_TUNE", file.c_str(), 1);
    }
    Ints sizes(2, 0);
    MPI_Dims_create(test::size(), 2, sizes.data());
    World plane = world_of(sizes, {1, 1}, moore(2), {2, 2}, {2, 2});
    plane.comm = graph_of(plane);
    if (test::rank() == 0) {
        unsetenv("ORTHO_TUNE");
        std::remove(file.c_str());
    }
    exchange(plane, {.algorithm = nullptr, .found = sizes[1] > 1 ? Found::taken : Found::not_taken});
    MPI_Comm_free(&plane.comm);
}

} // namespace

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    grids();
    Random generator(static_cast<unsigned>(test::given("ORTHO_TEST_SEED", 1)));
    for (int n = test::given("ORTHO_TEST_REPEATS", 1); n > 0; --n) random(generator);
    others();
    shapes_differ();
    prices();
    return test::finish();
}
