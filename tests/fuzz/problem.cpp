// SPDX-License-Identifier: BSD-3-Clause
// Problems as ortho-plan takes them: alltoall:torus 4x4:moore:1:1KiB.
#include "fuzz.hpp"
#include "specification.hpp"

FUZZ(base::Error, text)
{
    const tools::Specification problem = tools::parse_specification(text);
    demand(problem.block_bytes >= 0 && problem.is_halo() == problem.fields.has_value());
}
