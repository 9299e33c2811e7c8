// SPDX-License-Identifier: BSD-3-Clause
// Writes families of metrics: type, unit, help, then a line per value.
#include "tracer/watch/view/open_metrics.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "archive/printable.hpp"
#include "tracer/watch/view/watch_json.hpp"

namespace latecomer::watch {
namespace {

// The value of a label in quotes.
std::string in_quotes(std::string_view value) {
  std::string text = "\"";
  for (const char c : printable(value)) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return text + '"';
}

// Nanoseconds as seconds, without rounding.
std::string seconds_text(Nanoseconds time) {
  const bool negative = time < 0;
  std::string digits = std::to_string(negative ? -time : time);
  if (digits.size() < 10) digits.insert(0, 10 - digits.size(), '0');
  digits.insert(digits.size() - 9, ".");
  return (negative ? "-" : "") + digits;
}

std::string family(const char* name, const char* type, const char* unit, const char* help) {
  std::string text = std::string("# TYPE ") + name + ' ' + type + '\n';
  if (*unit != '\0') text += std::string("# UNIT ") + name + ' ' + unit + '\n';
  return text + "# HELP " + name + ' ' + help + '\n';
}

std::string share(Nanoseconds part, Nanoseconds whole) {
  if (whole <= 0) return "0";
  return std::to_string(static_cast<double>(part) / static_cast<double>(whole));
}

}  // namespace

std::string OpenMetrics::text(const WatchReport& report) {
  const std::string all = "experiment=" + in_quotes(report.experiment);
  std::string text = family("latecomer_wait_seconds", "counter", "seconds",
                            "Time in which a rank waited for others, by wait state.");
  const auto of_rank = [&](const WatchReport::OfRank& one) {
    return '{' + all + ",node=" + in_quotes(one.node) + ",rank=\"" + std::to_string(one.rank) + '"';
  };
  // A number that stays would look like no waiting, so there is no sample.
  std::vector<WatchReport::OfRank> known = report.ranks;
  std::erase_if(known, [](const auto& one) { return one.lost; });
  for (const auto& one : known) {
    for (std::size_t kind = 0; kind < kWaitKinds; ++kind) {
      Nanoseconds& highest = highest_[{one.rank, kind}];
      highest = std::max(highest, one.waits[kind].time);
      text += "latecomer_wait_seconds_total" + of_rank(one) + ",state=\"" +
              metric_name(static_cast<WaitKind>(kind)) + "\"} " + seconds_text(highest) + '\n';
    }
  }
  text += family("latecomer_mpi_seconds", "counter", "seconds",
                 "Time of a rank in MPI, without MPI_Init and MPI_Finalize.");
  for (const auto& one : report.ranks)
    text += "latecomer_mpi_seconds_total" + of_rank(one) + "} " + seconds_text(one.mpi) + '\n';
  text +=
      family("latecomer_run_seconds", "counter", "seconds",
             "Time from the first to the last call of MPI of a rank, without gaps in its records.");
  for (const auto& one : report.ranks)
    text += "latecomer_run_seconds_total" + of_rank(one) + "} " + seconds_text(one.run) + '\n';
  text += family("latecomer_caused_wait_seconds", "gauge", "seconds",
                 "Time in which other ranks waited for a rank.");
  for (const auto& one : known)
    text += "latecomer_caused_wait_seconds" + of_rank(one) + "} " + seconds_text(one.caused) + '\n';
  text += family("latecomer_recent_wait_ratio", "gauge", "ratio",
                 "Share of the last seconds in which a rank waited, with the wait that goes on.");
  for (const auto& one : known)
    text += "latecomer_recent_wait_ratio" + of_rank(one) + "} " +
            share(one.recent_waiting, report.recent) + '\n';
  text += family("latecomer_waiting_now_seconds", "gauge", "seconds",
                 "How long a rank has been in the call in which it waits right now.");
  for (const auto& one : report.ranks) {
    if (one.waiting_now)
      text += "latecomer_waiting_now_seconds" + of_rank(one) + "} " +
              seconds_text(*one.waiting_now) + '\n';
  }
  text += family("latecomer_behind_seconds", "gauge", "seconds",
                 "How old the records are up to which all was read.");
  if (report.behind)
    text += "latecomer_behind_seconds{" + all + "} " + seconds_text(*report.behind) + '\n';
  text += family("latecomer_waited_for", "gauge", "",
                 "Number of ranks that wait for a rank right now.");
  for (const auto& one : report.ranks) {
    const auto late = std::ranges::find(report.late, one.rank, &LateRank::rank);
    text += "latecomer_waited_for" + of_rank(one) + "} " +
            std::to_string(late == report.late.end() ? 0 : late->waited_by) + '\n';
  }
  text += family("latecomer_last_arrivals", "counter", "",
                 "How often a rank came last to the collective operations of a call site.");
  // Call sites may share their texts (recursion with other frames), but no two lines their labels.
  std::map<std::string, std::int64_t> arrivals;
  for (const auto& site : report.sites) {
    for (const auto& [rank, one] : site.statistics.ranks) {
      arrivals['{' + all + ",communicator=" + in_quotes(site.communicator) + ",operation=" +
               in_quotes(site.operation) + ",path=" + in_quotes(site.path.path) + ",place=" +
               in_quotes(site.path.place) + ",rank=\"" + std::to_string(rank) + "\"}"] += one.last;
    }
  }
  for (const auto& [labels, count] : arrivals)
    text += "latecomer_last_arrivals_total" + labels + ' ' + std::to_string(count) + '\n';
  text += family(
      "latecomer_operations", "counter", "",
      "Messages, and participations in collective operations, of which all parts are known.");
  text += "latecomer_operations_total{" + all + ",kind=\"message\"} " +
          std::to_string(report.messages.matched) + '\n';
  text += "latecomer_operations_total{" + all + ",kind=\"collective\"} " +
          std::to_string(report.collectives.finished) + '\n';
  text += family("latecomer_left_out", "counter", "", "What was left out, by the reason.");
  for (const auto& [name, count] : left_out(report))
    text += "latecomer_left_out_total{" + all + ",what=" + in_quotes(name) + "} " +
            std::to_string(count) + '\n';
  text += family("latecomer_running", "gauge", "", "1 while the run goes on.");
  text += "latecomer_running{" + all + "} " + (report.ended ? "0" : "1") + '\n';
  return text + "# EOF\n";
}

}  // namespace latecomer::watch
