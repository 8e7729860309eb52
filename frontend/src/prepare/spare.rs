//! Words beside a type that no known macro has for a name: calling conventions, attributes and the like, which a build's
//! generated headers or its command line define.
//!
//! Two names in a row are a type and what it declares, and three are never C or C++: one of them is a macro. Which one it is
//! decides the type at most, never what is executed, as long as it cannot be a statement: the first word of a statement is
//! left alone.

use super::Writer;
use crate::macros::Meaning;
use crate::repair;
use crate::shape::{Open, declaration_word, is_control, is_cxx_keyword, is_keyword};
use crate::token::{Token, TokenKind};
use base::looks_like_macro;
use base::{Cause, Confidence, Doubt, Language};

/// What stands for the captures of a lambda that a macro begins: nothing is known of them.
const CAPTURES: &str = "[&]";

impl Writer<'_> {
    /// Deals with the word at `at`, which no known macro has for a name, if only a macro can explain it; returns the index
    /// of the next token.
    pub(super) fn unknown_macro(&mut self, at: usize) -> Option<usize> {
        let token = self.raw.tokens[at];
        let taken_for = if repair::is_unknown_attribute(self.raw.text, self.raw.tokens, at)
            || self.is_spare(at)
            || self.is_alone(at)
        {
            self.blank_to(token.end);
            Cause::TakenForAttribute
        } else if self.is_unknown_string(at) {
            self.stand_in("\"\"", TokenKind::Str, token.start, token.end);
            // The macros of <inttypes.h> are strings in every build.
            if matches!(self.text(token).get(..3), Some(b"PRI" | b"SCN")) {
                return Some(at + 1);
            }
            Cause::TakenForString
        } else if self.begins_lambda(at) {
            self.stand_in(CAPTURES, TokenKind::Punct, token.start, token.end);
            Cause::TakenForCaptures
        } else {
            return None;
        };
        let (line, word) = (self.line(token.start), String::from_utf8_lossy(self.text(token)));
        let doubt = Doubt::about(taken_for, word, line);
        self.note(token.start..token.end, Confidence::Repaired, doubt);
        Some(at + 1)
    }

    fn near(&self, at: Option<usize>) -> Option<Token> {
        at.and_then(|at| self.raw.tokens.get(at)).copied()
    }

    fn word_at(&self, at: Option<usize>) -> &[u8] {
        self.near(at).map(|t| t.text(self.raw.text)).unwrap_or_default()
    }

    /// Whether the token at `at` is a name: no word of the language.
    fn is_name(&self, at: Option<usize>) -> bool {
        let word = self.word_at(at);
        self.near(at).is_some_and(|t| t.kind == TokenKind::Ident)
            && !is_keyword(word)
            && !is_cxx_keyword(word)
            && !is_operator_word(word)
            && declaration_word(word).is_none()
            && !matches!(
                word,
                b"complex" | b"_Complex" | b"imaginary" | b"_Imaginary" | b"nullptr"
            )
    }

    /// Whether the word at `at` stands on a line of its own between items, where no type can: what it stands for is whole items,
    /// attributes or braces around items (`LIB_NAMESPACE_OPEN`), and nothing that a function does.
    fn is_alone(&self, at: usize) -> bool {
        let is_item = self.shape.item().is_empty()
            && !self.shape.in_function()
            && matches!(self.shape.innermost(), None | Some(Open::Linkage));
        if !is_item || !self.has_own_line(at) {
            return false;
        }
        let tokens = self.raw.tokens;
        let is_directive = |at: usize| tokens[at].kind == TokenKind::Directive;
        let Some(next) = (at + 1..tokens.len()).find(|&next| !is_directive(next)) else {
            return true;
        };
        let (word, after) = (self.word_at(Some(next)), Some(next + 1));
        match word {
            b"namespace" | b"template" | b"class" | b"struct" | b"union" | b"enum" | b"using"
            | b"typedef" | b"extern" | b"static" | b"inline" | b"constexpr" | b"}" => true,
            _ if is_type_word(word) || self.is_alone(next) => true,
            _ => self.is_name(Some(next)) && (self.is_name(after) || self.begins_declaration(next)),
        }
    }

    /// Whether the word at `at` stands among the words in front of a declaration of C++, at whose place no type can: `inline WORD T<int> f()`.
    fn is_in_front_of_cxx_item(&self, at: usize) -> bool {
        let items = matches!(self.shape.innermost(), None | Some(Open::Linkage)) && !self.shape.in_function();
        let begins = match self.written_last(0) {
            b"" => true,
            b"static" | b"inline" | b"constexpr" | b"extern" | b"virtual" | b"friend" | b"explicit" => true,
            b">" => self.shape.item().first().is_some_and(|first| {
                self.prepared.text.get(first.start as usize..first.end as usize) == Some(b"template")
            }),
            _ => false,
        };
        let next = self.word_at(Some(at + 1));
        self.raw.language == Language::Cxx
            && items
            && begins
            && looks_like_macro(self.word_at(Some(at)))
            && (matches!(next, b"typename" | b"virtual" | b"explicit" | b"static" | b"inline" | b"constexpr")
                || next == b"const" && (self.is_name(Some(at + 2)) || is_type_word(self.word_at(Some(at + 2))))
                // `WORD operator int()` converts to another type.
                || next == b"operator" && (is_type_word(self.word_at(Some(at + 2))) || self.is_name(Some(at + 2)))
                || is_type_word(next)
                || next == b"~"
                || self.begins_constructor(at + 1)
                || self.begins_declaration(at + 1))
    }

    /// Whether a constructor begins at `at`: the name of a class, with a parenthesis behind it.
    fn begins_constructor(&self, at: usize) -> bool {
        self.is_name(Some(at)) && self.word_at(Some(at + 1)) == b"(" && self.is_class(self.word_at(Some(at)))
    }

    /// Whether a type begins at `at`, a name with its qualifiers, and what it declares follows; or the definition of a constructor.
    fn begins_declaration(&self, at: usize) -> bool {
        let (mut last, mut before) = (at, None);
        while self.is_name(Some(last))
            && self.word_at(Some(last + 1)) == b"::"
            && self.is_name(Some(last + 2))
        {
            (before, last) = (Some(last), last + 2);
        }
        let behind = self.word_at(Some(last + 1));
        let constructor = before.is_some_and(|class| self.word_at(Some(class)) == self.word_at(Some(last)));
        self.is_name(Some(last))
            && (matches!(behind, b"<" | b"*" | b"&" | b"&&" | b"const")
                || self.is_name(Some(last + 1))
                || behind == b"(" && constructor)
    }

    /// Whether the token at `at` is a word written as macros are, on a line of its own.
    pub(super) fn has_own_line(&self, at: usize) -> bool {
        let tokens = self.raw.tokens;
        let line = |at: usize| tokens.get(at).map(|token| self.line(token.start));
        let (before, own) = (at.checked_sub(1).and_then(line), line(at));
        // A directive may go on over several lines; what follows one is on a line of its own.
        let begins = before.is_none() || before < own || tokens[at - 1].kind == TokenKind::Directive;
        begins && line(at + 1) != own && looks_like_macro(self.word_at(Some(at))) && self.is_name(Some(at))
    }

    /// Whether the word at `at` is spare beside a type.
    fn is_spare(&self, at: usize) -> bool {
        self.is_name(Some(at)) && !self.is_known_type(at) && self.is_beside_type(at) && !self.is_value(at)
    }

    /// Whether the word at `at` stands where only an attribute can.
    fn is_beside_type(&self, at: usize) -> bool {
        if self.is_in_front_of_cxx_item(at) {
            return true;
        }
        let (before, after) = (self.written_last(0), at + 1);
        let next = self.word_at(Some(after));
        // `[=] WORD (int i) {`
        if self.raw.language == Language::Cxx && before == b"]" && next == b"(" {
            return self.heads_block(after);
        }
        let item_begins = self.shape.item().is_empty() && !self.shape.in_function();
        let qualified = matches!(
            before,
            b"const" | b"volatile" | b"static" | b"inline" | b"extern" | b"constexpr"
        );
        let listed = matches!(before, b"(" | b",");
        // `f(WORD const char *x)`, but `f(T const &x)` and `f(T const x)`.
        if next == b"const" && listed {
            let typed = is_type_word(self.word_at(Some(after + 1)));
            let named = self.is_name(Some(after + 1))
                && (self.is_name(Some(after + 2))
                    || matches!(self.word_at(Some(after + 2)), b"*" | b"&" | b"::"));
            return typed || named;
        }
        // Of C, the words in front of a declaration at file scope are looked at when it is there as a whole.
        let head_of_c = self.raw.language == Language::C
            && !self.shape.in_function()
            && !matches!(self.shape.innermost(), Some(Open::Call(_) | Open::Other));
        if head_of_c {
            return false;
        }
        if item_begins && matches!(next, b"static" | b"inline" | b"extern" | b"constexpr") {
            return true;
        }
        if is_type_word(next) {
            return qualified || listed || item_begins;
        }
        if self.is_name(Some(after)) && self.is_known_type(after) {
            let declares =
                self.is_name(Some(after + 1)) || matches!(self.word_at(Some(after + 1)), b"*" | b"&");
            return declares && (qualified || listed || item_begins);
        }
        self.is_behind_type() && self.declares(after)
    }

    /// The text of the prepared token `back` tokens before the last.
    fn written_last(&self, back: usize) -> &[u8] {
        let token = self.shape.item().iter().rev().nth(back);
        token
            .and_then(|t| self.prepared.text.get(t.start as usize..t.end as usize))
            .unwrap_or_default()
    }

    /// Whether a type ends here, which is not the first word of a statement.
    fn is_behind_type(&self) -> bool {
        match self.written_last(0) {
            b"*" | b"&" | b"&&" | b">" => true,
            b"const" | b"volatile" => matches!(self.written_last(1), b"*" | b"&"),
            b"int" | b"char" | b"float" | b"double" | b"void" | b"bool" | b"_Bool" => true,
            word => {
                let name = self
                    .shape
                    .item()
                    .last()
                    .is_some_and(|t| t.kind == TokenKind::Ident)
                    && !is_keyword(word)
                    && !is_cxx_keyword(word)
                    && !is_operator_word(word)
                    && declaration_word(word).is_none();
                name && (!self.shape.in_function() || self.shape.statement().len() > 1)
            }
        }
    }

    /// Whether the word at `at` stands elsewhere in the file as a value or variable does: with an operator, a bracket or the end of an
    /// expression behind it.
    fn is_value(&self, at: usize) -> bool {
        let word = self.word_at(Some(at));
        if let Some(known) = self.values.borrow().get(word) {
            return *known;
        }
        let tokens = self.raw.tokens;
        let is_value = (0..tokens.len()).any(|index| {
            let token = tokens[index];
            let directive = |at: usize| tokens.get(at).is_none_or(|t| t.kind == TokenKind::Directive);
            token.kind == TokenKind::Ident
                && token.text(self.raw.text) == word
                && !directive(index + 1)
                && tokens[index + 1].kind == TokenKind::Punct
                && !matches!(self.word_at(Some(index + 1)), b"*" | b"&" | b"&&" | b"(" | b"~")
        });
        self.values.borrow_mut().insert(word.into(), is_value);
        is_value
    }

    /// Whether a declarator begins at `at`: a name, behind stars perhaps, and what may follow it.
    fn declares(&self, at: usize) -> bool {
        let behind_name = self.word_at(at.checked_sub(2));
        let mut name = at;
        while matches!(self.word_at(Some(name)), b"*" | b"&" | b"&&") {
            name += 1;
        }
        if name == at && self.word_at(Some(at)) == b"operator" {
            return true;
        }
        // `a * W * b` may be a product.
        if name > at && matches!(behind_name, b"*" | b"&" | b"&&") {
            return false;
        }
        let next = self.word_at(Some(name + 1));
        self.is_name(Some(name))
            && !self.is_macro(name)
            && (matches!(next, b"," | b")" | b"=" | b"[" | b";")
                || name == at && matches!(next, b"(" | b"::"))
    }

    fn is_macro(&self, at: usize) -> bool {
        let token = self.raw.tokens[at];
        !matches!(
            self.raw.visible.meaning(self.text(token), token.start),
            Meaning::None
        )
    }

    /// Whether the name at `at` is known to be one of a type.
    fn is_known_type(&self, at: usize) -> bool {
        let name = self.word_at(Some(at));
        self.raw.visible.is_visible_typedef(name) || self.is_class(name)
    }

    fn is_class(&self, name: &[u8]) -> bool {
        let declared = self.raw.visible.cxx();
        declared.iter().any(|declared| declared.is_class(name))
    }

    /// Whether a block follows the parenthesis at `open`.
    fn heads_block(&self, open: usize) -> bool {
        let after = repair::after_parens(self.raw.text, self.raw.tokens, open);
        after
            .is_some_and(|after| matches!(self.word_at(Some(after)), b"{" | b"mutable" | b"->" | b"noexcept"))
    }

    /// Whether the name at `at` stands beside a string literal, where only a macro for another one can stand.
    fn is_unknown_string(&self, at: usize) -> bool {
        // `"x"_suffix` is one literal.
        let suffix = self
            .near(at.checked_sub(1))
            .is_some_and(|t| t.kind == TokenKind::Str && t.end == self.raw.tokens[at].start);
        self.is_name(Some(at)) && !suffix && self.is_part_of_a_string(at)
    }

    /// Whether the name at `at` stands for the captures of a lambda, which it says: `LIB_LAMBDA(int i) { … }` among arguments.
    fn begins_lambda(&self, at: usize) -> bool {
        let name = self.word_at(Some(at));
        let says_so =
            looks_like_macro(name) && name.split(|&byte| byte == b'_').any(|part| part == b"LAMBDA");
        let argument = matches!(self.word_at(at.checked_sub(1)), b"(" | b"," | b"=");
        self.raw.language == Language::Cxx
            && says_so
            && argument
            && self.shape.in_function()
            && self.word_at(Some(at + 1)) == b"("
            && self.heads_block(at + 1)
    }

    /// Whether the statement that ends with the token at `at` does so by a macro, whose definitions all end their statements
    /// themselves: `FAIL(x)` for `{ …; goto done; }`.
    pub(super) fn ends_by_macro(&self, at: usize) -> bool {
        let mut name = at;
        if self.word_at(Some(at)) == b")" {
            let mut depth = 0_usize;
            loop {
                match self.word_at(Some(name)) {
                    b")" => depth += 1,
                    b"(" => depth -= 1,
                    _ => {}
                }
                let Some(before) = name.checked_sub(1).filter(|_| name + MOST_ARGUMENTS > at) else {
                    return false;
                };
                name = before;
                if depth == 0 {
                    break;
                }
            }
        }
        self.near(Some(name))
            .is_some_and(|token| token.kind == TokenKind::Ident && self.ends_statement(token))
    }

    fn ends_statement(&self, token: Token) -> bool {
        let definitions = match self.raw.visible.meaning(self.text(token), token.start) {
            Meaning::One(definition) => vec![definition],
            Meaning::Several(definitions) => definitions,
            Meaning::None | Meaning::Elsewhere => return false,
        };
        definitions.iter().all(|d| {
            d.body
                .last()
                .is_some_and(|last| matches!(&*last.text, b";" | b"}"))
        })
    }
}

/// Tokens of the arguments of a macro that ends a statement.
const MOST_ARGUMENTS: usize = 400;

/// Words of which a type is made.
fn is_type_word(word: &[u8]) -> bool {
    declaration_word(word) == Some(true) && word != b"typeof" && word != b"__typeof__"
}

/// Whether C++ has another way of writing an operator in `word`, or an operator of its own.
fn is_operator_word(word: &[u8]) -> bool {
    matches!(
        word,
        b"and"
            | b"or"
            | b"not"
            | b"xor"
            | b"bitand"
            | b"bitor"
            | b"compl"
            | b"and_eq"
            | b"or_eq"
            | b"not_eq"
            | b"xor_eq"
            | b"co_return"
            | b"co_yield"
            | b"co_await"
    ) || is_control(word)
}
