// SPDX-License-Identifier: BSD-3-Clause
// The table of ways, as doc/calls.md has it.
#include "engine/ways.hpp"

#include <fstream>
#include <sstream>

namespace {

using namespace ortho::engine;

/// The words of the page for each enumerator, in their order.
constexpr const char* of_way[] = {"blocking", "run", "started", "non-blocking", "detached"};
constexpr const char* of_on_node[] = {"channels of the communicator", "channels of the operation",
                                      "channels of the operation, a row a message", "announced messages",
                                      "one `MPI_Ialltoallw` on the user's communicator"};
constexpr const char* between_nodes[] = {"MPI, or wires", "MPI, or wires", "MPI, or wires", "MPI",
                                         "the same"};
constexpr const char* of_large[] = {"one copy or two, by price", "by price if promised, else MPI", "MPI",
                                    "–"};
constexpr const char* of_forwards[] = {"yes", "if promised", "never"};
constexpr const char* of_tag[] = {"next in turn", "next in turn, kept until over", "agreed, the request's",
                                  "none"};
constexpr const char* of_owner[] = {"the graph", "the request"};

template <class Enumerator, std::size_t n>
const char* text(const char* const (&texts)[n], Enumerator enumerator)
{
    return texts[static_cast<std::size_t>(enumerator)];
}

std::string row_of(const WayFacts& way)
{
    const char* const waiting = way.caller_waits                    ? "the caller"
                                : way.on_node == OnNode::users_comm ? "nobody, or the caller"
                                                                    : "nobody";
    std::string row;
    for (const char* const cell :
         {text(of_way, way.way), waiting, text(of_on_node, way.on_node), text(between_nodes, way.on_node),
          text(of_large, way.large), text(of_forwards, way.forwards), text(of_tag, way.tag),
          text(of_owner, way.kept_with)})
        row += std::string("| ") + cell + ' ';
    return row + '|';
}

TEST(Ways, EachHasItsRow)
{
    for (const WayFacts& way : ways) EXPECT_EQ(&facts_of(way.way), &way);
}

TEST(Ways, ThePageHasTheSameTable)
{
    const char* const source = std::getenv("srcdir");
    std::ifstream in(std::string(source != nullptr ? source : ".") + "/doc/calls.md");
    ASSERT_TRUE(in.is_open()) << "srcdir names no folder with doc/calls.md";
    std::ostringstream page;
    page << in.rdbuf();
    std::string rows;
    for (const WayFacts& way : ways) rows += row_of(way) + '\n';
    EXPECT_NE(page.str().find("| --- |\n" + rows), std::string::npos) << "The table is now\n" << rows;
}

// Whoever waits has all others in the call, so that blocks may be forwarded; and nothing else has.
TEST(Ways, ForwardWhereTheCallerWaits)
{
    for (const WayFacts& way : ways) EXPECT_EQ(way.caller_waits, way.forwards == Forwards::always);
}

} // namespace
