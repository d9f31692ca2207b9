#include "CCurl.h"

#include <dlfcn.h>
#include <string.h>

#define FUNCTIONS(each)                                                                                              \
  each(curl_global_init) each(curl_version_info) each(curl_free) each(curl_url) each(curl_url_cleanup)               \
  each(curl_url_set) each(curl_url_get) each(curl_slist_append) each(curl_slist_free_all) each(curl_easy_init)       \
  each(curl_easy_setopt) each(curl_easy_getinfo) each(curl_easy_cleanup) each(curl_easy_strerror)                    \
  each(curl_multi_init) each(curl_multi_setopt) each(curl_multi_add_handle) each(curl_multi_remove_handle)           \
  each(curl_multi_perform) each(curl_multi_poll) each(curl_multi_wakeup) each(curl_multi_info_read)

// The headers check arguments by macros of the same names.
#undef curl_easy_setopt
#undef curl_easy_getinfo
#undef curl_multi_setopt

#define DECLARE(name) __typeof__(&name) name##_;
static struct { FUNCTIONS(DECLARE) } lib;

#if defined(__APPLE__)
static const char *const files[] = {"libcurl.4.dylib"};
#else
// The second one is the same library, built with GnuTLS.
static const char *const files[] = {"libcurl.so.4", "libcurl-gnutls.so.4"};
#endif

