# Finds the command hindmost, and gives programs their progress map.
#
#   list(APPEND CMAKE_MODULE_PATH /where/this/file/is)
#   find_package(Hindmost)
#   hindmost_add_map(TARGET [SIDECAR] [REQUIRED])
#
# Sets Hindmost_FOUND, Hindmost_EXECUTABLE and Hindmost_VERSION. hindmost_add_map puts the map into the program whenever it
# has been linked; with SIDECAR it is written beside it, as PROGRAM.hmap, instead. Without hindmost, or when no map can be made (the build has no -g),
# the build goes on and says so; with REQUIRED it fails.

find_program(Hindmost_EXECUTABLE hindmost DOC "The command hindmost")
mark_as_advanced(Hindmost_EXECUTABLE)

if(Hindmost_EXECUTABLE)
  execute_process(
    COMMAND "${Hindmost_EXECUTABLE}" --version
    OUTPUT_VARIABLE _hindmost_says
    OUTPUT_STRIP_TRAILING_WHITESPACE
    ERROR_QUIET)
  string(REGEX REPLACE "^hindmost " "" Hindmost_VERSION "${_hindmost_says}")
  unset(_hindmost_says)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  Hindmost
  REQUIRED_VARS Hindmost_EXECUTABLE
  VERSION_VAR Hindmost_VERSION)

function(hindmost_add_map target)
  cmake_parse_arguments(PARSE_ARGV 1 _map "SIDECAR;REQUIRED" "" "")
  if(_map_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "hindmost_add_map: unknown arguments: ${_map_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT Hindmost_FOUND)
    if(_map_REQUIRED)
      message(FATAL_ERROR "hindmost_add_map(${target}): hindmost was not found")
    endif()
    message(STATUS "hindmost was not found: ${target} gets no progress map")
    return()
  endif()
  if(_map_SIDECAR)
    set(_map_command map -q --exe "$<TARGET_FILE:${target}>")
  else()
    set(_map_command embed -q "$<TARGET_FILE:${target}>")
  endif()
  set(_map_otherwise "")
  if(NOT _map_REQUIRED)
    set(_map_otherwise || "${CMAKE_COMMAND}" -E echo "${target} gets no progress map")
  endif()
  add_custom_command(
    TARGET ${target}
    POST_BUILD
    COMMAND "${Hindmost_EXECUTABLE}" ${_map_command} ${_map_otherwise}
    COMMENT "Progress map of ${target}")
endfunction()
