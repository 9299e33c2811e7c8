// SPDX-License-Identifier: BSD-3-Clause
// The router's packets: taken from one device, kept for a while, given to another.
#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <queue>
#include <string>
#include <vector>

#include "tests/testbed/router/link.hpp"
#include "tests/testbed/router/table.hpp"

namespace latecomer::testbed {

class Forwarder {
 public:
  using Clock = Nanoseconds (*)();
  static constexpr Nanoseconds kNothingDue = std::numeric_limits<Nanoseconds>::max();

  // devices[i] belongs to space i: each read() gives, each write() takes one IP packet.
  Forwarder(const Table& table, const std::vector<int>& devices);

  // Takes what a device has, some packets at most, so that those that are due do not wait.
  void receive(int device, Clock now);
  // Delivers what is due; waits for what is due within the next moment.
  void send_due(Clock now);
  [[nodiscard]] Nanoseconds next_due() const;

  // Lines about packets that were lost, or if more than one in a hundred was late; else empty.
  [[nodiscard]] std::string complaints() const;

 private:
  struct Packet {
    Nanoseconds due = 0;
    std::uint64_t number = 0;  // packets that are due at the same time leave in their order
    int to = 0;
    std::vector<std::uint8_t> bytes;
    [[nodiscard]] bool operator>(const Packet& other) const {
      return due != other.due ? due > other.due : number > other.number;
    }
  };
  [[nodiscard]] int space_of(const std::uint8_t* address) const;
  void accept(int from, const std::vector<std::uint8_t>& bytes, Nanoseconds time);
  void deliver(const Packet& packet, Nanoseconds time);

  std::vector<int> devices_;
  std::map<Address, int> spaces_;
  std::map<Pair, Link> links_;
  std::priority_queue<Packet, std::vector<Packet>, std::greater<>> packets_;
  std::size_t waiting_bytes_ = 0;
  std::uint64_t accepted_ = 0, late_ = 0, dropped_ = 0, refused_ = 0;
  Nanoseconds latest_ = 0;
};

}  // namespace latecomer::testbed
