// SPDX-License-Identifier: BSD-3-Clause
// Samples are counted by stack while events are read; stacks become call paths at the end.
#include "analyzer/trace/events/samples/sample_builder.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "archive/hash.hpp"

namespace latecomer::trace {
namespace {

// Stacks of samples in one open region. They have callers in common, so what is known of a stack is
// kept, and each caller is looked at once.
class StacksIn {
 public:
  // Deeper call paths and stacks are not compared, since damaged archives may have very deep ones.
  static constexpr std::uint32_t kDeepest = 4096;

  StacksIn(std::uint32_t node, const Definitions& definitions, CallTree& tree,
           std::uint32_t location);

  // The call path and the function of a stack, with nothing else; of a stack that is too deep, the
  // open region.
  SampledPlace place(std::uint32_t context);

 private:
  // A stack up to one of its functions.
  struct Known {
    std::uint32_t matched = 0;       // number of open regions up to the last one on the stack
    bool is_region = true;           // the function is an open region
    std::uint32_t function = kNone;  // the innermost function of the program, as a context
    std::uint32_t path = kNone;      // call path; kNone: not asked for yet
  };

  // False: unknown functions, MPI itself and thread constructs, which count as their callers.
  [[nodiscard]] bool is_function(std::uint32_t context) const {
    const auto& c = definitions_.contexts[context];
    return c.region != kNone && !c.inside_mpi && definitions_.regions[c.region].computation;
  }
  Known& known(std::uint32_t context);
  [[nodiscard]] Known next(std::uint32_t context, Known caller) const;
  std::uint32_t call_path(std::uint32_t context);
  [[nodiscard]] std::uint32_t still_open(std::uint32_t matched) const;

