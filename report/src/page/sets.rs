//! The sets of tasks of a page, each written once.
//!
//! In a tree of a million tasks that do the same in turn, each of many nodes holds a million ranks that are no ranges. So a long set
//! stands in a table, and whoever has it says `#3`, the third after the first. What stands there is short where the tasks have a pattern:
//!
//! > *set* = *part* {`,` *part*} \
//! > *part* = `#`*earlier* | *gap* [`-`*more*] [`:`*step*`/`*times*]
//!
//! A part is another set of the table, with a smaller number (decimal), or a block of tasks: its first is *gap* behind the last task of the blocks before it
//! in the set (the first block's first is *gap* itself), *more* follow without a gap, and the whole block is repeated *times* times more, *step* later each
//! time. These numbers are in base 36. The set is the union of its parts.
//!
//! First in the table stand the *groups*: tasks that are in the same sets of the tree and of the answer, and so need not be told apart. Each
//! task is written in one group, and all these sets are unions of groups.
//!
//! A page may come from anywhere, and a few bytes of it may stand for billions of ranges. Readers count them first.

use base::RankSet;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// What is no longer than this stands where it is used.
const SHORT: usize = 32;

/// Ranges that are read from all sets of one page together: each of a million tasks at twenty levels of a tree, and more.
const MOST_RANGES: usize = 1 << 25;

/// The number of those that are in none of the sets.
const NOBODY: u32 = 0;

/// Tasks with larger numbers are taken for no member of a group: they need not follow one another.
const MOST_TASKS: u32 = 1 << 24;

/// The table, while a page is written.
#[derive(Debug, Default)]
pub(super) struct SetTable {
    texts: Vec<String>,
    known: BTreeMap<RankSet, usize>,
    /// By task: its group.
    group_of: Vec<u32>,
    /// Of each group how many tasks it has, and how the table says it.
    groups: Vec<(u64, String)>,
}

impl SetTable {
    /// A table of unions of some of these sets, which may overlap.
    pub(super) fn of_sets(sets: impl IntoIterator<Item = RankSet>) -> Self {
        let mut table = Self::default();
        // By group: the last set that had tasks of it, and the group that these tasks are in since then.
        let mut split = vec![(0, NOBODY)];
        for (number, set) in (1..).zip(sets) {
            for task in set.iter().take_while(|&task| task < MOST_TASKS) {
                let task = task as usize;
                if table.group_of.len() <= task {
                    table.group_of.resize(task + 1, NOBODY);
                }
                let group = table.group_of[task] as usize;
                if split[group].0 != number {
                    split[group] = (number, split.len() as u32);
                    split.push((0, NOBODY));
                }
                table.group_of[task] = split[group].1;
            }
        }
        table.name_groups(split.len());
        table
    }

    /// Numbers those groups anew that have tasks, by their first ones, and writes them down.
    fn name_groups(&mut self, known: usize) {
        let mut new_number = vec![None; known];
        let mut groups: Vec<Vec<(u32, u32)>> = Vec::new();
        for (task, group) in (0..).zip(&mut self.group_of) {
            if *group == NOBODY {
                *group = u32::MAX;
                continue;
            }
            let number = *new_number[*group as usize].get_or_insert_with(|| {
                groups.push(Vec::new());
                groups.len() as u32 - 1
            });
            *group = number;
            groups[number as usize].push((task, task));
        }
        for ranges in groups {
            let set = RankSet::from_ranges(ranges);
            let count = set.len();
            let said = self.say(set);
            self.groups.push((count, said));
        }
    }

    /// How a page says a set: as everywhere if that is short, and else by its place in the table.
    pub(super) fn say(&mut self, set: RankSet) -> String {
        if let Some(text) = short(&set) {
            return text;
        }
        let next = self.texts.len();
        let id = self.known.get(&set).copied().unwrap_or(next);
        if id == next {
            let whole = blocks(&set);
            let united = self.union(&set).filter(|text| text.len() < whole.len());
            self.texts.push(united.unwrap_or(whole));
            self.known.insert(set, id);
        }
        format!("#{id}")
    }

