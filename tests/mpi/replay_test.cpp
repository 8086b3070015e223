// SPDX-License-Identifier: BSD-3-Clause
// Calls that come again: with the same arguments, and with what looks like the same arguments.
#include <mpi.h>
#include <mpiortho.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "check.hpp"
#include "rings.hpp"

namespace {

constexpr int most = 6; // elements of a block

/// Each process sends to the one behind it, and to the one before it.
MPI_Comm make_ring()
{
    const int p = test::size();
    const int neighbors[] = {(test::rank() + 1) % p, (test::rank() + p - 1) % p};
    const int sources[] = {neighbors[1], neighbors[0]};
    MPI_Comm ring = MPI_COMM_NULL;
    ORTHO_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, sources, MPI_UNWEIGHTED, 2, neighbors, MPI_UNWEIGHTED,
                                     MPI_INFO_NULL, 0, &ring);
    MPI_Comm_set_errhandler(ring, MPI_ERRORS_RETURN);
    return ring;
}

enum class Form { blocking, nonblocking };

struct Buffers {
    std::array<int, 2 * most> sent{};
    std::array<int, 2 * most> received{};
    int counts[2] = {1, 1};
    int displacements[2] = {0, most};

    /// Numbers that say who sent what, when.
    void fill(int time)
    {
        for (int i = 0; i < 2 * most; ++i)
            sent[static_cast<std::size_t>(i)] = 10000 * test::rank() + 100 * time + i;
        received.fill(-1);
    }
    /// `elements` of block b have come, `step` apart.
    void check(int time, int block, int elements, int step = 1) const
    {
        const int p = test::size();
        const int source = block == 0 ? (test::rank() + p - 1) % p : (test::rank() + 1) % p;
        for (int i = 0; i < most; ++i) {
            const bool has_come = i % step == 0 && i / step < elements;
            CHECK_EQ(received[static_cast<std::size_t>(block * most + i)],
                     has_come ? 10000 * source + 100 * time + block * most + i : -1);
        }
    }
};

int alltoallv(Form form, Buffers& b, MPI_Datatype type, MPI_Comm comm)
{
    if (form == Form::blocking)
        return ORTHO_Alltoallv(b.sent.data(), b.counts, b.displacements, type, b.received.data(), b.counts,
                               b.displacements, type, comm);
    ORTHO_Request request = ORTHO_REQUEST_NULL;
    const int code = ORTHO_Ialltoallv(b.sent.data(), b.counts, b.displacements, type, b.received.data(),
                                      b.counts, b.displacements, type, comm, &request);
    return code != MPI_SUCCESS ? code : ORTHO_Wait(&request, MPI_STATUS_IGNORE);
}

/// The arrays are the same, what is in them changes.
void counts_change(Form form)
{
    MPI_Comm ring = make_ring();
    Buffers b;
    for (int time = 0; time < 40; ++time) {
        b.counts[0] = time / 4 % (most + 1);
        b.counts[1] = time / 8 % (most + 1);
        b.fill(time);
        CHECK_EQ(alltoallv(form, b, MPI_INT, ring), MPI_SUCCESS);
        for (int block = 0; block < 2; ++block) b.check(time, block, b.counts[block]);
    }
    MPI_Comm_free(&ring);
}

/// The handle of a datatype is another one's soon.
void types_change(Form form)
{
    MPI_Comm ring = make_ring();
    Buffers b;
    b.displacements[1] = 1; // in extents of the type
    for (int time = 0; time < 30; ++time) {
        const int step = 1 + time % 3;
        MPI_Datatype strided = MPI_DATATYPE_NULL;
        MPI_Datatype type = MPI_DATATYPE_NULL;
        MPI_Type_vector(2, 1, step, MPI_INT, &strided);
        MPI_Type_create_resized(strided, 0, most * static_cast<MPI_Aint>(sizeof(int)), &type);
        MPI_Type_commit(&type);
        for (int again = 0; again < 2; ++again) {
            b.fill(time);
            CHECK_EQ(alltoallv(form, b, type, ring), MPI_SUCCESS);
            for (int block = 0; block < 2; ++block) b.check(time, block, 2, step);
        }
        MPI_Type_free(&type);
        MPI_Type_free(&strided);
    }
    MPI_Comm_free(&ring);
}

