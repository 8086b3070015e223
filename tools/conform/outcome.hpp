// SPDX-License-Identifier: BSD-3-Clause
// The outcome of a call.  No MPI in this file.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace conform {

enum class Outcome : std::uint8_t { right, wrong, not_there, not_tried };

/// The words of tables.
constexpr const char* text(Outcome outcome)
{
    constexpr std::array texts{"ok", "wrong", "not there", "not tried"};
    return texts[static_cast<std::size_t>(outcome)];
}

struct Result {
    Outcome outcome;
    std::string words; ///< describe the error
};

enum class Form : std::uint8_t { blocking, nonblocking, persistent };
inline constexpr std::array forms{Form::blocking, Form::nonblocking, Form::persistent};
constexpr const char* text(Form form)
{
    constexpr std::array texts{"blocking", "nonblocking", "persistent"};
    return texts[static_cast<std::size_t>(form)];
}

inline constexpr std::array collectives{"alltoall", "alltoallv", "alltoallw", "allgather", "allgatherv"};

enum class Whose : std::uint8_t { mpi, ours };

/// A name like "MPI_Ineighbor_alltoallv", "ORTHO_Alltoallv_init".
std::string function_name(Whose whose, Form form, const std::string& collective);

} // namespace conform
