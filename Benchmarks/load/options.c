#include "options.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

struct options options = {
  .driver_name = "baton", .core = -1, .server_core = -1, .count = 1, .window = 64, .bytes = 128,
  .warm_up = 0.3, .seconds = 1};

static const char usage[] =
  "usage: load chain|fanout [options]      messages down a chain of --count handlers, or to --count subscribers\n"
  "       load mixed [options]             requests of --window peers of many kinds, each with one in flight\n"
  "       load idle [options]              --count connections that have sent one line each\n"
  "       load start [options] -- COMMAND  from the start of COMMAND to its first answer\n"
  "       load lengths chain|fanout [options]   the lengths of Baton's lines, for the floor\n"
  "options: --driver baton|floor|nats|redis|mqtt  --port N  --pid N  --core N  --server-core N\n"
  "         --count N  --window N  --bytes N\n"
  "         --warm-up S  --seconds S  --messages N  --lengths \"N N ...\"\n"
  "         --links-elsewhere N  --links-here N  --wildcards N  --fresh-topics  --topics N  --structured\n"
  "         --tls  --token T\n";

void end_with_usage(void) {
  fputs(usage, stderr);
  exit(2);
}

int read_options(int count, char **words) {
  static const struct option names[] = {
    {"driver", 1, 0, 'd'}, {"port", 1, 0, 'p'}, {"pid", 1, 0, 'P'}, {"core", 1, 0, 'c'},
    {"server-core", 1, 0, 'C'}, {"count", 1, 0, 'k'},
    {"window", 1, 0, 'w'}, {"bytes", 1, 0, 'b'}, {"warm-up", 1, 0, 'u'}, {"seconds", 1, 0, 's'},
    {"messages", 1, 0, 'm'}, {"lengths", 1, 0, 'l'}, {"links-elsewhere", 1, 0, 'E'}, {"links-here", 1, 0, 'H'},
    {"wildcards", 1, 0, 'W'}, {"fresh-topics", 0, 0, 'f'}, {"topics", 1, 0, 't'}, {"tls", 0, 0, 'T'}, {"structured", 0, 0, 'S'},
    {"token", 1, 0, 'o'}, {0}};
  int name;
  while ((name = getopt_long(count, words, "+k:w:b:s:", names, NULL)) != -1) {
    switch (name) {
      case 'd': options.driver_name = optarg; break;
      case 'p': options.port = atoi(optarg); break;
      case 'P': options.server = atoi(optarg); break;
      case 'c': options.core = atoi(optarg); break;
      case 'C': options.server_core = atoi(optarg); break;
      case 'k': options.count = atoi(optarg); break;
      case 'w': options.window = atoi(optarg); break;
      case 'b': options.bytes = atoi(optarg); break;
      case 'u': options.warm_up = atof(optarg); break;
      case 's': options.seconds = atof(optarg); break;
      case 'm': options.messages = strtoull(optarg, NULL, 10); break;
      case 'l': options.lengths = optarg; break;
      case 'E': options.links_elsewhere = atoi(optarg); break;
      case 'H': options.links_here = atoi(optarg); break;
      case 'W': options.wildcards = atoi(optarg); break;
      case 'f': options.fresh_topics = true; break;
      case 't': options.fresh_topics = true, options.topics = atoi(optarg); break;
      case 'S': options.is_structured = true; break;
      case 'T': options.is_encrypted = true; break;
      case 'o': options.token = optarg; break;
      default: end_with_usage();
    }
  }
  if (options.count < 1 || options.window < 1 || options.window > 65536) end_with_usage();
  return optind;
}
