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
#include <type_traits>
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

private:
    std::uintptr_t bits_ = 0;
};

/// A list with aliases of arrays, which are all on one device; where they are not wanted, the list itself.
template <class T>
class List {
public:
    List(int n, const T* list) : list_(list)
    {
        if (!is_on() || list == nullptr) return;
        const Alias alias;
        for (int i = 0; i < n; ++i) replace(alias, aliases_.emplace_back(list[i]));
        list_ = aliases_.data();
    }
    List(const List&) = delete;
    List& operator=(const List&) = delete;
    operator const T*() const { return list_; }

private:
    static void replace(const Alias& alias, T& array)
    {
        if constexpr (std::is_pointer_v<T>)
            array = alias(array);
        else
            array.base = alias(array.base);
    }

    std::vector<T> aliases_;
    const T* list_;
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

/// Fields on mosaics, and the lists of their arrays.
template <>
class List<ORTHO_Mosaic_field> {
public:
    /// How many patches of each mosaic this process has.
    static std::map<ORTHO_Mosaic, int>& patches()
    {
        static std::map<ORTHO_Mosaic, int> all;
        return all;
    }
    List(int n, const ORTHO_Mosaic_field all[], ORTHO_Mosaic mosaic) : list_(all)
    {
        const auto found = patches().find(mosaic);
        if (!is_on() || found == patches().end() || all == nullptr) return;
        const Alias alias; // a block, of all fields, lies on one device
        for (int i = 0; i < n; ++i) {
            aliases_.push_back(all[i]);
            std::vector<void*>& bases = bases_.emplace_back();
            if (all[i].bases == nullptr) continue;
            for (int p = 0; p < found->second; ++p) bases.push_back(alias(all[i].bases[p]));
            aliases_.back().bases = bases.data();
        }
        list_ = aliases_.data();
    }
    List(const List&) = delete;
    List& operator=(const List&) = delete;
    operator const ORTHO_Mosaic_field*() const { return list_; }

private:
    std::vector<ORTHO_Mosaic_field> aliases_;
    std::vector<std::vector<void*>> bases_;
    const ORTHO_Mosaic_field* list_;
};
List(int, const ORTHO_Mosaic_field[], ORTHO_Mosaic)->List<ORTHO_Mosaic_field>;

inline int Mosaic_create(MPI_Comm comm, int d, int ntiles, const MPI_Count sizes[], int ncontacts,
                         const ORTHO_Contact contacts[], int npatches, const ORTHO_Patch patches[],
                         MPI_Info info, ORTHO_Mosaic* mosaic)
{
    const int code = ORTHO_Mosaic_create(comm, d, ntiles, sizes, ncontacts, contacts, npatches, patches, info,
                                         mosaic);
    if (code == MPI_SUCCESS) List<ORTHO_Mosaic_field>::patches()[*mosaic] = npatches;
    return code;
}

// The other calls, which make writes, and the end of this namespace.
#include "calls/aliases.inc"

#undef ORTHO_Request_rebind
#define ORTHO_Request_rebind (::pretend::Request_rebind)
#undef ORTHO_Request_free
#define ORTHO_Request_free (::pretend::Request_free)
#undef ORTHO_Mosaic_create
#define ORTHO_Mosaic_create (::pretend::Mosaic_create)
