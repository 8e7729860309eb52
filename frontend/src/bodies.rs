//! The macros that stay unexpanded, as functions: what a slice follows into them.
//!
//! Each definition that such a macro may have becomes a function of the file where it stands, with the macro's name
//! and parameters of a type that nobody knows. All that it does stands at the line of its `#define`. Macros within are
//! treated as in any other text: expanded, or left as they are and then functions too.
//!
//! A parameter of a macro is no variable, though; who reads these functions has to know that assigning to one assigns to what
//! the caller wrote in its place, and that a name which nobody declares may be a variable of the caller.
//!
//! What cannot be read as a function (halves of statements, names put together from arguments) becomes an empty one that is
//! `Partial`: of that nothing is known.

use crate::Source;
use crate::directive::{BodyToken, Definition};
use crate::macros::{Defined, Macros, Visible, file_facts_as};
use crate::parse::{lower, prepare_and_parse};
use crate::position::Lines;
use crate::prepare::Raw;
use crate::shape::is_control;
use crate::token::{TokenKind, lex};
use base::{Cause, Confidence, Doubt, IdVec, Language, Span};
use ir::{
    Callee, Expr, ExprId, ExprKind, Function, FunctionKind, MacroBody, Reading, Stmt, StmtKind, Type, Unit,
};
use std::collections::{BTreeMap, BTreeSet};

/// More arguments than these, behind the named ones, are not told apart.
const MOST_FURTHER: usize = 24;

/// Tokens of a replacement list that is read.
const TOKENS_LIMIT: usize = 4_000;

/// The name of the function in the text that is parsed, its parameters and those behind the named ones. Whoever reads these
/// functions does not see them.
const NAME: &str = "__macro_body";
const PARAM: &str = "__macro_param";
const FURTHER: &str = "__macro_further";
const ANY: &str = "__macro_any";

/// Adds to `units` the macros that are called in them, and in those in turn, as functions. `macros` are those of all files.
pub fn add_macros(units: &mut [Unit], macros: &Macros) {
    let places: BTreeMap<String, usize> = units
        .iter()
        .enumerate()
        .map(|(number, unit)| (unit.path.clone(), number))
        .collect();
    let mut wanted: BTreeMap<String, usize> = BTreeMap::new();
    for function in units.iter().flat_map(|unit| &unit.functions) {
        note_calls(function, &mut wanted);
    }
    let (definitions, shared) = (macros.definitions(), macros.shared());
    let mut made: BTreeMap<String, Made> = BTreeMap::new();
    let mut work: BTreeSet<String> = wanted.keys().cloned().collect();
    while let Some(name) = work.pop_first() {
        let Some(all) = definitions.get(name.as_bytes()) else {
            continue;
        };
        let arguments = wanted.get(&name).copied().unwrap_or(0);
        if made.get(&name).is_some_and(|made| made.fits(arguments)) {
            continue;
        }
        let mut bodies = Made {
            arguments,
            is_variadic: false,
            functions: Vec::new(),
        };
        for defined in all {
            let Some(&unit) = places.get(defined.path) else {
                continue;
            };
            let params = defined.definition.params.as_ref();
            bodies.is_variadic |= params.is_none_or(|params| params.variadic);
            let function = read(&name, defined, arguments, &shared, macros);
            let mut inner = BTreeMap::new();
            note_calls(&function, &mut inner);
            for (name, count) in inner {
                let known = wanted.entry(name.clone()).or_default();
                *known = count.max(*known);
                work.insert(name);
            }
            bodies.functions.push((unit, function));
        }
        made.insert(name, bodies);
    }
    for (unit, function) in made.into_values().flat_map(|made| made.functions) {
        units[unit].functions.push(function);
    }
}

/// Adds to the functions of `units` what gives values where no statement stands.
pub fn add_defaults(units: &mut [Unit]) {
    for unit in units {
        let defaults = std::mem::take(&mut unit.defaults);
        unit.functions.extend(defaults.members);
        unit.functions.extend(defaults.arguments);
    }
}

/// The functions of one name.
struct Made {
    /// For calls with so many arguments.
    arguments: usize,
    /// Some definition takes any number.
    is_variadic: bool,
    functions: Vec<(usize, Function)>,
}

impl Made {
    fn fits(&self, arguments: usize) -> bool {
        !self.is_variadic || arguments <= self.arguments
    }
}

/// Notes the macros that `function` calls, each with its largest number of arguments.
fn note_calls(function: &Function, wanted: &mut BTreeMap<String, usize>) {
    for expr in &function.exprs {
        if let ExprKind::Call {
            callee: Callee::Macro(called),
            args,
        } = &expr.kind
        {
            let (name, count) = (called.name, args.len());
            match wanted.get_mut(name.as_str()) {
                Some(known) => *known = count.max(*known),
                None => drop(wanted.insert(name.to_string(), count)),
            }
        }
    }
}

