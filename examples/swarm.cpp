// SPDX-License-Identifier: BSD-3-Clause
// A swarm: particles in a periodic square that is cut into boxes, one for each process.  They are so fast that
// they may get to any box in one step, so nobody knows from whom particles will come: migrate() brings them, by
// a sparse exchange.  At the end none is lost, and each is where its own motion takes it, bit for bit.
//
//     mpiexec -n 8 ./swarm [PARTICLES [STEPS]]
#include <mpiortho.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

struct particle {
    double x, y, vx, vy;
    int number;
};

} // namespace

template <>
inline constexpr bool mpiortho::travels_as_bytes<particle> = true;

namespace {

/// Between 0 and 1, another one for each number.
double scattered(int number, double step) { return std::fmod((number + 1) * step, 1.0); }

particle first(int number)
{
    return {scattered(number, 0.754877666), scattered(number, 0.569840291),
            scattered(number, 0.618033989) - 0.5, scattered(number, 0.414213562) - 0.5, number};
}

void move(particle& one)
{
    one.x = std::fmod(one.x + one.vx + 1, 1.0);
    one.y = std::fmod(one.y + one.vy + 1, 1.0);
}

/// The process whose box the particle is in.
int owner_of(const particle& one, const std::array<int, 2>& dims)
{
    return static_cast<int>(one.x * dims[0]) * dims[1] + static_cast<int>(one.y * dims[1]);
}

/// All particles move, and go to the processes whose boxes they are in then.  How many leave this process?
long step(std::vector<particle>& mine, const std::array<int, 2>& dims, const mpiortho::comm_ref& world)
{
    for (particle& one : mine) move(one);
    const auto owner = [&](const particle& one) { return owner_of(one, dims); };
    const long left = std::ranges::count_if(mine,
                                            [&](const auto& one) { return owner(one) != world.rank(); });
    mine = mpiortho::migrate(std::move(mine), owner, world);
    return left;
}

} // namespace

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    long wrong = 0;
    {
        const mpiortho::comm_ref world(MPI_COMM_WORLD);
        const int particles = argc > 1 ? std::atoi(argv[1]) : 10000;
        const int steps = argc > 2 ? std::atoi(argv[2]) : 50;
        std::array<int, 2> dims{};
        MPI_Dims_create(world.size(), 2, dims.data());

        std::vector<particle> mine;
        for (int i = 0; i < particles; ++i)
            if (owner_of(first(i), dims) == world.rank()) mine.push_back(first(i));
        long left = 0;
        for (int i = 0; i < steps; ++i) left += step(mine, dims, world);

        for (const particle& one : mine) {
            particle alone = first(one.number);
            for (int i = 0; i < steps; ++i) move(alone);
            if (alone.x != one.x || alone.y != one.y || owner_of(one, dims) != world.rank()) ++wrong;
        }
        std::array<long, 3> sums{std::ssize(mine), wrong, left};
        MPI_Allreduce(MPI_IN_PLACE, sums.data(), 3, MPI_LONG, MPI_SUM, world);
        const auto [all, lost, moves] = sums;
        wrong = lost + std::labs(particles - all);
        if (world.rank() == 0)
            std::printf("%ld of %d particles after %d steps, %ld moves between processes: %s\n", all,
                        particles, steps, moves, wrong == 0 ? "none lost" : "SOME LOST OR WRONG");
    }
    MPI_Finalize();
    return wrong == 0 ? 0 : 1;
}
