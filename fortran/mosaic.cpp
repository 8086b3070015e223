// SPDX-License-Identifier: BSD-3-Clause
// Mosaics of Fortran.  An exchange between patches is a halo: of field 1 on all patches of the process, then of
// field 2, and so on.
#include "fortran/mosaic.hpp"

#include <deque>
#include <map>
#include <mutex>
#include <string>

#include "fortran/field.hpp"
#include "fortran/halo.hpp"

namespace ortho::fortran {
namespace {

/// The patches of this process, and the tiles in which they lie.
struct Patches {
    std::size_t d = 0;
    std::vector<MPI_Count> sizes; ///< of tiles
    std::vector<ORTHO_Patch> list;
    TakenArrays watch; ///< knows whether the communicator is still there

    /// Elements of an array on a patch, with its ghosts, in dimension k.
    MPI_Count elements(const ORTHO_Patch& patch, std::size_t k, int location, MPI_Count ghosts) const
    {
        const MPI_Count size = sizes[static_cast<std::size_t>(patch.tile) * d + k];
        const bool has_one_more = location == ORTHO_BOTH && patch.first[k] + patch.count[k] == size;
        return patch.count[k] + ghosts + (has_one_more ? 1 : 0);
    }
};
using SharedPatches = std::shared_ptr<const Patches>;

std::mutex mosaics_mutex;
auto& mosaics = *new std::map<ORTHO_Mosaic, SharedPatches>; // may outlive what is destroyed at exit

/// Null if it is no mosaic.
SharedPatches patches_of(ORTHO_Mosaic mosaic)
{
    const std::lock_guard lock(mosaics_mutex);
    const auto its = mosaics.find(mosaic);
    return its == mosaics.end() ? nullptr : its->second;
}

/// Fields as the library has them, and what they point to.
struct MosaicFields {
    struct Lists {
        Layout layout;                       ///< of the first array
        std::vector<MPI_Count> lower, upper; ///< in dimensions of the mosaic
        std::vector<void*> bases;
        std::vector<MPI_Aint> strides;
        std::vector<ORTHO_Boundary> sides;
    };
    std::deque<Lists> lists;
    std::vector<ORTHO_Mosaic_field> fields;
};

/// Adds an array of a field.  On a process without patches it is an example: its type counts, and not its size.
void add_array(MosaicFields::Lists& its, const Patches& patches, std::size_t p, const Field& first,
               const Field& field, const Layout& layout, const std::string& name)
{
    base::require(field.code == first.code && field.element == first.element &&
                      field.datatype == first.datatype && field.kind == first.kind &&
                      field.nlocation == first.nlocation &&
                      std::equal(field.location, field.location + field.nlocation, first.location) &&
                      field.nkinds == first.nkinds && field.nsigns == first.nsigns &&
                      std::equal(field.kinds, field.kinds + field.nkinds, first.kinds) &&
                      std::equal(field.signs, field.signs + field.nsigns, first.signs) &&
                      field.has_value == first.has_value && std::ranges::equal(field.value, first.value) &&
                      layout.lower == its.layout.lower && layout.upper == its.layout.upper &&
                      layout.dimension == its.layout.dimension,
                  ErrorKind::arg, "fields", name,
                  " is not like the array of the field on the first patch: fields(1) has all patches first");
    its.bases.push_back(field.base);
    its.strides.insert(its.strides.end(), layout.strides.begin(), layout.strides.end());
    if (patches.list.empty()) return;
    for (std::size_t i = 0; i < layout.sizes.size(); ++i) {
        if (layout.dimension[i] == ORTHO_UNDIVIDED) {
            base::require(layout.sizes[i] == its.layout.sizes[i], ErrorKind::arg, "fields", name, " has ",
                          layout.sizes[i], " elements in dimension ", i, ", and ", its.layout.sizes[i],
                          " on the first patch");
            continue;
        }
        const auto k = static_cast<std::size_t>(layout.dimension[i]);
        const MPI_Count wanted = patches.elements(patches.list[p], k,
                                                  field.nlocation == 0 ? ORTHO_CENTRE : field.location[k],
                                                  layout.lower[i] + layout.upper[i]);
        base::require(layout.sizes[i] == wanted, ErrorKind::arg, "fields", name, " has ", layout.sizes[i],
                      " elements in dimension ", i, ", and its patch with ghosts has ", wanted);
    }
}

MosaicFields describe(const Patches& patches, const std::vector<const Field*>& given,
                      const std::vector<int>& ghosts, const std::vector<int>& synced, bool reduces,
                      std::vector<Array>& arrays)
{
    constants();
    const std::size_t n = std::max<std::size_t>(patches.list.size(), 1);
    const int d = static_cast<int>(patches.d);
    base::require(!given.empty() && given.size() % n == 0, ErrorKind::arg, "fields", "there are ",
                  given.size(), " arrays, which are not as many on each of ", n, " patches");
    base::require(ghosts.empty() || ghosts.size() == patches.d, ErrorKind::dims, "ghosts", "ghosts has ",
                  ghosts.size(), " widths on a mosaic of ", d, " dimensions");
    for (const int f : synced)
        base::require(f >= 1 && static_cast<std::size_t>(f) <= given.size() / n, ErrorKind::arg, "sync",
                      "sync has ", f, ", which is none of ", given.size() / n, " fields");
    MosaicFields made;
    int of_kind[ORTHO_POSITION + 1] = {}; // fields that came before
    for (std::size_t f = 0; f < given.size() / n; ++f) {
        const Field& first = *given[f * n];
        base::require(first.nlocation == 0 || first.nlocation == d, ErrorKind::dims, "fields", "array ",
                      f * n + 1, " has ", first.nlocation, " locations on a mosaic of ", d, " dimensions");
        MosaicFields::Lists& its = made.lists.emplace_back();
        for (std::size_t p = 0; p < n; ++p) {
            const int number = static_cast<int>(f * n + p) + 1;
            Layout layout = layout_of(*given[f * n + p], number, ghosts, d, reduces);
            if (p == 0) its.layout = std::move(layout);
            add_array(its, patches, p, first, *given[f * n + p], p == 0 ? its.layout : layout,
                      "array " + std::to_string(number));
            arrays.push_back(array_of(*given[f * n + p]));
        }
        its.lower.resize(patches.d);
        its.upper.resize(patches.d);
        its.sides.resize(its.layout.sides.empty() ? 0 : 2 * patches.d);
        for (std::size_t i = 0; i < its.layout.dimension.size(); ++i) {
            if (its.layout.dimension[i] == ORTHO_UNDIVIDED) continue;
            its.lower[static_cast<std::size_t>(its.layout.dimension[i])] = its.layout.lower[i];
            its.upper[static_cast<std::size_t>(its.layout.dimension[i])] = its.layout.upper[i];
            if (its.sides.empty()) continue;
            for (std::size_t side = 0; side < 2; ++side)
                its.sides[2 * static_cast<std::size_t>(its.layout.dimension[i]) + side] =
                    its.layout.sides[2 * i + side];
        }
        ORTHO_Mosaic_field& field = made.fields.emplace_back(ORTHO_Mosaic_field ORTHO_MOSAIC_FIELD_INIT);
        field.bases = its.bases.data();
        field.strides = its.strides.data();
        field.element = its.layout.element.type;
        field.lower = its.lower.data();
        field.upper = its.upper.data();
        if (first.nlocation > 0) field.location = first.location;
        if (!its.sides.empty()) field.boundary = its.sides.data();
        // Components are the fields of a kind, in their order.
        field.kind = first.kind;
        if (first.kind >= ORTHO_VECTOR && first.kind <= ORTHO_POSITION) {
            const int components = first.kind == ORTHO_POSITION ? 4 : d;
            const int before = of_kind[static_cast<std::size_t>(first.kind)]++;
            field.component = before % components;
            field.group = before / components;
        }
        field.sync = std::count(synced.begin(), synced.end(), static_cast<int>(f) + 1) > 0 ? 1 : 0;
        field.ndims = static_cast<int>(its.layout.dimension.size());
        field.dimension = its.layout.dimension.data();
        field.undivided = its.layout.sizes.data();
    }
    return made;
}

void mosaic_init(const char* routine, const CFI_cdesc_t* fields, const CFI_cdesc_t* ghosts,
                 const CFI_cdesc_t* sync, const MPI_Fint* op, const ORTHO_Mosaic* mosaic,
                 const MPI_Fint* info, Halo* halo, MPI_Fint* ierror)
{
    *halo = {ORTHO_REQUEST_NULL, nullptr};
    const SharedPatches patches = patches_of(*mosaic);
    const MPI_Comm comm = patches ? patches->watch->comm : MPI_COMM_SELF;
    answer(routine, comm, ierror, [&] {
        TakenArrays arrays(Arrays::taken());
        MosaicFields made;
        const auto init = [&] {
            const int n = static_cast<int>(made.fields.size());
            if (op == nullptr)
                return ORTHO_Mosaic_halo_init(n, made.fields.data(), *mosaic, info_of(info), &halo->request);
            return ORTHO_Mosaic_reduce_init(n, made.fields.data(), MPI_Op_f2c(*op), *mosaic, info_of(info),
                                            &halo->request);
        };
        try {
            if (patches)
                made = describe(*patches, fields_of(fields), numbers_of(ghosts), numbers_of(sync),
                                op != nullptr, arrays->arrays);
        } catch (const base::Error& error) {
            refuse_together(comm, error, init);
        }
        const int code = init();
        if (code != MPI_SUCCESS) return code;
        arrays->are_examples = patches->list.empty();
        arrays->watch(comm, halo->request);
        halo->arrays = arrays.release();
        return code;
    });
}

} // namespace

int dimensions_of(ORTHO_Mosaic mosaic)
{
    const SharedPatches patches = patches_of(mosaic);
    return patches ? static_cast<int>(patches->d) : 4;
}

} // namespace ortho::fortran

