//! Why a function was not understood as it is written.

use std::fmt;

/// Something in a function that a front end or the flow graph did not understand, or only after a repair.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Doubt {
    /// What it is.
    pub cause: Cause,
    /// The macro, label, word or file that it is about; empty if it is about none.
    pub name: String,
    /// The line where it stands; 0 if it has none.
    pub line: u32,
}

impl Doubt {
    /// One that is about no name.
    pub fn at(cause: Cause, line: u32) -> Self {
        Self::about(cause, "", line)
    }

    /// One that is about `name`.
    pub fn about(cause: Cause, name: impl Into<String>, line: u32) -> Self {
        Self {
            cause,
            name: name.into(),
            line,
        }
    }
}

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fill(
            f,
            self.cause.sentence(),
            &[("{name}", &self.name), ("{line}", &self.line)],
        )
    }
}

/// Writes a sentence in which each of the words in braces stands for a value. What a value holds is not looked into again.
pub fn fill(f: &mut fmt::Formatter<'_>, sentence: &str, values: &[(&str, &dyn fmt::Display)]) -> fmt::Result {
    let mut rest = sentence;
    while let Some(at) = rest.find('{') {
        f.write_str(&rest[..at])?;
        rest = &rest[at..];
        let value = values.iter().find(|(word, _)| rest.starts_with(word));
        let Some((word, value)) = value else {
            f.write_str("{")?;
            rest = &rest[1..];
            continue;
        };
        value.fmt(f)?;
        rest = &rest[word.len()..];
    }
    f.write_str(rest)
}

/// Makes [`Cause`] of a table: the variant, its word for programs, and its sentence.
macro_rules! causes {
    ($($cause:ident $code:literal $sentence:literal,)*) => {
        /// What of a function was not understood; the sentence says what it is.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Cause {
            /// What another program said, which may know more causes.
            #[default]
            Other,
            $(
                #[doc = $sentence]
                $cause,
            )*
        }

        impl Cause {
            /// All of them. In files each is told by its place here, so that new ones go to the end.
            pub const ALL: &[Cause] = &[Cause::Other, $(Cause::$cause,)*];

            /// The word for programs.
            pub fn code(self) -> &'static str {
                match self {
                    Cause::Other => "other",
                    $(Cause::$cause => $code,)*
                }
            }

            /// The sentence, in which `{name}` and `{line}` stand for what a [`Doubt`] has.
            fn sentence(self) -> &'static str {
                match self {
                    Cause::Other => "{name}",
                    $(Cause::$cause => $sentence,)*
                }
            }
        }
    };
}

