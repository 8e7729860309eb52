//! What was loaded, by file: which classes of tasks stand on which lines.

use crate::Job;
use engine::{Answer, RelationToHindmost, TaskClass};
use progress_map::FileId;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What is shown until it is loaded anew.
pub(crate) struct Project {
    pub(crate) job: Job,
    by_path: BTreeMap<PathBuf, FileId>,
    standings: BTreeMap<FileId, Vec<Standing>>,
}

/// A frame of a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Standing {
    pub(crate) line: u32,
    pub(crate) column: Option<u32>,
    /// An index into the answer's classes.
    pub(crate) class: usize,
    /// An index into the class's frames.
    pub(crate) frame: usize,
    /// It is the innermost frame of the program.
    pub(crate) is_innermost: bool,
}

impl Project {
    pub(crate) fn new(job: Job) -> Self {
        let files = job.sources.iter_enumerated();
        let by_path = files.filter_map(|(id, path)| Some((path.clone()?, id))).collect();
        let mut standings: BTreeMap<FileId, Vec<Standing>> = BTreeMap::new();
        let named: BTreeMap<&str, FileId> = job
            .map
            .files
            .iter_enumerated()
            .map(|(id, file)| (file.path.as_str(), id))
            .collect();
        let classes = job.answer.iter().flat_map(|answer| &answer.classes);
        for (class, of) in classes.enumerate() {
            let innermost = of.frames.iter().rposition(|frame| frame.in_map);
            for (at, frame) in of.frames.iter().enumerate().filter(|(_, frame)| frame.in_map) {
                let file = frame.file.as_deref().and_then(|path| named.get(path));
                if let (Some(&file), Some(line)) = (file, frame.line) {
                    standings.entry(file).or_default().push(Standing {
                        line,
                        column: frame.column,
                        class,
                        frame: at,
                        is_innermost: Some(at) == innermost,
                    });
                }
            }
        }
        standings.values_mut().for_each(|of_file| of_file.sort_unstable());
        Self {
            job,
            by_path,
            standings,
        }
    }

    /// The file at a path, or, for a copy at another place, the only one of that name and content.
    pub(crate) fn file(&self, path: &Path, content: &[u8]) -> Option<FileId> {
        if let Some(&file) = self.by_path.get(path) {
            return Some(file);
        }
        let name = path.file_name()?.to_str()?;
        let hash = engine::content_hash(content);
        let files = self.job.map.files.iter_enumerated();
        let mut same = files
            .filter(|(_, file)| file.hash == hash && file.path.rsplit('/').next() == Some(name))
            .map(|(id, _)| id);
        match (same.next(), same.next()) {
            (Some(only), None) => Some(only),
            _ => None,
        }
    }

    pub(crate) fn standings(&self, file: FileId) -> &[Standing] {
        self.standings.get(&file).map(Vec::as_slice).unwrap_or_default()
    }

    /// Files that some stack goes through.
    pub(crate) fn files_of_stacks(&self) -> impl Iterator<Item = FileId> {
        self.standings.keys().copied()
    }

    /// Where the innermost frame of a class is.
    pub(crate) fn place_of(&self, class: usize) -> Option<(FileId, Standing)> {
        let of_files = self.standings.iter();
        let mut all = of_files.flat_map(|(&file, each)| each.iter().map(move |standing| (file, *standing)));
        all.find(|(_, standing)| standing.class == class && standing.is_innermost)
    }

    pub(crate) fn answer(&self) -> Option<&Answer> {
        self.job.answer.as_ref()
    }

    pub(crate) fn class(&self, standing: &Standing) -> Option<&TaskClass> {
        self.answer()?.classes.get(standing.class)
    }

    /// What the class of a standing is to the hindmost, as far as an editor says it: nothing is said of who is incomparable.
    pub(crate) fn role(&self, standing: &Standing) -> RelationToHindmost {
        let Some(answer) = self
            .answer()
            .filter(|answer| standing.class < answer.classes.len())
        else {
            return RelationToHindmost::Incomparable;
        };
        let is_open = matches!(
            answer.outcome,
            engine::Outcome::Undecided | engine::Outcome::Branches
        );
        match answer.relation_to_hindmost(standing.class) {
            // One class alone, or all at one point: there is nobody to be behind of.
            RelationToHindmost::Candidate if !is_open || answer.classes.len() == 1 => {
                RelationToHindmost::Incomparable
            }
            RelationToHindmost::Unknown => RelationToHindmost::Incomparable,
            relation => relation,
        }
    }
}
