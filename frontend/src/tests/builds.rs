//! Random functions with conditional groups that split statements, held against each build of them: whatever calls some
//! build makes one after the other, the ir of the text as written must allow, or the function must be partial.

use super::hostile::XorShift;
use crate::{Macros, Source, parse};
use base::Confidence;
use ir::{Callee, ExprId, ExprKind, Function, StmtId, StmtKind};
use std::collections::BTreeSet;

const SEED: u64 = 0x2545_f491_4f6c_dd1d;
const CASES: usize = 900;
/// Functions with more ways through them than this are left out.
const WAYS: usize = 300;

struct Writer {
    random: XorShift,
    text: String,
    calls: usize,
}

impl Writer {
    fn chance(&mut self, percent: usize) -> bool {
        self.random.below(100) < percent
    }

    fn put(&mut self, text: &str) {
        self.text += text;
    }

    fn open_group(&mut self) {
        let name = ["A", "B"][self.random.below(2)];
        self.text += &format!("\n#ifdef {name}\n");
    }

    fn call(&mut self) {
        self.calls += 1;
        self.text += &format!("c{}(); ", self.calls);
    }

    fn list(&mut self, depth: usize) {
        for _ in 0..1 + self.random.below(2) {
            self.statement(depth);
        }
    }

    /// A statement that may be the body of another.
    fn body(&mut self, depth: usize) {
        match self.random.below(3) {
            0 => self.call(),
            1 => self.put("return; "),
            _ => {
                self.put("{ ");
                self.list(depth);
                self.put("} ");
            }
        }
    }

    fn statement(&mut self, depth: usize) {
        if depth == 0 {
            return self.call();
        }
        match self.random.below(7) {
            0 => self.call(),
            1 | 2 => self.chain(depth - 1),
            3 | 4 => self.braced_chain(depth - 1),
            5 => self.around(depth - 1),
            _ => {
                self.open_group();
                self.put("if (x) ");
                self.body(depth - 1);
                self.put("else\n#endif\n");
                self.body(depth - 1);
            }
        }
    }

    fn chain(&mut self, depth: usize) {
        self.put("if (x) ");
        self.body(depth);
        for _ in 0..self.random.below(3) {
            let grouped = self.chance(60);
            if grouped {
                self.open_group();
            }
            for _ in 0..1 + self.random.below(2) {
                self.put("else if (y) ");
                self.body(depth);
            }
            if grouped && self.chance(15) {
                self.call();
            }
            if grouped {
                self.put("\n#endif\n");
            }
        }
        if self.chance(50) {
            let grouped = self.chance(40);
            if grouped {
                self.open_group();
            }
            self.put("else ");
            self.body(depth);
            if grouped {
                self.put("\n#endif\n");
            }
        }
    }

    fn braced_chain(&mut self, depth: usize) {
        self.put("if (x) { ");
        self.list(depth);
        for _ in 0..1 + self.random.below(2) {
            let grouped = self.chance(60);
            if grouped {
                self.open_group();
            }
            self.put("} else ");
            if self.chance(70) {
                self.put("if (y) ");
            }
            self.put("{ ");
            self.list(depth);
            if grouped {
                self.put("\n#endif\n");
            }
            if self.chance(20) {
                self.list(depth);
            }
        }
        self.put("} ");
        if self.chance(30) {
            self.put("else ");
            self.body(depth);
        }
    }

    /// A block that only some builds have, around statements that all of them have.
    fn around(&mut self, depth: usize) {
        let begun = self.text.len();
        self.open_group();
        let directive = self.text[begun..].to_owned();
        if self.chance(40) {
            self.call();
        }
        match self.random.below(4) {
            0 => self.put("{ "),
            1 => self.put("if (x) { "),
            2 => self.put("if (x) { c90(); } else { "),
            _ => self.put("if (x) c91(); else if (y) { "),
        }
        if self.chance(40) {
            self.call();
        }
        self.put("\n#endif\n");
        self.list(depth);
        if self.chance(80) {
            self.put(&directive)
        } else {
            self.open_group()
        }
        self.put("} ");
        if self.chance(40) {
            self.call();
        }
        self.put("\n#endif\n");
    }
}

