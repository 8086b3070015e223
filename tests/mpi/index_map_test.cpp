// SPDX-License-Identifier: BSD-3-Clause
// Random index maps: ghosts get the values of their elements, and are reduced into them, against arithmetic;
// fields of several types, rebound arrays, global numbers, holders; what is wrong.

using Counts = std::vector<MPI_Count>;

namespace {

/// The elements that each process owns, and its ghosts; all processes know them.
struct Mesh {
    std::vector<int> owned;
    std::vector<Ints> owners;    ///< by process and ghost
    std::vector<Counts> indices; ///< likewise

    Mesh(Random& random, int processes)
    {
        for (int r = 0; r < processes; ++r)
            owned.push_back(uniform(random, 0, 3) == 0 ? 0 : uniform(random, 1, 30));
        for (int r = 0; r < processes; ++r) {
            Ints& mine = owners.emplace_back();
            Counts& places = indices.emplace_back();
            const bool in_rows = uniform(random, 0, 1) != 0; // as structured parts of meshes have
            for (int n = uniform(random, 0, 2) == 0 ? 0 : uniform(random, 0, 40); n > 0; --n) {
                const int owner = uniform(random, 0, processes - 1);
                if (owned[at(owner)] == 0) continue;
                const int first = uniform(random, 0, owned[at(owner)] - 1);
                const int last = in_rows ? std::min(first + 20, owned[at(owner)] - 1) : first;
                for (int i = first; i <= last; ++i) {
                    mine.push_back(owner);
                    places.push_back(i);
                }
            }
        }
    }
    int ghosts(int rank) const { return static_cast<int>(owners[at(rank)].size()); }
};

constexpr int untouched = -99;

/// An element: an int, two of them with a gap behind each, two of them, a double, or three doubles.
struct Element {
    MPI_Datatype type = MPI_INT;
    std::size_t ints = 1; ///< from one element to the next
    std::size_t step = 1; ///< from one int to the next
    bool doubles = false;

    /// The content of int i of the element that has this number.
    int holds(std::size_t i, int number) const
    {
        if (doubles) return std::bit_cast<std::array<int, 2>>(static_cast<double>(number))[i % 2];
        return i % step != 0 ? untouched : i == 2 ? -number : number;
    }
};

struct Elements {
    Element number(int i) const
    {
        const Element all[] = {{}, {gaps, 4, 2}, {pair, 2}, {MPI_DOUBLE, 2, 1, true}, {three, 6, 1, true}};
        return all[i];
    }
    test::Type gaps = test::strided_ints(2, 1, 2, 4);
    test::Type pair = test::committed(MPI_Type_contiguous, 2, MPI_INT);
    test::Type three = test::committed(MPI_Type_contiguous, 3, MPI_DOUBLE);
};

int value(int field, int rank, MPI_Count element, int turn)
{
    return field * 10'000'000 + turn * 1'000'000 + rank * 1000 + static_cast<int>(element);
}

/// The arrays of one field.
struct Field {
    Element element;
    Ints owned, ghosts;

    Field(Element its, int nowned, int nghosts)
        : element(its),
          owned(at(nowned) * its.ints, untouched),
          ghosts(at(nghosts) * its.ints, untouched)
    {}
    void set(Ints& list, MPI_Count place, int number) const
    {
        for (std::size_t i = 0; i < element.ints; ++i)
            list[static_cast<std::size_t>(place) * element.ints + i] = element.holds(i, number);
    }
    void expect(const Ints& list, MPI_Count place, int number) const
    {
        for (std::size_t i = 0; i < element.ints; ++i)
            CHECK_EQ(list[static_cast<std::size_t>(place) * element.ints + i], element.holds(i, number));
    }
};

/// Fields of these kinds of elements, and lists of their arrays.
struct Fields {
    std::vector<Field> all;
    std::vector<void*> owned, ghosts;
    std::vector<MPI_Datatype> types;

