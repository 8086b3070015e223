// SPDX-License-Identifier: BSD-3-Clause
// A driver of two devices that are none, in the place of NVIDIA's: a library of the name libcuda.so.1, which
// tests preload.  Memory on a device is host memory, by addresses that no processor takes: bit 52 is set, and
// bit 53 too on the second device.  A host instruction that touches one ends in SIGSEGV or SIGBUS.  A stream is
// a thread that idles at random: work that is not ordered is done at wrong times.  Kernels are compiled for the
// host.
//
// ORTHO_TEST_PRETEND_FAILS: a function's name; it fails.  ORTHO_TEST_PRETEND_FORGETS: one that orders work; it
// does nothing, which a test must find.  ORTHO_TEST_SEED: of the delays.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

// The variables that kernels find on a device.
namespace {
struct Dimensions {
    unsigned x, y, z;
};
thread_local Dimensions gridDim, blockDim, blockIdx, threadIdx; // NOLINT: the device's names
struct ulonglong2 {                                             // NOLINT
    unsigned long long x, y;
};
} // namespace
#define __global__ __attribute__((visibility("hidden")))
#define __device__
#include "../../src/memory/kernels.cu"

namespace {

using Result = int;
using Address = unsigned long long;
constexpr Result success = 0;
constexpr Result invalid_value = 1;
constexpr Result out_of_memory = 2;
constexpr Result invalid_handle = 400;
constexpr Result not_ready = 600;
constexpr Address device_bit = Address{1} << 52;
constexpr Address second_bit = Address{1} << 53;
constexpr Address all_bits = device_bit | second_bit;

/// A device has one context.
struct Context {
    int device;
};
Context contexts[] = {{0}, {1}};
thread_local std::vector<Context*> current;
const Context* current_context() { return current.empty() ? &contexts[0] : current.back(); }

// Threads wait for these while the program ends.
std::mutex& mutex = *new std::mutex;
std::condition_variable& changed = *new std::condition_variable;

struct Stream;
/// The first `number` works of a stream are done.
struct Point {
    Stream* stream = nullptr;
    unsigned long long number = 0;
};
struct Work {
    std::function<void()> run;
    std::vector<Point> after;
};
struct Stream {
    bool blocks;                      ///< the default stream waits for it, and it for the default stream
    const Context* context = nullptr; ///< null: the default stream, here one for both devices
    std::deque<Work> queue{};
    unsigned long long enqueued = 0;
    unsigned long long done = 0;
};
bool is_over(const Point& point) { return point.stream == nullptr || point.stream->done >= point.number; }

std::vector<Stream*>& streams()
{
    static auto* const all = new std::vector<Stream*>; // threads run on while the program ends
    return *all;
}

unsigned seed()
{
    const char* const text = std::getenv("ORTHO_TEST_SEED");
    return (text != nullptr ? static_cast<unsigned>(std::atoi(text)) : 1U) + static_cast<unsigned>(getpid());
}

void serve(Stream* stream, unsigned number)
{
    std::mt19937 random(seed() + number);
    std::unique_lock lock(mutex);
    for (;;) {
        changed.wait(lock, [&] {
            if (stream->queue.empty()) return false;
            for (const Point& point : stream->queue.front().after)
                if (!is_over(point)) return false;
            return true;
        });
        const Work work = std::move(stream->queue.front());
        stream->queue.pop_front();
        lock.unlock();
        if (random() % 4 == 0) std::this_thread::sleep_for(std::chrono::microseconds(random() % 300));
        if (work.run) work.run();
        lock.lock();
        ++stream->done;
        changed.notify_all();
    }
}

/// In loopback, whose time is not ours: all is done in the order of the calls.
bool is_at_once()
{
    static const bool is = std::getenv("ORTHO_TEST_PRETEND_AT_ONCE") != nullptr;
    return is;
}

/// Under the lock.
Stream* make_stream(bool blocks, const Context* context)
{
    auto* const stream = new Stream{blocks, context};
    streams().push_back(stream);
    if (is_at_once()) return stream;
    std::thread(serve, stream, static_cast<unsigned>(streams().size())).detach();
    return stream;
}

/// The stream that a handle means.  Under the lock.
Stream* stream_of(void* handle)
{
    static Stream* const by_default = make_stream(true, nullptr);
    return reinterpret_cast<std::uintptr_t>(handle) <= 1 ? by_default : static_cast<Stream*>(handle);
}

bool fails(const char* function)
{
    static const char* const text = std::getenv("ORTHO_TEST_PRETEND_FAILS");
    return text != nullptr && std::string_view(text) == function;
}
bool forgets(const char* function)
{
    static const char* const text = std::getenv("ORTHO_TEST_PRETEND_FORGETS");
    return text != nullptr && std::string_view(text) == function;
}

/// Under the lock.
Point enqueue(Stream* stream, std::function<void()> run, std::vector<Point> after = {})
{
    if (is_at_once()) {
        if (run) run();
        return {stream, stream->done = ++stream->enqueued};
    }
    Stream* const by_default = stream_of(nullptr);
    for (Stream* const other : streams())
        if (other != stream && other->blocks && stream->blocks &&
            (stream == by_default || other == by_default) && !forgets("default stream"))
            after.push_back({other, other->enqueued});
    stream->queue.push_back({std::move(run), std::move(after)});
    changed.notify_all();
    return {stream, ++stream->enqueued};
}

template <class T>
Result give(T* result, std::type_identity_t<T> value)
{
    *result = value;
    return success;
}

struct Event {
    const Context* context;
    Point point;
};
/// Is it of another device, which a kernel cannot run on, nor an event be recorded?
bool is_elsewhere(const Stream& stream, const Context* context)
{
    return stream.context != nullptr && stream.context != context;
}

/// Managed memory, which is the host's, too.
std::map<Address, std::size_t>& managed()
{
    static auto* const all = new std::map<Address, std::size_t>;
    return *all;
}

/// Memory of a device, which other processes open.
struct SharedMemory {
    pid_t process;
    int file;
    std::size_t bytes;

