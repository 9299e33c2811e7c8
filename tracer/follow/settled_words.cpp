// SPDX-License-Identifier: BSD-3-Clause
// Walks from header to header as long as both copies agree on the length of the record.
#include "tracer/follow/settled_words.hpp"

#include <algorithm>

#include "tracer/record/format.hpp"

namespace latecomer::follow {
namespace {

using record::Kind;
using record::kind_of;

// Records of one word that may get more parts as long as they are the last ones.
bool may_grow(std::uint64_t head) {
  const Kind kind = kind_of(head);
  return kind == Kind::kEnter || kind == Kind::kConstruct ||
         (kind >= Kind::kSendAgain && kind < Kind::kVisit && !record::leaves(head));
}

}  // namespace

SettledWords settled_words(std::span<const std::uint64_t> first,
                           std::span<const std::uint64_t> second, bool gone) {
  constexpr std::size_t kNone = ~std::size_t{0};
  const std::size_t words = std::min(first.size(), second.size());
  SettledWords result;
  std::size_t end = 0;
  // Positions of the last three records.
  std::size_t last = kNone, before = kNone, third = kNone;
  while (end < words && first[end] != 0 && second[end] != 0) {
    const std::size_t length = 1 + record::payload_words_after(second[end]);
    if (length != 1 + record::payload_words_after(first[end])) break;
    if (length > words - end) {
      result.goes_on = true;
      break;
    }
    third = before;
    before = last;
    last = end;
    end += length;
  }
  result.goes_on = result.goes_on || end == words;
  const auto kind_at = [&](std::size_t at) {
    return at == kNone ? Kind::kEnd : kind_of(second[at]);
  };
  const auto drop_last = [&] {
    end = last;
    last = before;
    before = third;
    third = kNone;
  };
  if (last != kNone && first[last] != second[last]) drop_last();  // it is changing now
  if (kind_at(last) == Kind::kWideId) drop_last();                // belongs to the record after it
  result.settled = result.end = end;
  if (gone || last == kNone) return result;
  if (kind_at(last) == Kind::kLeaveUnsuccessful) {
    result.settled = result.end = last;
  } else if (kind_at(last) == Kind::kEnter && kind_at(before) == Kind::kLeaveUnsuccessful) {
    result.settled = result.end = before;
  } else if (may_grow(second[last])) {
    result.settled = kind_at(before) == Kind::kWideId ? before : last;
  }
  return result;
}

}  // namespace latecomer::follow
