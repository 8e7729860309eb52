//! The pages of a job's events: in a file, as a browser shows it, and served, to those alone who may see it.

use crate::hindmost::{dom_of, hindmost, run, said};
use serde_json::Value;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Stdio};

/// The data within a page.
fn data(page: &str) -> Value {
    let (_, data) = page.split_once("id=\"data\">").expect("a page has data");
    let (data, _) = data.split_once("</script>").expect("data end");
    serde_json::from_str(data).expect("data are JSON")
}

/// Each row of the page is a line of the JSON Lines, in their order.
fn check_rows(part: &Value, events: &[Value]) {
    let rows = part["events"].as_array().unwrap();
    assert_eq!(rows.len(), events.len());
    let begun = events
        .iter()
        .map(|event| event["time_ns"].as_i64().unwrap())
        .min()
        .unwrap();
    for (row, event) in rows.iter().zip(events) {
        assert_eq!(
            (&row[0], row[2].as_i64().map(|time| time + begun)),
            (&event["rank"], event["time_ns"].as_i64())
        );
        let name = row[4]
            .as_u64()
            .map_or(&Value::Null, |name| &part["names"][name as usize]);
        assert_eq!(name, event.get("operation").unwrap_or(&Value::Null));
        let peer = ["to", "from", "enters", "leaves"]
            .iter()
            .find_map(|tie| event.get(tie));
        assert_eq!(&row[6], peer.unwrap_or(&Value::Null), "{row} {event}");
    }
}

/// A server, ended with the test.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The status and the body of an answer.
fn ask(port: u16, method: &str, path: &str, host: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    write!(stream, "{method} {path} HTTP/1.1\r\nHost: {host}\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
    (status.unwrap_or_else(|| panic!("{head}")), body.to_owned())
}

/// All events of the page and behind it, asked for one part after the other.
fn check_served(directory: &Path, events: &[Value]) {
    let mut command = hindmost();
    command.args(["timeline", "--serve"]).arg(directory);
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let mut server = Server(command.spawn().unwrap());
    let mut url = String::new();
    BufReader::new(server.0.stdout.take().unwrap())
        .read_line(&mut url)
        .unwrap();
    let (host, path) = url
        .trim()
        .strip_prefix("http://")
        .and_then(|url| url.split_once('/'))
        .unwrap();
    let port = host
        .strip_prefix("127.0.0.1:")
        .and_then(|port| port.parse().ok())
        .unwrap();
    let path = format!("/{path}");
    let (status, page) = ask(port, "GET", &path, host);
    assert_eq!(status, 200);
    let mut part = data(&page)["part"].take();
    let mut seen = 0;
    loop {
        seen += part["events"].as_array().unwrap().len();
        if part["is_over"] == true {
            break;
        }
        let next = format!("{path}events?after={}", part["next"]);
        let (status, body) = ask(port, "GET", &next, host);
        assert_eq!(status, 200);
        part = serde_json::from_str(&body).unwrap();
    }
    assert_eq!(seen, events.len());
    let other = path.replace(|c: char| c.is_ascii_hexdigit(), "0");
    let refused = [
        ask(port, "GET", "/", host),
        ask(port, "GET", &other, host),
        ask(port, "GET", path.trim_end_matches('/'), host),
        ask(port, "GET", &format!("{path}secret"), host),
        ask(port, "GET", &path, "evil.example"),
        ask(port, "POST", &path, host),
    ];
    assert_eq!(refused.map(|(status, _)| status), [404, 404, 404, 404, 403, 405]);
}

/// Of a job that is gone, whose lines are these.
pub(crate) fn check(directory: &Path, events: &[Value]) {
    let output = run(hindmost().args(["timeline", "--export", "html"]).arg(directory));
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let page = String::from_utf8_lossy(&output.stdout).into_owned();
    check_rows(&data(&page)["part"], events);
    if let Some(shown) = dom_of(&page, "events") {
        // What the script has made of it: the headline, and the last events of the first rank.
        for words in [
            ">Deadlock: ranks 0-1 wait",
            ">rank 0: MPI_Recv, for ",
            "rank 0 enters MPI_Recv</pre>",
        ] {
            assert!(shown.contains(words), "no '{words}' in\n{shown}");
        }
    }
    check_served(directory, events);
}
