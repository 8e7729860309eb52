//! The shape of prepared text, followed token by token: which brackets are open, where statements begin, which braces
//! are function bodies. It decides repairs while the text is written, and is a second opinion on the tree afterwards.

use crate::cxx::without_template;
use crate::token::TokenKind;
use base::Language;

/// A token of the prepared text.
#[derive(Clone, Copy, Debug)]
pub struct Written {
    /// What it is.
    pub kind: TokenKind,
    /// First byte in the prepared text.
    pub start: u32,
    /// The byte after the last.
    pub end: u32,
}

/// What an open bracket is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Open {
    /// The body of a function.
    Body,
    /// `{` of a statement inside a function.
    Block,
    /// `{` of a structure, enumeration or initialiser.
    Data,
    /// `extern "C" {`, and in C++ a namespace or a class: items stand in it.
    Linkage,
    /// `(` of a call; the index of the first token of the argument at hand.
    Call(usize),
    /// Any other `(`, and `[`.
    Other,
}

/// The longest head of a K&R definition, in tokens, that is recognised.
const OLD_STYLE_LIMIT: usize = 400;

/// The byte ranges that hold function bodies, braces included.
pub type Bodies = Vec<(u32, u32)>;

/// Follows the tokens of prepared text.
#[derive(Debug, Default)]
pub struct Shape {
    language: Language,
    open: Vec<Open>,
    /// How many of `open` are function bodies.
    functions: usize,
    /// Tokens since the item at file scope began.
    item: Vec<Written>,
    /// Index into `item` of the first token of the statement at hand.
    statement: usize,
    body_start: u32,
    bodies: Bodies,
    /// The last token closed a body with nothing in it.
    emptily_closed: bool,
}

impl Shape {
    /// An empty text of `language`.
    pub fn new(language: Language) -> Self {
        Self {
            language,
            ..Self::default()
        }
    }

    /// Whether a function body is open.
    pub fn in_function(&self) -> bool {
        self.functions > 0
    }

    /// How many brackets are open.
    pub fn depth(&self) -> usize {
        self.open.len()
    }

    /// The innermost open bracket.
    pub fn innermost(&self) -> Option<Open> {
        self.open.last().copied()
    }

    /// The tokens of the item at file scope that is at hand.
    pub fn item(&self) -> &[Written] {
        &self.item
    }

    /// The tokens of the statement at hand.
    pub fn statement(&self) -> &[Written] {
        self.item.get(self.statement..).unwrap_or_default()
    }

    /// Whether a statement (or an item at file scope) may begin here.
    pub fn at_statement(&self) -> bool {
        self.statement >= self.item.len() && !matches!(self.innermost(), Some(Open::Call(_) | Open::Other))
    }

    /// Whether the last token closed the body of a function with nothing in it.
    pub fn is_behind_empty_body(&self) -> bool {
        self.emptily_closed
    }

    /// The bodies closed so far.
    pub fn into_bodies(self) -> Bodies {
        self.bodies
    }

    /// Follows `token`, which has just been written to `out`.
    pub fn write(&mut self, token: Written, out: &mut [u8]) -> Event {
        let mut event = Event::None;
        self.emptily_closed = false;
        let text = out
            .get(token.start as usize..token.end as usize)
            .unwrap_or_default();
        match text {
            b"{" => {
                let open = self.brace(out);
                if open == Open::Body {
                    self.body_start = token.start;
                    self.functions += 1;
                    event = Event::ItemHead;
                }
                self.open.push(open);
                self.item.push(token);
                match open {
                    Open::Linkage => self.begin_item(),
                    Open::Body | Open::Block => self.begin_statement(),
                    _ => {}
                }
                return event;
            }
            b"}" => {
                self.item.push(token);
                self.close_brace(token);
                return event;
            }
            b"(" => {
                let open = if self.is_call(out) {
                    Open::Call(self.item.len() + 1)
                } else {
                    Open::Other
                };
                self.open.push(open);
            }
            b"[" => self.open.push(Open::Other),
            b")" | b"]" => {
                if let Some(Open::Call(from)) = self.innermost() {
                    event = Event::Argument(from);
                }
                if matches!(self.innermost(), Some(Open::Call(_) | Open::Other)) {
                    self.open.pop();
                }
            }
            b"," => {
                let next = self.item.len() + 1;
                if let Some(Open::Call(from)) = self.open.last_mut() {
                    event = Event::Argument(*from);
                    *from = next;
                }
            }
            b";" => {
                self.item.push(token);
                match self.innermost() {
                    Some(Open::Body | Open::Block) => self.begin_statement(),
                    None | Some(Open::Linkage) if self.is_cxx() || !self.is_old_style(out) => {
                        return Event::ItemEnd;
                    }
                    _ => {}
                }
                return event;
            }
            b":" if self.is_cxx() && self.innermost() == Some(Open::Linkage) && self.is_access(out) => {
                self.begin_item();
                return event;
            }
            _ => {}
        }
        self.item.push(token);
        event
    }