    /// A set as groups, if it is a union of some.
    fn union(&self, set: &RankSet) -> Option<String> {
        let mut found: BTreeMap<u32, u64> = BTreeMap::new();
        for task in set.iter() {
            let group = *self.group_of.get(task as usize)?;
            *found.entry(group).or_default() += 1;
        }
        let mut said: Vec<String> = Vec::new();
        let mut short: Vec<(u32, u32)> = Vec::new();
        for (group, count) in found {
            let (all, text) = self.groups.get(group as usize)?;
            match text.parse::<RankSet>() {
                _ if count != *all => return None,
                Ok(set) => short.extend_from_slice(set.ranges()),
                Err(_) => said.push(text.clone()),
            }
        }
        if !short.is_empty() {
            said.push(blocks(&RankSet::from_ranges(short)));
        }
        Some(said.join(","))
    }

    /// The table as the page has it.
    pub(super) fn into_texts(self) -> Vec<String> {
        self.texts
    }
}

/// A set as text, if that is short.
fn short(set: &RankSet) -> Option<String> {
    // One character and a comma are the least that a range takes.
    (set.ranges().len() <= SHORT / 2)
        .then(|| set.to_string())
        .filter(|text| text.len() <= SHORT)
}

/// A set as blocks: as many as possible of one length and distance are one part.
fn blocks(set: &RankSet) -> String {
    let ranges = set.ranges();
    let mut text = String::new();
    let (mut at, mut end) = (0, 0);
    while let Some(&(first, last)) = ranges.get(at) {
        let more = last - first;
        let step = ranges.get(at + 1).map_or(0, |next| next.0 - first);
        let goes_on = |pair: &&[(u32, u32)]| pair[1].0 - pair[0].0 == step && pair[1].1 - pair[1].0 == more;
        let times = ranges[at..].windows(2).take_while(goes_on).count();
        // One repetition is shorter as a block of its own.
        let times = if times == 1 { 0 } else { times };
        if at > 0 {
            text.push(',');
        }
        base_36(&mut text, u64::from(first - end));
        if more > 0 {
            text.push('-');
            base_36(&mut text, u64::from(more));
        }
        if times > 0 {
            text.push(':');
            base_36(&mut text, u64::from(step));
            text.push('/');
            base_36(&mut text, times as u64);
        }
        at += times + 1;
        end = ranges[at - 1].1;
    }
    text
}

fn base_36(text: &mut String, mut number: u64) {
    let start = text.len();
    loop {
        let digit = (number % 36) as u8;
        text.insert(
            start,
            char::from(if digit < 10 {
                b'0' + digit
            } else {
                b'a' + digit - 10
            }),
        );
        number /= 36;
        if number == 0 {
            return;
        }
    }
}

/// Why what a page says is no set of tasks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BadSet {
    /// Not written as a set is; the text, or the beginning of it.
    Text(String),
    /// All sets of the page together have more ranges than any job needs.
    TooLarge,
}

impl BadSet {
    fn text(of: &str) -> Self {
        Self::Text(of.chars().take(40).collect())
    }
}

impl fmt::Display for BadSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => write!(f, "'{text}' is no set of tasks"),
            Self::TooLarge => f.write_str("its sets of tasks are too large"),
        }
    }
}

impl std::error::Error for BadSet {}

/// The table of a page that is read.
#[derive(Clone, Debug, Default)]
pub struct PageSets {
    sets: Vec<Arc<RankSet>>,
}

impl PageSets {
    /// Reads a table.
    ///
    /// # Errors
    /// What is no set, or all of them together have too many ranges.
    pub fn read(texts: &[String]) -> Result<Self, BadSet> {
        Self::read_within(texts, MOST_RANGES)
    }

