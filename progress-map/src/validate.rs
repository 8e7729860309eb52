//! The promises that the map's types make, checked: whoever holds a map that passed may index without looking.
//!
//! Checked is what readers rely on without a second look (ids in range, order of what is searched, parents before
//! children) and what would make a wrong order (edges, headers, cuts). What only the writer could know, such as
//! whether the edges are those of the source, is not.

mod binding;

pub(crate) use binding::binding;

use crate::{
    Cut, DecisiveCall, File, FileId, Function, FunctionHead, FunctionId, InnerStep, Invalid, Loop, LoopId,
    MacroCalls, Map, MpiArgument, Point, PointId, PointKind, Scope, ScopeId, ScopeKind, Storage, Term,
};
use base::{Id, IdVec, Span};

impl Map {
    /// Checks the promises of the types; a map that [`Map::from_bytes`] returns keeps them.
    ///
    /// # Errors
    /// The first broken promise.
    pub fn validate(&self) -> Result<(), Invalid> {
        files(&self.files)?;
        let mut before = None;
        for (id, f) in self.functions.iter_enumerated() {
            function(id, f, self.files.len())?;
            let place = (f.file, f.span.line);
            if before.is_some_and(|before| before > place) {
                return Err(invalid_function(
                    id,
                    f,
                    String::new(),
                    "functions are not sorted by file and first line",
                ));
            }
            before = Some(place);
        }
        self.check_calls()?;
        self.check_handed()?;
        self.check_choices()?;
        self.check_decisive()?;
        self.check_pointer_calls()?;
        self.check_handlers()?;
        self.check_passed_constants()?;
        self.check_shown()?;
        self.check_iterated()?;
        self.check_inner_steps()?;
        self.check_macros()?;
        if self.binding.is_none() && !self.libraries.is_empty() {
            let part = "libraries".to_owned();
            return Err(invalid(part, "libraries are bound, but no program is"));
        }
        self.bindings()
            .try_for_each(|b| binding(b, self.files.len(), self.functions.len()))?;
        self.check_merges()
    }

    fn check_merges(&self) -> Result<(), Invalid> {
        for (at, merge) in self
            .bindings()
            .flat_map(|binding| binding.merges.iter().enumerate())
        {
            let points = self.functions.get(merge.function);
            if !points.is_some_and(|f| has_point(f, merge.shown) && has_point(f, merge.other)) {
                let part = format!("merged call {at} of the binding");
                return Err(invalid(part, "there is no point of this number"));
            }
        }
        Ok(())
    }

    fn check_handed(&self) -> Result<(), Invalid> {
        let local = |storage: &Storage| matches!(storage, Storage::Local { .. });
        for (at, handed) in self.handed.iter().enumerate() {
            let caller = self.functions.get(handed.function);
            let fault = first_failure([
                (
                    caller.is_some_and(|caller| has_point(caller, handed.point)),
                    "there is no point of this number",
                ),
                (
                    self.functions.get(handed.callee).is_some(),
                    "there is no function of this number",
                ),
                (
                    local(&handed.variable) && local(&handed.parameter),
                    "what is handed on is no local variable",
                ),
            ]);
            if let Some(fault) = fault {
                return Err(invalid(format!("handed variable {at}"), fault));
            }
        }
        if self.handed.is_sorted_by(|a, b| a < b) {
            Ok(())
        } else {
            Err(invalid("handed variables".to_owned(), "they are not sorted"))
        }
    }

    fn check_pointer_calls(&self) -> Result<(), Invalid> {
        for (at, taken) in self.address_taken.iter().enumerate() {
            if self.functions.get(taken.function).is_none() {
                let part = format!("function behind pointers {at}");
                return Err(invalid(part, "there is no function of this number"));
            }
        }
        for (at, call) in self.pointer_calls.iter().enumerate() {
            let caller = self.functions.get(call.function);
            if !caller.is_some_and(|caller| has_point(caller, call.point)) {
                let part = format!("call through a pointer {at}");
                return Err(invalid(part, "there is no point of this number"));
            }
        }
        let taken = self.address_taken.iter().map(|taken| taken.function);
        let calls = self.pointer_calls.iter().map(|call| (call.function, call.point));
        if taken.is_sorted_by(|a, b| a < b) && calls.is_sorted_by(|a, b| a < b) {
            Ok(())
        } else {
            let part = "calls through pointers".to_owned();
            Err(invalid(part, "they are not sorted, or one occurs twice"))
        }
    }

    fn check_handlers(&self) -> Result<(), Invalid> {
        for (at, handler) in self.handlers.iter().enumerate() {
            let function = self.functions.get(handler.function);
            if !function.is_some_and(|function| has_point(function, handler.point)) {
                return Err(invalid(
                    format!("handler {at}"),
                    "there is no point of this number",
                ));
            }
        }
        if self.handlers.is_sorted_by(|a, b| a < b) {
            Ok(())
        } else {
            let part = "handlers".to_owned();
            Err(invalid(part, "they are not sorted, or one occurs twice"))
        }
    }

