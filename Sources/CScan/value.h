#pragma once

// How a JSON value is checked, 64 bytes at a time, without a branch on a token. AVX2.c and AVX512.c include this, each with
// its own blocks and lanes.
//
// Each block is made into masks: one bit a byte. Texts and brackets are followed from block to block. All else is a
// function of masks alone, and is looked at for LANES blocks at once, as the lanes of a register (grammar.h).
//
// Known ideas: odd runs of backslashes by an addition, and texts by a carry-less multiplication (Langdale and Lemire,
// 2019); UTF-8 by nibbles of two bytes (Keiser and Lemire, 2021).
//
// On the same machine, with payloads of 1 KB that all differ: 3.1 to 4.3 GB/s with AVX2, 4.4 to 5.8 with AVX-512, and 0.5 to
// 2.0 for the reader of tokens. Where there are mostly words or escapes, it is half of that (Benchmarks/scanners/run).

#define UNLIKELY(condition) __builtin_expect(!!(condition), 0)

#include "escapes.h"
#include "grammar.h"

// MARK: Texts

// Skips whole blocks within a text in which nothing but text stands, as far as a block may be read where it is. Returns
// where it stops: at a block with a stop, or with bytes that are no UTF-8.
INLINE const uint8_t *skip_text(const uint8_t *at, const uint8_t *last) {
  bool was_high = true;
  while (at <= last) {
    block bytes = load(at);
    bool is_high = has_high(bytes);
    if (has_stop(bytes) || ((is_high | was_high) && has_any(utf8_faults_of(bytes, at)))) break;
    was_high = is_high;
    at += 64;
  }
  return at;
}

// The beginning of the character that stands before `at` or lasts beyond it; `at` itself behind ASCII.
INLINE const uint8_t *character_before(const uint8_t *at) {
  if (at[-1] < 0x80) return at;
  do at--;
  while ((*at & 0xC0) == 0x80);
  return at;
}

size_t BODY(cscan_text)(const uint8_t *base, size_t start, size_t limit) {
  // A block that ends with the line feed begins in the line, with three bytes before it.
  if (limit < 67 || start < 3) return start;
  const uint8_t *const last = base + limit - 63, *at = skip_text(base + start, last);
  // Bytes that were seen are looked at again; but stops before the text do not count.
  const uint8_t *const seen = at;
  if (at > last) at = last;
  block bytes = load(at);
  uint64_t found = where_stop(bytes) & ~(uint64_t)0 << (seen - at);
  uint64_t up_to_stop = found ^ (found - 1);
  if (!(where_any(utf8_faults_of(bytes, at)) & up_to_stop)) return (size_t)(at - base) + __builtin_ctzll(found);
  return (size_t)((seen == base + start ? seen : character_before(seen)) - base);
}

// MARK: Brackets

// What is open is one word: the innermost at the top, 1 for an object, and a 1 below all.
#define NOTHING_OPEN ((uint64_t)1 << 63)

INLINE uint64_t innermost(uint64_t open) { return (uint64_t)((int64_t)open >> 63); }

// Opens `brackets`, the lowest first; at least one.
INLINE uint64_t opened(uint64_t open, uint64_t brackets, uint64_t curly) {
  int count = __builtin_popcountll(brackets);
  return open >> count | _pext_u64(curly, brackets) << 1 << (63 - count);
}

// Follows the brackets of a block, and notes in `objects` behind which of them an object is open. `up_to_end` becomes the
// bytes up to the end of the value if it ends here, else 0. Returns whether each bracket closes one of its kind.
INLINE bool follow_brackets(
    uint64_t opening, uint64_t closing, uint64_t curly, uint64_t *open, uint64_t *objects, uint64_t *up_to_end) {
  uint64_t wrong = 0;
  *objects = opening & curly;
  *up_to_end = 0;
  while (closing) {
    uint64_t up_to = closing ^ (closing - 1), before = opening & up_to, bracket = closing & -closing;
    if (before) {
      *open = opened(*open, before, curly);
      opening ^= before;
    }
    wrong |= (innermost(*open) ^ curly) & bracket;
    *open <<= 1;
    if (*open == NOTHING_OPEN) {
      *up_to_end = up_to;
      return !wrong;
    }
    *objects |= innermost(*open) & bracket;
    closing ^= bracket;
  }
  if (opening) *open = opened(*open, opening, curly);
  return !wrong;
}

// MARK: The value

// What is kept from block to block.
typedef struct {
  // All bits, or none: whether the block begins within a text, and whether a backslash stands before it.
  uint64_t within, escaped;
  // Whether one of the last three bytes was beyond ASCII.
  uint64_t high;
  // The second half of a pair of surrogates that was looked at with the first.
  const uint8_t *pair;
  uint64_t open;
} place;