    fn is_cxx(&self) -> bool {
        self.language == Language::Cxx
    }

    /// Whether the item at hand is `public`, `private` or `protected`.
    fn is_access(&self, out: &[u8]) -> bool {
        let text = |t: &Written| out.get(t.start as usize..t.end as usize).unwrap_or_default();
        matches!(self.item.as_slice(), [only] if matches!(text(only), b"public" | b"private" | b"protected"))
    }

    /// Forgets the item at hand; to be called after [`Event::ItemEnd`], when its tokens have been looked at.
    pub fn begin_item(&mut self) {
        self.item.clear();
        self.statement = 0;
    }

    /// Makes the next token the first of a statement: after a label.
    pub fn begin_statement(&mut self) {
        self.statement = self.item.len();
    }

    fn close_brace(&mut self, token: Written) {
        // An unclosed parenthesis must not hide the end of the block that it stands in.
        while matches!(self.innermost(), Some(Open::Call(_) | Open::Other)) {
            self.open.pop();
        }
        match self.open.pop() {
            Some(Open::Body) => {
                self.functions -= 1;
                let before = self.item.len().checked_sub(2).map(|at| self.item[at].start);
                self.emptily_closed = before == Some(self.body_start);
                self.bodies.push((self.body_start, token.end));
                if self.in_function() {
                    self.begin_statement()
                } else {
                    self.begin_item()
                }
            }
            Some(Open::Block) => self.begin_statement(),
            Some(Open::Linkage) | None => self.begin_item(),
            _ => {}
        }
    }

    /// What the `{` is that follows the tokens of the statement at hand.
    fn brace(&self, out: &[u8]) -> Open {
        let text = |t: &Written| out.get(t.start as usize..t.end as usize).unwrap_or_default();
        let head = self.statement();
        let last = head.last().map(text).unwrap_or_default();
        if self.is_cxx() {
            return self.cxx_brace(out);
        }
        let data_word = |word: &[u8]| matches!(word, b"struct" | b"union" | b"enum");
        let tag = head.len() >= 2 && data_word(text(&head[head.len() - 2]));
        let enclosed = matches!(self.innermost(), Some(Open::Data | Open::Call(_) | Open::Other));
        if data_word(last) || tag || matches!(last, b"=" | b"]") {
            return Open::Data;
        }
        if self.in_function() {
            // `({` is a statement expression; `f((T){…})` and `x = {` are data; `f(x, {` is a macro with a block.
            let data = enclosed && (last != b"(" && last != b"," || self.innermost() == Some(Open::Data));
            return if data { Open::Data } else { Open::Block };
        }
        if enclosed {
            return Open::Data;
        }
        if head.last().is_some_and(|t| t.kind == TokenKind::Str) {
            return Open::Linkage;
        }
        let word = |wanted: &[u8]| head.iter().any(|t| text(t) == wanted);
        if word(b"(") && !word(b"=") && !word(b"typedef") {
            Open::Body
        } else {
            Open::Data
        }
    }

