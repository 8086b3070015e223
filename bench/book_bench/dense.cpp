// SPDX-License-Identifier: BSD-3-Clause
#include "book_bench/dense.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>

#include "base/index.hpp"
#include "bench/array.hpp"
#include "bench/comparison_table.hpp"
#include "progress.hpp"

namespace bench {

namespace {

using ortho::at;

/// A block of `count` ints for each process, and one from each; an allgather sends the first block.
struct Buffers {
    Array<int> send;
    Array<int> receive;
    std::vector<int> counts, places; ///< for the v forms

    Buffers(int processes, int count, bool shared)
        : send(at(processes) * at(count), shared),
          receive(at(processes) * at(count), shared),
          counts(at(processes), count)
    {
        for (int p = 0; p < processes; ++p) places.push_back(p * count);
    }
};

struct Problem {
    const World& world;
    std::string collective;
    int count;

    bool personal() const { return collective.starts_with("alltoall"); }
    int content(int from, int to, int k, int sample) const
    {
        return (1'009 * from + (personal() ? 31 * to : 0) + 7 * k + 101 * sample) % 1'000'003;
    }
    void prepare(Buffers& buffers, int sample) const
    {
        std::fill_n(buffers.receive.data(), at(world.size) * at(count), -1);
        for (int p = 0; p < world.size; ++p)
            for (int k = 0; k < count; ++k)
                buffers.send.data()[p * count + k] = content(world.rank, p, k, sample);
    }
    bool is_right(const Buffers& buffers, int sample) const
    {
        bool right = true;
        for (int p = 0; p < world.size; ++p)
            for (int k = 0; k < count; ++k)
                right &= buffers.receive.data()[p * count + k] == content(p, world.rank, k, sample);
        return right;
    }
    void by_mpi(Buffers& b) const
    {
        if (collective == "alltoall")
            MPI_Alltoall(b.send.data(), count, MPI_INT, b.receive.data(), count, MPI_INT, world.comm);
        else if (collective == "alltoallv")
            MPI_Alltoallv(b.send.data(), b.counts.data(), b.places.data(), MPI_INT, b.receive.data(),
                          b.counts.data(), b.places.data(), MPI_INT, world.comm);
        else if (collective == "allgather")
            MPI_Allgather(b.send.data(), count, MPI_INT, b.receive.data(), count, MPI_INT, world.comm);
        else
            MPI_Allgatherv(b.send.data(), count, MPI_INT, b.receive.data(), b.counts.data(), b.places.data(),
                           MPI_INT, world.comm);
    }
    void by_us(Buffers& b) const
    {
        if (collective == "alltoall")
            ORTHO_Alltoall(b.send.data(), count, MPI_INT, b.receive.data(), count, MPI_INT, world.comm);
        else if (collective == "alltoallv")
            ORTHO_Alltoallv(b.send.data(), b.counts.data(), b.places.data(), MPI_INT, b.receive.data(),
                            b.counts.data(), b.places.data(), MPI_INT, world.comm);
        else if (collective == "allgather")
            ORTHO_Allgather(b.send.data(), count, MPI_INT, b.receive.data(), count, MPI_INT, world.comm);
        else
            ORTHO_Allgatherv(b.send.data(), count, MPI_INT, b.receive.data(), b.counts.data(),
                             b.places.data(), MPI_INT, world.comm);
    }
};

constexpr auto dense_columns = std::to_array<Column>({
    {"call", -10, "the collective"},
    {"bytes", 7, "of the block for, or from, each process"},
    {"MPI us", 10, "microseconds of MPI's blocking call with private buffers, the median"},
    {"shared us", 9, "microseconds of mpiortho's call with shared buffers"},
    {"shared", 22, "MPI's / mpiortho's with buffers from ORTHO_Alloc_mem: above 1 mpiortho is faster"},
    {"private", 22, "MPI's / mpiortho's with the same buffers as MPI's"},
    {"control", 22, "MPI's / MPI's once more: how far such ratios stray by themselves"},
});

/// The lines, and the CSV file.  Only rank 0 has it.
class Table {
public:
    Table(const DenseOptions& options, int processes)
        : csv_(options.cells.csv,
               "collective,bytes,processes,library,form,algorithm,run,sample,batch,microseconds,right"),
          processes_(processes),
          progress_("cell", std::ssize(options.collectives) * std::ssize(options.bytes))
    {
        print_heading(
            processes,
            "everybody with everybody; ours with buffers from ORTHO_Alloc_mem (shared) and others (private)",
            "MPI's time / ours (control: MPI's / MPI's)", options.cells.runs, dense_columns);
    }
    bool is_open() const { return csv_.is_open(); }
    void add(const Problem& problem, const std::vector<Contestant>& contestants, const Runs& runs)
    {
        progress_.hide();
        const int bytes = 4 * problem.count;
        write_samples(csv_, fmt::format("{},{},{}", problem.collective, bytes, processes_), contestants,
                      runs);
        csv_.flush();
        const std::string wrong = wrong_contestants(contestants, runs, &Contestant::algorithm);
        const std::vector<std::vector<double>> medians = medians_of(runs);
        const std::size_t mpi = place_of(contestants, "MPI", "blocking");
        const auto faster = [&](std::size_t other, std::vector<double>& all) {
            const Estimate estimate = estimate_median(ratios(medians[mpi], medians[other]));
            all.push_back(estimate.median);
            return estimate;
        };
        const std::size_t ours = place_of(contestants, "mpiortho", shared_memory);
        const Estimate shared = faster(ours, shared_);
        slower_ += shared.high < 0.95 ? 1 : 0;
        const Estimate own = faster(place_of(contestants, "mpiortho", private_memory), private_);
        const Estimate control = faster(place_of(contestants, "MPI", "control"), control_);
        print_row(dense_columns, wrong, problem.collective, bytes, fixed(1e6 * median(medians[mpi]), 2),
                  fixed(1e6 * median(medians[ours]), 2), ratio_text(shared), ratio_text(own),
                  ratio_text(control));
        progress_.at(std::ssize(control_));
    }
    void end() const
    {
        fmt::print(
            "# {} cells.  Geometric means: shared {:.3f}, private {:.3f}, control {:.3f}; shared wholly "
            "below 0.95 in {}\n",
            shared_.size(), geometric_mean(shared_), geometric_mean(private_), geometric_mean(control_),
            slower_);
    }

private:
    CsvFile csv_;
    int processes_;
    Progress progress_;
    std::vector<double> shared_, private_, control_; // ratios, cell by cell
    int slower_ = 0;
};

} // namespace

std::string run_dense(const DenseOptions& options)
{
    const World world;
    std::unique_ptr<Table> table;
    if (world.rank == 0) table = std::make_unique<Table>(options, world.size);
    const std::string mistake = csv_mistake(world, options.cells.csv, !table || table->is_open());
    if (!mistake.empty()) return mistake;

    int wrong = 0;
    for (const std::string& collective : options.collectives) {
        for (const int bytes : options.bytes) {
            const Problem problem{world, collective, bytes / 4};
            Buffers shared(world.size, problem.count, true);
            Buffers own(world.size, problem.count, false);
            Buffers* used = &own; // the buffers of the last contestant
            const auto with = [&](Buffers& buffers, auto call) {
                return [&used, &buffers, call] {
                    used = &buffers;
                    call(buffers);
                };
            };
            const auto mpi = [&](Buffers& b) { problem.by_mpi(b); };
            const auto ours = [&](Buffers& b) { problem.by_us(b); };
            std::vector<Contestant> contestants = {
                {"MPI", "blocking", "", with(own, mpi)},
                {"MPI", "control", "", with(own, mpi)},
                {"mpiortho", "blocking", shared_memory, with(shared, ours)},
                {"mpiortho", "blocking", private_memory, with(own, ours)},
            };
            const Runs runs = measure(world.comm, contestants,
                                      {[&](int sample) {
                                           problem.prepare(shared, sample);
                                           problem.prepare(own, sample);
                                       },
                                       [&](int sample) { return problem.is_right(*used, sample); }},
                                      options.cells);
            wrong += wrong_of_ours(contestants, runs);
            if (table) table->add(problem, contestants, runs);
        }
    }
    if (table) table->end();
    return wrong == 0 ? "" : "wrong results, see above";
}

} // namespace bench
