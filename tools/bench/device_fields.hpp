// SPDX-License-Identifier: BSD-3-Clause
// Fields in the memory of a device, and how programs exchange their ghosts by hand.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "bench/ghost_fields.hpp"
#include "memory/kind.hpp"
#include "stencil_exchange.hpp"

namespace bench {

/// Makes a device's context current, of the device that the rank on the node has by turns.  Returns a message
/// if there is no driver or no device.  Collective.
std::string take_device(MPI_Comm comm);

/// Bytes in the memory of the device.
class DeviceBytes {
public:
    explicit DeviceBytes(std::size_t bytes);
    DeviceBytes(const DeviceBytes&) = delete;
    DeviceBytes& operator=(const DeviceBytes&) = delete;
    ~DeviceBytes();
    std::byte* data() const { return data_; }

private:
    std::byte* data_ = nullptr;
};

/// The contents of fields on the host, and the same fields on the device.
class DeviceGhosts {
public:
    explicit DeviceGhosts(Ghosts& on_host);
    double* field(int f) const
    {
        return reinterpret_cast<double*>(fields_[static_cast<std::size_t>(f)]->data());
    }
    void prepare(int sample);
    bool is_right(int sample) const;

private:
    std::size_t bytes() const;

    Ghosts& on_host_;
    std::vector<std::unique_ptr<DeviceBytes>> fields_;
};

/// Messages of all fields to all neighbors by hand, through pinned host memory.
class DeviceMessages {
public:
    virtual ~DeviceMessages() = default;
    /// As many steps as a program that knows what it does.
    void exchange();

protected:
    DeviceMessages(const Exchange& exchange, const Ghosts& ghosts, MPI_Comm comm);

    /// A region of a field that a message fills.
    struct Message {
        int field;
        Region region;
        int partner;
        int tag;
        std::size_t bytes;
        std::byte* pinned = nullptr;
    };
    /// Begins all copies to the host, and waits for them.
    virtual void fetch() = 0;
    /// Begins all copies to the device, and waits for them.
    virtual void store() = 0;

    std::vector<Message> sent_, received_;

private:
    MPI_Comm comm_;
    std::vector<MPI_Request> requests_;
};

/// A copy of the driver's for each message.
std::unique_ptr<DeviceMessages> by_copies(const Exchange& exchange, const Ghosts& ghosts,
                                          const DeviceGhosts& fields, MPI_Comm comm);
/// The launch of a kernel for each message.
std::unique_ptr<DeviceMessages> by_kernels(const Exchange& exchange, const Ghosts& ghosts,
                                           const DeviceGhosts& fields, MPI_Comm comm);

/// Seconds that one launch takes to gather so many bytes, which lie in runs of `run` bytes on the device, into
/// host memory; and that the driver takes to copy as many that lie side by side.  Medians.
struct PackingTimes {
    double kernel = 0;
    double copy = 0;
};
PackingTimes time_packing(std::size_t bytes, std::size_t run, int samples);

} // namespace bench
