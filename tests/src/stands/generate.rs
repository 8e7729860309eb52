//! Random programs of C++: classes with constructors, destructors and virtual functions, templates, lambdas, exceptions, temporaries, and loops of
//! many kinds. They call `stand` everywhere, and do the same each time they run.

use crate::oracle::rng::Rng;
use crate::stands::{CLASSES, COUNT, Source};
use base::Language;
use std::fmt::Write as _;

/// The program of a seed. In three of four, `stand` leads to MPI.
#[must_use]
pub fn generate(seed: u64) -> Source {
    let mut writer = Writer {
        random: Rng::new(seed),
        text: String::new(),
        indent: 0,
        names: 0,
        functions: Vec::new(),
        classes: Vec::new(),
        budget: 0,
    };
    writer.program();
    Source {
        name: format!("seed {seed}"),
        seed,
        language: Language::Cxx,
        text: format!(
            "#define STANDS_IN_MPI {}\n{COUNT}{CLASSES}{}",
            u8::from(!seed.is_multiple_of(4)),
            writer.text
        ),
    }
}

/// Statements are nested so deep at most.
const DEEPEST: u32 = 4;

struct Writer {
    random: Rng,
    text: String,
    indent: usize,
    /// How many names have been given.
    names: u32,
    /// What may be called with one number.
    functions: Vec<String>,
    classes: Vec<Class>,
    /// How many more statements the function may have.
    budget: i64,
}

#[derive(Clone)]
struct Class {
    name: String,
    members: Vec<String>,
}

/// Writes a statement of some kind.
type Kind = fn(&mut Writer, &mut Context);

/// What a statement may use.
#[derive(Clone, Default)]
struct Context {
    numbers: Vec<String>,
    lambdas: Vec<String>,
    /// How members of objects are called, up to the parenthesis.
    members: Vec<String>,
    depth: u32,
    in_loop: bool,
    in_switch: bool,
    in_try: bool,
    /// `return` with a number is allowed.
    returns: bool,
}

impl Context {
    fn of(numbers: &[&str]) -> Self {
        Context {
            numbers: numbers.iter().map(|&name| name.to_owned()).collect(),
            returns: true,
            ..Context::default()
        }
    }

    fn deeper(&self) -> Self {
        Context {
            depth: self.depth + 1,
            ..self.clone()
        }
    }

    fn with(&self, number: &str) -> Self {
        let mut inner = self.deeper();
        inner.numbers.push(number.to_owned());
        inner
    }
}

impl Writer {
    fn program(&mut self) {
        for _ in 0..2 + self.random.below(2) {
            self.function();
        }
        for _ in 0..1 + self.random.below(2) {
            self.class();
            self.function();
        }
        for _ in 0..1 + self.random.below(3) {
            self.function();
        }
        self.budget = self.random.range(10, 25);
        self.line("int main(int argc, char **argv) {");
        self.line("    last = argc > 1 ? strtoul(argv[1], nullptr, 10) : 0;");
        self.line("    try {");
        self.indent += 1;
        let count = 4 + self.random.below(4);
        self.block(&Context::of(&["hide(1)"]), count);
        self.indent -= 1;
        self.line("    } catch (...) {");
        self.line("        stand();");
        self.line("    }");
        self.line("    if (!last) printf(\"%lu\\n\", calls);");
        self.line("    return 0;");
        self.line("}");
    }

    fn line(&mut self, text: &str) {
        let _ = writeln!(self.text, "{:1$}{text}", "", self.indent * 4);
    }

    fn name(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }

    fn one_of(&mut self, texts: &[&str]) -> String {
        (*self.random.pick(texts)).to_owned()
    }

    fn block(&mut self, context: &Context, count: usize) {
        let mut context = context.clone();
        self.indent += 1;
        for _ in 0..count {
            self.statement(&mut context);
        }
        self.indent -= 1;
    }

    fn some(&mut self, context: &Context) {
        let count = 1 + self.random.below(3);
        self.block(context, count);
    }

    // Expressions.

    /// A number that costs no call of `stand`.
    fn number(&mut self, context: &Context) -> String {
        match self.random.below(5) {
            0 => format!("hide({})", self.random.below(4)),
            1 if !context.numbers.is_empty() => self.random.pick(&context.numbers).clone(),
            2 if !context.numbers.is_empty() => {
                let number = self.random.pick(&context.numbers).clone();
                format!("{number} + {}", self.random.below(3))
            }
            _ => self.random.below(5).to_string(),
        }
    }

