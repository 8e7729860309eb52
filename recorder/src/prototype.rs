//! The functions that a header declares for profiling.

/// One function: `int PMPI_Send(const void *buf, int count, …);`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prototype {
    /// Its name, with the `P`.
    pub name: String,
    /// Its parameters; empty for `(void)`.
    pub parameters: Vec<Parameter>,
}

/// A parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// What stands before its name: `const MPI_Datatype`, `MPI_Status *`.
    pub ty: String,
    /// Its name, made up where the header gives none.
    pub name: String,
    /// What stands behind it: `[]`, `[][3]`.
    pub suffix: String,
}

impl Prototype {
    /// The name by which programs call it: `MPI_Send`.
    #[must_use]
    pub fn function(&self) -> &str {
        self.name.strip_prefix('P').unwrap_or(&self.name)
    }

    /// The parameters as a definition has them.
    #[must_use]
    pub fn declared(&self) -> String {
        let one = |parameter: &Parameter| format!("{} {}{}", parameter.ty, parameter.name, parameter.suffix);
        if self.parameters.is_empty() {
            "void".to_owned()
        } else {
            self.parameters.iter().map(one).collect::<Vec<_>>().join(", ")
        }
    }

    /// The parameters as a call passes them on.
    #[must_use]
    pub fn passed(&self) -> String {
        let names = self.parameters.iter().map(|parameter| parameter.name.as_str());
        names.collect::<Vec<_>>().join(", ")
    }
}

impl Parameter {
    /// Whether it is a value of this type: `MPI_Comm comm`.
    #[must_use]
    pub fn is(&self, ty: &str) -> bool {
        self.suffix.is_empty() && self.plain() == [ty]
    }

    /// Whether it is the address of one or several: `MPI_Comm *newcomm`, `MPI_Request requests[]`.
    #[must_use]
    pub fn leads_to(&self, ty: &str) -> bool {
        match &self.plain()[..] {
            [word, "*"] => *word == ty && self.suffix.is_empty(),
            [word] => *word == ty && !self.suffix.is_empty(),
            _ => false,
        }
    }

    fn plain(&self) -> Vec<&str> {
        let words = self.ty.split_ascii_whitespace();
        words
            .filter(|word| !matches!(*word, "const" | "struct"))
            .collect()
    }
}

/// All functions of a preprocessed header that return `int` and whose names begin with `PMPI_`, each once, in order.
#[must_use]
pub fn all(header: &str) -> Vec<Prototype> {
    let words = words(header);
    let mut found: Vec<Prototype> = Vec::new();
    for (at, window) in words.windows(3).enumerate() {
        let ["int", name, "("] = *window else {
            continue;
        };
        if !name.starts_with("PMPI_") || found.iter().any(|known| known.name == *name) {
            continue;
        }
        if let Some(parameters) = parameters(&words[at + 3..]) {
            found.push(Prototype {
                name: (*name).to_owned(),
                parameters,
            });
        }
    }
    found
}

/// The parameters that stand in front of the closing parenthesis; `None` for what this reader does not understand.
fn parameters(words: &[&str]) -> Option<Vec<Parameter>> {
    let close = words.iter().position(|word| *word == ")")?;
    let inside = &words[..close];
    if inside.contains(&"(") || inside.contains(&"...") {
        return None;
    }
    if matches!(inside, [] | ["void"]) {
        return Some(Vec::new());
    }
    let parts = inside.split(|word| *word == ",");
    Some(
        parts
            .enumerate()
            .map(|(index, part)| parameter(index, part))
            .collect(),
    )
}

fn parameter(index: usize, words: &[&str]) -> Parameter {
    let bracket = words.iter().position(|word| *word == "[").unwrap_or(words.len());
    let (head, suffix) = words.split_at(bracket);
    // A type alone is one word, besides qualifiers; a second one is the name.
    let is_word = |word: &str| word.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    let types = head.iter().filter(|word| {
        is_word(word)
            && !matches!(
                **word,
                "const" | "struct" | "unsigned" | "restrict" | "__restrict"
            )
    });
    let named = types.count() > 1 && head.last().is_some_and(|last| is_word(last));
    let (ty, name) = match (named, head.split_last()) {
        (true, Some((name, ty))) => (ty, (*name).to_owned()),
        _ => (head, format!("argument_{index}")),
    };
    Parameter {
        ty: ty.join(" "),
        name,
        suffix: suffix.concat(),
    }
}

/// The words and signs of C text. Declarations have no strings that matter, and no comments once they are preprocessed.
fn words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let in_word = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
        let length = match first {
            _ if in_word(first) => rest.find(|c| !in_word(c)).unwrap_or(rest.len()),
            _ => first.len_utf8(),
        };
        let (word, behind) = rest.split_at(length);
        if !first.is_whitespace() {
            words.push(word);
        }
        rest = behind;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_with_names_and_without() {
        let found = all(
            "extern int PMPI_Recv(void *buf, int count, MPI_Datatype t, const int sources[], int r[][3],\n MPI_Status *status) ;\
             __attribute__((x)) int PMPI_File_open(MPI_Comm, const char *, int, MPI_Info, MPI_File *);\
             int PMPI_Finalize(void); int PMPI_Recv(int again); int PMPI_Odd(int (*f)(void)); double PMPI_Wtime(void);",
        );
        let declared: Vec<(&str, String, String)> = found
            .iter()
            .map(|each| (each.function(), each.declared(), each.passed()))
            .collect();
        assert_eq!(
            declared,
            [
                (
                    "MPI_Recv",
                    "void * buf, int count, MPI_Datatype t, const int sources[], int r[][3], MPI_Status * status".to_owned(),
                    "buf, count, t, sources, r, status".to_owned()
                ),
                (
                    "MPI_File_open",
                    "MPI_Comm argument_0, const char * argument_1, int argument_2, MPI_Info argument_3, MPI_File * argument_4"
                        .to_owned(),
                    "argument_0, argument_1, argument_2, argument_3, argument_4".to_owned()
                ),
                ("MPI_Finalize", "void".to_owned(), String::new()),
            ]
        );
        assert!(found[0].parameters[5].leads_to("MPI_Status") && found[1].parameters[0].is("MPI_Comm"));
    }
}
