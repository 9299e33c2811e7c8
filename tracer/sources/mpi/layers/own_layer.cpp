// SPDX-License-Identifier: BSD-3-Clause
// Leads PMPI calls of a layer in the executable to the wrappers. Such calls go through slots that
// the dynamic linker fills. The relocations of the executable say which slot belongs to which
// function (System V ABI, chapter 5, "Dynamic Linking").
#include "tracer/sources/mpi/layers/own_layer.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "tracer/state/process.hpp"
#include "tracer/symbols/loaded_modules.hpp"

namespace latecomer::mpi {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kCalled = R_X86_64_JUMP_SLOT, kLoaded = R_X86_64_GLOB_DAT;
#elif defined(__aarch64__)
constexpr std::uint32_t kCalled = R_AARCH64_JUMP_SLOT, kLoaded = R_AARCH64_GLOB_DAT;
#else
constexpr std::uint32_t kCalled = ~0U, kLoaded = ~0U;
#endif

struct Range {
  std::uintptr_t begin = 0, end = 0;
};

struct Executable {
  std::uintptr_t bias = 0;
  const ElfW(Dyn) * dynamic = nullptr;
  Range read_only;  // after the linker has finished
};

// The first object that is visited is the executable.
int note_executable(dl_phdr_info* object, std::size_t, void* result) {
  auto& executable = *static_cast<Executable*>(result);
  executable.bias = object->dlpi_addr;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = object->dlpi_phdr[i];
    const std::uintptr_t begin = object->dlpi_addr + part.p_vaddr;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): addresses of the loader are numbers
    if (part.p_type == PT_DYNAMIC) executable.dynamic = reinterpret_cast<const ElfW(Dyn)*>(begin);
    if (part.p_type == PT_GNU_RELRO) executable.read_only = {begin, begin + part.p_memsz};
  }
  return 1;
}

// Some dynamic linkers replace the addresses in the dynamic section by real ones.
std::uintptr_t address_of(const Executable& executable, std::uintptr_t value) {
  return value < executable.bias ? executable.bias + value : value;
}

struct Relocations {
  std::uintptr_t begin = 0;
  std::size_t bytes = 0;
};

struct Tables {
  const char* names = nullptr;
  const ElfW(Sym) * symbols = nullptr;
  Relocations of_calls, others;
};

Tables tables_of(const Executable& executable) {
  Tables found;
  for (const ElfW(Dyn)* entry = executable.dynamic; entry->d_tag != DT_NULL; ++entry) {
    const std::uintptr_t value = entry->d_un.d_ptr;
    const std::uintptr_t address = address_of(executable, value);
    switch (entry->d_tag) {
      // NOLINTBEGIN(performance-no-int-to-ptr)
      case DT_STRTAB:
        found.names = reinterpret_cast<const char*>(address);
        break;
      case DT_SYMTAB:
        found.symbols = reinterpret_cast<const ElfW(Sym)*>(address);
        break;
      // NOLINTEND(performance-no-int-to-ptr)
      case DT_JMPREL:
        found.of_calls.begin = address;
        break;
      case DT_PLTRELSZ:
        found.of_calls.bytes = value;
        break;
      case DT_RELA:
        found.others.begin = address;
        break;
      case DT_RELASZ:
        found.others.bytes = value;
        break;
      default:
        break;
    }
  }
  return found;
}

// The object that contains the function to which the program's calls of this name go.
const void* home_of(const char* name) {
  void* const function = dlsym(RTLD_DEFAULT, name);
  Dl_info found{};
  const ElfW(Sym)* symbol = nullptr;
  if (function == nullptr ||
      dladdr1(function, &found, reinterpret_cast<void**>(const_cast<ElfW(Sym)**>(&symbol)),
              RTLD_DL_SYMENT) == 0) {
    return nullptr;
  }
  // A symbol without a section is a stub in the executable, which only leads to a library's
  // function.
  return symbol == nullptr || symbol->st_shndx == SHN_UNDEF ? nullptr : found.dli_fbase;
}

// Replaces the content of a slot, even if the linker has made it read-only.
void set_slot(const Executable& executable, std::uintptr_t slot, void* function) {
  const auto page_size = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const std::uintptr_t first = slot & ~(page_size - 1);
  const bool locked = slot >= (executable.read_only.begin & ~(page_size - 1)) &&
                      slot < (executable.read_only.end & ~(page_size - 1));
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  auto* const page = reinterpret_cast<void*>(first);
  if (locked && mprotect(page, page_size, PROT_READ | PROT_WRITE) != 0) return;
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  *reinterpret_cast<void**>(slot) = function;
  if (locked) mprotect(page, page_size, PROT_READ);
}

