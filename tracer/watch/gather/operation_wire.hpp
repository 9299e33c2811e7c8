// SPDX-License-Identifier: BSD-3-Clause
// Operations as bytes, for agents on other hosts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tracer/watch/others.hpp"

namespace latecomer::watch {

// An operation with the names that all hosts know: communicators and call paths have other numbers
// on each host. Its times are those of rank 0's clock.
struct NamedOperation {
  RemoteOperation operation;  // without comm and path
  std::uint32_t comm_owner = kNone, comm_number = 0;
  std::uint64_t path = 0;
};

// Numbers begin with their lowest byte. Fields that the kind does not use are left out.
void append(std::string& bytes, const NamedOperation& operation);

// Takes the first operation of the bytes. Nothing: they are no operation; what follows is not
// known, either.
[[nodiscard]] std::optional<NamedOperation> take_operation(std::string_view& bytes);

}  // namespace latecomer::watch
