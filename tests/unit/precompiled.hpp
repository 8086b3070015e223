// SPDX-License-Identifier: BSD-3-Clause
// The headers that most tests of units include.  Make compiles them once, before all tests, and GCC reads the
// result in their place.  Each test includes what it needs all the same.

#include <gtest/gtest.h>

#include <algorithm>
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
#include "base/index.hpp"
#include "random_cases.hpp"
#include "schedule/cost.hpp"
