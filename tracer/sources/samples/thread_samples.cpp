// SPDX-License-Identifier: BSD-3-Clause
// Begins and ends the samples of threads, and makes records of them.
#include <time.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <vector>

#include "archive/settings.hpp"
#include "tracer/callpath/module_tables.hpp"
#include "tracer/callpath/python/running_code.hpp"
#include "tracer/callpath/row_cache.hpp"
#include "tracer/callpath/stack_copy.hpp"
#include "tracer/record/extended.hpp"
#include "tracer/session/process/session.hpp"
#include "tracer/sources/samples/kernel_ring.hpp"
#include "tracer/sources/samples/sampler.hpp"
#include "tracer/sources/samples/signal_sampler.hpp"

namespace latecomer::samples {

// What finds the functions of a Python script in samples.
struct PythonSamples {
  explicit PythonSamples(const python::Interpreter& interpreter) : running(interpreter) {
    loops.function = interpreter.loop;
  }
  python::RunningCode running;
  callpath::WatchedFunction loops;
  std::vector<std::uintptr_t> registers, words;  // of one frame
  std::vector<callpath::FrameTable::Loop> found;
};

struct DestroyCalls {
  void operator()(blocking::BlockedCalls* calls) const { blocking::BlockedCalls::destroy(calls); }
};

// Everything that a thread needs for its samples.
struct ThreadSamples {
  Sampler sampler;
  SignalSampler signals;
  bool by_signals = false;  // the kernel refuses the sampler
  KernelRing kernel;
  bool has_kernel = false;  // the kernel tells what it does
  // Null: the thread is blocked at no known place.
  std::unique_ptr<blocking::BlockedCalls, DestroyCalls> blocked;
  callpath::RowCache rows;
  callpath::Stack stack;                  // of the last sample
  std::unique_ptr<PythonSamples> python;  // null: no Python, or a version without this
};

namespace {

using session::detail::thread_state;
using session::detail::ThreadState;

constexpr std::uint64_t kSecond = 1'000'000'000;
// Beyond this number of frames, samples name the function but not the line. Each line of the log is
// read by one process, which reads the logs of all.
constexpr std::size_t kMostExactFrames = std::size_t{1} << 15;
// Room for a thousand times without a core between two calls.
constexpr std::size_t kKernelPages = 16;

// Numbers that DWARF gives the registers of a sample, in the order of RawSample::registers.
constexpr std::array<std::uint8_t, RawSample::kRegisters> kDwarfNumbers = {
    0, 3, 2, 1, 4, 5, 6, 7, 16, 8, 9, 10, 11, 12, 13, 14, 15};

callpath::Registers registers_of(const RawSample& sample) {
  callpath::Registers all;
  for (std::size_t i = 0; i < RawSample::kRegisters; ++i) {
    all.set(kDwarfNumbers[i], sample.registers[i]);
  }
  return all;
}

// Function from the kernel's clock to ticks of the records, at this moment.
class SampleClock {
 public:
  SampleClock() : now_(session::read_moment()) {
    const session::Moment& start = process().session.start;
    const bool is_real = session::timer_in_use() == session::Timer::kRealtime;
    nanoseconds_ = is_real ? now_.wall : now_.monotonic;
    if (session::timer_in_use() == session::Timer::kTsc && now_.monotonic > start.monotonic) {
      ticks_per_nanosecond_ = static_cast<double>(now_.counter - start.counter) /
                              static_cast<double>(now_.monotonic - start.monotonic);
    }
  }
  [[nodiscard]] session::Ticks ticks(std::uint64_t nanoseconds) const {
    const session::Ticks now = session::ticks_of(now_);
    if (nanoseconds >= nanoseconds_) return now;
    const double age = static_cast<double>(nanoseconds_ - nanoseconds) * ticks_per_nanosecond_;
    return now - std::min(now, static_cast<session::Ticks>(age));
  }
  [[nodiscard]] std::uint64_t nanoseconds(session::Ticks ticks) const {
    const session::Ticks now = session::ticks_of(now_);
    if (ticks >= now) return nanoseconds_;
    const double age = static_cast<double>(now - ticks) / ticks_per_nanosecond_;
    return nanoseconds_ - std::min(nanoseconds_, static_cast<std::uint64_t>(age));
  }

