// SPDX-License-Identifier: BSD-3-Clause
// The C++ interface: windows, and memory that the processes of a node share.

#include "cpp.hpp"

namespace ortho_cpp_test {

/// Memory that the processes of a node share, as buffer and as field.
void shared()
{
    const ring o;
    shared_memory<int> send(o.g, 2);
    shared_memory<int> recv(o.g, 2);
    send[0] = send[1] = o.r;
    alltoall(send, recv, o.g);
    CHECK_EQ(recv[0], o.left);
    CHECK_EQ(recv[1], o.right);
    shared_memory<double> memory(o.g, field<double, 1>::elements({4}, 1));
    field<double, 1> f(memory.data(), {4}, 1);
    for (int i = -1; i <= 4; ++i) f(i) = o.r;
    auto halo = mpiortho::halo(o.g, f);
    halo.run();
    CHECK_EQ(f(-1), static_cast<double>(o.left));
    CHECK_EQ(f(4), static_cast<double>(o.right));
    const shared_memory<double> none(o.g, 0);
    CHECK(none.data() == nullptr);
}

void windows()
{
    if (test::is_played()) return; // loopback has none
    const ring o;
    Ints memory = {o.r, -1, 0, 0};
    window<int> w(o.g, memory);
    w.return_errors();
    Ints got(1, -1);
    w.fence();
    w.put(o.r, o.right, 1);
    w.get(got, o.left, 0);
    const Ints ones = {1, 1};
    w.accumulate(ones, o.left, 2, std::plus<>{});
    w.fence(MPI_MODE_NOSUCCEED);
    CHECK_EQ(memory[1], o.left);
    CHECK_EQ(got[0], o.left);
    CHECK_EQ(memory[2], 1);
    window<double> own(o.g, 2);
    own.local()[0] = own.local()[1] = 0;
    barrier(o.g.all());
    {
        auto lock = own.lock(o.right, true);
        double before = -1;
        own.fetch_and_op(1.5, before, o.right, 0, std::plus<>{});
        own.flush(o.right);
        CHECK_EQ(before, 0.0);
        lock.unlock();
    }
    {
        const auto lock = own.lock_all();
        const double value = 2.5;
        double before = -1;
        MPI_Request requests[] = {own.rput(value, o.right, 1)};
        MPI_Waitall(1, requests, MPI_STATUSES_IGNORE);
        own.flush_all();
        own.get(before, o.right, 1);
        own.flush_local_all();
        CHECK_EQ(before, 2.5);
    }
    window<int> counters(o.g, 1);
    counters.local()[0] = 5;
    barrier(o.g.all());
    {
        const auto lock = counters.lock(o.right);
        int before = -1;
        counters.compare_and_swap(6, 5, before, o.right, 0);
        counters.flush(o.right);
        CHECK_EQ(before, 5);
        const int add = 10;
        counters.get_accumulate(add, before, o.right, 0, std::plus<>{});
        counters.flush(o.right);
        CHECK_EQ(before, 6);
    }
    barrier(o.g.all());
    CHECK_EQ(counters.local()[0], 16);
    // A lock holds when its window is moved.  It is given back once.
    {
        auto lock = counters.lock(o.right);
        window<int> moved = std::move(counters);
        int there = -1;
        moved.get(there, o.right, 0);
        lock.unlock();
        lock.unlock();
        CHECK_EQ(there, 16);
        counters = std::move(moved);
    }
    // An array of fixed size is one element, whose numbers are all added.
    using three = std::array<double, 3>;
    window<three> arrays(o.g, 2);
    arrays.local()[0] = arrays.local()[1] = {1, 2, 3};
    barrier(o.g.all());
    {
        const auto lock = arrays.lock(o.right);
        const three add = {10, 20, 30};
        three before = {};
        arrays.fetch_and_op(add, before, o.right, 0, std::plus<>{});
        arrays.flush(o.right);
        CHECK((before == three{1, 2, 3}));
        arrays.accumulate(add, o.right, 0, std::plus<>{});
        arrays.put(add, o.right, 1);
        arrays.flush(o.right);
        const std::vector<three> list = {{1, 1, 1}, {2, 2, 2}};
        arrays.accumulate(list, o.right, 0, std::plus<>{});
    }
    barrier(o.g.all());
    CHECK((arrays.local()[0] == three{22, 43, 64}));
    CHECK((arrays.local()[1] == three{12, 22, 32}));
    // A buffer by hand has its own datatype: here every second number travels.
    test::Type strided = test::committed(MPI_Type_vector, 3, 1, 2, MPI_DOUBLE);
    const double from[] = {1, -1, 2, -1, 3};
    double old[] = {-1, -1, -1, -1, -1};
    window<double> spread(o.g, 5);
    for (double& x : spread.local()) x = 5;
    barrier(o.g.all());
    {
        const auto lock = spread.lock(o.right);
        const typed by_hand{from, 1, strided};
        spread.accumulate(by_hand, o.right, 0, std::plus<>{});
        spread.flush(o.right);
        spread.get_accumulate(by_hand, typed{old, 1, strided}, o.right, 0, MPI_SUM);
        spread.flush(o.right);
        MPI_Request requests[] = {
            spread.raccumulate(by_hand, o.right, 0, std::plus<>{}),
            spread.rget_accumulate(by_hand, typed{old, 1, strided}, o.right, 0, MPI_NO_OP)};
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    barrier(o.g.all());
    for (int i = 0; i < 5; ++i) {
        CHECK_EQ(spread.local()[at(i)], i % 2 == 0 ? 5 + 3 * from[i] : 5);
        // The last two may have come in any order.
        CHECK(i % 2 == 0 ? old[i] == 5 + 2 * from[i] || old[i] == 5 + 3 * from[i] : old[i] == -1);
    }
    // A target that is no neighbor is refused.
    if (o.p > 3) {
        window<int> far(o.g, 1);
        far.return_errors();
        far.fence();
        const int x = 1;
        throws(ORTHO_ERR_NEIGHBOR, "ORTHO_Put", [&] { far.put(x, (o.r + 2) % o.p, 0); });
        far.fence(MPI_MODE_NOSUCCEED);
    }
}

} // namespace ortho_cpp_test
