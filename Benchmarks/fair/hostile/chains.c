// Attacks on what walks and looks at long chains: mounts, explain, inspect, traces, notices.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attack.h"

enum { LINKS = 199000 };

// A line that the hostile peers say again and again, at most `most_open` at once.
static const char *line_said;
static int most_open;

static void say_line(struct peer *peer) {
  // Answers may be long: who asks for too many is not read from, and closed when its time is over.
  while (peer->state < (long)peer->lines + most_open) {
    say(peer, "%s\n", line_said);
    for (const char *at = line_said; at; at = strchr(at + 1, '\n')) peer->state += 1;
  }
}

static void begin_again(struct peer *peer) { peer->state = peer->lines = 0; }

// A result has to come before the next one is asked for; what was not answered yet is asked for again.
static void ask_on(struct peer *peer, const char *line, size_t count) {
  (void)line, (void)count;
  if (has_said_all(peer)) say_line(peer);
}

static void open_askers(const char *line, int open) {
  line_said = line, most_open = open;
  for (int i = 0; i < wanted.connections; i++) {
    struct peer *peer = open_peer();
    peer->fill = say_line;
    peer->took = ask_on;
    peer->greet = begin_again;
  }
}

// A page that says where the next one begins is asked for that one; after the last page comes the first. `line_said` is
// then without its last brace.
static void say_page(struct peer *peer) {
  for (; peer->state < most_open; peer->state++) say(peer, "%s}\n", line_said);
}

static void ask_page(struct peer *peer, const char *line, size_t count) {
  static const char member[] = "\"more\":true,\"after\":\"";
  // The server's own numbers may come behind it.
  size_t tail = count < 8000 ? count : 8000;
  const char *after = memmem(line + count - tail, tail, member, sizeof member - 1);
  const char *end = after ? memchr(after + sizeof member, '"', line + count - after - sizeof member) : NULL;
  if (!end) return say(peer, "%s}\n", line_said);
  after += sizeof member - 1;
  say(peer, "%s,'after':'%.*s'}\n", line_said, (int)(end - after), after);
}

static void open_pagers(const char *line, int open) {
  open_askers(line, open);
  for (int i = peer_count() - wanted.connections; i < peer_count(); i++) {
    peer_at(i)->fill = say_page;
    peer_at(i)->took = ask_page;
  }
}

// MARK: Mounts

static char outer[32];
static long named;

static void say_mount(struct peer *peer, long number) {
  say(peer, "{'op':'mount','chain':'%s','on':'m%ld'}\n", outer, named + number);
}

// Mounts stay when their maker has gone. So other makers go on where one may not have more.
static long build_mounts(const char *chain, long count) {
  strcpy(outer, chain);
  long mounts = 0, more = 1;
  for (int i = 0; i < 4 && mounts < count && more && !is_built(); i++) {
    struct peer *maker = open_peer();
    mounts += more = build(maker, mounts, count - mounts, say_mount);
    close_peer(maker, false);
  }
  return mounts;
}

static void set_up_mounts(void) {
  named = 0;
  figure("mounts", build_mounts("main", LINKS));
  // 19 KiB of lines at once.
  open_askers("{'op':'send','topic':'t','timeout_ms':5000}", 440);
}

// One more mount that comes and goes.
static void say_last_mount(struct peer *peer) {
  for (int i = 0; i < 50; i++) {
    say(
      peer, "{'op':'mount','on':'x%d'}\n{'op':'unmount','on':'x%d'}\n", peer->number, peer->number);
  }
}

static void set_up_unmount(void) {
  named = 0;
  long mounts = build_mounts("main", LINKS);
  figure("mounts", mounts);
  // Room for those that come and go.
  struct peer *maker = open_peer();
  long room = wanted.connections < mounts ? wanted.connections : mounts;
  for (long i = 0; i < room; i++) say(maker, "{'op':'unmount','on':'m%ld'}\n", mounts - 1 - i);
  wait_for_lines(maker, room);
  open_hostile(say_last_mount);
}

// As many mounts as a chain may have, each of which has as many, until there are no more.
static void build_tree(void) {
  named = build_mounts("main", 1000);
  for (long chain = 0, made = 1; made && chain < named && named < LINKS && !is_built(); chain++) {
    char name[32];
    snprintf(name, sizeof name, "m%ld", chain);
    made = build_mounts(name, 1000);
    named += made;
  }
  figure("mounts", named);
}

static void set_up_mount_tree(void) {
  build_tree();
  open_askers("{'op':'send','topic':'t','timeout_ms':5000}", 440);
}

// Mounts that would close a circle: of all chains of the tree, or of chains one in the other, as deep as they may be.
static char circle[128];

static void say_circle(struct peer *peer) {
  for (int i = 0; i < 100; i++) say(peer, "%s\n", circle);
}

static void set_up_circles(void) {
  build_tree();
  snprintf(circle, sizeof circle, "{'op':'mount','chain':'m%ld','on':'main'}", named - 1);
  open_hostile(say_circle);
}

static void set_up_deep_circles(void) {
  struct peer *maker = open_peer();
  long depth = 0;
  // One after the other: a chain that is refused must not be passed over.
  while (depth < 20000 && !is_built()) {
    if (!agrees(ask(maker, "{'op':'mount','chain':'d%ld','on':'d%ld'}", depth, depth + 1))) break;
    depth += 1;
  }
  figure("depth", depth);
  snprintf(circle, sizeof circle, "{'op':'mount','chain':'d%ld','on':'d0'}", depth);
  open_hostile(say_circle);
}

