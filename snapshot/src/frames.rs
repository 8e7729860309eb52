//! The frames of a stack. Many tasks of a job stand at one place: their frames are kept once, however many have them.

use crate::{Frame, Value};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

/// What calls of MPI have passed, by the number of their frame, as [`Frame::passed`] has it.
pub type Passed = BTreeMap<u32, BTreeMap<u8, u64>>;

/// The frames of a stack, outermost first. A copy shares them. What calls of MPI have passed differs from task to task
/// where all else is the same, so that it is kept aside: [`Frames::passed`] has it, and [`Frame::passed`] is empty here.
#[derive(Clone, Default)]
pub struct Frames {
    shared: Arc<Shared>,
    passed: Passed,
}

#[derive(Default)]
struct Shared {
    frames: Vec<Frame>,
    /// Made when somebody asks.
    fingerprint: OnceLock<u64>,
}

impl Frames {
    /// What the call of MPI in the frame of this number has passed, by the place of the argument.
    pub fn passed(&self, frame: usize) -> Option<&BTreeMap<u8, u64>> {
        self.passed.get(&u32::try_from(frame).ok()?)
    }

    /// The same of all frames.
    pub fn all_passed(&self) -> &Passed {
        &self.passed
    }

    /// Takes away what calls have passed.
    pub(crate) fn take_passed(&mut self) -> Passed {
        std::mem::take(&mut self.passed)
    }

    /// Puts it back, if it is of this stack.
    pub(crate) fn put_passed_back(&mut self, passed: Passed) {
        if fits(&passed, self.len()) {
            self.passed = passed;
        }
    }

    /// Changes the frames.
    pub fn edit<T>(&mut self, change: impl FnOnce(&mut Vec<Frame>) -> T) -> T {
        let mut frames = std::mem::take(self).into_vec();
        let result = change(&mut frames);
        *self = frames.into();
        result
    }

    /// The frames alone, each with what its call has passed.
    pub fn into_vec(self) -> Vec<Frame> {
        let Self { shared, passed } = self;
        let mut frames = match Arc::try_unwrap(shared) {
            Ok(own) => own.frames,
            Err(shared) => shared.frames.clone(),
        };
        for (number, passed) in passed {
            if let Some(frame) = frames.get_mut(number as usize) {
                frame.passed = passed;
            }
        }
        frames
    }

    /// Whether nothing tells the two apart but what calls have passed: numbers count as the same where all their bits are.
    pub fn are_alike(&self, other: &Self) -> bool {
        let (own, others) = (&self.shared.frames, &other.shared.frames);
        Arc::ptr_eq(&self.shared, &other.shared)
            || own.len() == others.len()
                && self.fingerprint() == other.fingerprint()
                && own.iter().zip(others).all(|(a, b)| are_same(a, b))
    }

    /// A number that is the same of frames that are alike, and hardly ever of others.
    pub fn fingerprint(&self) -> u64 {
        let Shared { frames, fingerprint } = &*self.shared;
        *fingerprint.get_or_init(|| self::fingerprint(frames))
    }
}

/// Frames that were met before, so that those which are alike are kept once.
#[derive(Default)]
pub(crate) struct Known(BTreeMap<u64, Vec<Frames>>);

impl Known {
    /// Has these frames share what others have that are alike.
    pub(crate) fn share(&mut self, frames: &mut Frames) {
        let known = self.0.entry(frames.fingerprint()).or_default();
        match known.iter().find(|known| known.are_alike(frames)) {
            Some(known) => frames.shared = Arc::clone(&known.shared),
            None => known.push(Frames {
                shared: Arc::clone(&frames.shared),
                passed: Passed::new(),
            }),
        }
    }
}

/// Whether what calls have passed is of a stack of so many frames.
pub(crate) fn fits(passed: &Passed, frames: usize) -> bool {
    passed
        .last_key_value()
        .is_none_or(|(&last, _)| (last as usize) < frames)
}

/// Whether two frames are equal, and their numbers the same in all bits: a value that is no number is the same as itself.
fn are_same(a: &Frame, b: &Frame) -> bool {
    // A field that is added has to be looked at here.
    let Frame {
        function,
        qualified,
        file,
        line,
        column,
        values,
        missing,
        passed,
        registers,
        slots,
        straight,
        inlined,
        inexact,
        at_start,
        guessed,
        module,
        pc,
    } = a;
    let flags = (*straight, *inlined, *inexact, *at_start, *guessed);
    let mut pairs = values.iter().zip(&b.values);
    (function, qualified, file) == (&b.function, &b.qualified, &b.file)
        && (line, column, module, pc) == (&b.line, &b.column, &b.module, &b.pc)
        && flags == (b.straight, b.inlined, b.inexact, b.at_start, b.guessed)
        && (missing, passed, registers, slots) == (&b.missing, &b.passed, &b.registers, &b.slots)
        && values.len() == b.values.len()
        && pairs.all(|((a, one), (b, other))| a == b && key(one) == key(other))
}

fn fingerprint(frames: &[Frame]) -> u64 {
    let mut hasher = DefaultHasher::new();
    for frame in frames {
        (&frame.function, &frame.file, frame.line, frame.column).hash(&mut hasher);
        (&frame.module, frame.pc, &frame.missing).hash(&mut hasher);
        (&frame.registers, &frame.slots).hash(&mut hasher);
        for (name, value) in &frame.values {
            (name, key(value)).hash(&mut hasher);
        }
    }
    hasher.finish()
}

