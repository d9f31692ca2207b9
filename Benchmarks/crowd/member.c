#define _GNU_SOURCE
#include "member.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "clock.h"
#include "tls.h"
#include "trouble.h"

// Members that connect in one turn; milliseconds ahead that a return can be planned.
enum { NEWCOMERS = 64, WHEEL = 8192 };

struct member {
  int socket;                  // -1 while it is closed
  int number, side;            // which of the two tokens of its group it has
  bool is_connected, has_spoken, is_served, wants_to_write;
  struct ssl_st *tls;
  struct member *next;         // that returns in the same millisecond
};

struct crowd crowd = {.addresses = 1};
struct counts counts;

static struct member *members;
static int member_count, served, poll_set;
// Those who return, by the millisecond modulo WHEEL; and those whose time has come.
static struct member *wheel[WHEEL], *due;
static int64_t turned;
static char first_words[4096];
static size_t first_count;

// MARK: Coming and going

static void plan_return(struct member *member) {
  if (!crowd.pause) {
    member->next = due, due = member;
    return;
  }
  int64_t at = clock_now() / 1000000 + crowd.pause / 2 + random() % (crowd.pause * 3 / 2);
  member->next = wheel[at % WHEEL], wheel[at % WHEEL] = member;
}

static void forget(struct member *member, bool resets) {
  if (member->socket < 0) return;
  struct linger linger = {.l_onoff = 1};
  if (resets) setsockopt(member->socket, SOL_SOCKET, SO_LINGER, &linger, sizeof linger);
  if (member->tls) tls_forget(member->tls);
  close(member->socket);
  served -= member->is_served;
  member->tls = NULL, member->socket = -1;
  member->is_connected = member->has_spoken = member->is_served = member->wants_to_write = false;
}

static void was_closed(struct member *member) {
  counts.closed += 1;
  forget(member, true);
  plan_return(member);
}

static void watch(struct member *member, int change, bool writes) {
  struct epoll_event event = {.events = EPOLLIN | (writes ? EPOLLOUT : 0), .data.ptr = member};
  if (change == EPOLL_CTL_MOD && member->wants_to_write == writes) return;
  member->wants_to_write = writes;
  epoll_ctl(poll_set, change, member->socket, &event);
}

