//! The module files of all tasks, each mapped once, and how each task's address space is made of them.
//!
//! Files are opened before any task is stopped: the window pays for none of it.

use crate::contents::Contents;
use crate::core_file::{Core, MappedFile};
use crate::effort::Effort;
use crate::elf::Module;
use crate::outline::Outline;
use crate::procfs::{Mapping, path_as_mapped, path_before_replaced};
use crate::sys;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// An index into [`Modules`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ModuleId(u32);

/// All module files seen so far.
pub(crate) struct Modules {
    all: Vec<Module>,
    known: BTreeMap<Image, ModuleId>,
    /// What lines of memory maps stand for, by what tells that two tasks mean the same file by the same line.
    mapped: BTreeMap<(View, Line), ModuleId>,
    /// What may still be done for the stacks of all tasks.
    pub(crate) effort: Effort,
}

impl Default for Modules {
    fn default() -> Self {
        Modules {
            all: Vec::new(),
            known: BTreeMap::new(),
            mapped: BTreeMap::new(),
            effort: Effort::of(Effort::LOOK),
        }
    }
}

/// So many files are read as modules at most. Each is one mapping of ours. Linux allows a process 65530 mappings by default, and with none left
/// no memory can be allocated any more. Large jobs have some thousand modules.
const MOST_MODULES: usize = 16 << 10;

/// For so many unreadable files of a task the reason is recorded.
const MOST_REASONS: usize = 1024;

/// What a module is read from.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Image {
    /// The file of this device and inode: those of what was opened, not those that a memory map prints. They name a file for
    /// as long as it is open or mapped, in whatever mount namespace.
    File(u64, u64),
    /// What this path leads to here. A core refers to its files so.
    Path(String),
    /// Bytes from a process or a core, by their hash: every process may change its vDSO.
    Bytes([u8; blake3::OUT_LEN]),
    /// A module without a file, of which there is one.
    Given,
}

/// Where a task's paths lead: the inode of its mount namespace, and device and inode of its root.
///
/// In a user namespace of its own, a process can mount anything anywhere, with files of any inode. So a path and an inode
/// that two tasks' memory maps print mean the same file only if both tasks see the same tree of files.
type View = (u64, (u64, u64));

/// A line of a memory map: the device as printed, inode and path. File systems with subvolumes print one device and inode
/// for several files.
type Line = (String, u64, String);

/// One task's address space.
pub(crate) struct Space {
    /// Executable ranges of known modules, sorted.
    code: Vec<Code>,
    /// Executable ranges of files that could not be read as modules, with the reason; sorted.
    unreadable: Vec<(u64, u64, String)>,
    /// Writable ranges, sorted: the stack is one of them.
    pub(crate) writable: Vec<Region>,
    /// What may still be done for its stacks.
    pub(crate) effort: Effort,
}

impl Default for Space {
    fn default() -> Self {
        Space {
            code: Vec::new(),
            unreadable: Vec::new(),
            writable: Vec::new(),
            effort: Effort::of(Effort::TASK),
        }
    }
}

/// An executable range.
struct Code {
    start: u64,
    end: u64,
    module: ModuleId,
    bias: u64,
}

/// A writable range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Region {
    pub(crate) start: u64,
    pub(crate) end: u64,
    /// The main thread's stack, which may have grown downwards since the map was read.
    pub(crate) is_stack: bool,
}

impl Region {
    /// The region that holds the stack at `address`.
    pub(crate) fn of_stack(regions: &[Region], address: u64) -> Option<&Region> {
        let next = regions.partition_point(|region| region.end <= address);
        regions
            .get(next)
            .filter(|region| region.start <= address || region.is_stack)
    }
}

impl Modules {
    /// Reads a task's memory map and maps the module files that are new.
    ///
    /// # Errors
    /// The memory map could not be read.
    pub(crate) fn space_of(&mut self, pid: u32) -> io::Result<Space> {
        Ok(self.space(pid, Outline::of(pid)?))
    }

    /// The address space that a task's memory map shows; the module files that are new are mapped.
    pub(crate) fn space(&mut self, pid: u32, outline: Outline) -> Space {
        let mut space = Space {
            writable: outline.writable,
            ..Space::default()
        };
        let view = view_of(pid);
        for mapping in outline.code {
            let loaded = self.module_of(pid, view, &mapping).and_then(|id| {
                let bias = self.get(id).bias(mapping.start, mapping.offset).ok_or_else(|| {
                    format!("{} has no segment at offset {:#x}", mapping.path, mapping.offset)
                })?;
                Ok((id, bias))
            });
            match loaded {
                Ok((module, bias)) => space.code.push(Code {
                    start: mapping.start,
                    end: mapping.end,
                    module,
                    bias,
                }),
                Err(reason) => space.tell(mapping.start, mapping.end, reason),
            }
        }
        space
    }

