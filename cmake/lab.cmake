# The lab: vestige_data (datasets, splits, the pool; no LibTorch) and vestige_lab (models, training,
# unlearning, collecting; LibTorch). Torch include paths exist only on vestige_lab.
find_package(PNG REQUIRED)
find_package(JPEG REQUIRED)
# Only SVHN needs it; a machine without it still builds everything else.
vestige_plain_library(matio::matio matio.h matio)

set(data_sources)
foreach(folder data pool)
  file(GLOB_RECURSE found CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/vestige/${folder}/*.cpp)
  list(APPEND data_sources ${found})
endforeach()
add_library(vestige_data STATIC ${data_sources})
target_link_libraries(vestige_data PUBLIC vestige_core
  PRIVATE PNG::PNG JPEG::JPEG ZLIB::ZLIB vestige_warnings)
if(VESTIGE_SANITIZE)
  # Half of the time to compile, as what arranges (CMakeLists.txt).
  target_compile_options(vestige_data PRIVATE -O0)
endif()
vestige_unity(vestige_data)
if(TARGET matio::matio)
  target_link_libraries(vestige_data PRIVATE matio::matio)
  target_compile_definitions(vestige_data PRIVATE VESTIGE_WITH_MATIO)
endif()

if(VESTIGE_LAB)
  find_package(Torch REQUIRED)
  # SentencePiece is loaded by itself: its protobuf and LibTorch's clash (docs/develop/architecture.md).
  vestige_plain_library(sentencepiece::sentencepiece sentencepiece_processor.h sentencepiece REQUIRED)
  vestige_plain_library(sentencepiece::train sentencepiece_trainer.h sentencepiece_train REQUIRED)
  add_library(vestige_tokenizer MODULE ${PROJECT_SOURCE_DIR}/vestige/tokenizer/module.cpp)
  target_include_directories(vestige_tokenizer PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(vestige_tokenizer PRIVATE sentencepiece::train sentencepiece::sentencepiece
                        vestige_warnings)
  set_target_properties(vestige_tokenizer PROPERTIES OUTPUT_NAME vestige-tokenizer PREFIX lib
    CXX_VISIBILITY_PRESET hidden LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
  set(lab_sources)
  foreach(folder models train unlearn collect experiment language)
    file(GLOB_RECURSE found CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/vestige/${folder}/*.cpp)
    list(APPEND lab_sources ${found})
  endforeach()
  add_library(vestige_lab STATIC ${lab_sources})
  # Private, so that what uses the lab sees only its torch-free headers; tests and benchmarks of the
  # lab link vestige_torch themselves.
  add_library(vestige_torch INTERFACE)
  target_include_directories(vestige_torch SYSTEM INTERFACE ${TORCH_INCLUDE_DIRS})
  target_link_libraries(vestige_torch INTERFACE ${TORCH_LIBRARIES})
  separate_arguments(torch_flags UNIX_COMMAND "${TORCH_CXX_FLAGS}")
  # ccache takes a precompiled header's use as cacheable only with this (and the sloppiness that
  # CMakeLists.txt sets).
  target_compile_options(vestige_torch INTERFACE ${torch_flags} -fpch-preprocess)
  # Recording training steps needs CUDA's headers and a LibTorch with CUDA; Debian's has none.
  find_library(VESTIGE_C10_CUDA c10_cuda HINTS ${TORCH_INSTALL_PREFIX}/lib NO_DEFAULT_PATH)
  file(GLOB cuda_folders ${TORCH_INSTALL_PREFIX}/../nvidia/cu*/include
       ${TORCH_INSTALL_PREFIX}/../nvidia/cuda_runtime/include)
  find_path(VESTIGE_CUDA_HEADERS cuda_runtime_api.h HINTS ${CUDA_TOOLKIT_ROOT_DIR}/include
            $ENV{CUDA_HOME}/include /usr/local/cuda/include ${cuda_folders})
  if(VESTIGE_C10_CUDA AND VESTIGE_CUDA_HEADERS)
    message(STATUS "Training steps are recorded on CUDA: headers in ${VESTIGE_CUDA_HEADERS}")
    target_include_directories(vestige_torch SYSTEM INTERFACE ${VESTIGE_CUDA_HEADERS})
    target_compile_definitions(vestige_torch INTERFACE VESTIGE_CUDA_GRAPHS)
    target_link_libraries(vestige_torch INTERFACE ${VESTIGE_C10_CUDA})
  endif()
  # PyTorch's own packages bring the headers of another fmt than the system's library.
  foreach(folder ${TORCH_INCLUDE_DIRS})
    if(EXISTS ${folder}/fmt/format.h AND NOT folder STREQUAL "/usr/include")
      target_compile_definitions(vestige_torch INTERFACE FMT_HEADER_ONLY=1)
    endif()
  endforeach()
  target_link_libraries(vestige_lab PUBLIC vestige_data PRIVATE vestige_torch vestige_warnings ${CMAKE_DL_LIBS})
  target_precompile_headers(vestige_lab PRIVATE <vestige/models/torch.h>)
  # The work is done in LibTorch's own library.
  target_compile_options(vestige_lab PRIVATE $<$<CONFIG:Release>:-O1>)
  vestige_unity(vestige_lab)
  add_dependencies(vestige_lab vestige_tokenizer)
endif()
