// SPDX-License-Identifier: BSD-3-Clause
// The page and the JSON of ortho-bench doctor.
#include "bench/doctor_report.hpp"

namespace {

using namespace bench::doctor;

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
