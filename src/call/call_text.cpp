// SPDX-License-Identifier: BSD-3-Clause
// A call in words.

#include "call/call_text.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "call/call.hpp"
#include "mpi/object_info.hpp"

namespace ortho::call {

namespace {

using base::counted;
using base::text;

/// "8 MPI_INT", "1 to 8 MPI_INT"; `many` stands behind all numbers but 1.
std::string words_of(const Extremes& numbers, const std::string& one, const std::string& many)
{
    return (numbers.least == numbers.most ? std::string() : text(numbers.least, " to ")) +
           counted(numbers.most, one, many);
}

BlocksText text_of(const BufferBlocks& blocks)
{
    BlocksText result;
    MPI_Datatype type = MPI_DATATYPE_NULL; // of all that have elements
    for (int slot = 0; slot < blocks.slots(); ++slot) {
        if (blocks.is_gap(slot)) continue;
        ++result.blocks;
        result.elements.add(blocks.count(slot));
        result.bytes.add(blocks.bytes(slot));
        if (blocks.count(slot) == 0) continue;
        result.has_several = result.has_several || (type != MPI_DATATYPE_NULL && type != blocks.type(slot));
        type = blocks.type(slot);
    }
    result.has_elements = type != MPI_DATATYPE_NULL;
    if (result.has_elements && !result.has_several) result.type = mpi::type_name(type);
    return result;
}

} // namespace

void Extremes::add(MPI_Count number)
{
    least = std::min(least, number);
    most = std::max(most, number);
}

void BlocksText::replace(const BufferBlocks& others, std::size_t element_bytes)
{
    blocks = 0;
    elements = bytes = {};
    for (int slot = 0; slot < others.slots(); ++slot) {
        if (others.is_gap(slot)) continue;
        ++blocks;
        elements.add(others.count(slot));
    }
    for (const auto number : {&Extremes::least, &Extremes::most})
        bytes.*number = elements.*number * static_cast<MPI_Count>(element_bytes);
    has_elements = elements.most > 0;
    if (has_elements && type.empty() && !has_several) type = mpi::type_name(others.type(0));
}

std::string BlocksText::words() const
{
    if (blocks == 0) return {};
    const std::string size = words_of(bytes, "byte", "bytes");
    const char* const each = blocks > 1 ? " each" : "";
    if (has_elements && !type.empty())
        return text(counted(blocks, "block"), " of ", words_of(elements, type, type), " (", size, each, ")");
    const char* const whose = has_several     ? " of several datatypes"
                              : !has_elements ? ""
                                              : " of a datatype without a name";
    return text(counted(blocks, "block"), " of ", size, each, " (", words_of(elements, "element", "elements"),
                whose, ")");
}

std::string CallText::data() const
{
    if (!given.empty()) return given;
    const std::string sent = send.words();
    const std::string received = receive.words();
    if (sent == received) return sent.empty() ? "" : "sends and receives " + sent;
    return text(sent.empty() ? "sends nothing" : "sends " + sent, ", ",
                received.empty() ? "receives nothing" : "receives " + received);
}

std::string CallText::words() const
{
    const std::string moved = data();
    std::string result = function + (moved.empty() ? "" : ' ' + moved);
    if (root) result += text("; the root is rank ", *root);
    return result;
}

CallText text_of(const Call& call)
{
    CallText result{call.function, call.data, {}, {}, {}};
    if (algorithm::has_root(call.collective)) result.root = call.root;
    if (!call.data.empty()) return result;
    result.send = text_of(call.send);
    result.receive = text_of(call.receive);
    return result;
}

} // namespace ortho::call
