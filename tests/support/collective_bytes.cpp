// SPDX-License-Identifier: BSD-3-Clause
// Operations and bytes of collectives, as tracers record them.
#include "tests/support/collective_bytes.hpp"

#include <otf2/otf2.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>

namespace latecomer::test {
namespace {

// Names in the order of OTF2_CollectiveOp, without "MPI_" and in lower case.
constexpr std::array<std::string_view, 17> kNames = {"barrier",
                                                     "bcast",
                                                     "gather",
                                                     "gatherv",
                                                     "scatter",
                                                     "scatterv",
                                                     "allgather",
                                                     "allgatherv",
                                                     "alltoall",
                                                     "alltoallv",
                                                     "alltoallw",
                                                     "allreduce",
                                                     "reduce",
                                                     "reduce_scatter",
                                                     "scan",
                                                     "exscan",
                                                     "reduce_scatter_block"};

}  // namespace

std::uint8_t collective_operation(std::string_view function) {
  std::string name(function.substr(std::min<std::size_t>(4, function.size())));
  std::ranges::transform(name, name.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  // Records of neighborhood operations have the code of an operation with counts.
  if (name.find("neighbor_") != std::string::npos) {
    return name.ends_with("w") ? OTF2_COLLECTIVE_OP_ALLTOALLW : OTF2_COLLECTIVE_OP_ALLTOALLV;
  }
  // The second candidate lacks the "i" of nonblocking operations.
  for (const std::string_view candidate :
       {std::string_view(name), std::string_view(name).substr(1)}) {
    const auto it = std::ranges::find(kNames, candidate);
    if (it != kNames.end()) return static_cast<std::uint8_t>(it - kNames.begin());
  }
  throw std::invalid_argument("not a collective: " + std::string(function));
}

bool has_root(std::uint8_t operation) {
  switch (operation) {
    case OTF2_COLLECTIVE_OP_BCAST:
    case OTF2_COLLECTIVE_OP_REDUCE:
    case OTF2_COLLECTIVE_OP_GATHER:
    case OTF2_COLLECTIVE_OP_GATHERV:
    case OTF2_COLLECTIVE_OP_SCATTER:
    case OTF2_COLLECTIVE_OP_SCATTERV:
      return true;
    default:
      return false;
  }
}

SentReceived collective_bytes(std::uint8_t operation, std::uint64_t size, std::uint64_t rank,
                              std::uint64_t root, std::uint64_t each) {
  const std::uint64_t all = size * each;
  const bool am_root = rank == root;
  switch (operation) {
    case OTF2_COLLECTIVE_OP_BARRIER:
      return {0, 0};
    case OTF2_COLLECTIVE_OP_BCAST:
    case OTF2_COLLECTIVE_OP_SCATTER:
    case OTF2_COLLECTIVE_OP_SCATTERV:
      return {am_root ? all : 0, each};
    case OTF2_COLLECTIVE_OP_REDUCE:
    case OTF2_COLLECTIVE_OP_GATHER:
    case OTF2_COLLECTIVE_OP_GATHERV:
      return {each, am_root ? all : 0};
    case OTF2_COLLECTIVE_OP_SCAN:
      return {(size - rank) * each, (rank + 1) * each};
    case OTF2_COLLECTIVE_OP_EXSCAN:
      return {(size - rank - 1) * each, rank * each};
    default:
      return {all, all};
  }
}

}  // namespace latecomer::test
