// SPDX-License-Identifier: BSD-3-Clause
// Fibers.
#include <cxxabi.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "scheduler.hpp"

namespace loopback {

namespace {

constexpr std::size_t stack_bytes = std::size_t{4} << 20;
constexpr std::size_t page = 4096;

} // namespace

Fiber::Fiber(std::function<void()> body) : body_(std::move(body)), is_new_(true)
{
    void* const memory = mmap(nullptr, stack_bytes + page, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED || mprotect(memory, page, PROT_NONE) != 0) {
        std::perror("a stack");
        std::exit(2);
    }
    stack_ = static_cast<std::byte*>(memory);
}

Fiber::~Fiber()
{
    if (stack_ != nullptr) munmap(stack_, stack_bytes + page);
}

void Fiber::enter(unsigned high, unsigned low)
{
    auto* const fiber = reinterpret_cast<Fiber*>(std::uintptr_t{high} << 32U | low);
    fiber->arrive();
    fiber->body_();
    std::abort();
}

/// On the new stack, after a switch.
void Fiber::arrive()
{
    std::memcpy(abi::__cxa_get_globals(), kept_.exceptions, sizeof kept_.exceptions);
    environ = kept_.environment;
    errno = kept_.error;
}

// swapcontext() makes two system calls; only a new fiber needs it.
void Fiber::resume(Fiber& from)
{
    std::memcpy(from.kept_.exceptions, abi::__cxa_get_globals(), sizeof from.kept_.exceptions);
    from.kept_.environment = environ;
    from.kept_.error = errno;
    if (_setjmp(from.place_) == 0) {
        if (std::exchange(is_new_, false)) {
            ucontext_t context;
            getcontext(&context);
            context.uc_stack.ss_sp = stack_ + page;
            context.uc_stack.ss_size = stack_bytes;
            context.uc_link = nullptr;
            const auto address = reinterpret_cast<std::uintptr_t>(this);
            makecontext(&context, reinterpret_cast<void (*)()>(&Fiber::enter), 2,
                        static_cast<unsigned>(address >> 32U), static_cast<unsigned>(address));
            setcontext(&context);
        }
        _longjmp(place_, 1);
    }
    from.arrive();
}

} // namespace loopback