/// The handle of a communicator is another one's soon: of a ring the other way round.
void communicators_change(Form form)
{
    Buffers b;
    for (int time = 0; time < 20; ++time) {
        MPI_Comm ring = make_ring();
        MPI_Comm copy = MPI_COMM_NULL;
        if (time % 2 != 0) MPI_Comm_dup(ring, &copy);
        b.counts[0] = 1 + time % 3;
        for (int again = 0; again < 3; ++again) {
            b.fill(time);
            // On a duplicate, the first non-blocking call comes before it is attached.
            CHECK_EQ(alltoallv(form, b, MPI_INT, copy != MPI_COMM_NULL ? copy : ring), MPI_SUCCESS);
            for (int block = 0; block < 2; ++block) b.check(time, block, b.counts[block]);
        }
        if (time % 4 == 1) {
            MPI_Comm_free(&ring);
            b.fill(time);
            CHECK_EQ(alltoallv(form, b, MPI_INT, copy), MPI_SUCCESS);
            for (int block = 0; block < 2; ++block) b.check(time, block, b.counts[block]);
        } else {
            MPI_Comm_free(&ring);
        }
        if (copy != MPI_COMM_NULL) MPI_Comm_free(&copy);
    }
}

/// A call that is wrong, after and before the same one that was right.
void mistakes_between(Form form)
{
    MPI_Comm ring = make_ring();
    Buffers b;
    for (int time = 0; time < 6; ++time) {
        b.fill(time);
        CHECK_EQ(alltoallv(form, b, MPI_INT, ring), MPI_SUCCESS);
        for (int block = 0; block < 2; ++block) b.check(time, block, 1);
        b.fill(time);
        CHECK(alltoallv(form, b, MPI_DATATYPE_NULL, ring) != MPI_SUCCESS);
        b.counts[1] = -1;
        CHECK(alltoallv(form, b, MPI_INT, ring) != MPI_SUCCESS);
        b.counts[1] = 1;
        CHECK(ORTHO_Alltoallv(b.sent.data(), nullptr, b.displacements, MPI_INT, b.received.data(), b.counts,
                              b.displacements, MPI_INT, ring) != MPI_SUCCESS);
        b.check(-1, 0, 0); // nothing has come
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Comm_free(&ring);
}

/// Many under way that are alike but for where they lie, ended in another order, and blocking calls between.
void many_under_way()
{
    constexpr int n = 40;
    MPI_Comm ring = make_ring();
    std::vector<Buffers> all(n);
    std::vector<ORTHO_Request> requests(n, ORTHO_REQUEST_NULL);
    Buffers between;
    for (int time = 0; time < 4; ++time) {
        for (int i = 0; i < n; ++i) {
            Buffers& b = all[static_cast<std::size_t>(i)];
            b.fill(time);
            CHECK_EQ(ORTHO_Ialltoallv(b.sent.data(), b.counts, b.displacements, MPI_INT, b.received.data(),
                                      b.counts, b.displacements, MPI_INT, ring,
                                      &requests[static_cast<std::size_t>(i)]),
                     MPI_SUCCESS);
            if (i % 8 != 0) continue;
            between.fill(i);
            CHECK_EQ(alltoallv(Form::blocking, between, MPI_INT, ring), MPI_SUCCESS);
            for (int block = 0; block < 2; ++block) between.check(i, block, 1);
        }
        for (int i = n; i-- > 0;) {
            CHECK_EQ(ORTHO_Wait(&requests[static_cast<std::size_t>(i)], MPI_STATUS_IGNORE), MPI_SUCCESS);
            for (int block = 0; block < 2; ++block) all[static_cast<std::size_t>(i)].check(time, block, 1);
        }
    }
    MPI_Comm_free(&ring);
}

/// Freed while it is under way; then the communicator is, and the operation is still to end.
void freed_under_way()
{
    for (int time = 0; time < 5; ++time) {
        MPI_Comm ring = make_ring();
        Buffers b;
        Buffers left;
        for (int again = 0; again < 3; ++again) {
            b.fill(time);
            CHECK_EQ(alltoallv(Form::nonblocking, b, MPI_INT, ring), MPI_SUCCESS);
            for (int block = 0; block < 2; ++block) b.check(time, block, 1);
        }
        ORTHO_Request request = ORTHO_REQUEST_NULL;
        ORTHO_Request kept = ORTHO_REQUEST_NULL;
        left.fill(time);
        ORTHO_Ialltoallv(left.sent.data(), left.counts, left.displacements, MPI_INT, left.received.data(),
                         left.counts, left.displacements, MPI_INT, ring, &request);
        b.fill(time);
        ORTHO_Ialltoallv(b.sent.data(), b.counts, b.displacements, MPI_INT, b.received.data(), b.counts,
                         b.displacements, MPI_INT, ring, &kept);
        ORTHO_Request_free(&request);
        MPI_Comm_free(&ring);
        CHECK_EQ(ORTHO_Wait(&kept, MPI_STATUS_IGNORE), MPI_SUCCESS);
        for (int block = 0; block < 2; ++block) b.check(time, block, 1);
        MPI_Barrier(MPI_COMM_WORLD);
        // All have begun, and so all end.
        CHECK(test::advance_until([&] { return left.received[0] != -1 && left.received[most] != -1; }));
        for (int block = 0; block < 2; ++block) left.check(time, block, 1);
    }
}

/// MPI's operators take the kinds that a Fortran program asks for by their precision.
void kinds_of_fortran()
{
    MPI_Datatype kind = MPI_DATATYPE_NULL;
    const int code = MPI_Type_create_f90_real(15, 307, &kind);
    if (code != MPI_SUCCESS || kind == MPI_DATATYPE_NULL) return; // an MPI without Fortran
    MPI_Comm comm = make_ring();
    const int p = test::size();
    const double x = test::rank();
    for (int time = 0; time < 2; ++time) {
        double sum = -1;
        CHECK_EQ(ORTHO_Allreduce(&x, &sum, 1, kind, MPI_SUM, comm), MPI_SUCCESS);
        CHECK_EQ(sum, (test::rank() + 1) % p + (test::rank() + p - 1) % p);
    }
    MPI_Comm_free(&comm);
}

/// Only the operator changes.  A new one may have the handle of one that is gone.
void operators_change()
{
    MPI_Comm comm = make_ring();
    const int p = test::size();
    const int mine = test::rank() + 1;
    const int other[] = {(mine % p) + 1, ((mine + p - 2) % p) + 1};
    int result = -1;
    using Function = MPI_User_function*;
    const Function functions[] = {
        [](void* in, void* inout, int*, MPI_Datatype*) {
            *static_cast<int*>(inout) += 10 * *static_cast<int*>(in);
        },
        [](void* in, void* inout, int*, MPI_Datatype*) {
            *static_cast<int*>(inout) += *static_cast<int*>(in);
        },
    };
    for (int time = 0; time < 6; ++time) {
        CHECK_EQ(ORTHO_Allreduce(&mine, &result, 1, MPI_INT, MPI_SUM, comm), MPI_SUCCESS);
        CHECK_EQ(result, other[0] + other[1]);
        CHECK_EQ(ORTHO_Allreduce(&mine, &result, 1, MPI_INT, MPI_MAX, comm), MPI_SUCCESS);
        CHECK_EQ(result, std::max(other[0], other[1]));
        MPI_Op op = MPI_OP_NULL;
        const int commutes = time % 2;
        MPI_Op_create(functions[commutes], commutes, &op);
        CHECK_EQ(ORTHO_Allreduce(&mine, &result, 1, MPI_INT, op, comm), MPI_SUCCESS);
        // In the order of the sources without commuting.
        CHECK_EQ(result, commutes != 0 ? other[0] + other[1] : 10 * other[1] + other[0]);
        MPI_Op_free(&op);
    }
    MPI_Comm_free(&comm);
}

/// Only the root changes, and with it on which processes the other arguments count.
void roots_change(Form form)
{
    MPI_Comm comm = make_ring();
    const int p = test::size();
    const int behind = (test::rank() + p - 1) % p;
    const int ahead = (test::rank() + 1) % p;
    const auto is_next_to = [&](int root) { return root == behind || root == ahead; };
    for (int time = 0; time < 3 * p; ++time) {
        const int root = time % p;
        const bool is_root = test::rank() == root;
        MPI_Datatype const at_root = is_root ? MPI_INT : MPI_DATATYPE_NULL;
        MPI_Datatype const next_to_it = is_next_to(root) ? MPI_INT : MPI_DATATYPE_NULL;
        const int mine = 100 * time + test::rank();
        int all[2] = {-1, -1};
        int sent = mine;
        ORTHO_Request request = ORTHO_REQUEST_NULL;
        if (form == Form::blocking) {
            CHECK_OK(ORTHO_Gather(&mine, 1, next_to_it, all, 1, at_root, root, comm));
            CHECK_OK(ORTHO_Bcast(&sent, 1, MPI_INT, root, comm));
        } else {
            CHECK_OK(ORTHO_Igather(&mine, 1, next_to_it, all, 1, at_root, root, comm, &request));
            CHECK_OK(ORTHO_Wait(&request, MPI_STATUS_IGNORE));
            CHECK_OK(ORTHO_Ibcast(&sent, 1, MPI_INT, root, comm, &request));
            CHECK_OK(ORTHO_Wait(&request, MPI_STATUS_IGNORE));
        }
        CHECK_EQ(all[0], is_root ? 100 * time + behind : -1);
        CHECK_EQ(all[1], is_root ? 100 * time + ahead : -1);
        CHECK_EQ(sent, is_next_to(root) && !is_root ? 100 * time + root : mine);
    }
    MPI_Comm_free(&comm);
}

/// Nothing is read of the blocks that no neighbor has, and the same call comes again whatever is there.
/// `moves`: other buffers each time, so that a call becomes another one.
void gaps_between(Form form, bool moves)
{
    constexpr int times = 80;
    MPI_Comm row = test::ring(false);
    const int p = test::size();
    const int sources[] = {test::rank() - 1, test::rank(), test::rank() + 1 < p ? test::rank() + 1 : -1};
    const bool sends_to[] = {test::rank() + 1 < p, true, test::rank() > 0};
    static int all_sent[times][3];
    static int all_received[times][3];
    for (int time = 0; time < times; ++time) {
        int* const sent = all_sent[moves ? time : 0];
        int* const received = all_received[moves ? time : 0];
        int counts[2][3];
        int places[2][3];
        MPI_Aint bytes[2][3];
        MPI_Datatype types[2][3];
        for (int i = 0; i < 3; ++i) {
            sent[i] = 100 * time + 10 * test::rank() + i;
            received[i] = -1;
            const bool has[] = {sends_to[i], sources[i] >= 0};
            for (int side = 0; side < 2; ++side) {
                counts[side][i] = has[side] ? 1 : -1 - time;
                places[side][i] = has[side] ? i : -7;
                bytes[side][i] = has[side] ? i * MPI_Aint{sizeof(int)} : -7;
                types[side][i] = has[side] ? MPI_INT : MPI_DATATYPE_NULL;
            }
        }
        ORTHO_Request request = ORTHO_REQUEST_NULL;
        if (form == Form::blocking && time % 2 == 0) {
            CHECK_OK(ORTHO_Alltoallv(sent, counts[0], places[0], MPI_INT, received, counts[1], places[1],
                                     MPI_INT, row));
        } else if (form == Form::blocking) {
            CHECK_OK(ORTHO_Alltoallw(sent, counts[0], bytes[0], types[0], received, counts[1], bytes[1],
                                     types[1], row));
        } else {
            CHECK_OK(time % 2 == 0 ? ORTHO_Ialltoallv(sent, counts[0], places[0], MPI_INT, received,
                                                      counts[1], places[1], MPI_INT, row, &request)
                                   : ORTHO_Ialltoallw(sent, counts[0], bytes[0], types[0], received,
                                                      counts[1], bytes[1], types[1], row, &request));
            // For a gap the explanation would tell a negative number.
            CHECK(test::explanation(request).find(" to 1 MPI_INT") == std::string::npos);
            CHECK_OK(ORTHO_Wait(&request, MPI_STATUS_IGNORE));
        }
        for (int i = 0; i < 3; ++i)
            CHECK_EQ(received[i], sources[i] < 0 ? -1 : 100 * time + 10 * sources[i] + i);
    }
    MPI_Comm_free(&row);
}

} // namespace

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    test::return_errors(MPI_COMM_NULL);
    for (const Form form : {Form::blocking, Form::nonblocking}) {
        counts_change(form);
        types_change(form);
        communicators_change(form);
        mistakes_between(form);
        roots_change(form);
        for (const bool moves : {false, true}) gaps_between(form, moves);
    }
    operators_change();
    many_under_way();
    freed_under_way();
    kinds_of_fortran();
    return test::finish();
}
