//! Loops and their recurrences, from LLVM's printed text.

use std::collections::{BTreeMap, BTreeSet};

/// The best that scalar evolution says of the values that a loop carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Evolution {
    /// `{start,+,step}`, the step a constant.
    Constant,
    /// The step does not change in the loop.
    Invariant,
    /// A polynomial of the iteration.
    Polynomial,
    /// No recurrence.
    None,
}

/// A loop statement in the IR.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct IrLoop {
    /// The file of the statement, as the compiler was given it.
    pub file: String,
    /// Its line.
    pub line: u32,
    /// Its column.
    pub column: u32,
    /// The function around it.
    pub function: String,
    /// What is known of its values.
    pub evolution: Evolution,
}

/// The loops of a module (`text`) with what `print<scalar-evolution>` printed of it.
pub fn loops(text: &str, printed: &str) -> Vec<IrLoop> {
    let evolutions = evolutions(printed);
    let places = Places::new(text);
    let mut found = Vec::new();
    let mut function = "";
    for line in text.lines() {
        if line.starts_with("define ") {
            function = name_after(line, '@').unwrap_or_default();
        }
        let Some((branch, node)) = line.split_once("!llvm.loop ") else {
            continue;
        };
        // The latch branches to the header, and perhaps out of the loop.
        let headers = evolutions.get(function);
        let mut targets = branch
            .split("label %")
            .skip(1)
            .map(|rest| rest.split([',', ' ']).next().unwrap_or(rest));
        let evolution = targets.find_map(|target| headers?.get(target).copied());
        if let (Some(evolution), Some((file, line, column))) = (evolution, places.of_loop(node.trim())) {
            found.push(IrLoop {
                file,
                line,
                column,
                function: function.to_owned(),
                evolution,
            });
        }
    }
    found
}

/// By function and header: the best recurrence of a value in that loop.
fn evolutions(printed: &str) -> BTreeMap<&str, BTreeMap<&str, Evolution>> {
    let mut all: BTreeMap<&str, BTreeMap<&str, Evolution>> = BTreeMap::new();
    let mut function = "";
    let mut is_phi = false;
    let mut found: Vec<(&str, Evolution)> = Vec::new();
    for line in printed.lines() {
        if let Some(name) = line.strip_prefix("Classifying expressions for: @") {
            function = name;
            found.clear();
        } else if let Some(evolution) = line.trim_start().strip_prefix("-->  ") {
            if is_phi {
                found.extend(recurrence(evolution));
            }
        } else if let Some(rest) = line.strip_prefix("Loop %") {
            let header = rest.split(':').next().unwrap_or(rest);
            let own = found.iter().filter(|(of, _)| *of == header);
            let best = own.map(|(_, evolution)| *evolution).min();
            let headers = all.entry(function).or_default();
            headers.insert(header, best.unwrap_or(Evolution::None));
        } else {
            is_phi = line.contains(" = phi ");
        }
    }
    all
}

/// `{start,+,step}<flags><%header>`: the loop and the kind of its step.
fn recurrence(text: &str) -> Option<(&str, Evolution)> {
    let mut depth = 0u32;
    let mut parts = 0;
    let mut last = 1;
    let mut close = None;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'{' | b'(' => depth += 1,
            b'}' | b')' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    close = Some(at);
                    break;
                }
            }
            b',' if depth == 1 && text[at..].starts_with(",+,") => {
                parts += 1;
                last = at + 3;
            }
            // It is a sum or a name, no recurrence.
            _ if depth == 0 => return None,
            _ => {}
        }
    }
    let close = close.filter(|_| text.starts_with('{'))?;
    let step = &text[last..close];
    let flags = text[close + 1..].split(' ').next().unwrap_or_default();
    let header = flags.rsplit_once("<%")?.1.strip_suffix('>')?;
    let evolution = match step.parse::<i64>() {
        _ if parts > 1 => Evolution::Polynomial,
        Ok(0) => return None,
        Ok(_) => Evolution::Constant,
        Err(_) => Evolution::Invariant,
    };
    Some((header, evolution))
}

/// Debug metadata, as far as it tells where a loop is.
struct Places<'t> {
    nodes: BTreeMap<&'t str, &'t str>,
}

impl<'t> Places<'t> {
    fn new(text: &'t str) -> Self {
        let nodes = text.lines().filter(|line| line.starts_with('!'));
        Self {
            nodes: nodes.filter_map(|line| line.split_once(" = ")).collect(),
        }
    }

    /// `distinct !{!self, !location, …}`
    fn of_loop(&self, node: &str) -> Option<(String, u32, u32)> {
        let inside = self.nodes.get(node)?.split_once("!{")?.1;
        let location = inside.split(", ").nth(1)?.trim_end_matches('}');
        let location = self.nodes.get(location)?;
        if !location.starts_with("!DILocation(") {
            return None;
        }
        let number = |key| value(location, key)?.parse().ok();
        let mut scope = value(location, "scope: ")?;
        let mut seen = BTreeSet::new();
        while seen.insert(scope) {
            let node = self.nodes.get(scope)?;
            if let Some(file) = value(node, "file: ").and_then(|file| self.nodes.get(file)) {
                let text = |key| Some(file.split_once(key)?.1.split('"').next().unwrap_or_default());
                return Some((
                    text("filename: \"")?.to_owned(),
                    number("line: ")?,
                    number("column: ")?,
                ));
            }
            scope = value(node, "scope: ")?;
        }
        None
    }
}

fn value<'t>(node: &'t str, key: &str) -> Option<&'t str> {
    let rest = node.split_once(key)?.1;
    rest.split([',', ')']).next()
}

fn name_after(line: &str, mark: char) -> Option<&str> {
    line.split_once(mark)?.1.split('(').next()
}

#[cfg(test)]
mod tests {
    use super::{Evolution, recurrence};

    #[test]
    fn recurrences() {
        let cases = [
            (
                "{0,+,1}<nuw><nsw><%3> U: [0,8) S: [0,8)",
                Some(("3", Evolution::Constant)),
            ),
            (
                "{{0,+,1}<%3>,+,2}<nsw><%for.body7> U: x",
                Some(("for.body7", Evolution::Constant)),
            ),
            (
                "{%a,+,(4 * (sext i32 %n to i64))}<%5> U: x",
                Some(("5", Evolution::Invariant)),
            ),
            ("{0,+,1,+,1}<%5> U: x", Some(("5", Evolution::Polynomial))),
            ("(2 * %.0)<nuw> U: x", None),
            ("%.0 U: full-set", None),
            ("((8 * %n) + {0,+,1}<%5>) U: x", None),
        ];
        for (text, expected) in cases {
            assert_eq!(recurrence(text), expected, "{text}");
        }
    }
}
