#pragma once
#include <uv.h>
// For the length that a Unix socket's path may have.
#include <sys/un.h>
