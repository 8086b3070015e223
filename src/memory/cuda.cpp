// SPDX-License-Identifier: BSD-3-Clause
// NVIDIA's devices, by the functions of their driver, which the program has loaded.  No MPI in this file.

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <new>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "memory/cuda_boxes.hpp"
#include "memory/kernels_ptx.hpp"
#include "memory/kind.hpp"

namespace ortho::memory {

namespace {

using grid::StridedBox;

// These stand in the driver's header, too, which is not needed to build.
using Result = int;
using DevicePointer = unsigned long long;
using Context = void*;
using Stream = void*;
using Event = void*;
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
    Result (*cuStreamSynchronize)(Stream);
    Result (*cuStreamWaitEvent)(Stream, Event, unsigned);
    Result (*cuEventCreate)(Event*, unsigned);
    Result (*cuEventRecord)(Event, Stream);
    Result (*cuEventQuery)(Event);
    Result (*cuEventSynchronize)(Event);
    Result (*cuEventDestroy_v2)(Event);
    Result (*cuMemAlloc_v2)(DevicePointer*, std::size_t);
    Result (*cuMemFree_v2)(DevicePointer);
    Result (*cuMemcpyHtoD_v2)(DevicePointer, const void*, std::size_t);
    Result (*cuMemHostRegister_v2)(void*, std::size_t, unsigned);
    Result (*cuMemHostUnregister)(void*);
    Result (*cuMemHostGetDevicePointer_v2)(DevicePointer*, void*, unsigned);

    /// False if the library lacks one.
    bool load(void* library)
    {
        const auto find = [&](const char* name, auto& function) {
            function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
            return function != nullptr;
        };
#define FIND(name) find(#name, name)
        return FIND(cuGetErrorName) && FIND(cuGetErrorString) && FIND(cuPointerGetAttributes) &&
               FIND(cuDevicePrimaryCtxRetain) && FIND(cuCtxPushCurrent_v2) && FIND(cuCtxPopCurrent_v2) &&
               FIND(cuModuleLoadData) && FIND(cuModuleGetFunction) && FIND(cuLaunchKernel) &&
               FIND(cuStreamCreate) && FIND(cuStreamSynchronize) && FIND(cuStreamWaitEvent) &&
               FIND(cuEventCreate) && FIND(cuEventRecord) && FIND(cuEventQuery) && FIND(cuEventSynchronize) &&
               FIND(cuEventDestroy_v2) && FIND(cuMemAlloc_v2) && FIND(cuMemFree_v2) &&
               FIND(cuMemcpyHtoD_v2) && FIND(cuMemHostRegister_v2) && FIND(cuMemHostUnregister) &&
               FIND(cuMemHostGetDevicePointer_v2);
#undef FIND
    }
};

constinit Driver driver{};

/// Throws what the driver says, in its words.
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
Stream named(void* stream)
{
    return stream != nullptr ? stream : reinterpret_cast<Stream>(std::uintptr_t{1});
}

/// A context of a device.
struct Device {
    Context context = nullptr;
    void* copy_boxes = nullptr; ///< the kernel
    Stream stream = nullptr;    ///< ours, which waits for none of the program's

    explicit Device(Context its_context) : context(its_context)
    {
        const Current current(context);
        constexpr unsigned non_blocking = 1;
        void* module = nullptr;
        CHECKED(cuModuleLoadData, &module, kernels_ptx);
        CHECKED(cuModuleGetFunction, &copy_boxes, module, "copy_boxes");
        CHECKED(cuStreamCreate, &stream, non_blocking);
    }
};

/// Boxes for the kernel, all made of units of one size.
struct BoxTable {
    std::vector<CudaBox> boxes;
    unsigned long long units = 0;
    unsigned unit = 16;
    DevicePointer on_device = 0; ///< where the kernel reads them
    std::size_t offset = 0;      ///< of the row in host memory

