# SPDX-License-Identifier: BSD-3-Clause
# Constants of Open MPI (MPI_COMM_WORLD, MPI_INT) are addresses of data. Programs without MPI do not have them,
# and some programs only get them when they load a plugin. The measurement library is preloaded into all of them.
# So it has pointers to the constants, which are set when the program is loaded or in MPI_Init.
#
# LATECOMER_CONSTANTS: compile options of targets that use the constants; they link latecomer_constants.
set(LATECOMER_CONSTANTS)
add_library(latecomer_constants STATIC)
if(NOT LATECOMER_MPI STREQUAL "openmpi")
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/open_mpi_constants.cpp
    CONTENT "// Other MPIs have numbers for constants.\n")
else()
  file(READ ${LATECOMER_MPI_H}/mpi.h declarations)
  string(REGEX MATCHALL "extern struct [a-z0-9_]+ ompi_[a-z0-9_]+" constants "${declarations}")
  # The request that represents completed ones; it is not in mpi.h.
  list(APPEND constants "extern char ompi_request_empty")
  set(header "#pragma once\n#include <mpi.h>\nnamespace latecomer {\nvoid bind_constants();\n}\n")
  set(weak "")
  set(pointers "")
  set(table "")
  foreach(constant ${constants})
    string(REGEX MATCH "^extern (.*) ([a-z0-9_]+)$" constant "${constant}")
    set(type "${CMAKE_MATCH_1}")
    set(name "${CMAKE_MATCH_2}")
    string(APPEND header "extern \"C\" [[gnu::visibility(\"hidden\")]] ${type}* latecomer_${name};\n"
      "#define ${name} (*latecomer_${name})\n")
    string(APPEND weak "[[gnu::weak]] extern char ${name};\n")
    string(APPEND pointers "[[gnu::visibility(\"hidden\")]] void* latecomer_${name} = &${name};\n")
    string(APPEND table "    {\"${name}\", &latecomer_${name}},\n")
  endforeach()
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/open_mpi_constants.h CONTENT "${header}")
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/open_mpi_constants.cpp CONTENT
"#include <dlfcn.h>
extern \"C\" {
${weak}${pointers}}
namespace latecomer {
void bind_constants();
void bind_constants() {
  struct Constant {
    const char* name;
    void** pointer;
  };
  static constexpr Constant kConstants[] = {
${table}  };
  for (const Constant& constant : kConstants) {
    if (*constant.pointer == nullptr) *constant.pointer = dlsym(RTLD_DEFAULT, constant.name);
  }
}
}  // namespace latecomer
" @ONLY)
  set(LATECOMER_CONSTANTS -include ${CMAKE_CURRENT_BINARY_DIR}/open_mpi_constants.h)
endif()
target_sources(latecomer_constants PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/open_mpi_constants.cpp)
target_link_libraries(latecomer_constants PUBLIC ${CMAKE_DL_LIBS})
set_target_properties(latecomer_constants PROPERTIES CXX_VISIBILITY_PRESET hidden)
