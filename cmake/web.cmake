# The report page's files as strings in the library: generated/web_files.cpp. Vega, which draws the
# plots, comes from npm at the versions that web/package-lock.json pins; without npm or a network the
# page has its tables and says that plots were not built in.
option(VESTIGE_WEB "Embed Vega in the program, so that the report page has plots (needs npm)" ON)
set(web_folder ${PROJECT_SOURCE_DIR}/web)
set(web_packages ${web_folder}/node_modules)

# Sets `result` to true if node_modules holds what the lock file says; npm runs only if it does not.
function(vestige_web_packages result)
  set(${result} FALSE PARENT_SCOPE)
  if(NOT VESTIGE_WEB)
    return()
  endif()
  file(SHA256 ${web_folder}/package-lock.json wanted)
  set(stamp ${web_packages}/.vestige-lock)
  set(present "")
  if(EXISTS ${stamp})
    file(READ ${stamp} present)
  endif()
  if(NOT present STREQUAL wanted)
    find_program(VESTIGE_NPM npm)
    if(NOT VESTIGE_NPM)
      message(STATUS "Report page without plots: npm was not found (make setup installs it)")
      return()
    endif()
    message(STATUS "Fetching what draws the report page's plots: npm ci in web/")
    execute_process(
      COMMAND ${VESTIGE_NPM} ci --ignore-scripts --no-audit --no-fund --loglevel=error
              --fetch-retries=1 --fetch-timeout=60000
      WORKING_DIRECTORY ${web_folder} RESULT_VARIABLE code OUTPUT_QUIET ERROR_VARIABLE errors)
    if(NOT code EQUAL 0)
      string(SUBSTRING "${errors}" 0 400 errors)
      message(WARNING "Report page without plots: npm ci failed (no network?): ${errors}")
      return()
    endif()
    file(WRITE ${stamp} ${wanted})
  endif()
  set(${result} TRUE PARENT_SCOPE)
endfunction()

vestige_web_packages(VESTIGE_WEB_PLOTS)
set(web_scripts data text notes tables plots bench remembered main_table sections main)
list(TRANSFORM web_scripts PREPEND ${web_folder}/)
list(TRANSFORM web_scripts APPEND .js)
set(web_vega)
set(web_licences)
if(VESTIGE_WEB_PLOTS)
  foreach(package vega vega-lite vega-embed)
    list(APPEND web_vega ${web_packages}/${package}/build/${package}.min.js)
    list(APPEND web_licences ${web_packages}/${package}/LICENSE)
  endforeach()
endif()
set(web_source ${PROJECT_BINARY_DIR}/generated/web_files.cpp)
add_custom_command(
  OUTPUT ${web_source}
  COMMAND ${CMAKE_COMMAND} -DOUTPUT=${web_source} -DTEMPLATE=${web_folder}/page.html
          -DSTYLE=${web_folder}/page.css "-DSCRIPTS=${web_scripts}" "-DVEGA=${web_vega}"
          "-DLICENCES=${web_licences}" -P ${PROJECT_SOURCE_DIR}/cmake/embed_web.cmake
  DEPENDS ${web_folder}/page.html ${web_folder}/page.css ${web_scripts} ${web_vega}
          ${PROJECT_SOURCE_DIR}/cmake/embed_web.cmake
  COMMENT "Embedding the report page" VERBATIM)
