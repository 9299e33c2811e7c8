// SPDX-License-Identifier: BSD-3-Clause
// Prints the progress of the analysis and the names of its phases.
#include "analyzer/cli/progress_line.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace latecomer::cli {
namespace {

constexpr auto kBetween = std::chrono::milliseconds(200);
constexpr double kLong = 1;                   // seconds after which phases are shown
constexpr double kMillion = 1e6, kFew = 100;  // pieces per second

double seconds(ProgressLine::Clock::duration time) {
  return std::chrono::duration<double>(time).count();
}

// The text to show when a phase has ended, about the next one.
struct Next {
  std::string_view ended, next;
};
constexpr std::array<Next, 9> kNext = {{
    {"events", "matching messages"},
    {"matching", "finding wait states"},
    {"clock check", "correcting clocks"},
    {"clocks", "finding wait states"},
    {"waits", "computing statistics"},
    {"corrected", "computing statistics"},
    {"statistics", "finding causes"},
    {"causes", "drawing the worst waits"},
    {"scenes", "writing the report"},
}};

}  // namespace

void ProgressLine::part(const char* what, std::uint64_t done, std::uint64_t all, const char* rate) {
  if (!wanted_) return;
  const auto now = now_();
  if (now - last_ < kBetween) return;
  last_ = now;
  shown_ = true;
  const double so_far = seconds(now - phase_start_);
  // The remaining time is estimated from the part that is done.
  const double part = all > 0 ? static_cast<double>(done) / static_cast<double>(all) : 0;
  const double per_second = static_cast<double>(done) / so_far;
  const bool many = per_second >= kMillion;
  std::fprintf(to_, "\r%s: %3.0f %%, %.*f %s%s, %.0f s left\033[K", what,
               std::min(100 * part, 100.0), many || per_second < kFew ? 1 : 0,
               many ? per_second / kMillion : per_second, many ? "million " : "", rate,
               part > 0 ? so_far * std::max(0.0, 1 / part - 1) : 0);
  std::fflush(to_);
}

void ProgressLine::ended(const std::string& phase) {
  const auto now = now_();
  phase_start_ = now;
  const auto* const next = std::ranges::find(kNext, std::string_view(phase), &Next::ended);
  if (!wanted_ || next == kNext.end() || seconds(now - start_) < kLong) return;
  shown_ = true;
  std::fprintf(to_, "\r%s, %.0f s so far\033[K", std::string(next->next).c_str(),
               seconds(now - start_));
  std::fflush(to_);
}

}  // namespace latecomer::cli
