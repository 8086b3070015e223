// SPDX-License-Identifier: BSD-3-Clause
// Datatypes that constructors with large counts (MPI_Type_vector_c and so on) have made, duplicates of them
// and types that hold them: in exchanges, reductions and halos, with ORTHO_VERIFY=1 and without, against
// arithmetic.  The library knows as much of them as of types made with small counts.

#ifdef ORTHO_MPI_LARGE_TYPES

#include "calls.hpp"
#include "mpi/strides.hpp"
#include "mpi/type_contents.hpp"
#include "mpi/type_signature.hpp"

namespace {

using namespace ortho;
using test::Buffer;
using Counts = std::vector<MPI_Count>;
using Addresses = std::vector<MPI_Aint>;

/// A type of ints with a large-count constructor in it, and one with the same arguments without.
struct Shape {
    const char* name;
    MPI_Datatype large, small;
    Ints positions;      ///< of an element's ints, in their order
    int extent;          ///< in ints
    bool is_box = false; ///< do elements that follow each other lie at regular distances?

    int ints() const { return static_cast<int>(positions.size()); }
};

template <class... P, class... A>
void construct(int (*constructor)(P...), const A&... arguments)
{
    CHECK_OK(constructor(test::As<P>(arguments).get()...));
}
template <class Constructor, class... A>
MPI_Datatype make(Constructor constructor, const A&... arguments)
{
    MPI_Datatype type = MPI_DATATYPE_NULL;
    construct(constructor, arguments..., &type);
    MPI_Type_commit(&type);
    return type;
}
template <class Large, class Small, class... A>
Shape both(const char* name, const Ints& positions, int extent, bool is_box, Large large, Small small,
           const A&... arguments)
{
    return {name, make(large, arguments...), make(small, arguments...), positions, extent, is_box};
}
#define BOTH(name, positions, extent, is_box, constructor, ...)                                              \
    both(name, Ints positions, extent, is_box, MPI_Type_##constructor##_c, MPI_Type_##constructor,           \
         __VA_ARGS__, MPI_INT)

std::vector<Shape> simple_shapes()
{
    const Ints lengths{2, 1}, places{4, 0}, bytes{0, 12}, sizes{4, 5}, part{2, 3}, start{1, 1};
    const Ints points{6}, two{2}, block{MPI_DISTRIBUTE_BLOCK}, automatic{MPI_DISTRIBUTE_DFLT_DARG};
    const std::array<MPI_Datatype, 2> types{MPI_INT, MPI_INT};
    std::vector<Shape> all{
        BOTH("contiguous", ({0, 1, 2}), 3, true, contiguous, 3),
        BOTH("vector", ({0, 2, 4}), 5, true, vector, 3, 1, 2),
        BOTH("hvector", ({0, 1, 3, 4}), 5, true, create_hvector, 2, 2, 12),
        BOTH("indexed", ({4, 5, 0}), 6, false, indexed, 2, lengths, places),
        BOTH("hindexed", ({0, 1, 3}), 4, false, create_hindexed, 2, lengths, bytes),
        BOTH("indexed_block", ({4, 5, 0, 1}), 6, false, create_indexed_block, 2, 2, places),
        BOTH("hindexed_block", ({0, 3}), 4, false, create_hindexed_block, 2, 1, bytes),
        BOTH("subarray as in C", ({6, 7, 8, 11, 12, 13}), 20, true, create_subarray, 2, sizes, part, start,
             MPI_ORDER_C),
        BOTH("subarray as in Fortran", ({5, 6, 9, 10, 13, 14}), 20, true, create_subarray, 2, sizes, part,
             start, MPI_ORDER_FORTRAN),
        BOTH("darray", ({3, 4, 5}), 6, false, create_darray, 2, 1, 1, points, block, automatic, two,
             MPI_ORDER_C),
    };
    all.push_back(both("struct", {0, 1, 3}, 4, false, MPI_Type_create_struct_c, MPI_Type_create_struct, 2,
                       lengths, bytes, types.data()));
    all.push_back(
        both("resized", {0}, 3, true, MPI_Type_create_resized_c, MPI_Type_create_resized, MPI_INT, -4, 12));
    return all;
}

class Shapes {
public:
    Shapes() : all(simple_shapes())
    {
        const Shape vector = all[1];
        all.push_back({"duplicate", test::committed(MPI_Type_dup, vector.large),
                       test::committed(MPI_Type_dup, vector.small), vector.positions, 5, true});
        const Ints twice{0, 2, 4, 5, 7, 9};
        all.push_back({"large in small", test::committed(MPI_Type_contiguous, 2, vector.large),
                       test::committed(MPI_Type_contiguous, 2, vector.small), twice, 10});
        all.push_back({"small in large", test::committed(MPI_Type_contiguous_c, 2, vector.small),
                       test::committed(MPI_Type_contiguous, 2, vector.small), twice, 10});
        all.push_back({"large in large", test::committed(MPI_Type_create_resized_c, vector.large, 0, 24),
                       test::committed(MPI_Type_create_resized, vector.small, 0, 24), vector.positions, 6,
                       true});
    }
    ~Shapes()
    {
        for (Shape& shape : all)
            for (MPI_Datatype* type : {&shape.large, &shape.small}) MPI_Type_free(type);
    }
    Shapes(const Shapes&) = delete;
    Shapes& operator=(const Shapes&) = delete;