  const std::uint32_t node_;
  const Definitions& definitions_;
  CallTree& tree_;
  const std::uint32_t location_;
  bool too_deep_ = false;
  std::vector<std::uint32_t> path_;  // nodes of the open regions without the program
  // Depths of the open regions by function, without the program: 0 is the outermost one.
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> open_;
  FlatIndex<IntKey> index_;
  std::vector<Known> known_;
  std::vector<std::uint32_t> walk_;
};

StacksIn::StacksIn(std::uint32_t node, const Definitions& definitions, CallTree& tree,
                   std::uint32_t location)
    : node_(node), definitions_(definitions), tree_(tree), location_(location) {
  for (auto at = node; at != 0 && !too_deep_; at = tree.nodes()[at].parent) {
    path_.push_back(at);
    too_deep_ = path_.size() > kDeepest;
  }
  if (too_deep_) return;
  std::ranges::reverse(path_);
  for (std::uint32_t depth = 0; depth < path_.size(); ++depth) {
    open_[definitions.function_of(tree.nodes()[path_[depth]].region)].push_back(depth);
  }
}

// The open region below which a stack goes on, if its last match is at depth `matched` - 1. Where
// functions are known at MPI calls only, those that two calls have in common count as open in
// between. A stack without them shows that they were not.
std::uint32_t StacksIn::still_open(std::uint32_t matched) const {
  if (matched == 0 || !definitions_.call_paths_from_stacks()) return node_;
  auto depth = path_.size();
  while (depth > matched &&
         definitions_.regions[tree_.nodes()[path_[depth - 1]].region].paradigm == "compiler") {
    --depth;
  }
  return path_[depth - 1];
}

StacksIn::Known StacksIn::next(std::uint32_t context, Known caller) const {
  caller.path = kNone;
  if (!is_function(context)) return caller;
  caller.function = context;
  caller.is_region = false;
  const auto open = open_.find(definitions_.function_of(definitions_.contexts[context].region));
  if (open == open_.end()) return caller;
  const auto depth = std::ranges::lower_bound(open->second, caller.matched);
  if (depth == open->second.end()) return caller;
  caller.matched = *depth + 1;
  caller.is_region = true;
  return caller;
}

StacksIn::Known& StacksIn::known(std::uint32_t context) {
  walk_.clear();
  std::uint32_t found = kNone;
  for (auto at = context; at != kNone; at = definitions_.contexts[at].parent) {
    found = index_.find({at});
    if (found != kNone) break;
    walk_.push_back(at);
  }
  for (; !walk_.empty(); walk_.pop_back()) {
    known_.push_back(next(walk_.back(), found == kNone ? Known() : known_[found]));
    found = static_cast<std::uint32_t>(known_.size() - 1);
    index_.set({walk_.back()}, found);
  }
  return known_[found];
}

std::uint32_t StacksIn::call_path(std::uint32_t context) {
  std::vector<std::uint32_t> below;  // contexts whose call paths are not known yet
  std::uint32_t path = node_;
  for (auto at = context; at != kNone; at = definitions_.contexts[at].parent) {
    const Known& one = known(at);
    if (one.is_region) {
      path = still_open(one.matched);
      break;
    }
    if (one.path != kNone) {
      path = one.path;
      break;
    }
    below.push_back(at);
  }
  for (; !below.empty(); below.pop_back()) {
    const auto at = below.back();
    if (is_function(at)) path = tree_.child(path, definitions_.contexts[at].region, location_);
    known(at).path = path;
  }
  return path;
}

SampledPlace StacksIn::place(std::uint32_t context) {
  SampledPlace place{.node = node_, .at = node_};
  if (context == kNone || too_deep_ || definitions_.contexts[context].depth > kDeepest) {
    return place;
  }
  place.at = call_path(context);
  if (const auto function = known(context).function; function != kNone) {
    place.region = definitions_.contexts[function].region;
    place.source = definitions_.contexts[function].source;
  }
  return place;
}

// Samples in one open region with the same key have the same place.
struct PlaceKey {
  std::uint32_t at, region, source;
  friend bool operator==(const PlaceKey&, const PlaceKey&) = default;
};
std::uint64_t hash_of(const PlaceKey& key) {
  return hash_with(key.at, (std::uint64_t{key.region} << 32) | key.source);
}

// Sums stay possible whatever a damaged archive says.
void add(std::uint64_t& to, std::uint64_t more) {
  to = more > UINT64_MAX - to ? UINT64_MAX : to + more;
}

}  // namespace

SampleBuilder::SampleBuilder(RegionBuilder& regions, CallTree& tree)
    : regions_(regions), tree_(tree), are_statistical_(regions.definitions().has_samples()) {}

bool SampleBuilder::take(Event& event) {
  std::uint32_t context = 0, distance = 0, generator = 0;
  if (!event.take(context, distance, generator)) return false;
  context = event.id(IdKind::kContext, context);
  generator = event.id(IdKind::kInterruptGenerator, generator);
  const Definitions& d = regions_.definitions();
  const auto clock = d.generator_ids.find(generator);
  if (clock != kNone && d.sample_clocks[clock].is_blocked) {
    blocked(event.time, context, event.attribute(d.blocked, AttributeType::kUint64));
  } else {
    sample(event.time, context, generator);
  }
  return true;
}

// Samples in calls change nothing: several polls may be one visit, which no event may divide.
void SampleBuilder::sample(Ticks t, std::uint32_t context, std::uint32_t generator) {
  if (!regions_.top_region().computation) {
    ++regions_.out().events;
    ++elsewhere_;
    return;
  }
  regions_.advance(t);
  const Definitions& d = regions_.definitions();
  const auto stack = d.context_ids.find(context);
  const auto known = d.generator_ids.find(generator);
  const SampleClock clock = known == kNone ? SampleClock() : d.sample_clocks[known];
  if (stack == kNone || clock.period == 0) regions_.unknown_reference();
  const auto node = regions_.top().node;
  const auto next = static_cast<std::uint32_t>(stacks_.size());
  const auto index = stack_index_.at({(std::uint64_t{node} << 32) | stack}, next);
  if (index == next) stacks_.push_back({.node = node, .context = stack});
  times_.push_back({t, index, known});
  ++stacks_[index].count;
  const auto weight = std::max<std::uint64_t>(clock.period, 1);
  add(stacks_[index].weight, weight);
  stacks_[index].squares += static_cast<double>(weight) * static_cast<double>(weight);
  if (clock.in_kernel) add(stacks_[index].in_kernel, clock.period);
}

void SampleBuilder::blocked(Ticks t, std::uint32_t context, std::uint64_t nanoseconds) {
  if (!regions_.top_region().computation) {
    ++regions_.out().events;
    return;
  }
  regions_.advance(t);
  const auto stack = regions_.definitions().context_ids.find(context);
  if (stack == kNone) return regions_.unknown_reference();
  const auto node = regions_.top().node;
  const auto next = static_cast<std::uint32_t>(blocked_.size());
  const auto index = blocked_index_.at({(std::uint64_t{node} << 32) | stack}, next);
  if (index == next) blocked_.push_back({node, stack});
  add(blocked_[index].nanoseconds, nanoseconds);
  blocked_times_.push_back({t, index, nanoseconds});
}

void SampleBuilder::place_blocked(SampleEvents& out) {
  const Definitions& d = regions_.definitions();
  for (const Blocked& one : blocked_) {
    const CallingContext& called = d.contexts[one.context];
    StacksIn in(one.node, d, tree_, regions_.out().location);
    const SampledPlace caller = in.place(called.parent);
    out.blocked.push_back(
        {one.node, caller.at, caller.region, caller.source, called.region, one.nanoseconds});
  }
}

// The order of call paths must not depend on the numbers of nodes, which differ between processes.
// So stacks are taken by open region, each where its first sample was.
SampleEvents SampleBuilder::finish() {
  FlatIndex<IntKey> order;
  std::vector<std::vector<std::uint32_t>> by_node;  // indices of stacks
  for (std::uint32_t number = 0; number < stacks_.size(); ++number) {
    const auto next = static_cast<std::uint32_t>(by_node.size());
    const auto index = order.at({stacks_[number].node}, next);
    if (index == next) by_node.emplace_back();
    by_node[index].push_back(number);
  }
  SampleEvents out;
  out.samples_elsewhere = elsewhere_;
  std::vector<std::uint32_t> place_of(stacks_.size());
  for (const auto& numbers : by_node) {
    StacksIn in(stacks_[numbers.front()].node, regions_.definitions(), tree_,
                regions_.out().location);
    FlatIndex<PlaceKey> index;
    for (const auto number : numbers) {
      const Stack& stack = stacks_[number];
      const SampledPlace place = in.place(stack.context);
      const auto next = static_cast<std::uint32_t>(out.sampled.size());
      const auto found = index.at({place.at, place.region, place.source}, next);
      if (found == next) out.sampled.push_back(place);
      place_of[number] = found;
      out.sampled[found].count += stack.count;
      add(out.sampled[found].weight, stack.weight);
      out.sampled[found].squares += stack.squares;
      add(out.sampled[found].in_kernel, stack.in_kernel);
    }
  }
  place_blocked(out);
  out.blocked_times = std::move(blocked_times_);
  out.sample_times = std::move(times_);
  for (auto& one : out.sample_times) one.place = place_of[one.place];
  return out;
}

}  // namespace latecomer::trace
