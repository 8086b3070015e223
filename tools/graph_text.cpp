// SPDX-License-Identifier: BSD-3-Clause
// Graphs and partitions in files of others.  No MPI in this file.

#include "graph_text.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <limits>
#include <optional>
#include <utility>

#include "base/error.hpp"

namespace tools {

using ortho::at;
using ortho::base::ErrorKind;

namespace {

/// The lines of a text without comments, and the words of each.  Lines end with LF or CR LF.
class Lines {
public:
    Lines(std::string_view text, const std::string& file) : text_(text), file_(file) {}

    /// Goes to the next line that is no comment.  False behind the last one.
    bool next()
    {
        do {
            if (text_.empty()) return false;
            const std::size_t end = std::min(text_.find('\n'), text_.size());
            line_ = text_.substr(0, end);
            text_.remove_prefix(std::min(end + 1, text_.size()));
            ++number_;
        } while (line_.starts_with('%'));
        return true;
    }
    /// Goes to the next line with words.
    bool next_words()
    {
        while (next())
            if (!Lines(*this).word().empty()) return true;
        return false;
    }
    /// The next word of the line; empty behind the last one.
    std::string_view word()
    {
        const auto is_blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
        while (!line_.empty() && is_blank(line_.front())) line_.remove_prefix(1);
        const auto end = std::ranges::find_if(line_, is_blank) - line_.begin();
        const std::string_view result = line_.substr(0, at(end));
        line_.remove_prefix(at(end));
        return result;
    }
    /// The next word as a number from `least` to `most`.
    std::int64_t number(const char* what, std::int64_t least, std::int64_t most)
    {
        const std::string_view text = word();
        require(!text.empty(), "ends before ", what);
        std::int64_t result = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), result);
        require(end == text.data() + text.size() && error != std::errc::invalid_argument, "has '", text,
                "' for ", what, ", which is no integer");
        require(error == std::errc() && result >= least && result <= most, "has ", text, " for ", what,
                ", which is not from ", least, " to ", most,
                least == 1 && result == 0 ? ": numbers begin at 1" : "");
        return result;
    }
    void require_end(const char* what)
    {
        const std::string_view more = word();
        require(more.empty(), "goes on with '", more, "' after ", what);
    }
    /// Nothing but blank lines follow.
    void require_end_of_file(const char* what)
    {
        while (next()) require_end(what);
    }
    template <class... Words>
    void require(bool condition, const Words&... words) const
    {
        ortho::base::require(condition, ErrorKind::arg, "file", file_, ", line ", number_, " ", words...);
    }
    template <class... Words>
    void require_of_file(bool condition, const Words&... words) const
    {
        ortho::base::require(condition, ErrorKind::arg, "file", file_, " ", words...);
    }

private:
    std::string_view text_;
    std::string_view line_;
    const std::string& file_;
    std::int64_t number_ = 0;
};

using Entry = std::pair<int, int>; // row, column

SparseRows rows_of(std::vector<Entry> entries, int rows)
{
    SparseRows result;
    std::ranges::sort(entries);
    const auto repeated = std::ranges::unique(entries);
    entries.erase(repeated.begin(), repeated.end());
    result.begin.assign(at(rows) + 1, 0);
    for (const auto& [row, column] : entries) ++result.begin[at(row) + 1];
    for (std::size_t i = 1; i < result.begin.size(); ++i) result.begin[i] += result.begin[i - 1];
    for (const auto& [row, column] : entries) result.columns.push_back(column);
    return result;
}

std::string lower(std::string_view word)
{
    std::string result(word);
    for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return result;
}

/// `head`: the first line without %%MatrixMarket.
SparseRows parse_matrix_market(std::string_view head, std::string_view text, const std::string& file)
{
    Lines words(head, file);
    words.require_of_file(words.next(), "ends after %%MatrixMarket");
    const std::string object = lower(words.word());
    const std::string format = lower(words.word());
    const std::string field = lower(words.word());
    const std::string symmetry = lower(words.word());
    words.require(object == "matrix", "has '", object, "' for matrix");
    words.require(format != "array", "says array: each process would need all of a dense matrix");
    words.require(format == "coordinate", "has '", format, "' for coordinate");
    // Others than the four of the format are scipy's.
    constexpr std::array<std::pair<std::string_view, int>, 6> fields{{{"pattern", 0},
                                                                      {"real", 1},
                                                                      {"double", 1},
                                                                      {"integer", 1},
                                                                      {"unsigned-integer", 1},
                                                                      {"complex", 2}}};
    const auto known = std::ranges::find(fields, field, [](const auto& f) { return f.first; });
    words.require(known != fields.end(), "has '", field, "' for pattern, real, integer or complex");
    const bool mirrored = symmetry == "symmetric" || symmetry == "skew-symmetric" || symmetry == "hermitian";
    words.require(mirrored || symmetry == "general", "has '", symmetry,
                  "' for general, symmetric, skew-symmetric or hermitian");
    words.require_end("the symmetry");

    Lines lines(text, file);
    lines.require_of_file(lines.next_words(), "ends before the number of rows");
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    const auto rows = lines.number("the number of rows", 0, most_rows);
    const auto columns = lines.number("the number of columns", 0, most);
    const auto wanted = lines.number("the number of entries", 0, most);
    lines.require_end("the number of entries");
    lines.require(rows == columns, "has ", rows, " rows and ", columns, " columns: the matrix is not square");
    std::vector<Entry> entries;
    std::int64_t found = 0;
    while (found < wanted && lines.next_words()) {
        const auto row = static_cast<int>(lines.number("the row", 1, rows)) - 1;
        const auto column = static_cast<int>(lines.number("the column", 1, rows)) - 1;
        for (int i = 0; i < known->second; ++i) lines.require(!lines.word().empty(), "ends before the value");
        lines.require_end("the entry");
        entries.emplace_back(row, column);
        if (mirrored) entries.emplace_back(column, row);
        ++found;
    }
    lines.require_of_file(found == wanted, "says ", wanted, " entries, and has ", found);
    lines.require_end_of_file("the last entry");
    return rows_of(std::move(entries), static_cast<int>(rows));
}

