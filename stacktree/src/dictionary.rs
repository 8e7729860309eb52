//! The dictionary of a tree: every string, place and label once.
//!
//! It is sorted: strings by their bytes, places and labels by their fields. So a label's number tells how it sorts, joining
//! dictionaries keeps the order of each, and equal trees have equal numbers. A label is a place with values; where every
//! task is in an iteration of its own there are few places and very many labels, so a label costs eight bytes and its values,
//! and comparing two of them seldom looks further than the first value.

use crate::label::{Label, LabelId, Number, PlaceId, Text};
use rayon::prelude::*;
use std::cmp::Ordering;

/// The strings, places and labels of a tree, each once, sorted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Dictionary {
    pub(crate) strings: Vec<Box<str>>,
    /// Labels without values.
    pub(crate) places: Vec<Label<Text>>,
    pub(crate) labels: Vec<Entry>,
    /// Of all labels, one after the other.
    pub(crate) values: Vec<(Text, Number)>,
}

/// A label: its place, and where its values end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Entry {
    pub(crate) place: PlaceId,
    pub(crate) values_end: u32,
}

impl Dictionary {
    /// The labels, each once, of any sequence of them; and for each of the sequence its number.
    pub fn new<'a>(labels: impl IntoIterator<Item = &'a Label<&'a str>>) -> (Self, Vec<LabelId>) {
        let given = Vec::from_iter(labels);
        let mut strings: Vec<&str> = Vec::new();
        for label in &given {
            strings.push(label.function);
            strings.extend(label.file);
            strings.extend(label.module);
            strings.extend(label.values.iter().map(|&(name, _)| name));
        }
        strings.sort_unstable();
        strings.dedup();
        let text = |wanted: &&str| Text::new(strings.binary_search(wanted).unwrap_or_default());
        let mut numbered: Vec<(Label<Text>, usize)> = given
            .iter()
            .enumerate()
            .map(|(at, label)| (label.map(text), at))
            .collect();
        numbered.sort_unstable();
        let mut of = vec![LabelId::default(); given.len()];
        let mut dictionary = Self {
            strings: strings.into_iter().map(Box::from).collect(),
            ..Self::default()
        };
        let mut group: &[(Label<Text>, usize)] = &numbered;
        while let [(first, _), ..] = group {
            let alike = group.iter().take_while(|(label, _)| label == first).count();
            let id = dictionary.push(first);
            for &(_, at) in &group[..alike] {
                of[at] = id;
            }
            group = &group[alike..];
        }
        (dictionary, of)
    }

    /// Adds a label that sorts behind all others.
    pub(crate) fn push(&mut self, label: &Label<Text>) -> LabelId {
        let known = self.places.last().is_some_and(|last| last.is_at(label));
        if !known {
            self.places.push(Label {
                values: Box::default(),
                ..label.clone()
            });
        }
        let place = PlaceId::new(self.places.len() - 1);
        self.push_at(place, label.values.iter().copied())
    }

    /// The same for a place that is known.
    pub(crate) fn push_at(
        &mut self,
        place: PlaceId,
        values: impl Iterator<Item = (Text, Number)>,
    ) -> LabelId {
        self.values.extend(values);
        self.labels.push(Entry {
            place,
            values_end: u32::try_from(self.values.len()).unwrap_or(u32::MAX),
        });
        LabelId::new(self.labels.len() - 1)
    }

    /// The numbers of all labels.
    pub fn ids(&self) -> impl Iterator<Item = LabelId> + use<> {
        (0..self.len()).map(LabelId::new)
    }

    /// How many labels there are.
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    /// A string.
    pub fn text(&self, text: Text) -> &str {
        self.strings.get(text.index()).map_or("", |string| string)
    }

    /// A label, with its strings.
    pub fn label(&self, id: LabelId) -> Label<&str> {
        let values = self.values(id).iter();
        Label {
            values: values.map(|&(name, value)| (self.text(name), value)).collect(),
            ..self.place(id).map(|&text| self.text(text))
        }
    }

    /// A label without its values, with its strings by number.
    pub fn place(&self, id: LabelId) -> &Label<Text> {
        &self.places[self.place_id(id).index()]
    }

    /// The number of that: labels with the same one differ in values alone.
    pub fn place_id(&self, id: LabelId) -> PlaceId {
        self.labels[id.index()].place
    }

    /// The values of a label, by name.
    pub fn values(&self, id: LabelId) -> &[(Text, Number)] {
        let start = id
            .index()
            .checked_sub(1)
            .map_or(0, |before| self.labels[before].values_end);
        &self.values[start as usize..self.labels[id.index()].values_end as usize]
    }

    /// The numbers of the labels in another dictionary, where it has them.
    pub(crate) fn found_in(&self, other: &Dictionary) -> Vec<Option<LabelId>> {
        let mut next = LabelId::default();
        let found = |at: usize| {
            let own = LabelId::new(at);
            // Both are sorted, so one pass finds them all.
            while next.index() < other.len() {
                match self.compare(own, other, next) {
                    Ordering::Less => return None,
                    Ordering::Equal => return Some(next),
                    Ordering::Greater => next = LabelId::new(next.index() + 1),
                }
            }
            None
        };
        (0..self.len()).map(found).collect()
    }

    fn compare(&self, own: LabelId, other: &Dictionary, theirs: LabelId) -> Ordering {
        fn place(dictionary: &Dictionary, id: LabelId) -> Label<&str> {
            dictionary.place(id).map(|&text| dictionary.text(text))
        }
        fn named(dictionary: &Dictionary, id: LabelId) -> impl Iterator<Item = (&str, Number)> {
            let values = dictionary.values(id).iter();
            values.map(|&(name, value)| (dictionary.text(name), value))
        }
        let places = place(self, own).cmp(&place(other, theirs));
        places.then_with(|| named(self, own).cmp(named(other, theirs)))
    }

    /// One dictionary of all, and where the labels of each went; that keeps their order.
    pub(crate) fn join(all: &[&Dictionary]) -> (Self, Moved) {
        let mut sources = Sources::default();
        let of_tree: Vec<usize> = all.iter().map(|each| sources.number(each)).collect();
        let mut starts = vec![0];
        for source in &sources.distinct {
            starts.push(starts[starts.len() - 1] + source.dictionary.len());
        }
        let moved = |flat: Vec<LabelId>| Moved {
            flat,
            places: of_tree.iter().map(|&at| (starts[at], starts[at + 1])).collect(),
        };
        if let [only] = &sources.distinct[..] {
            // Daemons of one job mostly see the same code.
            let same = (0..only.dictionary.len()).map(LabelId::new).collect();
            return (only.dictionary.clone(), moved(same));
        }
        let words = Words::of(&sources.vocabularies);
        let mut entries: Vec<Sortable> = sources
            .distinct
            .par_iter()
            .enumerate()
            .flat_map_iter(|(number, source)| {
                let words = &words;
                (0..source.dictionary.len()).map(move |at| Sortable::new(words, source, number, at))
            })
            .collect();
        let values = |entry: &Sortable| {
            let source = &sources.distinct[entry.source as usize];
            let texts = &words.texts[source.vocabulary];
            let values = source.dictionary.values(LabelId(entry.at)).iter();
            values.map(|&(name, value)| (texts[name.index()], value))
        };
        let compare = |a: &Sortable, b: &Sortable| {
            let all = || {
                if a.is_whole && b.is_whole {
                    Ordering::Equal
                } else {
                    values(a).cmp(values(b))
                }
            };
            a.key.cmp(&b.key).then_with(all)
        };
        entries.par_sort_unstable_by(compare);
        let mut dictionary = Dictionary {
            strings: words.strings.iter().map(|&string| Box::from(string)).collect(),
            places: words.all_places.clone(),
            ..Dictionary::default()
        };
        let mut flat = vec![LabelId::default(); starts[starts.len() - 1]];
        let mut last: Option<&Sortable> = None;
        for entry in &entries {
            if last.is_none_or(|last| compare(last, entry) != Ordering::Equal) {
                if entry.is_whole {
                    dictionary.push_at(entry.place(), entry.value().into_iter())
                } else {
                    dictionary.push_at(entry.place(), values(entry))
                };
            }
            flat[starts[entry.source as usize] + entry.at as usize] = LabelId::new(dictionary.len() - 1);
            last = Some(entry);
        }
        (dictionary, moved(flat))
    }
}

