// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/view/efficiency.hpp"

#include <optional>

#include "analyzer/view/text.hpp"

namespace latecomer::view {
namespace {

std::optional<std::string> percentage(const nlohmann::json& of, const char* key) {
  const auto found = of.find(key);
  if (found == of.end() || !found->is_number()) return {};
  return percent(found->get<double>(), 1, 0) + " %";
}

}  // namespace

std::string efficiency_text(const nlohmann::json& efficiency) {
  if (!efficiency.is_object()) return "";
  const auto parallel = percentage(efficiency, "parallel");
  const auto balance = percentage(efficiency, "load_balance");
  const auto communication = percentage(efficiency, "communication");
  if (!parallel || !balance || !communication) return "";
  std::string text = "efficiency: " + *parallel + " = load balance " + *balance +
                     " x communication " + *communication;
  const auto serialization = percentage(efficiency, "serialization");
  const auto transfer = percentage(efficiency, "transfer");
  if (serialization && transfer) {
    text += " (serialization " + *serialization + " x transfer " + *transfer + ")";
  }
  return text + "\n";
}

}  // namespace latecomer::view
