// SPDX-License-Identifier: BSD-3-Clause
#include "nodequeue/copy_choices.hpp"

#include <cstddef>
#include <string>

#include "base/text.hpp"
#include "mpi/interposer.hpp"

extern "C" void ortho_copies_text(char* text, std::size_t room)
{
    const auto& choices = ortho::nodequeue::CopyChoices::mine();
    const std::uint64_t two = choices.two_copies;
    const std::uint64_t one = choices.one_copy;
    const std::uint64_t usual = choices.usual_stores;
    const std::uint64_t past = choices.stores_past_caches;
    std::string words;
    if (one + two > 0)
        words = ortho::base::text("one copy won ", one, " of ", one + two, " trials of large messages");
    if (usual + past > 0)
        words += ortho::base::text(words.empty() ? "" : "; ", "stores past the caches won ", past, " of ",
                                   usual + past, " trials of rows");
    text[words.copy(text, room - 1)] = '\0';
}
