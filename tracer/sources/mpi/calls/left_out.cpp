// SPDX-License-Identifier: BSD-3-Clause
// MPI functions that the filter leaves out: they run, and what they do is only counted.
#include "tracer/sources/mpi/calls/left_out.hpp"

#include "archive/layout.hpp"
#include "tracer/filter/filter.hpp"
#include "tracer/functions/function_groups.hpp"
#include "tracer/sources/mpi/calls/call.hpp"
#include "tracer/sources/mpi/objects/requests.hpp"

namespace latecomer::mpi {

// Messages to and from functions that the filter leaves out have no recorded partner, unless all of
// them are local. Its rules for the program's own regions match later, if at all.
void begin_leaving_out() {
  const auto& filter = user::filter();
  if (!filter) return;
  if (filter->excludes_regions()) session::define_property(layout::kLogFiltersRegions, "true");
  if (!filter->names_mpi_functions()) return;
  auto& left_out = process().mpi.left_out;
  std::string names;
  bool communicates = false, waits = false;
  for (std::size_t i = 0; i < kRegions.size(); ++i) {
    left_out[i] = filter->excludes(kRegions[i]);
    if (!left_out[i]) continue;
    names += (names.empty() ? "" : ",") + std::string(kRegions[i].name);
    communicates = communicates || !kRegions[i].call_only;
    waits = waits || !is_local(kRegions[i]);
  }
  if (names.empty()) return;
  session::define_property(layout::kLogFunctionsLeftOut, names);
  if (waits) session::define_property(layout::kLogTimeLeftOut, "true");
  if (communicates) session::define_property("communication_complete", "false");
}

[[gnu::noinline, gnu::cold]] void Call::begin_left_out() {
  is_left_out_ = true;
  writer_->begin_left_out();
}

[[gnu::noinline, gnu::cold]] void Call::end_left_out() {
  writer_->end_left_out(requests::several_threads(), time_);
}

}  // namespace latecomer::mpi
