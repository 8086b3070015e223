// SPDX-License-Identifier: BSD-3-Clause
// ORTHO_Ghosts_init, ORTHO_Ghosts_reduce_init.

#include <mpi.h>

#include <algorithm>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "agree/on_comm.hpp"
#include "indexmap/ghost_exchange.hpp"
#include "indexmap/ghost_reduction.hpp"
#include "indexmap/index_map.hpp"
#include "mpi/argument_copies.hpp"
#include "mpi/error_handling.hpp"
#include "mpi/operator.hpp"
#include "request/request.hpp"
#include "staging/staging.hpp"
#include "topology/agreement.hpp"
#include "topology/graph.hpp"

namespace {

using namespace ortho;
using base::ErrorKind;
using base::require;
using indexmap::GhostExchange;
using indexmap::GhostReduction;
using indexmap::GhostSide;
using indexmap::IndexMap;
using indexmap::Shared;

/// The arguments of a call.
struct GhostArguments {
    const char* function;
    int nfields;
    const void* const* owned;
    const void* const* ghosts;
    const MPI_Datatype* elements;
    bool reduces;
    MPI_Op op;
    const ORTHO_Request* request;

    void check(const IndexMap& map) const;
    /// Owned elements of all fields, then ghosts of all fields.
    call::Bases bases() const;
};

void check_arrays(int nfields, const void* const list[], const char* name, MPI_Count elements,
                  const MPI_Datatype types[])
{
    for (int f = 0; f < nfields; ++f) {
        require(list[f] != nullptr || elements == 0 || (types != nullptr && !mpi::is_named(types[f])),
                ErrorKind::buffer, name, name, "[", f, "] is a null pointer, and there are ", elements,
                " elements");
        require(list[f] != MPI_IN_PLACE, ErrorKind::buffer, name, name, "[", f, "] is MPI_IN_PLACE");
    }
}

/// A message has elements of all fields: they lie in the memory of one device, or all with the host.
void check_homes(int nfields, const void* const list[], const char* name)
{
    if (!memory::any_driver()) return;
    for (int f = 1; f < nfields; ++f)
        require(list[f] == nullptr || list[0] == nullptr ||
                    memory::home_of(list[f]) == memory::home_of(list[0]),
                ErrorKind::buffer, name, name, "[", f, "] and ", name,
                "[0] lie in different kinds of memory, or ", "on different devices");
}

void GhostArguments::check(const IndexMap& map) const
{
    require(nfields >= 1, ErrorKind::count, "nfields", "nfields = ", nfields, " is not a positive number");
    mpi::require_result(owned, "owned");
    mpi::require_result(ghosts, "ghosts");
    mpi::require_result(elements, "elements");
    mpi::require_result(request, "r");
    for (int f = 0; f < nfields; ++f) {
        require(elements[f] != MPI_DATATYPE_NULL, ErrorKind::type, "elements", "elements[", f,
                "] is MPI_DATATYPE_NULL");
        mpi::require_committed(elements[f], "elements");
    }
    check_arrays(nfields, owned, "owned", map.owned(), elements);
    check_arrays(nfields, ghosts, "ghosts", map.ghosts(), elements);
    check_homes(nfields, owned, "owned");
    check_homes(nfields, ghosts, "ghosts");
    if (!reduces) return;
    require(op != MPI_OP_NULL, ErrorKind::op, "op", "op is MPI_OP_NULL");
    if (op == MPI_REPLACE) return;
    for (int f = 0; f < nfields; ++f) mpi::require_operator(op, indexmap::numbers_in(elements[f], op).type);
    require(mpi::commutes(op), ErrorKind::op, "op", "op does not commute");
}

call::Bases GhostArguments::bases() const
{
    call::Bases result;
    for (int f = 0; f < nfields; ++f) result.push_back(const_cast<void*>(owned[f]));
    for (int f = 0; f < nfields; ++f) result.push_back(const_cast<void*>(ghosts[f]));
    return result;
}

/// The arguments are right everywhere, and all processes have as many fields, of elements of one size each.
/// Collective.
void check_on_all(topology::Graph& graph, const GhostArguments& arguments, const IndexMap& map)
{
    agree::Ballot ballot;
    agree::AllEqual fields(ballot);
    agree::SameList elements(ballot);
    const topology::Checked checked(ballot, [&] {
        arguments.check(map);
        fields.say(arguments.nfields);
        std::vector<int> sizes;
        for (int f = 0; f < arguments.nfields; ++f)
            sizes.push_back(static_cast<int>(mpi::measure(arguments.elements[f]).size));
        elements.say(sizes);
    });
    graph.hold(ballot);
    if (!checked.has_failed_anywhere() && fields.holds() && elements.holds()) return;
    // Only what is wrong may take another communicator, which is made together.
    MPI_Comm const comm = graph.collectives();
    checked.require(comm);
    const long long number[] = {arguments.nfields};
    if (const auto differs = agree::find_difference(comm, number))
        base::fail(ErrorKind::mismatch, "nfields", "nfields is ", differs->on_rank_0, " on rank 0, and ",
                   differs->there, " on rank ", differs->rank);
    std::vector<long long> sizes;
    for (int f = 0; f < arguments.nfields; ++f) sizes.push_back(mpi::measure(arguments.elements[f]).size);
    if (const auto differs = agree::find_difference(comm, sizes))
        base::fail(ErrorKind::mismatch, "elements", "elements[", differs->index, "] has ", differs->on_rank_0,
                   " bytes on rank 0, and ", differs->there, " on rank ", differs->rank);
}

/// Datatypes of fields, which the user may free.
struct ElementTypes {
    std::vector<MPI_Datatype> of_fields;
    mpi::ArgumentCopies kept;

