// SPDX-License-Identifier: BSD-3-Clause
// Halo exchanges: processes that stay away, six dimensions, names; what is wrong with fields of any shapes
// and of one, and with closed sides.  halo_fields_test has random grids, stencils and shapes.

#include <limits>

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

/// The arguments of a call that is right on a torus of all processes, to be spoiled.
struct Call {
    std::vector<double> data = std::vector<double>(200, 0.0);
    std::vector<MPI_Count> sizes{6, 7, 2}, lower{1, 2, 0}, upper{2, 1, 0}, others;
    std::vector<MPI_Aint> strides{56, 8};
    Ints dimension{0, 1}, directions{-1, 0, 1, 1};
    ORTHO_Field fields[2]{ORTHO_FIELD_INIT, ORTHO_FIELD_INIT};
    ORTHO_Boundary sides[4]{};
    int nfields = 2, d = 2;
    const ORTHO_Field* list = fields;
    bool has_elements = true; ///< of one shape
    MPI_Op op = MPI_SUM;
    MPI_Info info = MPI_INFO_NULL;

    Call()
    {
        for (ORTHO_Field& field : fields) {
            field.base = data.data() + 50 * (&field - fields);
            field.element = MPI_DOUBLE;
            field.sizes = sizes.data();
            field.lower = lower.data();
            field.upper = upper.data();
        }
    }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;
    void set_strides(int field, auto... given)
    {
        strides = {MPI_Aint{given}...};
        fields[field].strides = strides.data();
    }
    void set_dimension(int field, auto... given)
    {
        dimension = {given...};
        fields[field].dimension = dimension.data();
    }
    /// Field 1 has a third dimension, which is not divided.
    void add_undivided(int first = 0, int second = 1)
    {
        set_dimension(1, first, second, ORTHO_UNDIVIDED);
        fields[1].ndims = 3;
    }
    const MPI_Count* pair(MPI_Count first, MPI_Count second)
    {
        others = {first, second};
        return others.data();
    }
    void set_directions(int field, auto... given)
    {
        directions = {given...};
        fields[field].ndirections = int{sizeof...(given)} / 2;
        fields[field].directions = directions.data();
    }
    int init(MPI_Comm comm, ORTHO_Request* request, bool reduces = false) const
    {
        return reduces ? ORTHO_Halo_reduce_fields_init(nfields, list, d, op, comm, info, request)
                       : ORTHO_Halo_fields_init(nfields, list, d, comm, info, request);
    }
    /// By the calls for fields of one shape.
    int init_of_one_shape(MPI_Comm comm, ORTHO_Request* request, bool reduces = false) const
    {
        void* const bases[] = {fields[0].base, fields[1].base};
        const MPI_Datatype types[] = {fields[0].element, fields[1].element};
        const Ints all(sizes.begin(), sizes.end()), below(lower.begin(), lower.end());
        const Ints above(upper.begin(), upper.end());
        void* const* const its_bases = list != nullptr ? bases : nullptr;
        const MPI_Datatype* const elements = has_elements ? types : nullptr;
        const int* const its_sizes = fields[0].sizes != nullptr ? all.data() : nullptr;
        return reduces ? ORTHO_Halo_reduce_init(nfields, its_bases, elements, d, its_sizes, below.data(),
                                                above.data(), op, comm, info, request)
                       : ORTHO_Halo_init(nfields, its_bases, elements, d, its_sizes, below.data(),
                                         above.data(), comm, info, request);
    }
};

/// Spoils a call.
#define WITH(...) [&](Call& call) { call.__VA_ARGS__; }

void expect(const Call& call, MPI_Comm comm, int wanted, const std::vector<std::string>& words)
{
    ORTHO_Request request = ORTHO_REQUEST_NULL;
    for (const bool reduces : {false, true}) {
        const int code = call.init(comm, &request, reduces);
        for (const std::string& word : words) refused(code, wanted, word);
    }
}

/// As expect(), by the calls for fields of one shape.
void expect_of_one_shape(const Call& call, MPI_Comm comm, int wanted, const std::string& word)
{
    ORTHO_Request request = ORTHO_REQUEST_NULL;
    for (const bool reduces : {false, true}) {
        if (wanted == MPI_ERR_OP && !reduces) continue;
        refused(call.init_of_one_shape(comm, &request, reduces), wanted, word);
    }
}