/// One definition of `name`, for calls with at most so many arguments.
fn read(
    name: &str,
    defined: &Defined<'_>,
    arguments: usize,
    shared: &BTreeSet<u32>,
    macros: &Macros,
) -> Function {
    let definition = defined.definition;
    let value = is_value(definition);
    let named = definition
        .params
        .as_ref()
        .map_or(0, |params| params.names.len() - usize::from(params.variadic));
    let further = arguments.saturating_sub(named).min(MOST_FURTHER);
    let parsed = text_of(definition, value, further).and_then(|text| {
        let mut functions = parse(text.as_bytes(), defined, shared, macros)?;
        let at = functions.iter().position(|function| function.name == NAME)?;
        // A function inside, as gcc has them, or a part that fell out.
        (functions.len() == 1).then(|| functions.swap_remove(at))
    });
    let mut function = parsed.unwrap_or_else(|| unknown(definition));
    name.clone_into(&mut function.name);
    function.linkage_name = None;
    function.kind = FunctionKind::Macro(if value {
        MacroBody::Value
    } else {
        MacroBody::Statements
    });
    let place = |span: &mut Span| (span.line, span.end_line) = (defined.line, defined.line);
    place(&mut function.span);
    for expr in function.exprs.iter_mut() {
        place(&mut expr.span);
        // A macro's name within its own expansion is a function's.
        if let ExprKind::Call { callee, .. } = &mut expr.kind
            && matches!(callee, Callee::Macro(inner) if inner.name == name)
        {
            *callee = Callee::Named(name.into());
        }
    }
    function.stmts.iter_mut().for_each(|stmt| place(&mut stmt.span));
    function
        .locals
        .iter_mut()
        .for_each(|local| place(&mut local.span));
    function
}

/// What nothing is known of, but whether the function around may be left.
fn unknown(definition: &Definition) -> Function {
    let returns = definition.body.iter().any(|token| *token.text == *b"return");
    let mut stmts: IdVec<ir::StmtId, Stmt> = IdVec::new();
    let mut stmt = |kind| {
        stmts.push(Stmt {
            kind,
            span: Span::default(),
            from_macro: false,
        })
    };
    let inside = Vec::from_iter(returns.then(|| stmt(StmtKind::Return(None))));
    let body = stmt(StmtKind::Block(inside.into()));
    Function {
        name: String::new(),
        kind: FunctionKind::Source,
        language: Language::C,
        linkage_name: None,
        is_static: false,
        span: Span::default(),
        locals: IdVec::new(),
        params: 0,
        returns: Type::Unknown,
        exprs: IdVec::<ExprId, Expr>::new(),
        receivers: BTreeMap::new(),
        by_address: BTreeSet::new(),
        stmts,
        body,
        reading: Reading::AsWritten,
        confidence: Confidence::Partial,
        confidence_reason: Some(Doubt::at(Cause::NoFunction, 0)),
    }
}

/// Whether a replacement list is an expression.
fn is_value(definition: &Definition) -> bool {
    let mut depth = 0_usize;
    for token in &definition.body {
        match &*token.text {
            b"(" | b"[" => depth += 1,
            b")" | b"]" => depth = depth.saturating_sub(1),
            b";" | b"{" | b"}" if depth == 0 => return false,
            // A statement in an expression may leave the function, too.
            b"return" => return false,
            word if depth == 0 && token.kind == TokenKind::Ident && is_control(word) => return false,
            _ => {}
        }
    }
    !definition.body.is_empty()
}

/// A function that does what the replacement list says; `None` if there is none.
fn text_of(definition: &Definition, value: bool, further: usize) -> Option<String> {
    if definition.body.len() > TOKENS_LIMIT {
        return None;
    }
    let list = ReplacementList::new(definition, further);
    let body = list.words()?.join(" ");
    let named = (0..list.named).map(|number| format!("{ANY} {PARAM}{number}"));
    let further = (0..list.further).map(|number| format!("{ANY} {FURTHER}{number}"));
    let params = Vec::from_iter(named.chain(further)).join(", ");
    Some(if value {
        format!("{ANY} {NAME}({params})\n{{ return ({body}); }}\n")
    } else {
        let (before, after) = missing_brackets(definition);
        format!("{ANY} {NAME}({params})\n{{ {before} {body} ; {after} }}\n")
    })
}

/// A replacement list, to be read with the parameters of a function in the place of its own.
struct ReplacementList<'d> {
    body: &'d [BodyToken],
    names: &'d [Box<[u8]>],
    variadic: bool,
    /// What follows the name of a macro without parameters are the arguments of whatever it stands for.
    renames: bool,
    /// How many parameters have a name.
    named: usize,
    /// How many arguments are told apart behind those.
    further: usize,
}

