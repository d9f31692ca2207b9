// Reads each line of files with other readers of JSON, and says how many bytes each takes in a second:
// others LIBRARY FILE…. The readers build something of what they read, and Baton does not: so they are a mark, no equals.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "simdjson.h"
extern "C" {
#include "yyjson.h"
}

using Line = std::pair<const char *, size_t>;

// The lines of a file that is all in memory. Behind it is as much as simdjson may read.
static std::vector<Line> lines_of(const std::string &text) {
  std::vector<Line> lines;
  for (size_t start = 0, end; (end = text.find('\n', start)) != std::string::npos; start = end + 1) {
    lines.emplace_back(text.data() + start, end - start);
  }
  return lines;
}

template <class Read> static void measure(const char *name, const char *reader, const std::vector<Line> &lines, Read read) {
  size_t bytes = 0;
  for (const Line &line : lines) bytes += line.second;
  double best = 1e9;
  for (int round = 0; round < 15; round++) {
    size_t repetitions = 10000000 / bytes + 1, right = 0;
    auto start = std::chrono::steady_clock::now();
    for (size_t i = 0; i < repetitions; i++) {
      for (const Line &line : lines) right += read(line);
    }
    std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    if (right != repetitions * lines.size()) fprintf(stderr, "%s refuses a line of %s\n", reader, name), exit(1);
    best = std::min(best, time.count() / repetitions);
  }
  printf("%s\t%s\t%.2f\n", name, reader, bytes / best / 1e9);
}

int main(int count, char **words) {
  for (int i = 1; i < count; i++) {
    std::ifstream file(words[i]);
    std::string text((std::istreambuf_iterator<char>(file)), {});
    text.reserve(text.size() + simdjson::SIMDJSON_PADDING);
    std::vector<Line> lines = lines_of(text);
    std::string name = strrchr(words[i], '/') + 1;
    name.resize(name.rfind('.'));
    simdjson::dom::parser dom;
    measure(name.c_str(), "simdjson", lines, [&](const Line &line) {
      return dom.parse(line.first, line.second, false).error() == simdjson::SUCCESS;
    });
    measure(name.c_str(), "yyjson", lines, [](const Line &line) {
      yyjson_doc *document = yyjson_read(line.first, line.second, YYJSON_READ_NUMBER_AS_RAW);
      yyjson_doc_free(document);
      return document != NULL;
    });
  }
}
