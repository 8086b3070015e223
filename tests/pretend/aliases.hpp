// SPDX-License-Identifier: BSD-3-Clause
// Included before all in test programs.  Where the pretended driver is loaded (driver.cpp), calls on graphs
// get aliases of the programs' buffers: addresses of memory on a device, which no host instruction may touch.
// ORTHO_TEST_PRETEND=mixed: buffers lie with the host and on two devices in turn.
#pragma once

#include <dlfcn.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <vector>

#include "mpiortho.h"

namespace pretend {

constexpr std::uintptr_t on_device = std::uintptr_t{1} << 52;
constexpr std::uintptr_t on_second = std::uintptr_t{1} << 53;

/// A test may pass addresses of its own in their place.
inline bool are_wanted = true;

inline bool is_on()
{
    static const bool is = dlsym(RTLD_DEFAULT, "ortho_pretend_driver") != nullptr;
    return is && are_wanted;
}

/// The same device in all that it is asked for.
class Alias {
public:
    Alias()
    {
        static const char* const kind = std::getenv("ORTHO_TEST_PRETEND");
        static unsigned calls = 0;
        if (!is_on()) return;
        const unsigned which = kind != nullptr && std::strcmp(kind, "mixed") == 0
                                   ? ++calls * 2654435761U >> 28
                                   : 1;
        bits_ = which % 3 == 0 ? 0 : which % 3 == 1 ? on_device : on_device | on_second;
    }
    template <class T>
    T* operator()(T* buffer) const
    {
        if (buffer == nullptr || buffer == MPI_IN_PLACE || buffer == MPI_BOTTOM) return buffer;
        const auto address = reinterpret_cast<std::uintptr_t>(buffer);
        return (address & on_device) != 0 ? buffer : reinterpret_cast<T*>(address | bits_);
    }
    template <class T>
    std::vector<T*> list(int n, T* const all[]) const
    {
        std::vector<T*> result;
        if (!is_on()) return result; // nobody reads it
        for (int i = 0; i < n && all != nullptr; ++i) result.push_back((*this)(all[i]));
        return result;
    }
    std::vector<ORTHO_Field> fields(int n, const ORTHO_Field all[]) const
    {
        std::vector<ORTHO_Field> result;
        if (!is_on()) return result;
        for (int i = 0; i < n && all != nullptr; ++i) {
            result.push_back(all[i]);
            result.back().base = (*this)(all[i].base);
        }
        return result;
    }

private:
    std::uintptr_t bits_ = 0;
};

/// The requests of calls that got aliases.
inline std::set<ORTHO_Request>& requests()
{
    static std::set<ORTHO_Request> all;
    return all;
}
inline std::mutex& mutex()
{
    static std::mutex one;
    return one;
}

/// A call on a communicator.  On those without a graph it is the MPI's affair.
class Call {
public:
    explicit Call(MPI_Comm comm)
    {
        int topology = ORTHO_FULL;
        if (!is_on() || comm == MPI_COMM_NULL) return;
        is_on_graph_ = ORTHO_Topo_test(comm, &topology) == MPI_SUCCESS && topology == ORTHO_GRAPH;
    }
    template <class T>
    T* operator()(T* buffer) const
    {
        return is_on_graph_ ? Alias()(buffer) : buffer;
    }
    void note(int code, const ORTHO_Request* request) const
    {
        if (!is_on_graph_ || code != MPI_SUCCESS || request == nullptr) return;
        const std::lock_guard lock(mutex());
        requests().insert(*request);
    }

private:
    bool is_on_graph_ = false;
};

inline int Request_rebind(ORTHO_Request request, const void* sendbuf, void* recvbuf)
{
    bool is = false;
    {
        const std::lock_guard lock(mutex());
        is = is_on() && requests().count(request) > 0;
    }
    return is ? ORTHO_Request_rebind(request, Alias()(sendbuf), Alias()(recvbuf))
              : ORTHO_Request_rebind(request, sendbuf, recvbuf);
}
inline int Request_free(ORTHO_Request* request)
{
    if (is_on() && request != nullptr) {
        const std::lock_guard lock(mutex());
        requests().erase(*request);
    }
    return ORTHO_Request_free(request);
}
inline int Halo_init(int nfields, void* const fields[], const MPI_Datatype elements[], int d,
                     const int sizes[], const int lower[], const int upper[], MPI_Comm graph, MPI_Info info,
                     ORTHO_Request* request)
{
    const auto list = Alias().list(nfields, fields);
    return ORTHO_Halo_init(nfields, is_on() && fields ? list.data() : fields, elements, d, sizes, lower,
                           upper, graph, info, request);
}
inline int Halo_reduce_init(int nfields, void* const fields[], const MPI_Datatype elements[], int d,
                            const int sizes[], const int lower[], const int upper[], MPI_Op op,
                            MPI_Comm graph, MPI_Info info, ORTHO_Request* request)
{
    const auto list = Alias().list(nfields, fields);
    return ORTHO_Halo_reduce_init(nfields, is_on() && fields ? list.data() : fields, elements, d, sizes,
                                  lower, upper, op, graph, info, request);
}
inline int Halo_fields_init(int nfields, const ORTHO_Field fields[], int d, MPI_Comm comm, MPI_Info info,
                            ORTHO_Request* request)
{
    const auto list = Alias().fields(nfields, fields);
    return ORTHO_Halo_fields_init(nfields, is_on() && fields ? list.data() : fields, d, comm, info, request);
}
inline int Halo_reduce_fields_init(int nfields, const ORTHO_Field fields[], int d, MPI_Op op, MPI_Comm comm,
                                   MPI_Info info, ORTHO_Request* request)
{
    const auto list = Alias().fields(nfields, fields);
    return ORTHO_Halo_reduce_fields_init(nfields, is_on() && fields ? list.data() : fields, d, op, comm, info,
                                         request);
}
inline int Halo_rebind(ORTHO_Request request, int nfields, void* const bases[])
{
    const auto list = Alias().list(nfields, bases);
    return ORTHO_Halo_rebind(request, nfields, is_on() && bases ? list.data() : bases);
}
inline int Halo_rebind_fields(ORTHO_Request request, int nfields, const ORTHO_Field fields[])
{
    const auto list = Alias().fields(nfields, fields);
    return ORTHO_Halo_rebind_fields(request, nfields, is_on() && fields ? list.data() : fields);
}
/// Fields on mosaics, and the lists of their arrays.
class MosaicFields {
public:
    /// How many patches of each mosaic this process has.
    static std::map<ORTHO_Mosaic, int>& patches()
    {
        static std::map<ORTHO_Mosaic, int> all;
        return all;
    }
    MosaicFields(int n, const ORTHO_Mosaic_field all[], ORTHO_Mosaic mosaic) : given_(all)
    {
        const auto found = patches().find(mosaic);
        if (!is_on() || found == patches().end()) return;
        const Alias alias; // a block, of all fields, lies on one device
        for (int i = 0; i < n && all != nullptr; ++i) {
            fields_.push_back(all[i]);
            lists_.push_back(alias.list(found->second, all[i].bases));
            if (all[i].bases != nullptr) fields_.back().bases = lists_.back().data();
        }
    }
    const ORTHO_Mosaic_field* get() const { return fields_.empty() ? given_ : fields_.data(); }

private:
    const ORTHO_Mosaic_field* given_;
    std::vector<ORTHO_Mosaic_field> fields_;
    std::vector<std::vector<void*>> lists_;
};
inline int Mosaic_create(MPI_Comm comm, int d, int ntiles, const MPI_Count sizes[], int ncontacts,
                         const ORTHO_Contact contacts[], int npatches, const ORTHO_Patch patches[],
                         MPI_Info info, ORTHO_Mosaic* mosaic)
{
    const int code = ORTHO_Mosaic_create(comm, d, ntiles, sizes, ncontacts, contacts, npatches, patches, info,
                                         mosaic);
    if (code == MPI_SUCCESS) MosaicFields::patches()[*mosaic] = npatches;
    return code;
}
inline int Mosaic_halo_init(int nfields, const ORTHO_Mosaic_field fields[], ORTHO_Mosaic mosaic,
                            MPI_Info info, ORTHO_Request* request)
{
    const MosaicFields aliases(nfields, fields, mosaic);
    return ORTHO_Mosaic_halo_init(nfields, aliases.get(), mosaic, info, request);
}
inline int Mosaic_reduce_init(int nfields, const ORTHO_Mosaic_field fields[], MPI_Op op, ORTHO_Mosaic mosaic,
                              MPI_Info info, ORTHO_Request* request)
{
    const MosaicFields aliases(nfields, fields, mosaic);
    return ORTHO_Mosaic_reduce_init(nfields, aliases.get(), op, mosaic, info, request);
}
inline int Ghosts_init(int nfields, const void* const owned[], void* const ghosts[],
                       const MPI_Datatype elements[], ORTHO_Index_map map, MPI_Info info, ORTHO_Request* r)
{
    const auto a = Alias().list(nfields, owned);
    const auto b = Alias().list(nfields, ghosts);
    return ORTHO_Ghosts_init(nfields, is_on() && owned ? a.data() : owned,
                             is_on() && ghosts ? b.data() : ghosts, elements, map, info, r);
}
inline int Ghosts_reduce_init(int nfields, const void* const ghosts[], void* const owned[],
                              const MPI_Datatype elements[], MPI_Op op, ORTHO_Index_map map, MPI_Info info,
                              ORTHO_Request* r)
{
    const auto a = Alias().list(nfields, owned);
    const auto b = Alias().list(nfields, ghosts);
    return ORTHO_Ghosts_reduce_init(nfields, is_on() && ghosts ? b.data() : ghosts,
                                    is_on() && owned ? a.data() : owned, elements, op, map, info, r);
}
inline int Ghosts_rebind(ORTHO_Request r, int nfields, void* const owned[], void* const ghosts[])
{
    const auto a = Alias().list(nfields, owned);
    const auto b = Alias().list(nfields, ghosts);
    return ORTHO_Ghosts_rebind(r, nfields, is_on() && owned ? a.data() : owned,
                               is_on() && ghosts ? b.data() : ghosts);
}

inline int Sparse_alltoallv(const void* sendbuf, int ntargets, const int targets[],
                            const MPI_Count sendcounts[], const MPI_Aint sdispls[], MPI_Datatype sendtype,
                            MPI_Comm comm, MPI_Info info, ORTHO_Sparse* exchange)
{
    return ORTHO_Sparse_alltoallv(Alias()(sendbuf), ntargets, targets, sendcounts, sdispls, sendtype, comm,
                                  info, exchange);
}
inline int Isparse_alltoallv(const void* sendbuf, int ntargets, const int targets[],
                             const MPI_Count sendcounts[], const MPI_Aint sdispls[], MPI_Datatype sendtype,
                             MPI_Comm comm, MPI_Info info, ORTHO_Sparse* exchange, ORTHO_Request* r)
{
    return ORTHO_Isparse_alltoallv(Alias()(sendbuf), ntargets, targets, sendcounts, sdispls, sendtype, comm,
                                   info, exchange, r);
}
inline int Sparse_receive(ORTHO_Sparse* exchange, void* recvbuf, MPI_Datatype recvtype, int sources[],
                          MPI_Count recvcounts[], MPI_Aint rdispls[])
{
    return ORTHO_Sparse_receive(exchange, Alias()(recvbuf), recvtype, sources, recvcounts, rdispls);
}

// The collectives, which make writes, and the end of this namespace.
#include "calls/aliases.inc"

#undef ORTHO_Request_rebind
#define ORTHO_Request_rebind (::pretend::Request_rebind)
#undef ORTHO_Request_free
#define ORTHO_Request_free (::pretend::Request_free)
#undef ORTHO_Halo_init
#define ORTHO_Halo_init (::pretend::Halo_init)
#undef ORTHO_Halo_reduce_init
#define ORTHO_Halo_reduce_init (::pretend::Halo_reduce_init)
#undef ORTHO_Halo_fields_init
#define ORTHO_Halo_fields_init (::pretend::Halo_fields_init)
#undef ORTHO_Halo_reduce_fields_init
#define ORTHO_Halo_reduce_fields_init (::pretend::Halo_reduce_fields_init)
#undef ORTHO_Halo_rebind
#define ORTHO_Halo_rebind (::pretend::Halo_rebind)
#undef ORTHO_Halo_rebind_fields
#define ORTHO_Halo_rebind_fields (::pretend::Halo_rebind_fields)
#undef ORTHO_Mosaic_create
#define ORTHO_Mosaic_create (::pretend::Mosaic_create)
#undef ORTHO_Mosaic_halo_init
#define ORTHO_Mosaic_halo_init (::pretend::Mosaic_halo_init)
#undef ORTHO_Mosaic_reduce_init
#define ORTHO_Mosaic_reduce_init (::pretend::Mosaic_reduce_init)
#undef ORTHO_Ghosts_init
#define ORTHO_Ghosts_init (::pretend::Ghosts_init)
#undef ORTHO_Ghosts_reduce_init
#define ORTHO_Ghosts_reduce_init (::pretend::Ghosts_reduce_init)
#undef ORTHO_Ghosts_rebind
#define ORTHO_Ghosts_rebind (::pretend::Ghosts_rebind)
#undef ORTHO_Sparse_alltoallv
#define ORTHO_Sparse_alltoallv (::pretend::Sparse_alltoallv)
#undef ORTHO_Isparse_alltoallv
#define ORTHO_Isparse_alltoallv (::pretend::Isparse_alltoallv)
#undef ORTHO_Sparse_receive
#define ORTHO_Sparse_receive (::pretend::Sparse_receive)
