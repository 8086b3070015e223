// SPDX-License-Identifier: BSD-3-Clause
// The one way to wait.
#pragma once

namespace ortho::engine {

/// Between two looks at what is waited for: nothing at first, then giving the core away.  Where a
/// node has more processes than cores the core goes at once, since whoever is waited for may need
/// it: MPICH's own blocking calls, which spin, take a scheduler's time slice a process there.
class Patience {
public:
    void pause();

private:
    int looks_ = 0;
};

/// Poll until `done()` returns true; it must drive MPI's progress.
template <class Done>
void wait_until(Done done)
{
    Patience patience;
    while (!done()) patience.pause();
}

} // namespace ortho::engine
