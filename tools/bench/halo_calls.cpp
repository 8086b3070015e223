// SPDX-License-Identifier: BSD-3-Clause
#include "bench/halo_calls.hpp"

#include <cstddef>

#include "base/index.hpp"

namespace bench {

using ortho::at;

Contestant alltoallw_form(const std::string& form, const Neighbors& n, Ghosts& ghosts, MPI_Comm comm,
                          std::vector<MPI_Request>& persistent)
{
    if (form == "blocking")
        return {"MPI", form, "", [&n, &ghosts, comm] {
                    for (int f = 0; f < ghosts.fields(); ++f)
                        MPI_Neighbor_alltoallw(ghosts.field(f), n.ones.data(), n.zeros.data(), n.send.data(),
                                               ghosts.field(f), n.ones.data(), n.zeros.data(),
                                               n.receive.data(), comm);
                }};
    if (form == "nonblocking")
        return {"MPI", form, "", [&n, &ghosts, comm] {
                    std::vector<MPI_Request> requests(at(ghosts.fields()));
                    for (int f = 0; f < ghosts.fields(); ++f)
                        MPI_Ineighbor_alltoallw(ghosts.field(f), n.ones.data(), n.zeros.data(), n.send.data(),
                                                ghosts.field(f), n.ones.data(), n.zeros.data(),
                                                n.receive.data(), comm, &requests[at(f)]);
                    MPI_Waitall(ghosts.fields(), requests.data(), MPI_STATUSES_IGNORE);
                }};
    persistent.resize(at(ghosts.fields()));
#ifdef ORTHO_MPI_PERSISTENT
    for (int f = 0; f < ghosts.fields(); ++f)
        MPI_Neighbor_alltoallw_init(ghosts.field(f), n.ones.data(), n.zeros.data(), n.send.data(),
                                    ghosts.field(f), n.ones.data(), n.zeros.data(), n.receive.data(), comm,
                                    MPI_INFO_NULL, &persistent[at(f)]);
#endif
    return {"MPI", form, "", [&persistent] {
                MPI_Startall(static_cast<int>(persistent.size()), persistent.data());
                MPI_Waitall(static_cast<int>(persistent.size()), persistent.data(), MPI_STATUSES_IGNORE);
            }};
}

const std::vector<std::string>& alltoallw_forms()
{
    static const std::vector<std::string> forms = {
        "blocking",
        "nonblocking",
#ifdef ORTHO_MPI_PERSISTENT
        "persistent",
#endif
    };
    return forms;
}

void start_messages(const Exchange& exchange, const Neighbors& n, Ghosts& ghosts, MPI_Comm comm,
                    std::vector<MPI_Request>& requests)
{
    requests.clear();
    const auto next = [&] { return &requests.emplace_back(MPI_REQUEST_NULL); };
    requests.reserve((n.send.size() + n.receive.size()) * at(ghosts.fields()));
    const int stencil = exchange.stencil_size();
    for (int f = 0; f < ghosts.fields(); ++f)
        for (std::size_t i = 0; i < n.receive.size(); ++i)
            MPI_Irecv(ghosts.field(f), 1, n.receive[i], exchange.sources[i],
                      f * stencil + exchange.source_offsets[i], comm, next());
    for (int f = 0; f < ghosts.fields(); ++f)
        for (std::size_t i = 0; i < n.send.size(); ++i)
            MPI_Isend(ghosts.field(f), 1, n.send[i], exchange.targets[i],
                      f * stencil + exchange.target_offsets[i], comm, next());
}

void by_messages(const Exchange& exchange, const Neighbors& n, Ghosts& ghosts, MPI_Comm comm)
{
    std::vector<MPI_Request> requests;
    start_messages(exchange, n, ghosts, comm, requests);
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
}

Faces::Faces(const Exchange& exchange, Ghosts& ghosts, MPI_Comm comm)
    : ghosts_(ghosts),
      types_(ghosts),
      comm_(comm)
{
    for (std::size_t k = 0; k < 3; ++k) {
        for (int side = 0; side < 2; ++side) {
            Point towards{};
            towards[k] = side == 0 ? -1 : 1;
            Region out = ghosts.owned(towards);
            Region in = ghosts.ghosts(towards);
            for (std::size_t before = 0; before < k; ++before)
                for (Region* region : {&out, &in}) {
                    region->first[before] = 0;
                    region->extent[before] = ghosts.whole();
                }
            steps_.push_back(
                {partner(exchange, exchange.targets, exchange.target_offsets, towards), types_.of(out),
                 partner(exchange, exchange.sources, exchange.source_offsets, towards), types_.of(in)});
        }
    }
}

void Faces::exchange()
{
    for (std::size_t phase = 0; phase < 6; phase += 2) {
        std::vector<MPI_Request> requests;
        const auto next = [&] { return &requests.emplace_back(MPI_REQUEST_NULL); };
        requests.reserve(4 * at(ghosts_.fields()));
        for (int f = 0; f < ghosts_.fields(); ++f) {
            for (std::size_t s = phase; s < phase + 2; ++s) {
                const int tag = 2 * f + static_cast<int>(s - phase);
                MPI_Irecv(ghosts_.field(f), 1, steps_[s].in, steps_[s].from, tag, comm_, next());
                MPI_Isend(ghosts_.field(f), 1, steps_[s].out, steps_[s].to, tag, comm_, next());
            }
        }
        MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    }
}

int Faces::partner(const Exchange& exchange, const std::vector<int>& ranks, const std::vector<int>& offsets,
                   const Point& wanted)
{
    for (std::size_t i = 0; i < ranks.size(); ++i)
        if (offset_of(exchange, offsets[i]) == wanted) return ranks[i];
    return MPI_PROC_NULL;
}

JoinedFaces::JoinedFaces(const Exchange& exchange, Ghosts& ghosts, MPI_Comm comm)
    : faces_(exchange, ghosts, comm),
      comm_(comm)
{
    for (const Faces::Step& step : faces_.steps())
        steps_.push_back({step.to, joined(ghosts, step.out), step.from, joined(ghosts, step.in)});
}

JoinedFaces::~JoinedFaces()
{
    for (Faces::Step& step : steps_) {
        MPI_Type_free(&step.out);
        MPI_Type_free(&step.in);
    }
}

MPI_Datatype JoinedFaces::joined(Ghosts& ghosts, MPI_Datatype face)
{
    std::vector<MPI_Aint> places;
    for (int f = 0; f < ghosts.fields(); ++f) MPI_Get_address(ghosts.field(f), &places.emplace_back());
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_create_hindexed_block(ghosts.fields(), 1, places.data(), face, &type);
    MPI_Type_commit(&type);
    return type;
}

void JoinedFaces::exchange()
{
    for (std::size_t phase = 0; phase < 6; phase += 2) {
        MPI_Request requests[4];
        int n = 0;
        for (std::size_t s = phase; s < phase + 2; ++s) {
            const int tag = static_cast<int>(s - phase);
            MPI_Irecv(MPI_BOTTOM, 1, steps_[s].in, steps_[s].from, tag, comm_, &requests[n++]);
            MPI_Isend(MPI_BOTTOM, 1, steps_[s].out, steps_[s].to, tag, comm_, &requests[n++]);
        }
        MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
    }
}

ORTHO_Request outward_halo(Ghosts& ghosts, MPI_Comm comm, MPI_Info info)
{
    const MPI_Count whole = ghosts.whole();
    const MPI_Count depth = ghosts.depth();
    const MPI_Count sizes[] = {whole, whole, whole};
    const MPI_Count depths[] = {depth, depth, depth};
    std::vector<ORTHO_Field> fields;
    std::vector<std::vector<int>> directions(at(ghosts.fields()));
    for (int f = 0; f < ghosts.fields(); ++f) {
        for (int number = 0; number < 27; ++number) {
            const Point side{number / 9 - 1, number / 3 % 3 - 1, number % 3 - 1};
            if (side != Point{} && Ghosts::moves_into(f, side))
                directions[at(f)].insert(directions[at(f)].end(), side.begin(), side.end());
        }
        ORTHO_Field field = ORTHO_FIELD_INIT;
        field.base = ghosts.field(f);
        field.element = MPI_DOUBLE;
        field.sizes = sizes;
        field.lower = field.upper = depths;
        field.ndirections = static_cast<int>(directions[at(f)].size() / 3);
        field.directions = directions[at(f)].data();
        fields.push_back(field);
    }
    ORTHO_Request request = ORTHO_REQUEST_NULL;
    ORTHO_Halo_fields_init(ghosts.fields(), fields.data(), 3, comm, info, &request);
    return request;
}

ORTHO_Request halo(Ghosts& ghosts, MPI_Comm comm, MPI_Info info, std::vector<void*> fields)
{
    for (int f = 0; f < ghosts.fields(); ++f)
        if (std::ssize(fields) == f) fields.push_back(ghosts.field(f));
    const std::vector<MPI_Datatype> elements(fields.size(), MPI_DOUBLE);
    const int sizes[] = {ghosts.whole(), ghosts.whole(), ghosts.whole()};
    const int depths[] = {ghosts.depth(), ghosts.depth(), ghosts.depth()};
    ORTHO_Request request = ORTHO_REQUEST_NULL;
    ORTHO_Halo_init(ghosts.fields(), fields.data(), elements.data(), 3, sizes, depths, depths, comm, info,
                    &request);
    return request;
}

Contestant started(ORTHO_Request& request, const std::string& algorithm)
{
    return {"mpiortho", "persistent", algorithm, [&request] {
                ORTHO_Start(&request);
                ORTHO_Wait(&request, MPI_STATUS_IGNORE);
            }};
}

Contestant run(ORTHO_Request& request, const std::string& algorithm)
{
    return {"mpiortho", "run", algorithm, [&request] { ORTHO_Run(&request, MPI_STATUS_IGNORE); }};
}

} // namespace bench
