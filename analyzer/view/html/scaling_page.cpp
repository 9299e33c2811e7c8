// SPDX-License-Identifier: BSD-3-Clause
// Puts the output of `latecomer scaling --json` into a page, with short names for the functions.
#include "analyzer/view/html/scaling_page.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "analyzer/view/html/html_page.hpp"
#include "analyzer/view/text/call_path_text.hpp"

namespace latecomer::view {

nlohmann::ordered_json scaling_data(const Scaling& scaling, std::size_t most) {
  using Json = nlohmann::ordered_json;
  Json shown = scaling_json(scaling);
  auto& paths = shown["call_paths"];
  std::size_t losing = 0;
  double loss = 0;
  for (std::size_t i = most; i < scaling.paths.size(); ++i) {
    if (!(scaling.paths[i].loss() > 0)) continue;
    ++losing;
    loss += scaling.paths[i].loss();
  }
  const auto kept = std::min(most, scaling.paths.size());
  paths.erase(paths.begin() + static_cast<std::ptrdiff_t>(kept), paths.end());

  std::set<std::string> distinct;
  for (std::size_t i = 0; i < kept; ++i) {
    distinct.insert(scaling.paths[i].names.begin(), scaling.paths[i].names.end());
  }
  const std::vector<std::string> names(distinct.begin(), distinct.end());
  const auto shorts = distinct_names(names);
  Json short_names = Json::object();
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (shorts[i] != names[i]) short_names[names[i]] = shorts[i];
  }
  return {{"left_out", {{"call_paths", losing}, {"loss", loss}}},
          {"scaling", std::move(shown)},
          {"short_names", std::move(short_names)}};
}

std::string scaling_page(const Scaling& scaling) { return page_of(scaling_data(scaling)); }

}  // namespace latecomer::view
