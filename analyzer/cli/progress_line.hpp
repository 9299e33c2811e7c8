// SPDX-License-Identifier: BSD-3-Clause
// Shows the progress of a long analysis in a line on the terminal.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>

namespace latecomer::cli {

// The line is rewritten at most five times a second, and removed at the end.
//
//   reading events:  43 %, 21.3 million events/s per process, 8 s left
//   finding wait states, 12 s so far
//   preparing the page:  40 %, 12.5 metrics/s, 8 s left
class ProgressLine {
 public:
  using Clock = std::chrono::steady_clock;
  ProgressLine(bool wanted, std::FILE* to, std::function<Clock::time_point()> now = Clock::now)
      : wanted_(wanted),
        to_(to),
        now_(std::move(now)),
        start_(now_()),
        phase_start_(start_),
        last_(start_) {}
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // Shows that `done` of `all` pieces of work are done. `rate` names the pieces: "metrics/s".
  void part(const char* what, std::uint64_t done, std::uint64_t all, const char* rate);
  // Removes the line; call it before other text is written.
  void clear() {
    if (shown_) std::fputs("\r\033[K", to_);
    shown_ = false;
  }
  // A phase of the analysis (replay::Phase::name) has ended. After the first second, shows the next
  // phase.
  void ended(const std::string& phase);

 private:
  const bool wanted_;
  std::FILE* const to_;
  const std::function<Clock::time_point()> now_;
  const Clock::time_point start_;
  Clock::time_point phase_start_, last_;
  bool shown_ = false;
};

}  // namespace latecomer::cli
