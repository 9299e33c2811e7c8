// SPDX-License-Identifier: BSD-3-Clause
// Every collective operation has the class that its definition implies.
#include "patterns/calls/collective_class.hpp"

#include <catch2/catch.hpp>

using namespace latecomer::patterns;

TEST_CASE("classes of collective operations") {
  using Op = CollectiveOperation;
  using Class = CollectiveClass;
  CHECK(collective_class(Op::kBarrier) == Class::kBarrier);
  for (auto op : {Op::kBcast, Op::kScatter, Op::kScatterv}) {
    CHECK(collective_class(op) == Class::kOneToN);
  }
  for (auto op : {Op::kGather, Op::kGatherv, Op::kReduce}) {
    CHECK(collective_class(op) == Class::kNToOne);
  }
  for (auto op : {Op::kAllgather, Op::kAllgatherv, Op::kAlltoall, Op::kAllreduce,
                  Op::kReduceScatter, Op::kReduceScatterBlock}) {
    CHECK(collective_class(op) == Class::kNToN);
  }
  for (auto op : {Op::kScan, Op::kExscan}) CHECK(collective_class(op) == Class::kPrefix);
  CHECK(collective_class(Op::kFence) == Class::kFence);
  for (auto op : {Op::kWindowCreate, Op::kWindowFree}) {
    CHECK(collective_class(op) == Class::kWindow);
  }
  for (auto op : {Op::kFileOpen, Op::kFileClose, Op::kFileSync, Op::kFileRead, Op::kFileWrite,
                  Op::kFileReadEnd, Op::kFileWriteEnd, Op::kFileSet}) {
    CHECK(collective_class(op) == Class::kFile);
  }
  CHECK(collective_class(Op::kNeighborhood) == Class::kNeighborhood);
  // The total number of bytes does not show which rank sends to which.
  for (auto op : {Op::kAlltoallv, Op::kAlltoallw}) CHECK(collective_class(op) == Class::kOther);
}

TEST_CASE("Alltoallv and Alltoallw are like Alltoall if everybody sends to everybody") {
  for (std::uint8_t op : {9, 10}) {
    CHECK(collective_class(op, true) == CollectiveClass::kNToN);
    CHECK(collective_class(op, false) == CollectiveClass::kOther);
  }
  CHECK(collective_class(std::uint8_t{1}, true) == CollectiveClass::kOneToN);
  CHECK(collective_class(std::uint8_t{0}, false) == CollectiveClass::kBarrier);
}

TEST_CASE("operations as trace records number them") {
  CHECK(collective_class(std::uint8_t{0}) == CollectiveClass::kBarrier);
  CHECK(collective_class(std::uint8_t{11}) == CollectiveClass::kNToN);   // Allreduce
  CHECK(collective_class(std::uint8_t{17}) == CollectiveClass::kOther);  // creates a handle
  CHECK(collective_class(std::uint8_t{255}) == CollectiveClass::kOther);
}
