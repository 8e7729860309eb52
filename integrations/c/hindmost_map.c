/* The library libhindmost-map: the reader of hindmost_map.h, compiled once. */
#define HINDMOST_MAP_IMPLEMENTATION
#include "hindmost_map.h"
