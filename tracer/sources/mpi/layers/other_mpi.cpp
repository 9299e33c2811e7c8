// SPDX-License-Identifier: BSD-3-Clause
// Writes a jump to the beginning of each exported function. Callers may already hold its address,
// and the jump passes on arguments of any type.
#include "tracer/sources/mpi/layers/other_mpi.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <mpi.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "archive/layout.hpp"
#include "tracer/state/process.hpp"
#include "tracer/symbols/loaded_modules.hpp"

namespace latecomer::mpi {
namespace {

#if defined(OPEN_MPI)
constexpr std::string_view kOther = "MPICH";
#else
constexpr std::string_view kOther = "Open MPI";
#endif

// Family of an MPI library by the name of its file, as in scan_lib/elf.py.
std::string_view family_of(std::string_view path) {
  const auto name = path.substr(path.rfind('/') + 1);
  for (const char* start : {"libmpi.so.40", "libmpi.so.20", "libmpi_mpifh.so", "libmpi_usempi"}) {
    if (name.starts_with(start)) return "Open MPI";
  }
  for (const char* start :
       {"libmpich", "libmpi.so.12", "libmpifort.so.12", "libmpi_intel", "libmpi_cray"}) {
    if (name.starts_with(start)) return "MPICH";
  }
  return "";
}

// Functions of MPI, and those of ours that record without it. If the library for the other family
// is preloaded as well, it comes next, so that it gets all calls. All others pass calls on anyway.
constexpr std::array<std::string_view, 5> kLead = {"MPI_", "mpi_", "pmpi_", "latecomer_",
                                                   "__cyg_profile_"};

struct Library {
  std::uintptr_t base = 0;
  const ElfW(Phdr) * headers = nullptr;
  std::size_t count = 0;
};

struct Found {
  bool has_ours = false;
  std::vector<std::string> others;  // paths
  Library own;
};

const char inside = 0;  // an address in this library

int look_at(dl_phdr_info* info, std::size_t /*size*/, void* to) {
  auto& found = *static_cast<Found*>(to);
  if (const auto family = family_of(info->dlpi_name); family == kOther) {
    found.others.emplace_back(info->dlpi_name);
  } else if (!family.empty()) {
    found.has_ours = true;
  }
  const auto here = reinterpret_cast<std::uintptr_t>(&inside);
  for (std::size_t i = 0; i < info->dlpi_phnum; ++i) {
    const auto& part = info->dlpi_phdr[i];
    const auto begin = info->dlpi_addr + part.p_vaddr;
    if (part.p_type == PT_LOAD && here >= begin && here < begin + part.p_memsz) {
      found.own = {info->dlpi_addr, info->dlpi_phdr, info->dlpi_phnum};
    }
  }
  return 0;
}

#if defined(__x86_64__)
constexpr std::array<unsigned char, 6> kJump = {0xff, 0x25, 0, 0, 0, 0};  // jmp *(next 8 bytes)
#elif defined(__aarch64__)
// ldr x16, next 8 bytes; br x16
constexpr std::array<unsigned char, 8> kJump = {0x50, 0, 0, 0x58, 0, 0x02, 0x1f, 0xd6};
#else
constexpr std::array<unsigned char, 0> kJump = {};
#endif

// Writes a jump to `target` over the beginning of `function`.
void lead(char* function, void* target) {
  std::memcpy(function, kJump.data(), kJump.size());
  std::memcpy(function + kJump.size(), &target, sizeof target);
  __builtin___clear_cache(function, function + kJump.size() + sizeof target);
}

// Functions that this library exports.
struct Exports {
  const ElfW(Sym) * symbols = nullptr;
  const char* names = nullptr;
  std::size_t count = 0;
};

Exports exports_of(const Library& library) {
  Exports found;
  const ElfW(Dyn)* entry = nullptr;
  for (std::size_t i = 0; i < library.count; ++i) {
    if (library.headers[i].p_type == PT_DYNAMIC) {
      entry = reinterpret_cast<const ElfW(Dyn)*>(library.base + library.headers[i].p_vaddr);
    }
  }
  const std::uint32_t* hash = nullptr;
  for (; entry != nullptr && entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_SYMTAB) {
      found.symbols = reinterpret_cast<const ElfW(Sym)*>(entry->d_un.d_ptr);
    }
    if (entry->d_tag == DT_STRTAB) found.names = reinterpret_cast<const char*>(entry->d_un.d_ptr);
    if (entry->d_tag == DT_GNU_HASH) {
      hash = reinterpret_cast<const std::uint32_t*>(entry->d_un.d_ptr);
    }
  }
  if (hash == nullptr || found.symbols == nullptr || found.names == nullptr) return {};
  // Layout of DT_GNU_HASH: number of buckets, first symbol with a hash, words of the Bloom filter.
  // The last chain ends with the last symbol; bit 0 marks the end of a chain.
  const std::uint32_t buckets = hash[0], first = hash[1], words = hash[2];
  const auto* bucket = hash + 4 + words * (sizeof(void*) / sizeof(std::uint32_t));
  const auto* chain = bucket + buckets;
  std::uint32_t last = buckets == 0 ? 0 : *std::max_element(bucket, bucket + buckets);
  if (last < first) return {};
  while ((chain[last - first] & 1) == 0) ++last;
  found.count = last + 1;
  return found;
}

// Sets the protection of the code of a library.
bool protect(const Library& library, int rights) {
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  for (std::size_t i = 0; i < library.count; ++i) {
    const auto& part = library.headers[i];
    if (part.p_type != PT_LOAD || (part.p_flags & PF_X) == 0) continue;
    const auto begin = (library.base + part.p_vaddr) / page * page;
    const auto end = library.base + part.p_vaddr + part.p_memsz;
    if (mprotect(reinterpret_cast<void*>(begin), end - begin, rights) != 0) return false;
  }
  return true;
}

bool lead_all(const Found& found) {
  const Exports exports = exports_of(found.own);
  if (kJump.size() == 0 || exports.count == 0) return false;
  std::vector<void*> libraries;
  for (const auto& path : found.others) {
    void* const library = dlopen(path.c_str(), RTLD_LAZY | RTLD_NOLOAD);
    if (library != nullptr) libraries.push_back(library);
  }
  struct Way {
    char* from;
    void* to;
  };
  std::vector<Way> ways;
  for (std::size_t i = 0; i < exports.count; ++i) {
    const auto& symbol = exports.symbols[i];
    if (symbol.st_shndx == SHN_UNDEF || ELF64_ST_TYPE(symbol.st_info) != STT_FUNC) continue;
    if (symbol.st_size < kJump.size() + sizeof(void*)) continue;
    const char* const name = exports.names + symbol.st_name;
    const std::string_view text = name;
    if (std::none_of(kLead.begin(), kLead.end(),
                     [text](auto begin) { return text.starts_with(begin); }))
      continue;
    auto* const from = reinterpret_cast<char*>(found.own.base + symbol.st_value);
    // A profiling layer of the program comes before the library, and is found this way.
    void* to = dlsym(RTLD_NEXT, name);
    for (std::size_t l = 0; to == nullptr && l < libraries.size(); ++l) {
      to = dlsym(libraries[l], name);
    }
    if (to != nullptr && to != from) ways.push_back({from, to});
  }
  if (!protect(found.own, PROT_READ | PROT_WRITE | PROT_EXEC)) return false;
  for (const auto& way : ways) lead(way.from, way.to);
  protect(found.own, PROT_READ | PROT_EXEC);
  return !ways.empty();
}

// Leaves a file for scan, which then tells the user once for all processes.
void tell() {
  const char* const directory = std::getenv("LATECOMER_EXPERIMENT_DIRECTORY");
  if (directory == nullptr || *directory == '\0') return;
  const std::string path = std::string(directory) + "/" + layout::kOtherMpi;
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0) return;  // another process was first, or there is no such directory
  if (write(file, kOther.data(), kOther.size()) < 0) unlink(path.c_str());
  close(file);
}

std::atomic<OtherMpi>& state() { return process().mpi.layers.other_mpi; }

// Runs before the program calls anything, in case the other MPI is linked to it.
[[gnu::constructor]] void look() {
  if (user::is_static_program()) return;
  Found found;
  dl_iterate_phdr(look_at, &found);
  if (found.has_ours) state() = OtherMpi::kOurs;
  if (found.has_ours || found.others.empty() || found.own.headers == nullptr) return;
  state() = lead_all(found) ? OtherMpi::kAside : OtherMpi::kOurs;
  dlerror();  // hides our errors from the program
  tell();     // even if the jumps could not be written: the program will not get far
}

}  // namespace

bool steps_aside() {
  if (state() == OtherMpi::kUnknown) look();
  if (state() == OtherMpi::kUnknown) state() = OtherMpi::kOurs;  // a caller of MPI has loaded it
  return state() == OtherMpi::kAside;
}

}  // namespace latecomer::mpi
