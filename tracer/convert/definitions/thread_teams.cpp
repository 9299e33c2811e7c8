// SPDX-License-Identifier: BSD-3-Clause
// Collects the sets of threads as a tree: a step down adds a thread.
#include "tracer/convert/definitions/thread_teams.hpp"

#include <algorithm>

namespace latecomer::convert {

void Teams::begin_thread(std::uint32_t thread) {
  thread_ = thread;
  open_.clear();
}

Teams::Team& Teams::team(std::uint32_t number) {
  const std::uint32_t page = number >> kPageBits;
  if (page != last_number_ || last_page_ == nullptr) {
    last_page_ = &pages_[page];  // pages of a map stay where they are
    last_number_ = page;
  }
  return (*last_page_)[number & ((1U << kPageBits) - 1)];
}

const Teams::Team* Teams::find(std::uint32_t number) const {
  const auto page = pages_.find(number >> kPageBits);
  if (page == pages_.end()) return nullptr;
  return &page->second[number & ((1U << kPageBits) - 1)];
}

std::uint32_t Teams::with(std::uint32_t node, std::uint32_t thread) {
  if (node == last_from_ && thread == last_thread_) return last_to_;
  const auto [step, is_new] =
      steps_.try_emplace({node, thread}, static_cast<std::uint32_t>(nodes_.size()));
  if (is_new) nodes_.push_back({node, thread, nodes_[node].size + 1});
  last_from_ = node;
  last_thread_ = thread;
  return last_to_ = step->second;
}

void Teams::begun(std::uint32_t number, std::uint32_t region, bool is_maker) {
  Team& t = team(number);
  if (t.node == 0 || nodes_[t.node].thread != thread_) t.node = with(t.node, thread_);
  if (is_maker) open_.push_back({number, region});
}

void Teams::left(std::uint64_t region, std::uint64_t ticks) {
  if (open_.back().region != region) return;
  team(open_.back().team).end = ticks;
  open_.pop_back();
}

std::vector<std::vector<std::uint32_t>> Teams::sets() const {
  std::vector<std::uint32_t> numbers;
  for (const auto& [number, page] : pages_) numbers.push_back(number);
  std::ranges::sort(numbers);
  std::vector<std::vector<std::uint32_t>> sets;
  for (const std::uint32_t number : numbers) {
    for (const Team& one : pages_.at(number)) {
      const Node& last = nodes_[one.node];
      if (one.node == 0 || last.number != kNone || sets.size() == kMostSets) continue;
      last.number = static_cast<std::uint32_t>(sets.size());
      std::vector<std::uint32_t>& set = sets.emplace_back();
      for (std::uint32_t node = one.node; node != 0; node = nodes_[node].without) {
        set.push_back(nodes_[node].thread);
      }
      std::ranges::reverse(set);
    }
  }
  return sets;
}

std::uint32_t Teams::set_of(std::uint32_t number) const {
  const Team* const known = find(number);
  return known == nullptr || known->node == 0 ? kNone : nodes_[known->node].number;
}

std::uint32_t Teams::size_of(std::uint32_t number) const {
  const Team* const known = find(number);
  return known == nullptr ? 0 : nodes_[known->node].size;
}

std::optional<std::uint64_t> Teams::end_of(std::uint32_t number) const {
  const Team* const known = find(number);
  if (known == nullptr || known->end == 0) return {};
  return known->end;
}

}  // namespace latecomer::convert
