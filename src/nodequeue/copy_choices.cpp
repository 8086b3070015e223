// SPDX-License-Identifier: BSD-3-Clause
#include "nodequeue/copy_choices.hpp"

#include <string>

#include "base/text.hpp"

extern "C" const char* ortho_copies_text()
{
    const auto& choices = ortho::nodequeue::CopyChoices::mine();
    const std::uint64_t two = choices.two_copies;
    const std::uint64_t one = choices.one_copy;
    const std::uint64_t usual = choices.usual_stores;
    const std::uint64_t past = choices.stores_past_caches;
    static thread_local std::string text;
    text.clear();
    if (one + two > 0)
        text = ortho::base::text("one copy won ", one, " of ", one + two, " trials of large messages");
    if (usual + past > 0)
        text += ortho::base::text(text.empty() ? "" : "; ", "stores past the caches won ", past, " of ",
                                  usual + past, " trials of rows");
    return text.c_str();
}
