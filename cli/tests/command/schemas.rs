//! The JSON Schemas in `docs/schemas`: what is written fits them, and holds no field that they do not know.

use crate::support::Sandbox;
use jsonschema::Validator;
use serde_json::{Value, json};
use std::path::Path;

const SPIN: &str = "\
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
static volatile int gate = 1;
static void *idle(void *unused) { pause(); return unused; }
static void work(int stop)
{
    int i;
    for (i = 0; i < 100; i++) {
        if (i == stop) {
            if (write(1, \"x\", 1) != 1)
                return;
            while (gate)
                continue;
        }
    }
}
int main(int argc, char **argv)
{
    pthread_t thread;
    pthread_create(&thread, 0, idle, 0);
    work(argc > 1 ? atoi(argv[1]) : 7);
    return 0;
}
";

/// A schema as it is shipped, and one that also refuses what it does not know: readers must bear new fields, writers must not forget
/// them in the schema.
struct Schema {
    name: String,
    shipped: Validator,
    closed: Validator,
}

impl Schema {
    fn read(name: &str) -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/schemas");
        let text = std::fs::read_to_string(path.join(format!("{name}.schema.json"))).unwrap();
        let schema: Value = serde_json::from_str(&text).unwrap();
        let mut closed = schema.clone();
        close(&mut closed);
        Self {
            name: name.to_owned(),
            shipped: jsonschema::validator_for(&schema).unwrap(),
            closed: jsonschema::validator_for(&closed).unwrap(),
        }
    }

    #[track_caller]
    fn fits(&self, document: &Value) {
        let errors = self.closed.iter_errors(document);
        let errors = Vec::from_iter(errors.map(|error| format!("{}: {error}\n", error.instance_path())));
        assert!(errors.is_empty(), "{}: {}", self.name, errors.concat());
        assert!(self.shipped.is_valid(document), "{}", self.name);
        let Value::Object(fields) = document else {
            panic!("{document}");
        };
        // The schemas do look: any field of the wrong type is noticed, and so is one that is always there and missing.
        for field in fields.keys() {
            let mut wrong = document.clone();
            wrong[field] = json!([[[]]]);
            assert!(!self.shipped.is_valid(&wrong), "{}: {field}", self.name);
        }
        let mut newer = document.clone();
        newer["a_field_of_a_later_version"] = json!(1);
        assert!(self.shipped.is_valid(&newer), "{}", self.name);
        assert!(!self.closed.is_valid(&newer), "{}", self.name);
    }
}

/// Lets no object have fields that its schema does not name.
fn close(schema: &mut Value) {
    match schema {
        Value::Object(parts) => {
            if parts.contains_key("properties") && parts.get("type") == Some(&json!("object")) {
                parts.insert("additionalProperties".to_owned(), json!(false));
            }
            parts.values_mut().for_each(close);
        }
        Value::Array(parts) => parts.iter_mut().for_each(close),
        _ => {}
    }
}

fn document(sandbox: &Sandbox, arguments: &[&str]) -> Value {
    let run = sandbox.run(arguments);
    assert_ne!(run.code, Some(2), "{}", run.err);
    serde_json::from_str(&run.out).unwrap_or_else(|error| panic!("{arguments:?}: {error}"))
}

#[test]
fn what_is_written_fits_its_schema() {
    let sandbox = Sandbox::new("schemas");
    sandbox.write("spin.c", SPIN);
    sandbox.compile("spin.c", "spin", &["-g", "-O0", "-pthread"]);
    sandbox.ok(&["map", "--quiet", "--exe", "spin", "-o", "a.hmap", "spin.c"]);
    let (behind, ahead) = (sandbox.start("spin", &["3"]), sandbox.start("spin", &["40"]));
    let pids = [behind.pid(), ahead.pid()];
    let pids = [pids[0].as_str(), &pids[1]];
    let find = |more: &[&str]| document(&sandbox, &[&["find", "--map", "a.hmap"], more, &pids].concat());

    let answer = Schema::read("answer");
    let explain = ["--explain", pids[0], pids[1], "--format", "json"];
    answer.fits(&find(&explain));
    answer.fits(&find(&["--twice", "50ms", "--format", "json"]));
    answer.fits(&document(
        &sandbox,
        &["find", "--format", "json", "--threads", "main", pids[0]],
    ));
    Schema::read("tree").fits(&find(&["--tree=json", "--save", "stacks"]));
    Schema::read("tree").fits(&find(&["--tree=json", "--samples", "2"]));
    Schema::read("slice").fits(&find(&["--slice", "--slice-format", "json"]));
    Schema::read("line").fits(&document(
        &sandbox,
        &["show", "a.hmap", "spin.c:11", "--format", "json"],
    ));
    Schema::read("map").fits(&document(&sandbox, &["show", "a.hmap", "--format", "json"]));
    let check = ["check", "spin", "--map", "a.hmap", "--format", "json"];
    Schema::read("check").fits(&document(&sandbox, &check));

    let page = sandbox
        .run(&["tree", "--format", "html", "--slice", "stacks", "--map", "a.hmap"])
        .out;
    let (_, data) = page.split_once("id=\"data\">").unwrap();
    let (data, _) = data.split_once("</script>").unwrap();
    Schema::read("page").fits(&serde_json::from_str(data).unwrap());

    let snapshot = Schema::read("snapshot");
    let lines = std::fs::read_to_string(sandbox.path("stacks")).unwrap();
    assert_eq!(lines.lines().count(), 3, "a header and two tasks");
    for line in lines.lines() {
        snapshot.fits(&serde_json::from_str(line).unwrap());
    }
}
