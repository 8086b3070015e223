// SPDX-License-Identifier: BSD-3-Clause
// The C++ interface: operations that are waited for, tested, prepared, started together, moved.

#include "cpp.hpp"

namespace ortho_cpp_test {

void requests()
{
    const ring o;
    Ints a(2), b(2), sent = {o.r, o.r};
    {
        pending p = ialltoall(sent, a, o.g);
        pending q = ialltoall(sent, b, o.g);
        wait_all(p, q);
        CHECK(!p && !q);
        CHECK(a == Ints({o.left, o.right}) && a == b);
    }
    {
        std::array<pending, 3> three = {ialltoall(sent, a, o.g), pending(), iallgather(o.r, b, o.g)};
        int over = 0;
        for (int i = wait_any(three); i != -1; i = wait_any(three)) {
            CHECK(i == 0 || i == 2);
            ++over;
        }
        CHECK_EQ(over, 2);
    }
    {
        std::array<pending, 2> two = {ialltoall(sent, a, o.g), iallgather(o.r, b, o.g)};
        std::array<int, 2> indices{};
        int over = 0;
        for (int n = wait_some(two, indices); n > 0; n = wait_some(two, indices)) over += n;
        CHECK_EQ(over, 2);
    }
    {
        std::array<pending, 2> two = {ialltoall(sent, a, o.g), iallgather(o.r, b, o.g)};
        while (!test_all(two)) progress();
        CHECK(!two[0] && !two[1]);
    }
    {
        std::array<pending, 2> two = {ialltoall(sent, a, o.g), iallgather(o.r, b, o.g)};
        int first = -1;
        while (first == -1) first = test_any(two);
        CHECK(!two[at(first)] && two[at(1 - first)]);
        std::array<int, 2> indices{};
        while (test_some(two, indices) == 0) {}
        CHECK_EQ(indices[0], 1 - first);
    }
    {
        operation x = alltoall_init(sent, a, o.g);
        operation y = allgather_init(o.r, b, o.g);
        run_all(x, y);
        auto both = start_all(x, y);
        wait_all(both);
        auto [p, q] = start_all(x, y);
        while (!p.arrived(0)) progress();
        CHECK_EQ(a[0], o.left);
        wait_all(p, q);
        const std::string why = x.explain();
        CHECK(why.find("alltoall") != std::string::npos);
        std::ostringstream out;
        out << y.explain();
        CHECK(out.str().find("allgather") != std::string::npos);
        // A moved operation goes on; what is overwritten ends.
        operation z = std::move(x);
        pending r = z.start();
        r = z.get() == nullptr ? pending() : std::move(r);
        r.wait();
        y = std::move(z);
        y.run();
    }
    {
        pending p = ialltoall(sent, a, o.g);
        p = ialltoall(sent, b, o.g); // waits for the first
        CHECK(a == Ints({o.left, o.right}));
    } // waits for the second
    CHECK(b == Ints({o.left, o.right}));
}

} // namespace ortho_cpp_test