    /// What the `{` is that follows the tokens of the statement at hand, in C++.
    fn cxx_brace(&self, out: &[u8]) -> Open {
        let text = |t: &Written| out.get(t.start as usize..t.end as usize).unwrap_or_default();
        let head = self.statement();
        let enclosed = matches!(self.innermost(), Some(Open::Data | Open::Call(_) | Open::Other));
        let last = head.last().map(text).unwrap_or_default();
        if self.in_function() {
            // A lambda is a block wherever it stands; what follows a name is its initialiser.
            let block = match last {
                b")" | b"mutable" | b"noexcept" | b"else" | b"do" | b"try" | b":" | b"constexpr" => true,
                b"" | b";" | b"{" | b"}" => !enclosed,
                _ => false,
            };
            return if block { Open::Block } else { Open::Data };
        }
        if enclosed {
            return Open::Data;
        }
        let head = without_template(head, text);
        let position = |wanted: &[u8]| head.iter().position(|t| text(t) == wanted);
        let strings = head
            .iter()
            .all(|t| t.kind == TokenKind::Str || text(t) == b"extern");
        if position(b"namespace").is_some() || strings && !head.is_empty() {
            return Open::Linkage;
        }
        let paren = position(b"(");
        // `void f(struct A *a) {` names a class among the parameters only.
        let mut depth = 0_i32;
        let key = head.iter().position(|t| {
            match text(t) {
                b"(" => depth += 1,
                b")" => depth -= 1,
                _ => {}
            }
            depth == 0 && matches!(text(t), b"class" | b"struct" | b"union")
        });
        if let Some(key) = key
            && position(b"enum").is_none()
            && paren.is_none_or(|paren| paren < key || position(b":").is_some_and(|colon| colon < paren))
        {
            return Open::Linkage;
        }
        if paren.is_none() {
            return Open::Data;
        }
        // `std::function<void()> f = [] {`: what is assigned is no body, wherever the first parenthesis stands.
        let mut depth = 0_i32;
        let assigned = head.iter().enumerate().any(|(at, t)| {
            match text(t) {
                b"(" | b"[" | b"{" => depth += 1,
                b")" | b"]" | b"}" => depth -= 1,
                _ => {}
            }
            depth == 0 && text(t) == b"=" && (at == 0 || text(&head[at - 1]) != b"operator")
        });
        if assigned || last == b"=" {
            return Open::Data;
        }
        // `A() : a{1} {`: the first brace belongs to a member, and follows its name.
        let colon = head
            .windows(2)
            .any(|pair| matches!(text(&pair[0]), b")" | b"noexcept" | b"const") && text(&pair[1]) == b":");
        let named = head.last().is_some_and(|t| t.kind == TokenKind::Ident) || last == b">";
        if colon && named { Open::Data } else { Open::Body }
    }

    /// Whether the item at hand, which ends in `;`, may be the head of a K&R definition: a declaration of at least two
    /// words follows the parameter list.
    fn is_old_style(&self, out: &[u8]) -> bool {
        let text = |t: &Written| out.get(t.start as usize..t.end as usize).unwrap_or_default();
        let Some(close) = self.item.iter().position(|t| text(t) == b")") else {
            return false;
        };
        let declarations = &self.item[close + 1..];
        let starts = declarations.get(..2);
        let is_name = |t: &Written| t.kind == TokenKind::Ident;
        starts.is_some_and(|two| is_name(&two[0]) && (is_name(&two[1]) || self.declares_listed(close, out)))
            && self.item.len() < OLD_STYLE_LIMIT
            && !self.item.iter().any(|t| text(t) == b"=")
    }

    /// Whether what stands behind the `)` at `close` names one of the words that are listed in front of it: `f(p) T *p;`.
    fn declares_listed(&self, close: usize, out: &[u8]) -> bool {
        let text = |t: &Written| out.get(t.start as usize..t.end as usize).unwrap_or_default();
        let Some(open) = self.item[..close].iter().position(|t| text(t) == b"(") else {
            return false;
        };
        let (list, behind) = (&self.item[open + 1..close], &self.item[close + 1..]);
        let is_list = list.iter().all(|t| t.kind == TokenKind::Ident || text(t) == b",");
        let is_listed = |t: &Written| list.iter().any(|each| text(each) == text(t));
        is_list && behind.iter().any(|t| t.kind == TokenKind::Ident && is_listed(t))
    }

