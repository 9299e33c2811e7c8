// SPDX-License-Identifier: BSD-3-Clause
// Finds the loaded object that defines PMPI_Init and makes its symbols visible.
#include "tracer/session/process/mpi_library.hpp"

#include <dlfcn.h>
#include <link.h>

#include <string>
#include <vector>

#include "tracer/session/job/processors.hpp"
#include "tracer/session/process/inside.hpp"

namespace latecomer::session {
namespace {

constexpr const char* kSymbol = "PMPI_Init";

int note_path(dl_phdr_info* object, std::size_t, void* paths) {
  if (object->dlpi_name != nullptr && object->dlpi_name[0] != '\0') {
    static_cast<std::vector<std::string>*>(paths)->push_back(object->dlpi_name);
  }
  return 0;
}

// Makes the object visible that defines the symbol: `path` itself or one that it needs.
bool publish_from(const std::string& path) {
  void* object = dlopen(path.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (object == nullptr) return false;
  Dl_info owner{};
  void* symbol = dlsym(object, kSymbol);
  const bool found = symbol != nullptr && dladdr(symbol, &owner) != 0 &&
                     dlopen(owner.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_GLOBAL) != nullptr;
  dlclose(object);
  return found;
}

void publish_mpi() {
  if (dlsym(RTLD_DEFAULT, kSymbol) != nullptr) return;
  // collected first, because nothing may be opened during the visit
  std::vector<std::string> paths;
  dl_iterate_phdr(note_path, &paths);
  for (const std::string& path : paths) {
    if (publish_from(path)) break;
  }
  dlerror();  // hides our errors from the program
}

}  // namespace

void reach_mpi() {
  process().session.threads_before_mpi = thread_count();
  publish_mpi();
  if (find_layers != nullptr) find_layers();
#if defined(OPEN_MPI)
  bind_constants();
#endif
}

}  // namespace latecomer::session
