"""The commands of hindmost in lldb: `command script import` this file, then `help hindmost`. Its first parts are hindmost.py and core_file.py.

Needs lldb 14 or later with Python, on the host on which the processes run.
"""

import shlex
import signal

import lldb


class _Lldb(HindmostDebugger):
    """What differs from debugger to debugger, of lldb."""

    called = "target"
    set_command = "hindmost set"

    def __init__(self, debugger):
        self.debugger = debugger
        self.settings = {"map": None, "program": None, "gcore": True}

    def setting(self, name):
        return self.settings[name]

    def tasks(self, wanted=None):
        """The targets with a process or a core, or those of them whose numbers are wanted."""
        tasks = []
        for number in range(self.debugger.GetNumTargets()):
            process = self.debugger.GetTargetAtIndex(number).GetProcess()
            if process.IsValid() and _is_there(process) and (not wanted or number in wanted):
                tasks.append(_task(number, process))
        return self.check_wanted(tasks, wanted)

    def save(self, task, path):
        process = self.debugger.GetTargetAtIndex(task.number).GetProcess()
        try:
            HindmostCoreFile(task.pid, _reader(process)).write(path, [_thread(thread) for thread in process])
        except OSError as error:
            raise HindmostRefused(f"a core file of target {task.number} cannot be written: {error}") from error


def _is_there(process):
    return process.GetState() not in (lldb.eStateInvalid, lldb.eStateUnloaded, lldb.eStateDetached, lldb.eStateExited)


def _task(number, process):
    if process.GetState() in (lldb.eStateRunning, lldb.eStateStepping, lldb.eStateAttaching, lldb.eStateLaunching):
        raise HindmostRefused(f"target {number} runs: stop it with 'process interrupt'")
    pid = process.GetProcessID()
    if process.GetPluginName() == "elf-core":
        return HindmostTask(number, pid, _core_of(number, process))
    if process.GetPluginName() != "gdb-remote":
        raise HindmostRefused(f"target {number} is no process of Linux and no core file of one")
    if not _is_held_here(pid):
        raise HindmostRefused(f"target {number} is not a process of this host: run hindmost there")
    return HindmostTask(number, pid, None)


def _is_held_here(pid):
    """Whether a process of this host with this number is held by the server that this lldb has started."""
    try:
        tracer = _status(pid, "TracerPid:")
        return tracer != 0 and _status(tracer, "PPid:") == os.getpid()
    except (OSError, StopIteration):
        return False


def _status(pid, name):
    with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as status:
        return next(int(line.split()[1]) for line in status if line.startswith(name))


def _core_of(number, process):
    """The path of a target's core file. lldb 14 tells it only as one of all files that it has open, the cores of other targets among them."""
    if hasattr(process, "GetCoreFile"):
        return process.GetCoreFile().fullpath
    wanted = {thread.GetThreadID(): thread.GetFrameAtIndex(0).GetPC() for thread in process}
    listed = lldb.SBCommandReturnObject()
    process.GetTarget().GetDebugger().GetCommandInterpreter().HandleCommand("target modules list --global --fullpath", listed)
    paths = {line.partition("] ")[2] for line in listed.GetOutput().splitlines()}
    cores = sorted(path for path in paths if _threads_of_core(path) == wanted)
    if len(cores) != 1:
        raise HindmostRefused(
            f"which file the core of target {number} is does not follow from what lldb tells ({len(cores)} fit): "
            "open this core alone, in another lldb"
        )
    return cores[0]


def _threads_of_core(path):
    """The ids of the threads in a core file, each with the address at which it stands; None if the file is no core."""
    try:
        with open(path, "rb") as file:
            ident, kind, _, _, _, at, _, _, _, size, count, *_ = struct.unpack("<16sHHIQQQIHHHHHH", file.read(64))
            if not ident.startswith(b"\x7fELF\x02\x01") or kind != 4:
                return None
            threads = {}
            for index in range(count):
                file.seek(at + size * index)
                segment, _, offset, _, _, length, *_ = struct.unpack("<IIQQQQQQ", file.read(56))
                if segment == 4:
                    file.seek(offset)
                    threads.update(_threads_of_notes(file.read(length)))
            return threads
    except (OSError, struct.error):
        return None


