// SPDX-License-Identifier: BSD-3-Clause
// Parts of examples and of ortho-bench: colors, oscillations, progress, statistics, the doctor's report.
#include <cmath>

#include "bench/doctor_report.hpp"
#include "bench/statistics.hpp"
#include "colors.hpp"
#include "oscillation.hpp"
#include "progress.hpp"

using namespace bench::doctor;

namespace {

/// The lightness of a color, 0 to 100 (CIE L*).
double lightness(const Color& color)
{
    const auto linear = [](int c) {
        const double x = c / 255.0;
        return x <= 0.04045 ? x / 12.92 : std::pow((x + 0.055) / 1.055, 2.4);
    };
    const double y = 0.2126 * linear(color.red) + 0.7152 * linear(color.green) + 0.0722 * linear(color.blue);
    return y > 0.008856 ? 116 * std::cbrt(y) - 16 : 903.3 * y;
}

TEST(Colors, SequentialColorsBecomeLighterInEqualSteps)
{
    const double whole = lightness(sequential_color(1)) - lightness(sequential_color(0));
    EXPECT_GT(whole, 70);
    for (int i = 0; i < 10; ++i) {
        const double step = lightness(sequential_color(0.1 * (i + 1))) - lightness(sequential_color(0.1 * i));
        EXPECT_GT(step, 0.05 * whole) << i;
        EXPECT_LT(step, 0.16 * whole) << i;
    }
}

TEST(Colors, DivergingColorsAreDarkInTheMiddleAndAsLightOnBothSides)
{
    EXPECT_LT(lightness(diverging_color(0)), 10);
    for (const double value : {0.25, 0.5, 0.75, 1.0}) {
        const double cold = lightness(diverging_color(-value)), warm = lightness(diverging_color(value));
        EXPECT_GT(cold, lightness(diverging_color(0.25 - value)));
        EXPECT_NEAR(cold, warm, 8) << value;
    }
    EXPECT_GT(diverging_color(-0.5).blue, diverging_color(-0.5).red);
    EXPECT_GT(diverging_color(0.5).red, diverging_color(0.5).blue);
}

TEST(Colors, WhatIsBeyondTheEndsIsAsTheEnds)
{
    EXPECT_EQ(lightness(diverging_color(7)), lightness(diverging_color(1)));
    EXPECT_EQ(lightness(sequential_color(-7)), lightness(sequential_color(0)));
}

TEST(Colors, BlendsFromOneToTheOther)
{
    const Color half = blend({0, 100, 200}, {100, 100, 0}, 0.5);
    EXPECT_EQ(half.red, 50);
    EXPECT_EQ(half.green, 100);
    EXPECT_EQ(half.blue, 100);
}

TEST(Oscillation, FrequencyOfASine)
{
    Oscillation signal;
    for (int t = 0; t < 1000; ++t) signal.add(std::sin(0.1 * t - 1)); // a period is 62.8
    EXPECT_EQ(signal.periods(0), 15);
    EXPECT_NEAR(signal.frequency(0), 0.1 / 6.283185, 1e-6);
}

TEST(Oscillation, WhatIsEarlierDoesNotCount)
{
    Oscillation signal;
    for (int t = 0; t < 1000; ++t) signal.add(std::sin(0.3 * t));
    for (int t = 1000; t < 2000; ++t) signal.add(std::sin(0.1 * t));
    EXPECT_NEAR(signal.frequency(1000), 0.1 / 6.283185, 1e-5);
    EXPECT_GT(signal.frequency(0), 0.02);
}

TEST(Oscillation, NoFrequencyWithoutAWholePeriod)
{
    Oscillation signal;
    EXPECT_EQ(signal.frequency(0), 0);
    for (int t = 0; t < 80; ++t) signal.add(std::sin(0.1 * t - 1));
    EXPECT_EQ(signal.periods(0), 1);
    EXPECT_EQ(signal.periods(40), 0);
    EXPECT_EQ(signal.frequency(40), 0);
}

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

TEST(Statistics, Medians)
{
    EXPECT_EQ(bench::median({}), 0);
    EXPECT_EQ(bench::median({3, 1, 2}), 2);
    EXPECT_EQ(bench::median({4, 1, 2, 3}), 2.5);
}

TEST(Statistics, GeometricMeans)
{
    EXPECT_EQ(bench::geometric_mean({}), 1);
    EXPECT_NEAR(bench::geometric_mean(std::vector<double>{2, 8}), 4, 1e-12);
}

TEST(Statistics, Verdicts)
{
    const bench::Verdict twice = bench::judge(4, 2, 4);
    EXPECT_EQ(twice.ratio, 2);
    EXPECT_EQ(twice.control, 1);
    EXPECT_FALSE(twice.slower);
    EXPECT_NEAR(bench::judge(8, 2, 2).ratio, 2, 1e-12);
    // Below 0.97 by more than the control differs from 1, whichever of MPI's times is the longer one.
    EXPECT_FALSE(bench::judge(0.98, 1, 0.98).slower);
    EXPECT_TRUE(bench::judge(0.96, 1, 0.96).slower);
    EXPECT_FALSE(bench::judge(0.95, 1, 0.90).slower);
    EXPECT_FALSE(bench::judge(0.90, 1, 0.95).slower);
    EXPECT_TRUE(bench::judge(0.92, 1, 0.90).slower);
    EXPECT_TRUE(bench::judge(0.90, 1, 0.92).slower);
}

TEST(Statistics, Ratios)
{
    EXPECT_EQ(bench::ratios(std::vector<double>{6, 9}, std::vector<double>{2, 3}),
              (std::vector<double>{3, 3}));
}

/// The tables in books for 95 %.
TEST(Statistics, RanksOfTheInterval)
{
    const struct {
        int n, low;
        double coverage;
    } known[] = {{1, 1, 0},          {2, 1, 0.5},        {5, 1, 0.9375},
                 {6, 1, 0.96875},    {8, 1, 0.9921875},  {9, 2, 0.9609375},
                 {12, 3, 0.9614258}, {15, 4, 0.9648438}, {20, 6, 0.9586105}};
    for (const auto& [n, low, coverage] : known) {
        std::vector<double> numbers(at(n));
        std::iota(numbers.rbegin(), numbers.rend(), 1.0);
        const bench::Estimate estimate = bench::estimate_median(numbers);
        EXPECT_EQ(estimate.low, low) << n;
        EXPECT_EQ(estimate.high, n + 1 - low) << n;
        EXPECT_NEAR(estimate.coverage, coverage, 1e-6) << n;
        EXPECT_EQ(estimate.median, (n + 1) / 2.0) << n;
    }
}

TEST(DoctorReport, saysThatThereIsNoProblem)
{
    EXPECT_EQ(
        page_of({"title", {{"Program", {{"MPI", "one"}, {"tune file", "none"}}}}, {}}),
        "title\n\nProgram\n  MPI        one\n  tune file  none\n\nProblems\n  This program sees none.\n");
    EXPECT_EQ(json_of({"title", {}, {}}), "{\n  \"title\": \"title\",\n  \"problems\": []\n}\n");
}

TEST(DoctorReport, hasTablesAndProblems)
{
    const Report report{
        "t",
        {{"Nodes", {{"/dev/shm", "a \"b\"\n"}}, {"node", "GB/s"}, {{{"h0"}, {"12.5", true}}}}},
        {{"It is slow.", "Wait."}}};
    EXPECT_EQ(page_of(report), "t\n\nNodes\n  /dev/shm  a \"b\"\n\n  node  GB/s\n  h0    12.5\n\n"
                               "Problems\n  1. It is slow.\n     Wait.\n");
    EXPECT_EQ(json_of(report),
              "{\n  \"title\": \"t\",\n  \"nodes\": {\n    \"dev_shm\": \"a \\\"b\\\"\\u000a\",\n"
              "    \"table\": [\n      {\"node\": \"h0\", \"gb_s\": 12.5}\n    ]\n  },\n"
              "  \"problems\": [\n    {\"what\": \"It is slow.\", \"remedy\": \"Wait.\"}\n  ]\n}\n");
}

} // namespace