    fn call(&mut self, context: &Context) -> String {
        let argument = self.number(context);
        let called = match self.random.below(20) {
            0..4 if !context.lambdas.is_empty() => self.random.pick(&context.lambdas).clone(),
            4..8 if !context.members.is_empty() => self.random.pick(&context.members).clone(),
            0..19 if !self.functions.is_empty() => {
                let newest = self.functions.len().saturating_sub(6);
                self.random.pick(&self.functions[newest..]).clone()
            }
            _ => "tick".to_owned(),
        };
        format!("{called}({argument})")
    }

    fn condition(&mut self, context: &Context) -> String {
        match self.random.below(6) {
            0 => format!("{} % 2 == 0", self.call(context)),
            1 => format!("hide({})", self.random.below(2)),
            2 => format!("({}) > 1 && {} >= 0", self.number(context), self.call(context)),
            3 => format!("!({}) || {} < 0", self.number(context), self.call(context)),
            4 => format!("total % 3 != {}", self.random.below(3)),
            _ => format!("({}) < hide({})", self.number(context), self.random.below(4)),
        }
    }

    // Statements.

    fn statement(&mut self, context: &mut Context) {
        self.budget -= 1;
        if self.budget < 0 || context.depth > DEEPEST {
            self.stand();
            return;
        }
        const KINDS: [(Kind, u32); 17] = [
            (|writer, _| writer.stand(), 18),
            (Writer::plain_call, 14),
            (Writer::branch, 10),
            (Writer::iteration, 16),
            (Writer::lambda, 6),
            (Writer::function_object, 3),
            (Writer::attempt, 6),
            (Writer::guarded, 7),
            (Writer::switch, 4),
            (Writer::expression, 6),
            (Writer::object, 7),
            (Writer::pointer, 4),
            (Writer::temporary, 4),
            (Writer::jump, 5),
            (Writer::label, 3),
            (Writer::branch_with_variable, 3),
            (Writer::kept, 2),
        ];
        let kind = self.random.weighted(&KINDS.map(|(_, weight)| weight));
        KINDS[kind].0(self, context);
    }

    fn stand(&mut self) {
        let text = self.one_of(&[
            "stand();",
            "stand();",
            "stand(); stand();",
            "stand(); total++;",
            "stand(); __asm__ volatile(\"\");",
        ]);
        self.line(&text);
    }

    fn plain_call(&mut self, context: &mut Context) {
        let call = self.call(context);
        let text = match self.random.below(4) {
            0 => format!("{call};"),
            1 => format!("total += {call};"),
            2 => format!("if ({call} < 0) stand();"),
            _ => format!("(void) {call};"),
        };
        self.line(&text);
    }

    fn branch(&mut self, context: &mut Context) {
        let inner = context.deeper();
        let condition = self.condition(context);
        self.line(&format!("if ({condition}) {{"));
        self.some(&inner);
        match self.random.below(4) {
            0 | 1 => {
                self.line("} else {");
                self.some(&inner);
            }
            2 => {
                let condition = self.condition(context);
                self.line(&format!("}} else if ({condition}) {{"));
                self.some(&inner);
            }
            _ => {}
        }
        self.line("}");
    }

    fn branch_with_variable(&mut self, context: &mut Context) {
        let name = self.name("y");
        let call = self.call(context);
        let inner = context.with(&name);
        self.line(&format!("if (int {name} = {call}; {name} % 2 == 0) {{"));
        self.some(&inner);
        self.line("} else {");
        self.block(&inner, 1);
        self.line("}");
    }

