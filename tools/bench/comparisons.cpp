// SPDX-License-Identifier: BSD-3-Clause
#include "bench/comparisons.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "bench/comparison_table.hpp"
#include "csv_file.hpp"

namespace bench {

namespace {

/// The plan for a cell within the budget.
struct Plan {
    int runs;
    int samples;
    double seconds; ///< of a sample
};

/// `calls` has the time of one call of each contestant.  The plan is the same on all processes, if `calls`
/// is.
Plan plan_within(const CellOptions& options, const std::vector<double>& calls)
{
    Plan plan{options.runs, options.samples, options.batch_ms / 1000};
    const auto round = [&] { // one sample of each
        double sum = 0;
        for (const double call : calls) sum += std::max(call, plan.seconds);
        return sum;
    };
    double shortest = 0;
    for (const double call : calls) shortest += call;
    const double rounds = static_cast<double>(plan.runs) * plan.samples;
    if (rounds * round() > options.budget_s) {
        // Batches that take as long as one call of a slow contestant cost little more.
        plan.seconds = std::max(0.0, options.budget_s / rounds - shortest) /
                       static_cast<double>(calls.size());
    }
    if (rounds * round() > options.budget_s)
        plan.samples = std::clamp(static_cast<int>(options.budget_s / (plan.runs * round())), 1,
                                  plan.samples);
    if (plan.runs * plan.samples * round() > options.budget_s)
        plan.runs = std::clamp(static_cast<int>(options.budget_s / (plan.samples * round())),
                               std::min(fewest_runs, plan.runs), plan.runs);
    return plan;
}

int batch_of(double sample_seconds, double call_seconds)
{
    return static_cast<int>(std::clamp(std::round(sample_seconds / std::max(call_seconds, 1e-9)), 1.0, 1e6));
}

} // namespace

int wrong_of_ours(const std::vector<Contestant>& contestants, const Runs& runs)
{
    int wrong = 0;
    for (const std::vector<Series>& run : runs) wrong += wrong_of_ours(contestants, run);
    return wrong;
}

Runs measure(MPI_Comm comm, std::vector<Contestant>& contestants, const Surroundings& surroundings,
             const CellOptions& options)
{
    std::vector<double> calls;
    surroundings.prepare(0);
    for (const Contestant& contestant : contestants) {
        contestant.call(); // plans, and warms up
        if constexpr (simulated) {
            calls.push_back(options.batch_ms / 1000); // a sample is one call
            continue;
        }
        const double alone = time_batch(comm, contestant.call, 1);
        // For short calls, one call after a barrier means little.
        calls.push_back(time_batch(comm, contestant.call, batch_of(options.batch_ms / 1000 / 4, alone)));
    }
    const Plan plan = plan_within(options, calls);
    for (std::size_t i = 0; i < contestants.size(); ++i)
        contestants[i].batch = batch_of(plan.seconds, calls[i]);
    // On a busy machine, single calls do not tell how long they take in turn: rank 0's clock does.
    const double begin = MPI_Wtime();
    int samples = plan.samples;
    int done = 0;
    Runs runs;
    while (static_cast<int>(runs.size()) < plan.runs) {
        runs.push_back(take_samples(comm, contestants, surroundings, samples, done));
        done += samples;
        double spent = MPI_Wtime() - begin;
        MPI_Bcast(&spent, 1, MPI_DOUBLE, 0, comm);
        const int left = plan.runs - static_cast<int>(runs.size());
        if (left == 0 || spent * plan.runs / static_cast<double>(runs.size()) <= options.budget_s) continue;
        if (spent > options.budget_s && static_cast<int>(runs.size()) >= fewest_runs) break;
        samples = std::clamp(static_cast<int>((options.budget_s - spent) / left / (spent / done)), 1,
                             samples);
    }
    return runs;
}

std::vector<std::vector<double>> medians_of(const Runs& runs)
{
    std::vector<std::vector<double>> medians(runs.front().size());
    for (const std::vector<Series>& run : runs)
        for (std::size_t i = 0; i < run.size(); ++i) medians[i].push_back(median(run[i].seconds));
    return medians;
}

std::size_t place_of(const std::vector<Contestant>& contestants, std::string_view library,
                     std::string_view word)
{
    const auto found = std::ranges::find_if(contestants, [&](const Contestant& c) {
        return c.library == library && (c.form == word || c.algorithm == word);
    });
    return static_cast<std::size_t>(found - contestants.begin());
}

std::size_t best_of_mpi(const std::vector<Contestant>& contestants,
                        const std::vector<std::vector<double>>& medians)
{
    std::size_t best = contestants.size();
    for (std::size_t i = 0; i < contestants.size(); ++i) {
        if (contestants[i].library != "MPI" || contestants[i].form == "control") continue;
        if (best == contestants.size() || median(medians[i]) < median(medians[best])) best = i;
    }
    return best;
}

std::string algorithm_of(ORTHO_Request request)
{
    char text[128] = "";
    ORTHO_Explain(request, text, sizeof text, nullptr);
    ORTHO_Request_free(&request);
    const std::string before = "mpiortho: ";
    const std::string explanation = text;
    if (!explanation.starts_with(before)) return "?";
    return explanation.substr(before.size(), explanation.find_first_of(" \n", before.size()) - before.size());
}

std::string choice(const std::string& form, const std::function<void(MPI_Info, ORTHO_Request*)>& init)
{
    MPI_Info info = MPI_INFO_NULL;
    MPI_Info_create(&info);
    if (form == "blocking" || form == "run") MPI_Info_set(info, "ortho_forward", "true");
    ORTHO_Request asked = ORTHO_REQUEST_NULL;
    init(info, &asked);
    MPI_Info_free(&info);
    return algorithm_of(asked);
}

} // namespace bench
