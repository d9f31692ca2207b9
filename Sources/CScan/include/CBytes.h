#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/// Whether the `count` bytes at `left` and the `count` bytes at `right` are the same.
static inline bool cscan_equal(const void *_Nonnull left, const void *_Nonnull right, size_t count) {
  return memcmp(left, right, count) == 0;
}

/// A seeded hash of `count` bytes. It takes eight bytes at a time and folds them in with a multiplication of 64 × 64 to
/// 128 bits.
static inline uint32_t cscan_hash(const void *_Nonnull bytes, size_t count, uint64_t seed) {
  const uint8_t *at = (const uint8_t *)bytes;
  uint64_t state = seed ^ (0x9E3779B97F4A7C15ull * (count + 1));
  while (count >= 8) {
    uint64_t word;
    memcpy(&word, at, 8);
    __uint128_t product = (__uint128_t)(state ^ word) * 0xD6E8FEB86659FD93ull;
    state = (uint64_t)product ^ (uint64_t)(product >> 64) ^ seed;
    at += 8;
    count -= 8;
  }
  uint64_t word = 0;
  if (count >= 4) {
    uint32_t low, high;
    memcpy(&low, at, 4);
    memcpy(&high, at + count - 4, 4);
    word = ((uint64_t)high << 32) | low;
  } else if (count > 0) {
    word = ((uint64_t)at[0] << 16) | ((uint64_t)at[count / 2] << 8) | at[count - 1];
  }
  __uint128_t product = (__uint128_t)(state ^ word) * 0xA0761D6478BD642Full;
  state = (uint64_t)product ^ (uint64_t)(product >> 64);
  return (uint32_t)(state ^ (state >> 32));
}
