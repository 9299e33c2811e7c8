// SPDX-License-Identifier: BSD-3-Clause
// Messages in Wrong Order: its record.
#include "patterns/waits/wrong_order.hpp"

#include <string>
#include <utility>

#include "patterns/waits/wait_state.hpp"

namespace latecomer::patterns {
namespace {

using enum Drawing::Kind;

// A message arrived before the one that is waited for.
Drawing wrong_order_of_one() {
  return {{"sender", "receiver"},
          {{0, 0, 8, kWork, ""},
           {0, 8, 18, kCall, "A"},
           {0, 18, 56, kWork, "computes"},
           {0, 56, 66, kCall, "B"},
           {0, 66, 100, kWork, ""},
           {1, 0, 20, kWork, ""},
           {1, 20, 56, kWait, "waits for B"},
           {1, 56, 72, kCall, "B"},
           {1, 76, 88, kCall, "A"},
           {1, 88, 100, kWork, ""}},
          {{0, 10, 1, 84}, {0, 58, 1, 70}},
          {}};
}

Metric texts(std::string name, std::string display, std::string parent, std::string description) {
  return {
      .name = std::move(name),
      .display = std::move(display),
      .parent = std::move(parent),
      .unit = Unit::kSeconds,
      .description = std::move(description),
      .explanation =
          "A process waited for a message, and afterwards received one that had been sent earlier. "
          "Had it received in the order of sending, it would have had something to do while it "
          "waited.\n"
          "Typical causes: receives in a fixed order of neighbors; messages of several kinds "
          "received in the order of the program rather than of their arrival.\n"
          "What to try: MPI_Waitany, MPI_Waitsome or MPI_ANY_SOURCE to take what comes first; send "
          "in the order in which the receiver needs the data.\n",
      .formula = "the Late Sender wait of a receive before one whose message was sent earlier",
      .advice = "Take what comes first: MPI_Waitany, MPI_Waitsome, MPI_ANY_SOURCE.",
  };
}

}  // namespace

OtherWait wrong_order_state() {
  return {
      .metric = texts(
          "mpi_latesender_wo", "Messages in Wrong Order", "mpi_latesender",
          "Part of Late Sender in receives that waited although an older message was on its way."),
      .order = 240,
      .waiting = false,
      .polling = 0,
      .caused_like = std::nullopt,
      .short_names = {"lswo_same", "lswo_different"},
      .counts = {"mpi_slswo_count", "mpi_clswo_count"},
      .drawing = Drawing{{"sender A", "receiver", "sender B"},
                         {{0, 0, 56, kWork, ""},
                          {0, 56, 66, kCall, ""},
                          {0, 66, 100, kWork, ""},
                          {1, 0, 20, kWork, ""},
                          {1, 20, 56, kWait, "waits for A"},
                          {1, 56, 72, kCall, "A"},
                          {1, 76, 88, kCall, "B"},
                          {1, 88, 100, kWork, ""},
                          {2, 0, 8, kWork, ""},
                          {2, 8, 18, kCall, ""},
                          {2, 18, 100, kWork, ""}},
                         {{0, 58, 1, 70}, {2, 10, 1, 84}},
                         {}},
  };
}

OtherWait wrong_order_different_state() {
  return {
      .metric = texts("mpi_lswo_different", "From different sources", "mpi_latesender_wo",
                      "The part in which the older message came from another process."),
      .order = 250,
      .waiting = false,
      .polling = 0,
      .caused_like = std::nullopt,
      .drawing = std::nullopt,
  };
}

OtherWait wrong_order_same_state() {
  return {
      .metric = texts("mpi_lswo_same", "From same source", "mpi_latesender_wo",
                      "The part in which the older message came from the same process."),
      .order = 260,
      .waiting = false,
      .polling = 0,
      .caused_like = std::nullopt,
      .drawing = wrong_order_of_one(),
  };
}

}  // namespace latecomer::patterns
