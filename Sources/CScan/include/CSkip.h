#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

// Skip values of JSON that are known to be right. Nothing outside of `base[0..<end]` is read, whatever stands there.

/// The offset of the quote that ends a string, from behind its opening quote on; `end` if there is none. `escaped` becomes
/// true if a backslash stands before it.
static inline size_t cscan_quote(const uint8_t *_Nonnull base, size_t at, size_t end, bool *_Nonnull escaped) {
  while (at < end) {
#if defined(__SSE2__)
    while (at + 16 <= end) {
      __m128i block = _mm_loadu_si128((const __m128i *)(base + at));
      __m128i quote = _mm_cmpeq_epi8(block, _mm_set1_epi8('"'));
      __m128i backslash = _mm_cmpeq_epi8(block, _mm_set1_epi8('\\'));
      unsigned found = (unsigned)_mm_movemask_epi8(_mm_or_si128(quote, backslash));
      if (found) {
        at += (size_t)__builtin_ctz(found);
        break;
      }
      at += 16;
    }
    if (at >= end) break;
#endif
    if (base[at] == '"') return at;
    if (base[at] == '\\') {
      *escaped = true;
      at++;
    }
    at++;
  }
  return end;
}

/// The offset behind the object or array that begins at `at`; `end` if it does not end.
static inline size_t cscan_nested_end(const uint8_t *_Nonnull base, size_t at, size_t end) {
  size_t depth = 0;
  bool escaped = false;
  for (; at < end; at++) {
    uint8_t byte = base[at];
    if (byte == '"') {
      at = cscan_quote(base, at + 1, end, &escaped);
    } else if ((byte | 0x20) == '{') {
      depth++;
    } else if ((byte | 0x20) == '}') {
      if (--depth == 0) return at + 1;
    }
  }
  return end;
}
