// Preloaded into a worker: records, in order, its changes to the files in a folder and the answers it sends.
//
// DATALAKE_RECORD_BELOW names the folder, DATALAKE_RECORD_TO the file. A record is a head and two byte strings, in the
// machine's byte order; `recording.rs` reads it. A file is changed and recorded under one lock, so the records are in
// the order of the changes. The start and the end of a sync are recorded, and it runs outside the lock: changes
// recorded before its start happened before it.
//
// Calls go to the kernel directly: looking up the next library's function could call one of these again.

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

struct head {
	uint32_t kind;
	uint32_t first;
	uint32_t second;
	uint32_t unused;
	uint64_t inode;
	int64_t number;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char below[PATH_MAX];
static size_t below_len;
static int log_fd = -1;
static int64_t syncs;

static void die(const char *why)
{
	fprintf(stderr, "the recorder of writes failed: %s: %s\n", why, strerror(errno));
	abort();
}

static void put(const void *bytes, size_t len)
{
	const char *at = bytes;
	while (len > 0) {
		long done = syscall(SYS_write, log_fd, at, len);
		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			die("its log");
		at += done;
		len -= (size_t)done;
	}
}

static void record(char kind, uint64_t inode, int64_t number, const void *first, size_t first_len, const void *second,
		   size_t second_len)
{
	int was = errno;
	struct head head = {(uint32_t)kind, (uint32_t)first_len, (uint32_t)second_len, 0, inode, number};
	put(&head, sizeof head);
	put(first, first_len);
	put(second, second_len);
	errno = was;
}

static uint64_t inode_at(const char *path)
{
	struct stat found;
	return fstatat(AT_FDCWD, path, &found, AT_SYMLINK_NOFOLLOW) == 0 ? (uint64_t)found.st_ino : 0;
}

__attribute__((constructor)) static void begin(void)
{
	const char *folder = getenv("DATALAKE_RECORD_BELOW");
	const char *to = getenv("DATALAKE_RECORD_TO");
	if (folder == NULL || to == NULL)
		return;
	if (realpath(folder, below) == NULL)
		die(folder);
	below_len = strlen(below);
	log_fd = (int)syscall(SYS_openat, AT_FDCWD, to, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (log_fd < 0)
		die(to);
	record('M', inode_at(below), 0, "", 0, NULL, 0);
}

// The path relative to the folder, or NULL. `whole` receives the absolute path of `text`.
static const char *inside(int dir, const char *text, char *whole)
{
	if (log_fd < 0 || text == NULL)
		return NULL;
	if (text[0] == '/') {
		snprintf(whole, PATH_MAX, "%s", text);
	} else {
		char link[64], base[PATH_MAX];
		snprintf(link, sizeof link, dir == AT_FDCWD ? "/proc/self/cwd" : "/proc/self/fd/%d", dir);
		ssize_t len = readlink(link, base, sizeof base - 1);
		if (len < 0)
			return NULL;
		base[len] = 0;
		if (snprintf(whole, PATH_MAX, "%s/%s", base, text) >= PATH_MAX)
			return NULL;
	}
	if (strncmp(whole, below, below_len) != 0 || whole[below_len] != '/')
		return NULL;
	return whole + below_len + 1;
}

// Whether the file of `fd` is in the folder; `found` receives its status.
static int watched(int fd, struct stat *found)
{
	char link[64], path[PATH_MAX];
	if (log_fd < 0 || fd == log_fd || fstat(fd, found) != 0)
		return 0;
	if (!S_ISREG(found->st_mode) && !S_ISDIR(found->st_mode))
		return 0;
	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	ssize_t len = readlink(link, path, sizeof path - 1);
	return len >= (ssize_t)below_len && strncmp(path, below, below_len) == 0 &&
	       ((size_t)len == below_len || path[below_len] == '/');
}

static int open_file(int dir, const char *text, int flags, mode_t mode)
{
	char whole[PATH_MAX];
	int writes = (flags & O_ACCMODE) != O_RDONLY;
	const char *path = writes || (flags & O_CREAT) ? inside(dir, text, whole) : NULL;
	if (path == NULL)
		return (int)syscall(SYS_openat, dir, text, flags, mode);
	int was = errno;
	pthread_mutex_lock(&lock);
	uint64_t before = inode_at(whole);
	errno = was;
	int fd = (int)syscall(SYS_openat, dir, text, flags, mode);
	if (fd >= 0 && before == 0)
		record('C', inode_at(whole), 0, path, strlen(path), NULL, 0);
	else if (fd >= 0 && (flags & O_TRUNC))
		record('T', before, 0, NULL, 0, NULL, 0);
	pthread_mutex_unlock(&lock);
	return fd;
}

#define OPEN_MODE(flags)                                                                                                \
	mode_t mode = 0;                                                                                                \
	if ((flags) & (O_CREAT | O_TMPFILE)) {                                                                          \
		va_list rest;                                                                                           \
		va_start(rest, flags);                                                                                  \
		mode = va_arg(rest, mode_t);                                                                            \
		va_end(rest);                                                                                           \
	}

int open(const char *path, int flags, ...)
{
	OPEN_MODE(flags)
	return open_file(AT_FDCWD, path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
	OPEN_MODE(flags)
	return open_file(AT_FDCWD, path, flags, mode);
}

int openat(int dir, const char *path, int flags, ...)
{
	OPEN_MODE(flags)
	return open_file(dir, path, flags, mode);
}

int openat64(int dir, const char *path, int flags, ...)
{
	OPEN_MODE(flags)
	return open_file(dir, path, flags, mode);
}

int creat(const char *path, mode_t mode)
{
	return open_file(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode);
}

// Writes to a watched file at `offset`, or at the file's position if that is negative.
static ssize_t write_file(int fd, const struct stat *found, const void *bytes, size_t len, int64_t offset)
{
	pthread_mutex_lock(&lock);
	int64_t at = offset;
	if (offset < 0 && (fcntl(fd, F_GETFL) & O_APPEND)) {
		struct stat now;
		at = fstat(fd, &now) == 0 ? now.st_size : 0;
	} else if (offset < 0) {
		at = lseek(fd, 0, SEEK_CUR);
	}
	ssize_t done = offset < 0 ? syscall(SYS_write, fd, bytes, len) : syscall(SYS_pwrite64, fd, bytes, len, offset);
	if (done > 0)
		record('W', (uint64_t)found->st_ino, at, bytes, (size_t)done, NULL, 0);
	pthread_mutex_unlock(&lock);
	return done;
}

static char *gather(const struct iovec *parts, int count, size_t *len)
{
	*len = 0;
	for (int n = 0; n < count; n++)
		*len += parts[n].iov_len;
	char *all = malloc(*len + 1), *at = all;
	if (all == NULL)
		die("memory");
	for (int n = 0; n < count; n++) {
		memcpy(at, parts[n].iov_base, parts[n].iov_len);
		at += parts[n].iov_len;
	}
	return all;
}

static void tell_answer(int fd, const void *bytes, size_t len)
{
	static const char OK[] = "HTTP/1.1 200";
	struct stat found;
	if (log_fd < 0 || len < sizeof OK - 1 || memcmp(bytes, OK, sizeof OK - 1) != 0)
		return;
	if (fstat(fd, &found) != 0 || !S_ISSOCK(found.st_mode))
		return;
	pthread_mutex_lock(&lock);
	record('A', 0, 0, bytes, len, NULL, 0);
	pthread_mutex_unlock(&lock);
}

ssize_t write(int fd, const void *bytes, size_t len)
{
	struct stat found;
	if (watched(fd, &found))
		return write_file(fd, &found, bytes, len, -1);
	tell_answer(fd, bytes, len);
	return syscall(SYS_write, fd, bytes, len);
}

ssize_t pwrite(int fd, const void *bytes, size_t len, off_t offset)
{
	struct stat found;
	if (watched(fd, &found))
		return write_file(fd, &found, bytes, len, offset);
	return syscall(SYS_pwrite64, fd, bytes, len, offset);
}

ssize_t pwrite64(int fd, const void *bytes, size_t len, off64_t offset)
{
	return pwrite(fd, bytes, len, offset);
}

ssize_t writev(int fd, const struct iovec *parts, int count)
{
	struct stat found;
	if (log_fd < 0)
		return syscall(SYS_writev, fd, parts, count);
	size_t len;
	char *all = gather(parts, count, &len);
	ssize_t done;
	if (watched(fd, &found)) {
		done = write_file(fd, &found, all, len, -1);
	} else {
		tell_answer(fd, all, len);
		done = syscall(SYS_writev, fd, parts, count);
	}
	int was = errno;
	free(all);
	errno = was;
	return done;
}

ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t offset)
{
	size_t len;
	char *all = gather(parts, count, &len);
	ssize_t done = pwrite(fd, all, len, offset);
	int was = errno;
	free(all);
	errno = was;
	return done;
}

ssize_t pwritev64(int fd, const struct iovec *parts, int count, off64_t offset)
{
	return pwritev(fd, parts, count, offset);
}

ssize_t sendto(int fd, const void *bytes, size_t len, int flags, const struct sockaddr *to, socklen_t to_len)
{
	tell_answer(fd, bytes, len);
	return syscall(SYS_sendto, fd, bytes, len, flags, to, to_len);
}

ssize_t send(int fd, const void *bytes, size_t len, int flags)
{
	return sendto(fd, bytes, len, flags, NULL, 0);
}

ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
	size_t len;
	char *all = gather(message->msg_iov, (int)message->msg_iovlen, &len);
	tell_answer(fd, all, len);
	free(all);
	return syscall(SYS_sendmsg, fd, message, flags);
}

static int sync_file(int fd, long call)
{
	struct stat found;
	if (!watched(fd, &found))
		return (int)syscall(call, fd);
	pthread_mutex_lock(&lock);
	int64_t number = ++syncs;
	record('B', (uint64_t)found.st_ino, number, NULL, 0, NULL, 0);
	pthread_mutex_unlock(&lock);
	int done = (int)syscall(call, fd);
	if (done == 0) {
		pthread_mutex_lock(&lock);
		record('E', (uint64_t)found.st_ino, number, NULL, 0, NULL, 0);
		pthread_mutex_unlock(&lock);
	}
	return done;
}

int fsync(int fd)
{
	return sync_file(fd, SYS_fsync);
}

int fdatasync(int fd)
{
	return sync_file(fd, SYS_fdatasync);
}

int ftruncate(int fd, off_t len)
{
	struct stat found;
	if (!watched(fd, &found))
		return (int)syscall(SYS_ftruncate, fd, len);
	pthread_mutex_lock(&lock);
	int done = (int)syscall(SYS_ftruncate, fd, len);
	if (done == 0)
		record('T', (uint64_t)found.st_ino, len, NULL, 0, NULL, 0);
	pthread_mutex_unlock(&lock);
	return done;
}

int ftruncate64(int fd, off64_t len)
{
	return ftruncate(fd, len);
}

// Space reservation, writable mappings and copies within the kernel of watched files would go unrecorded.
int fallocate(int fd, int mode, off_t offset, off_t len)
{
	struct stat found;
	if (watched(fd, &found))
		die("fallocate is not recorded");
	return (int)syscall(SYS_fallocate, fd, mode, offset, len);
}

int fallocate64(int fd, int mode, off64_t offset, off64_t len)
{
	return fallocate(fd, mode, offset, len);
}

int mkdirat(int dir, const char *text, mode_t mode)
{
	char whole[PATH_MAX];
	const char *path = inside(dir, text, whole);
	pthread_mutex_lock(&lock);
	int done = (int)syscall(SYS_mkdirat, dir, text, mode);
	if (done == 0 && path != NULL)
		record('M', inode_at(whole), 0, path, strlen(path), NULL, 0);
	pthread_mutex_unlock(&lock);
	return done;
}

int mkdir(const char *path, mode_t mode)
{
	return mkdirat(AT_FDCWD, path, mode);
}

static int two_paths(char kind, int from_dir, const char *from, int to_dir, const char *to, int flags)
{
	char whole_from[PATH_MAX], whole_to[PATH_MAX];
	const char *a = inside(from_dir, from, whole_from), *b = inside(to_dir, to, whole_to);
	pthread_mutex_lock(&lock);
	int done = kind == 'L' ? (int)syscall(SYS_linkat, from_dir, from, to_dir, to, flags)
			       : (int)syscall(SYS_renameat2, from_dir, from, to_dir, to, flags);
	if (done == 0 && a != NULL && b != NULL)
		record(kind, 0, 0, a, strlen(a), b, strlen(b));
	pthread_mutex_unlock(&lock);
	return done;
}

int rename(const char *from, const char *to)
{
	return two_paths('R', AT_FDCWD, from, AT_FDCWD, to, 0);
}

int renameat(int from_dir, const char *from, int to_dir, const char *to)
{
	return two_paths('R', from_dir, from, to_dir, to, 0);
}

int link(const char *from, const char *to)
{
	return two_paths('L', AT_FDCWD, from, AT_FDCWD, to, 0);
}

int linkat(int from_dir, const char *from, int to_dir, const char *to, int flags)
{
	return two_paths('L', from_dir, from, to_dir, to, flags);
}

int unlinkat(int dir, const char *text, int flags)
{
	char whole[PATH_MAX];
	const char *path = inside(dir, text, whole);
	pthread_mutex_lock(&lock);
	int done = (int)syscall(SYS_unlinkat, dir, text, flags);
	if (done == 0 && path != NULL)
		record('U', 0, 0, path, strlen(path), NULL, 0);
	pthread_mutex_unlock(&lock);
	return done;
}

int unlink(const char *path)
{
	return unlinkat(AT_FDCWD, path, 0);
}

int rmdir(const char *path)
{
	return unlinkat(AT_FDCWD, path, AT_REMOVEDIR);
}