    /// The address space of a process that left a core, made of the files that it had mapped.
    ///
    /// A file is taken from its path; if the core holds the first page of what was mapped, which it does by default,
    /// the file must still have that build-id.
    pub(crate) fn space_of_core(&mut self, core: &Core) -> Space {
        let mut space = Space::default();
        // A path is looked at once, however often it is mapped.
        let mut known: BTreeMap<&str, Result<ModuleId, String>> = BTreeMap::new();
        // The segments do not do: `gcore` leaves out what is unchanged from the file.
        for file in &core.notes.files {
            let module = known.entry(&file.path);
            let module = module.or_insert_with(|| self.module_of_core(core, file)).clone();
            match module {
                Ok(module) if !self.get(module).is_code(file.offset) => {}
                Ok(module) => match self.get(module).bias(file.start, file.offset) {
                    Some(bias) => space.code.push(Code {
                        start: file.start,
                        end: file.end,
                        module,
                        bias,
                    }),
                    None => {
                        let reason = format!("{} has no segment at offset {:#x}", file.path, file.offset);
                        space.tell(file.start, file.end, reason);
                    }
                },
                Err(reason) => space.tell(file.start, file.end, reason),
            }
        }
        space.code.extend(self.vdso_of_core(core));
        space.code.sort_by_key(|code| code.start);
        space
    }

    fn module_of_core(&mut self, core: &Core, mapped: &MappedFile) -> Result<ModuleId, String> {
        let path = path_as_mapped(&mapped.path);
        let id = self.of_image(Image::Path(path.to_owned()), path, || {
            let unreadable = |error| format!("cannot read {path}, which the core refers to: {error}");
            let file = regular_files::open(Path::new(path)).map_err(unreadable)?;
            Contents::map(&file).map_err(unreadable)
        })?;
        match core.build_id_of(&mapped.path) {
            Some(build_id) if build_id != self.get(id).build_id() => Err(format!(
                "{path} is no longer the file that the process ran (its build-id differs)"
            )),
            _ => Ok(id),
        }
    }

    /// The kernel's own library, whose image the core holds. Hosts differ in it.
    fn vdso_of_core(&mut self, core: &Core) -> Option<Code> {
        let start = core.notes.auxiliary(libc::AT_SYSINFO_EHDR)?;
        // It has a few pages; what follows it in a core is none of it.
        const LARGEST: usize = 1 << 20;
        let image = core.bytes_at(start)?;
        let image = &image[..image.len().min(LARGEST)];
        let module = self.of_bytes("[vdso]", image.to_vec()).ok()?;
        Some(Code {
            start,
            end: start.saturating_add(image.len() as u64),
            module,
            bias: self.get(module).bias(start, 0)?,
        })
    }

    /// A module.
    pub(crate) fn get(&self, id: ModuleId) -> &Module {
        &self.all[id.0 as usize]
    }

    fn module_of(&mut self, pid: u32, view: Option<View>, mapping: &Mapping) -> Result<ModuleId, String> {
        let unreadable = |error: io::Error| match path_before_replaced(&mapping.path) {
            Some(path) => {
                format!(
                    "{path} was replaced or removed since the job started, and only root may still read it"
                )
            }
            None => format!("cannot read {}: {error}", mapping.path),
        };
        let (device, inode) = &mapping.file;
        if *inode == 0 {
            return self.of_bytes(&mapping.path, copied(pid, mapping).map_err(unreadable)?);
        }
        let line = view.map(|view| (view, (device.clone(), *inode, mapping.path.clone())));
        if let Some(&known) = line.as_ref().and_then(|line| self.mapped.get(line)) {
            return Ok(known);
        }
        // A failure is not remembered: it may be this task's alone.
        let file = open(pid, mapping).map_err(unreadable)?;
        let opened = file.metadata().map_err(unreadable)?;
        // Reading whole files instead would copy gigabytes for large programs.
        let contents = || Contents::map(&file).map_err(unreadable);
        let id = self.of_image(Image::File(opened.dev(), opened.ino()), &mapping.path, contents)?;
        if let Some(line) = line {
            self.mapped.insert(line, id);
        }
        Ok(id)
    }

    fn of_bytes(&mut self, name: &str, bytes: Vec<u8>) -> Result<ModuleId, String> {
        let image = Image::Bytes(blake3::hash(&bytes).into());
        self.of_image(image, name, || Ok(Contents::Copied(bytes)))
    }

