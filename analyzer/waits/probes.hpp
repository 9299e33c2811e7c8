// SPDX-License-Identifier: BSD-3-Clause
// Finds the probe that saw a message before it was received.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "analyzer/booking/booking.hpp"
#include "analyzer/match/messages.hpp"
#include "analyzer/waits/polls.hpp"

namespace latecomer::replay {

// The trace does not say which message a probe found. It is assumed to be the message that the
// thread asks for next, if the times allow that. No probe saw a message that was not there when its
// receive was posted.
//
//   probe    probe    receive A    probe    receive B
//   \___ of A ___/                 of B
//
// A blocking probe waited for the message that ended it: the send began during the probe. Among
// nonblocking probes, the last one before the receive saw the message if the send began before the
// probe was left. Earlier probes at its call path were unsuccessful and waited until the send
// began. MPI_Mprobe and MPI_Improbe are only for MPI_Mrecv and MPI_Imrecv. In our own traces the
// receive is posted inside the probe that found the message, so no assumption is needed.
class Probes : public PollRows {
 public:
  // Empty with `scalasca_compatible`, since Scalasca does not know waiting in probes.
  Probes(const Booking& booking, bool scalasca_compatible);

  // True if no location has a probe.
  [[nodiscard]] bool none() const { return none_; }

  // A probe that waited for a message; its row are the unsuccessful probes before it.
  struct Wait {
    std::uint32_t call = trace::kNone;  // kNone: no probe waited
    trace::Ticks wait = 0;              // including the row
    trace::Ticks polled = 0;            // part of `wait` in the row
  };
  // Returns the wait for a message. Call it for all matched receives, location by location, in the
  // order of posting. Probes before a receive are not considered again, whether they waited or not.
  [[nodiscard]] Wait take(std::size_t location, const trace::Message& receive,
                          const SentMessage& send);

  // Adds probes that waited for a message of another metahost to the grid metrics.
  void book_grid_times(Booking& booking) const;

 private:
  // A probe in the order of calls.
  struct Probe {
    std::uint32_t call = 0;
    bool blocking = false;
  };
  using OfKind = std::vector<Probe>;  // ascending
  // A probe for a message of another metahost.
  struct Crossing {
    std::size_t location = 0;
    std::uint32_t call = 0;
  };
  void start_location(std::size_t location);
  void skip_to(const trace::Message& receive);
  void forget_before(std::uint32_t call, bool matched);
  // Finds the wait in a probe that was blocking when the send began, or else in the row before the
  // receive.
  [[nodiscard]] Wait find(std::span<const Probe> probes, const SentMessage& send);

  const Booking& booking_;
  bool none_ = true;
  std::size_t location_ = SIZE_MAX;  // the location whose receives come
  std::array<OfKind, 2> probes_;     // its probes, by `matched`
  std::array<std::size_t, 2> next_;  // the first probe of each list that is not used yet
  std::size_t receive_ = 0;          // the next receive
  std::size_t gap_ = 0;
  std::vector<Crossing> crossing_;
};

}  // namespace latecomer::replay
