// SPDX-License-Identifier: BSD-3-Clause
// The key of a run, by which its agents and views know each other.
#pragma once

#include <string>

#include "archive/result.hpp"

namespace latecomer::watch {

// A pair of keys of CURVE (Curve25519), as 40 letters each (Z85). All agents and views of a run
// have both: who has them may listen and tell.
struct RunKey {
  std::string public_key, secret_key;
};

// Makes the file of a new key, which only its owner may read. An existing file stays.
[[nodiscard]] Status make_run_key(const std::string& file);

// Problems: there is no such file, others may read or change it, or it holds no key.
[[nodiscard]] Result<RunKey> read_run_key(const std::string& file);

}  // namespace latecomer::watch
