#pragma once

// The grammar of JSON for LANES blocks at once, as a function of their masks. Each token has one kind of token before it, and
// each kind allows a set of others behind it: so it is enough to find, for each kind, where the next token begins.

// The masks of a block that are kept for its group. FOUR and FIVE are where words begin that have as many letters.
enum {
  CONTROL, WITHIN, QUOTE, BLANK, COMMA, COLON, OPENING, CLOSING, OBJECT, DIGIT, ZERO, MINUS, PLUS, DOT, EXPONENT, FOUR,
  FIVE, KINDS
};

// As many brackets as one word can hold, with the 1 below them.
enum { MOST_OPEN = 62 };

typedef struct {
  uint64_t masks[KINDS][LANES] __attribute__((aligned(64)));
  // Where the blocks stand in the line. Not needed if words are found by masks.
  const uint8_t *at[LANES];
  // The same of the group before: what stands at its end may have to do with the first bytes of this one.
  lanes want_key, want_value, opened, key, bare, bracket, minus, dot, exponent, sign, zero, four, five;
  // Whether a sum has gone beyond the end of the group before.
  unsigned to_key, to_value, to_opened, to_colon, in_key, in_whole, in_part, in_object;
} group;

// The first bytes behind those of `of`.
INLINE lanes behind(lanes of, lanes *before) {
  lanes found = SHIFTED(of, lanes_before(of, *before), 1);
  *before = of;
  return found;
}

// The runs of bytes in `of` that begin at bytes of `start`, and the first bytes behind them.
INLINE lanes runs(lanes start, lanes of, unsigned *carry) { return of & ~sum(of, start, carry); }
INLINE lanes behind_runs(lanes start, lanes of, unsigned *carry) { return sum(of, start, carry) & ~of; }

// The first bytes of the tokens that follow those that end in `of`.
INLINE lanes next_tokens(lanes of, lanes *before, unsigned *carry, lanes blank, bool has_blank) {
  lanes found = behind(of, before);
  return has_blank ? behind_runs(found, blank, carry) : found;
}

// A value comes first.
INLINE void begin_group(group *all, bool is_in_object) {
  lanes none = no_lanes();
  // No branch depends on blocks that are not there.
  memset(all->masks, 0, sizeof all->masks);
  all->want_key = all->opened = all->key = all->bare = all->bracket = none;
  all->minus = all->dot = all->exponent = all->sign = all->zero = all->four = all->five = none;
  all->want_value = ~none;
  all->to_key = all->to_value = all->to_opened = all->to_colon = all->in_key = all->in_whole = all->in_part = 0;
  all->in_object = is_in_object;
}

#ifndef FINDS_WORDS

// Whether each bare token that begins with a letter, in the first `count` blocks, is a word. It is read where it stands.
INLINE bool are_words(const group *all, lanes words, unsigned count, uint64_t of_last, const uint8_t *end) {
  static const uint32_t spelled[4] = {0x736C6166, 0x6C6C756E, 0x65757274, 0};  // fals, null, true
  uint64_t starts[LANES] __attribute__((aligned(64)));
  uint32_t wrong = 0;
  store_masks(starts, words);
  starts[count - 1] &= of_last;
  for (unsigned lane = 0; lane < count; lane++) {
    for (uint64_t left = starts[lane]; left; left &= left - 1) {
      const uint8_t *at = all->at[lane] + __builtin_ctzll(left);
      uint32_t letters;
      if (at + 5 > end) return false;
      memcpy(&letters, at, 4);
      // Two bits of the first letter tell the word.
      uint32_t wanted = spelled[letters >> 3 & 3];
      wrong |= letters ^ wanted;
      if (wanted == spelled[0]) wrong |= at[4] ^ 'e';
    }
  }
  return !wrong;
}

#endif

// What is wrong with words. `bare` are the bytes of numbers and words; those of words are taken out of it.
INLINE lanes faults_of_words(group *all, lanes words, lanes four, lanes five, lanes *bare) {
  lanes before = lanes_before(words, all->four | all->five);
  lanes before_four = lanes_before(four, all->four), before_five = lanes_before(five, all->five);
  lanes letters = words | SHIFTED(words, before, 1) | SHIFTED(words, before, 2) | SHIFTED(words, before, 3) |
                  SHIFTED(five, before_five, 4);
  lanes faults = *bare & (SHIFTED(four, before_four, 4) | SHIFTED(five, before_five, 5));
  *bare &= ~letters;
  all->four = four;
  all->five = five;
  return faults;
}

