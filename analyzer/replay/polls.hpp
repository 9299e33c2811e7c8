// SPDX-License-Identifier: BSD-3-Clause
// Calls in vain, tests above all, and the calls that ended their rows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "analyzer/memory/large_pages.hpp"
#include "analyzer/replay/booking.hpp"
#include "patterns/polling.hpp"

namespace latecomer::replay {

// Calls in vain in rows, and for each row the call that ended it.
class PollRows {
 public:
  explicit PollRows(std::size_t locations) : locations_(locations) {}

  // What the calls of the row that `call` ended waited from `from` on (a request's start) until
  // `until`. 0 if it ended none.
  [[nodiscard]] trace::Ticks time(std::size_t location, std::uint32_t call, trace::Ticks from,
                                  trace::Ticks until) const;
  // All the time in the row.
  [[nodiscard]] trace::Ticks whole(std::size_t location, std::uint32_t call) const {
    return time(location, call, INT64_MIN, INT64_MAX);
  }
  // When the first of these calls was entered.
  [[nodiscard]] trace::Ticks since(std::size_t location, std::uint32_t call,
                                   trace::Ticks from) const;
  // f(begin, time) for the last parts of it that are `time` long together, the last first.
  template <typename F>
  void for_each_last(std::size_t location, std::uint32_t call, trace::Ticks until,
                     trace::Ticks time, F&& f) const {
    const Row row = row_of(location, call);
    for (std::uint32_t i = row.last; time > 0 && i-- > row.first;) {
      const auto& poll = locations_[location].polls[i];
      const auto part = std::min(time, patterns::polled(poll.enter, poll.leave, until));
      if (part <= 0) continue;
      f(std::min(until, poll.leave) - part, part);
      time -= part;
    }
  }
  // Books a part of the time of a call: `polled` of it in the calls of its row, up to `until`, and
  // the rest in the call itself. `from`: when the request was started.
  void book(Booking& booking, const WaitMetrics& metrics, const Booking::Part& part,
            std::uint32_t call, trace::Ticks polled, trace::Ticks from, trace::Ticks until) const {
    if (polled <= 0) return booking.part(metrics, part);
    book_polled(booking, metrics, part, call, polled, from, until);
  }

 protected:
  struct Row {
    std::uint32_t call = trace::kNone;  // that ends it
    std::uint32_t first = 0, last = 0;  // of its polls
  };
  struct OfLocation {
    // Polls are there; from now on sums of their times are.
    void sort();

    memory::Vector<trace::Poll> polls;    // by call path, then in the order of time
    memory::Vector<trace::Ticks> before;  // sum of the times of the polls before each, and of all
    std::vector<Row> rows;                // ascending by call
  };
  [[nodiscard]] Row row_of(std::size_t location, std::uint32_t call) const;
  void book_polled(Booking& booking, const WaitMetrics& metrics, const Booking::Part& part,
                   std::uint32_t call, trace::Ticks polled, trace::Ticks from,
                   trace::Ticks until) const;

  std::vector<OfLocation> locations_;
};

// Which request a test in vain asked for is not recorded. It is taken for one that the next
// successful test at the same call path completes, if that had been started before:
//
//   test   test   work   test       test
//   vain   vain          completes  vain     ...
//   \___ row of the third ___/      \___ row of the next one that completes
class Polls : public PollRows {
 public:
  // None with `scalasca_compatible`: the base knows no waiting in tests.
  Polls(const Booking& booking, bool scalasca_compatible);

  // Tests in vain belong to calls that cross metahosts if the one that ends the row does.
  void book_grid_times(Booking& booking) const;
};

}  // namespace latecomer::replay
