// SPDX-License-Identifier: BSD-3-Clause
// Checks what the compiler cannot: that records of wait states do not contradict each other.
#include "patterns/waits/wait_state.hpp"

#include <catch2/catch.hpp>

#include <set>
#include <string>
#include <type_traits>

using namespace latecomer::patterns;

// A record that leaves out what is required does not compile.
static_assert(!std::is_default_constructible_v<FollowedWait>);
static_assert(!std::is_default_constructible_v<OtherWait>);
template <class Record>
concept HasEnoughInMetric = requires(Metric metric) {
  Record{.metric = metric};
};
static_assert(!HasEnoughInMetric<FollowedWait> && !HasEnoughInMetric<OtherWait>);

TEST_CASE("wait states: each has its place in the table, in the tree, and a name of its own") {
  std::set<std::string> names;
  std::set<int> orders, polling;
  for (const auto& record : wait_states()) {
    INFO(record.metric.name);
    CHECK(&record == &wait_states()[index_of(record.state)]);
    CHECK(names.insert(record.metric.name).second);
    CHECK(orders.insert(record.order).second);
    if (record.polling > 0) CHECK(polling.insert(record.polling).second);
    CHECK_FALSE(record.metric.formula.empty());
    CHECK_FALSE(record.metric.advice.empty());
  }
  CHECK(wait_states().size() == kWaitStateCount);
}

TEST_CASE(
    "wait states: those that are followed have causes, and those caused like them are named") {
  for (std::size_t k = 0; k < kWaitKindCount; ++k) {
    const auto& record = wait_states()[index_of(kStateOfKind[k])];
    const auto& names = wait_kinds()[k];
    INFO(record.metric.name);
    REQUIRE(record.causes);
    CHECK(record.kind == static_cast<WaitKind>(k));
    CHECK(record.waiting);
    CHECK(record.drawing);
    CHECK(names.wait == record.metric.name);
    CHECK(names.delay.starts_with("delay_"));
    CHECK(names.split.empty() == is_of_threads(record.family));
    CHECK(names.chain.empty() == is_of_threads(record.family));
  }
  CHECK(wait_kinds()[index_of(WaitKind::kLatePost)].also == "mpi_rma_comm_late_post");
  CHECK(wait_kinds()[index_of(WaitKind::kFile)].display == "Wait at Files");
  CHECK(wait_kinds()[index_of(WaitKind::kLateSender)].also.empty());
}
