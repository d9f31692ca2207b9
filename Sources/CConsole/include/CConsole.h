#pragma once
#include <stddef.h>
#include <stdint.h>

/// A file that the server shows in a browser. It is a part of the program.
typedef struct {
  /// The path of its page: `/` for the page itself.
  const char *_Nonnull path;
  /// Its whole `Content-Type`.
  const char *_Nonnull type;
  const uint8_t *_Nonnull bytes;
  size_t count;
} cconsole_file;

/// The file at a place in `0..<cconsole_file_count()`.
const cconsole_file *_Nonnull cconsole_file_at(size_t place);
/// How many files there are.
size_t cconsole_file_count(void);
