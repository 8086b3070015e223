// SPDX-License-Identifier: BSD-3-Clause
// Files that ortho-plan writes.
#pragma once

#include <fstream>
#include <string>

namespace plan {

/// Ends the writing of a file that the option names.  Throws base::Error unless all of it could be written.
void finish_file(std::ofstream& out, const char* option, const std::string& name);

} // namespace plan
