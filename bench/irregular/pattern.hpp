// SPDX-License-Identifier: BSD-3-Clause
// An irregular exchange of ghosts, as patterns.py writes it.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <string>
#include <vector>

/// The elements that a process owns, and its ghosts, by owner.
struct Pattern {
    MPI_Count owned = 0;
    std::vector<MPI_Count> numbers;          ///< of ghosts
    std::vector<MPI_Count> first{0};         ///< number of each process's first element
    std::map<int, std::vector<int>> ghosts;  ///< by owner
    std::map<int, std::vector<int>> holders; ///< owned elements, by the process with copies

    Pattern() = default;
    Pattern(const std::string& file, int rank, int processes)
    {
        std::ifstream in(file);
        std::vector<std::vector<MPI_Count>> all;
        for (int r = 0; r < processes; ++r) {
            MPI_Count n = 0, copies = 0;
            if (!(in >> n >> copies)) MPI_Abort(MPI_COMM_WORLD, 1);
            first.push_back(first.back() + n);
            std::vector<MPI_Count> list(static_cast<std::size_t>(copies));
            for (MPI_Count& number : list) in >> number;
            all.push_back(std::move(list));
        }
        owned = first[static_cast<std::size_t>(rank) + 1] - first[static_cast<std::size_t>(rank)];
        for (int r = 0; r < processes; ++r)
            for (const MPI_Count number : all[static_cast<std::size_t>(r)])
                if (owner(number) == rank)
                    holders[r].push_back(static_cast<int>(number - first[static_cast<std::size_t>(rank)]));
        numbers = all[static_cast<std::size_t>(rank)];
        for (std::size_t g = 0; g < numbers.size(); ++g)
            ghosts[owner(numbers[g])].push_back(static_cast<int>(g));
    }
    int owner(MPI_Count number) const
    {
        return static_cast<int>(std::upper_bound(first.begin(), first.end(), number) - first.begin()) - 1;
    }
};
