//! Names of functions as debuggers and demanglers write them: `int ns::Grid<double>::relax(int)::{lambda(int)#1}::operator()(int) const`.
//!
//! Before a name may stand the type that it returns, behind it its parameters, its arguments (gdb: behind a blank, lldb: in place of the parameters), an
//! offset or a version. A function in a function has the parameters of the outer one within its name.

/// What a text names.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Named {
    /// As the map knows it: without namespaces, classes, template arguments and parameters.
    pub(crate) function: String,
    /// With namespaces, classes and template arguments, if it has any of them.
    pub(crate) qualified: Option<String>,
}

/// Reads the name of a function; `??` if there is none.
pub(crate) fn named(text: &str) -> Named {
    let text = text.replace("[inline]", "");
    let mut scan = Scan {
        text: text.trim().trim_start_matches("- 1").trim(),
        at: 0,
        start: 0,
        last: 0,
        operator: None,
    };
    while scan.goes_on() {}
    scan.named()
}

const ANONYMOUS: &str = "(anonymous namespace)";

/// A name that is read from its beginning.
struct Scan<'t> {
    text: &'t str,
    /// What stands before this has been read.
    at: usize,
    /// Where the name begins.
    start: usize,
    /// Where its last part begins.
    last: usize,
    /// Where the last part ends without its template arguments, if it is an operator.
    operator: Option<usize>,
}

impl<'t> Scan<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    /// Reads what comes next; false at the end of the name.
    fn goes_on(&mut self) -> bool {
        let rest = self.rest();
        let Some(next) = rest.chars().next() else {
            return false;
        };
        if self.at == self.last && self.reads_operator() {
            return true;
        }
        let step = match next {
            _ if rest.starts_with(ANONYMOUS) => ANONYMOUS.len(),
            '<' | '{' | '[' => group(rest),
            '(' if self.is_type() => group(rest),
            '(' => match outer_parameters(rest) {
                Some(length) => length,
                None => return false,
            },
            '@' => return false,
            ' ' if self.is_type() => 1,
            ' ' if is_behind_name(rest) => return false,
            ' ' => {
                (self.start, self.last) = (self.at + 1, self.at + 1);
                1
            }
            ':' if rest.starts_with("::") => {
                self.last = self.at + 2;
                2
            }
            other => other.len_utf8(),
        };
        self.at += step;
        // The name of an operator is over where another part begins.
        self.operator = self.operator.filter(|_| self.at != self.last);
        true
    }

    /// Whether `decltype` stands right before: what follows in parentheses is a part of the type.
    fn is_type(&self) -> bool {
        self.text[self.last..self.at].trim_end() == "decltype"
    }

    /// Reads the name of an operator, which may have brackets and blanks of its own.
    fn reads_operator(&mut self) -> bool {
        let Some(symbol) = self.rest().strip_prefix("operator") else {
            return false;
        };
        let length = match symbol.chars().next() {
            Some(c) if c.is_alphanumeric() || c == '_' => return false,
            // `operator new`, `operator unsigned int`.
            Some(' ') if !symbol.starts_with(" (") => {
                let end = symbol.find('(').unwrap_or(symbol.len());
                symbol[..end].trim_end().len()
            }
            _ => symbol_of(symbol).len(),
        };
        self.at += "operator".len() + length;
        self.operator = Some(self.at);
        // Between the sign and its template arguments stands a blank.
        if self.rest().starts_with(" <") {
            self.at += 1;
        }
        true
    }

    /// What has been read.
    fn named(&self) -> Named {
        let whole = self.text[self.start..self.at].trim().trim_start_matches("::");
        let last = &self.text[self.last..self.operator.unwrap_or(self.at)];
        let mut function = match (self.operator, last.find(['<', '['])) {
            (None, Some(end)) if end > 0 => &last[..end],
            _ => last,
        }
        .trim()
        .to_owned();
        let mut whole = whole.to_owned();
        // lldb writes the arguments of a call operator in place of its parentheses.
        if function == "operator" {
            function.push_str("()");
            whole.push_str("()");
        }
        if function.is_empty() {
            "??".clone_into(&mut function);
        }
        let is_more = whole.contains("::") || whole.contains('<') && self.operator.is_none();
        Named {
            function,
            qualified: is_more.then_some(whole),
        }
    }
}

/// The signs of an operator at the beginning of a text; longer ones come before those that they begin with.
fn symbol_of(text: &str) -> &str {
    const SYMBOLS: [&str; 43] = [
        "()", "[]", "<=>", "<<=", ">>=", "->*", "\"\"", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "++",
        "--", "->", "+=", "-=", "*=", "/=", "%=", "^=", "&=", "|=", "+", "-", "*", "/", "%", "^", "&", "|",
        "~", "!", "=", "<", ">", ",", "new", "delete", "co_await",
    ];
    let symbol = SYMBOLS.iter().find(|symbol| text.starts_with(**symbol));
    symbol.map_or("", |symbol| &text[..symbol.len()])
}

/// How long the bracket is that begins a text, with all that is in it.
fn group(text: &str) -> usize {
    let mut depth = 0usize;
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        match c {
            '<' | '(' | '[' | '{' => depth += 1,
            '>' if before == '-' => {}
            '>' | ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return at + c.len_utf8();
        }
        before = c;
    }
    text.len()
}

/// How long parameters are, with the words behind them, if the name goes on there: they are those of a function that stands around what is
/// named.
fn outer_parameters(text: &str) -> Option<usize> {
    let mut behind = &text[group(text)..];
    while let Some(rest) = [" const", " volatile", " noexcept", "&"]
        .iter()
        .find_map(|word| behind.strip_prefix(word))
    {
        behind = rest;
    }
    behind.starts_with("::").then(|| text.len() - behind.len())
}

