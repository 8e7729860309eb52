//! Whether a message can still be sent, against executed programs: random programs of branches, loops and calls are run by an interpreter, and
//! of each moment at which one stands somewhere it is asked whether a send that fits can still come. What a run does after that moment must not be
//! what was said to come never.

use super::{map, tasks};
use crate::sends::{self, Coming, Wanted};
use crate::stacks::execution_point;
use base::Random;
use progress::Order;
use waitgraph::Tag;

enum Statement {
    /// Where a task may be found.
    Stand,
    /// Destination and tag; a variable where there is none.
    Send(Option<i64>, Option<i64>),
    If(Vec<Line>, Vec<Line>),
    While(Vec<Line>),
    Call(usize),
    Break,
    Continue,
    Return,
}

struct Line {
    number: u32,
    what: Statement,
}

struct Program {
    /// The last one is `main`.
    functions: Vec<Vec<Line>>,
    text: String,
}

/// Writes a random body, one statement a line.
struct Writer<'r> {
    random: &'r mut Random,
    text: String,
    line: u32,
    function: usize,
}

impl Writer<'_> {
    fn write(&mut self, text: &str) -> u32 {
        self.text.push_str(text);
        self.text.push('\n');
        self.line += 1;
        self.line
    }

    fn body(&mut self, depth: usize, in_loop: bool) -> Vec<Line> {
        let mut lines = Vec::new();
        for _ in 0..1 + self.random.below(4) {
            let (number, what) = match self.random.below(12) {
                0 | 1 => {
                    let to = [Some(0), Some(1), None][self.random.below(3)];
                    let tag = [Some(3), Some(4), None][self.random.below(3)];
                    let spell =
                        |value: Option<i64>, name: &str| value.map_or(name.to_owned(), |v| v.to_string());
                    let (to_text, tag_text) = (spell(to, "to"), spell(tag, "tag"));
                    let number = match self.random.below(3) {
                        0 => self.write(&format!("MPI_Send(a, 1, MPI_INT, {to_text}, {tag_text}, MPI_COMM_WORLD);")),
                        1 => self.write(&format!("MPI_Isend(a, 1, MPI_INT, {to_text}, {tag_text}, MPI_COMM_WORLD, r);")),
                        _ => self.write(&format!(
                            "MPI_Sendrecv(a, 1, MPI_INT, {to_text}, {tag_text}, b, 1, MPI_INT, 5, 6, MPI_COMM_WORLD, s);"
                        )),
                    };
                    (number, Statement::Send(to, tag))
                }
                2 | 3 if depth > 0 => {
                    let number = self.write("if (MPI_Wtime() > 1) {");
                    let then = self.body(depth - 1, in_loop);
                    self.write("} else {");
                    let otherwise = self.body(depth - 1, in_loop);
                    self.write("}");
                    (number, Statement::If(then, otherwise))
                }
                4 if depth > 0 => {
                    let number = self.write("while (MPI_Wtime() > 2) {");
                    let body = self.body(depth - 1, true);
                    self.write("}");
                    (number, Statement::While(body))
                }
                5 | 6 if self.function > 0 => {
                    let callee = self.random.below(self.function);
                    (
                        self.write(&format!("f{callee}(to, tag);")),
                        Statement::Call(callee),
                    )
                }
                7 if in_loop => (self.write("break;"), Statement::Break),
                8 if in_loop => (self.write("continue;"), Statement::Continue),
                9 if depth == 0 => (self.write("return 0;"), Statement::Return),
                _ => (self.write("puts(\"here\");"), Statement::Stand),
            };
            let leaves = matches!(what, Statement::Break | Statement::Continue | Statement::Return);
            lines.push(Line { number, what });
            if leaves {
                break;
            }
        }
        lines
    }
}

fn program(random: &mut Random) -> Program {
    let count = 1 + random.below(4);
    let mut writer = Writer {
        random,
        text: String::new(),
        line: 0,
        function: 0,
    };
    let mut functions = Vec::new();
    for function in 0..count {
        writer.function = function;
        let name = if function + 1 == count {
            "main".to_owned()
        } else {
            format!("f{function}")
        };
        writer.write(&format!("int {name}(int to, int tag) {{"));
        functions.push(writer.body(3, false));
        writer.write("return 0;");
        writer.write("}");
    }
    Program {
        functions,
        text: writer.text,
    }
}

enum Event {
    /// The stack, outermost first.
    Stood(Vec<(usize, u32)>),
    Sent(i64, i64),
}

enum Flow {
    On,
    Break,
    Continue,
    Return,
}

struct Run<'p> {
    program: &'p Program,
    random: Random,
    stack: Vec<(usize, u32)>,
    events: Vec<Event>,
}

