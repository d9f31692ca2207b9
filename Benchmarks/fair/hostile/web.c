// Attacks on the doors of HTTP and WebSocket. Their port is that of HTTP; all peers of an attack are there.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attack.h"
#include "trouble.h"

enum { BLOCK = 64 << 10, CROWD = 300 };

// What is said again and again, and what is said first.
static char *block;
static size_t block_count;
static const char *first;

static void say_block(struct peer *peer) { say_bytes(peer, block, block_count); }

static void greet(struct peer *peer) {
  peer->is_raw = true;
  if (first) say_bytes(peer, first, strlen(first));
}

// As many hostile peers as are wanted, or more, which say something first and the block for ever.
static void open_web(int least, const char *beginning, bool is_deaf) {
  first = beginning;
  for (int i = 0; i < wanted.connections || i < least; i++) {
    struct peer *peer = open_peer();
    peer->greet = greet;
    peer->is_deaf = is_deaf;
    if (block_count) peer->fill = say_block;
    greet(peer);
  }
}

// The block is as many copies of a text as it has room for.
static void repeat(const char *text, size_t count) {
  if (!block) block = get_memory(BLOCK);
  for (block_count = 0; block_count + count <= BLOCK; block_count += count) memcpy(block + block_count, text, count);
}

static void set_up_silent(const char *beginning, int least) {
  block_count = 0;
  open_web(least, beginning, false);
}

// MARK: HTTP

#define HEAD "POST /send/t HTTP/1.1\r\nHost: localhost\r\n"

static void set_up_slow_heads(void) { set_up_silent("POST /send/t HTTP/1.1\r\nHost: loc", CROWD); }

static void set_up_slow_bodies(void) {
  static char text[200000];
  int count = sprintf(text, HEAD "Content-Length: 1000000\r\n\r\n");
  memset(text + count, '1', sizeof text - 1 - count);
  set_up_silent(text, CROWD);
}

static void set_up_idle(void) { set_up_silent(NULL, 2 * CROWD); }

static void set_up_pipeline(void) {
  static const char request[] = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";
  repeat(request, sizeof request - 1);
  open_web(1, NULL, false);
}

static void set_up_pipeline_sends(void) {
  static const char request[] = HEAD "Content-Length: 3\r\n\r\n\"x\"";
  repeat(request, sizeof request - 1);
  open_web(1, NULL, false);
}

static void set_up_pipeline_unread(void) {
  static const char request[] = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
  repeat(request, sizeof request - 1);
  open_web(1, NULL, true);
}