// Looks at the texts of a block: which of its bytes are quotes, and which stand within quotes. Returns false if something is
// wrong with them.
INLINE bool take_texts(
    block bytes, const uint8_t *at, const uint8_t *bytes_at, const uint8_t *end, place *here, uint64_t *quotes,
    uint64_t *within) {
  uint64_t high = where_high(bytes), backslashes = where(bytes, '\\');
  *quotes = where(bytes, '"');
  if ((high | here->high) && has_any(utf8_faults_of(bytes, bytes_at))) return false;
  here->high = high >> 61;
  if ((backslashes | here->escaped) &&
      !take_escapes(bytes, at, end, backslashes, &here->escaped, quotes, &here->pair)) {
    return false;
  }
  *within = within_quotes(*quotes) ^ here->within;
  here->within = (uint64_t)((int64_t)*within >> 63);
  return true;
}

// Puts down what the grammar of a group asks of a block.
INLINE void note_block(group *all, unsigned lane, block bytes, const uint8_t *at, const uint8_t *bytes_at) {
  block lower = with_bit_5(bytes);
  all->masks[BLANK][lane] = where_blank(bytes);
  all->masks[COMMA][lane] = where(bytes, ',');
  all->masks[COLON][lane] = where(bytes, ':');
  all->masks[DIGIT][lane] = where_digit(bytes);
  all->masks[ZERO][lane] = where(bytes, '0');
  all->masks[MINUS][lane] = where(bytes, '-');
  all->masks[PLUS][lane] = where(bytes, '+');
  all->masks[DOT][lane] = where(bytes, '.');
  all->masks[EXPONENT][lane] = where(lower, 'e');
#ifdef FINDS_WORDS
  find_words(bytes, bytes_at, &all->masks[FOUR][lane], &all->masks[FIVE][lane]);
#else
  all->masks[FIVE][lane] = where(bytes, 'f');
  all->at[lane] = at;
#endif
  (void)at, (void)bytes_at;
}

size_t BODY(cscan_value)(const uint8_t *base, size_t start, size_t limit, int most, uint64_t open) {
  const uint8_t *const line_feed = base + limit, *const end = line_feed + 1;
  // Up to here a whole block can be read where it stands, with the bytes of a word behind it.
  const uint8_t *const last = line_feed - 71;
  // The last blocks, with up to eight bytes before and eight behind; line feeds follow the line.
  uint8_t copy[8 + 64 + 8];
  place here = {.open = open};
  group all;
  unsigned lane = 0;
  begin_group(&all, open != NOTHING_OPEN && innermost(open));
  if (most > MOST_OPEN) most = MOST_OPEN;
  for (const uint8_t *at = base + start; at <= line_feed; at += 64) {
    const uint8_t *bytes_at = at;
    if (UNLIKELY(at > last)) {
      size_t before = at - base < 8 ? (size_t)(at - base) : 8, left = (size_t)(end - at);
      memset(copy, '\n', sizeof copy);
      memcpy(copy + 8 - before, at - before, before + (left < 72 ? left : 72));
      bytes_at = copy + 8;
    }
    block bytes = load(bytes_at);
    uint64_t quotes, within;
    if (!take_texts(bytes, at, bytes_at, end, &here, &quotes, &within)) return 0;
    uint64_t control = where_control(bytes);
    if (within == ~(uint64_t)0 && !quotes) {  // nothing but text
      if (control) return 0;
      if (!here.escaped) {
        at = skip_text(at + 64, last) - 64;
        here.high = at[63] >> 7 | at[62] >> 7 | at[61] >> 7;
      }
      continue;
    }
    const block lower = with_bit_5(bytes);
    uint64_t out = ~(within | quotes), curly = where_bit_5(bytes);
    uint64_t opening = where(lower, '{') & out, closing = where(lower, '}') & out, objects, up_to_end;
    if (__builtin_ctzll(here.open) + most < 63 + __builtin_popcountll(opening)) return 0;
    if (!follow_brackets(opening, closing, curly, &here.open, &objects, &up_to_end)) return 0;
    all.masks[CONTROL][lane] = control;
    all.masks[WITHIN][lane] = within;
    all.masks[QUOTE][lane] = quotes;
    all.masks[OPENING][lane] = opening;
    all.masks[CLOSING][lane] = closing;
    all.masks[OBJECT][lane] = objects;
    note_block(&all, lane, bytes, at, bytes_at);
    lane++;
    if (up_to_end) {
      if (!is_right(&all, lane, up_to_end, end)) return 0;
      return (size_t)(at - base) + (size_t)__builtin_popcountll(up_to_end);
    }
    if (lane == LANES) {
      if (!is_right(&all, LANES, ~(uint64_t)0, end)) return 0;
      lane = 0;
    }
  }
  return 0;
}
