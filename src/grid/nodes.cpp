// SPDX-License-Identifier: BSD-3-Clause
// Which processes share a node.  No MPI in this file.

#include "grid/nodes.hpp"

#include <algorithm>
#include <charconv>
#include <unordered_map>

namespace ortho::grid {

Nodes::Nodes(std::span<const int> labels)
{
    node_.reserve(labels.size());
    std::unordered_map<int, int> numbers;
    for (const int label : labels) {
        const int node = numbers.try_emplace(label, static_cast<int>(numbers.size())).first->second;
        if (node == count()) sizes_.push_back(0);
        ++sizes_[static_cast<std::size_t>(node)];
        node_.push_back(node);
    }
}

Nodes Nodes::consecutive(int processes, std::span<const int> sizes)
{
    Nodes result;
    result.node_.reserve(static_cast<std::size_t>(processes));
    for (std::size_t i = 0; result.processes() < processes; ++i) {
        const int size = std::min(sizes[std::min(i, sizes.size() - 1)], processes - result.processes());
        result.node_.insert(result.node_.end(), static_cast<std::size_t>(size), static_cast<int>(i));
        result.sizes_.push_back(size);
    }
    return result;
}

Nodes Nodes::renumbered(std::span<const int> old_of) const
{
    std::vector<int> labels;
    labels.reserve(old_of.size());
    for (const int old : old_of) labels.push_back(of(old));
    return Nodes(labels);
}

std::optional<std::vector<int>> parse_node_sizes(std::string_view text)
{
    constexpr std::string_view blanks = " \t\n";
    std::vector<int> sizes;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        std::string_view item = text.substr(begin, end - begin);
        item.remove_prefix(std::min(item.find_first_not_of(blanks), item.size()));
        item = item.substr(0, item.find_last_not_of(blanks) + 1);
        int size = 0;
        const auto [rest, error] = std::from_chars(item.data(), item.data() + item.size(), size);
        if (error != std::errc() || rest != item.data() + item.size() || size < 1) return std::nullopt;
        sizes.push_back(size);
        begin = end + 1;
    }
    return sizes;
}

} // namespace ortho::grid
