// SPDX-License-Identifier: BSD-3-Clause
// What the environment says to the interposer.

#include "pmpi/pmpi_settings.hpp"

#include <cstddef>
#include <cstdio>
#include <string>

#include "base/environment.hpp"

namespace ortho::pmpi {

namespace {

template <class Choice>
struct Word {
    const char* word;
    Choice choice;
};

/// The choice that a variable names; the first one, said on stderr, where it names none of them.
template <class Choice, std::size_t n>
Choice read(const char* variable, const Word<Choice> (&words)[n], Choice if_unset)
{
    const auto value = base::environment(variable);
    if (!value) return if_unset;
    std::string known;
    for (const auto& [word, choice] : words) {
        if (*value == word) return choice;
        known += (known.empty() ? "" : ", ") + std::string(word);
    }
    std::fprintf(stderr, "mpiortho: %s=%s is none of %s; %s is taken\n", variable, value->c_str(),
                 known.c_str(), words[0].word);
    return words[0].choice;
}

constexpr Word<Mode> modes[] = {{"neighbor", Mode::neighbor}, {"unify", Mode::unify}, {"off", Mode::off}};
constexpr Word<Pairing> pairings[] = {{"standard", Pairing::standard}, {"native", Pairing::native}};

bool is_on(const char* name) { return base::environment_flag(name).value_or(false); }

} // namespace

Mode mode()
{
    static const Mode value = read("ORTHO_PMPI", modes, Mode::neighbor);
    return value;
}

Pairing pairing()
{
    static const Pairing value = read("ORTHO_PMPI_PAIRING", pairings, Pairing::unset);
    return value;
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

bool wants_report()
{
    static const bool value = is_on("ORTHO_PMPI_REPORT");
    return value;
}

} // namespace ortho::pmpi