    /// Whether the `(` that follows opens the arguments of a call, as far as tokens can tell.
    fn is_call(&self, out: &[u8]) -> bool {
        let text = |t: &Written| out.get(t.start as usize..t.end as usize).unwrap_or_default();
        let Some((callee, before)) = self.statement().split_last() else {
            return false;
        };
        if !self.in_function() || callee.kind != TokenKind::Ident || is_keyword(text(callee)) {
            return false;
        }
        if self.is_cxx() && (is_cxx_keyword(text(callee)) || declaration_word(text(callee)).is_some()) {
            return false;
        }
        // `extern T f(int *), g(int *);` declares functions only.
        if before.first().is_some_and(|t| text(t) == b"extern") {
            return false;
        }
        // `int f(int);` declares: only type words and stars before the name.
        let type_like = |t: &Written| (t.kind == TokenKind::Ident && !is_control(text(t))) || text(t) == b"*";
        before.is_empty() || !before.iter().all(type_like)
    }
}

/// What a token brings about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// Nothing.
    None,
    /// An argument of a call has ended; its first token has this index in [`Shape::item`].
    Argument(usize),
    /// A function body has begun: the item's tokens are the function's head.
    ItemHead,
    /// A declaration at file scope has ended.
    ItemEnd,
}

/// Keywords after which a parenthesis is not a call's.
pub fn is_keyword(word: &[u8]) -> bool {
    let operator = matches!(
        word,
        b"sizeof"
            | b"_Alignof"
            | b"__alignof__"
            | b"alignof"
            | b"typeof"
            | b"__typeof__"
            | b"__typeof"
            | b"offsetof"
            | b"_Generic"
            | b"_Alignas"
            | b"asm"
            | b"__asm__"
            | b"__asm"
            | b"__attribute__"
    );
    operator || is_control(word)
}

/// Words of C++ that no name of C++ can be.
pub fn is_cxx_keyword(word: &[u8]) -> bool {
    matches!(
        word,
        b"catch"
            | b"class"
            | b"const_cast"
            | b"consteval"
            | b"constexpr"
            | b"constinit"
            | b"decltype"
            | b"delete"
            | b"dynamic_cast"
            | b"explicit"
            | b"export"
            | b"friend"
            | b"mutable"
            | b"namespace"
            | b"new"
            | b"noexcept"
            | b"operator"
            | b"private"
            | b"protected"
            | b"public"
            | b"reinterpret_cast"
            | b"requires"
            | b"static_assert"
            | b"static_cast"
            | b"template"
            | b"this"
            | b"throw"
            | b"try"
            | b"typeid"
            | b"typename"
            | b"using"
            | b"virtual"
    )
}

/// Keywords of control flow.
pub fn is_control(word: &[u8]) -> bool {
    matches!(
        word,
        b"if"
            | b"else"
            | b"while"
            | b"do"
            | b"for"
            | b"switch"
            | b"case"
            | b"default"
            | b"return"
            | b"goto"
            | b"break"
            | b"continue"
    )
}

/// Keywords that belong to declarations; `true` for those that name a type by themselves.
pub fn declaration_word(word: &[u8]) -> Option<bool> {
    match word {
        b"int" | b"char" | b"short" | b"long" | b"unsigned" | b"signed" | b"float" | b"double" | b"void"
        | b"_Bool" | b"bool" | b"struct" | b"union" | b"enum" | b"_Complex" | b"__int128" | b"typeof"
        | b"__typeof__" => Some(true),
        b"static" | b"extern" | b"inline" | b"const" | b"volatile" | b"register" | b"auto" | b"restrict"
        | b"typedef" | b"__inline" | b"__inline__" | b"_Thread_local" | b"__thread" | b"_Atomic"
        | b"_Noreturn" | b"thread_local" => Some(false),
        _ => None,
    }
}
