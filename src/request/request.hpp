// SPDX-License-Identifier: BSD-3-Clause
// The object that an ORTHO_Request points to.
#pragma once

#include <atomic>
#include <memory>

#include "mpiortho.h"
#include "request/task.hpp"

struct ORTHO_Request_s {
    std::unique_ptr<ortho::request::Task> task;
    bool persistent = false;
    bool active = false;
    std::atomic<bool> live = false;          ///< made, and not freed
    ORTHO_Request next = ORTHO_REQUEST_NULL; ///< of those that are free
};

namespace ortho::request {

/// The request of a task that has been started, or, if it is persistent, has not.
ORTHO_Request make_request(std::unique_ptr<Task> task, bool persistent);

/// The request ends, and its task, if it still has one; its memory is for another request.
void end_request(ORTHO_Request request) noexcept;

/// Has it been made here, and not been freed?  Whatever the handle is, nothing is read elsewhere.
bool is_live(ORTHO_Request request) noexcept;

} // namespace ortho::request
