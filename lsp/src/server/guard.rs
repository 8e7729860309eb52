//! A mistake of ours in one message is the answer to that message, and ends no server.
//!
//! An editor that starts a server again gives up after a few times: a request that panics whenever the cursor comes to one line
//! would cost the user all the others. What a panic left half done is what is shown, which the next load makes anew.

use super::commands::Then;
use super::{ErrorReply, Server};
use crate::slices::Made;
use lsp_server::{ErrorCode, Notification, RequestId};
use lsp_types::{MessageType, Uri};
use serde_json::Value;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A panic of ours, whose words the panic hook has written to standard error.
struct Mistake;

impl Server {
    fn guarded<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> Result<T, Mistake> {
        catch_unwind(AssertUnwindSafe(|| work(self))).map_err(|_| Mistake)
    }

    /// What a request is answered with, whatever happens; nothing if the answer comes later.
    pub(super) fn respond_guarded(
        &mut self,
        id: &RequestId,
        method: &str,
        params: Value,
    ) -> Result<Option<Value>, ErrorReply> {
        let answer = self.guarded(|server| server.respond(id, method, params));
        answer.unwrap_or_else(|Mistake| {
            // It is answered now, so it waits for no slice.
            self.pending.retain(|pending| pending.id != *id);
            Err(mistake_at(method))
        })
    }

    /// What was asked with a slice that is there, whatever happens.
    pub(super) fn then_guarded(&mut self, then: Then) -> Result<Value, ErrorReply> {
        let done = self.guarded(|server| server.then(then));
        done.map_err(|Mistake| mistake_at("a step of the slice"))
    }

    /// A notification has no answer: the user is told.
    pub(super) fn notification_guarded(&mut self, note: Notification) {
        let method = note.method.clone();
        let done = self.guarded(|server| server.notification(note));
        self.own_up(done, &method);
    }

    /// A text that cannot be looked at counts as closed, so that it stands in the way of no other.
    pub(super) fn put_guarded(&mut self, uri: &Uri, text: String) {
        let done = self.guarded(|server| server.put(uri, text));
        if done.is_err() {
            self.desk.close(uri);
            self.publish();
        }
        self.own_up(done, uri.as_str());
    }

    pub(super) fn slice_made_guarded(&mut self, generation: u64, made: Made) {
        let done = self.guarded(|server| server.slice_made(generation, made));
        self.own_up(done, "a slice");
    }

    fn own_up(&self, done: Result<(), Mistake>, at: &str) {
        if let Err(Mistake) = done {
            let (_, why) = mistake_at(at);
            self.say(
                MessageType::ERROR,
                &format!("hindmost: {why}: what is shown may be old"),
            );
        }
    }
}

fn mistake_at(what: &str) -> ErrorReply {
    (
        ErrorCode::InternalError,
        format!("an error inside hindmost, at {what}"),
    )
}
