// SPDX-License-Identifier: BSD-3-Clause
// Attributes of communicators, and their keys.
#include <algorithm>
#include <climits>
#include <memory>

#include "communicators.hpp"
#include "mpi_errors.hpp"
#include "real_mpi.hpp"

namespace loopback {

struct Keyval {
    int number;
    MPI_Comm_copy_attr_function* copy;
    MPI_Comm_delete_attr_function* remove;
    void* extra;
};

namespace {

constexpr int first_keyval = 0x7a000000;

/// Null if it is none of ours.
std::shared_ptr<Keyval> keyval(int number)
{
    const auto index = at(number - first_keyval);
    return number >= first_keyval && index < me->keyvals.size() ? me->keyvals[index] : nullptr;
}

auto find(Communicator& comm, int number)
{
    return std::ranges::find_if(comm.attributes,
                                [&](const Attribute& a) { return a.keyval->number == number; });
}

int call_delete(Communicator& comm, const Attribute& attribute)
{
    const Keyval& key = *attribute.keyval;
    if (key.remove == nullptr || key.remove == MPI_COMM_NULL_DELETE_FN) return MPI_SUCCESS;
    return key.remove(comm.handle, key.number, attribute.value, key.extra);
}

} // namespace

int copy_attributes(const Communicator& from, Communicator& to)
{
    const auto attributes = from.attributes;
    for (const Attribute& attribute : attributes) {
        const Keyval& key = *attribute.keyval;
        if (key.copy == nullptr || key.copy == MPI_COMM_NULL_COPY_FN) continue;
        void* value = nullptr;
        int flag = 0;
        if (const int code = key.copy(from.handle, key.number, key.extra, attribute.value, &value, &flag))
            return code;
        if (flag != 0) to.attributes.push_back({attribute.keyval, value});
    }
    return MPI_SUCCESS;
}

/// The last one that was set is the first to go.
int delete_attributes(Communicator& comm)
{
    while (!comm.attributes.empty()) {
        const Attribute last = comm.attributes.back();
        if (const int code = call_delete(comm, last)) return code;
        if (const auto found = find(comm, last.keyval->number); found != comm.attributes.end())
            comm.attributes.erase(found);
    }
    return MPI_SUCCESS;
}

} // namespace loopback

using namespace loopback;

LOCAL(Comm_create_keyval, MPI_Comm_copy_attr_function* copy, MPI_Comm_delete_attr_function* remove,
      int* result, void* extra)
{
    *result = first_keyval + static_cast<int>(me->keyvals.size());
    me->keyvals.push_back(std::make_shared<Keyval>(Keyval{*result, copy, remove, extra}));
}

LOCAL(Comm_free_keyval, int* number)
{
    require(keyval(*number) != nullptr, MPI_ERR_KEYVAL);
    me->keyvals[at(*number - first_keyval)].reset();
    *number = MPI_KEYVAL_INVALID;
}

LOCAL(Comm_set_attr, MPI_Comm comm, int number, void* value)
{
    Communicator& c = communicator(comm);
    const auto key = keyval(number);
    require(key != nullptr, MPI_ERR_KEYVAL, &c);
    const auto found = find(c, number);
    if (found == c.attributes.end()) {
        c.attributes.push_back({key, value});
        return;
    }
    if (const int code = call_delete(c, *found)) throw Error{&c, code};
    find(c, number)->value = value;
}

LOCAL(Comm_get_attr, MPI_Comm comm, int number, void* value, int* flag)
{
    static int largest_tag = INT_MAX;
    Communicator& c = communicator(comm);
    if (number == MPI_TAG_UB) {
        *static_cast<void**>(value) = &largest_tag;
        *flag = 1;
        return;
    }
    if (number < first_keyval || number - first_keyval > 1'000'000) { // MPI's own
        REAL(PMPI_Comm_get_attr)(MPI_COMM_WORLD, number, value, flag);
        return;
    }
    const auto found = find(c, number);
    *flag = found != c.attributes.end() ? 1 : 0;
    if (*flag != 0) *static_cast<void**>(value) = found->value;
}

LOCAL(Comm_delete_attr, MPI_Comm comm, int number)
{
    Communicator& c = communicator(comm);
    const auto found = find(c, number);
    require(found != c.attributes.end(), MPI_ERR_KEYVAL, &c);
    if (const int code = call_delete(c, *found)) throw Error{&c, code};
    c.attributes.erase(find(c, number));
}
