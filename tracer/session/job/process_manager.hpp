// SPDX-License-Identifier: BSD-3-Clause
// Key-value space of the launcher (PMI-1 over a socket, as in Hydra). Independent of MPI.
#pragma once

#include <optional>
#include <string>

namespace latecomer::session {

// Sends one request at a time and waits for its answer. The MPI library uses the same socket, but
// not before its initialization begins, nor directly after it.
class ProcessManager {
 public:
  // `socket` < 0: there is no such launcher, and every answer is empty.
  explicit ProcessManager(int socket) : socket_(socket) {}

  // Connection to the socket named in the environment, if the launcher is one that is known to
  // answer.
  [[nodiscard]] static ProcessManager of_environment();

  // Name of the space. Processes that were started together have the same name, and no others have
  // it. This introduces the process, so call it before the MPI library introduces itself.
  [[nodiscard]] std::string introduce();

  // Values that are put before MPI is initialized can be read by all processes afterwards.
  bool put(const std::string& key, const std::string& value);
  [[nodiscard]] std::optional<std::string> get(const std::string& key);

 private:
  // Sends a line and returns the value of `field` in the answer.
  std::optional<std::string> ask(const std::string& line, const std::string& field);

  int socket_ = -1;
  std::string space_;
};

}  // namespace latecomer::session
