// SPDX-License-Identifier: BSD-3-Clause
// Counts the samples of the computation of one location, and gives them call paths.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/memory/flat_index.hpp"
#include "analyzer/trace/events/core/call_tree.hpp"
#include "analyzer/trace/events/core/region_builder.hpp"
#include "analyzer/trace/events/samples/sample_events.hpp"

namespace latecomer::trace {

// A sample names the functions on the stack, which continue the open regions:
//
//   open regions   program > main > solve > phase (a region that the user named)
//   sample         main > solve > relax > norm, at line 88
//   call path      program > main > solve > phase > relax > norm
//
// Its functions are compared with the open regions from the outermost one on. A function that is
// the next open region, or a later one, is that region; open regions in between are no functions on
// the stack. What comes after the last such function is below the innermost open region.
//
// If functions are known at MPI calls only, those that two calls have in common count as open in
// between. A sample without them shows that they were not:
//
//   open regions   program > main > exchange
//   sample         main > relax
//   call path      program > main > relax
class SampleBuilder {
 public:
  SampleBuilder(RegionBuilder& regions, CallTree& tree);

  // False: samples move the open call path (ContextBuilder).
  [[nodiscard]] bool are_statistical() const { return are_statistical_; }
  // Handles an event of this family. False: a field is missing.
  bool take(Event& event);
  // `context` and `generator` are ids of the archive.
  void sample(Ticks t, std::uint32_t context, std::uint32_t generator);
  // The thread was blocked for so long; the innermost function of the context is the one called.
  void blocked(Ticks t, std::uint32_t context, std::uint64_t nanoseconds);

  // Returns the result, before that of the regions. Adds call paths to the tree.
  [[nodiscard]] SampleEvents finish();

 private:
  // Samples with the same stack in the same open region.
  struct Stack {
    std::uint32_t node = 0;
    std::uint32_t context = kNone;  // index in Definitions::contexts; kNone: not defined
    std::uint64_t count = 0, weight = 0, in_kernel = 0;
    double squares = 0;  // of the weights
  };

  struct Blocked {
    std::uint32_t node = 0, context = kNone;
    std::uint64_t nanoseconds = 0;
  };

  void place_blocked(SampleEvents& out);

  RegionBuilder& regions_;
  CallTree& tree_;
  const bool are_statistical_;
  FlatIndex<IntKey> stack_index_;
  std::vector<Stack> stacks_;
  std::vector<SampleTime> times_;  // `place` is an index in stacks_
  FlatIndex<IntKey> blocked_index_;
  std::vector<Blocked> blocked_;
  std::vector<BlockedTime> blocked_times_;
  std::uint64_t elsewhere_ = 0;
};

}  // namespace latecomer::trace
