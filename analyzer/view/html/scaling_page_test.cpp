// SPDX-License-Identifier: BSD-3-Clause
// The page of `latecomer scaling`: its data, and that it is one file.
#include "analyzer/view/html/scaling_page.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

namespace {

using namespace latecomer;

// A program on 2 and 4 ranks. The paths lose 3, 2, 1 and -1 s.
view::Scaling four_paths() {
  view::Scaling scaling;
  scaling.runs.resize(2);
  scaling.runs[0].ranks = 2;
  scaling.runs[1].ranks = 4;
  scaling.runs[0].run_time = 8;
  scaling.runs[1].run_time = 5;
  for (const double loss : {3, 2, 1, -1}) {
    view::ScalingPath path;
    path.names = {"app", "void f<int>(int)", "g" + std::to_string(scaling.paths.size())};
    path.seconds = {2, 1 + loss};
    path.ideal = 1;
    path.predicted = 1 + loss;
    scaling.paths.push_back(std::move(path));
  }
  return scaling;
}

}  // namespace

TEST_CASE("the page of runs of different sizes has the JSON of them") {
  const auto scaling = four_paths();
  const auto data = view::scaling_data(scaling);
  CHECK(data["scaling"] == view::scaling_json(scaling));
  CHECK(data["left_out"] == nlohmann::ordered_json{{"call_paths", 0}, {"loss", 0.0}});
  CHECK(data["short_names"] == nlohmann::ordered_json{{"void f<int>(int)", "f"}});
  // Strong scaling: 8 s / 5 s.
  CHECK(data["scaling"]["runs"][1]["speed_up"] == 1.6);
  CHECK(data["scaling"]["call_paths"][1]["loss"] == 2.0);
}

TEST_CASE("call paths that the page has no room for are counted") {
  const auto scaling = four_paths();
  const auto data = view::scaling_data(scaling, 1);
  REQUIRE(data["scaling"]["call_paths"].size() == 1);
  CHECK(data["scaling"]["call_paths"][0]["call_path"][2] == "g0");
  // The last path loses nothing, so it is not counted: 2 s + 1 s.
  CHECK(data["left_out"] == nlohmann::ordered_json{{"call_paths", 2}, {"loss", 3.0}});
  CHECK(view::scaling_data(scaling, 0)["short_names"].is_object());
  // MPI_Init comes last, after paths that lose nothing: 2 s + 1 s + 3 s.
  auto with_init = four_paths();
  with_init.paths.push_back(with_init.paths.front());
  CHECK(view::scaling_data(with_init, 1)["left_out"] ==
        nlohmann::ordered_json{{"call_paths", 3}, {"loss", 6.0}});
}

TEST_CASE("in weak scaling the work that was added counts as speed") {
  auto scaling = four_paths();
  scaling.strong = false;
  // Twice the work in 5 s rather than 8 s: 2 * 8 / 5.
  CHECK(view::speed_up(scaling, 4, 5) == 3.2);
  CHECK(view::speed_up(scaling, 2, 8) == 1.0);
}

TEST_CASE("the page of runs of different sizes is one file that asks nobody for anything") {
  const auto page = view::scaling_page(four_paths());
  CHECK(page.starts_with("<!DOCTYPE html>"));
  CHECK(page.ends_with("</html>\n"));
  CHECK(page.find("default-src 'none'") != std::string::npos);
  CHECK(page.find("id=\"data\"") != std::string::npos);
  CHECK(page.find("id=\"values-") == std::string::npos);
  for (const char* loads : {"src=", "@import", "url(http", "import("}) {
    CHECK(page.find(loads) == std::string::npos);
  }
}
