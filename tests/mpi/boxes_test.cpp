// SPDX-License-Identifier: BSD-3-Clause
// Datatypes as boxes of bytes (mpi/strides.hpp), and as parts of messages (transport/packing.hpp), against
// what MPI packs, and what it writes when it unpacks.

#include "mpi/strides.hpp"
#include "odd_datatypes.hpp"
#include "transport/bound_datatypes.hpp"
#include "transport/packing.hpp"

namespace {

using Bytes = std::vector<unsigned char>;

constexpr int room = 65536; // before an address, and behind it

struct Named {
    std::string name;
    MPI_Datatype type;
    bool in_order; ///< boxes must be
};

/// Types that are made of the last one.
std::vector<Named> types()
{
    std::vector<Named> all;
    const auto add = [&](const char* name, bool in_order, auto constructor, auto... arguments) {
        all.push_back({name, test::committed(constructor, arguments...), in_order});
        return all.back().type;
    };
    const int lengths[] = {2, 0, 1}, places[] = {5, 9, -3};
    const MPI_Aint bytes[] = {400, 8, -240}, far[] = {4000, 8, -2400};
    const MPI_Datatype three[] = {MPI_INT, MPI_CHAR, MPI_DOUBLE};
    const auto cell = add("a structure", true, MPI_Type_create_struct, 3, lengths, bytes, three);
    const auto sized = add("a structure of a size", true, MPI_Type_create_resized, cell, -240, 656);
    for (const MPI_Datatype old : {MPI_INT, cell, sized}) {
        add("a row", true, MPI_Type_contiguous, 3, old);
        add("a vector", true, MPI_Type_vector, 3, 2, 4, old);
        add("a vector of bytes apart", true, MPI_Type_create_hvector, 2, 2, 2000, old);
        add("indexed", true, MPI_Type_indexed, 3, lengths, places, old);
        add("indexed by bytes", true, MPI_Type_create_hindexed, 3, lengths, far, old);
        add("indexed blocks", true, MPI_Type_create_indexed_block, 3, 1, places, old);
        add("blocks by bytes", true, MPI_Type_create_hindexed_block, 3, 1, far, old);
        const int sizes[] = {3, 4}, parts[] = {2, 2}, starts[] = {1, 1};
        for (const int order : {MPI_ORDER_C, MPI_ORDER_FORTRAN}) {
            const auto part = add("a part of an array", true, MPI_Type_create_subarray, 2, sizes, parts,
                                  starts, order, old);
            add("parts in a row", true, MPI_Type_contiguous, 2, part);
        }
    }
    const auto column = add("a column", true, MPI_Type_vector, 5, 1, 7, MPI_INT);
    add("columns side by side", true, MPI_Type_create_resized, column, 0, 4);
    const int numbers[] = {1, 2};
    const MPI_Aint at[] = {0, 700};
    const MPI_Datatype both[] = {column, cell};
    add("two kinds", true, MPI_Type_create_struct, 2, numbers, at, both);
    int many[12], many_lengths[12];
    for (int i = 0; i < 12; ++i) {
        many[i] = 10 * ((i * 5) % 12);
        many_lengths[i] = 1 + i % 3;
    }
    add("many of several lengths", true, MPI_Type_indexed, 12, many_lengths, many, MPI_INT);
    add("many single ones", true, MPI_Type_create_indexed_block, 12, 1, many, MPI_DOUBLE);
    add("nothing", true, MPI_Type_contiguous, 0, MPI_INT);
    add("backwards", false, MPI_Type_create_hvector, 4, 1, -12, MPI_INT);
    const int sizes[] = {5, 6}, grid[] = {2, 1};
    const int kinds[] = {MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_BLOCK};
    const int arguments[] = {MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG};
    add("a distributed array", false, MPI_Type_create_darray, 2, 1, 2, sizes, kinds, arguments, grid,
        MPI_ORDER_C, MPI_INT);
    add("pairs", false, MPI_Type_contiguous, 3, MPI_SHORT_INT);
    return all;
}

/// The bytes of boxes, one after the other: where they lie.
std::vector<std::int64_t> bytes_of(const std::vector<ortho::grid::StridedBox>& boxes)
{
    std::vector<std::int64_t> result;
    const auto add = [&](const auto& again, const ortho::grid::StridedBox& box, std::size_t axis,
                         std::int64_t address) -> void {
        if (axis == box.axes.size()) {
            for (std::int64_t i = 0; i < box.run; ++i) result.push_back(address + i);
            return;
        }
        for (std::int64_t i = 0; i < box.axes[axis].count; ++i)
            again(again, box, axis + 1, address + i * box.axes[axis].stride);
    };
    for (const auto& box : boxes) add(add, box, 0, box.address);
    return result;
}

/// Parts of a message gather what MPI packs, and spread it where it was.
void check_parts(const std::string& name, const ortho::transport::DataLocation& place, const Bytes& packed)
{
    ortho::transport::BoundDatatypes layouts;
    const auto parts = layouts.parts_of({place});
    if (!parts) return test::fail(__FILE__, __LINE__, name + ": no parts, although its boxes are in order");
    std::vector<std::byte> row(packed.size());
    ortho::transport::gather(*parts, row.data());
    if (std::memcmp(row.data(), packed.data(), packed.size()) != 0)
        test::fail(__FILE__, __LINE__, name + ": parts gather something else than MPI packs");
    for (std::byte& byte : row) byte ^= std::byte{0xff};
    std::vector<std::byte> again(row.size());
    ortho::transport::spread(row.data(), *parts);
    ortho::transport::gather(*parts, again.data());
    CHECK(again == row);
    for (std::byte& byte : row) byte ^= std::byte{0xff};
    ortho::transport::spread(row.data(), *parts);
    if (!parts->pieces.empty() || parts->empty()) return;
    ortho::transport::Runs gathered(*parts);
    ortho::transport::Runs spread(*parts);
    for (std::size_t done = 0, some = 1; done < row.size(); done += some, some = some * 3 % 41) {
        some = std::min(some, row.size() - done);
        std::vector<std::byte> next(some);
        gathered.gather(next.data(), some);
        CHECK(std::memcmp(next.data(), &row[done], some) == 0);
        spread.spread(next.data(), some);
    }
}

void check(const std::string& name, MPI_Datatype type, int count, bool must_be_in_order)
{
    int size = 0;
    MPI_Type_size(type, &size);
    Bytes memory(2 * room);
    for (std::size_t i = 0; i < memory.size(); ++i)
        memory[i] = static_cast<unsigned char>(i * 37 + i / 251 + i / 65536);
    const auto data = ortho::mpi::boxes_of(memory.data() + room, count, type);
    CHECK(data.in_order || !must_be_in_order);
    const auto begin = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(memory.data()));
    std::vector<std::int64_t> places = bytes_of(data.boxes);
    CHECK_EQ(std::ssize(places), std::int64_t{size} * count);
    Bytes packed(static_cast<std::size_t>(size) * static_cast<std::size_t>(count));
    const int bytes = static_cast<int>(packed.size());
    if (bytes == 0) return; // Open MPI wants a buffer
    int position = 0;
    CHECK_OK(MPI_Pack(memory.data() + room, count, type, packed.data(), bytes, &position, MPI_COMM_SELF));
    Bytes gathered;
    for (const std::int64_t place : places)
        gathered.push_back(memory[static_cast<std::size_t>(place - begin)]);
    if (data.in_order && gathered != packed)
        test::fail(__FILE__, __LINE__, name + ": another order than MPI's");
    if (data.in_order) check_parts(name, {memory.data() + room, count, type}, packed);
    Bytes image(2 * room, 0);
    std::fill(packed.begin(), packed.end(), 1);
    position = 0;
    CHECK_OK(MPI_Unpack(packed.data(), bytes, &position, image.data() + room, count, type, MPI_COMM_SELF));
    for (const std::int64_t place : places) {
        unsigned char& byte = image[static_cast<std::size_t>(place - begin)];
        if (byte != 1)
            return test::fail(__FILE__, __LINE__, name + ": a byte that MPI does not write, or twice");
        byte = 2;
    }
    if (std::ranges::count(image, 1) > 0) test::fail(__FILE__, __LINE__, name + ": MPI writes more");
}

} // namespace

TEST_MAIN()
{
    for (Named& each : types()) {
        for (const int count : {0, 1, 2}) check(each.name, each.type, count, each.in_order);
        MPI_Type_free(&each.type);
    }
    for (int kind = 0; kind < test::Layout::kinds; ++kind)
        for (const int n : {1, 2, 6}) {
            const test::Layout layout(kind, n);
            check("kind " + std::to_string(kind), layout.type(), layout.count(), false);
        }
}
