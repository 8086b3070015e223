// SPDX-License-Identifier: BSD-3-Clause
// The processes of each node.  No MPI in this file.

#include "grid/nodes.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "base/environment.hpp"
#include "base/index.hpp"
#include "base/text.hpp"

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
    list_members();
}

void Nodes::list_members()
{
    members_.resize(node_.size());
    first_.assign(sizes_.size(), 0);
    std::exclusive_scan(sizes_.begin(), sizes_.end(), first_.begin(), 0);
    std::vector<int> next = first_;
    for (int process = 0; process < processes(); ++process) members_[at(next[at(of(process))]++)] = process;
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
    result.list_members();
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
    std::vector<int> sizes;
    for (const std::string_view item : base::items_of(text)) {
        const auto size = base::positive_number(item);
        if (!size) return std::nullopt;
        sizes.push_back(*size);
    }
    return sizes;
}

} // namespace ortho::grid
