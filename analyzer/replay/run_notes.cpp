// SPDX-License-Identifier: BSD-3-Clause
// Makes notes about shared cores, unrecorded threads and nameless functions.
#include "analyzer/replay/run_notes.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "analyzer/report/extras/shared_cores_note.hpp"
#include "archive/layout.hpp"
#include "archive/thread_layout.hpp"

namespace latecomer::replay {
namespace {

std::string counted(std::int64_t n, const std::string& noun) {
  return std::to_string(n) + " " + noun + (n == 1 ? "" : "s");
}

constexpr const char* kCountsAsComputation =
    ": that they wait for each other counts as computation";

// The note's count of processes comes first.
std::string have_threads(std::int64_t processes, std::int64_t most, const std::string& had = "") {
  const std::string who = processes == 1 ? "process has " : "processes have ";
  return who + had + (processes == 1 ? "" : "up to ") + counted(most, "thread");
}

// True if the name of a function is only an address: "program+0x31560".
bool is_address(const std::string& name) {
  const auto plus = name.rfind("+0x");
  return plus != std::string::npos && plus > 0 && plus + 3 < name.size() &&
         name.find_first_not_of("0123456789abcdef", plus + 3) == std::string::npos;
}

// Flags of the regions whose names matter. Samples also find many functions of libraries, so with
// samples these are only the regions that call MPI.
std::vector<bool> named_in_paths(const trace::Definitions& definitions,
                                 const trace::GlobalCallTree& tree) {
  const bool all = !definitions.has_samples();
  std::vector<bool> flags(definitions.regions.size(), all);
  if (all) return flags;
  for (const auto& leaf : tree.nodes) {
    if (!definitions.regions[leaf.region].mpi) continue;
    for (auto node = leaf.parent; node < tree.nodes.size(); node = tree.nodes[node].parent) {
      flags[tree.nodes[node].region] = true;
    }
  }
  return flags;
}

// A note about functions of which only the address is known, if any.
std::optional<report::QualityNote> nameless(const trace::Definitions& definitions,
                                            const trace::GlobalCallTree& tree) {
  std::int64_t count = 0;
  std::set<std::string> libraries;
  bool is_program = false;
  const auto matters = named_in_paths(definitions, tree);
  for (std::size_t r = 0; r < definitions.regions.size(); ++r) {
    const auto& region = definitions.regions[r];
    if (!matters[r] || region.mpi || !is_address(region.name)) continue;
    ++count;
    const auto file = region.name.substr(0, region.name.rfind("+0x"));
    if (file.find(".so") == std::string::npos) {
      is_program = true;
    } else {
      libraries.insert(file);
    }
  }
  if (count == 0) return {};
  std::string advice;
  if (is_program)
    advice = "compile the program with -g and do not strip it, or link it with -rdynamic";
  if (!libraries.empty()) {
    if (is_program) advice += "; ";
    advice += "install the debug symbols of " + *libraries.begin() +
              (libraries.size() > 1 ? " and " + counted(std::ssize(libraries) - 1, "other") : "");
  }
  return report::QualityNote{
      "nameless_functions",
      count,
      std::string(count == 1 ? "function without a name, shown by its address: "
                             : "functions without names, shown by their addresses: ") +
          advice,
      false,
      {}};
}

// A loss of the tracer, by the ending of the property that counts it.
struct Lost {
  const char* property;
  const char* name;  // of the note
  const char* text;
};
constexpr Lost kLost[] = {
    {"COMMUNICATORS", "lost_communicators",
     "communicators that were not recorded, with all messages and collective operations on them: "
     "MPI_Comm_idup of an intercommunicator made them, or memory was exhausted"},
    {"RECEIVES_OF_MPI_ISENDRECV", "lost_receives",
     "receives of MPI_Isendrecv with MPI_ANY_SOURCE or MPI_ANY_TAG that were not recorded, since "
     "MPI does not tell where their messages came from"},
    {"REQUESTS", "lost_requests", "requests whose ends were not recorded: memory was exhausted"}};

}  // namespace

std::vector<report::QualityNote> run_notes(const trace::Definitions& definitions,
                                           const trace::GlobalCallTree& tree) {
  const auto number = [&](const char* name) {
    const auto it = definitions.properties.find(name);
    std::int64_t value = 0;
    if (it != definitions.properties.end()) {
      std::from_chars(it->second.data(), it->second.data() + it->second.size(), value);
    }
    return value;
  };
  std::vector<report::QualityNote> notes;
  const auto ranks = number(layout::kPropertySharedRanks),
             threads = number(layout::kPropertySharedThreads),
             cores = number(layout::kPropertySharedCores),
             machines = number(layout::kPropertyMachines);
  if (ranks > 0 && threads >= ranks && cores > 0) {
    std::string where;
    if (machines > 1) {
      where = " of one machine (on " + std::to_string(number(layout::kPropertySharedMachines)) +
              " of " + std::to_string(machines) + " machines there are fewer cores than those)";
    }
    notes.push_back(report::shared_cores_note(ranks, threads, cores, where));
  }
  if (const auto processes = number(layout::kPropertyOpenMpProcesses); processes > 0) {
    const auto inside = definitions.properties.find(layout::kPropertyOpenMpInside);
    const std::string of_which =
        inside == definitions.properties.end()
            ? ", of which nothing is recorded"
            : ", whose runtime is linked statically into " + inside->second +
                  ", so that nothing of it is recorded (link it as a library)";
    notes.push_back({"openmp_threads",
                     processes,
                     have_threads(processes, number(layout::kPropertyOpenMpThreads)) +
                         " with OpenMP" + of_which + kCountsAsComputation,
                     false,
                     {}});
  }
  if (const auto processes = number(layout::kPropertySeveralRuntimes); processes > 0) {
    const auto names = definitions.properties.find(layout::kPropertyOpenMpRuntimes);
    notes.push_back({"openmp_runtimes",
                     processes,
                     std::string(processes == 1 ? "process" : "processes") +
                         " with several runtimes of OpenMP (" +
                         (names != definitions.properties.end() ? names->second : "?") +
                         "): each has threads of its own, so there may be more than cores",
                     false,
                     {}});
  }
  if (const auto processes = number(layout::kPropertyOffProcesses); processes > 0) {
    notes.push_back({"threads_off",
                     processes,
                     have_threads(processes, number(layout::kPropertyOffThreads), "had ") +
                         ", of which nothing is recorded (--threads off)" + kCountsAsComputation,
                     false,
                     {}});
  }
  if (const auto lost = number(layout::kPropertyLostWaits); lost > 0) {
    notes.push_back({"waits_without_room",
                     lost,
                     std::string(lost == 1 ? "wait of a thread" : "waits of threads") +
                         " without a record, which counts as computation: a process may wait for "
                         "at most 16,384 mutexes, conditions and the like",
                     false,
                     {}});
  }
  for (const Lost& lost : kLost) {
    const std::string property = std::string(layout::kPropertyLost) + lost.property;
    if (const auto count = number(property.c_str()); count > 0) {
      notes.push_back({lost.name, count, lost.text, true, {}});
    }
  }
  if (const auto early = number(layout::kPropertyEarlyThreads); early > 0) {
    notes.push_back({"early_threads",
                     early,
                     std::string(early == 1 ? "thread that was" : "threads that were") +
                         " made before MPI_Init without records: no call of MPI, no region and no "
                         "wait that began after MPI_Init",
                     false,
                     {}});
  }
  if (const auto left_out = definitions.properties.find(layout::kPropertyConstructsLeftOut);
      left_out != definitions.properties.end() && !left_out->second.empty()) {
    std::string names;
    for (const char c : left_out->second) names += c == ',' ? ", " : std::string(1, c);
    const auto count = 1 + std::ranges::count(left_out->second, ',');
    notes.push_back({"constructs_left_out",
                     count,
                     std::string(count == 1 ? "construct" : "constructs") +
                         " of OpenMP that the filter left out: " + names + "; " +
                         (count == 1 ? "its" : "their") +
                         " waits count as computation, and efficiencies of threads are incomplete",
                     false,
                     {}});
  }
  if (const auto circles = number(layout::kPropertyLockCircles); circles > 0) {
    const auto who = definitions.properties.find(layout::kPropertyLockCirclesWho);
    notes.push_back({"lock_circles",
                     circles,
                     std::string(circles == 1 ? "circle" : "circles") +
                         " of threads that waited for locks of each other when the run ended: " +
                         (who != definitions.properties.end() ? who->second : "?"),
                     false,
                     {}});
  }
  if (const auto refused = number(layout::kPropertySamplesRefused); refused > 0) {
    const auto why = definitions.properties.find(layout::kPropertySamplesRefusedWhy);
    notes.push_back({"samples_refused",
                     refused,
                     std::string(refused == 1 ? "process" : "processes") +
                         " without samples of the computation: " +
                         (why != definitions.properties.end() ? why->second : "?"),
                     false,
                     {}});
  }
  if (const auto refused = number(layout::kPropertyCountersRefused); refused > 0) {
    const auto why = definitions.properties.find(layout::kPropertyCountersRefusedWhy);
    notes.push_back({"counters_refused",
                     refused,
                     std::string(refused == 1 ? "process" : "processes") +
                         " without the counters that were asked for: " +
                         (why != definitions.properties.end() ? why->second : "?"),
                     false,
                     {}});
  }
  if (const auto scaled = number(layout::kPropertyCountersScaled); scaled > 0) {
    notes.push_back({"counters_scaled",
                     scaled,
                     std::string(scaled == 1 ? "process" : "processes") +
                         " in which counters took turns with others of the machine: their values "
                         "are scaled to the whole time",
                     false,
                     {}});
  }
  if (const auto lost = number(layout::kPropertyCountersLost); lost > 0) {
    notes.push_back({"counters_lost",
                     lost,
                     std::string(lost == 1 ? "thread" : "threads") +
                         " without counters, since the kernel had no room for more",
                     false,
                     {}});
  }
  if (const auto signals = number(layout::kPropertySamplesBySignals); signals > 0) {
    const auto why = definitions.properties.find(layout::kPropertySamplesBySignalsWhy);
    notes.push_back({"samples_by_signals",
                     signals,
                     std::string(signals == 1 ? "process" : "processes") +
                         " with samples by timer signals, since the kernel refuses its own: " +
                         (why != definitions.properties.end() ? why->second : "?") +
                         "; when threads had no core is not known",
                     false,
                     {}});
  }
  if (const auto lost = number(layout::kPropertySamplesLost); lost > 0) {
    notes.push_back({"samples_lost",
                     lost,
                     std::string(lost == 1 ? "sample" : "samples") +
                         " of the computation found no room: there was no MPI call for too long",
                     false,
                     {}});
  }
  if (const auto lost = number(layout::kPropertySwitchesLost); lost > 0) {
    notes.push_back(
        {"switches_lost",
         lost,
         std::string(lost == 1 ? "stretch" : "stretches") +
             " between two calls, or whole threads, of which the kernel did not tell every switch "
             "of cores: only a part of that time is known to be blocked or without a core",
         false,
         {}});
  }
  if (const auto unknown = number(layout::kPropertyUnknownPythons); unknown > 0) {
    const auto which = definitions.properties.find(layout::kPropertyUnknownPython);
    notes.push_back({"unknown_python",
                     unknown,
                     std::string(unknown == 1 ? "process" : "processes") +
                         " with a Python that is not known (" +
                         (which != definitions.properties.end() ? which->second : "?") +
                         "): call paths have functions of the interpreter, not of the script",
                     false,
                     {}});
  }
  if (const auto left_out = number(layout::kPropertyFileCallsLeftOut); left_out > 0) {
    notes.push_back({"file_calls_left_out",
                     left_out,
                     std::string(left_out == 1 ? "call on a file" : "calls on files") +
                         " outside MPI without a record: in signal handlers, on stacks of the "
                         "program's own, or on too many files",
                     false,
                     {}});
  }
  if (auto note = nameless(definitions, tree)) notes.push_back(*std::move(note));
  return notes;
}

}  // namespace latecomer::replay
