// SPDX-License-Identifier: BSD-3-Clause
// A network device in another network namespace whose packets this process sends and receives.
#pragma once

#include "archive/result.hpp"
#include "tests/testbed/router/table.hpp"

namespace latecomer::testbed {

inline constexpr const char* kDeviceName = "wan0";
// Large packets, so that the same data needs fewer of them.
inline constexpr int kLargestPacket = 9000;

// Creates the TUN device in the namespace of the space, sets its addresses, and switches it and the
// loopback on. Returns the nonblocking file descriptor. The network mask is 255.255.0.0.
[[nodiscard]] Result<int> open_device(const Space& space);

}  // namespace latecomer::testbed
