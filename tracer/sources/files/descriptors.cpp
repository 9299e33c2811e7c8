// SPDX-License-Identifier: BSD-3-Clause
// Asks the kernel what a descriptor is, and describes it in records.
#include "tracer/sources/files/descriptors.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <utility>

#include "tracer/record/extended.hpp"
#include "tracer/sources/files/file_call.hpp"

namespace latecomer::files {
namespace {

// Memory for a name. It is short, since the stack of a signal handler may be small. A longer name
// ends with dots.
struct Name {
  static constexpr std::size_t kMost = 1000;
  std::array<char, kMost + 8> characters{};
  std::size_t length = 0;

  void set(std::string_view text) {
    length = std::min(text.size(), kMost);
    std::memcpy(characters.data(), text.data(), length);
    if (text.size() > kMost) {
      std::memcpy(&characters[kMost], "...", 3);
      length += 3;
    }
  }
  [[nodiscard]] std::string_view text() const { return {characters.data(), length}; }
};

// The kernel's name of the file; empty without /proc.
void read_link(int descriptor, Name& name) {
  std::array<char, 32> link{};
  std::memcpy(link.data(), "/proc/self/fd/", 14);
  char* const end = link.data() + 14;
  std::size_t digits = 0;
  for (unsigned rest = static_cast<unsigned>(descriptor); digits == 0 || rest != 0; rest /= 10) {
    end[digits++] = static_cast<char>('0' + rest % 10);
  }
  std::reverse(end, end + digits);
  const ssize_t length = readlink(link.data(), name.characters.data(), Name::kMost);
  name.length = length < 0 ? 0 : static_cast<std::size_t>(length);
}

// Finds the name; false if the descriptor is left out.
bool find_name(const Opened& how, Name& name) {
  struct stat about {};
  if (fstat(how.descriptor, &about) != 0) return false;
  const bool has_path = S_ISREG(about.st_mode) || S_ISDIR(about.st_mode) || S_ISBLK(about.st_mode);
  if (!has_path && !S_ISCHR(about.st_mode) && !S_ISFIFO(about.st_mode)) return false;
  constexpr std::array<const char*, 3> kStandard = {"stdin", "stdout", "stderr"};
  if (!has_path && how.was_open && how.descriptor < 3) {
    name.set(kStandard[static_cast<std::size_t>(how.descriptor)]);
    return true;
  }
  if (how.path != nullptr && how.path[0] == '/') {
    name.set({how.path, strnlen(how.path, Name::kMost + 1)});
  } else {
    read_link(how.descriptor, name);
  }
  const std::string_view found = name.text();
  if (S_ISFIFO(about.st_mode) && (found.empty() || found.front() != '/')) name.set("pipe");
  if (S_ISCHR(about.st_mode) && (found.starts_with("/dev/pts/") || found.starts_with("/dev/tty"))) {
    name.set("terminal");
  }
  if (name.length == 0) name.set(how.path != nullptr ? how.path : "unknown file");
  return true;
}

constexpr std::array<std::pair<int, std::uint32_t>, 8> kCreation = {{{O_CREAT, 1},
                                                                     {O_TRUNC, 1 << 1},
                                                                     {O_DIRECTORY, 1 << 2},
                                                                     {O_EXCL, 1 << 3},
                                                                     {O_NOCTTY, 1 << 4},
                                                                     {O_NOFOLLOW, 1 << 5},
                                                                     {O_PATH, 1 << 6},
                                                                     {O_TMPFILE, 1 << 7}}};
constexpr std::array<std::pair<int, std::uint32_t>, 8> kStatus = {{{O_CLOEXEC, 1},
                                                                   {O_APPEND, 1 << 1},
                                                                   {O_NONBLOCK, 1 << 2},
                                                                   {O_ASYNC, 1 << 3},
                                                                   {O_SYNC, 1 << 4},
                                                                   {O_DSYNC, 1 << 5},
                                                                   {O_DIRECT, 1 << 6},
                                                                   {O_NOATIME, 1 << 7}}};

// OTF2's flags for those of open(). Some of the latter include others.
template <typename Table>
std::uint32_t translated(int flags, const Table& table) {
  std::uint32_t all = 0;
  for (const auto& [given, flag] : table) {
    if ((flags & given) == given) all |= flag;
  }
  return all;
}

record::FileDescription description_of(const Opened& how, const Name& name) {
  const int flags = how.was_open ? std::max(fcntl(how.descriptor, F_GETFL), 0) : how.flags;
  record::FileDescription d;
  d.name_bytes = static_cast<std::uint32_t>(name.length);
  d.mode = static_cast<std::uint32_t>(std::min(flags & O_ACCMODE, O_RDWR));
  d.creation = how.was_open ? 0 : translated(flags, kCreation);
  d.status = translated(flags, kStatus);
  d.descriptor = static_cast<std::uint32_t>(how.descriptor);
  d.is_stream = how.is_stream;
  d.was_open = how.was_open;
  return d;
}

// FNV-1a.
std::uint64_t hash_of(const record::FileDescription& d, std::string_view name) {
  std::uint64_t hash = 0xcbf29ce484222325;
  const auto add = [&hash](std::uint64_t value) { hash = (hash ^ value) * 0x100000001b3; };
  add(first_word(d));
  add(second_word(d));
  for (const char c : name) add(static_cast<unsigned char>(c));
  return hash;
}

void write(record::ThreadWriter& w, const record::FileDescription& d, std::string_view name) {
  std::array<std::uint64_t, record::kMostExtendedWords> words{first_word(d), second_word(d)};
  const Ticks t = w.last_time();
  const auto put = [&](record::ExtendedKind kind, std::size_t head, std::size_t from,
                       std::size_t most) {
    const std::string_view part = name.substr(from, most);
    std::fill(words.begin() + static_cast<std::ptrdiff_t>(head), words.end(), 0);
    std::memcpy(&words[head], part.data(), part.size());
    w.extended(kind, t, {words.data(), head + (part.size() + 7) / 8});
    return from + part.size();
  };
  std::size_t written = put(record::kFileDescribed, 2, 0, record::kMostNameBytes);
  while (written < name.size()) {
    words[0] = d.id | std::uint64_t{written} << 32;
    written = put(record::kFileName, 1, written, record::kMostMoreBytes);
  }
}

}  // namespace

[[gnu::noinline, gnu::cold]] std::uint32_t describe(record::ThreadWriter& w, Descriptor& d,
                                                    const Opened& how) {
  const KeepErrno keep;
  Name name;
  if (!find_name(how, name)) {
    // A descriptor that does not exist may exist later.
    const bool exists = fcntl(how.descriptor, F_GETFD) != -1;
    if (exists) d.id.store(Descriptor::kLeftOut, std::memory_order_relaxed);
    return Descriptor::kLeftOut;
  }
  record::FileDescription about = description_of(how, name);
  const std::uint64_t hash = hash_of(about, name.text());
  const std::uint32_t last = d.last_id.load(std::memory_order_relaxed);
  if (last != Descriptor::kUnknown && !how.was_open &&
      d.last_hash.load(std::memory_order_relaxed) == hash) {
    d.id.store(last, std::memory_order_relaxed);
    return last;
  }
  about.id = process().files.table.load(std::memory_order_relaxed)->next_id();
  if (about.id == Descriptor::kUnknown) {
    d.id.store(kTooMany, std::memory_order_relaxed);
    return kTooMany;
  }
  write(w, about, name.text());
  d.last_hash.store(hash, std::memory_order_relaxed);
  d.id.store(about.id, std::memory_order_relaxed);
  return about.id;
}

}  // namespace latecomer::files
