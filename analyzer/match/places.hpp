// SPDX-License-Identifier: BSD-3-Clause
// The order in which all processes came to each collective operation.
#pragma once

#include <array>
#include <cstdint>
#include <functional>

#include "analyzer/booking/booking.hpp"
#include "analyzer/parallel/processes.hpp"

namespace latecomer::replay {

// Number of places that are counted. Communicators of more processes have this many equal groups.
inline constexpr std::size_t kPlaces = 16;

// Counts per place, or per group of places.
using Places = std::array<std::int64_t, kPlaces>;

// Receives (index of the communicator, operation as in trace records, world rank, its places). On
// ties the lower world rank came first.
using OnPlaces = std::function<void(std::uint32_t comm, std::uint8_t operation, std::uint32_t rank,
                                    const Places& places)>;

// Calls `on_places` on some process, perhaps several times, for every process and kind of
// operation. Only operations that all members came to count. Intercommunicators are left out. Works
// in rounds of bounded size. Collective.
void find_places(const Booking& booking, parallel::Processes& processes, const OnPlaces& on_places);

}  // namespace latecomer::replay
