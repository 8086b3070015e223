// SPDX-License-Identifier: BSD-3-Clause
// Agreeing on what environment and info say.

#include "topology/settings.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>

#include "base/environment.hpp"
#include "base/error.hpp"
#include "mpi/wait.hpp"
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

/// "true" or "false", in any case; false if it is not there.
bool info_flag(MPI_Info info, const char* key)
{
    std::string value = info_value(info, key).value_or("false");
    std::ranges::transform(value, value.begin(), [](unsigned char c) { return std::tolower(c); });
    base::require(value == "true" || value == "false", base::ErrorKind::info, "info", key, " = '",
                  value, "' is neither true nor false");
    return value == "true";
}

} // namespace

Votes votes_of(MPI_Info info)
{
    return {info_flag(info, "ortho_assert_uniform"), info_flag(info, "ortho_forward"), info == MPI_INFO_NULL};
}

std::string algorithms_in(MPI_Info info)
{
    const auto value = info_value(info, "ortho_algorithm");
    return value ? "i" + *value : std::string();
}

std::string algorithms_of(MPI_Info info)
{
    if (std::string list = algorithms_in(info); !list.empty()) return list;
    if (const auto variable = base::environment("ORTHO_ALGORITHM")) return "e" + *variable;
    return {};
}

Announcement::Announcement(MPI_Comm comm, std::string list) : comm_(comm), list_(std::move(list))
{
    head_.length = static_cast<int>(list_.size());
    list_.copy(head_.text, sizeof head_.text);
    mpi::check_users(PMPI_Ibcast(&head_, sizeof head_, MPI_BYTE, 0, comm_, &request_));
}

bool Announcement::advance()
{
    for (;;) {
        int flag = 0;
        mpi::check(PMPI_Test(&request_, &flag, MPI_STATUS_IGNORE));
        if (flag == 0) return false;
        if (has_head_) return true;
        has_head_ = true;
        list_.resize(static_cast<std::size_t>(head_.length));
        if (list_.size() <= sizeof head_.text) {
            list_.assign(head_.text, list_.size());
            return true;
        }
        mpi::check(PMPI_Ibcast(list_.data(), head_.length, MPI_CHAR, 0, comm_, &request_));
    }
}

Settings make_settings(const std::string& list, const Votes& agreed)
{
    Settings settings;
    settings.assert_uniform = agreed.assert_uniform;
    settings.forward = agreed.forward;
    if (!list.empty())
        settings.algorithms = planner::parse_algorithms(
            list.substr(1), list[0] == 'i' ? "ortho_algorithm" : "ORTHO_ALGORITHM");
    return settings;
}

Settings agree_on_settings(MPI_Comm comm, MPI_Info info, const Votes& agreed)
{
    Announcement announcement(comm, mpi::rank_of(comm) == 0 ? algorithms_of(info) : std::string());
    mpi::wait_until([&] { return announcement.advance(); });
    return make_settings(announcement.list(), agreed);
}

} // namespace ortho::topology