/// Where the labels of each of several dictionaries went in that of all.
pub(crate) struct Moved {
    flat: Vec<LabelId>,
    places: Vec<(usize, usize)>,
}

impl Moved {
    /// The new numbers of one dictionary's labels, by the old ones.
    pub(crate) fn of(&self, dictionary: usize) -> &[LabelId] {
        let (start, end) = self.places[dictionary];
        &self.flat[start..end]
    }
}

/// The dictionaries to join, each once; most of a job's are equal, or differ in values alone.
#[derive(Default)]
struct Sources<'a> {
    distinct: Vec<Distinct<'a>>,
    /// Dictionaries whose strings or places no earlier one has.
    vocabularies: Vec<&'a Dictionary>,
}

#[derive(Clone, Copy)]
struct Distinct<'a> {
    dictionary: &'a Dictionary,
    vocabulary: usize,
}

impl<'a> Sources<'a> {
    /// With so many of those that came last each is compared: what is met twice costs time only.
    const LOOKED_AT: usize = 8;

    fn number(&mut self, dictionary: &'a Dictionary) -> usize {
        let count = self.distinct.len();
        let recent = count.saturating_sub(Self::LOOKED_AT);
        let known = (recent..count).find(|&at| self.distinct[at].dictionary == dictionary);
        known.unwrap_or_else(|| {
            let count = self.vocabularies.len();
            let mut recent = count.saturating_sub(Self::LOOKED_AT)..count;
            let is_same = |&at: &usize| {
                let other = self.vocabularies[at];
                other.places == dictionary.places && other.strings == dictionary.strings
            };
            let vocabulary = recent.find(is_same).unwrap_or_else(|| {
                self.vocabularies.push(dictionary);
                self.vocabularies.len() - 1
            });
            self.distinct.push(Distinct {
                dictionary,
                vocabulary,
            });
            self.distinct.len() - 1
        })
    }
}