static void connect_member(struct member *member) {
  member->socket = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  if (member->socket < 0) give_up("no more connections can be opened: %s", strerror(errno));
  int yes = 1;
  setsockopt(member->socket, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &yes, sizeof yes);
  setsockopt(member->socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  // 127.0.1.1 and so on; all of 127.0.0.0/8 is this machine.
  struct sockaddr_in own = {.sin_family = AF_INET}, server = {.sin_family = AF_INET, .sin_port = htons(crowd.port)};
  own.sin_addr.s_addr = htonl(0x7F000101 + member->number % crowd.addresses);
  server.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (bind(member->socket, (struct sockaddr *)&own, sizeof own)) give_up("no address: %s", strerror(errno));
  counts.opened += 1;
  if (connect(member->socket, (struct sockaddr *)&server, sizeof server) && errno != EINPROGRESS) {
    return was_closed(member);
  }
  watch(member, EPOLL_CTL_ADD, true);
}

// MARK: What they say

static bool has_said(struct member *member, const char *bytes, size_t count) {
  ssize_t taken = member->tls ? tls_write(member->tls, bytes, count) : write(member->socket, bytes, count);
  if (taken == (ssize_t)count) return true;
  was_closed(member);
  return false;
}

static void say_who_it_is(struct member *member) {
  char line[256] = "";
  int count = 0;
  const char *hello = "{\"op\":\"hello\",\"token\":\"baton_crowd-%d-%c\"}\n";
  if (crowd.manner == WRONG_TOKENS) count = sprintf(line, hello, (int)counts.opened, 'x');
  else if (crowd.groups) count = sprintf(line, hello, member->number % crowd.groups, 'a' + member->side);
  count += sprintf(line + count, "{\"op\":\"ping\"}\n");
  member->has_spoken = has_said(member, line, count);
}

static void speak(struct member *member) {
  if (crowd.manner == SILENT) return watch(member, EPOLL_CTL_MOD, false);
  if (crowd.manner == HALF_OPEN) {
    member->has_spoken = true;
    if (has_said(member, first_words, member->number % 2 ? first_count : first_count / 2)) {
      watch(member, EPOLL_CTL_MOD, false);
    }
    return;
  }
  if (crowd.is_encrypted) {
    if (!member->tls) member->tls = tls_open(member->socket, "baton");
    int progress = tls_shake(member->tls);
    if (progress < 0) return was_closed(member);
    watch(member, EPOLL_CTL_MOD, false);
    if (!progress) return;
    counts.handshakes += 1;
  }
  watch(member, EPOLL_CTL_MOD, false);
  say_who_it_is(member);
}

// MARK: What comes

static void take(struct member *member, const char *bytes, size_t count) {
  counts.received += count;
  for (size_t i = 0; i < count; i++) counts.lines += bytes[i] == '\n';
  // Whole lines come in one piece: they are few and short.
  if (memmem(bytes, count, "\"code\":\"auth_failed\"", 20)) counts.auth_failed += 1, member->side ^= 1;
  if (memmem(bytes, count, "too_many_connections", 20)) counts.refused += 1;
  if (!member->is_served && memmem(bytes, count, "\"op\":\"pong\"", 11)) member->is_served = true, served += 1;
}

static void hear(struct member *member) {
  char bytes[16384];
  // Who does not go on with the handshake reads nothing either.
  if (crowd.is_encrypted && member->tls && !member->has_spoken) return speak(member);
  ssize_t count = member->tls ? tls_read(member->tls, bytes, sizeof bytes) : read(member->socket, bytes, sizeof bytes);
  if (count < 0 && errno == EAGAIN) return;
  if (count <= 0) return was_closed(member);
  take(member, bytes, count);
}

// MARK: Turns

void members_begin(int count) {
  poll_set = epoll_create1(0);
  members = calloc(count, sizeof *members);
  if (!members) give_up("no memory");
  member_count = count;
  first_count = tls_first_words(first_words, sizeof first_words, "baton");
  turned = clock_now() / 1000000;
  for (int i = 0; i < count; i++) members[i] = (struct member){.socket = -1, .number = i};
  for (int i = 0; i < count; i++) members[i].next = due, due = &members[i];
}

void members_return(void) {
  for (int i = 0; i < member_count; i++) forget(&members[i], true);
  memset(wheel, 0, sizeof wheel);
  due = NULL;
  for (int i = 0; i < member_count; i++) members[i].next = due, due = &members[i];
}

void members_close(void) {
  for (int i = 0; i < member_count; i++) forget(&members[i], true);
}

void members_drop_one(void) {
  struct member *member = &members[random() % member_count];
  if (!member->is_served) return;
  forget(member, true);
  plan_return(member);
}

int members_served(void) { return served; }

static void connect_newcomers(void) {
  for (int64_t at = clock_now() / 1000000; turned < at; turned++) {
    struct member **last = &wheel[turned % WHEEL];
    while (*last) last = &(*last)->next;
    *last = due, due = wheel[turned % WHEEL], wheel[turned % WHEEL] = NULL;
  }
  struct member *now_due = due;
  struct member **rest = &now_due;
  for (int i = 0; i < NEWCOMERS && *rest; i++) rest = &(*rest)->next;
  due = *rest, *rest = NULL;
  while (now_due) {
    struct member *next = now_due->next;
    connect_member(now_due);
    now_due = next;
  }
}

void members_turn(void) {
  struct epoll_event events[256];
  connect_newcomers();
  int found = epoll_wait(poll_set, events, 256, due ? 0 : 1);
  for (int i = 0; i < found; i++) {
    struct member *member = events[i].data.ptr;
    // It may have gone in this turn.
    if (member->socket < 0) continue;
    if (!member->is_connected && events[i].events & EPOLLOUT) member->is_connected = true, speak(member);
    if (member->socket >= 0 && events[i].events & (EPOLLIN | EPOLLHUP | EPOLLERR)) hear(member);
  }
}
