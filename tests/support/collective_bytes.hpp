// SPDX-License-Identifier: BSD-3-Clause
// Sent and received bytes of a collective as tracers record them.
#pragma once

#include <cstdint>
#include <string_view>

namespace latecomer::test {

// OTF2_CollectiveOp of an MPI function, blocking or not. Throws std::invalid_argument.
[[nodiscard]] std::uint8_t collective_operation(std::string_view function);

[[nodiscard]] bool has_root(std::uint8_t operation);

struct SentReceived {
  std::uint64_t sent = 0, received = 0;
};

// Every rank contributes (or gets, or both, for each partner) `each` bytes.
[[nodiscard]] SentReceived collective_bytes(std::uint8_t operation, std::uint64_t size,
                                            std::uint64_t rank, std::uint64_t root,
                                            std::uint64_t each);

}  // namespace latecomer::test
