//! A slice that grows criterion by criterion, as AutomaDeD grows it from the least progressed tasks outwards (TPDS'15, 4.4.2).

use crate::slice::{Slice, Statement};
use std::collections::BTreeMap;

impl Slice {
    /// Adds what another criterion brings and this slice does not hold yet, at the end, as brought by the tasks of `class`. A
    /// line that both hold stays where it is, with the reason that it has.
    pub fn grow(&mut self, other: Slice, class: usize) {
        let place = |statement: &Statement| (statement.file.clone(), statement.line);
        let known = self.statements.iter().map(place).zip(0..);
        let known: BTreeMap<(String, u32), usize> = known.collect();
        // Where each statement of the other slice stands in this one.
        let mut places: Vec<usize> = Vec::with_capacity(other.statements.len());
        for mut statement in other.statements {
            match known.get(&place(&statement)) {
                Some(&at) => {
                    places.push(at);
                    let same = &mut self.statements[at];
                    same.end_line = same.end_line.max(statement.end_line);
                    same.elsewhere &= statement.elsewhere;
                }
                None => {
                    // Reasons stand before what they explain.
                    statement.because.of = statement.because.of.and_then(|of| places.get(of).copied());
                    statement.class = Some(class);
                    places.push(self.statements.len());
                    self.statements.push(statement);
                }
            }
        }
        for part in other.in_part {
            if !self.in_part.contains(&part) {
                self.in_part.push(part);
            }
        }
        self.has_more |= other.has_more;
        self.as_near += other.as_near;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::slice::Because;
    use crate::state::Dependence;

    fn slice(lines: &[(u32, Option<usize>)]) -> Slice {
        let statement = |&(line, of): &(u32, Option<usize>)| Statement {
            file: "a.c".to_owned(),
            line,
            column: 1,
            end_line: line,
            function: "f".to_owned(),
            distance: 0,
            elsewhere: true,
            class: None,
            because: Because {
                kind: Dependence::Sets,
                name: None,
                of,
                role: None,
            },
        };
        Slice {
            statements: lines.iter().map(statement).collect(),
            ..Slice::default()
        }
    }

    #[test]
    fn what_is_new_comes_last_and_keeps_its_reason() {
        let mut grown = Slice::default();
        grown.grow(slice(&[(7, None), (5, Some(0))]), 0);
        grown.grow(slice(&[(9, None), (5, Some(0)), (4, Some(1)), (3, Some(2))]), 2);
        let shown = |each: &Statement| (each.line, each.because.of, each.class);
        assert_eq!(
            Vec::from_iter(grown.statements.iter().map(shown)),
            [
                (7, None, Some(0)),
                (5, Some(0), Some(0)),
                (9, None, Some(2)),
                (4, Some(1), Some(2)),
                (3, Some(3), Some(2)),
            ]
        );
    }
}
