// SPDX-License-Identifier: BSD-3-Clause
#include "csv_file.hpp"

namespace bench {

CsvFile::CsvFile(const std::string& name, const char* header) : wanted_(!name.empty())
{
    if (wanted_) file_.reset(std::fopen(name.c_str(), "w"));
    print("{}\n", header);
}

std::string csv_mistake(const World& world, const std::string& name, bool open)
{
    int said = open ? 1 : 0;
    MPI_Bcast(&said, 1, MPI_INT, 0, world.comm);
    return said == 1 ? "" : fmt::format("--csv {} cannot be written", name);
}

} // namespace bench
