// SPDX-License-Identifier: BSD-3-Clause
#include "real_mpi.hpp"

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "process.hpp"

namespace loopback {

namespace {

/// Is it one of MPI's own datatypes?
bool is_named(MPI_Datatype type)
{
    int integers = 0, addresses = 0, types = 0, combiner = 0;
    PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
    return combiner == MPI_COMBINER_NAMED;
}

/// Bytes of an element of a datatype of MPI's own without gaps, else 0.
std::size_t plain_size(MPI_Datatype type)
{
    static std::unordered_map<std::uintptr_t, std::size_t> known;
    if (const auto found = known.find(number_of(type)); found != known.end()) return found->second;
    if (!is_named(type)) return 0;
    MPI_Aint lower = 0, extent = 0;
    int size = 0;
    PMPI_Type_get_extent(type, &lower, &extent);
    PMPI_Type_size(type, &size);
    const bool is_plain = size > 0 && lower == 0 && extent == size;
    return known[number_of(type)] = is_plain ? static_cast<std::size_t>(size) : 0;
}

int end_type(MPI_Datatype* type)
{
    forget_layout(*type);
    return REAL(PMPI_Type_free)(type);
}

/// A datatype that is kept.
struct Use {
    explicit Use(MPI_Datatype type_) : type(type_) {}
    ~Use();
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

    MPI_Datatype type;
    bool is_freed = false; ///< by its user
};
std::unordered_map<std::uintptr_t, std::weak_ptr<Use>> uses;

Use::~Use()
{
    uses.erase(number_of(type));
    if (is_freed) end_type(&type);
}

} // namespace

std::shared_ptr<const void> keep_type(MPI_Datatype type)
{
    if (plain_size(type) > 0 || is_named(type)) return nullptr;
    std::weak_ptr<Use>& use = uses[number_of(type)];
    auto result = use.lock();
    if (!result) use = result = std::make_shared<Use>(type);
    return result;
}

int free_type(MPI_Datatype* type)
{
    const auto use = uses.find(number_of(*type));
    if (use == uses.end()) return end_type(type);
    use->second.lock()->is_freed = true;
    *type = MPI_DATATYPE_NULL;
    return MPI_SUCCESS;
}

bool is_usable(MPI_Datatype type)
{
    if (plain_size(type) > 0) return true;
    char nothing[16] = "";
    int position = 0;
    const int code = REAL(PMPI_Pack)(nothing, 0, type, nothing, sizeof nothing, &position, MPI_COMM_SELF);
    return code == MPI_SUCCESS;
}

std::size_t Elements::bytes() const
{
    if (const std::size_t size = plain_size(type)) return size * static_cast<std::size_t>(count);
    int size = 0;
    PMPI_Type_size(type, &size);
    return static_cast<std::size_t>(size) * static_cast<std::size_t>(count);
}

Bytes Elements::pack() const
{
    Bytes result(bytes());
    std::byte* to = result.data();
    visit([&](std::byte* from, std::size_t n) {
        std::memcpy(to, from, n);
        to += n;
        return true;
    });
    return result;
}

bool Elements::unpack(const Bytes& packed) const
{
    if (packed.size() > bytes()) return false;
    const std::byte* from = packed.data();
    std::size_t left = packed.size();
    visit([&](std::byte* to, std::size_t n) {
        n = std::min(n, left);
        std::memcpy(to, from, n);
        from += n;
        left -= n;
        return left > 0;
    });
    return true;
}

/// Calls visitor(address, bytes) for each run, until it returns false.
template <class Visitor>
void Elements::visit(Visitor visitor) const
{
    auto* const begin = static_cast<std::byte*>(const_cast<void*>(address));
    const std::size_t all = bytes();
    if (all == 0) return;
    if (plain_size(type) > 0) {
        visitor(begin, all);
        return;
    }
    const auto layout = layout_of(type);
    for (int i = 0; i < count; ++i)
        for (const Run& run : layout->runs) {
            std::byte* const first = begin + i * layout->extent + run.offset;
            for (MPI_Aint k = 0; k < run.times; ++k)
                if (!visitor(first + k * run.distance, static_cast<std::size_t>(run.bytes))) return;
        }
}

// --- Layouts ------------------------------------------------------------------------------------------

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