    fn iteration(&mut self, context: &mut Context) {
        let i = self.name("i");
        let count = 2 + self.random.below(2);
        // What stands in front of the loop, its head, and what its body may use.
        let (before, head, number) = match self.random.below(15) {
            0 | 1 => (
                None,
                format!("for (int {i} = 0; {i} < {count}; ++{i})"),
                i.clone(),
            ),
            2 => (
                None,
                format!("for (int {i} = 0; {i} < hide({count}); {i} += 1)"),
                i.clone(),
            ),
            3 => (
                None,
                format!("for (std::size_t {i} = {count}; {i}-- > 0;)"),
                format!("int({i})"),
            ),
            4 => (
                None,
                format!("for (int {i} = hide({count}); {i} > 0; {i}--)"),
                i.clone(),
            ),
            5 => {
                let range = self.name("v");
                let by = self.one_of(&["int", "auto &", "const auto &", "auto"]);
                let vector = format!("std::vector<int> {range}{{3, 1, 4}};");
                (Some(vector), format!("for ({by} {i} : {range})"), i.clone())
            }
            6 => {
                let range = self.name("v");
                let vector = format!("std::vector<int> {range}(hide({count}), 2);");
                let head = format!("for (auto {i} = {range}.begin(); {i} != {range}.end(); ++{i})");
                (Some(vector), head, format!("*{i}"))
            }
            7 => (None, format!("for (int {i} : {{2, 7, 1}})"), i.clone()),
            8 => (
                Some(format!("int {i} = -1;")),
                format!("while (++{i} < hide({count}))"),
                i.clone(),
            ),
            9 => (
                None,
                format!("for (step = 0; step < {count}; step++)"),
                "step".to_owned(),
            ),
            10 => {
                let map = self.name("m");
                let filled = format!("std::map<int, int> {map}{{{{1, 2}}, {{3, 4}}}};");
                (
                    Some(filled),
                    format!("for (auto &[{i}, w{i}] : {map})"),
                    format!("w{i}"),
                )
            }
            11 => (
                None,
                format!("for (double {i} = 0; {i} < 0.6; {i} += 0.25)"),
                "total".to_owned(),
            ),
            12 => (
                None,
                format!(
                    "for (unsigned char {i} = 250; {i} != {}; {i} += 2)",
                    (250 + count * 2) % 256
                ),
                format!("int({i})"),
            ),
            13 => {
                let head = format!("for (int {i} = 0, j{i} = {count}; {i} < j{i}; {i}++)");
                (None, head, format!("j{i}"))
            }
            _ => (
                None,
                format!("for (Counter {i}{{0}}; {i}.value < {count}; {i}.advance())"),
                format!("{i}.value"),
            ),
        };
        if let Some(before) = before {
            self.line(&before);
        }
        // A head that decides nothing: the body does.
        let inner = if self.random.chance(15) {
            self.line(&format!("for (int n{i} = 0;; n{i}++) {{"));
            self.line(&format!("    if (n{i} == {count})"));
            self.line("        break;");
            context.deeper()
        } else {
            self.line(&format!("{head} {{"));
            Context {
                in_loop: true,
                in_switch: false,
                ..context.with(&number)
            }
        };
        self.some(&inner);
        self.line("}");
    }

    /// A context for the body of a lambda with this parameter.
    fn within_lambda(&mut self, context: &Context) -> (String, Context) {
        let parameter = self.name("x");
        let mut inner = context.with(&parameter);
        (inner.in_loop, inner.in_switch, inner.in_try, inner.returns) = (false, false, false, true);
        (parameter, inner)
    }

    fn lambda(&mut self, context: &mut Context) {
        let name = self.name("l");
        let ty = self.one_of(&["int", "auto"]);
        let (parameter, inner) = self.within_lambda(context);
        self.line(&format!("auto {name} = [&]({ty} {parameter}) {{"));
        self.some(&inner);
        self.line(&format!("    return int({parameter});"));
        self.line("};");
        context.lambdas.push(name.clone());
        let number = self.number(context);
        let text = match self.random.below(5) {
            0 => format!("each({{1, 2}}, {name});"),
            1 => format!(
                "std::vector<int> v{name}(2, 1); std::for_each(v{name}.begin(), v{name}.end(), {name});"
            ),
            2 => format!("{name}({number}); {name}(1);"),
            3 => format!("{name}({name}(1));"),
            _ => return,
        };
        self.line(&text);
    }

    fn function_object(&mut self, context: &mut Context) {
        let name = self.name("q");
        let (parameter, inner) = self.within_lambda(context);
        self.line(&format!(
            "std::function<int(int)> {name} = [&](int {parameter}) {{"
        ));
        self.some(&inner);
        self.line(&format!("    return {parameter};"));
        self.line("};");
        context.lambdas.push(name);
    }

