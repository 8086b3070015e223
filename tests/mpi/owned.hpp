// SPDX-License-Identifier: BSD-3-Clause
// Handles of MPI and of the library that are freed where their scope ends, or when they get another value.
#pragma once

#include <initializer_list>

namespace test {

/// Defines the class NAME of handles of a type that a function frees.
#define OWNED(NAME, TYPE, NONE, FREE)                                                                        \
    class NAME {                                                                                             \
    public:                                                                                                  \
        NAME(TYPE handle = NONE) : handle_(handle) {}                                                        \
        NAME(const NAME&) = delete;                                                                          \
        NAME& operator=(const NAME&) = delete;                                                               \
        NAME& operator=(TYPE handle)                                                                         \
        {                                                                                                    \
            if (handle_ != NONE) CHECK_OK(FREE(&handle_));                                                   \
            handle_ = handle;                                                                                \
            return *this;                                                                                    \
        }                                                                                                    \
        ~NAME()                                                                                              \
        {                                                                                                    \
            if (handle_ != NONE) CHECK_OK(FREE(&handle_));                                                   \
        }                                                                                                    \
        operator TYPE() const { return handle_; }                                                            \
        TYPE& handle() { return handle_; }                                                                   \
        TYPE* operator&() { return &handle_; }                                                               \
                                                                                                             \
    private:                                                                                                 \
        TYPE handle_;                                                                                        \
    }
OWNED(Comm, MPI_Comm, MPI_COMM_NULL, MPI_Comm_free);
OWNED(Request, ORTHO_Request, ORTHO_REQUEST_NULL, ORTHO_Request_free);
OWNED(Mosaic, ORTHO_Mosaic, ORTHO_MOSAIC_NULL, ORTHO_Mosaic_free);
OWNED(IndexMap, ORTHO_Index_map, ORTHO_INDEX_MAP_NULL, ORTHO_Index_map_free);
OWNED(Window, MPI_Win, MPI_WIN_NULL, ORTHO_Win_free);
OWNED(Type, MPI_Datatype, MPI_DATATYPE_NULL, MPI_Type_free);
OWNED(Op, MPI_Op, MPI_OP_NULL, MPI_Op_free);
OWNED(Group, MPI_Group, MPI_GROUP_NULL, MPI_Group_free);
OWNED(Errhandler, MPI_Errhandler, MPI_ERRHANDLER_NULL, MPI_Errhandler_free);
OWNED(OwnedInfo, MPI_Info, MPI_INFO_NULL, MPI_Info_free);
#undef OWNED

inline MPI_Comm duplicate(MPI_Comm comm = MPI_COMM_WORLD)
{
    MPI_Comm result = MPI_COMM_NULL;
    CHECK_OK(MPI_Comm_dup(comm, &result));
    return result;
}

/// The type that a constructor of MPI's makes of these arguments, committed.
template <class Make, class... A>
MPI_Datatype committed(Make make, A... arguments)
{
    MPI_Datatype result = MPI_DATATYPE_NULL;
    CHECK_OK(make(arguments..., &result));
    CHECK_OK(MPI_Type_commit(&result));
    return result;
}

/// Ints in blocks of `length`, `stride` ints apart; the next such element begins `extent` ints further on.
inline MPI_Datatype strided_ints(int blocks, int length, int stride, int extent)
{
    Type vector;
    CHECK_OK(MPI_Type_vector(blocks, length, stride, MPI_INT, &vector));
    return committed(MPI_Type_create_resized, vector.handle(), 0, MPI_Aint{sizeof(int)} * extent);
}

/// An info with these values.  A null pointer sets nothing; where nothing is set it is MPI_INFO_NULL.
class Info : public OwnedInfo {
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
/// Executes a persistent request by ORTHO_Run, or starts it and waits for it.
inline int execute(ORTHO_Request* request, bool by_run)
{
    return by_run ? ORTHO_Run(request, MPI_STATUS_IGNORE) : start_and_wait(request);
}

} // namespace test