    fn check_passed_constants(&self) -> Result<(), Invalid> {
        for (at, each) in self.passed_constants.iter().enumerate() {
            let caller = self.functions.get(each.function);
            if !caller.is_some_and(|caller| has_point(caller, each.point)) {
                let part = format!("passed constant {at}");
                return Err(invalid(part, "there is no point of this number"));
            }
        }
        if self.passed_constants.is_sorted_by(|a, b| a < b) {
            Ok(())
        } else {
            let part = "passed constants".to_owned();
            Err(invalid(part, "they are not sorted, or one occurs twice"))
        }
    }

    fn check_shown(&self) -> Result<(), Invalid> {
        let local = |storage: &Storage| matches!(storage, Storage::Local { .. });
        for (at, shown) in self.shown.iter().enumerate() {
            let caller = self.functions.get(shown.function);
            let to = shown.to.as_ref();
            let fault = first_failure([
                (
                    caller.is_some_and(|caller| has_point(caller, shown.point)),
                    "there is no point of this number",
                ),
                (
                    to.is_none_or(|(to, _)| self.functions.get(*to).is_some()),
                    "there is no function of this number",
                ),
                (
                    local(&shown.variable) && to.is_none_or(|(_, parameter)| local(parameter)),
                    "what is shown is no local variable",
                ),
            ]);
            if let Some(fault) = fault {
                return Err(invalid(format!("shown variable {at}"), fault));
            }
        }
        if self.shown.is_sorted_by(|a, b| a < b) {
            Ok(())
        } else {
            let part = "shown variables".to_owned();
            Err(invalid(part, "they are not sorted, or one occurs twice"))
        }
    }

    fn check_iterated(&self) -> Result<(), Invalid> {
        for (at, iterated) in self.iterated.iter().enumerate() {
            let fault = first_failure([
                (
                    self.functions.get(iterated.function).is_some(),
                    "there is no function of this number",
                ),
                (
                    matches!(iterated.iterator, Storage::Local { .. }),
                    "the iterator is no local variable",
                ),
                (
                    !matches!(iterated.container, Storage::Range { .. }),
                    "it goes over no object",
                ),
            ]);
            if let Some(fault) = fault {
                return Err(invalid(format!("iterated object {at}"), fault));
            }
        }
        if self.iterated.is_sorted_by(|a, b| a < b) {
            Ok(())
        } else {
            let part = "iterated objects".to_owned();
            Err(invalid(part, "they are not sorted, or one occurs twice"))
        }
    }

    fn check_inner_steps(&self) -> Result<(), Invalid> {
        for (at, step) in self.inner_steps.iter().enumerate() {
            let has = |function, point| {
                let body = self.functions.get(function);
                body.is_some_and(|body| has_point(body, point))
            };
            if !has(step.function, step.point) || !has(step.callee, step.at) {
                let part = format!("inner step {at}");
                return Err(invalid(part, "there is no point of this number"));
            }
        }
        let key = |step: &InnerStep| (step.function, step.point);
        if self.inner_steps.is_sorted_by(|a, b| key(a) < key(b)) {
            Ok(())
        } else {
            let part = "inner steps".to_owned();
            Err(invalid(part, "they are not sorted, or one occurs twice"))
        }
    }

    fn check_choices(&self) -> Result<(), Invalid> {
        for (at, choice) in self.choices.iter().enumerate() {
            let points = self.functions.get(choice.function);
            let fault = first_failure([
                (points.is_some(), "there is no function of this number"),
                (
                    points.is_some_and(|f| choice.bounds.iter().all(|&bound| has_point(f, bound))),
                    "there is no point of this number",
                ),
                (
                    choice.bounds.len() > 2 && choice.bounds.is_sorted(),
                    "its arms are fewer than two, or not in order",
                ),
            ]);
            if let Some(fault) = fault {
                return Err(invalid(format!("choice {at} of the build"), fault));
            }
        }
        if self.choices.is_sorted_by(|a, b| a < b) {
            Ok(())
        } else {
            Err(invalid("choices of the build".to_owned(), "they are not sorted"))
        }
    }