// MARK: Seeing

static void set_up_explain(void) {
  build_links("main", LINKS, "");
  open_pagers("{'op':'explain','topic':'t'", 2);
}

static void set_up_explain_mounts(void) {
  named = 0;
  figure("mounts", build_mounts("main", LINKS));
  open_pagers("{'op':'explain','topic':'t'", 2);
}

static void set_up_inspect(void) {
  build_links("main", LINKS, "");
  open_pagers("{'op':'inspect'", 4);
}

// A link with many replicas, all of which are looked at.
static void set_up_explain_replicas(void) {
  enum { REPLICAS = 900 };
  int replicas = 0;
  while (replicas < REPLICAS && !is_built()) {
    if (!agrees(ask(open_peer(), "{'op':'insert','handler':'h','share':true,'window':1}"))) break;
    replicas += 1;
  }
  figure("replicas", replicas);
  open_askers("{'op':'explain','topic':'t'}\n{'op':'inspect','chain':'main'}", 128);
}

// Each key has a message that waits for the one before it.
static void say_keyed(struct peer *peer, long number) {
  say(
    peer, "{'op':'send','topic':'t','key':'k%d.%ld','timeout_ms':600000,'reply':false}\n"
    "{'op':'subscribe','topics':['x']}\n", peer->number, number / 2);
}

static void set_up_inspect_keys(void) {
  enum { SENDERS = 20, OPEN = 4000 };
  ask(open_peer(), "{'op':'insert','handler':'h','window':65536,'timeout_ms':600000}");
  for (int i = 0; i < SENDERS && !is_built(); i++) build(open_peer(), 0, OPEN, say_keyed);
  open_pagers("{'op':'inspect'", 128);
}

// A thousand connections that do nothing, and all that is told beside the chains.
static void set_up_inspect_peers(void) {
  enum { PEERS = 1000 };
  int peers = 0;
  while (peers < PEERS && !is_built() && ask(open_peer(), "{'op':'ping'}")) peers += 1;
  figure("peers", peers);
  open_askers("{'op':'inspect','connections':true,'messages':true,'changes':true}", 20);
}

// Short lines with short answers, for which the server asks the system.
static void set_up_inspect_server(void) { open_askers("{'op':'inspect','server':true,'chain':'none'}", 1500); }

// The histories begin with one message. They are told after ten seconds.
static void set_up_inspect_history(void) {
  build_links("main", 1000, "");
  ask(open_peer(), "{'op':'send','topic':'t','timeout_ms':86400000}");
  open_pagers("{'op':'inspect','history':true", 4);
}

static void say_chain(struct peer *peer, long number) {
  say(peer, "{'op':'insert','chain':'c%ld','handler':'h'}\n", named + number);
}

static void set_up_inspect_chains(void) {
  long more = 1;
  named = 0;
  for (int i = 0; i < 8 && more && named < LINKS && !is_built(); i++) {
    more = build(open_peer(), 0, LINKS - named, say_chain);
    named += more;
  }
  figure("chains", named);
  open_pagers("{'op':'inspect','server':true", 4);
}

// MARK: Long walks

static void set_up_trace(void) {
  build_links("main", LINKS, ",'accepts':['never.*']");
  open_askers("{'op':'send','topic':'t','trace':true}", 64);
}

static void set_up_long_walk(void) {
  build_links("main", LINKS, "");
  // So much time that each link has a share of it in which it can answer.
  open_askers("{'op':'send','topic':'t','timeout_ms':86400000}", 2000);
}

static void set_up_notify(void) {
  build_links("main", LINKS, "");
  open_askers("{'op':'send','topic':'t','mode':'notify'}", 64);
}

const struct attack chain_attacks[] = {
  {"mounts", "mounts on one chain, and 19 KiB of messages to it", set_up_mounts},
  {"unmount", "a mount that comes and goes behind many others", set_up_unmount},
  {"mount-tree", "mounts on mounts, and messages through all of them", set_up_mount_tree},
  {"circles", "mounts that would close a circle, where many chains are mounted", set_up_circles},
  {"circles-deep", "mounts that would close a circle of many chains", set_up_deep_circles},
  {"explain", "explain of a long chain", set_up_explain},
  {"explain-mounts", "explain of a chain of many mounts", set_up_explain_mounts},
  {"inspect", "inspect of a long chain", set_up_inspect},
  {"inspect-chains", "inspect of many chains, and of the server", set_up_inspect_chains},
  {"inspect-keys", "inspect of a chain in which messages wait for 40,000 keys", set_up_inspect_keys},
  {"inspect-peers", "inspect of a thousand connections, of messages and changes", set_up_inspect_peers},
  {"inspect-server", "short lines for which the server asks the system", set_up_inspect_server},
  {"inspect-history", "inspect of a thousand links with their histories", set_up_inspect_history},
  {"explain-replicas", "explain and inspect of a link with many replicas", set_up_explain_replicas},
  {"trace", "traced messages past a long chain of other topics", set_up_trace},
  {"long-walk", "messages that each link of a long chain passes on", set_up_long_walk},
  {"notify", "messages of mode notify to a long chain", set_up_notify},
  {0}};
