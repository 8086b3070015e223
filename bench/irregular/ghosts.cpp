// SPDX-License-Identifier: BSD-3-Clause
// Ghosts of irregular patterns (patterns.py), filled by an index map, by one with a message an edge, by
// persistent messages by hand, and by MPI_Neighbor_alltoallv with copies by hand.  Lists of needed elements
// go to their owners by ORTHO_Sparse_alltoallv, by MPI_Alltoall of counts, by MPI_Reduce_scatter_block with
// probes, and by nonblocking consensus.  A call that blocks is compared with the MPI's, without copies.  Ways
// take turns in one run.
//     mpiexec -n P bench/irregular/ghosts FOLDER ROUNDS [WORDS...]
// Prints for each pattern the median time of each way, and that by hand divided by ours.
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "mpiortho.h"
#include "pattern.hpp"

namespace {

using Doubles = std::vector<double>;
int rank, processes;

/// Messages with elements in rows, for both rivals.
struct Rows {
    std::vector<int> sources, targets, incounts, outcounts, inbegins, outbegins;
    Doubles in, out;

    Rows(const Pattern& pattern, int words)
    {
        int end = 0;
        for (const auto& [source, list] : pattern.ghosts) {
            sources.push_back(source);
            incounts.push_back(words * static_cast<int>(list.size()));
            inbegins.push_back(end);
            end += incounts.back();
        }
        in.resize(static_cast<std::size_t>(end));
        end = 0;
        for (const auto& [target, list] : pattern.holders) {
            targets.push_back(target);
            outcounts.push_back(words * static_cast<int>(list.size()));
            outbegins.push_back(end);
            end += outcounts.back();
        }
        out.resize(static_cast<std::size_t>(end));
    }
    void pack(const Pattern& pattern, const Doubles& u, int words)
    {
        double* to = out.data();
        for (const auto& [target, list] : pattern.holders)
            for (const int i : list) to = std::copy_n(&u[static_cast<std::size_t>(i * words)], words, to);
    }
    void unpack(const Pattern& pattern, Doubles& u, int words) const
    {
        const double* from = in.data();
        for (const auto& [source, list] : pattern.ghosts)
            for (const int g : list) {
                std::copy_n(from, words,
                            &u[static_cast<std::size_t>((static_cast<int>(pattern.owned) + g) * words)]);
                from += words;
            }
    }
};

/// Ways to do the same.
struct Way {
    std::string name;
    std::function<void()> run;
    std::vector<double> times{};
};

/// Seconds of each way, by turns: the median over rounds of the slowest process.
void measure(std::vector<Way>& ways, int rounds, int repeats)
{
    for (int round = 0; round <= rounds; ++round)
        for (std::size_t w = 0; w < ways.size(); ++w) {
            Way& way = ways[(w + static_cast<std::size_t>(round)) % ways.size()];
            way.run();
            MPI_Barrier(MPI_COMM_WORLD);
            const double begin = MPI_Wtime();
            for (int i = 0; i < repeats; ++i) way.run();
            double mine = (MPI_Wtime() - begin) / repeats, most = 0;
            MPI_Allreduce(&mine, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
            if (round > 0) way.times.push_back(most);
        }
}

void print(const std::string& what, std::vector<Way>& ways)
{
    for (Way& way : ways) std::sort(way.times.begin(), way.times.end());
    if (rank != 0) return;
    const auto median = [](const Way& way) { return way.times[way.times.size() / 2]; };
    std::printf("%-12s", what.c_str());
    for (const Way& way : ways) std::printf("  %s %9.2f us", way.name.c_str(), median(way) * 1e6);
    for (std::size_t w = 1; w < ways.size(); ++w)
        std::printf("  %s/ours %.2f", ways[w].name.c_str(), median(ways[w]) / median(ways[0]));
    std::printf("\n");
    std::fflush(stdout);
}

void fill(const Pattern& pattern, const std::string& name, int words, int rounds)
{
    const std::size_t all = (static_cast<std::size_t>(pattern.owned) + pattern.numbers.size()) *
                            static_cast<std::size_t>(words);
    Doubles u(all), by_hand(all);
    for (std::size_t i = 0; i < static_cast<std::size_t>(pattern.owned * words); ++i)
        u[i] = by_hand[i] = static_cast<double>(rank * 1000000) + static_cast<double>(i);

    MPI_Datatype element = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(words, MPI_DOUBLE, &element);
    MPI_Type_commit(&element);
    ORTHO_Index_map map = ORTHO_INDEX_MAP_NULL;
    ORTHO_Request request = ORTHO_REQUEST_NULL;
    const void* owned = u.data();
    void* ghosts = u.data() + pattern.owned * words;
    ORTHO_Index_map_create_global(pattern.owned, static_cast<MPI_Count>(pattern.numbers.size()),
                                  pattern.numbers.data(), MPI_COMM_WORLD, MPI_INFO_NULL, &map);
    ORTHO_Ghosts_init(1, &owned, &ghosts, &element, map, MPI_INFO_NULL, &request);
    ORTHO_Request direct = ORTHO_REQUEST_NULL; // a message an edge
    MPI_Info info = MPI_INFO_NULL;
    MPI_Info_create(&info);
    MPI_Info_set(info, "ortho_algorithm", "alltoall_direct");
    ORTHO_Ghosts_init(1, &owned, &ghosts, &element, map, info, &direct);
    MPI_Info_free(&info);

    Rows rows(pattern, words), neighbor_rows(pattern, words);
    std::vector<MPI_Request> requests(rows.sources.size() + rows.targets.size());
    MPI_Request* next = requests.data();
    for (std::size_t i = 0; i < rows.sources.size(); ++i)
        MPI_Recv_init(rows.in.data() + rows.inbegins[i], rows.incounts[i], MPI_DOUBLE, rows.sources[i], 0,
                      MPI_COMM_WORLD, next++);
    for (std::size_t i = 0; i < rows.targets.size(); ++i)
        MPI_Send_init(rows.out.data() + rows.outbegins[i], rows.outcounts[i], MPI_DOUBLE, rows.targets[i], 0,
                      MPI_COMM_WORLD, next++);
    MPI_Comm graph = MPI_COMM_NULL;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, static_cast<int>(rows.sources.size()), rows.sources.data(),
                                   MPI_UNWEIGHTED, static_cast<int>(rows.targets.size()), rows.targets.data(),
                                   MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);

    std::vector<Way> ways;
    ways.push_back({"ours", [&] { ORTHO_Run(&request, MPI_STATUS_IGNORE); }});
    ways.push_back({"direct", [&] { ORTHO_Run(&direct, MPI_STATUS_IGNORE); }});
    ways.push_back({"by hand", [&] {
                        rows.pack(pattern, by_hand, words);
                        MPI_Startall(static_cast<int>(requests.size()), requests.data());
                        MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
                        rows.unpack(pattern, by_hand, words);
                    }});
    ways.push_back({"neighbor", [&] {
                        Rows& r = neighbor_rows;
                        r.pack(pattern, by_hand, words);
                        MPI_Neighbor_alltoallv(r.out.data(), r.outcounts.data(), r.outbegins.data(),
                                               MPI_DOUBLE, r.in.data(), r.incounts.data(), r.inbegins.data(),
                                               MPI_DOUBLE, graph);
                        r.unpack(pattern, by_hand, words);
                    }});
    measure(ways, rounds, 20);
    print(name + ' ' + std::to_string(words), ways);
    if (u != by_hand) std::printf("rank %d: values differ\n", rank);

    MPI_Comm_free(&graph);
    for (MPI_Request& one : requests) MPI_Request_free(&one);
    ORTHO_Request_free(&request);
    ORTHO_Request_free(&direct);
    ORTHO_Index_map_free(&map);
    MPI_Type_free(&element);
}

/// Each process tells owners which of their elements it needs.
class Needs {
public:
    explicit Needs(const Pattern& pattern)
    {
        for (const auto& [owner, list] : pattern.ghosts) {
            targets_.push_back(owner);
            begins_.push_back(static_cast<MPI_Aint>(data_.size()));
            counts_.push_back(static_cast<MPI_Count>(list.size()));
            for (const int g : list) data_.push_back(pattern.numbers[static_cast<std::size_t>(g)]);
        }
    }
    void by_us()
    {
        ORTHO_Sparse exchange = ORTHO_SPARSE_NULL;
        ORTHO_Sparse_alltoallv(data_.data(), number(), targets_.data(), counts_.data(), begins_.data(),
                               MPI_COUNT, MPI_COMM_WORLD, MPI_INFO_NULL, &exchange);
        int n = 0;
        MPI_Count total = 0;
        ORTHO_Sparse_count(exchange, &n, &total);
        came_.resize(static_cast<std::size_t>(total));
        ORTHO_Sparse_receive(&exchange, came_.data(), MPI_COUNT, nullptr, nullptr, nullptr);
    }
    void by_counts()
    {
        std::vector<int> to(static_cast<std::size_t>(processes)), from(to.size());
        for (int i = 0; i < number(); ++i)
            to[static_cast<std::size_t>(targets_[at(i)])] = static_cast<int>(counts_[at(i)]);
        MPI_Alltoall(to.data(), 1, MPI_INT, from.data(), 1, MPI_INT, MPI_COMM_WORLD);
        std::vector<MPI_Request> requests;
        std::size_t total = 0;
        for (const int count : from) total += static_cast<std::size_t>(count);
        came_.resize(total);
        std::size_t begin = 0;
        for (int r = 0; r < processes; ++r) {
            if (from[at(r)] == 0) continue;
            MPI_Irecv(came_.data() + begin, from[at(r)], MPI_COUNT, r, 1, MPI_COMM_WORLD,
                      &requests.emplace_back());
            begin += static_cast<std::size_t>(from[at(r)]);
        }
        send(requests, false);
        MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    }
    void by_reduction()
    {
        std::vector<int> to(static_cast<std::size_t>(processes));
        for (const int target : targets_) to[at(target)] = 1;
        int messages = 0;
        MPI_Reduce_scatter_block(to.data(), &messages, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        std::vector<MPI_Request> requests;
        send(requests, false);
        came_.clear();
        for (; messages > 0; --messages) receive(MPI_STATUS_IGNORE);
        MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
        MPI_Barrier(MPI_COMM_WORLD); // the next one's messages look alike
    }
    void by_consensus()
    {
        std::vector<MPI_Request> requests;
        send(requests, true);
        came_.clear();
        MPI_Request barrier = MPI_REQUEST_NULL;
        for (int done = 0; done == 0;) {
            int flag = 0;
            MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
            if (flag != 0) receive(MPI_STATUS_IGNORE);
            if (barrier == MPI_REQUEST_NULL) {
                MPI_Testall(static_cast<int>(requests.size()), requests.data(), &flag, MPI_STATUSES_IGNORE);
                if (flag != 0) MPI_Ibarrier(MPI_COMM_WORLD, &barrier);
            } else {
                MPI_Test(&barrier, &done, MPI_STATUS_IGNORE);
            }
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    std::size_t came() const { return came_.size(); }

private:
    static std::size_t at(int i) { return static_cast<std::size_t>(i); }
    int number() const { return static_cast<int>(targets_.size()); }
    void send(std::vector<MPI_Request>& requests, bool synchronous)
    {
        for (int i = 0; i < number(); ++i)
            (synchronous ? MPI_Issend : MPI_Isend)(
                data_.data() + begins_[at(i)], static_cast<int>(counts_[at(i)]), MPI_COUNT, targets_[at(i)],
                1, MPI_COMM_WORLD, &requests.emplace_back());
    }
    void receive(MPI_Status*)
    {
        MPI_Status status;
        MPI_Message message;
        int count = 0;
        MPI_Mprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &message, &status);
        MPI_Get_count(&status, MPI_COUNT, &count);
        came_.resize(came_.size() + at(count));
        MPI_Mrecv(came_.data() + came_.size() - at(count), count, MPI_COUNT, &message, MPI_STATUS_IGNORE);
    }

    std::vector<MPI_Count> data_, came_;
    std::vector<int> targets_;
    std::vector<MPI_Count> counts_;
    std::vector<MPI_Aint> begins_;
};

void exchange(const Pattern& pattern, const std::string& name, int rounds)
{
    Needs needs(pattern);
    std::vector<Way> ways;
    ways.push_back({"ours", [&] { needs.by_us(); }});
    ways.push_back({"counts", [&] { needs.by_counts(); }});
    ways.push_back({"reduce", [&] { needs.by_reduction(); }});
    ways.push_back({"consensus", [&] { needs.by_consensus(); }});
    measure(ways, rounds, 10);
    print(name + " sparse", ways);
}

/// Calls that block, on graphs, with blocks as they lie.
void block(const Pattern& pattern, const std::string& name, int words, int rounds)
{
    Rows ours(pattern, words), theirs(pattern, words);
    for (std::size_t i = 0; i < ours.out.size(); ++i)
        ours.out[i] = theirs.out[i] = static_cast<double>(rank * 1000000) + static_cast<double>(i);
    const auto make = [&](auto create) {
        MPI_Comm graph = MPI_COMM_NULL;
        create(MPI_COMM_WORLD, static_cast<int>(ours.sources.size()), ours.sources.data(), MPI_UNWEIGHTED,
               static_cast<int>(ours.targets.size()), ours.targets.data(), MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
               &graph);
        return graph;
    };
    MPI_Comm our_graph = make(ORTHO_Dist_graph_create_adjacent);
    MPI_Comm graph = make(MPI_Dist_graph_create_adjacent);
    const auto with = [](auto call, Rows& rows, MPI_Comm on) {
        return [=, &rows] {
            call(rows.out.data(), rows.outcounts.data(), rows.outbegins.data(), MPI_DOUBLE, rows.in.data(),
                 rows.incounts.data(), rows.inbegins.data(), MPI_DOUBLE, on);
        };
    };
    std::vector<Way> ways;
    ways.push_back({"ours", with(ORTHO_Alltoallv, ours, our_graph)});
    ways.push_back({"neighbor", with(MPI_Neighbor_alltoallv, theirs, graph)});
    measure(ways, rounds, 20);
    print(name + " blocking " + std::to_string(words), ways);
    if (ours.in != theirs.in) std::printf("rank %d: values differ\n", rank);
    MPI_Comm_free(&graph);
    MPI_Comm_free(&our_graph);
}

} // namespace

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    if (argc < 3) MPI_Abort(MPI_COMM_WORLD, 2);
    const int rounds = std::atoi(argv[2]);
    std::vector<int> words;
    for (int i = 3; i < argc; ++i) words.push_back(std::atoi(argv[i]));
    if (words.empty()) words = {1, 8, 64};
    for (const char* name : {"tri", "tet", "bricks", "near", "power", "random"}) {
        const Pattern pattern(std::string(argv[1]) + '/' + name, rank, processes);
        for (const int n : words) fill(pattern, name, n, rounds);
        for (const int n : words) block(pattern, name, n, rounds);
        exchange(pattern, name, rounds);
    }
    MPI_Finalize();
    return 0;
}
