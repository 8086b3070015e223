// SPDX-License-Identifier: BSD-3-Clause
// A call in words.

#include "engine/call_text.hpp"

#include <algorithm>
#include <limits>

#include "base/text.hpp"
#include "mpi/object_info.hpp"

namespace ortho::engine {

namespace {

using base::counted;
using base::text;

/// The smallest of some numbers, and the largest.
class Range {
public:
    void add(MPI_Count number)
    {
        least_ = std::min(least_, number);
        most_ = std::max(most_, number);
    }
    /// "8 MPI_INT", "1 to 8 MPI_INT"; `many` stands behind all numbers but 1.
    std::string of(const std::string& one, const std::string& many) const
    {
        return (least_ == most_ ? std::string() : text(least_, " to ")) + counted(most_, one, many);
    }

private:
    MPI_Count least_ = std::numeric_limits<MPI_Count>::max();
    MPI_Count most_ = 0;
};

/// "8 blocks of 40 MPI_INT (160 bytes each)"; empty if there are none.
std::string text_of(const Blocks& blocks)
{
    Range elements, bytes;
    int n = 0;
    bool several = false;
    MPI_Datatype type = MPI_DATATYPE_NULL; // of all that have elements
    for (int slot = 0; slot < blocks.slots(); ++slot) {
        if (blocks.is_gap(slot)) continue;
        ++n;
        elements.add(blocks.count(slot));
        bytes.add(blocks.bytes(slot));
        if (blocks.count(slot) == 0) continue;
        several = several || (type != MPI_DATATYPE_NULL && type != blocks.type(slot));
        type = blocks.type(slot);
    }
    if (n == 0) return {};
    const std::string name = several || type == MPI_DATATYPE_NULL ? "" : mpi::type_name(type);
    const std::string size = bytes.of("byte", "bytes");
    const std::string each = n > 1 ? " each" : "";
    if (!name.empty())
        return text(counted(n, "block"), " of ", elements.of(name, name), " (", size, each, ")");
    const char* const whose = several                     ? " of several datatypes"
                              : type == MPI_DATATYPE_NULL ? ""
                                                          : " of a datatype without a name";
    return text(counted(n, "block"), " of ", size, each, " (", elements.of("element", "elements"), whose,
                ")");
}

} // namespace

std::string data_text(const Call& call)
{
    if (!call.data.empty()) return call.data;
    const std::string sent = text_of(call.send);
    const std::string received = text_of(call.receive);
    if (sent == received) return sent.empty() ? "" : "sends and receives " + sent;
    return text(sent.empty() ? "sends nothing" : "sends " + sent, ", ",
                received.empty() ? "receives nothing" : "receives " + received);
}

std::string text_of(const Call& call)
{
    const std::string data = data_text(call);
    std::string result = call.function + (data.empty() ? "" : ' ' + data);
    if (algorithm::has_root(call.collective)) result += text("; the root is rank ", call.root);
    return result;
}

} // namespace ortho::engine
