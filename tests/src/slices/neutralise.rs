//! Takes everything out of a program that is not in a slice, so that what is left can be run.
//!
//! Works on the text as written, by tree-sitter directly: it shares nothing with the front end that the slicer stands
//! on. Lines stay lines.
//!
//! * A statement none of whose lines is in the slice becomes `;`, jumps (`break`, `continue`, `goto`, `return`) included:
//!   whoever forgets that a jump decides what runs after it is found out here.
//! * A declaration stays, its initial values go; whoever runs the text fills locals and the heap with a pattern, and the text
//!   itself its variables at file scope, so that a value that is missing is no lucky zero. In C++ what a reference or `auto`
//!   stands for goes, too, and what constructors give to members.
//! * A compound statement stays when something in it does. Is its own header not in the slice, a constant takes the
//!   condition's place: the slice has claimed that the condition decides nothing.
//! * Labels stay: jumps in the slice need them.
//!
//! [`Mode::Perturb`] puts wrong values where [`Mode::Delete`] puts nothing. It finds what was kept by luck, because the
//! deleted assignment would have assigned what was there before.

use super::names::Numbers;
use std::collections::BTreeSet;
use std::ops::Range;
use tree_sitter::{Node, Parser, Tree};

/// What becomes of what is not in the slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mode {
    /// It goes.
    Delete,
    /// Where a number is assigned to a name, another number is assigned; the rest goes.
    Perturb(u32),
}

/// The text with nothing but the lines of `kept` left in it, from 1.
///
/// # Errors
/// The first place that the grammar does not know.
pub fn neutralise(
    text: &str,
    language: Language,
    kept: &BTreeSet<u32>,
    mode: Mode,
) -> Result<String, String> {
    let tree = parse(text, language)?;
    let numbers = Numbers::of(tree.root_node(), text);
    let mut work = Neutraliser {
        text,
        kept,
        mode,
        numbers: &numbers,
        language,
        in_function: false,
        edits: Vec::new(),
        poisoned: Vec::new(),
        fault: None,
    };
    work.children(tree.root_node());
    if let Some(fault) = work.fault {
        return Err(fault);
    }
    let poison = poison(&work.poisoned);
    let mut edits = work.edits;
    edits.sort_by_key(|(range, _)| range.start);
    let mut result = String::new();
    let mut at = 0;
    for (range, replacement) in edits {
        result.push_str(&text[at..range.start]);
        result.push_str(&replacement);
        at = range.end;
    }
    let rest = &text[at..];
    // On the last line, so that lines stay lines.
    let end = rest.trim_end_matches('\n');
    Ok(format!("{result}{end}{poison}{}", &rest[end.len()..]))
}

/// Fills variables at file scope with what nobody wrote there, before anything else runs.
fn poison(names: &[&str]) -> String {
    let Some(first) = names.first() else {
        return String::new();
    };
    let fill = |name: &&str| format!("__builtin_memset((void *) &{name}, 0xa5, sizeof {name}); ");
    let all: String = names.iter().map(fill).collect();
    format!(" static void __attribute__((constructor(101))) poison_{first}(void) {{ {all}}}")
}

/// What a text is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// C.
    C,
    /// C++.
    Cxx,
}

impl Language {
    /// That of a file, by its name.
    #[must_use]
    pub fn of(name: &str) -> Self {
        if name.ends_with(".cpp") {
            Language::Cxx
        } else {
            Language::C
        }
    }
}

/// The syntax tree of a text.
///
/// # Errors
/// The grammar cannot be loaded, or parsing gave up.
pub fn parse(text: &str, language: Language) -> Result<Tree, String> {
    let mut parser = Parser::new();
    parser
        .set_language(&match language {
            Language::C => tree_sitter_c::LANGUAGE.into(),
            Language::Cxx => tree_sitter_cpp::LANGUAGE.into(),
        })
        .map_err(|e| e.to_string())?;
    parser.parse(text, None).ok_or_else(|| "no tree".to_owned())
}

/// The named children of a node.
pub(super) fn named<'t>(node: Node<'t>) -> Vec<Node<'t>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).collect()
}

