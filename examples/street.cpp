// SPDX-License-Identifier: BSD-3-Clause
// Karman's vortex street: flow past a cylinder, by a lattice-Boltzmann method (flow.cpp).
//
//     mpiexec -n 4 ./street --time 100 --png street --checkpoint street.checkpoint
//
// Times are told in the time in which the stream goes a diameter.

#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include "checkpoint.hpp"
#include "flow.hpp"
#include "oscillation.hpp"
#include "program.hpp"
#include "progress.hpp"
#include "vorticity_picture.hpp"

namespace {

struct Options {
    Stream stream;
    double time = 100;
    std::string png;
    double frame_time = 1;
    std::string checkpoint;
    double checkpoint_time = 10;
    bool bar = false;
};

class Street {
public:
    explicit Street(const Options& options) : options_(options), flow_(MPI_COMM_WORLD, options.stream)
    {
        // The swinging is seen three diameters behind the cylinder.
        probe_ = {static_cast<int>(options.stream.centre_y()) - flow_.tiles().rows().begin,
                  static_cast<int>(options.stream.centre_x()) + 3 * options.stream.diameter -
                      flow_.tiles().columns().begin};
        has_probe_ = probe_[0] >= 0 && probe_[0] < flow_.tiles().rows().size && probe_[1] >= 0 &&
                     probe_[1] < flow_.tiles().columns().size;
    }

    void run()
    {
        const std::int64_t first = read();
        const std::int64_t steps = std::max(first, steps_of(options_.time));
        const bool speaks = flow_.grid().rank() == 0;
        Progress progress("step", steps - first, "about", Progress::standard_error(options_.bar));
        for (std::int64_t step = first + 1; step <= steps; ++step) {
            flow_.step();
            if (has_probe_) swing_.add(flow_.at(probe_).v);
            if (speaks) progress.at(step - first);
            if (!options_.png.empty() && step % steps_of(options_.frame_time) == 0) draw(step);
            if (!options_.checkpoint.empty() &&
                (step % steps_of(options_.checkpoint_time) == 0 || step == steps))
                write(step);
        }
        progress.hide();
        report(first, steps);
    }

private:
    std::int64_t steps_of(double time) const
    {
        const double steps = std::round(time * options_.stream.diameter / Stream::velocity);
        return steps < 1 ? 1 : static_cast<std::int64_t>(steps);
    }

    Checkpoint checkpoint(std::int64_t step) const
    {
        Checkpoint result{.program = "street",
                          .rows = options_.stream.rows(),
                          .columns = options_.stream.columns(),
                          .arrays = d2q9::directions,
                          .parameter = options_.stream.reynolds,
                          .step = step};
        return result;
    }
    void write(std::int64_t step)
    {
        write_checkpoint(options_.checkpoint, checkpoint(step), flow_.grid().all(), flow_.tiles(),
                         [&](int q) {
                             const Flow::Cells& cells = flow_.population(q);
                             std::vector<double> mine;
                             for (auto row : cells.owned())
                                 mine.insert(mine.end(), cells[row].begin(), cells[row].end());
                             return mine;
                         });
    }
    /// The step to go on from.
    std::int64_t read()
    {
        if (options_.checkpoint.empty()) return 0;
        const std::int64_t step = read_checkpoint(options_.checkpoint, checkpoint(0), flow_.grid().all(),
                                                  flow_.tiles(), [&](int q, const std::vector<double>& mine) {
                                                      Flow::Cells& cells = flow_.population(q);
                                                      auto next = mine.begin();
                                                      for (auto row : cells.owned())
                                                          for (double& f : cells[row]) f = *next++;
                                                  });
        if (step > 0 && flow_.grid().rank() == 0)
            std::printf("going on from step %lld\n", static_cast<long long>(step));
        return step < 0 ? 0 : step;
    }

    void draw(std::int64_t step)
    {
        const std::vector<double> all = flow_.tiles().gather(flow_.vorticity(), MPI_DOUBLE);
        char number[32];
        std::snprintf(number, sizeof number, "-%06lld.png", static_cast<long long>(step));
        std::string failure;
        try {
            if (flow_.grid().rank() == 0) draw_vorticity(all, options_.stream).write(options_.png + number);
        } catch (const std::exception& error) {
            failure = error.what();
        }
        end_if_failed(failure, "street", MPI_COMM_WORLD);
    }

    /// How often vortices leave the cylinder, by the second half of the run.
    void report(std::int64_t first, std::int64_t steps) const
    {
        const double half = 0.5 * static_cast<double>(steps - first);
        const double scale = options_.stream.diameter / Stream::velocity;
        const double strouhal = flow_.grid().all().max(has_probe_ ? swing_.frequency(half) * scale : 0);
        const int periods = flow_.grid().all().max(has_probe_ ? swing_.periods(half) : 0);
        if (flow_.grid().rank() != 0) return;
        std::printf("step %lld", static_cast<long long>(steps));
        if (periods > 0) std::printf(", %d periods, Strouhal number %.4f", periods, strouhal);
        std::printf("\n");
    }

    const Options& options_;
    Flow flow_;
    mpiortho::point<2> probe_{};
    bool has_probe_ = false;
    Oscillation swing_;
};

} // namespace

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    Options options;
    CommandLine line("Karman's vortex street, under mpiexec with any number of processes", "street");
    line.add_option("--diameter", options.stream.diameter,
                    "of the cylinder, in cells; the stream is 20 x 30 of it")
        .between(10, 1000);
    line.add_option("--reynolds", options.stream.reynolds, "the Reynolds number").between(1.0, 200.0);
    line.add_option("--time", options.time, "how many diameters the stream goes").positive();
    line.add_option("--png", options.png, "write the vorticity as pictures NAME-STEP.png").type_name("NAME");
    line.add_option("--frame-time", options.frame_time, "from picture to picture").positive();
    line.add_option("--checkpoint", options.checkpoint, "go on from this file if it is there, and write it")
        .type_name("FILE");
    line.add_option("--checkpoint-time", options.checkpoint_time, "from checkpoint to checkpoint").positive();
    line.add_flag("--bar", options.bar,
                  "draw a progress bar, though standard error is no terminal under mpiexec");
    parse_or_end(line, argc, argv);

    std::string failure;
    try {
        Street(options).run();
    } catch (const std::runtime_error& error) {
        failure = error.what();
    }
    end_if_failed(failure, "street", MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
