// SPDX-License-Identifier: BSD-3-Clause
#include "agree/ballot.hpp"

#include <limits>

#include "threads.hpp"

using namespace ortho::agree;

namespace {

/// Runs a program on so many processes.  Returns the number of reductions.
int run(int n, const std::function<void(int rank, const Ballot::Maximize&)>& program)
{
    cases::Processes processes(n);
    processes.run([&](int rank) {
        program(rank, [&](std::span<long long> numbers) {
            for (const auto& theirs : processes.gather(rank, {numbers.begin(), numbers.end()})) {
                EXPECT_EQ(theirs.size(), numbers.size());
                std::ranges::transform(theirs, numbers, numbers.begin(), std::ranges::max);
            }
        });
    });
    return processes.gathers();
}

constexpr long long least = std::numeric_limits<long long>::min();
constexpr long long most = std::numeric_limits<long long>::max();

/// Three processes say these numbers, or nothing: is it one number?
bool are_equal(const std::vector<std::optional<long long>>& numbers)
{
    std::vector<int> answers(numbers.size());
    run(static_cast<int>(numbers.size()), [&](int rank, const Ballot::Maximize& maximize) {
        Ballot ballot;
        AllEqual slot(ballot);
        const auto i = static_cast<std::size_t>(rank);
        if (numbers[i]) slot.say(*numbers[i]);
        ballot.hold(maximize);
        answers[i] = slot.holds() ? 1 : 0;
    });
    EXPECT_EQ(std::ranges::count(answers, answers.front()), std::ssize(answers));
    return answers.front() != 0;
}

} // namespace

TEST(Ballot, HasManySlotsInOneReduction)
{
    const int reductions = run(4, [](int rank, const Ballot::Maximize& maximize) {
        Ballot ballot;
        const Largest largest(ballot, 10 - rank);
        const Smallest smallest(ballot, 10 - rank);
        const AllTrue all_are_small(ballot, rank < 4);
        const AllTrue all_are_first(ballot, rank == 0);
        const AnyTrue any_is_first(ballot, rank == 0);
        const AnyTrue any_is_large(ballot, rank == 4);
        const AllEqual size(ballot, 4);
        const AllEqual number(ballot, rank);
        ballot.hold(maximize);
        EXPECT_EQ(largest.value(), 10);
        EXPECT_EQ(smallest.value(), 7);
        EXPECT_TRUE(all_are_small.holds());
        EXPECT_FALSE(all_are_first.holds());
        EXPECT_TRUE(any_is_first.holds());
        EXPECT_FALSE(any_is_large.holds());
        EXPECT_TRUE(size.holds());
        EXPECT_EQ(size.value(), 4);
        EXPECT_FALSE(number.holds());
    });
    EXPECT_EQ(reductions, 1);
}

TEST(Ballot, NobodySpeaksForThoseWhoSayNothing)
{
    run(3, [](int rank, const Ballot::Maximize& maximize) {
        Ballot ballot;
        Largest largest(ballot);
        const Largest nobodys(ballot);
        Smallest smallest(ballot);
        AllTrue all(ballot);
        const AllTrue all_of_none(ballot);
        const AnyTrue any_of_none(ballot);
        const AllEqual equal_of_none(ballot);
        if (rank == 1) {
            largest.say(-5);
            smallest.say(5);
            all.say(false);
        }
        ballot.hold(maximize);
        EXPECT_EQ(largest.value(), -5);
        EXPECT_TRUE(largest.is_said());
        EXPECT_FALSE(nobodys.is_said());
        EXPECT_EQ(smallest.value(), 5);
        EXPECT_FALSE(all.holds());
        EXPECT_TRUE(all_of_none.holds());
        EXPECT_FALSE(any_of_none.holds());
        EXPECT_FALSE(equal_of_none.is_said());
    });
}

TEST(Ballot, TellsEqualNumbersAtTheEndsToo)
{
    EXPECT_TRUE(are_equal({7, 7, 7}));
    EXPECT_FALSE(are_equal({7, 7, 8}));
    EXPECT_FALSE(are_equal({6, 7, 7}));
    EXPECT_TRUE(are_equal({7, {}, 7}));
    EXPECT_FALSE(are_equal({7, {}, 8}));
    EXPECT_TRUE(are_equal({{}, {}, {}}));
    EXPECT_TRUE(are_equal({least, least, least}));
    EXPECT_TRUE(are_equal({most, most, {}}));
    EXPECT_FALSE(are_equal({least, most, least}));
    EXPECT_FALSE(are_equal({0, -1, -1}));
}

TEST(Ballot, TellsListsApart)
{
    const auto are_same = [](const std::vector<std::vector<int>>& lists) {
        bool result = false;
        run(static_cast<int>(lists.size()), [&](int rank, const Ballot::Maximize& maximize) {
            Ballot ballot;
            SameList list(ballot);
            list.say(lists[static_cast<std::size_t>(rank)]);
            ballot.hold(maximize);
            if (rank == 0) result = list.holds();
        });
        return result;
    };
    EXPECT_TRUE(are_same({{1, -1}, {1, -1}, {1, -1}}));
    EXPECT_TRUE(are_same({{}, {}}));
    EXPECT_FALSE(are_same({{}, {0}}));
    EXPECT_FALSE(are_same({{1, 2}, {2, 1}}));
}

TEST(Ballot, GrowsWhileSlotsSayWhatTheySaid)
{
    constexpr int slots = 1000;
    run(3, [](int rank, const Ballot::Maximize& maximize) {
        Ballot ballot;
        std::vector<Largest> largest;
        for (int i = 0; i < slots; ++i) largest.emplace_back(ballot, i % 3 == rank ? i : -1);
        ballot.hold(maximize);
        for (int i = 0; i < slots; ++i) EXPECT_EQ(largest[static_cast<std::size_t>(i)].value(), i);
    });
}

TEST(Ballot, CarriesOneText)
{
    const auto reductions_for = [](const std::string& text) {
        return run(3, [&](int rank, const Ballot::Maximize& maximize) {
            Ballot ballot;
            const Largest before(ballot, rank);
            Text slot(ballot);
            const Largest behind(ballot, -rank);
            if (rank == 0) slot.say(text);
            ballot.hold(maximize);
            EXPECT_EQ(slot.value(), text);
            EXPECT_EQ(before.value(), 2);
            EXPECT_EQ(behind.value(), 0);
        });
    };
    EXPECT_EQ(reductions_for(""), 1);
    EXPECT_EQ(reductions_for(std::string("a\0b\xff", 4)), 1);
    EXPECT_EQ(reductions_for(std::string(128, '\x80')), 1);
    EXPECT_EQ(reductions_for(std::string(129, '\x80')), 2);
    EXPECT_EQ(reductions_for(std::string(100'000, 'x')), 2);

    run(2, [](int, const Ballot::Maximize& maximize) {
        Ballot ballot;
        const Text nobodys(ballot);
        ballot.hold(maximize);
        EXPECT_EQ(nobodys.value(), "");
    });
}
