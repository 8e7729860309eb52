//! Reads a condition: a descent along its grammar, no deeper than [`DEEPEST`].
//!
//! ```text
//! condition = and { "or" and }
//! and       = not { "and" not }
//! not       = "not" not | "(" condition ")" | who what
//! who       = "rank" RANK | "ranks" RANKS | "any" "rank" | "any" "of" RANKS | "all" "ranks" | "all" "of" RANKS
//!           | NUMBER "ranks" | NUMBER "of" RANKS
//! what      = "in" CALL [ "for" TIME ] | "outside" [ "for" TIME ] | "has" deed [ NUMBER "times" ] [ "since" ]
//! deed      = "sent" { "tag" TAG | "to" RANKS } | "received" { "tag" TAG | "from" RANKS } | "entered" CALL | "left" CALL
//! ```

use crate::error::{Error, Wrong};
use crate::syntax::{Call, Condition, Deed, Fact, Formula, Ranks, What, Who};
use base::RankSet;
use std::ops::Range;

/// Bytes of a condition, at most.
const LONGEST: usize = 1 << 16;

/// Facts of a condition, at most: one with `since` looks at all that stand left of it.
const FACTS: usize = 256;

/// How deep brackets and `not` may stand in one another.
const DEEPEST: usize = 64;

impl Condition {
    /// Reads a condition. `is_call` says whether there is a function of MPI of this name, in the standard's spelling (`MPI_Win_fence`).
    ///
    /// # Errors
    /// It is no condition, and where it is not.
    pub fn parse(text: &str, is_call: &dyn Fn(&str) -> bool) -> Result<Self, Error> {
        if text.len() > LONGEST {
            return Err(Error {
                at: 0..0,
                wrong: Wrong::TooLong(text.len()),
            });
        }
        let mut parser = Parser {
            words: words(text),
            next: 0,
            end: text.len(),
            depth: 0,
            facts: 0,
            is_call,
        };
        let formula = parser.condition(Left::Nothing)?;
        match parser.peek() {
            None => Ok(Self { formula }),
            Some(_) => Err(parser.expected("'and', 'or' or the end")),
        }
    }
}

/// Whether anything stands left of an operand in the innermost `and` of which it is not the first.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Left {
    Nothing,
    Operands,
}

#[derive(Clone, Copy)]
struct Word<'t> {
    text: &'t str,
    at: usize,
}

impl Word<'_> {
    fn range(self) -> Range<usize> {
        self.at..self.at + self.text.len()
    }

    fn is(self, word: &str) -> bool {
        self.text.eq_ignore_ascii_case(word)
    }
}

/// Brackets are words of their own, all else ends at spaces.
fn words(text: &str) -> Vec<Word<'_>> {
    let mut words = Vec::new();
    let mut start = None;
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        if !c.is_whitespace() && !matches!(c, '(' | ')') {
            start.get_or_insert(at);
            continue;
        }
        if let Some(start) = start.take() {
            words.push(Word {
                text: &text[start..at],
                at: start,
            });
        }
        if !c.is_whitespace() {
            words.push(Word {
                text: &text[at..at + c.len_utf8()],
                at,
            });
        }
    }
    words
}

struct Parser<'t, 'c> {
    words: Vec<Word<'t>>,
    next: usize,
    /// How long the text is.
    end: usize,
    depth: usize,
    facts: usize,
    is_call: &'c dyn Fn(&str) -> bool,
}

