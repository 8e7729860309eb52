//! The module files of all tasks, each mapped once, and how each task's address space is made of them.
//!
//! Files are opened before any task is stopped: the window pays for none of it.

use crate::contents::Contents;
use crate::core_file::{Core, MappedFile};
use crate::elf::Module;
use crate::outline::Outline;
use crate::procfs::Mapping;
use crate::sys;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// An index into [`Modules`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ModuleId(u32);

/// All module files seen so far.
#[derive(Default)]
pub(crate) struct Modules {
    all: Vec<Module>,
    /// By device and inode as the memory map prints them; the vDSO is the same image in every process.
    known: BTreeMap<(String, u64), ModuleId>,
}

/// One task's address space.
#[derive(Default)]
pub(crate) struct Space {
    /// Executable ranges of known modules, sorted.
    code: Vec<Code>,
    /// Executable ranges of files that could not be read as modules, with the reason; sorted.
    unreadable: Vec<(u64, u64, String)>,
    /// Writable ranges, sorted: the stack is one of them.
    pub(crate) writable: Vec<Region>,
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
        for mapping in outline.code {
            let loaded = self.module_of(pid, &mapping).and_then(|id| {
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
                Err(reason) => space.unreadable.push((mapping.start, mapping.end, reason)),
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
        let mut failures: BTreeMap<&str, String> = BTreeMap::new();
        // The segments do not do: `gcore` leaves out what is unchanged from the file.
        for file in &core.notes.files {
            let failed = failures.get(file.path.as_str()).cloned();
            let module = failed.map_or_else(|| self.module_of_core(core, file), Err);
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
                        space.unreadable.push((file.start, file.end, reason));
                    }
                },
                Err(reason) => {
                    failures.insert(&file.path, reason.clone());
                    space.unreadable.push((file.start, file.end, reason));
                }
            }
        }
        space.code.extend(self.vdso_of_core(core));
        space.code.sort_by_key(|code| code.start);
        space
    }

    fn module_of_core(&mut self, core: &Core, mapped: &MappedFile) -> Result<ModuleId, String> {
        let path = mapped.path.strip_suffix(" (deleted)").unwrap_or(&mapped.path);
        // No memory map prints a device like this.
        let key = (format!("path {path}"), 0);
        let id = match self.known.get(&key) {
            Some(&known) => known,
            None => {
                let unreadable = |error| format!("cannot read {path}, which the core refers to: {error}");
                let file = regular_files::open(Path::new(path)).map_err(unreadable)?;
                let contents = Contents::map(&file).map_err(unreadable)?;
                self.keep(key, Module::parse(path, contents)?)
            }
        };
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
        let key = (format!("vdso {}", blake3::hash(image).to_hex()), 0);
        let module = match self.known.get(&key) {
            Some(&known) => known,
            None => self.keep(
                key,
                Module::parse("[vdso]", Contents::Copied(image.to_vec())).ok()?,
            ),
        };
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

    fn module_of(&mut self, pid: u32, mapping: &Mapping) -> Result<ModuleId, String> {
        if let Some(&known) = self.known.get(&mapping.file) {
            return Ok(known);
        }
        // A failure is not remembered: it may be this task's alone.
        let bytes =
            contents(pid, mapping).map_err(|error| format!("cannot read {}: {error}", mapping.path))?;
        let module = Module::parse(&mapping.path, bytes)?;
        Ok(self.keep(mapping.file.clone(), module))
    }

    fn keep(&mut self, key: (String, u64), module: Module) -> ModuleId {
        self.all.push(module);
        // Modules are limited by memory maps, of which Linux allows 65530 by default.
        let id = ModuleId(self.all.len() as u32 - 1);
        self.known.insert(key, id);
        id
    }
}

impl Space {
    /// The space of a task that has nothing but one module, where that was linked to be.
    pub(crate) fn of_one(modules: &mut Modules, module: Module, ranges: &[(u64, u64)]) -> Space {
        let module = modules.keep((String::new(), 0), module);
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
}

/// The bytes of a mapped file; for the vDSO, which has no file, a copy from the process.
fn contents(pid: u32, mapping: &Mapping) -> io::Result<Contents> {
    if mapping.file.1 == 0 {
        let size = (mapping.end - mapping.start) as usize;
        let mut bytes = vec![0; size];
        let copied = sys::read_memory(pid, &[(mapping.start, size)], &mut bytes)?;
        bytes.truncate(copied);
        return Ok(Contents::Copied(bytes));
    }
    let file = open(pid, mapping)?;
    // Reading whole files instead would copy gigabytes for large programs.
    Contents::map(&file)
}

/// Opens the file behind a mapping: by its path as the task sees it, or by the kernel's own link when the path names
/// another file by now (deleted, replaced, or on a file system that the task alone sees).
fn open(pid: u32, mapping: &Mapping) -> io::Result<File> {
    let by_path =
        regular_files::open(Path::new(&format!("/proc/{pid}/root{}", mapping.path))).and_then(|file| {
            // The device is not compared: file systems with subvolumes print another one in the memory map.
            if file.metadata()?.ino() == mapping.file.1 {
                Ok(file)
            } else {
                Err(io::Error::new(
                    io::ErrorKind::NotFound,
                    "the file has been replaced since the task started",
                ))
            }
        });
    let first = match by_path {
        Ok(file) => return Ok(file),
        Err(error) => error,
    };
    let link = format!("/proc/{pid}/map_files/{:x}-{:x}", mapping.start, mapping.end);
    if let Ok(file) = regular_files::open(Path::new(&link)) {
        return Ok(file);
    }
    // map_files needs privileges; the link to the executable needs none.
    let executable = format!("/proc/{pid}/exe");
    match fs::metadata(&executable) {
        Ok(metadata) if metadata.ino() == mapping.file.1 => regular_files::open(Path::new(&executable)),
        _ => Err(first),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
