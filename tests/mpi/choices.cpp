// SPDX-License-Identifier: BSD-3-Clause
// Makes the blocking calls, and runs the halo exchanges, of the specifications that it is given, for
// tests/scripts/choices.sh: with ORTHO_EXPLAIN=1 the library says what it chose, under a line with the
// specification.

#include "base/error.hpp"
#include "grids.hpp"
#include "specification.hpp"

namespace {

using ortho::planner::Collective;

int call(const tools::Specification& specification, MPI_Comm comm)
{
    const int bytes = static_cast<int>(specification.block_bytes);
    const auto room = static_cast<std::size_t>(specification.stencil.size() * specification.block_bytes) + 1;
    std::vector<char> from(room), to(room);
    switch (specification.collective) {
    case Collective::alltoall:
        return ORTHO_Alltoall(from.data(), bytes, MPI_BYTE, to.data(), bytes, MPI_BYTE, comm);
    case Collective::allgather:
        return ORTHO_Allgather(from.data(), bytes, MPI_BYTE, to.data(), bytes, MPI_BYTE, comm);
    case Collective::allreduce:
        return ORTHO_Allreduce(from.data(), to.data(), bytes, MPI_BYTE, MPI_BOR, comm);
    case Collective::reduce_scatter:
        return ORTHO_Reduce_scatter_block(from.data(), to.data(), bytes, MPI_BYTE, MPI_BOR, comm);
    default: return MPI_ERR_OTHER;
    }
}

/// Ghosts of arrays of chars, or of what is as large.
int exchange_ghosts(const tools::Specification& specification, MPI_Comm comm)
{
    const tools::GhostedFields& fields = *specification.fields;
    MPI_Datatype element = test::committed(MPI_Type_contiguous, static_cast<int>(fields.element_bytes),
                                           MPI_CHAR);
    auto room = static_cast<std::size_t>(fields.element_bytes);
    for (const std::int64_t size : fields.shape.sizes) room *= static_cast<std::size_t>(size);
    std::vector<std::vector<char>> memory(static_cast<std::size_t>(fields.fields), std::vector<char>(room));
    std::vector<void*> arrays;
    for (std::vector<char>& array : memory) arrays.push_back(array.data());
    const std::vector<MPI_Datatype> elements(arrays.size(), element);
    ORTHO_Request request = ORTHO_REQUEST_NULL;
    const auto ints = [](const std::vector<std::int64_t>& numbers) {
        return std::vector<int>(numbers.begin(), numbers.end());
    };
    const std::vector<int> sizes = ints(fields.shape.sizes), lower = ints(fields.shape.lower);
    const std::vector<int> upper = ints(fields.shape.upper);
    int code = ORTHO_Halo_init(fields.fields, arrays.data(), elements.data(), fields.shape.dimensions(),
                               sizes.data(), lower.data(), upper.data(), comm, MPI_INFO_NULL, &request);
    MPI_Type_free(&element);
    if (code == MPI_SUCCESS) code = ORTHO_Run(&request, MPI_STATUS_IGNORE);
    ORTHO_Request_free(&request);
    return code;
}

int run(const char* text)
{
    const tools::Specification specification = tools::parse_specification(text);
    const ortho::grid::Grid& grid = specification.grid;
    const ortho::grid::Stencil& stencil = specification.stencil;
    // The operation that is started shall be the one that is run.
    const test::Comm comm = test::neighborhood(test::sizes_of(grid), test::periods_of(grid), stencil.flat(),
                                               MPI_COMM_WORLD, test::Info{{"ortho_forward", "true"}});
    if (test::rank() == 0) std::fprintf(stderr, "call %s\n", text);
    return specification.is_halo() ? exchange_ghosts(specification, comm) : call(specification, comm);
}

} // namespace

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    int result = 0;
    try {
        for (int i = 1; i < argc && result == 0; ++i) result = run(argv[i]);
    } catch (const ortho::base::Error& error) {
        std::fprintf(stderr, "%s\n", error.what());
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Finalize();
    return result == MPI_SUCCESS ? 0 : 1;
}
