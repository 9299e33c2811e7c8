# SPDX-License-Identifier: BSD-3-Clause
# latecomer_golden_test(name [DIRECTORY dir] [BIN dir...] [REPLACE regex text]... [FIXTURE name])
# compares tests/golden/<name>.txt with the output of its commands. Our programs are found without path.
function(latecomer_golden_test name)
  cmake_parse_arguments(T "" "DIRECTORY;FIXTURE" "BIN;REPLACE" ${ARGN})
  set(options --bin ${CMAKE_RUNTIME_OUTPUT_DIRECTORY})
  foreach(folder ${T_BIN})
    list(APPEND options --bin ${folder})
  endforeach()
  if(T_DIRECTORY)
    list(APPEND options --in ${T_DIRECTORY})
  endif()
  while(T_REPLACE)
    list(POP_FRONT T_REPLACE pattern text)
    list(APPEND options --replace ${pattern} ${text})
  endwhile()
  add_test(NAME golden_${name} COMMAND Python3::Interpreter
    ${PROJECT_SOURCE_DIR}/tests/support/golden.py
    ${PROJECT_SOURCE_DIR}/tests/golden/${name}.txt ${options})
  set_tests_properties(golden_${name} PROPERTIES LABELS unit TIMEOUT 300)
  if(T_FIXTURE)
    set_tests_properties(golden_${name} PROPERTIES FIXTURES_REQUIRED ${T_FIXTURE})
  endif()
endfunction()