static void set_up_headers(void) {
  repeat("A: b\r\n", 6);
  open_web(1, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n", false);
}

// Heads of just less than is allowed, with as many fields as fit.
static void set_up_full_heads(void) {
  static char head[16300];
  char *end = stpcpy(head, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n");
  while (end < head + sizeof head - 16) end = stpcpy(end, "A: b\r\n");
  end = stpcpy(end, "\r\n");
  repeat(head, end - head);
  open_web(1, NULL, false);
}

static void set_up_bodies(void) {
  static char *request;
  enum { BODY = 1000000 };
  if (!request) request = get_memory(BODY + 256);
  int count = sprintf(request, HEAD "Content-Type: application/json\r\nContent-Length: %d\r\n\r\n", BODY);
  // As dear to read as JSON can be.
  for (int i = 0; i < BODY; i += 2) memcpy(request + count + i, i ? ",1" : "[1", 2);
  request[count + BODY - 1] = ']', request[count + BODY - 2] = '1', request[count + BODY - 3] = '1';
  free(block);
  block = get_memory(count + BODY), block_count = count + BODY;
  memcpy(block, request, block_count);
  open_web(1, NULL, false);
}

static void set_up_chunks(void) {
  repeat("1\r\n1\r\n", 6);
  open_web(1, HEAD "Transfer-Encoding: chunked\r\n\r\n", false);
}

static void set_up_metrics(void) {
  static const char request[] = "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n";
  repeat(request, sizeof request - 1);
  open_web(1, NULL, false);
}

static void act_connects(void) {
  struct peer *peers[64];
  int count = wanted.connections < 16 ? 16 : wanted.connections < 64 ? wanted.connections : 64;
  for (int i = 0; i < count; i++) {
    peers[i] = open_peer();
    say(peers[i], "GET /inspect HTTP/1.1\r\nHost: localhost\r\n\r\n");
  }
  for (int i = 0; i < 3; i++) turn(1);
  for (int i = 0; i < count; i++) close_peer(peers[i], true);
  close_all();
}

static void set_up_nothing(void) {}

// MARK: WebSocket

#define OPENING                                                                                                 \
  "GET /ws HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: " \
  "13\r\nSec-WebSocket-Key: c2l4dGVlbiBieXRlcy4uLg==\r\n\r\n"

// A frame with a mask of zeros. Returns how many bytes it takes.
static size_t frame(char *room, int byte, const char *text) {
  size_t count = strlen(text), at = 0;
  room[at++] = byte;
  if (count < 126) room[at++] = 0x80 | count;
  else room[at++] = (char)(0x80 | 126), room[at++] = count >> 8, room[at++] = count & 255;
  memset(room + at, 0, 4);
  memcpy(room + at + 4, text, count);
  return at + 4 + count;
}

static void flood(int byte, const char *text, bool is_deaf, int least) {
  char room[4096];
  size_t count = frame(room, byte, text);
  repeat(room, count);
  open_web(least, OPENING, is_deaf);
}

static void set_up_ws_lines(void) { flood(0x81, "{\"op\":\"ping\"}", false, 1); }
static void set_up_ws_pings(void) { flood(0x89, "ping", false, 1); }
static void set_up_ws_pings_unread(void) { flood(0x89, "ping", true, 1); }
static void set_up_ws_unread(void) { flood(0x81, "{\"op\":\"help\"}", true, 1); }

// A message that does not end, in empty fragments; and in fragments of one byte, which end lines.
static void set_up_ws_fragments(void) {
  static char beginning[1024];
  size_t head = strlen(OPENING);
  memcpy(beginning, OPENING, head);
  // No zero may stand in what is said first: the mask is not of zeros.
  memcpy(beginning + head, "\x01\x81xxxx[", 7);
  char room[64];
  repeat(room, frame(room, 0x00, ""));
  open_web(1, beginning, false);
}

static void set_up_ws_bytes(void) {
  static char beginning[1024];
  size_t head = strlen(OPENING);
  memcpy(beginning, OPENING, head);
  memcpy(beginning + head, "\x01\x81xxxxr", 7);
  char room[64];
  // A line break ends an empty line.
  repeat(room, frame(room, 0x00, "\n"));
  open_web(1, beginning, false);
}

// Each listens to everything that all of them say, and reads nothing of it.
static void set_up_ws_events_unread(void) {
  static const char lines[] =
    "{\"op\":\"subscribe\",\"topics\":[\"w\"],\"reply\":false}\n"
    "{\"op\":\"broadcast\",\"topic\":\"w\",\"reply\":false,\"payload\":\""
    "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"}";
  flood(0x81, lines, true, 1);
}

// Streams that nobody reads, beside somebody who broadcasts.
static void set_up_events_unread(void) {
  set_up_silent("GET /events?topics=w HTTP/1.1\r\nHost: localhost\r\n\r\n", 50);
  for (int i = 0; i < peer_count(); i++) peer_at(i)->is_deaf = true;
  char room[4096];
  repeat(room, frame(room, 0x81,
                     "{\"op\":\"broadcast\",\"topic\":\"w\",\"reply\":false,\"payload\":\"xxxxxxxxxx\"}"));
  struct peer *speaker = open_peer();
  speaker->is_raw = true;
  say_bytes(speaker, OPENING, strlen(OPENING));
  speaker->fill = say_block;
}

const struct attack web_attacks[] = {
  {"http-slow-heads", "many heads that were begun and do not end", set_up_slow_heads},
  {"http-slow-bodies", "many bodies of which a fifth comes", set_up_slow_bodies},
  {"http-idle", "more idle sockets than are allowed", set_up_idle},
  {"http-pipeline", "probes, one behind the other", set_up_pipeline},
  {"http-sends", "messages by POST, one behind the other", set_up_pipeline_sends},
  {"http-unread", "pages of the console, which nobody reads", set_up_pipeline_unread},
  {"http-headers", "heads that do not end", set_up_headers},
  {"http-full-heads", "heads with thousands of fields", set_up_full_heads},
  {"http-bodies", "bodies of a megabyte that are dear to read", set_up_bodies},
  {"http-chunks", "bodies in chunks of a byte", set_up_chunks},
  {"http-metrics", "reports of metrics, one behind the other", set_up_metrics},
  {"http-connects", "sockets that ask and are reset", set_up_nothing, act_connects},
  {"http-events", "streams of events that nobody reads", set_up_events_unread},
  {"ws-lines", "short lines, one message each", set_up_ws_lines},
  {"ws-pings", "pings", set_up_ws_pings},
  {"ws-pings-unread", "pings whose pongs nobody reads", set_up_ws_pings_unread},
  {"ws-unread", "long replies that nobody reads", set_up_ws_unread},
  {"ws-fragments", "a message in empty fragments", set_up_ws_fragments},
  {"ws-bytes", "a message in fragments of a byte", set_up_ws_bytes},
  {"ws-events", "events that nobody reads, of WebSockets to each other", set_up_ws_events_unread},
  {0}};
