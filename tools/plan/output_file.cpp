// SPDX-License-Identifier: BSD-3-Clause
// Files that ortho-plan writes.

#include "plan/output_file.hpp"

#include "base/error.hpp"

namespace plan {

void finish_file(std::ofstream& out, const char* option, const std::string& name)
{
    out.close();
    ortho::base::require(!out.fail(), ortho::base::ErrorKind::arg, option, "--", option, " ", name,
                         " cannot be written");
}

} // namespace plan