/// A ring of all processes, and the neighbors `reach` away on both sides.
MPI_Comm ring(bool named, int reach = 1)
{
    test::Comm base = test::duplicate();
    const int size = test::size();
    if (named) test::name(base, {size}, {1});
    const int right = (test::rank() + reach) % size;
    const int left = (test::rank() + size - reach % size) % size;
    MPI_Comm comm = test::adjacent({left, right}, {right, left}, base);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    return comm;
}

void add_backwards(void*, void*, int*, MPI_Datatype*) {}

void errors_of_one_shape()
{
    test::Comm comm = test::cart({test::size(), 1}, {1, 1});
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    const auto wrong = [&](int wanted, const char* word, auto spoil) {
        Call call;
        spoil(call);
        expect_of_one_shape(call, comm, wanted, word);
    };
    wrong(MPI_ERR_DIMS, "d = 3", WITH(d = 3));
    wrong(MPI_ERR_DIMS, "d = 0", WITH(d = 0));
    wrong(MPI_ERR_ARG, "nfields = -1", WITH(nfields = -1));
    wrong(MPI_ERR_ARG, "fields", WITH(list = nullptr));
    wrong(MPI_ERR_ARG, "elements", WITH(has_elements = false));
    wrong(MPI_ERR_ARG, "sizes", WITH(fields[0].sizes = nullptr));
    wrong(MPI_ERR_BUFFER, "fields[0]", WITH(fields[0].base = nullptr));
    wrong(MPI_ERR_TYPE, "elements[0]", WITH(fields[0].element = MPI_DATATYPE_NULL));
    wrong(MPI_ERR_ARG, "lower[0] = -1", WITH(lower[0] = -1));
    wrong(MPI_ERR_ARG, "upper[0] = -1", WITH(upper[0] = -1));
    wrong(MPI_ERR_ARG, "sizes[0] = 2", WITH(sizes[0] = 2));
    wrong(MPI_ERR_ARG, "2 owned layers", [](Call& call) {
        call.sizes[0] = 7;
        call.upper[0] = 4;
    });
    wrong(MPI_ERR_OP, "op", WITH(op = MPI_OP_NULL));
    wrong(MPI_ERR_OP, "op", WITH(op = MPI_BAND));
    test::Op ordered;
    MPI_Op_create(add_backwards, 0, &ordered);
    wrong(MPI_ERR_OP, "commute", WITH(op = ordered));
    test::Type pair;
    MPI_Type_contiguous(2, MPI_DOUBLE, &pair);
    test::return_errors(comm); // MPI has its say, too
    wrong(MPI_ERR_TYPE, "", WITH(fields[0].element = pair));
    MPI_Type_commit(&pair);
    wrong(MPI_ERR_OP, "op", WITH(fields[0].element = pair));
    const test::Info info{{"ortho_forward", "perhaps"}};
    wrong(MPI_ERR_INFO_VALUE, "perhaps", WITH(info = info));
    test::Info order{{"ortho_order", "c"}};
    wrong(MPI_ERR_INFO_VALUE, "ortho_order = 'c' is neither C nor Fortran", WITH(info = order));
    if (test::size() > 1) {
        const bool first = test::rank() == 0;
        wrong(ORTHO_ERR_MISMATCH, "lower", WITH(lower[0] = first ? 2 : 1));
        wrong(ORTHO_ERR_MISMATCH, "elements", WITH(fields[0].element = first ? MPI_FLOAT : MPI_DOUBLE));
        wrong(ORTHO_ERR_MISMATCH, "", WITH(sizes[1] = first ? 7 : 8)); // they do not meet across a face
        order.set("ortho_order", first ? "C" : "Fortran");
        wrong(ORTHO_ERR_MISMATCH, "order is not the same on all processes", WITH(info = order));
    }

    test::Comm nameless = ring(false);
    expect_of_one_shape({}, nameless, MPI_ERR_TOPOLOGY, "isomorphic");
    if (test::size() >= 4) {
        test::Comm far = ring(true, 2);
        expect_of_one_shape({}, far, MPI_ERR_ARG, "the offset (");
    }
    test::Comm plain = test::duplicate();
    MPI_Comm_set_errhandler(plain, MPI_ERRORS_RETURN);
    expect_of_one_shape({}, plain, MPI_ERR_TOPOLOGY, "graph");
}

