// SPDX-License-Identifier: BSD-3-Clause
// Each test of units has these headers before all else, and includes only others.  Make compiles them once,
// and GCC reads the result in their place.  Names of the library need no prefix there.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "algorithm/algorithm.hpp"
#include "base/error.hpp"
#include "base/index.hpp"
#include "grid/halo.hpp"
#include "grid/nodes.hpp"
#include "random_cases.hpp"
#include "schedule/work.hpp"

using namespace ortho;
