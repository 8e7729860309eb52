//! What is known of a line: who stands there, and what the map says.

use crate::desk::View;
use crate::facts::{Teller, frame_values};
use engine::RelationToHindmost;
use lsp_types::{Hover, HoverContents, MarkupContent, MarkupKind};
use progress_map::FileId;
use report::clean;

impl Teller<'_> {
    /// A line of the mapped text; nothing where it is outside of all functions.
    pub(crate) fn hover(
        &self,
        file: FileId,
        line: u32,
        view: &View<'_>,
        markup: MarkupKind,
    ) -> Option<Hover> {
        let told = engine::line_view(&self.project.job.map, file, line);
        if told.functions.is_empty() {
            return None;
        }
        let mut who = String::new();
        let standings = self.project.standings(file).iter();
        for standing in standings.filter(|standing| standing.line == line) {
            let class = self.project.class(standing)?;
            let role = match (standing.is_innermost, self.project.role(standing)) {
                (true, RelationToHindmost::Hindmost) => "here, hindmost",
                (true, RelationToHindmost::Candidate) => "here, may be the hindmost",
                (true, RelationToHindmost::Ahead) => "here, ahead of the hindmost",
                (true, _) => "here",
                (false, RelationToHindmost::Hindmost) => "in this call, hindmost",
                (false, _) => "in this call",
            };
            let values = frame_values(class, standing.frame);
            let between = if values.is_empty() { "" } else { ": " };
            who.push_str(&format!(
                "{} {role}{between}{values}\n",
                clean(&class.who.to_string())
            ));
        }
        let mut text = anstream::adapter::strip_str(&report::line_text(&told)).to_string();
        if !view.alignment.is_same() {
            text.push_str("(the file has been edited since; lines are those of the mapped text)\n");
        }
        let plain = who + &text;
        let value = if markup == MarkupKind::Markdown {
            // What a name could hold must not end the block.
            format!("```text\n{}```\n", plain.replace("```", "'''"))
        } else {
            plain
        };
        Some(Hover {
            contents: HoverContents::Markup(MarkupContent { kind: markup, value }),
            range: None,
        })
    }
}