    explicit BoxTable(std::span<const StridedBox> list)
    {
        const auto fits = [&](std::int64_t bytes) { return bytes % unit == 0; };
        for (const StridedBox& box : list) {
            if (box.is_empty()) continue;
            const auto all_fit = [&] {
                return fits(box.address) && fits(box.run) &&
                       std::ranges::all_of(box.axes, fits, &StridedBox::Axis::stride);
            };
            while (!all_fit()) unit /= 2;
        }
        for (const StridedBox& box : list)
            if (!box.is_empty()) add(box.address, box.axes, box.run);
    }
    std::size_t bytes() const { return static_cast<std::size_t>(units) * unit; }
    std::size_t table_bytes() const { return boxes.size() * sizeof(CudaBox); }

private:
    void add(std::int64_t address, std::span<const StridedBox::Axis> axes, std::int64_t run)
    {
        constexpr std::int64_t most = std::int64_t{1} << 30;
        std::int64_t number = run / unit;
        for (const auto& axis : axes)
            if (number <= most) number *= std::min(axis.count, most);
        if (axes.size() > CudaBox::axes || (number > most && !axes.empty())) {
            for (std::int64_t i = 0; i < axes[0].count; ++i)
                add(address + i * axes[0].stride, axes.subspan(1), run);
            return;
        }
        for (; number > most; number -= most) { // a run alone
            append(address, {}, most);
            address += most * unit;
        }
        append(address, axes, axes.empty() ? number : run / unit);
    }
    void append(std::int64_t address, std::span<const StridedBox::Axis> axes, std::int64_t run)
    {
        CudaBox box{
            static_cast<unsigned long long>(address), units, static_cast<unsigned>(run), {1, 1, 1}, {}};
        unsigned long long number = box.run;
        const std::size_t first = CudaBox::axes - axes.size();
        for (std::size_t k = 0; k < axes.size(); ++k) {
            box.counts[first + k] = static_cast<unsigned>(axes[k].count);
            box.strides[first + k] = axes[k].stride;
            number *= box.counts[first + k];
        }
        boxes.push_back(box);
        units += number;
    }
};

/// Host memory that a device reads and writes, of pages of its own.
class PinnedMemory {
public:
    PinnedMemory(std::size_t bytes, AllocatePages allocate)
    {
        const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
        bytes = (std::max<std::size_t>(1, bytes) + page - 1) / page * page;
        pages_ = allocate(bytes);
        if (!pages_) throw std::bad_alloc();
        constexpr unsigned portable_and_mapped = 3;
        CHECKED(cuMemHostRegister_v2, address(), bytes, portable_and_mapped);
        registered_.reset(address());
        CHECKED(cuMemHostGetDevicePointer_v2, &on_device_, address(), 0U);
    }

    std::byte* address() const { return pages_.get(); }
    DevicePointer on_device() const { return on_device_; }

private:
    struct Unregister {
        void operator()(std::byte* address) const { driver.cuMemHostUnregister(address); }
    };

    Pages pages_;
    std::unique_ptr<std::byte, Unregister> registered_; // before the pages go
    DevicePointer on_device_ = 0;
};

std::size_t aligned(std::size_t bytes)
{
    constexpr std::size_t alignment = 64;
    return (bytes + alignment - 1) / alignment * alignment;
}

/// The kernel gathers boxes into host memory, and spreads what lies there: one launch each way.
class CudaTransfer final : public Transfer {
public:
    CudaTransfer(const Device& device, std::span<const StridedBox> fetched,
                 std::span<const StridedBox> stored, AllocatePages allocate)
        : device_(device),
          fetched_(fetched),
          stored_(stored),
          current_(std::in_place, device.context),
          memory_(std::in_place, place_rows() + fetched_.table_bytes() + stored_.table_bytes(), allocate)
    {
        place_tables();
        constexpr unsigned without_times = 2;
        for (Event& event : events_) CHECKED(cuEventCreate, &event, without_times);
        current_.reset();
    }
    CudaTransfer(const CudaTransfer&) = delete;
    CudaTransfer& operator=(const CudaTransfer&) = delete;
    ~CudaTransfer() override
    {
        if (driver.cuCtxPushCurrent_v2(device_.context) != success) return;
        for (const Event event : events_) {
            driver.cuEventSynchronize(event);
            driver.cuEventDestroy_v2(event);
        }
        if (table_ != 0) driver.cuMemFree_v2(table_);
        memory_.reset(); // in the context, too
        Context before = nullptr;
        driver.cuCtxPopCurrent_v2(&before);
    }

    std::byte* fetched() override { return memory_->address() + fetched_.offset; }
    std::byte* stored() override { return memory_->address() + stored_.offset; }

