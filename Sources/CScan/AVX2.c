#if defined(__x86_64__)

// What value.h needs, with AVX2: a block is two registers, four blocks of masks are the lanes of one.
#include <immintrin.h>

#include "CScan.h"
#include "utf8.h"

#pragma clang attribute push(__attribute__((target("avx2,bmi,bmi2,pclmul,popcnt,lzcnt"))), apply_to = function)

#define BODY(name) name##_avx2
#define LANES 4
#define INLINE static inline __attribute__((always_inline))

typedef struct {
  __m256i low, high;
} block;
typedef __m256i lanes;

INLINE __m256i each(char byte) { return _mm256_set1_epi8(byte); }

INLINE uint64_t mask_of(__m256i low, __m256i high) {
  return (uint32_t)_mm256_movemask_epi8(low) | (uint64_t)(uint32_t)_mm256_movemask_epi8(high) << 32;
}

INLINE block load(const uint8_t *at) {
  return (block){_mm256_loadu_si256((const __m256i *)at), _mm256_loadu_si256((const __m256i *)(at + 32))};
}

// MARK: Bytes of a block, as masks

INLINE uint64_t where(block bytes, char byte) {
  return mask_of(_mm256_cmpeq_epi8(bytes.low, each(byte)), _mm256_cmpeq_epi8(bytes.high, each(byte)));
}

INLINE uint64_t where_high(block bytes) { return mask_of(bytes.low, bytes.high); }
INLINE bool has_high(block bytes) { return !_mm256_testz_si256(bytes.low | bytes.high, each((char)0x80)); }

INLINE __m256i controls(__m256i half) { return _mm256_cmpeq_epi8(_mm256_min_epu8(half, each(0x1F)), half); }
INLINE uint64_t where_control(block bytes) { return mask_of(controls(bytes.low), controls(bytes.high)); }

INLINE block with_bit_5(block bytes) { return (block){bytes.low | each(0x20), bytes.high | each(0x20)}; }
INLINE uint64_t where_bit_5(block bytes) {
  return mask_of(_mm256_slli_epi16(bytes.low, 2), _mm256_slli_epi16(bytes.high, 2));
}

INLINE __m256i blanks(__m256i half) { return _mm256_cmpeq_epi8(half, each(' ')) | _mm256_cmpeq_epi8(half, each('\t')); }
INLINE uint64_t where_blank(block bytes) { return mask_of(blanks(bytes.low), blanks(bytes.high)); }

// The addition makes digits the highest signed numbers.
INLINE __m256i digits(__m256i half) { return _mm256_cmpgt_epi8(_mm256_add_epi8(half, each(0x46)), each(0x75)); }
INLINE uint64_t where_digit(block bytes) { return mask_of(digits(bytes.low), digits(bytes.high)); }

INLINE __m256i table(__m128i entries, __m256i nibbles) {
  return _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(entries), nibbles);
}
INLINE __m256i low_nibbles(__m256i half) { return half & each(15); }
INLINE __m256i high_nibbles(__m256i half) { return _mm256_srli_epi16(half, 4) & each(15); }

INLINE __m256i escape_letters(__m256i half) {
  const __m128i low = _mm_setr_epi8(0, 0, 7, 0, 4, 0, 2, 0, 0, 0, 0, 0, 0, 0, 2, 1);
  const __m128i high = _mm_setr_epi8(0, 0, 1, 0, 0, 0, 2, 4, 0, 0, 0, 0, 0, 0, 0, 0);
  // `/` is 2F, `"` 22, `b` 62, `f` 66, `n` 6E, `r` 72, `t` 74. Whoever asks knows where backslashes are.
  return _mm256_cmpgt_epi8(table(low, low_nibbles(half)) & table(high, high_nibbles(half)), _mm256_setzero_si256());
}
INLINE uint64_t where_escape_letter(block bytes) {
  return mask_of(escape_letters(bytes.low), escape_letters(bytes.high));
}

INLINE __m256i stops(__m256i half) {
  return _mm256_cmpeq_epi8(half, each('"')) | _mm256_cmpeq_epi8(half, each('\\')) | controls(half);
}
// Where a text may end: quotes, backslashes, control characters.
INLINE bool has_stop(block bytes) { return !_mm256_testz_si256(stops(bytes.low) | stops(bytes.high), each(-1)); }
INLINE uint64_t where_stop(block bytes) { return mask_of(stops(bytes.low), stops(bytes.high)); }