/// `request`: of a Call.  Fields that are not alike are refused, and what is in a Call stays.
void rebind_other_fields(ORTHO_Request request)
{
    const auto rebind = [&](const std::function<void(Call&)>& spoil) {
        Call call;
        spoil(call);
        return ORTHO_Halo_rebind_fields(request, call.nfields, call.list);
    };
    const auto wrong = [&](int wanted, const char* words, const std::function<void(Call&)>& spoil) {
        refused(rebind(spoil), wanted, words);
        CHECK(message().find("ORTHO_Halo_rebind_fields") != std::string::npos);
    };
    wrong(MPI_ERR_ARG, "nfields = 1", WITH(nfields = 1));
    wrong(MPI_ERR_ARG, "nfields = -1", WITH(nfields = -1));
    wrong(MPI_ERR_ARG, "fields is a null", WITH(list = nullptr));
    wrong(MPI_ERR_BUFFER, "fields[1].base", WITH(fields[1].base = nullptr));
    wrong(MPI_ERR_ARG, "fields[1].sizes is a null", WITH(fields[1].sizes = nullptr));
    wrong(MPI_ERR_ARG, "fields[0].reserved", WITH(fields[0].reserved[0] = &call));
    wrong(MPI_ERR_ARG, "fields[1].sizes[0] = 5, and was 6", WITH(fields[1].sizes = call.pair(5, 5)));
    wrong(MPI_ERR_ARG, "fields[0].lower[0] = 5, and was 1", WITH(fields[0].lower = call.pair(5, 5)));
    wrong(MPI_ERR_ARG, "fields[1].upper[0] = 5, and was 2", WITH(fields[1].upper = call.pair(5, 5)));
    wrong(MPI_ERR_ARG, "fields[1].dimension[0] = 1, and was 0", WITH(set_dimension(1, 1, 0)));
    wrong(MPI_ERR_ARG, "fields[0].strides[0] = 64, and was 56", WITH(set_strides(0, 64, 8)));
    wrong(MPI_ERR_ARG, "fields[1].strides[0] = 8, and was 56", WITH(fields[1].order = MPI_ORDER_FORTRAN));
    wrong(MPI_ERR_ARG, "fields[1].element is 1 MPI_FLOAT", WITH(fields[1].element = MPI_FLOAT));
    wrong(MPI_ERR_ARG, "fields[0].element is 1 MPI_LONG", WITH(fields[0].element = MPI_LONG));
    wrong(MPI_ERR_ARG, "fields[0].element is MPI_DATATYPE_NULL", WITH(fields[0].element = MPI_DATATYPE_NULL));
    MPI_Datatype wide = test::committed(MPI_Type_create_resized, MPI_DOUBLE, 0, 16);
    wrong(MPI_ERR_ARG, "extent 16", WITH(fields[1].element = wide));
    MPI_Type_free(&wide);
    // Strides may be given or not, and the type may be another one with the same elements.
    CHECK_OK(rebind(WITH(fields[1].strides = call.strides.data())));
    test::Type same = test::committed(MPI_Type_contiguous, 1, MPI_DOUBLE);
    CHECK_OK(rebind(WITH(fields[1].element = same)));
}

