//! The tree of a part of a job as bytes: what is made where the part runs, and merged with the others.
//!
//! The tree of the stacks comes first ([`stacktree::Tree::to_bytes`]). The qualified names of functions follow, because they take no part in that tree:
//! how many, and of each the function, the last part of its file's path and the line, and what was recorded there: 0 for several names, or
//! 1 and the name. Texts have their length before them; numbers are LEB128. A tree of an earlier version ends where its stacks do.

use super::JobTree;
use super::naming::QualifiedNames;
use base::put_number;
use rayon::prelude::*;
use stacktree::{Reader, Tree, WireError, put_string};

impl JobTree {
    /// The tree as bytes. The numbers of its tasks are taken for ranks when it is read.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = self.tree.to_bytes();
        let names = self.qualified.all();
        put_number(&mut out, names.len() as u64);
        for ((function, file, line), name) in names {
            put_string(&mut out, function);
            put_string(&mut out, file);
            put_number(&mut out, u64::from(*line));
            out.push(u8::from(name.is_some()));
            if let Some(name) = name {
                put_string(&mut out, name);
            }
        }
        out
    }

    /// The tree of partial trees as bytes ([`to_bytes`](Self::to_bytes)), as the nodes of a machine send them.
    ///
    /// # Errors
    /// The first partial tree that is none.
    pub fn merged(partial: &[Vec<u8>]) -> Result<Self, WireError> {
        let read = |bytes: &Vec<u8>| read(bytes);
        let parts: Vec<(Tree, QualifiedNames)> = partial.par_iter().map(read).collect::<Result<_, _>>()?;
        let (trees, names): (Vec<Tree>, Vec<QualifiedNames>) = parts.into_iter().unzip();
        let mut job = Self::ranked(stacktree::merge(&trees));
        names.into_iter().for_each(|names| job.qualified.merge(names));
        Ok(job)
    }
}

fn read(bytes: &[u8]) -> Result<(Tree, QualifiedNames), WireError> {
    let (tree, end) = Tree::from_front(bytes)?;
    let mut names = QualifiedNames::default();
    if end == bytes.len() {
        return Ok((tree, names));
    }
    let mut reader = Reader::from(bytes, end);
    // However many are announced, each takes bytes.
    for _ in 0..reader.number::<u64>()? {
        let function = reader.string()?.to_owned();
        let file = reader.string()?.to_owned();
        let line = reader.number()?;
        let name = match reader.number::<u64>()? {
            0 => None,
            1 => Some(reader.string()?.to_owned()),
            _ => return reader.fail("neither one name nor several"),
        };
        names.insert((function, file, line), name);
    }
    if !reader.is_at_end() {
        return reader.fail("bytes behind the end");
    }
    Ok((tree, names))
}

#[cfg(test)]
mod tests {
    use super::*;
    use snapshot::{Frame, Task};

    fn job(qualified: &[(u32, &str)]) -> JobTree {
        let tasks = Vec::from_iter(qualified.iter().map(|&(line, name)| {
            Task {
                frames: vec![Frame {
                    function: "relax".to_owned(),
                    qualified: Some(name.to_owned()),
                    file: Some("a/grid.h".to_owned()),
                    line: Some(line),
                    ..Frame::default()
                }]
                .into(),
                ..Task::default()
            }
        }));
        JobTree {
            qualified: QualifiedNames::of(tasks.iter()),
            ..JobTree::ranked(stacktree::merge::<Tree>(&[]))
        }
    }

    #[test]
    fn names_come_through_bytes_and_parts_agree_on_them() {
        let one = job(&[
            (3, "Grid<int>::relax"),
            (4, "Grid<int>::relax"),
            (5, "A::relax"),
            (5, "B::relax"),
        ]);
        let two = job(&[
            (3, "Grid<int>::relax"),
            (4, "Grid<float>::relax"),
            (5, "A::relax"),
            (6, "A::relax"),
        ]);
        let again = JobTree::merged(&[one.to_bytes()]).unwrap();
        assert_eq!(again.qualified, one.qualified);
        assert_eq!(again.to_bytes(), one.to_bytes());
        let all = job(&[
            (3, "Grid<int>::relax"),
            (4, "Grid<int>::relax"),
            (4, "Grid<float>::relax"),
            (5, "A::relax"),
            (5, "B::relax"),
            (6, "A::relax"),
        ]);
        for parts in [[&one, &two], [&two, &one]] {
            let parts = parts.map(JobTree::to_bytes);
            assert_eq!(JobTree::merged(&parts).unwrap().qualified, all.qualified);
        }
    }

    #[test]
    fn a_tree_without_names_is_one_and_any_cut_of_names_is_none() {
        let job = job(&[(3, "Grid<int>::relax"), (5, "A::relax"), (5, "B::relax")]);
        let bytes = job.to_bytes();
        let stacks = job.tree.to_bytes().len();
        let bare = JobTree::merged(&[bytes[..stacks].to_vec()]).unwrap();
        assert_eq!(bare.qualified, QualifiedNames::default());
        for end in stacks + 1..bytes.len() {
            assert!(JobTree::merged(&[bytes[..end].to_vec()]).is_err(), "{end}");
        }
        let longer = [&bytes[..], &[0]].concat();
        assert!(JobTree::merged(&[longer]).is_err());
    }
}
