#define _GNU_SOURCE
#include "mixed_lines.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trouble.h"
#include "work.h"

enum { FIRST_ID = 10000 };

static const char *const areas[MIXED_KINDS] = {"orders", "mail", "reports", "chat", "home", "jobs", "sensors", "news"};

const char *mixed_area(int kind) { return areas[kind]; }

// MARK: Spelling

// JSON in which an apostrophe stands for a quote, so that it can be read here. It stays in memory.
static char *json(const char *format, ...) __attribute__((format(printf, 1, 2)));
static char *json(const char *format, ...) {
  char *text;
  va_list values;
  va_start(values, format);
  if (vasprintf(&text, format, values) < 0) give_up("no memory");
  va_end(values);
  for (char *at = text; *at; at++) {
    if (*at == '\'') *at = '"';
  }
  return text;
}

// The same as Python's `json.dumps` spells it: with a space behind commas and colons.
static const char *spaced(const char *json) {
  char *text = get_memory(2 * strlen(json) + 1), *end = text;
  bool is_inside = false;
  for (; *json; json++) {
    *end++ = *json;
    if (*json == '\\') *end++ = *++json;
    else if (*json == '"') is_inside = !is_inside;
    else if (!is_inside && (*json == ',' || *json == ':')) *end++ = ' ';
  }
  *end = 0;
  return text;
}

// MARK: Payloads

// A list of objects with texts, numbers and flags in them: 1 KB.
static const char *order(void) {
  char *text = json("{'order':471100,'customer':{'name':'Ada Example','since':2019,'tags':['new','eu']},'items':[");
  for (int i = 0; i < 14; i++) {
    text = json(
      "%s%s{'sku':'A-%d','count':%d,'price':%d.%d,'in_stock':%s}", text, i ? "," : "", 1000 + 37 * i, i % 4 + 1,
      5 + 11 * i, 90 - i, i % 3 ? "true" : "false");
  }
  return json("%s],'total':1296.45,'note':null}", text);
}

// Long text, as people write it: 2 KB, with line ends, quotes and a character beyond ASCII.
static const char *letter(void) {
  static const char sentence[] = "The meeting is moved to Thursday, and the room stays the same as in the last week. ";
  char *text = json("'Dear Zo\xC3\xAB,\\n\\n");
  for (int i = 0; i < 24; i++) text = json("%s%s%s", text, sentence, i % 8 == 7 ? "\\nPlease say \\'yes\\'. " : "");
  return json("%sBest wishes'", text);
}

// MARK: Requests

static const char *result(int id) { return json("{'op':'result','id':%d,'status':'handled'", id); }

static const char *delivered(int id) { return json("{'op':'ok','id':%d,'delivered':%d}", id, MIXED_SUBSCRIBERS); }

static void in_turn(struct request requests[2], const char *first, const char *second, const char *answer) {
  requests[0] = (struct request){json("%s\n", first), answer};
  requests[1] = (struct request){json("%s\n", second), answer};
}

static void always(struct request requests[2], const char *line, const char *answer) {
  in_turn(requests, line, line, answer);
}

static void broadcast(int number, int id, struct request requests[2]) {
  const char *line = NULL;
  switch (number) {
    case 0:
      line = json("{'op':'broadcast','topic':'news.sport','payload':{'home':3,'away':1},'id':%d}", id);
      break;
    case 1:
      line = spaced(json(
        "{'id':%d,'op':'broadcast','payload':{'title':'rain, later sun','read':false},'topic':'news.weather'}", id));
      break;
    default: line = json("{'op':'broadcast','topic':'news.letters','payload':%s,'id':%d}", letter(), id);
  }
  always(requests, line, delivered(id));
}

