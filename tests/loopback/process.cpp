// SPDX-License-Identifier: BSD-3-Clause
#include "process.hpp"

#include "communicators.hpp"
#include "mpi_groups.hpp"
#include "mpi_messages.hpp"
#include "mpi_requests.hpp"

namespace loopback {

Process* me = nullptr;
Scheduler* scheduler = nullptr;
Manner manner;
std::vector<std::unique_ptr<Process>> processes;
std::uint64_t mpi_calls = 0;

Process::Process() = default;
Process::~Process() = default;

} // namespace loopback
