// SPDX-License-Identifier: BSD-3-Clause
// Files of graphs: what they mean, and what is wrong with others.
#include "graph_text.hpp"

using tools::SparseRows;

namespace {

using Ints = std::vector<int>;
using Lists = std::vector<Ints>;

Lists lists_of(const SparseRows& rows)
{
    Lists result;
    for (int i = 0; i < rows.rows(); ++i) result.emplace_back(rows.row(i).begin(), rows.row(i).end());
    return result;
}
Lists read(const std::string& text) { return lists_of(tools::parse_rows(text, "F")); }

std::string mistake(const std::string& text)
{
    return cases::mistake_in([&] { read(text); }, base::ErrorKind::arg);
}
std::string with_header(const std::string& kind, const std::string& rest)
{
    return "%%MatrixMarket matrix " + kind + '\n' + rest;
}

TEST(MatrixMarket, FieldsAndSymmetries)
{
    const Lists general{{0, 2}, {0}, {}};
    for (const char* const entry : {"coordinate pattern general\n3 3 3\n1 3\n1 1\n2 1\n",
                                    "coordinate real general\n3 3 3\n1 3 1.5\n1 1 -2e3\n2 1 0\n",
                                    "coordinate integer general\n3 3 3\n1 3 7\n1 1 -2\n2 1 0\n",
                                    "coordinate unsigned-integer general\n3 3 3\n1 3 7\n1 1 2\n2 1 0\n",
                                    "coordinate double general\n3 3 3\n1 3 1e400\n1 1 nan\n2 1 -inf\n",
                                    "Coordinate COMPLEX General\n3 3 3\n1 3 7 1\n1 1 -2 1\n2 1 0 1\n"})
        EXPECT_EQ(read(std::string("%%MatrixMarket matrix ") + entry), general) << entry;
    EXPECT_EQ(read("%%matrixmarket MATRIX Coordinate pattern general\n3 3 3\n1 3\n1 1\n2 1\n"), general);
    const Lists mirrored{{0, 1}, {0}, {}};
    for (const char* const symmetry : {"symmetric", "skew-symmetric", "hermitian"})
        EXPECT_EQ(read(with_header(std::string("coordinate real ") + symmetry, "3 3 2\n1 1 1\n2 1 1\n")),
                  mirrored);
    // Entries on both sides of the diagonal, against the standard.
    EXPECT_EQ(read(with_header("coordinate pattern symmetric", "3 3 3\n1 2\n1 1\n2 1\n")), mirrored);
}

TEST(MatrixMarket, CommentsBlankLinesEndsOfLinesAndRepeatedEntries)
{
    EXPECT_EQ(read(with_header("coordinate pattern general\r",
                               "% a\r\n%\r\n\r\n 2\t2 3 \r\n\r\n1 2\r\n% b\r\n  2 1\r\n1 2\r\n\r\n")),
              (Lists{{1}, {0}}));
    EXPECT_EQ(read(with_header("coordinate pattern general", "2 2 1\n1 2")), (Lists{{1}, {}})); // no last LF
    EXPECT_EQ(read(with_header("coordinate pattern general", "0 0 0\n")), Lists{});
}

TEST(MatrixMarket, Mistakes)
{
    const auto of = [](const std::string& rest) {
        return mistake(with_header("coordinate real general", rest));
    };
    const auto head = [](const std::string& kind) { return mistake(with_header(kind, "1 1 0\n")); };
    EXPECT_EQ(head("array real general"),
              "F, line 1 says array: each process would need all of a dense matrix");
    EXPECT_EQ(head("coordinate quaternion general"),
              "F, line 1 has 'quaternion' for pattern, real, integer or complex");
    EXPECT_EQ(head("coordinate real"),
              "F, line 1 has '' for general, symmetric, skew-symmetric or hermitian");
    EXPECT_EQ(mistake("%%MatrixMarket vector coordinate real general\n"),
              "F, line 1 has 'vector' for matrix");
    EXPECT_EQ(mistake("%%MatrixMarket"), "F ends after %%MatrixMarket");
    EXPECT_EQ(of(""), "F ends before the number of rows");
    EXPECT_EQ(of("3\n"), "F, line 2 ends before the number of columns");
    EXPECT_EQ(of("3 2 1\n1 1 1\n"), "F, line 2 has 3 rows and 2 columns: the matrix is not square");
    EXPECT_EQ(of("3 3 2\n1 1 1\n"), "F says 2 entries, and has 1");
    EXPECT_EQ(of("3 3 1\n1 1 1\n2 2 1\n"), "F, line 4 goes on with '2' after the last entry");
    EXPECT_EQ(of("3 3 1\n4 1 1\n"), "F, line 3 has 4 for the row, which is not from 1 to 3");
    EXPECT_EQ(of("3 3 1\n1 0 1\n"),
              "F, line 3 has 0 for the column, which is not from 1 to 3: numbers begin at 1");
    EXPECT_EQ(of("3 3 1\n1 1\n"), "F, line 3 ends before the value");
    EXPECT_EQ(of("3 3 1\n1 1 1 1\n"), "F, line 3 goes on with '1' after the entry");
    EXPECT_EQ(of("3 3 1\n1.5 1 1\n"), "F, line 3 has '1.5' for the row, which is no integer");
    EXPECT_EQ(of("99999999999999999999 1 1\n"),
              "F, line 2 has 99999999999999999999 for the number of rows, which is not from 0 to 134217728");
    EXPECT_EQ(of("1 1 9223372036854775807\n1 1 1\n"), "F says 9223372036854775807 entries, and has 1");
}

TEST(Metis, Weights)
{
    const Lists path{{1}, {0, 2}, {1}};
    EXPECT_EQ(read("% a comment\n3 2\n2\n1 3\n% another\n2\n"), path);
    EXPECT_EQ(read("3 2 0\r\n2\r\n1 3\r\n2\r\n\r\n"), path);
    const SparseRows all = tools::parse_rows("3 2 111 2\n9 4 7 2 5\n9 3 7 1 5 3 6\n9 2 7 2 6\n", "F");
    EXPECT_EQ(lists_of(all), path);
    EXPECT_EQ(all.row_weights, (Ints{4, 3, 2}));
    EXPECT_EQ(all.weights, (Ints{5, 5, 6, 6}));
    EXPECT_EQ(lists_of(tools::parse_rows("3 2 1\n2 5\n1 5 3 6\n2 6\n", "F")), path);
    EXPECT_EQ(lists_of(tools::parse_rows("3 2 10\n8 2\n8 1 3\n8 2\n", "F")), path);
    EXPECT_EQ(read("2 0\n\n\n"), (Lists{{}, {}})); // without neighbors
}

TEST(Metis, Mistakes)
{
    EXPECT_EQ(mistake(""), "F is empty");
    EXPECT_EQ(mistake("% nothing\n"), "F is empty");
    EXPECT_EQ(mistake("3\n"), "F, line 1 ends before the number of edges");
    EXPECT_EQ(mistake("3 2 012\n2\n1 3\n2\n"),
              "F, line 1 has '012' for up to three digits 0 or 1 that say which weights there are");
    EXPECT_EQ(mistake("3 2\n2\n1 3\n"), "F says 3 vertices, and has lines for 2");
    EXPECT_EQ(mistake("3 2\n2\n1 3\n2\n1\n"), "F, line 5 goes on with '1' after the last vertex");
    EXPECT_EQ(mistake("3 2\n1\n0 2\n1\n"), "F, line 2 has vertex 1 among its own neighbors");
    EXPECT_EQ(mistake("3 2\n2\n0 2\n2\n"),
              "F, line 3 has 0 for a neighbor, which is not from 1 to 3: numbers begin at 1");
    EXPECT_EQ(mistake("3 2\n2\n1 4\n2\n"), "F, line 3 has 4 for a neighbor, which is not from 1 to 3");
    EXPECT_EQ(mistake("3 2\n2\n1 x\n2\n"), "F, line 3 has 'x' for a neighbor, which is no integer");
    EXPECT_EQ(mistake("3 5\n2\n1 3\n2\n"),
              "F says 5 edges, so that vertices have 10 neighbors in all, but they have 4");
    EXPECT_EQ(mistake("3 2\n2\n1 3\n1\n"), "F has 1 among the neighbors of 3, but not the other way round");
    EXPECT_EQ(mistake("3 2 1\n2 5\n1 5 3\n2 6\n"), "F, line 3 ends before the weight of an edge");
    EXPECT_EQ(mistake("999999999999 2\n"),
              "F, line 1 has 999999999999 for the number of vertices, which is not from 0 to 134217728");
    EXPECT_EQ(mistake("134217728 9223372036854775807\n").substr(0, 37),
              "F, line 1 has 9223372036854775807 for");
}

TEST(Metis, Parts)
{
    const auto parts = [](const std::string& text) { return tools::parse_parts(text, "F", 3); };
    EXPECT_EQ(parts("0\n2\n1\n"), (Ints{0, 2, 1}));
    EXPECT_EQ(parts("0\r\n2\r\n1"), (Ints{0, 2, 1}));
    const auto wrong = [&](const std::string& text) {
        return cases::mistake_in([&] { parts(text); }, base::ErrorKind::arg);
    };
    EXPECT_EQ(wrong("0\n1\n"), "F has parts for 2 rows, and the graph has 3");
    EXPECT_EQ(wrong("0\n1\n2\n0\n"), "F has parts for 4 rows, and the graph has 3");
    EXPECT_EQ(wrong("0 1 2\n"), "F, line 1 goes on with '1' after the part");
    EXPECT_EQ(wrong("0\n-1\n2\n"), "F, line 2 has -1 for a part, which is not from 0 to 2147483646");
}

TEST(SparseRows, WithTheirTransposeAndNoDiagonal)
{
    const SparseRows rows = tools::parse_rows(
        with_header("coordinate pattern general", "3 3 4\n1 1\n1 3\n2 3\n3 2\n"), "F");
    EXPECT_EQ(lists_of(tools::symmetric(rows)), (Lists{{2}, {2}, {0, 1}}));
}

} // namespace