/// Whether a blank is followed by what tools write behind a name: arguments, an offset.
fn is_behind_name(text: &str) -> bool {
    let next = &text[1..];
    next.starts_with('(') && !next.starts_with(ANONYMOUS)
        || next.starts_with("+ 0x")
        || next.starts_with("[clone")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wants a text to be read as this name of a function, and this one with its classes.
    fn check(text: &str, function: &str, qualified: Option<&str>) {
        let named = named(text);
        assert_eq!(
            (&*named.function, named.qualified.as_deref()),
            (function, qualified),
            "{text}"
        );
    }

    #[test]
    fn what_tools_write_is_read() {
        for (text, function, qualified) in [
            (
                "solver::Grid<double>::relax (this=0x7ffe, it=3)",
                "relax",
                Some("solver::Grid<double>::relax"),
            ),
            (
                "solver::Grid<double>::relax(int)",
                "relax",
                Some("solver::Grid<double>::relax"),
            ),
            (
                "(anonymous namespace)::Grid::relax(int)",
                "relax",
                Some("(anonymous namespace)::Grid::relax"),
            ),
            (
                "ocean::(anonymous namespace)::quiet (k=3)",
                "quiet",
                Some("ocean::(anonymous namespace)::quiet"),
            ),
            ("f<int (*)(int)> (x=3)", "f", Some("f<int (*)(int)>")),
            ("repeat<int>(int, void (*)(int))", "repeat", Some("repeat<int>")),
            (
                "void repeat<int>(int, void (*)(int))",
                "repeat",
                Some("repeat<int>"),
            ),
            (
                "std::map<int, int> (anonymous namespace)::made<int>(int)",
                "made",
                Some("(anonymous namespace)::made<int>"),
            ),
            ("unsigned long long ns::f<int>(int)", "f", Some("ns::f<int>")),
            (
                "decltype (x.begin()) ns::first<int>(int)",
                "first",
                Some("ns::first<int>"),
            ),
            (
                "std::string[abi:cxx11] ns::text[abi:cxx11](int)",
                "text",
                Some("ns::text[abi:cxx11]"),
            ),
            ("non-virtual thunk to Grid::relax()", "relax", Some("Grid::relax")),
            ("solve(int) [clone .part.0]", "solve", None),
            (
                "- 1 std::thread::join() + 0x17",
                "join",
                Some("std::thread::join"),
            ),
            ("::idle(void*)", "idle", None),
            ("MPI_Barrier@plt", "MPI_Barrier", None),
            ("main", "main", None),
            ("?? ()", "??", None),
            ("", "??", None),
        ] {
            check(text, function, qualified);
        }
    }

    #[test]
    fn functions_in_functions_have_their_own_name() {
        for (text, function, qualified) in [
            (
                "ns::Grid<int>::relax(int, int)::{lambda(int)#1}::operator()(int) const (__closure=0x7f, k=3)",
                "operator()",
                "ns::Grid<int>::relax(int, int)::{lambda(int)#1}::operator()",
            ),
            (
                "Grid::relax(__closure=0x7f, k=3)::'lambda'(int)::operator()(int) const",
                "operator()",
                "Grid::relax(__closure=0x7f, k=3)::'lambda'(int)::operator()",
            ),
            (
                "main::<lambda(int)>::operator()(int) const",
                "operator()",
                "main::<lambda(int)>::operator()",
            ),
            (
                "Grid::relax(int) const::Local::f(int)",
                "f",
                "Grid::relax(int) const::Local::f",
            ),
            (
                "main::{lambda()#1}::operator()() const::{lambda()#2}::_FUN()",
                "_FUN",
                "main::{lambda()#1}::operator()() const::{lambda()#2}::_FUN",
            ),
        ] {
            check(text, function, Some(qualified));
        }
    }

    #[test]
    fn operators_have_brackets_and_blanks() {
        for (text, function, qualified) in [
            (
                "Grid::operator()(int) const",
                "operator()",
                Some("Grid::operator()"),
            ),
            (
                "std::function<int (int)>::operator() (this=0x1)",
                "operator()",
                Some("std::function<int (int)>::operator()"),
            ),
            (
                "std::function<int (int)>::operator(this=0x7f, __args#0=3)(int) const",
                "operator()",
                Some("std::function<int (int)>::operator()"),
            ),
            (
                "Grid::operator unsigned int() const",
                "operator unsigned int",
                Some("Grid::operator unsigned int"),
            ),
            (
                "bool ns::operator==(ns::A const&, ns::A const&)",
                "operator==",
                Some("ns::operator=="),
            ),
            (
                "std::ostream& ns::operator<< <char>(std::ostream&, char)",
                "operator<<",
                Some("ns::operator<< <char>"),
            ),
            ("A::operator->() const", "operator->", Some("A::operator->")),
            ("operator new(unsigned long)", "operator new", None),
            ("operator new[] (sz=3)", "operator new[]", None),
            (
                "unsigned int my_operator<int>(int)",
                "my_operator",
                Some("my_operator<int>"),
            ),
            ("operators::f(int)", "f", Some("operators::f")),
        ] {
            check(text, function, qualified);
        }
    }

    #[test]
    fn any_text_is_read() {
        for text in [
            "<",
            "((",
            "operator",
            "operator(",
            "::",
            "a::",
            "f(]",
            "é<ü",
            " ",
            "->",
            "operator <",
            "decltype",
        ] {
            named(text);
        }
    }
}
