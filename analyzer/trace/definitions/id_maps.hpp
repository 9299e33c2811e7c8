// SPDX-License-Identifier: BSD-3-Clause
// Maps the ids in the events of a location to ids of the archive.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

namespace latecomer::trace {

// Kinds of ids in events that the analysis uses.
enum class IdKind : std::uint8_t {
  kAttribute,
  kRegion,
  kGroup,
  kComm,
  kParameter,
  kWindow,
  kContext,
  kFileHandle,
  kInterruptGenerator,
  kMetric
};
inline constexpr std::size_t kIdKinds = 10;

// Tables for all kinds. Small ids are in a dense table that is the identity where nothing was
// added.
class IdMaps {
 public:
  void add(IdKind kind, std::uint64_t local, std::uint64_t global) {
    Map& map = maps_[static_cast<std::size_t>(kind)];
    if (local >= kDense) {
      map.others[local] = static_cast<std::uint32_t>(global);
      return;
    }
    const auto index = static_cast<std::uint32_t>(local);
    // Ids below that have no entry yet stay as they are.
    for (auto next = static_cast<std::uint32_t>(map.dense.size()); next <= index; ++next) {
      map.dense.push_back(next);
    }
    map.dense[index] = static_cast<std::uint32_t>(global);
  }
  // The archive's id. Ids without an entry in the table are returned unchanged.
  [[nodiscard]] std::uint32_t operator()(IdKind kind, std::uint32_t local) const {
    const Map& map = maps_[static_cast<std::size_t>(kind)];
    if (local < map.dense.size()) return map.dense[local];
    if (map.others.empty()) return local;
    const auto found = map.others.find(local);
    return found == map.others.end() ? local : found->second;
  }
  // True if there is a table for this kind.
  [[nodiscard]] bool has(IdKind kind) const {
    const Map& map = maps_[static_cast<std::size_t>(kind)];
    return !map.dense.empty() || !map.others.empty();
  }
  // The archive's ids by small local ids.
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
