// SPDX-License-Identifier: BSD-3-Clause
// Problems as ortho-plan takes them: alltoall:torus 4x4:moore:1:1KiB.
#include "base/error.hpp"
#include "fuzz.hpp"
#include "specification.hpp"

namespace {

void take(const std::string& text)
{
    const tools::Specification problem = tools::parse_specification(text);
    demand(problem.block_bytes >= 0 && problem.is_halo() == problem.fields.has_value());
}

} // namespace

FUZZ(ortho::base::Error, take)
