// SPDX-License-Identifier: BSD-3-Clause
// Index maps of Fortran.  An exchange of their ghosts is a halo: of arrays whose elements are owned ones,
// then ghosts.
#include <algorithm>
#include <string>
#include <vector>

#include "fortran/field.hpp"
#include "fortran/halo.hpp"

namespace ortho::fortran {

/// type(ortho_index_map).
struct IndexMap {
    ORTHO_Index_map handle;
    std::size_t owned, ghosts;
};

namespace {

// --- Maps -------------------------------------------------------------------------------------------

/// ORTHO_Index_map_create, _global, and _ids: `owners` and `ids` are null where the call has none.
template <class Number>
void create_map(const char* routine, const Number* nowned, const Number* nghosts, const CFI_cdesc_t* owners,
                const CFI_cdesc_t* places, const MPI_Fint* comm, const MPI_Fint* info, IndexMap* map,
                MPI_Fint* ierror, const CFI_cdesc_t* ids = nullptr)
{
    *map = {ORTHO_INDEX_MAP_NULL, static_cast<std::size_t>(*nowned), static_cast<std::size_t>(*nghosts)};
    const MPI_Comm c_comm = MPI_Comm_f2c(*comm);
    answer(routine, c_comm, ierror, [&] {
        std::vector<int> ranks;
        std::vector<MPI_Count> elements, own;
        const auto call = [&](MPI_Count n) {
            MPI_Info const c_info = info_of(info);
            const MPI_Count* const which = elements.data();
            if (ids != nullptr)
                return ORTHO_Index_map_create_ids(n, own.data(), *nghosts, which, c_comm, c_info,
                                                  &map->handle);
            if (owners == nullptr)
                return ORTHO_Index_map_create_global(n, *nghosts, which, c_comm, c_info, &map->handle);
            return ORTHO_Index_map_create(n, *nghosts, ranks.data(), which, c_comm, c_info, &map->handle);
        };
        try {
            if (owners != nullptr) ranks = list_of<int>(*owners, "owners", *nghosts, 0);
            if (ids != nullptr) own = list_of<MPI_Count>(*ids, "ids", *nowned, 0);
            const char* const name = ids != nullptr ? "ghost_ids" : owners == nullptr ? "numbers" : "indices";
            elements = list_of<MPI_Count>(*places, name, *nghosts, ids == nullptr ? 1 : 0);
        } catch (const base::Error& error) {
            refuse_together(c_comm, error, [&] { call(-1); });
        }
        return call(*nowned);
    });
}

template <class Number>
void find_holders(const ORTHO_Index_map* map, const Number* element, const MPI_Fint* maxn,
                  const CFI_cdesc_t* ranks, const CFI_cdesc_t* ghosts, MPI_Fint* n, MPI_Fint* ierror)
{
    answer("ortho_index_map_holders", MPI_COMM_SELF, ierror, [&] {
        return ORTHO_Index_map_holders(*map, *element - 1, *maxn, GotList<int>(ranks, "ranks", *maxn, 0),
                                       GotList<MPI_Count>(ghosts, "ghosts", *maxn, 1), n);
    });
}

// --- Arrays of their elements ----------------------------------------------------------------------

/// The elements of a map in an array.  The dimensions below the one that counts elements are inside of a piece.
/// There is a piece for each place in the dimensions above it, which is a field of the library's: all processes
/// have as many, however their arrays lie in memory.
struct Pieces {
    Element element;                     ///< the element of a piece
    std::size_t bytes;                   ///< the size of its data
    std::size_t stride;                  ///< from one element to the next; bytes if there are no two
    std::vector<std::ptrdiff_t> offsets; ///< of the pieces
    std::size_t n;                       ///< elements
    int along;                           ///< the dimension, from 0, that counts them
    std::vector<std::ptrdiff_t> inside;  ///< strides inside of a piece
};

/// The dimension of the array, from 0, that counts elements: the last one unless the field says otherwise.
int dimension_of(const Field& field, const std::string& name)
{
    base::require(field.rank > 0, ErrorKind::dims, "fields", name, " is no array");
    base::require(field.nlower < 0 && field.nupper < 0, ErrorKind::arg, "fields", name,
                  " has ghost widths, but ghosts are those of the map");
    base::require(field.nkinds == 0 && field.nsigns == 0 && field.has_value == 0 && field.nlocation == 0 &&
                      field.kind == ORTHO_SCALAR,
                  ErrorKind::arg, "fields", name,
                  " has a boundary, a location or a kind, as fields on grids have");
    if (field.ndivided < 0) return field.rank - 1;
    const int* const end = field.divided + field.ndivided;
    const int* const along = std::find(field.divided, end, 1);
    base::require(field.ndivided <= field.rank && along != end &&
                      std::count(field.divided, end, 0) == field.ndivided - 1,
                  ErrorKind::dims, "fields", name,
                  ": divided must be 1 for the dimension that counts elements, and else 0");
    return static_cast<int>(along - field.divided);
}

Pieces pieces_of(const Field& field, const std::string& name, bool reduces)
{
    require_array(field, name);
    const int along = dimension_of(field, name);
    Pieces pieces{Element::of(field, reduces), field.element, 0, {0}, field.extents[along], along, {}};
    base::require(pieces.element.type != MPI_DATATYPE_NULL, ErrorKind::type, "fields", name,
                  " has the datatype MPI_DATATYPE_NULL");
    MPI_Aint lb = 0, extent = 0;
    PMPI_Type_get_extent(pieces.element.type, &lb, &extent);
    if (extent != static_cast<MPI_Aint>(pieces.bytes)) pieces.element = pieces.element.spaced(pieces.bytes);
    for (int k = 0; k < field.rank; ++k) {
        const std::size_t n = field.extents[k];
        const auto stride = static_cast<std::ptrdiff_t>(field.strides[k]);
        if (k == along || n == 1) continue;
        if (n == 0) { // whatever the other dimensions are
            pieces.element = pieces.element.row(0);
            pieces.stride = pieces.bytes = 0;
            pieces.offsets = {0};
            pieces.inside = {};
            return pieces;
        }
        if (k < along) {
            const bool in_row = pieces.inside.empty() && field.strides[k] == pieces.bytes;
            pieces.element = in_row || pieces.n == 0 ? pieces.element.row(n)
                                                     : pieces.element.strided(n, stride);
            if (!in_row && pieces.n > 0) pieces.inside.push_back(stride);
            pieces.bytes *= n;
            continue;
        }
        std::vector<std::ptrdiff_t> offsets;
        for (std::size_t i = 0; i < n; ++i)
            for (const std::ptrdiff_t offset : pieces.offsets)
                offsets.push_back(offset + static_cast<std::ptrdiff_t>(i) * stride);
        pieces.offsets = offsets;
    }
    pieces.stride = pieces.n > 1 ? field.strides[along] : pieces.bytes;
    base::require(static_cast<std::ptrdiff_t>(pieces.stride) > 0 || pieces.bytes == 0, ErrorKind::arg,
                  "fields", name, " has its elements in reverse order");
    base::require(!reduces || (pieces.stride == pieces.bytes && pieces.inside.empty()), ErrorKind::arg,
                  "fields", name, " has elements of ", pieces.bytes, " bytes, ", pieces.stride,
                  " bytes from one to the next: those that are reduced must have no gaps");
    return pieces;
}

/// The fields of an exchange as the library has them.
struct GhostFields {
    std::vector<Element> kept;
    std::vector<MPI_Datatype> types;
    std::vector<void*> owned, ghosts;
};

void require_elements(const Pieces& pieces, const std::string& name, std::size_t n, const IndexMap& map)
{
    base::require(pieces.n == n, ErrorKind::arg, "fields", name, " has ", pieces.n, " elements in dimension ",
                  pieces.along, ", but the map has ", map.owned, " owned ones and ", map.ghosts,
                  " ghosts; divided of ortho_field says which dimension counts elements");
}

/// Adds field number f to those of the library.  `ghosts`: their array; null if they lie behind owned
/// elements.
void add_field(const IndexMap& map, const Field& field, const Field* ghosts, std::size_t f,
               std::size_t nfields, bool reduces, Arrays& arrays, GhostFields& made)
{
    const std::string name = "field " + std::to_string(f + 1);
    Pieces owned = pieces_of(field, name, reduces);
    require_elements(owned, name, ghosts == nullptr ? map.owned + map.ghosts : map.owned, map);
    std::vector<std::ptrdiff_t> offsets = owned.offsets;
    if (ghosts == nullptr) {
        for (std::ptrdiff_t& offset : offsets)
            offset += static_cast<std::ptrdiff_t>(map.owned * owned.stride);
    } else {
        const std::string its_name = "the array of ghosts of " + name;
        Pieces pieces = pieces_of(*ghosts, its_name, reduces);
        require_elements(pieces, its_name, map.ghosts, map);
        base::require(pieces.bytes == owned.bytes && pieces.offsets.size() == owned.offsets.size() &&
                          ghosts->code == field.code &&
                          (pieces.n <= 1 || owned.n <= 1 || pieces.stride == owned.stride) &&
                          (pieces.n == 0 || owned.n == 0 || pieces.inside == owned.inside),
                      ErrorKind::arg, "ghosts", its_name, " has other elements than the field");
        offsets = pieces.offsets;
        if (owned.n <= 1 && pieces.n > 0) {
            owned.element = std::move(pieces.element);
            owned.stride = pieces.stride;
            owned.inside = pieces.inside;
        }
    }
    if (owned.stride != owned.bytes || !owned.inside.empty())
        owned.element = owned.element.spaced(owned.stride);
    for (std::size_t i = 0; i < offsets.size(); ++i) {
        arrays.owned.push_back({f, owned.offsets[i]});
        arrays.ghosts.push_back({ghosts == nullptr ? f : nfields + f, offsets[i]});
        made.types.push_back(owned.element.type);
    }
    made.kept.push_back(std::move(owned.element));
}

GhostFields describe_ghosts(const IndexMap& map, const std::vector<const Field*>& fields,
                            const std::vector<const Field*>& ghosts, bool reduces, Arrays& arrays)
{
    constants();
    base::require(ghosts.empty() || ghosts.size() == fields.size(), ErrorKind::arg, "ghosts", "there are ",
                  fields.size(), " fields, but arrays for the ghosts of ", ghosts.size());
    GhostFields made;
    for (std::size_t f = 0; f < fields.size(); ++f)
        add_field(map, *fields[f], ghosts.empty() ? nullptr : ghosts[f], f, fields.size(), reduces, arrays,
                  made);
    std::vector<void*> bases;
    for (const auto* const list : {&fields, &ghosts})
        for (const Field* const field : *list) {
            arrays.arrays.push_back(array_of(*field));
            bases.push_back(field->base);
        }
    made.owned = addresses_of(arrays.owned, bases);
    made.ghosts = addresses_of(arrays.ghosts, bases);
    return made;
}

/// ORTHO_Ghosts_init, or with an operator ORTHO_Ghosts_reduce_init.
int init_ghosts(int n, const GhostFields& fields, const MPI_Fint* op, const IndexMap& map,
                const MPI_Fint* info, ORTHO_Request* request)
{
    if (op == nullptr)
        return ORTHO_Ghosts_init(n, fields.owned.data(), fields.ghosts.data(), fields.types.data(),
                                 map.handle, info_of(info), request);
    return ORTHO_Ghosts_reduce_init(n, fields.ghosts.data(), fields.owned.data(), fields.types.data(),
                                    MPI_Op_f2c(*op), map.handle, info_of(info), request);
}

void ghosts_init(const char* routine, const CFI_cdesc_t* fields, const CFI_cdesc_t* ghosts,
                 const MPI_Fint* op, const IndexMap* map, const MPI_Fint* info, Halo* halo, MPI_Fint* ierror)
{
    *halo = {ORTHO_REQUEST_NULL, nullptr};
    MPI_Comm graph = MPI_COMM_SELF;
    MPI_Fint result = MPI_SUCCESS;
    answer(routine, MPI_COMM_SELF, &result, [&] { return ORTHO_Index_map_graph(map->handle, &graph); });
    if (result == MPI_SUCCESS)
        answer(routine, graph, &result, [&] {
            TakenArrays arrays(Arrays::taken());
            GhostFields made;
            try {
                const std::vector<const Field*> theirs = ghosts == nullptr ? std::vector<const Field*>{}
                                                                           : fields_of(ghosts);
                made = describe_ghosts(*map, fields_of(fields), theirs, op != nullptr, *arrays);
            } catch (const base::Error& error) {
                refuse_together(graph, error, [&] { init_ghosts(-1, made, op, *map, info, &halo->request); });
            }
            const int n = static_cast<int>(made.types.size());
            const int code = init_ghosts(n, made, op, *map, info, &halo->request);
            if (code != MPI_SUCCESS) return code;
            arrays->watch(graph, halo->request);
            halo->arrays = arrays.release();
            return code;
        });
    if (ierror != nullptr) *ierror = result;
}

} // namespace
} // namespace ortho::fortran