    fn attempt(&mut self, context: &mut Context) {
        let inner = Context {
            in_try: true,
            ..context.deeper()
        };
        self.line("try {");
        self.some(&inner);
        if self.random.chance(70) {
            let condition = self.condition(context);
            let thrown = self.one_of(&["1", "2L", "std::runtime_error(std::string())"]);
            self.line(&format!("    if ({condition})"));
            self.line(&format!("        throw {thrown};"));
        }
        let caught = self.one_of(&["int", "int", "std::exception &", "long"]);
        self.line(&format!("}} catch ({caught}) {{"));
        self.some(&context.deeper());
        self.line("} catch (...) {");
        self.block(&context.deeper(), 1);
        self.line("}");
    }

    fn guarded(&mut self, context: &mut Context) {
        self.line("{");
        for _ in 0..1 + self.random.below(2) {
            let class = self.one_of(&["Guard", "Twice"]);
            let name = self.name("g");
            let number = self.random.below(3);
            self.line(&format!("    {class} {name}({number});"));
        }
        self.some(&context.deeper());
        self.line("}");
    }

    fn switch(&mut self, context: &mut Context) {
        let number = self.number(context);
        let inner = Context {
            in_switch: true,
            ..context.deeper()
        };
        self.line(&format!("switch ({number}) {{"));
        for value in 0..2 + self.random.below(2) {
            self.line(&format!("case {value}: {{"));
            self.some(&inner);
            self.line("}");
            if self.random.chance(60) {
                self.line("    break;");
            }
        }
        self.line("default:");
        self.line("    stand();");
        self.line("}");
    }

    fn expression(&mut self, context: &mut Context) {
        let x = self.name("x");
        let [a, b, c] = [(); 3].map(|()| self.call(context));
        let text = match self.random.below(10) {
            0 => format!("int {x} = {a} + {b};"),
            1 => format!("int {x} = {a} ? {b} : {c};"),
            2 => format!("int {x} = ({a}, {b});"),
            3 => format!("Pair p{x}{{{a}, {b}}}; int {x} = p{x}.a;"),
            4 => format!("int {x} = tick({a}) + tick({b});"),
            5 => format!("int {x} = both({a}, {b});"),
            6 => format!("int {x} = {a} && {b} && {c};"),
            7 => format!("int {x}; {x} = {a}; {x} += {b};"),
            8 => format!("int {x} = std::max({a}, {b});"),
            _ => format!("int a{x}[] = {{ {a}, {b} }}; int {x} = a{x}[1];"),
        };
        self.line(&text);
        context.numbers.push(x);
    }

    fn object(&mut self, context: &mut Context) {
        let Some(class) = self.some_class() else {
            return self.stand();
        };
        let Class { name, members } = class;
        let object = self.name("o");
        let value = self.random.below(4);
        let (text, access) = match self.random.below(4) {
            0 => (format!("{name} {object}({value});"), "."),
            1 => (
                format!("std::unique_ptr<{name}> {object}(new {name}({value}));"),
                "->",
            ),
            2 => (
                format!("auto {object} = std::make_shared<{name}>({value});"),
                "->",
            ),
            _ => {
                self.line(&format!("std::vector<{name}> {object}; {object}.reserve(4);"));
                self.line(&format!("{object}.emplace_back(1); {object}.emplace_back(2);"));
                self.line(&format!("for (auto &each{object} : {object})"));
                let member = self.random.pick(&members).clone();
                let number = self.number(context);
                self.line(&format!("    total += each{object}.{member}({number});"));
                return;
            }
        };
        self.line(&text);
        let called = members.iter().map(|member| format!("{object}{access}{member}"));
        context.members.extend(called);
    }

    fn some_class(&mut self) -> Option<Class> {
        (!self.classes.is_empty()).then(|| self.random.pick(&self.classes).clone())
    }

    fn pointer(&mut self, context: &mut Context) {
        let (Some(a), Some(b)) = (self.some_class(), self.some_class()) else {
            return self.stand();
        };
        let (a, b) = (a.name, b.name);
        let pointer = self.name("p");
        let number = self.number(context);
        self.line(&format!(
            "std::unique_ptr<Base> {pointer}({number} % 2 ? static_cast<Base *>(new {a}(1)) : new {b}(2));"
        ));
        context.members.push(format!("{pointer}->run"));
        if self.random.chance(40) {
            self.line(&format!("total += {pointer}->run({number}) + {pointer}->run(1);"));
        }
        if self.random.chance(30) {
            self.line(&format!("{pointer}.reset(new {a}(3));"));
        }
    }

