# SPDX-License-Identifier: BSD-3-Clause
# The presets asan and tsan compile many sources in one go (CMAKE_UNITY_BUILD), in a third of the time. These
# have local names that another source of their target has, too: they are compiled alone.
function(compiled_alone folder)
  list(TRANSFORM ARGN PREPEND ${PROJECT_SOURCE_DIR}/${folder}/)
  set_source_files_properties(${ARGN} DIRECTORY ${PROJECT_SOURCE_DIR}/${folder}
    PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

compiled_alone(analyzer/cli report_commands.cpp show_command.cpp)
compiled_alone(analyzer/replay ideal_steps.cpp last_transfers.cpp latest_needed.cpp lock_waits.cpp
  message_drift.cpp)
compiled_alone(analyzer/report formula/regex.cpp tar_reader.cpp)
compiled_alone(analyzer/trace copy_events.cpp)
compiled_alone(analyzer/view html/html_page.cpp show_difference.cpp)
compiled_alone(tests/view check_test.cpp)
compiled_alone(patterns thread_time_metrics.cpp window_wait.cpp)
compiled_alone(sync latency.cpp)
compiled_alone(tests/convert flush_test.cpp repair_test.cpp)
# Also where only some sources of a library call MPI, which not all who link it have.
set_target_properties(clock_test latecomer_convert latecomer_memory latecomer_session latecomer_user record_test trace_test
  PROPERTIES UNITY_BUILD OFF)
