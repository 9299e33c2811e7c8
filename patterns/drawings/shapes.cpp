// SPDX-License-Identifier: BSD-3-Clause
// Bars are {lane, from, to, kind, text}, arrows {lane, from, to lane, to}, marks {time, text}.
#include "patterns/drawings/shapes.hpp"

#include <vector>

namespace latecomer::patterns {
namespace {

using enum Drawing::Kind;

}  // namespace

Drawing one_call(const std::string& call) {
  return {{"rank 0", "rank 1", "rank 2"},
          {{0, 0, 20, kWork, ""},
           {0, 20, 76, kWait, "waits"},
           {0, 76, 84, kCall, ""},
           {0, 84, 100, kWork, ""},
           {1, 0, 38, kWork, ""},
           {1, 38, 76, kWait, "waits"},
           {1, 76, 84, kCall, ""},
           {1, 84, 100, kWork, ""},
           {2, 0, 76, kWork, "still computes"},
           {2, 76, 84, kCall, ""},
           {2, 84, 100, kWork, ""}},
          {},
          {{76, "the last one enters " + call}}};
}

Drawing completion(const std::string& call) {
  return {{"rank 0", "rank 1", "rank 2"},
          {{0, 0, 20, kWork, ""},
           {0, 20, 60, kCall, call},
           {0, 60, 100, kWork, ""},
           {1, 0, 30, kWork, ""},
           {1, 30, 60, kCall, ""},
           {1, 60, 80, kWait, "counts"},
           {1, 80, 100, kWork, ""},
           {2, 0, 48, kWork, ""},
           {2, 48, 60, kCall, ""},
           {2, 60, 92, kWait, "counts"},
           {2, 92, 100, kWork, ""}},
          {},
          {{60, "the first one leaves"}}};
}

Drawing lock(const std::string& call) {
  return {{"holder", "other"},
          {{0, 0, 12, kWork, ""},
           {0, 12, 24, kCall, "lock"},
           {0, 24, 62, kWork, "accesses"},
           {0, 62, 78, kCall, "unlock"},
           {0, 78, 100, kWork, ""},
           {1, 0, 30, kWork, ""},
           {1, 30, 62, kWait, "waits"},
           {1, 62, 88, kCall, call},
           {1, 88, 100, kWork, ""}},
          {{0, 64, 1, 76}},
          {}};
}

Drawing of_threads(Drawing drawing) {
  const std::size_t lanes = drawing.lanes.size();
  drawing.lanes = {"thread 0", "thread 1", "thread 2"};
  drawing.lanes.resize(lanes);
  return drawing;
}

}  // namespace latecomer::patterns
