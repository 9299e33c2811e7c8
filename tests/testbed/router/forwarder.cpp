// SPDX-License-Identifier: BSD-3-Clause
// Queueing and delivering packets.
#include "tests/testbed/router/forwarder.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <sstream>

#include "tests/testbed/router/device.hpp"

namespace latecomer::testbed {
namespace {

constexpr int kPacketsAtOnce = 32;
constexpr Nanoseconds kAMoment = 50'000;
constexpr Nanoseconds kLate = 200'000;
// Larger than any window of TCP: reached only if something floods the link.
constexpr std::size_t kMostWaitingBytes = 256 << 20;
// Sizes and offsets of an IPv4 header.
constexpr std::size_t kHeaderBytes = 20, kDestinationAt = 16;

}  // namespace

Forwarder::Forwarder(const Table& table, const std::vector<int>& devices) : devices_(devices) {
  for (std::size_t i = 0; i < table.spaces.size(); ++i) {
    for (const Address& address : table.spaces[i].addresses) {
      spaces_.emplace(address, static_cast<int>(i));
    }
  }
  std::uint64_t seed = table.seed;
  for (const auto& [pair, spec] : table.links) links_.emplace(pair, Link(spec, seed++));
}

int Forwarder::space_of(const std::uint8_t* address) const {
  Address key;
  std::copy_n(address, key.size(), key.begin());
  const auto found = spaces_.find(key);
  return found == spaces_.end() ? -1 : found->second;
}

void Forwarder::receive(int device, Clock now) {
  const int from =
      static_cast<int>(std::find(devices_.begin(), devices_.end(), device) - devices_.begin());
  std::vector<std::uint8_t> bytes(kLargestPacket);
  for (int i = 0; i < kPacketsAtOnce; ++i) {
    bytes.resize(kLargestPacket);
    const ssize_t size = read(device, bytes.data(), bytes.size());
    if (size <= 0) return;
    bytes.resize(static_cast<std::size_t>(size));
    accept(from, bytes, now());
  }
}

void Forwarder::accept(int from, const std::vector<std::uint8_t>& bytes, Nanoseconds time) {
  // The kernel also sends IPv6 and multicast packets, which no program needs.
  if (bytes.size() < kHeaderBytes || bytes[0] >> 4 != 4) return;
  const int to = space_of(bytes.data() + kDestinationAt);
  const auto link = links_.find({from, to});
  if (link == links_.end()) return;
  if (waiting_bytes_ + bytes.size() > kMostWaitingBytes) {
    ++dropped_;
    return;
  }
  waiting_bytes_ += bytes.size();
  packets_.push({link->second.arrival(time, bytes.size()), accepted_++, to, bytes});
}

Nanoseconds Forwarder::next_due() const {
  return packets_.empty() ? kNothingDue : packets_.top().due;
}

void Forwarder::send_due(Clock now) {
  Nanoseconds time = now();
  for (int i = 0; i < kPacketsAtOnce && next_due() <= time + kAMoment; ++i) {
    while (time < next_due()) time = now();
    deliver(packets_.top(), time);
    packets_.pop();
  }
}

void Forwarder::deliver(const Packet& packet, Nanoseconds time) {
  waiting_bytes_ -= packet.bytes.size();
  if (time - packet.due > kLate) {
    ++late_;
    latest_ = std::max(latest_, time - packet.due);
  }
  const int device = devices_[static_cast<std::size_t>(packet.to)];
  if (write(device, packet.bytes.data(), packet.bytes.size()) < 0) ++refused_;
}

std::string Forwarder::complaints() const {
  std::ostringstream text;
  if (late_ * 100 > accepted_) {
    text << "router: " << late_ << " of " << accepted_ << " packets were delivered more than "
         << kLate / 1000 << " us late (at most " << latest_ / 1000
         << " us): the machine is overloaded\n";
  }
  if (dropped_ > 0)
    text << "router: " << dropped_ << " packets were dropped: the link is flooded\n";
  if (refused_ > 0) text << "router: " << refused_ << " packets were refused by their receivers\n";
  return text.str();
}

}  // namespace latecomer::testbed
