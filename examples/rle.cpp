// SPDX-License-Identifier: BSD-3-Clause
// Patterns of cellular automata in the run-length encoded format (.rle).

#include "rle.hpp"

#include <cctype>
#include <istream>
#include <sstream>

namespace {

constexpr int largest = 1 << 30;

/// Walks through the numbers and words of one header line.
class Header {
public:
    Header(const std::string& text, int line) : text_(text), line_(line) {}

    Pattern read()
    {
        Pattern pattern;
        pattern.columns = size("x");
        expect(',');
        pattern.rows = size("y");
        if (!at_end()) {
            expect(',');
            word("rule");
            expect('=');
            check_rule();
        }
        return pattern;
    }

private:
    void skip()
    {
        while (position_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[position_])) != 0)
            ++position_;
    }
    bool at_end()
    {
        skip();
        return position_ == text_.size();
    }
    [[noreturn]] void fail() const
    {
        throw PatternError(line_, "'" + text_ + "' is no header of the form x = m, y = n, rule = B3/S23");
    }
    void expect(char c)
    {
        if (at_end() || text_[position_++] != c) fail();
    }
    void word(const std::string& name)
    {
        skip();
        if (text_.compare(position_, name.size(), name) != 0) fail();
        position_ += name.size();
    }
    int size(const std::string& name)
    {
        word(name);
        expect('=');
        skip();
        const std::size_t begin = position_;
        long long value = 0;
        while (position_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[position_])) != 0) {
            value = 10 * value + (text_[position_++] - '0');
            if (value > largest) throw PatternError(line_, "the pattern's " + name + " is too large");
        }
        if (position_ == begin) fail();
        return static_cast<int>(value);
    }
    void check_rule()
    {
        skip();
        std::string rule = text_.substr(position_);
        while (!rule.empty() && std::isspace(static_cast<unsigned char>(rule.back())) != 0) rule.pop_back();
        std::string upper;
        for (const char c : rule) upper += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
        if (upper != "B3/S23" && upper != "S23/B3" && upper != "23/3" && upper != "B3S23" && upper != "LIFE")
            throw PatternError(line_, "the rule is '" + rule + "'; only Conway's B3/S23 is known");
    }

    const std::string& text_;
    int line_;
    std::size_t position_ = 0;
};

/// Collects the runs of the pattern's body.
class Body {
public:
    explicit Body(Pattern& pattern) : pattern_(pattern) {}

    /// Takes one line.  Has the pattern ended?
    bool read(const std::string& text, int line)
    {
        for (const char c : text) {
            if (std::isspace(static_cast<unsigned char>(c)) != 0) continue;
            if (std::isdigit(static_cast<unsigned char>(c)) != 0) {
                count_ = 10 * (count_ == none ? 0 : count_) + (c - '0');
                if (count_ > largest) throw PatternError(line, "a run is too long");
                continue;
            }
            if (count_ == 0) throw PatternError(line, "a run of length 0");
            if (c == '!') {
                if (count_ != none) throw PatternError(line, "a number before '!'");
                return true;
            }
            run(c, count_ == none ? 1 : static_cast<int>(count_), line);
            count_ = none;
        }
        return false;
    }

private:
    void run(char c, int n, int line)
    {
        switch (c) {
        case '$':
            row_ += n;
            column_ = 0;
            return;
        case 'b': break;
        case 'o':
            for (int i = 0; i < n && column_ + i < pattern_.columns; ++i)
                if (row_ < pattern_.rows)
                    pattern_.cells.emplace_back(static_cast<int>(row_), static_cast<int>(column_) + i);
            if (row_ >= pattern_.rows || column_ + n > pattern_.columns)
                throw PatternError(line, "a cell outside the size that the header gives");
            break;
        default: throw PatternError(line, std::string("'") + c + "' is none of b, o, $, !");
        }
        column_ += n;
    }

    Pattern& pattern_;
    long long row_ = 0;
    long long column_ = 0;
    static constexpr long long none = -1;
    long long count_ = none; // of the run being read
};

} // namespace

Pattern read_rle(std::istream& in)
{
    Pattern pattern;
    Body body(pattern);
    bool has_header = false;
    std::string text;
    int line = 0;
    while (std::getline(in, text)) {
        ++line;
        if (!text.empty() && text.back() == '\r') text.pop_back();
        if (text.find_first_not_of(" \t") == std::string::npos || text[0] == '#') continue;
        if (!has_header) {
            pattern = Header(text, line).read();
            has_header = true;
        } else if (body.read(text, line)) {
            return pattern; // whatever follows is commentary
        }
    }
    throw PatternError(line, has_header ? "the pattern ends without '!'" : "there is no header");
}