impl Run<'_> {
    fn body(&mut self, lines: &[Line]) -> Flow {
        for line in lines {
            if self.events.len() > 400 {
                return Flow::Return;
            }
            if let Some(top) = self.stack.last_mut() {
                top.1 = line.number;
            }
            let flow = match &line.what {
                Statement::Stand => {
                    self.events.push(Event::Stood(self.stack.clone()));
                    Flow::On
                }
                Statement::Send(to, tag) => {
                    let to = to.unwrap_or_else(|| self.random.below(2) as i64);
                    let tag = tag.unwrap_or_else(|| 3 + self.random.below(2) as i64);
                    self.events.push(Event::Sent(to, tag));
                    Flow::On
                }
                Statement::If(then, otherwise) => match self.random.below(2) {
                    0 => self.body(then),
                    _ => self.body(otherwise),
                },
                Statement::While(body) => loop {
                    if self.random.below(3) == 0 {
                        break Flow::On;
                    }
                    match self.body(body) {
                        Flow::Break => break Flow::On,
                        Flow::Return => break Flow::Return,
                        Flow::On | Flow::Continue => {}
                    }
                },
                Statement::Call(callee) => {
                    self.stack.push((*callee, 0));
                    let program = self.program;
                    self.body(&program.functions[*callee]);
                    self.stack.pop();
                    Flow::On
                }
                Statement::Break => Flow::Break,
                Statement::Continue => Flow::Continue,
                Statement::Return => Flow::Return,
            };
            if !matches!(flow, Flow::On) {
                return flow;
            }
        }
        Flow::On
    }
}

#[test]
fn what_comes_never_is_sent_by_no_run() {
    let (mut never, mut perhaps) = (0, 0);
    for seed in 0..160_u64 {
        let random = &mut Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let program = program(random);
        let map = map(&program.text);
        let order = Order::new(&map);
        let last = program.functions.len() - 1;
        for run in 0..6 {
            let mut run = Run {
                program: &program,
                random: Random(seed * 100 + run),
                stack: vec![(last, 0)],
                events: Vec::new(),
            };
            run.body(&program.functions[last]);
            for (at, event) in run.events.iter().enumerate() {
                let Event::Stood(stack) = event else { continue };
                let frames = stack.iter().map(|&(function, line)| {
                    if function == last {
                        format!("main:{line}")
                    } else {
                        format!("f{function}:{line}")
                    }
                });
                let given = Vec::from_iter(frames.chain(["puts:0".to_owned()])).join(",");
                let located = order.locate(&execution_point(&map, &tasks(&[&given])[0]));
                for by in 0..2_u32 {
                    for tag in [3, 4] {
                        let found = sends::of(
                            &map,
                            &located,
                            Wanted {
                                tag: Tag::Is(tag),
                                by,
                            },
                        );
                        let is_it = |event: &Event| matches!(event, Event::Sent(to, sent) if (*to, *sent) == (i64::from(by), tag));
                        let comes = run.events[at..].iter().any(is_it);
                        match found.coming {
                            Coming::Never => {
                                never += 1;
                                assert!(
                                    !comes,
                                    "seed {seed}: {given}: tag {tag} to {by} is sent later by\n{}",
                                    program.text
                                );
                            }
                            Coming::Perhaps(sites) => {
                                perhaps += 1;
                                assert!(!sites.is_empty());
                            }
                            Coming::NotKnown(why) => {
                                panic!("seed {seed}: {given}: {why} in\n{}", program.text)
                            }
                        }
                    }
                }
            }
        }
    }
    assert!(
        never > 1_000 && perhaps > 1_000,
        "{never} never, {perhaps} perhaps"
    );
}

/// What may lead anywhere is said to, with the reason.
#[test]
fn where_anything_may_be_called_nothing_is_claimed() {
    let of = |text: &str, given: &str| {
        let map = map(text);
        let order = Order::new(&map);
        let located = order.locate(&execution_point(&map, &tasks(&[given])[0]));
        let wanted = Wanted {
            tag: Tag::Is(3),
            by: 1,
        };
        sends::of(&map, &located, wanted)
    };
    let send = "MPI_Send(a, 1, MPI_INT, 1, 3, MPI_COMM_WORLD);";
    let unknown = |text: &str, word: &str| match of(text, "main:2,puts:0").coming {
        Coming::NotKnown(why) => assert!(why.to_string().contains(word), "{why}"),
        coming => panic!("{coming:?} of {text}"),
    };
    unknown("int main(void) {\n puts(a);\n other();\n}\n", "other");
    unknown("int main(void (*g)(void)) {\n puts(a);\n g();\n}\n", "pointer");
    unknown(
        "int main(void) {\n puts(a);\n for (;;) { qsort(a, 1, 1, less); }\n}\n",
        "qsort",
    );
    let before = format!("int main(void) {{\n {send}\n puts(a);\n}}\n");
    assert_eq!(of(&before, "main:3,puts:0").coming, Coming::Never);
    assert_eq!(
        of(&before, "main:3,puts:0").sites.len(),
        1,
        "it could have been this one"
    );
    // It stands in the send, which is no other one then.
    assert_eq!(of(&before, "main:2,MPI_Send:0").coming, Coming::Never);
    assert!(matches!(
        of(&before, "main:1").coming,
        Coming::NotKnown(_) | Coming::Perhaps(_)
    ));
    let around = format!("int main(void) {{\n while (x) {{\n {send}\n puts(a);\n }}\n}}\n");
    assert_eq!(of(&around, "main:4,puts:0").coming, Coming::Perhaps(vec![0]));
    // A thread that does not begin in main may be called by anything.
    let elsewhere = of("void f(void) {\n puts(a);\n}\n", "f:2,puts:0").coming;
    assert!(matches!(elsewhere, Coming::NotKnown(_)), "{elsewhere:?}");
}
