"""Reads traces of calls of hindmost, with nothing but Python's standard library.

Written from docs/trace-format.md alone; the comments name its sections. As a program it prints JSON, one line for each thread:

    python3 hindmost_trace.py DIR     every thread of every process in a directory
    python3 hindmost_trace.py FILE    one .trace, whose functions stay numbers

As a module: task(bytes) tells of a process, trace(bytes) of a thread, and events(bytes) gives its events: 0 is an exit, any other the number of a function
that is entered.
"""

import json
import os
import struct
import sys

__all__ = ["TraceError", "events", "task", "trace"]


class TraceError(Exception):
    """The bytes are no trace that this reader understands."""


HEADER = 512
QUEUE_AT = 64
BLOCK = 8192
BLOCKS = 65535
HEAD = 4
ROOM = (BLOCK - HEAD) * 8
TASK_WORDS = 147520
ENDED = {1: "thread", 2: "no room", 3: "full"}


def word(data, at):
    """The word with this index."""
    if at * 8 + 8 > len(data):
        raise TraceError("cut off in word %d" % at)
    return struct.unpack_from("<Q", data, at * 8)[0]


# Tokens


def leb128(tokens, at, where):
    """A number of at most 28 bits, and where it ends."""
    number = 0
    for shift in (0, 7, 14, 21):
        if at >= len(tokens):
            raise TraceError("a token is cut off in " + where)
        byte = tokens[at]
        at += 1
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            return number, at
    raise TraceError("a number is too large in " + where)


# What is expected

G = 0x9E3779B97F4A7C15
WORD = (1 << 64) - 1


class Model:
    """What is expected in a block, from its beginning on."""

    def __init__(self):
        self.long = self.short = self.now = 0
        self.long_choices, self.short_choices, self.places = {}, {}, {}
        self.history = [0] * 65536
        self.match = None
        self.right = 0

    def long_slot(self):
        return (self.long * G & WORD) >> 50

    def short_slot(self):
        return (self.short * G & WORD) >> 52

    def expected(self):
        if self.match is not None and self.right >= 16:
            return self.history[self.match % 65536]
        return self.long_choices.get(self.long_slot(), (0, 0))[0]

    def chosen(self, code):
        if code == 0:
            first, second = self.long_choices.get(self.long_slot(), (0, 0))
            return second if self.expected() == first else first
        return self.short_choices.get(self.short_slot(), (0, 0))[code - 1]

    def learn(self, symbol):
        for choices, slot in ((self.long_choices, self.long_slot()), (self.short_choices, self.short_slot())):
            first = choices.get(slot, (0, 0))[0]
            if first != symbol:
                choices[slot] = (symbol, first)

    def go_on(self, symbol):
        if self.match is not None:
            if self.history[self.match % 65536] == symbol:
                self.match += 1
                self.right += 1
            else:
                self.match = None
        self.history[self.now % 65536] = symbol
        self.now += 1
        self.long = (self.long << 9 & WORD) ^ ((symbol * G & WORD) >> 40)
        self.short = (self.short << 24 | symbol) & ((1 << 48) - 1)
        slot = self.long_slot()
        if self.match is None:
            place = self.places.get(slot)
            if place is not None and self.now - place < 65536:
                self.match, self.right = place, 0
        self.places[slot] = self.now


def block_events(tokens, run, where):
    """The events of one block."""
    model = Model()
    at = 0

    def expected(count):
        for _ in range(count):
            symbol = model.expected()
            model.go_on(symbol)
            yield symbol

    while at < len(tokens):
        first = tokens[at]
        at += 1
        count = first >> 2
        if count == 63:
            more, at = leb128(tokens, at, where)
            count += more
        literal = None
        if first & 3 == 3:
            literal, at = leb128(tokens, at, where)
            if literal >= 1 << 24:
                raise TraceError("a number is too large in " + where)
        yield from expected(count)
        symbol = model.chosen(first & 3) if literal is None else literal
        model.learn(symbol)
        model.go_on(symbol)
        yield symbol
    yield from expected(run)


# The file of a thread


def blocks(data):
    """What each block that has begun says: events before, depth, tokens, run."""
    for number in range(BLOCKS):
        at = HEADER + number * BLOCK
        if (at + HEAD) * 8 > len(data):
            return
        published, before, depth, mark = (word(data, at + index) for index in range(HEAD))
        if mark == 0:
            return
        used, run = published & 0xFFFFFFFF, published >> 32
        start = (at + HEAD) * 8
        if mark != number + 1 or used > ROOM or (number == 0) != (before == 0):
            raise TraceError("the head of block %d is damaged" % number)
        if start + used > len(data):
            raise TraceError("cut off in block %d" % number)
        yield before, depth, data[start : start + used], run


