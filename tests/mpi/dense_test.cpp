// SPDX-License-Identifier: BSD-3-Clause
// Everybody with everybody on full communicators, and memory that a node shares: results by arithmetic.

#include "calls.hpp"

namespace {

int content(int from, int to, int k, int round) { return 1'000 * from + 37 * to + 7 * k + 11 * round; }

/// Ints from ORTHO_Alloc_mem, or a process's own.
class Ints {
public:
    Ints(std::size_t count, bool shared, MPI_Comm comm) : count_(count)
    {
        if (shared)
            CHECK_OK(
                ORTHO_Alloc_mem(static_cast<MPI_Aint>(count * sizeof(int)), MPI_INFO_NULL, comm, &shared_));
        else
            own_.resize(count);
        fill(-1);
    }
    ~Ints()
    {
        if (shared_ != nullptr) CHECK_OK(ORTHO_Free_mem(shared_, MPI_COMM_WORLD));
    }
    Ints(const Ints&) = delete;
    Ints& operator=(const Ints&) = delete;
    int* data() { return shared_ != nullptr ? shared_ : own_.data(); }
    int& operator[](std::size_t i) { return data()[i]; }
    void fill(int value) { std::fill_n(data(), count_, value); }
    bool operator==(const std::vector<int>& other)
    {
        return std::equal(data(), data() + count_, other.begin(), other.end());
    }

private:
    std::size_t count_;
    int* shared_ = nullptr;
    std::vector<int> own_;
};

void regular(MPI_Comm comm, int count, bool shared)
{
    const int p = test::size(comm), me = test::rank(comm);
    Ints send(at(p * count), shared, comm), receive(at(p * count) + 1, shared, comm);
    for (int round = 0; round < 3; ++round) {
        std::vector<int> transposed, gathered;
        for (int q = 0; q < p; ++q)
            for (int k = 0; k < count; ++k) {
                send[at(q * count + k)] = content(me, q, k, round);
                transposed.push_back(content(q, me, k, round));
                gathered.push_back(content(q, 0, k, round));
            }
        for (std::vector<int>* expected : {&transposed, &gathered}) {
            expected->push_back(-1);
            receive.fill(-1);
            const auto call = expected == &transposed ? ORTHO_Alltoall : ORTHO_Allgather;
            CHECK_OK(call(send.data(), count, MPI_INT, receive.data(), count, MPI_INT, comm));
            CHECK(receive == *expected);
        }
    }
}

/// Block q of process r has (r + 2 q) % 5 times `unit` ints, with a gap of one behind it.
void varying(MPI_Comm comm, int unit, bool shared)
{
    const int p = test::size(comm), me = test::rank(comm);
    const auto count = [&](int from, int to) { return (from + 2 * to) % 5 * unit; };
    std::vector<int> send_counts, send_places, receive_counts, receive_places, gather_counts;
    int sent = 0, received = 0;
    for (int q = 0; q < p; ++q) {
        send_counts.push_back(count(me, q));
        send_places.push_back(sent);
        sent += count(me, q) + 1;
        receive_counts.push_back(count(q, me));
        gather_counts.push_back(count(q, 1)); // the same for all receivers
        receive_places.push_back(received);
        received += std::max(count(q, me), count(q, 1)) + 1;
    }
    Ints send(at(sent), shared, comm), receive(at(received), shared, comm);
    /// Block q is the one that process q sends to `to`.
    const auto check = [&](const std::vector<int>& counts, int to, int round) {
        std::vector<int> expected(at(received), -1);
        for (int q = 0; q < p; ++q)
            for (int k = 0; k < counts[at(q)]; ++k)
                expected[at(receive_places[at(q)] + k)] = content(q, to, k, round);
        CHECK(receive == expected);
        receive.fill(-1);
    };
    for (int round = 0; round < 2; ++round) {
        for (int q = 0; q < p; ++q)
            for (int k = 0; k < send_counts[at(q)]; ++k)
                send[at(send_places[at(q)] + k)] = content(me, q, k, round);
        CHECK_OK(ORTHO_Alltoallv(send.data(), send_counts.data(), send_places.data(), MPI_INT, receive.data(),
                                 receive_counts.data(), receive_places.data(), MPI_INT, comm));
        check(receive_counts, me, round);

        std::vector<int> mine(at(count(me, 1)) + 1);
        for (int k = 0; k < count(me, 1); ++k) mine[at(k)] = content(me, 0, k, round);
        CHECK_OK(ORTHO_Allgatherv(mine.data(), count(me, 1), MPI_INT, receive.data(), gather_counts.data(),
                                  receive_places.data(), MPI_INT, comm));
        check(gather_counts, 0, round);
    }
}

/// Columns of a matrix in shared memory: sent from where they lie, and received into other columns.
void columns(MPI_Comm comm)
{
    const int p = test::size(comm), me = test::rank(comm);
    constexpr int rows = 1500;
    test::Type column = test::strided_ints(rows, 2, 2 * p + 1, 2);
    const std::size_t all = at(rows * (2 * p + 1));
    Ints send(all, true, comm), receive(all, true, comm);
    for (int i = 0; i < rows; ++i)
        for (int j = 0; j < 2 * p; ++j) send[at(i * (2 * p + 1) + j)] = content(me, j, i, 0);
    CHECK_OK(ORTHO_Alltoall(send.data(), 1, column, receive.data(), 1, column, comm));
    std::vector<int> expected;
    for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < 2 * p; ++j) expected.push_back(content(j / 2, 2 * me + j % 2, i, 0));
        expected.push_back(-1);
    }
    CHECK(receive == expected);
}

