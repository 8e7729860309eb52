"""What hindmost's commands in gdb and in lldb have in common: whom they ask about, and what they make of the answer.

Nothing is ordered or read here. A debugger tells which processes or core files it has, and which frame is selected; the
`hindmost` program looks at these processes and files itself, with the rules by which it refuses values that debug info may have
wrong, and its answer is shown.

`hindmost gdb-script` and `hindmost lldb-script` print this file and behind it the one of the debugger's own commands, as one file.
gdb runs what it sources in one namespace with all other scripts of the user, so there are few names here, and no common ones.
"""

import collections
import json
import os
import shutil
import subprocess
import tempfile


class HindmostRefused(Exception):
    """Why a command shows nothing, as a sentence for the user."""

    def __str__(self):
        sentence = super().__str__()
        return sentence if sentence.startswith("hindmost: ") else f"hindmost: {sentence}"


# A process of this host (core is None) or a core file, by the number that the debugger gives it.
HindmostTask = collections.namedtuple("HindmostTask", "number pid core")


class HindmostDebugger:
    """A debugger's questions to hindmost. What differs from debugger to debugger comes first."""

    # What the debugger calls a task.
    called = None
    # How a setting is changed.
    set_command = None

    def setting(self, name):
        """The value of a setting: `map` and `program` are None if not set, `gcore` is True or False."""
        raise NotImplementedError

    def save(self, task, path):
        """Writes a core file of a live task."""
        raise NotImplementedError

    def numbers_of(self, words):
        if not all(word.isdigit() for word in words):
            raise HindmostRefused(f"'{' '.join(words)}' is no list of {self.called}s, such as '1 2'")
        return [int(word) for word in words]

    def check_wanted(self, tasks, wanted):
        """The tasks, if all that are wanted are there."""
        for number in wanted or []:
            if all(task.number != number for task in tasks):
                raise HindmostRefused(f"{self.called} {number} has no process and no core file")
        if not tasks:
            raise HindmostRefused(f"no {self.called} has a process or a core file: attach to one, or open a core file")
        return tasks

    @staticmethod
    def _memory(pid):
        """How many bytes of memory a process of this host has in use; 0 where the kernel does not tell."""
        try:
            with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as status:
                kilobytes = [line.split()[1] for line in status if line.startswith(("VmRSS:", "VmSwap:"))]
        except OSError:
            return 0
        return 1024 * sum(int(number) for number in kilobytes)

    def _saved(self, task, directory):
        """The core file of a task; of a process, one that the debugger writes into the directory."""
        if task.core:
            return task.core
        needed, free = self._memory(task.pid), shutil.disk_usage(directory).free
        if needed > free // 2:
            raise HindmostRefused(
                f"a core file of {self.called} {task.number} takes up to {needed >> 20} MB, and {directory} has {free >> 20} MB: "
                f"start the debugger with another TMPDIR, or '{self.set_command} gcore off'"
            )
        path = os.path.join(directory, f"core.{task.number}.{task.pid}")
        self.save(task, path)
        return path

    def run(self, arguments, statuses):
        """What hindmost prints for these arguments, what it warns of, and how it ended."""
        program = self.setting("program") or "hindmost"
        try:
            done = subprocess.run([program, *arguments], stdin=subprocess.DEVNULL, capture_output=True, check=False)
        except OSError as error:
            raise HindmostRefused(f"{program}: {error.strerror}: '{self.set_command} program FILE' names it") from error
        output = done.stdout.decode(errors="replace")
        errors = done.stderr.decode(errors="replace")
        if done.returncode not in statuses:
            raise HindmostRefused((errors or output or f"it ended with {done.returncode}").rstrip())
        return output, errors, done.returncode

    def find(self, tasks, options, cores=()):
        """What `hindmost find` prints of these tasks and of these core files, and what it warns of."""
        arguments = ["find", *options]
        if self.setting("map"):
            arguments += ["--map", self.setting("map")]
        saved = all(task.core for task in tasks)
        through_cores = saved or self.setting("gcore")
        if not through_cores and (cores or any(task.core for task in tasks)):
            raise HindmostRefused(f"processes are compared with core files through core files: '{self.set_command} gcore on'")
        with tempfile.TemporaryDirectory(prefix="hindmost-") as directory:
            if through_cores:
                arguments += ["--core", *cores, *(self._saved(task, directory) for task in tasks)]
            else:
                arguments += [str(task.pid) for task in tasks]
            output, errors, status = self.run(arguments, (0, 1, 3))
        if status != 0 and not through_cores:
            errors += (
                "note: the debugger holds these processes, so that nobody else can read their registers; "
                f"'{self.set_command} gcore on' reads them, too\n"
            )
        return output, errors

    def compare(self, words, selected, tasks_of):
        """What `hindmost compare` prints for these words; `tasks_of` gives the tasks of some numbers, or all."""
        if len(words) == 1 and not words[0].isdigit():
            return self.find(tasks_of([selected]), [], cores=[os.path.expanduser(words[0])])
        tasks = tasks_of(self.numbers_of(words))
        if len(tasks) != 2:
            raise HindmostRefused(f"two {self.called}s are compared: 'hindmost compare 1 2'; 'hindmost order' takes any number")
        return self.find(tasks, [])

    def slice_of(self, criterion, place, program):
        """What `hindmost slice` prints for what the user typed; `place` is path and line of the selected frame, asked for if needed."""
        criterion = criterion.strip()
        if ":" not in criterion:
            path, line = place()
            if path is None:
                raise HindmostRefused("the selected frame has no line: select another, or give FILE:LINE")
            criterion = f"{path}:{line}" + (f":{criterion}" if criterion else "")
        if program is None:
            raise HindmostRefused(f"the {self.called} has no executable")
        return self.run(["slice", criterion, "--exe", program], (0,))

    def look(self, task):
        """The stack of a task's main thread as hindmost sees it, outermost frame first, and its warnings."""
        output, errors = self.find([task], ["--format", "json", "--threads", "main"])
        answer = json.loads(output)
        return self._stack(answer, task), answer["warnings"] + [line for line in errors.splitlines() if line]

    @staticmethod
    def _stack(answer, task):
        """The stack that an answer about one task tells.

        `find' takes a process that started others for their launcher; then the answer is about those."""
        classes = answer["classes"]
        about = [one.get("state", {}).get("pids", [task.pid]) for one in classes]
        if about != [[task.pid]] or classes[0]["count"] != 1:
            reasons = [one["error"] for one in answer["unreadable"]] + answer["warnings"]
            raise HindmostRefused("the task could not be read as one" + "".join(f"; {reason}" for reason in reasons))
        return classes[0]["frames"]

    @staticmethod
    def _same_place(place, seen):
        path, line = place
        return path is not None and line == seen["line"] and os.path.basename(path) == os.path.basename(seen["file"])

    def pairs(self, places, stack):
        """The debugger's frames that are for certain those that hindmost saw, by their index, each with what was seen.

        Both stacks come outermost frame first, the debugger's as pairs of path and line, which are None where it knows none. Both are
        walked from the outermost frame of the program inwards, as far as they stand on the same lines. Where they part, an unwinder may have left
        a frame out before, one of several on the same line: then a value would be shown of the wrong one."""
        seen = [(one if one["file"] is not None else None) for one in stack]
        program = seen[: seen.index(None)] if None in seen else seen
        first = 0
        while program and first < len(places) and not self._same_place(places[first], program[0]):
            first += 1
        places = places[first:]
        same = 0
        while same < min(len(places), len(program)) and self._same_place(places[same], program[same]):
            same += 1
        whole = same == len(program) and not any(place in places[:same] for place in places[same:])
        if not whole:
            lines = [(one["file"], one["line"]) for one in program]
            once = 0
            while once < same and places.count(places[once]) == 1 and lines.count(lines[once]) == 1:
                once += 1
            same = once
        return {first + index: program[index] for index in range(same)}

    @staticmethod
    def values(seen):
        return ", ".join(f"{name}={value}" for name, value in seen["values"].items())

    def here(self, selected, places, looked):
        """Where the selected frame (an index of `places`) is in the program's order, as text."""
        stack, warnings = looked
        paired = self.pairs(places, stack)
        lines = [f"warning: {warning}" for warning in warnings]
        shown = next((index for index in range(selected, -1, -1) if index in paired), None)
        if shown is None:
            raise HindmostRefused("neither the selected frame nor one of its callers is one that hindmost sees in the program")
        level = [len(places) - 1 - index for index in (selected, shown)]
        if shown != selected:
            lines.append(f"frame {level[0]} has no place in the map that is certain; its caller, frame {level[1]}, has:")
        seen = paired[shown]
        lines.append(f"{seen['function']} at {seen['file']}:{seen['line']}")
        if seen["values"]:
            lines.append(f"  iteration {self.values(seen)}")
        lines += [f"  {name}: {reason}" for name, reason in seen.get("missing", {}).items()]
        text = "".join(f"{line}\n" for line in lines)
        if self.setting("map"):
            output, errors, _ = self.run(["show", self.setting("map"), f"{seen['file']}:{seen['line']}"], (0,))
            text += errors + output
        return text
