// SPDX-License-Identifier: BSD-3-Clause
// The interposer's settings in the environment.

#include "pmpi/pmpi_settings.hpp"

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "base/environment.hpp"
#include "base/text.hpp"

namespace ortho::pmpi {

namespace {

template <class Choice>
struct Word {
    const char* word;
    Choice choice;
};

/// Errors in the variables, for tell_of_settings().
std::vector<std::string>& complaints()
{
    static std::vector<std::string> all;
    return all;
}

/// The choice for an item of a variable's value; for an unknown item the first choice, with a complaint.
template <class Choice, std::size_t n>
Choice choice_of(const char* variable, const std::string& value, std::string_view item,
                 const Word<Choice> (&words)[n])
{
    std::string known;
    for (const auto& [word, choice] : words) {
        if (item == word) return choice;
        known += (known.empty() ? "" : ", ") + std::string(word);
    }
    complaints().push_back(
        base::text(variable, "=", value, " is none of ", known, "; ", words[0].word, " is taken"));
    return words[0].choice;
}

/// The value of ORTHO_PMPI.
struct Modes {
    Mode mode = Mode::neighbor;
    bool dense = false;
};

constexpr Word<Modes> words_of_modes[] = {{"neighbor", {Mode::neighbor, false}},
                                          {"unify", {Mode::unify, false}},
                                          {"dense", {Mode::neighbor, true}},
                                          {"off", {Mode::off, false}}};
constexpr Word<bool> pairings[] = {{"native", false}, {"standard", true}}; // true: as in the standard

bool is_on(const char* name) { return base::environment_flag(name).value_or(false); }

Modes read_modes()
{
    Modes modes;
    const auto text = base::environment("ORTHO_PMPI");
    if (!text) return modes;
    for (const std::string_view item : base::items_of(*text)) {
        const Modes choice = choice_of("ORTHO_PMPI", *text, item, words_of_modes);
        if (choice.mode == Mode::off) return choice; // whatever other items there are
        if (choice.mode == Mode::unify) modes.mode = choice.mode;
        if (choice.dense) modes.dense = true;
    }
    return modes;
}

[[gnu::always_inline]] inline const Modes& modes()
{
    static const Modes value = read_modes();
    return value;
}

} // namespace

[[gnu::hot]] Mode mode() { return modes().mode; }
bool is_dense() { return modes().dense; }

bool replaces_collectives()
{
    static const bool value = mode() == Mode::unify || is_dense();
    return value;
}

const char* modes_text()
{
    switch (mode()) {
    case Mode::off: return "off";
    case Mode::neighbor: return is_dense() ? "neighbor,dense" : "neighbor";
    case Mode::unify: return is_dense() ? "unify,dense" : "unify";
    }
    return "";
}

bool pairs_as_standard()
{
    static const bool value = [] {
        const auto text = base::environment("ORTHO_PMPI_PAIRING");
        return text && choice_of("ORTHO_PMPI_PAIRING", *text, *text, pairings);
    }();
    return value;
}

void tell_of_settings(int rank)
{
    [[maybe_unused]] static const bool has_told = [&] {
        modes();
        pairs_as_standard();
        for (const std::string& text : complaints())
            if (rank == 0) std::fprintf(stderr, "mpiortho: %s\n", text.c_str());
        return true;
    }();
}

bool is_strict()
{
    static const bool value = is_on("ORTHO_STRICT") && mode() != Mode::off;
    return value;
}

bool may_reorder()
{
    static const bool value = is_on("ORTHO_PMPI_REORDER");
    return value;
}

[[gnu::hot]] bool wants_report()
{
    static const bool value = is_on("ORTHO_PMPI_REPORT");
    return value;
}

} // namespace ortho::pmpi
