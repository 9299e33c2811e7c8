// SPDX-License-Identifier: BSD-3-Clause
// The order in which all processes came to each collective operation.
#pragma once

#include <array>
#include <cstdint>
#include <functional>

#include "analyzer/parallel/processes.hpp"
#include "analyzer/replay/booking.hpp"

namespace latecomer::replay {

// Places are counted one by one up to that many processes, in so many equal groups beyond.
inline constexpr std::size_t kPlaces = 16;

// One process of a communicator came to one operation: (index of the communicator, operation as in
// trace records, world rank, place or group of places from 0 on). Ties: the lower world
// rank came first.
using OnPlace = std::function<void(std::uint32_t comm, std::uint8_t operation, std::uint32_t rank,
                                   std::size_t place)>;

// Calls `on_place` somewhere for every participation in an operation that all members came to; in
// rounds of bounded size. Not on communicators between groups. Collective.
void find_places(const Booking& booking, parallel::Processes& processes, const OnPlace& on_place);

}  // namespace latecomer::replay
