// SPDX-License-Identifier: BSD-3-Clause
// Overlapping calls in random order.
#include "calls.hpp"
#include "sequences.hpp"

TEST_MAIN()
{
    const int usual = test::is_mpich() && test::size() > 2 ? 5 : 20;
    const int sequences = test::given("ORTHO_TEST_REPEATS", usual);
    cases::Random random(static_cast<unsigned>(test::given("ORTHO_TEST_SEED", 4321)));
    cases::Random local(random() + static_cast<unsigned>(test::rank()));
    {
        const test::Reductions reductions;
        test::Comm base = test::duplicate();
        for (int i = 0; i < sequences; ++i) test::overlap(base, {random, local}, reductions, 60);
    }
}
