//! Names that many tasks have in common: the program, its build, the host.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Borrow;
use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::Arc;

/// A text that a copy shares. It is that text wherever one is read: in comparisons, in files and in messages. An empty one takes no memory of its own.
#[derive(Clone, Default)]
pub struct Name(Option<Arc<str>>);

impl Name {
    /// The text.
    pub fn as_str(&self) -> &str {
        self.0.as_deref().unwrap_or_default()
    }
}

/// Names that were met before, so that those which are equal are kept once.
#[derive(Default)]
pub(crate) struct KnownNames(BTreeSet<Name>);

impl KnownNames {
    /// Has a name share what an equal one has.
    pub(crate) fn share(&mut self, name: &mut Name) {
        match self.0.get(name.as_str()) {
            Some(known) => *name = known.clone(),
            None => {
                self.0.insert(name.clone());
            }
        }
    }
}

impl Deref for Name {
    type Target = str;

    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl Borrow<str> for Name {
    fn borrow(&self) -> &str {
        self
    }
}

impl AsRef<str> for Name {
    fn as_ref(&self) -> &str {
        self
    }
}

impl AsRef<std::path::Path> for Name {
    fn as_ref(&self) -> &std::path::Path {
        self.as_str().as_ref()
    }
}

impl From<&str> for Name {
    fn from(text: &str) -> Self {
        Name((!text.is_empty()).then(|| text.into()))
    }
}

impl From<String> for Name {
    fn from(text: String) -> Self {
        text.as_str().into()
    }
}

impl From<&String> for Name {
    fn from(text: &String) -> Self {
        text.as_str().into()
    }
}

impl PartialEq for Name {
    fn eq(&self, other: &Self) -> bool {
        let is_shared = match (&self.0, &other.0) {
            (Some(one), Some(other)) => Arc::ptr_eq(one, other),
            (None, None) => true,
            (Some(_), None) | (None, Some(_)) => false,
        };
        is_shared || self.as_str() == other.as_str()
    }
}

impl Eq for Name {}

impl PartialEq<str> for Name {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == other
    }
}

impl PartialEq<&str> for Name {
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == *other
    }
}

impl PartialEq<String> for Name {
    fn eq(&self, other: &String) -> bool {
        self.as_str() == other
    }
}

impl PartialOrd for Name {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Name {
    fn cmp(&self, other: &Self) -> Ordering {
        self.as_str().cmp(other.as_str())
    }
}

impl Hash for Name {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_str().hash(state);
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self)
    }
}

impl Serialize for Name {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self)
    }
}

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self::from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_its_text_and_an_equal_one_is_kept_once() {
        let mut names = ["node1", "node2", "node1", ""].map(Name::from);
        let before = names.clone();
        let mut known = KnownNames::default();
        names.iter_mut().for_each(|name| known.share(name));
        assert_eq!(names, before);
        let address = |at: usize| names[at].as_ptr();
        assert!(address(0) == address(2) && address(0) != address(1));
        assert!(before[0].as_ptr() != before[2].as_ptr() && before[0] == before[2]);
        assert!(before[0] < before[1] && before[3] < before[0] && before[3].is_empty());
        let text = serde_json::to_string(&names).unwrap();
        assert_eq!(text, r#"["node1","node2","node1",""]"#);
        assert_eq!(serde_json::from_str::<[Name; 4]>(&text).unwrap(), names);
    }
}
