// SPDX-License-Identifier: BSD-3-Clause
#include "timing_samples.hpp"

#include <cstddef>

namespace bench {

double time_batch(MPI_Comm comm, const std::function<void()>& call, int batch)
{
    MPI_Barrier(comm);
    const double begin = MPI_Wtime();
    for (int i = 0; i < batch; ++i) call();
    double seconds = (MPI_Wtime() - begin) / batch;
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, comm);
    return seconds;
}

std::vector<Series> take_samples(MPI_Comm comm, const std::vector<Contestant>& contestants,
                                 const Surroundings& surroundings, int samples, int first)
{
    const std::size_t n = contestants.size();
    std::vector<Series> result(n);
    for (int sample = first; sample < first + samples; ++sample) {
        for (std::size_t turn = 0; turn < n; ++turn) {
            const std::size_t i = (static_cast<std::size_t>(sample) + turn) % n;
            surroundings.prepare(sample);
            result[i].seconds.push_back(time_batch(comm, contestants[i].call, contestants[i].batch));
            int wrong = surroundings.is_right(sample) ? 0 : 1;
            MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_MAX, comm);
            result[i].wrong += wrong;
        }
    }
    return result;
}

int wrong_of_ours(const std::vector<Contestant>& contestants, const std::vector<Series>& series)
{
    int wrong = 0;
    for (std::size_t i = 0; i < contestants.size(); ++i)
        if (contestants[i].library == "mpiortho") wrong += series[i].wrong;
    return wrong;
}

int batch_for(MPI_Comm comm, const std::function<void()>& call, double seconds)
{
    int batch = 1;
    while (batch < 1 << 20 && time_batch(comm, call, batch) * batch < seconds) batch *= 2;
    return batch;
}

std::string mpi_name()
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = 0;
    MPI_Get_library_version(version, &length);
    const std::string all = version; // Open MPI counts its null char, too
    return all.substr(0, all.find('\n'));
}

} // namespace bench
