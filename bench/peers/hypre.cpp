// SPDX-License-Identifier: BSD-3-Clause
// hypre: communication packages of structured vectors, and of the matrices on the levels of its multigrid
// method BoomerAMG, both as its own products of matrices and vectors use them.
#include <HYPRE_parcsr_ls.h>
#include <_hypre_parcsr_ls.h>
#include <_hypre_parcsr_mv.h>
#include <_hypre_struct_mv.h>

#include "peer.hpp"

namespace {

using peer::Box;
using peer::Elements;
using peer::Way;

/// A structured vector with ghosts for a stencil.  hypre's first dimension varies fastest.
struct Structured {
    HYPRE_StructGrid grid = nullptr;
    HYPRE_StructStencil stencil = nullptr;
    HYPRE_StructVector vector = nullptr;
    hypre_CommPkg* package = nullptr;
    Elements sent, ghosts;

    explicit Structured(const Box& box) : sent(box.sent(box.depth)), ghosts(box.ghosts(box.depth))
    {
        int low[3], high[3], periods[3] = {box.side, box.side, box.side}, layers[6];
        for (int k = 0; k < 3; ++k) {
            const auto ours = static_cast<std::size_t>(2 - k);
            low[k] = box.coordinates[ours] * box.extents[ours];
            high[k] = low[k] + box.extents[ours] - 1;
            layers[2 * k] = layers[2 * k + 1] = box.depth;
        }
        HYPRE_StructGridCreate(MPI_COMM_WORLD, 3, &grid);
        HYPRE_StructGridSetExtents(grid, low, high);
        HYPRE_StructGridSetPeriodic(grid, periods);
        hypre_StructGridSetNumGhost(grid, layers);
        HYPRE_StructGridAssemble(grid);
        std::vector<std::array<int, 3>> offsets;
        for (int i = -box.depth; i <= box.depth; ++i)
            for (int j = -box.depth; j <= box.depth; ++j)
                for (int k = -box.depth; k <= box.depth; ++k)
                    if (box.corners || (i != 0) + (j != 0) + (k != 0) <= 1) offsets.push_back({i, j, k});
        HYPRE_StructStencilCreate(3, static_cast<int>(offsets.size()), &stencil);
        for (std::size_t i = 0; i < offsets.size(); ++i)
            HYPRE_StructStencilSetElement(stencil, static_cast<int>(i), offsets[i].data());
        HYPRE_StructVectorCreate(MPI_COMM_WORLD, grid, &vector);
        HYPRE_StructVectorSetNumGhost(vector, layers);
        HYPRE_StructVectorInitialize(vector);
        HYPRE_StructVectorAssemble(vector);
        hypre_CommInfo* info = nullptr;
        hypre_CreateCommInfoFromStencil(grid, stencil, &info);
        hypre_BoxArray* const space = hypre_StructVectorDataSpace(vector);
        hypre_CommPkgCreate(info, space, space, 1, nullptr, 0, MPI_COMM_WORLD, &package);
        hypre_CommInfoDestroy(info);
    }
    ~Structured()
    {
        hypre_CommPkgDestroy(package);
        HYPRE_StructVectorDestroy(vector);
        HYPRE_StructStencilDestroy(stencil);
        HYPRE_StructGridDestroy(grid);
    }
    Structured(const Structured&) = delete;
    Structured& operator=(const Structured&) = delete;
    double* data() const { return hypre_StructVectorData(vector); }
};

Way structured(const Box& box)
{
    auto s = std::make_shared<Structured>(box);
    return {"package", [=](int round) { s->sent.write(s->data(), 1, round); },
            [=] {
                hypre_CommHandle* handle = nullptr;
                hypre_InitializeCommunication(s->package, s->data(), s->data(), 0, 0, &handle);
                hypre_FinalizeCommunication(handle);
            },
            [=](int round) { return s->ghosts.are_right(s->data(), 1, round); }};
}

/// The columns that rows of a matrix need.
Pattern needs_of(hypre_ParCSRMatrix* matrix, hypre_ParCSRCommPkg* package, int processes)
{
    Pattern p;
    p.owned = hypre_CSRMatrixNumRows(hypre_ParCSRMatrixDiag(matrix));
    MPI_Count end = hypre_ParCSRMatrixColStarts(matrix)[1];
    p.first.resize(static_cast<std::size_t>(processes) + 1);
    MPI_Allgather(&end, 1, MPI_COUNT, p.first.data() + 1, 1, MPI_COUNT, MPI_COMM_WORLD);
    const HYPRE_BigInt* columns = hypre_ParCSRMatrixColMapOffd(matrix);
    p.numbers.assign(columns, columns + hypre_CSRMatrixNumCols(hypre_ParCSRMatrixOffd(matrix)));
    for (int s = 0; s < hypre_ParCSRCommPkgNumSends(package); ++s)
        for (int i = package->send_map_starts[s]; i < package->send_map_starts[s + 1]; ++i)
            p.holders[package->send_procs[s]].push_back(package->send_map_elmts[i]);
    return p;
}

std::vector<Way> level(const peer::Table& table, const Pattern& pattern, hypre_ParCSRCommPkg* package,
                       bool reverse)
{
    auto buffer = std::make_shared<std::vector<double>>(package->send_map_starts[package->num_sends]);
    return {peer::on_array("package", table, pattern, 1, reverse, [=](double* u, double* ghosts) {
        const int* elements = package->send_map_elmts;
        const std::size_t n = buffer->size();
        if (reverse) {
            hypre_ParCSRCommHandleDestroy(hypre_ParCSRCommHandleCreate(2, package, ghosts, buffer->data()));
            for (std::size_t i = 0; i < n; ++i) u[elements[i]] += (*buffer)[i];
        } else {
            for (std::size_t i = 0; i < n; ++i) (*buffer)[i] = u[elements[i]];
            hypre_ParCSRCommHandleDestroy(hypre_ParCSRCommHandleCreate(1, package, buffer->data(), ghosts));
        }
    })};
}

/// All levels for a 27-point stencil on a cube.
void compare_levels(peer::Table& table, int side)
{
    const Box box(table, side, 1, true);
    double values[] = {26, -1};
    const auto& [r, q, p] = box.processes;
    const auto& [z, y, x] = box.coordinates;
    HYPRE_ParCSRMatrix matrix = GenerateLaplacian27pt(MPI_COMM_WORLD, side, side, side, p, q, r, x, y, z,
                                                      values);
    HYPRE_ParVector right = nullptr, solution = nullptr;
    MPI_Comm comm = MPI_COMM_WORLD;
    for (HYPRE_ParVector* v : {&right, &solution}) {
        *v = hypre_ParVectorCreate(comm, hypre_ParCSRMatrixGlobalNumRows(matrix),
                                   hypre_ParCSRMatrixRowStarts(matrix));
        HYPRE_ParVectorInitialize(*v);
    }
    HYPRE_Solver solver = nullptr;
    HYPRE_BoomerAMGCreate(&solver);
    HYPRE_BoomerAMGSetup(solver, matrix, right, solution);
    auto* const data = reinterpret_cast<hypre_ParAMGData*>(solver);
    for (int l = 0; l < hypre_ParAMGDataNumLevels(data); ++l) {
        hypre_ParCSRMatrix* const a = hypre_ParAMGDataAArray(data)[l];
        if (hypre_ParCSRMatrixCommPkg(a) == nullptr) hypre_MatvecCommPkgCreate(a);
        hypre_ParCSRCommPkg* const package = hypre_ParCSRMatrixCommPkg(a);
        peer::compare_ghosts<1>(table, needs_of(a, package, table.processes),
                                "level " + std::to_string(l) + " of " + std::to_string(side) + "^3",
                                [&](const Pattern& pattern, std::size_t, bool reverse) {
                                    return level(table, pattern, package, reverse);
                                });
    }
    HYPRE_BoomerAMGDestroy(solver);
    HYPRE_ParVectorDestroy(right);
    HYPRE_ParVectorDestroy(solution);
    HYPRE_ParCSRMatrixDestroy(matrix);
}

} // namespace

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    HYPRE_Init();
    {
        peer::Table table("hypre", argc, argv);
        table.for_boxes([&](const Box& box) {
            table.compare(box.name(1), {peer::our_halo<1>(box), structured(box)});
        });
        for (const int side : table.sides)
            if (side <= 64) compare_levels(table, side);
    }
    HYPRE_Finalize();
    MPI_Finalize();
    return 0;
}
