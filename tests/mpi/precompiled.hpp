// SPDX-License-Identifier: BSD-3-Clause
// The headers that most programs of this folder include, and those that come before all others.  Make compiles
// them once, and GCC reads the result in their place.  Each program includes what it needs all the same.

#include "tests/loopback/counted.hpp"
#include "tests/pretend/aliases.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "base/index.hpp"
#include "check.hpp"
#include "error_checks.hpp"
#include "mpiortho.h"
#include "random_cases.hpp"
