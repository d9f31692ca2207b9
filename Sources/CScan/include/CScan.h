#pragma once
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "CBytes.h"
#include "CSkip.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

// The functions that look at 64 bytes at a time (value.h), with AVX-512 or AVX2. Which body they have is chosen once, when the
// program starts, by what the processor has; elsewhere they do nothing. For tests, BATON_SCANNER=none, avx2 or avx512 in
// the environment chooses one of those that the processor has.

/// Checks a value from the beginning `start` of a part of it, which is a value, too. `open` is what is open there, from the
/// object or array on in which the whole value consists: the innermost at the top, 1 for an object, and a 1 below all; only
/// the top bit if nothing is. No more than `most` may be open at a time.
///
/// Returns the offset behind the whole value, or 0 if it is not plainly right. 0 says nothing: also what is rare gives 0,
/// such as more than 62 levels, a CR, or a fault within 64 bytes behind the value. A value that is accepted is right by RFC 8259, in UTF-8, without lone surrogates.
///
/// `base[limit]` is a line feed, and `start` is 3 at least. Nothing is read outside of `base[0...limit]`, and nothing kept.
size_t cscan_value(const uint8_t *_Nonnull base, size_t start, size_t limit, int most, uint64_t open);

/// Skips the text of a JSON string from `start`, where a character begins. Returns the offset of a quote, a backslash, a
/// control character or a character up to which all is right in UTF-8; `start` if there is nothing to skip, or too little.
///
/// `base[limit]` is a line feed. Nothing is read outside of `base[0...limit]`.
size_t cscan_text(const uint8_t *_Nonnull base, size_t start, size_t limit);

/// The name of the body that is chosen.
const char *_Nonnull cscan_body(void);

/// Chooses another body; false if there is none of that name, or the processor lacks it. For tests, on one thread.
bool cscan_choose_body(const char *_Nonnull name);

/// The offset of the first LF in `bytes[0..<count]`, or `count` if there is none.
static inline size_t cscan_line_feed(const uint8_t *_Nonnull bytes, size_t count) {
  const uint8_t *hit = (const uint8_t *)memchr(bytes, '\n', count);
  return hit ? (size_t)(hit - bytes) : count;
}

// The functions that skip the plain text of JSON strings.
//
// Each returns an offset at or after `start`: the offset of the first byte in `base[start..<end]` that is not plain
// text. These bytes are `"`, `\`, bytes below 0x20 and bytes above 0x7F. The caller makes sure that there is such a
// byte; the LF of the line is one. Nothing outside of `base[0..<end]` is read.

/// Looks at one byte at a time.
static inline ptrdiff_t cscan_plain_text_end_bytewise(const uint8_t *_Nonnull base, ptrdiff_t start) {
  for (;; start++) {
    uint8_t byte = base[start];
    if (byte < 0x20 || byte > 0x7F || byte == '"' || byte == '\\') return start;
  }
}

/// Looks at eight bytes at a time, for machines without SSE2.
static inline ptrdiff_t cscan_plain_text_end_portable(const uint8_t *_Nonnull base, ptrdiff_t start, ptrdiff_t end) {
  const uint64_t ones = 0x0101010101010101u, highs = 0x8080808080808080u;
  for (; start + 8 <= end; start += 8) {
    uint64_t word;
    memcpy(&word, base + start, 8);
    uint64_t quote = word ^ (ones * '"'), backslash = word ^ (ones * '\\');
    // The highest bit of some byte is set if and only if one of the eight bytes stops the search. The bytewise search
    // finds which one.
    uint64_t hit = ((word - ones * 0x20) | (quote - ones) | (backslash - ones) | word) & highs;
    if (hit) break;
  }
  return cscan_plain_text_end_bytewise(base, start);
}

/// Whether `count` bytes are only ASCII letters, digits, `-`, `_` and dots, and each dot stands between two other
/// characters.
static inline bool cscan_plain_topic_bytewise(const uint8_t *_Nonnull topic, size_t count) {
  uint8_t previous = '.';
  for (size_t at = 0; at < count; at++) {
    uint8_t byte = topic[at], lower = byte | 0x20;
    bool is_other =
        (uint8_t)(lower - 'a') < 26 || (uint8_t)(byte - '0') < 10 || byte == '_' || byte == '-';
    if (!is_other && (byte != '.' || previous == '.')) return false;
    previous = byte;
  }
  return previous != '.';
}

#if defined(__SSE2__)

