// SPDX-License-Identifier: BSD-3-Clause
// The functions of the driver of NVIDIA's devices, which the program has loaded.  No MPI in this file.

#include "memory/cuda_driver.hpp"

#include <dlfcn.h>

#include <type_traits>

#include "base/error.hpp"

namespace ortho::memory::cuda {

constinit Driver driver{};

bool Driver::load(void* library)
{
    const auto find = [&](const char* name, auto& function) {
        function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
        return function != nullptr;
    };
#define FIND(name) find(#name, name)
    return FIND(cuGetErrorName) && FIND(cuGetErrorString) && FIND(cuPointerGetAttributes) &&
           FIND(cuDevicePrimaryCtxRetain) && FIND(cuCtxPushCurrent_v2) && FIND(cuCtxPopCurrent_v2) &&
           FIND(cuModuleLoadData) && FIND(cuModuleGetFunction) && FIND(cuLaunchKernel) &&
           FIND(cuStreamCreate) && FIND(cuStreamGetCtx) && FIND(cuStreamSynchronize) &&
           FIND(cuStreamWaitEvent) && FIND(cuEventCreate) && FIND(cuEventRecord) && FIND(cuEventQuery) &&
           FIND(cuEventSynchronize) && FIND(cuEventDestroy_v2) && FIND(cuMemAlloc_v2) &&
           FIND(cuMemcpyHtoD_v2) && FIND(cuMemcpyDtoH_v2) && FIND(cuMemcpyHtoDAsync_v2) &&
           FIND(cuMemcpyDtoHAsync_v2) && FIND(cuMemcpyDtoDAsync_v2) && FIND(cuIpcGetMemHandle) &&
           FIND(cuIpcOpenMemHandle_v2) && FIND(cuMemHostRegister_v2) && FIND(cuMemHostUnregister) &&
           FIND(cuMemHostGetDevicePointer_v2);
#undef FIND
}

void check(Result result, const char* function)
{
    if (result == success) return;
    const char* name = nullptr;
    const char* words = nullptr;
    driver.cuGetErrorName(result, &name);
    driver.cuGetErrorString(result, &words);
    base::fail(base::ErrorKind::other, "", "the device's driver refuses ", function, ": ",
               name != nullptr ? name : "an unknown error", words != nullptr ? ", " : "",
               words != nullptr ? words : "");
}

} // namespace ortho::memory::cuda