    /// Null if it cannot be mapped.
    void* map(int its_file) const
    {
        void* const result = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, its_file, 0);
        return result == MAP_FAILED ? nullptr : result;
    }
};
std::map<void*, SharedMemory>& allocated()
{
    static auto* const all = new std::map<void*, SharedMemory>; // programs free memory while they end
    return *all;
}
struct IpcHandle {
    unsigned char bytes[64];
};

#define MAY_FORGET                                                                                           \
    if (forgets(__func__)) return success
#define MAY_FAIL                                                                                             \
    if (fails(__func__)) return 999

template <class T>
T* real(Address address)
{
    return reinterpret_cast<T*>(address & ~all_bits);
}

const char* kernels[] = {"copy_boxes", "reduce_boxes"};

/// A kernel and what it was called with.
struct Launch {
    unsigned blocks, threads;
    const ortho::memory::CudaBox* boxes;
    unsigned number;
    char* row;
    unsigned long long begin, end;
    unsigned bytes;
    unsigned stores;
    std::optional<ortho::memory::Reduction> reduction;
    Address device;

    void operator()() const
    {
        std::vector<ortho::memory::CudaBox> there(boxes, boxes + number);
        for (ortho::memory::CudaBox& box : there) {
            if ((box.address & all_bits) != device) {
                static const char words[] = "a kernel touches memory of another device\n";
                if (write(2, words, sizeof words - 1) < 0) std::abort();
                std::abort();
            }
            box.address &= ~all_bits;
        }
        gridDim = {blocks, 1, 1};
        blockDim = {threads, 1, 1};
        for (unsigned b = 0; b < blocks; ++b)
            for (unsigned t = 0; t < threads; ++t) {
                blockIdx = {b, 0, 0};
                threadIdx = {t, 0, 0};
                if (reduction)
                    reduce_boxes(there.data(), number, row, begin, end, bytes, *reduction);
                else
                    copy_boxes(there.data(), number, row, begin, end, bytes, stores);
            }
    }
};

} // namespace

