//! SARIF: valid by the standard's schema, and it says what the text says.

use crate::editor::hung;
use crate::support::Sandbox;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The schema of SARIF 2.1.0, from the package of a crate that has it (see `Cargo.toml`).
fn schema() -> Value {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
    let output = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--locked", "--manifest-path"])
        .arg(manifest)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let package = packages
        .iter()
        .find(|package| package["name"] == "serde-sarif")
        .expect("serde-sarif is a dependency of the tests");
    let manifest = PathBuf::from(package["manifest_path"].as_str().unwrap());
    let path = manifest.with_file_name("src").join("schema.json");
    let text = std::fs::read_to_string(path).unwrap();
    // One bracket too many: no regular expression by the rules that schemas use. We write no such property.
    serde_json::from_str(&text.replace("{2}]?$", "{2}$")).unwrap()
}

/// The only run of a log that is valid.
#[track_caller]
fn valid(text: &str) -> Value {
    let log: Value = serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"));
    let validator = jsonschema::options()
        .should_validate_formats(true)
        .build(&schema())
        .unwrap();
    let errors = validator.iter_errors(&log);
    let errors = Vec::from_iter(errors.map(|error| format!("{}: {error}\n", error.instance_path())));
    assert!(errors.is_empty(), "{}\n{text}", errors.concat());
    // The validator does look: what is wrong is found.
    let mut wrong = log.clone();
    wrong["runs"][0]["results"] = "none".into();
    assert!(!validator.is_valid(&wrong));
    assert_eq!(log["runs"].as_array().unwrap().len(), 1);
    log["runs"][0].clone()
}

/// Every link in a message leads to a location of the same result.
fn links_lead_somewhere(result: &Value) {
    fn collect(value: &Value, ids: &mut Vec<u64>, links: &mut Vec<u64>) {
        match value {
            Value::Object(fields) => {
                if let Some(id) = fields.get("id").and_then(Value::as_u64) {
                    ids.push(id);
                }
                if let Some(text) = fields.get("text").and_then(Value::as_str) {
                    let after = text.split("](").skip(1);
                    links.extend(after.filter_map(|rest| rest.split_once(')')?.0.parse::<u64>().ok()));
                }
                fields.values().for_each(|value| collect(value, ids, links));
            }
            Value::Array(values) => values.iter().for_each(|value| collect(value, ids, links)),
            _ => {}
        }
    }
    let (mut ids, mut links) = (Vec::new(), Vec::new());
    collect(result, &mut ids, &mut links);
    assert!(links.iter().all(|link| ids.contains(link)), "{links:?} {ids:?}");
    ids.sort_unstable();
    let many = ids.len();
    ids.dedup();
    assert_eq!(ids.len(), many, "two locations with one number");
}

/// `/* ä𝄞 */` before the statement: bytes, characters and units of UTF-16 differ.
const SOURCE: &str = "\
int MPI_Recv(void *, int);
static int wanted(int n)
{
\t/* \u{e4}\u{1d11e} */ n += 1;
\treturn n;
}
int main(int argc, char **argv)
{
    int n = wanted(argc), it;
    for (it = 0; it < n; it++)
        if (n > 2)
            MPI_Recv(&n, it);
    return n;
}
";

