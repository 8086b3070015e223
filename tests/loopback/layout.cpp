// SPDX-License-Identifier: BSD-3-Clause
#include <unordered_map>

#include "handles.hpp"
#include "process.hpp"
#include "real_mpi.hpp"

namespace loopback {

namespace {

/// How a datatype was made.
struct Recipe {
    explicit Recipe(MPI_Datatype type)
    {
        int n = 0, a = 0, t = 0;
        PMPI_Type_get_envelope(type, &n, &a, &t, &combiner);
        if (combiner == MPI_COMBINER_NAMED) return;
        numbers.resize(static_cast<std::size_t>(n) + 1);
        addresses.resize(static_cast<std::size_t>(a) + 1);
        types.resize(static_cast<std::size_t>(t), MPI_DATATYPE_NULL);
        PMPI_Type_get_contents(type, n, a, t, numbers.data(), addresses.data(), types.data());
    }
    ~Recipe()
    {
        for (MPI_Datatype& type : types)
            if (Recipe(type).combiner != MPI_COMBINER_NAMED) REAL(PMPI_Type_free)(&type);
    }
    Recipe(const Recipe&) = delete;
    Recipe& operator=(const Recipe&) = delete;

    int combiner = MPI_COMBINER_NAMED;
    std::vector<int> numbers;
    std::vector<MPI_Aint> addresses;
    std::vector<MPI_Datatype> types;
};

void add(std::vector<Run>& runs, const Run& run)
{
    if (run.bytes == 0 || run.times == 0) return;
    const bool is_one = run.times == 1 && !runs.empty() && runs.back().times == 1;
    if (is_one && runs.back().offset + runs.back().bytes == run.offset)
        runs.back().bytes += run.bytes;
    else
        runs.push_back(run);
}

void add(std::vector<Run>& runs, MPI_Aint offset, const Layout& element, MPI_Aint count)
{
    if (element.runs.size() == 1 && element.runs[0].times == 1) {
        const Run& only = element.runs[0];
        if (only.bytes == element.extent)
            add(runs, {offset + only.offset, only.bytes * count});
        else
            add(runs, {offset + only.offset, only.bytes, count, element.extent});
        return;
    }
    for (MPI_Aint i = 0; i < count; ++i)
        for (Run run : element.runs) {
            run.offset += offset + i * element.extent;
            add(runs, run);
        }
}

std::vector<Run> runs_of_subarray(const Recipe& recipe, const Layout& element)
{
    const auto d = static_cast<std::size_t>(recipe.numbers[0]);
    const int* const sizes = &recipe.numbers[1];
    const int* const parts = sizes + d;
    const int* const starts = parts + d;
    const bool last_is_fastest = recipe.numbers[1 + 3 * d] == MPI_ORDER_C;
    std::vector<Run> runs;
    const auto walk = [&](auto& again, std::size_t depth, MPI_Aint index) -> void {
        if (depth == d) return add(runs, index * element.extent, element, 1);
        const std::size_t k = last_is_fastest ? depth : d - 1 - depth;
        for (int i = 0; i < parts[k]; ++i) again(again, depth + 1, index * sizes[k] + starts[k] + i);
    };
    walk(walk, 0, 0);
    return runs;
}

Layout make_layout(MPI_Datatype type)
{
    Layout result;
    MPI_Aint lower = 0;
    PMPI_Type_get_extent(type, &lower, &result.extent);
    const Recipe recipe(type);
    if (recipe.combiner == MPI_COMBINER_NAMED) {
        int size = 0;
        PMPI_Type_size(type, &size);
        add(result.runs, {0, size});
        return result;
    }
    const std::vector<int>& n = recipe.numbers;
    const std::vector<MPI_Aint>& a = recipe.addresses;
    const auto count = static_cast<std::size_t>(n[0]);
    std::vector<Run>& runs = result.runs;
    if (recipe.combiner == MPI_COMBINER_STRUCT) {
        for (std::size_t i = 0; i < count; ++i) add(runs, a[i], make_layout(recipe.types[i]), n[1 + i]);
        return result;
    }
    const Layout element = make_layout(recipe.types[0]);
    switch (recipe.combiner) {
    case MPI_COMBINER_DUP:
    case MPI_COMBINER_RESIZED: runs = element.runs; break;
    case MPI_COMBINER_CONTIGUOUS: add(runs, 0, element, n[0]); break;
    case MPI_COMBINER_VECTOR:
        for (MPI_Aint i = 0; i < n[0]; ++i) add(runs, i * n[2] * element.extent, element, n[1]);
        break;
    case MPI_COMBINER_HVECTOR:
        for (MPI_Aint i = 0; i < n[0]; ++i) add(runs, i * a[0], element, n[1]);
        break;
    case MPI_COMBINER_INDEXED:
        for (std::size_t i = 0; i < count; ++i)
            add(runs, n[1 + count + i] * element.extent, element, n[1 + i]);
        break;
    case MPI_COMBINER_HINDEXED:
        for (std::size_t i = 0; i < count; ++i) add(runs, a[i], element, n[1 + i]);
        break;
    case MPI_COMBINER_INDEXED_BLOCK:
        for (std::size_t i = 0; i < count; ++i) add(runs, n[2 + i] * element.extent, element, n[1]);
        break;
    case MPI_COMBINER_HINDEXED_BLOCK:
        for (std::size_t i = 0; i < count; ++i) add(runs, a[i], element, n[1]);
        break;
    case MPI_COMBINER_SUBARRAY: runs = runs_of_subarray(recipe, element); break;
    default: fail("a datatype is made in a way that is not played");
    }
    return result;
}

std::unordered_map<std::uintptr_t, std::shared_ptr<const Layout>> layouts;

} // namespace

std::shared_ptr<const Layout> layout_of(MPI_Datatype type)
{
    auto& layout = layouts[number_of(type)];
    if (!layout) layout = std::make_shared<const Layout>(make_layout(type));
    return layout;
}

void forget_layout(MPI_Datatype type) { layouts.erase(number_of(type)); }

} // namespace loopback