/// What tells a value from all others.
fn key(value: &Value) -> impl PartialEq + std::hash::Hash {
    match value {
        Value::Integer(value) => (0, value.cast_unsigned(), String::new()),
        Value::Unsigned(value) => (1, *value, String::new()),
        Value::Float(value) => (2, value.to_bits(), String::new()),
        Value::Other(value) => (3, 0, value.to_string()),
    }
}

impl Deref for Frames {
    type Target = [Frame];

    fn deref(&self) -> &[Frame] {
        &self.shared.frames
    }
}

impl From<Vec<Frame>> for Frames {
    fn from(mut frames: Vec<Frame>) -> Self {
        let mut passed = Passed::new();
        for (number, frame) in (0..).zip(&mut frames) {
            if !frame.passed.is_empty() {
                passed.insert(number, std::mem::take(&mut frame.passed));
            }
        }
        let shared = Arc::new(Shared {
            frames,
            fingerprint: OnceLock::new(),
        });
        Self { shared, passed }
    }
}

impl FromIterator<Frame> for Frames {
    fn from_iter<I: IntoIterator<Item = Frame>>(frames: I) -> Self {
        Vec::from_iter(frames).into()
    }
}

impl<'f> IntoIterator for &'f Frames {
    type Item = &'f Frame;
    type IntoIter = std::slice::Iter<'f, Frame>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl PartialEq for Frames {
    fn eq(&self, other: &Self) -> bool {
        let is_same = Arc::ptr_eq(&self.shared, &other.shared) || self.shared.frames == other.shared.frames;
        is_same && self.passed == other.passed
    }
}

impl fmt::Debug for Frames {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone().into_vec()).finish()
    }
}

impl Serialize for Frames {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let with_passed = |(number, frame)| match self.passed(number) {
            Some(passed) => Cow::Owned(Frame {
                passed: passed.clone(),
                ..Frame::clone(frame)
            }),
            None => Cow::Borrowed(frame),
        };
        serializer.collect_seq(self.iter().enumerate().map(with_passed))
    }
}

impl<'de> Deserialize<'de> for Frames {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Vec::deserialize(deserializer).map(Self::from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(function: &str, value: Option<Value>, passed: &[(u8, u64)]) -> Frame {
        Frame {
            function: function.to_owned(),
            values: value.into_iter().map(|value| ("x".to_owned(), value)).collect(),
            passed: passed.iter().copied().collect(),
            ..Frame::default()
        }
    }

    fn stack(value: Value, passed: &[(u8, u64)]) -> Frames {
        vec![frame("main", Some(value), &[]), frame("f", None, passed)].into()
    }

    #[test]
    fn frames_are_alike_whatever_calls_have_passed() {
        let (one, other) = (
            stack(Value::Integer(3), &[(0, 7)]),
            stack(Value::Integer(3), &[(0, 8)]),
        );
        assert!(one.are_alike(&other) && one != other);
        assert_eq!(one.passed(1), Some(&BTreeMap::from([(0, 7)])));
        assert_eq!((one.passed(0), one.passed(2)), (None, None));
        assert!(one[1].passed.is_empty());
        // Numbers by their bits: what is equal may be told apart, and what is no number is the same as itself.
        let alike = |a: f64, b: f64| stack(Value::Float(a), &[]).are_alike(&stack(Value::Float(b), &[]));
        assert!(alike(f64::NAN, f64::NAN) && alike(1.5, 1.5));
        assert!(!alike(0.0, -0.0) && !stack(Value::Float(3.0), &[]).are_alike(&one));
        assert!(!Frames::from(one[..1].to_vec()).are_alike(&one));
    }

    #[test]
    fn who_changes_frames_changes_nobody_elses() {
        let one = stack(Value::Integer(3), &[(0, 7)]);
        let mut other = one.clone();
        other.edit(|frames| {
            assert_eq!(frames[1].passed, BTreeMap::from([(0, 7)]));
            frames.insert(0, frame("_start", None, &[]));
        });
        assert_eq!((one.len(), other.len()), (2, 3));
        assert_eq!((one.passed(1), other.passed(2)), (other.passed(2), one.passed(1)));
        assert_eq!(other.passed(1), None);
        assert_eq!(Frames::from(one.clone().into_vec()), one);
    }

    #[test]
    fn what_is_written_has_what_calls_have_passed_in_its_frame() {
        let one = stack(Value::Integer(3), &[(0, 7)]);
        let text = serde_json::to_string(&one).unwrap();
        assert_eq!(
            text,
            r#"[{"function":"main","values":{"x":3}},{"function":"f","passed":{"0":7}}]"#
        );
        assert_eq!(serde_json::from_str::<Frames>(&text).unwrap(), one);
    }

    #[test]
    fn what_is_alike_is_kept_once() {
        let mut known = Known::default();
        let mut stacks = [1, 2, 1, 1, 2].map(|value| stack(Value::Integer(value), &[(0, 7)]));
        let before = stacks.clone();
        stacks.iter_mut().for_each(|stack| known.share(stack));
        assert_eq!(stacks, before);
        let is_one = |a: usize, b: usize| Arc::ptr_eq(&stacks[a].shared, &stacks[b].shared);
        assert!(is_one(0, 2) && is_one(0, 3) && is_one(1, 4) && !is_one(0, 1));
    }
}
