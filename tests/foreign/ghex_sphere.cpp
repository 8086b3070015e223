// SPDX-License-Identifier: BSD-3-Clause
// Ghosts of a scalar on a cubed sphere in 24 patches, by GHEX and by a mosaic: all elements are equal, those
// that nobody fills included.
//     mpiexec -n P ghex_sphere

#include <ghex/communication_object.hpp>
#include <ghex/context.hpp>
#include <ghex/structured/cubed_sphere/field_descriptor.hpp>
#include <ghex/structured/cubed_sphere/halo_generator.hpp>
#include <ghex/structured/pattern.hpp>

#include <array>
#include <cstdio>
#include <vector>

#include "mpiortho.h"

namespace {

namespace sphere = ghex::structured::cubed_sphere;
using Field = sphere::field_descriptor<double, ghex::cpu>;

constexpr int edge = 8, levels = 3, part = edge / 2, tiles = 6, nobody = -1;

/// The arrays of the patches of this process: x is the fastest index, then y, then the level.
class Arrays {
public:
    Arrays(const std::vector<ORTHO_Patch>& patches, int ghosts) : ghosts_(ghosts), wide_(part + 2 * ghosts)
    {
        for (const ORTHO_Patch& patch : patches) {
            auto& array = arrays_.emplace_back(static_cast<std::size_t>(wide_ * wide_ * levels), nobody);
            for (int z = 0; z < levels; ++z)
                for (int y = 0; y < part; ++y)
                    for (int x = 0; x < part; ++x) {
                        const auto across = static_cast<int>(patch.first[0]) + x;
                        const auto along = static_cast<int>(patch.first[1]) + y;
                        array[at(x, y, z)] = ((patch.tile * edge + along) * edge + across) * levels + z + 1;
                    }
        }
    }

    void ghex_fills(MPI_Comm comm, const std::vector<ORTHO_Patch>& patches)
    {
        ghex::context context(comm, false);
        std::vector<sphere::domain_descriptor> domains;
        for (const ORTHO_Patch& patch : patches) {
            const auto x = static_cast<int>(patch.first[0]), y = static_cast<int>(patch.first[1]);
            domains.emplace_back(sphere::cube{edge, levels}, patch.tile, x, x + part - 1, y, y + part - 1);
        }
        auto pattern = ghex::make_pattern<ghex::structured::grid>(context, sphere::halo_generator(ghosts_),
                                                                  domains);
        auto communication = ghex::make_communication_object<decltype(pattern)>(context);
        std::vector<Field> fields;
        for (std::size_t p = 0; p < domains.size(); ++p)
            fields.emplace_back(domains[p], arrays_[p].data(), std::array<int, 3>{ghosts_, ghosts_, 0},
                                std::array<int, 3>{wide_, wide_, levels});
        std::vector<decltype(pattern(fields.front()))> infos;
        for (Field& field : fields) infos.push_back(pattern(field));
        communication.exchange(infos.begin(), infos.end()).wait();
    }

    void mosaic_fills(MPI_Comm comm, const std::vector<ORTHO_Patch>& patches)
    {
        std::vector<MPI_Count> sizes;
        for (int tile = 0; tile < tiles; ++tile) sizes.insert(sizes.end(), {edge, edge, levels});
        ORTHO_Contact contacts[12];
        ORTHO_Mosaic mosaic = ORTHO_MOSAIC_NULL;
        ORTHO_Contact_cubed_sphere(3, sizes.data(), contacts);
        ORTHO_Mosaic_create(comm, 3, tiles, sizes.data(), 12, contacts, static_cast<int>(patches.size()),
                            patches.data(), MPI_INFO_NULL, &mosaic);
        std::vector<void*> bases;
        for (auto& array : arrays_) bases.push_back(array.data());
        const MPI_Count around[] = {ghosts_, ghosts_, 0};
        ORTHO_Mosaic_field field = ORTHO_MOSAIC_FIELD_INIT;
        field.bases = bases.data();
        field.element = MPI_DOUBLE;
        field.lower = field.upper = around;
        field.order = MPI_ORDER_FORTRAN;
        ORTHO_Request halo = ORTHO_REQUEST_NULL;
        ORTHO_Mosaic_halo_init(1, &field, mosaic, MPI_INFO_NULL, &halo);
        ORTHO_Run(&halo, MPI_STATUS_IGNORE);
        ORTHO_Request_free(&halo);
        ORTHO_Mosaic_free(&mosaic);
    }

    /// Elements that differ, and those that nobody has filled.
    std::array<long long, 2> counts(const Arrays& other) const
    {
        std::array<long long, 2> result = {};
        for (std::size_t p = 0; p < arrays_.size(); ++p)
            for (std::size_t i = 0; i < arrays_[p].size(); ++i) {
                result[0] += arrays_[p][i] != other.arrays_[p][i];
                result[1] += arrays_[p][i] == nobody;
            }
        return result;
    }

private:
    std::size_t at(int x, int y, int z) const
    {
        return static_cast<std::size_t>(((z * wide_) + y + ghosts_) * wide_ + x + ghosts_);
    }

    int ghosts_, wide_;
    std::vector<std::vector<double>> arrays_;
};

} // namespace

int main(int argc, char** argv)
{
    int rank = 0, size = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    std::vector<ORTHO_Patch> patches;
    for (int number = rank; number < 4 * tiles; number += size)
        patches.push_back({number / 4, {number % 2 * part, number / 2 % 2 * part, 0}, {part, part, levels}});
    bool right = true;
    for (int ghosts = 1; ghosts < part; ++ghosts) {
        Arrays theirs(patches, ghosts), ours(patches, ghosts);
        theirs.ghex_fills(MPI_COMM_WORLD, patches);
        ours.mosaic_fills(MPI_COMM_WORLD, patches);
        auto counts = ours.counts(theirs);
        MPI_Allreduce(MPI_IN_PLACE, counts.data(), 2, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
        // At each of the 8 corners of the cube three patches have a corner without an owner.
        const long long corners = 24LL * ghosts * ghosts * levels;
        right = right && counts[0] == 0 && counts[1] == corners;
        if (rank == 0)
            std::printf(
                "%d ghosts: %lld elements differ, %lld are not filled, of which %lld beyond corners\n",
                ghosts, counts[0], counts[1], corners);
    }
    MPI_Finalize();
    return right ? 0 : 1;
}