INLINE __m256i utf8_faults(__m256i half, const uint8_t *at) {
  __m256i first = _mm256_loadu_si256((const __m256i *)(at - 1));
  __m256i pairs = table(_mm_setr_epi8(CSCAN_FIRST_HIGH), high_nibbles(first)) &
                  table(_mm_setr_epi8(CSCAN_FIRST_LOW), low_nibbles(first)) &
                  table(_mm_setr_epi8(CSCAN_SECOND_HIGH), high_nibbles(half));
  __m256i of_three = _mm256_subs_epu8(_mm256_loadu_si256((const __m256i *)(at - 2)), each(0x60));
  __m256i of_four = _mm256_subs_epu8(_mm256_loadu_si256((const __m256i *)(at - 3)), each(0x70));
  return pairs ^ ((of_three | of_four) & each((char)0x80));
}
// The bytes that are wrong as UTF-8 where they stand, all zero if none is. The three bytes before `at` are read, too.
INLINE block utf8_faults_of(block bytes, const uint8_t *at) {
  return (block){utf8_faults(bytes.low, at), utf8_faults(bytes.high, at + 32)};
}
INLINE bool has_any(block bytes) { return !_mm256_testz_si256(bytes.low | bytes.high, each(-1)); }
INLINE uint64_t where_any(block bytes) {
  __m256i zero = _mm256_setzero_si256();
  return ~mask_of(_mm256_cmpeq_epi8(bytes.low, zero), _mm256_cmpeq_epi8(bytes.high, zero));
}

INLINE uint64_t within_quotes(uint64_t quotes) {
  return (uint64_t)_mm_cvtsi128_si64(_mm_clmulepi64_si128(_mm_cvtsi64_si128((long long)quotes), _mm_set1_epi8(-1), 0));
}

// MARK: Masks of blocks, as lanes

INLINE lanes masks(const uint64_t *from) { return _mm256_load_si256((const __m256i *)from); }
INLINE void store_masks(uint64_t *to, lanes from) { _mm256_store_si256((__m256i *)to, from); }
INLINE lanes no_lanes(void) { return _mm256_setzero_si256(); }
INLINE unsigned lanes_with_any(lanes of) {
  return ~(unsigned)_mm256_movemask_pd((__m256d)_mm256_cmpeq_epi64(of, no_lanes())) & 15;
}
INLINE bool any_lane(lanes of) { return !_mm256_testz_si256(of, of); }
// The lane before each lane; before the first one, the last of `earlier`.
INLINE lanes lanes_before(lanes of, lanes earlier) {
  return _mm256_permute4x64_epi64(_mm256_blend_epi32(of, earlier, 0xC0), 0x93);
}
#define SHIFTED(of, before, by) (_mm256_slli_epi64(of, by) | _mm256_srli_epi64(before, 64 - (by)))

// The sum of two numbers of 256 bits, with `carry` from the group before.
INLINE lanes sum(lanes left, lanes right, unsigned *carry) {
  static const int64_t carried[16][4] __attribute__((aligned(32))) = {
      {0, 0, 0, 0},  {1, 0, 0, 0},  {0, 1, 0, 0},  {1, 1, 0, 0},  {0, 0, 1, 0}, {1, 0, 1, 0},
      {0, 1, 1, 0},  {1, 1, 1, 0},  {0, 0, 0, 1},  {1, 0, 0, 1},  {0, 1, 0, 1}, {1, 1, 0, 1},
      {0, 0, 1, 1},  {1, 0, 1, 1},  {0, 1, 1, 1},  {1, 1, 1, 1}};
  const lanes sign = _mm256_set1_epi64x(INT64_MIN);
  lanes total = _mm256_add_epi64(left, right);
  unsigned over = (unsigned)_mm256_movemask_pd((__m256d)_mm256_cmpgt_epi64(left ^ sign, total ^ sign));
  unsigned full = (unsigned)_mm256_movemask_pd((__m256d)_mm256_cmpeq_epi64(total, _mm256_set1_epi64x(-1)));
  // A lane that is full hands on what it gets: an addition of four bits knows how far.
  unsigned given = ((over << 1 | *carry) + full) ^ full;
  *carry = given >> LANES & 1;
  return _mm256_add_epi64(total, masks((const uint64_t *)carried[given & 15]));
}

#include "value.h"

#pragma clang attribute pop
#endif