static const char *load(void) {
  void *library = NULL;
  for (size_t index = 0; !library && index < sizeof files / sizeof *files; ++index) {
    library = dlopen(files[index], RTLD_NOW | RTLD_LOCAL);
  }
  if (!library) return "libcurl is not installed (on Debian and Ubuntu: apt-get install libcurl4)";
#define FIND(name)                                                                                                   \
  lib.name##_ = (__typeof__(&name))dlsym(library, #name);                                                            \
  if (!lib.name##_) return "libcurl is older than 7.68: it has no " #name;
  FUNCTIONS(FIND)
  if (lib.curl_global_init_(CURL_GLOBAL_DEFAULT) != CURLE_OK) return "libcurl cannot be started";
  if (!(lib.curl_version_info_(CURLVERSION_NOW)->features & CURL_VERSION_ASYNCHDNS)) {
    return "this libcurl looks names up while all else waits; it was built without a resolver of its own";
  }
  return NULL;
}

const char *ccurl_open(void) {
  static bool is_tried;
  static const char *fault;
  if (!is_tried) fault = load();
  is_tried = true;
  return fault;
}

enum ccurl_url ccurl_judge(const char *url, char *host, size_t room) {
  CURLU *parsed = lib.curl_url_();
  char *part = NULL;
  enum ccurl_url judged = CCURL_MALFORMED;
  // Without this flag a scheme that libcurl does not know is malformed.
  if (!parsed || lib.curl_url_set_(parsed, CURLUPART_URL, url, CURLU_NON_SUPPORT_SCHEME)) goto end;
  if (lib.curl_url_get_(parsed, CURLUPART_SCHEME, &part, 0)) goto end;
  judged = strcmp(part, "http") && strcmp(part, "https") ? CCURL_OTHER_SCHEME : CCURL_GOOD;
  lib.curl_free_(part);
  part = NULL;
  if (!lib.curl_url_get_(parsed, CURLUPART_USER, &part, 0)) judged = CCURL_HAS_USER;
  if (part) lib.curl_free_(part);
  part = NULL;
  if (lib.curl_url_get_(parsed, CURLUPART_HOST, &part, 0)) {
    judged = CCURL_MALFORMED;
    goto end;
  }
  strncpy(host, part, room - 1);
  host[room - 1] = 0;
end:
  if (part) lib.curl_free_(part);
  if (parsed) lib.curl_url_cleanup_(parsed);
  return judged;
}

// MARK: Transfers

static bool set_up(CURL *one, const struct ccurl_post *post) {
#define SET(option, value) if (lib.curl_easy_setopt_(one, option, value) != CURLE_OK) return false
  SET(CURLOPT_ERRORBUFFER, post->words);
  SET(CURLOPT_PRIVATE, post->object);
  SET(CURLOPT_URL, post->url);
  // Only these, and nothing leads elsewhere.
#if LIBCURL_VERSION_NUM >= 0x075500
  lib.curl_easy_setopt_(one, CURLOPT_PROTOCOLS_STR, "http,https");
#else
  SET(CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
  SET(CURLOPT_FOLLOWLOCATION, 0L);
  SET(CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
  // Variables of the environment do not lead elsewhere either: neither http_proxy nor no_proxy.
  SET(CURLOPT_PROXY, post->proxy ? post->proxy : "");
  SET(CURLOPT_NOPROXY, "");
  // What a proxy says before the service does is no part of the answer.
  SET(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  SET(CURLOPT_SSL_VERIFYPEER, 1L);
  SET(CURLOPT_SSL_VERIFYHOST, 2L);
  SET(CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
  if (post->authorities) SET(CURLOPT_CAINFO, post->authorities);
  SET(CURLOPT_POST, 1L);
  SET(CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)post->count);
  SET(CURLOPT_COPYPOSTFIELDS, post->count ? post->body : "");
  SET(CURLOPT_HTTPHEADER, post->headers);
  SET(CURLOPT_TIMEOUT_MS, post->timeout_ms);
  SET(CURLOPT_CONNECTTIMEOUT_MS, post->timeout_ms);
  SET(CURLOPT_NOSIGNAL, 1L);
  SET(CURLOPT_TCP_NODELAY, 1L);
  SET(CURLOPT_HEADERFUNCTION, post->take_head);
  SET(CURLOPT_HEADERDATA, post->object);
  SET(CURLOPT_WRITEFUNCTION, post->take_body);
  SET(CURLOPT_WRITEDATA, post->object);
#if LIBCURL_VERSION_NUM >= 0x075700
  // A look-up that takes too long is left to its thread: else the end of its transfer would wait for it.
  lib.curl_easy_setopt_(one, CURLOPT_QUICK_EXIT, 1L);
#endif
  return true;
}

CURL *ccurl_begin(CURLM *many, const struct ccurl_post *post) {
  CURL *one = lib.curl_easy_init_();
  if (!one) return NULL;
  if (set_up(one, post) && lib.curl_multi_add_handle_(many, one) == CURLM_OK) return one;
  lib.curl_easy_cleanup_(one);
  return NULL;
}

bool ccurl_again(CURLM *many, CURL *one, long timeout_ms) {
  long made = 1;
  lib.curl_easy_getinfo_(one, CURLINFO_NUM_CONNECTS, &made);
  if (made > 0) return false;
  lib.curl_multi_remove_handle_(many, one);
  SET(CURLOPT_FRESH_CONNECT, 1L);
  SET(CURLOPT_TIMEOUT_MS, timeout_ms);
  return lib.curl_multi_add_handle_(many, one) == CURLM_OK;
}

void ccurl_end(CURLM *many, CURL *one) {
  lib.curl_multi_remove_handle_(many, one);
  lib.curl_easy_cleanup_(one);
}

long ccurl_status(CURL *one) {
  long status = 0;
  lib.curl_easy_getinfo_(one, CURLINFO_RESPONSE_CODE, &status);
  return status;
}

bool ccurl_add(struct curl_slist **list, const char *header) {
  struct curl_slist *longer = lib.curl_slist_append_(*list, header);
  if (longer) *list = longer;
  return longer != NULL;
}

void ccurl_free(struct curl_slist *list) { lib.curl_slist_free_all_(list); }

CURLM *ccurl_many(long kept) {
  CURLM *many = lib.curl_multi_init_();
  if (many) lib.curl_multi_setopt_(many, CURLMOPT_MAXCONNECTS, kept);
  return many;
}

CURLMcode ccurl_perform(CURLM *many) {
  int running;
  return lib.curl_multi_perform_(many, &running);
}

CURLMcode ccurl_wait(CURLM *many) { return lib.curl_multi_poll_(many, NULL, 0, 60000, NULL); }

void ccurl_wake(CURLM *many) { lib.curl_multi_wakeup_(many); }

CURL *ccurl_next(CURLM *many, CURLcode *code, void **object) {
  int left;
  for (CURLMsg *message; (message = lib.curl_multi_info_read_(many, &left));) {
    if (message->msg != CURLMSG_DONE) continue;
    *code = message->data.result;
    lib.curl_easy_getinfo_(message->easy_handle, CURLINFO_PRIVATE, object);
    return message->easy_handle;
  }
  return NULL;
}

const char *ccurl_words(CURLcode code) { return lib.curl_easy_strerror_(code); }
