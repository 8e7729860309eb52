//! The macros of a set of files, and which of them a place in a file can see.
//!
//! A file sees its own definitions in order, up to the place of use, and those of the files that it includes,
//! directly or not. An include line names every gathered file whose path ends with what is written, so the set of
//! visible definitions errs on the large side: too many definitions make a name ambiguous, never wrong.

mod arms;
mod attributes;
mod state;
mod visible;

pub use visible::{Meaning, Visible};

use crate::Source;
use crate::asked::NameFilter;
use crate::cxx::CxxFacts;
use crate::directive::Definition;
use crate::facts::{Event, FileFacts, MacroState, read_facts};
use crate::language::{language_of, only_cxx};
use crate::launch;
use crate::token::{Token, lex};
use base::{FileKind, Language};
use std::collections::{BTreeMap, BTreeSet};

/// Function-like and object-like macros, function names, plain typedefs and enumerators gathered from a set of files.
#[derive(Clone, Debug, Default)]
pub struct Macros {
    /// By path, sorted.
    files: Vec<(String, FileFacts)>,
    /// The gathered files that each file includes itself.
    edges: Vec<Vec<Include>>,
    /// Which names may be macros.
    names: NameFilter,
    /// Files by the last component of their path.
    by_base_name: BTreeMap<String, Vec<u32>>,
    /// What a header leaves behind for whoever includes it, by macro and file.
    states: BTreeMap<Box<[u8]>, Vec<(u32, MacroState)>>,
    functions: BTreeSet<Box<[u8]>>,
    /// Which names may be functions.
    function_names: NameFilter,
    cxx: CxxFacts,
    typedefs: BTreeMap<Box<[u8]>, Vec<u32>>,
    /// Which names may be typedefs.
    typedef_names: NameFilter,
    /// The files that define an enumerator.
    enumerators: BTreeMap<Box<[u8]>, Vec<u32>>,
    /// Which names may be enumerators.
    enumerator_names: NameFilter,
}

/// A gathered file that another one includes itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Include {
    file: u32,
    /// Some include line names this file and no other.
    is_sure: bool,
}

/// The gathered files that one includes, directly or not.
#[derive(Debug, Default)]
struct Included {
    all: BTreeSet<u32>,
    /// Those of them that no include line on the way names among several.
    sure: BTreeSet<u32>,
}

/// What one file defines: a part of [`Macros`].
#[derive(Clone, Debug)]
pub struct MacrosOfFile {
    path: String,
    facts: FileFacts,
}

impl MacrosOfFile {
    /// Reads what `source` defines.
    pub fn gather(source: Source<'_>) -> Self {
        let text = launch::as_calls(source.text);
        let path = source.path.to_owned();
        let source = Source {
            text: &text,
            ..source
        };
        let facts = file_facts(&source, &lex(&text));
        MacrosOfFile { path, facts }
    }
}

