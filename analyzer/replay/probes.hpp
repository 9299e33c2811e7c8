// SPDX-License-Identifier: BSD-3-Clause
// Which probe saw a message before it was received.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "analyzer/replay/booking.hpp"
#include "analyzer/replay/messages.hpp"
#include "analyzer/replay/polls.hpp"

namespace latecomer::replay {

// What a probe found is not recorded. It is taken for the message that the thread asks for next, if
// the times allow that: none if the message was not there when its receive was posted.
//
//   probe    probe    receive A    probe    receive B
//   \___ of A ___/                 of B
//
// A probe that blocks waited for the message that ended it: the send began while it was going on.
// Of those that do not block, the last one before the receive saw it, if it can have: the send
// began before it was left. Those before it at its call path were in vain, and waited until the
// send began. MPI_Mprobe and MPI_Improbe are for MPI_Mrecv and MPI_Imrecv only; in traces of our
// own tracer the receive is posted inside the one that found the message, so nothing has to be
// guessed.
class Probes : public PollRows {
 public:
  // None with `scalasca_compatible`: the base knows no waiting in probes.
  Probes(const Booking& booking, bool scalasca_compatible);

  // No location has any.
  [[nodiscard]] bool none() const { return none_; }

  // The probe that waited for a message; calls in vain before it are its row.
  struct Wait {
    std::uint32_t call = trace::kNone;  // none waited
    trace::Ticks wait = 0;              // in all
    trace::Ticks polled = 0;            // of it, in the row
  };
  // Takes all matched receives location by location in the order of posting. Probes before a
  // receive are not looked at again, whether they waited for its message or not.
  [[nodiscard]] Wait take(std::size_t location, const trace::Message& receive,
                          const SentMessage& send);

  // Probes that waited for a message of another metahost belong to calls that cross metahosts.
  void book_grid_times(Booking& booking) const;

 private:
  struct Probe {
    std::uint32_t call = 0;
    bool blocking = false;
  };
  using OfKind = std::vector<Probe>;  // ascending
  struct Crossing {
    std::size_t location = 0;
    std::uint32_t call = 0;
  };
  void start_location(std::size_t location);
  void skip_to(const trace::Message& receive);
  void forget_before(std::uint32_t call, bool matched);
  // In the probe of these that blocked when the send began, or else in the row before the receive.
  [[nodiscard]] Wait find(std::span<const Probe> probes, const SentMessage& send);

  const Booking& booking_;
  bool none_ = true;
  std::size_t location_ = SIZE_MAX;  // whose receives come
  std::array<OfKind, 2> probes_;     // of it, by `matched`
  std::array<std::size_t, 2> next_;  // the first of them that was not taken
  std::size_t receive_ = 0;          // that comes next
  std::size_t gap_ = 0;
  std::vector<Crossing> crossing_;
};

}  // namespace latecomer::replay
