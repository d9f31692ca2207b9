#pragma once

// Escapes of a block. A file that includes this has the masks of a block (AVX2.c, AVX512.c).

// A hexadecimal digit's value and 16; 0 for any other byte.
static const uint8_t hex_digit[256] = {
    ['0'] = 16, ['1'] = 17, ['2'] = 18, ['3'] = 19, ['4'] = 20, ['5'] = 21, ['6'] = 22, ['7'] = 23,
    ['8'] = 24, ['9'] = 25, ['a'] = 26, ['b'] = 27, ['c'] = 28, ['d'] = 29, ['e'] = 30, ['f'] = 31,
    ['A'] = 26, ['B'] = 27, ['C'] = 28, ['D'] = 29, ['E'] = 30, ['F'] = 31};

// The number of four hexadecimal digits; more than 0xFFFF if one of them is none.
INLINE unsigned hex_number(const uint8_t *digits) {
  unsigned first = hex_digit[digits[0]], second = hex_digit[digits[1]];
  unsigned third = hex_digit[digits[2]], fourth = hex_digit[digits[3]];
  unsigned number = (first & 15) << 12 | (second & 15) << 8 | (third & 15) << 4 | (fourth & 15);
  return number | (~(first & second & third & fourth) & 16) << 16;
}

// The bytes that stand behind an odd number of backslashes. `carried` is whether the first byte does, and becomes whether
// the first one of the next block does.
INLINE uint64_t where_escaped(uint64_t backslashes, uint64_t *carried) {
  const uint64_t even = 0x5555555555555555;
  uint64_t simply = backslashes << 1 | *carried;
  if (!(backslashes & simply)) {
    *carried = backslashes >> 63;
    return simply;
  }
  // Runs of backslashes that begin at even places, and those that begin at odd ones. The addition finds where each ends.
  uint64_t counting = backslashes & ~*carried, starts = counting & ~(counting << 1), ends_of_odd;
  uint64_t ends_of_even = counting + (starts & even);
  uint64_t goes_on = __builtin_add_overflow(counting, starts & ~even, &ends_of_odd);
  uint64_t escaped = (((ends_of_even & ~even) | (ends_of_odd & even)) & ~counting) | *carried;
  *carried = goes_on;
  return escaped;
}

// Whether the four digits at `digits`, behind `\u`, are those of a character, or of the first half of a pair whose second
// one follows. `pair` is where the digits of the latest second half stand.
INLINE bool is_unicode_escape(const uint8_t *digits, const uint8_t *end, const uint8_t **pair) {
  if (digits + 4 > end) return false;
  unsigned unit = hex_number(digits);
  if (unit > 0xFFFF) return false;
  if ((unit & 0xF800) != 0xD800 || digits == *pair) return true;
  if (unit >= 0xDC00 || digits + 10 > end || digits[4] != '\\' || digits[5] != 'u') return false;
  *pair = digits + 6;
  return (hex_number(digits + 6) & 0xFFFFFC00u) == 0xDC00;
}

// Whether all escapes that begin in the block, or end in it, are right. Escaped quotes are taken out of `quotes`.
INLINE bool take_escapes(
    block bytes, const uint8_t *at, const uint8_t *end, uint64_t backslashes, uint64_t *carried, uint64_t *quotes,
    const uint8_t **pair) {
  uint64_t escaped = where_escaped(backslashes, carried), letters = escaped & ~backslashes;
  uint64_t units = where(bytes, 'u') & letters;
  *quotes &= ~escaped;
  if (letters & ~(where_escape_letter(bytes) | units)) return false;
  for (; units; units &= units - 1) {
    if (!is_unicode_escape(at + __builtin_ctzll(units) + 1, end, pair)) return false;
  }
  return true;
}