    fn check_decisive(&self) -> Result<(), Invalid> {
        for (at, decisive) in self.decisive.iter().enumerate() {
            let caller = self.functions.get(decisive.function);
            let is_call = |&point: &PointId| {
                let point = caller.and_then(|caller| caller.points.get(point));
                point.is_some_and(|point| matches!(point.kind, PointKind::Call(_)))
            };
            let follow = &decisive.follow;
            let fault = first_failure([
                (caller.is_some(), "there is no function of this number"),
                (
                    is_call(&decisive.point) && follow.iter().all(is_call),
                    "it is no call by name, or what follows is none",
                ),
                (
                    !follow.is_empty() && follow.is_sorted_by(|a, b| a < b),
                    "nothing follows, or not in order",
                ),
            ]);
            if let Some(fault) = fault {
                return Err(invalid(format!("decisive call {at}"), fault));
            }
        }
        let key = |call: &DecisiveCall| (call.function, call.point);
        if self.decisive.is_sorted_by(|a, b| key(a) < key(b)) {
            Ok(())
        } else {
            let part = "decisive calls".to_owned();
            Err(invalid(part, "they are not sorted, or one occurs twice"))
        }
    }

    fn check_macros(&self) -> Result<(), Invalid> {
        let part = || "macros".to_owned();
        let key = |each: &MacroCalls| (each.file, each.name.clone());
        for macros in [&self.macros, &self.may_call] {
            if macros.iter().any(|each| self.files.get(each.file).is_none()) {
                return Err(invalid(part(), "there is no file of this number"));
            }
            if !macros.is_sorted_by(|a, b| key(a) < key(b)) {
                return Err(invalid(part(), "they are not sorted, or one occurs twice"));
            }
        }
        Ok(())
    }

    fn check_calls(&self) -> Result<(), Invalid> {
        let mut before = None;
        for call in &self.mpi_calls {
            let place = (call.function, call.point);
            let fault = match self.functions.get(call.function) {
                None => Some("there is no function of this number"),
                Some(f) if f.points.get(call.point).is_none() => Some("there is no point of this number"),
                Some(_) if before >= Some(place) => Some("calls are not sorted, or one occurs twice"),
                Some(_) => call.arguments.iter().find_map(fault_of_argument),
            };
            if let Some(fault) = fault {
                return Err(invalid(
                    format!("MPI call in function {}", call.function.index()),
                    fault,
                ));
            }
            before = Some(place);
        }
        Ok(())
    }
}

fn fault_of_argument(argument: &MpiArgument) -> Option<&'static str> {
    let term = argument.term.as_ref()?;
    let mut variables = term.variables().into_iter();
    let is_fine = term.depth() <= Term::MAX_DEPTH && variables.all(|(_, storage)| is_shallow(storage));
    (!is_fine).then_some("an argument of an MPI call nests too deep")
}

pub(crate) fn files(files: &IdVec<FileId, File>) -> Result<(), Invalid> {
    match files.as_slice().windows(2).find(|w| w[0].path >= w[1].path) {
        Some(w) => Err(invalid(
            format!("file '{}'", w[1].path),
            "files are not sorted by path, or one occurs twice",
        )),
        None => Ok(()),
    }
}

pub(crate) fn head(id: FunctionId, head: &FunctionHead<'_>, files: usize) -> Result<(), Invalid> {
    let part = || format!("function {} '{}'", id.index(), head.name);
    if head.file.index() >= files {
        return Err(invalid(part(), "its file is not in the map"));
    }
    if !is_ordered(head.span) {
        return Err(invalid(part(), "its last line is before its first"));
    }
    Ok(())
}

pub(crate) fn function(id: FunctionId, f: &Function, files: usize) -> Result<(), Invalid> {
    let check = |ok: bool, part: &dyn Fn() -> String, what| {
        if ok {
            Ok(())
        } else {
            Err(invalid_function(id, f, part(), what))
        }
    };
    let whole = || String::new();
    check(f.file.index() < files, &whole, "its file is not in the map")?;
    check(is_ordered(f.span), &whole, "its last line is before its first")?;
    let has_points = !f.points.is_empty();
    if has_points {
        let first = f.points.iter().next().map(|p| &p.kind);
        check(
            first == Some(&PointKind::Entry),
            &whole,
            "point 0 is not the entry",
        )?;
        let last = f.points.as_slice().last().map(|p| &p.kind);
        check(
            last == Some(&PointKind::Exit),
            &whole,
            "the last point is not the exit",
        )?;
        check(!f.scopes.is_empty(), &whole, "there is no scope 0")?;
    }
    for (i, point) in f.points.iter_enumerated() {
        let part = || format!(", point {}", i.index());
        self::point(f, point).map_or(Ok(()), |what| check(false, &part, what))?;
    }
    check(
        f.edges.is_sorted_by(|a, b| a < b),
        &whole,
        "edges are not sorted, or one occurs twice",
    )?;
    for &(from, to) in &f.edges {
        let part = || format!(", edge {} -> {}", from.index(), to.index());
        let ok = has_point(f, from) && has_point(f, to);
        check(ok, &part, "it joins points that the function does not have")?;
    }
    for (i, scope) in f.scopes.iter_enumerated() {
        let part = || format!(", scope {}", i.index());
        self::scope(f, i, scope).map_or(Ok(()), |what| check(false, &part, what))?;
    }
    for (i, l) in f.loops.iter_enumerated() {
        let part = || format!(", loop {}", i.index());
        self::a_loop(f, i, l).map_or(Ok(()), |what| check(false, &part, what))?;
    }
    Ok(())
}

