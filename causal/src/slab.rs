//! A vector whose places are used again.

use base::{Id, IdVec};
use std::ops::{Index, IndexMut};

/// Items under ids that stay theirs until they are removed.
#[derive(Debug)]
pub(crate) struct Slab<I, T> {
    places: IdVec<I, Option<T>>,
    free: Vec<I>,
}

impl<I: Id, T> Slab<I, T> {
    pub(crate) fn new() -> Self {
        Self {
            places: IdVec::new(),
            free: Vec::new(),
        }
    }

    pub(crate) fn insert(&mut self, item: T) -> I {
        match self.free.pop() {
            Some(id) => {
                self.places[id] = Some(item);
                id
            }
            None => self.places.push(Some(item)),
        }
    }

    pub(crate) fn remove(&mut self, id: I) {
        if self.places[id].take().is_some() {
            self.free.push(id);
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.places.len() - self.free.len()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (I, &T)> {
        let places = self.places.iter_enumerated();
        places.filter_map(|(id, item)| Some((id, item.as_ref()?)))
    }
}

impl<I: Id, T> Index<I> for Slab<I, T> {
    type Output = T;
    fn index(&self, id: I) -> &T {
        self.places[id].as_ref().expect("an id of what is removed")
    }
}

impl<I: Id, T> IndexMut<I> for Slab<I, T> {
    fn index_mut(&mut self, id: I) -> &mut T {
        self.places[id].as_mut().expect("an id of what is removed")
    }
}