    fn of_image(
        &mut self,
        image: Image,
        name: &str,
        contents: impl FnOnce() -> Result<Contents, String>,
    ) -> Result<ModuleId, String> {
        match self.known.get(&image) {
            Some(&known) => Ok(known),
            None if self.all.len() >= MOST_MODULES => Err(format!(
                "{name} is one of more than {MOST_MODULES} programs and libraries, and no more are read"
            )),
            None => Ok(self.keep(image, Module::parse(name, contents()?)?)),
        }
    }

    fn keep(&mut self, image: Image, module: Module) -> ModuleId {
        self.all.push(module);
        let id = ModuleId(self.all.len() as u32 - 1);
        self.known.insert(image, id);
        id
    }
}

impl Space {
    /// The space of a task that has nothing but one module, where that was linked to be.
    pub(crate) fn of_one(modules: &mut Modules, module: Module, ranges: &[(u64, u64)]) -> Space {
        let module = modules.keep(Image::Given, module);
        let code = |&(start, end): &(u64, u64)| Code {
            start,
            end,
            module,
            bias: 0,
        };
        let mut space = Space {
            code: ranges.iter().map(code).collect(),
            ..Space::default()
        };
        space.code.sort_by_key(|code| code.start);
        space
    }

    /// Remembers why the code of a range is in no module.
    fn tell(&mut self, start: u64, end: u64, reason: String) {
        let reason = if self.unreadable.len() < MOST_REASONS {
            reason
        } else {
            "its file could not be read, like many others".to_owned()
        };
        self.unreadable.push((start, end, reason));
    }

    /// The module whose code holds `address`, and what was added to its linked addresses.
    pub(crate) fn find(&self, address: u64) -> Option<(ModuleId, u64)> {
        let next = self.code.partition_point(|code| code.end <= address);
        let code = self.code.get(next).filter(|code| code.start <= address)?;
        Some((code.module, code.bias))
    }

    /// Why the code at `address` is not in a module.
    pub(crate) fn why_unknown(&self, address: u64) -> Option<&str> {
        let next = self.unreadable.partition_point(|&(_, end, _)| end <= address);
        let (start, _, reason) = self.unreadable.get(next)?;
        (*start <= address).then_some(reason.as_str())
    }

    /// Why module files could not be read.
    pub(crate) fn unreadable(&self) -> impl Iterator<Item = &str> {
        self.unreadable.iter().map(|(_, _, reason)| reason.as_str())
    }

    /// What to say of a task of this space of which a module file was cut off while it was read: nothing that came of it holds.
    pub(crate) fn torn(&self, modules: &Modules) -> Option<String> {
        let torn = self.modules().find(|&(id, _)| modules.get(id).is_torn());
        torn.map(|(id, _)| {
            let path = &modules.get(id).path;
            format!("{path} was cut off, or could not be read any more, while it was looked at: look again")
        })
    }

    /// The modules of this space with their biases, in order of address.
    pub(crate) fn modules(&self) -> impl Iterator<Item = (ModuleId, u64)> + '_ {
        self.code.iter().map(|code| (code.module, code.bias))
    }

    /// The modules of this space with where their code begins and ends, in order of address.
    pub(crate) fn mapped(&self) -> impl Iterator<Item = (ModuleId, (u64, u64))> + '_ {
        self.code.iter().map(|code| (code.module, (code.start, code.end)))
    }
}

/// Where this task's paths lead; nothing if that may not be asked.
fn view_of(pid: u32) -> Option<View> {
    let of = |link: &str| fs::metadata(format!("/proc/{pid}/{link}")).ok();
    let root = of("root")?;
    Some((of("ns/mnt")?.ino(), (root.dev(), root.ino())))
}

/// A copy of what has no file: the vDSO.
fn copied(pid: u32, mapping: &Mapping) -> io::Result<Vec<u8>> {
    let size = (mapping.end - mapping.start) as usize;
    let mut bytes = vec![0; size];
    let copied = sys::read_memory(pid, &[(mapping.start, size)], &mut bytes)?;
    bytes.truncate(copied);
    Ok(bytes)
}

/// Opens the file behind a mapping: by the kernel's own link, which leads to that file even if its path now names another; or,
/// without the privileges that this needs, by its path as the task sees it, or by the link to the executable.
fn open(pid: u32, mapping: &Mapping) -> io::Result<File> {
    let link = format!("/proc/{pid}/map_files/{:x}-{:x}", mapping.start, mapping.end);
    if let Ok(file) = regular_files::open(Path::new(&link))
        && (has_inode_of(&file, mapping)? || has_path_of(&file, mapping))
    {
        return Ok(file);
    }
    let path = format!("/proc/{pid}/root{}", mapping.path);
    let replaced = match regular_files::open(Path::new(&path)) {
        Ok(file) if has_inode_of(&file, mapping)? => return Ok(file),
        Ok(_) => io::Error::new(
            io::ErrorKind::NotFound,
            "the file has been replaced since the task started",
        ),
        Err(error) => error,
    };
    match regular_files::open(Path::new(&format!("/proc/{pid}/exe"))) {
        Ok(file) if has_inode_of(&file, mapping)? => Ok(file),
        _ => Err(replaced),
    }
}

