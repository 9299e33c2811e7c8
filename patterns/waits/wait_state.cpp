// SPDX-License-Identifier: BSD-3-Clause
// Collects the records of all wait states in one table.
#include "patterns/waits/wait_state.hpp"

#include <algorithm>

namespace latecomer::patterns {
namespace {

template <class Record>
WaitStateRecord record_of(WaitState state, std::optional<WaitKind> kind,
                          std::optional<OwnCauses> causes, const Record& from) {
  return {.state = state,
          .family = kFamilyOfState[index_of(state)],
          .kind = kind,
          .causes = causes,
          .metric = *from.metric,
          .order = *from.order,
          .polling = *from.polling,
          .waiting = *from.waiting,
          .short_names = from.short_names,
          .counts = from.counts,
          .drawing = *from.drawing};
}

WaitStateRecord followed(WaitState state, WaitKind kind, const FollowedWait& from) {
  return record_of(state, kind, *from.causes, from);
}

WaitStateRecord other(WaitState state, const OtherWait& from) {
  return record_of(state, *from.caused_like, {}, from);
}

}  // namespace

const std::vector<WaitStateRecord>& wait_states() {
#define LATECOMER_FOLLOWED(enumerator, name, family) \
  followed(WaitState::enumerator, WaitKind::enumerator, name##_state()),
#define LATECOMER_OTHER(enumerator, name, family) other(WaitState::enumerator, name##_state()),
  static const std::vector<WaitStateRecord> records = {
      LATECOMER_WAIT_STATES(LATECOMER_FOLLOWED, LATECOMER_OTHER)};
#undef LATECOMER_FOLLOWED
#undef LATECOMER_OTHER
  return records;
}

std::vector<const WaitStateRecord*> ordered_wait_states() {
  std::vector<const WaitStateRecord*> ordered;
  for (const auto& record : wait_states()) ordered.push_back(&record);
  std::ranges::stable_sort(ordered, {}, &WaitStateRecord::order);
  return ordered;
}

const std::array<WaitKindNames, kWaitKindCount>& wait_kinds() {
  static const auto names = [] {
    std::array<WaitKindNames, kWaitKindCount> out;
    for (const auto& record : wait_states()) {
      if (!record.kind) continue;
      auto& kind = out[index_of(*record.kind)];
      if (!record.causes) {
        kind.also = record.metric.name;
        continue;
      }
      const auto& causes = *record.causes;
      kind.wait = record.metric.name;
      kind.display = causes.display.empty() ? record.metric.display : causes.display;
      kind.delay = causes.delay;
      kind.split = causes.split;
      kind.chain = causes.chain;
    }
    return out;
  }();
  return names;
}

}  // namespace latecomer::patterns
