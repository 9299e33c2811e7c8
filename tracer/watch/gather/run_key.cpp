// SPDX-License-Identifier: BSD-3-Clause
// Makes and reads files of keys.
#include "tracer/watch/gather/run_key.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zmq.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <sstream>

#include "archive/experiment/live_processes.hpp"
#include "archive/plain_file.hpp"

namespace latecomer::watch {
namespace {

constexpr const char* kTitle = "latecomer watch key 1";
constexpr std::size_t kLetters = 40;
constexpr std::uint64_t kMostBytes = 1000;

Problem unusable(const std::string& file, const std::string& why) {
  return {"cannot use the key of the run in " + file + ": " + why,
          "scan --watch makes a key for each run"};
}

}  // namespace

Status make_run_key(const std::string& file) {
  std::array<char, kLetters + 1> public_key{}, secret_key{};
  if (zmq_curve_keypair(public_key.data(), secret_key.data()) != 0)
    return unusable(file, "this libzmq has no CURVE (libsodium)");
  const std::string text =
      std::string(kTitle) + '\n' + public_key.data() + '\n' + secret_key.data() + '\n';
  // The name appears when the file is complete. Agents of several hosts may make it at once.
  const std::string part = file + '.' + own_host() + '.' + std::to_string(getpid());
  const int made = open(part.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (made < 0) return unusable(file, std::strerror(errno));
  const bool written = write(made, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  int error = written ? 0 : errno;
  if (close(made) != 0 && error == 0) error = errno;
  if (error == 0 && link(part.c_str(), file.c_str()) != 0 && errno != EEXIST) error = errno;
  unlink(part.c_str());
  if (error != 0) return unusable(file, std::strerror(error));
  return success();
}

Result<RunKey> read_run_key(const std::string& file) {
  struct stat about {};
  if (lstat(file.c_str(), &about) != 0) return unusable(file, std::strerror(errno));
  if (!S_ISREG(about.st_mode)) return unusable(file, "it is no regular file");
  if (about.st_uid != geteuid()) return unusable(file, "it belongs to another user");
  if ((about.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
    return Problem{"cannot use the key of the run in " + file + ": others may read or change it",
                   "chmod 600 " + file + ", and start the run again with a new key"};
  }
  const auto text = plain_content(file, kMostBytes);
  if (!text) return unusable(file, file_error(errno));
  std::istringstream lines(*text);
  std::string title;
  RunKey key;
  std::getline(lines, title);
  std::getline(lines, key.public_key);
  std::getline(lines, key.secret_key);
  std::array<std::uint8_t, 32> bytes{};
  const auto is_key = [&](const std::string& word) {
    return word.size() == kLetters && zmq_z85_decode(bytes.data(), word.c_str()) != nullptr;
  };
  if (title != kTitle || !is_key(key.public_key) || !is_key(key.secret_key))
    return unusable(file, "it holds no key of this release");
  return key;
}

}  // namespace latecomer::watch
