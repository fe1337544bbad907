# The report page's files as strings in the library: generated/web_files.cpp. Vega, which draws the
# plots, lies in web/vendor at the versions of web/package-lock.json; web/vendor/remake copies it.
set(web_folder ${PROJECT_SOURCE_DIR}/web)
set(web_scripts data text notes tables plots bench heat texts remembered requests forest main_table sections main)
list(TRANSFORM web_scripts PREPEND ${web_folder}/)
list(TRANSFORM web_scripts APPEND .js)
set(web_vega)
set(web_licences)
foreach(package vega vega-lite vega-embed)
  list(APPEND web_vega ${web_folder}/vendor/${package}/${package}.min.js)
  list(APPEND web_licences ${web_folder}/vendor/${package}/LICENSE)
endforeach()
file(GLOB web_plots CONFIGURE_DEPENDS ${web_folder}/plots/*.json)
set(web_source ${PROJECT_BINARY_DIR}/generated/web_files.cpp)
add_custom_command(
  OUTPUT ${web_source}
  COMMAND ${CMAKE_COMMAND} -DOUTPUT=${web_source} -DTEMPLATE=${web_folder}/page.html
          -DSTYLE=${web_folder}/page.css "-DSCRIPTS=${web_scripts}" "-DPLOTS=${web_plots}"
          "-DVEGA=${web_vega}" "-DLICENCES=${web_licences}" -P ${PROJECT_SOURCE_DIR}/cmake/embed_web.cmake
  DEPENDS ${web_folder}/page.html ${web_folder}/page.css ${web_scripts} ${web_plots} ${web_vega}
          ${web_licences} ${PROJECT_SOURCE_DIR}/cmake/embed_web.cmake
  COMMENT "Embedding the report page" VERBATIM)