impl<'d> ReplacementList<'d> {
    fn new(definition: &'d Definition, further: usize) -> Self {
        let (names, variadic) = match &definition.params {
            Some(params) => (&params.names[..], params.variadic),
            None => (&[][..], false),
        };
        let renames = definition.params.is_none();
        Self {
            body: &definition.body,
            names,
            variadic,
            renames,
            named: names.len() - usize::from(variadic),
            further: if variadic || renames { further } else { 0 },
        }
    }

    /// The number of the parameter that a token names.
    fn param(&self, at: usize) -> Option<usize> {
        let token = self.body.get(at)?;
        self.names.iter().position(|name| *name == token.text)
    }

    fn text(&self, at: usize) -> &'d [u8] {
        self.body.get(at).map_or(&b""[..], |token| &*token.text)
    }

    fn all_further(&self) -> String {
        let names = (0..self.further).map(|number| format!("{FURTHER}{number}"));
        Vec::from_iter(names).join(", ")
    }

    /// The words of the function's body; `None` where they depend on how the arguments are spelt.
    fn words(&self) -> Option<Vec<String>> {
        let mut words: Vec<String> = Vec::new();
        let mut at = 0;
        while at < self.body.len() {
            match (self.text(at), self.param(at)) {
                // An argument as a string.
                (b"#", _) if self.param(at + 1).is_some() => {
                    at += 1;
                    words.push("\"\"".to_owned());
                }
                // `, ## __VA_ARGS__` is nothing where there are no further arguments.
                (b"##", _) if self.joins_further(at) => {}
                (b"##", _) => {
                    let before = words.pop()?;
                    words.push(before + self.joined(at)?);
                    at += 1;
                }
                (b"__VA_OPT__", _) => return None,
                (_, Some(number)) if number < self.named => words.push(format!("{PARAM}{number}")),
                // Without further arguments the comma in front of them goes, too.
                (_, Some(_)) if self.further == 0 => {
                    words.pop_if(|word| *word == ",");
                }
                (_, Some(_)) => words.push(self.all_further()),
                (word, None) => words.push(String::from_utf8(word.to_vec()).ok()?),
            }
            at += 1;
        }
        if self.renames && self.further > 0 {
            words.push(format!("({})", self.all_further()));
        }
        Some(words)
    }

    /// Whether the `##` at `at` stands between a comma and the further arguments.
    fn joins_further(&self, at: usize) -> bool {
        self.variadic && self.text(at.wrapping_sub(1)) == b"," && self.param(at + 1) == Some(self.named)
    }

    /// What the `##` at `at` joins to the word in front of it, if both are known.
    fn joined(&self, at: usize) -> Option<&'d str> {
        let is_known = |at: usize| {
            let kind = self.body.get(at).map(|token| token.kind);
            self.param(at).is_none() && matches!(kind, Some(TokenKind::Ident | TokenKind::Number))
        };
        let both = is_known(at.checked_sub(1)?) && is_known(at + 1);
        std::str::from_utf8(self.text(at + 1)).ok().filter(|_| both)
    }
}

/// The brackets that the code around a macro's statements opens before them, and those that it closes behind them. The
/// function around such a macro is read in part, so that all is told of it when its parts are.
fn missing_brackets(definition: &Definition) -> (String, String) {
    let (mut before, mut open) = (String::new(), Vec::new());
    for token in &definition.body {
        let closes = match &*token.text {
            b"(" => {
                open.push(')');
                continue;
            }
            b"[" => {
                open.push(']');
                continue;
            }
            b"{" => {
                open.push('}');
                continue;
            }
            b")" => '(',
            b"]" => '[',
            b"}" => '{',
            _ => continue,
        };
        if open.pop().is_none() {
            before.insert(0, closes);
        }
    }
    (before, open.into_iter().rev().collect())
}

/// The functions in `text`, which stands for something in the file of `defined`.
fn parse(
    text: &[u8],
    defined: &Defined<'_>,
    shared: &BTreeSet<u32>,
    macros: &Macros,
) -> Option<Vec<Function>> {
    let (tokens, lines) = (lex(text), Lines::new(text));
    let facts = file_facts_as(text, &tokens, defined.language);
    let visible = Visible::anywhere(defined.path, shared, &facts, macros);
    let raw = Raw {
        text,
        tokens: &tokens,
        lines: &lines,
        visible: &visible,
        language: defined.language,
    };
    let (prepared, tree) = prepare_and_parse(raw)?;
    let source = Source {
        path: defined.path,
        text,
    };
    Some(lower(&source, raw, &prepared, &tree).functions)
}