/// The text of the build that defines `names`.
fn build(text: &str, names: &[&str]) -> String {
    let mut result = String::new();
    let mut live = vec![true];
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("#ifdef ") {
            live.push(live.iter().all(|live| *live) && names.contains(&name));
        } else if line == "#endif" {
            live.pop();
        } else if live.iter().all(|live| *live) {
            result += line;
            result.push('\n');
        }
    }
    result
}

/// The calls made one after the other, by every way through the function; `None` when it is partial or there are too many.
fn ways(text: &str) -> Option<BTreeSet<Vec<String>>> {
    let source = Source {
        path: "t.c",
        text: text.as_bytes(),
    };
    let unit = parse(&source, &Macros::gather([source]));
    let [function] = unit.functions.as_slice() else {
        return None;
    };
    if function.confidence == Confidence::Partial {
        return None;
    }
    let start = BTreeSet::from([(Vec::new(), false)]);
    let ends = through(function, function.body, start)?;
    Some(ends.into_iter().map(|(calls, _)| calls).collect())
}

type Ways = BTreeSet<(Vec<String>, bool)>;

/// Goes on through `id` from each of `ways`, of which some have returned.
fn through(function: &Function, id: StmtId, ways: Ways) -> Option<Ways> {
    let (returned, going): (Ways, Ways) = ways.into_iter().partition(|(_, returned)| *returned);
    let mut result = match &function.stmts[id].kind {
        StmtKind::Expr(expr) => evaluated(function, *expr, going),
        StmtKind::Block(list) | StmtKind::Group(list) => {
            let mut ways = going;
            for each in list {
                ways = through(function, *each, ways)?;
            }
            ways
        }
        StmtKind::If { then, other, .. } => {
            let mut ways = through(function, *then, going.clone())?;
            match other {
                Some(other) => ways.extend(through(function, *other, going)?),
                None => ways.extend(going),
            }
            ways
        }
        StmtKind::Alternatives(arms) => {
            let mut ways = Ways::new();
            for arm in arms {
                ways.extend(through(function, *arm, going.clone())?);
            }
            ways
        }
        StmtKind::Return(_) => going.into_iter().map(|(calls, _)| (calls, true)).collect(),
        StmtKind::Empty => going,
        other => panic!("{other:?} at line {}", function.stmts[id].span.line),
    };
    result.extend(returned);
    (result.len() <= WAYS).then_some(result)
}

fn evaluated(function: &Function, expr: ExprId, ways: Ways) -> Ways {
    let ExprKind::Call {
        callee: Callee::Named(name),
        ..
    } = &function.exprs[expr].kind
    else {
        panic!("{:?}", function.exprs[expr]);
    };
    let called = ways.into_iter().map(|(mut calls, returned)| {
        calls.push(name.to_string());
        (calls, returned)
    });
    called.collect()
}

#[test]
fn every_build_is_among_the_ways_through_the_text_as_written() {
    println!("seed {SEED:#x}");
    let mut writer = Writer {
        random: XorShift(SEED),
        text: String::new(),
        calls: 0,
    };
    let (mut understood, mut grouped, mut builds) = (0, 0, 0);
    for _ in 0..CASES {
        writer.text = "void f(int x, int y) { ".to_owned();
        writer.calls = 0;
        writer.list(2);
        writer.put("}\n");
        let text = writer.text.clone();
        if !text.contains("#ifdef") {
            continue;
        }
        let of_builds: Vec<_> = [&[][..], &["A"], &["B"], &["A", "B"]]
            .into_iter()
            .filter_map(|names| Some((names, ways(&build(&text, names))?)))
            .collect();
        // A text that no build can have has no meaning; one that some cannot have is what splits are for.
        if of_builds.is_empty() {
            continue;
        }
        grouped += 1;
        let Some(all) = ways(&text) else {
            continue;
        };
        understood += 1;
        for (names, of_build) in of_builds {
            builds += 1;
            let missing = of_build.difference(&all).next();
            assert!(missing.is_none(), "{names:?} makes {missing:?} in\n{text}");
        }
    }
    println!("{understood} of {grouped} understood, {builds} builds");
    assert!(
        grouped > CASES / 2 && understood * 4 > grouped,
        "{understood} of {grouped}"
    );
}
