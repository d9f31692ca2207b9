#pragma once
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/// The offset of the first LF in `bytes[0..<count]`, or `count` where there is none.
static inline size_t cscan_line_feed(const uint8_t *_Nonnull bytes, size_t count) {
  const uint8_t *hit = (const uint8_t *)memchr(bytes, '\n', count);
  return hit ? (size_t)(hit - bytes) : count;
}
