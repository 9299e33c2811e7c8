// SPDX-License-Identifier: BSD-3-Clause
// Writes the values whose form in JSON takes some care: text and floating-point numbers.
#include "analyzer/report/extras/json_writer.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace latecomer::report {
namespace {

// True for characters that stand for themselves in a string. All others need an escape, or a check
// whether they are UTF-8.
bool is_plain(char c) { return c >= ' ' && c < '\x7f' && c != '"' && c != '\\'; }

}  // namespace

void JsonWriter::value(std::string_view text) {
  if (std::ranges::all_of(text, is_plain)) {
    begin();
    text_.append(1, '"').append(text).append(1, '"');
    return;
  }
  using nlohmann::json;
  word(json(text).dump(-1, ' ', false, json::error_handler_t::replace));
}

void JsonWriter::value(double number) { word(nlohmann::json(number).dump()); }

}  // namespace latecomer::report
