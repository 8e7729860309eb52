//! What is loaded, and the diagnostics that follow from it.

use super::Server;
use crate::project::Project;
use lsp_types::{Diagnostic, MessageType, PublishDiagnosticsParams, Uri};
use progress_map::FileId;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

impl Server {
    /// Loads what the settings name. What was loaded before stays when that fails.
    pub(super) fn reload(&mut self) -> bool {
        let job = match self.host.load(&self.settings) {
            Ok(job) => job,
            Err(why) => {
                self.say(MessageType::ERROR, &format!("hindmost: {why}"));
                return false;
            }
        };
        for note in &job.notes {
            self.say(MessageType::WARNING, &format!("hindmost: {note}"));
        }
        self.generation += 1;
        self.is_working = false;
        self.project = Some(Arc::new(Project::new(job)));
        self.graph = None;
        self.walked = None;
        // They wait for a slice of something else.
        self.cancel_all();
        self.desk.look_up_all(self.project.as_deref(), &*self.host);
        if let Some(why) = self.why_nothing_shows() {
            self.say(
                MessageType::WARNING,
                &format!("hindmost: nothing can be shown: {why}"),
            );
        }
        self.publish();
        if self.client.refreshes_lenses {
            self.ask("workspace/codeLens/refresh", Value::Null);
        }
        if self.client.refreshes_hints {
            self.ask("workspace/inlayHint/refresh", Value::Null);
        }
        true
    }

    /// Why an editor shows nothing of the stacks that were loaded: silence would look as if nobody hung.
    fn why_nothing_shows(&self) -> Option<String> {
        let project = self.project.as_deref()?;
        project.answer()?;
        let files = Vec::from_iter(project.files_of_stacks());
        let is_here = |&file: &FileId| self.desk.view(file, project, &*self.host).is_some();
        match files.len() {
            0 => Some("no frame of the stacks is in a source of the map".to_owned()),
            _ if files.iter().any(is_here) => None,
            1 => Some("the source that the stacks go through is not here as it was mapped".to_owned()),
            count => Some(format!(
                "none of the {count} sources that the stacks go through is here as it was mapped"
            )),
        }
    }

    pub(super) fn watch(&mut self) {
        if !self.client.watches {
            return;
        }
        let watchers = self.settings.files().filter_map(|file| file.to_str());
        let watchers = Vec::from_iter(watchers.map(|file| json!({"globPattern": file})));
        if !watchers.is_empty() {
            self.ask(
                "client/registerCapability",
                json!({"registrations": [{
                    "id": "hindmost-files",
                    "method": "workspace/didChangeWatchedFiles",
                    "registerOptions": {"watchers": watchers},
                }]}),
            );
        }
    }

    /// Sends the diagnostics of every file that has some, and takes back those of files that have none any more.
    pub(super) fn publish(&mut self) {
        let Some(project) = self.project.clone() else {
            return;
        };
        let teller = self.teller(&project);
        let mut files: Vec<_> = project.files_of_stacks().collect();
        files.extend(self.desk.files().map(|(_, file)| file));
        files.sort_unstable();
        files.dedup();
        let faded = self.walked.as_ref().filter(|_| self.fading);
        let mut found: BTreeMap<String, (Uri, Vec<Diagnostic>)> = BTreeMap::new();
        for (uri, _) in self.desk.files() {
            // Whatever is open and part of the program can be told that its lines are unknown.
            found.insert(uri.as_str().to_owned(), (uri.clone(), vec![teller.withheld()]));
        }
        for file in files {
            if let Some(view) = self.desk.view(file, &project, &*self.host) {
                let mut diagnostics = teller.diagnostics(file, &view, faded);
                if !self.client.related {
                    diagnostics
                        .iter_mut()
                        .for_each(|each| each.related_information = None);
                }
                found.insert(view.uri.as_str().to_owned(), (view.uri.clone(), diagnostics));
            }
        }
        found.retain(|_, (_, diagnostics)| !diagnostics.is_empty());
        let gone = self.published.iter().filter(|(key, _)| !found.contains_key(*key));
        for (_, (uri, _)) in gone {
            self.notify_of(uri, &[]);
        }
        for (key, (uri, diagnostics)) in &found {
            if self
                .published
                .get(key)
                .is_none_or(|(_, known)| known != diagnostics)
            {
                self.notify_of(uri, diagnostics);
            }
        }
        self.published = found;
    }

    fn notify_of(&self, uri: &Uri, diagnostics: &[Diagnostic]) {
        let params = PublishDiagnosticsParams::new(uri.clone(), diagnostics.to_vec(), None);
        self.notify("textDocument/publishDiagnostics", json!(params));
    }
}
