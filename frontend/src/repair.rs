//! Repairs of code that C compilers accept and the grammar does not; none of them can change control flow.

use crate::shape::{Written, declaration_word, is_control};
use crate::token::{Token, TokenKind};
use base::looks_like_macro;
use ir::Attribute;

/// Bytes of the template arguments in the name of a class.
const ARGUMENTS_LIMIT: usize = 400;

/// If an attribute or the like begins at token `at`, the index of the token after it.
pub fn attribute(text: &[u8], tokens: &[Token], at: usize) -> Option<usize> {
    match tokens.get(at)?.text(text) {
        b"double" | b"float" | b"long" if beside_complex(text, tokens, at) => Some(at + 1),
        b"__extension__" | b"__restrict" | b"__restrict__" | b"__inline__" | b"__inline" | b"_Noreturn"
        | b"__const" | b"__signed__" | b"__noreturn__" => Some(at + 1),
        // Where a function runs and a variable lies, for CUDA and HIP.
        b"__global__" | b"__device__" | b"__host__" | b"__shared__" | b"__constant__" | b"__managed__"
        | b"__forceinline__" | b"__noinline__" => Some(at + 1),
        // A vector is read as one of its elements: no order is made by it.
        b"__vector" => Some(at + 1),
        b"__attribute__" | b"__attribute" | b"__declspec" | b"_Alignas" | b"_Pragma"
        | b"__launch_bounds__" => after_parens(text, tokens, at + 1),
        _ => None,
    }
}