impl Macros {
    /// Reads what `sources` define. The order of the sources does not matter.
    pub fn gather<'a>(sources: impl IntoIterator<Item = Source<'a>>) -> Self {
        Self::merge(sources.into_iter().map(MacrosOfFile::gather))
    }

    /// The macros of all files, as if gathered in one go; so that files can be read in parallel.
    pub fn merge(parts: impl IntoIterator<Item = MacrosOfFile>) -> Self {
        Self::index(parts.into_iter().map(|part| (part.path, part.facts)).collect())
    }

    fn index(mut files: Vec<(String, FileFacts)>) -> Self {
        files.sort_by(|a, b| a.0.cmp(&b.0));
        files.dedup_by(|a, b| a.0 == b.0);
        for (path, facts) in &mut files {
            if stands_in_for_mpi(path, facts) {
                *facts = FileFacts::default();
            }
        }
        let mut all = Self::default();
        for (id, (path, facts)) in (0u32..).zip(&files) {
            all.by_base_name
                .entry(base::last_component(path).to_owned())
                .or_default()
                .push(id);
            for (name, mut history) in histories(facts) {
                if let Some((_, state)) = history.pop() {
                    all.states.entry(name.into()).or_default().push((id, state));
                }
            }
            all.functions.extend(facts.functions.iter().cloned());
            all.cxx.merge(&facts.cxx);
            for name in facts.typedefs.keys() {
                all.typedefs.entry(name.clone()).or_default().push(id);
            }
            for name in facts.enumerators.keys() {
                all.enumerators.entry(name.clone()).or_default().push(id);
            }
        }
        all.files = files;
        for name in all.states.keys() {
            all.names.insert(name);
        }
        for name in &all.functions {
            all.function_names.insert(name);
        }
        for name in all.typedefs.keys() {
            all.typedef_names.insert(name);
        }
        for name in all.enumerators.keys() {
            all.enumerator_names.insert(name);
        }
        let edges = all
            .files
            .iter()
            .map(|(path, facts)| all.direct_includes(path, facts));
        let edges = Vec::from_iter(edges);
        Self { edges, ..all }
    }

    fn direct_includes(&self, path: &str, facts: &FileFacts) -> Vec<Include> {
        let mut found = Vec::new();
        for include in &facts.includes {
            let files = self.resolve_include(path, include);
            let is_sure = files.len() == 1;
            found.extend(files.into_iter().map(|file| Include { file, is_sure }));
        }
        // Of one that several lines name, the line that is sure comes first.
        found.sort_unstable_by_key(|include| (include.file, !include.is_sure));
        found.dedup_by_key(|include| include.file);
        found
    }

    /// The gathered files that `path`, whose facts are `own`, includes, directly or not.
    fn included(&self, path: &str, own: &FileFacts) -> Included {
        let mut found = Included::default();
        let direct = self.direct_includes(path, own);
        // Whoever stands on a sure way is reached first, so that the includes of each file are gone through once.
        let mut ways = vec![&direct[..]];
        let mut others = Vec::new();
        while let Some(includes) = ways.pop() {
            for &Include { file, is_sure } in includes {
                if !is_sure {
                    others.push(file);
                } else if found.sure.insert(file) {
                    ways.push(&self.edges[file as usize]);
                }
            }
        }
        found.all.clone_from(&found.sure);
        while let Some(file) = others.pop() {
            if found.all.insert(file) {
                others.extend(self.edges[file as usize].iter().map(|include| include.file));
            }
        }
        found
    }

    /// Every definition of every macro, by name, whatever takes it away again; in the order of files and lines.
    pub fn definitions(&self) -> BTreeMap<&[u8], Vec<Defined<'_>>> {
        let mut all: BTreeMap<&[u8], Vec<Defined<'_>>> = BTreeMap::new();
        for (path, facts) in &self.files {
            for event in &facts.events {
                let Some(definition) = &event.definition else {
                    continue;
                };
                let known = all.entry(&event.name).or_default();
                if known.iter().all(|other| other.definition != definition) {
                    known.push(Defined {
                        path,
                        language: facts.language,
                        line: event.line,
                        definition,
                    });
                }
            }
        }
        all
    }

    /// Every definition of every macro, by name, with the number of its file; in the order of files and lines.
    pub fn definitions_by_name(&self) -> BTreeMap<&[u8], Vec<(u32, &Definition)>> {
        let mut all: BTreeMap<&[u8], Vec<(u32, &Definition)>> = BTreeMap::new();
        for (file, (_, facts)) in (0_u32..).zip(&self.files) {
            for event in &facts.events {
                if let Some(definition) = &event.definition {
                    all.entry(&event.name).or_default().push((file, definition));
                }
            }
        }
        all
    }

    /// The numbers of the file at `path` and of those that it includes, directly or not; `None` if there is no such file, or it is not
    /// read as C.
    pub fn included_by_c(&self, path: &str) -> Option<BTreeSet<u32>> {
        let own = self.files.binary_search_by(|f| f.0.as_str().cmp(path)).ok()?;
        let (_, facts) = &self.files[own];
        let mut files = self.included(path, facts).all;
        files.insert(own as u32);
        (facts.language == Language::C).then_some(files)
    }

    /// Whether some file declares or defines a function of this name.
    pub fn is_function(&self, name: &[u8]) -> bool {
        self.functions.contains(name)
    }

    /// The files whose macros others can see: those that are included, and headers.
    pub fn shared(&self) -> BTreeSet<u32> {
        let included = self.edges.iter().flatten().map(|include| include.file);
        let headers = (0_u32..).zip(&self.files).filter(|(_, (path, _))| {
            let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
            ending.starts_with(['h', 'H', 'i'])
        });
        included.chain(headers.map(|(id, _)| id)).collect()
    }

    /// Whether some header defines a macro of this name with parameters.
    fn is_macro_of_a_header(&self, name: &[u8]) -> bool {
        let in_header = |(id, state): &(u32, MacroState)| {
            let (path, facts) = &self.files[*id as usize];
            let definition = |index: &u32| facts.events[*index as usize].definition.as_ref();
            let mut definitions = state.definitions.iter().filter_map(definition);
            let is_private = FileKind::of(path).is_some_and(FileKind::is_compiled_once);
            !is_private && definitions.any(|d| d.params.is_some())
        };
        self.states
            .get(name)
            .is_some_and(|states| states.iter().any(in_header))
    }

    fn resolve_include(&self, from: &str, include: &str) -> Vec<u32> {
        let written = include.trim_start_matches("./").trim_start_matches("../");
        let candidates = self
            .by_base_name
            .get(base::last_component(written))
            .map_or(&[][..], Vec::as_slice);
        let path = |id: u32| self.files[id as usize].0.as_str();
        let directory = from.rfind('/').map_or("", |slash| &from[..=slash]);
        let beside = |id: &u32| path(*id).strip_prefix(directory) == Some(include);
        if let Some(id) = candidates.iter().find(|id| beside(id)) {
            return vec![*id];
        }
        let ends = |id: &u32| {
            let head = path(*id).strip_suffix(written);
            head.is_some_and(|head| head.is_empty() || head.ends_with('/'))
        };
        candidates.iter().copied().filter(ends).collect()
    }
}

