//! A headless Chromium, driven by what WebDriver defines: JSON over HTTP to chromedriver, on this machine alone.

use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// What a browser may not do while it is tested: ask anybody for anything.
const SWITCHES: [&str; 9] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
];

/// WebDriver's names of keys that are no characters.
pub const ENTER: &str = "\u{e007}";
pub const ESCAPE: &str = "\u{e00c}";
pub const END: &str = "\u{e010}";
pub const HOME: &str = "\u{e011}";
pub const LEFT: &str = "\u{e012}";
pub const RIGHT: &str = "\u{e014}";
pub const DOWN: &str = "\u{e015}";

/// A browser with one window; it ends with the test.
pub struct Browser {
    driver: Child,
    /// Of the session.
    address: String,
    profile: PathBuf,
}

impl Browser {
    /// `None` where there is no browser and nobody demands one.
    pub fn start(profile: PathBuf) -> Option<Self> {
        let driver = Command::new("chromedriver")
            .arg("--port=0")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn();
        let Ok(mut driver) = driver else {
            assert!(std::env::var_os("CI").is_none(), "CI has no chromedriver");
            eprintln!("SKIPPED: no chromedriver");
            return None;
        };
        let output = BufReader::new(driver.stdout.take().unwrap());
        let port = output.lines().find_map(|line| {
            let line = line.ok()?;
            let (_, port) = line.split_once("started successfully on port ")?;
            port.trim_end_matches('.').parse::<u16>().ok()
        });
        let mut browser = Self {
            driver,
            address: format!("http://127.0.0.1:{}", port.expect("chromedriver says its port")),
            profile,
        };
        let mut switches: Vec<String> = SWITCHES.map(str::to_owned).to_vec();
        switches.push(format!("--user-data-dir={}", browser.profile.display()));
        let session = browser.post(
            "/session",
            &json!({"capabilities": {"alwaysMatch": {
                "goog:chromeOptions": {"args": switches},
                "goog:loggingPrefs": {"browser": "ALL"},
            }}}),
        );
        let id = session["sessionId"].as_str().expect("a session").to_owned();
        browser.address = format!("{}/session/{id}", browser.address);
        Some(browser)
    }

    #[track_caller]
    fn post(&self, command: &str, body: &Value) -> Value {
        let response = minreq::post(format!("{}{command}", self.address))
            .with_header("Content-Type", "application/json; charset=utf-8")
            .with_body(body.to_string())
            .with_timeout(120)
            .send()
            .unwrap_or_else(|error| panic!("{command}: {error}"));
        let text = response
            .as_str()
            .unwrap_or_else(|error| panic!("{command}: {error}"));
        let mut answer: Value = serde_json::from_str(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(response.status_code, 200, "{command}: {text}");
        answer["value"].take()
    }

    /// Opens a file; what the page says first is said by then.
    pub fn open(&self, file: &Path) {
        self.post("/url", &json!({"url": format!("file://{}", file.display())}));
    }

    /// What a script returns, or what its promise comes to.
    #[track_caller]
    pub fn ask(&self, script: &str) -> Value {
        self.post("/execute/sync", &json!({"script": script, "args": []}))
    }

    /// The text of all elements that a selector finds.
    #[track_caller]
    pub fn texts(&self, selector: &str) -> Vec<String> {
        let found = self.ask(&format!(
            "return [...document.querySelectorAll({})].map((each) => each.innerText.trim())",
            json!(selector)
        ));
        serde_json::from_value(found).unwrap()
    }

    /// The text of the only such element.
    #[track_caller]
    pub fn text(&self, selector: &str) -> String {
        let [only] = self.texts(selector).try_into().expect(selector);
        only
    }

    #[track_caller]
    fn element(&self, selector: &str) -> String {
        let found = self.post("/element", &json!({"using": "css selector", "value": selector}));
        let id = found.as_object().and_then(|found| found.values().next());
        id.and_then(Value::as_str).expect(selector).to_owned()
    }

    /// Clicks where a person would: it fails if something else is in front.
    #[track_caller]
    pub fn click(&self, selector: &str) {
        let element = self.element(selector);
        self.post(&format!("/element/{element}/click"), &json!({}));
    }

    /// Presses keys, one after the other, wherever the focus is.
    #[track_caller]
    pub fn press(&self, keys: &str) {
        let actions = keys
            .chars()
            .flat_map(|key| ["keyDown", "keyUp"].map(|kind| json!({"type": kind, "value": key.to_string()})));
        let actions: Vec<Value> = actions.collect();
        self.post(
            "/actions",
            &json!({"actions": [{"type": "key", "id": "keyboard", "actions": actions}]}),
        );
    }

    /// A command of Chromium's own protocol.
    pub fn devtools(&self, command: &str, parameters: &Value) -> Value {
        self.post(
            "/goog/cdp/execute",
            &json!({"cmd": command, "params": parameters}),
        )
    }

    /// What the console says since the last time.
    pub fn console(&self) -> Vec<Value> {
        serde_json::from_value(self.post("/se/log", &json!({"type": "browser"}))).unwrap()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // Closes the window and all that belongs to it; then there is nobody left to drive.
        let _ = minreq::delete(&self.address).with_timeout(20).send();
        let _ = self.driver.kill();
        let _ = self.driver.wait();
        let _ = std::fs::remove_dir_all(&self.profile);
    }
}
