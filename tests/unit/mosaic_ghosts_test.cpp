// SPDX-License-Identifier: BSD-3-Clause
// Which element fills which ghost: random mosaics against arithmetic on single elements.

#include "mosaic_cases.hpp"

using namespace ortho::mosaic;
using mosaic_cases::Arithmetic;
using mosaic_cases::Case;
using mosaic_cases::each_element;
using mosaic_cases::Random;
using mosaic_cases::Source;

namespace {

struct Found {
    Source source;
    bool is_filled;
};
using ByElement = std::map<Index, Found>;

/// The single elements of boxes.
ByElement by_element(const Case& its, const Ghosts& ghosts)
{
    ByElement result;
    for (const Filled& filled : ghosts.filled)
        each_element(filled.box, [&](const Index& element) {
            Found found{{}, true};
            found.source.patch = filled.donor;
            found.source.field = filled.donor_field;
            found.source.sign = filled.sign;
            found.source.shift = filled.shift;
            for (std::size_t j = 0; j < at(its.d); ++j) {
                const std::size_t k = filled.map.source(j);
                const std::int64_t step = element[k] - filled.box.first[k];
                found.source.element[j] = filled.map.sign[j] > 0 ? filled.donor_box.first[j] + step
                                                                 : filled.donor_box.end(j) - 1 - step;
            }
            EXPECT_TRUE(result.try_emplace(element, found).second) << "filled twice";
        });
    for (const Unfilled& unfilled : ghosts.unfilled)
        each_element(unfilled.box, [&](const Index& element) {
            EXPECT_TRUE(result.try_emplace(element, Found{{}, false}).second) << "twice";
        });
    return result;
}

void expect_source(const Found& found, const std::optional<Source>& expected)
{
    ASSERT_EQ(found.is_filled, expected.has_value());
    if (!expected) return;
    EXPECT_EQ(found.source.patch, expected->patch);
    EXPECT_EQ(found.source.field, expected->field);
    EXPECT_EQ(found.source.element, expected->element);
    EXPECT_EQ(found.source.sign, expected->sign);
    EXPECT_EQ(found.source.shift, expected->shift);
}

struct Numbers {
    int filled = 0, unfilled = 0, deep = 0, synced = 0, boxes = 0;
};

/// All ghosts of a field on a patch.
void compare(const Case& its, const Tiles& tiles, const Patches& patches, const Arithmetic& arithmetic,
             int field, std::size_t patch, Numbers& numbers)
{
    Ghosts ghosts;
    bool is_deep = false;
    try {
        GhostSearch(tiles, patches, its.fields).add(ghosts, field, patch);
    } catch (const base::Error&) {
        is_deep = true;
    }
    ByElement found;
    if (!is_deep) found = by_element(its, ghosts);
    std::size_t expected = 0;
    const auto expect = [&](const Index& element, const std::optional<Source>& source, int& number) {
        ++number;
        ++expected;
        if (is_deep) return;
        ASSERT_TRUE(found.count(element));
        expect_source(found.at(element), source);
    };
    try {
        arithmetic.each_ghost(patch, field, [&](const Index& element) {
            const auto source = arithmetic.source(patch, field, element);
            expect(element, source, source ? numbers.filled : numbers.unfilled);
        });
        if (its.fields[at(field)].syncs)
            arithmetic.each_owned(patch, field, [&](const Index& element) {
                const auto source = arithmetic.source(patch, field, element);
                ASSERT_TRUE(source);
                const bool is_itself = source->patch == patch && source->field == field &&
                                       source->element == element && source->crossings == 0;
                if (!is_itself) expect(element, source, numbers.synced);
            });
        EXPECT_FALSE(is_deep);
        EXPECT_EQ(found.size(), expected);
    } catch (const mosaic_cases::TooDeep&) {
        EXPECT_TRUE(is_deep);
        ++numbers.deep;
    }
    numbers.boxes += static_cast<int>(ghosts.filled.size() + ghosts.unfilled.size());
}

int given(const char* variable, int otherwise)
{
    const char* const value = std::getenv(variable);
    return value != nullptr ? std::atoi(value) : otherwise;
}

TEST(MosaicGhosts, AreThoseOfArithmeticOnSingleElements)
{
    // Cases have numbers: others are looked at, too, where somebody asks for them.
    const int first = given("ORTHO_TEST_FIRST_MOSAIC", 0);
    const int wanted = given("ORTHO_TEST_MOSAICS", cases::times(300));
    Numbers numbers;
    for (int i = first; i < first + wanted; ++i) {
        SCOPED_TRACE("case " + std::to_string(i));
        Random random(static_cast<unsigned>(i));
        const Case its = mosaic_cases::Maker(random).make();
        const Tiles tiles(its.d, its.sizes, its.made_contacts());
        require_inside(tiles, its.patches);
        const Patches patches(its.patches);
        patches.require_apart(its.d, 0, its.patches.size());
        const Arithmetic arithmetic(its);
        for (std::size_t patch = 0; patch < its.patches.size(); ++patch)
            for (int field = 0; field < static_cast<int>(its.fields.size()); ++field)
                compare(its, tiles, patches, arithmetic, field, patch, numbers);
        if (HasFailure()) return;
    }
    RecordProperty("ghosts", numbers.filled + numbers.unfilled);
    std::printf("%d ghosts filled, %d not, %d elements synced, %d fields too deep, %d boxes\n",
                numbers.filled, numbers.unfilled, numbers.synced, numbers.deep, numbers.boxes);
    EXPECT_GT(numbers.filled, 10 * wanted);
    EXPECT_GT(numbers.unfilled, wanted);
    EXPECT_GT(numbers.synced, 0);
    EXPECT_GT(numbers.deep, 0);
}

} // namespace
