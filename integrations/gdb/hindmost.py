"""Commands of hindmost in gdb: `source` this file, then `help hindmost`.

Nothing is ordered or read here. gdb tells which processes or core files its inferiors are, and which frame is
selected; the `hindmost` program looks at these processes and files itself, with the rules by which it refuses values
that debug info may have wrong, and its answer is shown.

Needs gdb 9 or later with Python, on the host on which the processes run.
"""

import json
import os
import shutil
import subprocess
import tempfile

import gdb
from gdb.FrameDecorator import FrameDecorator


class _Hindmost(gdb.Command):
    """Ask hindmost about the processes or core files of the inferiors.

    set hindmost map FILE       the progress map (without it one is looked for as `hindmost find' does)
    set hindmost program FILE   the hindmost program, where it is not on the PATH
    set hindmost gcore off      read processes as they are, not through core files that gdb writes for a moment
    set hindmost frames on      show iterations in backtraces

    While gdb holds a process, nobody else can read its registers, which stacks and values need. So gdb writes a core file of each
    process into $TMPDIR, which is read and removed. Without (`set hindmost gcore off') nothing is copied, and what is in
    registers stays unknown: often whole stacks."""

    def __init__(self):
        super().__init__("hindmost", gdb.COMMAND_STATUS, prefix=True)


class _SetHindmost(gdb.Command):
    """Settings of hindmost."""

    def __init__(self, word):
        super().__init__(f"{word} hindmost", gdb.COMMAND_STATUS, prefix=True)


class _Setting(gdb.Parameter):
    """A setting whose change makes what was read before useless."""

    def __init__(self, name, kind, value, doc):
        self.set_doc = f"Set {doc}"
        self.show_doc = f"Show {doc}"
        self.__doc__ = ""
        super().__init__(f"hindmost {name}", gdb.COMMAND_STATUS, kind)
        self.value = value

    def get_set_string(self):
        _forget()
        return ""

    def get_show_string(self, value):
        return value or "not set"


class _Task:
    """What an inferior is: a process of this host, or a core file."""

    def __init__(self, inferior, core):
        self.inferior = inferior
        self.number = inferior.num
        self.pid = inferior.pid
        self.core = core


# The frames that hindmost saw of a stopped inferior, by its number.
_seen = {}


def _forget(_event=None):
    _seen.clear()


def _core_of_selected():
    """The core file of the selected inferior, or None if it is a process of this host."""
    target = gdb.execute("info files", to_string=True)
    lines = target.splitlines()
    for above, line in zip(lines, lines[1:]):
        if above.startswith("Local core dump file"):
            return line.strip().rsplit("', file type", 1)[0].lstrip("`'")
    if any(line.startswith(("Remote", "Extended remote")) for line in lines):
        raise gdb.GdbError("hindmost: a gdbserver holds the inferior, perhaps on another host: run hindmost there")
    return None


def _select(inferior):
    """Goes to an inferior that has threads; the command of this name would say so to the user."""
    if gdb.selected_inferior().num != inferior.num:
        inferior.threads()[0].switch()


def _all_stopped(inferior):
    return all(thread.is_stopped() for thread in inferior.threads())


class _Selection:
    """Puts the user's inferior, thread and frame back. gdb 13 forgets the frame of a core as soon as it is asked for threads."""

    def __enter__(self):
        self.inferior = gdb.selected_inferior()
        self.thread = gdb.selected_thread()
        self.level = gdb.selected_frame().level() if self.thread and self.thread.is_stopped() else 0

    def __exit__(self, *_raised):
        if self.thread is None:
            if gdb.selected_inferior().num != self.inferior.num:
                gdb.execute(f"inferior {self.inferior.num}", to_string=True)
        elif self.thread.is_valid():
            if gdb.selected_thread() != self.thread:
                self.thread.switch()
            if self.level and gdb.selected_frame().level() != self.level:
                # A frame from before is not always found again, and its level is.
                frame = gdb.newest_frame()
                while frame.level() != self.level and frame.older() is not None:
                    frame = frame.older()
                frame.select()


def _tasks(wanted=None):
    """The inferiors with a process or a core, or those of them whose numbers are wanted."""
    tasks = []
    with _Selection():
        for inferior in sorted(gdb.inferiors(), key=lambda one: one.num):
            if inferior.pid == 0 or (wanted and inferior.num not in wanted):
                continue
            _select(inferior)
            if not _all_stopped(inferior):
                raise gdb.GdbError(f"hindmost: inferior {inferior.num} runs: stop it with 'interrupt'")
            tasks.append(_Task(inferior, _core_of_selected()))
    for number in wanted or []:
        if all(task.number != number for task in tasks):
            raise gdb.GdbError(f"hindmost: inferior {number} has no process and no core file")
    if not tasks:
        raise gdb.GdbError("hindmost: no inferior has a process or a core file: attach to one, or use 'core-file'")
    return tasks


