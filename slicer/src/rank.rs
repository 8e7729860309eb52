//! The order in which a slice shows its lines.
//!
//! A line on the way from the criterion to where tasks begin to differ comes before one that is as near to the criterion and
//! leads nowhere else: to the number of dependences that lie behind it, those are added that lie before it. A reason stands before what it explains.

use crate::slice::Slice;

impl Slice {
    /// Puts the statements into their order, given how many statements lie between each and where tasks begin to differ.
    pub(crate) fn rank(&mut self, depths: &[u32]) {
        for (at, depth) in depths.iter().enumerate() {
            let Some(statement) = self.statements.get(at) else {
                return;
            };
            let is_start = statement.because.of.is_none() && statement.distance == 0;
            let own = statement.distance + if is_start { 0 } else { *depth };
            // The statements before this one have their places already.
            let reason = statement.because.of.filter(|&of| of < at);
            let reason = reason.map_or(0, |of| self.statements[of].distance);
            self.statements[at].distance = own.max(reason);
        }
        let mut order = Vec::from_iter(0..self.statements.len());
        order.sort_by_key(|&at| self.statements[at].distance);
        let mut places = vec![0; order.len()];
        for (place, &at) in order.iter().enumerate() {
            places[at] = place;
        }
        let ranked = order.iter().map(|&at| {
            let mut statement = self.statements[at].clone();
            statement.because.of = statement.because.of.map(|of| places[of]);
            statement
        });
        self.statements = ranked.collect();
    }

    /// Leaves so many statements.
    pub(crate) fn cut(&mut self, enough: usize) {
        let Some(last) = enough.checked_sub(1).and_then(|last| self.statements.get(last)) else {
            return;
        };
        let distance = last.distance;
        let left_out = self.statements.split_off(enough);
        self.has_more |= !left_out.is_empty();
        let ties = left_out
            .iter()
            .take_while(|statement| statement.distance == distance);
        self.as_near = ties.count();
    }
}