def _threads_of_notes(notes):
    at = 0
    while at + 12 <= len(notes):
        name, length, kind = struct.unpack_from("<III", notes, at)
        value = at + 12 + -(-name // 4) * 4
        if kind == 1 and notes[at + 12 : at + 17] == b"CORE\0":
            yield struct.unpack_from("<I", notes, value + 32)[0], struct.unpack_from("<Q", notes, value + 112 + 8 * 16)[0]
        at = value + -(-length // 4) * 4


def _reader(process):
    """Reads memory of a live process: by the kernel where it lets us, else through lldb, which is slow."""
    try:
        memory = open(f"/proc/{process.GetProcessID()}/mem", "rb", buffering=0)
    except OSError:
        memory = None

    def read(address, length):
        if memory:
            try:
                memory.seek(address)
                return memory.read(length)
            except OSError:
                return None
        error = lldb.SBError()
        piece = process.ReadMemory(address, length, error)
        return piece if error.Success() else None

    return read


def _thread(thread):
    frame = thread.GetFrameAtIndex(0)
    registers = {name: frame.FindRegister(name).GetValueAsUnsigned(0) for name in HindmostCoreFile.REGISTERS}
    # lldb does not tell it. All ones mean that the thread is in no system call, which is right of those that lldb has stopped.
    registers["orig_rax"] = (1 << 64) - 1
    vectors = [_bytes(frame.FindRegister(f"xmm{number}"), 16) for number in range(16)]
    return HindmostThread(thread.GetThreadID(), _signal(thread), registers, vectors)


def _bytes(value, length):
    error = lldb.SBError()
    read = value.GetData().ReadRawData(error, 0, length)
    return read if error.Success() else bytes(length)


def _signal(thread):
    """The signal that a thread has taken, without those by which a debugger stops it."""
    if thread.GetStopReason() != lldb.eStopReasonSignal:
        return 0
    number = thread.GetStopReasonDataAtIndex(0)
    return 0 if number in (signal.SIGSTOP, signal.SIGTRAP, signal.SIGINT) else number


class _Command:
    """A command that says in one sentence why it shows nothing. Its class's text is its help, the first line of it the short one."""

    hindmost = None

    def __init__(self, debugger, _internal):
        if _Command.hindmost is None:
            _Command.hindmost = _Lldb(debugger)

    def __call__(self, debugger, argument, _context, result):
        self.hindmost.debugger = debugger
        try:
            # The context that comes with a command is that of the script which gives it, if one does.
            result.PutCString(self.printed(argument, debugger.GetSelectedTarget()).rstrip("\n"))
        except HindmostRefused as refused:
            result.SetError(str(refused))

    def get_short_help(self):
        return self.__doc__.splitlines()[0]

    def get_long_help(self):
        return "\n".join(line.strip() for line in self.__doc__.splitlines())

    @staticmethod
    def words(argument):
        try:
            return shlex.split(argument)
        except ValueError as error:
            raise HindmostRefused(f"{argument}: {error}") from error


class HindmostOrder(_Command):
    """Tell which target is behind all others, and why: hindmost order [TARGET...]
    Without numbers, all targets that have a process or a core file take part; `target list' has the numbers."""

    def printed(self, argument, _target):
        output, errors = self.hindmost.find(self.hindmost.tasks(self.hindmost.numbers_of(self.words(argument))), [])
        return errors + output


class HindmostCompare(_Command):
    """Tell how one target stands to another: hindmost compare [A B], or hindmost compare CORE
    A and B are numbers of targets; without them, there are two. CORE is a core file of the same program: the selected target is
    compared with that."""

    def printed(self, argument, target):
        number = self.hindmost.debugger.GetIndexOfTarget(target) if target.IsValid() else 0
        output, errors = self.hindmost.compare(self.words(argument), number, self.hindmost.tasks)
        return errors + output


class HindmostHere(_Command):
    """Tell where the selected frame is in the program's order: iterations, tuple and loops.
    Values are those that hindmost reads; why it reads one not is said. Tuple and loops are those of `hindmost set map FILE'."""

    def printed(self, argument, target):
        if argument.strip():
            raise HindmostRefused("'hindmost here' takes no argument: it is about the selected frame")
        thread, frame = _selected(target)
        process = target.GetProcess()
        if thread.GetThreadID() != process.GetProcessID():
            raise HindmostRefused("only the main thread's frames are shown; 'hindmost order' reads all threads")
        number = self.hindmost.debugger.GetIndexOfTarget(target)
        looked = self.hindmost.look(_task(number, process))
        places = [_place(one) for one in thread][::-1]
        return self.hindmost.here(len(places) - 1 - frame.GetFrameID(), places, looked)


class HindmostSlice(_Command):
    """Show what may have had an influence on a line: hindmost slice [FILE:LINE[:VARIABLE] | VARIABLE]
    Without FILE:LINE it is the line of the selected frame."""

    def printed(self, argument, target):
        program = target.GetExecutable().fullpath if target.IsValid() else None
        output, errors, _ = self.hindmost.slice_of(argument, lambda: _place(_selected(target)[1]), program)
        return errors + output


class HindmostSet(_Command):
    """Change a setting: hindmost set map|program FILE, hindmost set gcore on|off
    map: the progress map (without it one is looked for as `hindmost find' does); program: the hindmost program, where it is not on
    the PATH. While lldb holds a process, nobody else can read its registers, which stacks and values need; so a core file of each process is
    written into $TMPDIR, which is read and removed. With gcore off nothing is copied, and what is in registers stays unknown:
    often whole stacks. A setting without a value is as it was at first."""

    def printed(self, argument, _target):
        words = self.words(argument)
        if not words or len(words) > 2 or words[0] not in self.hindmost.settings:
            raise HindmostRefused("'hindmost set map FILE', 'hindmost set program FILE' or 'hindmost set gcore on|off'")
        name, value = words[0], (words[1:] or [None])[0]
        if name == "gcore":
            if value not in (None, "on", "off"):
                raise HindmostRefused(f"gcore is 'on' or 'off', not '{value}'")
            value = value != "off"
        elif value:
            value = os.path.expanduser(value)
        self.hindmost.settings[name] = value
        return ""


def _selected(target):
    """The selected thread and frame."""
    thread = target.GetProcess().GetSelectedThread()
    frame = thread.GetSelectedFrame()
    if not (thread.IsValid() and frame.IsValid()):
        raise HindmostRefused("no frame is selected: attach to a process or open a core file, and stop it")
    return thread, frame


def _place(frame):
    """Path and line of a frame, or None for both."""
    entry = frame.GetLineEntry()
    if not entry.IsValid() or entry.GetLine() in (0, lldb.LLDB_INVALID_LINE_NUMBER):
        return None, None
    return entry.GetFileSpec().fullpath, entry.GetLine()


def __lldb_init_module(debugger, _internal):
    debugger.HandleCommand("command container add hindmost -h 'Ask hindmost about the processes or core files of the targets.'")
    for name, command in (
        ("order", HindmostOrder),
        ("compare", HindmostCompare),
        ("here", HindmostHere),
        ("slice", HindmostSlice),
        ("set", HindmostSet),
    ):
        debugger.HandleCommand(f"command script add -c {__name__}.{command.__name__} hindmost {name}")
