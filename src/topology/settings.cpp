// SPDX-License-Identifier: BSD-3-Clause
// Agreeing on what environment and info say.

#include "topology/settings.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <string>

#include "base/environment.hpp"
#include "base/error.hpp"
#include "planner/planner.hpp"

namespace ortho::topology {

namespace {

std::optional<std::string> info_value(MPI_Info info, const char* key)
{
    if (info == MPI_INFO_NULL) return std::nullopt;
    int length = 0;
    int found = 0;
    mpi::check_users(PMPI_Info_get_valuelen(info, key, &length, &found));
    if (found == 0) return std::nullopt;
    std::string value(static_cast<std::size_t>(length) + 1, '\0');
    mpi::check_users(PMPI_Info_get(info, key, length, value.data(), &found));
    value.resize(static_cast<std::size_t>(length));
    return value;
}

std::string from_rank_0(MPI_Comm comm, std::string text)
{
    // One message, but for lists that are very long.
    struct {
        int length;
        char head[252];
    } message{};
    message.length = static_cast<int>(text.size());
    text.copy(message.head, sizeof message.head);
    mpi::check_users(PMPI_Bcast(&message, sizeof message, MPI_BYTE, 0, comm));
    text.resize(static_cast<std::size_t>(message.length));
    if (text.size() > sizeof message.head)
        mpi::check_users(PMPI_Bcast(text.data(), message.length, MPI_CHAR, 0, comm));
    else
        text.assign(message.head, text.size());
    return text;
}

} // namespace

bool info_flag(MPI_Info info, const char* key)
{
    std::string value = info_value(info, key).value_or("false");
    std::ranges::transform(value, value.begin(), [](unsigned char c) { return std::tolower(c); });
    base::require(value == "true" || value == "false", base::ErrorKind::info, "info", key, " = '",
                  value, "' is neither true nor false");
    return value == "true";
}

Settings agree_on_settings(MPI_Comm comm, MPI_Info info, bool assert_uniform)
{
    // The list's first letter says where rank 0 found it.
    std::string list;
    if (mpi::rank_of(comm) == 0) {
        if (const auto value = info_value(info, "ortho_algorithm"))
            list = "i" + *value;
        else if (const auto variable = base::environment("ORTHO_ALGORITHM"))
            list = "e" + *variable;
    }
    list = from_rank_0(comm, std::move(list));

    Settings settings;
    settings.assert_uniform = assert_uniform;
    if (!list.empty())
        settings.algorithms = planner::parse_algorithms(
            list.substr(1), list[0] == 'i' ? "ortho_algorithm" : "ORTHO_ALGORITHM");
    return settings;
}

} // namespace ortho::topology
