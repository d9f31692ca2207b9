#define _GNU_SOURCE
#include "peer.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/uio.h>
#include <unistd.h>

#include "clock.h"
#include "meter.h"
#include "options.h"
#include "tls.h"
#include "trouble.h"

enum { READ_BYTES = 512 << 10, BATCH = 64 };

static const struct driver *driver;
static int port;
static int poll_set = -1, opened, ready;
static char *buffer;
static struct peer **queue;
static size_t queue_count, queue_room;

static void *grown(void *memory, size_t *room, size_t needed, size_t size) {
  if (needed <= *room) return memory;
  while (*room < needed) *room = *room ? *room * 2 : 64;
  memory = realloc(memory, *room * size);
  if (!memory) give_up("no memory");
  return memory;
}

// MARK: Opening

void peers_speak(const struct driver *the_driver, int the_port) { driver = the_driver, port = the_port; }

static struct peer *open_peer(enum role role, int number) {
  if (poll_set < 0) poll_set = epoll_create1(0);
  struct peer *peer = calloc(1, sizeof *peer);
  if (!peer) give_up("no memory");
  peer->role = role, peer->number = number;
  peer->socket = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (peer->socket < 0 || connect(peer->socket, (struct sockaddr *)&address, sizeof address)) {
    give_up("cannot connect to port %d: %s", port, strerror(errno));
  }
  int yes = 1;
  setsockopt(peer->socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  if (options.is_encrypted) peer->tls = tls_open(peer->socket, driver->protocol);
  if (peer->tls && tls_shake(peer->tls) != 1) give_up("the server ended a handshake");
  fcntl(peer->socket, F_SETFL, O_NONBLOCK);
  struct epoll_event event = {.events = EPOLLIN, .data.ptr = peer};
  epoll_ctl(poll_set, EPOLL_CTL_ADD, peer->socket, &event);
  opened += 1;
  driver->join(peer);
  return peer;
}

// Not all at once, so that no backlog overflows.
struct peer *peer_join(enum role role, int number) {
  struct peer *peer = open_peer(role, number);
  if (opened - ready >= BATCH) wait_until_ready();
  return peer;
}

void peer_is_ready(struct peer *peer) {
  if (peer->is_ready) return;
  peer->is_ready = true;
  ready += 1;
}

void wait_until_ready(void) {
  int64_t until = clock_now() + 120000000000;
  while (ready < opened) {
    turn(100);
    if (clock_now() > until) give_up("the server did not answer all of its peers");
  }
}

void open_strangers(bool has_wildcards, bool has_links) {
  for (int i = 0; i < STRANGERS && has_wildcards; i++) peer_join(STRANGER, i);
  if (has_links) peer_join(STRANGER, STRANGERS);
  wait_until_ready();
}

// MARK: Writing

void peer_send(struct peer *sender, uint32_t sequence, uint32_t slot) { driver->send(sender, sequence, slot); }

// Makes room, and sees to it that the last piece is one of `out`, and that the peer is written to.
char *peer_make_room(struct peer *peer, size_t bytes) {
  peer->out = grown(peer->out, &peer->out_room, peer->out_count + bytes, 1);
  if (!peer->is_queued) {
    queue = grown(queue, &queue_room, queue_count + 1, sizeof *queue);
    queue[queue_count++] = peer;
    peer->is_queued = true;
  }
  if (!peer->is_piece_open) {
    peer->pieces = grown(peer->pieces, &peer->piece_room, peer->piece_count + 1, sizeof *peer->pieces);
    peer->pieces[peer->piece_count++] = (struct piece){.at = peer->out_count};
    peer->is_piece_open = true;
  }
  return peer_room(peer, bytes);
}

void peer_say(struct peer *peer, const void *bytes, size_t count) { memcpy(peer_room(peer, count), bytes, count); }

void peer_print(struct peer *peer, const char *format, ...) {
  char text[4096];
  va_list values;
  va_start(values, format);
  int count = vsnprintf(text, sizeof text, format, values);
  va_end(values);
  if (count < 0 || count >= (int)sizeof text) give_up("a line is too long");
  peer_say(peer, text, count);
}

void peer_say_body(struct peer *peer, const char *body, size_t count) {
  peer_room(peer, 0);
  peer->is_piece_open = false;
  peer->pieces = grown(peer->pieces, &peer->piece_room, peer->piece_count + 1, sizeof *peer->pieces);
  peer->pieces[peer->piece_count++] = (struct piece){.body = body, .count = count};
}

static void watch_for(struct peer *peer, bool blocked) {
  if (peer->is_blocked == blocked) return;
  peer->is_blocked = blocked;
  struct epoll_event event = {.events = EPOLLIN | (blocked ? EPOLLOUT : 0), .data.ptr = peer};
  epoll_ctl(poll_set, EPOLL_CTL_MOD, peer->socket, &event);
}

// Forgets `count` bytes, which the kernel has.
static void forget(struct peer *peer, size_t count) {
  while (count > 0) {
    struct piece *piece = &peer->pieces[peer->first_piece];
    size_t part = piece->count < count ? piece->count : count;
    if (piece->body) piece->body += part; else piece->at += part;
    piece->count -= part;
    count -= part;
    if (piece->count == 0) peer->first_piece += 1, peer->is_piece_open &= peer->first_piece < peer->piece_count;
  }
}

// Like `writev`. What is encrypted is gathered into one record.
static ssize_t write_parts(struct peer *peer, const struct iovec *parts, int count) {
  static char record[TLS_RECORD];
  size_t used = 0;
  if (!peer->tls) return writev(peer->socket, parts, count);
  for (int i = 0; i < count && used < sizeof record; i++) {
    size_t part = parts[i].iov_len < sizeof record - used ? parts[i].iov_len : sizeof record - used;
    memcpy(record + used, parts[i].iov_base, part);
    used += part;
  }
  return tls_write(peer->tls, record, used);
}

static void flush(struct peer *peer) {
  struct iovec parts[256];
  while (peer->first_piece < peer->piece_count) {
    int used = 0;
    for (size_t i = peer->first_piece; i < peer->piece_count && used < 256; i++) {
      struct piece *piece = &peer->pieces[i];
      char *start = piece->body ? (char *)piece->body : peer->out + piece->at;
      parts[used++] = (struct iovec){start, piece->count};
    }
    ssize_t taken = write_parts(peer, parts, used);
    if (taken < 0 && errno != EAGAIN) give_up("a write failed: %s", strerror(errno));
    if (taken < 0) return watch_for(peer, true);
    traffic.sent += taken, forget(peer, taken);
  }
  peer->out_count = peer->piece_count = peer->first_piece = 0;
  peer->is_piece_open = false;
  watch_for(peer, false);
}

// MARK: Reading

static void keep_rest(struct peer *peer, const char *bytes, size_t count) {
  peer->rest = grown(peer->rest, &peer->rest_room, count, 1);
  memcpy(peer->rest, bytes, count);
  peer->rest_count = count;
}

// Returns whether more may be there already, of which the kernel does not tell: OpenSSL has it.
static bool receive(struct peer *peer) {
  size_t rest = peer->rest_count;
  if (rest >= READ_BYTES) give_up("what came is no line: %.200s", peer->rest);
  if (rest) memcpy(buffer, peer->rest, rest);
  char *free = buffer + rest;
  ssize_t count = peer->tls ? tls_read(peer->tls, free, READ_BYTES) : read(peer->socket, free, READ_BYTES);
  if (count < 0 && errno == EAGAIN) return false;
  if (count < 0) give_up("a read failed: %s", strerror(errno));
  if (count == 0) give_up("the server ended a connection");
  traffic.received += count;
  now = clock_now();
  peer->rest_count = 0;
  size_t taken = driver->took(peer, buffer, rest + count);
  if (taken < rest + count) keep_rest(peer, buffer + taken, rest + count - taken);
  return peer->tls && count == READ_BYTES;
}

void turn(int milliseconds) {
  struct epoll_event events[1024];
  // A byte behind what is read, for what looks for an end.
  if (!buffer) buffer = get_memory(2 * READ_BYTES + 1);
  for (size_t i = 0; i < queue_count; i++) {
    queue[i]->is_queued = false;
    if (!queue[i]->is_blocked) flush(queue[i]);
  }
  queue_count = 0;
  int64_t before = clock_now();
  int count = epoll_wait(poll_set, events, 1024, milliseconds);
  traffic.waited += clock_now() - before;
  for (int i = 0; i < count; i++) {
    struct peer *peer = events[i].data.ptr;
    if (events[i].events & EPOLLOUT) flush(peer);
    while (events[i].events & ~EPOLLOUT && receive(peer)) continue;
  }
}