    Fields(const Mesh& mesh, const Ints& kinds, const Elements& elements, int me)
    {
        for (const int kind : kinds)
            all.emplace_back(elements.number(kind), mesh.owned[at(me)], mesh.ghosts(me));
        for (Field& field : all) {
            owned.push_back(field.owned.data());
            ghosts.push_back(field.ghosts.data());
            types.push_back(field.element.type);
        }
    }
    Field& operator[](int f) { return all[at(f)]; }
};

/// The three ways to say which elements are ghosts.
enum class By { owner, number, id };

/// Ids for n elements: in no order, with gaps, some of them large.
Counts random_ids(Random& random, MPI_Count n)
{
    Counts ids;
    for (MPI_Count i = 0; i < n; ++i) ids.push_back(uniform(random, 0, 1) == 0 ? 3 * i : (i << 40) + 1);
    std::ranges::shuffle(ids, random);
    return ids;
}

ORTHO_Index_map make_map(const Mesh& mesh, By by, MPI_Comm comm, Random& random)
{
    const int me = test::rank(comm);
    const Ints& owners = mesh.owners[at(me)];
    ORTHO_Index_map map = ORTHO_INDEX_MAP_NULL;
    if (by == By::owner) {
        CHECK_OK(ORTHO_Index_map_create(mesh.owned[at(me)], mesh.ghosts(me), owners.data(),
                                        mesh.indices[at(me)].data(), comm, MPI_INFO_NULL, &map));
        return map;
    }
    Counts first{0};
    for (const int n : mesh.owned) first.push_back(first.back() + n);
    Counts numbers;
    for (std::size_t g = 0; g < owners.size(); ++g)
        numbers.push_back(first[at(owners[g])] + mesh.indices[at(me)][g]);
    if (by == By::id) {
        const Counts ids = random_ids(random, first.back());
        for (MPI_Count& number : numbers) number = ids[static_cast<std::size_t>(number)];
        CHECK_OK(ORTHO_Index_map_create_ids(mesh.owned[at(me)], ids.data() + first[at(me)], mesh.ghosts(me),
                                            numbers.data(), comm, MPI_INFO_NULL, &map));
        return map;
    }
    CHECK_OK(ORTHO_Index_map_create_global(mesh.owned[at(me)], mesh.ghosts(me), numbers.data(), comm,
                                           MPI_INFO_NULL, &map));
    return map;
}

void fill(const Mesh& mesh, ORTHO_Index_map map, const Ints& kinds, const Elements& elements, MPI_Comm comm,
          Random& random)
{
    const int me = test::rank(comm), n = static_cast<int>(kinds.size());
    Fields fields[] = {{mesh, kinds, elements, me}, {mesh, kinds, elements, me}};
    test::Request request;
    CHECK_OK(ORTHO_Ghosts_init(n, fields[0].owned.data(), fields[0].ghosts.data(), fields[0].types.data(),
                               map, MPI_INFO_NULL, &request));
    for (int turn = 0; turn < 4; ++turn) {
        Fields& now = fields[turn % 2];
        CHECK_OK(ORTHO_Ghosts_rebind(request, n, now.owned.data(), now.ghosts.data()));
        for (int f = 0; f < n; ++f)
            for (int i = 0; i < mesh.owned[at(me)]; ++i) now[f].set(now[f].owned, i, value(f, me, i, turn));
        CHECK_OK(test::execute(&request, uniform(random, 0, 1) == 0));
        for (int f = 0; f < n; ++f)
            for (int g = 0; g < mesh.ghosts(me); ++g)
                now[f].expect(now[f].ghosts, g,
                              value(f, mesh.owners[at(me)][at(g)], mesh.indices[at(me)][at(g)], turn));
    }
    CHECK(!test::explanation(request).empty());
}

void add_pairs(void* in, void* inout, int* n, MPI_Datatype*)
{
    const auto* const a = static_cast<const int*>(in);
    auto* const b = static_cast<int*>(inout);
    for (int i = 0; i < *n; ++i) {
        b[4 * i] += a[4 * i];
        b[4 * i + 2] += a[4 * i + 2];
    }
}

enum class Op { sum, max, replace };

void reduce(const Mesh& mesh, ORTHO_Index_map map, const Ints& kinds, const Elements& elements, MPI_Comm comm,
            Op which)
{
    const int me = test::rank(comm), n = static_cast<int>(kinds.size());
    Fields fields(mesh, kinds, elements, me);
    MPI_Op op = which == Op::sum ? MPI_SUM : which == Op::max ? MPI_MAX : MPI_REPLACE;
    const bool is_own = which == Op::sum && std::ranges::find(kinds, 1) != kinds.end();
    if (is_own && n == 1) MPI_Op_create(add_pairs, 1, &op);
    if (is_own && n > 1) return; // no operator is for both
    if (which == Op::max && std::ranges::find(kinds, 1) != kinds.end()) return;
    test::Request request;
    CHECK_OK(ORTHO_Ghosts_reduce_init(n, fields.ghosts.data(), fields.owned.data(), fields.types.data(), op,
                                      map, MPI_INFO_NULL, &request));
    for (int turn = 0; turn < 2; ++turn) {
        for (int f = 0; f < n; ++f) {
            Field& field = fields[f];
            for (int i = 0; i < mesh.owned[at(me)]; ++i) field.set(field.owned, i, value(f, me, i, turn));
            for (int g = 0; g < mesh.ghosts(me); ++g) field.set(field.ghosts, g, value(f, me + 50, g, turn));
        }
        CHECK_OK(test::execute(&request, turn == 0));
        for (int f = 0; f < n; ++f) {
            Ints expected;
            for (int i = 0; i < mesh.owned[at(me)]; ++i) expected.push_back(value(f, me, i, turn));
            for (int r = 0; r < std::ssize(mesh.owned); ++r)
                for (int g = 0; g < mesh.ghosts(r); ++g) {
                    if (mesh.owners[at(r)][at(g)] != me) continue;
                    int& at_owner = expected[static_cast<std::size_t>(mesh.indices[at(r)][at(g)])];
                    const int ghost = value(f, r + 50, g, turn);
                    at_owner = which == Op::sum   ? at_owner + ghost
                               : which == Op::max ? std::max(at_owner, ghost)
                                                  : ghost; // the last by rank and ghost
                }
            Field& field = fields[f];
            for (int i = 0; i < mesh.owned[at(me)]; ++i) field.expect(field.owned, i, expected[at(i)]);
            for (int g = 0; g < mesh.ghosts(me); ++g)
                field.expect(field.ghosts, g, value(f, me + 50, g, turn));
        }
    }
    if (is_own) MPI_Op_free(&op);
}

void holders(const Mesh& mesh, ORTHO_Index_map map, MPI_Comm comm)
{
    const int me = test::rank(comm);
    for (int i = 0; i < mesh.owned[at(me)]; ++i) {
        Ints ranks;
        Counts ghosts;
        for (int r = 0; r < std::ssize(mesh.owned); ++r)
            for (int g = 0; g < mesh.ghosts(r); ++g)
                if (mesh.owners[at(r)][at(g)] == me && mesh.indices[at(r)][at(g)] == i) {
                    ranks.push_back(r);
                    ghosts.push_back(g);
                }
        int n = -1;
        CHECK_OK(ORTHO_Index_map_holders(map, i, 0, nullptr, nullptr, &n));
        CHECK_EQ(n, static_cast<int>(ranks.size()));
        Ints found(ranks.size() + 1, -7);
        Counts found_ghosts(ranks.size() + 1, -7);
        CHECK_OK(ORTHO_Index_map_holders(map, i, n, found.data(), found_ghosts.data(), &n));
        CHECK(std::equal(ranks.begin(), ranks.end(), found.begin()));
        CHECK(std::equal(ghosts.begin(), ghosts.end(), found_ghosts.begin()));
        CHECK_EQ(found.back(), -7);
    }
    MPI_Comm graph = MPI_COMM_NULL;
    CHECK_OK(ORTHO_Index_map_graph(map, &graph));
    const std::set<int> owners(mesh.owners[at(me)].begin(), mesh.owners[at(me)].end());
    CHECK_EQ(test::edges(graph)[0], static_cast<int>(owners.size()));
}

void errors(MPI_Comm comm)
{
    const int p = test::size(comm), last = p - 1;
    const bool is_last = test::rank(comm) == last;
    ORTHO_Index_map map = ORTHO_INDEX_MAP_NULL;
    int owner = is_last ? p : 0;
    MPI_Count index = 0;
    const auto create = [&](MPI_Count owned = 2, MPI_Count ghosts = 1) {
        return ORTHO_Index_map_create(owned, ghosts, &owner, &index, comm, MPI_INFO_NULL, &map);
    };
    refused(create(), MPI_ERR_RANK, "owners[0] = " + std::to_string(p));
    owner = 0;
    index = is_last ? 2 : 0;
    refused(create(), MPI_ERR_ARG,
            "ghost 0 of rank " + std::to_string(last) + " is element 2 of rank 0, which owns 2");
    index = is_last ? -1 : 0;
    refused(create(), MPI_ERR_ARG, "indices[0]: there is no element -1; the first one is element 0");
    index = 0;
    refused(create(is_last ? -2 : 2), MPI_ERR_COUNT, "nowned = -2 is negative");
    MPI_Count number = is_last ? 2 * p : 0;
    refused(ORTHO_Index_map_create_global(2, 1, &number, comm, MPI_INFO_NULL, &map), MPI_ERR_ARG,
            "numbers[0]: element " + std::to_string(2 * p) + " is none of " + std::to_string(2 * p) +
                " elements");
    CHECK(map == ORTHO_INDEX_MAP_NULL);
    CHECK_OK(create());

    int data[3] = {1, 2, 3};
    const void* owned = data;
    void* ghosts = data + 2;
    MPI_Datatype type = MPI_INT;
    ORTHO_Request request = ORTHO_REQUEST_NULL;
    const auto init = [&](int fields) {
        return ORTHO_Ghosts_init(fields, &owned, &ghosts, &type, map, MPI_INFO_NULL, &request);
    };
    refused(init(is_last ? 0 : 1), MPI_ERR_COUNT, "nfields = 0");
    type = is_last ? MPI_DATATYPE_NULL : MPI_INT;
    refused(init(1), MPI_ERR_TYPE, "elements[0] is MPI_DATATYPE_NULL");
    if (p > 1) {
        type = is_last ? MPI_DOUBLE : MPI_INT;
        refused(init(1), ORTHO_ERR_MISMATCH, "elements[0] has 4 bytes on rank 0, and 8 on rank");
    }
    type = MPI_INT;
    if (p > 1) {
        const void* two_owned[] = {data, data};
        void* two_ghosts[] = {data + 2, data + 2};
        const MPI_Datatype two_types[] = {MPI_INT, MPI_INT};
        refused(ORTHO_Ghosts_init(is_last ? 1 : 2, two_owned, two_ghosts, two_types, map, MPI_INFO_NULL,
                                  &request),
                ORTHO_ERR_MISMATCH, "nfields is 2 on rank 0, and 1 on rank");
    }
    owned = is_last ? nullptr : data;
    refused(init(1), MPI_ERR_BUFFER, "owned[0] is a null pointer");
    owned = data;
    CHECK_OK(init(1));
    void* one[] = {data, data};
    refused(ORTHO_Ghosts_rebind(request, 2, one, one), MPI_ERR_ARG, "nfields = 2 of an exchange of 1 fields");
    refused(ORTHO_Request_rebind(request, data, data), MPI_ERR_REQUEST, "ORTHO_Ghosts_rebind");
    refused(ORTHO_Halo_rebind(request, 1, one), MPI_ERR_REQUEST, "no halo exchange");
    int n = 0;
    refused(ORTHO_Index_map_holders(map, 2, 0, nullptr, nullptr, &n), MPI_ERR_ARG,
            "element 2 is none of 2 owned elements");
    // The request lives on.
    ORTHO_Index_map copy = map;
    CHECK_OK(ORTHO_Index_map_free(&map));
    CHECK(map == ORTHO_INDEX_MAP_NULL);
    refused(ORTHO_Index_map_free(&copy), MPI_ERR_ARG, "was freed");
    CHECK_OK(ORTHO_Run(&request, MPI_STATUS_IGNORE));
    CHECK_EQ(data[2], 1);
    CHECK_OK(ORTHO_Request_free(&request));
    refused(ORTHO_Ghosts_init(1, &owned, &ghosts, &type, map, MPI_INFO_NULL, &request), MPI_ERR_ARG,
            "map is no index map");
}

void errors_of_ids(MPI_Comm comm)
{
    const int p = test::size(comm), r = test::rank(comm);
    ORTHO_Index_map map = ORTHO_INDEX_MAP_NULL;
    Counts ids{10 * r + 7, 10 * r + 2}, ghosts{10 * ((r + 1) % p) + 7};
    const auto create = [&](MPI_Count n = 2) {
        return ORTHO_Index_map_create_ids(n, ids.data(), 1, ghosts.data(), comm, MPI_INFO_NULL, &map);
    };
    const std::string last = std::to_string(p - 1);
    const bool is_last = r == p - 1;
    const auto refused_as_on_last = [&](Counts& list, std::size_t i, MPI_Count wrong,
                                        const std::string& words) {
        const MPI_Count right = list[i];
        if (is_last) list[i] = wrong;
        refused(create(), MPI_ERR_ARG, words);
        list[i] = right;
    };
    refused_as_on_last(ids, 1, -3, "ids[1] = -3 is negative");
    refused_as_on_last(ghosts, 0, -4, "ghost_ids[0] = -4 is negative");
    refused_as_on_last(ghosts, 0, 5, "ghost_ids[0]: id 5 is owned by no process");
    if (p > 1)
        refused_as_on_last(ids, 0, 2, "id 2 is owned twice: ids[1] on rank 0 and ids[0] on rank " + last);
    refused_as_on_last(ids, 0, 10 * r + 2,
                       "id " + std::to_string(10 * (p - 1) + 2) + " is owned twice: ids[0] on rank " + last +
                           " and ids[1] on rank " + last);
    refused(create(is_last ? -2 : 2), MPI_ERR_COUNT, "nowned = -2 is negative");
    refused(ORTHO_Index_map_create_ids(2, is_last ? nullptr : ids.data(), 1, ghosts.data(), comm,
                                       MPI_INFO_NULL, &map),
            MPI_ERR_ARG, "ids is a null pointer");
    CHECK_OK(create());
    CHECK_OK(ORTHO_Index_map_free(&map));
}

} // namespace

