// SPDX-License-Identifier: BSD-3-Clause
// Random programs on true time, recorded with wrong clocks.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <random>
#include <vector>

#include "sync/constraints.hpp"

namespace latecomer::sync {

inline Topology one_node_each(std::size_t processes, Ticks latency) {
  Topology t;
  for (std::uint32_t p = 0; p < processes; ++p) {
    t.node.push_back(p);
    t.metahost.push_back(p / 2);
  }
  t.latency = {1, latency, 2 * latency};
  return t;
}

// A random program on true time, recorded with wrong clocks. It has the events of all processes in
// an order in which every send comes before its receives.
struct Event {
  enum Kind { kSend, kReceive, kEnter, kExit } kind;
  std::uint32_t process;
  Ticks time;         // as the process's clock shows it
  std::size_t index;  // of the message or operation
};
struct Message {
  std::uint32_t source, target;
  Ticks sent, received;
};
struct Operation {
  bool prefix = false;
  std::vector<OperationGroup::Part> parts;  // of all processes
};
struct Program {
  Topology topology;
  std::vector<Message> messages;
  std::vector<Operation> operations;
  std::vector<Event> events;

  // All constraints, or those whose index is wanted.
  [[nodiscard]] std::vector<Channel> channels(const std::function<bool(std::size_t)>& wanted =
                                                  [](std::size_t) { return true; }) const {
    std::map<std::pair<std::uint32_t, std::uint32_t>, Channel> found;
    for (std::size_t i = 0; i < messages.size(); ++i) {
      const auto& m = messages[i];
      if (!wanted(i)) continue;
      auto& channel = found[{m.source, m.target}];
      channel.source = m.source;
      channel.target = m.target;
      channel.messages.push_back({m.sent, m.received});
    }
    std::vector<Channel> out;
    for (auto& [key, channel] : found) out.push_back(std::move(channel));
    return out;
  }
  [[nodiscard]] std::vector<OperationGroup> groups(const std::function<bool(std::size_t)>& wanted =
                                                       [](std::size_t) { return true; }) const {
    OperationGroup group;
    for (std::uint32_t p = 0; p < topology.node.size(); ++p) group.members.push_back(p);
    for (std::size_t i = 0; i < operations.size(); ++i) {
      if (!wanted(i)) continue;
      group.prefix.push_back(operations[i].prefix);
      group.parts.insert(group.parts.end(), operations[i].parts.begin(), operations[i].parts.end());
    }
    return {group};
  }
};

inline Program random_program(std::mt19937& random, std::uint32_t processes, int steps) {
  Program out;
  out.topology = one_node_each(processes, 20);
  std::vector<Ticks> offset, now(processes, 1000), last(processes, -1);
  for (std::uint32_t p = 0; p < processes; ++p) offset.push_back(random() % 200);
  const auto event = [&](Event::Kind kind, std::uint32_t p, std::size_t index) {
    // Clocks drift by up to 1 %. Times of one process differ, so their order is clear.
    Ticks shown = now[p] + offset[p] + now[p] * static_cast<Ticks>(p % 3) / 100;
    shown = std::max(shown, last[p] + 1);
    last[p] = shown;
    out.events.push_back({kind, p, shown, index});
    return shown;
  };
  for (int s = 0; s < steps; ++s) {
    const std::uint32_t a = random() % processes;
    std::uint32_t b = random() % processes;
    now[a] += random() % 300;
    if (random() % 8 != 0) {
      if (a == b) continue;
      const auto index = out.messages.size();
      Message m{a, b, 0, 0};
      m.sent = event(Event::kSend, a, index);
      now[b] = std::max(now[b], now[a] + out.topology.minimum(a, b)) + random() % 10 + 1;
      m.received = event(Event::kReceive, b, index);
      out.messages.push_back(m);
      continue;
    }
    const auto index = out.operations.size();
    Operation operation;
    const int type = static_cast<int>(random() % 4);
    operation.prefix = type == 3;
    for (std::uint32_t p = 0; p < processes; ++p) {
      now[p] += random() % 100;
      OperationGroup::Part part{0, 0, type != 1 || p == a, type != 2 || p == a};
      part.enter = event(Event::kEnter, p, index);
      operation.parts.push_back(part);
    }
    Ticks latest = 0;
    for (const auto t : now) latest = std::max(latest, t);
    for (std::uint32_t p = 0; p < processes; ++p) {
      now[p] = latest + 2 * 20 + random() % 10;
      operation.parts[p].exit = event(Event::kExit, p, index);
    }
    out.operations.push_back(operation);
  }
  return out;
}

}  // namespace latecomer::sync
