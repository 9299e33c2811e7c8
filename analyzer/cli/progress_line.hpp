// SPDX-License-Identifier: BSD-3-Clause
// A line on the terminal that tells how far a long analysis is.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>

namespace latecomer::cli {

// It is rewritten at most five times a second, and gone at the end.
//
//   reading events:  43 %, 21.3 million/s per process, 8 s left
//   finding causes, 12 s so far
//   preparing the page:  40 %, 12.5 metrics/s, 8 s left
class ProgressLine {
 public:
  using Clock = std::chrono::steady_clock;
  ProgressLine(bool wanted, std::FILE* to, std::function<Clock::time_point()> now = Clock::now)
      : wanted_(wanted), to_(to), now_(std::move(now)), start_(now_()), last_(start_) {}
  ~ProgressLine() {
    if (shown_) std::fputs("\r\033[K", to_);
  }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // Events that this process has read, of those that it will read.
  void read(std::uint64_t done, std::uint64_t all);
  // Pieces of work that are done, of those to be done.
  void part(const std::string& what, std::uint64_t done, std::uint64_t all,
            const std::string& pieces);
  // A phase of the analysis has ended (replay::Phase::name); after the first second the next one is
  // told.
  void ended(const std::string& phase);

 private:
  void show(const char* what, std::uint64_t done, std::uint64_t all, double unit, const char* rate);
  [[nodiscard]] double seconds(Clock::time_point now) const {
    return std::chrono::duration<double>(now - start_).count();
  }

  const bool wanted_;
  std::FILE* const to_;
  const std::function<Clock::time_point()> now_;
  const Clock::time_point start_;
  Clock::time_point last_;
  bool shown_ = false;
};

}  // namespace latecomer::cli
