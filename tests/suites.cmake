# Read by ctest itself: one entry per suite of the test program `program`, named NAME/SUITE. The
# program is asked only if it is newer than the answer of the last time.
set(suites_file "${program}.suites")
if(NOT EXISTS "${program}")
  add_test(${name}/is_not_built "${program}")
  return()
endif()
if("${program}" IS_NEWER_THAN "${suites_file}")
  execute_process(COMMAND "${program}" --gtest_list_tests OUTPUT_FILE "${suites_file}.new"
                  RESULT_VARIABLE code)
  if(NOT code EQUAL 0)
    add_test(${name}/does_not_list_its_tests "${program}" --gtest_list_tests)
    return()
  endif()
  file(RENAME "${suites_file}.new" "${suites_file}")
endif()
include(${CMAKE_CURRENT_LIST_DIR}/blas_environment.cmake)
set(lengthy_suites "Rates|Misuse|Reproducible|EveryArchitecture|/RecipesTest|/(Lab|Bench)Test"
    "|/(Audit|Families|DossierTest|lm_audit|BadInput)$")
string(JOIN "" lengthy_suites ${lengthy_suites})
# "Suite." or "Suite.  # TypeParam = ..."; the tests below it are indented.
file(STRINGS "${suites_file}" lines REGEX "^[^ ]+[.]( |$)")
foreach(line ${lines})
  string(REGEX REPLACE "[.].*" "" suite "${line}")
  add_test("${name}/${suite}" "${program}" --gtest_brief=1 "--gtest_filter=${suite}.*")
  set_tests_properties("${name}/${suite}" PROPERTIES TIMEOUT 600 ENVIRONMENT "${blas_environment}")
  # Hundreds of audits each: not under sanitizers.
  if(suite MATCHES "Rates|Misuse|Reproducible")
    set_tests_properties("${name}/${suite}" PROPERTIES LABELS slow)
  endif()
  # What takes long begins first, or it would run alone at the end.
  if("${name}/${suite}" MATCHES "${lengthy_suites}")
    set_tests_properties("${name}/${suite}" PROPERTIES COST 50)
  endif()
endforeach()
