// SPDX-License-Identifier: BSD-3-Clause
// The answers of all placement methods.  No MPI in this file.

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <utility>

#include "base/index.hpp"
#include "base/text.hpp"
#include "placement/boxes.hpp"
#include "placement/gropp.hpp"
#include "placement/kernighan_lin.hpp"
#include "placement/placement.hpp"
#include "placement/strips.hpp"

namespace ortho::placement {

namespace {

// Limits of effort: a million processes take a few seconds, a thousand some milliseconds.
constexpr std::int64_t most_strips = 32;
constexpr std::int64_t work_on_strips = 100'000'000;    // points and edges looked at
constexpr std::int64_t work_on_exchanges = 150'000'000; // the same unit, for all exchanges
constexpr int most_exchanged = 4;                       // number of placements that exchanges begin with

class Proposals {
public:
    Proposals(const grid::Neighborhood& neighborhood, std::span<const std::int64_t> weights,
              const grid::Nodes& nodes)
        : neighborhood_(neighborhood),
          weights_(weights),
          nodes_(nodes),
          size_(*std::ranges::max_element(nodes.sizes())),
          are_equal_(std::int64_t{size_} * nodes.count() == nodes.processes())
    {
        std::vector<int> order(at(nodes.count()));
        std::iota(order.begin(), order.end(), 0);
        orders_.push_back(order);
        if (are_equal_) return;
        std::ranges::stable_sort(order, [&](int a, int b) { return nodes.size(a) > nodes.size(b); });
        if (order != orders_[0]) orders_.push_back(order);
    }

    std::vector<Proposal> run()
    {
        add("as numbered", NodeOfPoint(nodes_.of_all().begin(), nodes_.of_all().end()));
        if (nodes_.count() == 1 || size_ == 1) return std::move(proposals_);
        add_gropp();
        add_boxes();
        add_strips();
        add_exchanges();
        return std::move(proposals_);
    }

private:
    void add(std::string_view method, NodeOfPoint node_of)
    {
        const EdgeCut cut = count_cut(neighborhood_, weights_, node_of);
        proposals_.push_back({method, std::move(node_of), "", cut});
    }

    void add_none(std::string_view method, std::string why_not)
    {
        proposals_.push_back({method, {}, std::move(why_not), {}});
    }

    /// The best of several answers of one method, and the one with the least total, from which exchanges may
    /// find a better one.
    class Best {
    public:
        explicit Best(Proposals& proposals) : proposals_(proposals) {}

        void consider(NodeOfPoint node_of)
        {
            const EdgeCut cut = count_cut(proposals_.neighborhood_, proposals_.weights_, node_of);
            if (!fewest_.has_answer() || cut.total < fewest_.cut.total) fewest_ = {"", node_of, "", cut};
            if (!best_.has_answer() || cut < best_.cut) best_ = {"", std::move(node_of), "", cut};
        }
        void add(std::string_view method)
        {
            if (fewest_.cut != best_.cut) proposals_.starts_.push_back(std::move(fewest_));
            best_.method = method;
            proposals_.proposals_.push_back(std::move(best_));
        }

    private:
        Proposals& proposals_;
        Proposal best_;
        Proposal fewest_;
    };

    void add_gropp()
    {
        std::string why_not;
        if (std::optional<NodeOfPoint> answer = gropp(neighborhood_.grid, nodes_, &why_not))
            add("gropp", std::move(*answer));
        else
            add_none("gropp", why_not);
    }

    void add_boxes()
    {
        if (!are_equal_) return add_none("boxes", "nodes have different sizes");
        if (const auto box = best_box(neighborhood_, weights_, size_))
            add("boxes", on_boxes(neighborhood_.grid, *box));
        else
            add_none("boxes", base::text("no box of ", size_, " points divides the grid"));
    }

    void add_strips()
    {
        const std::int64_t cost = std::int64_t{neighborhood_.grid.points()} * (neighborhood_.size() + 8) *
                                  std::ssize(orders_);
        const auto most = static_cast<int>(std::clamp<std::int64_t>(work_on_strips / cost, 3, most_strips));
        Best best(*this);
        for (const Strips& strips : promising_strips(neighborhood_, weights_, nodes_.count(), most)) {
            const std::vector<int> points = points_along(neighborhood_.grid, strips);
            for (const auto& order : orders_) best.consider(nodes_along(points, nodes_.sizes(), order));
        }
        best.add("strips");
    }

    void add_exchanges()
    {
        std::vector<const Proposal*> starts;
        for (const Proposal& proposal : proposals_)
            if (proposal.has_answer()) starts.push_back(&proposal);
        for (const Proposal& start : starts_) starts.push_back(&start);
        std::ranges::stable_sort(starts, {}, &Proposal::cut);
        const auto same = [](const Proposal* a, const Proposal* b) { return a->node_of == b->node_of; };
        starts.erase(std::unique(starts.begin(), starts.end(), same), starts.end());
        if (starts.size() > most_exchanged) starts.resize(most_exchanged);
        // For a million points the graph alone takes long, and there is next to nothing to gain.
        const std::int64_t a_pass = std::int64_t{neighborhood_.grid.points()} *
                                    (8 * neighborhood_.size() + 1);
        const std::int64_t runs = work_on_exchanges / 8 / a_pass;
        if (runs == 0) return add_none("exchanges", "too many processes");
        if (std::ssize(starts) > runs) starts.resize(static_cast<std::size_t>(runs));
        const PointGraph graph(neighborhood_, weights_);
        Best best(*this);
        for (const Proposal* start : starts) {
            NodeOfPoint node_of = start->node_of;
            exchange(graph, node_of, work_on_exchanges / std::ssize(starts));
            best.consider(std::move(node_of));
        }
        best.add("exchanges");
    }

    const grid::Neighborhood& neighborhood_;
    std::span<const std::int64_t> weights_;
    const grid::Nodes& nodes_;
    int size_;                             // of the largest node
    bool are_equal_;                       // do all nodes have that size?
    std::vector<std::vector<int>> orders_; // of nodes along a curve: as given, and by size
    std::vector<Proposal> proposals_;
    std::vector<Proposal> starts_; // more of them for exchanges
};

} // namespace

std::vector<Proposal> propose(const grid::Neighborhood& neighborhood, std::span<const std::int64_t> weights,
                              const grid::Nodes& nodes)
{
    return Proposals(neighborhood, weights, nodes).run();
}

const Proposal& best_of(const std::vector<Proposal>& proposals)
{
    const auto no_worse = [](const Proposal& proposal, const EdgeCut& than) {
        return proposal.has_answer() && proposal.cut.total <= than.total &&
               proposal.cut.of_a_node <= than.of_a_node;
    };
    const Proposal* best = &proposals.front();
    EdgeCut at_most = best->cut; // in both
    for (const Proposal& proposal : proposals) {
        if (!no_worse(proposal, at_most)) continue;
        if (proposal.method == "gropp") at_most = proposal.cut;
        if (proposal.cut < best->cut) best = &proposal;
    }
    return *best;
}

} // namespace ortho::placement
