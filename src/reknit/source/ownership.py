"""Whose a file is: whether other users can have written it.

    reason = not_own("/home/me/project/reknit.toml")     "" or "it belongs to another user (uid 1001)"

A file is the user's own if its owner is the effective user and only that user may write it. The user's private group
(of the same name, without another member) may write it too: with the usual umask 002 every new file is such a file.
Where the folder is writable by others they can put another file there, so folders are asked in the same way.

On Windows, access control lists say which users may write a file, and `os.stat` doesn't have them: every file passes.
"""

import os
import stat
from typing import Final

ASKED: Final = hasattr(os, "geteuid")
"""Whether this system says whose a file is in a way that is read here."""


def is_own(status: os.stat_result) -> bool:
    return not fault_of(status)


def not_own(path: str, *, links: bool = True, system: bool = False) -> str:
    """Why others may have written what is at `path`, "" if they can't have. `links`: a symbolic link is followed, else
    it is a reason. `system`: what root owns is as good as one's own. Raises OSError where there is nothing."""
    status = os.stat(path) if links else os.lstat(path)
    if not links and stat.S_ISLNK(status.st_mode):
        return "it is a symbolic link"
    return fault_of(status, system)


def folder_not_own(folder: str) -> str:
    """The same for a folder whose files are checked by themselves: in a sticky one, such as /tmp, others can't replace
    them."""
    status = os.stat(folder)
    if status.st_mode & stat.S_ISVTX:
        return ""
    return fault_of(status, system=True)


def fault_of(status: os.stat_result, system: bool = False) -> str:
    if not ASKED:
        return ""
    user = os.geteuid()
    if status.st_uid != user and not (system and status.st_uid == 0):
        return f"it belongs to another user (uid {status.st_uid})"
    if status.st_mode & stat.S_IWOTH:
        return "every user may write it"
    if status.st_mode & stat.S_IWGRP and not _is_private(status.st_gid, user) and not (system and status.st_gid == 0):
        return f"its group (gid {status.st_gid}) may write it"
    return ""


def _is_private(group: int, user: int) -> bool:
    """Whether the group is the user's alone: it has the same name, and no other member."""
    import grp
    import pwd

    try:
        name = pwd.getpwuid(user).pw_name
        entry = grp.getgrgid(group)
    except KeyError:
        return False
    return entry.gr_name == name and set(entry.gr_mem) <= {name}
