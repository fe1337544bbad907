# The headers that other projects may include: what reads, audits and reports, and what the examples of
# docs/metrics use, so that a metric with a page is listed nowhere else. They and the headers that they
# include are installed, nothing else; a test compiles each of them alone.
set(declared_headers
  vestige/audit/audit.h
  vestige/audit/conformance/conformance.h
  vestige/base/error.h
  vestige/base/json.h
  vestige/evidence/reader.h
  vestige/report/audit_run.h
  vestige/report/page/html.h
  vestige/report/json/read_results.h
  vestige/report/json/results_json.h
  vestige/report/tables/samples_csv.h
  vestige/report/terminal/terminal.h
)
file(GLOB pages CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/metrics/*.md)
foreach(page ${pages})
  file(STRINGS ${page} lines REGEX "^#include \"vestige/")
  foreach(line ${lines})
    string(REGEX REPLACE "^#include \"([^\"]*)\".*" "\\1" included "${line}")
    list(APPEND declared_headers ${included})
  endforeach()
endforeach()

# Sets public_headers: the declared ones and what they include, as paths below the source folder.
set(public_headers)
set(waiting ${declared_headers})
while(waiting)
  list(POP_FRONT waiting header)
  if(header IN_LIST public_headers)
    continue()
  endif()
  list(APPEND public_headers ${header})
  file(STRINGS ${PROJECT_SOURCE_DIR}/${header} lines REGEX "^#include \"vestige/")
  foreach(line ${lines})
    string(REGEX REPLACE "^#include \"([^\"]*)\".*" "\\1" included "${line}")
    list(APPEND waiting ${included})
  endforeach()
endwhile()
list(SORT public_headers)
