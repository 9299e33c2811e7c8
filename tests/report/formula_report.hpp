// SPDX-License-Identifier: BSD-3-Clause
// A report with derived metrics, made by hand.
#pragma once

#include <filesystem>
#include <string>

#include "tests/report/cube_file.hpp"

namespace latecomer::test {

inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
  return text;
}

inline std::string escaped(const std::string& text) {
  return replaced(replaced(text, "&", "&amp;"), "<", "&lt;");
}

// `more` are elements behind the formula.
inline std::string derived_xml(int id, const std::string& name, const std::string& type,
                               const std::string& formula, const std::string& more = "") {
  return "<metric id=\"" + std::to_string(id) + "\" type=\"" + type + "\">\n<disp_name>" + name +
         "</disp_name>\n<uniq_name>" + name +
         "</uniq_name>\n<dtype>DOUBLE</dtype>\n<uom>sec</uom>\n<cubepl>" + escaped(formula) +
         "</cubepl>\n" + more + "</metric>\n";
}

inline std::string init_xml(const std::string& formula) {
  return "<cubeplinit>" + escaped(formula) + "</cubeplinit>\n";
}

// Type is plus, minus or aggr.
inline std::string fold_xml(const std::string& type, const std::string& formula) {
  return "<cubeplaggr cubeplaggrtype=" + type + ">" + escaped(formula) + "</cubeplaggr>\n";
}

// Metrics time and mpi with these exclusive values at ranks 0 and 1; E and G are calls of MPI:
//
//        time      mpi         time with callees   mpi with callees
//   A     1  2                   49  56             11    12
//     B   3  4                   24  28              4.5   5
//       D 5  6                   12  14
//         F 7 8                   7   8
//       E 9 10    4.5  5          9  10              4.5   5
//     C  11 12                   24  26              6.5   7
//       G 13 14   6.5  7         13  14              6.5   7
//
// Ids of the call paths are 0, 3, 6, 1, 2, 4, 5 from top to bottom, those of the regions A to G are
// 0 to 6. `derived` are more metrics.
inline void write_formula_report(const std::filesystem::path& file, const std::string& derived) {
  const auto stored = [](int id, const std::string& name) {
    return replaced(metric_xml(id, "EXCLUSIVE", "DOUBLE"),
                    "<uniq_name>m" + std::to_string(id) + "<", "<uniq_name>" + name + "<");
  };
  auto anchor = small_anchor(stored(0, "time") + stored(1, "mpi") + derived);
  for (const std::string name : {"E", "G"}) {
    anchor = replaced(anchor, "<name>" + name + "</name>",
                      "<name>" + name + "</name><paradigm>mpi</paradigm><role>" +
                          (name == "E" ? "barrier" : "point2point") + "</role>");
  }
  write_tar(file, {{"0.data",
                    plain_data(bytes_of<double>({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14}))},
                   {"0.index", dense_index()},
                   {"1.data", plain_data(bytes_of<double>({4.5, 5, 6.5, 7}))},
                   {"1.index", sparse_index({4, 6})},
                   {"anchor.xml", anchor}});
}

}  // namespace latecomer::test
