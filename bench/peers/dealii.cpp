// SPDX-License-Identifier: BSD-3-Clause
// deal.II: the partitioner of its distributed vectors, which update_ghost_values() and compress() use.
#include <deal.II/base/mpi.h>
#include <deal.II/base/partitioner.h>
#include <deal.II/base/partitioner.templates.h>

#include "peer.hpp"

namespace {

/// The objects that an exchange needs: the vectors keep them, too.
struct Exchange {
    dealii::Utilities::MPI::Partitioner partitioner;
    std::vector<double> buffer;
    std::vector<MPI_Request> requests;

    explicit Exchange(const Pattern& pattern, int rank)
    {
        const auto first = static_cast<unsigned>(pattern.first[static_cast<std::size_t>(rank)]);
        dealii::IndexSet owned(static_cast<unsigned>(pattern.first.back())), ghosts = owned;
        owned.add_range(first, first + static_cast<unsigned>(pattern.owned));
        ghosts.add_indices(pattern.numbers.begin(), pattern.numbers.end());
        partitioner.reinit(owned, ghosts, MPI_COMM_WORLD);
        buffer.resize(partitioner.n_import_indices());
    }
    void fill(double* u, double* copies)
    {
        const dealii::ArrayView<double> ghosts(copies, partitioner.n_ghost_indices()), packed(buffer);
        partitioner.export_to_ghosted_array_start<double, dealii::MemorySpace::Host>(0, owned(u), packed,
                                                                                     ghosts, requests);
        partitioner.export_to_ghosted_array_finish<double, dealii::MemorySpace::Host>(ghosts, requests);
    }
    void add(double* u, double* copies)
    {
        using Packed = dealii::ArrayView<const double>;
        const auto sum = dealii::VectorOperation::add;
        const dealii::ArrayView<double> ghosts(copies, partitioner.n_ghost_indices()), packed(buffer);
        partitioner.import_from_ghosted_array_start<double, dealii::MemorySpace::Host>(sum, 0, ghosts, packed,
                                                                                       requests);
        partitioner.import_from_ghosted_array_finish<double, dealii::MemorySpace::Host>(
            sum, Packed(buffer), dealii::ArrayView<double>(u, partitioner.locally_owned_size()), ghosts,
            requests);
    }

private:
    dealii::ArrayView<const double> owned(const double* u) const
    {
        return {u, partitioner.locally_owned_size()};
    }
};

} // namespace

int main(int argc, char** argv)
{
    dealii::Utilities::MPI::MPI_InitFinalize mpi(argc, argv, 1);
    peer::Table table("deal.II", argc, argv);
    table.for_patterns([&](const Pattern& pattern, const std::string& name) {
        auto exchange = std::make_shared<Exchange>(pattern, table.rank);
        peer::compare_ghosts<1>(
            table, pattern, name, [&](const Pattern& p, std::size_t, bool reverse) -> std::vector<peer::Way> {
                return {peer::on_array("partitioner", table, p, 1, reverse, [=](double* u, double* ghosts) {
                    if (reverse)
                        exchange->add(u, ghosts);
                    else
                        exchange->fill(u, ghosts);
                })};
            });
    });
    return 0;
}
