// SPDX-License-Identifier: BSD-3-Clause
// Ghosts of unstructured meshes and sparse matrices: a part of <mpiortho.hpp>.
//
//     mpiortho::index_map map(comm, owned, numbers);     // ghost g is the element with number numbers[g]
//     std::vector<double> u(map.size());                 // owned elements, ghosts behind them
//     auto fill = map.fill(u, v);
//     fill.run();                                        // ghosts get the values of their elements
//     auto assemble = map.reduce(std::plus<>{}, u);
//     assemble.run();                                    // ghosts are added to their elements
#ifndef MPIORTHO_INDEX_MAP_HPP
#define MPIORTHO_INDEX_MAP_HPP

#include <span>
#include <vector>

#include "buffer.hpp"
#include "op.hpp"
#include "request.hpp"

namespace mpiortho {
inline namespace MPIORTHO_NAMESPACE {

/// A copy of an element: that ghost of that process.
struct ghost_copy {
    int rank;
    MPI_Count ghost;
};

namespace detail {

/// The arrays of an exchange of ghosts: elements in a row, first owned ones, then ghosts.
template <class... A>
class ghost_arrays {
public:
    ghost_arrays(MPI_Count n, MPI_Count copies, A&... arrays) : n_(n), copies_(copies)
    {
        std::size_t f = 0;
        (add(f++, arrays), ...);
    }
    void* owned[sizeof...(A)];
    void* ghosts[sizeof...(A)];
    MPI_Datatype types[sizeof...(A)];
    int wrong = -1; ///< the first that has another number of elements

    bool tell(MPI_Comm comm) const { return wrong < 0 || tells_others(comm); }
    void require_right(MPI_Comm comm) const
    {
        if (wrong < 0) return;
        fail_on(
            comm, MPI_ERR_ARG,
            "mpiortho: array number %d of an exchange of ghosts has %lld elements%s, and the index map %lld "
            "owned ones and %lld ghosts",
            wrong, static_cast<long long>(has_), is_row_ ? "" : " that do not lie in a row",
            static_cast<long long>(n_), static_cast<long long>(copies_));
    }

private:
    template <class B>
    void add(std::size_t f, B& array)
    {
        const auto row = row_in(array);
        using element = std::remove_pointer_t<decltype(row.data)>;
        static_assert(!std::is_const_v<element>, "mpiortho: the array of an index map is const");
        const bool is_right = row.is_row && static_cast<MPI_Count>(row.size) == n_ + copies_;
        if (!is_right && wrong < 0) {
            wrong = static_cast<int>(f);
            has_ = static_cast<MPI_Count>(row.size);
            is_row_ = row.is_row;
        }
        // The C functions tell all processes of a wrong array.
        owned[f] = is_right ? row.data : nullptr;
        ghosts[f] = is_right ? row.data + n_ : nullptr;
        types[f] = datatype<element>();
    }

    MPI_Count n_, copies_;
    MPI_Count has_ = 0; // the wrong one
    bool is_row_ = true;
};

} // namespace detail

/// A persistent exchange of ghosts: index_map::fill() and index_map::reduce() make it.
class ghost_exchange : public operation {
public:
    ghost_exchange() = default;

    /// Other arrays of the same types, from the next start on; local.
    template <class... A>
    void rebind(A&... arrays)
    {
        detail::ghost_arrays<A...> all(owned_, ghosts_, arrays...);
        all.require_right(comm());
        for (std::size_t f = 0; f < sizeof...(A); ++f)
            if (f < types_.size() && all.types[f] != types_[f])
                detail::fail_on(comm(), MPI_ERR_TYPE,
                                "mpiortho: array number %zu of an exchange of ghosts has elements of another "
                                "type than the array that it was made with",
                                f);
        detail::check_code(ORTHO_Ghosts_rebind(get(), static_cast<int>(sizeof...(A)), all.owned, all.ghosts),
                           MPI_COMM_SELF);
    }

private:
    friend class index_map;
    ghost_exchange(ORTHO_Request request, MPI_Comm comm, MPI_Count owned, MPI_Count ghosts,
                   std::span<const MPI_Datatype> types)
        : operation(request, comm),
          owned_(owned),
          ghosts_(ghosts),
          types_(types.begin(), types.end())
    {}

    MPI_Count owned_ = 0;
    MPI_Count ghosts_ = 0;
    std::vector<MPI_Datatype> types_; // of the arrays that it was made with
};

/// Which elements of arrays that are divided among processes have copies on which processes.
class index_map {
public:
    index_map() = default;
    /// This process owns so many elements; ghost g is element indices[g] of process owners[g].  Collective.
    index_map(MPI_Comm comm, MPI_Count owned, detail::row_span<const int> owners,
              detail::row_span<const MPI_Count> indices, const info& hints = {})
        : owned_(owned),
          ghosts_(static_cast<MPI_Count>(owners.size()))
    {
        const bool is_right = owners.size() == indices.size();
        int code = MPI_SUCCESS;
        if (is_right || detail::tells_others(comm))
            code = ORTHO_Index_map_create(owned, is_right ? ghosts_ : -1, owners.data(), indices.data(), comm,
                                          hints.get(), &map_);
        if (!is_right)
            detail::fail_on(comm, MPI_ERR_ARG, "mpiortho: owners has %zu ghosts, and indices %zu",
                            owners.size(), indices.size());
        detail::check_code(code, comm);
    }
    /// Elements are numbered from 0 on, those of each process behind those of the process before; ghost g is
    /// number numbers[g].  Collective.
    index_map(MPI_Comm comm, MPI_Count owned, detail::row_span<const MPI_Count> numbers,
              const info& hints = {})
        : owned_(owned),
          ghosts_(static_cast<MPI_Count>(numbers.size()))
    {
        detail::check_code(
            ORTHO_Index_map_create_global(owned, ghosts_, numbers.data(), comm, hints.get(), &map_), comm);
    }
    /// Numbers as a mesh generator or a partitioner leaves them, in any order and with gaps: element i of
    /// this process has the number ids[i]; ghost g is the element with the number ghost_ids[g].  Collective.
    static index_map by_ids(MPI_Comm comm, detail::row_span<const MPI_Count> ids,
                            detail::row_span<const MPI_Count> ghost_ids, const info& hints = {})
    {
        index_map made;
        made.owned_ = static_cast<MPI_Count>(ids.size());
        made.ghosts_ = static_cast<MPI_Count>(ghost_ids.size());
        detail::check_code(ORTHO_Index_map_create_ids(made.owned_, ids.data(), made.ghosts_, ghost_ids.data(),
                                                      comm, hints.get(), &made.map_),
                           comm);
        return made;
    }
    index_map(index_map&& other) noexcept
        : map_(std::exchange(other.map_, ORTHO_INDEX_MAP_NULL)),
          owned_(other.owned_),
          ghosts_(other.ghosts_)
    {}
    index_map& operator=(index_map&& other) noexcept
    {
        std::swap(map_, other.map_);
        std::swap(owned_, other.owned_);
        std::swap(ghosts_, other.ghosts_);
        return *this;
    }
    ~index_map()
    {
        if (map_ != ORTHO_INDEX_MAP_NULL && detail::is_running()) ORTHO_Index_map_free(&map_);
    }

    MPI_Count owned() const noexcept { return owned_; }
    MPI_Count ghosts() const noexcept { return ghosts_; }
    /// The elements of an array: owned elements and ghosts.
    std::size_t size() const noexcept { return static_cast<std::size_t>(owned_ + ghosts_); }
    ORTHO_Index_map get() const noexcept { return map_; }
    /// Edges lead from owners to those who have copies.
    comm_ref graph() const { return comm_ref(comm()); }
    /// The processes that have copies of an owned element.
    std::vector<ghost_copy> copies(MPI_Count element) const
    {
        int n = 0;
        detail::check_code(ORTHO_Index_map_holders(map_, element, 0, nullptr, nullptr, &n), MPI_COMM_SELF);
        std::vector<int> ranks(static_cast<std::size_t>(n));
        std::vector<MPI_Count> numbers(static_cast<std::size_t>(n));
        detail::check_code(ORTHO_Index_map_holders(map_, element, n, ranks.data(), numbers.data(), &n),
                           MPI_COMM_SELF);
        std::vector<ghost_copy> result;
        for (std::size_t i = 0; i < ranks.size(); ++i) result.push_back({ranks[i], numbers[i]});
        return result;
    }

    /// Ghosts of these arrays get the values of their elements, all in one message a partner; collective.
    template <class... A>
    requires(sizeof...(A) > 0) ghost_exchange fill(A&... arrays)
    const
    {
        detail::ghost_arrays<A...> all(owned_, ghosts_, arrays...);
        ORTHO_Request made = ORTHO_REQUEST_NULL;
        int code = MPI_SUCCESS;
        if (all.tell(comm()))
            code = ORTHO_Ghosts_init(static_cast<int>(sizeof...(A)), all.owned, all.ghosts, all.types, map_,
                                     MPI_INFO_NULL, &made);
        all.require_right(comm());
        return exchange(made, code, all.types);
    }
    /// The reverse: ghosts are reduced into their elements by an operator that commutes; collective.
    template <class Op, class... A>
    requires(sizeof...(A) > 0) ghost_exchange reduce(const Op& op, A&... arrays)
    const
    {
        detail::ghost_arrays<A...> all(owned_, ghosts_, arrays...);
        ORTHO_Request made = ORTHO_REQUEST_NULL;
        int code = MPI_SUCCESS;
        if (all.tell(comm()))
            code = ORTHO_Ghosts_reduce_init(static_cast<int>(sizeof...(A)), all.ghosts, all.owned, all.types,
                                            detail::operator_of_mpi(op), map_, MPI_INFO_NULL, &made);
        all.require_right(comm());
        return exchange(made, code, all.types);
    }

private:
    MPI_Comm comm() const
    {
        MPI_Comm result = MPI_COMM_NULL;
        detail::check_code(ORTHO_Index_map_graph(map_, &result), MPI_COMM_SELF);
        return result;
    }
    ghost_exchange exchange(ORTHO_Request made, int code, std::span<const MPI_Datatype> types) const
    {
        detail::check_code(code, map_ == ORTHO_INDEX_MAP_NULL ? MPI_COMM_SELF : comm());
        return ghost_exchange(made, comm(), owned_, ghosts_, types);
    }

    ORTHO_Index_map map_ = ORTHO_INDEX_MAP_NULL;
    MPI_Count owned_ = 0;
    MPI_Count ghosts_ = 0;
};

} // namespace MPIORTHO_NAMESPACE
} // namespace mpiortho

#endif
