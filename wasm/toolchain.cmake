# Finds the Emscripten that is on the PATH (the distribution's or a newer one) and hands over to its toolchain file.
if(NOT EMSCRIPTEN_ROOT_PATH)
  find_program(em_config em-config REQUIRED)
  execute_process(COMMAND ${em_config} EMSCRIPTEN_ROOT
    OUTPUT_VARIABLE EMSCRIPTEN_ROOT_PATH OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
endif()
include(${EMSCRIPTEN_ROOT_PATH}/cmake/Modules/Platform/Emscripten.cmake)