    void fetch(void* stream) override
    {
        const Current current(device_.context);
        launch(fetched_, 0, fetched_.bytes(), named(stream));
        CHECKED(cuEventRecord, events_[0], named(stream));
    }
    void store(std::size_t begin, std::size_t end) override
    {
        const Current current(device_.context);
        launch(stored_, begin, end, device_.stream);
        CHECKED(cuEventRecord, events_[1], device_.stream);
    }
    bool is_done() override
    {
        const Current current(device_.context);
        for (const Event event : events_) {
            const Result result = driver.cuEventQuery(event);
            if (result == not_ready) return false;
            check(result, "cuEventQuery");
        }
        return true;
    }
    void wait() override
    {
        const Current current(device_.context);
        for (const Event event : events_) CHECKED(cuEventSynchronize, event);
    }
    void precede(void* stream) override
    {
        const Current current(device_.context);
        CHECKED(cuStreamWaitEvent, named(stream), events_[1], 0U);
    }

private:
    /// The bytes of both rows.
    std::size_t place_rows()
    {
        stored_.offset = aligned(fetched_.bytes());
        return stored_.offset + aligned(stored_.bytes());
    }
    /// The tables lie on the device, or, if that has no memory left, behind the rows.
    void place_tables()
    {
        const std::size_t offset = stored_.offset + aligned(stored_.bytes());
        std::byte* const tables = memory_->address() + offset;
        const std::size_t of_fetched = fetched_.table_bytes();
        const std::size_t bytes = of_fetched + stored_.table_bytes();
        if (bytes == 0) return;
        if (of_fetched > 0) std::memcpy(tables, fetched_.boxes.data(), of_fetched);
        if (bytes > of_fetched) std::memcpy(tables + of_fetched, stored_.boxes.data(), bytes - of_fetched);
        if (driver.cuMemAlloc_v2(&table_, bytes) == success)
            CHECKED(cuMemcpyHtoD_v2, table_, tables, bytes);
        else
            table_ = 0;
        fetched_.on_device = table_ != 0 ? table_ : memory_->on_device() + offset;
        stored_.on_device = fetched_.on_device + of_fetched;
    }
    void launch(BoxTable& table, std::size_t begin, std::size_t end, Stream stream)
    {
        if (begin == end) return;
        constexpr unsigned threads = 256;
        constexpr unsigned long long most_blocks = 4096;
        unsigned long long first = begin / table.unit;
        unsigned long long last = end / table.unit;
        const auto blocks = static_cast<unsigned>(
            std::min(most_blocks, (last - first + threads - 1) / threads));
        DevicePointer row = memory_->on_device() + table.offset;
        auto number = static_cast<unsigned>(table.boxes.size());
        unsigned stores = &table == &stored_ ? 1 : 0;
        void* arguments[] = {&table.on_device, &number, &row, &first, &last, &table.unit, &stores};
        CHECKED(cuLaunchKernel, device_.copy_boxes, blocks, 1U, 1U, threads, 1U, 1U, 0U, stream, arguments,
                nullptr);
    }

    const Device& device_;
    BoxTable fetched_;
    BoxTable stored_;
    std::optional<Current> current_; // while it is made
    std::optional<PinnedMemory> memory_;
    DevicePointer table_ = 0;
    std::array<Event, 2> events_{}; // the end of the last fetch(), and of the last store()
};

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

    std::unique_ptr<Transfer> transfer(void* device, std::span<const StridedBox> fetched,
                                       std::span<const StridedBox> stored, AllocatePages allocate) override
    {
        const std::lock_guard lock(mutex_);
        auto found = devices_.find(device);
        if (found == devices_.end()) found = devices_.emplace(device, std::make_unique<Device>(device)).first;
        return std::make_unique<CudaTransfer>(*found->second, fetched, stored, allocate);
    }

    void wait_for(void* stream) override
    {
        const Result result = driver.cuStreamSynchronize(named(stream));
        if (stream == nullptr && result == invalid_context) return; // nothing was put into it
        check(result, "cuStreamSynchronize");
    }

private:
    std::mutex mutex_;
    std::unordered_map<Context, std::unique_ptr<Device>> devices_;
};

} // namespace

Kind* find_cuda()
{
    static std::mutex mutex;
    const std::lock_guard lock(mutex);
    static Cuda* kind = nullptr; // programs may free device memory in functions that run at exit
    if (kind != nullptr) return kind;
    void* const library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    if (library != nullptr && driver.load(library)) kind = new Cuda;
    return kind;
}

} // namespace ortho::memory
