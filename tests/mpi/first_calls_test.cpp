// SPDX-License-Identifier: BSD-3-Clause
// The first exchanges on a graph, which are not planned.
#include <mpi.h>
#include <mpiortho.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <string>
#include <vector>

#include "base/index.hpp"
#include "check.hpp"
#include "error_checks.hpp"
#include "rings.hpp"

namespace {

using ortho::at;
using test::Ints;

/// Offsets of a torus of all processes in `d` dimensions, all at most one step away and not 0.
std::vector<int> box(int d)
{
    std::vector<int> offsets;
    int points = 1;
    for (int k = 0; k < d; ++k) points *= 3;
    for (int i = 0; i < points; ++i) {
        if (i == points / 2) continue;
        for (int k = 0, rest = i; k < d; ++k, rest /= 3) offsets.push_back(rest % 3 - 1);
    }
    return offsets;
}

MPI_Comm torus(int d, const std::vector<int>& offsets, MPI_Info info = MPI_INFO_NULL)
{
    std::vector<int> dims(at(d));
    MPI_Dims_create(test::size(), d, dims.data());
    const std::vector<int> periods(at(d), 1);
    MPI_Comm comm = MPI_COMM_NULL;
    CHECK_OK(ORTHO_Cart_neighborhood_create(MPI_COMM_WORLD, d, dims.data(), periods.data(),
                                            static_cast<int>(offsets.size()) / d, offsets.data(),
                                            MPI_UNWEIGHTED, info, 0, &comm));
    return comm;
}

/// The number of dimensions of such a torus that have more than one point.
int dimensions_of(int d)
{
    std::vector<int> dims(at(d));
    MPI_Dims_create(test::size(), d, dims.data());
    return static_cast<int>(std::ranges::count_if(dims, [](int n) { return n > 1; }));
}

/// The most offsets of a box on such a torus that lead to one other process.
int most_to_one(int d)
{
    std::vector<int> dims(at(d));
    MPI_Dims_create(test::size(), d, dims.data());
    return test::size() == 1 ? 1 : std::accumulate(dims.begin(), dims.end(), 1, [](int product, int n) {
        return product * (n == 1 ? 3 : n == 2 ? 2 : 1);
    });
}

/// A ring in one direction, which nobody knows to be one.
MPI_Comm unnamed_ring()
{
    const int source = test::left();
    const int target = test::right();
    MPI_Comm comm = MPI_COMM_NULL;
    CHECK_OK(ORTHO_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &source, MPI_UNWEIGHTED, 1, &target,
                                              MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm));
    return comm;
}

/// A ring where rank 0 has several edges to its right neighbor.
MPI_Comm bundled_ring(int edges)
{
    const Ints sources(test::rank() == 1 % test::size() ? at(edges) : 1, test::left());
    const Ints targets(test::rank() == 0 ? at(edges) : 1, test::right());
    MPI_Comm comm = MPI_COMM_NULL;
    CHECK_OK(ORTHO_Dist_graph_create_adjacent(
        MPI_COMM_WORLD, static_cast<int>(sources.size()), sources.data(), MPI_UNWEIGHTED,
        static_cast<int>(targets.size()), targets.data(), MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm));
    return comm;
}

/// An exchange of a number with each neighbor.  Is it planned?
bool is_planned(MPI_Comm comm)
{
    int in = 0;
    int out = 0;
    int weighted = 0;
    CHECK_OK(ORTHO_Dist_graph_neighbors_count(comm, &in, &out, &weighted));
    const Ints sent(at(out), test::rank());
    Ints received(at(in), -1);
    Ints sources(at(in));
    Ints targets(at(out));
    CHECK_OK(ORTHO_Dist_graph_neighbors(comm, in, sources.data(), MPI_UNWEIGHTED, out, targets.data(),
                                        MPI_UNWEIGHTED));
    ORTHO_Request request = ORTHO_REQUEST_NULL;
    CHECK_OK(ORTHO_Ialltoall(sent.data(), 1, MPI_INT, received.data(), 1, MPI_INT, comm, &request));
    const std::string text = test::explanation(request);
    CHECK_OK(ORTHO_Wait(&request, MPI_STATUS_IGNORE));
    CHECK(received == sources);
    return text.find("not planned") == std::string::npos;
}

int number_unplanned(MPI_Comm comm)
{
    int number = 0;
    while (!is_planned(comm)) ++number;
    return number;
}