using namespace ortho::fortran;

extern "C" {

void mpiortho_fortran_mosaic_create(const MPI_Fint* comm, const MPI_Fint* d, const MPI_Fint* ntiles,
                                    const CFI_cdesc_t* sizes, const MPI_Fint* ncontacts,
                                    const CFI_cdesc_t* contacts, const MPI_Fint* npatches,
                                    const CFI_cdesc_t* patches, const MPI_Fint* info, ORTHO_Mosaic* mosaic,
                                    MPI_Fint* ierror)
{
    *mosaic = ORTHO_MOSAIC_NULL;
    const MPI_Comm c_comm = MPI_Comm_f2c(*comm);
    answer("ortho_mosaic_create", c_comm, ierror, [&] {
        const auto its = std::make_shared<Patches>();
        std::vector<ORTHO_Contact> c_contacts;
        const auto create = [&] {
            return ORTHO_Mosaic_create(c_comm, *d, *ntiles, its->sizes.data(), *ncontacts, c_contacts.data(),
                                       *npatches, its->list.data(), info_of(info), mosaic);
        };
        try {
            its->sizes = Sizes(*sizes, *d, *ntiles);
            c_contacts = items_of<ORTHO_Contact>(*contacts, "contacts", *ncontacts);
            its->list = items_of<ORTHO_Patch>(*patches, "patches", *npatches);
        } catch (const ortho::base::Error& error) {
            refuse_together(c_comm, error, create);
        }
        const int code = create();
        if (code != MPI_SUCCESS) return code;
        its->d = static_cast<std::size_t>(*d);
        its->watch.reset(Arrays::taken());
        its->watch->watch(c_comm, ORTHO_REQUEST_NULL);
        const std::lock_guard lock(mosaics_mutex);
        mosaics[*mosaic] = its;
        return code;
    });
}

void mpiortho_fortran_mosaic_free(ORTHO_Mosaic* mosaic, MPI_Fint* ierror)
{
    answer("ortho_mosaic_free", MPI_COMM_SELF, ierror, [&] {
        ORTHO_Mosaic const freed = *mosaic;
        const int code = ORTHO_Mosaic_free(mosaic);
        const std::lock_guard lock(mosaics_mutex);
        if (code == MPI_SUCCESS) mosaics.erase(freed);
        return code;
    });
}

void mpiortho_fortran_mosaic_halo_init(const CFI_cdesc_t* fields, const CFI_cdesc_t* ghosts,
                                       const ORTHO_Mosaic* mosaic, const CFI_cdesc_t* sync,
                                       const MPI_Fint* info, Halo* halo, MPI_Fint* ierror)
{
    mosaic_init("ortho_mosaic_halo_init", fields, ghosts, sync, nullptr, mosaic, info, halo, ierror);
}

void mpiortho_fortran_mosaic_reduce_init(const CFI_cdesc_t* fields, const CFI_cdesc_t* ghosts,
                                         const MPI_Fint* op, const ORTHO_Mosaic* mosaic, const MPI_Fint* info,
                                         Halo* halo, MPI_Fint* ierror)
{
    mosaic_init("ortho_mosaic_reduce_init", fields, ghosts, nullptr, op, mosaic, info, halo, ierror);
}

void mpiortho_fortran_mosaic_unfilled(const Halo* halo, const MPI_Fint* field, const MPI_Fint* patch,
                                      const MPI_Fint* maxn, const CFI_cdesc_t* boxes, MPI_Fint* n,
                                      MPI_Fint* ierror)
{
    answer("ortho_mosaic_unfilled", MPI_COMM_SELF, ierror, [&] {
        return ORTHO_Mosaic_unfilled(halo->request, *field - 1, *patch - 1, *maxn,
                                     GotItems<ORTHO_Patch>(boxes, "boxes", *maxn), n);
    });
}

} // extern "C"
