#define _GNU_SOURCE
#include "wire.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "attack.h"
#include "trouble.h"

enum { READ_BYTES = 256 << 10, MOST_CODES = 32 };

struct counts counts;
bool is_broken;

static int poll_set, port;
static struct peer **peers;
static size_t count_of_peers, room_of_peers;
static char *buffer;

static struct {
  char name[32];
  uint64_t count;
} codes[MOST_CODES];

static void grow(char **memory, size_t *room, size_t needed) {
  if (needed <= *room) return;
  while (*room < needed) *room = *room ? *room * 2 : 1024;
  *memory = realloc(*memory, *room);
  if (!*memory) give_up("no memory");
}

// MARK: Opening and closing

void wire_begin(int the_port) {
  port = the_port;
  poll_set = epoll_create1(0);
  buffer = get_memory(READ_BYTES);
}

// Waits until the server accepts it, or the time is over: a server that is busy accepts nobody.
static void connect_peer(struct peer *peer) {
  peer->socket = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  if (peer->socket < 0) give_up("no more connections can be opened: %s", strerror(errno));
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int yes = 1;
  setsockopt(peer->socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  if (connect(peer->socket, (struct sockaddr *)&address, sizeof address) && errno != EINPROGRESS) {
    close(peer->socket), peer->socket = -1;
    return;
  }
  counts.opened += 1;
  struct pollfd polled = {.fd = peer->socket, .events = POLLOUT};
  while (!poll(&polled, 1, 20) && !is_over()) continue;
  struct epoll_event event = {.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, .data.ptr = peer};
  epoll_ctl(poll_set, EPOLL_CTL_ADD, peer->socket, &event);
}

struct peer *open_peer(void) {
  if (count_of_peers == room_of_peers) {
    room_of_peers = room_of_peers ? 2 * room_of_peers : 64;
    peers = realloc(peers, room_of_peers * sizeof *peers);
  }
  struct peer *peer = calloc(1, sizeof *peer);
  if (!peers || !peer) give_up("no memory");
  peer->number = count_of_peers;
  peers[count_of_peers++] = peer;
  connect_peer(peer);
  return peer;
}

static void forget_connection(struct peer *peer, bool resets) {
  if (peer->socket < 0) return;
  struct linger linger = {.l_onoff = 1};
  if (resets) setsockopt(peer->socket, SOL_SOCKET, SO_LINGER, &linger, sizeof linger);
  close(peer->socket);
  peer->socket = -1;
  peer->is_readable = peer->is_writable = false;
  peer->out_count = peer->out_at = peer->rest_count = 0;
}

void close_peer(struct peer *peer, bool resets) {
  forget_connection(peer, resets);
  peer->fill = NULL, peer->took = NULL, peer->greet = NULL;
}

// Peers that are closed stay in memory: events about them may still be on their way.
void close_all(void) {
  for (size_t i = 0; i < count_of_peers; i++) close_peer(peers[i], false);
  count_of_peers = 0;
}

int peer_count(void) { return count_of_peers; }
struct peer *peer_at(int number) { return peers[number]; }

static void was_closed(struct peer *peer) {
  counts.closed += 1;
  forget_connection(peer, false);
  if (!peer->greet) is_broken = true;
}

// MARK: Writing

char *say_room(struct peer *peer, size_t count) {
  if (peer->out_at == peer->out_count) peer->out_at = peer->out_count = 0;
  grow(&peer->out, &peer->out_room, peer->out_count + count);
  peer->out_count += count;
  return peer->out + peer->out_count - count;
}

void say_bytes(struct peer *peer, const void *bytes, size_t count) { memcpy(say_room(peer, count), bytes, count); }

void say(struct peer *peer, const char *format, ...) {
  char text[8192];
  va_list values;
  va_start(values, format);
  int count = vsnprintf(text, sizeof text, format, values);
  va_end(values);
  if (count < 0 || count >= (int)sizeof text) give_up("a line is too long");
  for (char *at = text; (at = strchr(at, '\'')); at++) *at = '"';
  say_bytes(peer, text, count);
}

bool has_said_all(const struct peer *peer) { return peer->out_at == peer->out_count; }

static bool write_some(struct peer *peer) {
  if (has_said_all(peer) && peer->fill) peer->fill(peer);
  if (has_said_all(peer) || peer->socket < 0) return false;
  ssize_t taken = write(peer->socket, peer->out + peer->out_at, peer->out_count - peer->out_at);
  if (taken < 0) {
    peer->is_writable = false;
    if (errno != EAGAIN) was_closed(peer);
    return false;
  }
  counts.sent += taken;
  peer->out_at += taken;
  return true;
}

// MARK: Reading

bool begins(const char *line, size_t count, const char *beginning) {
  size_t wanted = strlen(beginning);
  return count >= wanted && !memcmp(line, beginning, wanted);
}

void count_error(const char *line, size_t count) {
  const char *code = memmem(line, count, "\"code\":\"", 8);
  const char *end = code ? memchr(code + 8, '"', line + count - code - 8) : NULL;
  if (!end || end - code - 8 >= (int)sizeof codes[0].name) return;
  for (int i = 0; i < MOST_CODES; i++) {
    if (!codes[i].name[0]) memcpy(codes[i].name, code + 8, end - code - 8);
    if (strlen(codes[i].name) != (size_t)(end - code - 8) || memcmp(codes[i].name, code + 8, end - code - 8)) continue;
    codes[i].count += 1;
    return;
  }
}

void print_errors(void) {
  for (int i = 0; i < MOST_CODES && codes[i].name[0]; i++) {
    printf("%s\"%s\":%lu", i ? "," : "", codes[i].name, codes[i].count);
  }
}

static void take_line(struct peer *peer, const char *line, size_t count) {
  peer->lines += 1;
  counts.lines += 1;
  if (begins(line, count, "{\"op\":\"error\"")) count_error(line, count);
  if (peer->took) peer->took(peer, line, count);
}

static void keep(struct peer *peer, const char *bytes, size_t count) {
  grow(&peer->rest, &peer->rest_room, peer->rest_count + count);
  memcpy(peer->rest + peer->rest_count, bytes, count);
  peer->rest_count += count;
}

static bool read_some(struct peer *peer) {
  ssize_t count = read(peer->socket, buffer, READ_BYTES);
  if (count < 0 && errno == EAGAIN) return peer->is_readable = false;
  if (count <= 0) return was_closed(peer), false;
  counts.received += count;
  if (peer->is_raw) return true;
  const char *line = buffer, *all = buffer + count, *end;
  while (peer->socket >= 0 && (end = memchr(line, '\n', all - line))) {
    if (peer->rest_count) {
      keep(peer, line, end - line);
      size_t whole = peer->rest_count;
      peer->rest_count = 0;
      take_line(peer, peer->rest, whole);
    } else {
      take_line(peer, line, end - line);
    }
    line = end + 1;
  }
  if (peer->socket >= 0 && line < all) keep(peer, line, all - line);
  return true;
}

// MARK: Turns

static void open_again(struct peer *peer) {
  connect_peer(peer);
  if (peer->socket >= 0) peer->greet(peer);
}

void turn(int milliseconds) {
  bool is_busy = false;
  for (size_t i = 0; i < count_of_peers; i++) {
    struct peer *peer = peers[i];
    if (peer->socket < 0 && peer->greet && !is_over()) open_again(peer);
    if (peer->socket >= 0 && peer->is_writable) is_busy |= write_some(peer);
    if (peer->socket >= 0 && peer->is_readable && !peer->is_deaf) is_busy |= read_some(peer);
  }
  struct epoll_event events[512];
  int found = epoll_wait(poll_set, events, 512, is_busy ? 0 : milliseconds);
  for (int i = 0; i < found; i++) {
    struct peer *peer = events[i].data.ptr;
    if (events[i].events & EPOLLOUT) peer->is_writable = true;
    if (events[i].events & ~EPOLLOUT) peer->is_readable = true;
    if (peer->is_deaf && events[i].events & (EPOLLHUP | EPOLLERR)) was_closed(peer);
  }
}