def _memory(pid):
    """How many bytes of memory a process of this host has in use; 0 where the kernel does not tell."""
    try:
        with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as status:
            kilobytes = [line.split()[1] for line in status if line.startswith(("VmRSS:", "VmSwap:"))]
    except OSError:
        return 0
    return 1024 * sum(int(number) for number in kilobytes)


def _saved(task, directory):
    """The core file of a task; of a process, one that gdb writes into the directory."""
    if task.core:
        return task.core
    needed, free = _memory(task.pid), shutil.disk_usage(directory).free
    if needed > free // 2:
        raise gdb.GdbError(
            f"hindmost: a core file of inferior {task.number} takes up to {needed >> 20} MB, and {directory} has {free >> 20} MB: "
            "start gdb with another TMPDIR, or 'set hindmost gcore off'"
        )
    path = os.path.join(directory, f"core.{task.number}.{task.pid}")
    _select(task.inferior)
    gdb.execute(f"gcore {path}", to_string=True)
    return path


def _run(arguments, statuses):
    """What hindmost prints for these arguments, and what it warns of."""
    program = gdb.parameter("hindmost program") or "hindmost"
    try:
        done = subprocess.run([program, *arguments], stdin=subprocess.DEVNULL, capture_output=True, check=False)
    except OSError as error:
        raise gdb.GdbError(f"hindmost: {program}: {error.strerror}: 'set hindmost program FILE' names it") from error
    output = done.stdout.decode(errors="replace")
    errors = done.stderr.decode(errors="replace")
    if done.returncode not in statuses:
        raise gdb.GdbError((errors or output or f"hindmost: it ended with {done.returncode}").rstrip())
    return output, errors, done.returncode


def _find(tasks, options, cores=()):
    """What `hindmost find` prints of these tasks, and of these core files."""
    arguments = ["find", *options]
    if gdb.parameter("hindmost map"):
        arguments += ["--map", gdb.parameter("hindmost map")]
    saved = all(task.core for task in tasks)
    if not gdb.parameter("hindmost gcore") and not saved and (cores or any(task.core for task in tasks)):
        raise gdb.GdbError("hindmost: processes are compared with core files through core files: 'set hindmost gcore on'")
    through_cores = saved or gdb.parameter("hindmost gcore")
    with tempfile.TemporaryDirectory(prefix="hindmost-gdb-") as directory:
        if through_cores:
            with _Selection():
                arguments += ["--core", *cores, *(_saved(task, directory) for task in tasks)]
        else:
            arguments += [str(task.pid) for task in tasks]
        output, errors, status = _run(arguments, (0, 1, 3))
    if status != 0 and not through_cores:
        errors += "note: gdb holds these processes, so that nobody else can read their registers; 'set hindmost gcore on' reads them, too\n"
    return output, errors


def _print(printed):
    output, errors = printed[:2]
    gdb.write(errors)
    gdb.write(output)


class _Order(gdb.Command):
    """Tell which inferior is behind all others, and why: hindmost order [INFERIOR...]
    Without numbers, all inferiors that have a process or a core file take part."""

    def __init__(self):
        super().__init__("hindmost order", gdb.COMMAND_STATUS)

    def invoke(self, argument, from_tty):
        _print(_find(_tasks(_numbers(argument)), []))


class _Compare(gdb.Command):
    """Tell how one inferior stands to another: hindmost compare [A B], or hindmost compare CORE
    A and B are numbers of inferiors; without them, there are two. CORE is a core file of the same program, such as `gcore' has
    written earlier: the selected inferior is compared with that."""

    def __init__(self):
        super().__init__("hindmost compare", gdb.COMMAND_STATUS, gdb.COMPLETE_FILENAME)

    def invoke(self, argument, from_tty):
        words = gdb.string_to_argv(argument)
        if len(words) == 1 and not words[0].isdigit():
            tasks = _tasks([gdb.selected_inferior().num])
            _print(_find(tasks, [], cores=[os.path.expanduser(words[0])]))
            return
        tasks = _tasks(_numbers(argument))
        if len(tasks) != 2:
            raise gdb.GdbError("hindmost: two inferiors are compared: 'hindmost compare 1 2'; 'hindmost order' takes any number")
        _print(_find(tasks, []))


