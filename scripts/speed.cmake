# SPDX-License-Identifier: BSD-3-Clause
# Where the compiler's time goes. A source on a hot path is compiled alone with all optimization: in
# long sources the compiler inlines less, and the analysis takes 4 % more instructions. All other
# sources of a folder are compiled together, so that their headers and templates are compiled once.
# Precompiled headers do not replace that: the views take more than twice as long with them, since each
# source has its own copies of the templates of JSON. Tests have both.
set(CMAKE_UNITY_BUILD OFF)

# Sources that were moved must be moved in these lists, too.
function(latecomer_must_exist)
  foreach(source ${ARGN})
    if(NOT EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${source})
      message(FATAL_ERROR "${CMAKE_CURRENT_SOURCE_DIR}/CMakeLists.txt lists ${source}, which does not exist")
    endif()
  endforeach()
endfunction()

# latecomer_together(target [ALONE sources...]): compiles the sources of each folder of the target as
# one; ALONE lists exceptions. Local names must differ within a folder.
function(latecomer_together target)
  cmake_parse_arguments(T "" "" "ALONE" ${ARGN})
  latecomer_must_exist(${T_ALONE})
  get_target_property(sources ${target} SOURCES)
  foreach(source ${sources})
    if(source MATCHES "\\.cpp$" AND NOT source IN_LIST T_ALONE)
      get_filename_component(folder ${source} DIRECTORY)
      cmake_path(IS_PREFIX PROJECT_BINARY_DIR "${folder}" generated)
      if(folder STREQUAL "" OR generated)
        set(folder here)
      endif()
      string(REPLACE "/" "_" group ${folder})
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group})
    endif()
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${LATECOMER_UNITY} UNITY_BUILD_MODE GROUP)
endfunction()

# latecomer_cold(target [HOT sources...]): the target runs once per command or run, so little
# optimization is enough; HOT lists the sources that run once per event.
function(latecomer_cold target)
  cmake_parse_arguments(T "" "" "HOT" ${ARGN})
  latecomer_must_exist(${T_HOT})
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  if(T_HOT)
    set_property(SOURCE ${T_HOT} APPEND PROPERTY COMPILE_OPTIONS $<$<CONFIG:Release>:-O3>)
  endif()
endfunction()

# A compiler cache is used if there is one; CMAKE_CXX_COMPILER_LAUNCHER= (empty) says no.
find_program(LATECOMER_CCACHE ccache)
mark_as_advanced(LATECOMER_CCACHE)
foreach(language C CXX)
  if(LATECOMER_CCACHE AND NOT DEFINED CMAKE_${language}_COMPILER_LAUNCHER)
    set(CMAKE_${language}_COMPILER_LAUNCHER ${LATECOMER_CCACHE})
  endif()
endforeach()
