// SPDX-License-Identifier: BSD-3-Clause
// Each program of this folder has these headers before all else, and includes only others.  Make compiles
// them once, and GCC reads the result in their place.

#include "tests/loopback/counted.hpp"
#include "tests/pretend/aliases.hpp"

#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/index.hpp"
#include "check.hpp"
#include "error_checks.hpp"
#include "graphs.hpp"
#include "mpiortho.h"
#include "owned.hpp"
#include "random_cases.hpp"
#include "rings.hpp"

using cases::Random;
using cases::uniform;
using ortho::at;
using test::error_class;
using test::Ints;
using test::message;
using test::refused;
