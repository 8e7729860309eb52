//! Values that C++ gives where no statement stands: default arguments, and the initial values of members.
//!
//! Each class with such members, and each function with such arguments, gets a function that evaluates them
//! ([`ir::Defaults`]). What a literal gives to an argument depends on nothing, and has none.

use crate::lower::declare::{self, Derived, Specifiers};
use crate::lower::file::File;
use crate::lower::function::{Body, BodyKind};
use crate::lower::{children, field};
use base::Confidence;
use ir::{
    CallOperator, Callable, Callee, ExprId, ExprKind, Function, FunctionKind, Reading, Receiver, StmtKind,
    Type,
};
use tree_sitter::Node;

impl File<'_> {
    /// Notes what evaluates the default arguments of the function that `declarator` declares; `function` has its parameters.
    pub(super) fn default_arguments(&mut self, declarator: Node, function: Option<Node>) {
        let parameters = function.and_then(|function| field(function, "parameters"));
        let Some(list) = parameters.filter(|list| self.is_cxx() && !list.has_error()) else {
            return;
        };
        self.note_call_operator(declarator, list);
        let Some(declared) = declare::declarator(self, declarator) else {
            return;
        };
        let name = self.last_name(declared.name);
        let (qualified, is_method) = self.qualified(declarator, &name);
        let kind = if is_method {
            BodyKind::Method
        } else {
            BodyKind::Free
        };
        self.evaluated_defaults(list, &name, (name.clone(), qualified), kind);
    }

    /// Notes how many arguments the lambda `node` takes, and what evaluates those that are left out: of the variables of the functions
    /// around it, static ones can be among them. `name` tells lambdas from all other functions.
    pub(super) fn lambda_arguments(&mut self, node: Node, name: &str) {
        let list = field(node, "declarator").and_then(|declarator| field(declarator, "parameters"));
        if list.is_some_and(|list| list.has_error()) {
            return;
        }
        let span = self.span(node);
        let of = Callable::Lambda(span.line, span.column);
        let operator = match list {
            Some(list) => self.arity(of, list),
            None => CallOperator {
                of,
                parameters: 0,
                least: 0,
                is_open: false,
            },
        };
        self.call_operators.insert(operator);
        if let Some(list) = list {
            self.evaluated_defaults(
                list,
                ir::CALL,
                (name.to_owned(), name.to_owned()),
                BodyKind::Lambda,
            );
        }
    }

    /// Notes what evaluates the default arguments in the parameters `list` of the function `called`, under this name, and this one as the
    /// linker has it.
    fn evaluated_defaults(
        &mut self,
        list: Node,
        called: &str,
        (name, qualified): (String, String),
        kind: BodyKind,
    ) {
        let parameters = children(list).into_iter();
        let parameters: Vec<Node> = parameters
            .filter(|child| child.kind().ends_with("parameter_declaration"))
            .collect();
        let values: Vec<Node> = parameters.iter().filter_map(|node| default_of(*node)).collect();
        if values.iter().all(|value| is_literal(*value)) || values.iter().any(|value| self.has_lambda(*value))
        {
            return;
        }
        let mut body = Body::new(self, self.span(list));
        body.kind = kind;
        let args = parameters.iter().map(|parameter| match default_of(*parameter) {
            Some(value) => body.argument(value, field(*parameter, "type")),
            None => body.push_expr(ExprKind::Constant, *parameter),
        });
        let args: Vec<ExprId> = args.collect();
        body.receiver = (kind == BodyKind::Method).then_some(Receiver::This);
        let callee = Callee::Named(called.into());
        let args = args.into();
        let call = body.push_expr(ExprKind::Call { callee, args }, list);
        let call = body.push_stmt(StmtKind::Return(Some(call)), list);
        let block = body.push_stmt(StmtKind::Block([call].into_iter().collect()), list);
        let mut function = body.finished(name, qualified, block);
        function.kind = FunctionKind::DefaultArguments;
        self.defaults.arguments.push(function);
    }

    /// Notes how many arguments an `operator()` takes that is declared in its class.
    fn note_call_operator(&mut self, declarator: Node, list: Node) {
        let name = declare::declarator(self, declarator).map(|declared| self.last_name(declared.name));
        if name.as_deref() != Some(ir::CALL) || !self.named_scopes(declarator).is_empty() {
            return;
        }
        let (linkage_name, _) = self.qualified(declarator, ir::CALL);
        let operator = self.arity(Callable::Class(linkage_name), list);
        self.call_operators.insert(operator);
    }

    fn arity(&self, of: Callable, list: Node) -> CallOperator {
        let is_parameter =
            |child: &Node| child.kind().ends_with("parameter_declaration") && self.text(*child) != b"void";
        let parameters: Vec<Node> = children(list).into_iter().filter(is_parameter).collect();
        let may_be_left_out = |node: &Node| node.kind() != "parameter_declaration";
        CallOperator {
            of,
            parameters: parameters.len(),
            least: parameters
                .iter()
                .position(may_be_left_out)
                .unwrap_or(parameters.len()),
            is_open: ends_open(self.text(list)),
        }
    }

    /// Notes what gives members of the class `class` the values that stand in its body.
    pub(super) fn default_members(&mut self, class: Node, list: Node) {
        let Some(name) = field(class, "name").map(|name| self.last_name(name)) else {
            return;
        };
        let items = children(list).into_iter();
        let fields = items.filter(|item| item.kind() == "field_declaration" && !item.has_error());
        let given = fields.filter_map(|item| Some((item, field(item, "default_value")?)));
        let given = given
            .filter(|(item, value)| !Specifiers::read(self, *item).is_static && !self.has_lambda(*value));
        // `virtual void f() = 0;` says that there is no such function here.
        let is_function = |item: Node| {
            let declared = declare::declarators(item).into_iter();
            let mut declared = declared.filter_map(|declarator| declare::declarator(self, declarator));
            declared.any(|declared| declared.derived == Derived::Function)
        };
        let given: Vec<(Node, Node)> = given.filter(|(item, _)| !is_function(*item)).collect();
        let (Some(&(first, _)), Some(&(last, _))) = (given.first(), given.last()) else {
            return;
        };
        let around = self.scopes.iter().map(|scope| scope.name.as_str());
        let around: Vec<&str> = around.filter(|name| !name.is_empty()).collect();
        let qualified = format!("{}::{name}", around.join("::"));
        let (start, end) = (self.span(first), self.span(last));
        let span = base::Span {
            end_line: end.end_line,
            end_column: end.end_column,
            ..start
        };
        let mut body = Body::new(self, span);
        body.kind = BodyKind::Method;
        let mut statements = Vec::new();
        for (item, value) in given {
            for declarator in declare::declarators(item) {
                let Some(declared) = declare::declarator(body.file, declarator) else {
                    continue;
                };
                let member = body.file.name(declared.name);
                let value = body.argument(value, field(item, "type"));
                let base = body.this_object(declared.name);
                let (name, arrow) = (member.into(), true);
                let target = body.push_expr(ExprKind::Field { base, name, arrow }, declared.name);
                let op = None;
                let set = body.push_expr(ExprKind::Assign { op, target, value }, declared.name);
                statements.push(body.push_stmt(StmtKind::Expr(set), item));
            }
        }
        let block = body.push_stmt(StmtKind::Block(statements.into()), first);
        let function = body.finished(name, qualified, block);
        self.defaults.members.push(function);
    }

    /// A lambda is a function that the file has once.
    fn has_lambda(&self, node: Node) -> bool {
        let text = self.text(node);
        text.contains(&b'[') && text.contains(&b'{')
    }
}

