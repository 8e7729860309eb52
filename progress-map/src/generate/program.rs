//! A made-up program of the shape that real C code has, lowered to a map as a front end would do it.
//!
//! Functions of about forty lines; two lines in five hold no program point (declarations, braces, comments, blanks);
//! one line in fifteen begins a loop; names and columns follow habits, so that they compress as real ones do.

use super::{Rng, lov};
use crate::{
    Across, Assumption, File, FileId, Function, Interference, Loop, LoopId, LoopSource, Map, Point, PointId,
    PointKind, Provenance, ProvenanceKind, Refusal, Refused, Scope, ScopeId, ScopeKind, Storage, Term,
    Unsequenced,
};
use base::{Confidence, Id, IdVec, Reading, Span};
use std::collections::BTreeSet;

/// About `lines` lines of source, in files of a thousand.
pub fn synthetic(lines: u32, seed: u64) -> Map {
    let mut rng = Rng(seed);
    let mut map = Map::default();
    let names = names(&mut rng, (lines / 40).max(30) as usize);
    for file in 0..lines.div_ceil(1000) {
        let id = map.files.push(File {
            path: format!("/home/user/app/src/module{:02}/part{file:04}.c", file / 20),
            hash: rng.hash(),
        });
        let mut line = 20;
        while line < 1000.min(lines - file * 1000) {
            let name = names[map.functions.len() % names.len()].clone();
            let function = Builder::function(&mut rng, &names, id, name, line);
            line = function.span.end_line + 2;
            map.functions.push(function);
        }
    }
    map
}

fn names(rng: &mut Rng, count: usize) -> Vec<String> {
    let verbs = [
        "get", "set", "init", "free", "apply", "compute", "exchange", "update", "read", "write", "is",
    ];
    let nouns = [
        "norm", "grid", "level", "halo", "vector", "matrix", "flux", "state", "boundary", "node",
    ];
    let suffixes = [
        "", "_local", "_all", "_at", "_next", "_async", "_2d", "_from", "_cells",
    ];
    let library = [
        "MPI_Allreduce",
        "MPI_Isend",
        "MPI_Irecv",
        "MPI_Waitall",
        "malloc",
        "free",
        "printf",
        "memcpy",
    ];
    let mut names = Vec::from_iter(library.map(str::to_owned));
    names.extend((0..count).map(|i| {
        let (verb, noun) = (rng.pick(&verbs), rng.pick(&nouns));
        format!(
            "{verb}_{noun}{}{}",
            rng.pick(&suffixes),
            if i > 300 { i.to_string() } else { String::new() }
        )
    }));
    names
}

struct Builder<'a> {
    rng: &'a mut Rng,
    names: &'a [String],
    first_line: u32,
    line: u32,
    last: u32,
    points: Vec<Point>,
    edges: BTreeSet<(u32, u32)>,
    /// Points whose next point is the one that is made next.
    open: Vec<u32>,
    scopes: IdVec<ScopeId, Scope>,
    loops: Vec<Loop>,
    scope: ScopeId,
    innermost: Option<LoopId>,
    depth: u32,
    groups: u32,
}

impl<'a> Builder<'a> {
    fn function(rng: &'a mut Rng, names: &'a [String], file: FileId, name: String, line: u32) -> Function {
        let length = 10 + (rng.below(31) + rng.below(31)) as u32;
        let mut scopes = IdVec::new();
        let scope = scopes.push(Scope {
            parent: None,
            kind: ScopeKind::Function,
            line,
            end_line: line + length,
        });
        let mut builder = Builder {
            rng,
            names,
            first_line: line,
            line: line + 1,
            last: line + length,
            points: Vec::new(),
            edges: BTreeSet::new(),
            open: Vec::new(),
            scopes,
            loops: Vec::new(),
            scope,
            innermost: None,
            depth: 1,
            groups: 0,
        };
        let span = Span {
            line,
            column: 1,
            end_line: line + length,
            end_column: 2,
        };
        let whole = |kind| Point {
            kind,
            span,
            scope,
            innermost_loop: None,
            unsequenced: Vec::new(),
        };
        builder.push(whole(PointKind::Entry));
        while builder.line < builder.last {
            builder.statement(builder.last);
        }
        builder.push(whole(PointKind::Exit));
        let id = |i: u32| PointId::from_index(i as usize);
        Function {
            name,
            linkage_name: None,
            file,
            is_static: builder.rng.one_in(2),
            span,
            confidence: Confidence::Clean,
            confidence_reason: None,
            reading: Reading::AsWritten,
            points: builder.points.into(),
            edges: builder.edges.into_iter().map(|(a, b)| (id(a), id(b))).collect(),
            scopes: builder.scopes,
            loops: builder.loops.into(),
        }
    }

