# What `cmake --install` and `cpack` deliver, in parts: vestige (the program), vestige-lab (its
# training lab), vestige-dev (the library: find_package(vestige) gives vestige::core) and, where it is
# built, python3-vestige.
include(CMakePackageConfigHelpers)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME vestige-dev)
set(programs vestige_cli)
if(TARGET vestige_lab_cli)
  list(APPEND programs vestige_lab_cli)
endif()
foreach(program ${programs})
  get_target_property(name ${program} OUTPUT_NAME)
  install(TARGETS ${program} COMPONENT ${name})
  install(FILES ${PROJECT_SOURCE_DIR}/LICENSE COMPONENT ${name} RENAME copyright
          DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${name})
endforeach()

# Man pages and completion, printed by the programs when they are installed.
if(NOT CMAKE_CROSSCOMPILING)
  set(printed ${PROJECT_BINARY_DIR}/printed)
  set(printed_by_vestige "manual\;vestige.1" "completion bash\;vestige.bash"
      "completion zsh\;_vestige" "completion fish\;vestige.fish")
  foreach(one ${printed_by_vestige})
    list(GET one 0 words)
    list(GET one 1 file)
    separate_arguments(words)
    install(CODE "file(MAKE_DIRECTORY ${printed})
      execute_process(COMMAND $<TARGET_FILE:vestige_cli> ${words} OUTPUT_FILE ${printed}/${file}
                      COMMAND_ERROR_IS_FATAL ANY)" COMPONENT vestige)
  endforeach()
  install(FILES ${printed}/vestige.1 COMPONENT vestige DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES ${printed}/vestige.bash COMPONENT vestige RENAME vestige
          DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${printed}/_vestige COMPONENT vestige
          DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
  install(FILES ${printed}/vestige.fish COMPONENT vestige
          DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
  if(TARGET vestige_lab_cli)
    install(CODE "execute_process(COMMAND $<TARGET_FILE:vestige_lab_cli> manual
                  OUTPUT_FILE ${printed}/vestige-lab.1 COMMAND_ERROR_IS_FATAL ANY)"
            COMPONENT vestige-lab)
    install(FILES ${printed}/vestige-lab.1 COMPONENT vestige-lab
            DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  endif()
endif()

# What `vestige demo --evidence` audits, and recipes to start from.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/demo/fashion-one COMPONENT vestige
        DESTINATION ${CMAKE_INSTALL_DATADIR}/vestige/demo)
if(TARGET vestige_lab_cli)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/recipes COMPONENT vestige-lab
          DESTINATION ${CMAKE_INSTALL_DATADIR}/vestige)
endif()

if(TARGET vestige_tokenizer)
  install(TARGETS vestige_tokenizer COMPONENT vestige-lab
          LIBRARY DESTINATION lib/vestige NAMELINK_SKIP)
endif()

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/vestige)
set_target_properties(vestige_core PROPERTIES EXPORT_NAME core)
install(TARGETS vestige_core vestige_warnings EXPORT vestigeTargets COMPONENT vestige-dev)
install(EXPORT vestigeTargets NAMESPACE vestige:: DESTINATION ${package_folder}
        COMPONENT vestige-dev)
foreach(header ${public_headers})
  get_filename_component(folder ${header} DIRECTORY)
  install(FILES ${PROJECT_SOURCE_DIR}/${header} COMPONENT vestige-dev
          DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/${folder})
endforeach()
install(FILES ${PROJECT_BINARY_DIR}/generated/vestige/version.h COMPONENT vestige-dev
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/vestige)
configure_package_config_file(cmake/vestigeConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/vestigeConfig.cmake
                              INSTALL_DESTINATION ${package_folder})
# Before 1.0 a minor version may change interfaces.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/vestigeConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/vestigeConfig.cmake
              ${PROJECT_BINARY_DIR}/vestigeConfigVersion.cmake cmake/plain_libraries.cmake
        COMPONENT vestige-dev DESTINATION ${package_folder})

# cpack -G DEB: one package per part, with the shared libraries that its program links.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME vestige)
set(CPACK_PACKAGE_CONTACT "The Vestige authors")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS OFF)
set(CPACK_COMPONENTS_ALL vestige vestige-dev)
set(CPACK_COMPONENT_VESTIGE_DESCRIPTION
    "audits what models said before and after machine unlearning")
set(CPACK_COMPONENT_VESTIGE-DEV_DESCRIPTION
    "the C++ library behind vestige: headers, a static library and a CMake package")
set(CPACK_COMPONENT_VESTIGE-LAB_DESCRIPTION
    "the lab of vestige: trains models, runs unlearning methods, exports what they say")
set(CPACK_DEBIAN_VESTIGE_PACKAGE_NAME vestige)
set(CPACK_DEBIAN_VESTIGE_PACKAGE_SHLIBDEPS ON)
# Loaded when a metric asks for it, so that no tool finds it in the program.
set(CPACK_DEBIAN_VESTIGE_PACKAGE_RECOMMENDS libxgboost0)
set(CPACK_DEBIAN_VESTIGE-DEV_PACKAGE_NAME vestige-dev)
set(CPACK_DEBIAN_VESTIGE-DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_VESTIGE-DEV_PACKAGE_DEPENDS
    "libfmt-dev, nlohmann-json3-dev, libtomlplusplus-dev, libtbb-dev, libeigen3-dev, libboost-dev, libssl-dev, libzip-dev, zlib1g-dev, libstemmer-dev")
if(TARGET vestige_lab_cli)
  list(APPEND CPACK_COMPONENTS_ALL vestige-lab)
  set(CPACK_DEBIAN_VESTIGE-LAB_PACKAGE_NAME vestige-lab)
  set(CPACK_DEBIAN_VESTIGE-LAB_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_VESTIGE-LAB_PACKAGE_DEPENDS
      "vestige (= ${PROJECT_VERSION}), libopenblas0-pthread")
  set(CPACK_DEBIAN_VESTIGE-LAB_PACKAGE_RECOMMENDS
      "openmpi-bin, dataset-fashion-mnist, dict-foldoc, dict-gcide, dict-wn")
endif()
if(TARGET vestige_python)
  list(APPEND CPACK_COMPONENTS_ALL python3-vestige)
  set(CPACK_COMPONENT_PYTHON3-VESTIGE_DESCRIPTION
      "the Python package of vestige: evidence, audits, metrics and exports")
  set(CPACK_DEBIAN_PYTHON3-VESTIGE_PACKAGE_NAME python3-vestige)
  set(CPACK_DEBIAN_PYTHON3-VESTIGE_PACKAGE_SECTION python)
  set(CPACK_DEBIAN_PYTHON3-VESTIGE_PACKAGE_SHLIBDEPS ON)
  # The module is for the version of Python that it was compiled with.
  execute_process(COMMAND ${PYTHON_EXECUTABLE} -c
                  "import sys; a, b = sys.version_info[:2]; print(f'python3 (>= {a}.{b}), python3 (<< {a}.{b + 1})')"
                  OUTPUT_VARIABLE python_versions OUTPUT_STRIP_TRAILING_WHITESPACE)
  set(CPACK_DEBIAN_PYTHON3-VESTIGE_PACKAGE_DEPENDS "${python_versions}, python3-numpy")
  set(CPACK_DEBIAN_PYTHON3-VESTIGE_PACKAGE_RECOMMENDS
      "python3-pandas, python3-altair, libxgboost0")
endif()
include(CPack)
