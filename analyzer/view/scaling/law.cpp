// SPDX-License-Identifier: BSD-3-Clause
// Least squares over a list of possible laws, judged by leaving out one point after the other.
#include "analyzer/view/scaling/law.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>

namespace latecomer::view {
namespace {

struct Power {
  double value;
  const char* grows;  // the term in words, without logarithms; "": p^0
  const char* falls;
};
constexpr std::array<Power, 21> kPowers = {{{0, "", ""},
                                            {1, "p", ""},
                                            {-1, "", "1/p"},
                                            {0.5, "sqrt(p)", ""},
                                            {-0.5, "", "1/sqrt(p)"},
                                            {2, "p^2", ""},
                                            {-2, "", "1/p^2"},
                                            {1.5, "p^1.5", ""},
                                            {-1.5, "", "1/p^1.5"},
                                            {3, "p^3", ""},
                                            {1.0 / 3, "p^(1/3)", ""},
                                            {-1.0 / 3, "", "1/p^(1/3)"},
                                            {2.0 / 3, "p^(2/3)", ""},
                                            {-2.0 / 3, "", "1/p^(2/3)"},
                                            {0.25, "p^(1/4)", ""},
                                            {0.75, "p^(3/4)", ""},
                                            {-0.75, "", "1/p^(3/4)"},
                                            {4.0 / 3, "p^(4/3)", ""},
                                            {-4.0 / 3, "", "1/p^(4/3)"},
                                            {2.5, "p^2.5", ""},
                                            {1.25, "p^1.25", ""}}};
constexpr int kMostLogs = 2;
constexpr std::size_t kFewestSizes = 3;
// Laws within this factor of the smallest error, and this much above it, are as good.
constexpr double kAsGood = 1.1, kRounding = 1e-9;
// Above this error a law says nothing. To predict 0 everywhere has an error of 1.
constexpr double kLargestError = 0.5;
// Laws within this factor are taken into the range of a prediction.
constexpr double kNear = 2;

double term(double ranks, double power, int logs) {
  const double log = std::log2(ranks);
  double value = std::pow(ranks, power);
  for (int i = 0; i < logs; ++i) value *= log;
  return value;
}

// a and b with the least sum of squared relative errors, both at least 0.
//
//   weights w = 1 / value^2      sum w (a + b x - value)^2 is least
//
// False: no such law. `left_out`: index of a point that does not count, or the number of points.
bool solve(std::span<const ScalingPoint> points, std::size_t left_out, Law& law) {
  const bool constant = law.power == 0 && law.logs == 0;
  double s = 0, sx = 0, sxx = 0, sy = 0, sxy = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (i == left_out) continue;
    const double w = 1 / (points[i].value * points[i].value);
    const double x = constant ? 0 : term(points[i].ranks, law.power, law.logs);
    s += w;
    sx += w * x;
    sxx += w * x * x;
    sy += w * points[i].value;
    sxy += w * x * points[i].value;
  }
  if (constant) {
    law.a = sy / s;
    return law.a > 0;
  }
  const double determinant = s * sxx - sx * sx;
  if (!(determinant > 1e-12 * s * sxx)) return false;
  law.a = (sy * sxx - sxy * sx) / determinant;
  law.b = (s * sxy - sx * sy) / determinant;
  if (law.a < 0) {
    law.a = 0;
    law.b = sxy / sxx;
  }
  return law.b > 0 && std::isfinite(law.b);
}

// The error of predicting each point from the others; infinite if some fit fails.
double error_of(std::span<const ScalingPoint> points, Law law) {
  double sum = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!solve(points, i, law)) return std::numeric_limits<double>::infinity();
    const double error = (law.at(points[i].ranks) - points[i].value) / points[i].value;
    sum += error * error;
  }
  return std::sqrt(sum / static_cast<double>(points.size()));
}

}  // namespace

double Law::at(double ranks) const { return b == 0 ? a : a + b * term(ranks, power, logs); }

std::string Law::growth() const {
  if (is_constant()) return "constant";
  const auto found = std::ranges::find(kPowers, power, &Power::value);
  const std::string log = logs == 0 ? "" : logs == 1 ? "log p" : "(log p)^2";
  if (power < 0) {
    const std::string falls = found == kPowers.end() ? "?" : found->falls;
    // With a logarithm it grows at first, up to p = 2.7^(logs / -power), and then falls.
    return log.empty() ? "falls as " + falls : "follows (" + log + ")" + falls.substr(1);
  }
  const std::string grows = found == kPowers.end() ? "?" : found->grows;
  return "grows as " + grows + (grows.empty() || log.empty() ? "" : " ") + log;
}

LawRange FittedLaw::range(double ranks) const {
  LawRange out{best.at(ranks), best.at(ranks)};
  for (const auto& law : near) {
    out.least = std::min(out.least, law.at(ranks));
    out.most = std::max(out.most, law.at(ranks));
  }
  return out;
}

std::optional<FittedLaw> fit_law(std::span<const ScalingPoint> points) {
  std::set<double> sizes;
  for (const auto& point : points) {
    if (!(point.value > 0) || !(point.ranks >= 1)) return {};
    sizes.insert(point.ranks);
  }
  if (sizes.size() < kFewestSizes) return {};

  // From the simplest on: fewer logarithms, then the order of kPowers.
  std::vector<Law> laws;
  for (int logs = 0; logs <= kMostLogs; ++logs) {
    for (const auto& power : kPowers) {
      Law law{.power = power.value, .logs = logs};
      law.error = error_of(points, law);
      if (std::isfinite(law.error) && solve(points, points.size(), law)) laws.push_back(law);
    }
  }
  if (laws.empty()) return {};
  const double best = std::ranges::min(laws, {}, &Law::error).error;
  if (best > kLargestError) return {};
  FittedLaw out;
  out.best = *std::ranges::find_if(
      laws, [&](const Law& law) { return law.error <= kAsGood * best + kRounding; });
  for (const auto& law : laws) {
    if (law.error <= kNear * best + kRounding) out.near.push_back(law);
  }
  return out;
}

}  // namespace latecomer::view
