// SPDX-License-Identifier: BSD-3-Clause
// Recording on while some visits of a region run; each process counts its own, in its first thread.
#include "tracer/session/iterations.hpp"

#include <algorithm>

#include "archive/settings.hpp"
#include "tracer/session/process.hpp"
#include "tracer/session/run.hpp"

namespace latecomer::session {
namespace detail {

constinit std::atomic<RegionId> iteration_region{0};

}  // namespace detail

namespace {

// Changed by the first thread only.
struct Iterations {
  std::optional<IterationWindow> window =
      IterationWindow::parse(setting_text(SettingId::kIterations));
  std::uint64_t visits = 0;
  std::uint64_t depth = 0;  // visits inside of visits are none of their own
  bool open = false;
};

Iterations& iterations() {
  static auto& the_one = *new Iterations;
  return the_one;
}

bool is_first_thread() {
  const detail::ThreadInfo* const mine = detail::thread_state.info;
  return mine != nullptr && mine->writer.thread() == 0;
}

// Before MPI_Init everything is recorded; begin_iterations() follows.
void switch_to(bool on) {
  iterations().open = on;
  if (run != nullptr) recording(on, Cause::kIterations);
}

}  // namespace

namespace detail {

[[gnu::noinline, gnu::cold]] void iteration_begins() {
  if (!is_first_thread()) return;
  Iterations& i = iterations();
  if (i.depth++ == 0 && ++i.visits == i.window->first) switch_to(true);
}

[[gnu::noinline, gnu::cold]] void iteration_ends() {
  if (!is_first_thread()) return;
  Iterations& i = iterations();
  if (i.depth == 0 || --i.depth != 0) return;
  if (i.open && i.visits == i.window->last) switch_to(false);
}

}  // namespace detail

bool iterations_wanted() { return iterations().window.has_value(); }

bool is_iteration_region(const std::string& name, const std::string& mangled) {
  const auto& window = iterations().window;
  return window && detail::iteration_region.load() == 0 &&
         (window->names(name) || window->region == mangled);
}

void use_iteration_region(RegionId region) { detail::iteration_region.store(region); }

void begin_iterations() {
  if (iterations_wanted() && !iterations().open) recording(false, Cause::kIterations);
}

void report_iterations() {
  const Iterations& i = iterations();
  unsigned long long most = i.visits, all = 0;
  int found = detail::iteration_region.load() != 0 ? 1 : 0, anybody = 0;
  PMPI_Reduce(&most, &all, 1, MPI_UNSIGNED_LONG_LONG, MPI_MAX, 0, run->comm);
  PMPI_Reduce(&found, &anybody, 1, MPI_INT, MPI_MAX, 0, run->comm);
  if (!i.window || run->rank != 0 || all >= i.window->first) return;
  const std::string option = " (--iterations " + setting_text(SettingId::kIterations) + ")";
  if (anybody == 0) {
    return say("the program has no region '" + i.window->region + "'" + option +
               ", so nothing was recorded between MPI_Init and MPI_Finalize: name one with "
               "latecomer.h, or compile with -finstrument-functions");
  }
  say("region '" + i.window->region + "' was visited " + std::to_string(all) +
      (all == 1 ? " time" : " times") + ", recording was to begin at visit " +
      std::to_string(i.window->first) + option);
}

}  // namespace latecomer::session
