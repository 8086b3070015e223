// SPDX-License-Identifier: BSD-3-Clause
// Throwing errors.  No MPI in this file.

#include "base/error.hpp"

namespace ortho::base {

void fail_with(ErrorKind kind, const char* argument, std::span<const Part> message)
{
    throw Error(kind, argument, text_of(message));
}

} // namespace ortho::base
