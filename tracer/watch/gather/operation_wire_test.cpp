// SPDX-License-Identifier: BSD-3-Clause
// Operations are read as they were written; what was cut or damaged is none.
#include "tracer/watch/gather/operation_wire.hpp"

#include <catch2/catch.hpp>
#include <random>
#include <tuple>

using namespace latecomer::watch;

namespace {

using Kind = RemoteOperation::Kind;

NamedOperation example(Kind kind) {
  NamedOperation named;
  RemoteOperation& o = named.operation;
  o.kind = kind;
  if (kind == Kind::kEager) {
    o.link = 2;
    o.bytes = 0x0102030405060708;
    return named;
  }
  o.rank = 70000;
  if (kind == Kind::kLoss) {
    o.only_collectives = true;
    return named;
  }
  named.comm_owner = 3;
  named.comm_number = 9;
  o.peer = 5;
  o.number = std::uint64_t{1} << 40;
  if (kind == Kind::kCancelled) {
    o.tag = -7;
    return named;
  }
  o.time = -123456789012345;
  if (kind != Kind::kCollective) o.tag = -7;
  if (kind == Kind::kSend) {
    o.mode = latecomer::patterns::SendMode::kSynchronous;
    o.bytes = 8192;
  }
  if (kind == Kind::kCollective) {
    o.sends = o.all_positive = true;
    o.operation = 4;
    o.end = 5;
    named.path = 0xfedcba9876543210;
  }
  return named;
}

auto all_of(const NamedOperation& named) {
  const RemoteOperation& o = named.operation;
  return std::tuple(o.kind, o.mode, o.operation, o.link, o.all_positive, o.sends, o.receives,
                    o.only_collectives, o.rank, o.peer, o.tag, o.number, o.bytes, o.time, o.end,
                    named.comm_owner, named.comm_number, named.path);
}

}  // namespace

TEST_CASE("operations are read as they were written, one after the other") {
  std::string bytes;
  for (std::size_t kind = 0; kind < RemoteOperation::kKinds; ++kind)
    append(bytes, example(static_cast<Kind>(kind)));
  CHECK(bytes.size() < RemoteOperation::kKinds * 56);
  std::string_view rest = bytes;
  for (std::size_t kind = 0; kind < RemoteOperation::kKinds; ++kind) {
    const auto read = take_operation(rest);
    REQUIRE(read);
    CHECK(all_of(*read) == all_of(example(static_cast<Kind>(kind))));
  }
  CHECK(rest.empty());
  CHECK(!take_operation(rest));
}

TEST_CASE("what was cut is no operation") {
  for (std::size_t kind = 0; kind < RemoteOperation::kKinds; ++kind) {
    std::string bytes;
    append(bytes, example(static_cast<Kind>(kind)));
    for (std::size_t length = 0; length < bytes.size(); ++length) {
      std::string_view cut = std::string_view(bytes).substr(0, length);
      CHECK(!take_operation(cut));
    }
  }
}

TEST_CASE("any bytes do no harm") {
  std::mt19937 random(1);
  for (int i = 0; i < 1000; ++i) {
    std::string bytes(random() % 100, '\0');
    for (char& c : bytes) c = static_cast<char>(random() % (i % 2 == 0 ? 8 : 256));
    std::string_view rest = bytes;
    while (take_operation(rest)) {
    }
    CHECK(rest.size() <= bytes.size());
  }
}