    fn read_within(texts: &[String], mut left: usize) -> Result<Self, BadSet> {
        let mut table = Self::default();
        for text in texts {
            let set = table.united(text, &mut left)?;
            table.sets.push(Arc::new(set));
        }
        Ok(table)
    }

    /// The set that a text of the page means.
    ///
    /// # Errors
    /// It means none.
    pub fn set(&self, text: &str) -> Result<Arc<RankSet>, BadSet> {
        match text.strip_prefix('#') {
            Some(id) => self.earlier(id).cloned(),
            None => text.parse().map(Arc::new).map_err(|_| BadSet::text(text)),
        }
    }

    fn earlier(&self, id: &str) -> Result<&Arc<RankSet>, BadSet> {
        let id: Option<usize> = id.parse().ok();
        id.and_then(|id| self.sets.get(id))
            .ok_or_else(|| BadSet::text("a set that is not in the table"))
    }

    fn united(&self, text: &str, left: &mut usize) -> Result<RankSet, BadSet> {
        let mut ranges = Vec::new();
        let mut end = 0;
        let mut take = |count: usize| {
            *left = left.checked_sub(count).ok_or(BadSet::TooLarge)?;
            Ok(())
        };
        for part in text.split(',') {
            if let Some(id) = part.strip_prefix('#') {
                let set = self.earlier(id)?;
                take(set.ranges().len())?;
                ranges.extend_from_slice(set.ranges());
                continue;
            }
            let block = Block::read(part, end).ok_or_else(|| BadSet::text(part))?;
            take(block.times as usize + 1)?;
            end = block.first + block.times * block.step + block.more;
            let starts = (0..=block.times).map(|at| block.first + at * block.step);
            ranges.extend(starts.map(|first| (first, first + block.more)));
        }
        Ok(RankSet::from_ranges(ranges))
    }
}

/// A block and its repetitions; the last task of the last one is a number.
struct Block {
    first: u32,
    more: u32,
    step: u32,
    times: u32,
}