#define EXPORTED extern "C" __attribute__((visibility("default")))

EXPORTED int ortho_pretend_driver() { return 1; }

namespace {
int lookups = 0;
}
EXPORTED int ortho_pretend_lookups() { return lookups; }

EXPORTED Result cuInit(unsigned) { return success; }
EXPORTED Result cuGetErrorName(Result, const char** name) { return give(name, "CUDA_ERROR_PRETENDED"); }
EXPORTED Result cuGetErrorString(Result, const char** words) { return give(words, "this test wants it so"); }
EXPORTED Result cuPointerGetAttributes(unsigned n, const int* attributes, void** values, Address address)
{
    const std::lock_guard lock(mutex);
    ++lookups;
    const auto after = managed().upper_bound(address);
    const bool is_managed = after != managed().begin() &&
                            address < std::prev(after)->first + std::prev(after)->second;
    const bool is = (address & device_bit) != 0 || is_managed;
    Context* const context = &contexts[(address & second_bit) != 0 ? 1 : 0];
    for (unsigned i = 0; i < n; ++i) switch (attributes[i]) {
        case 1: *static_cast<void**>(values[i]) = is ? context : nullptr; break;
        case 2: *static_cast<unsigned*>(values[i]) = is ? 2 : 0; break;
        case 8: *static_cast<unsigned*>(values[i]) = is_managed ? 1 : 0; break;
        case 9: *static_cast<int*>(values[i]) = is ? context->device : 0; break;
        default: return invalid_value;
        }
    return success;
}
EXPORTED Result cuDevicePrimaryCtxRetain(void** context, int device)
{
    return give(context, &contexts[device]);
}
EXPORTED Result cuCtxPushCurrent_v2(void* context)
{
    current.push_back(static_cast<Context*>(context));
    return success;
}
EXPORTED Result cuCtxPopCurrent_v2(void** context)
{
    if (current.empty()) return invalid_value;
    *context = current.back();
    current.pop_back();
    return success;
}
EXPORTED Result cuModuleLoadData(void** module, const void* image)
{
    MAY_FAIL;
    if (std::strstr(static_cast<const char*>(image), ".entry copy_boxes") == nullptr) return invalid_value;
    *module = &contexts;
    return success;
}
EXPORTED Result cuModuleGetFunction(void** function, void*, const char* name)
{
    for (const char*& kernel : kernels) {
        *function = &kernel;
        if (std::strcmp(name, kernel) == 0) return success;
    }
    return invalid_value;
}
EXPORTED Result cuLaunchKernel(void* kernel, unsigned blocks, unsigned, unsigned, unsigned threads, unsigned,
                               unsigned, unsigned, void* stream, void** arguments, void**)
{
    MAY_FAIL;
    if (current.empty()) return invalid_value;
    const auto value = [&]<class T>(int i, T) { return *static_cast<const T*>(arguments[i]); };
    const bool reduces = kernel == &kernels[1];
    const Launch launch{blocks,
                        threads,
                        real<const ortho::memory::CudaBox>(value(0, Address{})),
                        value(1, 0U),
                        real<char>(value(2, Address{})),
                        value(3, 0ULL),
                        value(4, 0ULL),
                        value(5, 0U),
                        reduces ? 0 : value(6, 0U),
                        reduces ? std::optional(value(6, ortho::memory::Reduction{})) : std::nullopt,
                        current.back()->device == 1 ? all_bits : device_bit};
    if (reduces && forgets("reduce_boxes")) return success;
    const std::lock_guard lock(mutex);
    if (is_elsewhere(*stream_of(stream), current.back())) return invalid_handle;
    enqueue(stream_of(stream), launch);
    return success;
}
EXPORTED Result cuStreamCreate(void** stream, unsigned flags)
{
    MAY_FAIL;
    const std::lock_guard lock(mutex);
    *stream = make_stream((flags & 1U) == 0, current_context());
    return success;
}
EXPORTED Result cuStreamGetCtx(void* stream, void** context)
{
    const std::lock_guard lock(mutex);
    const Context* const its = stream_of(stream)->context;
    *context = const_cast<Context*>(its != nullptr ? its : current_context());
    return success;
}
EXPORTED Result cuStreamSynchronize(void* stream)
{
    std::unique_lock lock(mutex);
    const Point end = enqueue(stream_of(stream), nullptr);
    changed.wait(lock, [&] { return is_over(end); });
    return success;
}
EXPORTED Result cuStreamWaitEvent(void* stream, void* event, unsigned)
{
    MAY_FORGET;
    const std::lock_guard lock(mutex);
    enqueue(stream_of(stream), nullptr, {static_cast<Event*>(event)->point});
    return success;
}
EXPORTED Result cuEventCreate(void** event, unsigned)
{
    MAY_FAIL;
    *event = new Event{current_context(), {}};
    return success;
}
EXPORTED Result cuEventRecord(void* event, void* stream)
{
    const std::lock_guard lock(mutex);
    auto* const its = static_cast<Event*>(event);
    if (is_elsewhere(*stream_of(stream), its->context)) return invalid_handle;
    its->point = enqueue(stream_of(stream), nullptr);
    return success;
}
EXPORTED Result cuEventQuery(void* event)
{
    MAY_FORGET;
    const std::lock_guard lock(mutex);
    return is_over(static_cast<Event*>(event)->point) ? success : not_ready;
}
EXPORTED Result cuEventSynchronize(void* event)
{
    MAY_FORGET;
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return is_over(static_cast<Event*>(event)->point); });
    return success;
}
EXPORTED Result cuEventDestroy_v2(void* event)
{
    delete static_cast<Event*>(event);
    return success;
}
EXPORTED Result cuMemAlloc_v2(Address* address, std::size_t bytes)
{
    MAY_FAIL;
    const std::lock_guard lock(mutex);
    SharedMemory memory{getpid(), memfd_create("device", MFD_CLOEXEC), bytes};
    if (memory.file < 0 || ftruncate(memory.file, static_cast<off_t>(bytes)) != 0) return out_of_memory;
    void* const mapped = memory.map(memory.file);
    if (mapped == nullptr) return out_of_memory;
    allocated()[mapped] = memory;
    const bool second = !current.empty() && current.back()->device == 1;
    *address = reinterpret_cast<Address>(mapped) | (second ? all_bits : device_bit);
    return success;
}
EXPORTED Result cuMemAllocManaged(Address* address, std::size_t bytes, unsigned)
{
    const std::lock_guard lock(mutex);
    *address = reinterpret_cast<Address>(std::calloc(1, bytes));
    managed()[*address] = bytes;
    return success;
}
EXPORTED Result cuMemGetInfo_v2(std::size_t* free, std::size_t* all)
{
    const std::lock_guard lock(mutex);
    *free = *all = std::size_t{1} << 40;
    for (const auto& [address, memory] : allocated()) *free -= memory.bytes;
    return success;
}
EXPORTED Result cuMemFree_v2(Address address)
{
    const std::lock_guard lock(mutex);
    if (managed().erase(address) > 0) {
        std::free(reinterpret_cast<void*>(address));
        return success;
    }
    const auto found = allocated().find(real<void>(address));
    if (found == allocated().end()) return invalid_value;
    munmap(found->first, found->second.bytes);
    close(found->second.file);
    allocated().erase(found);
    return success;
}
EXPORTED Result cuIpcGetMemHandle(IpcHandle* handle, Address address)
{
    MAY_FAIL;
    const std::lock_guard lock(mutex);
    *handle = {};
    std::memcpy(handle, &allocated().at(real<void>(address)), sizeof(SharedMemory));
    return success;
}
EXPORTED Result cuIpcOpenMemHandle_v2(Address* address, IpcHandle handle, unsigned)
{
    MAY_FAIL;
    SharedMemory memory{};
    std::memcpy(&memory, &handle, sizeof memory);
    if (memory.process == getpid()) return invalid_value;
    const std::string path = "/proc/" + std::to_string(memory.process) + "/fd/" + std::to_string(memory.file);
    const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
    if (file < 0) return invalid_value;
    void* const mapped = memory.map(file);
    close(file);
    if (mapped == nullptr) return invalid_value;
    const bool second = !current.empty() && current.back()->device == 1;
    *address = reinterpret_cast<Address>(mapped) | (second ? all_bits : device_bit);
    return success;
}
EXPORTED Result cuMemcpyHtoD_v2(Address to, const void* from, std::size_t bytes)
{
    std::memcpy(real<void>(to), from, bytes);
    return success;
}
EXPORTED Result cuMemcpyDtoH_v2(void* to, Address from, std::size_t bytes)
{
    std::memcpy(to, real<void>(from), bytes);
    return success;
}
EXPORTED Result cuDeviceGetCount(int* count) { return give(count, 2); }
EXPORTED Result cuMemAllocHost_v2(void** memory, std::size_t bytes)
{
    return give(memory, std::calloc(1, bytes));
}
EXPORTED Result cuMemFreeHost(void* memory)
{
    std::free(memory);
    return success;
}
EXPORTED Result cuMemcpyHtoDAsync_v2(Address to, const void* from, std::size_t bytes, void* stream)
{
    const std::lock_guard lock(mutex);
    enqueue(stream_of(stream), [=] { std::memcpy(real<void>(to), from, bytes); });
    return success;
}
EXPORTED Result cuMemcpyDtoHAsync_v2(void* to, Address from, std::size_t bytes, void* stream)
{
    const std::lock_guard lock(mutex);
    enqueue(stream_of(stream), [=] {
        // Over a slow bus.
        if (!is_at_once()) std::this_thread::sleep_for(std::chrono::nanoseconds(bytes));
        std::memcpy(to, real<void>(from), bytes);
    });
    return success;
}

