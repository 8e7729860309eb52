//! Why a loop gets no counter.

use base::Doubt;
use std::fmt;

/// Why a loop gets no counter: what of its text the file does not show as it must be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoPlace {
    /// The source cannot be read.
    SourceMissing,
    /// The source is not the one that the map was made from.
    SourceChanged,
    /// The function was read in part, so that a statement may be other than it seems.
    ReadInPart {
        /// The function.
        function: String,
        /// What was not understood.
        because: Option<Doubt>,
    },
    /// The loop has several entries, and a counter would miss some iterations.
    SeveralEntries,
    /// The keyword of the loop is written by a macro.
    LoopInMacro,
    /// Something in its header is.
    HeaderInMacro,
    /// The label of a loop of `goto` is.
    LabelInMacro,
    /// The semicolon that ends it is.
    SemicolonInMacro,
    /// No declaration may stand in front of the label of a loop of `goto`.
    BeforeLabel,
    /// What stands in front of it belongs to it, and a brace would part them.
    BeforeLoop,
    /// No function is seen around it.
    OutsideFunction,
    /// A conditional directive begins or ends in it.
    CutByDirective,
    /// A directive stands in its header.
    DirectiveInHeader,
    /// Its brackets do not match.
    Brackets,
    /// Its end is not in sight.
    EndMissing,
    /// That of a `do` loop in it is not.
    InnerEndMissing,
    /// A `case` in it has no colon.
    CaseWithoutEnd,
    /// A macro in it takes a block, or a statement without its semicolon.
    BlockInMacro,
    /// Its tokens end at another line than its statement in the map.
    EndElsewhere,
    /// Statements without braces are nested too deeply.
    TooDeep,
    /// A counter was tried, and the analysis does not call it strict.
    WouldNotOrder,
}

impl fmt::Display for NoPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ReadInPart { function, because } => {
                write!(f, "{function} was not fully understood: ")?;
                return match because {
                    Some(doubt) => doubt.fmt(f),
                    None => f.write_str("no reason given"),
                };
            }
            Self::SourceMissing => "its source is not here",
            Self::SourceChanged => "the map does not fit the source",
            Self::SeveralEntries => "it is entered at several points",
            Self::LoopInMacro => "it comes out of a macro",
            Self::HeaderInMacro => "its header comes out of a macro",
            Self::LabelInMacro => "the label that it goes back to comes out of a macro",
            Self::SemicolonInMacro => "its ';' comes out of a macro",
            Self::BeforeLabel => "there is no place for a declaration in front of its label",
            Self::BeforeLoop => "a pragma or a macro stands in front of it",
            Self::OutsideFunction => "it stands in no function",
            Self::CutByDirective => "a preprocessor directive cuts through it",
            Self::DirectiveInHeader => "a preprocessor directive cuts through its header",
            Self::Brackets => "its brackets do not match",
            Self::EndMissing => "its end is not in sight",
            Self::InnerEndMissing => "the end of a do loop in it is not in sight",
            Self::CaseWithoutEnd => "a case without an end",
            Self::BlockInMacro => "a macro in it takes a block or a statement without ';'",
            Self::EndElsewhere => "its end in the source is not where the map has it",
            Self::TooDeep => "it is nested too deeply",
            Self::WouldNotOrder => "a counter would not order it",
        })
    }
}
