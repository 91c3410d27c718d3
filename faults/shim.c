/* Makes the n-th call on files below one folder fail, fall short or be the last, in the process it is preloaded into. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static char folder[4096];
static long at, seen;
static int code, kinds, lasting;

enum { WRITES = 1, SYNCS = 2, NAMES = 4, READS = 8 };
enum { GOES_ON = 0, FAILS = 1, IS_SHORT = 2 };

/* error: an errno; 0 for a call that does half of it; -9 for a process that dies before it.
   lasting: every one from the n-th on. */
void fault_arm(const char *below, long nth, int error, int which, int goes_on) {
    strncpy(folder, below, sizeof folder - 1);
    at = nth, code = error, kinds = which, lasting = goes_on, seen = 0;
}

long fault_seen(void) { return seen; }

static int of_name(const char *path, int kind) {
    if (!folder[0] || !(kinds & kind) || !path) return GOES_ON;
    if (strncmp(path, folder, strlen(folder)) || strstr(path, "answered")) return GOES_ON;
    seen++;
    if (seen != at && !(lasting && at > 0 && seen > at)) return GOES_ON;
    if (code == -9) kill(getpid(), SIGKILL);
    if (code == 0) return IS_SHORT;
    errno = code;
    return FAILS;
}

static int of_handle(int handle, int kind) {
    char link[64], path[4096];
    if (!folder[0] || !(kinds & kind)) return GOES_ON;
    snprintf(link, sizeof link, "/proc/self/fd/%d", handle);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return GOES_ON;
    path[length] = 0;
    return of_name(path, kind);
}

#define REAL(name, type) ((type)dlsym(RTLD_NEXT, name))
#define HALF(size, due) ((due) == IS_SHORT && (size) > 1 ? (size) / 2 : (size))

ssize_t write(int handle, const void *from, size_t size) {
    int due = of_handle(handle, WRITES);
    return due == FAILS ? -1 : REAL("write", ssize_t (*)(int, const void *, size_t))(handle, from, HALF(size, due));
}
ssize_t pwrite(int handle, const void *from, size_t size, off_t place) {
    int due = of_handle(handle, WRITES);
    if (due == FAILS) return -1;
    return REAL("pwrite", ssize_t (*)(int, const void *, size_t, off_t))(handle, from, HALF(size, due), place);
}
ssize_t pwrite64(int handle, const void *from, size_t size, off64_t place) {
    int due = of_handle(handle, WRITES);
    if (due == FAILS) return -1;
    return REAL("pwrite64", ssize_t (*)(int, const void *, size_t, off64_t))(handle, from, HALF(size, due), place);
}
int ftruncate(int handle, off_t length) {
    return of_handle(handle, WRITES) == FAILS ? -1 : REAL("ftruncate", int (*)(int, off_t))(handle, length);
}
int ftruncate64(int handle, off64_t length) {
    return of_handle(handle, WRITES) == FAILS ? -1 : REAL("ftruncate64", int (*)(int, off64_t))(handle, length);
}
int fsync(int handle) { return of_handle(handle, SYNCS) == FAILS ? -1 : REAL("fsync", int (*)(int))(handle); }
int fdatasync(int handle) {
    return of_handle(handle, SYNCS) == FAILS ? -1 : REAL("fdatasync", int (*)(int))(handle);
}

ssize_t read(int handle, void *into, size_t size) {
    int due = of_handle(handle, READS);
    return due == FAILS ? -1 : REAL("read", ssize_t (*)(int, void *, size_t))(handle, into, HALF(size, due));
}
ssize_t pread(int handle, void *into, size_t size, off_t place) {
    int due = of_handle(handle, READS);
    if (due == FAILS) return -1;
    return REAL("pread", ssize_t (*)(int, void *, size_t, off_t))(handle, into, HALF(size, due), place);
}
ssize_t pread64(int handle, void *into, size_t size, off64_t place) {
    int due = of_handle(handle, READS);
    if (due == FAILS) return -1;
    return REAL("pread64", ssize_t (*)(int, void *, size_t, off64_t))(handle, into, HALF(size, due), place);
}

int rename(const char *from, const char *to) {
    return of_name(from, NAMES) == FAILS ? -1 : REAL("rename", int (*)(const char *, const char *))(from, to);
}
int unlink(const char *path) {
    return of_name(path, NAMES) == FAILS ? -1 : REAL("unlink", int (*)(const char *))(path);
}
int mkdir(const char *path, mode_t mode) {
    return of_name(path, NAMES) == FAILS ? -1 : REAL("mkdir", int (*)(const char *, mode_t))(path, mode);
}
