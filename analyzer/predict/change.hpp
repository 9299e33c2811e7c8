// SPDX-License-Identifier: BSD-3-Clause
// A change of a run whose effect is to be predicted, as a user writes it.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/engine/durations.hpp"
#include "archive/result.hpp"

namespace latecomer::predict {

// One change of a run.
struct Change {
  enum class Kind : std::uint8_t {
    kSpeed,       // call paths that fit a pattern are faster
    kBalance,     // they take as long on each location as in the mean
    kLatency,     // the share of latency of messages
    kBandwidth,   // the other share
    kFileTime,    // calls on files take no time of their own
    kEagerLimit,  // standard sends of up to so many bytes do not wait for receivers
    kRanksMoved,  // ranks are on another node
  };
  Kind kind = Kind::kSpeed;
  std::string text;     // option and value, as the user wrote them
  std::string pattern;  // of kSpeed and kBalance
  std::string node;     // of kRanksMoved: its name
  // First and last world ranks of kSpeed (empty: all) and kRanksMoved.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> ranks;
  engine::Pace pace;        // of durations
  std::uint64_t bytes = 0;  // of kEagerLimit
};

// Reads the value of an option: speed 'work@rank 0-3 x2', balance 'work', latency and bandwidth
// 'x0.5', eager-limit '64K',
// ranks-moved '3:node2'. A usage Problem says what is wrong. `option` has no dashes.
[[nodiscard]] Result<Change> read_change(const std::string& option, const std::string& value);

}  // namespace latecomer::predict