/// The more neighbors, the fewer.
void numbers()
{
    MPI_Comm comm = torus(1, {-1, 1});
    CHECK_EQ(number_unplanned(comm), 24);
    CHECK(is_planned(comm));
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Comm_dup(comm, &copy);
    const Ints sent(2, test::rank());
    Ints received(2, -1);
    CHECK_OK(ORTHO_Alltoall(sent.data(), 1, MPI_INT, received.data(), 1, MPI_INT, copy)); // which attaches it
    CHECK((received == Ints{test::right(), test::left()}));
    CHECK_EQ(number_unplanned(copy), 23);
    MPI_Comm_free(&copy);
    MPI_Comm_free(&comm);
    for (const auto& [d, number] : {std::pair(2, 6), std::pair(3, 2), std::pair(4, 2)}) {
        comm = torus(d, box(d));
        // More, where planning looks for ways to combine blocks.
        const int blocks = most_to_one(d);
        CHECK_EQ(number_unplanned(comm), dimensions_of(d) > 1 ? 32 / blocks : blocks > 16 ? 0 : number);
        MPI_Comm_free(&comm);
    }
    comm = unnamed_ring();
    CHECK_EQ(number_unplanned(comm), 16);
    MPI_Comm_free(&comm);
    for (const int edges : {3, 4, 100}) {
        comm = bundled_ring(edges);
        // On one process they lead nowhere else.
        CHECK_EQ(number_unplanned(comm), test::size() == 1 ? 16 : 16 / edges);
        MPI_Comm_free(&comm);
    }
}

/// Whoever says how calls are to be made gets plans, and so does who makes other calls.
void others_are_planned()
{
    MPI_Info info = MPI_INFO_NULL;
    MPI_Info_create(&info);
    MPI_Info_set(info, "ortho_algorithm", "auto");
    MPI_Comm comm = torus(1, {-1, 1}, info);
    MPI_Info_free(&info);
    CHECK(is_planned(comm));
    MPI_Comm_free(&comm);

    comm = torus(1, {-1, 1});
    CHECK(!is_planned(comm));
    const int one = 1;
    int sum = 0;
    CHECK_OK(ORTHO_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm));
    CHECK_EQ(sum, 2);
    CHECK(is_planned(comm));
    MPI_Comm_free(&comm);

    // A setting of one process holds for all.
    if (test::rank() == 0) setenv("ORTHO_PLAN_FIRST", "1", 1);
    comm = torus(1, {-1, 1});
    CHECK(is_planned(comm));
    MPI_Comm_free(&comm);
    if (test::rank() == 0) setenv("ORTHO_PLAN_FIRST", "0", 1);
}

/// One block to each neighbor and one to the process itself, of which `wrong` is too long.
void truncated(bool blocking, int wrong)
{
    MPI_Comm comm = torus(1, {1, 0, -1});
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    for (int time = 0; time < 8; ++time) { // so many are not planned
        const bool fits = time % 2 == 0;
        const Ints counts(3, 2);
        Ints rooms(3, 2);
        if (!fits) rooms[at(wrong)] = 1;
        const Ints places{0, 2, 4};
        Ints sent(6);
        for (int i = 0; i < 6; ++i) sent[at(i)] = 100 * test::rank() + 10 * time + i;
        Ints received(6, -1);
        int code = MPI_SUCCESS;
        if (blocking) {
            code = ORTHO_Alltoallv(sent.data(), counts.data(), places.data(), MPI_INT, received.data(),
                                   rooms.data(), places.data(), MPI_INT, comm);
        } else {
            ORTHO_Request request = ORTHO_REQUEST_NULL;
            CHECK_OK(ORTHO_Ialltoallv(sent.data(), counts.data(), places.data(), MPI_INT, received.data(),
                                      rooms.data(), places.data(), MPI_INT, comm, &request));
            code = ORTHO_Wait(&request, MPI_STATUS_IGNORE);
        }
        CHECK((code == MPI_SUCCESS) == fits);
        if (!fits) {
            char text[1000] = "";
            CHECK_OK(ORTHO_Error_message(text, sizeof text, nullptr));
            CHECK(std::string(text).find("slot " + std::to_string(wrong)) != std::string::npos);
        }
        const int sources[] = {test::left(), test::rank(), test::right()};
        for (int slot = 0; slot < 3; ++slot)
            for (int i = 0; i < 2; ++i)
                if (fits || slot != wrong)
                    CHECK_EQ(received[at(2 * slot + i)], 100 * sources[slot] + 10 * time + 2 * slot + i);
        // Nothing is written behind what is too short.
        if (!fits) CHECK_EQ(received[at(2 * wrong + 1)], -1);
    }
    MPI_Comm_free(&comm);
}

/// A process whose own sizes contradict each other learns the same in call 0 and once calls are planned.
void contradictions()
{
    for (const bool blocking : {true, false})
        for (const auto& [count, room] :
             {std::pair(1, 2), std::pair(2, 1), std::pair(0, 5), std::pair(3000, 1)}) {
            MPI_Comm comm = torus(1, {1, 0, -1});
            MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
            const Ints sent(at(3 * count), 1);
            Ints received(at(3 * room), -1);
            const auto told = [&] {
                ORTHO_Request request = ORTHO_REQUEST_NULL;
                int code = blocking ? ORTHO_Alltoall(sent.data(), count, MPI_INT, received.data(), room,
                                                     MPI_INT, comm)
                                    : ORTHO_Ialltoall(sent.data(), count, MPI_INT, received.data(), room,
                                                      MPI_INT, comm, &request);
                if (request != ORTHO_REQUEST_NULL) code = ORTHO_Wait(&request, MPI_STATUS_IGNORE);
                CHECK_EQ(test::error_class(code), count < room ? MPI_ERR_COUNT : MPI_ERR_TRUNCATE);
                char text[1000] = "";
                CHECK_OK(ORTHO_Error_message(text, sizeof text, nullptr));
                return std::string(text);
            };
            const std::string first = told();
            int number = 1;
            for (; !is_planned(comm); ++number) CHECK(told() == first);
            CHECK(number > 2);
            CHECK(told() == first);
            MPI_Comm_free(&comm);
        }
}

