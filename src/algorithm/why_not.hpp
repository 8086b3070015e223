// SPDX-License-Identifier: BSD-3-Clause
// Why an algorithm does not apply to a call.  No MPI in this file.
#pragma once

#include <cstdint>
#include <string_view>

namespace ortho::algorithm {

enum class WhyNot : std::uint8_t {
    nothing, ///< it applies
    not_isomorphic,
    counts_may_differ,
    sizes_may_differ,
    sizes_differ,
    one_node,
    nodes_unknown,
    too_many_edges,
    one_size,
    not_persistent,
    no_rounds,
    not_commutative,
    results_may_differ,
    others_named,
    may_be_left_alone,
    verified,
    not_attached,
};
/// The last one.
inline constexpr WhyNot last_why_not = WhyNot::not_attached;

/// A sentence for the user, which begins with a small letter and has no full stop: what is so, and what to do
/// about it if anything can be done.  Empty if the algorithm applies.
std::string_view text_of(WhyNot why_not);

} // namespace ortho::algorithm