struct Neutraliser<'a> {
    text: &'a str,
    kept: &'a BTreeSet<u32>,
    mode: Mode,
    numbers: &'a Numbers,
    language: Language,
    in_function: bool,
    edits: Vec<(Range<usize>, String)>,
    /// Variables at file scope whose initial values are not in the slice.
    poisoned: Vec<&'a str>,
    fault: Option<String>,
}

impl Neutraliser<'_> {
    /// Whether a line from the one of byte `from` to the one of byte `to` is in the slice.
    fn touches(&self, from: (usize, usize), to: (usize, usize)) -> bool {
        let first = line_of(from.0);
        let last = u32::try_from(to.0 + usize::from(to.1 > 0)).unwrap_or(u32::MAX);
        self.kept.range(first..=last.max(first)).next().is_some()
    }

    fn has(&self, node: Node<'_>) -> bool {
        self.touches(start(node), end(node))
    }

    /// Whether something of a compound statement is in the slice. What a lambda does happens where it is called: without the
    /// statement that makes the lambda, that is no reason to keep the loop around it. A lambda on one line cannot be told from that
    /// statement; but a slice that has a statement has the condition on which it is executed, too.
    fn has_some(&self, node: Node<'_>) -> bool {
        let mut elsewhere = BTreeSet::new();
        lines_of_lambdas(node, self.decides(node), &mut elsewhere);
        elsewhere.remove(&line_of(node.start_position().row));
        let lines = line_of(node.start_position().row)..=line_of(node.end_position().row);
        self.kept.range(lines).any(|line| !elsewhere.contains(line))
    }

    /// Whether a compound statement has a condition, which decides whether what stands in it is executed.
    fn decides(&self, node: Node<'_>) -> bool {
        let condition = node.child_by_field_name("condition").map(|condition| {
            let text = &self.text[condition.byte_range()];
            text.trim_matches(['(', ')', ' '])
        });
        match node.kind() {
            "for_range_loop" => true,
            "if_statement" | "while_statement" | "for_statement" | "switch_statement" => {
                condition.is_some_and(|text| !matches!(text, "true" | "false") && !is_literal(text))
            }
            _ => false,
        }
    }

    fn replace(&mut self, range: Range<usize>, with: &str) {
        let lines = self.text[range.clone()].matches('\n').count();
        self.edits.push((range, format!("{with}{}", "\n".repeat(lines))));
    }

    fn children(&mut self, node: Node<'_>) {
        for child in named(node) {
            self.statement(child);
        }
    }

    fn field(&mut self, node: Node<'_>, name: &str) {
        if let Some(child) = node.child_by_field_name(name) {
            self.statement(child);
        }
    }

    fn statement(&mut self, node: Node<'_>) {
        match node.kind() {
            "function_definition" => {
                let outside = !std::mem::replace(&mut self.in_function, true);
                self.field(node, "body");
                if self.language == Language::Cxx {
                    self.last_return(node);
                    self.constructor(node);
                }
                self.in_function = !outside;
            }
            "namespace_definition" | "struct_specifier" | "class_specifier" => self.field(node, "body"),
            "try_statement" if self.has_some(node) => self.children(node),
            "catch_clause" => self.field(node, "body"),
            "for_range_loop" if self.has_some(node) => self.field(node, "body"),
            "compound_statement"
            | "declaration_list"
            | "field_declaration_list"
            | "template_declaration"
            | "preproc_if"
            | "preproc_ifdef"
            | "preproc_else"
            | "preproc_elif"
            | "else_clause"
            | "labeled_statement" => self.children(node),
            "case_statement" => {
                let label = node.child_by_field_name("value");
                for child in named(node) {
                    if Some(child) != label {
                        self.statement(child);
                    }
                }
            }
            "if_statement" | "while_statement" | "do_statement" | "for_statement" | "switch_statement" => {
                if self.has_some(node) {
                    self.compound(node);
                } else {
                    let labels = self.labels(node);
                    self.replace(node.byte_range(), &labels);
                }
            }
            "declaration" if self.language == Language::Cxx => self.cxx_declaration(node),
            "declaration" => self.declaration(node),
            "try_statement" | "for_range_loop" => self.replace(node.byte_range(), ";"),
            "throw_statement"
            | "expression_statement"
            | "return_statement"
            | "break_statement"
            | "continue_statement"
            | "goto_statement"
                if !self.has(node) =>
            {
                let with = self.instead(node).unwrap_or_else(|| ";".to_owned());
                self.replace(node.byte_range(), &with);
            }
            "ERROR" => {
                let line = node.start_position().row + 1;
                self.fault
                    .get_or_insert_with(|| format!("line {line}: the neutraliser cannot read this"));
            }
            // Comments, directives, types; names of labels; the condition of an `#if`.
            _ => {}
        }
    }

    /// A branch or loop that stays: its header, then what is in it.
    fn compound(&mut self, node: Node<'_>) {
        for name in ["initializer", "update"] {
            if let Some(part) = node.child_by_field_name(name)
                && !self.has(part)
            {
                if part.kind() == "declaration" {
                    self.declaration(part);
                } else {
                    self.replace(part.byte_range(), "");
                }
            }
        }
        if let Some(condition) = node.child_by_field_name("condition") {
            let from = if node.kind() == "do_statement" {
                start(condition)
            } else {
                start(node)
            };
            let range = match condition.kind() {
                "parenthesized_expression" | "condition_clause" => {
                    condition.start_byte() + 1..condition.end_byte() - 1
                }
                _ => condition.byte_range(),
            };
            if !is_literal(&self.text[range.clone()]) && !self.touches(from, end(condition)) {
                let constant = match self.mode {
                    Mode::Delete => "1",
                    Mode::Perturb(seed) if seed.is_multiple_of(2) => "0",
                    Mode::Perturb(_) => "1",
                };
                self.replace(range, constant);
            }
        }
        for name in ["consequence", "alternative", "body"] {
            self.field(node, name);
        }
    }

    /// What stays of a statement that goes: its labels.
    fn labels(&self, node: Node<'_>) -> String {
        let mut found = String::new();
        self.gather_labels(node, true, &mut found);
        if found.is_empty() {
            ";".to_owned()
        } else {
            format!("{{ {found}}}")
        }
    }

    fn gather_labels(&self, node: Node<'_>, cases: bool, found: &mut String) {
        let cases = cases && node.kind() != "switch_statement";
        if node.kind() == "labeled_statement"
            && let Some(label) = node.child_by_field_name("label")
        {
            found.push_str(&format!("{}: ; ", &self.text[label.byte_range()]));
        }
        if node.kind() == "case_statement" && cases {
            match node.child_by_field_name("value") {
                Some(value) => found.push_str(&format!("case {}: ; ", &self.text[value.byte_range()])),
                None => found.push_str("default: ; "),
            }
        }
        for child in named(node) {
            self.gather_labels(child, cases, found);
        }
    }

    /// Whether a declaration has a word such as `static` or `const`.
    fn says(&self, node: Node<'_>, word: &str) -> bool {
        named(node).iter().any(|child| {
            matches!(child.kind(), "storage_class_specifier" | "type_qualifier")
                && &self.text[child.byte_range()] == word
        })
    }

    /// Notes a variable at file scope that is to hold what nobody wrote.
    fn poison(&mut self, declaration: Node<'_>, declarator: Node<'_>) {
        let mut name = declarator;
        while matches!(
            name.kind(),
            "array_declarator" | "pointer_declarator" | "init_declarator"
        ) && let Some(inner) = name.child_by_field_name("declarator")
        {
            name = inner;
        }
        // What does not change stands in memory that cannot be written.
        let fixed = self.text[declaration.byte_range()].contains("const")
            || ["extern", "_Thread_local", "thread_local"]
                .iter()
                .any(|word| self.says(declaration, word));
        // `operation f;` may declare a function.
        let ty = declaration.child_by_field_name("type").map(|ty| ty.kind());
        let unclear = declarator.kind() == "identifier" && ty == Some("type_identifier");
        if !self.in_function && self.mode == Mode::Delete && !fixed && !unclear && name.kind() == "identifier"
        {
            self.poisoned.push(&self.text[name.byte_range()]);
        }
    }

    fn declaration(&mut self, node: Node<'_>) {
        let is_static = self.says(node, "static");
        for child in named(node) {
            if self.has(child) {
                continue;
            }
            let is_name = node.child_by_field_name("type") != Some(child);
            if is_name
                && matches!(
                    child.kind(),
                    "identifier" | "array_declarator" | "pointer_declarator" | "init_declarator"
                )
            {
                self.poison(node, child);
            }
            if child.kind() != "init_declarator" {
                continue;
            }
            let (Some(name), Some(value)) = (
                child.child_by_field_name("declarator"),
                child.child_by_field_name("value"),
            ) else {
                continue;
            };
            // Its size came from its initial values.
            if name.kind() == "array_declarator" && name.child_by_field_name("size").is_none() {
                let size = match value.kind() {
                    "initializer_list" => named(value).len().to_string(),
                    _ => format!("sizeof({})", &self.text[value.byte_range()]),
                };
                self.edits.push((name.end_byte() - 1..name.end_byte() - 1, size));
            }
            let with = match self.mode {
                Mode::Perturb(seed) if self.numbers.is_number(&self.text[name.byte_range()]) => {
                    format!(" = {}", wrong(seed, name))
                }
                // A local variable that lives as long as the program starts with zero otherwise.
                _ if is_static
                    && self.in_function
                    && self.numbers.is_number(&self.text[name.byte_range()]) =>
                {
                    format!(" = {PATTERN}")
                }
                _ => String::new(),
            };
            self.replace(name.end_byte()..child.end_byte(), &with);
        }
    }

    /// What a constructor gives to members.
    fn constructor(&mut self, function: Node<'_>) {
        let lists = named(function)
            .into_iter()
            .filter(|child| child.kind() == "field_initializer_list");
        let items: Vec<Node> = lists.flat_map(named).collect();
        for item in items {
            let parts = named(item);
            let [name, values] = parts[..] else { continue };
            if item.kind() == "field_initializer"
                && !self.has(item)
                && self.numbers.is_number(&self.text[name.byte_range()])
            {
                let other = self.other(item);
                self.replace(values.byte_range(), &format!("({other})"));
            }
        }
    }

    /// A value that the program does not have.
    fn other(&self, node: Node<'_>) -> String {
        match self.mode {
            Mode::Perturb(seed) => wrong(seed, node).to_string(),
            Mode::Delete => "anything()".to_owned(),
        }
    }

    /// In C++, an object that is not in the slice is raw memory: neither made nor unmade. So is what a reference stands for, and what
    /// has the type of its initial value; only lambdas stay.
    fn cxx_declaration(&mut self, node: Node) {
        let Some(ty) = node.child_by_field_name("type") else {
            return;
        };
        if matches!(ty.kind(), "struct_specifier" | "class_specifier") {
            self.statement(ty);
        }
        let mut cursor = node.walk();
        let declarators: Vec<Node> = node.children_by_field_name("declarator", &mut cursor).collect();
        let is_static = self.says(node, "static");
        let is_fixed =
            self.says(node, "constexpr") || self.says(node, "extern") || self.says(node, "thread_local");
        let [only] = declarators[..] else {
            return self.declaration(node);
        };
        let name = match only.kind() {
            "init_declarator" => only.child_by_field_name("declarator").unwrap_or(only),
            _ => only,
        };
        match (ty.kind(), name.kind()) {
            ("placeholder_type_specifier", "structured_binding_declarator") => {}
            ("placeholder_type_specifier", _) | (_, "reference_declarator") => self.stands_for(node, only),
            (_, "pointer_declarator") if is_reference(name) => self.stands_for(node, only),
            ("primitive_type" | "sized_type_specifier", _) | (_, "pointer_declarator") => {
                self.declaration(node)
            }
            (_, "identifier") if !is_fixed && !self.has(node) => {
                let (ty, name) = (&self.text[ty.byte_range()], &self.text[name.byte_range()]);
                let word = if is_static { "static " } else { "" };
                let raw = format!("{word}raw<{ty}> {name}_raw; {word}{ty} &{name} = {name}_raw.it();");
                self.replace(node.byte_range(), &raw);
            }
            _ => {}
        }
    }

    /// A reference, or a variable of the type of its initial value, that is not in the slice stands for raw memory of that type.
    fn stands_for(&mut self, node: Node<'_>, declarator: Node<'_>) {
        let (Some(name), Some(value)) = (
            declarator.child_by_field_name("declarator"),
            declarator.child_by_field_name("value"),
        ) else {
            return;
        };
        // No lambda may stand where a type is asked for.
        let text = &self.text[value.byte_range()];
        let lambda = text.contains('[') && text.contains('{') || value.kind() == "initializer_list";
        if !self.in_function || lambda || self.has(node) || self.says(node, "static") {
            return;
        }
        let mut inner = name;
        while inner.kind() != "identifier" {
            let Some(next) = named(inner).into_iter().last() else {
                return;
            };
            inner = next;
        }
        let raw = format!("{}_raw", &self.text[inner.byte_range()]);
        let ty = format!("std::remove_cv_t<std::remove_reference_t<decltype({text})>>");
        let start = node.start_byte();
        self.edits.push((start..start, format!("raw<{ty}> {raw}; ")));
        // An object of its own would be made by copying what nobody has made.
        if name.kind() == "identifier" {
            self.edits
                .push((name.start_byte()..name.start_byte(), "&".to_owned()));
        }
        self.replace(value.byte_range(), &format!("{raw}.it()"));
    }

    /// A function that comes to its end without a `return` is undefined in C++: here it returns anything.
    fn last_return(&mut self, function: Node) {
        let (Some(ty), Some(body)) = (
            function.child_by_field_name("type"),
            function.child_by_field_name("body"),
        ) else {
            return;
        };
        let pointer = function
            .child_by_field_name("declarator")
            .is_some_and(|declarator| declarator.kind() == "pointer_declarator");
        let number = matches!(ty.kind(), "primitive_type" | "sized_type_specifier");
        if (number && &self.text[ty.byte_range()] != "void" || pointer) && body.kind() == "compound_statement"
        {
            let end = body.end_byte() - 1;
            self.edits.push((end..end, "return anything(); ".to_owned()));
        }
    }

    /// Another assignment to what a statement assigns, if that can be done without evaluating anything.
    fn instead(&self, node: Node<'_>) -> Option<String> {
        let Mode::Perturb(seed) = self.mode else {
            return None;
        };
        let expression = named(node).into_iter().next()?;
        let place = match expression.kind() {
            "assignment_expression" => expression.child_by_field_name("left")?,
            "update_expression" => expression.child_by_field_name("argument")?,
            _ => return None,
        };
        let text = &self.text[place.byte_range()];
        self.numbers
            .is_place(place, self.text)
            .then(|| format!("{text} = {};", wrong(seed, node)))
    }
}

