// SPDX-License-Identifier: BSD-3-Clause
#include "fiber.hpp"

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

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/common_interface_defs.h>
#endif

namespace loopback {

namespace {

constexpr std::size_t stack_bytes = std::size_t{4} << 20;
constexpr std::size_t page = 4096;

void announce_switch([[maybe_unused]] void** mine, [[maybe_unused]] const void* bottom,
                     [[maybe_unused]] std::size_t size)
{
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_start_switch_fiber(mine, bottom, size);
#endif
}

} // namespace

Fiber::Fiber(std::function<void()> body) : body_(std::move(body)), is_new_(true), size_(stack_bytes)
{
    void* const memory = mmap(nullptr, stack_bytes + page, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED || mprotect(memory, page, PROT_NONE) != 0) {
        std::perror("a stack");
        std::exit(2);
    }
    stack_ = static_cast<std::byte*>(memory);
    bottom_ = stack_ + page;
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
#ifdef __SANITIZE_ADDRESS__
    const void* bottom = nullptr;
    std::size_t size = 0;
    __sanitizer_finish_switch_fiber(false_stack_, &bottom, &size);
    if (from_->stack_ == nullptr) { // the thread's own stack
        from_->bottom_ = bottom;
        from_->size_ = size;
    }
#endif
    std::memcpy(abi::__cxa_get_globals(), kept_.exceptions, sizeof kept_.exceptions);
    environ = kept_.environment;
    errno = kept_.error;
}

// swapcontext() makes two system calls; only a new fiber needs it.
void Fiber::resume(Fiber& from)
{
    from_ = &from;
    std::memcpy(from.kept_.exceptions, abi::__cxa_get_globals(), sizeof from.kept_.exceptions);
    from.kept_.environment = environ;
    from.kept_.error = errno;
    announce_switch(&from.false_stack_, bottom_, size_);
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