 private:
  session::Moment now_;
  std::uint64_t nanoseconds_ = 0;
  double ticks_per_nanosecond_ = 1;
};

// The function of each call of the loop. A function that the loop calls preserves some registers;
// the interrupted function itself may use all.
void find_functions(PythonSamples& python, const callpath::StackCopy& copy) {
  constexpr auto& kPreserved = callpath::ShortRow::kPreserved;
  constexpr std::size_t kMostWords = 64;
  python.found.clear();
  for (const auto& frame : std::span(python.loops.frames).first(python.loops.count)) {
    std::vector<std::uintptr_t>& registers = python.registers;
    std::vector<std::uintptr_t>& words = python.words;
    registers.clear();
    words.clear();
    for (std::size_t number = 0; number < callpath::Registers::kIp; ++number) {
      const bool is_used = frame.depth == 0 || std::ranges::count(kPreserved, number) > 0;
      if (is_used && frame.registers.knows(number)) {
        registers.push_back(frame.registers.values[number]);
      }
    }
    std::uintptr_t at = frame.registers.values[callpath::Registers::kSp], word = 0;
    for (; at < frame.end && words.size() < kMostWords && copy.read(at, word); at += sizeof word) {
      words.push_back(word);
    }
    python.found.push_back({frame.depth, python.running.find(registers, words)});
  }
}

// The innermost frame of the sample's call path; 0 if no frame of the program is on it.
record::FrameId frame_of(const RawSample& sample, ThreadSamples& own) {
  callpath::Stack& stack = own.stack;
  const callpath::Registers registers = registers_of(sample);
  const callpath::StackCopy copy{registers.values[callpath::Registers::kSp], sample.stack};
  PythonSamples* const python = own.python.get();
  const auto path = callpath::unwind_copy(registers, copy, stack.frames, &own.rows,
                                          python == nullptr ? nullptr : &python->loops);
  stack.depth = path.depth;
  callpath::FrameTable& frames = *process().session.frames;
  if (stack.depth != 0 && stack.frames[0].function != 0 && frames.size() > kMostExactFrames) {
    stack.frames[0].place = stack.frames[0].function;
  }
  if (python == nullptr) return frames.path_of_sample(stack, path.whole);
  find_functions(*python, copy);
  return frames.path_of_sample(stack, path.whole, python->found);
}

// Makes a record of what the kernel did since the last record, the end of an MPI call.
void take_kernel_use(record::ThreadWriter& writer, const SampleClock& clock, session::Ticks since) {
  std::array<std::uint64_t, blocking::BlockedCalls::kMost> times;
  blocking::BlockedCalls* const calls = thread_state.blocked;
  const auto in_calls = std::span(times).first(calls == nullptr ? 0 : calls->size());
  const KernelUse use =
      thread_state.samples->kernel.take(clock.nanoseconds(since), calls, in_calls);
  for (std::size_t i = 0; i < in_calls.size(); ++i) {
    if (in_calls[i] == 0) continue;
    const blocking::BlockedCall& call = (*calls)[i];
    const std::array<std::uint64_t, 2> words = {record::two_halves(call.function, call.caller),
                                                in_calls[i]};
    writer.extended(record::kBlocked, session::now(), words);
  }
  if (calls != nullptr) calls->clear();
  if (use.is_cut) process().session.samples.switches_lost.fetch_add(1, std::memory_order_relaxed);
  if (!use.any()) return;
  const std::array<std::uint64_t, 3> words = {use.preempted, use.blocked,
                                              use.faults | std::uint64_t{use.migrations} << 32};
  writer.extended(record::kKernelUse, session::now(), words);
}

// Records when the thread had no core in an MPI call. Shorter times are no reason to be late. A
// call that waits may lose its core very often, so only the last ones are recorded: what came
// before those was hardly the end of the wait.
void take_switches_in_mpi(record::ThreadWriter& writer, session::Ticks end) {
  constexpr std::uint64_t kLeast = 100'000;  // nanoseconds
  constexpr std::size_t kMost = 16;
  ThreadSamples* const own = thread_state.samples;
  if (own == nullptr || own->by_signals || !own->has_kernel) return;
  std::array<KernelRing::Preempted, kMost> times;
  const std::size_t number = own->kernel.take_preempted(kLeast, times);
  if (number == 0) return;
  const SampleClock clock;
  for (const auto& [until, length] : std::span(times).first(number)) {
    const std::array<std::uint64_t, 2> words = {length, end - std::min(end, clock.ticks(until))};
    writer.extended(record::kWithoutCore, end, words);
  }
}

// Nanoseconds of this thread. On a busy machine the thread may lose its core meanwhile, which is no
// cost of samples.
std::uint64_t processor_time() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * kSecond + static_cast<std::uint64_t>(t.tv_nsec);
}

// Bytes of samples, or their number: so many are there, and so many were taken out.
const std::uint64_t* written(ThreadSamples& own) {
  return own.by_signals ? own.signals.numbers() : own.sampler.written();
}
std::uint64_t taken(const ThreadSamples& own) {
  return own.by_signals ? own.signals.taken() : own.sampler.taken();
}

// Makes records of all samples so far. Those inside an MPI call are not after the last record, the
// end of that call, and are left out.
void take(record::ThreadWriter& writer) {
  ThreadState& t = thread_state;
  ThreadSamples& own = *t.samples;
  session::SampleState& state = process().session.samples;
  const std::uint64_t since = processor_time();
  try {
    const SampleClock clock;
    const session::Ticks begin = writer.last_time();
    const std::uint64_t lost = own.sampler.lost();
    own.rows.forget_unloaded(callpath::unloaded_modules());
    const auto keep = [&](const RawSample& sample, std::uint64_t period) {
      const session::Ticks time = clock.ticks(sample.time);
      if (time <= writer.last_time()) return;
      const record::FrameId frame = frame_of(sample, own);
      if (frame == 0) return;
      const auto microseconds = static_cast<std::uint32_t>(period / 1000);
      const std::uint64_t word = record::sample_word(
          frame, microseconds | (sample.in_kernel ? record::kSampleInKernel : 0));
      writer.extended(record::kSample, time, {&word, 1});
    };
    if (own.by_signals) {
      own.signals.take(keep);
    } else {
      own.sampler.take(keep);
    }
    if (own.has_kernel) take_kernel_use(writer, clock, begin);
    state.lost.fetch_add(own.sampler.lost() - lost, std::memory_order_relaxed);
  } catch (const std::exception&) {
    // Out of memory: one sample is lost, and the others come with the next ones.
  }
  t.samples_taken = taken(own);
  state.cost.fetch_add(processor_time() - since, std::memory_order_relaxed);
}

void go_on() {
  ThreadState& t = thread_state;
  if (t.samples == nullptr) return;
  t.samples_taken = taken(*t.samples);
  t.samples_written = written(*t.samples);
  if (t.samples->has_kernel) t.switches = t.samples->kernel.head_and_tail();
  t.blocked = t.samples->has_kernel ? t.samples->blocked.get() : nullptr;
  // Signals inside MPI calls are left out, too, and leave room for those after them.
  if (t.samples->by_signals) t.switches = t.samples->signals.numbers();
}

// A process with very many threads has less memory for each of them.
std::size_t part_of_rings() {
  constexpr std::uint32_t kFewThreads = 32;
  return thread_state.info->writer.thread() < kFewThreads ? 1 : 4;
}

// Where the kernel refuses: timer signals, if the user wants them. Returns false without them.
bool begin_signals(ThreadSamples& own, std::uint64_t period, clockid_t clock) {
  constexpr std::size_t kRoom = 64;
  if (!setting_flag(SettingId::kSampleSignals)) return false;
  const int error = own.signals.open(period, clock, kRoom / part_of_rings());
  own.by_signals = error == 0;
  if (error != 0) process().session.samples.no_signals.store(error);
  return own.by_signals;
}

// Later threads may find that all memory for ring buffers is used.
bool is_first_thread() { return thread_state.info->writer.thread() == 0; }

void begin_thread() {
  session::SessionState& s = process().session;
  const std::int64_t rate = setting_rate(SettingId::kSample);
  if (rate == 0 || setting_text(SettingId::kCompat) == "scalasca25") return;
  if (thread_state.is_short) return;
  if (s.frames == nullptr) {  // no call paths: a static program, or the user's choice
    if (is_first_thread() && setting_given(SettingId::kSample)) {
      s.samples.refused.store(EOPNOTSUPP);
    }
    return;
  }
  const bool is_real = session::timer_in_use() == session::Timer::kRealtime;
  try {
    auto own = std::make_unique<ThreadSamples>();
    const clockid_t clock = is_real ? CLOCK_REALTIME : CLOCK_MONOTONIC;
    const std::uint64_t period = kSecond / static_cast<std::uint64_t>(rate);
    const int error = own->sampler.open(period, clock, part_of_rings());
    if (error != 0 && begin_signals(*own, period, clock)) {
      s.samples.by_signals.store(error);
    } else if (error != 0) {
      if (is_first_thread()) s.samples.refused.store(error);
      return;
    } else {
      if (own->sampler.without_kernel()) s.samples.user_only.store(true);
      own->has_kernel = own->kernel.open(kKernelPages / part_of_rings(), clock) == 0;
      // Without it, time that is not sampled may be anything.
      if (!own->has_kernel) s.samples.switches_lost.fetch_add(1);
      if (own->has_kernel) own->blocked.reset(blocking::BlockedCalls::make());
    }
    const auto& interpreter = s.frames->python().interpreter;
    if (interpreter && interpreter->loop != 0 &&
        python::RunningCode::supports(interpreter->layout)) {
      own->python = std::make_unique<PythonSamples>(*interpreter);
    }
    thread_state.samples = own.release();
    go_on();
  } catch (const std::exception&) {
    if (is_first_thread()) s.samples.refused.store(ENOMEM);
  }
}

void end_thread() {
  ThreadState& t = thread_state;
  t.samples_written = &session::detail::kNoSamples;
  t.samples_taken = 0;
  t.switches = nullptr;
  t.blocked = nullptr;
  delete t.samples;
  t.samples = nullptr;
}

[[gnu::constructor]] void watch_threads() {
  process().session.watch = {begin_thread, end_thread, take, go_on, take_switches_in_mpi};
}

}  // namespace
}  // namespace latecomer::samples
