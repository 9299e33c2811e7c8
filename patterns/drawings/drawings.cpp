// SPDX-License-Identifier: BSD-3-Clause
// The table of drawings of all wait states. cause_drawings.cpp derives the drawings of causes.
#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "patterns/drawings/cause_drawings.hpp"
#include "patterns/drawings/drawing.hpp"
#include "patterns/drawings/wait_state_of.hpp"

namespace latecomer::patterns {
namespace {

// Bars are {lane, from, to, kind, text}, arrows {lane, from, to lane, to}, marks {time, text}.
using enum Drawing::Kind;

// All processes wait for the last one, which enters `call` at 76.
Drawing one_call(const std::string& call) {
  return {{"rank 0", "rank 1", "rank 2"},
          {{0, 0, 20, kWork, ""},
           {0, 20, 76, kWait, "waits"},
           {0, 76, 84, kCall, ""},
           {0, 84, 100, kWork, ""},
           {1, 0, 38, kWork, ""},
           {1, 38, 76, kWait, "waits"},
           {1, 76, 84, kCall, ""},
           {1, 84, 100, kWork, ""},
           {2, 0, 76, kWork, "still computes"},
           {2, 76, 84, kCall, ""},
           {2, 84, 100, kWork, ""}},
          {},
          {{76, "the last one enters " + call}}};
}

// The time after the first process has left.
Drawing completion(const std::string& call) {
  return {{"rank 0", "rank 1", "rank 2"},
          {{0, 0, 20, kWork, ""},
           {0, 20, 60, kCall, call},
           {0, 60, 100, kWork, ""},
           {1, 0, 30, kWork, ""},
           {1, 30, 60, kCall, ""},
           {1, 60, 80, kWait, "counts"},
           {1, 80, 100, kWork, ""},
           {2, 0, 48, kWork, ""},
           {2, 48, 60, kCall, ""},
           {2, 60, 92, kWait, "counts"},
           {2, 92, 100, kWork, ""}},
          {},
          {{60, "the first one leaves"}}};
}

// A target opens its window late.
Drawing late_post(const std::string& call) {
  return {{"origin", "target"},
          {{0, 0, 18, kWork, ""},
           {0, 18, 58, kWait, "waits"},
           {0, 58, 84, kCall, call},
           {0, 84, 100, kWork, ""},
           {1, 0, 58, kWork, "still computes"},
           {1, 58, 70, kCall, ""},
           {1, 70, 100, kWork, ""}},
          {{1, 60, 0, 74}},
          {{58, "MPI_Win_post"}}};
}

// Another process holds the lock.
Drawing lock(const std::string& call) {
  return {{"holder", "other"},
          {{0, 0, 12, kWork, ""},
           {0, 12, 24, kCall, "lock"},
           {0, 24, 62, kWork, "accesses"},
           {0, 62, 78, kCall, "unlock"},
           {0, 78, 100, kWork, ""},
           {1, 0, 30, kWork, ""},
           {1, 30, 62, kWait, "waits"},
           {1, 62, 88, kCall, call},
           {1, 88, 100, kWork, ""}},
          {{0, 64, 1, 76}},
          {}};
}

// A target computes while the call needs the target's MPI library.
Drawing progress(const std::string& call) {
  return {{"origin", "target"},
          {{0, 0, 18, kWork, ""},
           {0, 18, 62, kWait, "waits"},
           {0, 62, 84, kCall, call},
           {0, 84, 100, kWork, ""},
           {1, 0, 62, kWork, "computes, outside of MPI"},
           {1, 62, 76, kCall, ""},
           {1, 76, 100, kWork, ""}},
          {{1, 64, 0, 78}},
          {{62, "the target enters MPI"}}};
}

Drawing with_lanes(Drawing drawing, std::vector<std::string> lanes) {
  drawing.lanes = std::move(lanes);
  return drawing;
}

Drawing of_threads(Drawing drawing) {
  const std::vector<std::string> threads = {"thread 0", "thread 1", "thread 2"};
  return with_lanes(drawing, {threads.begin(),
                              threads.begin() + static_cast<std::ptrdiff_t>(drawing.lanes.size())});
}

// Threads idle outside a parallel region (or, if `limited`, beside one that has fewer threads).
Drawing idle(bool limited) {
  return {{"thread 0", "thread 1", "thread 2"},
          {{0, 0, 30, kWork, "alone"},
           {0, 30, 64, kWork, "team of 2"},
           {0, 64, 100, kWork, "team of 3"},
           {1, 0, 30, limited ? kCall : kWait, "idle"},
           {1, 30, 64, kWork, ""},
           {1, 64, 100, kWork, ""},
           {2, 0, 30, limited ? kCall : kWait, "idle"},
           {2, 30, 64, limited ? kWait : kCall, "not in it"},
           {2, 64, 100, kWork, ""}},
          {},
          {{30, "fork"}, {64, "fork"}}};
}

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

std::optional<Drawing> own_drawing_of(std::string_view metric) {
  static const std::pair<std::string_view, Drawing> drawings[] = {
      {"mpi_latesender", Drawing{{"sender", "receiver"},
                                 {{0, 0, 58, kWork, "still computes"},
                                  {0, 58, 74, kCall, "send"},
                                  {0, 74, 100, kWork, ""},
                                  {1, 0, 18, kWork, ""},
                                  {1, 18, 58, kWait, "waits"},
                                  {1, 58, 82, kCall, "receive"},
                                  {1, 82, 100, kWork, ""}},
                                 {{0, 60, 1, 80}},
                                 {}}},
      {"mpi_latereceiver", Drawing{{"sender", "receiver"},
                                   {{0, 0, 18, kWork, ""},
                                    {0, 18, 58, kWait, "waits"},
                                    {0, 58, 78, kCall, "send"},
                                    {0, 78, 100, kWork, ""},
                                    {1, 0, 58, kWork, "still computes"},
                                    {1, 58, 84, kCall, "receive"},
                                    {1, 84, 100, kWork, ""}},
                                   {{0, 60, 1, 82}},
                                   {}}},
      {"mpi_latesender_wo", Drawing{{"sender A", "receiver", "sender B"},
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
                                    {}}},
      {"mpi_earlyreduce", Drawing{{"root", "rank 1", "rank 2"},
                                  {{0, 0, 14, kWork, ""},
                                   {0, 14, 52, kWait, "waits"},
                                   {0, 52, 88, kCall, "MPI_Reduce"},
                                   {0, 88, 100, kWork, ""},
                                   {1, 0, 52, kWork, "computes"},
                                   {1, 52, 66, kCall, ""},
                                   {1, 66, 100, kWork, ""},
                                   {2, 0, 66, kWork, "computes"},
                                   {2, 66, 80, kCall, ""},
                                   {2, 80, 100, kWork, ""}},
                                  {{1, 54, 0, 64}, {2, 68, 0, 82}},
                                  {}}},
      {"mpi_latebroadcast", Drawing{{"root", "rank 1", "rank 2"},
                                    {{0, 0, 56, kWork, "still computes"},
                                     {0, 56, 74, kCall, "Bcast"},
                                     {0, 74, 100, kWork, ""},
                                     {1, 0, 20, kWork, ""},
                                     {1, 20, 56, kWait, "waits"},
                                     {1, 56, 80, kCall, ""},
                                     {1, 80, 100, kWork, ""},
                                     {2, 0, 32, kWork, ""},
                                     {2, 32, 56, kWait, "waits"},
                                     {2, 56, 84, kCall, ""},
                                     {2, 84, 100, kWork, ""}},
                                    {{0, 58, 1, 78}, {0, 60, 2, 82}},
                                    {}}},
      {"mpi_late_neighbor", Drawing{{"rank 0", "rank 1", "neighbor"},
                                    {{0, 0, 20, kWork, ""},
                                     {0, 20, 70, kWait, "waits"},
                                     {0, 70, 86, kCall, ""},
                                     {0, 86, 100, kWork, ""},
                                     {1, 0, 50, kWork, ""},
                                     {1, 50, 70, kWait, "waits"},
                                     {1, 70, 86, kCall, ""},
                                     {1, 86, 100, kWork, ""},
                                     {2, 0, 70, kWork, "still computes"},
                                     {2, 70, 80, kCall, ""},
                                     {2, 80, 100, kWork, ""}},
                                    {{2, 72, 1, 84}},
                                    {}}},
      {"mpi_earlyscan", Drawing{{"rank 0", "rank 1", "rank 2"},
                                {{0, 0, 58, kWork, "still computes"},
                                 {0, 58, 68, kCall, ""},
                                 {0, 68, 100, kWork, ""},
                                 {1, 0, 22, kWork, ""},
                                 {1, 22, 58, kWait, "waits"},
                                 {1, 58, 76, kCall, ""},
                                 {1, 76, 100, kWork, ""},
                                 {2, 0, 34, kWork, ""},
                                 {2, 34, 58, kWait, "waits"},
                                 {2, 58, 84, kCall, "Scan"},
                                 {2, 84, 100, kWork, ""}},
                                {{0, 60, 1, 74}, {1, 70, 2, 82}},
                                {}}},
      {"mpi_wait_nxn", one_call("MPI_Allreduce")},
      {"mpi_barrier_wait", one_call("MPI_Barrier")},
      {"mpi_finalize_wait", one_call("MPI_Finalize")},
      {"mpi_rma_wait_at_create", one_call("MPI_Win_create")},
      {"mpi_rma_wait_at_free", one_call("MPI_Win_free")},
      {"mpi_rma_wait_at_fence", one_call("MPI_Win_fence")},
      {"mpi_mgmt_file_wait", one_call("MPI_File_open")},
      {"mpi_io_collective_wait", one_call("File_write_all")},
      {"mpi_rma_early_fence", Drawing{{"origin", "target"},
                                      {{0, 0, 36, kWork, ""},
                                       {0, 36, 64, kCall, "MPI_Put"},
                                       {0, 64, 74, kWork, ""},
                                       {0, 74, 84, kCall, ""},
                                       {0, 84, 100, kWork, ""},
                                       {1, 0, 22, kWork, ""},
                                       {1, 22, 64, kWait, "waits"},
                                       {1, 64, 84, kCall, "fence"},
                                       {1, 84, 100, kWork, ""}},
                                      {{0, 40, 1, 62}},
                                      {}}},
      {"mpi_rma_sync_late_post", late_post("Win_start")},
      {"mpi_rma_comm_late_post", late_post("MPI_Put")},
      {"mpi_rma_early_wait", Drawing{{"origin", "target"},
                                     {{0, 0, 20, kWork, ""},
                                      {0, 20, 36, kCall, "put"},
                                      {0, 36, 62, kWork, "computes"},
                                      {0, 62, 78, kCall, ""},
                                      {0, 78, 100, kWork, ""},
                                      {1, 0, 26, kWork, ""},
                                      {1, 26, 62, kWait, "waits"},
                                      {1, 62, 84, kCall, "Win_wait"},
                                      {1, 84, 100, kWork, ""}},
                                     {{0, 64, 1, 82}},
                                     {{62, "MPI_Win_complete"}}}},
      {"mpi_rma_late_complete", Drawing{{"origin", "target"},
                                        {{0, 0, 24, kWork, ""},
                                         {0, 24, 40, kCall, "put"},
                                         {0, 40, 66, kWork, "computes"},
                                         {0, 66, 80, kCall, ""},
                                         {0, 80, 100, kWork, ""},
                                         {1, 0, 14, kWork, ""},
                                         {1, 14, 40, kCall, "Win_wait"},
                                         {1, 40, 66, kWait, "counts"},
                                         {1, 66, 84, kCall, ""},
                                         {1, 84, 100, kWork, ""}},
                                        {{0, 68, 1, 82}},
                                        {{66, "MPI_Win_complete"}}}},
      {"mpi_rma_sync_lock_competition", lock("Win_lock")},
      {"mpi_rma_comm_lock_competition", lock("MPI_Put")},
      {"mpi_rma_sync_wait_for_progress", progress("Win_unlock")},
      {"mpi_rma_comm_wait_for_progress", progress("MPI_Put")},
      {"mpi_nxn_completion", completion("MPI_Allreduce")},
      {"mpi_barrier_completion", completion("MPI_Barrier")},
      {"mpi_init_completion", completion("MPI_Init")},
      {"mpi_lswo_same", wrong_order_of_one()},
      {"omp_ebarrier_wait", of_threads(one_call("the barrier"))},
      {"omp_ibarrier_wait", of_threads(one_call("the barrier"))},
      {"omp_idle_threads", idle(false)},
      {"omp_limited_parallelism", idle(true)},
      {"omp_lock_contention_critical", of_threads(lock("critical"))},
      {"omp_lock_contention_api", of_threads(lock("set_lock"))},
      {"pthread_lock_contention_mutex_lock", of_threads(lock("lock"))},
      {"pthread_lock_contention_conditional", of_threads(lock("cond_wait"))},
  };
  const auto* found = std::ranges::find(drawings, metric, [](const auto& d) { return d.first; });
  if (found == std::end(drawings)) return {};
  return found->second;
}

}  // namespace

bool is_drawn_by_itself(std::string_view metric) { return own_drawing_of(metric).has_value(); }

std::optional<Drawing> drawing_of(std::string_view metric) {
  if (auto own = own_drawing_of(metric)) return own;
  if (auto cause = cause_drawing_of(metric)) return cause;
  if (metric.ends_with("_count")) return {};
  const auto base = wait_state_of(metric);
  return base.empty() ? std::nullopt : own_drawing_of(base);
}

}  // namespace latecomer::patterns
