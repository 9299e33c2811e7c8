// SPDX-License-Identifier: BSD-3-Clause
// The analysis of a synthetic trace: the archive goes to a temporary directory, and the values of
// all processes are summed into one table.
#include "tests/support/analyze.hpp"

#include <stdlib.h>

#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "analyzer/parallel/processes.hpp"
#include "analyzer/report/model/missing_values.hpp"

namespace latecomer::test {
namespace fs = std::filesystem;
namespace {

using Write = std::function<void(const fs::path&)>;

// A directory that process 0 creates, fills and removes. Its constructor and destructor are
// collective.
class SharedDirectory {
 public:
  SharedDirectory(parallel::Processes& processes, const Write& write) : processes_(processes) {
    parallel::Packer answer;
    if (processes.rank() == 0) {
      std::string problem;
      std::string name = (fs::temp_directory_path() / "latecomer-trace.XXXXXX").string();
      try {
        if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary directory");
        path_ = name;
        write(path_ / "trace");
      } catch (const std::exception& e) {  // must fail on all processes, or the others would wait
        problem = e.what();
      }
      answer.put_text(problem);
      answer.put_text(name);
    }
    auto bytes = answer.take();
    processes.broadcast(bytes, 0);
    parallel::Unpacker got(bytes);
    const std::string problem = got.get_text();
    path_ = got.get_text();
    if (!problem.empty()) {
      remove();
      throw std::runtime_error(problem);
    }
  }
  ~SharedDirectory() {
    processes_.barrier();
    remove();
  }
  SharedDirectory(const SharedDirectory&) = delete;
  SharedDirectory& operator=(const SharedDirectory&) = delete;
  [[nodiscard]] fs::path trace() const { return path_ / "trace"; }

 private:
  void remove() {
    std::error_code ignored;
    if (processes_.rank() == 0) fs::remove_all(path_, ignored);
  }
  parallel::Processes& processes_;
  fs::path path_;
};

}  // namespace

AnalyzedTrace analyze(const TraceBuilder& trace, const replay::Options& options) {
  return analyze([&](const fs::path& directory) { trace.write(directory); }, options);
}

AnalyzedTrace analyze(const Write& write, const replay::Options& options) {
  parallel::Processes processes(MPI_COMM_WORLD);
  const SharedDirectory directory(processes, write);
  auto analysis = replay::analyze(directory.trace(), options, processes);
  if (!analysis) throw std::runtime_error(analysis.problem().text());
  AnalyzedTrace out;
  out.definitions_ = std::move(analysis->definitions);
  out.extras_ = std::make_shared<const nlohmann::json>(
      nlohmann::json::parse(report::extras_text(out.definitions_, {})));
  out.partial_ = analysis->partial;
  out.prediction_ = std::move(analysis->prediction);
  const std::size_t metrics = out.definitions_.metrics.size();
  const std::size_t paths = out.definitions_.call_paths.size();
  const std::size_t columns = out.definitions_.locations.size();
  out.values_.resize(metrics * paths * columns);
  for (std::size_t m = 0; m < metrics; ++m) {
    for (std::size_t p = 0; p < paths; ++p) {
      const auto row =
          analysis->severities.row(static_cast<std::uint32_t>(m), static_cast<std::uint32_t>(p));
      for (std::size_t i = 0; i < row.size(); ++i) {
        out.values_[(m * paths + p) * columns + analysis->columns[i]] = row[i];
      }
    }
  }
  // Each process has filled the columns of its own locations, so the sum is the whole table.
  processes.sum(out.values_);
  return out;
}

std::int64_t AnalyzedTrace::value(std::size_t metric, std::size_t call_path,
                                  std::size_t column) const {
  return values_[(metric * definitions_.call_paths.size() + call_path) *
                     definitions_.locations.size() +
                 column];
}

bool AnalyzedTrace::has_metric(std::string_view name) const {
  for (const auto& metric : definitions_.metrics) {
    if (metric.name == name) return true;
  }
  return false;
}

AnalyzedTrace::MetricView AnalyzedTrace::metric(std::string_view name) const {
  for (std::size_t m = 0; m < definitions_.metrics.size(); ++m) {
    if (definitions_.metrics[m].name == name) return {*this, m};
  }
  throw std::out_of_range("the report has no metric " + std::string(name));
}

std::size_t AnalyzedTrace::column(rank who) const {
  for (std::size_t c = 0; c < definitions_.locations.size(); ++c) {
    const auto& location = definitions_.locations[c];
    const auto& process = definitions_.processes[location.process];
    if (process.rank == static_cast<std::uint32_t>(who.number) && location.thread == who.thread) {
      return c;
    }
  }
  throw std::out_of_range("the report has no rank " + std::to_string(who.number));
}

std::vector<std::string> AnalyzedTrace::call_paths() const {
  std::vector<std::string> out;
  for (const auto& node : definitions_.call_paths) {
    const std::string& name = definitions_.regions[node.region].name;
    out.push_back(node.parent == report::kNone ? name : out[node.parent] + "/" + name);
  }
  return out;
}

std::vector<std::size_t> AnalyzedTrace::matching(const path& where) const {
  std::vector<std::size_t> out;
  const auto paths = call_paths();
  for (std::size_t p = 0; p < paths.size(); ++p) {
    if (paths[p] == where.text || paths[p].ends_with("/" + where.text)) out.push_back(p);
  }
  return out;
}

bool AnalyzedTrace::has_path(const path& where) const { return !matching(where).empty(); }

std::int64_t AnalyzedTrace::MetricView::at(rank who) const {
  const std::size_t column = report_.column(who);
  std::int64_t sum = 0;
  for (std::size_t p = 0; p < report_.definitions_.call_paths.size(); ++p) {
    sum += report_.value(metric_, p, column);
  }
  return sum;
}

std::int64_t AnalyzedTrace::MetricView::at(rank who, const path& where) const {
  const auto paths = report_.matching(where);
  if (paths.empty()) throw std::out_of_range("the report has no call path " + where.text);
  std::int64_t sum = 0;
  for (const auto p : paths) sum += report_.value(metric_, p, report_.column(who));
  return sum;
}

std::int64_t AnalyzedTrace::MetricView::at(const path& where) const {
  std::int64_t sum = 0;
  for (const auto& l : report_.definitions_.locations) {
    const auto number = report_.definitions_.processes[l.process].rank;
    sum += at(rank(static_cast<int>(number), l.thread), where);
  }
  return sum;
}

std::int64_t AnalyzedTrace::MetricView::total() const {
  std::int64_t sum = 0;
  for (std::size_t c = 0; c < report_.definitions_.locations.size(); ++c) {
    for (std::size_t p = 0; p < report_.definitions_.call_paths.size(); ++p) {
      sum += report_.value(metric_, p, c);
    }
  }
  return sum;
}

replay::Options compatible() {
  replay::Options options;
  options.scalasca_compatible = true;
  return options;
}

replay::Options uncorrected() {
  replay::Options options;
  options.correction.most = replay::TimeCorrection::kLinear;
  return options;
}

}  // namespace latecomer::test
