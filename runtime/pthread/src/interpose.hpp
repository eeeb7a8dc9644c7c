// Marks the functions that take the place of the C library's.
#pragma once

/// Stands before definitions that take the place of the C library's; exports.txt names them, too.
#define KUMIKO_INTERPOSE extern "C" [[gnu::visibility("default")]]
