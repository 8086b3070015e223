// SPDX-License-Identifier: BSD-3-Clause
// Halo exchanges of fields of one shape: processes that stay away, six dimensions, orders, names; what is wrong
// with them, and with closed sides.  halo_fields_test has random grids, stencils and shapes.

#include "ghost_shapes.hpp"

using ortho::grid::Grid;

namespace {

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
    const int size = test::size();
    if (named) test::name(base, {size}, {1});
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

    /// One ghost layer on either side along dimension 0, and so many along dimension 1.
    void set_two_dimensions(int rows, int columns, int width)
    {
        d = 2;
        size = {rows, columns};
        sizes = size.data();
        lower = upper = {1, width};
    }
    int init(MPI_Comm comm, ORTHO_Request* request, bool reduces = false) const
    {
        return reduces ? ORTHO_Halo_reduce_init(nfields, fields, elements, d, sizes, lower.data(),
                                                upper.data(), op, comm, info, request)
                       : ORTHO_Halo_init(nfields, fields, elements, d, sizes, lower.data(), upper.data(),
                                         comm, info, request);
    }
};

#define WITH(...) [&](Call& call) { call.__VA_ARGS__; }

/// Both calls give this class of error, on all processes.
void expect_class(const Call& c, MPI_Comm comm, int wanted, const char* word, bool reduce_only = false)
{
    ORTHO_Request request = ORTHO_REQUEST_NULL;
    for (const bool reduces : {false, true}) {
        if (reduce_only && !reduces) continue;
        refused(c.init(comm, &request, reduces), wanted, word);
    }
}

void add_backwards(void*, void*, int*, MPI_Datatype*) {}

void errors()
{
    test::Comm comm = ring(true);
    const auto wrong = [&](int wanted, const char* word, auto spoil, bool reduce_only = false) {
        Call call;
        spoil(call);
        expect_class(call, comm, wanted, word, reduce_only);
    };
    const auto wrong_op = [&](const char* word, auto spoil) { wrong(MPI_ERR_OP, word, spoil, true); };
    wrong(MPI_ERR_DIMS, "d = 2", WITH(d = 2));
    wrong(MPI_ERR_DIMS, "d = 0", WITH(d = 0));
    wrong(MPI_ERR_ARG, "nfields = -1", WITH(nfields = -1));
    wrong(MPI_ERR_ARG, "fields", WITH(fields = nullptr));
    wrong(MPI_ERR_ARG, "elements", WITH(elements = nullptr));
    wrong(MPI_ERR_ARG, "sizes", WITH(sizes = nullptr));
    wrong(MPI_ERR_BUFFER, "fields[0]", WITH(field = nullptr));
    wrong(MPI_ERR_TYPE, "elements[0]", WITH(element = MPI_DATATYPE_NULL));
    wrong(MPI_ERR_ARG, "lower[0] = -1", WITH(lower = {-1}));
    wrong(MPI_ERR_ARG, "upper[0] = -1", WITH(upper = {-1}));
    wrong(MPI_ERR_ARG, "sizes[0] = 4", WITH(size[0] = 4));
    wrong(MPI_ERR_ARG, "2 owned layers", WITH(size[0] = 7));
    wrong_op("op", WITH(op = MPI_OP_NULL));
    wrong_op("op", WITH(op = MPI_BAND));
    test::Op ordered;
    MPI_Op_create(add_backwards, 0, &ordered);
    wrong_op("commute", WITH(op = ordered));
    test::Type pair;
    MPI_Type_contiguous(2, MPI_DOUBLE, &pair);
    test::return_errors(comm); // MPI has its say, too
    wrong(MPI_ERR_TYPE, "", [&](Call& call) {
        call.element = pair;
        call.op = MPI_SUM;
    });
    MPI_Type_commit(&pair);
    wrong_op("op", WITH(element = pair));
    const test::Info info{{"ortho_forward", "perhaps"}};
    wrong(MPI_ERR_INFO_VALUE, "perhaps", WITH(info = info));
    if (test::size() > 1) {
        const bool first = test::rank() == 0;
        wrong(ORTHO_ERR_MISMATCH, "lower", WITH(lower[0] = first ? 2 : 1));
        wrong(ORTHO_ERR_MISMATCH, "elements", [&](Call& call) {
            if (first) call.element = MPI_FLOAT;
        });
    }

    // Owned sizes that do not meet across a face.
    if (test::size() > 1) {
        test::Comm column = test::neighborhood({test::size(), 1}, {1, 1}, {1, 0, -1, 0});
        MPI_Comm_set_errhandler(column, MPI_ERRORS_RETURN);
        Call call;
        call.set_two_dimensions(6, test::rank() == 0 ? 4 : 5, 0);
        expect_class(call, column, ORTHO_ERR_MISMATCH, "");
    }

    test::Comm cart = test::cart({test::size(), 1}, {1, 1});
    MPI_Comm_set_errhandler(cart, MPI_ERRORS_RETURN);
    test::Info order{{"ortho_order", "c"}};
    Call planes;
    planes.set_two_dimensions(5, 6, 1);
    planes.info = order;
    expect_class(planes, cart, MPI_ERR_INFO_VALUE, "ortho_order = 'c' is neither C nor Fortran");
    order.set("ortho_order", test::rank() == 0 ? "C" : "Fortran");
    if (test::size() > 1)
        expect_class(planes, cart, ORTHO_ERR_MISMATCH, "order is not the same on all processes");

    test::Comm nameless = ring(false);
    expect_class({}, nameless, MPI_ERR_TOPOLOGY, "isomorphic");
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
    test::Comm grid = test::cart(dims, periods);
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
    test::name(comm, {test::size() - 1}, {1});
    setenv("ORTHO_ALGORITHM", "halo_direkt", 1);
    MPI_Barrier(comm); // processes of one address space have one environment
    for (int time = 0; time < 2; ++time) expect_class({}, comm, ORTHO_ERR_ALGORITHM, "halo_direkt");
    MPI_Barrier(comm);
    unsetenv("ORTHO_ALGORITHM");
    MPI_Barrier(comm);

    // Errors of a request go through the communicator's handler, also off the grid.
    const Call call;
    test::Request request;
    CHECK_OK(call.init(comm, &request));
    test::Errhandler before;
    MPI_Comm_get_errhandler(MPI_COMM_SELF, &before);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
    int number = 0;
    CHECK_EQ(error_class(ORTHO_Halo_unfilled(request, 0, -1, nullptr, &number)), MPI_ERR_ARG);
    refused(ORTHO_Request_rebind(request, &number, &number), MPI_ERR_REQUEST, "halo exchange");
    MPI_Comm_set_errhandler(MPI_COMM_SELF, before);
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
        Call call;
        if (!name.empty()) call.info = info;
        return is_halo ? call.init(comm, request) : ORTHO_Barrier_init(comm, call.info, request);
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
                const auto says = [](const std::string& words) {
                    CHECK(message().find(words) != std::string::npos);
                };
                if (is_last) says("ortho_name is '" + mine.substr(0, 100));
                if (other.size() < 100) says("the processes make requests in different orders");
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

void errors_of_sides()
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
void sides_that_say_nothing()
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
    no_dimensions();
    for (const int rows : {1, 20'000}) {
        processes_may_stay_away(nullptr, rows);
        processes_may_stay_away("true", rows);
    }
    six_dimensions();
    test::return_errors(MPI_COMM_NULL);
    errors();
    names();
    wrong_setting_on_a_part();
    errors_of_sides();
    sides_that_say_nothing();
}
