#if defined(__x86_64__)

// What value.h needs, with AVX-512: a block is one register, and so are eight blocks of masks.
#include <immintrin.h>

#include "CScan.h"
#include "utf8.h"

#pragma clang attribute push(                                                                                       \
    __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,avx512vbmi2,bmi,bmi2,pclmul,popcnt,lzcnt"))), \
    apply_to = function)

#define BODY(name) name##_avx512
#define LANES 8
#define FINDS_WORDS
#define INLINE static inline __attribute__((always_inline))

typedef __m512i block;
typedef __m512i lanes;

INLINE __m512i each(char byte) { return _mm512_set1_epi8(byte); }
INLINE block load(const uint8_t *at) { return _mm512_loadu_si512(at); }

// MARK: Bytes of a block, as masks

INLINE uint64_t where(block bytes, char byte) { return _mm512_cmpeq_epi8_mask(bytes, each(byte)); }
INLINE uint64_t where_high(block bytes) { return _mm512_movepi8_mask(bytes); }
INLINE bool has_high(block bytes) { return where_high(bytes) != 0; }
INLINE uint64_t where_control(block bytes) { return _mm512_cmplt_epu8_mask(bytes, each(0x20)); }
INLINE block with_bit_5(block bytes) { return bytes | each(0x20); }
INLINE uint64_t where_bit_5(block bytes) { return _mm512_test_epi8_mask(bytes, each(0x20)); }

INLINE __m512i table(__m128i entries, __m512i nibbles) {
  return _mm512_shuffle_epi8(_mm512_broadcast_i32x4(entries), nibbles);
}
INLINE __m512i low_nibbles(block bytes) { return bytes & each(15); }
INLINE __m512i high_nibbles(block bytes) { return _mm512_srli_epi16(bytes, 4) & each(15); }

INLINE uint64_t where_blank(block bytes) {
  // Only the nibbles of a blank find the blank itself.
  return _mm512_cmpeq_epi8_mask(bytes, table(_mm_setr_epi8(' ', 0, 0, 0, 0, 0, 0, 0, 0, '\t', 0, 0, 0, 0, 0, 0), bytes));
}

INLINE uint64_t where_digit(block bytes) {
  return _mm512_cmplt_epu8_mask(_mm512_sub_epi8(bytes, each('0')), each(10));
}

INLINE uint64_t where_escape_letter(block bytes) {
  const __m128i low = _mm_setr_epi8(0, 0, 7, 0, 4, 0, 2, 0, 0, 0, 0, 0, 0, 0, 2, 1);
  const __m128i high = _mm_setr_epi8(0, 0, 1, 0, 0, 0, 2, 4, 0, 0, 0, 0, 0, 0, 0, 0);
  // `/` is 2F, `"` 22, `b` 62, `f` 66, `n` 6E, `r` 72, `t` 74. Whoever asks knows where backslashes are.
  return _mm512_test_epi8_mask(table(low, low_nibbles(bytes)), table(high, high_nibbles(bytes)));
}

// Where a text may end: quotes, backslashes, control characters.
INLINE uint64_t where_stop(block bytes) { return where(bytes, '"') | where(bytes, '\\') | where_control(bytes); }
INLINE bool has_stop(block bytes) { return where_stop(bytes) != 0; }

// The bytes that are wrong as UTF-8 where they stand, all zero if none is. The three bytes before `at` are read, too.
INLINE block utf8_faults_of(block bytes, const uint8_t *at) {
  block first = load(at - 1);
  block pairs = table(_mm_setr_epi8(CSCAN_FIRST_HIGH), high_nibbles(first)) &
                table(_mm_setr_epi8(CSCAN_FIRST_LOW), low_nibbles(first)) &
                table(_mm_setr_epi8(CSCAN_SECOND_HIGH), high_nibbles(bytes));
  block of_three = _mm512_subs_epu8(load(at - 2), each(0x60));
  block of_four = _mm512_subs_epu8(load(at - 3), each(0x70));
  return pairs ^ ((of_three | of_four) & each((char)0x80));
}
INLINE uint64_t where_any(block bytes) { return _mm512_test_epi8_mask(bytes, bytes); }
INLINE bool has_any(block bytes) { return where_any(bytes) != 0; }

INLINE uint64_t within_quotes(uint64_t quotes) {
  return (uint64_t)_mm_cvtsi128_si64(_mm_clmulepi64_si128(_mm_cvtsi64_si128((long long)quotes), _mm_set1_epi8(-1), 0));
}

#define FOLLOWED(found, behind, byte) _mm512_mask_cmpeq_epi8_mask(found, behind, each(byte))
// The words of four letters and of five that begin in the block at `at`. Four bytes behind it are read, too.
INLINE void find_words(block bytes, const uint8_t *at, uint64_t *four, uint64_t *five) {
  block second = load(at + 1), third = load(at + 2), fourth = load(at + 3), fifth = load(at + 4);
  uint64_t true_word = FOLLOWED(FOLLOWED(FOLLOWED(where(bytes, 't'), second, 'r'), third, 'u'), fourth, 'e');
  uint64_t null_word = FOLLOWED(FOLLOWED(FOLLOWED(where(bytes, 'n'), second, 'u'), third, 'l'), fourth, 'l');
  uint64_t fals = FOLLOWED(FOLLOWED(FOLLOWED(where(bytes, 'f'), second, 'a'), third, 'l'), fourth, 's');
  *four = true_word | null_word;
  *five = FOLLOWED(fals, fifth, 'e');
}

// MARK: Masks of blocks, as lanes

INLINE lanes masks(const uint64_t *from) { return _mm512_load_si512(from); }
INLINE void store_masks(uint64_t *to, lanes from) { _mm512_store_si512(to, from); }
INLINE lanes no_lanes(void) { return _mm512_setzero_si512(); }
INLINE unsigned lanes_with_any(lanes of) { return _mm512_test_epi64_mask(of, of); }
INLINE bool any_lane(lanes of) { return lanes_with_any(of) != 0; }
// The lane before each lane; before the first one, the last of `earlier`.
INLINE lanes lanes_before(lanes of, lanes earlier) { return _mm512_alignr_epi64(of, earlier, 7); }
#define SHIFTED(of, before, by) _mm512_shldi_epi64(of, before, by)

// The sum of two numbers of 512 bits, with `carry` from the group before.
INLINE lanes sum(lanes left, lanes right, unsigned *carry) {
  const lanes ones = _mm512_set1_epi64(-1);
  lanes total = _mm512_add_epi64(left, right);
  unsigned over = _mm512_cmplt_epu64_mask(total, left), full = _mm512_cmpeq_epi64_mask(total, ones);
  // A lane that is full hands on what it gets: an addition of eight bits knows how far.
  unsigned given = ((over << 1 | *carry) + full) ^ full;
  *carry = given >> LANES & 1;
  return _mm512_mask_sub_epi64(total, (__mmask8)given, total, ones);
}

#include "value.h"

#pragma clang attribute pop
#endif
