// SPDX-License-Identifier: BSD-3-Clause
// Finds profiling layers in shared libraries, which come before the functions of the MPI library.
#include "tracer/sources/mpi/layers/layers.hpp"

#include <dlfcn.h>

#include "tracer/session/process/mpi_library.hpp"
#include "tracer/sources/mpi/layers/own_layer.hpp"
#include "tracer/symbols/loaded_modules.hpp"

namespace latecomer::session {
namespace {

// Base address of the object that contains an address; nullptr: there is none.
void* object_of(void* address) {
  Dl_info found{};
  return dladdr(address, &found) != 0 ? found.dli_fbase : nullptr;
}

using Following = void*(const char*);

}  // namespace

void find_layers() {
  if (user::is_static_program()) return;
  void* const init = dlsym(RTLD_NEXT, "PMPI_Init");
  void* const library = init == nullptr ? nullptr : object_of(init);
  if (library == nullptr) return;
  // The measurement library may be preloaded into a program that is also linked with it, or
  // together with that for another MPI. What comes after the other copy is asked of it.
  void* const again = dlsym(RTLD_NEXT, "latecomer_api_1");
  void* const other_copy = again == nullptr ? nullptr : object_of(again);
  auto* const following = reinterpret_cast<Following*>(dlsym(RTLD_NEXT, "latecomer_following"));
  for (std::size_t i = 0; i < mpi::kRegions.size(); ++i) {
    void* next = dlsym(RTLD_NEXT, mpi::kRegions[i].name);
    if (next == nullptr) continue;
    void* object = object_of(next);
    if (object == other_copy && following != nullptr) {
      next = following(mpi::kRegions[i].name);
      object = next == nullptr ? library : object_of(next);
    }
    if (object == library || object == other_copy) continue;
    // A layer in the executable calls PMPI, so the layer in a library is never called.
    if (mpi::is_in_own_layer(mpi::kRegions[i].name)) continue;
    process().mpi.layers.next[i] = next;
  }
}

}  // namespace latecomer::session

// The function of this name that comes after this library. dlsym() knows its caller by the return
// address, so the call must not become a jump.
extern "C" [[gnu::visibility("default")]] void* latecomer_following(const char* name);
void* latecomer_following(const char* name) {
  void* volatile found = dlsym(RTLD_NEXT, name);
  return found;
}
