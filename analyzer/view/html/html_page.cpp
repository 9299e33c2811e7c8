// SPDX-License-Identifier: BSD-3-Clause
// Data stands in elements that browsers do not run: zlib streams in base64, one for the definitions
// and one for each metric, so that the page unpacks only what is looked at.
#include "analyzer/view/html/html_page.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <span>

#include "analyzer/report/deflate.hpp"
#include "analyzer/view/html/choose_metrics.hpp"
#include "analyzer/view/html/page_data.hpp"
#include "analyzer/view/html/page_sources.hpp"

namespace latecomer::view {
namespace {

namespace fs = std::filesystem;

std::string base64(std::span<const std::byte> bytes) {
  constexpr const char* kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const auto at = [&](std::size_t k) {
      return k < bytes.size() ? std::to_integer<std::uint32_t>(bytes[k]) : 0U;
    };
    const std::uint32_t group = at(i) << 16 | at(i + 1) << 8 | at(i + 2);
    text += kDigits[group >> 18];
    text += kDigits[group >> 12 & 63];
    text += i + 1 < bytes.size() ? kDigits[group >> 6 & 63] : '=';
    text += i + 2 < bytes.size() ? kDigits[group & 63] : '=';
  }
  return text;
}

void add_data(std::string& page, const std::string& id, std::span<const std::byte> bytes) {
  page += "<script type=\"application/x-latecomer\" id=\"" + id + "\">";
  page += base64(report::deflate_bytes(bytes));
  page += "</script>\n";
}

Problem cannot_write(const fs::path& file, const std::string& why) {
  return {"cannot write " + file.string() + ": " + why, "-o FILE writes elsewhere"};
}

}  // namespace

Result<std::string> html_page(report::Report& report, const std::optional<ClockInfo>& clocks,
                              const std::vector<std::string>& metrics,
                              const nlohmann::ordered_json& comparison) {
  const auto chosen = choose_metrics(report, metrics);
  if (!chosen) return chosen.problem();
  const auto summary = summarize(report);
  if (!summary) return summary.problem();
  const auto values = pack_values(report, *chosen);
  if (!values) return values.problem();
  auto known = page_data(report, *summary, *values, clocks);
  if (!comparison.is_null()) known["comparison"] = comparison;
  const std::string data =
      known.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  std::string page(kPageBeforeData);
  add_data(page, "data", std::as_bytes(std::span(data)));
  for (std::size_t m = 0; m < values->packs.size(); ++m) {
    if (!values->packs[m].empty()) add_data(page, "values-" + std::to_string(m), values->packs[m]);
  }
  return page += kPageAfterData;
}

Status can_write(const fs::path& file, bool overwrite) {
  std::error_code error;
  const auto type = fs::status(file, error).type();
  if (type == fs::file_type::directory) return cannot_write(file, "it is a directory");
  if (type != fs::file_type::not_found && type != fs::file_type::regular) {
    return cannot_write(file, "not a regular file");
  }
  if (type == fs::file_type::regular && !overwrite) {
    return Problem{file.string() + " exists", "--overwrite replaces it, -o FILE writes elsewhere"};
  }
  return success();
}

Status write_new_file(const fs::path& file, const std::string& content, bool overwrite) {
  if (const auto status = can_write(file, overwrite); !status) return status;
  std::error_code error;
  // Under another name first: whoever opens the file sees all of it or what was there before.
  const fs::path part = file.string() + "." + std::to_string(getpid()) + ".part";
  {
    std::ofstream out(part, std::ios::binary);
    if (!out) return cannot_write(file, std::strerror(errno));
    out.write(content.data(), static_cast<std::streamsize>(content.size()));
    out.close();
    if (!out) {
      const std::string why = std::strerror(errno);
      fs::remove(part, error);
      return cannot_write(file, why);
    }
  }
  fs::rename(part, file, error);
  if (!error) return success();
  const std::string why = error.message();
  fs::remove(part, error);
  return cannot_write(file, why);
}

}  // namespace latecomer::view