    ElementTypes(int fields, const MPI_Datatype types[]) : of_fields(types, types + fields)
    {
        for (MPI_Datatype& type : of_fields) kept.keep_type(type);
    }
    std::size_t number() const { return of_fields.size(); }
};

/// An exchange of ghosts: the engine's, and a reduction behind it if they go to their owners.
class GhostsTask final : public GhostExchange {
public:
    GhostsTask(std::unique_ptr<request::Task> exchange, std::shared_ptr<const IndexMap> map,
               std::unique_ptr<ElementTypes> elements, std::unique_ptr<GhostReduction> reduction,
               const call::Bases& bases)
        : GhostExchange(std::move(exchange), reduction != nullptr),
          map_(std::move(map)),
          elements_(std::move(elements)),
          reduction_(std::move(reduction)),
          owned_(bases.begin(), bases.begin() + std::ssize(elements_->of_fields))
    {}
    /// The exchange uses the map's graph and the element types.
    ~GhostsTask() override { drop_exchange(); }

    void rebind_buffers(const void*, void*) override
    {
        base::fail(ErrorKind::request, "request",
                   "request is an exchange of ghosts, which gets other arrays by ORTHO_Ghosts_rebind");
    }
    void rebind_ghosts(std::span<void* const> owned, std::span<void* const> ghosts) override
    {
        require(owned.size() == elements_->number(), ErrorKind::arg, "nfields", "nfields = ", owned.size(),
                " of an exchange of ", elements_->number(), " fields");
        const MPI_Datatype* const types = elements_->of_fields.data();
        const int n = static_cast<int>(owned.size());
        check_arrays(n, owned.data(), "owned", map_->owned(), types);
        check_arrays(n, ghosts.data(), "ghosts", map_->ghosts(), types);
        check_homes(n, owned.data(), "owned");
        check_homes(n, ghosts.data(), "ghosts");
        call::Bases bases(owned.begin(), owned.end());
        bases.insert(bases.end(), ghosts.begin(), ghosts.end());
        if (reduction_) bases.push_back(reduction_->memory());
        rebind_exchange(bases);
        owned_.assign(owned.begin(), owned.end());
        staging_.reset();
    }

private:
    void end() override
    {
        if (!staging_ && memory::any_driver() && std::ranges::any_of(owned_, memory::home_of))
            staging_ = stage();
        if (!staging_) return reduction_->reduce(owned_);
        staging_->fetch_now();
        std::vector<void*> owned = owned_;
        transport::BoundDatatypes none;
        for (std::size_t f = 0; f < owned.size(); ++f)
            owned[f] =
                staging_->place({schedule::Buffer::receive, static_cast<int>(f)}, {owned[f]}, none).address;
        reduction_->reduce(owned);
        staging_->store_now();
    }
    /// Host memory for owned elements that lie on a device and have copies elsewhere; null if there are none.
    std::unique_ptr<staging::Staging> stage() const
    {
        std::vector<MPI_Count> places;
        for (const Shared& holder : map_->holders())
            places.insert(places.end(), holder.places.begin(), holder.places.end());
        std::ranges::sort(places);
        places.erase(std::unique(places.begin(), places.end()), places.end());
        std::vector<mpi::Datatype> types;
        std::vector<staging::StagedBlock> blocks;
        for (std::size_t f = 0; f < owned_.size(); ++f) {
            types.push_back(indexmap::elements_at(places, elements_->of_fields[f]));
            blocks.push_back({{schedule::Buffer::receive, static_cast<int>(f)},
                              static_cast<int>(f),
                              {owned_[f], places.empty() ? 0 : 1, types.back().get()},
                              true,
                              true,
                              true});
        }
        return staging::Staging::of(blocks);
    }

