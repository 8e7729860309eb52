"""The commands of hindmost in gdb: `source` this file, then `help hindmost`. Its first part is hindmost.py.

Needs gdb 9 or later with Python, on the host on which the processes run.
"""

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


class _Gdb(HindmostDebugger):
    """What differs from debugger to debugger, of gdb."""

    called = "inferior"
    set_command = "set hindmost"

    def setting(self, name):
        return gdb.parameter(f"hindmost {name}")

    def save(self, task, path):
        with _Selection():
            _select(next(one for one in gdb.inferiors() if one.num == task.number))
            gdb.execute(f"gcore {path}", to_string=True)


class _Command(gdb.Command):
    """A command that says in one sentence why it shows nothing."""

    def invoke(self, argument, from_tty):
        try:
            for text in self.printed(argument):
                gdb.write(text)
        except HindmostRefused as refused:
            raise gdb.GdbError(str(refused)) from refused


_HINDMOST = _Gdb()

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
        raise HindmostRefused("a gdbserver holds the inferior, perhaps on another host: run hindmost there")
    return None


def _select(inferior):
    """Goes to an inferior that has threads; the command of this name would say so to the user."""
    if gdb.selected_inferior().num != inferior.num:
        inferior.threads()[0].switch()


def _level(frame):
    """How many frames are newer. gdb has a method for this from version 11 on."""
    level = 0
    while frame.newer() is not None:
        frame = frame.newer()
        level += 1
    return level


def _all_stopped(inferior):
    return all(thread.is_stopped() for thread in inferior.threads())


class _Selection:
    """Puts the user's inferior, thread and frame back. gdb 13 forgets the frame of a core as soon as it is asked for threads."""

    def __enter__(self):
        self.inferior = gdb.selected_inferior()
        self.thread = gdb.selected_thread()
        self.level = _level(gdb.selected_frame()) if self.thread and self.thread.is_stopped() else 0

    def __exit__(self, *_raised):
        if self.thread is None:
            if gdb.selected_inferior().num != self.inferior.num:
                gdb.execute(f"inferior {self.inferior.num}", to_string=True)
        elif self.thread.is_valid():
            if gdb.selected_thread() != self.thread:
                self.thread.switch()
            if self.level and _level(gdb.selected_frame()) != self.level:
                # A frame from before is not always found again, and its level is.
                frame = gdb.newest_frame()
                for _ in range(self.level):
                    frame = frame.older() or frame
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
                raise HindmostRefused(f"inferior {inferior.num} runs: stop it with 'interrupt'")
            tasks.append(HindmostTask(inferior.num, inferior.pid, _core_of_selected()))
    return _HINDMOST.check_wanted(tasks, wanted)


class _Order(_Command):
    """Tell which inferior is behind all others, and why: hindmost order [INFERIOR...]
    Without numbers, all inferiors that have a process or a core file take part."""

    def __init__(self):
        super().__init__("hindmost order", gdb.COMMAND_STATUS)

    def printed(self, argument):
        output, errors = _HINDMOST.find(_tasks(_HINDMOST.numbers_of(gdb.string_to_argv(argument))), [])
        return errors, output


class _Compare(_Command):
    """Tell how one inferior stands to another: hindmost compare [A B], or hindmost compare CORE
    A and B are numbers of inferiors; without them, there are two. CORE is a core file of the same program, such as `gcore' has
    written earlier: the selected inferior is compared with that."""

    def __init__(self):
        super().__init__("hindmost compare", gdb.COMMAND_STATUS, gdb.COMPLETE_FILENAME)

    def printed(self, argument):
        output, errors = _HINDMOST.compare(gdb.string_to_argv(argument), gdb.selected_inferior().num, _tasks)
        return errors, output


class _Slice(_Command):
    """Show what may have had an influence on a line: hindmost slice [FILE:LINE[:VARIABLE] | VARIABLE]
    Without FILE:LINE it is the line of the selected frame."""

    def __init__(self):
        super().__init__("hindmost slice", gdb.COMMAND_STATUS, gdb.COMPLETE_LOCATION)

    def printed(self, argument):
        program = gdb.current_progspace().filename
        output, errors, _ = _HINDMOST.slice_of(argument, lambda: _place(_selected_frame()), program)
        return errors, output


