// SPDX-License-Identifier: BSD-3-Clause
// Gossip: the processes are the patches of an unstructured mesh, and find out the mean of what they have by
// talking to the patches beside them alone.  In each round a patch moves towards its neighbors:
//
//     x += (sum of the neighbors' x - degree * x) / (largest degree + 1)
//
// which leaves the mean as it is.  The sum is an allreduce on the graph of the mesh.
//
//     mpiexec -n 8 ./gossip [ROUNDS]
#include <mpiortho.hpp>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

struct place {
    double x, y;
};

/// Where the patches lie: scattered over a square, the same on all processes.
std::vector<place> scatter_patches(int n)
{
    std::vector<place> places;
    for (unsigned i = 1; i <= static_cast<unsigned>(n); ++i)
        places.push_back({std::fmod(0.754877666 * i, 1.0), std::fmod(0.569840291 * i, 1.0)});
    return places;
}

/// Two patches touch if no third one lies nearer to both (a Gabriel graph, which is connected).
bool touch(const std::vector<place>& places, std::size_t a, std::size_t b)
{
    const auto square = [&](std::size_t i, std::size_t j) {
        const double dx = places[i].x - places[j].x;
        const double dy = places[i].y - places[j].y;
        return dx * dx + dy * dy;
    };
    for (std::size_t c = 0; c < places.size(); ++c)
        if (c != a && c != b && square(a, c) + square(b, c) < square(a, b)) return false;
    return a != b;
}

} // namespace

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    double worst = 0;
    {
        const mpiortho::comm_ref world(MPI_COMM_WORLD);
        const auto me = static_cast<std::size_t>(world.rank());
        const std::vector<place> places = scatter_patches(world.size());
        std::vector<int> neighbors;
        for (std::size_t other = 0; other < places.size(); ++other)
            if (touch(places, me, other)) neighbors.push_back(static_cast<int>(other));

        const mpiortho::neighborhood mesh(MPI_COMM_WORLD, neighbors);
        const int degree = mesh.in_blocks();
        const double step = 1.0 / (mesh.all().max(degree) + 1);
        const int most = argc > 1 ? std::atoi(argv[1]) : 5000;

        using quantities = std::array<double, 3>; // three means at once
        quantities x = {static_cast<double>(me), places[me].x, places[me].y};
        quantities mean = mesh.all().sum(x);
        for (double& m : mean) m /= world.size();
        int round = 0;
        for (worst = 1; worst > 1e-9 && round < most; ++round) {
            const quantities sum = mesh.neighbors().sum(x);
            double error = 0;
            for (std::size_t q = 0; q < x.size(); ++q) {
                x[q] += step * (sum[q] - degree * x[q]);
                error = std::fmax(error, std::fabs(x[q] - mean[q]));
            }
            if (round % 10 == 9) worst = mesh.all().max(error); // over all processes
        }
        if (me == 0)
            std::printf("%d patches, %d rounds: the mean is known to %.0e\n", world.size(), round, worst);
    }
    MPI_Finalize();
    return worst <= 1e-9 ? 0 : 1;
}
