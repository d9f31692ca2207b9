// What the peers of `mixed` say, each in a spelling of its own.
#ifndef MIXED_LINES_H
#define MIXED_LINES_H

// A line, and what the answer to it begins with.
struct request {
  const char *line, *answer;
};

// What the sender of a place in the window says by turns: twice the same where it always says the same.
void mixed_requests(int slot, struct request requests[2]);

// A verdict is spelled in two parts, around the offer's number.
struct spelled_verdict {
  const char *before, *behind;
};
struct spelled_verdict mixed_verdict(int handler);

// The first word of the topics that the handlers of a kind accept.
const char *mixed_area(int kind);

#endif
