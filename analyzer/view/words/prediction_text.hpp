// SPDX-License-Identifier: BSD-3-Clause
// A predicted run as text and as JSON.
#pragma once

#include <string>

#include "analyzer/report/extras/predicted_run.hpp"

namespace latecomer::view {

[[nodiscard]] std::string prediction_text(const report::Prediction& prediction);
// {"experiment": ..., "prediction": {...}, "schema_version": 1}
[[nodiscard]] std::string prediction_json(const report::Prediction& prediction,
                                          const std::string& experiment);

}  // namespace latecomer::view
