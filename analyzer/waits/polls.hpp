// SPDX-License-Identifier: BSD-3-Clause
// Unsuccessful polls, most of them tests, and the calls that ended their rows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "analyzer/booking/booking.hpp"
#include "analyzer/memory/large_pages.hpp"
#include "patterns/waits/polling.hpp"

namespace latecomer::replay {

// A row is a series of unsuccessful polls at one call path, up to the call that ended it.
class PollRows {
 public:
  explicit PollRows(std::size_t locations) : locations_(locations) {}

  // The time between `from` (start of the request) and `until` that was spent in the polls of the
  // row that `call` ended. 0 if it ended none.
  [[nodiscard]] trace::Ticks time(std::size_t location, std::uint32_t call, trace::Ticks from,
                                  trace::Ticks until) const;
  // The whole time of the row.
  [[nodiscard]] trace::Ticks whole(std::size_t location, std::uint32_t call) const {
    return time(location, call, INT64_MIN, INT64_MAX);
  }
  // Enter of the first poll of the row at or after `from`.
  [[nodiscard]] trace::Ticks since(std::size_t location, std::uint32_t call,
                                   trace::Ticks from) const;
  // Calls f(begin, time) for the last parts of the row that together take `time`, the last one
  // first.
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
  // Books a part of the time of a call: `polled` of it in the polls of its row, up to `until`, and
  // the rest in the call itself. `from`: start of the request.
  void book(Booking& booking, const WaitMetrics& metrics, const Booking::Part& part,
            std::uint32_t call, trace::Ticks polled, trace::Ticks from, trace::Ticks until) const {
    if (polled <= 0) return booking.part(metrics, part);
    book_polled(booking, metrics, part, call, polled, from, until);
  }

 protected:
  struct Row {
    std::uint32_t call = trace::kNone;  // the call that ends the row
    std::uint32_t first = 0, last = 0;  // range of its polls
  };
  // The polls of one location.
  struct OfLocation {
    // Sorts the polls and computes the sums of their times.
    void sort();

    memory::Vector<trace::Poll> polls;    // by call path, then in the order of time
    memory::Vector<trace::Ticks> before;  // time of the polls before each one, then of all
    std::vector<Row> rows;                // ascending by call
  };
  [[nodiscard]] Row row_of(std::size_t location, std::uint32_t call) const;
  void book_polled(Booking& booking, const WaitMetrics& metrics, const Booking::Part& part,
                   std::uint32_t call, trace::Ticks polled, trace::Ticks from,
                   trace::Ticks until) const;

  std::vector<OfLocation> locations_;
};

// Rows of tests. The trace does not say which request an unsuccessful test was for. It is assumed
// to be one that the next successful test at the same call path completes, if it had been started:
//
//   test          test          work   test       test
//   unsuccessful  unsuccessful         completes  unsuccessful ...
//   \__________ row of the third ____________/    \__ row of the next one that completes
class Polls : public PollRows {
 public:
  // Empty with `scalasca_compatible`, since Scalasca does not know waiting in tests.
  Polls(const Booking& booking, bool scalasca_compatible);

  // Adds unsuccessful tests to the grid metrics if the call that ends their row crosses metahosts.
  void book_grid_times(Booking& booking) const;
};

}  // namespace latecomer::replay
