//! A C file with marks, and the same file with the marks turned into logging.
//!
//! A mark stands alone on its line, `/* mark: i, k */`, at one fixed point of the loop's body, and names every variable that
//! the loop changes, the one that the loop is about first. `/* start: j */` begins the sequences of an inner loop anew. What
//! follows a mark belongs to the same loop.

use progress_map::{Function, Loop, LoopId, Map, Point, PointId, Term};

/// A mark: its function, its line, its variables.
#[derive(Clone, Debug)]
pub struct Mark {
    /// The function around it.
    pub function: String,
    /// Its line in the sheet.
    pub line: u32,
    /// The variables that it names, the one that the loop is about first.
    pub variables: Vec<String>,
}

/// The language of a sheet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// C, as gcc compiles it.
    C,
    /// C++, as g++ compiles it.
    Cxx,
}

impl Language {
    /// How its files end.
    #[must_use]
    pub fn ending(self) -> &'static str {
        match self {
            Language::C => "c",
            Language::Cxx => "cpp",
        }
    }
}

/// A file with marks.
#[derive(Clone, Debug)]
pub struct Sheet {
    /// Its name, for messages.
    pub name: &'static str,
    /// Its language.
    pub language: Language,
    /// Its text.
    pub text: String,
    /// Its marks, in order.
    pub marks: Vec<Mark>,
    /// Only loops that the map claims something of are logged: in a sheet of thousands, where nothing else is asked.
    pub only_claims: bool,
}

impl Sheet {
    /// Finds the marks of a text.
    #[must_use]
    pub fn new(name: &'static str, text: &str) -> Self {
        Self::of(name, Language::C, text.to_owned())
    }

    /// Finds the marks of a text in a language.
    #[must_use]
    pub fn of(name: &'static str, language: Language, text: String) -> Self {
        let mut function = String::new();
        let mut marks = Vec::new();
        for (index, line) in text.lines().enumerate() {
            if let Some(name) = defines(line) {
                name.clone_into(&mut function);
            }
            if let Some(variables) = names(line, "mark") {
                marks.push(Mark {
                    function: function.clone(),
                    line: index as u32 + 1,
                    variables,
                });
            }
        }
        Self {
            name,
            language,
            text,
            marks,
            only_claims: false,
        }
    }

    /// The text with marks that log their variables and what the map claims to be starts and steps of the loop's.
    ///
    /// # Errors
    /// When a mark is in no loop of the map.
    pub fn logging(&self, map: &Map) -> Result<String, String> {
        let mut text = String::from("#include \"log.h\"\n#line 1\n");
        let mut marks = self.marks.iter();
        for line in self.text.lines() {
            if let Some(mark) = names(line, "mark").and_then(|_| marks.next()) {
                let mut logged = mark.variables.clone();
                let claims = &mark.place(map)?.in_loop().lovs;
                if self.only_claims && claims.is_empty() {
                    text.push('\n');
                    continue;
                }
                let terms = claims.iter().flat_map(|lov| [&lov.start, &lov.step]).flatten();
                for (name, _) in terms.flat_map(Term::variables) {
                    if !logged.iter().any(|each| each == name) {
                        logged.push(name.to_owned());
                    }
                }
                text.push_str("hx_pass(__func__);");
                text.extend(logged.iter().map(|name| format!(" HX_VALUE({name});")));
            } else if let Some(variables) = names(line, "start") {
                text.extend(variables.iter().map(|name| format!("HX_START({name});")));
            } else {
                text.push_str(line);
            }
            text.push('\n');
        }
        Ok(text)
    }
}

/// Where a mark is in a map.
#[derive(Clone, Copy, Debug)]
pub struct MarkedLoop<'m> {
    /// The function.
    pub function: &'m Function,
    /// The first point after the mark.
    pub point: PointId,
    /// The innermost loop around it.
    pub id: LoopId,
}

impl<'m> MarkedLoop<'m> {
    /// The loop.
    #[must_use]
    pub fn in_loop(&self) -> &'m Loop {
        &self.function.loops[self.id]
    }
}

impl Mark {
    /// Finds the mark in a map of its sheet.
    ///
    /// # Errors
    /// When the map does not have the function, or no loop there.
    pub fn place<'m>(&self, map: &'m Map) -> Result<MarkedLoop<'m>, String> {
        let named = |function: &&Function| function.name == self.function;
        let Some(function) = map.functions.iter().find(named) else {
            return Err(format!("{} is not in the map", self.function));
        };
        let after = |(_, point): &(PointId, &Point)| point.span.line > self.line;
        let first = function
            .points
            .iter_enumerated()
            .filter(after)
            .min_by_key(|(_, point)| (point.span.line, point.span.column));
        match first.and_then(|(id, point)| Some((id, point.innermost_loop?))) {
            Some((point, id)) => Ok(MarkedLoop { function, point, id }),
            None => Err(format!(
                "{}:{}: the mark is in no loop of the map",
                self.function, self.line
            )),
        }
    }
}

fn names(line: &str, word: &str) -> Option<Vec<String>> {
    let rest = line
        .trim()
        .strip_prefix("/* ")?
        .strip_prefix(word)?
        .strip_prefix(": ")?;
    Some(rest.strip_suffix(" */")?.split(", ").map(str::to_owned).collect())
}

/// The name of the function that a line begins to define.
fn defines(line: &str) -> Option<&str> {
    let head = line.split('(').next()?;
    let name = head.split([' ', '*']).next_back()?;
    (!line.starts_with([' ', '/', '#', '}']) && line.ends_with('{') && head != line).then_some(name)
}