def _numbers(argument):
    words = gdb.string_to_argv(argument)
    if not all(word.isdigit() for word in words):
        raise gdb.GdbError(f"hindmost: '{argument}' is no list of inferiors, such as '1 2'")
    return [int(word) for word in words]


class _Slice(gdb.Command):
    """Show what may have had an influence on a line: hindmost slice [FILE:LINE[:VARIABLE] | VARIABLE]
    Without FILE:LINE it is the line of the selected frame."""

    def __init__(self):
        super().__init__("hindmost slice", gdb.COMMAND_STATUS, gdb.COMPLETE_LOCATION)

    def invoke(self, argument, from_tty):
        criterion = argument.strip()
        if ":" not in criterion:
            path, line = _place(_selected_frame())
            if path is None:
                raise gdb.GdbError("hindmost: the selected frame has no line: select another, or give FILE:LINE")
            criterion = f"{path}:{line}" + (f":{criterion}" if criterion else "")
        program = gdb.current_progspace().filename
        if program is None:
            raise gdb.GdbError("hindmost: the inferior has no executable: 'file PROGRAM' names it")
        _print(_run(["slice", criterion, "--exe", program], (0,)))


def _selected_frame():
    try:
        return gdb.selected_frame()
    except gdb.error as error:
        raise gdb.GdbError(f"hindmost: {error}") from error


def _place(frame):
    """Path and line of a frame, or None for both."""
    sal = frame.find_sal()
    if sal.symtab is None or sal.line == 0:
        return None, None
    return sal.symtab.fullname(), sal.line


def _stack(answer, task):
    """The stack that an answer about one task tells, outermost frame first.

    `find' takes a process that started others for their launcher; then the answer is about those."""
    classes = answer["classes"]
    about = [one.get("state", {}).get("pids", [task.pid]) for one in classes]
    if about != [[task.pid]] or classes[0]["count"] != 1:
        reasons = [one["reason"] for one in answer["unreadable"] if "reason" in one] + answer["warnings"]
        raise gdb.GdbError("hindmost: the inferior could not be read as one task" + "".join(f"; {reason}" for reason in reasons))
    return classes[0]["frames"]


def _look():
    """The stack of the selected inferior's main thread as hindmost sees it, and its warnings; asked for once while it is stopped."""
    with _Selection():
        return _look_at_selected()


def _look_at_selected():
    inferior, thread = gdb.selected_inferior(), gdb.selected_thread()
    if thread is None:
        raise gdb.GdbError("hindmost: the inferior has no process and no core file")
    if not _all_stopped(inferior):
        raise gdb.GdbError("hindmost: the inferior runs: stop it with 'interrupt'")
    if thread.ptid[1] not in (0, inferior.pid):
        raise gdb.GdbError("hindmost: only the main thread's frames are shown; 'hindmost order' reads all threads")
    key = (inferior.num, inferior.pid)
    if key not in _seen:
        task = _Task(inferior, _core_of_selected())
        output, errors = _find([task], ["--format", "json", "--threads", "main"])
        answer = json.loads(output)
        _seen[key] = (_stack(answer, task), answer["warnings"] + [line for line in errors.splitlines() if line])
    return _seen[key]


def _gdb_stack():
    """gdb's frames of the selected thread, outermost first."""
    frames = []
    frame = gdb.newest_frame()
    while frame is not None:
        frames.append(frame)
        frame = frame.older()
    return frames[::-1]


def _same_place(frame, seen):
    path, line = _place(frame)
    return path is not None and line == seen["line"] and os.path.basename(path) == os.path.basename(seen["file"])


def _paired():
    """gdb's frames that are for certain those that hindmost saw: outermost first, each with what was seen.

    Both stacks are walked from the outermost frame of the program inwards, as far as they stand on the same lines. Where they part,
    an unwinder may have left a frame out before, one of several on the same line: then a value would be shown of the wrong one."""
    seen = [(one if one["file"] is not None else None) for one in _look()[0]]
    program = seen[: seen.index(None)] if None in seen else seen
    frames = _gdb_stack()
    while program and frames and not _same_place(frames[0], program[0]):
        frames.pop(0)
    pairs = []
    for frame, one in zip(frames, program):
        if not _same_place(frame, one):
            break
        pairs.append((frame, one))
    places = [_place(frame) for frame in frames]
    whole = len(pairs) == len(program) and not any(place in places[: len(pairs)] for place in places[len(pairs) :])
    if whole:
        return pairs
    lines = [(one["file"], one["line"]) for one in program]
    once = 0
    while once < len(pairs) and places.count(places[once]) == 1 and lines.count(lines[once]) == 1:
        once += 1
    return pairs[:once]


