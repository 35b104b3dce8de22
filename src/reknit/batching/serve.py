"""A worker process: one input after another on standard input, each answered on standard output.

    hello (the fingerprint)      job ─▶ reply      job ─▶ reply      end of input ─▶ end

What anything in it prints goes to standard error, of which the parent shows the last line if the process dies.
"""

import gc
import json
import os
import sys
import time
from typing import BinaryIO, Final

from reknit.batching.bounds import bounded
from reknit.batching.fingerprint import fingerprint
from reknit.batching.job import HEAD, Job, frame, job_of, lengths
from reknit.batching.opened import Opened
from reknit.batching.recipe import recipe_of
from reknit.batching.reply import Reply
from reknit.batching.verdicts import OF_LIMIT
from reknit.batching.work import Input, work
from reknit.source.limits import LimitExceeded, resident
from reknit.source.place import Place

GARBAGE: Final = 50_000
"""Objects after which circles among them are looked for, between two inputs."""
IMPORTING: Final = 3
"""Inputs after which most of what is needed is imported."""


def serve() -> None:
    """Answer until the input ends, or its reader is gone."""
    given = os.fdopen(os.dup(0), "rb")
    out = os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    _send(out, json.dumps({"fingerprint": fingerprint(), "pid": os.getpid()}), None)
    gc.disable()
    opened = Opened()
    count = 0
    while True:
        job = _receive(given)
        if job is None:
            return
        reply = answer(job, opened)
        _send(out, reply.text(), reply.output)
        count += 1
        del job, reply
        if count <= IMPORTING:
            gc.collect()
            gc.freeze()
        elif gc.get_count()[0] > GARBAGE:
            gc.collect()


def answer(job: Job, opened: Opened) -> Reply:
    """What the recipe makes of it, within bounds."""
    recipe = recipe_of(job.recipe)
    given = Input(job.data, job.format, job.name, job.path, recipe.options)
    begun = time.process_time()
    try:
        with opened, bounded(job.limits):
            reply = work(recipe, given)
    except LimitExceeded as error:
        reply = Reply(OF_LIMIT[error.limit], error.diagnostics)
    for diagnostic in reply.diagnostics:
        if diagnostic.place is None:  # which is enough where there is one input
            diagnostic.place = Place(job.name)
    reply.depends = opened.files(job.path)
    reply.seconds = time.process_time() - begun
    reply.held = resident()
    return reply


def _receive(given: BinaryIO) -> Job | None:
    head = given.read(HEAD)
    if len(head) < HEAD:
        return None
    text, data = lengths(head)
    return job_of(given.read(text), given.read(data))


def _send(out: BinaryIO, text: str, data: bytes | None) -> None:
    try:
        out.write(frame(text, data))
        out.flush()
    except BrokenPipeError:  # the parent is gone, and with it what it wanted to know
        sys.stderr.flush()
        os._exit(0)
