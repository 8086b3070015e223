// SPDX-License-Identifier: BSD-3-Clause
// A fiber: a function with a stack of its own, which runs when somebody switches to it.
#pragma once

#include <csetjmp>
#include <cstddef>
#include <functional>

namespace loopback {

class Fiber {
public:
    /// The fiber of the thread itself.
    Fiber() = default;
    /// `body` must not return: it switches away for the last time.
    explicit Fiber(std::function<void()> body);
    ~Fiber();
    Fiber(const Fiber&) = delete;
    Fiber& operator=(const Fiber&) = delete;

    /// Leave the fiber `from`, which runs, and go on with this one.  `environ`, errno and what C++ knows of
    /// exceptions belong to each fiber.
    void resume(Fiber& from);
    void set_environment(char** environment) { kept_.environment = environment; }

private:
    static void enter(unsigned high, unsigned low);
    void arrive();

    std::function<void()> body_;
    std::byte* stack_ = nullptr;
    std::jmp_buf place_{};
    bool is_new_ = false;
    struct Kept {
        void* exceptions[2] = {}; // __cxa_eh_globals
        int error = 0;
        char** environment = nullptr;
    } kept_;
};

} // namespace loopback