impl<'t> Parser<'t, '_> {
    fn peek(&self) -> Option<Word<'t>> {
        self.words.get(self.next).copied()
    }

    fn take(&mut self, word: &str) -> bool {
        let is_next = self.peek().is_some_and(|next| next.is(word));
        self.next += usize::from(is_next);
        is_next
    }

    fn error(&self, wrong: Wrong) -> Error {
        let at = self.peek().map_or(self.end..self.end, Word::range);
        Error { at, wrong }
    }

    fn expected(&self, what: &'static str) -> Error {
        self.error(Wrong::Expected(what))
    }

    /// The next word as something; it is what has to stand there.
    fn word<T>(
        &mut self,
        what: &'static str,
        wrong: Wrong,
        read: impl FnOnce(&'t str) -> Option<T>,
    ) -> Result<T, Error> {
        let Some(next) = self.peek() else {
            return Err(self.expected(what));
        };
        let read = read(next.text).ok_or_else(|| self.error(wrong))?;
        self.next += 1;
        Ok(read)
    }

    fn condition(&mut self, left: Left) -> Result<Formula, Error> {
        let mut parts = vec![self.and(left)?];
        while self.take("or") {
            parts.push(self.and(left)?);
        }
        Ok(only(parts, Formula::Or))
    }

    fn and(&mut self, left: Left) -> Result<Formula, Error> {
        let mut parts = vec![self.not(left)?];
        while self.take("and") {
            parts.push(self.not(Left::Operands)?);
        }
        Ok(only(parts, Formula::And))
    }

    fn not(&mut self, left: Left) -> Result<Formula, Error> {
        let is_not = self.peek().is_some_and(|next| next.is("not"));
        if !is_not && self.peek().is_none_or(|next| next.text != "(") {
            return Ok(Formula::Fact(self.fact(left)?));
        }
        if self.depth == DEEPEST {
            return Err(self.error(Wrong::TooDeep));
        }
        self.next += 1;
        self.depth += 1;
        let inner = if is_not {
            Formula::Not(Box::new(self.not(left)?))
        } else {
            let inner = self.condition(left)?;
            if !self.take(")") {
                return Err(self.expected("'and', 'or' or ')'"));
            }
            inner
        };
        self.depth -= 1;
        Ok(inner)
    }

    fn fact(&mut self, left: Left) -> Result<Fact, Error> {
        if self.facts == FACTS {
            return Err(self.error(Wrong::TooManyFacts));
        }
        self.facts += 1;
        let who = self.who()?;
        let what = if self.take("in") {
            let call = self.call()?;
            What::In(call, self.lasting()?)
        } else if self.take("outside") {
            What::Outside(self.lasting()?)
        } else if self.take("has") {
            self.has(left)?
        } else {
            return Err(self.expected("'in', 'outside' or 'has'"));
        };
        Ok(Fact { who, what })
    }

    fn who(&mut self) -> Result<Who, Error> {
        if self.take("rank") {
            let rank = self.word("a rank", Wrong::Ranks, |word| word.parse::<u32>().ok())?;
            return Ok(Who::All(Ranks::Set(RankSet::from_iter([rank]))));
        }
        if self.take("ranks") {
            return Ok(Who::All(Ranks::Set(self.ranks()?)));
        }
        if self.take("any") {
            if self.take("rank") {
                return Ok(Who::AtLeast(1, Ranks::Job));
            }
            if self.take("of") {
                return Ok(Who::AtLeast(1, Ranks::Set(self.ranks()?)));
            }
            return Err(self.expected("'rank' or 'of'"));
        }
        if self.take("all") {
            if self.take("ranks") {
                return Ok(Who::All(Ranks::Job));
            }
            if self.take("of") {
                return Ok(Who::All(Ranks::Set(self.ranks()?)));
            }
            return Err(self.expected("'ranks' or 'of'"));
        }
        let number = self.peek();
        let is_number = number.is_some_and(|word| word.text.starts_with(|c: char| c.is_ascii_digit()));
        if !is_number {
            return Err(self.expected("'rank', 'ranks', 'any', 'all', a number, 'not' or '('"));
        }
        let asked = self.count("a number")?;
        if self.take("ranks") {
            return Ok(Who::AtLeast(asked, Ranks::Job));
        }
        if !self.take("of") {
            return Err(self.expected("'ranks' or 'of'"));
        }
        let set = self.ranks()?;
        if asked > set.len() {
            return Err(Error {
                at: number.map_or(0..0, Word::range),
                wrong: Wrong::TooMany { asked, of: set.len() },
            });
        }
        Ok(Who::AtLeast(asked, Ranks::Set(set)))
    }

    /// A set of ranks; `rank` or `ranks` may stand before it.
    fn ranks(&mut self) -> Result<RankSet, Error> {
        let _ = self.take("ranks") || self.take("rank");
        self.word("a rank or set of ranks", Wrong::Ranks, |word| {
            word.parse().ok().filter(|set: &RankSet| !set.is_empty())
        })
    }

    /// A number of at least 1.
    fn count(&mut self, what: &'static str) -> Result<u64, Error> {
        if self.peek().is_some_and(|next| next.text == "0") {
            return Err(self.error(Wrong::Zero));
        }
        self.word(what, Wrong::Number, |word| word.parse().ok())
    }

    fn has(&mut self, left: Left) -> Result<What, Error> {
        let deed = if self.take("sent") {
            let (tag, to) = self.message("to")?;
            Deed::Sent(tag, to)
        } else if self.take("received") {
            let (tag, from) = self.message("from")?;
            Deed::Received(tag, from)
        } else if self.take("entered") {
            Deed::Entered(self.call()?)
        } else if self.take("left") {
            Deed::Left(self.call()?)
        } else {
            return Err(self.expected("'sent', 'received', 'entered' or 'left'"));
        };
        let is_number = |word: Word<'_>| word.text.starts_with(|c: char| c.is_ascii_digit());
        let times = if self.peek().is_some_and(is_number) {
            let times = self.count("a number")?;
            if !self.take("times") && !self.take("time") {
                return Err(self.expected("'times'"));
            }
            times
        } else {
            1
        };
        let since = self.peek().filter(|next| next.is("since"));
        if since.is_some() && left == Left::Nothing {
            return Err(self.error(Wrong::SinceNothing));
        }
        self.next += usize::from(since.is_some());
        Ok(What::Has {
            deed,
            times,
            since: since.is_some(),
        })
    }

    /// The tag of a message, and its other end, in any order.
    fn message(&mut self, word: &str) -> Result<(Option<i64>, Option<RankSet>), Error> {
        let (mut tag, mut peers) = (None, None);
        loop {
            if tag.is_none() && self.take("tag") {
                tag = Some(self.word("a tag", Wrong::Number, |word| word.parse().ok())?);
            } else if peers.is_none() && self.take(word) {
                peers = Some(self.ranks()?);
            } else {
                return Ok((tag, peers));
            }
        }
    }

    fn call(&mut self) -> Result<Call, Error> {
        let Some(next) = self.peek() else {
            return Err(self.expected("a function of MPI"));
        };
        let call = if next.is("MPI") {
            Call::Any
        } else {
            let name = in_standard_spelling(next.text);
            if !(self.is_call)(&name) {
                return Err(self.error(Wrong::UnknownCall(name)));
            }
            Call::Named(name)
        };
        self.next += 1;
        Ok(call)
    }

    fn lasting(&mut self) -> Result<u64, Error> {
        if !self.take("for") {
            return Ok(0);
        }
        self.word("a time", Wrong::Time, nanoseconds)
    }
}

