// SPDX-License-Identifier: BSD-3-Clause
#include "conform/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

namespace conform {

namespace {

const std::array<Result, forms.size()>& results(const Row& row, Whose whose)
{
    return whose == Whose::mpi ? row.mpi : row.ours;
}

/// A field of a CSV file.
std::string quoted(std::string text)
{
    for (std::size_t i = 0; (i = text.find('"', i)) != std::string::npos; i += 2) text.insert(i, 1, '"');
    return '"' + text + '"';
}

} // namespace

std::string function_name(Whose whose, Form form, const std::string& collective)
{
    const std::string middle = whose == Whose::mpi ? "neighbor_" + collective : collective;
    if (form == Form::nonblocking) return (whose == Whose::mpi ? "MPI_I" : "ORTHO_I") + middle;
    std::string name = (whose == Whose::mpi ? "MPI_" : "ORTHO_") + middle +
                       (form == Form::persistent ? "_init" : "");
    char& initial = name[name.find('_') + 1];
    initial = static_cast<char>(initial - 'a' + 'A');
    return name;
}

std::string heading(const std::string& mpi_name)
{
    return fmt::format("# {}\n{:<32} {:<11} {:<29}   {}\n{:<32} {:<11} {:<9} {:<9} {:<9}   {:<9} {:<9} {}\n",
                       mpi_name, "", "", "MPI", "mpiortho", "case", "call", "blocking", "non-block",
                       "persist", "blocking", "non-block", "persist");
}

std::string line(const Row& row)
{
    std::string result = fmt::format("{:<32} {:<11}", row.case_name, row.collective);
    for (const Result& r : row.mpi) result += fmt::format(" {:<9}", text(r.outcome));
    result += "  ";
    for (const Result& r : row.ours) result += fmt::format(" {:<9}", text(r.outcome));
    result.erase(result.find_last_not_of(' ') + 1);
    return result + '\n';
}

std::string line_of_missing(const Case& what)
{
    return fmt::format("{:<32} not tried: it takes {} processes\n", what.name, what.processes());
}

std::string csv_lines(const Row& row)
{
    std::string result;
    for (const Whose whose : {Whose::mpi, Whose::ours})
        for (const Form form : forms) {
            const Result& r = results(row, whose)[static_cast<std::size_t>(form)];
            result += fmt::format("{},{},{},{},{},{}\n", quoted(row.case_name), row.collective,
                                  whose == Whose::mpi ? "MPI" : "mpiortho", text(form), text(r.outcome),
                                  quoted(r.words));
        }
    return result;
}

std::string mistakes(const std::vector<Row>& rows)
{
    struct Mistake {
        std::string case_name;
        std::string words;
        std::string functions;
    };
    std::vector<Mistake> found;
    for (const Row& row : rows)
        for (const Whose whose : {Whose::mpi, Whose::ours})
            for (const Form form : forms) {
                const Result& r = results(row, whose)[static_cast<std::size_t>(form)];
                if (r.outcome != Outcome::wrong) continue;
                const std::string function = function_name(whose, form, row.collective);
                const auto same = std::ranges::find_if(found, [&](const Mistake& m) {
                    return m.case_name == row.case_name && m.words == r.words;
                });
                if (same == found.end())
                    found.push_back({row.case_name, r.words, function});
                else
                    same->functions += ", " + function;
            }
    std::string result;
    for (const Mistake& m : found)
        result += fmt::format("{}: {}\n    {}\n", m.case_name, m.words, m.functions);
    return result;
}

Sums sums(const std::vector<Row>& rows, Whose whose)
{
    Sums result;
    for (const Row& row : rows)
        for (const Result& r : results(row, whose)) switch (r.outcome) {
            case Outcome::right: ++result.right; break;
            case Outcome::wrong: ++result.wrong; break;
            case Outcome::not_there: ++result.not_there; break;
            case Outcome::not_tried: ++result.not_tried; break;
            }
    return result;
}

std::string line(const std::string& library, const Sums& sums)
{
    std::string result = fmt::format("{}: {} calls right, {} wrong", library, sums.right, sums.wrong);
    if (sums.not_there > 0) result += fmt::format(", {} not there", sums.not_there);
    if (sums.not_tried > 0) result += fmt::format(", {} not tried", sums.not_tried);
    return result + '\n';
}

} // namespace conform
