# SPDX-License-Identifier: BSD-3-Clause
# Measurement libraries for the other MPIs of this machine, in lib/latecomer/NAME. `scan` takes the one that
# fits the program. Types and constants of MPI differ between the families, so the library is built again
# with the other mpi.h. All other parts do not depend on the MPI that recorded.
include(ExternalProject)

# True if this MPI has a compiler wrapper and headers: wrappers alone come with other packages.
function(latecomer_has_mpi name result)
  set(${result} OFF PARENT_SCOPE)
  find_program(LATECOMER_MPICC_${name} mpicc.${name})
  mark_as_advanced(LATECOMER_MPICC_${name})
  if(LATECOMER_MPICC_${name})
    file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/has_mpi.c "#include <mpi.h>\nint main(void) { return MPI_VERSION < 3; }\n")
    execute_process(COMMAND ${LATECOMER_MPICC_${name}} -fsyntax-only ${CMAKE_CURRENT_BINARY_DIR}/has_mpi.c
      RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
    if(failed EQUAL 0)
      set(${result} ON PARENT_SCOPE)
    endif()
  endif()
endfunction()

set(LATECOMER_LIBRARIES_OF_MORE_MPIS)
if(LATECOMER_MEASUREMENT_ONLY OR LATECOMER_SANITIZE OR LATECOMER_LIBFUZZER OR NOT LATECOMER_MPI)
  set(names)
elseif(LATECOMER_MORE_MPIS STREQUAL "auto")
  set(names mpich openmpi)
else()
  set(names ${LATECOMER_MORE_MPIS})
endif()
list(REMOVE_ITEM names ${LATECOMER_MPI})
foreach(name ${names})
  latecomer_has_mpi(${name} found)
  if(NOT found)
    if(NOT LATECOMER_MORE_MPIS STREQUAL "auto")
      message(FATAL_ERROR "LATECOMER_MORE_MPIS: no compiler mpicc.${name} with headers was found")
    endif()
    continue()
  endif()
  message(STATUS "Measurement library for a further MPI: ${name}")
  set(library ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/latecomer/${name}/liblatecomer.so)
  set(archive ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/latecomer/${name}/liblatecomer.a)
  set(settings -DCMAKE_BUILD_TYPE=${CMAKE_BUILD_TYPE})
  foreach(setting CMAKE_C_COMPILER CMAKE_CXX_COMPILER CMAKE_C_FLAGS CMAKE_CXX_FLAGS CMAKE_SHARED_LINKER_FLAGS
      CMAKE_C_COMPILER_LAUNCHER CMAKE_CXX_COMPILER_LAUNCHER CMAKE_PREFIX_PATH LATECOMER_UNITY)
    if(NOT "${${setting}}" STREQUAL "")
      list(APPEND settings "-D${setting}=${${setting}}")
    endif()
  endforeach()
  # After the library for the own MPI, so that not twice as many compilers run.
  ExternalProject_Add(latecomer_for_${name}
    SOURCE_DIR ${PROJECT_SOURCE_DIR}
    BINARY_DIR ${PROJECT_BINARY_DIR}/mpi/${name}
    PREFIX ${PROJECT_BINARY_DIR}/mpi/${name}-steps
    CMAKE_ARGS ${settings} -DLATECOMER_MPI=${name} -DLATECOMER_MEASUREMENT_ONLY=ON -DLATECOMER_BUILD_TESTS=OFF
    BUILD_COMMAND ${CMAKE_COMMAND} --build <BINARY_DIR> --target latecomer_tracer latecomer_tracer_static
      COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/latecomer/${name}
      COMMAND ${CMAKE_COMMAND} -E copy_if_different <BINARY_DIR>/lib/liblatecomer.so ${library}
      COMMAND ${CMAKE_COMMAND} -E copy_if_different <BINARY_DIR>/lib/liblatecomer.a ${archive}
    BUILD_BYPRODUCTS ${library} ${archive}
    INSTALL_COMMAND "" BUILD_ALWAYS ON DEPENDS latecomer_tracer)
  list(APPEND LATECOMER_LIBRARIES_OF_MORE_MPIS latecomer_for_${name})
  install(FILES ${library} DESTINATION ${CMAKE_INSTALL_LIBDIR}/latecomer/${name}
    PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
  install(FILES ${archive} DESTINATION ${CMAKE_INSTALL_LIBDIR}/latecomer/${name})
endforeach()
set(LATECOMER_LIBRARIES_OF_MORE_MPIS ${LATECOMER_LIBRARIES_OF_MORE_MPIS} PARENT_SCOPE)