    std::shared_ptr<const IndexMap> map_;
    std::unique_ptr<ElementTypes> elements_;
    std::unique_ptr<GhostReduction> reduction_; ///< null if ghosts are filled
    std::vector<void*> owned_;
    std::unique_ptr<staging::Staging> staging_; ///< of owned elements that are reduced on the host
};

void add(GhostSide& side, const std::vector<Shared>& partners, std::size_t first_base,
         const ElementTypes& elements)
{
    for (const Shared& partner : partners) {
        side.add_partner();
        for (std::size_t f = 0; f < elements.number(); ++f)
            side.add(first_base + f, 0, indexmap::elements_at(partner.places, elements.of_fields[f]));
    }
}

/// Where holders' ghosts come to be reduced.
void add_rows(GhostSide& side, const std::vector<Shared>& holders, std::size_t base,
              const ElementTypes& elements, const GhostReduction& reduction)
{
    for (std::size_t h = 0; h < holders.size(); ++h) {
        side.add_partner();
        for (std::size_t f = 0; f < elements.number(); ++f)
            side.add(base, reduction.offset(h, f),
                     mpi::Datatype::row(std::ssize(holders[h].places), elements.of_fields[f]));
    }
}

/// Have some fields elements in common?  Then other arrays may not.
bool fields_overlap(const GhostArguments& arguments, const IndexMap& map)
{
    std::vector<std::pair<const std::byte*, const std::byte*>> fields;
    for (int f = 0; f < arguments.nfields; ++f) {
        const mpi::Span span = mpi::span_of(mpi::measure(arguments.elements[f]), map.owned());
        const auto* const owned = static_cast<const std::byte*>(arguments.owned[f]);
        fields.emplace_back(owned + span.begin, owned + span.end);
    }
    std::ranges::sort(fields);
    return std::ranges::adjacent_find(
               fields, [](const auto& a, const auto& b) { return b.first < a.second; }) != fields.end();
}

ORTHO_Request make_request(const GhostArguments& arguments, const std::shared_ptr<IndexMap>& map,
                           MPI_Info info)
{
    const auto graph = topology::attached_graph(map->graph(arguments.reduces));
    check_on_all(*graph, arguments, *map);

    auto elements = std::make_unique<ElementTypes>(arguments.nfields, arguments.elements);
    const std::size_t n = elements->number();
    call::Bases bases = arguments.bases();
    std::unique_ptr<GhostReduction> reduction;
    const auto blocks = std::make_shared<indexmap::GhostBlocks>();
    if (arguments.reduces) {
        reduction = std::make_unique<GhostReduction>(map, elements->of_fields, arguments.op);
        bases.push_back(reduction->memory());
        add(blocks->send, map->owners(), n, *elements);
        add_rows(blocks->receive, map->holders(), 2 * n, *elements, *reduction);
    } else {
        add(blocks->send, map->holders(), 0, *elements);
        add(blocks->receive, map->owners(), n, *elements);
    }

    auto exchange = indexmap::prepare_exchange(
        graph, blocks, bases,
        {arguments.function, "request is no halo exchange: ORTHO_Ghosts_rebind gives it other arrays"},
        !arguments.reduces && fields_overlap(arguments, *map), info);
    return request::make_request(std::make_unique<GhostsTask>(std::move(exchange), map, std::move(elements),
                                                              std::move(reduction), bases),
                                 true);
}

int ghosts_init(const GhostArguments& arguments, ORTHO_Index_map handle, MPI_Info info,
                ORTHO_Request* request)
{
    const std::shared_ptr<IndexMap> map = indexmap::find_map(handle);
    MPI_Comm const comm = map ? map->graph(false) : MPI_COMM_SELF;
    if (map && arguments.reduces) {
        const int code = map->make_graph(arguments.function, comm, true, MPI_INFO_NULL);
        if (code != MPI_SUCCESS) return code;
    }
    return mpi::guard(arguments.function, comm, [&] {
        static_cast<void>(indexmap::map_of(handle));
        *request = make_request(arguments, map, info);
    });
}

} // namespace

extern "C" {

int ORTHO_Ghosts_init(int nfields, const void* const owned[], void* const ghosts[],
                      const MPI_Datatype elements[], ORTHO_Index_map map, MPI_Info info, ORTHO_Request* r)
{
    return ghosts_init({"ORTHO_Ghosts_init", nfields, owned, ghosts, elements, false, MPI_OP_NULL, r}, map,
                       info, r);
}

int ORTHO_Ghosts_reduce_init(int nfields, const void* const ghosts[], void* const owned[],
                             const MPI_Datatype elements[], MPI_Op op, ORTHO_Index_map map, MPI_Info info,
                             ORTHO_Request* r)
{
    return ghosts_init({"ORTHO_Ghosts_reduce_init", nfields, owned, ghosts, elements, true, op, r}, map, info,
                       r);
}

} // extern "C"