    fn push(&mut self, point: Point) -> u32 {
        let id = self.points.len() as u32;
        self.edges.extend(self.open.drain(..).map(|from| (from, id)));
        self.open.push(id);
        self.points.push(point);
        id
    }

    fn point(&mut self, kind: PointKind, column: u32, length: u32) -> u32 {
        let span = Span {
            line: self.line,
            column,
            end_line: self.line,
            end_column: column + length,
        };
        self.push(Point {
            kind,
            span,
            scope: self.scope,
            innermost_loop: self.innermost,
            unsequenced: Vec::new(),
        })
    }

    fn indent(&self) -> u32 {
        1 + 4 * self.depth
    }

    /// Names are used as in real code: a few of them most of the time.
    fn name(&mut self) -> String {
        let limit = 1 + self.rng.below(self.names.len());
        let limit = 1 + self.rng.below(limit);
        self.names[self.rng.below(limit)].clone()
    }

    /// One statement on this line and the following ones, but not past `last`.
    fn statement(&mut self, last: u32) {
        let room = last - self.line;
        match self.rng.below(100) {
            0..53 => self.line += 1,
            53..67 if room > 3 && self.depth < 5 => self.a_loop(last),
            67..76 if room > 3 && self.depth < 6 => self.branch(last),
            76..87 => {
                self.call();
                self.line += 1;
            }
            _ => {
                let length = 8 + self.rng.below(32) as u32;
                self.point(PointKind::Eval, self.indent(), length);
                self.line += 1;
            }
        }
    }

    /// `x = f(a, b) + g(c);`
    fn call(&mut self) {
        let column = self.indent();
        let assigned = self.rng.below(3) as u32 * 5;
        let name = self.name();
        let length = name.len() as u32 + 6 + self.rng.below(20) as u32;
        let first = self.point(PointKind::Call(name), column + assigned, length);
        if self.rng.one_in(12) {
            let name = self.name();
            let start = column + assigned + length + 3;
            let second = self.point(PointKind::Call(name), start, 16);
            for (operand, call) in [first, second].into_iter().enumerate() {
                self.points[call as usize].unsequenced.push(Unsequenced {
                    group: self.groups,
                    operand: operand as u32,
                });
            }
            self.groups += 1;
        }
        if assigned > 0 {
            self.point(PointKind::Eval, column, assigned + length + 1);
        }
    }

    fn block(&mut self, kind: ScopeKind, last: u32) -> ScopeId {
        let room = (last - self.line).max(2);
        let end = self.line + 1 + self.rng.below(room as usize - 1).min(12) as u32;
        let outer = self.scope;
        let scope = self.scopes.push(Scope {
            parent: Some(outer),
            kind,
            line: self.line,
            end_line: end,
        });
        self.scope = scope;
        self.line += 1;
        self.depth += 1;
        while self.line < end {
            self.statement(end);
        }
        self.depth -= 1;
        self.scope = outer;
        scope
    }

