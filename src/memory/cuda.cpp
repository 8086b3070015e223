// SPDX-License-Identifier: BSD-3-Clause
// NVIDIA's devices, by the functions of their driver, which the program has loaded.  No MPI in this file.

#include <dlfcn.h>

#include <cstdint>
#include <mutex>
#include <unordered_map>

#include "memory/cuda_device.hpp"
#include "memory/cuda_driver.hpp"
#include "memory/kind.hpp"

namespace ortho::memory {

namespace cuda {
namespace {

class Cuda final : public Kind {
public:
    std::optional<void*> device_of(const void* address) noexcept override
    {
        enum Attribute : int { context = 1, memory_type = 2, is_managed = 8, ordinal = 9 };
        constexpr unsigned device_memory = 2;
        int attributes[] = {context, memory_type, is_managed, ordinal};
        Context its_context = nullptr;
        unsigned type = 0;
        unsigned managed = 0;
        int device = 0;
        void* values[] = {&its_context, &type, &managed, &device};
        const Result result = driver.cuPointerGetAttributes(4, attributes, values,
                                                            reinterpret_cast<std::uintptr_t>(address));
        if (result != success || type != device_memory || managed != 0) return std::nullopt;
        // Memory of a pool belongs to no context.
        if (its_context == nullptr && driver.cuDevicePrimaryCtxRetain(&its_context, device) != success)
            return std::nullopt;
        return its_context;
    }

    std::unique_ptr<Transfer> transfer(void* device, std::span<const grid::StridedBox> fetched,
                                       std::span<const grid::StridedBox> stored, AllocatePages allocate,
                                       Rows rows, unsigned number_bytes) override
    {
        const std::lock_guard lock(mutex_);
        Device& found = devices_.try_emplace(device, device).first->second;
        return make_transfer(found, fetched, stored, allocate, rows, number_bytes);
    }

    void wait_for(void* stream) override
    {
        const Result result = driver.cuStreamSynchronize(named(stream));
        if (stream == nullptr && result == invalid_context) return; // nothing was put into it
        check(result, "cuStreamSynchronize");
    }

private:
    std::mutex mutex_;
    std::unordered_map<Context, Device> devices_;
};

} // namespace
} // namespace cuda

Kind* find_cuda()
{
    static std::mutex mutex;
    const std::lock_guard lock(mutex);
    static cuda::Cuda* kind = nullptr; // programs may free device memory in functions that run at exit
    void* const library = kind == nullptr ? dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD) : nullptr;
    if (library != nullptr && cuda::driver.load(library)) kind = new cuda::Cuda;
    return kind;
}

} // namespace ortho::memory
