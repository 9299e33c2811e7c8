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

// How often a process had each place, or group of places.
using Places = std::array<std::int64_t, kPlaces>;

// (index of the communicator, operation as in trace records, world rank, its places). Ties: the
// lower world rank came first.
using OnPlaces = std::function<void(std::uint32_t comm, std::uint8_t operation, std::uint32_t rank,
                                    const Places& places)>;

// Calls `on_places` somewhere, perhaps several times, for every process and kind of operation that
// all members came to; in rounds of bounded size. Not on communicators between groups. Collective.
void find_places(const Booking& booking, parallel::Processes& processes, const OnPlaces& on_places);

}  // namespace latecomer::replay