impl Body<'_, '_> {
    /// The value that something of type `ty` gets.
    fn argument(&mut self, value: Node, ty: Option<Node>) -> ExprId {
        match value.kind() {
            "initializer_list" => {
                let kind = self.construct(value, ty, Some(value));
                self.push_expr(kind, value)
            }
            _ => self.expr(value),
        }
    }

    /// The function that is made of what was lowered.
    fn finished(self, name: String, qualified: String, body: ir::StmtId) -> Function {
        Function {
            name,
            kind: FunctionKind::Source,
            language: self.file.raw.language,
            linkage_name: Some(qualified),
            is_static: false,
            span: self.span,
            locals: self.locals,
            params: 0,
            returns: Type::Unknown,
            exprs: self.exprs,
            receivers: self.receivers,
            by_address: std::collections::BTreeSet::new(),
            stmts: self.stmts,
            body,
            reading: Reading::AsWritten,
            confidence: Confidence::Clean,
            confidence_reason: None,
        }
    }
}

/// Whether a list of parameters ends in `...`.
fn ends_open(list: &[u8]) -> bool {
    let inside = list.strip_suffix(b")").unwrap_or(list);
    inside.trim_ascii_end().ends_with(b"...")
}

/// The default argument of a parameter.
fn default_of(parameter: Node<'_>) -> Option<Node<'_>> {
    match parameter.kind() {
        "optional_parameter_declaration" => field(parameter, "default_value"),
        _ => None,
    }
}

/// Whether a value is written as one.
fn is_literal(value: Node) -> bool {
    matches!(
        value.kind(),
        "number_literal" | "string_literal" | "char_literal" | "true" | "false" | "null"
    )
}
