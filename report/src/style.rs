//! The few styles that the text uses: they help the eye and carry no meaning that the words do not.

use anstyle::{AnsiColor, Style};
use std::fmt::Display;

/// The hindmost, and the line that it is on.
pub(crate) const HINDMOST: Style = AnsiColor::Red.on_default().bold();
/// Section titles.
pub(crate) const TITLE: Style = Style::new().bold();
/// Values of variables.
pub(crate) const VALUE: Style = AnsiColor::Cyan.on_default();
/// What is not known, and warnings.
pub(crate) const DOUBT: Style = AnsiColor::Yellow.on_default();
/// What may be skipped.
pub(crate) const FAINT: Style = Style::new().dimmed();

/// `text` in `style`.
pub(crate) fn paint(style: Style, text: impl Display) -> String {
    format!("{style}{text}{style:#}")
}