TEST_MAIN()
{
    Random random(static_cast<unsigned>(test::given("ORTHO_TEST_SEED", 4711)));
    const int repeats = test::given("ORTHO_TEST_REPEATS", test::times(40));
    {
        const Elements elements;
        for (int repeat = 0; repeat < repeats; ++repeat) {
            // On nodes that are none, now and then: messages between them travel together.
            const bool by_wires = repeat % 3 == 2 && test::size() > 2;
            by_wires ? setenv("ORTHO_NODES", repeat % 2 == 0 ? "2" : "1,2", 1) : unsetenv("ORTHO_NODES");
            by_wires ? setenv("ORTHO_ALGORITHM", "alltoall_node_wires", 1) : unsetenv("ORTHO_ALGORITHM");
            const Mesh mesh(random, test::size());
            ORTHO_Index_map map = make_map(mesh, static_cast<By>(uniform(random, 0, 2)), MPI_COMM_WORLD,
                                           random);
            Ints kinds;
            for (int n = uniform(random, 1, 3); n > 0; --n) kinds.push_back(uniform(random, 0, 4));
            fill(mesh, map, kinds, elements, MPI_COMM_WORLD, random);
            for (const Op op : {Op::sum, Op::max, Op::replace})
                reduce(mesh, map, kinds, elements, MPI_COMM_WORLD, op);
            holders(mesh, map, MPI_COMM_WORLD);
            CHECK_OK(ORTHO_Index_map_free(&map));
        }
    }
    unsetenv("ORTHO_NODES");
    unsetenv("ORTHO_ALGORITHM");
    test::return_errors(MPI_COMM_NULL);
    errors(MPI_COMM_WORLD);
    errors_of_ids(MPI_COMM_WORLD);
}
