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

    /// Adds all members of `other`.
    pub(crate) fn join(&mut self, other: &Bits) {
        if other.0.len() > self.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        for (into, &from) in self.0.iter_mut().zip(&other.0) {
            *into |= from;
        }
    }

    /// Whether all members of `other` are members.
    pub(crate) fn holds(&self, other: &Bits) -> bool {
        let words = other.0.iter().enumerate();
        let mut words = words.map(|(at, word)| word & !self.0.get(at).copied().unwrap_or(0));
        words.all(|missing| missing == 0)
    }

    /// How many members there are.
    pub(crate) fn count(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::Bits;

    #[test]
    fn joining_adds_what_is_missing() {
        let (mut a, mut b) = (Bits::default(), Bits::default());
        for number in [0, 63, 64] {
            a.insert(number);
        }
        for number in [63, 700] {
            b.insert(number);
        }
        assert!(!a.holds(&b));
        a.join(&b);
        assert!(a.holds(&b) && !b.holds(&a));
        assert_eq!(a.count(), 4);
        let members: Vec<usize> = (0..1000).filter(|&number| a.contains(number)).collect();
        assert_eq!(members, [0, 63, 64, 700]);
        let mut short = Bits::default();
        short.insert(1);
        assert!(!short.holds(&a) && !a.holds(&short));
        short.join(&a);
        assert!(short.holds(&b), "a longer set joins a shorter one too");
    }
}
