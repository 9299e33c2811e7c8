// SPDX-License-Identifier: BSD-3-Clause
// What the ids in the events of a location are in the archive: its mapping tables.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

namespace latecomer::trace {

// The kinds of ids in events that the analysis looks at.
enum class IdKind : std::uint8_t {
  kAttribute,
  kRegion,
  kGroup,
  kComm,
  kParameter,
  kWindow,
  kContext,
  kFileHandle
};
inline constexpr std::size_t kIdKinds = 8;

class IdMaps {
 public:
  void add(IdKind kind, std::uint64_t local, std::uint64_t global) {
    Map& map = maps_[static_cast<std::size_t>(kind)];
    if (local >= kDense) {
      map.others[local] = static_cast<std::uint32_t>(global);
      return;
    }
    const auto index = static_cast<std::uint32_t>(local);
    for (auto next = static_cast<std::uint32_t>(map.dense.size()); next <= index; ++next) {
      map.dense.push_back(next);
    }
    map.dense[index] = static_cast<std::uint32_t>(global);
  }
  // Ids that no table names stay as they are.
  [[nodiscard]] std::uint32_t operator()(IdKind kind, std::uint32_t local) const {
    const Map& map = maps_[static_cast<std::size_t>(kind)];
    if (local < map.dense.size()) return map.dense[local];
    if (map.others.empty()) return local;
    const auto found = map.others.find(local);
    return found == map.others.end() ? local : found->second;
  }
  // There is a table.
  [[nodiscard]] bool has(IdKind kind) const {
    const Map& map = maps_[static_cast<std::size_t>(kind)];
    return !map.dense.empty() || !map.others.empty();
  }
  // What small ids are.
  [[nodiscard]] const std::vector<std::uint32_t>& dense(IdKind kind) const {
    return maps_[static_cast<std::size_t>(kind)].dense;
  }

 private:
  static constexpr std::uint32_t kDense = 1 << 20;
  struct Map {
    std::vector<std::uint32_t> dense;
    std::map<std::uint64_t, std::uint32_t> others;
  };
  std::array<Map, kIdKinds> maps_;
};

}  // namespace latecomer::trace
