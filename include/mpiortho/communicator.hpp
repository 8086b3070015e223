// SPDX-License-Identifier: BSD-3-Clause
// Communicators: a part of <mpiortho.hpp>.
#ifndef MPIORTHO_COMMUNICATOR_HPP
#define MPIORTHO_COMMUNICATOR_HPP

#include <concepts>
#include <initializer_list>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "error.hpp"
#include "in_a_row.hpp"

namespace mpiortho {
inline namespace MPIORTHO_NAMESPACE {

class communicator;

/// Warns of a reduction on a grid or another graph: the call does not show that it is over neighbors.
#define MPIORTHO_SAYS_NOT_WHO                                                                                \
    [[deprecated("this reduces over the neighbors: say g.neighbors(), or g.all() for all processes")]]

/// The collectives take these as a communicator: MPI_Comm, and all that converts to it.
template <class C>
concept communicator_like = std::is_convertible_v<const C&, MPI_Comm>;

/// Keys and values for the library and the MPI: info{{"ortho_forward", "true"}}.
class info {
public:
    struct entry {
        const char* key;
        const char* value;
    };

    info() = default;
    info(std::initializer_list<entry> entries)
    {
#ifndef MPIORTHO_SESSIONS
        detail::require_mpi("MPI_Info_create");
#endif
        detail::check_mpi(MPI_Info_create(&handle_), MPI_COMM_SELF, "MPI_Info_create");
        for (const entry& e : entries)
            detail::check_mpi(MPI_Info_set(handle_, e.key, e.value), MPI_COMM_SELF, "MPI_Info_set");
    }
    info(info&& other) noexcept : handle_(std::exchange(other.handle_, MPI_INFO_NULL)) {}
    info& operator=(info&& other) noexcept
    {
        std::swap(handle_, other.handle_);
        return *this;
    }
    ~info()
    {
        if (handle_ != MPI_INFO_NULL && detail::is_running()) MPI_Info_free(&handle_);
    }

    MPI_Info get() const noexcept { return handle_; }

private:
    MPI_Info handle_ = MPI_INFO_NULL;
};

/// The topology of a communicator decides the meaning of the collectives on it.
enum class topology { none = 0, full = ORTHO_FULL, inter = ORTHO_INTER, graph = ORTHO_GRAPH };

/// Is a graph one stencil on a grid?  If so, of how many offsets?
struct isomorphism {
    bool is_isomorphic;
    int offsets;
    explicit operator bool() const noexcept { return is_isomorphic; }
};

/// A communicator that somebody else owns, with what the collectives need to know of it: how many blocks a
/// process sends and receives.
///
/// The collectives take a plain MPI_Comm, too, and ask for these numbers in each call.
class comm_ref {
public:
    comm_ref() = default;
    explicit comm_ref(MPI_Comm comm) : handle_(comm)
    {
        if (comm == MPI_COMM_NULL) return;
        int found = 0;
        detail::check_code(ORTHO_Topo_test(comm, &found), comm);
        detail::note_session(comm);
        topology_ = static_cast<mpiortho::topology>(found);
        if (topology_ == mpiortho::topology::graph) {
            int weighted = 0;
            detail::check_code(ORTHO_Dist_graph_neighbors_count(comm, &in_blocks_, &out_blocks_, &weighted),
                               comm);
        } else {
            const bool is_inter = topology_ == mpiortho::topology::inter;
            detail::check_mpi(is_inter ? MPI_Comm_remote_size(comm, &in_blocks_)
                                       : MPI_Comm_size(comm, &in_blocks_),
                              comm, "MPI_Comm_size");
            out_blocks_ = in_blocks_;
        }
    }

    operator MPI_Comm() const noexcept { return handle_; }
    MPI_Comm get() const noexcept { return handle_; }
    /// Is there one?  Processes outside a grid have none.
    explicit operator bool() const noexcept { return handle_ != MPI_COMM_NULL; }

    /// MPI_PROC_NULL where there is none.
    int rank() const
    {
        int result = MPI_PROC_NULL;
        if (handle_ == MPI_COMM_NULL) return result;
        detail::require_mpi(handle_, "MPI_Comm_rank");
        detail::check_mpi(MPI_Comm_rank(handle_, &result), handle_, "MPI_Comm_rank");
        return result;
    }
    /// 0 where there is none.
    int size() const
    {
        int result = 0;
        if (handle_ == MPI_COMM_NULL) return result;
        detail::require_mpi(handle_, "MPI_Comm_size");
        detail::check_mpi(MPI_Comm_size(handle_, &result), handle_, "MPI_Comm_size");
        return result;
    }
    mpiortho::topology topology() const noexcept { return topology_; }
    /// Blocks that an allgather or alltoall receives here: in-neighbors, gaps included, or processes.
    int in_blocks() const noexcept { return in_blocks_; }
    /// Blocks that an alltoall sends from here: out-neighbors, gaps included, or processes.
    int out_blocks() const noexcept { return out_blocks_; }

    /// Reductions of a value over those from whom this process receives: its in-neighbors on a graph, all
    /// processes on a full communicator.  T{} where there are none.
    template <class T>
    T sum(const T& value) const;
    template <class T>
    T min MPIORTHO_NO_MACRO(const T& value) const;
    template <class T>
    T max MPIORTHO_NO_MACRO(const T& value) const;

    /// New communicators.  All of these are collective.  If the communicator carries a graph, the new ones
    /// have the induced subgraph.
    communicator dup() const;
    communicator split(int color, int key = 0) const;
    communicator split_type(int type, int key = 0, const info& hints = {}) const;
    communicator create(MPI_Group group) const;
    communicator create_group(MPI_Group group, int tag = 0) const;
    /// The subgraph that the processes of `processes`, a full communicator, induce.
    communicator subgraph(MPI_Comm processes) const;
    /// A full communicator of the same processes; of an inter-communicator, of the local group.
    communicator base() const;

    /// Is the graph one stencil on a grid?  Local, but on graphs that MPI's own functions have made.
    isomorphism isomorphic() const
    {
        int flag = 0;
        int t = 0;
        detail::check_code(ORTHO_Comm_isomorphic(handle_, &flag, &t), handle_);
        return {flag != 0, t};
    }

    /// Neighbors in the order of the blocks, MPI_PROC_NULL for gaps.
    template <class Ints = std::vector<int>>
    Ints sources() const
    {
        return neighbors<Ints>(0);
    }
    template <class Ints = std::vector<int>>
    Ints destinations() const
    {
        return neighbors<Ints>(1);
    }
    /// The weights of their edges; an empty list if the graph has none.
    template <class Ints = std::vector<int>>
    Ints source_weights() const
    {
        return neighbors<Ints>(2);
    }
    template <class Ints = std::vector<int>>
    Ints destination_weights() const
    {
        return neighbors<Ints>(3);
    }
    /// The slots of a rank among the in-neighbors and among the out-neighbors.
    template <class Ints = std::vector<int>>
    Ints in_slots(int rank) const
    {
        return slots_of<Ints>(rank, true);
    }
    template <class Ints = std::vector<int>>
    Ints out_slots(int rank) const
    {
        return slots_of<Ints>(rank, false);
    }

protected:
    MPI_Comm handle_ = MPI_COMM_NULL;
    mpiortho::topology topology_ = mpiortho::topology::none;
    int in_blocks_ = 0;
    int out_blocks_ = 0;

private:
    /// Sources, destinations, weights of sources, weights of destinations.
    template <class Ints>
    Ints neighbors(int which) const
    {
        int n_in = 0;
        int n_out = 0;
        int weighted = 0;
        detail::check_code(ORTHO_Dist_graph_neighbors_count(handle_, &n_in, &n_out, &weighted), handle_);
        // Not empty: a null pointer is no list.
        detail::list<int> all(2 * static_cast<std::size_t>(n_in + n_out) + 1);
        int* const lists[] = {all.data(), all.data() + n_in, all.data() + n_in + n_out,
                              all.data() + 2 * n_in + n_out};
        detail::check_code(
            ORTHO_Dist_graph_neighbors(handle_, n_in, lists[0], lists[2], n_out, lists[1], lists[3]),
            handle_);
        if (which >= 2 && weighted == 0) return Ints();
        return Ints(lists[which], lists[which] + (which % 2 == 0 ? n_in : n_out));
    }
    template <class Ints>
    Ints slots_of(int rank, bool in) const
    {
        int n_in = 0;
        int n_out = 0;
        const auto most = static_cast<std::size_t>(in_blocks_ > out_blocks_ ? in_blocks_ : out_blocks_);
        detail::list<int> lists(2 * most + 1);
        int* const ins = lists.data();
        int* const outs = ins + most;
        detail::check_code(
            ORTHO_Dist_graph_find(handle_, rank, static_cast<int>(most), ins, &n_in, outs, &n_out), handle_);
        return in ? Ints(ins, ins + n_in) : Ints(outs, outs + n_out);
    }
};

/// A communicator that is freed with this object.  Freeing is collective in MPI: let all processes do so in
/// the same order.
class communicator : public comm_ref {
public:
    communicator() = default;
    /// Takes `comm` over.
    explicit communicator(MPI_Comm comm) : comm_ref(comm) {}
    communicator(communicator&& other) noexcept : comm_ref(std::exchange(other.as_ref(), comm_ref())) {}
    communicator& operator=(communicator&& other) noexcept
    {
        if (this == &other) return *this;
        free();
        as_ref() = std::exchange(other.as_ref(), comm_ref());
        return *this;
    }
    ~communicator() { free(); }

    /// Give the handle up: it is the caller's to free.
    MPI_Comm release() noexcept { return std::exchange(as_ref(), comm_ref()).get(); }

private:
    comm_ref& as_ref() noexcept { return *this; }
    void free() noexcept
    {
        if (handle_ != MPI_COMM_NULL && detail::is_running()) MPI_Comm_free(&handle_);
    }
};

namespace detail {

/// Names a communicator as another one, with something behind it, for messages.
inline void name_like(MPI_Comm comm, MPI_Comm other, const char* behind)
{
    char name[MPI_MAX_OBJECT_NAME + 64] = {};
    int length = 0;
    check_mpi(MPI_Comm_get_name(other, name, &length), other, "MPI_Comm_get_name");
    std::snprintf(name + length, 64, "%s", behind);
    name[MPI_MAX_OBJECT_NAME - 1] = '\0';
    check_mpi(MPI_Comm_set_name(comm, name), comm, "MPI_Comm_set_name");
}

} // namespace detail

/// A communicator that carries a graph.  Collectives on it go between neighbors.
///
/// A sum over neighbors must not be taken for one over all processes.  So say which it is:
/// g.neighbors().sum(x), allreduce(x, op, g.neighbors()); g.all().sum(x), allreduce(x, op, g.all()).
class graph_communicator : public communicator {
public:
    /// All processes.  Collective when it is called first.
    const communicator& all() const
    {
        if (!all_ && *this) {
            all_ = base();
            if (is_named_) detail::name_like(all_, *this, "");
        }
        return all_;
    }
    /// The same communicator: those with whom this process shares an edge.
    comm_ref neighbors() const noexcept { return *this; }

    template <class T>
    MPIORTHO_SAYS_NOT_WHO T sum(const T& value) const
    {
        return neighbors().sum(value);
    }
    template <class T>
    MPIORTHO_SAYS_NOT_WHO T min MPIORTHO_NO_MACRO(const T& value) const
    {
        return (neighbors().min)(value);
    }
    template <class T>
    MPIORTHO_SAYS_NOT_WHO T max MPIORTHO_NO_MACRO(const T& value) const
    {
        return (neighbors().max)(value);
    }

protected:
    graph_communicator() = default;
    explicit graph_communicator(MPI_Comm comm) : communicator(comm) {}
    bool is_named_ = false; ///< by the user

private:
    mutable communicator all_;
};

/// A communicator of a type that says it carries a graph.
template <class C>
concept graph_like = communicator_like<C> && std::derived_from<C, graph_communicator>;

/// In a collective call: counts are MPI_Count and displacements MPI_Aint, as in the C functions whose names
/// end with _c.  All processes call it so: alltoall(send, recv, large(comm)).
class large : public comm_ref {
public:
    template <communicator_like C>
    explicit large(const C& comm)
    {
        if constexpr (std::is_base_of_v<comm_ref, C>)
            static_cast<comm_ref&>(*this) = comm;
        else
            static_cast<comm_ref&>(*this) = comm_ref(comm);
    }
};

inline communicator comm_ref::dup() const
{
    MPI_Comm made = MPI_COMM_NULL;
    detail::check_code(ORTHO_Comm_dup(handle_, &made), handle_);
    return communicator(made);
}
inline communicator comm_ref::split(int color, int key) const
{
    MPI_Comm made = MPI_COMM_NULL;
    detail::check_code(ORTHO_Comm_split(handle_, color, key, &made), handle_);
    return communicator(made);
}
inline communicator comm_ref::split_type(int type, int key, const info& hints) const
{
    MPI_Comm made = MPI_COMM_NULL;
    detail::check_code(ORTHO_Comm_split_type(handle_, type, key, hints.get(), &made), handle_);
    return communicator(made);
}
inline communicator comm_ref::create(MPI_Group group) const
{
    MPI_Comm made = MPI_COMM_NULL;
    detail::check_code(ORTHO_Comm_create(handle_, group, &made), handle_);
    return communicator(made);
}
inline communicator comm_ref::create_group(MPI_Group group, int tag) const
{
    MPI_Comm made = MPI_COMM_NULL;
    detail::check_code(ORTHO_Comm_create_group(handle_, group, tag, &made), handle_);
    return communicator(made);
}
inline communicator comm_ref::subgraph(MPI_Comm processes) const
{
    MPI_Comm made = MPI_COMM_NULL;
    detail::check_code(ORTHO_Comm_subgraph(handle_, processes, &made), processes);
    return communicator(made);
}
inline communicator comm_ref::base() const
{
    MPI_Comm made = MPI_COMM_NULL;
    detail::check_code(ORTHO_Comm_base(handle_, &made), handle_);
    return communicator(made);
}

namespace detail {

/// A comm_ref for a collective.  Nothing is asked of a communicator that knows how many blocks it has.
template <communicator_like C>
comm_ref look_at(const C& comm)
{
    if constexpr (std::is_base_of_v<comm_ref, C>)
        return comm;
    else
        return comm_ref(comm);
}

} // namespace detail
} // namespace MPIORTHO_NAMESPACE
} // namespace mpiortho

#endif