    std::vector<Shape> all;
};

// ---- What the library knows of them

void known(const Shape& shape)
{
    const mpi::Measures measures = mpi::measure(shape.large);
    CHECK_EQ(measures.size, 4 * shape.ints());
    CHECK_EQ(measures.extent, 4 * shape.extent);
    CHECK(!mpi::is_named(shape.large));
    const auto box = mpi::strided_box(nullptr, 3, shape.large);
    CHECK_EQ(box.has_value(), mpi::strided_box(nullptr, 3, shape.small).has_value());
    CHECK(box == mpi::strided_box(nullptr, 3, shape.small));
    if (box.has_value() < shape.is_box) test::fail(__FILE__, __LINE__, shape.name);
    const mpi::TypeSignature signature = mpi::signature_of(2, shape.large);
    CHECK(mpi::fit(signature, mpi::signature_of(2, shape.small)));
    CHECK(mpi::fit(signature, mpi::signature_of(2 * shape.ints(), MPI_INT)));
    CHECK_EQ(signature.basics, 2 * shape.ints());
    CHECK(mpi::TypeContents(shape.large).numbers() == mpi::TypeContents(shape.small).numbers());
}

/// The portions of a structure come in its order.
void structures()
{
    const Counts lengths_c{2, 3};
    const Counts places_c{0, 16};
    const Ints lengths{2, 3}, others{3, 2};
    const Addresses places{0, 16};
    const std::array<MPI_Datatype, 2> types{MPI_INT, MPI_FLOAT};
    std::array<MPI_Datatype, 3> all{
        test::committed(MPI_Type_create_struct_c, 2, lengths_c.data(), places_c.data(), types.data()),
        test::committed(MPI_Type_create_struct, 2, lengths.data(), places.data(), types.data()),
        test::committed(MPI_Type_create_struct, 2, others.data(), places.data(), types.data())};
    const mpi::TypeSignature signature = mpi::signature_of(1, all[0]);
    CHECK(mpi::fit(signature, mpi::signature_of(1, all[1])));
    CHECK(!mpi::fit(signature, mpi::signature_of(1, all[2])));
    for (MPI_Datatype& type : all) MPI_Type_free(&type);
}

/// Counts that no int has.
void huge()
{
    constexpr MPI_Count many = MPI_Count{3} << 31;
    MPI_Datatype row = test::committed(MPI_Type_contiguous_c, many, MPI_CHAR);
    MPI_Datatype vector = test::committed(MPI_Type_vector_c, many, 2, 5, MPI_CHAR);
    const auto box = mpi::strided_box(nullptr, 1, row);
    CHECK(box && box->axes.empty() && box->run == many);
    const auto apart = mpi::strided_box(nullptr, 1, vector);
    CHECK(apart && apart->run == 2 && apart->axes.size() == 1 && apart->axes[0].count == many);
    CHECK_EQ(mpi::signature_of(3, row).basics, 3 * many);
    CHECK(mpi::fit(mpi::signature_of(2, row), mpi::signature_of(1, vector)));
    for (MPI_Datatype* type : {&row, &vector}) MPI_Type_free(type);
}

// ---- Exchanges

constexpr int elements = 2; // a block

int value(int rank, int block, int k) { return 10'000 * (rank + 1) + 100 * block + k; }

/// Buffers of three blocks, of `elements` elements each.
struct Place {
    const Shape& shape;

    Buffer buffer() const { return {8, 3 * elements * shape.extent + 20}; }
    void fill(Buffer& buffer, int block, int rank, int sent) const
    {
        int k = 0;
        for (int e = 0; e < elements; ++e)
            for (const int position : shape.positions)
                buffer[(block * elements + e) * shape.extent + position] = value(rank, sent, k++);
    }
    Buffer sent() const
    {
        Buffer result = buffer();
        for (int block = 0; block < 3; ++block) fill(result, block, test::rank(), block);
        return result;
    }
    Buffer expected() const
    {
        Buffer result = buffer();
        const int from[] = {test::left(), test::rank(), test::right()};
        for (int block = 0; block < 3; ++block) fill(result, block, from[block], block);
        return result;
    }
};

void check(const Shape& shape, const Buffer& received, const Buffer& expected)
{
    const std::string difference = received.difference(expected);
    if (!difference.empty()) test::fail(__FILE__, __LINE__, std::string(shape.name) + ' ' + difference);
}

void exchange(const Shape& shape, MPI_Comm ring)
{
    const Place place{shape};
    Buffer sent = place.sent();
    const Buffer expected = place.expected();
    for (int call = 0; call < 3; ++call) {
        Buffer received = place.buffer();
        CHECK_OK(ORTHO_Alltoall(sent.address(), elements, shape.large, received.address(), elements,
                                call == 1 ? shape.small : shape.large, ring));
        check(shape, received, expected);
    }
    Buffer received = place.buffer();
    test::Request request;
    CHECK_OK(ORTHO_Ialltoall(sent.address(), elements, shape.large, received.address(), elements, shape.large,
                             ring, &request));
    CHECK_OK(ORTHO_Wait(&request, MPI_STATUS_IGNORE));
    check(shape, received, expected);
    CHECK_OK(ORTHO_Alltoall_init(sent.address(), elements, shape.small, received.address(), elements,
                                 shape.large, ring, MPI_INFO_NULL, &request));
    for (int start = 0; start < 2; ++start) {
        received.assign(place.buffer());
        CHECK_OK(ORTHO_Run(&request, MPI_STATUS_IGNORE));
        check(shape, received, expected);
    }
}

/// One side sends elements, the other receives ints, which say nothing of where they came from.
void exchange_ints(const Shape& shape, MPI_Comm ring)
{
    const Place place{shape};
    const int ints = elements * shape.ints();
    Buffer sent = place.sent();
    Ints received(ortho::at(3 * ints));
    const int counts[] = {elements, elements, elements}, counts_of_ints[] = {ints, ints, ints};
    Addresses places;
    Addresses places_of_ints;
    for (int block = 0; block < 3; ++block) {
        places.push_back(MPI_Aint{4} * block * elements * shape.extent);
        places_of_ints.push_back(MPI_Aint{4} * block * ints);
    }
    const MPI_Datatype types[] = {shape.large, shape.large, shape.large};
    const MPI_Datatype types_of_ints[] = {MPI_INT, MPI_INT, MPI_INT};
    CHECK_OK(ORTHO_Alltoallw(sent.address(), counts, places.data(), types, received.data(), counts_of_ints,
                             places_of_ints.data(), types_of_ints, ring));
    const int from[] = {test::left(), test::rank(), test::right()};
    bool is_right = true;
    for (int i = 0; i < 3 * ints; ++i)
        is_right = is_right && received[ortho::at(i)] == value(from[i / ints], i / ints, i % ints);
    CHECK(is_right);
}

// ---- Reductions

const Shape* reduced = nullptr;

extern "C" void ortho_test_add(void* in, void* inout, int* count, MPI_Datatype*)
{
    for (int e = 0; e < *count; ++e)
        for (const int position : reduced->positions)
            static_cast<int*>(inout)[e * reduced->extent + position] += static_cast<int*>(
                in)[e * reduced->extent + position];
}

void reduce(const Shape& shape, MPI_Comm ring)
{
    reduced = &shape;
    MPI_Op op = MPI_OP_NULL;
    MPI_Op_create(ortho_test_add, 1, &op);
    const Place place{shape};
    Buffer sent = place.buffer();
    place.fill(sent, 0, test::rank(), 0);
    Buffer expected = place.buffer();
    for (int k = 0; k < elements * shape.ints(); ++k)
        expected[k / shape.ints() * shape.extent + shape.positions[ortho::at(k % shape.ints())]] =
            value(test::left(), 0, k) + value(test::rank(), 0, k) + value(test::right(), 0, k);
    Buffer received = place.buffer();
    CHECK_OK(ORTHO_Allreduce(sent.address(), received.address(), elements, shape.large, op, ring));
    check(shape, received, expected);
    MPI_Op_free(&op);
    const int code = ORTHO_Allreduce(sent.address(), received.address(), elements, shape.large, MPI_SUM,
                                     ring);
    CHECK_EQ(test::error_class(code), MPI_ERR_OP);
}

// ---- Halos

/// Three elements, and a layer on each side.
void halo(const Shape& shape, MPI_Comm cart)
{
    const auto fill = [&](Buffer& buffer, int element, int rank, int owned) {
        for (int k = 0; k < shape.ints(); ++k)
            buffer[element * shape.extent + shape.positions[ortho::at(k)]] = value(rank, owned, k);
    };
    Buffer field(8, 5 * shape.extent + 20);
    for (int owned = 0; owned < 3; ++owned) fill(field, owned + 1, test::rank(), owned);
    Buffer expected = field;
    fill(expected, 0, test::left(), 2);
    fill(expected, 4, test::right(), 0);
    test::Request request = test::row_halo(field.address(), 5, cart, shape.large);
    CHECK_OK(ORTHO_Run(&request, MPI_STATUS_IGNORE));
    check(shape, field, expected);
}

/// ORTHO_VERIFY looks at what the types hold.
void mismatch(const Shape& shape, MPI_Comm ring)
{
    const Place place{shape};
    Buffer sent = place.sent(), received = place.buffer();
    const int code = ORTHO_Alltoall(sent.address(), elements, shape.large, received.address(),
                                    elements * shape.ints(), MPI_FLOAT, ring);
    CHECK_EQ(test::error_class(code), ORTHO_ERR_MISMATCH);
}

void all(const Shapes& shapes)
{
    test::Comm ring = test::ring();
    test::return_errors(ring);
    const int points = test::size(), periodic = 1;
    test::Comm cart = test::cart({points}, {periodic});
    for (const Shape& shape : shapes.all) {
        exchange(shape, ring);
        exchange_ints(shape, ring);
        reduce(shape, ring);
        halo(shape, cart);
    }
}

} // namespace

TEST_MAIN()
{
    const Shapes shapes;
    for (const Shape& shape : shapes.all) known(shape);
    structures();
    huge();
    all(shapes);
    setenv("ORTHO_VERIFY", "1", 1);
    all(shapes);
    test::Comm ring = test::ring();
    test::return_errors(ring);
    for (const Shape& shape : shapes.all) mismatch(shape, ring);
}

#else

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv); // this MPI has no such types
    return test::finish();
}

#endif