#[test]
fn a_slice_of_a_line() {
    let sandbox = Sandbox::new("sarif-slice");
    sandbox.write("src dir/a.c", SOURCE);
    let text = sandbox.ok(&["slice", "a.c:12", "src dir", "--all", "--slice-format", "sarif"]);
    let run = valid(&text);
    assert!(!text.contains(sandbox.root.to_str().unwrap()), "{text}");
    let [artifact] = &run["artifacts"].as_array().unwrap()[..] else {
        panic!("{run}")
    };
    assert_eq!(artifact["location"]["uri"], "src%20dir/a.c");
    assert_eq!(artifact["location"]["uriBaseId"], "SRCROOT");
    let sum = Command::new("sha256sum")
        .arg(sandbox.path("src dir/a.c"))
        .output()
        .unwrap();
    let sum = String::from_utf8(sum.stdout).unwrap();
    assert!(
        sum.starts_with(artifact["hashes"]["sha-256"].as_str().unwrap()),
        "{sum}"
    );

    let [result] = &run["results"].as_array().unwrap()[..] else {
        panic!("{run}")
    };
    links_lead_somewhere(result);
    assert_eq!(
        result["locations"][0]["physicalLocation"]["region"]["startLine"],
        12
    );
    let steps = result["codeFlows"][0]["threadFlows"][0]["locations"]
        .as_array()
        .unwrap();
    let region = |step: &Value| step["location"]["physicalLocation"]["region"].clone();
    assert_eq!(region(steps.last().unwrap())["startLine"], 12);
    // The same statements as the list, the other way round.
    let lines = sandbox.ok(&["slice", "a.c:12", "src dir", "--all", "--slice-format", "lines"]);
    let listed = lines
        .lines()
        .rev()
        .map(|line| line.split(':').nth(1).unwrap().to_owned());
    let flowed = steps.iter().map(|step| region(step)["startLine"].to_string());
    assert_eq!(Vec::from_iter(flowed), Vec::from_iter(listed));
    // Whatever a step speaks of comes after it.
    let id = |step: &Value| step["location"]["id"].as_u64().unwrap();
    for (at, step) in steps.iter().enumerate() {
        if let Some(of) = step["properties"]["of"].as_u64() {
            assert!(steps[at + 1..].iter().any(|later| id(later) == of), "{step}");
        }
    }
    // After a tab and `/* ä𝄞 */ `: twelve bytes, nine characters, ten units.
    let update = steps
        .iter()
        .map(region)
        .find(|region| region["startLine"] == 4)
        .unwrap();
    assert_eq!(update["startColumn"], 12, "{update}");
    assert_eq!(update["snippet"]["text"], "n += 1;");
    let before = lines.lines().find(|line| line.contains("a.c:4:")).unwrap();
    assert!(before.contains("a.c:4:15:"), "{before}");
}

#[test]
fn absolute_paths_have_a_base_to_be_moved_with() {
    let sandbox = Sandbox::new("sarif-absolute");
    let one = sandbox.write("src/a.c", SOURCE);
    sandbox.write("src/lib/b.c", "int other(int n) { return n; }\n");
    let root = sandbox.path("src");
    let slice = [
        "slice",
        "a.c:12",
        root.to_str().unwrap(),
        "--slice-format",
        "sarif",
    ];
    let run = valid(&sandbox.ok(&slice));
    let base = run["originalUriBaseIds"]["SRCROOT"]["uri"].as_str().unwrap();
    assert_eq!(base, format!("file://{}/", one.parent().unwrap().display()));
    assert_eq!(run["artifacts"][0]["location"]["uri"], "a.c");
}

/// Stacks of the program above: one task in its second turn, the others in their fourth.
fn stacks(lines: [u32; 3]) -> String {
    let turns = [1, 3, 3];
    let tasks = (0..3).map(|rank| {
        let (line, it) = (lines[rank], turns[rank]);
        let file = "\"file\": \"a.c\"";
        format!(
            "{{\"task\": \"{rank}\", \"rank\": {rank}, \"frames\": [{{\"function\": \"main\", {file}, \
             \"line\": {line}, \"values\": {{\"it\": {it}}}}}, {{\"function\": \"MPI_Recv\", \"module\": \"libmpi.so\"}}]}}\n"
        )
    });
    tasks.collect()
}

