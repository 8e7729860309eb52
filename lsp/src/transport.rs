//! Messages over a pair of streams.
//!
//! `lsp-server` has such a transport, and stops at the first message that is no JSON; here its sender is told, and the next
//! message is read.

use crossbeam_channel::{Receiver, Sender, unbounded};
use lsp_server::{Connection, ErrorCode, Message};
use std::io::{self, BufRead, Read as _, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

/// No document is larger; a length above it is damage.
const LARGEST: u64 = 256 << 20;

/// The thread that writes; it ends when the connection is dropped.
pub struct Writing(JoinHandle<()>);

impl Writing {
    /// Waits until all that was sent is written.
    pub fn finish(self) {
        // A panic there is reported by the thread itself.
        let _ = self.0.join();
    }
}

/// A connection over the given streams. The reading thread ends with the input, or with the process.
pub fn connect(
    mut input: impl BufRead + Send + 'static,
    output: impl Write + Send + 'static,
) -> (Connection, Writing) {
    let output = Arc::new(Mutex::new(output));
    let (to_server, receiver) = unbounded();
    let (sender, to_client) = unbounded::<Message>();
    let refusals = Arc::clone(&output);
    std::thread::spawn(move || read_all(&mut input, &to_server, &refusals));
    let writing = std::thread::spawn(move || write_all(&to_client, &output));
    (Connection { sender, receiver }, Writing(writing))
}

fn write_all(messages: &Receiver<Message>, output: &Mutex<impl Write>) {
    for message in messages {
        let mut output = output.lock().unwrap_or_else(PoisonError::into_inner);
        if message.write(&mut *output).is_err() {
            // Nobody reads any more; the reading side will notice that, too.
            return;
        }
    }
}

fn read_all(input: &mut impl BufRead, messages: &Sender<Message>, output: &Mutex<impl Write>) {
    // What is no message at all cannot be followed by one that could be found.
    while let Ok(Some(body)) = read_body(input) {
        match serde_json::from_slice::<Message>(&body) {
            Ok(message) => {
                let is_exit = matches!(&message, Message::Notification(note) if note.method == "exit");
                if messages.send(message).is_err() || is_exit {
                    return;
                }
            }
            Err(_) => refuse(&body, output),
        }
    }
}

/// Says that a message could not be understood; an id that it may have had is repeated.
fn refuse(body: &[u8], output: &Mutex<impl Write>) {
    let json = serde_json::from_slice::<serde_json::Value>(body).ok();
    let code = match json {
        None => ErrorCode::ParseError,
        Some(_) => ErrorCode::InvalidRequest,
    };
    let id = json.as_ref().and_then(|json| json.get("id")).cloned();
    let id = id.filter(|id| id.is_string() || id.is_number());
    let refusal = serde_json::json!({
        "jsonrpc": "2.0",
        "id": id,
        "error": {"code": code as i32, "message": "not a message of the protocol"},
    })
    .to_string();
    let mut output = output.lock().unwrap_or_else(PoisonError::into_inner);
    // If nobody reads, there is nobody to tell.
    let _ = write!(output, "Content-Length: {}\r\n\r\n{refusal}", refusal.len());
    let _ = output.flush();
}

/// The next body of a message, in the framing that this protocol shares with that of debug adapters; nothing at the end of the input.
///
/// # Errors
/// The input fails, or what comes is no message.
pub fn read_body(input: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let damaged = || io::Error::from(io::ErrorKind::InvalidData);
    let mut length = None;
    loop {
        let mut header = Vec::new();
        // A header is short.
        if input.by_ref().take(4096).read_until(b'\n', &mut header)? == 0 {
            return Ok(None);
        }
        let header = std::str::from_utf8(&header).map_err(|_| damaged())?;
        let Some(header) = header.strip_suffix('\n') else {
            return Err(damaged());
        };
        let header = header.trim_end();
        if header.is_empty() {
            break;
        }
        let (name, value) = header.split_once(':').ok_or_else(damaged)?;
        if name.eq_ignore_ascii_case("content-length") {
            length = Some(value.trim().parse::<u64>().map_err(|_| damaged())?);
        }
    }
    let length = length.filter(|&length| length <= LARGEST).ok_or_else(damaged)?;
    let mut body = Vec::new();
    // Memory grows with what arrives, not with what was announced.
    if input.by_ref().take(length).read_to_end(&mut body)? as u64 != length {
        return Ok(None);
    }
    Ok(Some(body))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_and_damage() {
        let read = |mut text: &[u8]| {
            let mut bodies = Vec::new();
            while let Ok(Some(body)) = read_body(&mut text) {
                bodies.push(String::from_utf8(body).unwrap());
            }
            bodies
        };
        assert_eq!(
            read(b"Content-Length: 2\r\n\r\n{}content-length:3\r\nContent-Type: x\r\n\r\n[1]"),
            ["{}", "[1]"]
        );
        for damaged in [
            &b"Content-Length: 99999999999999\r\n\r\n{}"[..],
            b"Content-Length: -2\r\n\r\n{}",
            b"Content-Length: 9\r\n\r\n{}",
            b"\r\n{}",
            b"{}",
            b"\xff: 2\r\n\r\n{}",
        ] {
            assert!(read(damaged).is_empty(), "{damaged:?}");
        }
    }
}