/// The facts of one file, read as the language that it seems to be written in.
pub fn file_facts(source: &Source<'_>, tokens: &[Token]) -> FileFacts {
    let language = language_of(source.path, source.text, tokens);
    let mut facts = file_facts_as(source.text, tokens, language);
    if language == Language::C && (0..tokens.len()).any(|at| only_cxx(source.text, tokens, at)) {
        // Some builds compile it as C++; others must know which of its functions take references.
        facts.cxx = CxxFacts::read(source.text, tokens);
        facts.cxx.typedefs.clear();
    }
    facts
}

/// The facts of one file, read as `language`.
pub fn file_facts_as(text: &[u8], tokens: &[Token], language: Language) -> FileFacts {
    let mut facts = read_facts(text, tokens, language);
    if language == Language::Cxx {
        facts.cxx = CxxFacts::read(text, tokens);
        for (name, words) in std::mem::take(&mut facts.cxx.typedefs) {
            facts.typedefs.entry(name).or_default().extend(words);
        }
        facts.functions.extend(facts.cxx.function_names().map(Into::into));
    }
    facts
}

/// Whether a file is a `mpi.h` for builds without MPI, which makes macros of its functions: the program that is looked for has MPI, and
/// its calls their own names.
fn stands_in_for_mpi(path: &str, facts: &FileFacts) -> bool {
    let is_rank = |event: &Event| event.definition.is_some() && *event.name == *b"MPI_Comm_rank";
    base::last_component(path) == "mpi.h" && facts.events.iter().any(is_rank)
}

/// By name: the offset of each event of `facts`, and the state from there on.
fn histories(facts: &FileFacts) -> BTreeMap<&[u8], Vec<(u32, MacroState)>> {
    let mut histories: BTreeMap<&[u8], Vec<(u32, MacroState)>> = BTreeMap::new();
    for (index, event) in facts.events.iter().enumerate() {
        let history = histories.entry(&event.name).or_default();
        let mut state = history.last().map(|(_, state)| state.clone()).unwrap_or_default();
        state.apply(&facts.events, index);
        history.push((event.offset, state));
    }
    histories
}

