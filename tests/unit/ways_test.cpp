// SPDX-License-Identifier: BSD-3-Clause
// The table of ways, as doc/calls.md has it.
#include "engine/ways.hpp"

#include <fstream>
#include <sstream>

namespace {

using namespace ortho::engine;

std::string text_of(Way way)
{
    switch (way) {
    case Way::blocking: return "blocking";
    case Way::run: return "run";
    case Way::started: return "started";
    case Way::nonblocking: return "non-blocking";
    case Way::detached: return "detached";
    }
    return {};
}

std::string text_of(OnNode on_node)
{
    switch (on_node) {
    case OnNode::channels: return "channels of the communicator";
    case OnNode::own_channels: return "channels of the operation";
    case OnNode::own_rows: return "channels of the operation, a row a message";
    case OnNode::announced: return "announced messages";
    case OnNode::users_comm: return "one `MPI_Ialltoallw` on the user's communicator";
    }
    return {};
}

std::string text_of(LargeOnNode large)
{
    switch (large) {
    case LargeOnNode::by_price: return "one copy or two, by price";
    case LargeOnNode::by_price_or_by_mpi: return "by price if promised, else MPI";
    case LargeOnNode::by_mpi: return "MPI";
    case LargeOnNode::none: return "–";
    }
    return {};
}

std::string text_of(Forwards forwards)
{
    switch (forwards) {
    case Forwards::always: return "yes";
    case Forwards::if_promised: return "if promised";
    case Forwards::never: return "never";
    }
    return {};
}

std::string text_of(TagOf tag)
{
    switch (tag) {
    case TagOf::turn: return "next in turn";
    case TagOf::kept_turn: return "next in turn, kept until over";
    case TagOf::request: return "agreed, the request's";
    case TagOf::none: return "none";
    }
    return {};
}

std::string waiting_of(const WayFacts& way)
{
    if (way.caller_waits) return "the caller";
    return way.on_node == OnNode::users_comm ? "nobody, or the caller" : "nobody";
}

std::string between_nodes(OnNode on_node)
{
    switch (on_node) {
    case OnNode::channels:
    case OnNode::own_channels:
    case OnNode::own_rows: return "MPI, or wires";
    case OnNode::announced: return "MPI";
    case OnNode::users_comm: return "the same";
    }
    return {};
}

std::string row_of(const WayFacts& way)
{
    std::string row;
    for (const std::string& cell :
         {text_of(way.way), waiting_of(way), text_of(way.on_node), between_nodes(way.on_node),
          text_of(way.large), text_of(way.forwards), text_of(way.tag),
          std::string(way.kept_with == KeptWith::graph ? "the graph" : "the request")})
        row += "| " + cell + ' ';
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
