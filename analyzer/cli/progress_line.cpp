// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/cli/progress_line.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace latecomer::cli {
namespace {

constexpr auto kBetween = std::chrono::milliseconds(200);
constexpr double kLong = 1;  // seconds after which phases are told

// What comes after a phase.
struct Next {
  std::string_view ended, next;
};
constexpr std::array<Next, 9> kNext = {{
    {"events", "matching messages"},
    {"matching", "finding wait states"},
    {"clock check", "correcting clocks"},
    {"clocks", "finding wait states"},
    {"waits", "finding causes"},
    {"corrected", "finding causes"},
    {"causes", "replaying on an ideal network"},
    {"ideal network", "computing statistics"},
    {"statistics", "writing the report"},
}};

}  // namespace

void ProgressLine::read(std::uint64_t done, std::uint64_t all) {
  constexpr double kMillion = 1e6;
  show("reading events", done, all, kMillion, "million/s per process");
}

void ProgressLine::part(const std::string& what, std::uint64_t done, std::uint64_t all,
                        const std::string& pieces) {
  show(what.c_str(), done, all, 1, (pieces + "/s").c_str());
}

void ProgressLine::show(const char* what, std::uint64_t done, std::uint64_t all, double unit,
                        const char* rate) {
  if (!wanted_) return;
  const auto now = now_();
  if (now - last_ < kBetween) return;
  last_ = now;
  shown_ = true;
  const double part = all > 0 ? static_cast<double>(done) / static_cast<double>(all) : 0;
  std::fprintf(to_, "\r%s: %3.0f %%, %.1f %s, %.0f s left\033[K", what, std::min(100 * part, 100.0),
               static_cast<double>(done) / seconds(now) / unit, rate,
               part > 0 ? seconds(now) * std::max(0.0, 1 / part - 1) : 0);
  std::fflush(to_);
}

void ProgressLine::ended(const std::string& phase) {
  const auto* const next = std::ranges::find(kNext, std::string_view(phase), &Next::ended);
  if (!wanted_ || next == kNext.end()) return;
  const auto now = now_();
  if (seconds(now) < kLong) return;
  shown_ = true;
  std::fprintf(to_, "\r%s, %.0f s so far\033[K", std::string(next->next).c_str(), seconds(now));
  std::fflush(to_);
}

}  // namespace latecomer::cli
