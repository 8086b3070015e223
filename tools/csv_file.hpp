// SPDX-License-Identifier: BSD-3-Clause
// The file of --csv.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <string>
#include <utility>

#include "world_comm.hpp"

namespace bench {

/// A file of lines; without a name, lines are dropped.
class CsvFile {
public:
    /// Begins the file `name` with `header`.  Without a name there is no file.
    CsvFile(const std::string& name, const char* header);

    /// False if a wanted file could not be opened.
    bool is_open() const { return !wanted_ || file_ != nullptr; }
    template <class... Arguments>
    void print(fmt::format_string<Arguments...> format, Arguments&&... arguments)
    {
        if (file_) fmt::print(file_.get(), format, std::forward<Arguments>(arguments)...);
    }
    void flush()
    {
        if (file_) std::fflush(file_.get());
    }

private:
    struct Close {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };
    bool wanted_;
    std::unique_ptr<std::FILE, Close> file_;
};

/// `open`: could rank 0 open its file?  Returns "" if so, else a message, on all processes.
std::string csv_mistake(const World& world, const std::string& name, bool open);

} // namespace bench
