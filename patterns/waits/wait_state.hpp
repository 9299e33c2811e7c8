// SPDX-License-Identifier: BSD-3-Clause
// The record of a wait state: everything that is said of it besides its formula.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "patterns/drawings/drawing.hpp"
#include "patterns/metric/metric.hpp"
#include "patterns/waits/wait_state_list.hpp"

namespace latecomer::patterns {

// A member that a record has to give. It has no default, so a record without it does not compile.
template <class T>
class Required {
 public:
  template <class U>
  requires std::is_convertible_v<U, T> Required(U&& value)
      : value_(std::forward<U>(value)) {}  // implicit, so that records stay short
  [[nodiscard]] const T& operator*() const { return value_; }
  [[nodiscard]] const T* operator->() const { return &value_; }

 private:
  T value_;
};

// Metrics about the causes of a wait state.
struct OwnCauses {
  std::string_view delay{};  // unique name of its short-term delay costs
  // Last parts of the names mpi_wait_direct_... and mpi_wait_indirect_... (split), and of
  // mpi_wait_propagating_... and mpi_wait_terminal_... (chain). Empty for waits of threads, which
  // are not divided.
  std::string_view split{}, chain{};
  std::string_view display{};  // its name there; empty: that of the wait state
};

struct FollowedWait {
  Required<Metric> metric;
  Required<int> order;     // place among its siblings in the tree
  Required<bool> waiting;  // false: a part of another wait state, or a time without a cause
  Required<int> polling;   // place among the metrics of Polling; 0: nothing polls for it
  Required<OwnCauses> causes;
  std::vector<std::string_view> short_names{};  // other names of it, after a prefix
  std::vector<std::string_view> counts{};       // unique names of metrics that count it
  Required<std::optional<Drawing>> drawing;     // nothing: that of its parent
};

struct OtherWait {
  Required<Metric> metric;
  Required<int> order;
  Required<bool> waiting;
  Required<int> polling;
  Required<std::optional<WaitKind>> caused_like;  // nothing: causes are not followed
  std::vector<std::string_view> short_names{};
  std::vector<std::string_view> counts{};
  Required<std::optional<Drawing>> drawing;
};

// A record as the loops over all wait states see it.
struct WaitStateRecord {
  WaitState state;
  WaitFamily family;
  std::optional<WaitKind> kind;     // whose causes it has, its own or those of another one
  std::optional<OwnCauses> causes;  // only if they are its own
  Metric metric;
  int order = 0, polling = 0;
  bool waiting = false;
  std::vector<std::string_view> short_names, counts;
  std::optional<Drawing> drawing;
};

// All records by index_of(WaitState). They live until the program ends.
[[nodiscard]] const std::vector<WaitStateRecord>& wait_states();
// Those in the order of the tree.
[[nodiscard]] std::vector<const WaitStateRecord*> ordered_wait_states();

// Names of the metrics of one kind.
struct WaitKindNames {
  std::string_view wait;                 // unique name of the wait state
  std::string_view display;              // "Late Sender"
  std::string_view delay, split, chain;  // as in OwnCauses
  std::string_view also{};  // unique name of the same wait state in other calls, if any
};
// Names by index_of(WaitKind).
[[nodiscard]] const std::array<WaitKindNames, kWaitKindCount>& wait_kinds();

#define LATECOMER_FOLLOWED(enumerator, name, family) [[nodiscard]] FollowedWait name##_state();
#define LATECOMER_OTHER(enumerator, name, family) [[nodiscard]] OtherWait name##_state();
LATECOMER_WAIT_STATES(LATECOMER_FOLLOWED, LATECOMER_OTHER)
#undef LATECOMER_FOLLOWED
#undef LATECOMER_OTHER

}  // namespace latecomer::patterns
