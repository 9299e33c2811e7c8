// SPDX-License-Identifier: BSD-3-Clause
// Reads values from JSON of any origin. None of these functions fails: a value of another type is
// as good as none.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace latecomer::report {

// The value of a key; null if there is no such key or `object` is not an object.
[[nodiscard]] const nlohmann::json& member(const nlohmann::json& object, const char* key);
// The value itself if it is an array, otherwise an empty array.
[[nodiscard]] const nlohmann::json& elements(const nlohmann::json& value);

// The functions read() leave `to` unchanged if `value` has another type. They add to vectors; an
// element of another type becomes a default value.
void read(const nlohmann::json& value, std::string& to);
void read(const nlohmann::json& value, bool& to);
void read(const nlohmann::json& value, double& to);
void read(const nlohmann::json& value, int& to);
void read(const nlohmann::json& value, std::int64_t& to);
void read(const nlohmann::json& value, std::uint64_t& to);
void read(const nlohmann::json& value, std::vector<std::string>& to);
void read(const nlohmann::json& value, std::vector<int>& to);

// Nothing if the value has another type.
[[nodiscard]] std::optional<double> number_in(const nlohmann::json& value);
[[nodiscard]] std::optional<std::uint64_t> count_in(const nlohmann::json& value);  // not negative
// A number that fits 32 bits and is not negative; otherwise 0.
[[nodiscard]] std::uint32_t small_count_in(const nlohmann::json& value);
[[nodiscard]] std::optional<std::string> text_in(const nlohmann::json& value);

}  // namespace latecomer::report
