#!/usr/bin/python3
"""A folder as a network file system shows it: what others change is seen some seconds late.

delayed_folder.py BACKING MOUNT SECONDS mounts BACKING at MOUNT (FUSE). Attributes, names and missing
names that the kernel has looked up are believed for SECONDS, as an NFS client believes them; the data of
a file are read anew when it is opened (close-to-open). Each mount has caches of its own, and flock()
holds within one mount only, as on NFS without its lock service. So two mounts of one folder are two
clients of one server.
"""
import errno
import os
import sys

import fusepy


class Delayed(fusepy.Operations):
    def __init__(self, root):
        self.root = os.path.realpath(root)

    def __call__(self, operation, path, *arguments):
        return super().__call__(operation, self.root + path, *arguments)

    def getattr(self, path, handle=None):
        # By the handle where there is one: a file that is removed and still open.
        status = os.fstat(handle) if handle else os.lstat(path)
        return {key: getattr(status, key) for key in (
            "st_atime", "st_ctime", "st_gid", "st_mode", "st_mtime", "st_nlink", "st_size", "st_uid",
            "st_ino")}

    def readdir(self, path, handle):
        return [".", ".."] + os.listdir(path)

    def open(self, path, flags):
        return os.open(path, flags & ~os.O_CREAT)

    def create(self, path, mode, info=None):
        # O_EXCL reaches the server: of two clients that make one name, one fails.
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, mode)

    def read(self, path, size, offset, handle):
        return os.pread(handle, size, offset)

    def write(self, path, data, offset, handle):
        return os.pwrite(handle, data, offset)

    def truncate(self, path, length, handle=None):
        os.truncate(handle if handle else path, length)

    def flush(self, path, handle):
        return 0

    def fsync(self, path, datasync, handle):
        os.fsync(handle)

    def release(self, path, handle):
        os.close(handle)

    def utimens(self, path, times=None):
        # "Now" is the server's; fusepy has turned it into this machine's, which is the same here.
        os.utime(path, times)

    def rename(self, old, new):
        os.rename(old, self.root + new)

    def mkdir(self, path, mode):
        os.mkdir(path, mode)

    def rmdir(self, path):
        os.rmdir(path)

    def unlink(self, path):
        os.unlink(path)

    def chmod(self, path, mode):
        os.chmod(path, mode)

    def statfs(self, path):
        status = os.statvfs(path)
        return {key: getattr(status, key) for key in dir(status) if key.startswith("f_")}

    def access(self, path, mode):
        if not os.access(path, mode):
            raise fusepy.FuseOSError(errno.EACCES)


if __name__ == "__main__":
    backing, mount, seconds = sys.argv[1:]
    fusepy.FUSE(Delayed(backing), mount, foreground=True, use_ino=False, allow_other=True,
                attr_timeout=float(seconds), entry_timeout=float(seconds),
                negative_timeout=float(seconds))
