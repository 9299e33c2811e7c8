// SPDX-License-Identifier: BSD-3-Clause
// A network device in another network namespace whose packets this process sends and receives.
#pragma once

#include "archive/result.hpp"
#include "tests/testbed/router/table.hpp"

namespace latecomer::testbed {

inline constexpr const char* kDeviceName = "wan0";
// Large packets: fewer of them for the same data.
inline constexpr int kLargestPacket = 9000;

// Creates the device (TUN) in the namespace of the space, gives it the addresses, switches it and
// the loopback on. The file descriptor, which does not block. Network: 255.255.0.0.
[[nodiscard]] Result<int> open_device(const Space& space);

}  // namespace latecomer::testbed
