// SPDX-License-Identifier: BSD-3-Clause
// Formats the losses and limits of all processes as lines to the user.
#include "tracer/session/last_word.hpp"

#include <algorithm>
#include <cstring>

#include "archive/rank_list.hpp"
#include "archive/settings.hpp"
#include "tracer/session/iterations.hpp"

namespace latecomer::session {
namespace {

using Words = std::span<const LastWord>;
using Lines = std::vector<std::string>;

void tell_losses(Words everybody, const std::string& directory, Lines& lines) {
  record::Losses total;
  std::vector<int> ranks;
  for (std::size_t rank = 0; rank < everybody.size(); ++rank) {
    const record::Losses& mine = everybody[rank].losses;
    if (mine.records == 0) continue;
    total.records += mine.records;
    total.bytes += mine.bytes;
    if (total.error == 0) total.error = mine.error;
    ranks.push_back(static_cast<int>(rank));
  }
  if (ranks.empty()) return;
  const std::string what = "warning: " + std::to_string(total.records) + " records (" +
                           std::to_string(total.bytes) + " bytes) of " + rank_list(ranks);
  lines.push_back(total.error != 0
                      ? what + " could not be written to " + directory + ": " +
                            std::strerror(total.error) + "; the trace ends early there"
                      : what + " are of " + kLostInSignals + "; they are not in the trace");
}

// Explains why the window of iterations did not open.
void tell_iterations(Words everybody, Lines& lines) {
  const auto window = IterationWindow::parse(setting_text(SettingId::kIterations));
  std::uint64_t most = 0;
  for (const LastWord& word : everybody) most = std::max(most, word.visits);
  if (!window || everybody.empty() || most >= window->first) return;
  const std::string option = " (--iterations " + setting_text(SettingId::kIterations) + ")";
  if (std::ranges::none_of(everybody, &LastWord::found_region)) {
    lines.push_back("the program has no region '" + window->region + "'" + option +
                    ", so nothing was recorded between MPI_Init and MPI_Finalize: name one with "
                    "latecomer.h, or compile with -finstrument-functions");
    return;
  }
  lines.push_back("region '" + window->region + "' was visited " + std::to_string(most) +
                  (most == 1 ? " time" : " times") + ", recording was to begin at visit " +
                  std::to_string(window->first) + option);
}

}  // namespace

Lines lines_about(Words everybody, const std::string& directory) {
  Lines lines;
  tell_losses(everybody, directory, lines);
  tell_iterations(everybody, lines);
  if (const auto full = std::ranges::count_if(everybody, &LastWord::was_full); full > 0) {
    lines.push_back("recording was stopped on " + std::to_string(full) + " of " +
                    std::to_string(everybody.size()) +
                    " processes, whose records had reached their share of --max-size " +
                    setting_text(SettingId::kMaxSize) + "; what came later is not in the trace");
  }
  if (std::ranges::any_of(everybody, &LastWord::never_began)) {
    lines.push_back("the program ended before recording was to begin, " +
                    setting_text(SettingId::kFrom) + " after MPI_Init (--from)");
  }
  return lines;
}

}  // namespace latecomer::session
