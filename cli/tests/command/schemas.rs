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
pub(crate) struct Schema {
    name: String,
    shipped: Validator,
    closed: Validator,
}

impl Schema {
    pub(crate) fn read(name: &str) -> Self {
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
    pub(crate) fn fits(&self, document: &Value) {
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

/// The data within the page that a tree is shown as.
fn page_data(sandbox: &Sandbox, arguments: &[&str]) -> Value {
    let page = sandbox
        .run(&[&["tree", "--format", "html"], arguments].concat())
        .out;
    let (_, data) = page.split_once("id=\"data\">").unwrap();
    let (data, _) = data.split_once("</script>").unwrap();
    serde_json::from_str(data).unwrap()
}

#[test]
fn a_page_of_many_classes_has_what_it_shows_and_agrees_with_the_answer() {
    let sandbox = Sandbox::new("schemas_many");
    let source = "static void work(int n)\n{\n    for (int i = 0; i < n; i++)\n        step(i);\n}\nint main(void)\n{\n    work(5000);\n    return 0;\n}\n";
    sandbox.write("many.c", source);
    sandbox.ok(&["map", "--quiet", "-o", "a.hmap", "many.c"]);
    // Two ranks in each of 3,000 iterations, dealt so that neither ranks nor iterations follow one another.
    let task = |rank: u32| {
        format!(
            "{{\"task\":\"{rank}\",\"rank\":{rank},\"frames\":[{{\"function\":\"main\",\"file\":\"many.c\",\"line\":8}},\
             {{\"function\":\"work\",\"file\":\"many.c\",\"line\":4,\"values\":{{\"i\":{}}}}}]}}\n",
            rank * 7919 % 3000
        )
    };
    sandbox.write("many", (0..6_000).map(task).collect::<String>());
    let answer = document(
        &sandbox,
        &["order", "--stacks", "many", "--map", "a.hmap", "--format", "json"],
    );
    let page = page_data(&sandbox, &["many", "--map", "a.hmap"]);
    Schema::read("page").fits(&page);
    let (all, shown) = (&answer["classes"], &page["answer"]["classes"]);
    let (all, shown) = (all.as_array().unwrap(), shown.as_array().unwrap());
    assert_eq!(
        (all.len(), shown.len()),
        (3_000, 3_000),
        "numbers of classes stay what they are"
    );
    let told = Vec::from_iter((0..3_000).filter(|&at| shown[at] != json!({})));
    assert!((100..300).contains(&told.len()), "{}", told.len());
    for &at in &told {
        assert_eq!(shown[at]["ranks"], all[at]["ranks"]);
        assert_eq!(shown[at]["relation_to_hindmost"], all[at]["relation_to_hindmost"]);
    }
    let hindmost = answer["hindmost"][0]["class"].as_u64().unwrap();
    assert!(told.contains(&usize::try_from(hindmost).unwrap()));
    let behind = page["answer"]["hindmost"][0]["behind"].as_array().unwrap();
    assert_eq!(behind.len(), 2_999);
    assert_eq!((&behind[2_998], behind[0] == json!({})), (&json!({}), false));
    // Of each class of the tree that lies in one of the answer the page says what it does.
    let of_tree = page["tree"]["classes"].as_array().unwrap();
    let single = of_tree.iter().filter(|class| class["count"] == 2);
    for class in single {
        assert!(shown.iter().any(|one| one["ranks"] == class["tasks"]), "{class}");
    }
    let size = page.to_string().len();
    assert!(size < 300_000 && answer.to_string().len() > 1_000_000, "{size}");
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

    let page = page_data(&sandbox, &["--slice", "stacks", "--map", "a.hmap"]);
    Schema::read("page").fits(&page);

    let snapshot = Schema::read("snapshot");
    let lines = std::fs::read_to_string(sandbox.path("stacks")).unwrap();
    assert_eq!(lines.lines().count(), 3, "a header and two tasks");
    for line in lines.lines() {
        snapshot.fits(&serde_json::from_str(line).unwrap());
    }
}
