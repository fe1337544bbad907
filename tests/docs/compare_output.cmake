# cmake -DPROGRAM=... -DEXPECTED=... -DPAGE=... -P compare_output.cmake: runs a page's example.
execute_process(COMMAND ${PROGRAM} OUTPUT_VARIABLE actual RESULT_VARIABLE code)
file(READ ${EXPECTED} expected)
if(NOT code EQUAL 0)
  message(FATAL_ERROR "the example of ${PAGE} ended with ${code}")
endif()
if(NOT "${actual}" STREQUAL "${expected}")
  message(FATAL_ERROR "the example of ${PAGE} prints\n${actual}but the page says\n${expected}")
endif()
