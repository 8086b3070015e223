// SPDX-License-Identifier: BSD-3-Clause
// The facts that a process finds out about its machine without MPI.  No MPI in this file.
#pragma once

#include <string>
#include <vector>

namespace bench::doctor {

/// Texts that processes send to each other; empty if a thing is not known or not there.
struct ProcessFacts {
    std::string host;         ///< its name
    std::string kernel;       ///< with its version
    std::string boot;         ///< a number that differs from machine to machine
    std::string pid_space;    ///< the namespace of process numbers: containers have their own
    std::string container;    ///< its kind
    std::string cores;        ///< those that this process may use, as in "0-3,8"
    std::string cores_of_job; ///< their number, as the library finds it
    std::string quota;        ///< cores that the control group grants
    std::string shm_bytes;    ///< the size of /dev/shm
    std::string shm_free;
    std::string ptrace_scope;      ///< Yama's
    std::string xpmem;             ///< the device file
    std::string clock;             ///< the kernel's source
    std::string devices;           ///< drivers
    std::string fabrics;           ///< active ports of InfiniBand and its like
    std::string ethernet;          ///< interfaces that are up
    std::string locked_bytes;      ///< of memory that this process may lock
    std::string network_libraries; ///< what the MPI has loaded
    std::string interposer;        ///< its file, if it is loaded
    std::string variables;         ///< of ours, with their values
    std::string odd;               ///< sentences about wrong variables, a line each
    std::string processes_said;    ///< on this node, by the launcher

    /// The members above, in this order.
    std::vector<std::string*> members();
};

/// Looks at /proc, /sys, /dev and the environment.
ProcessFacts process_facts();

/// The numbers of a list like "0-3,8".
std::vector<int> numbers_of(const std::string& list);

} // namespace bench::doctor
