// SPDX-License-Identifier: BSD-3-Clause
// Handles of MPI and of the library that are freed where their scope ends.
#pragma once

#include <initializer_list>

namespace test {

template <class Kind>
class Owned {
public:
    using Handle = typename Kind::Handle;
    Owned(Handle handle = Kind::null()) : handle_(handle) {}
    Owned(const Owned&) = delete;
    Owned& operator=(const Owned&) = delete;
    ~Owned()
    {
        if (handle_ != Kind::null()) CHECK_OK(Kind::free(&handle_));
    }
    operator Handle() const { return handle_; }
    Handle& handle() { return handle_; }
    Handle* operator&() { return &handle_; }

private:
    Handle handle_;
};

struct KindOfComm {
    using Handle = MPI_Comm;
    static Handle null() { return MPI_COMM_NULL; }
    static int free(Handle* handle) { return MPI_Comm_free(handle); }
};
struct KindOfRequest {
    using Handle = ORTHO_Request;
    static Handle null() { return ORTHO_REQUEST_NULL; }
    static int free(Handle* handle) { return ORTHO_Request_free(handle); }
};
struct KindOfType {
    using Handle = MPI_Datatype;
    static Handle null() { return MPI_DATATYPE_NULL; }
    static int free(Handle* handle) { return MPI_Type_free(handle); }
};
struct KindOfInfo {
    using Handle = MPI_Info;
    static Handle null() { return MPI_INFO_NULL; }
    static int free(Handle* handle) { return MPI_Info_free(handle); }
};
using Comm = Owned<KindOfComm>;
using Request = Owned<KindOfRequest>;
using Type = Owned<KindOfType>;

inline MPI_Comm duplicate(MPI_Comm comm = MPI_COMM_WORLD)
{
    MPI_Comm result = MPI_COMM_NULL;
    CHECK_OK(MPI_Comm_dup(comm, &result));
    return result;
}

/// An info with these values.  A null pointer sets nothing; where nothing is set it is MPI_INFO_NULL.
class Info : public Owned<KindOfInfo> {
public:
    Info(std::initializer_list<std::pair<const char*, const char*>> values = {})
    {
        for (const auto& [key, value] : values) set(key, value);
    }
    Info& set(const char* key, const char* value)
    {
        if (value != nullptr && *this == MPI_INFO_NULL) CHECK_OK(MPI_Info_create(&*this));
        if (value != nullptr) CHECK_OK(MPI_Info_set(*this, key, value));
        return *this;
    }
};

/// Starts a persistent request, and waits for it.
inline int start_and_wait(ORTHO_Request* request)
{
    const int code = ORTHO_Start(request);
    return code != MPI_SUCCESS ? code : ORTHO_Wait(request, MPI_STATUS_IGNORE);
}

} // namespace test
