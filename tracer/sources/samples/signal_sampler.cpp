// SPDX-License-Identifier: BSD-3-Clause
// A timer of the thread's processor time, and the handler of its signal.
#include "tracer/sources/samples/signal_sampler.hpp"

#include <ucontext.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

#include "tracer/session/process/session.hpp"

namespace latecomer::samples {
namespace {

// The only choice that cannot end a program: without a handler this signal is ignored. So it does
// no harm if the program sets its default action, or if another program is started meanwhile.
constexpr int kSignal = SIGURG;

// The sampler of this thread; null: none. Signals that are still on their way at its end find none.
thread_local constinit SignalSampler* sampler [[gnu::tls_model("initial-exec")]] = nullptr;

std::uint64_t nanoseconds(clockid_t clock) {
  timespec t{};
  clock_gettime(clock, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(t.tv_nsec);
}

// Installs the handler, unless it is there.
int install(void (*handler)(int, siginfo_t*, void*)) {
  struct sigaction action {};
  if (sigaction(kSignal, nullptr, &action) != 0) return errno;
  if (action.sa_sigaction == handler) return 0;
  if (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN) return EBUSY;
  action = {};
  action.sa_sigaction = handler;
  action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
  sigfillset(&action.sa_mask);  // no handler of the program runs in between
  return sigaction(kSignal, &action, nullptr) == 0 ? 0 : errno;
}

#if defined(__x86_64__)

// The registers of a RawSample, in its order.
constexpr std::array<int, RawSample::kRegisters> kRegisters = {
    REG_RAX, REG_RBX, REG_RCX, REG_RDX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_RIP,
    REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};

void copy_registers(const void* context, RawSample& sample) {
  const auto& from = static_cast<const ucontext_t*>(context)->uc_mcontext.gregs;
  for (std::size_t i = 0; i < kRegisters.size(); ++i) {
    sample.registers[i] = static_cast<std::uint64_t>(from[kRegisters[i]]);
  }
}

// Copies by an instruction of its own: sanitizers report functions that read frames of others.
void copy_memory(std::uintptr_t from, std::byte* to, std::size_t bytes) {
  asm volatile("rep movsb" : "+S"(from), "+D"(to), "+c"(bytes) : : "memory");
}

#else

void copy_registers(const void*, RawSample&) {}
void copy_memory(std::uintptr_t, std::byte*, std::size_t) {}

#endif

}  // namespace

int SignalSampler::open(std::uint64_t period, clockid_t clock, std::size_t room) {
  if (!callpath::kSupported) return EOPNOTSUPP;
  stack_ = callpath::StackBounds::of_this_thread();
  period_ = period;
  clock_ = clock;
  if (const int error = install(handle); error != 0) return error;
  SignalBuffer& buffer = buffer_.emplace(room);
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = kSignal;
  event.sigev_value.sival_ptr = this;
  event._sigev_un._tid = gettid();
  if (timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer_) != 0) {
    const int error = errno;
    buffer_.reset();
    return error;
  }
  buffer.count_from(nanoseconds(CLOCK_THREAD_CPUTIME_ID));
  sampler = this;
  arm();
  return 0;
}

SignalSampler::~SignalSampler() {
  if (!buffer_) return;
  sampler = nullptr;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  timer_delete(timer_);
}

// Asks for one signal. If the program replaces the handler, it gets this one and no more.
void SignalSampler::arm() const {
  constexpr std::uint64_t kSecond = 1'000'000'000;
  itimerspec next{};
  next.it_value.tv_sec = static_cast<time_t>(period_ / kSecond);
  next.it_value.tv_nsec = static_cast<long>(period_ % kSecond);
  timer_settime(timer_, 0, &next, nullptr);
}

void SignalSampler::handle(int, siginfo_t* info, void* context) {
  if (info->si_code != SI_TIMER || sampler == nullptr || info->si_value.sival_ptr != sampler)
    return;
  if (session::over()) return;
  const int saved = errno;
  sampler->sample(context);
  sampler->arm();
  errno = saved;
}

void SignalSampler::sample(const void* context) {
  buffer_->add(nanoseconds(CLOCK_THREAD_CPUTIME_ID), [&](RawSample& to, auto& stack) {
    to.time = nanoseconds(clock_);
    copy_registers(context, to);
    // A stack that the program has made for itself may end anywhere, so nothing is copied.
    const std::uintptr_t sp = to.registers[7];
    const std::size_t bytes =
        stack_.contains(sp) ? std::min<std::size_t>(stack.size(), stack_.high - sp) : 0;
    copy_memory(sp, stack.data(), bytes);
    to.stack = {stack.data(), bytes};
  });
}

}  // namespace latecomer::samples
