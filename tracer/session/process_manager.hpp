// SPDX-License-Identifier: BSD-3-Clause
// The key-value space of the launcher (PMI-1 over a socket, as Hydra has it). Knows nothing of MPI.
#pragma once

#include <optional>
#include <string>

namespace latecomer::session {

// A conversation about one key at a time: the MPI library uses the same socket, but neither while
// its initialization has not begun nor directly after it.
class ProcessManager {
 public:
  // `socket` < 0: there is no such launcher, and every answer is empty.
  explicit ProcessManager(int socket) : socket_(socket) {}

  // The socket that the environment names, if the launcher is one that is known to answer.
  [[nodiscard]] static ProcessManager of_environment();

  // The name of the space, which is the same for all processes that were started together and no
  // others. Introduces us, so it is called before the MPI library introduces itself.
  [[nodiscard]] std::string introduce();

  // What is put before MPI is initialized is there for everybody afterwards.
  bool put(const std::string& key, const std::string& value);
  [[nodiscard]] std::optional<std::string> get(const std::string& key);

 private:
  // The value of `field` in the answer to a line.
  std::optional<std::string> ask(const std::string& line, const std::string& field);

  int socket_ = -1;
  std::string space_;
};

}  // namespace latecomer::session