/// An array whose second dimension is divided becomes one whose first is, by blocks of types of their own; in
/// each round other types of the same shape.
void transposes(MPI_Comm comm, int rows, int depth)
{
    const int p = test::size(comm), me = test::rank(comm);
    const std::vector<int> ones(at(p), 1);
    const std::vector<MPI_Aint> none(at(p), 0);
    const std::array<int, 3> whole_out = {rows, rows * p, depth};
    const std::array<int, 3> whole_in = {rows * p, rows, depth};
    const std::array<int, 3> part = {rows, rows, depth};
    const std::size_t all = at(rows * rows * p * depth);
    for (int round = 0; round < 4; ++round) {
        std::vector<MPI_Datatype> out, in;
        for (int q = 0; q < p; ++q) {
            const std::array<int, 3> from_out = {0, q * rows, 0};
            const std::array<int, 3> from_in = {q * rows, 0, 0};
            out.push_back(test::committed(MPI_Type_create_subarray, 3, whole_out.data(), part.data(),
                                          from_out.data(), MPI_ORDER_C, MPI_INT));
            in.push_back(test::committed(MPI_Type_create_subarray, 3, whole_in.data(), part.data(),
                                         from_in.data(), MPI_ORDER_C, MPI_INT));
        }
        Ints send(all, false, comm), receive(all, false, comm);
        for (int a = 0; a < rows; ++a)
            for (int b = 0; b < rows * p; ++b)
                for (int k = 0; k < depth; ++k)
                    send[at((a * rows * p + b) * depth + k)] = content(me * rows + a, b, k, round);
        CHECK_OK(ORTHO_Alltoallw(send.data(), ones.data(), none.data(), out.data(), receive.data(),
                                 ones.data(), none.data(), in.data(), comm));
        std::vector<int> expected;
        for (int a = 0; a < rows * p; ++a)
            for (int b = 0; b < rows; ++b)
                for (int k = 0; k < depth; ++k) expected.push_back(content(a, me * rows + b, k, round));
        CHECK(receive == expected);
        for (auto* const types : {&out, &in})
            for (MPI_Datatype& type : *types) MPI_Type_free(&type);
    }
}

