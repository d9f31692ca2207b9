#include "CConsole.h"

// The compiler that comes with Swift knows #embed in every version of C.
#pragma clang diagnostic ignored "-Wc23-extensions"

#define PAGE "text/html; charset=utf-8"
#define STYLE "text/css; charset=utf-8"
#define MODULE "text/javascript; charset=utf-8"
#define PICTURE "image/svg+xml"

// Each file as an array; a file that is missing here cannot be had from the server.
static const uint8_t index_html[] = {
#embed "files/index.html"
};
static const uint8_t ask_html[] = {
#embed "files/ask.html"
};
static const uint8_t ask_js[] = {
#embed "files/ask.js"
};
static const uint8_t asking_js[] = {
#embed "files/asking.js"
};
static const uint8_t chains_js[] = {
#embed "files/chains.js"
};
static const uint8_t charts_js[] = {
#embed "files/charts.js"
};
static const uint8_t connections_js[] = {
#embed "files/connections.js"
};
static const uint8_t console_css[] = {
#embed "files/console.css"
};
static const uint8_t copying_js[] = {
#embed "files/copying.js"
};
static const uint8_t dead_js[] = {
#embed "files/dead.js"
};
static const uint8_t dom_js[] = {
#embed "files/dom.js"
};
static const uint8_t flow_js[] = {
#embed "files/flow.js"
};
static const uint8_t flowview_js[] = {
#embed "files/flowview.js"
};
static const uint8_t hold_js[] = {
#embed "files/hold.js"
};
static const uint8_t icon_svg[] = {
#embed "files/icon.svg"
};
static const uint8_t linkpanel_js[] = {
#embed "files/linkpanel.js"
};
static const uint8_t lists_js[] = {
#embed "files/lists.js"
};
static const uint8_t listview_js[] = {
#embed "files/listview.js"
};
static const uint8_t main_js[] = {
#embed "files/main.js"
};
static const uint8_t messages_js[] = {
#embed "files/messages.js"
};
static const uint8_t now_js[] = {
#embed "files/now.js"
};
static const uint8_t page_js[] = {
#embed "files/page.js"
};
static const uint8_t payload_js[] = {
#embed "files/payload.js"
};
static const uint8_t question_js[] = {
#embed "files/question.js"
};
static const uint8_t rawjson_js[] = {
#embed "files/rawjson.js"
};
static const uint8_t rights_js[] = {
#embed "files/rights.js"
};
static const uint8_t store_js[] = {
#embed "files/store.js"
};
static const uint8_t told_js[] = {
#embed "files/told.js"
};
static const uint8_t token_js[] = {
#embed "files/token.js"
};
static const uint8_t try_js[] = {
#embed "files/try.js"
};
static const uint8_t waiting_js[] = {
#embed "files/waiting.js"
};
static const uint8_t why_js[] = {
#embed "files/why.js"
};
static const uint8_t wire_js[] = {
#embed "files/wire.js"
};
static const uint8_t words_js[] = {
#embed "files/words.js"
};

static const cconsole_file files[] = {
    {"/", PAGE, index_html, sizeof index_html},
    {"/ask", PAGE, ask_html, sizeof ask_html},
    {"/console/ask.js", MODULE, ask_js, sizeof ask_js},
    {"/console/asking.js", MODULE, asking_js, sizeof asking_js},
    {"/console/chains.js", MODULE, chains_js, sizeof chains_js},
    {"/console/charts.js", MODULE, charts_js, sizeof charts_js},
    {"/console/connections.js", MODULE, connections_js, sizeof connections_js},
    {"/console/console.css", STYLE, console_css, sizeof console_css},
    {"/console/copying.js", MODULE, copying_js, sizeof copying_js},
    {"/console/dead.js", MODULE, dead_js, sizeof dead_js},
    {"/console/dom.js", MODULE, dom_js, sizeof dom_js},
    {"/console/flow.js", MODULE, flow_js, sizeof flow_js},
    {"/console/flowview.js", MODULE, flowview_js, sizeof flowview_js},
    {"/console/hold.js", MODULE, hold_js, sizeof hold_js},
    {"/console/icon.svg", PICTURE, icon_svg, sizeof icon_svg},
    {"/console/linkpanel.js", MODULE, linkpanel_js, sizeof linkpanel_js},
    {"/console/lists.js", MODULE, lists_js, sizeof lists_js},
    {"/console/listview.js", MODULE, listview_js, sizeof listview_js},
    {"/console/main.js", MODULE, main_js, sizeof main_js},
    {"/console/messages.js", MODULE, messages_js, sizeof messages_js},
    {"/console/now.js", MODULE, now_js, sizeof now_js},
    {"/console/page.js", MODULE, page_js, sizeof page_js},
    {"/console/payload.js", MODULE, payload_js, sizeof payload_js},
    {"/console/question.js", MODULE, question_js, sizeof question_js},
    {"/console/rawjson.js", MODULE, rawjson_js, sizeof rawjson_js},
    {"/console/rights.js", MODULE, rights_js, sizeof rights_js},
    {"/console/store.js", MODULE, store_js, sizeof store_js},
    {"/console/token.js", MODULE, token_js, sizeof token_js},
    {"/console/told.js", MODULE, told_js, sizeof told_js},
    {"/console/try.js", MODULE, try_js, sizeof try_js},
    {"/console/waiting.js", MODULE, waiting_js, sizeof waiting_js},
    {"/console/why.js", MODULE, why_js, sizeof why_js},
    {"/console/wire.js", MODULE, wire_js, sizeof wire_js},
    {"/console/words.js", MODULE, words_js, sizeof words_js},
};

const cconsole_file *cconsole_file_at(size_t place) { return &files[place]; }

size_t cconsole_file_count(void) { return sizeof files / sizeof files[0]; }
