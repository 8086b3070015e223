// SPDX-License-Identifier: BSD-3-Clause
// Messages through shared memory: each kind of call, in each form, against what must have come.

#include "shared.hpp"

namespace ortho_shared_test {

namespace {

/// n ints with a stride at an address.
MPI_Datatype absolute(const int* address, int n, int stride)
{
    test::Type vector;
    MPI_Type_vector(n, 1, stride, MPI_INT, &vector);
    MPI_Aint place = 0;
    MPI_Get_address(address, &place);
    return test::committed(MPI_Type_create_hindexed_block, 1, 1, &place, MPI_Datatype(vector));
}

void at_the_bottom(test::Session& session, const Torus& torus, int seed, int n)
{
    const int t = torus.slots();
    auto buffers = std::make_shared<test::Buffers>(empty(2 * t * n), empty(3 * t * n), empty(3 * t * n),
                                                   "Alltoallw at MPI_BOTTOM");
    buffers->rebind = test::Buffers::Rebind::never;
    std::vector<MPI_Datatype> out, in;
    for (int i = 0; i < t; ++i) {
        out.push_back(absolute(buffers->send.address() + i * n * 2, n, 2));
        in.push_back(absolute(buffers->receive.address() + i * n * 3, n, 3));
        for (int k = 0; k < n; ++k) {
            buffers->send[(i * n + k) * 2] = content(seed, torus.me(), i, k);
            buffers->expected[(i * n + k) * 3] = content(seed, torus.source(i), i, k);
        }
    }
    const Ints ones(at(t), 1);
    const std::vector<MPI_Aint> zeros(at(t), 0);
    session.call(ORTHO_Alltoallw, ORTHO_Ialltoallw, ORTHO_Alltoallw_init, buffers, MPI_BOTTOM, ones.data(),
                 zeros.data(), out.data(), MPI_BOTTOM, ones.data(), zeros.data(), in.data(), torus.comm);
    for (auto* const types : {&out, &in})
        for (MPI_Datatype& type : *types) MPI_Type_free(&type);
}

} // namespace

void alltoall(const Torus& torus, Form form, int seed, int n)
{
    Pending operation(torus, seed, n);
    fill(operation.send, torus, seed, n);
    const auto buffers = std::make_shared<test::Buffers>(operation.send, operation.receive,
                                                         operation.wanted(), "Alltoall");
    test::Session session([=] { return form; });
    session.call(ORTHO_Alltoall, ORTHO_Ialltoall, ORTHO_Alltoall_init, buffers, buffers->send.address(), n,
                 MPI_INT, buffers->receive.address(), n, MPI_INT, torus.comm);
    session.complete();
}

void any_call(const Torus& torus, int kind, Form form, int seed, int n, Random& local)
{
    Random random(at(seed));
    const test::Reductions reductions;
    test::Session session([=] { return form; }, seed % 2 == 0);
    if (kind == test::kinds_of_calls)
        at_the_bottom(session, torus, seed, std::max(1, n));
    else
        test::any_call(session, {torus.graph, torus.comm, torus.me(), n}, {random, local}, kind, reductions,
                       {});
    session.complete();
}

} // namespace ortho_shared_test