    fn temporary(&mut self, context: &mut Context) {
        let [a, b] = [(); 2].map(|()| self.call(context));
        let text = match self.random.below(5) {
            0 => format!("Chain(1).then({a}).then({b});"),
            1 => format!("Chain({a}).then(1), stand();"),
            2 => format!("total += Chain(1).then({a}).value;"),
            3 => format!("Guard({a}), Guard({b});"),
            _ => format!("both(Chain({a}).value, Chain({b}).value);"),
        };
        self.line(&text);
    }

    fn jump(&mut self, context: &mut Context) {
        let condition = self.condition(context);
        let jump = match self.random.below(3) {
            0 if context.in_loop && (context.in_switch || self.random.chance(60)) => "continue;".to_owned(),
            0 if context.in_loop => "break;".to_owned(),
            1 if context.returns => format!("return {};", self.number(context)),
            2 if context.in_try => "throw 3;".to_owned(),
            _ => return self.stand(),
        };
        self.line(&format!("if ({condition})"));
        self.line(&format!("    {jump}"));
    }

    fn label(&mut self, context: &mut Context) {
        let name = self.name("again");
        self.line("{");
        self.line(&format!("int t{name} = 0;"));
        self.line(&format!("{name}:"));
        self.line("{");
        self.some(&context.deeper());
        self.line("}");
        let count = 2 + self.random.below(2);
        self.line(&format!("if (++t{name} < {count})"));
        self.line(&format!("    goto {name};"));
        self.line("}");
    }

    fn kept(&mut self, context: &mut Context) {
        let name = self.name("s");
        let call = self.call(context);
        self.line(&format!("static int {name} = {call};"));
        context.numbers.push(name);
    }

    // Functions and classes.

    fn function(&mut self) {
        let name = self.name("f");
        self.budget = self.random.range(4, 12);
        let context = Context::of(&["a"]);
        match self.random.below(10) {
            0 | 1 => {
                self.line(&format!("template <typename T> int {name}(T a) {{"));
                self.some(&Context::of(&["int(a)"]));
                self.line("    return int(a);");
                self.functions
                    .extend([format!("{name}<int>"), format!("{name}<long>")]);
            }
            2 => {
                self.line(&format!("static int {name}(int a) {{"));
                self.line("    if (a <= 0)");
                self.line("        return 0;");
                self.line("    if (a > 3)");
                self.line("        a = 3;");
                self.some(&context);
                self.line(&format!("    total += {name}(a - 1);"));
                self.block(&context, 1);
                self.line("    return a;");
                self.functions.push(name);
            }
            _ => {
                let how = self.one_of(&[
                    "",
                    "inline ",
                    "__attribute__((noinline)) ",
                    "inline __attribute__((always_inline)) ",
                ]);
                let default = self.one_of(&["", "", ", int b = 2", ", int b = tick(2)"]);
                self.line(&format!("static {how}int {name}(int a{default}) {{"));
                self.some(&context);
                self.line("    return a;");
                self.functions.push(name);
            }
        }
        self.line("}");
    }

    fn class(&mut self) {
        let name = self.name("K");
        let (first, second) = (self.name("m"), self.name("m"));
        self.budget = self.random.range(6, 16);
        let (in_function, in_object) = (Context::of(&["a"]), Context::of(&["a", &first, &second]));
        let without_value = Context {
            returns: false,
            ..Context::of(&[&first, &second])
        };
        self.line(&format!("struct {name} : Base {{"));
        self.indent += 1;
        let value = self.call(&Context::default());
        self.line(&format!("int {first} = {value};"));
        self.line(&format!("int {second};"));
        let value = self.call(&in_function);
        self.line(&format!("explicit {name}(int a) : {second}({value}) {{"));
        self.block(&without_value, 2);
        self.line("}");
        let own = self.name("own");
        for (head, result) in [
            ("int run(int a) override {".to_owned(), format!("a + {second}")),
            (format!("int {own}(int a) {{"), format!("{first}++")),
            ("int operator()(int a) {".to_owned(), "a".to_owned()),
        ] {
            self.line(&head);
            self.some(&in_object);
            self.line(&format!("    return {result};"));
            self.line("}");
        }
        if self.random.chance(60) {
            self.line(&format!("~{name}() {{"));
            self.line("    stand();");
            self.line("    if (total % 2 == 0)");
            self.line("        stand();");
            self.line("}");
        }
        self.indent -= 1;
        self.line("};");
        let members = ["run", &own, "operator()"].map(str::to_owned).to_vec();
        self.classes.push(Class { name, members });
    }
}
