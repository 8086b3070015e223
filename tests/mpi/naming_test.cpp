// SPDX-License-Identifier: BSD-3-Clause
// Names: every call of the header's section, against arithmetic done here, errors included.

namespace {

using test::name;

constexpr int null = MPI_PROC_NULL;

bool says(const char* what) { return message().find(what) != std::string::npos; }

Ints coordinates(MPI_Comm comm, int rank)
{
    Ints result(2);
    CHECK_OK(ORTHO_Cart_coordinates(comm, rank, result.data()));
    return result;
}

int relative_rank(MPI_Comm comm, int rank, const Ints& offset)
{
    int result = -5;
    CHECK_OK(ORTHO_Cart_relative_rank(comm, rank, offset.data(), &result));
    return result;
}

/// All of it on a grid of p points, in both orders, with and without periods.
void ranks_and_coordinates(MPI_Comm comm)
{
    const int p = test::size(comm);
    for (const int dimorder : {ORTHO_ROWMAJOR, ORTHO_COLMAJOR})
        for (int rows = 1; rows <= p; ++rows) {
            if (p % rows != 0) continue;
            const int columns = p / rows;
            for (int periods = 0; periods < 4; ++periods) {
                const bool wraps[] = {(periods & 1) != 0, (periods & 2) != 0};
                CHECK_EQ(name(comm, {rows, columns}, {wraps[0] ? 5 : 0, wraps[1] ? -1 : 0}, dimorder), p);
                const auto rank_of = [&](long long r, long long c) {
                    if (wraps[0]) r = (r % rows + rows) % rows;
                    if (wraps[1]) c = (c % columns + columns) % columns;
                    if (r < 0 || r >= rows || c < 0 || c >= columns) return null;
                    return static_cast<int>(dimorder == ORTHO_ROWMAJOR ? r * columns + c : c * rows + r);
                };
                for (int rank = 0; rank < p; ++rank) {
                    const Ints here = coordinates(comm, rank);
                    CHECK_EQ(rank_of(here[0], here[1]), rank);
                    for (int a = -rows - 1; a <= rows + 1; ++a)
                        for (int b = -2; b <= 2; ++b) {
                            const Ints offset{a, b};
                            int result = relative_rank(comm, rank, offset);
                            CHECK_EQ(result, rank_of(here[0] + a, here[1] + b));
                            int in = -5, out = -5;
                            CHECK_OK(ORTHO_Cart_relative_shift(comm, rank, offset.data(), &in, &out));
                            CHECK_EQ(in, rank_of(here[0] - a, here[1] - b));
                            CHECK_EQ(out, result);
                            CHECK_OK(ORTHO_Cart_allranks_relative(comm, rank, 1, offset.data(), &result));
                            CHECK_EQ(result, out);
                        }
                }
                const Ints some{-1, 0, 0, -1, rows, 0, 0, columns, INT_MIN, INT_MAX, 0, 0};
                Ints ranks(6, -5);
                CHECK_OK(ORTHO_Cart_allranks(comm, 6, some.data(), ranks.data()));
                for (std::size_t i = 0; i < 6; ++i) {
                    CHECK_EQ(ranks[i], rank_of(some[2 * i], some[2 * i + 1]));
                    int one = -5;
                    CHECK_OK(ORTHO_Cart_rank(comm, &some[2 * i], &one));
                    CHECK_EQ(one, ranks[i]);
                }
                for (const int a : {INT_MIN, INT_MAX}) { // O(1), no overflow
                    const Ints last = coordinates(comm, p - 1);
                    CHECK_EQ(
                        relative_rank(comm, p - 1, {a, a}),
                        rank_of(static_cast<long long>(last[0]) + a, static_cast<long long>(last[1]) + a));
                }
            }
        }
}

void relative_coordinates(MPI_Comm comm)
{
    const int p = test::size(comm);
    for (const bool wraps : {false, true}) {
        name(comm, {p}, {wraps ? 1 : 0});
        for (int a = 0; a < p; ++a)
            for (int b = 0; b < p; ++b) {
                int offset = -999;
                CHECK_OK(ORTHO_Cart_relative_coordinates(comm, a, b, &offset));
                int expected = b - a;
                if (wraps) {
                    expected = (expected % p + p) % p;
                    if (2 * expected > p) expected -= p; // in (-p/2, p/2]
                }
                CHECK_EQ(offset, expected);
            }
    }
}

void names_come_and_go(MPI_Comm comm)
{
    const int p = test::size(comm);
    CHECK_EQ(test::named(comm)[0] + test::named(comm)[1], 0);
    name(comm, {1, p}, {1, 7}, ORTHO_COLMAJOR);
    CHECK((test::named(comm) == std::array{1, 2, p}));
    int dimorder = -1;
    std::array<int, 4> order{-1, -1, -1, -1};
    std::array<int, 4> period{-1, -1, -1, -1};
    CHECK_OK(ORTHO_Cart_get(comm, &dimorder, 4, order.data(), period.data())); // maxd > d
    CHECK_EQ(dimorder, ORTHO_COLMAJOR);
    CHECK((order == std::array<int, 4>{1, p, -1, -1}));
    CHECK((period == std::array<int, 4>{1, 1, -1, -1}));
    order = period = {-1, -1, -1, -1};
    CHECK_OK(ORTHO_Cart_get(comm, &dimorder, 1, order.data(), period.data()));
    CHECK((order == std::array<int, 4>{1, -1, -1, -1}));
    CHECK_OK(ORTHO_Cart_get(comm, &dimorder, 0, nullptr, nullptr));

    test::Comm dup;
    MPI_Comm_dup(comm, &dup); // never inherited
    CHECK_EQ(test::named(dup)[0], 0);

    name(comm, {p}, {0}); // overwrites
    CHECK_EQ(test::named(comm)[1], 1);
    CHECK_OK(ORTHO_Cart_unname(comm));
    CHECK_EQ(test::named(comm)[0], 0);
    FAILS(ORTHO_Cart_unname(comm), ORTHO_ERR_NAME);
}

void cartesian_communicators_have_names()
{
    const int p = test::size();
    const Ints dims{p, 1}, periods{1, 0};
    test::Comm cart = test::cart(dims, periods);
    test::return_errors(cart);
    int flag = 0, d = 0, size = 0;
    CHECK((test::named(cart) == std::array{1, 2, p}));
    CHECK_EQ(relative_rank(cart, p - 1, {1, 0}), 0);
    CHECK_OK(ORTHO_Cart_testall(cart, &flag, &d, &size));
    CHECK_EQ(flag, 1);
    // A duplicate has the topology, and so the name.
    test::Comm dup = test::duplicate(cart);
    CHECK_EQ(test::named(dup)[0], 1);
    CHECK_OK(ORTHO_Cart_unname(dup));
    CHECK_EQ(test::named(dup)[0], 0);
    CHECK_EQ(name(dup, {1, 1, p}, {0, 0, 0}), p);
    CHECK_EQ(test::named(dup)[1], 3);
}

Ints stencil(MPI_Comm comm, int metric, int depth, int d)
{
    int size = -1;
    CHECK_OK(ORTHO_Cart_stencil_count(comm, metric, depth, &size));
    Ints result(static_cast<std::size_t>(size * d) + 1, -99);
    CHECK_OK(ORTHO_Cart_stencil(comm, metric, depth, size, result.data()));
    CHECK_EQ(result.back(), -99);
    // The stencil without a communicator.
    int same_size = -1;
    CHECK_OK(ORTHO_Stencil_count(d, metric, depth, &same_size));
    CHECK_EQ(same_size, size);
    Ints same(result.size(), -99);
    CHECK_OK(ORTHO_Stencil(d, metric, depth, size, same.data()));
    CHECK(same == result);
    result.pop_back();
    return result;
}

void stencils(MPI_Comm comm)
{
    const int p = test::size(comm);
    name(comm, {p, 1}, {0, 0});
    CHECK((stencil(comm, ORTHO_MANHATTAN_DISTANCE, 1, 2) == Ints{-1, 0, 0, -1, 0, 0, 0, 1, 1, 0}));
    CHECK_EQ(stencil(comm, ORTHO_MANHATTAN_DISTANCE, 2, 2).size(), 26U);
    CHECK_EQ(stencil(comm, ORTHO_CHEBYCHEV_DISTANCE, 1, 2).size(), 18U);
    CHECK_EQ(stencil(comm, ORTHO_CHEBYSHEV_DISTANCE, 0, 2).size(), 2U);
    Ints few(5, -99);
    CHECK_OK(ORTHO_Cart_stencil(comm, ORTHO_CHEBYSHEV_DISTANCE, 1, 2, few.data())); // maxsize is kept
    CHECK((few == Ints{-1, -1, -1, 0, -99}));

    const Ints a{0, 1, 1, 0, 1, 0, 2, 2}, b{1, 0, 0, 1};
    Ints left(8, -99);
    int n = -1;
    CHECK_OK(ORTHO_Cart_stencil_diff(comm, 4, a.data(), 2, b.data(), &n, left.data()));
    CHECK_EQ(n, 2); // one of the two (1,0) is taken away
    CHECK((left == Ints{1, 0, 2, 2, -99, -99, -99, -99}));
    CHECK_OK(ORTHO_Cart_stencil_diff(comm, 2, a.data(), 2, b.data(), &n, left.data())); // any order
    CHECK_EQ(n, 0);
    Ints inside = a;
    CHECK_OK(ORTHO_Cart_stencil_diff(comm, 4, inside.data(), 2, b.data(), &n, inside.data()));
    CHECK_EQ(n, 2);
    CHECK((Ints(inside.begin(), inside.begin() + 4) == Ints{1, 0, 2, 2}));
    CHECK_OK(ORTHO_Cart_stencil_diff(comm, 0, nullptr, 0, nullptr, &n, nullptr));
    CHECK_EQ(n, 0);
}

/// The offsets that lead from a process to points so far away, in lexicographic order.
void neighbors_of(MPI_Comm comm, int rank, const Ints& sizes, bool wraps, int shadow, int depth)
{
    const int d = static_cast<int>(sizes.size());
    Ints here(sizes.size());
    CHECK_OK(ORTHO_Cart_coordinates(comm, rank, here.data()));
    for (const int metric : {ORTHO_MANHATTAN_DISTANCE, ORTHO_CHEBYSHEV_DISTANCE}) {
        Ints expected;
        for (const Ints& offset : cases::box(d, -depth, depth)) {
            int sum = 0, most = 0;
            bool is_there = true;
            for (std::size_t k = 0; k < sizes.size(); ++k) {
                sum += std::abs(offset[k]);
                most = std::max(most, std::abs(offset[k]));
                const int there = here[k] + offset[k];
                is_there = is_there && (wraps || (there >= 0 && there < sizes[k]));
            }
            const int distance = metric == ORTHO_MANHATTAN_DISTANCE ? sum : most;
            if (is_there && distance >= shadow && distance <= depth)
                expected.insert(expected.end(), offset.begin(), offset.end());
        }
        int size = -1;
        CHECK_OK(ORTHO_Cart_neighbors_count(comm, rank, metric, shadow, depth, &size));
        CHECK_EQ(at(d * size), expected.size());
        expected.push_back(-99);
        Ints have(expected.size(), -99);
        CHECK_OK(ORTHO_Cart_neighbors(comm, rank, metric, shadow, depth, size, have.data()));
        CHECK(have == expected);
    }
}

void neighbors(MPI_Comm comm)
{
    const int p = test::size(comm);
    for (const Ints& sizes : {Ints{p, 1}, Ints{2, 3}, Ints{3, 3}, Ints{3, 4}, Ints{3, 3, 3}})
        for (const bool wraps : {false, true}) {
            const int points = std::accumulate(sizes.begin(), sizes.end(), 1, std::multiplies<>());
            if (points > p) continue;
            CHECK_EQ(name(comm, sizes, Ints(sizes.size(), wraps ? 1 : 0)), points);
            for (int rank = 0; rank < points; ++rank) // whichever process asks
                for (int depth = 0; depth <= 3; ++depth)
                    for (int shadow = 0; shadow <= depth + 1; ++shadow)
                        neighbors_of(comm, rank, sizes, wraps, shadow, depth);
        }
}

void grids_smaller_than_the_communicator(MPI_Comm comm)
{
    const int p = test::size(comm);
    if (p < 3) return;
    CHECK_EQ(name(comm, {p - 1}, {1}), p - 1);
    int x = -5;
    CHECK_OK(ORTHO_Cart_coordinates(comm, p - 1, &x));
    CHECK_EQ(x, null);
    CHECK_EQ(relative_rank(comm, p - 2, {1}), 0);
    CHECK_EQ(relative_rank(comm, p - 1, {1}), null);
    CHECK_OK(ORTHO_Cart_relative_coordinates(comm, 0, p - 1, &x));
    CHECK_EQ(x, null);
    const int one = 1;
    int in = -5;
    CHECK_OK(ORTHO_Cart_relative_shift(comm, p - 1, &one, &in, &x));
    CHECK_EQ(in, null);
    CHECK_EQ(x, null);
    int size = -5;
    CHECK_OK(ORTHO_Cart_neighbors_count(comm, p - 1, ORTHO_MANHATTAN_DISTANCE, 0, 1, &size));
    CHECK_EQ(size, 0);
    CHECK_OK(ORTHO_Cart_neighbors(comm, p - 1, ORTHO_MANHATTAN_DISTANCE, 0, 1, 3, &x));

    MPI_Comm sub = MPI_COMM_WORLD;
    const int excluded = 1;
    CHECK_OK(ORTHO_Cart_create_sub(comm, &excluded, &sub));
    if (test::rank(comm) == p - 1) {
        CHECK(sub == MPI_COMM_NULL);
    } else {
        CHECK_EQ(test::size(sub), 1);
        MPI_Comm_free(&sub);
    }
}

void subgrids(MPI_Comm comm)
{
    const int p = test::size(comm), columns = p % 2 == 0 ? 2 : 1, rows = p / columns;
    for (const int dimorder : {ORTHO_ROWMAJOR, ORTHO_COLMAJOR}) {
        name(comm, {rows, columns}, {0, 1}, dimorder);
        const Ints here = coordinates(comm, test::rank(comm));
        const Ints excluded[] = {{0, 0}, {3, 0}, {0, 1}, {1, 1}};
        const int sizes[] = {p, columns, rows, 1};
        for (int i = 0; i < 4; ++i) {
            test::Comm sub;
            CHECK_OK(ORTHO_Cart_create_sub(comm, excluded[i].data(), &sub));
            CHECK_EQ(test::size(sub), sizes[i]);
            CHECK_EQ(test::topology(sub), ORTHO_FULL);
            CHECK_EQ(test::named(sub)[0], 0);
            if (i == 1) CHECK_EQ(test::rank(sub), here[1]);
            if (i == 2) CHECK_EQ(test::rank(sub), here[0]);
        }
    }
}

void testall(MPI_Comm comm)
{
    const int p = test::size(comm), me = test::rank(comm);
    int flag = -1, d = -1, size = -1;
    const auto are_same = [&] {
        CHECK_OK(ORTHO_Cart_testall(comm, &flag, &d, &size));
        return flag == 1;
    };
    // Truth values are truth values.
    name(comm, {p}, {1 + me});
    CHECK(are_same());
    CHECK_EQ(d, 1);
    name(comm, {p}, {me == 0 ? 1 : 0});
    CHECK_EQ(are_same(), p == 1);
    name(comm, {1, p}, {0, 0}, me == 0 ? ORTHO_ROWMAJOR : ORTHO_COLMAJOR);
    CHECK_EQ(are_same(), p == 1);
    if (me == 0)
        name(comm, {p}, {0});
    else
        name(comm, {p, 1}, {0, 0});
    CHECK_EQ(are_same(), p == 1);
    if (me != 0) CHECK_OK(ORTHO_Cart_unname(comm));
    CHECK_EQ(are_same(), p == 1);
    CHECK_EQ(d, me == 0 ? 1 : 0);
}

/// Any order of three dimensions: the last one in the list is the one in which neighboring ranks differ.
void permuted(MPI_Comm comm)
{
    const int p = test::size(comm);
    const Ints sizes{p % 2 == 0 ? 2 : 1, p % 2 == 0 ? p / 2 : p, 1};
    const Ints periods{1, 0, 1};
    Ints order{0, 1, 2};
    do {
        int size = -1;
        CHECK_OK(ORTHO_Cart_name_permuted(comm, 3, order.data(), sizes.data(), periods.data(), &size));
        CHECK_EQ(size, p);
        for (int rank = 0; rank < p; ++rank) {
            Ints here(3, -1);
            CHECK_OK(ORTHO_Cart_coordinates(comm, rank, here.data()));
            int expected = 0;
            for (const int k : order) {
                CHECK(here[at(k)] >= 0 && here[at(k)] < sizes[at(k)]);
                expected = expected * sizes[at(k)] + here[at(k)];
            }
            CHECK_EQ(expected, rank);
        }
        int dimorder = -5;
        CHECK_OK(ORTHO_Cart_get(comm, &dimorder, 0, nullptr, nullptr));
        const Ints rows{0, 1, 2}, columns{2, 1, 0};
        const int expected_order = order == rows      ? ORTHO_ROWMAJOR
                                   : order == columns ? ORTHO_COLMAJOR
                                                      : int{MPI_UNDEFINED};
        CHECK_EQ(dimorder, expected_order);
        // One stencil gives the edges of all processes.
        const Ints offsets{1, 0, 0, 1, 1, 0, 0, -1, 0};
        Ints targets(3), sources(3);
        for (int i = 0; i < 3; ++i)
            CHECK_OK(ORTHO_Cart_relative_shift(comm, test::rank(comm), &offsets[at(3 * i)], &sources[at(i)],
                                               &targets[at(i)]));
        const test::Comm graph = test::adjacent(sources, targets, comm);
        CHECK(test::isomorphic(graph) >= 0);
        CHECK_OK(ORTHO_Cart_unname(comm));
    } while (std::ranges::next_permutation(order).found);
    int size = -5;
    for (const Ints& wrong : {Ints{0, 1, 1}, Ints{0, 1, 3}, Ints{-1, 1, 2}})
        CHECK_EQ(
            error_class(ORTHO_Cart_name_permuted(comm, 3, wrong.data(), sizes.data(), periods.data(), &size)),
            MPI_ERR_ARG);
    CHECK(says("dimorder"));
    FAILS(ORTHO_Cart_name_permuted(comm, 3, nullptr, sizes.data(), periods.data(), &size), MPI_ERR_ARG);
}

void errors(MPI_Comm comm)
{
    const int p = test::size(comm);
    const Ints one{1, 1, 1, 1}, bad{1, 0, 1, 1};
    int size = -5, x = -5;
    const auto naming = [&](int d, int dimorder, const int* order, const int* period) {
        return error_class(ORTHO_Cart_name(comm, d, dimorder, order, period, &size));
    };
    CHECK_EQ(naming(0, ORTHO_ROWMAJOR, one.data(), one.data()), MPI_ERR_DIMS);
    CHECK(says("ORTHO_Cart_name") && says("d = 0"));
    CHECK_EQ(naming(-3, ORTHO_ROWMAJOR, one.data(), one.data()), MPI_ERR_DIMS);
    CHECK_EQ(naming(4, ORTHO_ROWMAJOR, bad.data(), one.data()), MPI_ERR_DIMS);
    CHECK(says("order[1] = 0"));
    const Ints large{p + 1};
    CHECK_EQ(naming(1, ORTHO_ROWMAJOR, large.data(), one.data()), MPI_ERR_DIMS);
    const Ints overflow{65536, 65536, 1};
    CHECK_EQ(naming(3, ORTHO_ROWMAJOR, overflow.data(), one.data()), MPI_ERR_DIMS);
    const Ints negative{-2, -2};
    CHECK_EQ(naming(2, ORTHO_ROWMAJOR, negative.data(), one.data()), MPI_ERR_DIMS);
    CHECK_EQ(naming(1, 4711, one.data(), one.data()), MPI_ERR_ARG);
    CHECK(says("dimorder = 4711"));
    CHECK_EQ(naming(1, ORTHO_ROWMAJOR, nullptr, one.data()), MPI_ERR_ARG);
    CHECK_EQ(naming(1, ORTHO_ROWMAJOR, one.data(), nullptr), MPI_ERR_ARG);
    FAILS(ORTHO_Cart_name(comm, 1, ORTHO_ROWMAJOR, one.data(), one.data(), nullptr), MPI_ERR_ARG);
    FAILS(ORTHO_Cart_name(MPI_COMM_NULL, 1, ORTHO_ROWMAJOR, one.data(), one.data(), &size), MPI_ERR_COMM);

    // Nobody has a name here: every call says so.
    FAILS(ORTHO_Cart_get(comm, &x, 1, &x, &x), ORTHO_ERR_NAME);
    FAILS(ORTHO_Cart_rank(comm, one.data(), &x), ORTHO_ERR_NAME);
    FAILS(ORTHO_Cart_coordinates(comm, 0, &x), ORTHO_ERR_NAME);
    FAILS(ORTHO_Cart_relative_rank(comm, 0, one.data(), &x), ORTHO_ERR_NAME);
    FAILS(ORTHO_Cart_relative_coordinates(comm, 0, 0, &x), ORTHO_ERR_NAME);
    FAILS(ORTHO_Cart_relative_shift(comm, 0, one.data(), &x, &x), ORTHO_ERR_NAME);
    FAILS(ORTHO_Cart_allranks(comm, 1, one.data(), &x), ORTHO_ERR_NAME);
    FAILS(ORTHO_Cart_allranks_relative(comm, 0, 1, one.data(), &x), ORTHO_ERR_NAME);
    FAILS(ORTHO_Cart_stencil_count(comm, ORTHO_MANHATTAN_DISTANCE, 1, &x), ORTHO_ERR_NAME);
    FAILS(ORTHO_Cart_stencil(comm, ORTHO_MANHATTAN_DISTANCE, 1, 1, &x), ORTHO_ERR_NAME);
    FAILS(ORTHO_Cart_stencil_diff(comm, 0, nullptr, 0, nullptr, &x, nullptr), ORTHO_ERR_NAME);
    FAILS(ORTHO_Cart_neighbors_count(comm, 0, ORTHO_MANHATTAN_DISTANCE, 0, 1, &x), ORTHO_ERR_NAME);
    FAILS(ORTHO_Cart_neighbors(comm, 0, ORTHO_MANHATTAN_DISTANCE, 0, 1, 0, &x), ORTHO_ERR_NAME);
    MPI_Comm sub = MPI_COMM_NULL;
    FAILS(ORTHO_Cart_create_sub(comm, one.data(), &sub), ORTHO_ERR_NAME);

    name(comm, {p, 1, 1}, {1, 1, 1});
    const Ints very_many(5000, 1);
    refused(ORTHO_Cart_name(comm, 5000, ORTHO_ROWMAJOR, very_many.data(), very_many.data(), &x), MPI_ERR_DIMS,
            "d = 5000");
    FAILS(ORTHO_Cart_rank(comm, nullptr, &x), MPI_ERR_ARG);
    FAILS(ORTHO_Cart_rank(comm, one.data(), nullptr), MPI_ERR_ARG);
    refused(ORTHO_Cart_coordinates(comm, p, &x), MPI_ERR_RANK, "rank = ");
    FAILS(ORTHO_Cart_coordinates(comm, -1, &x), MPI_ERR_RANK);
    FAILS(ORTHO_Cart_coordinates(comm, 0, nullptr), MPI_ERR_ARG);
    refused(ORTHO_Cart_relative_rank(comm, -7, one.data(), &x), MPI_ERR_RANK, "source = -7");
    FAILS(ORTHO_Cart_relative_rank(comm, 0, nullptr, &x), MPI_ERR_ARG);
    FAILS(ORTHO_Cart_relative_coordinates(comm, 0, p, &x), MPI_ERR_RANK);
    FAILS(ORTHO_Cart_relative_shift(comm, 0, one.data(), nullptr, &x), MPI_ERR_ARG);
    FAILS(ORTHO_Cart_allranks(comm, -1, one.data(), &x), MPI_ERR_COUNT);
    FAILS(ORTHO_Cart_allranks(comm, 1, nullptr, &x), MPI_ERR_ARG);
    FAILS(ORTHO_Cart_allranks_relative(comm, 0, 1, one.data(), nullptr), MPI_ERR_ARG);
    CHECK_OK(ORTHO_Cart_allranks(comm, 0, nullptr, nullptr));
    for (const int d : {INT_MIN, -1, 0, 4097, INT_MAX}) {
        FAILS(ORTHO_Stencil_count(d, ORTHO_MANHATTAN_DISTANCE, 1, &x), MPI_ERR_DIMS);
        CHECK(says(("d = " + std::to_string(d)).c_str()));
        FAILS(ORTHO_Stencil(d, ORTHO_MANHATTAN_DISTANCE, 1, 1, &x), MPI_ERR_DIMS);
    }
    FAILS(ORTHO_Stencil_count(2, 99, 1, &x), MPI_ERR_ARG);
    FAILS(ORTHO_Stencil_count(2, ORTHO_CHEBYSHEV_DISTANCE, -1, &x), MPI_ERR_ARG);
    FAILS(ORTHO_Stencil_count(2, ORTHO_CHEBYSHEV_DISTANCE, 1, nullptr), MPI_ERR_ARG);
    FAILS(ORTHO_Stencil(2, ORTHO_CHEBYSHEV_DISTANCE, 1, -1, &x), MPI_ERR_ARG);
    FAILS(ORTHO_Stencil(2, ORTHO_CHEBYSHEV_DISTANCE, 1, 1, nullptr), MPI_ERR_ARG);
    refused(ORTHO_Cart_stencil_count(comm, 99, 1, &x), MPI_ERR_ARG, "metric = 99");
    FAILS(ORTHO_Cart_stencil_count(comm, ORTHO_CHEBYSHEV_DISTANCE, -1, &x), MPI_ERR_ARG);
    refused(ORTHO_Cart_stencil_count(comm, ORTHO_CHEBYSHEV_DISTANCE, 700, &x), MPI_ERR_ARG, "depth = 700");
    FAILS(ORTHO_Cart_stencil_count(comm, ORTHO_CHEBYSHEV_DISTANCE, INT_MAX, &x), MPI_ERR_ARG);
    FAILS(ORTHO_Cart_stencil_count(comm, ORTHO_MANHATTAN_DISTANCE, INT_MAX, &x), MPI_ERR_ARG);
    FAILS(ORTHO_Cart_stencil(comm, ORTHO_CHEBYSHEV_DISTANCE, 1, -1, &x), MPI_ERR_ARG);
    FAILS(ORTHO_Cart_stencil(comm, ORTHO_CHEBYSHEV_DISTANCE, 1, 1, nullptr), MPI_ERR_ARG);
    FAILS(ORTHO_Cart_neighbors_count(comm, 0, ORTHO_CHEBYSHEV_DISTANCE, -1, 1, &x), MPI_ERR_ARG);
    FAILS(ORTHO_Cart_neighbors(comm, p, ORTHO_CHEBYSHEV_DISTANCE, 0, 1, 0, &x), MPI_ERR_RANK);
    FAILS(ORTHO_Cart_create_sub(comm, nullptr, &sub), MPI_ERR_ARG);
    // Wrong on one process is wrong on all; so are names that differ.
    const std::vector<int> all_three{1, 1, 1};
    FAILS(ORTHO_Cart_create_sub(comm, test::rank() == 0 ? nullptr : all_three.data(), &sub), MPI_ERR_ARG);
    if (p > 1) {
        name(comm, {p, 1, 1}, {test::rank() == 0 ? 0 : 1, 1, 1});
        FAILS(ORTHO_Cart_create_sub(comm, all_three.data(), &sub), ORTHO_ERR_MISMATCH);
        name(comm, {p, 1, 1}, {1, 1, 1});
    }
    FAILS(ORTHO_Cart_get(comm, &x, -1, &x, &x), MPI_ERR_ARG);
    FAILS(ORTHO_Cart_test(comm, nullptr, &x, &x), MPI_ERR_ARG);
    FAILS(ORTHO_Cart_test(MPI_COMM_NULL, &x, &x, &x), MPI_ERR_COMM);
    FAILS(ORTHO_Cart_testall(MPI_COMM_NULL, &x, &x, &x), MPI_ERR_COMM);

    // A message that does not fit is cut.
    ORTHO_Cart_coordinates(comm, -1, &x);
    char few[6] = "?????";
    int length = 0;
    CHECK_OK(ORTHO_Error_message(few, 6, &length));
    CHECK_EQ(std::string(few), "ORTHO");
    CHECK(length > 20);
    CHECK_OK(ORTHO_Error_message(nullptr, 0, nullptr));
    FAILS(ORTHO_Error_message(nullptr, 3, nullptr), MPI_ERR_ARG);
}

void many_namings_leave_nothing(MPI_Comm comm)
{
    for (int i = 0; i < 5000; ++i) name(comm, {1, 1, 1}, {i, 0, 0});
    MPI_Comm self = MPI_COMM_SELF;
    name(self, {1}, {1});
    name(MPI_COMM_WORLD, {1}, {1}); // must not leak at MPI_Finalize either
}

} // namespace

int main(int argc, char** argv)
{
    // Before MPI_Init there is no handler to go through: an error code, and no crash.
    int before = MPI_SUCCESS;
    CHECK_OK(ORTHO_Get_version(&before, nullptr, nullptr));
    CHECK(ORTHO_Cart_test(MPI_COMM_NULL, &before, &before, &before) != MPI_SUCCESS);
    MPI_Init(&argc, &argv);
    MPI_Comm comm = test::duplicate();
    test::return_errors(comm);
    permuted(comm);
    errors(comm);
    CHECK_OK(ORTHO_Cart_unname(comm));
    for (const auto part : {names_come_and_go, ranks_and_coordinates, relative_coordinates, stencils,
                            neighbors, grids_smaller_than_the_communicator, subgrids, testall})
        part(comm);
    cartesian_communicators_have_names();
    many_namings_leave_nothing(comm);
    MPI_Comm_free(&comm);
    return test::finish();
}
