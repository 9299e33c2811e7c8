// SPDX-License-Identifier: BSD-3-Clause
// How a time depends on the number of ranks: the law that fits measured points best.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace latecomer::view {

// A measured value at a number of ranks.
struct ScalingPoint {
  double ranks = 1, value = 0;
};

// a + b * ranks^power * log2(ranks)^logs, with a and b at least 0. Times of programs follow such
// laws (Calotoiu et al., "Using automated performance modeling to find scalability bugs in complex
// codes", SC 2013).
struct Law {
  double a = 0, b = 0;
  double power = 0;
  int logs = 0;
  // Error in predicting a point from the others, relative: root of the mean square over all points.
  double error = 0;

  [[nodiscard]] double at(double ranks) const;
  [[nodiscard]] bool is_constant() const { return b == 0; }
  // "constant", "grows as p log p", "falls as 1/p", "follows (log p)/p".
  [[nodiscard]] std::string growth() const;
};

// The values at a number of ranks of all laws that fit about as well.
struct LawRange {
  double least = 0, most = 0;
};

// The best law, and others that fit nearly as well.
struct FittedLaw {
  Law best;
  std::vector<Law> near;

  [[nodiscard]] LawRange range(double ranks) const;
};

// Fits with relative errors, so that small values count as much as large ones. Each law is judged
// by how well it predicts each point from the others. Of those that are nearly as good as the best
// one, the simplest is taken. Nothing with fewer than three different numbers of ranks, or if a
// value is not above 0.
[[nodiscard]] std::optional<FittedLaw> fit_law(std::span<const ScalingPoint> points);

}  // namespace latecomer::view
