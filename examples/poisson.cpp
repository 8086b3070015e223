// SPDX-License-Identifier: BSD-3-Clause
// Poisson's equation u - t Δu = f on the skin of a knotted tube, an unstructured mesh of triangles, by the
// method of conjugate gradients.  Each process has a part of the vertices, and ghosts of those beside them.
// An index map says whose ghosts they are.
//
//     mpiexec -n 8 ./poisson --png poisson.png

#include <mpi.h>
#include <mpiortho.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <map>
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
    double smooth = 1;
    bool curve = false;
    std::string png;
};

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// The heat source: strips around the tube.
double source(const Position& p) { return std::sin(4 * p.x) > 0.5 ? 1 : 0; }

/// The rows of the matrix that belong to one part.
class Part {
public:
    Part(MPI_Comm comm, const SurfaceMesh& mesh, const std::vector<int>& parts, double smooth) : comm_(comm)
    {
        const int me = comm_.rank();
        std::vector<MPI_Count> place; // of a vertex among those of its part
        std::map<int, MPI_Count> number;
        for (const int part : parts) place.push_back(number[part]++);
        std::map<int, int> ghosts; // vertices beside ours, and where they stand here
        for (int i = 0; i < mesh.size(); ++i) {
            if (parts[at(i)] != me) continue;
            owned_.push_back(i);
            for (int e = mesh.begin[at(i)]; e < mesh.begin[at(i) + 1]; ++e)
                if (parts[at(mesh.neighbors[at(e)])] != me) ghosts.emplace(mesh.neighbors[at(e)], 0);
        }
        std::vector<int> owners;
        std::vector<MPI_Count> indices;
        for (auto& [vertex, here] : ghosts) {
            here = static_cast<int>(owned_.size() + owners.size());
            owners.push_back(parts[at(vertex)]);
            indices.push_back(place[at(vertex)]);
        }
        map_ = mpiortho::index_map(comm, static_cast<MPI_Count>(owned_.size()), owners, indices);

        for (const int i : owned_) {
            begin_.push_back(columns_.size());
            double sum = 0;
            for (int e = mesh.begin[at(i)]; e < mesh.begin[at(i) + 1]; ++e) {
                const int j = mesh.neighbors[at(e)];
                columns_.push_back(parts[at(j)] == me ? static_cast<std::size_t>(place[at(j)])
                                                      : at(ghosts[j]));
                entries_.push_back(-smooth * mesh.weights[at(e)]);
                sum += mesh.weights[at(e)];
            }
            diagonal_.push_back(mesh.areas[at(i)] + smooth * sum);
            right_.push_back(mesh.areas[at(i)] * source(mesh.vertices[at(i)]));
        }
        begin_.push_back(columns_.size());
    }

    /// The solution on owned vertices, and how many iterations it took.
    std::vector<double> solve(int& iterations)
    {
        std::vector<double> u(owned_.size()), r = right_, q(owned_.size());
        std::vector<double> p(map_.size()); // with ghosts
        std::ranges::copy(r, p.begin());
        mpiortho::ghost_exchange ghosts = map_.fill(p);
        double rr = dot(r, r);
        const double enough = 1e-24 * rr;
        for (iterations = 0; rr > enough && iterations < 10000; ++iterations) {
            ghosts.run();
            multiply(p, q);
            const double alpha = rr / dot(p, q);
            for (std::size_t i = 0; i < u.size(); ++i) {
                u[i] += alpha * p[i];
                r[i] -= alpha * q[i];
            }
            const double before = rr;
            rr = dot(r, r);
            for (std::size_t i = 0; i < u.size(); ++i) p[i] = r[i] + rr / before * p[i];
        }
        return u;
    }

    /// The values of all vertices of the mesh, on all processes.
    std::vector<double> gather(const std::vector<double>& u, int vertices) const
    {
        std::vector<double> mine(at(vertices)), all(at(vertices));
        for (std::size_t i = 0; i < owned_.size(); ++i) mine[at(owned_[i])] = u[i];
        mpiortho::allreduce(mine, all, std::plus<>{}, comm_);
        return all;
    }

private:
    void multiply(const std::vector<double>& x, std::vector<double>& y) const
    {
        for (std::size_t i = 0; i < y.size(); ++i) {
            y[i] = diagonal_[i] * x[i];
            for (std::size_t e = begin_[i]; e < begin_[i + 1]; ++e) y[i] += entries_[e] * x[columns_[e]];
        }
    }
    double dot(const std::vector<double>& x, const std::vector<double>& y) const
    {
        double sum = 0;
        for (std::size_t i = 0; i < owned_.size(); ++i) sum += x[i] * y[i];
        return mpiortho::allreduce(sum, std::plus<>{}, comm_);
    }

    mpiortho::comm_ref comm_;
    std::vector<int> owned_; // vertices of the mesh, in order
    mpiortho::index_map map_;
    std::vector<std::size_t> begin_, columns_;
    std::vector<double> entries_, diagonal_, right_;
};

std::vector<double> solution(MPI_Comm comm, const SurfaceMesh& mesh, const std::vector<int>& parts,
                             double smooth, int& iterations)
{
    Part part(comm, mesh, parts, smooth);
    return part.gather(part.solve(iterations), mesh.size());
}

void draw(const SurfaceMesh& mesh, const std::vector<int>& parts, const std::vector<double>& u,
          const std::string& file)
{
    std::vector<Color> by_part, by_value;
    const double largest = *std::ranges::max_element(u);
    for (const int part : parts) by_part.push_back(category_color(part));
    for (const double value : u) by_value.push_back(sequential_color(std::fmax(0, value) / largest));
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
    std::vector<int> parts(mesh.vertices.size());
    std::string failure;
    try {
        const Partitioner by = options.curve || !has_metis() ? Partitioner::curve : Partitioner::metis;
        if (world.rank() == 0) parts = partition(mesh, world.size(), by);
    } catch (const std::runtime_error& error) {
        failure = error.what();
    }
    end_if_failed(failure, "poisson", MPI_COMM_WORLD);
    mpiortho::bcast(parts, 0, world);

    int iterations = 0, alone = 0;
    const std::vector<double> u = solution(MPI_COMM_WORLD, mesh, parts, options.smooth, iterations);
    const std::vector<double> reference = solution(MPI_COMM_SELF, mesh, std::vector<int>(parts.size()),
                                                   options.smooth, alone);
    double difference = 0;
    for (std::size_t i = 0; i < u.size(); ++i)
        difference = std::fmax(difference, std::fabs(u[i] - reference[i]));
    if (world.rank() == 0) {
        std::printf("%d vertices, %d processes: %d iterations, alone %d; solutions differ by %.0e\n",
                    mesh.size(), world.size(), iterations, alone, difference);
        try {
            if (!options.png.empty()) draw(mesh, parts, u, options.png);
        } catch (const std::runtime_error& error) {
            failure = error.what();
        }
    }
    end_if_failed(failure, "poisson", MPI_COMM_WORLD);
    return difference < 1e-9;
}

} // namespace

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    Options options;
    CommandLine line("Poisson's equation on a surface, under mpiexec with any number of processes",
                     "poisson");
    line.add_option("--around", options.around, "vertices around the tube").between(6, 1000);
    line.add_option("--smooth", options.smooth, "how far heat spreads").positive();
    line.add_flag("--curve", options.curve, "cut the mesh along a curve, though METIS is there");
    line.add_option("--png", options.png, "draw the mesh, by process and by solution");
    parse_or_end(line, argc, argv);
    const bool is_right = run(options);
    MPI_Finalize();
    return is_right ? 0 : 1;
}
