// SPDX-License-Identifier: BSD-3-Clause
// Messages between processes of a node, which go through shared memory: of any size, in any order, in parts,
// by processes that come late, run ahead, are wrong, or give up what they have begun.
//
// shared_test             all of it
// shared_test short       a little of everything; rank 0 says which way messages went
// shared_test closed      the last process lets nobody read its memory, once others have begun to
// shared_test loop RANK   exchanges until somebody ends it; this rank kills itself on the way

#include "shared.hpp"

using namespace ortho_shared_test;

TEST_MAIN()
{
    const std::string mode = argc > 1 ? argv[1] : "";
    if (mode == "short") {
        a_little_of_everything();
        return;
    }
    if (mode == "closed") {
        closed();
        return;
    }
    if (mode == "loop") loop(argc > 2 ? std::atoi(argv[2]) : 0);
    const std::pair<const char*, void (*)()> parts[] = {
        {"sizes_change", sizes_change},
        {"persistent_in_any_order", persistent_in_any_order},
        {"large_persistent", [] { large_persistent(3); }},
        {"partners_are_away", partners_are_away},
        {"strided_persistent", strided_persistent},
        {"senders_run_ahead", senders_run_ahead},
        {"mixes", mixes},
        {"blocks_too_large", blocks_too_large},
        {"communicators_come_and_go", communicators_come_and_go},
    };
    for (const auto& [name, part] : parts) {
        if (!mode.empty() && mode != name) continue;
        const double begin = MPI_Wtime();
        part();
        MPI_Barrier(MPI_COMM_WORLD);
        if (std::getenv("ORTHO_TEST_TIMES") != nullptr && test::rank() == 0)
            std::printf("%s %.1f s\n", name, MPI_Wtime() - begin);
    }
}