/// Blocks arrive one by one, and the user's datatypes may go.
void requests()
{
    MPI_Comm comm = torus(1, {1, 0, -1});
    for (int time = 0; time < 8; ++time) {
        MPI_Datatype pair = MPI_DATATYPE_NULL;
        MPI_Type_vector(2, 1, 2, MPI_INT, &pair);
        MPI_Datatype element = MPI_DATATYPE_NULL;
        MPI_Type_create_resized(pair, 0, 4 * sizeof(int), &element);
        MPI_Type_free(&pair);
        MPI_Type_commit(&element);
        Ints sent(12);
        std::iota(sent.begin(), sent.end(), 100 * test::rank());
        Ints received(12, -1);
        ORTHO_Request request = ORTHO_REQUEST_NULL;
        CHECK_OK(ORTHO_Ialltoall(sent.data(), 1, element, received.data(), 1, element, comm, &request));
        MPI_Type_free(&element);
        for (int slot = 0; slot < 3; ++slot) {
            int flag = 0;
            while (flag == 0) CHECK_OK(ORTHO_Parrived(request, slot, &flag));
        }
        int flag = 0;
        CHECK(ORTHO_Parrived(request, 3, &flag) != MPI_SUCCESS);
        const int sources[] = {test::left(), test::rank(), test::right()};
        for (int i = 0; i < 12; ++i) CHECK_EQ(received[at(i)], i % 2 == 0 ? 100 * sources[i / 4] + i : -1);
        CHECK_OK(ORTHO_Wait(&request, MPI_STATUS_IGNORE));
    }
    MPI_Comm_free(&comm);
}

/// A process goes away into MPI_Recv.
void left_alone()
{
    MPI_Comm comm = torus(1, {-1, 1});
    const int n = 1 << 18;
    const std::vector<int> sent(at(2 * n), test::rank());
    std::vector<int> received(at(2 * n), -1);
    for (int time = 0; time < 3; ++time) {
        ORTHO_Request request = ORTHO_REQUEST_NULL;
        CHECK_OK(ORTHO_Ialltoall(sent.data(), n, MPI_INT, received.data(), n, MPI_INT, comm, &request));
        if (test::rank() == 0)
            for (int i = 1; i < test::size(); ++i)
                MPI_Recv(nullptr, 0, MPI_INT, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK_OK(ORTHO_Wait(&request, MPI_STATUS_IGNORE));
        if (test::rank() != 0) MPI_Send(nullptr, 0, MPI_INT, 0, 7, MPI_COMM_WORLD);
        CHECK_EQ(received.front(), test::right());
        CHECK_EQ(received.back(), test::left());
    }
    MPI_Comm_free(&comm);
}

/// The forwarding of another operation goes on while a process waits for an exchange.
void others_go_on()
{
    MPI_Info info = MPI_INFO_NULL;
    MPI_Info_create(&info);
    MPI_Info_set(info, "ortho_forward", "true");
    MPI_Info_set(info, "ortho_algorithm", "alltoall_combining");
    MPI_Comm forwards = torus(2, box(2), info);
    MPI_Info_free(&info);
    for (int waits = 0; waits < test::size(); ++waits) {
        MPI_Comm comm = torus(1, {-1, 1});
        const Ints sent(8, test::rank());
        Ints received(8, -1);
        ORTHO_Request request = ORTHO_REQUEST_NULL;
        CHECK_OK(ORTHO_Ialltoall(sent.data(), 1, MPI_INT, received.data(), 1, MPI_INT, forwards, &request));
        // One process comes to the other exchange when it has all that others forward to it.
        if (test::rank() == waits) CHECK_OK(ORTHO_Wait(&request, MPI_STATUS_IGNORE));
        const Ints mine(2, test::rank());
        Ints theirs(2, -1);
        CHECK_OK(ORTHO_Alltoall(mine.data(), 1, MPI_INT, theirs.data(), 1, MPI_INT, comm));
        CHECK((theirs == Ints{test::right(), test::left()}));
        CHECK_OK(ORTHO_Wait(&request, MPI_STATUS_IGNORE));
        MPI_Comm_free(&comm);
    }
    MPI_Comm_free(&forwards);
}

} // namespace

int main(int argc, char** argv)
{
    setenv("ORTHO_PLAN_FIRST", "0", 1); // tests want plans
    MPI_Init(&argc, &argv);
    test::return_errors(MPI_COMM_SELF);
    numbers();
    others_are_planned();
    for (const bool blocking : {true, false})
        for (int slot = 0; slot < 3; ++slot) truncated(blocking, slot);
    contradictions();
    requests();
    left_alone();
    others_go_on();
    return test::finish();
}