// The measurement library and the functions that it contains.
class OwnLibrary {
 public:
  explicit OwnLibrary(const void* inside) {
    Dl_info here{};
    if (dladdr(inside, &here) == 0) return;
    base_ = here.dli_fbase;
    path_ = here.dli_fname;
  }
  ~OwnLibrary() {
    if (handle_ != nullptr) dlclose(handle_);
  }
  OwnLibrary(const OwnLibrary&) = delete;
  OwnLibrary& operator=(const OwnLibrary&) = delete;

  [[nodiscard]] const void* base() const { return base_; }

  [[nodiscard]] void* function(const char* name) {
    if (handle_ == nullptr) handle_ = dlopen(path_, RTLD_LAZY | RTLD_NOLOAD);
    void* const found = handle_ == nullptr ? nullptr : dlsym(handle_, name);
    Dl_info info{};
    return found != nullptr && dladdr(found, &info) != 0 && info.dli_fbase == base_ ? found
                                                                                    : nullptr;
  }

 private:
  const void* base_ = nullptr;
  const char* path_ = nullptr;
  void* handle_ = nullptr;
};

// True for PMPI_Send and for Fortran's pmpi_send_, which is a separate function in Open MPI.
bool is_behind_a_layer(const char* name) {
  return std::strncmp(name, "PMPI_", 5) == 0 || std::strncmp(name, "pmpi_", 5) == 0;
}

// A layer's MPI_Init may call PMPI_Init_thread, or the other way round.
bool is_of_a_layer_in(const void* home, std::string_view function) {
  if (function == "MPI_Init" || function == "MPI_Init_thread") {
    return home_of("MPI_Init") == home || home_of("MPI_Init_thread") == home;
  }
  return home_of(function.data()) == home;
}

void lead(const Executable& executable, const Tables& tables, const Relocations& relocations,
          const void* home, OwnLibrary& own) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  const auto* const first = reinterpret_cast<const ElfW(Rela)*>(relocations.begin);
  for (std::size_t i = 0; i < relocations.bytes / sizeof *first; ++i) {
    const auto type = static_cast<std::uint32_t>(ELF64_R_TYPE(first[i].r_info));
    if (type != kCalled && type != kLoaded) continue;
    const ElfW(Sym)& symbol = tables.symbols[ELF64_R_SYM(first[i].r_info)];
    // A symbol with a value is also the address that libraries use for the function.
    if (symbol.st_value != 0) continue;
    const char* const name = tables.names + symbol.st_name;
    if (!is_behind_a_layer(name) || !is_of_a_layer_in(home, name + 1)) continue;
    if (void* const function = own.function(name + 1); function != nullptr) {
      set_slot(executable, executable.bias + first[i].r_offset, function);
    }
  }
}

void lead_own_layer() {
  if (user::is_static_program()) return;  // its calls have no slots
  Executable executable;
  dl_iterate_phdr(note_executable, &executable);
  if (executable.dynamic == nullptr) return;
  const Tables tables = tables_of(executable);
  if (tables.names == nullptr || tables.symbols == nullptr) return;
  static const char inside = 0;
  OwnLibrary own(&inside);
  Dl_info program{};
  if (own.base() == nullptr || dladdr(executable.dynamic, &program) == 0) return;
  // If the library is linked into the executable, its MPI functions are ours. This shows in
  // _exit(): functions that a library (libc) has, too, are exported.
  if (own.base() == program.dli_fbase || home_of("_exit") == program.dli_fbase) return;
  const void* const home = process().mpi.layers.led = program.dli_fbase;
  lead(executable, tables, tables.of_calls, home, own);
  lead(executable, tables, tables.others, home, own);
}

// Runs before the program's first call of MPI.
[[gnu::constructor]] void begins() {
  lead_own_layer();
  dlerror();  // hides our errors from the program
}

}  // namespace

bool is_in_own_layer(const char* function) {
  const void* const led = process().mpi.layers.led;
  return led != nullptr && home_of(function) == led;
}

}  // namespace latecomer::mpi
