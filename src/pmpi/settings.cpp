// SPDX-License-Identifier: BSD-3-Clause
// What the environment says to the interposer.

#include "pmpi/settings.hpp"

#include <cstdio>

#include "base/environment.hpp"

namespace ortho::pmpi {

namespace {

Mode read_mode()
{
    const auto value = base::environment("ORTHO_PMPI");
    if (!value || *value == "neighbor") return Mode::neighbor;
    if (*value == "unify") return Mode::unify;
    if (*value == "off") return Mode::off;
    std::fprintf(stderr, "mpiortho: ORTHO_PMPI=%s is none of neighbor, unify, off; neighbor is taken\n",
                 value->c_str());
    return Mode::neighbor;
}

bool is_on(const char* name) { return base::environment_flag(name).value_or(false); }

} // namespace

Mode mode()
{
    static const Mode value = read_mode();
    return value;
}

bool is_strict()
{
    static const bool value = is_on("ORTHO_STRICT") && mode() != Mode::off;
    return value;
}

bool may_reorder()
{
    static const bool value = is_on("ORTHO_PMPI_REORDER");
    return value;
}

bool wants_report()
{
    static const bool value = is_on("ORTHO_PMPI_REPORT");
    return value;
}

} // namespace ortho::pmpi
