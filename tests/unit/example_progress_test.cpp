// SPDX-License-Identifier: BSD-3-Clause
#include "progress.hpp"

namespace {

TEST(Progress, DurationsHaveTwoOrThreeDigits)
{
    EXPECT_EQ(duration_text(0.2), "0 s");
    EXPECT_EQ(duration_text(99), "99 s");
    EXPECT_EQ(duration_text(100), "2 min");
    EXPECT_EQ(duration_text(3600), "60 min");
    EXPECT_EQ(duration_text(6000), "1.7 h");
}

/// The written text, with our own clock.
class Written {
public:
    explicit Written(bool is_terminal) : is_terminal_(is_terminal) {}
    ~Written() { std::fclose(file_); }
    Written(const Written&) = delete;
    Written& operator=(const Written&) = delete;

    Progress::Surface surface()
    {
        return {file_, is_terminal_, [this] { return now; }};
    }
    std::string text()
    {
        std::string result;
        std::rewind(file_);
        for (int c = std::getc(file_); c != EOF; c = std::getc(file_)) result += static_cast<char>(c);
        return result;
    }
    double now = 1000;

private:
    std::FILE* file_ = std::tmpfile();
    bool is_terminal_;
};

TEST(Progress, ALineEveryHalfMinuteWhereThereIsNoTerminal)
{
    Written written(false);
    {
        Progress progress("cell", 40, "about", written.surface());
        for (int done = 1; done <= 40; ++done) {
            written.now += 10;
            progress.at(done);
        }
    }
    EXPECT_TRUE(
        written.text().starts_with("cell 3 of 40, about 6 min left\ncell 6 of 40, about 6 min left\n"))
        << written.text();
    EXPECT_TRUE(written.text().ends_with("cell 39 of 40, about 10 s left\n")) << written.text();
}

TEST(Progress, ABarOnATerminalThatIsTakenAway)
{
    Written written(true);
    Progress progress("pass", 10, "at most", written.surface());
    written.now += 1;
    progress.at(1); // too early
    written.now += 2;
    progress.at(2);
    written.now += 0.1;
    progress.at(3); // just now
    progress.hide();
    progress.hide();
    written.now += 20;
    progress.at(10); // nothing is left
    EXPECT_EQ(written.text(),
              "\rpass [======>                       ] 2 of 10, at most 12 s left\033[K\r\033[K");
}

TEST(Progress, NothingIsWrittenInAShortRun)
{
    for (const bool is_terminal : {false, true}) {
        Written written(is_terminal);
        {
            Progress progress("cell", 3, "about", written.surface());
            for (int done = 1; done <= 3; ++done) progress.at(done);
        }
        EXPECT_EQ(written.text(), "");
    }
}

} // namespace
