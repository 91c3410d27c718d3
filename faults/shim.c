/* Makes the n-th write or sync of a file below one folder fail, in the process it is preloaded into. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static char folder[4096];
static long at, seen;
static int code, kinds, lasting;

/* kinds: 1 writes and truncations, 2 syncs. lasting: every one from the n-th on. */
void fault_arm(const char *below, long nth, int error, int which, int goes_on) {
    strncpy(folder, below, sizeof folder - 1);
    at = nth, code = error, kinds = which, lasting = goes_on, seen = 0;
}

long fault_seen(void) { return seen; }

static int due(int handle, int kind) {
    char link[64], path[4096];
    if (!folder[0] || !(kinds & kind)) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", handle);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    if (strncmp(path, folder, strlen(folder)) || strstr(path, "answered")) return 0;
    seen++;
    if (seen == at || (lasting && at > 0 && seen > at)) {
        errno = code;
        return 1;
    }
    return 0;
}

#define REAL(name, type) ((type)dlsym(RTLD_NEXT, name))

ssize_t write(int handle, const void *from, size_t size) {
    return due(handle, 1) ? -1 : REAL("write", ssize_t (*)(int, const void *, size_t))(handle, from, size);
}
ssize_t pwrite(int handle, const void *from, size_t size, off_t place) {
    return due(handle, 1) ? -1 : REAL("pwrite", ssize_t (*)(int, const void *, size_t, off_t))(handle, from, size, place);
}
ssize_t pwrite64(int handle, const void *from, size_t size, off64_t place) {
    return due(handle, 1) ? -1
                          : REAL("pwrite64", ssize_t (*)(int, const void *, size_t, off64_t))(handle, from, size, place);
}
int ftruncate(int handle, off_t length) {
    return due(handle, 1) ? -1 : REAL("ftruncate", int (*)(int, off_t))(handle, length);
}
int ftruncate64(int handle, off64_t length) {
    return due(handle, 1) ? -1 : REAL("ftruncate64", int (*)(int, off64_t))(handle, length);
}
int fsync(int handle) { return due(handle, 2) ? -1 : REAL("fsync", int (*)(int))(handle); }
int fdatasync(int handle) { return due(handle, 2) ? -1 : REAL("fdatasync", int (*)(int))(handle); }