/// `allreduce` and `MPI_ALLREDUCE` are `MPI_Allreduce`.
fn in_standard_spelling(word: &str) -> String {
    let bare = word
        .get(..4)
        .filter(|prefix| prefix.eq_ignore_ascii_case("MPI_"))
        .map_or(word, |prefix| &word[prefix.len()..]);
    let mut name = String::from("MPI_");
    for (at, c) in bare.chars().enumerate() {
        name.push(if at == 0 {
            c.to_ascii_uppercase()
        } else {
            c.to_ascii_lowercase()
        });
    }
    name
}

fn nanoseconds(word: &str) -> Option<u64> {
    let digits = word.find(|c: char| !c.is_ascii_digit())?;
    let (number, unit) = word.split_at(digits);
    let unit = match unit {
        "ns" => 1,
        "us" => 1_000,
        "ms" => 1_000_000,
        "s" => 1_000_000_000,
        "min" | "m" => 60_000_000_000,
        "h" => 3_600_000_000_000,
        _ => return None,
    };
    number.parse::<u64>().ok()?.checked_mul(unit)
}

fn only(mut parts: Vec<Formula>, many: fn(Vec<Formula>) -> Formula) -> Formula {
    match (parts.len(), parts.pop()) {
        (1, Some(only)) => only,
        (_, last) => {
            parts.extend(last);
            many(parts)
        }
    }
}