impl Block {
    fn read(text: &str, end: u32) -> Option<Self> {
        let (block, repeated) = text.split_once(':').unwrap_or((text, "0/0"));
        let (gap, more) = block.split_once('-').unwrap_or((block, "0"));
        let (step, times) = repeated.split_once('/')?;
        let number = |text: &str| u32::from_str_radix(text, 36).ok();
        let first = end.checked_add(number(gap)?)?;
        let (more, step, times) = (number(more)?, number(step)?, number(times)?);
        first.checked_add(times.checked_mul(step)?)?.checked_add(more)?;
        Some(Self {
            first,
            more,
            step,
            times,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Random;

    fn ranks(text: &str) -> RankSet {
        text.parse().unwrap()
    }

    #[test]
    fn a_pattern_is_short_and_a_short_set_stays() {
        let mut table = SetTable::default();
        assert_eq!(table.say(ranks("0-6,10-31")), "0-6,10-31");
        let every = |first: u32, step: usize| RankSet::from_iter((first..1_000_000).step_by(step));
        assert_eq!(table.say(every(0, 64)), "#0");
        assert_eq!(table.say(every(1, 64)), "#1");
        assert_eq!(table.say(every(0, 64)), "#0", "once");
        let both = RankSet::from_ranges((0..1_000_000).step_by(64).map(|first| (first, first + 1)));
        assert_eq!(table.say(both), "#2");
        assert_eq!(table.into_texts(), ["0:1s/c20", "1:1s/c20", "0-1:1s/c20"]);
    }

    #[test]
    fn a_union_of_groups_says_so() {
        let every = |first: u32| RankSet::from_iter((first..1_000_000).step_by(64));
        let mut table = SetTable::of_sets((0..64).map(every));
        let union = |classes: &[u32]| {
            RankSet::from_iter(
                classes
                    .iter()
                    .flat_map(|&each| Vec::from_iter(every(each).iter())),
            )
        };
        assert_eq!(table.say(union(&[3, 8, 41])), "#64");
        let part = RankSet::from_iter(union(&[3, 8]).iter().skip(1));
        assert_eq!(table.say(part.clone()), "#65", "no union of groups");
        let texts = table.into_texts();
        assert_eq!(texts[64], "#3,#8,#41");
        assert!(!texts[65].contains('#'));
        let read = PageSets::read(&texts).unwrap();
        assert_eq!(*read.set("#64").unwrap(), union(&[3, 8, 41]));
        assert_eq!(*read.set("#65").unwrap(), part);
    }

    #[test]
    fn each_task_is_written_once_however_sets_overlap() {
        let mut random = Random(9);
        let mut any = || RankSet::from_iter((0..20_000).filter(|_| random.below(2) == 0));
        let sets = [any(), any(), any()];
        let mut table = SetTable::of_sets(sets.iter().cloned());
        let said: Vec<String> = sets.iter().map(|set| table.say(set.clone())).collect();
        let texts = table.into_texts();
        assert_eq!(
            texts.len(),
            7 + 3,
            "tasks of each of the seven ways to be in some of three sets"
        );
        for text in &texts[7..] {
            assert!(text.split(',').all(|part| part.starts_with('#')), "{text}");
        }
        let table = PageSets::read(&texts).unwrap();
        for (set, said) in sets.iter().zip(&said) {
            assert_eq!(*table.set(said).unwrap(), *set);
        }
        let groups = (0..7).flat_map(|group| Vec::from_iter(table.set(&format!("#{group}")).unwrap().iter()));
        let mut tasks = Vec::from_iter(groups);
        tasks.sort_unstable();
        let all = RankSet::from_ranges(sets.iter().flat_map(|set| set.ranges().iter().copied()));
        assert_eq!(tasks, Vec::from_iter(all.iter()));
    }

    #[test]
    fn sets_read_back_as_they_were() {
        let mut random = Random(3);
        for round in 0..300 {
            let span = [40, 3_000, 1_000_000][round % 3];
            let sets: Vec<RankSet> = (0..4)
                .map(|_| {
                    let mut ranges = Vec::new();
                    for _ in 0..random.below(12) {
                        let (first, more) = (random.below(span) as u32, random.below(4) as u32);
                        let (step, times) = (1 + random.below(9) as u32, random.below(60) as u32);
                        ranges.extend((0..times).map(|at| (first + at * step, first + at * step + more)));
                    }
                    RankSet::from_ranges(ranges)
                })
                .collect();
            let mut table = SetTable::of_sets(sets[..2].iter().cloned());
            let all = sets[..2].iter().flat_map(|set| set.ranges().iter().copied());
            let sets = [&sets[..], &[RankSet::from_ranges(all)]].concat();
            let said: Vec<String> = sets.iter().map(|set| table.say(set.clone())).collect();
            let table = PageSets::read(&table.into_texts()).unwrap();
            for (set, said) in sets.iter().zip(&said) {
                assert_eq!(*table.set(said).unwrap(), *set);
            }
        }
    }

    #[test]
    fn what_is_no_set_is_refused_before_memory_is_filled() {
        let read = |texts: &[&str]| {
            let texts: Vec<String> = texts.iter().map(|&text| text.to_owned()).collect();
            PageSets::read_within(&texts, 100_000).map(|table| table.sets.len())
        };
        assert_eq!(read(&["0:2/100", "#0,#0"]), Ok(2));
        assert_eq!(read(&["0:2/zik0z"]), Err(BadSet::TooLarge));
        for text in [
            "",
            "#0",
            "x y",
            "1z141z4",
            "0-1z141z3,1",
            "5:2",
            "5:2/",
            "0:zzzz/zzzz",
            "-1",
            "1-",
        ] {
            assert!(matches!(read(&[text]), Err(BadSet::Text(_))), "{text}");
        }
        assert_eq!(
            read(&["0:2/zzz", "#0", "#1,#0"]),
            Err(BadSet::TooLarge),
            "of all sets"
        );
    }
}
