// MQTT 3.1.1 with QoS 0, as mosquitto speaks it.
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>

#include "broker.h"
#include "trouble.h"

static size_t put_length(char *at, size_t length) {
  size_t count = 0;
  do {
    at[count] = length % 128 | (length >= 128 ? 128 : 0);
    length /= 128;
  } while (at[count++] & 128);
  return count;
}

// A text of MQTT: two bytes of length before it. Words of a topic are parted by slashes.
static size_t put_text(char *at, const char *text) {
  size_t length = strlen(text);
  at[0] = length >> 8, at[1] = length & 255;
  memcpy(at + 2, text, length);
  for (size_t i = 0; i < length; i++) {
    if (at[2 + i] == '.') at[2 + i] = '/';
  }
  return 2 + length;
}

// A clean session, without an end of patience. Each connection has a name of its own.
static size_t greet(char *at) {
  static int number;
  char name[32];
  snprintf(name, sizeof name, "bench%d", number++);
  char *end = at;
  *end++ = 0x10;
  end += put_length(end, 10 + 2 + strlen(name));
  memcpy(end, "\0\4MQTT\4\2\0\0", 10);
  return end + 10 + put_text(end + 10, name) - at;
}

static size_t subscribe(char *at, const char *subject, int number) {
  char *end = at;
  *end++ = (char)0x82;
  end += put_length(end, 2 + 2 + strlen(subject) + 1);
  *end++ = number >> 8 & 255, *end++ = number & 255;
  end += put_text(end, subject);
  *end++ = 0;
  return end - at;
}

static size_t subscribe_pattern(char *at, int number) {
  static const char *const patterns[] = {"other.%d.+", "+.other%d", "other.%d.#", "+.+.%d"};
  char pattern[64];
  snprintf(pattern, sizeof pattern, patterns[number % 4], number);
  return subscribe(at, pattern, number % 65535 + 1);
}

static size_t ask(char *at) {
  memcpy(at, "\xC0", 2);
  return 2;
}

// What is published and what comes to subscribers look alike.
static size_t publish(char *at, const char *subject, size_t payload) {
  char *end = at;
  *end++ = 0x30;
  end += put_length(end, 2 + strlen(subject) + payload);
  return end + put_text(end, subject) - at;
}

// CONNACK, SUBACK and PINGRESP are short.
static size_t other(struct peer *peer, char *bytes, size_t count) {
  if (count < 2) return 0;
  unsigned char kind = bytes[0], length = bytes[1];
  // The beginning of a message.
  if (kind == 0x30 && peer->frame_bytes && count < peer->expected_bytes) return 0;
  if (length > 4 || (kind != 0x20 && kind != 0x90 && kind != 0xD0)) give_up("the broker sent a packet %02x", kind);
  if (count < 2u + length) return 0;
  if (kind == 0x20 && bytes[3] != 0) give_up("the broker took no connection: %d", bytes[3]);
  if (kind == 0x90 && bytes[4] != 0) give_up("the broker took no subscription");
  if (kind == 0xD0) peer_is_ready(peer);
  return 2 + length;
}

static const struct framing framing = {greet, subscribe, subscribe_pattern, ask, publish, publish, "", other};

static void join(struct peer *peer) { broker_join(&framing, peer); }

const struct driver mqtt_driver = {"mqtt", NULL, join, broker_took, broker_send};