    fn branch(&mut self, last: u32) {
        let length = 6 + self.rng.below(20) as u32;
        let start = self.line;
        let outer = self.scope;
        self.scope = self.scopes.push(Scope {
            parent: Some(outer),
            kind: ScopeKind::Branch,
            line: start,
            end_line: last,
        });
        let decision = self.point(PointKind::Branch, self.indent() + 4, length);
        self.block(ScopeKind::Arm(0), last);
        let mut ends = std::mem::replace(&mut self.open, vec![decision]);
        if self.rng.one_in(3) && self.line + 2 < last {
            self.block(ScopeKind::Arm(1), last);
        }
        if self.rng.one_in(4) {
            // An arm that leaves the function: the exit is wired when it is known, here a missing edge will do.
            ends.clear();
        }
        self.open.extend(ends);
        self.line += 1;
        let end_line = self.line;
        let id = self.scope;
        self.scopes[id].end_line = end_line;
        self.scope = outer;
    }

    fn a_loop(&mut self, last: u32) {
        let (start, column) = (self.line, self.indent());
        let name = self
            .rng
            .pick(&["i", "i", "i", "j", "k", "it", "n", "level", "p", "step"]);
        let outer = self.innermost;
        let scope = self.scope;
        self.point(PointKind::Eval, column + 5, 5);
        let id = LoopId::from_index(self.loops.len());
        self.innermost = Some(id);
        let header = self.point(PointKind::Branch, column + 12, 8);
        self.loops.push(Loop {
            parent: outer,
            source: self
                .rng
                .pick(&[LoopSource::For, LoopSource::For, LoopSource::While]),
            span: Span::default(),
            header: PointId::from_index(header as usize),
            reducible: true,
            lovs: Vec::new(),
            refused: Vec::new(),
        });
        self.block(ScopeKind::Loop(Some(id)), last);
        let end_line = self.line;
        self.line = start;
        let update = self.point(PointKind::Eval, column + 22, 3);
        self.line = end_line + 1;
        self.edges.insert((update, header));
        self.open = vec![header];
        self.innermost = outer;
        self.scope = scope;
        let span = Span {
            line: start,
            column,
            end_line,
            end_column: column + 1,
        };
        let declared = self.first_line + 1 + self.rng.below(6) as u32;
        let (points, rng) = (PointId::from_index(update as usize), &mut *self.rng);
        let this = &mut self.loops[id.index()];
        this.span = span;
        if rng.one_in(5) {
            this.refused.push(Refused {
                name: name.to_owned(),
                why: match rng.below(3) {
                    0 => Refusal::Interference(Interference::ThroughPointer),
                    1 => Refusal::MovesBothWays,
                    _ => Refusal::UnknownStep { line: start + 1 },
                },
            });
            return;
        }
        let mut found = lov(name);
        found.updates = vec![points];
        found.storage = Storage::Local {
            name: name.to_owned(),
            line: declared,
        };
        if rng.one_in(3) {
            let name = rng.pick(&["first", "lo", "begin"]).to_owned();
            found.grounds.provenance = Some(Provenance::about(ProvenanceKind::Argument, &name, "f"));
            found.start = Some(Term::Variable {
                storage: Storage::Local {
                    name: name.clone(),
                    line: declared,
                },
                name,
                negated: false,
            });
            found.across = Across::Relative;
            found.assumption = rng.pick(&[Assumption::Assumed, Assumption::RankDependent]);
        }
        this.lovs.push(found);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shape_is_that_of_real_code() {
        let map = synthetic(20_000, 1);
        assert_eq!(map.validate(), Ok(()));
        let sum = |f: fn(&Function) -> usize| map.functions.iter().map(f).sum::<usize>();
        let (points, edges) = (sum(|f| f.points.len()), sum(|f| f.edges.len()));
        let (loops, functions) = (sum(|f| f.loops.len()), map.functions.len());
        assert!((11_000..14_500).contains(&points), "{points} points");
        assert!((1_000..1_700).contains(&loops), "{loops} loops");
        assert!((400..600).contains(&functions), "{functions} functions");
        let per_point = edges as f64 / points as f64;
        assert!((1.05..1.25).contains(&per_point), "{per_point} edges per point");
    }
}
