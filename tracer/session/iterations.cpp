// SPDX-License-Identifier: BSD-3-Clause
// Records while certain visits of a region run. Each process counts its own, in its first thread.
#include "tracer/session/iterations.hpp"

#include "archive/settings.hpp"
#include "tracer/session/process/inside.hpp"

namespace latecomer::session {

// Only the first thread changes it.
struct Iterations {
  std::optional<IterationWindow> window =
      IterationWindow::parse(setting_text(SettingId::kIterations));
  std::uint64_t visits = 0;
  std::uint64_t depth = 0;  // nested visits do not count
  bool open = false;
};

namespace {

Iterations& iterations() { return process().less.iterations.get(); }

bool is_first_thread() {
  const detail::ThreadInfo* const mine = detail::thread_state.info;
  return mine != nullptr && mine->writer.thread() == 0;
}

// Everything before MPI_Init is recorded; begin_iterations() follows.
void switch_to(bool on) {
  iterations().open = on;
  if (process().session.phase.load() == detail::Phase::kRunning) recording(on, Cause::kIterations);
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
  return window && process().session.iteration_region.load() == 0 &&
         (window->names(name) || window->region == mangled);
}

void use_iteration_region(RegionId region) { process().session.iteration_region.store(region); }

void begin_iterations() {
  if (iterations_wanted() && !iterations().open) recording(false, Cause::kIterations);
}

std::uint64_t iteration_visits() { return iterations().visits; }

}  // namespace latecomer::session
