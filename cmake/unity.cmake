# vestige_unity(TARGET [HEADERS header...]): the sources of one folder are compiled as one unit, which
# reads the headers once, and the costly HEADERS are precompiled. Names in an unnamed namespace must
# differ within a folder, and among folders that are joined below. Call it in the folder that makes the
# target. The preset "separate" does
# neither, so that a missing #include is found.

# Files whose names clash with others of their folder, and which are compiled on their own.
set(separate_sources
  tests/data/shift_test tests/lab/lab_test tests/metrics/epsilon/epsilon_reference_test
  tests/metrics/lm/lm_scores_test tests/metrics/sde/mmd_test tests/unlearn/methods/scrub_test)
list(JOIN separate_sources "|" separate_sources)

# Small folders that share a unit: most of what a compiler does for each is to read headers. Folders
# with the linear algebra of Eigen are together, so that it is read once. Their tests are joined alike.
set(joined_of_models closeness entropy imported klom multiple_choice one_run ulira utility holdout_gap zrf)
set(joined_of_members attacks iam mia mia_protocol score_ui verification)
set(joined_of_activations generation kernel_test representation smi)
# Of these the tests alone are small.
set(joined_of_tests inputs kernels miau returns scores)

# Families without loops of their own that are worth optimising (CMakeLists.txt).
set(arranging_families ${joined_of_models} ${joined_of_members} miau)

# Sets RESULT to the name of the unit that sources of a folder are compiled in.
function(vestige_unit_of folder result)
  set(unit ${folder})
  if(folder MATCHES "^(vestige|tests)/metrics/([^/]+)$")
    set(top ${CMAKE_MATCH_1})
    set(family ${CMAKE_MATCH_2})
    set(lists joined_of_models joined_of_members joined_of_activations)
    if(top STREQUAL "tests")
      list(APPEND lists joined_of_tests)
    endif()
    foreach(joined ${lists})
      if(family IN_LIST ${joined})
        set(unit "${top}/metrics/${joined}")
      endif()
    endforeach()
  endif()
  # Their sub-folders are for people: each would read the same headers again.
  if(folder MATCHES "^((vestige|tests)/(audit|data|evidence|experiment|models|report|train|unlearn/methods))/")
    set(unit ${CMAKE_MATCH_1})
  endif()
  string(MAKE_C_IDENTIFIER "${unit}" unit)
  set(${result} ${unit} PARENT_SCOPE)
endfunction()

function(vestige_unity target)
  if(NOT VESTIGE_UNITY)
    return()
  endif()
  cmake_parse_arguments(unity "" "" "HEADERS" ${ARGN})
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  if(unity_HEADERS)
    target_precompile_headers(${target} PRIVATE ${unity_HEADERS})
    # ccache takes a precompiled header's use as cacheable only with this (and the sloppiness that
    # CMakeLists.txt sets).
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>
      "$<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>")
  endif()
  # A unit is no header: a type in its unnamed namespaces may be a member (the preset "separate"
  # still warns).
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "[.]cpp$")
  foreach(source ${sources})
    get_filename_component(path ${source} ABSOLUTE)
    file(RELATIVE_PATH path ${PROJECT_SOURCE_DIR} ${path})
    get_filename_component(folder ${path} DIRECTORY)
    vestige_unit_of(${folder} group)
    if(NOT path MATCHES "(${separate_sources})[.]cpp$")
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group})
    endif()
  endforeach()
endfunction()
