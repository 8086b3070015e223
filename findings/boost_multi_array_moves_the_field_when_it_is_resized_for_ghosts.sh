#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Version: Boost.MultiArray of Boost 1.81.0 (Debian's libboost1.81-dev 1.81.0-5+deb12u1).
# Expected: resize() from indices 0 ... 3 to -1 ... 4, for a ghost on each side, keeps u[0] ... u[3]: "the contents
# of the array are preserved whenever possible". To 0 ... 3 again it leaves out the ghosts.
# Seen: it keeps places, counted from the first index of each: u[-1] ... u[2] are what u[0] ... u[3] were, and
# both ghosts are at the end. The other way round it keeps the first ghost and drops two values.
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" && apt-get download libboost1.81-dev=1.81.0-5+deb12u1 >log 2>&1 && dpkg -x *.deb . || exit 2
cat >t.cpp <<'END'
#include <boost/multi_array.hpp>
#include <cstdio>
using Array = boost::multi_array<int, 1>;
using Range = boost::multi_array_types::extent_range;
static void print(const char* name, const Array& u)
{
    const int first = u.index_bases()[0];
    std::printf("%s:", name);
    for (int i = first; i < first + static_cast<int>(u.size()); ++i)
        std::printf(" u[%d]=%d", i, u[i]);
    std::puts("");
}
int main()
{
    Array u(boost::extents[Range(0, 4)]);
    for (int i = 0; i < 4; ++i)
        u[i] = 10 + i;
    u.resize(boost::extents[Range(-1, 5)]);
    print("with ghosts", u);
    for (int i = -1; i < 5; ++i)
        u[i] = 10 + i;
    u.resize(boost::extents[Range(0, 4)]);
    print("without", u);
}
END
g++ -w -Iusr/include t.cpp -o t && timeout 60 ./t >seen || exit 2
cat seen
grep -qx 'with ghosts: u\[-1\]=10 u\[0\]=11 u\[1\]=12 u\[2\]=13 u\[3\]=0 u\[4\]=0' seen &&
    grep -qx 'without: u\[0\]=9 u\[1\]=10 u\[2\]=11 u\[3\]=12' seen