using namespace ortho::fortran;

extern "C" {

void mpiortho_fortran_index_map_create(const MPI_Fint* nowned, const MPI_Fint* nghosts,
                                       const CFI_cdesc_t* owners, const CFI_cdesc_t* indices,
                                       const MPI_Fint* comm, const MPI_Fint* info, IndexMap* map,
                                       MPI_Fint* ierror)
{
    create_map("ortho_index_map_create", nowned, nghosts, owners, indices, comm, info, map, ierror);
}

void mpiortho_fortran_index_map_create_c(const MPI_Count* nowned, const MPI_Count* nghosts,
                                         const CFI_cdesc_t* owners, const CFI_cdesc_t* indices,
                                         const MPI_Fint* comm, const MPI_Fint* info, IndexMap* map,
                                         MPI_Fint* ierror)
{
    create_map("ortho_index_map_create", nowned, nghosts, owners, indices, comm, info, map, ierror);
}

void mpiortho_fortran_index_map_create_global(const MPI_Fint* nowned, const MPI_Fint* nghosts,
                                              const CFI_cdesc_t* numbers, const MPI_Fint* comm,
                                              const MPI_Fint* info, IndexMap* map, MPI_Fint* ierror)
{
    create_map("ortho_index_map_create_global", nowned, nghosts, nullptr, numbers, comm, info, map, ierror);
}

void mpiortho_fortran_index_map_create_global_c(const MPI_Count* nowned, const MPI_Count* nghosts,
                                                const CFI_cdesc_t* numbers, const MPI_Fint* comm,
                                                const MPI_Fint* info, IndexMap* map, MPI_Fint* ierror)
{
    create_map("ortho_index_map_create_global", nowned, nghosts, nullptr, numbers, comm, info, map, ierror);
}

void mpiortho_fortran_index_map_create_ids(const MPI_Fint* nowned, const CFI_cdesc_t* ids,
                                           const MPI_Fint* nghosts, const CFI_cdesc_t* ghost_ids,
                                           const MPI_Fint* comm, const MPI_Fint* info, IndexMap* map,
                                           MPI_Fint* ierror)
{
    create_map("ortho_index_map_create_ids", nowned, nghosts, nullptr, ghost_ids, comm, info, map, ierror,
               ids);
}

void mpiortho_fortran_index_map_create_ids_c(const MPI_Count* nowned, const CFI_cdesc_t* ids,
                                             const MPI_Count* nghosts, const CFI_cdesc_t* ghost_ids,
                                             const MPI_Fint* comm, const MPI_Fint* info, IndexMap* map,
                                             MPI_Fint* ierror)
{
    create_map("ortho_index_map_create_ids", nowned, nghosts, nullptr, ghost_ids, comm, info, map, ierror,
               ids);
}

void mpiortho_fortran_index_map_holders(const ORTHO_Index_map* map, const MPI_Fint* element,
                                        const MPI_Fint* maxn, const CFI_cdesc_t* ranks,
                                        const CFI_cdesc_t* ghosts, MPI_Fint* n, MPI_Fint* ierror)
{
    find_holders(map, element, maxn, ranks, ghosts, n, ierror);
}

void mpiortho_fortran_index_map_holders_c(const ORTHO_Index_map* map, const MPI_Count* element,
                                          const MPI_Fint* maxn, const CFI_cdesc_t* ranks,
                                          const CFI_cdesc_t* ghosts, MPI_Fint* n, MPI_Fint* ierror)
{
    find_holders(map, element, maxn, ranks, ghosts, n, ierror);
}

void mpiortho_fortran_ghosts_init(const CFI_cdesc_t* fields, const CFI_cdesc_t* ghosts, const IndexMap* map,
                                  const MPI_Fint* info, Halo* halo, MPI_Fint* ierror)
{
    ghosts_init("ortho_ghosts_init", fields, ghosts, nullptr, map, info, halo, ierror);
}

void mpiortho_fortran_ghosts_reduce_init(const CFI_cdesc_t* fields, const CFI_cdesc_t* ghosts,
                                         const MPI_Fint* op, const IndexMap* map, const MPI_Fint* info,
                                         Halo* halo, MPI_Fint* ierror)
{
    ghosts_init("ortho_ghosts_reduce_init", fields, ghosts, op, map, info, halo, ierror);
}

} // extern "C"