/// Edges must be in the lists of both ends.
void require_symmetric(const SparseRows& graph, const Lines& lines)
{
    std::vector<Entry> there, back;
    for (int i = 0; i < graph.rows(); ++i)
        for (const int j : graph.row(i)) {
            there.emplace_back(i, j);
            back.emplace_back(j, i);
        }
    std::ranges::sort(there);
    std::ranges::sort(back);
    const auto [one, other] = std::ranges::mismatch(there, back);
    if (one == there.end()) return;
    const auto& [from, to] = std::min(*one, *other);
    const bool lists = *one < *other;
    lines.require_of_file(false, "has ", (lists ? to : from) + 1, " among the neighbors of ",
                          (lists ? from : to) + 1, ", but not the other way round");
}

SparseRows parse_metis(std::string_view text, const std::string& file)
{
    constexpr int most = std::numeric_limits<int>::max();
    Lines lines(text, file);
    lines.require_of_file(lines.next(), "is empty");
    const auto rows = lines.number("the number of vertices", 0, most_rows);
    const auto edges = lines.number("the number of edges", 0, std::numeric_limits<std::int64_t>::max() / 2);
    // Digits: vertices have sizes, vertices have weights, edges have weights.
    const std::string format(lines.word());
    lines.require(format.size() <= 3 && format.find_first_not_of("01") == std::string::npos, "has '", format,
                  "' for up to three digits 0 or 1 that say which weights there are");
    const std::string digits = std::string(3 - format.size(), '0') + format;
    const auto given = Lines(lines).word();
    const std::int64_t constraints = !given.empty() ? lines.number("the weights of a vertex", 1, 1000)
                                                    : digits[1] - '0';
    lines.require_end("the numbers of vertices and edges");
    SparseRows result;
    for (std::int64_t i = 0; i < rows; ++i) {
        lines.require_of_file(lines.next(), "says ", rows, " vertices, and has lines for ", i);
        if (digits[0] == '1') lines.number("the size of a vertex", 0, most);
        for (std::int64_t k = 0; k < (digits[1] == '1' ? constraints : 0); ++k) {
            const auto weight = lines.number("the weight of a vertex", 0, most);
            if (k == 0) result.row_weights.push_back(static_cast<int>(weight)); // METIS balances this one
        }
        while (!Lines(lines).word().empty()) {
            result.columns.push_back(static_cast<int>(lines.number("a neighbor", 1, rows)) - 1);
            lines.require(result.columns.back() != i, "has vertex ", i + 1, " among its own neighbors");
            if (digits[2] == '1')
                result.weights.push_back(static_cast<int>(lines.number("the weight of an edge", 1, most)));
        }
        result.begin.push_back(std::ssize(result.columns));
    }
    lines.require_end_of_file("the last vertex");
    lines.require_of_file(std::ssize(result.columns) == 2 * edges, "says ", edges,
                          " edges, so that vertices have ", 2 * edges, " neighbors in all, but they have ",
                          result.columns.size());
    require_symmetric(result, lines);
    return result;
}

} // namespace

SparseRows parse_rows(std::string_view text, const std::string& file)
{
    constexpr std::string_view banner = "%%matrixmarket";
    if (lower(text.substr(0, banner.size())) != banner) return parse_metis(text, file);
    return parse_matrix_market(text.substr(banner.size()), text, file);
}

std::vector<int> parse_parts(std::string_view text, const std::string& file, int rows)
{
    Lines lines(text, file);
    std::vector<int> result;
    while (lines.next_words()) {
        result.push_back(static_cast<int>(lines.number("a part", 0, std::numeric_limits<int>::max() - 1)));
        lines.require_end("the part");
    }
    lines.require_of_file(std::ssize(result) == rows, "has parts for ", result.size(),
                          " rows, and the graph has ", rows);
    return result;
}

SparseRows symmetric(const SparseRows& rows)
{
    std::vector<Entry> entries;
    for (int i = 0; i < rows.rows(); ++i)
        for (const int j : rows.row(i)) {
            if (i == j) continue;
            entries.emplace_back(i, j);
            entries.emplace_back(j, i);
        }
    return rows_of(std::move(entries), rows.rows());
}

} // namespace tools