/// The structure of the driver's header.
struct Copy3D {
    struct Side {
        std::size_t x, y, z, level;
        int type;
        Address host, device;
        void *array, *reserved;
        std::size_t pitch, height;

        char* row(std::size_t i, std::size_t j) const
        {
            const Address address = type == 1 ? host : device;
            if ((type == 2) != ((address & device_bit) != 0)) std::abort();
            return real<char>(address) + x + ((z + i) * height + y + j) * pitch;
        }
    };
    Side from, to;
    std::size_t width, height, depth;
};
EXPORTED Result cuMemcpy3DAsync_v2(const Copy3D* copy, void* stream)
{
    const std::lock_guard lock(mutex);
    enqueue(stream_of(stream), [c = *copy] {
        for (std::size_t i = 0; i < c.depth; ++i)
            for (std::size_t j = 0; j < c.height; ++j) std::memcpy(c.to.row(i, j), c.from.row(i, j), c.width);
    });
    return success;
}
EXPORTED Result cuMemcpyDtoDAsync_v2(Address to, Address from, std::size_t bytes, void* stream)
{
    MAY_FAIL;
    const std::lock_guard lock(mutex);
    enqueue(stream_of(stream), [=] { std::memcpy(real<void>(to), real<void>(from), bytes); });
    return success;
}
EXPORTED Result cuMemsetD32Async(Address to, unsigned value, std::size_t n, void* stream)
{
    const std::lock_guard lock(mutex);
    enqueue(stream_of(stream), [=] {
        for (std::size_t i = 0; i < n; ++i) real<unsigned>(to)[i] = value;
    });
    return success;
}
EXPORTED Result cuMemHostRegister_v2(void*, std::size_t, unsigned)
{
    MAY_FAIL;
    return success;
}
EXPORTED Result cuMemHostUnregister(void*) { return success; }
EXPORTED Result cuMemHostGetDevicePointer_v2(Address* address, void* memory, unsigned)
{
    return give(address, reinterpret_cast<Address>(memory) | device_bit);
}