void errors()
{
    const int p = test::size();
    const Ints dims{p, 1}, periods{1, 1};
    test::Comm torus = test::cart(dims, periods);
    MPI_Comm_set_errhandler(torus, MPI_ERRORS_RETURN);
    const bool last = test::rank() == p - 1;
    const auto wrong = [&](int wanted, std::vector<std::string> words,
                           const std::function<void(Call&)>& spoil) {
        Call call;
        spoil(call);
        expect(call, torus, wanted, words);
        // On the last process alone: all must fail, and say where.
        Call right;
        if (last) spoil(right);
        if (!last) words.push_back("on rank " + std::to_string(p - 1));
        expect(right, torus, wanted, words);
    };
    wrong(MPI_ERR_ARG, {"nfields = -1"}, WITH(nfields = -1));
    wrong(MPI_ERR_DIMS, {"d = 3"}, WITH(d = 3));
    wrong(MPI_ERR_ARG, {"fields is a null"}, WITH(list = nullptr));
    wrong(MPI_ERR_ARG, {"fields[1].sizes"}, WITH(fields[1].sizes = nullptr));
    wrong(MPI_ERR_ARG, {"fields[0].lower"}, WITH(fields[0].lower = nullptr));
    wrong(MPI_ERR_ARG, {"fields[1].upper[0] = -2"}, WITH(fields[1].upper = call.pair(-2, 0)));
    wrong(MPI_ERR_TYPE, {"fields[1].element"}, WITH(fields[1].element = MPI_DATATYPE_NULL));
    wrong(MPI_ERR_BUFFER, {"fields[1].base"}, WITH(fields[1].base = nullptr));
    wrong(MPI_ERR_ARG, {"fields[1].dimension is no permutation"}, WITH(set_dimension(1, 1, 1)));
    wrong(MPI_ERR_ARG, {"fields[0].dimension[1] = 2"}, WITH(set_dimension(0, 0, 2)));
    wrong(MPI_ERR_ARG, {"fields[1].order = 12345"}, WITH(fields[1].order = 12345));
    wrong(MPI_ERR_ARG, {"fields[0].strides[1] = 1 does not step over the 8 bytes of an element"},
          WITH(set_strides(0, 7, 1)));
    wrong(MPI_ERR_ARG,
          {"fields[1].strides[0] = -48 does not step over the 56 bytes of the elements of the dimensions "
           "inside"},
          WITH(set_strides(1, -48, 8)));
    wrong(MPI_ERR_ARG, {"fields[0].strides[0] = -9223372036854775808 leads further than memory reaches"},
          WITH(set_strides(0, std::numeric_limits<MPI_Aint>::min(), 8)));
    wrong(MPI_ERR_BUFFER, {"fields[0].base and fields[1].base are arrays that share memory"},
          WITH(fields[1].base = call.fields[0].base));
    wrong(MPI_ERR_BUFFER, {"share memory"}, WITH(fields[1].base = &call.data[41]));
    wrong(MPI_ERR_BUFFER, {"fields[1].base is MPI_IN_PLACE"}, WITH(fields[1].base = MPI_IN_PLACE));
    wrong(MPI_ERR_ARG, {"fields[0].strides[0] is 0"}, WITH(set_strides(0, 0, 8)));
    wrong(MPI_ERR_ARG, {"fields[1].reserved"}, WITH(fields[1].reserved[1] = &call));
    wrong(MPI_ERR_ARG, {"fields[1].ndirections = -2"}, WITH(fields[1].ndirections = -2));
    wrong(MPI_ERR_ARG, {"fields[1].directions is a null"}, WITH(fields[1].ndirections = 1));
    wrong(MPI_ERR_ARG, {"fields[0].directions[1] = (0,2)"}, WITH(set_directions(0, 0, 1, 0, 2)));
    wrong(MPI_ERR_ARG, {"fields[0].sizes[1] = 2 has no room"}, WITH(sizes = {6, 2}));
    wrong(MPI_ERR_ARG, {"dimension 2, which is not divided"}, [](Call& call) {
        call.add_undivided();
        call.sizes[2] = 3;
        call.lower[2] = call.upper[2] = 1;
    });
    wrong(MPI_ERR_DIMS, {"ndims = 1 on a grid of 2 dimensions"}, WITH(fields[1].ndims = 1));
    wrong(MPI_ERR_ARG, {"dimension names 1 of the grid's 2 dimensions"},
          WITH(add_undivided(0, ORTHO_UNDIVIDED)));
    const auto wrong_dimension = [&](const std::vector<std::string>& words) {
        wrong(MPI_ERR_ARG, words, WITH(add_undivided(0, -2)));
    };
    wrong_dimension({"dimension[1] = -2"});
    CHECK_OK(ORTHO_Set_face("ortho_halo_init", 1));
    wrong_dimension({"ortho_halo_init: ", "fields(2).dimension(2) = -2"});
    CHECK_OK(ORTHO_Set_face("ortho_", 1));
    wrong_dimension({"ortho_halo_", "fields_init: "});
    CHECK(message().find("ortho_halo_reduce_fields_init: ") == 0);
    CHECK_OK(ORTHO_Set_face(nullptr, 0));
    // The stencil has no corners.
    test::Info faces{{"ortho_regions", "faces"}};
    {
        Call call;
        call.info = faces;
        call.set_directions(1, -1, 0, 1, 1);
        expect(call, torus, MPI_ERR_ARG, {"fields[1].directions[1] = (1,1)", "stencil"});
    }
    MPI_Info_set(faces, "ortho_regions", "edges");
    {
        Call call;
        call.info = faces;
        expect(call, torus, MPI_ERR_INFO_VALUE, {"ortho_regions = 'edges'"});
    }

    if (p > 1) {
        const auto differ = [&](const std::vector<std::string>& words,
                                const std::function<void(Call&)>& spoil) {
            Call call;
            if (last) spoil(call);
            expect(call, torus, ORTHO_ERR_MISMATCH, words);
        };
        const std::string there = " on rank " + std::to_string(p - 1);
        differ({"nfields", "2 on rank 0, 1" + there}, WITH(nfields = 1));
        differ({"fields[1].order", "MPI_ORDER_C on rank 0, MPI_ORDER_FORTRAN" + there},
               WITH(fields[1].order = MPI_ORDER_FORTRAN));
        differ({"fields[1].dimension[0]", "0 on rank 0, 1" + there}, WITH(set_dimension(1, 1, 0)));
        differ({"fields[0].element", "8 on rank 0, 4" + there}, WITH(fields[0].element = MPI_INT));
        differ({"fields[1].lower[1]", "2 on rank 0, 1" + there}, WITH(fields[1].lower = call.pair(1, 1)));
        differ({"fields[1].directions", "(0,-1)", "yes on rank 0, no" + there},
               WITH(set_directions(1, -1, -1, -1, 0, -1, 1, 0, 1, 1, -1, 1, 0, 1, 1)));
        differ({"ndims is not the same"}, [](Call& call) {
            call.add_undivided();
            call.sizes[2] = 1;
        });
        {
            Call call;
            call.add_undivided();
            if (last) call.sizes[2] = 3;
            expect(call, torus, ORTHO_ERR_MISMATCH, {"sizes leaves"});
        }
        // Along the faces between the two, field 1 alone.
        differ({"fields[1].sizes", "dimension 1 of the grid"}, WITH(fields[1].sizes = call.pair(6, 8)));

        // Names.
        test::Comm named = test::duplicate();
        MPI_Comm_set_errhandler(named, MPI_ERRORS_RETURN);
        const auto no_name = [&] { expect(Call(), named, MPI_ERR_TOPOLOGY, {"no Cartesian name"}); };
        no_name();
        test::name(named, last ? Ints{1, p} : dims, periods);
        expect(Call(), named, ORTHO_ERR_MISMATCH, {" has a grid of "});
        int points = 0;
        if (last) CHECK_OK(ORTHO_Cart_name(named, 2, ORTHO_COLMAJOR, dims.data(), periods.data(), &points));
        expect(Call(), named, ORTHO_ERR_MISMATCH, {" has a grid of ", ", column-major"});
        const int sizes[] = {1, p, 1}, order[] = {1, 0, 2}, closed[] = {0, 0, 0};
        if (last) CHECK_OK(ORTHO_Cart_name_permuted(named, 3, order, sizes, closed, &points));
        expect(Call(), named, ORTHO_ERR_MISMATCH, {" has a grid of ", ", in the order of dimensions 1 0 2"});
        if (last) CHECK_OK(ORTHO_Cart_unname(named));
        expect(Call(), named, ORTHO_ERR_MISMATCH, {" has no name", " has a grid of "});
        if (!last) CHECK_OK(ORTHO_Cart_unname(named));
        no_name();
        test::name(named, dims, periods);
        test::Info info;
        if (last) info.set("ortho_regions", "faces");
        Call call;
        ORTHO_Request request = ORTHO_REQUEST_NULL;
        refused(ORTHO_Halo_fields_init(2, call.fields, 2, named, info, &request), ORTHO_ERR_MISMATCH,
                "ortho_regions is not the same on all processes: all on rank 0, faces" + there);
    }

    // A graph counts, whatever name it has.
    test::Comm ring = test::one_way_ring();
    MPI_Comm_set_errhandler(ring, MPI_ERRORS_RETURN);
    test::name(ring, dims, periods);
    expect(Call(), ring, MPI_ERR_TOPOLOGY, {"isomorphic"});

    // Requests.
    Call call;
    test::Request request;
    CHECK_OK(ORTHO_Halo_fields_init(2, call.fields, 2, torus, MPI_INFO_NULL, &request));
    void* bases[] = {call.data.data(), call.data.data()};
    refused(ORTHO_Halo_rebind(request, 2, bases), MPI_ERR_BUFFER,
            "bases[0] and bases[1] are of arrays that share memory");
    bases[1] = &call.data[42];
    CHECK_OK(ORTHO_Halo_rebind(request, 2, bases));
    { // every second column
        Call columns;
        columns.set_strides(0, 2 * 56, 16);
        columns.fields[1].strides = columns.strides.data();
        std::vector<double> data(100, 0.0);
        columns.fields[0].base = &data[0];
        columns.fields[1].base = &data[1];
        ORTHO_Request apart = ORTHO_REQUEST_NULL;
        CHECK_OK(ORTHO_Halo_fields_init(2, columns.fields, 2, torus, MPI_INFO_NULL, &apart));
        CHECK_OK(ORTHO_Request_free(&apart));
        columns.fields[1].base = &data[2];
        expect(columns, torus, MPI_ERR_BUFFER, {"share memory"});
    }
    { // not divided
        Call layers;
        layers.add_undivided();
        test::Request of_layers;
        CHECK_OK(ORTHO_Halo_fields_init(2, layers.fields, 2, torus, MPI_INFO_NULL, &of_layers));
        layers.sizes[2] = 1;
        CHECK_EQ(error_class(ORTHO_Halo_rebind_fields(of_layers, 2, layers.fields)), MPI_ERR_ARG);
        layers.sizes[2] = 2;
        layers.fields[1].ndims = 2;
        CHECK_EQ(error_class(ORTHO_Halo_rebind_fields(of_layers, 2, layers.fields)), MPI_ERR_ARG);
        // Where there are no elements, steps do not matter.
        layers.fields[1].ndims = 3;
        layers.sizes[2] = 0;
        layers.set_strides(1, 8, 0, 0);
        CHECK_OK(ORTHO_Request_free(&of_layers));
        CHECK_OK(ORTHO_Halo_fields_init(2, layers.fields, 2, torus, MPI_INFO_NULL, &of_layers));
    }
    int n = 0;
    refused(ORTHO_Halo_unfilled(request, 2, 0, nullptr, &n), MPI_ERR_ARG, "fields[2] is none of 2 fields");
    refused(ORTHO_Halo_unfilled(request, 0, -1, nullptr, &n), MPI_ERR_ARG, "maxn = -1");
    refused(ORTHO_Halo_unfilled(request, 0, 0, nullptr, nullptr), MPI_ERR_ARG, "n is a null");
    refused(ORTHO_Halo_unfilled(ORTHO_REQUEST_NULL, 0, 0, nullptr, &n), MPI_ERR_REQUEST, "NULL");
    rebind_other_fields(request);
    refused(ORTHO_Halo_rebind(request, 1, bases), MPI_ERR_ARG, "nfields = 1");
    refused(ORTHO_Halo_rebind(request, 2, nullptr), MPI_ERR_ARG, "bases");
    refused(ORTHO_Halo_rebind(ORTHO_REQUEST_NULL, 2, bases), MPI_ERR_REQUEST, "NULL");
    bases[1] = nullptr;
    refused(ORTHO_Halo_rebind(request, 2, bases), MPI_ERR_BUFFER, "bases[1]");
    bases[1] = call.data.data();
    refused(ORTHO_Request_rebind(request, bases[0], bases[1]), MPI_ERR_REQUEST, "ORTHO_Halo_rebind");
    CHECK_OK(ORTHO_Halo_rebind_fields(request, 2, call.fields)); // the arrays above are gone
    CHECK_OK(ORTHO_Start(&request));
    refused(ORTHO_Halo_rebind(request, 2, bases), MPI_ERR_REQUEST, "under way");
    refused(ORTHO_Halo_rebind_fields(request, 2, call.fields), MPI_ERR_REQUEST, "under way");
    CHECK_OK(ORTHO_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_OK(ORTHO_Request_free(&request));
    refused(ORTHO_Halo_rebind(request, 2, bases), MPI_ERR_REQUEST, "NULL");
    CHECK_OK(ORTHO_Barrier_init(torus, MPI_INFO_NULL, &request));
    refused(ORTHO_Halo_rebind(request, 2, bases), MPI_ERR_REQUEST, "no halo");
    refused(ORTHO_Halo_rebind_fields(request, 2, call.fields), MPI_ERR_REQUEST, "no halo");
    refused(ORTHO_Halo_unfilled(request, 0, 0, nullptr, &n), MPI_ERR_REQUEST, "no halo");
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
    test::name(comm, {test::size() - 1, 1}, {1, 1});
    setenv("ORTHO_ALGORITHM", "halo_direkt", 1);
    MPI_Barrier(comm); // processes of one address space have one environment
    for (int time = 0; time < 2; ++time) expect_of_one_shape({}, comm, ORTHO_ERR_ALGORITHM, "halo_direkt");
    MPI_Barrier(comm);
    unsetenv("ORTHO_ALGORITHM");
    MPI_Barrier(comm);

    // Errors of a request go through the communicator's handler, also off the grid.
    const Call call;
    test::Request request;
    CHECK_OK(call.init_of_one_shape(comm, &request));
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
    test::Comm on_graph = test::neighborhood({test::size(), 1}, {1, 1}, {1, 0, -1, 0});
    test::Comm plain = test::duplicate();
    test::return_errors(on_graph);
    test::return_errors(plain);
    ORTHO_Request request = ORTHO_REQUEST_NULL;
    const std::string last(250, 'v'); // Open MPI's infos hold 255 characters, and errors tell 199
    const auto make = [&](const std::string& name, MPI_Comm comm, bool is_halo) {
        const test::Info info{{"ortho_name", name.empty() ? nullptr : name.c_str()}};
        Call call;
        call.info = info;
        return is_halo ? call.init_of_one_shape(comm, &request) : ORTHO_Barrier_init(comm, info, &request);
    };
    const auto check = [&](MPI_Comm comm, bool is_halo) {
        CHECK_OK(make("u", comm, is_halo));
        CHECK_OK(ORTHO_Request_free(&request));
        if (test::size() == 1) return;
        const bool is_last = test::rank() == test::size() - 1;
        for (const std::string& other : {std::string("v"), last, std::string()}) {
            const std::string mine = is_last ? other : "u";
            refused(make(mine, comm, is_halo), ORTHO_ERR_MISMATCH,
                    is_last ? "ortho_name is '" + mine.substr(0, 100) : "");
            if (other.size() < 100)
                CHECK(message().find("the processes make requests in different orders") != std::string::npos);
        }
    };
    check(on_graph, true);
    check(on_graph, false);
    check(plain, false);
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

void errors_of_sides()
{
    test::Comm comm = test::cart({test::size(), 1}, {0, 1});
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    test::Request request;
    const auto wrong = [&](int wanted, const char* words, auto spoil) {
        Call call;
        call.fields[0].boundary = call.sides;
        spoil(call);
        EXPECT(call.init(comm, &request), wanted, "ORTHO_Halo_fields_init", words);
    };
    wrong(MPI_ERR_ARG,
          "fields[0].boundary of dimension 0, upper side, is reflect, which needs 4 owned layers",
          [](Call& call) {
              call.sides[1].kind = ORTHO_BOUNDARY_REFLECT;
              call.sizes[0] = 7;
              call.upper[0] = 3;
          });
    if (test::size() == 1)
        wrong(MPI_ERR_ARG,
              "fields[0].boundary of dimension 0, upper side, is symmetric, which needs 2 owned layers",
              [](Call& call) {
                  call.sides[1].kind = ORTHO_BOUNDARY_SYMMETRIC;
                  call.sizes[0] = 4; // one is left
              });
    wrong(MPI_ERR_ARG, "fields[0].boundary of dimension 0, lower side, has kind 5", WITH(sides[0].kind = 5));
    wrong(MPI_ERR_ARG, "fields[0].boundary of dimension 0, lower side, has sign 2",
          WITH(sides[0] = {ORTHO_BOUNDARY_EDGE, 2, nullptr}));
    wrong(MPI_ERR_TYPE, "fields[0].boundary of dimension 0, lower side, has sign -1", [](Call& call) {
        call.sides[0] = {ORTHO_BOUNDARY_EDGE, -1, nullptr};
        call.fields[0].element = MPI_UINT64_T;
    });
    Call reduced;
    reduced.fields[0].boundary = reduced.sides;
    CHECK_OK(reduced.init(comm, &request, true)); // sides that say nothing
    CHECK_OK(ORTHO_Request_free(&request));
    reduced.sides[0].kind = ORTHO_BOUNDARY_EDGE;
    EXPECT(reduced.init(comm, &request, true), MPI_ERR_ARG, "ORTHO_Halo_reduce_fields_init",
           "lower side, is edge, and ghosts that are reduced");
    // One process alone says something else.
    if (test::size() == 1) return;
    const bool is_other = test::rank() == 1;
    wrong(ORTHO_ERR_MISMATCH,
          "fields[0].boundary[0] is not the same on all processes: 2 on rank 0, 4 on rank 1",
          WITH(sides[0].kind = is_other ? ORTHO_BOUNDARY_REFLECT : ORTHO_BOUNDARY_EDGE));
    wrong(ORTHO_ERR_MISMATCH,
          "fields[0].boundary[1] is not the same on all processes: 1 on rank 0, -1 on rank 1",
          WITH(sides[1] = {ORTHO_BOUNDARY_EDGE, is_other ? -1 : 0, nullptr}));
}

/// Sides of a ring are not looked at; the explanation tells of closed ones.
void sides_without_values()
{
    const int first = 3 * test::rank() + 1, all = 3 * test::size();
    for (const int period : {0, 1}) {
        test::Comm comm = test::cart({test::size()}, {period});
        double cells[] = {-1, -1, 1.0 * first, first + 1.0, first + 2.0, -1, -1};
        const MPI_Count size = 7, width = 2;
        const ORTHO_Boundary constant = {ORTHO_BOUNDARY_CONSTANT, 0, nullptr}; // 0
        const ORTHO_Boundary sides[] = {constant, constant};
        ORTHO_Field field = test::field(cells, MPI_DOUBLE, &size, &width, &width);
        field.boundary = sides;
        test::Request request;
        CHECK_OK(ORTHO_Halo_fields_init(1, &field, 1, comm, MPI_INFO_NULL, &request));
        CHECK_OK(ORTHO_Run(&request, MPI_STATUS_IGNORE));
        for (int i = 0; i < 7; ++i) {
            const int wanted = first + i - 2;
            const bool is_beyond = wanted < 1 || wanted > all;
            CHECK_EQ(cells[i], is_beyond && period == 0 ? 0 : (wanted + all - 1) % all + 1);
        }
        const int closed = (test::rank() == 0 ? 1 : 0) + (test::rank() == test::size() - 1 ? 1 : 0);
        const std::string line = "closed sides: ghosts of 1 array beyond them, " +
                                 std::to_string(16 * closed);
        CHECK_EQ(test::explanation(request).find(line) != std::string::npos, period == 0 && closed > 0);
    }
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
    errors_of_one_shape();
    errors();
    names();
    wrong_setting_on_a_part();
    errors_of_sides();
    sides_without_values();
}
