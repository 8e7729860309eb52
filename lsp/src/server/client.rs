//! What a client says of itself.

use crate::text::Encoding;
use lsp_types::{ClientCapabilities, MarkupKind};
use std::path::PathBuf;

/// What the client can do.
#[derive(Default)]
pub(super) struct Client {
    pub(super) encoding: Option<Encoding>,
    pub(super) markdown: bool,
    pub(super) show_document: bool,
    pub(super) related: bool,
    pub(super) watches: bool,
    pub(super) refreshes_lenses: bool,
    pub(super) refreshes_hints: bool,
    pub(super) root: Option<PathBuf>,
}

impl Client {
    /// What is shown to the user is written in this.
    pub(super) fn markup(&self) -> MarkupKind {
        if self.markdown {
            MarkupKind::Markdown
        } else {
            MarkupKind::PlainText
        }
    }

    pub(super) fn of(capabilities: &ClientCapabilities) -> Self {
        let general = capabilities.general.as_ref();
        let offered = general.and_then(|general| general.position_encodings.as_deref());
        let text = capabilities.text_document.as_ref();
        let workspace = capabilities.workspace.as_ref();
        let hover = text.and_then(|text| text.hover.as_ref());
        let formats = hover.and_then(|hover| hover.content_format.as_ref());
        let shown = text.and_then(|text| text.publish_diagnostics.as_ref());
        let window = capabilities.window.as_ref();
        let show = window.and_then(|window| window.show_document.as_ref());
        let watched = workspace.and_then(|workspace| workspace.did_change_watched_files.as_ref());
        let lenses = workspace.and_then(|workspace| workspace.code_lens.as_ref());
        let hints = workspace.and_then(|workspace| workspace.inlay_hint.as_ref());
        Self {
            encoding: Some(Encoding::agreed(offered)),
            markdown: formats.is_some_and(|formats| formats.contains(&MarkupKind::Markdown)),
            show_document: show.is_some_and(|show| show.support),
            related: shown.and_then(|shown| shown.related_information).unwrap_or(false),
            watches: watched
                .and_then(|watched| watched.dynamic_registration)
                .unwrap_or(false),
            refreshes_lenses: lenses.and_then(|lenses| lenses.refresh_support).unwrap_or(false),
            refreshes_hints: hints.and_then(|hints| hints.refresh_support).unwrap_or(false),
            root: None,
        }
    }
}