/// Whether an open file is the one that a memory map names. Another program may have been started since the map was read, with its code at the
/// same place, and a path may lead elsewhere by now. The device is not compared: file systems with subvolumes print another one in the map.
fn has_inode_of(file: &File, mapping: &Mapping) -> io::Result<bool> {
    Ok(file.metadata()?.ino() == mapping.file.1)
}

/// Whether the kernel calls an open file as a memory map does. It tells where a layered file system prints an inode in the map that the file does not have.
fn has_path_of(file: &File, mapping: &Mapping) -> bool {
    let path = fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd()));
    path.is_ok_and(|path| path.as_os_str() == mapping.path.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{BufRead as _, BufReader};
    use std::process::{Child, Command, Stdio};

    /// A process in a mount namespace of its own, in which a new file system at `place` has a copy of `program` as its first
    /// file, `program`; nothing, said loudly, where namespaces may not be made.
    fn in_a_namespace(place: &Path, program: &str) -> Option<Child> {
        let script = "mount -t tmpfs none \"$0\" && cp \"$1\" \"$0/program\" && echo ready && exec sleep 60";
        let mut child = Command::new("unshare")
            .args(["--mount", "sh", "-c", script])
            .args([place.as_os_str(), program.as_ref()])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap())
            .read_line(&mut line)
            .unwrap();
        if line == "ready\n" {
            return Some(child);
        }
        assert!(std::env::var_os("CI").is_none(), "unshare is not permitted");
        eprintln!("SKIPPED: unshare is not permitted here");
        child.wait().unwrap();
        None
    }

    #[test]
    fn what_a_task_mounts_names_no_function_of_another_task() {
        let place = std::env::temp_dir().join(format!("hindmost-mounts-{}", std::process::id()));
        fs::create_dir_all(&place).unwrap();
        let programs = ["/bin/sleep", "/bin/cat"];
        let children: Vec<Child> = programs
            .iter()
            .filter_map(|program| in_a_namespace(&place, program))
            .collect();
        if let [one, other] = &children[..] {
            let path = place.join("program");
            let inode = |child: &Child| {
                let file = fs::metadata(format!("/proc/{}/root{}", child.id(), path.display()));
                file.unwrap().ino()
            };
            assert_eq!(
                inode(one),
                inode(other),
                "new file systems number their files alike"
            );
            // A task may map a file of somebody else's and mount another one, with that inode, over its path.
            let mapping = Mapping {
                start: 0x1000,
                end: 0x2000,
                offset: 0,
                file: ("00:2a".to_owned(), inode(one)),
                path: path.display().to_string(),
            };
            let mut modules = Modules::default();
            let mut of = |child: &Child| {
                let id = modules
                    .module_of(child.id(), view_of(child.id()), &mapping)
                    .unwrap();
                modules.get(id).build_id().to_owned()
            };
            let (first, second, again) = (of(one), of(other), of(one));
            assert_ne!(first, second, "sleep and cat");
            assert_eq!(first, again);
            assert_eq!(modules.all.len(), 2);
        }
        for mut child in children {
            child.kill().unwrap();
            child.wait().unwrap();
        }
        fs::remove_dir_all(&place).unwrap();
    }

    #[test]
    fn nothing_holds_of_a_library_that_is_cut_off_while_it_is_read() {
        let path = std::env::temp_dir().join(format!("hindmost-cut-module-{}", std::process::id()));
        std::fs::copy("/proc/self/exe", &path).unwrap();
        let file = File::options().read(true).write(true).open(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        let mut modules = Modules::default();
        let module = Module::parse("/lib/x.so", Contents::map(&file).unwrap()).unwrap();
        let code = module.code_ranges();
        let space = Space::of_one(&mut modules, module, &code);
        assert_eq!(space.torn(&modules), None);
        file.set_len(4096).unwrap();
        let (id, _) = space.modules().next().unwrap();
        for &(start, end) in &code {
            for address in (start..end).step_by(4096) {
                let _ = modules.get(id).unwind(address);
                let _ = crate::symbols::name_at(modules.get(id), address);
            }
        }
        assert!(space.torn(&modules).unwrap().contains("/lib/x.so was cut off"));
    }
}
