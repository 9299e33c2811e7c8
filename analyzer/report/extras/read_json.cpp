// SPDX-License-Identifier: BSD-3-Clause
// Reads values from JSON and checks their types.
#include "analyzer/report/extras/read_json.hpp"

#include <nlohmann/json.hpp>

namespace latecomer::report {
namespace {

using nlohmann::json;

template <typename Integer>
void read_integer(const json& value, Integer& to) {
  if (value.is_number_integer()) to = value.get<Integer>();
}

template <typename Element>
void read_list(const json& value, std::vector<Element>& to) {
  for (const auto& element : elements(value)) read(element, to.emplace_back());
}

}  // namespace

const json& member(const json& object, const char* key) {
  static const json kNothing;
  if (!object.is_object()) return kNothing;
  const auto found = object.find(key);
  return found == object.end() ? kNothing : *found;
}

const json& elements(const json& value) {
  static const json kNone = json::array();
  return value.is_array() ? value : kNone;
}

void read(const json& value, std::string& to) {
  if (value.is_string()) to = value.get<std::string>();
}
void read(const json& value, bool& to) {
  if (value.is_boolean()) to = value.get<bool>();
}
void read(const json& value, double& to) {
  if (value.is_number()) to = value.get<double>();
}
void read(const json& value, int& to) { read_integer(value, to); }
void read(const json& value, std::int64_t& to) { read_integer(value, to); }
void read(const json& value, std::uint64_t& to) { read_integer(value, to); }
void read(const json& value, std::vector<std::string>& to) { read_list(value, to); }
void read(const json& value, std::vector<int>& to) { read_list(value, to); }

std::optional<double> number_in(const json& value) {
  if (!value.is_number()) return {};
  return value.get<double>();
}
std::optional<std::uint64_t> count_in(const json& value) {
  if (!value.is_number_integer()) return {};
  if (!value.is_number_unsigned() && value.get<std::int64_t>() < 0) return {};
  return value.get<std::uint64_t>();
}
std::uint32_t small_count_in(const json& value) {
  const auto count = count_in(value).value_or(0);
  return count <= UINT32_MAX ? static_cast<std::uint32_t>(count) : 0;
}
std::optional<std::string> text_in(const json& value) {
  if (!value.is_string()) return {};
  return value.get<std::string>();
}

}  // namespace latecomer::report
