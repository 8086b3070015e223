// SPDX-License-Identifier: BSD-3-Clause
// A call with everything in place, and how that came to be.
#pragma once

#include <memory>

#include "engine/binding.hpp"
#include "engine/explain.hpp"

namespace ortho::engine {

struct BoundCall {
    std::shared_ptr<Binding> binding;
    std::shared_ptr<Decision> decision; ///< null once nobody will ask
};

} // namespace ortho::engine
