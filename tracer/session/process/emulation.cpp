// SPDX-License-Identifier: BSD-3-Clause
// Reads the file of clock models.
#include "tracer/session/process/emulation.hpp"

#include <cerrno>
#include <string>

#include "archive/plain_file.hpp"
#include "archive/settings.hpp"
#include "tracer/session/job/identity.hpp"
#include "tracer/session/process/inside.hpp"

namespace latecomer::session {
namespace {

using Clock = Result<std::optional<sync::ClockSpec>>;

Clock read_clock() {
  const std::string path = setting_text(SettingId::kTimerEmulation);
  if (path.empty()) return Clock(std::nullopt);
  constexpr std::uint64_t kMostBytes = 16 << 20;
  const auto text = plain_content(path, kMostBytes);
  if (!text) {
    return Problem{"cannot read the clock models " + path + ": " + file_error(errno),
                   "LATECOMER_TIMER_EMULATION is to name a file; unset it to use the real clock",
                   Exit::kUsage};
  }
  const std::string node =
      setting_given(SettingId::kNode) ? setting_text(SettingId::kNode) : host_name();
  Clock clock = sync::clock_of_node(*text, node);
  if (!clock) {
    return Problem{path + ": " + clock.problem().what, clock.problem().next, Exit::kUsage};
  }
  // OTF2 has no times below zero.
  const Ticks begin = timer_in_use() == Timer::kRealtime ? process().session.start.wall
                                                         : process().session.start.monotonic;
  if (*clock && (*clock)->offset < -static_cast<std::int64_t>(begin)) {
    return Problem{path + ": the offset of node " + node +
                       " puts its clock below zero; the clock of this machine shows " +
                       std::to_string(begin / 1'000'000'000) + " s",
                   "choose a larger offset, or LATECOMER_TIMER=realtime", Exit::kUsage};
  }
  return clock;
}

}  // namespace

const Clock& emulated_clock() { return process().session.emulated_clock.get(read_clock); }

}  // namespace latecomer::session
