// SPDX-License-Identifier: BSD-3-Clause
// The report of `ortho-bench doctor`, as a page and as JSON.  No MPI in this file.
#pragma once

#include <string>
#include <vector>

namespace bench::doctor {

/// A text, or a number that JSON has without quotes.
struct Cell {
    std::string text;
    bool is_number = false;
};

/// A line of a section.
struct Fact {
    std::string name;
    std::string words;
};

/// Facts, and perhaps a table below them.
struct Section {
    std::string title;
    std::vector<Fact> facts;
    std::vector<std::string> columns = {}; ///< their names
    std::vector<std::vector<Cell>> rows = {};
};

/// Something that is wrong or slow, and what to do about it: a sentence each.
struct Problem {
    std::string what;
    std::string remedy;
};

struct Report {
    std::string title;
    std::vector<Section> sections;
    std::vector<Problem> problems;
};

/// The page.  Lines are as long as their facts, so that paths and names can be copied.
std::string page_of(const Report& report);

/// An object with a member for each section and a list of problems.  A section's members are its facts, and
/// `table`, a list of objects.
std::string json_of(const Report& report);

} // namespace bench::doctor
