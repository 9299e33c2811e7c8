// SPDX-License-Identifier: BSD-3-Clause
// The router's packets: taken from one device, delayed, and given to another.
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

  // devices[i] belongs to space i. Each read() and each write() transfers one IP packet.
  Forwarder(const Table& table, const std::vector<int>& devices);

  // Takes packets from a device, but only a limited number, so that due packets do not wait.
  void receive(int device, Clock now);
  // Delivers due packets, and waits for those that are due within the next moment.
  void send_due(Clock now);
  [[nodiscard]] Nanoseconds next_due() const;

  // Lines about lost packets, and about late ones if they are more than one in a hundred; else
  // empty.
  [[nodiscard]] std::string complaints() const;

 private:
  struct Packet {
    Nanoseconds due = 0;
    std::uint64_t number = 0;  // packets that are due at the same time keep their order
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
