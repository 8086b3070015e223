// SPDX-License-Identifier: BSD-3-Clause
// So many graphs that no communicator is made for new ones.
#pragma once

namespace test {

/// More graphs of this process alone than there may be until new ones get no communicator.
class ManyGraphs {
public:
    ManyGraphs()
    {
        for (MPI_Comm& graph : graphs_)
            CHECK_OK(ORTHO_Dist_graph_create_adjacent(MPI_COMM_SELF, 0, nullptr, MPI_UNWEIGHTED, 0, nullptr,
                                                      MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph));
    }
    ManyGraphs(const ManyGraphs&) = delete;
    ManyGraphs& operator=(const ManyGraphs&) = delete;
    ~ManyGraphs()
    {
        for (MPI_Comm& graph : graphs_) MPI_Comm_free(&graph);
    }

private:
    std::array<MPI_Comm, 129> graphs_{};
};

} // namespace test