void on_communicators()
{
    test::Comm half;
    MPI_Comm_split(MPI_COMM_WORLD, test::rank() % 2, -test::rank(), &half);
    MPI_Comm dup = test::duplicate();
    for (MPI_Comm comm : std::initializer_list<MPI_Comm>{MPI_COMM_WORLD, half, dup, MPI_COMM_WORLD}) {
        for (const bool shared : {false, true}) {
            for (const int count : {0, 1, 700, 5'000}) regular(comm, count, shared);
            for (const int unit : {0, 1, 3'000}) varying(comm, unit, shared);
        }
        columns(comm);
        transposes(comm, 2, 3);
        transposes(comm, 9, 200);
    }
    test::Comm again = MPI_COMM_NULL; // a duplicate of one that has been used
    MPI_Comm_dup(dup, &again);
    MPI_Comm_free(&dup);
    regular(again, 10, true);
}

void in_place()
{
    const int p = test::size();
    std::vector<int> data(at(p));
    for (int q = 0; q < p; ++q) data[at(q)] = content(test::rank(), q, 0, 0);
    CHECK_OK(ORTHO_Alltoall(MPI_IN_PLACE, 1, MPI_INT, data.data(), 1, MPI_INT, MPI_COMM_WORLD));
    for (int q = 0; q < p; ++q) CHECK_EQ(data[at(q)], content(q, test::rank(), 0, 0));
    for (int q = 0; q < p; ++q) data[at(q)] = q == test::rank() ? 5 * q : -1;
    CHECK_OK(ORTHO_Allgather(MPI_IN_PLACE, 0, MPI_INT, data.data(), 1, MPI_INT, MPI_COMM_WORLD));
    for (int q = 0; q < p; ++q) CHECK_EQ(data[at(q)], 5 * q);
}

void memory()
{
    test::Comm comm = test::duplicate();
    void* empty = &comm;
    CHECK_OK(ORTHO_Alloc_mem(0, MPI_INFO_NULL, comm, &empty));
    CHECK(empty == nullptr);
    CHECK_OK(ORTHO_Free_mem(empty, comm));
    std::mt19937 random(static_cast<unsigned>(test::rank()));
    std::vector<std::pair<unsigned char*, std::size_t>> blocks;
    for (int i = 0; i < 200; ++i) {
        const std::size_t bytes = random() % (i % 10 == 0 ? 4'000'000 : 5'000) + 1;
        unsigned char* block = nullptr;
        CHECK_OK(ORTHO_Alloc_mem(static_cast<MPI_Aint>(bytes), MPI_INFO_NULL, comm, &block));
        CHECK_EQ(reinterpret_cast<std::uintptr_t>(block) % 64, 0U);
        std::memset(block, i & 0xFF, bytes);
        blocks.emplace_back(block, bytes);
        if (i == 100) MPI_Comm_free(&comm); // what it gave lives on
        if (i == 100) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    }
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        const auto [block, bytes] = blocks[i];
        CHECK_EQ(static_cast<std::size_t>(block[0]), i & 0xFF);
        CHECK_EQ(static_cast<std::size_t>(block[bytes - 1]), i & 0xFF);
        CHECK_OK(ORTHO_Free_mem(block, comm));
    }
    test::return_errors(comm);
    void* block = nullptr;
    int local = 0;
    FAILS(ORTHO_Alloc_mem(-1, MPI_INFO_NULL, comm, &block), MPI_ERR_ARG);
    FAILS(ORTHO_Alloc_mem(8, MPI_INFO_NULL, comm, nullptr), MPI_ERR_ARG);
    FAILS(ORTHO_Alloc_mem(8, MPI_INFO_NULL, MPI_COMM_NULL, &block), MPI_ERR_COMM);
#ifndef __SANITIZE_ADDRESS__ // which ends a program that asks for so much
    FAILS(ORTHO_Alloc_mem(MPI_Aint{1} << 60, MPI_INFO_NULL, comm, &block), MPI_ERR_NO_MEM);
#endif
    FAILS(ORTHO_Free_mem(&local, comm), MPI_ERR_ARG);
}

} // namespace

/// On nodes that are none, where MPI's own call is taken.
void on_several_nodes()
{
    for (const char* nodes : {"1", "2"}) {
        setenv("ORTHO_NODES", nodes, 1);
        test::Comm comm = test::duplicate();
        for (const int count : {1, 0, 50}) regular(comm, count, false);
    }
    unsetenv("ORTHO_NODES");
}

/// On a grid of more directions than processes: Open MPI 4 reads more of the arrays than there are processes.
void on_a_flat_grid()
{
    const int me = test::rank(), p = test::size();
    const std::array<int, 6> dims = {p, 1, 1, 1, 1, 1};
    const std::array<int, 6> periods{};
    test::Comm grid = test::cart(dims, periods);
    std::vector<int> from, to(at(p)), counts(at(p), 1);
    std::vector<MPI_Aint> places;
    const std::vector<MPI_Datatype> types(at(p), MPI_INT);
    for (int i = 0; i < p; ++i) {
        from.push_back(content(me, i, 0, 0));
        places.push_back(4 * MPI_Aint{i});
    }
    for (const bool gathers : {false, true})
        for (const auto form : {test::Form::blocking, test::Form::nonblocking, test::Form::persistent}) {
            std::ranges::fill(to, -1);
            CHECK_OK(gathers ? in(form, SMALL_FORMS(Allgatherw, Iallgatherw), from.data(), 1, MPI_INT,
                                  to.data(), counts.data(), places.data(), types.data(), grid)
                             : in(form, SMALL_FORMS(Alltoallw, Ialltoallw), from.data(), counts.data(),
                                  places.data(), types.data(), to.data(), counts.data(), places.data(),
                                  types.data(), grid));
            for (int i = 0; i < p; ++i) CHECK_EQ(to[at(i)], content(i, gathers ? 0 : me, 0, 0));
        }
}

TEST_MAIN()
{
    for (const auto part : {on_a_flat_grid, on_communicators, on_several_nodes, in_place, memory}) part();
}
