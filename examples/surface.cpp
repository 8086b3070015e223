// SPDX-License-Identifier: BSD-3-Clause
// Heat that spreads on the skin of a knotted tube, an unstructured mesh.  Each process has a part of the
// vertices, and gets the values of those beside them by an alltoall on the graph of parts.  By an allreduce
// over its neighbors it finds out whether anything beside it has changed; as long as nothing has, it rests.
//
//     mpiexec -n 8 ./surface --png surface.png

#include <mpi.h>
#include <mpiortho.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <map>
#include <numbers>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "mesh_picture.hpp"
#include "partition.hpp"
#include "program.hpp"
#include "surface_mesh.hpp"

namespace {

struct Options {
    int around = 24;
    int steps = 800;
    int hot_ends = 3;
    bool curve = false;
    std::string png;
};

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// Ends of the knot are hot, the first one most.
double start(const Position& p, int hot_ends)
{
    for (int end = 0; end < hot_ends; ++end) {
        const double angle = end * 2 * std::numbers::pi / 3;
        const double x = p.x - 3 * std::sin(angle);
        const double y = p.y + 3 * std::cos(angle);
        if (x * x + y * y + p.z * p.z < 1) return 1 - 0.3 * end;
    }
    return 0;
}

/// How long a step may be: a vertex keeps half of its heat at least.
double time_step(const SurfaceMesh& mesh)
{
    double result = 1;
    for (int i = 0; i < mesh.size(); ++i) {
        double sum = 0;
        for (int e = mesh.begin[at(i)]; e < mesh.begin[at(i) + 1]; ++e) sum += std::fabs(mesh.weights[at(e)]);
        result = std::min(result, 0.5 * mesh.areas[at(i)] / sum);
    }
    return result;
}

/// The vertices of one part, and those beside them.
class Patch {
public:
    Patch(MPI_Comm comm, const SurfaceMesh& mesh, const std::vector<int>& parts, int hot_ends)
        : step_(time_step(mesh))
    {
        const int me = mpiortho::comm_ref(comm).rank();
        std::map<int, std::set<int>> to; // vertices for and from each neighbor
        std::map<int, std::set<int>> from;
        for (int i = 0; i < mesh.size(); ++i) {
            if (parts[at(i)] != me) continue;
            owned_.push_back(i);
            for (int e = mesh.begin[at(i)]; e < mesh.begin[at(i) + 1]; ++e) {
                const int j = mesh.neighbors[at(e)];
                if (parts[at(j)] == me) continue;
                to[parts[at(j)]].insert(i);
                from[parts[at(j)]].insert(j);
            }
        }
        std::vector<int> neighbors;
        std::vector<int> counts;
        std::vector<int> ghost_counts;
        std::map<int, int> local; // where a vertex stands here
        for (const int i : owned_) local.emplace(i, static_cast<int>(local.size()));
        for (const auto& [part, vertices] : to) {
            neighbors.push_back(part);
            counts.push_back(static_cast<int>(vertices.size()));
            ghost_counts.push_back(static_cast<int>(from[part].size()));
            for (const int i : vertices) sent_.push_back(local[i]);
            for (const int i : from[part]) local.emplace(i, static_cast<int>(local.size()));
        }
        begin_.push_back(0);
        for (const int i : owned_) {
            for (int e = mesh.begin[at(i)]; e < mesh.begin[at(i) + 1]; ++e) {
                neighbors_.push_back(local[mesh.neighbors[at(e)]]);
                weights_.push_back(mesh.weights[at(e)] / mesh.areas[at(i)]);
            }
            begin_.push_back(static_cast<int>(neighbors_.size()));
        }
        values_.resize(local.size());
        next_.resize(owned_.size());
        send_.resize(sent_.size());
        for (std::size_t i = 0; i < owned_.size(); ++i) {
            values_[i] = start(mesh.vertices[at(owned_[i])], hot_ends);
            change_ = std::max(change_, values_[i]);
        }
        for (const int i : sent_) border_change_ = std::max(border_change_, values_[at(i)]);
        graph_ = mpiortho::neighborhood(comm, neighbors);
        exchange_ = mpiortho::alltoall_init(send_, counts, std::span(values_).subspan(owned_.size()),
                                            ghost_counts, graph_);
    }

    void step()
    {
        // Where neither this part nor what lies beside it has changed, nothing will.
        const bool rests = std::max(change_, graph_.neighbors().max(border_change_)) == 0;
        for (std::size_t i = 0; i < sent_.size(); ++i) send_[i] = values_[at(sent_[i])];
        exchange_.run();
        rests_ += rests ? 1 : 0;
        if (rests) return;
        change_ = border_change_ = 0;
        for (std::size_t i = 0; i < owned_.size(); ++i) {
            double sum = 0;
            for (int e = begin_[i]; e < begin_[i + 1]; ++e)
                sum += weights_[at(e)] * (values_[at(neighbors_[at(e)])] - values_[i]);
            next_[i] = values_[i] + step_ * sum;
            change_ = std::max(change_, std::fabs(next_[i] - values_[i]));
        }
        for (const int i : sent_)
            border_change_ = std::max(border_change_, std::fabs(next_[at(i)] - values_[at(i)]));
        std::ranges::copy(next_, values_.begin());
    }

