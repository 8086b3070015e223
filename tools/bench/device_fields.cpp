// SPDX-License-Identifier: BSD-3-Clause
#include "bench/device_fields.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <type_traits>

#include "base/index.hpp"
#include "bench/statistics.hpp"

namespace bench {

namespace {

using ortho::at;
using ortho::grid::StridedBox;
using Address = unsigned long long;

/// The driver's copy of a box; its header has this structure, too.
struct Copy3D {
    enum Type : int { on_host = 1, on_device = 2 };
    struct Side {
        std::size_t x, y, z, level;
        Type type;
        void* host;
        Address device;
        void *array, *reserved;
        std::size_t pitch, height;
    };
    Side from, to;
    std::size_t width, height, depth;
};

struct Driver {
    int (*cuInit)(unsigned);
    int (*cuDeviceGetCount)(int*);
    int (*cuDevicePrimaryCtxRetain)(void**, int);
    int (*cuCtxPushCurrent_v2)(void*);
    int (*cuMemAlloc_v2)(Address*, std::size_t);
    int (*cuMemFree_v2)(Address);
    int (*cuMemAllocHost_v2)(void**, std::size_t);
    int (*cuMemFreeHost)(void*);
    int (*cuMemcpyHtoD_v2)(Address, const void*, std::size_t);
    int (*cuMemcpyDtoH_v2)(void*, Address, std::size_t);
    int (*cuMemcpyDtoDAsync_v2)(Address, Address, std::size_t, void*);
    int (*cuMemcpy3DAsync_v2)(const Copy3D*, void*);
    int (*cuStreamSynchronize)(void*);

