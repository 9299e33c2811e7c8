// SPDX-License-Identifier: BSD-3-Clause
// Makes the page of a difference: writes it as a report, reads this report, and adds the changes.
#include "analyzer/view/html/comparison_page.hpp"

#include <unistd.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "analyzer/report/algebra/write_combined.hpp"
#include "analyzer/view/difference/changes_table.hpp"
#include "analyzer/view/html/html_page.hpp"
#include "analyzer/view/summary/show.hpp"

namespace latecomer::view {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::size_t kChanges = 200, kRanks = 3;  // numbers that are listed
constexpr std::size_t kPlaces = 5000;              // call paths of a ratio, for the trees

// A file that is removed when this object is destroyed.
class Temporary {
 public:
  explicit Temporary(fs::path path) : path_(std::move(path)) {}
  ~Temporary() {
    std::error_code error;
    fs::remove(path_, error);
  }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

// The output of `latecomer diff --json`, shortened, together with parts of `latecomer show --json`
// for both reports.
Json data_of(const Changes& changes) {
  Json data = changes_json(changes);
  for (const auto& [key, summary] :
       {std::pair("before", &changes.before), {"after", &changes.after}}) {
    const Json shown = show_json(*summary);
    for (const char* part : {"run", "seconds", "efficiency"}) data[key][part] = shown[part];
    auto& waits = data[key]["wait_states"] = Json::array();
    for (const auto& wait : shown["wait_states"]) {
      waits.push_back({{"metric", wait["metric"]}, {"seconds", wait["seconds"]}});
    }
  }
  // References into `data` are taken only now: adding a key may move all values.
  const std::size_t all = data["changes"].size();
  data["left_out"] = all > kChanges ? all - kChanges : 0;
  auto& list = data["changes"];
  if (all > kChanges) list.erase(list.begin() + kChanges, list.end());
  if (data.contains("ratios")) {
    for (auto& ratio : data["ratios"]) {
      auto& places = ratio["call_paths"];
      if (places.size() > kPlaces) places.erase(places.begin() + kPlaces, places.end());
    }
  }
  if (data.contains("computation")) {
    auto& functions = data["computation"]["functions"];
    if (functions.size() > kChanges) {
      functions.erase(functions.begin() + kChanges, functions.end());
    }
    for (auto& function : functions) function.erase("lines");  // "where" has the important ones
  }
  for (auto& change : list) {
    auto& ranks = change["ranks"];
    if (ranks.size() > kRanks) ranks.erase(ranks.begin() + kRanks, ranks.end());
  }
  return data;
}

}  // namespace

Result<std::string> comparison_page(const report::Combined& difference, const Changes& changes,
                                    const fs::path& output) {
  const Temporary file(output.string() + "." + std::to_string(getpid()) + ".cubex");
  const Problem cannot_write{"cannot write " + file.path().string(),
                             "the report is there for a moment; is there room?"};
  {
    std::ofstream out(file.path(), std::ios::binary);
    if (!out) return cannot_write;
    if (const auto status = report::write_combined(difference, out); !status) {
      return status.problem();
    }
    out.close();
    if (!out) return cannot_write;
  }
  auto report = report::Report::open(file.path());
  if (!report) return report.problem();
  const auto data = data_of(changes);
  return html_page(*report, std::nullopt, {}, &data);
}

}  // namespace latecomer::view
