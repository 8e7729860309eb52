//! The server: what a client may ask, and in which order things happen.

mod client;
mod commands;
mod guard;
mod loading;

use crate::desk::Desk;
use crate::facts::Teller;
use crate::project::Project;
use crate::settings::{Options, Settings};
use crate::slices::{Made, Walked};
use crate::text::Encoding;
use crate::{Host, desk};
use client::Client;
use commands::{COMMANDS, Pending};
use crossbeam_channel::{Receiver, Sender, select, unbounded};
use engine::DependenceGraph;
use lsp_server::{Connection, ErrorCode, Message, Notification, Request, RequestId, Response};
use lsp_types::{
    CodeLensOptions, CodeLensParams, Diagnostic, DidChangeTextDocumentParams, DidChangeWatchedFilesParams,
    DidCloseTextDocumentParams, DidOpenTextDocumentParams, ExecuteCommandOptions, HoverParams,
    HoverProviderCapability, InitializeParams, InlayHintParams, MessageType, OneOf, ServerCapabilities,
    TextDocumentSyncCapability, TextDocumentSyncKind, Uri,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

/// How the server ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// As the protocol wants it: first `shutdown`, then `exit`.
    InOrder,
    /// The client was gone, or said `exit` alone.
    Abruptly,
}

/// Serves one client until it goes.
pub fn serve(connection: &Connection, host: Arc<dyn Host>, settings: Settings) -> Ended {
    let (to_self, made) = unbounded();
    let mut server = Server {
        sender: connection.sender.clone(),
        host,
        settings,
        client: Client::default(),
        phase: Phase::New,
        desk: Desk::default(),
        project: None,
        generation: 0,
        graph: None,
        walked: None,
        fading: false,
        pending: Vec::new(),
        is_working: false,
        to_self,
        next_request: 0,
        published: BTreeMap::new(),
    };
    server.run(&connection.receiver, &made)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    New,
    Running,
    ShutDown,
}

struct Server {
    sender: Sender<Message>,
    host: Arc<dyn Host>,
    settings: Settings,
    client: Client,
    phase: Phase,
    desk: Desk,
    project: Option<Arc<Project>>,
    /// Grows with every load: what was begun before is of no use after.
    generation: u64,
    graph: Option<Arc<DependenceGraph>>,
    walked: Option<Walked>,
    fading: bool,
    /// Requests that wait for a slice.
    pending: Vec<Pending>,
    /// A thread is at work for this generation.
    is_working: bool,
    to_self: Sender<(u64, Made)>,
    next_request: i32,
    /// The diagnostics that the client has, so that they are taken back, and not sent again.
    published: BTreeMap<String, (Uri, Vec<Diagnostic>)>,
}

type ErrorReply = (ErrorCode, String);

const NOTHING_NAMED: &str = "hindmost: nothing can be shown: no map is named, neither by --map nor by initializationOptions; hindmost.reload can name one, and the stacks";

impl Server {
    fn run(&mut self, messages: &Receiver<Message>, made: &Receiver<(u64, Made)>) -> Ended {
        loop {
            select! {
                recv(messages) -> message => match message {
                    Ok(Message::Request(request)) => self.request(request),
                    Ok(Message::Notification(note)) if note.method == "exit" => {
                        return match self.phase {
                            Phase::ShutDown => Ended::InOrder,
                            Phase::New | Phase::Running => Ended::Abruptly,
                        };
                    }
                    Ok(Message::Notification(note)) => self.notification_guarded(note),
                    // What the client thinks of our requests changes nothing.
                    Ok(Message::Response(_)) => {}
                    Err(_) => return Ended::Abruptly,
                },
                recv(made) -> made => {
                    if let Ok((generation, made)) = made {
                        self.slice_made_guarded(generation, made);
                    }
                }
            }
        }
    }

    fn send(&self, message: impl Into<Message>) {
        // A client that is gone is noticed by the receiver.
        let _ = self.sender.send(message.into());
    }

