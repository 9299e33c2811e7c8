// SPDX-License-Identifier: BSD-3-Clause
// The tool that runtimes with OMPT find: they look for ompt_start_tool() when they start.
#include <dlfcn.h>
#include <link.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>

#include "archive/settings.hpp"
#include "tracer/sources/openmp/ompt_callbacks.hpp"

extern "C" [[gnu::visibility("default")]] latecomer::openmp::ompt::StartResult* ompt_start_tool(
    unsigned version, const char* runtime);

namespace latecomer::openmp::ompt {
namespace {

// Places inside the runtime are not those of the program's constructs. A runtime that is linked
// statically is in the program.
void find_runtime(Lookup lookup) {
  dl_iterate_phdr(
      [](dl_phdr_info* module, std::size_t, void* function) {
        const auto address = reinterpret_cast<std::uintptr_t>(function);
        if (module->dlpi_name == nullptr || *module->dlpi_name == '\0') return 0;  // the program
        for (int i = 0; i < module->dlpi_phnum; ++i) {
          const auto& segment = module->dlpi_phdr[i];
          const std::uintptr_t begin = module->dlpi_addr + segment.p_vaddr;
          if (segment.p_type != PT_LOAD || address < begin || address >= begin + segment.p_memsz) {
            continue;
          }
          set_runtime(begin, begin + segment.p_memsz);
          return 1;
        }
        return 0;
      },
      reinterpret_cast<void*>(lookup));
}

int initialize(Lookup lookup, int, Data*) {
  const auto set = reinterpret_cast<SetCallback>(lookup("ompt_set_callback"));
  if (set == nullptr) return 0;
  find_runtime(lookup);
  const auto on = [set](Event event, auto* function) {
    set(static_cast<int>(event), reinterpret_cast<Callback>(function));
  };
  on(Event::kParallelBegin, parallel_begin);
  on(Event::kParallelEnd, parallel_end);
  on(Event::kImplicitTask, implicit_task);
  on(Event::kTaskCreate, task_create);
  on(Event::kTaskSchedule, task_schedule);
  on(Event::kSyncRegion, sync_region);
  on(Event::kWork, work);
  on(Event::kMutexAcquire, mutex_acquire);
  on(Event::kMutexAcquired, mutex_acquired);
  on(Event::kMutexReleased, mutex_released);
  return 1;
}

void finalize(Data*) {}

// A runtime starts one tool only. Another one that the user wants comes first. With
// ThreadSanitizer that is the one that tells it what OpenMP synchronizes.
bool others_wanted() {
  const char* const libraries = std::getenv("OMP_TOOL_LIBRARIES");
  return (libraries != nullptr && *libraries != '\0') ||
         dlsym(RTLD_DEFAULT, "__tsan_init") != nullptr;
}

// The tool of a library that comes after this one. The runtime's own function of this name looks
// for libraries that come after the runtime.
StartResult* start_next(unsigned version, const char* runtime) {
  using Start = StartResult*(unsigned, const char*);
  auto* const next = reinterpret_cast<Start*>(dlsym(RTLD_NEXT, "ompt_start_tool"));
  return next == nullptr || next == ompt_start_tool ? nullptr : next(version, runtime);
}

}  // namespace
}  // namespace latecomer::openmp::ompt

latecomer::openmp::ompt::StartResult* ompt_start_tool(unsigned version, const char* runtime) {
  using namespace latecomer;
  using namespace latecomer::openmp::ompt;
  static std::atomic<bool> asked{false};  // a tool in between may ask this one again
  static StartResult result{initialize, finalize, {0}};
  if (asked.exchange(true)) return nullptr;
  const int saved = errno;
  StartResult* started = nullptr;
  try {
    started = start_next(version, runtime);
    if (started == nullptr && !others_wanted() && setting_flag(SettingId::kEnable) &&
        setting_text(SettingId::kThreads) != "off") {
      started = &result;
    }
  } catch (const std::exception&) {
    started = nullptr;  // out of memory, or settings that MPI_Init will complain of
  }
  errno = saved;
  asked.store(false);
  return started;
}
