// SPDX-License-Identifier: BSD-3-Clause
// The functions of the driver of NVIDIA's devices, which the program has loaded.  No MPI in this file.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace ortho::memory::cuda {

// These stand in the driver's header, too, which is not needed to build.
using Result = int;
using DevicePointer = unsigned long long;
using Context = void*;
using Stream = void*;
using Event = void*;
struct IpcHandle {
    std::array<unsigned char, 64> bytes;
};
constexpr Result success = 0;
constexpr Result invalid_context = 201;
constexpr Result not_ready = 600;

/// The driver's functions, by the names that the library of the driver has for them.
struct Driver {
    Result (*cuGetErrorName)(Result, const char**);
    Result (*cuGetErrorString)(Result, const char**);
    Result (*cuPointerGetAttributes)(unsigned, int*, void**, DevicePointer);
    Result (*cuDevicePrimaryCtxRetain)(Context*, int);
    Result (*cuCtxPushCurrent_v2)(Context);
    Result (*cuCtxPopCurrent_v2)(Context*);
    Result (*cuModuleLoadData)(void**, const void*);
    Result (*cuModuleGetFunction)(void**, void*, const char*);
    Result (*cuLaunchKernel)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                             Stream, void**, void**);
    Result (*cuStreamCreate)(Stream*, unsigned);
    Result (*cuStreamGetCtx)(Stream, Context*);
    Result (*cuStreamSynchronize)(Stream);
    Result (*cuStreamWaitEvent)(Stream, Event, unsigned);
    Result (*cuEventCreate)(Event*, unsigned);
    Result (*cuEventRecord)(Event, Stream);
    Result (*cuEventQuery)(Event);
    Result (*cuEventSynchronize)(Event);
    Result (*cuEventDestroy_v2)(Event);
    Result (*cuMemAlloc_v2)(DevicePointer*, std::size_t);
    Result (*cuMemcpyHtoD_v2)(DevicePointer, const void*, std::size_t);
    Result (*cuMemcpyDtoH_v2)(void*, DevicePointer, std::size_t);
    Result (*cuMemcpyHtoDAsync_v2)(DevicePointer, const void*, std::size_t, Stream);
    Result (*cuMemcpyDtoHAsync_v2)(void*, DevicePointer, std::size_t, Stream);
    Result (*cuMemcpyDtoDAsync_v2)(DevicePointer, DevicePointer, std::size_t, Stream);
    Result (*cuIpcGetMemHandle)(IpcHandle*, DevicePointer);
    Result (*cuIpcOpenMemHandle_v2)(DevicePointer*, IpcHandle, unsigned);
    Result (*cuMemHostRegister_v2)(void*, std::size_t, unsigned);
    Result (*cuMemHostUnregister)(void*);
    Result (*cuMemHostGetDevicePointer_v2)(DevicePointer*, void*, unsigned);

    /// False if the library lacks one.
    bool load(void* library);
};

extern Driver driver;

/// Throws what the driver says, in its words.
void check(Result result, const char* function);
#define CHECKED(function, ...) check(driver.function(__VA_ARGS__), #function)

/// A context is current while this lives.
class Current {
public:
    explicit Current(Context context) { CHECKED(cuCtxPushCurrent_v2, context); }
    Current(const Current&) = delete;
    Current& operator=(const Current&) = delete;
    ~Current()
    {
        Context before = nullptr;
        driver.cuCtxPopCurrent_v2(&before);
    }
};

/// A null pointer is the legacy default stream, whatever the program is compiled for.
inline Stream named(void* stream)
{
    return stream != nullptr ? stream : reinterpret_cast<Stream>(std::uintptr_t{1});
}

} // namespace ortho::memory::cuda
