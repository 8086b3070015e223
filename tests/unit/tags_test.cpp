// SPDX-License-Identifier: BSD-3-Clause
#include "engine/tags.cpp"

using ortho::engine::Tags;

TEST(Tags, ComeInTurnUntilOneIsHeld)
{
    Tags tags(2, 11); // 2 ... 6, and 7 ... 11
    std::vector<int> taken;
    for (int i = 0; i < 7; ++i) {
        EXPECT_TRUE(tags.next_is_free());
        taken.push_back(tags.take(false));
    }
    EXPECT_EQ(taken, (std::vector<int>{2, 3, 4, 5, 6, 2, 3}));
    EXPECT_EQ(tags.take(true), 4); // which is held
    for (int i = 0; i < 4; ++i) tags.take(false);
    EXPECT_FALSE(tags.next_is_free());
    tags.give_back(4);
    EXPECT_TRUE(tags.next_is_free());
    EXPECT_EQ(tags.take(false), 4);
}

TEST(Tags, PersistentOnesAreFoundWhereTheyAreFree)
{
    Tags tags(2, 11);
    EXPECT_EQ(tags.first_persistent(), 7);
    EXPECT_EQ(tags.last_persistent(), 11);
    EXPECT_EQ(tags.next_persistent(), 7);
    for (const int tag : {7, 8, 10}) tags.take_persistent(tag);
    EXPECT_EQ(tags.next_persistent(), 11);
    EXPECT_EQ(tags.free_persistent(7, 1), 9);
    EXPECT_EQ(tags.free_persistent(10, 1), 11);
    EXPECT_GT(tags.free_persistent(7, 2), 10); // there are no two
    tags.take_persistent(11);
    EXPECT_EQ(tags.next_persistent(), 7); // begins again
    tags.take_persistent(9);
    EXPECT_EQ(tags.free_persistent(7, 1), 12); // there is none
    tags.give_back_persistent(8);
    EXPECT_EQ(tags.free_persistent(7, 1), 8);
    tags.give_back_persistent(9);
    EXPECT_EQ(tags.free_persistent(7, 2), 8);
}