    bool load(void* from)
    {
        const auto find = [&](const char* name, auto& function) {
            function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(from, name));
            return function != nullptr;
        };
#define FIND(name) find(#name, name)
        return FIND(cuInit) && FIND(cuDeviceGetCount) && FIND(cuDevicePrimaryCtxRetain) &&
               FIND(cuCtxPushCurrent_v2) && FIND(cuMemAlloc_v2) && FIND(cuMemFree_v2) &&
               FIND(cuMemAllocHost_v2) && FIND(cuMemFreeHost) && FIND(cuMemcpyHtoD_v2) &&
               FIND(cuMemcpyDtoH_v2) && FIND(cuMemcpyDtoDAsync_v2) && FIND(cuMemcpy3DAsync_v2) &&
               FIND(cuStreamSynchronize);
#undef FIND
    }
};
Driver driver{};

void check(int result, const char* function)
{
    if (result == 0) return;
    fmt::print(stderr, "ortho-bench device: {} fails: error {}\n", function, result);
    MPI_Abort(MPI_COMM_WORLD, 1);
}
#define CHECKED(function, ...) check(driver.function(__VA_ARGS__), #function)

Address address_of(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

/// Memory of the host that the device reaches.
class PinnedBytes {
public:
    explicit PinnedBytes(std::size_t bytes)
    {
        CHECKED(cuMemAllocHost_v2, &data_, std::max<std::size_t>(1, bytes));
    }
    PinnedBytes(const PinnedBytes&) = delete;
    PinnedBytes& operator=(const PinnedBytes&) = delete;
    ~PinnedBytes() { driver.cuMemFreeHost(data_); }
    std::byte* data() const { return static_cast<std::byte*>(data_); }

private:
    void* data_ = nullptr;
};

ortho::memory::Pages allocate_pages(std::size_t bytes)
{
    return {static_cast<std::byte*>(std::aligned_alloc(4096, bytes)),
            [](std::byte* pages) { std::free(pages); }};
}

/// Work of the default stream copies boxes between the device and packed pinned memory.
class Copies final : public DeviceMessages {
public:
    Copies(const Exchange& exchange, const Ghosts& ghosts, const DeviceGhosts& fields, MPI_Comm comm)
        : DeviceMessages(exchange, ghosts, comm),
          fields_(fields),
          row_(at(ghosts.whole()) * sizeof(double)),
          whole_(at(ghosts.whole()))
    {
        std::size_t bytes = 0;
        for (const auto* side : {&sent_, &received_})
            for (const Message& message : *side) bytes += message.bytes;
        pinned_ = std::make_unique<PinnedBytes>(bytes);
        std::byte* next = pinned_->data();
        for (auto* side : {&sent_, &received_})
            for (Message& message : *side) {
                message.pinned = next;
                next += message.bytes;
            }
    }

private:
    void fetch() override
    {
        for (const Message& message : sent_) copy(message, true);
        CHECKED(cuStreamSynchronize, nullptr);
    }
    void store() override
    {
        for (const Message& message : received_) copy(message, false);
        CHECKED(cuStreamSynchronize, nullptr);
    }
    void copy(const Message& message, bool to_host)
    {
        const auto& [first, extent] = message.region;
        const std::size_t width = at(extent[2]) * sizeof(double);
        const std::size_t height = at(extent[1]);
        const Copy3D::Side field{.x = at(first[2]) * sizeof(double),
                                 .y = at(first[1]),
                                 .z = at(first[0]),
                                 .level = 0,
                                 .type = Copy3D::on_device,
                                 .host = nullptr,
                                 .device = address_of(fields_.field(message.field)),
                                 .array = nullptr,
                                 .reserved = nullptr,
                                 .pitch = row_,
                                 .height = whole_};
        const Copy3D::Side pinned{.x = 0,
                                  .y = 0,
                                  .z = 0,
                                  .level = 0,
                                  .type = Copy3D::on_host,
                                  .host = message.pinned,
                                  .device = 0,
                                  .array = nullptr,
                                  .reserved = nullptr,
                                  .pitch = width,
                                  .height = height};
        const Copy3D box{to_host ? field : pinned, to_host ? pinned : field, width, height, at(extent[0])};
        CHECKED(cuMemcpy3DAsync_v2, &box, nullptr);
    }

    const DeviceGhosts& fields_;
    std::size_t row_, whole_;
    std::unique_ptr<PinnedBytes> pinned_;
};

std::vector<StridedBox> box_of(const Region& region, const double* field, int whole)
{
    const auto element = static_cast<std::int64_t>(sizeof(double));
    const auto& [first, extent] = region;
    const std::int64_t index = (std::int64_t{first[0]} * whole + first[1]) * whole + first[2];
    StridedBox box;
    box.address = static_cast<std::int64_t>(address_of(field)) + index * element;
    box.run = extent[2] * element;
    box.axes = {{extent[0], std::int64_t{whole} * whole * element}, {extent[1], whole * element}};
    return {box};
}

/// The library's kernel, launched for each message.
class Kernels final : public DeviceMessages {
public:
    Kernels(const Exchange& exchange, const Ghosts& ghosts, const DeviceGhosts& fields, MPI_Comm comm)
        : DeviceMessages(exchange, ghosts, comm)
    {
        const auto make = [&](const Message& message, bool is_sent) {
            const double* const field = fields.field(message.field);
            const auto home = ortho::memory::home_of(field);
            auto boxes = box_of(message.region, field, ghosts.whole());
            const auto sent = is_sent ? std::span(boxes) : std::span<StridedBox>();
            const auto received = is_sent ? std::span<StridedBox>() : std::span(boxes);
            return home.kind->transfer(home.device, sent, received, allocate_pages,
                                       ortho::memory::Rows::with_host);
        };
        for (Message& message : sent_) message.pinned = fetches_.emplace_back(make(message, true))->fetched();
        for (Message& message : received_)
            message.pinned = stores_.emplace_back(make(message, false))->stored();
    }

private:
    void fetch() override
    {
        for (const auto& transfer : fetches_) transfer->fetch(nullptr);
        fetches_.back()->wait(); // all are in one stream
    }
    void store() override
    {
        for (std::size_t i = 0; i < stores_.size(); ++i) stores_[i]->store(0, received_[i].bytes);
        stores_.back()->wait();
    }

    std::vector<std::unique_ptr<ortho::memory::Transfer>> fetches_, stores_;
};

} // namespace

std::string take_device(MPI_Comm comm)
{
    MPI_Comm node = MPI_COMM_NULL;
    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    int rank = 0;
    MPI_Comm_rank(node, &rank);
    MPI_Comm_free(&node);
    std::string mistake;
    void* const its_library = dlopen("libcuda.so.1", RTLD_NOW);
    int count = 0;
    void* context = nullptr;
    if (its_library == nullptr || !driver.load(its_library))
        mistake = "there is no driver of a device: libcuda.so.1";
    else if (driver.cuInit(0) != 0 || driver.cuDeviceGetCount(&count) != 0 || count == 0 ||
             driver.cuDevicePrimaryCtxRetain(&context, rank % count) != 0 ||
             driver.cuCtxPushCurrent_v2(context) != 0)
        mistake = "there is no device that the driver lets us have";
    int fails = mistake.empty() ? 0 : 1;
    MPI_Allreduce(MPI_IN_PLACE, &fails, 1, MPI_INT, MPI_MAX, comm);
    return fails != 0 && mistake.empty() ? "another process has no device" : mistake;
}

DeviceBytes::DeviceBytes(std::size_t bytes)
{
    Address address = 0;
    CHECKED(cuMemAlloc_v2, &address, bytes);
    data_ = reinterpret_cast<std::byte*>(address);
}

DeviceBytes::~DeviceBytes() { driver.cuMemFree_v2(address_of(data_)); }

DeviceGhosts::DeviceGhosts(Ghosts& on_host) : on_host_(on_host)
{
    for (int f = 0; f < on_host.fields(); ++f) fields_.push_back(std::make_unique<DeviceBytes>(bytes()));
}

std::size_t DeviceGhosts::bytes() const
{
    const std::size_t whole = at(on_host_.whole());
    return whole * whole * whole * sizeof(double);
}

void DeviceGhosts::prepare(int sample)
{
    on_host_.prepare(sample);
    for (int f = 0; f < on_host_.fields(); ++f)
        CHECKED(cuMemcpyHtoD_v2, address_of(field(f)), on_host_.field(f), bytes());
}

bool DeviceGhosts::is_right(int sample) const
{
    for (int f = 0; f < on_host_.fields(); ++f)
        CHECKED(cuMemcpyDtoH_v2, on_host_.field(f), address_of(field(f)), bytes());
    return on_host_.is_right(sample);
}

DeviceMessages::DeviceMessages(const Exchange& exchange, const Ghosts& ghosts, MPI_Comm comm) : comm_(comm)
{
    const int stencil = exchange.stencil_size();
    const auto message = [&](int f, const Region& region, int partner, int offset) {
        std::size_t bytes = sizeof(double);
        for (const int extent : region.extent) bytes *= at(extent);
        return Message{f, region, partner, f * stencil + offset, bytes};
    };
    for (int f = 0; f < ghosts.fields(); ++f) {
        for (std::size_t i = 0; i < exchange.targets.size(); ++i)
            sent_.push_back(message(f, ghosts.owned(offset_of(exchange, exchange.target_offsets[i])),
                                    exchange.targets[i], exchange.target_offsets[i]));
        for (std::size_t i = 0; i < exchange.sources.size(); ++i)
            received_.push_back(message(f, ghosts.ghosts(offset_of(exchange, exchange.source_offsets[i])),
                                        exchange.sources[i], exchange.source_offsets[i]));
    }
    requests_.resize(sent_.size() + received_.size());
}

void DeviceMessages::exchange()
{
    std::size_t n = 0;
    for (const Message& m : received_)
        MPI_Irecv(m.pinned, static_cast<int>(m.bytes), MPI_BYTE, m.partner, m.tag, comm_, &requests_[n++]);
    fetch();
    for (const Message& m : sent_)
        MPI_Isend(m.pinned, static_cast<int>(m.bytes), MPI_BYTE, m.partner, m.tag, comm_, &requests_[n++]);
    MPI_Waitall(static_cast<int>(n), requests_.data(), MPI_STATUSES_IGNORE);
    store();
}

std::unique_ptr<DeviceMessages> by_copies(const Exchange& exchange, const Ghosts& ghosts,
                                          const DeviceGhosts& fields, MPI_Comm comm)
{
    return std::make_unique<Copies>(exchange, ghosts, fields, comm);
}

std::unique_ptr<DeviceMessages> by_kernels(const Exchange& exchange, const Ghosts& ghosts,
                                           const DeviceGhosts& fields, MPI_Comm comm)
{
    return std::make_unique<Kernels>(exchange, ghosts, fields, comm);
}

PackingTimes time_packing(std::size_t bytes, std::size_t run, int samples)
{
    const DeviceBytes from(2 * bytes);
    const DeviceBytes to(bytes);
    StridedBox box;
    box.address = static_cast<std::int64_t>(address_of(from.data()));
    box.run = static_cast<std::int64_t>(run);
    box.axes = {{static_cast<std::int64_t>(bytes / run), static_cast<std::int64_t>(2 * run)}};
    const auto home = ortho::memory::home_of(from.data());
    const auto transfer = home.kind->transfer(home.device, std::vector{box}, {}, allocate_pages);
    if (transfer->shared() != nullptr) transfer->leave_on_device(0, bytes);
    std::vector<double> kernel, copy;
    for (int sample = 0; sample <= samples; ++sample) { // the first one warms up
        const double begin = MPI_Wtime();
        transfer->fetch(nullptr);
        transfer->wait();
        const double middle = MPI_Wtime();
        CHECKED(cuMemcpyDtoDAsync_v2, address_of(to.data()), address_of(from.data()), bytes, nullptr);
        CHECKED(cuStreamSynchronize, nullptr);
        const double end = MPI_Wtime();
        if (sample == 0) continue;
        kernel.push_back(middle - begin);
        copy.push_back(end - middle);
    }
    return {median(kernel), median(copy)};
}

} // namespace bench