/// Sets all bits of each byte of `block` that stops the search, and clears all others.
static inline __m128i cscan_stops(__m128i block) {
  // As signed numbers, control characters and bytes beyond ASCII are below 0x20.
  __m128i low = _mm_cmplt_epi8(block, _mm_set1_epi8(0x20));
  __m128i quote = _mm_cmpeq_epi8(block, _mm_set1_epi8('"'));
  __m128i backslash = _mm_cmpeq_epi8(block, _mm_set1_epi8('\\'));
  return _mm_or_si128(low, _mm_or_si128(quote, backslash));
}

/// Reads 16 bytes at any address.
static inline __m128i cscan_load(const uint8_t *_Nonnull from) { return _mm_loadu_si128((const __m128i *)from); }

/// Skips blocks of 64 bytes until one of them has a byte that stops the search or fewer than 64 bytes are left. For
/// long texts. With mixed peers, whose texts have 2 KB at most: 13,503 instead of 13,566
/// instructions a request (`Benchmarks/compare --instructions`).
static inline ptrdiff_t cscan_skip_blocks(const uint8_t *_Nonnull base, ptrdiff_t start, ptrdiff_t end) {
  for (; start + 64 <= end; start += 64) {
    __m128i first = cscan_stops(cscan_load(base + start)), second = cscan_stops(cscan_load(base + start + 16));
    __m128i third = cscan_stops(cscan_load(base + start + 32)), fourth = cscan_stops(cscan_load(base + start + 48));
    if (_mm_movemask_epi8(_mm_or_si128(_mm_or_si128(first, second), _mm_or_si128(third, fourth)))) break;
  }
  return start;
}

/// Looks at 16 bytes at a time. The last 16 bytes before `end` are read as one block, even if some of them were seen
/// before.
static inline ptrdiff_t cscan_plain_text_end(const uint8_t *_Nonnull base, ptrdiff_t start, ptrdiff_t end) {
  int blocks = 0;
  while (start + 16 <= end) {
    unsigned stops = (unsigned)_mm_movemask_epi8(cscan_stops(cscan_load(base + start)));
    if (stops) return start + __builtin_ctz(stops);
    start += 16;
    if (++blocks == 4) start = cscan_skip_blocks(base, start, end);
  }
  if (end < 16) return cscan_plain_text_end_bytewise(base, start);
  unsigned stops = (unsigned)_mm_movemask_epi8(cscan_stops(cscan_load(base + end - 16)));
  return start + __builtin_ctz(stops >> (start - (end - 16)));
}

/// Sets all bits of each byte of `block` that is one of the `count` values from `first` on. All these values must be
/// ASCII.
static inline __m128i cscan_among(__m128i block, uint8_t first, uint8_t count) {
  // The subtraction makes these values the lowest signed numbers.
  __m128i shifted = _mm_sub_epi8(block, _mm_set1_epi8((char)(first + 128)));
  return _mm_cmplt_epi8(shifted, _mm_set1_epi8((char)(count - 128)));
}

/// The same as the bytewise function, 16 bytes at a time. `count` must not be 0. It is rounded up to a multiple of 16,
/// and that many bytes must be readable.
///
/// With mixed peers: 13,503 instead of 13,634 instructions a request; chain of three: 6,228 instead of 6,368 a message
/// (`Benchmarks/compare --instructions`).
static inline bool cscan_plain_topic(const uint8_t *_Nonnull topic, size_t count) {
  unsigned previous = 1;
  for (;; topic += 16, count -= 16) {
    __m128i block = cscan_load(topic);
    __m128i dot = _mm_cmpeq_epi8(block, _mm_set1_epi8('.'));
    __m128i sign = _mm_or_si128(_mm_cmpeq_epi8(block, _mm_set1_epi8('-')), _mm_cmpeq_epi8(block, _mm_set1_epi8('_')));
    __m128i letter = cscan_among(_mm_or_si128(block, _mm_set1_epi8(0x20)), 'a', 26);
    __m128i other = _mm_or_si128(_mm_or_si128(letter, cscan_among(block, '0', 10)), sign);
    unsigned all = count < 16 ? (1u << count) - 1 : 0xFFFF;
    unsigned dots = (unsigned)_mm_movemask_epi8(dot) & all, others = (unsigned)_mm_movemask_epi8(other) & all;
    if ((dots | others) != all || (dots & (dots << 1 | previous))) return false;
    if (count <= 16) return !(dots >> (count - 1));
    previous = dots >> 15;
  }
}

#else

/// The same, one byte at a time, for machines without SSE2.
static inline bool cscan_plain_topic(const uint8_t *_Nonnull topic, size_t count) {
  return cscan_plain_topic_bytewise(topic, count);
}

static inline ptrdiff_t cscan_plain_text_end(const uint8_t *_Nonnull base, ptrdiff_t start, ptrdiff_t end) {
  return cscan_plain_text_end_portable(base, start, end);
}

#endif