def _selected_frame():
    try:
        return gdb.selected_frame()
    except gdb.error as error:
        raise HindmostRefused(f"{error}") from error


def _place(frame):
    """Path and line of a frame, or None for both."""
    sal = frame.find_sal()
    if sal.symtab is None or sal.line == 0:
        return None, None
    return sal.symtab.fullname(), sal.line


def _look():
    """The stack of the selected inferior's main thread as hindmost sees it, and its warnings; asked for once while it is stopped."""
    with _Selection():
        return _look_at_selected()


def _look_at_selected():
    inferior, thread = gdb.selected_inferior(), gdb.selected_thread()
    if thread is None:
        raise HindmostRefused("the inferior has no process and no core file")
    if not _all_stopped(inferior):
        raise HindmostRefused("the inferior runs: stop it with 'interrupt'")
    if thread.ptid[1] not in (0, inferior.pid):
        raise HindmostRefused("only the main thread's frames are shown; 'hindmost order' reads all threads")
    key = (inferior.num, inferior.pid)
    if key not in _seen:
        _seen[key] = _HINDMOST.look(HindmostTask(inferior.num, inferior.pid, _core_of_selected()))
    return _seen[key]


def _gdb_stack():
    """gdb's frames of the selected thread, outermost first."""
    frames = []
    frame = gdb.newest_frame()
    while frame is not None:
        frames.append(frame)
        frame = frame.older()
    return frames[::-1]


def _paired():
    """gdb's frames that are for certain those that hindmost saw, each with what was seen."""
    stack = _look()[0]
    frames = _gdb_stack()
    return [(frames[index], seen) for index, seen in _HINDMOST.pairs([_place(frame) for frame in frames], stack).items()]


class _Here(_Command):
    """Tell where the selected frame is in the program's order: iterations, tuple and loops.
    Values are those that hindmost reads; why it reads one not is said. Tuple and loops are those of `set hindmost map FILE'."""

    def __init__(self):
        super().__init__("hindmost here", gdb.COMMAND_STATUS)

    def printed(self, argument):
        if argument.strip():
            raise HindmostRefused("'hindmost here' takes no argument: it is about the selected frame")
        level = _level(_selected_frame())
        looked = _look()
        places = [_place(frame) for frame in _gdb_stack()]
        return [_HINDMOST.here(len(places) - 1 - level, places, looked)]


class _Iteration(gdb.Function):
    """$hindmost ([NAME]): the iteration of the selected frame.
    With NAME it is the value of that loop-order variable as a number, without one a text such as "it=3, k=0" (empty outside of loops).
    It is an error where hindmost does not read the value: an expression never goes on with a wrong one."""

    def __init__(self):
        super().__init__("hindmost")

    def invoke(self, name=None):
        try:
            return self.value(name)
        except HindmostRefused as refused:
            raise gdb.GdbError(str(refused)) from refused

    @staticmethod
    def value(name):
        selected = _selected_frame()
        seen = next((one for frame, one in _paired() if frame == selected), None)
        if seen is None:
            raise HindmostRefused("the selected frame is not one that hindmost sees in the program")
        if name is None:
            return _HINDMOST.values(seen)
        wanted = name.string()
        if wanted in seen["values"]:
            return seen["values"][wanted]
        raise HindmostRefused(f"{wanted}: " + seen.get("missing", {}).get(wanted, "it orders no loop around the selected frame"))


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
            texts = [(frame, _HINDMOST.values(seen)) for frame, seen in _paired() if seen["values"]]
        except (gdb.error, HindmostRefused, ValueError, KeyError) as error:
            # A backtrace is shown whatever hindmost says.
            gdb.write(f"{error}\n")
            return frames
        return (self.decorated(frame, texts) for frame in frames)

    @staticmethod
    def decorated(frame, texts):
        for one, text in texts:
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
