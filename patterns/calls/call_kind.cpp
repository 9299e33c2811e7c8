// SPDX-License-Identifier: BSD-3-Clause
// Classifies MPI calls by the names of their regions.
#include "patterns/calls/call_kind.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "patterns/calls/lower.hpp"

namespace latecomer::patterns {

CallKind call_kind(std::string_view region) {
  static constexpr std::array<std::pair<std::string_view, CallKind>, 15> kKinds = {{
      {"mpi_init", CallKind::kInit},
      {"mpi_init_thread", CallKind::kInit},
      {"mpi_finalize", CallKind::kFinalize},
      {"mpi_test", CallKind::kTest},
      {"mpi_testany", CallKind::kTest},
      {"mpi_testall", CallKind::kTest},
      {"mpi_testsome", CallKind::kTest},
      {"mpi_probe", CallKind::kProbe},
      {"mpi_mprobe", CallKind::kProbe},
      {"mpi_iprobe", CallKind::kProbeNow},
      {"mpi_improbe", CallKind::kProbeNow},
      {"mpi_wait", CallKind::kWaitSingle},
      {"mpi_waitany", CallKind::kWaitSingle},
      {"mpi_waitall", CallKind::kWaitMultiple},
      {"mpi_waitsome", CallKind::kWaitMultiple},
  }};
  const auto name = lower(region);
  const auto* it = std::ranges::find(kKinds, name, &decltype(kKinds)::value_type::first);
  return it == kKinds.end() ? CallKind::kOther : it->second;
}

bool is_matched(std::string_view region) {
  const auto name = lower(region);
  return name == "mpi_mprobe" || name == "mpi_improbe" || name == "mpi_mrecv" ||
         name == "mpi_imrecv";
}

EpochCall epoch_call(std::string_view region) {
  const auto name = lower(region);
  if (name == "mpi_win_post") return EpochCall::kPost;
  if (name == "mpi_win_start") return EpochCall::kStart;
  if (name == "mpi_win_complete") return EpochCall::kComplete;
  if (name == "mpi_win_wait") return EpochCall::kWait;
  if (name == "mpi_win_flush" || name == "mpi_win_flush_all") return EpochCall::kFlush;
  return name == "mpi_win_test" ? EpochCall::kTest : EpochCall::kNone;
}

std::optional<CollectiveOperation> file_operation(std::string_view region) {
  using enum CollectiveOperation;
  const auto name = lower(region);
  std::string_view call = name;
  // Strips the prefix, so that `call` is e.g. "write_at_all".
  if (!call.starts_with("mpi_file_")) return {};
  call.remove_prefix(std::string_view("mpi_file_").size());
  if (call == "open") return kFileOpen;
  if (call == "close") return kFileClose;
  if (call == "sync") return kFileSync;
  for (const char* sets :
       {"preallocate", "seek_shared", "set_atomicity", "set_info", "set_size", "set_view"}) {
    if (call == sets) return kFileSet;
  }
  const bool reads = call.starts_with("read_");
  const bool together = call.find("_all") != std::string_view::npos ||
                        call.find("_ordered") != std::string_view::npos;
  if (!together || !(reads || call.starts_with("write_"))) return {};
  if (call.ends_with("_end")) return reads ? kFileReadEnd : kFileWriteEnd;
  return reads ? kFileRead : kFileWrite;
}

SendMode send_mode(std::string_view region) {
  const auto name = lower(region);
  std::string_view rest = name;
  if (!rest.starts_with("mpi_")) return SendMode::kNone;
  rest.remove_prefix(4);
  if (rest.starts_with("sendrecv") || rest.starts_with("isendrecv")) return SendMode::kSendrecv;
  if (rest == "start" || rest == "startall") return SendMode::kPersistent;
  if (rest.starts_with("pready")) return SendMode::kPersistent;  // the last partition sends
  if (rest.starts_with("i") && rest.size() > 1) rest.remove_prefix(1);
  if (rest.starts_with("send") || rest.starts_with("psend")) return SendMode::kStandard;
  if (rest.starts_with("ssend")) return SendMode::kSynchronous;
  if (rest.starts_with("bsend") || rest.starts_with("rsend")) return SendMode::kUnblocked;
  return SendMode::kNone;
}

}  // namespace latecomer::patterns
