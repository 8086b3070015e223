// SPDX-License-Identifier: BSD-3-Clause
// What an ORTHO_Request points to.
#pragma once

#include <memory>

#include "engine/task.hpp"
#include "mpiortho.h"

struct ORTHO_Request_s {
    std::unique_ptr<ortho::engine::Task> task;
    bool persistent = false;
    bool active = false;
};

namespace ortho::engine {

/// The request of a task that has been started, or, if it is persistent, has not.
ORTHO_Request make_request(std::unique_ptr<Task> task, bool persistent);

} // namespace ortho::engine