fn point(f: &Function, point: &Point) -> Option<&'static str> {
    let open = &point.unsequenced;
    let checks = [
        (is_ordered(point.span), "its last line is before its first"),
        (
            point.scope.index() < f.scopes.len(),
            "the function has no such scope",
        ),
        (
            point.innermost_loop.is_none_or(|l| l.index() < f.loops.len()),
            "the function has no such loop",
        ),
        (
            open.is_sorted_by_key(|o| o.group),
            "its operand positions are not sorted by group",
        ),
    ];
    first_failure(checks)
}

fn scope(f: &Function, id: ScopeId, scope: &Scope) -> Option<&'static str> {
    let is_function = scope.kind == ScopeKind::Function;
    let is_first = id.index() == 0;
    let loop_exists = match scope.kind {
        ScopeKind::Loop(Some(l)) => l.index() < f.loops.len(),
        _ => true,
    };
    let checks = [
        (
            is_first == is_function,
            "scope 0 and no other must be the function",
        ),
        (
            scope.parent.is_none() == is_first,
            "every scope but 0 must have a parent",
        ),
        (
            scope.parent.is_none_or(|p| p < id),
            "its parent does not come before it",
        ),
        (scope.line <= scope.end_line, "its last line is before its first"),
        (loop_exists, "the function has no such loop"),
    ];
    first_failure(checks)
}

fn a_loop(f: &Function, id: LoopId, l: &Loop) -> Option<&'static str> {
    let checks = [
        (
            l.parent.is_none_or(|p| p < id),
            "its parent does not come before it",
        ),
        (is_ordered(l.span), "its last line is before its first"),
        (
            has_point(f, l.header),
            "its header is not a point of the function",
        ),
    ];
    first_failure(checks).or_else(|| l.lovs.iter().find_map(|lov| self::lov(f, lov)))
}

fn lov(f: &Function, lov: &crate::Lov) -> Option<&'static str> {
    let cut = match &lov.cut {
        Cut::Updates => None,
        Cut::Header {
            offsets,
            per_iteration,
        } => first_failure([
            (
                offsets.is_sorted_by(|a, b| a.0 < b.0),
                "offsets of a cut are not sorted",
            ),
            (
                offsets.iter().all(|o| has_point(f, o.0)),
                "an offset of a cut stands at no point of the function",
            ),
            (
                *per_iteration != 0,
                "a cut at the header moves by nothing in an iteration",
            ),
        ]),
    };
    let terms = [&lov.step, &lov.start];
    let shallow = terms.iter().copied().flatten().all(|term| {
        let mut variables = term.variables().into_iter();
        term.depth() <= Term::MAX_DEPTH && variables.all(|(_, storage)| is_shallow(storage))
    });
    cut.or_else(|| {
        first_failure([
            (
                lov.updates.is_sorted_by(|a, b| a < b),
                "updates of a variable are not sorted",
            ),
            (
                lov.updates.iter().all(|u| has_point(f, *u)),
                "an update of a variable stands at no point of the function",
            ),
            (
                shallow && is_shallow(&lov.storage),
                "a variable or a term is too many steps from its base",
            ),
        ])
    })
}

fn is_shallow(storage: &Storage) -> bool {
    // Nothing leads on from where a loop stands.
    if matches!(storage, Storage::Range { .. }) {
        return true;
    }
    let mut base = storage;
    for _ in 0..=crate::format::MAX_STEPS {
        match base {
            Storage::Local { .. } | Storage::Global { .. } => return true,
            Storage::Range { .. } => return false,
            Storage::Member { base: inner, .. } | Storage::Pointee(inner) => base = inner,
        }
    }
    false
}

fn has_point(f: &Function, point: PointId) -> bool {
    point.index() < f.points.len()
}

fn is_ordered(span: Span) -> bool {
    span.line <= span.end_line
}

fn first_failure<const N: usize>(checks: [(bool, &'static str); N]) -> Option<&'static str> {
    checks.into_iter().find(|(ok, _)| !ok).map(|(_, what)| what)
}

fn invalid(part: String, what: &'static str) -> Invalid {
    Invalid { part, what }
}

fn invalid_function(id: FunctionId, f: &Function, inside: String, what: &'static str) -> Invalid {
    invalid(format!("function {} '{}'{inside}", id.index(), f.name), what)
}
