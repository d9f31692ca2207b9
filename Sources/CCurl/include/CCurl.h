#pragma once
// libcurl, which is opened when it is needed: a server, and every command but one, runs without it, and does not pay for
// the thirty libraries that come with it. The numbers and types are those of its headers, and stay within its version 4.
#include <curl/curl.h>
#include <stdbool.h>
#include <stddef.h>

// Opens libcurl, once for the process. Returns NULL, or why it cannot be used. Not thread-safe.
const char *_Nullable ccurl_open(void);

// What a URL is to libcurl.
enum ccurl_url { CCURL_GOOD, CCURL_MALFORMED, CCURL_OTHER_SCHEME, CCURL_HAS_USER };

// Judges a URL, and copies its host into `host`, which has room for `room` bytes, cut and ended by 0.
enum ccurl_url ccurl_judge(const char *_Nonnull url, char *_Nonnull host, size_t room);

// One request. All of it is copied.
struct ccurl_post {
  const char *_Nonnull url;
  const char *_Nullable authorities;
  const char *_Nullable proxy;
  const void *_Nullable body;
  size_t count;
  struct curl_slist *_Nullable headers;
  long timeout_ms;
  // What both callbacks get, and `ccurl_next` returns.
  void *_Nonnull object;
  curl_write_callback _Nonnull take_head;
  curl_write_callback _Nonnull take_body;
  // Room for CURL_ERROR_SIZE bytes, as long as the transfer lives.
  char *_Nonnull words;
};

// A transfer that is added; NULL if there is no memory. The header list must live as long as it.
CURL *_Nullable ccurl_begin(CURLM *_Nonnull many, const struct ccurl_post *_Nonnull post);
// Begins a transfer anew that has ended, on a fresh connection. False if it had one already, or there is no memory.
bool ccurl_again(CURLM *_Nonnull many, CURL *_Nonnull one, long timeout_ms);
// Takes a transfer out, and closes its connection if the answer has not come whole.
void ccurl_end(CURLM *_Nonnull many, CURL *_Nonnull one);
long ccurl_status(CURL *_Nonnull one);

// Adds a header; false if there is no memory, and the list stays.
bool ccurl_add(struct curl_slist *_Nullable *_Nonnull list, const char *_Nonnull header);
void ccurl_free(struct curl_slist *_Nullable list);

// Transfers at once, of which as many connections are kept as `kept` says; NULL if there is no memory.
CURLM *_Nullable ccurl_many(long kept);
// Reads and writes what can be read and written now.
CURLMcode ccurl_perform(CURLM *_Nonnull many);
// Waits until something can be read or written, a timer is due, or `ccurl_wake` is called.
CURLMcode ccurl_wait(CURLM *_Nonnull many);
// Ends the wait of another thread.
void ccurl_wake(CURLM *_Nonnull many);
// The next transfer that has ended, and how; NULL if there is none.
CURL *_Nullable ccurl_next(CURLM *_Nonnull many, CURLcode *_Nonnull code, void *_Nullable *_Nonnull object);
const char *_Nonnull ccurl_words(CURLcode code);
