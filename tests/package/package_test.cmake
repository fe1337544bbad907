# cmake -DBUILD=... -DSOURCE=... -DWORK=... -P package_test.cmake: installs the build to a prefix of
# its own, builds tests/package/ against it and runs it.
function(run what)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${what} failed (${code}):\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${WORK})
run("the installation" ${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
run("configuring" ${CMAKE_COMMAND} -G Ninja -S ${SOURCE}/tests/package -B ${WORK}/build
    -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH=${WORK}/prefix)
run("building" ${CMAKE_COMMAND} --build ${WORK}/build)
run("the program" ${WORK}/build/uses_vestige ${SOURCE}/demo/fashion-pool)
if(NOT output STREQUAL "auc 0.75\naudited\n")
  message(FATAL_ERROR "the program printed\n${output}")
endif()
run("the installed vestige" ${WORK}/prefix/bin/vestige --version)
# Nothing that is installed may need the source tree.
file(GLOB_RECURSE texts ${WORK}/prefix/*.cmake ${WORK}/prefix/*.h)
foreach(text ${texts})
  file(STRINGS ${text} lines REGEX "${SOURCE}")
  if(lines)
    message(FATAL_ERROR "${text} names the source tree: ${lines}")
  endif()
endforeach()
file(REMOVE_RECURSE ${WORK})
