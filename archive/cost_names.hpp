// SPDX-License-Identifier: BSD-3-Clause
// Names of properties about the calibrated cost of recording an event, besides layout.hpp.
#pragma once

namespace latecomer::layout {

// Properties of the archive, in nanoseconds per event. Spread: half the distance of the quartiles
// of a calibration, or what processes, or begin and end of the run, differ by; the largest counts.
inline constexpr const char* kPropertyEventCostSpread = "LATECOMER::EVENT_COST_SPREAD";
// Of an enter or leave of a region of the program, in a loop; with its spread. Only if there are
// any.
inline constexpr const char* kPropertyRegionCalibrated = "LATECOMER::REGION_EVENT_CALIBRATED";
inline constexpr const char* kPropertyRegionSpread = "LATECOMER::REGION_EVENT_CALIBRATED_SPREAD";

// Properties in the logs of processes, per event. kLogEventCost, in nanoseconds, is that at the
// begin. The others are in ticks.
inline constexpr const char* kLogEventCostSpread = "event_cost_spread";  // nanoseconds
inline constexpr const char* kLogTicksAtEnd = "event_ticks_at_end";
inline constexpr const char* kLogTicksAtEndSpread = "event_ticks_at_end_spread";
inline constexpr const char* kLogHookTicks = "hook_ticks";
inline constexpr const char* kLogHookTicksSpread = "hook_ticks_spread";

}  // namespace latecomer::layout
