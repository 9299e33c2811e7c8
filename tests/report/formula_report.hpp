// SPDX-License-Identifier: BSD-3-Clause
// A synthetic report with derived metrics.
#pragma once

#include <filesystem>
#include <limits>
#include <string>
#include <vector>

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

inline std::string stored_xml(int id, const std::string& name,
                              const std::string& dtype = "DOUBLE") {
  return replaced(metric_xml(id, "EXCLUSIVE", dtype), "<uniq_name>m" + std::to_string(id) + "<",
                  "<uniq_name>" + name + "<");
}

// XML of a derived metric; `more` are elements after the formula.
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

// XML of an aggregation; the type is plus, minus or aggr.
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
// 0 to 6. `derived` are more metrics, `mpi` other values of E and G, `more` further members.
inline std::vector<Member> formula_members(const std::string& derived,
                                           const std::vector<double>& mpi = {4.5, 5, 6.5, 7},
                                           const std::vector<Member>& more = {}) {
  auto anchor = small_anchor(stored_xml(0, "time") + stored_xml(1, "mpi") + derived);
  for (const std::string name : {"E", "G"}) {
    anchor = replaced(anchor, "<name>" + name + "</name>",
                      "<name>" + name + "</name><paradigm>mpi</paradigm><role>" +
                          (name == "E" ? "barrier" : "point2point") + "</role>");
  }
  std::vector<Member> members = {
      {"0.data", plain_data(bytes_of<double>({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14}))},
      {"0.index", dense_index()},
      {"1.data", plain_data(bytes_of<double>(mpi))},
      {"1.index", sparse_index({4, 6})},
      {"anchor.xml", anchor}};
  members.insert(members.end(), more.begin(), more.end());
  return members;
}
inline void write_formula_report(const std::filesystem::path& file, const std::string& derived,
                                 const std::vector<double>& mpi = {4.5, 5, 6.5, 7},
                                 const std::vector<Member>& more = {}) {
  write_tar(file, formula_members(derived, mpi, more));
}

// XML of a stored maximum and a stored minimum. "-" is no value, and so is a call path that is not
// listed:
//
//        worst      best       worst with callees   best with callees
//   A    -1 -2                     -1  -2               0  6
//     B             3  -           -7  -9               0  6
//       D -7 -      2  6           -7  -9               0  6
//         F - -9    0  -            -  -9               0  -
inline std::string extrema_xml(int first) {
  return stored_xml(first, "worst", "MAXDOUBLE") + stored_xml(first + 1, "best", "MINDOUBLE");
}
inline std::vector<Member> extrema_data(int first) {
  constexpr double kMost = std::numeric_limits<double>::max();
  const auto worst = std::to_string(first), best = std::to_string(first + 1);
  return {{worst + ".data", plain_data(bytes_of<double>({-1, -2, -7, -kMost, -kMost, -9}))},
          {worst + ".index", sparse_index({0, 2, 3})},
          {best + ".data", plain_data(bytes_of<double>({3, kMost, 2, 6, 0, kMost}))},
          {best + ".index", sparse_index({1, 2, 3})}};
}

}  // namespace latecomer::test
