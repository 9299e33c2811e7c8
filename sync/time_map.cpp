// SPDX-License-Identifier: BSD-3-Clause
// Cuts the time line of a process where its correction changes its form.
#include "sync/time_map.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <queue>

namespace latecomer::sync {

TimeMap::TimeMap(const Shift& shift, std::vector<Advance::Line> lines) : decay_(shift.decay()) {
  // The correction changes its form only at these times: jumps, ends of their decay, ends of lines.
  std::vector<Ticks> cuts;
  std::vector<std::pair<Ticks, Ticks>> jumps;  // time, key
  shift.for_each([&](Ticks at, Ticks size) {
    jumps.emplace_back(at, decay_ * size + at);
    cuts.push_back(at);
    cuts.push_back(shift.reach(at, size));
  });
  for (const auto& line : lines) {
    cuts.push_back(line.from);
    cuts.push_back(line.to);
  }
  std::ranges::sort(cuts);
  cuts.erase(std::ranges::unique(cuts).begin(), cuts.end());
  std::ranges::sort(lines, {}, &Advance::Line::from);
  auto jump = jumps.begin();
  std::size_t next_line = 0;
  // If each interval had its own copy of its lines, many overlapping lines would need quadratic
  // memory. So an interval continues with the lines of the one before, until more than half of them
  // have ended.
  std::priority_queue<Ticks, std::vector<Ticks>, std::greater<>> ends;  // of the lines in force
  std::vector<Advance::Line> holding;
  std::size_t first = 0;
  Ticks key = INT64_MIN;
  for (const Ticks cut : cuts) {
    while (jump != jumps.end() && jump->first <= cut) key = (jump++)->second;
    while (!ends.empty() && ends.top() <= cut) ends.pop();
    for (; next_line < lines.size() && lines[next_line].from <= cut; ++next_line) {
      if (lines[next_line].to <= cut) continue;
      lines_.push_back(lines[next_line]);
      ends.push(lines[next_line].to);
    }
    if (lines_.size() - first > 2 * ends.size()) {
      holding.clear();
      std::copy_if(lines_.begin() + static_cast<std::ptrdiff_t>(first), lines_.end(),
                   std::back_inserter(holding),
                   [&](const Advance::Line& line) { return line.to > cut; });
      first = lines_.size();
      lines_.insert(lines_.end(), holding.begin(), holding.end());
    }
    intervals_.push_back({cut, key <= cut ? INT64_MIN : key, static_cast<std::uint32_t>(first),
                          static_cast<std::uint32_t>(lines_.size())});
  }
}

void TimeMap::find(Ticks c) const {
  const auto in = [&](std::size_t i) {
    return intervals_[i].from <= c && (i + 1 == intervals_.size() || c < intervals_[i + 1].from);
  };
  if (intervals_.empty() || c < intervals_.front().from) {
    low_ = INT64_MIN;
    high_ = intervals_.empty() ? INT64_MAX : intervals_.front().from;
    quiet_ = true;
    return;
  }
  if (current_ + 1 < intervals_.size() && in(current_ + 1)) {
    ++current_;
  } else if (!in(current_)) {
    const auto after = std::ranges::upper_bound(intervals_, c, {}, &Interval::from);
    current_ = static_cast<std::size_t>(after - intervals_.begin()) - 1;
  }
  const Interval& interval = intervals_[current_];
  low_ = interval.from;
  high_ = current_ + 1 < intervals_.size() ? intervals_[current_ + 1].from : INT64_MAX;
  quiet_ = interval.key == INT64_MIN && interval.first_line == interval.last_line;
}

Ticks TimeMap::corrected(Ticks c) const {
  const Interval& interval = intervals_[current_];
  Ticks out = c;
  if (interval.key > c) out += (interval.key - c + decay_ / 2) / decay_;
  for (std::uint32_t i = interval.first_line; i < interval.last_line; ++i) {
    if (lines_[i].to > c) out += lines_[i].at(c);
  }
  return out;
}

}  // namespace latecomer::sync
