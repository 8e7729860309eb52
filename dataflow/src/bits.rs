//! Sets of small numbers, one bit each: what functions change is joined along every call until nothing is added.

/// A set of numbers; as long as its largest member asks for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bits(Vec<u64>);

impl Bits {
    /// Adds a number.
    pub(crate) fn insert(&mut self, number: usize) {
        let word = number / 64;
        if word >= self.0.len() {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (number % 64);
    }

    /// Whether a number is a member.
    pub(crate) fn contains(&self, number: usize) -> bool {
        let word = self.0.get(number / 64);
        word.is_some_and(|word| word >> (number % 64) & 1 == 1)
    }

    /// Adds all members of `other`; says whether any was new.
    pub(crate) fn join(&mut self, other: &Bits) -> bool {
        if other.0.len() > self.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        let mut added = 0;
        for (into, &from) in self.0.iter_mut().zip(&other.0) {
            added |= from & !*into;
            *into |= from;
        }
        added != 0
    }
}

#[cfg(test)]
mod tests {
    use super::Bits;

    #[test]
    fn joining_adds_what_is_missing_and_says_so() {
        let (mut a, mut b) = (Bits::default(), Bits::default());
        for number in [0, 63, 64] {
            a.insert(number);
        }
        for number in [63, 700] {
            b.insert(number);
        }
        assert!(a.join(&b));
        assert!(!a.join(&b), "nothing is left to add");
        let members: Vec<usize> = (0..1000).filter(|&number| a.contains(number)).collect();
        assert_eq!(members, [0, 63, 64, 700]);
        assert!(b.join(&a), "a longer set joins a shorter one too");
    }
}
