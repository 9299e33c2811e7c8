// SPDX-License-Identifier: BSD-3-Clause
// Reads back what the agent of scan has seen of a run, for a view that began too late to see it.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "archive/result.hpp"
#include "tracer/watch/view/watch_report.hpp"

namespace latecomer::watch {

// The report that json_of() made a JSON object of, without the distributions of arrivals. Nothing:
// it is none.
[[nodiscard]] std::optional<WatchReport> report_of(const nlohmann::ordered_json& json);

// The report in a file that `latecomer watch` has written, such as watch.json. A Problem if it
// cannot be read, or is of another release.
[[nodiscard]] Result<WatchReport> read_report(const std::string& file);

class AgentReport {
 public:
  // `own`: the file that this process writes itself; it is not read.
  AgentReport(const std::string& experiment, const std::string& own);

  // Replaces statistics by those of the agent, if records were lost here and the agent knows waits
  // of a longer time. Who waits now stays as it is.
  void complete(WatchReport& report);
  // Makes the JSON object of a report that was completed.
  [[nodiscard]] nlohmann::ordered_json json(const WatchReport& completed) const;

  ~AgentReport();
  AgentReport(const AgentReport&) = delete;
  AgentReport& operator=(const AgentReport&) = delete;

 private:
  struct Read;

  std::string file_;
  std::unique_ptr<Read> read_;  // null: the report is the own one
};

}  // namespace latecomer::watch
