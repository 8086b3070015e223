// SPDX-License-Identifier: BSD-3-Clause
#include "bench/doctor_report.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdio>

namespace bench::doctor {

namespace {

/// The text with blanks before it, or behind it, up to a width.
std::string padded(const std::string& text, std::size_t width, bool right = false)
{
    const std::string blanks(width - std::min(width, text.size()), ' ');
    return right ? blanks + text : text + blanks;
}

void append_table(std::string& page, const Section& section)
{
    std::vector<std::size_t> widths;
    for (std::size_t i = 0; i < section.columns.size(); ++i) {
        std::size_t width = section.columns[i].size();
        for (const auto& row : section.rows) width = std::max(width, row[i].text.size());
        widths.push_back(width);
    }
    const auto append_row = [&](const auto& text_of) {
        std::string line = " ";
        for (std::size_t i = 0; i < widths.size(); ++i) {
            // Numbers stand below each other, and so does the name above them.
            const bool right = !section.rows.empty() && section.rows[0][i].is_number;
            line += ' ' + padded(text_of(i), widths[i], right) + ' ';
        }
        page += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
    };
    append_row([&](std::size_t i) { return section.columns[i]; });
    for (const auto& row : section.rows) append_row([&](std::size_t i) { return row[i].text; });
}

std::string quoted(const std::string& text)
{
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\')
            result += {'\\', c};
        else if (static_cast<unsigned char>(c) < ' ') {
            char code[8];
            std::snprintf(code, sizeof code, "\\u%04x", static_cast<unsigned>(c));
            result += code;
        } else
            result += c;
    }
    return result + '"';
}

/// "one copy" as "one_copy", "/dev/shm" as "dev_shm".
std::string key_of(const std::string& name)
{
    std::string result;
    for (const char c : name.substr(std::min(name.size(), name.find_first_not_of('/'))))
        result += std::isalnum(static_cast<unsigned char>(c)) != 0
                      ? static_cast<char>(std::tolower(static_cast<unsigned char>(c)))
                      : '_';
    return quoted(result);
}

std::string table_of(const Section& section)
{
    std::string result;
    for (const auto& row : section.rows) {
        std::string members;
        for (std::size_t i = 0; i < row.size(); ++i)
            members += (i == 0 ? "" : ", ") + key_of(section.columns[i]) + ": " +
                       (row[i].is_number ? row[i].text : quoted(row[i].text));
        result += (result.empty() ? "" : ",") + ("\n      {" + members + "}");
    }
    return "[" + result + "\n    ]";
}

} // namespace

std::string page_of(const Report& report)
{
    std::string page = report.title + '\n';
    for (const Section& section : report.sections) {
        page += '\n' + section.title + '\n';
        std::size_t longest = 0;
        for (const Fact& fact : section.facts) longest = std::max(longest, fact.name.size());
        for (const Fact& fact : section.facts)
            page += "  " + padded(fact.name, longest) + "  " + fact.words + '\n';
        if (!section.columns.empty()) append_table(page, section);
    }
    page += "\nProblems\n";
    if (report.problems.empty()) page += "  This program sees none.\n";
    for (std::size_t i = 0; i < report.problems.size(); ++i)
        page += "  " + std::to_string(i + 1) + ". " + report.problems[i].what + "\n     " +
                report.problems[i].remedy + '\n';
    return page;
}

std::string json_of(const Report& report)
{
    std::string json = "{\n  \"title\": " + quoted(report.title);
    for (const Section& section : report.sections) {
        std::string members;
        const auto add = [&](const std::string& key, const std::string& value) {
            members += (members.empty() ? "" : ",") + ("\n    " + key + ": " + value);
        };
        for (const Fact& fact : section.facts) add(key_of(fact.name), quoted(fact.words));
        if (!section.columns.empty()) add("\"table\"", table_of(section));
        json += ",\n  " + key_of(section.title) + ": {" + members + "\n  }";
    }
    std::string problems;
    for (const Problem& problem : report.problems)
        problems += (problems.empty() ? "" : ",") + ("\n    {\"what\": " + quoted(problem.what) +
                                                     ", \"remedy\": " + quoted(problem.remedy) + "}");
    return json + ",\n  \"problems\": [" + problems + (problems.empty() ? "" : "\n  ") + "]\n}\n";
}

} // namespace bench::doctor
