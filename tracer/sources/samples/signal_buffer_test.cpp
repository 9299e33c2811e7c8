// SPDX-License-Identifier: BSD-3-Clause
// Samples in the order of time, with weights that sum up to the processor time.
#include "tracer/sources/samples/signal_buffer.hpp"

#include <catch2/catch.hpp>
#include <utility>

using namespace latecomer::samples;

namespace {

using Pairs = std::vector<std::pair<std::uint64_t, std::uint64_t>>;  // time, weight

void add(SignalBuffer& buffer, std::uint64_t time) {
  buffer.add(time, [time](RawSample& sample, auto& stack) {
    sample.time = time;
    sample.stack = {stack.data(), time};
  });
}
void add(SignalBuffer& buffer, std::uint64_t first, std::uint64_t last) {
  for (std::uint64_t time = first; time <= last; ++time) add(buffer, time);
}

Pairs all(SignalBuffer& buffer) {
  Pairs found;
  buffer.take([&](const OwnSample& sample) {
    CHECK(sample.raw.stack.size() == sample.raw.time);
    CHECK(sample.raw.stack.data() == sample.stack.data());
    found.emplace_back(sample.raw.time, sample.weight);
  });
  CHECK(buffer.taken() == buffer.numbers()[0]);
  CHECK(buffer.taken() == buffer.numbers()[1]);
  return found;
}

}  // namespace

TEST_CASE("samples of a signal handler stand for the time since the one before") {
  SignalBuffer buffer(4);
  buffer.count_from(10);
  CHECK(all(buffer).empty());
  add(buffer, 13);
  add(buffer, 14);
  CHECK(buffer.numbers()[0] == 2);
  CHECK(buffer.taken() == 0);
  CHECK(all(buffer) == Pairs{{13, 3}, {14, 1}});
  add(buffer, 20);
  CHECK(all(buffer) == Pairs{{20, 6}});
  CHECK(all(buffer).empty());
}

TEST_CASE("a full buffer of samples keeps each second one, with the weight of both") {
  SignalBuffer buffer(4);
  add(buffer, 1, 4);
  CHECK(buffer.numbers()[0] == 4);
  add(buffer, 5, 8);
  CHECK(buffer.numbers()[0] == 6);
  add(buffer, 9, 14);
  // 13 and 14 were to be skipped; they count for the last one.
  CHECK(all(buffer) == Pairs{{4, 4}, {8, 4}, {12, 6}});
  // Then it samples as often as before.
  add(buffer, 15, 17);
  CHECK(all(buffer) == Pairs{{15, 1}, {16, 1}, {17, 1}});
}

TEST_CASE("a buffer of samples lasts for any time") {
  SignalBuffer buffer(16);
  add(buffer, 1, 100'000);
  const Pairs samples = all(buffer);
  CHECK(samples.size() >= 8);
  CHECK(samples.size() <= 16);
  std::uint64_t sum = 0, before = 0, least = ~std::uint64_t{0}, most = 0;
  for (const auto& [time, weight] : samples) {
    CHECK(time > before);
    before = time;
    sum += weight;
    least = std::min(least, weight);
    most = std::max(most, weight);
  }
  CHECK(sum == 100'000);
  CHECK(most < 2 * least);
}

TEST_CASE("samples inside MPI calls are forgotten and leave room") {
  SignalBuffer buffer(4);
  add(buffer, 1, 100);
  buffer.numbers()[1] = buffer.numbers()[0];
  CHECK(all(buffer).empty());
  add(buffer, 101, 200);
  buffer.numbers()[1] = buffer.numbers()[0];
  add(buffer, 201, 203);
  CHECK(all(buffer) == Pairs{{201, 1}, {202, 1}, {203, 1}});
}

TEST_CASE("signals while samples are taken out count for the next one") {
  SignalBuffer buffer(4);
  add(buffer, 1, 3);
  std::size_t count = 0;
  buffer.take([&](const OwnSample&) {
    add(buffer, 4 + count);
    ++count;
  });
  CHECK(count == 3);
  add(buffer, 10);
  CHECK(all(buffer) == Pairs{{10, 7}});
}

TEST_CASE("what ends the taking of samples leaves a buffer that goes on") {
  SignalBuffer buffer(4);
  add(buffer, 1, 3);
  CHECK_THROWS_AS(buffer.take([](const OwnSample&) { throw std::bad_alloc(); }), std::bad_alloc);
  add(buffer, 4);
  CHECK(all(buffer) == Pairs{{4, 1}});
}