/// A definition of a macro, and where it stands.
#[derive(Clone, Copy, Debug)]
pub struct Defined<'m> {
    /// The file.
    pub path: &'m str,
    /// The language that this is read as.
    pub language: Language,
    /// The line of the directive, from 1.
    pub line: u32,
    /// What it says.
    pub definition: &'m Definition,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(macros: &Macros, path: &str, text: &str, name: &str) -> String {
        let source = Source {
            path,
            text: text.as_bytes(),
        };
        let facts = read_facts(source.text, &lex(source.text), Language::C);
        let visible = Visible::new(source.path, &facts, macros);
        let at = text.find("USE").unwrap_or(text.len());
        match visible.meaning(name.as_bytes(), at as u32) {
            Meaning::None => "none".to_owned(),
            Meaning::One(d) => d.body.iter().map(|t| String::from_utf8_lossy(&t.text)).collect(),
            Meaning::Several(d) => format!("{} definitions", d.len()),
            Meaning::Elsewhere => "elsewhere".to_owned(),
        }
    }

    #[test]
    fn a_file_sees_its_includes_and_its_own_definitions_in_order() {
        let headers = [
            ("inc/a.h", "#include \"b.h\"\n#define A 1\n"),
            ("inc/b.h", "#define B 2\n"),
            ("x/b.h", "#define B 3\n"),
        ];
        let sources = headers.map(|(path, text)| Source {
            path,
            text: text.as_bytes(),
        });
        let macros = Macros::gather(sources);
        assert_eq!(show(&macros, "m.c", "#include \"a.h\"\nUSE", "A"), "1");
        assert_eq!(show(&macros, "m.c", "#include \"a.h\"\nUSE", "B"), "2");
        assert_eq!(
            show(&macros, "m.c", "#include \"b.h\"\nUSE", "B"),
            "2 definitions"
        );
        assert_eq!(show(&macros, "m.c", "#include <a.h>\n#undef A\nUSE", "A"), "none");
        assert_eq!(
            show(&macros, "m.c", "#include <a.h>\n#define A 7\nUSE\n#undef A", "A"),
            "7"
        );
        assert_eq!(
            show(
                &macros,
                "m.c",
                "#include <a.h>\n#ifdef X\n#undef A\n#endif\nUSE",
                "A"
            ),
            "1 definitions"
        );
        assert_eq!(
            show(
                &macros,
                "m.c",
                "#ifdef X\n#define C 1\n#else\n#define C 2\n#endif\nUSE",
                "C"
            ),
            "2 definitions"
        );
        assert_eq!(show(&macros, "m.c", "USE", "A"), "none");
    }

    #[test]
    fn merging_parts_is_gathering_the_whole() {
        let one = MacrosOfFile::gather(Source {
            path: "a.h",
            text: b"#define F(x) x\n",
        });
        let two = MacrosOfFile::gather(Source {
            path: "b.h",
            text: b"#define G 1\n",
        });
        let both = Macros::merge([two, one]);
        assert_eq!(show(&both, "m.c", "#include \"a.h\"\nUSE", "F"), "x");
        assert_eq!(show(&both, "m.c", "USE", "F"), "elsewhere");
        assert_eq!(show(&both, "m.c", "USE", "G"), "none");
    }

    #[test]
    fn macros_of_files_that_are_compiled_by_themselves_are_private() {
        for (path, seen) in [
            ("a.hpp", "elsewhere"),
            ("a.h", "elsewhere"),
            ("a.c", "none"),
            ("a.cpp", "none"),
            ("a.cu", "none"),
        ] {
            let file = MacrosOfFile::gather(Source {
                path,
                text: b"#define F(x) x\n",
            });
            assert_eq!(show(&Macros::merge([file]), "m.c", "USE", "F"), seen, "{path}");
        }
    }

    /// What one includes by the definition alone: files are added until nothing changes.
    fn included_slowly(macros: &Macros, path: &str, own: &FileFacts, only_sure: bool) -> BTreeSet<u32> {
        let mut found: BTreeSet<u32> = BTreeSet::new();
        loop {
            let within = found.iter().map(|id| &macros.files[*id as usize]);
            let within = within.map(|(path, facts)| (path.as_str(), facts));
            let mut next = found.clone();
            for (path, facts) in within.chain([(path, own)]) {
                for include in &facts.includes {
                    let files = macros.resolve_include(path, include);
                    next.extend(files.iter().filter(|_| !only_sure || files.len() == 1));
                }
            }
            if next == found {
                return found;
            }
            found = next;
        }
    }

    #[test]
    fn files_are_included_as_the_definition_says() {
        let mut state = 7u32;
        let mut random = move |below: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) % below
        };
        let mut ambiguous = 0;
        for _ in 0..300 {
            let mut texts = Vec::new();
            for name in 0..8 {
                for directory in ["a", "b"].iter().take(1 + random(2) as usize) {
                    let mut text = String::new();
                    for _ in 0..random(4) {
                        text += &format!("#include \"{directory}/x/h{}.h\"\n", random(8));
                    }
                    for _ in 0..random(2) {
                        text += &format!("#include <x/h{}.h>\n", random(8));
                    }
                    texts.push((format!("{directory}/x/h{name}.h"), text));
                }
            }
            let sources = texts.iter().map(|(path, text)| Source {
                path,
                text: text.as_bytes(),
            });
            let macros = Macros::gather(sources);
            for (path, facts) in &macros.files {
                let found = macros.included(path, facts);
                assert_eq!(
                    found.all,
                    included_slowly(&macros, path, facts, false),
                    "{path}: {texts:?}"
                );
                assert_eq!(
                    found.sure,
                    included_slowly(&macros, path, facts, true),
                    "{path}: {texts:?}"
                );
                ambiguous += found.all.len() - found.sure.len();
            }
        }
        assert!(ambiguous > 1_000, "{ambiguous}");
    }
}