/// The attribute in `text` that changes what is called.
pub fn attribute_of_calls(text: &[u8]) -> Option<Attribute> {
    let words = text.split(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_');
    let words = words.skip(1).filter_map(|word| match word {
        b"constructor" | b"__constructor__" | b"destructor" | b"__destructor__" => {
            Some(Attribute::Constructor)
        }
        b"cleanup" | b"__cleanup__" => Some(Attribute::Cleanup),
        b"alias" | b"__alias__" | b"weakref" | b"__weakref__" | b"ifunc" | b"__ifunc__" => {
            Some(Attribute::Alias)
        }
        _ => None,
    });
    words.min()
}

/// Whether the word at `at`, which no known macro has for a name, says by its name that it is an attribute, and stands beside a type
/// and what this declares: `LIB_UNUSED int n;`, `f(LIB_UNUSED int *p)`, `int LIB_UNUSED n = 0;`. Headers that configuring a library
/// makes define such words.
pub fn is_unknown_attribute(text: &[u8], tokens: &[Token], at: usize) -> bool {
    let token = |at: usize| tokens.get(at).copied();
    let word = |at: usize| token(at).map(|t| t.text(text)).unwrap_or_default();
    let is_name = |at: usize| token(at).is_some_and(|t| t.kind == TokenKind::Ident) && !is_control(word(at));
    let is_declared = |at: usize| matches!(word(at), b";" | b"," | b")" | b"=" | b"[");
    let says_so = |part: &[u8]| {
        matches!(
            part,
            b"UNUSED" | b"DEPRECATED" | b"NODISCARD" | b"NORETURN" | b"ATTRIBUTE" | b"RESTRICT"
        )
    };
    let name = word(at);
    if !looks_like_macro(name) || !name.split(|&byte| byte == b'_').any(says_so) || !is_name(at + 1) {
        return false;
    }
    let before_type = is_name(at + 2) || word(at + 2) == b"*";
    // Behind a tag's keyword it is the tag, and behind a qualifier the type.
    let before = at.checked_sub(1).map(word).unwrap_or_default();
    let is_tag = matches!(before, b"struct" | b"union" | b"enum" | b"class" | b"typename");
    let is_type = at.checked_sub(1).is_some_and(is_name) && declaration_word(before) != Some(false);
    let behind_type = is_type || before == b"*";
    if is_tag {
        return false;
    }
    before_type || behind_type && is_declared(at + 2)
}

/// Whether a definition without a type, `main() {`, begins at `at`: C89 lets it return `int`.
pub fn lacks_type(text: &[u8], tokens: &[Token], at: usize) -> bool {
    let known = tokens
        .get(at)
        .is_some_and(|t| declaration_word(t.text(text)).is_some() || is_control(t.text(text)));
    let after = if known {
        None
    } else {
        after_parens(text, tokens, at + 1)
    };
    after
        .and_then(|at| tokens.get(at))
        .is_some_and(|t| t.text(text) == b"{")
}

/// Whether the word at `at` is part of a complex type, of which the word `complex` alone is kept, as the name of a type.
fn beside_complex(text: &[u8], tokens: &[Token], at: usize) -> bool {
    let complex = |at: usize| {
        tokens
            .get(at)
            .is_some_and(|t| matches!(t.text(text), b"complex" | b"_Complex"))
    };
    complex(at + 1) || at.checked_sub(1).is_some_and(complex)
}

/// The index after the parenthesised tokens that begin at `open`.
pub fn after_parens(text: &[u8], tokens: &[Token], open: usize) -> Option<usize> {
    if tokens.get(open)?.text(text) != b"(" {
        return None;
    }
    let mut depth = 0;
    // An attribute is short; an unclosed parenthesis must not cost a scan of the whole file.
    for (at, token) in tokens.iter().enumerate().skip(open).take(400) {
        match token.text(text) {
            b"(" => depth += 1,
            b")" => depth -= 1,
            _ if token.kind == TokenKind::Directive => return None,
            _ => {}
        }
        if depth == 0 {
            return Some(at + 1);
        }
    }
    None
}

/// Whether a parenthesis behind the tokens of `statement` may be a cast's, or be around an operand: not one of a call,
/// a subscript or a keyword.
pub fn cast_may_follow(statement: &[Written], out: &[u8]) -> bool {
    let text = |t: &Written| out.get(t.start as usize..t.end as usize).unwrap_or_default();
    let Some(last) = statement.last() else {
        return true;
    };
    match (last.kind, text(last)) {
        (TokenKind::Punct, b"]") => false,
        (TokenKind::Punct, b")") => {
            // Behind a cast comes an operand; behind any other parenthesis a call may.
            let group: Vec<_> = statement
                .iter()
                .rev()
                .skip(1)
                .take(8)
                .take_while(|t| text(t) != b"(")
                .collect();
            let words = group
                .iter()
                .all(|t| t.kind == TokenKind::Ident || text(t) == b"*");
            let pointer = group.first().is_some_and(|t| text(t) == b"*");
            words && (pointer || group.iter().any(|t| declaration_word(text(t)) == Some(true)))
        }
        (TokenKind::Punct, _) => true,
        (TokenKind::Ident, word) => matches!(word, b"return" | b"case" | b"else" | b"do"),
        _ => false,
    }
}

/// Replaces an argument that is a type (`va_arg(ap, int)`, `ALLOC(double *, n)`) by a zero. Says whether it did.
pub fn blank_type_argument(argument: &[Written], out: &mut [u8]) -> bool {
    let (Some(first), Some(last)) = (argument.first(), argument.last()) else {
        return false;
    };
    let text = |t: &Written| out.get(t.start as usize..t.end as usize).unwrap_or_default();
    let words = |t: &Written| (t.kind == TokenKind::Ident && !is_control(text(t))) || text(t) == b"*";
    let pointer = argument.len() > 1 && text(last) == b"*";
    // Most arguments fail at their second token; an outer one may be long, and is seen again for every level.
    if first.kind != TokenKind::Ident || !argument.iter().all(words) {
        return false;
    }
    if !pointer && !argument.iter().any(|t| declaration_word(text(t)) == Some(true)) {
        return false;
    }
    if let Some(bytes) = out.get_mut(first.start as usize..last.end as usize) {
        bytes.fill(b' ');
        bytes[0] = b'0';
    }
    true
}

/// Blanks the words in front of a declaration at file scope that can be neither its type nor its name: macros of
/// headers that were not gathered, such as `API_EXPORT int f(void)`. Returns the first.
pub fn blank_attribute_words(item: &[Written], out: &mut [u8]) -> Option<String> {
    let text = |t: &Written| out.get(t.start as usize..t.end as usize).unwrap_or_default();
    let count = item.iter().take_while(|t| t.kind == TokenKind::Ident).count();
    let (words, rest) = item.split_at(count);
    let next = rest.first().map(text)?;
    if words.first().is_some_and(|t| text(t) == b"typedef") {
        return None;
    }
    // Behind a star comes the name; otherwise the last word is it.
    let names = match next {
        b"*" => 0,
        b"(" | b";" | b"=" | b"[" | b"," => 1,
        _ => return None,
    };
    let mut types = words.get(..words.len().checked_sub(names)?)?;
    if let Some(at) = types
        .iter()
        .position(|t| matches!(text(t), b"struct" | b"union" | b"enum"))
    {
        // The tag is not a word to spare.
        types = &types[..at + 1];
    }
    let free: Vec<Written> = types
        .iter()
        .filter(|t| declaration_word(text(t)).is_none())
        .copied()
        .collect();
    let typed = types.iter().any(|t| declaration_word(text(t)) == Some(true));
    let spare = free.get(..free.len().saturating_sub(usize::from(!typed)))?;
    let first = spare
        .first()
        .map(|t| String::from_utf8_lossy(text(t)).into_owned());
    for word in spare {
        if let Some(bytes) = out.get_mut(word.start as usize..word.end as usize) {
            bytes.fill(b' ');
        }
    }
    first
}

/// Blanks the class that a text ends with, `A<int>::`, in front of the star of a pointer to a member: the grammar knows such pointers in
/// some places only, and what they are pointers to makes no difference here.
pub fn blank_class_of_pointer(text: &mut [u8]) {
    let mut from = text.trim_ascii_end().len();
    let mut found = None;
    while text[..from].ends_with(b"::") {
        from = text[..from - 2].trim_ascii_end().len();
        if text[..from].ends_with(b">") {
            let mut open = 0_usize;
            let arguments = text[..from].iter().rev().take(ARGUMENTS_LIMIT).position(|byte| {
                match byte {
                    b'>' => open += 1,
                    b'<' => open -= 1,
                    _ => {}
                }
                open == 0
            });
            let Some(length) = arguments else { return };
            from = text[..from - length - 1].trim_ascii_end().len();
        }
        let is_name = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
        let length = text[..from].iter().rev().take_while(is_name).count();
        if length == 0 {
            return;
        }
        from -= length;
        found = Some(from);
        from = text[..from].trim_ascii_end().len();
    }
    if let Some(from) = found {
        let blank = |byte: &mut u8| *byte = if *byte == b'\n' { b'\n' } else { b' ' };
        text[from..].iter_mut().for_each(blank);
    }
}

/// Blanks a word in capitals in front of the type of a C++ declaration, behind its template header if it has one:
/// `template <class T> DEVICE_FUNCTION void f(T x) {`. Says which.
pub fn blank_cxx_attribute(item: &[Written], out: &mut [u8]) -> Option<String> {
    let text = |at: usize| {
        let token = item.get(at);
        token
            .and_then(|t| out.get(t.start as usize..t.end as usize))
            .unwrap_or_default()
    };
    let mut at = 0;
    while text(at) == b"template" {
        let mut open = 0_usize;
        at += 1;
        loop {
            match text(at) {
                b"" => return None,
                b"<" => open += 1,
                b">" => open = open.saturating_sub(1),
                b">>" => open = open.saturating_sub(2),
                _ => {}
            }
            at += 1;
            if open == 0 {
                break;
            }
        }
    }
    while matches!(
        text(at),
        b"static" | b"inline" | b"constexpr" | b"virtual" | b"friend" | b"extern"
    ) {
        at += 1;
    }
    let word = item.get(at).copied()?;
    let named = looks_like_macro(text(at)) && text(at).contains(&b'_');
    // What follows must be the type: a word, and behind it more than a parenthesis.
    let typed = item.get(at + 1).is_some_and(|next| next.kind == TokenKind::Ident)
        && !matches!(text(at + 1), b"operator" | b"const");
    if !named
        || !typed
        || matches!(
            text(at + 2),
            b"(" | b"=" | b";" | b"," | b"::" | b"<" | b"{" | b"["
        )
    {
        return None;
    }
    let name = String::from_utf8_lossy(text(at)).into_owned();
    if let Some(bytes) = out.get_mut(word.start as usize..word.end as usize) {
        bytes.fill(b' ');
    }
    Some(name)
}