    fn notify(&self, method: &str, params: Value) {
        self.send(Notification {
            method: method.to_owned(),
            params,
        });
    }

    fn ask(&mut self, method: &str, params: Value) {
        self.next_request += 1;
        self.send(Request {
            id: RequestId::from(format!("hindmost-{}", self.next_request)),
            method: method.to_owned(),
            params,
        });
    }

    fn say(&self, kind: MessageType, text: &str) {
        self.notify(
            "window/showMessage",
            json!({"type": kind, "message": report::clean(text)}),
        );
    }

    fn answer(&self, id: RequestId, result: Result<Value, ErrorReply>) {
        self.send(match result {
            Ok(value) => Response::new_ok(id, value),
            Err((code, message)) => Response::new_err(id, code as i32, message),
        });
    }

    fn encoding(&self) -> Encoding {
        self.client.encoding.unwrap_or(Encoding::Utf16)
    }

    fn request(&mut self, request: Request) {
        let Request { id, method, params } = request;
        match self.respond_guarded(&id, &method, params) {
            // A slice may take a while: then the answer comes later.
            Ok(None) => {}
            Ok(Some(value)) => self.answer(id, Ok(value)),
            Err(refusal) => self.answer(id, Err(refusal)),
        }
    }

    fn respond(&mut self, id: &RequestId, method: &str, params: Value) -> Result<Option<Value>, ErrorReply> {
        match (self.phase, method) {
            (Phase::New, "initialize") => arguments(params).map(|params| self.initialize(params)),
            (Phase::New, _) => Err((ErrorCode::ServerNotInitialized, "not initialized yet".to_owned())),
            (Phase::ShutDown, _) => Err((ErrorCode::InvalidRequest, "shut down".to_owned())),
            (Phase::Running, "initialize") => {
                Err((ErrorCode::InvalidRequest, "initialized already".to_owned()))
            }
            (Phase::Running, "shutdown") => {
                self.phase = Phase::ShutDown;
                self.cancel_all();
                Ok(Value::Null)
            }
            (Phase::Running, "textDocument/hover") => arguments(params).map(|params| self.hover(&params)),
            (Phase::Running, "textDocument/codeLens") => arguments(params).map(|params| self.lenses(&params)),
            (Phase::Running, "textDocument/inlayHint") => arguments(params).map(|params| self.hints(&params)),
            (Phase::Running, "workspace/executeCommand") => {
                return arguments(params).and_then(|params| self.execute(id, params));
            }
            (Phase::Running, _) => Err((ErrorCode::MethodNotFound, format!("no method {method}"))),
        }
        .map(Some)
    }

    fn initialize(&mut self, params: InitializeParams) -> Value {
        self.phase = Phase::Running;
        self.client = Client::of(&params.capabilities);
        let folder = params
            .workspace_folders
            .iter()
            .flatten()
            .next()
            .map(|folder| &folder.uri);
        #[expect(deprecated, reason = "older clients name one root")]
        let root = folder.or(params.root_uri.as_ref());
        self.client.root = root.and_then(desk::path_of);
        match params
            .initialization_options
            .map(serde_json::from_value::<Options>)
        {
            Some(Ok(options)) => self.settings.change(options, self.client.root.as_deref()),
            // Some clients send null where there are none.
            None => {}
            Some(Err(error)) => self.say(
                MessageType::ERROR,
                &format!("hindmost: initializationOptions: {error}"),
            ),
        }
        let capabilities = ServerCapabilities {
            position_encoding: self.client.encoding.map(Encoding::kind),
            text_document_sync: Some(TextDocumentSyncCapability::Kind(TextDocumentSyncKind::FULL)),
            hover_provider: Some(HoverProviderCapability::Simple(true)),
            code_lens_provider: Some(CodeLensOptions {
                resolve_provider: Some(false),
            }),
            inlay_hint_provider: Some(OneOf::Left(true)),
            execute_command_provider: Some(ExecuteCommandOptions {
                commands: COMMANDS.map(str::to_owned).to_vec(),
                ..ExecuteCommandOptions::default()
            }),
            ..ServerCapabilities::default()
        };
        json!({
            "capabilities": capabilities,
            "serverInfo": {"name": "hindmost", "version": env!("CARGO_PKG_VERSION")},
        })
    }