    /// The values of all vertices of the mesh, on all processes.
    std::vector<double> gather(int vertices) const
    {
        std::vector<double> mine(at(vertices));
        std::vector<double> all(at(vertices));
        for (std::size_t i = 0; i < owned_.size(); ++i) mine[at(owned_[i])] = values_[i];
        mpiortho::allreduce(mine, all, std::plus<>{}, graph_.all());
        return all;
    }
    const mpiortho::neighborhood& graph() const { return graph_; }
    int rests() const { return rests_; }

private:
    double step_;
    std::vector<int> owned_; // vertices of the mesh, in order
    std::vector<int> sent_;  // to all neighbors
    std::vector<int> begin_; // as in SurfaceMesh, of the owned ones
    std::vector<int> neighbors_;
    std::vector<double> weights_;
    std::vector<double> values_; // of the owned ones, and of those beside them
    std::vector<double> next_;
    std::vector<double> send_;
    double change_ = 0; // in the last step
    double border_change_ = 0;
    int rests_ = 0;
    mpiortho::neighborhood graph_;
    mpiortho::operation exchange_;
};

double heat(const SurfaceMesh& mesh, const std::vector<double>& values)
{
    double sum = 0;
    for (std::size_t i = 0; i < values.size(); ++i) sum += mesh.areas[i] * values[i];
    return sum;
}

/// On the left who has what, on the right how hot it is.
void draw(const SurfaceMesh& mesh, const std::vector<int>& parts, const std::vector<double>& values,
          const std::string& file)
{
    std::vector<Color> by_part;
    std::vector<Color> by_value;
    const double hottest = *std::ranges::max_element(values);
    for (const int part : parts) by_part.push_back(category_color(part));
    for (const double value : values)
        by_value.push_back(sequential_color(std::sqrt(std::fmax(0, value) / hottest)));
    Picture picture(600, 1200);
    draw_mesh(picture, 0, mesh, by_part, Coloring::cells);
    draw_mesh(picture, 600, mesh, by_value, Coloring::smooth);
    picture.write(file);
}

/// Returns whether the result is right.
bool run(const Options& options)
{
    const mpiortho::comm_ref world(MPI_COMM_WORLD);
    const SurfaceMesh mesh = make_knot(options.around);
    const Partitioner by = options.curve || !has_metis() ? Partitioner::curve : Partitioner::metis;
    // One process cuts the mesh, so that all have the same parts.
    std::vector<int> parts(mesh.vertices.size());
    std::string failure;
    try {
        if (world.rank() == 0) parts = partition(mesh, world.size(), by);
    } catch (const std::runtime_error& error) {
        failure = error.what();
    }
    end_if_failed(failure, "surface", MPI_COMM_WORLD);
    mpiortho::bcast(parts, 0, world);

    Patch patch(MPI_COMM_WORLD, mesh, parts, options.hot_ends);
    const double before = heat(mesh, patch.gather(mesh.size()));
    for (int step = 0; step < options.steps; ++step) patch.step();
    const std::vector<double> values = patch.gather(mesh.size());
    Patch alone(MPI_COMM_SELF, mesh, std::vector<int>(mesh.vertices.size(), 0), options.hot_ends);
    for (int step = 0; step < options.steps; ++step) alone.step();
    const bool same = values == alone.gather(mesh.size());
    const double lost = std::fabs(heat(mesh, values) - before) / before;

    const double rests = patch.graph().all().sum(static_cast<double>(patch.rests()));
    if (world.rank() == 0) {
        std::printf("%d vertices in %d parts by %s, which cut %lld of %zu edges\n", mesh.size(), world.size(),
                    by == Partitioner::metis ? "METIS" : "a curve", cut_edges(mesh, parts),
                    mesh.neighbors.size() / 2);
        std::printf(
            "%d steps: the serial run %s, heat differs by %.0e; parts rest in %.1f %% of their steps\n",
            options.steps, same ? "has the same bits" : "DIFFERS", lost,
            100 * rests / options.steps / world.size());
        try {
            if (!options.png.empty()) draw(mesh, parts, values, options.png);
        } catch (const std::runtime_error& error) {
            failure = error.what();
        }
    }
    end_if_failed(failure, "surface", MPI_COMM_WORLD);
    return same && lost < 1e-12;
}

} // namespace

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    Options options;
    CommandLine line("Heat on a surface, under mpiexec with any number of processes", "surface");
    line.add_option("--around", options.around, "vertices around the tube").between(6, 1000);
    line.add_option("--steps", options.steps, "steps of time").positive();
    line.add_option("--hot-ends", options.hot_ends, "of the three ends of the knot").between(1, 3);
    line.add_flag("--curve", options.curve, "cut the mesh along a curve, though METIS is there");
    line.add_option("--png", options.png, "draw the mesh, by process and by heat");
    parse_or_end(line, argc, argv);
    const bool is_right = run(options);
    MPI_Finalize();
    return is_right ? 0 : 1;
}
