// SPDX-License-Identifier: BSD-3-Clause
// Derives grid metrics from the base tree, so a new wait state gets its grid version automatically.
#include "patterns/derived/grid.hpp"

#include <algorithm>
#include <set>

namespace latecomer::patterns {
namespace {

constexpr std::string_view kPrefix = "mpi_";
constexpr const char* kPairsRoot = "metahost_pairs";

// The name without "mpi_".
std::string_view stem(std::string_view base) {
  if (base.starts_with(kPrefix)) base.remove_prefix(kPrefix.size());
  return base;
}

const Metric* find(std::span<const Metric> metrics, std::string_view name) {
  const auto it = std::ranges::find(metrics, name, &Metric::name);
  return it == metrics.end() ? nullptr : &*it;
}

bool contains(std::span<const std::string> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

constexpr const char* kGridAdvice =
    "Links between metahosts are slower than those inside by orders of magnitude, so waits that "
    "cross them deserve a look of their own. The metric Waiting metahost <- causing metahost says "
    "which metahost waits for which.\n"
    "What to try: give a slower metahost less work; put processes that talk much to each other on "
    "the same metahost; send fewer and larger messages across, and earlier; replace operations "
    "over all processes by one per metahost and one among the metahosts.\n";

Metric grid_root() {
  return {"grid",
          "Grid communication",
          "",
          Unit::kSeconds,
          "Time in MPI calls that cross metahosts.",
          "A call crosses metahosts if it sends to or receives from a process of another metahost, "
          "or if it is a collective operation on a communicator with processes of more than one "
          "metahost. The tree below mirrors that of MPI; the base metric minus the grid one is "
          "what happens inside the metahosts.\n" +
              std::string(kGridAdvice)};
}

// The grid version of a metric.
Metric mirror(const Metric& base, bool wait_state) {
  Metric out;
  out.name = grid_name(base.name);
  out.parent = grid_name(base.parent);
  out.unit = base.unit;
  if (wait_state) {
    out.display = "Grid " + base.display;
    out.description = "The part of " + base.display + " in which several metahosts took part.";
    out.explanation = out.description + "\n" + base.explanation + kGridAdvice;
  } else {
    out.display = base.display;
    out.description = "The part of " + base.display + " in calls that cross metahosts.";
    out.explanation = out.description + "\n" + kGridAdvice;
  }
  return out;
}

Metric pairs_root() {
  return {kPairsRoot,
          "Waiting metahost <- causing metahost",
          "",
          Unit::kSeconds,
          "Waiting time of the grid wait states by who waited and who was the cause.",
          "For each wait state that crosses metahosts: A <- B is the time that processes of "
          "metahost A waited because of processes of metahost B. The cause is the process whose "
          "time ends the wait: the sender of a late message, the last process at a barrier or in "
          "an N x N operation. A <- A occurs as well: a collective operation over several "
          "metahosts in which the last process was on the waiter's own metahost.\n"
          "What to try: if A waits for B but not the other way round, B has too much work or too "
          "slow machines. If both wait for each other, the link between them or the order of the "
          "messages is the more likely cause.\n"};
}

Metric pairs_of(const Metric& base) {
  Metric out = pairs_root();
  out.name = pairs_name(base.name);
  out.parent = kPairsRoot;
  out.display = "Grid " + base.display;
  out.description = "Time in Grid " + base.display + " by who waited and who was the cause.";
  return out;
}

Metric pair_of(const Metric& base, const Metahost& waiting, const Metahost& causing) {
  Metric out = pairs_root();
  out.name = pair_name(base.name, waiting.id, causing.id);
  out.parent = pairs_name(base.name);
  out.display = waiting.name + " <- " + causing.name;
  out.description = "Time processes of metahost " + waiting.name + " waited for processes of " +
                    causing.name + " in Grid " + base.display + ".";
  return out;
}

}  // namespace

std::string grid_name(std::string_view base) {
  return base == "mpi" ? "grid" : std::string("grid_") += stem(base);
}

std::string pairs_name(std::string_view base) {
  return (std::string(kPairsRoot) += "_") += stem(base);
}

std::string pair_name(std::string_view base, std::uint32_t waiting, std::uint32_t causing) {
  return pairs_name(base) + "_" + std::to_string(waiting) + "_" + std::to_string(causing);
}

std::vector<Metric> grid_metrics(std::span<const Metric> base,
                                 std::span<const std::string> wait_states) {
  // Mirrors the wait states and all their ancestors below "mpi".
  std::set<std::string> mirrored;
  for (const auto& name : wait_states) {
    for (const auto* m = find(base, name); m && m->name != "mpi"; m = find(base, m->parent)) {
      mirrored.insert(m->name);
    }
  }
  std::vector<Metric> out = {grid_root()};
  for (const auto& metric : base) {
    if (mirrored.contains(metric.name)) {
      out.push_back(mirror(metric, contains(wait_states, metric.name)));
    }
  }
  return out;
}

std::vector<Metric> pair_metrics(std::span<const Metric> base,
                                 std::span<const std::string> wait_states,
                                 std::span<const Metahost> metahosts) {
  std::vector<Metric> out = {pairs_root()};
  for (const auto& metric : base) {
    if (!contains(wait_states, metric.name)) continue;
    out.push_back(pairs_of(metric));
    for (const auto& waiting : metahosts) {
      for (const auto& causing : metahosts) out.push_back(pair_of(metric, waiting, causing));
    }
  }
  return out;
}

MetricId grid_of(const MetricTree& tree, MetricId base) {
  for (; base != MetricTree::kNone; base = tree.parent(base)) {
    const auto& name = tree[base].name;
    if (name != "mpi" && !name.starts_with(kPrefix)) break;
    if (const auto id = tree.id(grid_name(name)); id != MetricTree::kNone) return id;
  }
  return MetricTree::kNone;
}

}  // namespace latecomer::patterns