def trace(data):
    """What the header of a thread's file says."""
    if len(data) < HEADER * 8 or data[:8] != b"hindmTRC":
        raise TraceError("this is no trace of calls")
    if word(data, 1) != 2:
        raise TraceError("it is a trace of version %d, and this reads version 2" % word(data, 1))
    if word(data, 2) != BLOCK:
        raise TraceError("its blocks have %d words" % word(data, 2))
    return {
        "ended": ENDED.get(word(data, 3)),
        "lost": word(data, 4),
        "supplied": word(data, 5),
        "ignored": word(data, 6),
        "inherited": word(data, 7),
        "tid": word(data, 8),
        "overrun": word(data, 10) != 0,
    }


def events(data):
    """All events, those of the queue behind the others."""
    trace(data)
    depth = count = last = 0
    for number, (before, deep, tokens, run) in enumerate(blocks(data)):
        if (before, deep) != (count, depth):
            raise TraceError("block %d does not begin where the one before it ends" % number)
        for symbol in block_events(tokens, run, "block %d" % number):
            depth += 1 if symbol else -1
            if depth < 0:
                raise TraceError("event %d leaves a function, but the thread is in none" % count)
            count += 1
            last = symbol
            yield symbol
    queue = [word(data, QUEUE_AT + index) for index in range(min(word(data, 9), HEADER - QUEUE_AT))]
    taking = word(data, 11)
    if taking >> 48:
        taken, then = (taking >> 48) - 1, taking & ((1 << 48) - 1)
        if count > then and taken < len(queue) and queue[taken] == last:
            taken += 1
        queue = queue[taken:]
    for symbol in queue:
        if symbol or depth:
            depth += 1 if symbol else -1
            yield symbol


# The file of a process


def text(data, at, length):
    return data[at * 8 : at * 8 + length].split(b"\0")[0].decode("utf-8", "replace")


def task(data):
    """Who a process is, and its functions: module and address of each, number 1 first."""
    if len(data) < TASK_WORDS * 8 or data[:8] != b"hindmTSK":
        raise TraceError("this is no file of a traced process")
    if word(data, 1) != 1:
        raise TraceError("it is of version %d, and this reads version 1" % word(data, 1))
    modules = []
    for number in range(min(word(data, 8), 256)):
        at = 64 + number * 64
        length = min(word(data, at + 1), 32)
        build_id = data[(at + 2) * 8 : (at + 2) * 8 + length].hex()
        modules.append({"build_id": build_id, "path": text(data, at + 7, min(word(data, at + 6), 456))})
    functions = []
    for number in range(min(word(data, 9), 131071)):
        place = word(data, 16448 + number)
        module = (place >> 48) - 1
        known = {"module": module if 0 <= module < len(modules) else None, "address": place & ((1 << 48) - 1)}
        functions.append(known if place else None)
    rank, size, parent = word(data, 5), word(data, 6), word(data, 11)
    return {
        "pid": word(data, 2),
        "image": word(data, 3),
        "started": word(data, 4),
        "rank": rank - 1 if rank else None,
        "size": size or None,
        "lost": word(data, 10),
        "forked_from": parent or None,
        "host": text(data, 16, 64),
        "job": text(data, 24, 64),
        "modules": modules,
        "functions": functions,
    }


def read(path):
    with open(path, "rb") as file:
        return file.read()


def threads(path):
    """What is printed: one dictionary for each thread."""
    if not os.path.isdir(path):
        data = read(path)
        yield {"about": trace(data), "events": list(events(data))}
        return
    names = sorted(os.listdir(path))
    for name in names:
        if not name.endswith(".task"):
            continue
        process = task(read(os.path.join(path, name)))
        stem = name[: -len(".task")] + "-"
        for other in names:
            if other.startswith(stem) and other.endswith(".trace"):
                data = read(os.path.join(path, other))
                yield {"file": other, "process": process, "about": trace(data), "events": list(events(data))}


def main(arguments):
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        for thread in threads(arguments[0]):
            print(json.dumps(thread))
    except (OSError, TraceError) as error:
        print("%s: %s" % (arguments[0], error), file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