#[test]
fn the_verdict_on_a_job() {
    let sandbox = Sandbox::new("sarif-verdict");
    sandbox.write("a.c", SOURCE);
    sandbox.ok(&["map", "--quiet", "-o", "a.hmap", "a.c"]);
    sandbox.write("stacks", stacks([12, 12, 12]));
    let run = valid(&sandbox.ok(&[
        "order", "--map", "a.hmap", "--stacks", "stacks", "--format", "sarif",
    ]));
    let [result] = &run["results"].as_array().unwrap()[..] else {
        panic!("{run}")
    };
    links_lead_somewhere(result);
    assert_eq!(
        (&result["level"], &result["kind"]),
        (&"error".into(), &"fail".into())
    );
    let text = result["message"]["text"].as_str().unwrap();
    assert!(text.starts_with("rank 0, blocked in MPI_Recv"), "{text}");
    assert_eq!(
        result["locations"][0]["physicalLocation"]["region"]["startLine"],
        12
    );
    let related = result["relatedLocations"].as_array().unwrap();
    assert!(
        related[0]["message"]["text"]
            .as_str()
            .unwrap()
            .starts_with("ranks 1-2 ahead")
    );
    // The innermost frame comes first.
    let frames = result["stacks"][0]["frames"].as_array().unwrap();
    let names = frames
        .iter()
        .map(|frame| frame["location"]["logicalLocations"][0]["name"].clone());
    assert_eq!(Vec::from_iter(names), ["MPI_Recv", "main"]);

    // Lines added above change the place and not the fingerprint.
    let print = result["partialFingerprints"].clone();
    sandbox.write("a.c", format!("\n\n{SOURCE}"));
    sandbox.ok(&["map", "--quiet", "-o", "a.hmap", "a.c"]);
    sandbox.write("stacks", stacks([14, 14, 14]));
    let order = [
        "order", "--map", "a.hmap", "--stacks", "stacks", "--format", "sarif",
    ];
    let run = valid(&sandbox.ok(&order));
    assert_eq!(run["results"][0]["partialFingerprints"], print);

    // Without values nobody knows: results that are open, and the reason as a note.
    sandbox.write(
        "stacks",
        stacks([14, 14, 14]).replace(", \"values\": {\"it\"", ", \"x\": {\"it\""),
    );
    let undecided = sandbox.run(&order);
    assert_eq!(undecided.code, Some(1), "{}", undecided.err);
    let run = valid(&undecided.out);
    let open = run["results"].as_array().unwrap();
    assert!(
        open.iter()
            .all(|result| result["kind"] == "open" && result["level"] == "none")
    );
    assert!(!open.is_empty());
    let notes = run["invocations"][0]["toolExecutionNotifications"]
        .as_array()
        .unwrap();
    assert!(
        notes.iter().any(
            |note| note["message"]["text"].as_str().unwrap().contains("no value")
                || note["message"]["text"].as_str().unwrap().contains("against")
        ),
        "{notes:?}"
    );
}

#[test]
fn a_job_that_hangs_with_its_slice() {
    let sandbox = hung("sarif-job");
    let run = valid(&std::fs::read_to_string(sandbox.path("hang.sarif")).unwrap());
    let [result] = &run["results"].as_array().unwrap()[..] else {
        panic!("{run}")
    };
    links_lead_somewhere(result);
    assert_eq!(result["ruleId"], "HM0001");
    let frames = result["stacks"][0]["frames"].as_array().unwrap();
    let lines = frames
        .iter()
        .map(|frame| frame["location"]["physicalLocation"]["region"]["startLine"].clone());
    assert_eq!(Value::from_iter(lines), serde_json::json!([null, 11, 19, 30]));
    let [flow] = &result["codeFlows"].as_array().unwrap()[..] else {
        panic!("{result}")
    };
    let steps = flow["threadFlows"][0]["locations"].as_array().unwrap();
    let last = steps.last().unwrap();
    let region = &last["location"]["physicalLocation"]["region"];
    assert_eq!(
        (&region["startLine"], &region["snippet"]["text"]),
        (&11.into(), &"pause();".into())
    );
    assert_eq!(last["state"]["it"]["text"], "3");
    // Two tabs and `/* ä𝄞 */ ` before it.
    let call = steps
        .iter()
        .map(|step| &step["location"]["physicalLocation"]["region"]);
    let call = Vec::from_iter(call.filter(|region| region["startLine"] == 19));
    assert_eq!(call[0]["startColumn"], 13);
}

#[test]
fn loops_that_a_build_leaves_dark_are_results() {
    let sandbox = Sandbox::new("sarif-check");
    sandbox.write(
        "app.c",
        "int more(int);\nint main(void)\n{\n    while (more(2))\n        more(3);\n    return 0;\n}\n",
    );
    sandbox.write("more.c", "int more(int n)\n{\n    return n < 3;\n}\n");
    let status = Command::new("cc")
        .args(["-g", "-o", "app", "app.c", "more.c"])
        .current_dir(&sandbox.root)
        .status();
    assert!(status.unwrap().success());
    let run = sandbox.run(&["check", "app", "--format", "sarif"]);
    let run = valid(&run.out);
    let results = run["results"].as_array().unwrap();
    assert_eq!(results.len(), 1);
    assert_eq!(results[0]["ruleId"], "HM0004");
    assert_eq!(
        results[0]["locations"][0]["physicalLocation"]["region"]["startLine"],
        4
    );
    links_lead_somewhere(&results[0]);
}