    fn notification(&mut self, note: Notification) {
        if self.phase != Phase::Running {
            return;
        }
        // There is nobody to tell that a notification was not understood.
        match note.method.as_str() {
            "initialized" => {
                if self.settings.map.is_some() || self.settings.files().next().is_some() {
                    self.reload();
                } else {
                    // Nothing is wrong, but silence would look as if nobody hung.
                    self.say(MessageType::INFO, NOTHING_NAMED);
                }
                self.watch();
            }
            "textDocument/didOpen" => {
                if let Ok(params) = arguments::<DidOpenTextDocumentParams>(note.params) {
                    self.put_guarded(&params.text_document.uri, params.text_document.text);
                }
            }
            "textDocument/didChange" => {
                if let Ok(params) = arguments::<DidChangeTextDocumentParams>(note.params)
                    && let Some(change) = params.content_changes.into_iter().next_back()
                {
                    self.put_guarded(&params.text_document.uri, change.text);
                }
            }
            "textDocument/didClose" => {
                if let Ok(params) = arguments::<DidCloseTextDocumentParams>(note.params) {
                    self.desk.close(&params.text_document.uri);
                    self.publish();
                }
            }
            "workspace/didChangeWatchedFiles" => {
                if let Ok(params) = arguments::<DidChangeWatchedFilesParams>(note.params) {
                    let mut changed = params
                        .changes
                        .iter()
                        .filter_map(|change| desk::path_of(&change.uri));
                    let ours = |path: PathBuf| {
                        self.settings
                            .files()
                            .any(|file| same_file(&*self.host, file, &path))
                    };
                    if changed.any(ours) {
                        self.reload();
                    }
                }
            }
            "$/cancelRequest" => {
                let id = note.params.get("id").cloned();
                if let Some(id) = id.and_then(|id| serde_json::from_value::<RequestId>(id).ok()) {
                    self.cancel(&id);
                }
            }
            _ => {}
        }
    }

    fn put(&mut self, uri: &Uri, text: String) {
        self.desk.put(uri, text, self.project.as_deref(), &*self.host);
        self.publish();
    }

    fn teller<'a>(&'a self, project: &'a Project) -> Teller<'a> {
        Teller {
            project,
            desk: &self.desk,
            host: &*self.host,
            encoding: self.encoding(),
        }
    }

    fn hover(&self, params: &HoverParams) -> Value {
        let at = &params.text_document_position_params;
        let found = || {
            let project = self.project.as_ref()?;
            let (file, view) = self.desk.open(&at.text_document.uri)?;
            let view = view?;
            let line = view.alignment.before(at.position.line.checked_add(1)?)?;
            self.teller(project)
                .hover(file, line, &view, self.client.markup())
        };
        json!(found())
    }

    fn lenses(&self, params: &CodeLensParams) -> Value {
        let found = || {
            let project = self.project.as_ref()?;
            let (file, view) = self.desk.open(&params.text_document.uri)?;
            Some(self.teller(project).lenses(file, &view?))
        };
        json!(found())
    }

    fn hints(&self, params: &InlayHintParams) -> Value {
        let found = || {
            let project = self.project.as_ref()?;
            let (file, view) = self.desk.open(&params.text_document.uri)?;
            Some(self.teller(project).hints(file, &view?, params.range))
        };
        json!(found())
    }
}

fn arguments<T: DeserializeOwned>(params: Value) -> Result<T, ErrorReply> {
    serde_json::from_value(params).map_err(|error| (ErrorCode::InvalidParams, error.to_string()))
}

fn same_file(host: &dyn Host, one: &std::path::Path, other: &std::path::Path) -> bool {
    let real = |path| host.real_path(path);
    one == other || real(one).is_some_and(|one| Some(one) == real(other))
}
