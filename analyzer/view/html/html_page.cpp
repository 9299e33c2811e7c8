// SPDX-License-Identifier: BSD-3-Clause
// Puts data into elements that browsers do not run: zlib streams as text, one for the definitions
// and one for each metric. The page unpacks only what is looked at.
#include "analyzer/view/html/html_page.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <span>

#include "analyzer/report/container/deflate.hpp"
#include "analyzer/view/html/choose_metrics.hpp"
#include "analyzer/view/html/page_data.hpp"
#include "analyzer/view/html/page_sources.hpp"
#include "analyzer/view/html/served_page.hpp"
#include "analyzer/view/html/seven_bits.hpp"
#include "archive/plain_file.hpp"

namespace latecomer::view {
namespace {

namespace fs = std::filesystem;

void add_data(std::string& page, const std::string& id, std::span<const std::byte> bytes) {
  page += "<script type=\"application/x-latecomer\" id=\"" + id + "\">";
  page += seven_bits(report::deflate_bytes(bytes));
  page += "</script>\n";
}

Problem cannot_write(const fs::path& file, const std::string& why) {
  return {"cannot write " + file.string() + ": " + why, "name another file"};
}

struct Parts {
  nlohmann::ordered_json data;
  PackedValues values;
};

Result<Parts> make_parts(report::Report& report, const std::optional<ClockInfo>& clocks,
                         const std::vector<std::string>& metrics, std::size_t most_exact,
                         const Progress& progress) {
  const auto chosen = choose_metrics(report, metrics);
  if (!chosen) return chosen.problem();
  const auto summary = summarize(report);
  if (!summary) return summary.problem();
  auto values =
      pack_values(report, *chosen, most_exact, std::max(most_exact, kMostInTables), progress);
  if (!values) return values.problem();
  auto data = page_data(report, *summary, *values, clocks);
  return Parts{std::move(data), std::move(*values)};
}

std::string text_of(const nlohmann::ordered_json& data) {
  return data.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::string page_until_values(const nlohmann::ordered_json& data) {
  const std::string text = text_of(data);
  std::string page(kPageBeforeData);
  add_data(page, "data", std::as_bytes(std::span(text)));
  return page += kPageAfterData;
}

}  // namespace

std::size_t ServedPage::bytes() const {
  std::size_t sum = page.size();
  for (const auto& one : values) sum += one.size();
  return sum;
}

Result<ServedPage> served_page(report::Report& report, const std::optional<ClockInfo>& clocks,
                               const std::vector<std::string>& metrics, const Progress& progress) {
  auto parts = make_parts(report, clocks, metrics, kMostServedExact, progress);
  if (!parts) return parts.problem();
  ServedPage served;
  auto has_values = nlohmann::ordered_json::array();
  for (auto& bytes : parts->values.packs) {
    has_values.push_back(!bytes.empty());
    auto& to = served.values.emplace_back();
    if (bytes.empty()) continue;
    const auto packed = report::deflate_bytes(bytes);
    to.assign(reinterpret_cast<const char*>(packed.data()), packed.size());
    bytes = {};
  }
  parts->data["served"] = std::move(has_values);
  const std::string data = text_of(parts->data);
  served.page = kPageBeforeData;
  // The page may ask only the server that it came from.
  const std::string nobody = "default-src 'none';";
  served.page.insert(served.page.find(nobody) + nobody.size(), " connect-src 'self';");
  add_data(served.page, "data", std::as_bytes(std::span(data)));
  served.page += kPageAfterData;
  served.page += kPageAfterValues;
  return served;
}

Result<std::string> html_page(report::Report& report, const std::optional<ClockInfo>& clocks,
                              const std::vector<std::string>& metrics,
                              const nlohmann::ordered_json* comparison, const Progress& progress) {
  auto parts = make_parts(report, clocks, metrics, kMostExact, progress);
  if (!parts) return parts.problem();
  if (comparison != nullptr) parts->data["comparison"] = *comparison;
  std::string page = page_until_values(parts->data);
  const auto& packs = parts->values.packs;
  for (std::size_t m = 0; m < packs.size(); ++m) {
    if (!packs[m].empty()) add_data(page, "values-" + std::to_string(m), packs[m]);
  }
  return page += kPageAfterValues;
}

std::string page_of(const nlohmann::ordered_json& data) {
  return page_until_values(data) += kPageAfterValues;
}

Status can_write(const fs::path& file, bool overwrite) {
  std::error_code error;
  const auto type = fs::status(file, error).type();
  if (type == fs::file_type::directory) return cannot_write(file, "it is a directory");
  if (type != fs::file_type::not_found && type != fs::file_type::regular) {
    return cannot_write(file, "not a regular file");
  }
  if (type == fs::file_type::regular && !overwrite) {
    return Problem{file.string() + " exists already",
                   "--overwrite replaces it; or name another file", Exit::kUsage};
  }
  return success();
}

Status write_new_file(const fs::path& file, const std::string& content, bool overwrite) {
  if (const auto status = can_write(file, overwrite); !status) return status;
  std::error_code error;
  // The file gets its name when it is complete: readers see either the whole new file or the old
  // one.
  const fs::path part = file.string() + "." + std::to_string(getpid()) + ".part";
  if (const int code = write_plain(part, content); code != 0) {
    fs::remove(part, error);
    return cannot_write(file, file_error(code));
  }
  fs::rename(part, file, error);
  if (!error) return success();
  const std::string why = error.message();
  fs::remove(part, error);
  return cannot_write(file, why);
}

}  // namespace latecomer::view