// Broadcasts, pings, who comes and goes, and a message that all handlers answer.
static void other(int number, int id, struct request requests[2]) {
  const char *ok = json("{'op':'ok','id':%d", id);
  switch (number % 8) {
    case 0: return broadcast(0, id, requests);
    case 1: return always(requests, json("{'op':'ping'}"), json("{'op':'pong'}"));
    case 2: return broadcast(1, id, requests);
    case 3:
      return in_turn(
        requests, json("{'op':'insert','chain':'side','handler':'visitor','accepts':['a.*','b.>'],'id':%d}", id),
        json("{'op':'remove','chain':'side','handler':'visitor','id':%d}", id), ok);
    case 4: return broadcast(2, id, requests);
    case 5: return always(requests, spaced(json("{'op':'ping','id':%d}", id)), json("{'op':'pong','id':%d}", id));
    case 6:
      return in_turn(
        requests, json("{'op':'subscribe','topics':['alarms.high'],'id':%d}", id),
        json("{'op':'unsubscribe','topics':['alarms.high'],'id':%d}", id), ok);
    default:
      return always(
        requests, json("{'op':'send','topic':'news.vote','payload':['yes','no'],'mode':'all','id':%d}", id),
        result(id));
  }
}

// The client libraries write an `id` last; who spells lines by hand writes members in any order.
static const char *message(int kind, int slot, int id) {
  switch (kind) {
    case 0:
      return json(
        "{'op':'send','topic':'orders.created','payload':{'number':4711,'total':12.5,'paid':true},'id':%d}", id);
    case 1:
      return spaced(json(
        "{'id':%d,'op':'send','payload':'the usual, please: two of each','topic':'mail.incoming','key':'user-%d',"
        "'timeout_ms':20000,'meta':{'trace':'00-4bf92f3577b34da6','attempt':1}}", id, slot));
    case 2: return json("{'op':'send','topic':'reports.daily','payload':%s,'id':%d}", order(), id);
    case 3: return json("{'op':'send','topic':'chat.letters','payload':%s,'id':%d}", letter(), id);
    case 4: return json("{'op':'send','id':%d,'topic':'home.door.opened'}", id);
    case 5: return spaced(json("{'topic':'jobs.render','payload':%s,'op':'send','id':%d}", order(), id));
    default:
      return json("{'op':'send','topic':'sensors.temperature','payload':21.5,'timeout_ms':25000,'id':%d}", id);
  }
}

void mixed_requests(int slot, struct request requests[2]) {
  int id = FIRST_ID + slot, kind = slot % MIXED_KINDS;
  if (kind == MIXED_KINDS - 1) return other(slot / MIXED_KINDS, id, requests);
  always(requests, message(kind, slot, id), result(id));
}

// MARK: Verdicts

// All client libraries spell a verdict without a payload as the first one here, and so do most handlers.
static const struct spelled_verdict continues[] = {
  {"{'op':'continue','id':", "}"}, {"{'op': 'continue', 'id': ", "}"}, {"{'op':'continue','id':", "}"},
  {"{'id':", ",'op':'continue'}"}, {"{'op':'continue','id':", "}"}, {"{'op': 'continue', 'id': ", "}"},
  {"{'op':'continue','id':", "}"},
  {"{'op':'continue','id':", ",'payload':{'number':4711,'total':12.5,'seen':['spam','price']}}"}};
static const struct spelled_verdict handleds[MIXED_KINDS] = {
  {"{'op':'handled','id':", "}"}, {"{'op': 'handled', 'id': ", ", 'payload': {'stored': true, 'at': 1763804000}}"},
  {"{'op':'handled','id':", ",'payload':{'answer':'done','took_ms':12}}"}, {"{'op':'handled','id':", "}"},
  {"{'id':", ",'op':'handled'}"}, {"{'op': 'handled', 'id': ", "}"}, {"{'op':'handled','id':", "}"},
  {"{'op':'handled','id':", ",'payload':'yes'}"}};

// Of the handlers of a kind the last one takes the message.
struct spelled_verdict mixed_verdict(int handler) {
  int kind = handler / MIXED_LINKS, place = handler % MIXED_LINKS;
  struct spelled_verdict verdict =
    place == MIXED_LINKS - 1 ? handleds[kind] : continues[(kind * (MIXED_LINKS - 1) + place) % 8];
  return (struct spelled_verdict){json("%s", verdict.before), json("%s\n", verdict.behind)};
}
