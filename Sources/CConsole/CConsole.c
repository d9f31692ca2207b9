#include "CConsole.h"

// The compiler that comes with Swift knows #embed in every version of C.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const uint8_t index_html[] = {
#embed "files/index.html"
};

static const cconsole_file files[] = {
    {"/", "text/html; charset=utf-8", index_html, sizeof index_html},
};

const cconsole_file *cconsole_file_at(size_t place) { return &files[place]; }

size_t cconsole_file_count(void) { return sizeof files / sizeof files[0]; }
