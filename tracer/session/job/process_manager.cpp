// SPDX-License-Identifier: BSD-3-Clause
// Speaks PMI-1: lines of words, "cmd=put kvsname=S key=K value=V", each with a line as its answer.
#include "tracer/session/job/process_manager.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

namespace latecomer::session {
namespace {

constexpr int kPatience = 10'000;  // ms to wait for an answer; a silent launcher is not asked again

// Reads byte by byte, so that nothing is taken that the MPI library must read.
std::optional<std::string> read_line(int socket) {
  std::string line;
  for (;;) {
    pollfd ready{socket, POLLIN, 0};
    const int found = poll(&ready, 1, kPatience);
    if (found < 0 && errno == EINTR) continue;
    char c = 0;
    if (found <= 0) return {};
    const ssize_t got = read(socket, &c, 1);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got <= 0) return {};
    if (c == '\n') return line;
    line += c;
  }
}

bool write_line(int socket, std::string line) {
  line += '\n';
  std::size_t written = 0;
  while (written < line.size()) {
    const ssize_t now = send(socket, line.data() + written, line.size() - written, MSG_NOSIGNAL);
    if (now < 0 && errno == EINTR) continue;
    if (now <= 0) return false;
    written += static_cast<std::size_t>(now);
  }
  return true;
}

// Value of a field in a line such as "a=1 field=text b=2".
std::optional<std::string> value_of(const std::string& line, const std::string& field) {
  const std::string words = ' ' + line;
  const auto at = words.find(' ' + field + '=');
  if (at == std::string::npos) return {};
  const auto begin = at + field.size() + 2;
  return words.substr(begin, words.find(' ', begin) - begin);
}

}  // namespace

ProcessManager ProcessManager::of_environment() {
  const char* socket = std::getenv("PMI_FD");
  // Other launchers may use another version of the protocol on a socket of this name. Hydra, which
  // is known to answer, sets this second variable on all nodes.
  if (socket == nullptr || std::getenv("MPI_LOCALNRANKS") == nullptr) return ProcessManager(-1);
  char* end = nullptr;
  const long number = std::strtol(socket, &end, 10);
  const bool is_open =
      end != socket && *end == '\0' && number >= 0 && fcntl(static_cast<int>(number), F_GETFD) >= 0;
  return ProcessManager(is_open ? static_cast<int>(number) : -1);
}

std::optional<std::string> ProcessManager::ask(const std::string& line, const std::string& field) {
  if (socket_ < 0) return {};
  std::optional<std::string> answer;
  if (write_line(socket_, line)) answer = read_line(socket_);
  if (!answer) {
    socket_ = -1;
    return {};
  }
  if (const auto status = value_of(*answer, "rc"); status && *status != "0") return {};
  return value_of(*answer, field);
}

std::string ProcessManager::introduce() {
  if (!ask("cmd=init pmi_version=1 pmi_subversion=1", "pmi_version")) return {};
  space_ = ask("cmd=get_my_kvsname", "kvsname").value_or("");
  return space_;
}

bool ProcessManager::put(const std::string& key, const std::string& value) {
  return !space_.empty() &&
         ask("cmd=put kvsname=" + space_ + " key=" + key + " value=" + value, "cmd").has_value();
}

std::optional<std::string> ProcessManager::get(const std::string& key) {
  if (space_.empty()) return {};
  return ask("cmd=get kvsname=" + space_ + " key=" + key, "value");
}

}  // namespace latecomer::session
