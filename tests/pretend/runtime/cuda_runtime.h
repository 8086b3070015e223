// SPDX-License-Identifier: BSD-3-Clause
// So much of CUDA's runtime, on the pretended driver, as examples/heat3d.cu wants.  A kernel waits for its
// stream, and runs with the host on copies of its arrays (tests/scripts/gpus.sh).
#pragma once

#include <dlfcn.h>

#include <cstddef>
#include <vector>

using Address = unsigned long long;
using cudaError_t = int;
using cudaStream_t = void*;
using cudaEvent_t = void*;
constexpr cudaError_t cudaSuccess = 0;
enum cudaMemcpyKind { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost };
#define __host__
#define __device__
#define __global__ static

struct dim3 {
    unsigned x = 1, y = 1, z = 1;
    dim3() = default;
    dim3(unsigned a, unsigned b, unsigned c = 1) : x(a), y(b), z(c) {}
};
inline dim3 blockIdx, blockDim, threadIdx;

/// Calls a function of the driver.
template <class... Arguments>
cudaError_t driver(const char* name, Arguments... arguments)
{
    static void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    return reinterpret_cast<int (*)(Arguments...)>(dlsym(library, name))(arguments...);
}

inline const char* cudaGetErrorString(cudaError_t) { return "the pretended driver refuses"; }
inline cudaError_t cudaGetDeviceCount(int* number)
{
    *number = 2;
    return cudaSuccess;
}
inline cudaError_t cudaSetDevice(int device)
{
    void* context = nullptr;
    driver("cuInit", 0U);
    driver("cuDevicePrimaryCtxRetain", &context, device);
    return driver("cuCtxPushCurrent_v2", context);
}
inline std::vector<std::size_t> sizes_of_arrays;
inline cudaError_t cudaMalloc(void** array, std::size_t bytes)
{
    sizes_of_arrays.push_back(bytes);
    return driver("cuMemAlloc_v2", reinterpret_cast<Address*>(array), bytes);
}
inline cudaError_t cudaFree(void* array) { return driver("cuMemFree_v2", reinterpret_cast<Address>(array)); }
inline cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind)
{
    if (kind == cudaMemcpyHostToDevice)
        return driver("cuMemcpyHtoD_v2", reinterpret_cast<Address>(to), from, bytes);
    return driver("cuMemcpyDtoH_v2", to, reinterpret_cast<Address>(from), bytes);
}
inline cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    return driver("cuStreamSynchronize", stream);
}
inline cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                                   cudaStream_t stream)
{
    cudaStreamSynchronize(stream);
    return cudaMemcpy(to, from, bytes, kind);
}
inline cudaError_t cudaStreamCreate(cudaStream_t* stream) { return driver("cuStreamCreate", stream, 0U); }
inline cudaError_t cudaEventCreate(cudaEvent_t* event) { return driver("cuEventCreate", event, 0U); }
inline cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    return driver("cuEventRecord", event, stream);
}
inline cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
    return driver("cuStreamWaitEvent", stream, event, flags);
}

/// In place of <<<blocks, threads, 0, stream>>>: a kernel that writes its first array and reads its second one,
/// which have the same size.
template <class Kernel, class... More>
void launch(dim3 blocks, dim3 threads, cudaStream_t stream, Kernel kernel, double* written,
            const double* read, More... more)
{
    cudaStreamSynchronize(stream);
    const std::size_t bytes = sizes_of_arrays[0];
    std::vector<double> to(bytes / sizeof(double));
    std::vector<double> from(to.size());
    cudaMemcpy(to.data(), written, bytes, cudaMemcpyDeviceToHost);
    cudaMemcpy(from.data(), read, bytes, cudaMemcpyDeviceToHost);
    blockDim = threads;
    for (blockIdx.z = 0; blockIdx.z < blocks.z; ++blockIdx.z)
        for (blockIdx.y = 0; blockIdx.y < blocks.y; ++blockIdx.y)
            for (blockIdx.x = 0; blockIdx.x < blocks.x; ++blockIdx.x)
                for (threadIdx.y = 0; threadIdx.y < threads.y; ++threadIdx.y)
                    for (threadIdx.x = 0; threadIdx.x < threads.x; ++threadIdx.x)
                        kernel(to.data(), from.data(), more...);
    cudaMemcpy(written, to.data(), bytes, cudaMemcpyHostToDevice);
}