/// The strings and places of all, and where those of each vocabulary went.
struct Words<'a> {
    strings: Vec<&'a str>,
    all_places: Vec<Label<Text>>,
    texts: Vec<Vec<Text>>,
    places: Vec<Vec<PlaceId>>,
}

impl<'a> Words<'a> {
    fn of(vocabularies: &[&'a Dictionary]) -> Self {
        let mut strings: Vec<&str> = vocabularies
            .iter()
            .flat_map(|each| each.strings.iter().map(|string| &**string))
            .collect();
        strings.sort_unstable();
        strings.dedup();
        let texts: Vec<Vec<Text>> = vocabularies
            .iter()
            .map(|each| {
                let found = |string: &str| strings.binary_search(&string).unwrap_or_default();
                each.strings
                    .iter()
                    .map(|string| Text::new(found(string)))
                    .collect()
            })
            .collect();
        let mapped = |(each, texts): (&&Dictionary, &Vec<Text>)| -> Vec<Label<Text>> {
            let place = |place: &Label<Text>| place.map(|text| texts[text.index()]);
            each.places.iter().map(place).collect()
        };
        let mapped: Vec<Vec<Label<Text>>> = vocabularies.iter().zip(&texts).map(mapped).collect();
        let mut all_places: Vec<Label<Text>> = mapped.iter().flatten().cloned().collect();
        all_places.sort_unstable();
        all_places.dedup();
        let found = |place: &Label<Text>| PlaceId::new(all_places.binary_search(place).unwrap_or_default());
        let places = mapped
            .iter()
            .map(|places| places.iter().map(found).collect())
            .collect();
        Self {
            strings,
            all_places,
            texts,
            places,
        }
    }
}

/// A label of one of the dictionaries, with a number that sorts as it does but for ties.
struct Sortable {
    /// The place, the name of the first value, and what fits of its number.
    key: u128,
    source: u32,
    at: u32,
    /// The key says all: there is no value, or one that fits. Where every task has a value of its own, looking each up once more
    /// would take longer than sorting them.
    is_whole: bool,
}

impl Sortable {
    fn new(words: &Words<'_>, source: &Distinct<'_>, number: usize, at: usize) -> Self {
        let id = LabelId::new(at);
        let place = words.places[source.vocabulary][source.dictionary.place_id(id).index()];
        let (first, is_whole) = match source.dictionary.values(id) {
            [] => (0, true),
            [(name, value), rest @ ..] => {
                let name = words.texts[source.vocabulary][name.index()];
                let is_small = matches!(*value, Number::Int(value) if (-HALF..HALF).contains(&value));
                let first = (u128::from(name.0) + 1) << 64 | u128::from(prefix(*value));
                (first, is_small && rest.is_empty())
            }
        };
        Self {
            key: u128::from(place.0) << 96 | first,
            source: u32::try_from(number).unwrap_or(u32::MAX),
            at: id.0,
            is_whole,
        }
    }

    /// The value of one that is whole.
    fn value(&self) -> Option<(Text, Number)> {
        let name = (self.key >> 64) as u32;
        let number = i128::from(self.key as u64) - HALF;
        Some((Text(name.checked_sub(1)?), Number::Int(number)))
    }

    fn place(&self) -> PlaceId {
        PlaceId((self.key >> 96) as u32)
    }
}

/// Integers from minus this up to this fit into a prefix.
const HALF: i128 = 1 << 62;

/// A number that is never larger than that of a larger value.
fn prefix(value: Number) -> u64 {
    match value.key() {
        // 63 bits for integers, the upper half for all else.
        (0, integer) => (integer.clamp(-HALF, HALF - 1) + HALF) as u64,
        (1, float) => ((float + (1 << 63)) as u64 >> 2) | 1 << 63,
        _ => u64::MAX,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_sort_as_the_numbers_do() {
        let sorted = [
            Number::Int(i128::MIN),
            Number::Int(-(1 << 70)),
            Number::Int(-3),
            Number::Int(0),
            Number::Int(7),
            Number::Int(u64::MAX.into()),
            Number::Float(f64::NEG_INFINITY),
            Number::Float(-1.5),
            Number::Float(0.0),
            Number::Float(2.0),
            Number::Float(f64::NAN),
            Number::Unread,
        ];
        for pair in sorted.windows(2) {
            assert!(
                pair[0] < pair[1] && prefix(pair[0]) <= prefix(pair[1]),
                "{pair:?}"
            );
        }
        assert!(prefix(Number::Int(-3)) < prefix(Number::Int(7)));
    }
}
