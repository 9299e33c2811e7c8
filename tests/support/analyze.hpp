// SPDX-License-Identifier: BSD-3-Clause
// Analyzes a synthetic trace inside a test: analyze(t).metric("mpi_latesender").at(rank(1)) == 4_s
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/replay/analysis.hpp"
#include "tests/support/trace_builder.hpp"

namespace latecomer::test {

// Values are ticks of the trace, by default nanoseconds.
constexpr Ticks operator""_s(unsigned long long n) { return static_cast<Ticks>(n) * 1'000'000'000; }
constexpr Ticks operator""_s(long double n) {
  return static_cast<Ticks>(n * 1'000'000'000 + (n < 0 ? -0.5L : 0.5L));
}
constexpr Ticks operator""_ms(unsigned long long n) { return static_cast<Ticks>(n) * 1'000'000; }
constexpr Ticks operator""_us(unsigned long long n) { return static_cast<Ticks>(n) * 1'000; }
constexpr Ticks operator""_ns(unsigned long long n) { return static_cast<Ticks>(n); }

struct rank {
  constexpr explicit rank(int r, std::uint32_t t = 0) : number(r), thread(t) {}
  int number;
  std::uint32_t thread;
};
// The end of a call path: "MPI_Recv", "main/MPI_Recv", "program/main/MPI_Recv".
struct path {
  explicit path(std::string_view p) : text(p) {}
  std::string text;
};

// A report with the values of all locations, on every process. Values are exclusive along the call
// tree and include those of the metric's children, as in report::Severities.
class AnalyzedTrace {
 public:
  class MetricView {
   public:
    [[nodiscard]] std::int64_t at(rank who) const;
    [[nodiscard]] std::int64_t at(rank who, const path& where) const;
    [[nodiscard]] std::int64_t at(const path& where) const;  // sum over all locations
    [[nodiscard]] std::int64_t total() const;

   private:
    friend class AnalyzedTrace;
    MetricView(const AnalyzedTrace& report, std::size_t metric)
        : report_(report), metric_(metric) {}
    const AnalyzedTrace& report_;
    std::size_t metric_;
  };

  // Unknown metrics, ranks and call paths throw std::out_of_range: a misspelt name must not look
  // like a zero.
  [[nodiscard]] MetricView metric(std::string_view name) const;
  [[nodiscard]] bool has_metric(std::string_view name) const;
  [[nodiscard]] bool has_path(const path& where) const;
  [[nodiscard]] std::vector<std::string> call_paths() const;  // in report order
  [[nodiscard]] const report::Definitions& definitions() const { return definitions_; }
  [[nodiscard]] const nlohmann::json& extras() const { return *extras_; }
  // Of the changes in replay::Options; throws if there were none.
  [[nodiscard]] const report::Prediction& prediction() const { return prediction_.value(); }
  [[nodiscard]] bool partial() const { return partial_; }

 private:
  friend AnalyzedTrace analyze(const std::function<void(const std::filesystem::path&)>& write,
                               const replay::Options& options);
  [[nodiscard]] std::size_t column(rank who) const;
  [[nodiscard]] std::vector<std::size_t> matching(const path& where) const;
  [[nodiscard]] std::int64_t value(std::size_t metric, std::size_t call_path,
                                   std::size_t column) const;

  report::Definitions definitions_;
  std::shared_ptr<const nlohmann::json> extras_;
  std::optional<report::Prediction> prediction_;
  bool partial_ = false;
  std::vector<std::int64_t> values_;  // metric x call path x column
};

// Collective over MPI_COMM_WORLD: every process runs the same tests, and process 0 writes the trace
// into a temporary directory. Throws std::runtime_error if the analyzer refuses the trace.
[[nodiscard]] AnalyzedTrace analyze(const TraceBuilder& trace, const replay::Options& options = {});
[[nodiscard]] AnalyzedTrace analyze(const std::function<void(const std::filesystem::path&)>& write,
                                    const replay::Options& options = {});

[[nodiscard]] replay::Options compatible();   // with the rules of --scalasca-compatible
[[nodiscard]] replay::Options uncorrected();  // for traces whose clocks disagree on purpose

}  // namespace latecomer::test