// What is wrong with numbers. `bare` are their bytes, `starts` the first ones, without those of words.
INLINE lanes faults_of_numbers(group *all, lanes bare, lanes starts, lanes digits, lanes minus) {
  lanes dot = masks(all->masks[DOT]) & bare, exponent = masks(all->masks[EXPONENT]) & bare;
  lanes sign = minus | (masks(all->masks[PLUS]) & bare), first_sign = minus & starts;
  lanes first = digits & (starts | behind(first_sign, &all->minus));
  lanes whole = behind_runs(first, digits, &all->in_whole), zero = masks(all->masks[ZERO]) & first;
  lanes behind_dot = behind(dot, &all->dot), behind_exponent = behind(exponent, &all->exponent);
  lanes part = behind_runs(behind_dot & digits, digits, &all->in_part);
  return (behind(zero, &all->zero) & digits)                                             // a 0 with a digit behind it
         | (dot & ~whole) | (exponent & ~(whole | part)) | (sign & ~(first_sign | behind_exponent))
         | (bare & ~(digits | dot | exponent | sign))                                    // anything else
         | ((behind_dot | behind(sign, &all->sign)) & ~digits) | (behind_exponent & ~(digits | sign));
}

// Whether everything is right in the first `count` blocks of the group, and of the last one in what `of_last` names.
static __attribute__((noinline)) bool is_right(group *all, unsigned count, uint64_t of_last, const uint8_t *end) {
  lanes within = masks(all->masks[WITHIN]), quote = masks(all->masks[QUOTE]), out = ~(within | quote);
  lanes opening = masks(all->masks[OPENING]), closing = masks(all->masks[CLOSING]), object = masks(all->masks[OBJECT]);
  lanes blank = masks(all->masks[BLANK]) & out, comma = masks(all->masks[COMMA]) & out;
  lanes colon = masks(all->masks[COLON]) & out, text = quote & within;
  lanes brackets = opening | closing, bare = out & ~(blank | comma | colon | brackets);
  lanes starts = bare & ~behind(bare, &all->bare);
  bool has_blank = any_lane(blank) | all->to_key | all->to_value | all->to_opened | all->to_colon;

  // Between brackets, it is the same object or array that is open.
  lanes in_object = runs(behind(object, &all->bracket) & ~brackets, ~brackets, &all->in_object);
  lanes want_key = (opening & object) | (comma & in_object);
  lanes want_value = (opening & ~object) | (comma & ~in_object) | colon;
  lanes may_be_key = next_tokens(want_key, &all->want_key, &all->to_key, blank, has_blank);
  lanes may_be_value = next_tokens(want_value, &all->want_value, &all->to_value, blank, has_blank);
  lanes may_close = next_tokens(opening, &all->opened, &all->to_opened, blank, has_blank);
  lanes key = text & may_be_key, end_of_key = behind_runs(key, within, &all->in_key);
  lanes may_be_colon = next_tokens(end_of_key, &all->key, &all->to_colon, blank, has_blank);
  lanes needed = may_be_key | may_be_value | may_be_colon;

  lanes faults = (masks(all->masks[CONTROL]) & within) | ((text | starts | opening) & ~(may_be_value | key)) |
                 (colon & ~may_be_colon) | (comma & needed) | (closing & needed & ~may_close);

  lanes digits = masks(all->masks[DIGIT]) & bare, minus = masks(all->masks[MINUS]) & bare;
  lanes words = starts & ~(digits | minus), five = words & masks(all->masks[FIVE]);
#ifdef FINDS_WORDS
  lanes four = words & masks(all->masks[FOUR]);
  faults |= words & ~(four | five);
#else
  lanes four = words & ~five;
  if (any_lane(words) && !are_words(all, words, count, of_last, end)) return false;
#endif
  faults |= faults_of_words(all, words, four, five, &bare);
  faults |= faults_of_numbers(all, bare, starts & ~words, digits, minus);

  unsigned wrong = lanes_with_any(faults) & ((1u << count) - 1);
  if (!wrong) return true;
  uint64_t each[LANES] __attribute__((aligned(64)));
  store_masks(each, faults);
  return wrong == 1u << (count - 1) && !(each[count - 1] & of_last);
}