causes! {
    SyntaxError "syntax-error" "syntax error at line {line}",
    SyntaxErrorAround "syntax-error-around" "syntax error around the function at line {line}",
    Braces "braces" "braces do not match in the function that begins at line {line}",
    TooDeep "too-deep" "nested too deeply at line {line}",
    Coroutine "coroutine" "coroutine at line {line}",
    LoopVariable "loop-variable" "loop variable that is not understood at line {line}",
    Condition "condition" "condition that is not understood at line {line}",
    Declaration "declaration" "declaration that is not understood at line {line}",
    Statement "statement" "statement that is not understood at line {line}",
    Expression "expression" "expression that is not understood at line {line}",
    Step "step" "step of something that is no variable at line {line}",
    Assignment "assignment" "assignment to something that is no variable at line {line}",
    JumpOut "jump-out" "jump out of an expression at line {line}",
    AsmGoto "asm-goto" "asm goto at line {line}",
    Asm "asm" "asm statement at line {line}",
    NestedFunction "nested-function" "nested function, or a macro that takes a block, at line {line}",
    ChangedSinceBuild "changed-since-build" "it was read from a file that is newer than the program",
    Renumbered "renumbered" "the #line at line {line} gives lines other numbers",
    GotoPastDestructors "goto-past-destructors" "goto past destructors at line {line}",
    TemplateCall "template-call" "call of a template at line {line}",
    MacroType "macro-type" "macro with arguments in the place of a type at line {line}",
    MacroOrType "macro-or-type" "'{name}' may be no type but a macro that hides code at line {line}",
    BlockArgument "block-argument" "block as a macro argument at line {line}",
    CapturedWrite "captured-write" "macro that may write a captured variable at line {line}",
    UncalledMacro "uncalled-macro" "macro that is no call hides code at line {line}",
    NoFunction "no-function" "a macro that is no expression and no statement",
    Included "included" "{name} is included at line {line}",
    SplitByIf "split-by-if" "#if at line {line} splits a statement",
    SplitBeforeLine "split-before-line" "#if splits a statement before line {line}",
    GroupsTooDeep "groups-too-deep" "conditional groups nested too deeply at line {line}",
    GivenToMacro "given-to-macro" "macro {name} is given to another at line {line}",
    Undecided "undecided-macro" "macro {name} at line {line} calls another, and which one depends on the build",
    Several "several-definitions" "macro {name} at line {line} has several definitions",
    SeveralHideJump "several-hide-jump" "macro {name} at line {line} has several definitions and hides a jump",
    SeveralHideWrite "several-hide-write" "macro {name} at line {line} has several definitions and hides an assignment",
    SeveralHidePart "several-hide-part" "macro {name} at line {line} has several definitions and hides part of a statement",
    Unexpanded "unexpanded" "macro {name} at line {line} could not be expanded",
    UnexpandedHidesJump "unexpanded-hides-jump" "macro {name} at line {line} could not be expanded and hides a jump",
    UnexpandedHidesWrite "unexpanded-hides-write" "macro {name} at line {line} could not be expanded and hides an assignment",
    UnexpandedHidesPart "unexpanded-hides-part" "macro {name} at line {line} could not be expanded and hides part of a statement",
    InnerHidesJump "inner-hides-jump"
        "macro {name}, which the one at line {line} stands for, could not be expanded and hides a jump",
    InnerHidesWrite "inner-hides-write"
        "macro {name}, which the one at line {line} stands for, could not be expanded and hides an assignment",
    InnerHidesPart "inner-hides-part"
        "macro {name}, which the one at line {line} stands for, could not be expanded and hides part of a statement",
    ForeignText "foreign-text" "text of another file stands in it at line {line}",
    MacrosOfLine "macros-of-line" "macros of line {line} cannot be told apart",
    // Repairs, after which the rest is understood.
    TakenForAttribute "taken-for-attribute" "'{name}' taken for an attribute at line {line}",
    TakenForString "taken-for-string" "'{name}' taken for a string at line {line}",
    TakenForCaptures "taken-for-captures" "'{name}' taken for the captures of a lambda at line {line}",
    Blanked "blanked" "{name} blanked at line {line}",
    TakenAsDefined "taken-as-defined" "macro {name} at line {line} is taken to be defined",
    ChoiceOfAttributes "choice-of-attributes" "#if at line {line} chooses among attributes; the first was taken",
    // What the flow graph does not follow.
    NoLabel "no-label" "goto {name} leads to no label",
    ComputedGoto "computed-goto" "goto through a pointer at line {line}",
    LostBreak "lost-break" "break outside a loop at line {line}",
    LostContinue "lost-continue" "continue outside a loop at line {line}",
    LostCase "lost-case" "case outside a switch at line {line}",
    ReturnsTwice "returns-twice" "{name} at line {line} returns twice",
    UnknownStatement "unknown-statement" "line {line} was not understood",
    UnknownExpression "unknown-expression" "an expression at line {line} was not understood",
    // What the compilations of one program do not agree on.
    CompiledDifferently "compiled-differently" "the function at line {line} is another one in other compilations of its file",
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn a_sentence_has_what_it_is_about() {
        let doubt = Doubt::about(Cause::GivenToMacro, "WALK{line}", 12);
        assert_eq!(
            doubt.to_string(),
            "macro WALK{line} is given to another at line 12"
        );
        let doubt = Doubt::at(Cause::SplitByIf, 7);
        assert_eq!(doubt.to_string(), "#if at line 7 splits a statement");
        assert_eq!(Doubt::default().to_string(), "");
    }

    #[test]
    fn every_cause_has_a_word_and_a_sentence_of_its_own() {
        let codes: BTreeSet<_> = Cause::ALL.iter().map(|cause| cause.code()).collect();
        let sentences: BTreeSet<_> = Cause::ALL.iter().map(|cause| cause.sentence()).collect();
        assert_eq!(
            (codes.len(), sentences.len()),
            (Cause::ALL.len(), Cause::ALL.len())
        );
    }
}
