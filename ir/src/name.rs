//! Names of the source, each kept once.
//!
//! A program of a million lines writes two million names and knows a tenth of that. So a name here is the address of its text: as
//! small as a pointer, copied for nothing, and the same as another if the address is.

use hashbrown::DefaultHashBuilder;
use hashbrown::hash_table::{Entry, HashTable};
use std::cmp::Ordering;
use std::fmt;
use std::hash::{BuildHasher as _, Hash, Hasher};
use std::ops::Deref;
use std::sync::{LazyLock, Mutex, PoisonError};

/// A name of the source: of a global, a function, a member, a macro or a label.
///
/// Equal names are one address, and are ordered as their texts are. What is named once stays in memory as long as the process
/// lives.
#[derive(Clone, Copy)]
pub struct Name(&'static Text);

struct Text {
    text: Box<str>,
    hash: u64,
}

/// Threads that meet different names seldom wait for each other.
const SHARDS: usize = 64;

static KNOWN: [Mutex<HashTable<&'static Text>>; SHARDS] = [const { Mutex::new(HashTable::new()) }; SHARDS];
static HASHER: LazyLock<DefaultHashBuilder> = LazyLock::new(DefaultHashBuilder::default);

impl Name {
    /// The name of this text.
    pub fn new(text: &str) -> Self {
        let hash = HASHER.hash_one(text);
        // Bits that the table does not look at.
        let shard = &KNOWN[(hash >> 32) as usize % SHARDS];
        let mut known = shard.lock().unwrap_or_else(PoisonError::into_inner);
        let same = |other: &&'static Text| other.hash == hash && *other.text == *text;
        match known.entry(hash, same, |other| other.hash) {
            Entry::Occupied(found) => Name(found.get()),
            Entry::Vacant(free) => {
                let text = Text {
                    text: text.into(),
                    hash,
                };
                Name(free.insert(Box::leak(Box::new(text))).get())
            }
        }
    }

    /// Its text.
    pub fn as_str(self) -> &'static str {
        &self.0.text
    }
}

impl From<&str> for Name {
    fn from(text: &str) -> Self {
        Name::new(text)
    }
}

impl From<String> for Name {
    fn from(text: String) -> Self {
        Name::new(&text)
    }
}

impl Deref for Name {
    type Target = str;

    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl PartialEq for Name {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

impl Eq for Name {}

/// Whether a name has this text, asked from either side.
macro_rules! compares_with {
    ($($text:ty),*) => {$(
        impl PartialEq<$text> for Name {
            fn eq(&self, other: &$text) -> bool {
                *self.as_str() == **other
            }
        }

        impl PartialEq<Name> for $text {
            fn eq(&self, other: &Name) -> bool {
                **self == *other.as_str()
            }
        }
    )*};
}

compares_with!(&str, String);

impl PartialEq<str> for Name {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == other
    }
}

impl Ord for Name {
    fn cmp(&self, other: &Self) -> Ordering {
        if self == other {
            Ordering::Equal
        } else {
            self.as_str().cmp(other.as_str())
        }
    }
}

impl PartialOrd for Name {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Hash for Name {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.0.hash);
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_str().fmt(f)
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_are_one_name_on_all_threads() {
        let texts: Vec<String> = (0..2_000).map(|number| format!("name{number}")).collect();
        let named = || Vec::from_iter(texts.iter().map(|text| Name::new(text)));
        let (here, there) = std::thread::scope(|scope| {
            let there = scope.spawn(named);
            (named(), there.join().unwrap())
        });
        assert_eq!(here, there);
        for (name, text) in here.iter().zip(&texts) {
            assert_eq!(name.as_str(), text);
        }
        let mut sorted = here.clone();
        sorted.sort();
        let mut sorted_texts = texts.clone();
        sorted_texts.sort();
        assert_eq!(
            Vec::from_iter(sorted.iter().map(|name| name.as_str())),
            sorted_texts
        );
        assert!(here.windows(2).all(|pair| pair[0] != pair[1]));
    }
}