def _values(seen):
    return ", ".join(f"{name}={value}" for name, value in seen["values"].items())


class _Here(gdb.Command):
    """Tell where the selected frame is in the program's order: iterations, tuple and loops.
    Values are those that hindmost reads; why it reads one not is said. Tuple and loops are those of `set hindmost map FILE'."""

    def __init__(self):
        super().__init__("hindmost here", gdb.COMMAND_STATUS)

    def invoke(self, argument, from_tty):
        if argument.strip():
            raise gdb.GdbError("hindmost: 'hindmost here' takes no argument: it is about the selected frame")
        selected = _selected_frame()
        pairs = _paired()
        for warning in _look()[1]:
            gdb.write(f"warning: {warning}\n")
        frame = selected
        shown = None
        while frame is not None and shown is None:
            shown = next((pair for pair in pairs if pair[0] == frame), None)
            frame = frame.older()
        if shown is None:
            raise gdb.GdbError("hindmost: neither the selected frame nor one of its callers is one that hindmost sees in the program")
        frame, seen = shown
        if frame != selected:
            gdb.write(f"frame {selected.level()} has no place in the map that is certain; its caller, frame {frame.level()}, has:\n")
        gdb.write(f"{seen['function']} at {seen['file']}:{seen['line']}\n")
        if seen["values"]:
            gdb.write(f"  iteration {_values(seen)}\n")
        for name, reason in seen.get("missing", {}).items():
            gdb.write(f"  {name}: {reason}\n")
        if gdb.parameter("hindmost map"):
            _print(_run(["show", gdb.parameter("hindmost map"), f"{seen['file']}:{seen['line']}"], (0,)))


class _Iteration(gdb.Function):
    """$hindmost ([NAME]): the iteration of the selected frame.
    With NAME it is the value of that loop-order variable as a number, without one a text such as "it=3, k=0" (empty outside of loops).
    It is an error where hindmost does not read the value: an expression never goes on with a wrong one."""

    def __init__(self):
        super().__init__("hindmost")

    def invoke(self, name=None):
        selected = _selected_frame()
        seen = next((one for frame, one in _paired() if frame == selected), None)
        if seen is None:
            raise gdb.GdbError("hindmost: the selected frame is not one that hindmost sees in the program")
        if name is None:
            return _values(seen)
        wanted = name.string()
        if wanted in seen["values"]:
            return seen["values"][wanted]
        why = seen.get("missing", {}).get(wanted, "it orders no loop around the selected frame")
        raise gdb.GdbError(f"hindmost: {wanted}: {why}")


class _Decorator(FrameDecorator):
    """A frame whose function is shown with its iteration."""

    def __init__(self, frame, values):
        super().__init__(frame)
        self.values = values

    def function(self):
        name = super().function()
        return f"{name} [{self.values}]" if isinstance(name, str) else name


class _Frames:
    """Puts iterations into backtraces while `set hindmost frames on`."""

    name = "hindmost"
    priority = 10
    enabled = True

    def filter(self, frames):
        if not gdb.parameter("hindmost frames"):
            return frames
        try:
            values = [(frame, _values(seen)) for frame, seen in _paired() if seen["values"]]
        except (gdb.error, gdb.GdbError, ValueError, KeyError) as error:
            # A backtrace is shown whatever hindmost says.
            gdb.write(f"{error}\n")
            return frames
        return (self.decorated(frame, values) for frame in frames)

    @staticmethod
    def decorated(frame, values):
        for one, text in values:
            if one == frame.inferior_frame():
                return _Decorator(frame, text)
        return frame


def _start():
    _Hindmost()
    for word in ("set", "show"):
        _SetHindmost(word)
    _Setting("map", gdb.PARAM_OPTIONAL_FILENAME, None, "the progress map that hindmost uses.")
    _Setting("program", gdb.PARAM_OPTIONAL_FILENAME, None, "the hindmost program.")
    _Setting("gcore", gdb.PARAM_BOOLEAN, True, "whether processes are read through core files that gdb writes.")
    _Setting("frames", gdb.PARAM_BOOLEAN, False, "whether backtraces show iterations.")
    for command in (_Order, _Compare, _Slice, _Here, _Iteration):
        command()
    gdb.frame_filters[_Frames.name] = _Frames()
    for name in ("cont", "stop", "exited", "memory_changed", "register_changed", "new_objfile", "inferior_deleted"):
        getattr(gdb.events, name).connect(_forget)


_start()