/// What memory holds that nobody wrote, as a number.
const PATTERN: i32 = 0x5a5a_5a5a;

/// Whether a declarator is that of a reference to a pointer.
fn is_reference(mut declarator: Node<'_>) -> bool {
    while declarator.kind() == "pointer_declarator" {
        match declarator.child_by_field_name("declarator") {
            Some(inner) => declarator = inner,
            None => return false,
        }
    }
    declarator.kind() == "reference_declarator"
}

/// A value that the program has no reason to hold at this node.
fn wrong(seed: u32, node: Node<'_>) -> i32 {
    const VALUES: [i32; 7] = [37, -5, 1, 113, 0, -1, 6];
    let at = node.start_position().row + seed as usize * 3;
    VALUES[at % VALUES.len()]
}

/// The line, from 1, of a row from 0.
fn line_of(row: usize) -> u32 {
    u32::try_from(row + 1).unwrap_or(u32::MAX)
}

/// Whether a condition is a number.
fn is_literal(condition: &str) -> bool {
    condition.trim().bytes().all(|b| b.is_ascii_digit())
}

/// The lines of the lambdas in a node, without those that they begin on; of a lambda on one line that one, if `whole`.
fn lines_of_lambdas(node: Node<'_>, whole: bool, found: &mut BTreeSet<u32>) {
    if node.kind() == "lambda_expression" {
        let (first, last) = (node.start_position().row, node.end_position().row);
        let skipped = u32::from(!whole || first != last);
        found.extend(line_of(first) + skipped..=line_of(last));
    } else {
        for child in named(node) {
            lines_of_lambdas(child, whole, found);
        }
    }
}

fn start(node: Node<'_>) -> (usize, usize) {
    let at = node.start_position();
    (at.row, at.column)
}

fn end(node: Node<'_>) -> (usize, usize) {
    let at = node.end_position();
    (at.row, at.column)
}
