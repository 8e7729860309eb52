//! Heads of one function that conditional groups choose among: `#ifdef STDC` / `int f(int n)` / `#else` / `int f(n) int n;` / `#endif` / `{`.
//!
//! Where all heads say the same of the function (its type, and the names and types of its parameters), any of them does. The type may also stand
//! in front of the group, and other declarations in its arms.

use super::Writer;
use crate::condition::{Arm, Group};
use crate::directive::Directive;
use std::collections::BTreeMap;

type Words<'a> = Vec<&'a [u8]>;

/// What a head says.
#[derive(Debug, PartialEq, Eq)]
struct Head<'a> {
    /// All in front of the parameters: type and name.
    function: Words<'a>,
    /// The names of the parameters, in their order, with the words of their types.
    parameters: Vec<(&'a [u8], Words<'a>)>,
    /// What stands behind the parameters.
    behind: Words<'a>,
}

impl<'a> Writer<'a> {
    /// The arm of `group` to be read, if its arms are heads of one function that say the same, in front of its body.
    pub(super) fn choice_of_heads(&self, group: &Group) -> Option<usize> {
        if !group.exhaustive || group.arms.len() < 2 {
            return None;
        }
        let opens_behind = self
            .raw
            .tokens
            .get(group.last + 1)
            .is_some_and(|t| self.text(*t) == b"{");
        let mut first: Option<Head<'a>> = None;
        let mut prototype = None;
        for arm in &group.arms {
            let mut words = self.words_of(arm)?;
            // The body may begin in each arm, or behind all of them.
            let opens = words.last() == Some(&b"{".as_slice());
            if opens == opens_behind {
                return None;
            }
            if opens {
                words.pop();
            }
            let (head, is_prototype) = head_behind_declarations(&words)?;
            if first.as_ref().is_some_and(|first| *first != head) {
                return None;
            }
            if is_prototype {
                prototype.get_or_insert(arm.directive);
            }
            first = Some(head);
        }
        prototype.or(group.arms.first().map(|arm| arm.directive))
    }

    /// The words of an arm; `None` where they depend on the build.
    fn words_of(&self, arm: &Arm) -> Option<Words<'a>> {
        let mut words = Vec::new();
        let mut at = arm.directive + 1;
        while at < arm.end {
            let token = self.raw.tokens.get(at)?;
            match self.directives.at(at) {
                Some(Directive::If(_)) => {
                    let group = self.directives.group(at)?;
                    match &group.arms[..] {
                        [] => {}
                        [only] if group.exhaustive => words.extend(self.words_of(only)?),
                        _ => return None,
                    }
                    at = group.last;
                }
                Some(Directive::Elif(_) | Directive::Else | Directive::Endif) => return None,
                Some(_) => {}
                None => words.push(self.text(*token)),
            }
            at += 1;
        }
        Some(words)
    }
}

/// The same of a head with declarations of other things in front of it.
fn head_behind_declarations<'a>(words: &[&'a [u8]]) -> Option<(Head<'a>, bool)> {
    let mut start = 0;
    for declaration in split(words, b";") {
        if let Some(found) = head(&words[start..]) {
            return Some(found);
        }
        start += declaration.len() + 1;
    }
    None
}

/// Takes a head apart; and whether it is a prototype. `None` if it is no head of a function.
fn head<'a>(words: &[&'a [u8]]) -> Option<(Head<'a>, bool)> {
    let open = words.iter().position(|word| *word == b"(")?;
    let close = matching(words, open)?;
    let (function, inside, behind) = (&words[..open], &words[open + 1..close], &words[close + 1..]);
    if !function.last().is_some_and(|name| is_name(name)) || function.contains(&b"=".as_slice()) {
        return None;
    }
    let list: Vec<&[&[u8]]> = match inside {
        [] | [b"void"] => Vec::new(),
        _ => split(inside, b","),
    };
    // `f(n) int n;`: names alone, and declarations behind.
    let is_list = behind.last() == Some(&b";".as_slice())
        && list
            .iter()
            .all(|parameter| matches!(parameter, [name] if is_name(name)));
    let parameters = if is_list {
        let mut types = BTreeMap::new();
        for declaration in split(&behind[..behind.len() - 1], b";") {
            declared(declaration, &mut types)?;
        }
        let named = list.iter().map(|parameter| {
            let name = parameter[0];
            let ty = types.remove(name).unwrap_or_else(|| vec![b"int".as_slice()]);
            (name, ty)
        });
        named.collect()
    } else {
        list.iter()
            .map(|parameter| named(parameter))
            .collect::<Option<Vec<_>>>()?
    };
    let head = Head {
        function: function.to_vec(),
        parameters,
        behind: if is_list { Vec::new() } else { behind.to_vec() },
    };
    // What is no list of parameters declares something else.
    let is_head = is_list || !behind.contains(&b";".as_slice());
    is_head.then_some((head, !is_list))
}

/// What the declarators of `declaration` are called, with their types.
fn declared<'a>(declaration: &[&'a [u8]], types: &mut BTreeMap<&'a [u8], Words<'a>>) -> Option<()> {
    let parts = split(declaration, b",");
    let first = parts.first()?;
    let (name, ty) = named(first)?;
    // The base type ends where the first declarator begins.
    let base = first
        .iter()
        .take_while(|word| is_name(word) && **word != name)
        .copied()
        .filter(|word| !is_qualifier(word));
    let base = Vec::from_iter(base);
    types.insert(name, ty);
    for part in &parts[1..] {
        let (name, declarator) = named(part)?;
        let ty = base.iter().copied().chain(declarator);
        types.insert(name, ty.collect());
    }
    Some(())
}

/// The name that a declaration of one thing gives, and its other words. What is declared by brackets within brackets is not taken apart.
fn named<'a>(words: &[&'a [u8]]) -> Option<(&'a [u8], Words<'a>)> {
    let end = words.iter().position(|word| *word == b"[").unwrap_or(words.len());
    let at = end.checked_sub(1)?;
    if words[..end].contains(&b"(".as_slice()) || !is_name(words[at]) {
        return None;
    }
    let rest = words[..at].iter().chain(&words[end..]);
    Some((
        words[at],
        rest.copied().filter(|word| !is_qualifier(word)).collect(),
    ))
}

/// Whether a parameter is the same with `word` and without it, as far as values go.
fn is_qualifier(word: &[u8]) -> bool {
    matches!(word, b"register" | b"const")
}

fn is_name(word: &[u8]) -> bool {
    word.first()
        .is_some_and(|first| first.is_ascii_alphabetic() || *first == b'_')
}

/// The index of the bracket that closes the one at `open`.
fn matching(words: &[&[u8]], open: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, word) in words.iter().enumerate().skip(open) {
        match *word {
            b"(" | b"[" | b"{" => depth += 1,
            b")" | b"]" | b"}" => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

/// The stretches between separators that stand in no brackets.
fn split<'w, 'a>(words: &'w [&'a [u8]], separator: &[u8]) -> Vec<&'w [&'a [u8]]> {
    let (mut found, mut depth, mut start) = (Vec::new(), 0_i32, 0);
    for (at, word) in words.iter().enumerate() {
        match *word {
            b"(" | b"[" | b"{" => depth += 1,
            b")" | b"]" | b"}" => depth -= 1,
            word if depth == 0 && word == separator => {
                found.push(&words[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    found.push(&words[start..]);
    found
}
