//! Objects: members without `this->`, calls of member functions, constructors and destructors, operators that are
//! functions.
//!
//! An implicit call is made a call here where the program declares such a
//! function; the order does not rely on it (`progress`), the analysis of variables does.

use crate::lower::cxx::is_named_with_std;
use crate::lower::expression::is_expression;
use crate::lower::function::{Binding, Body, BodyKind};
use crate::lower::{children, declare, field};
use base::Cause;
use base::looks_like_macro;
use ir::{Callee, ExprId, ExprKind, LocalId, Receiver, StmtId, StmtKind, Type, VarRef};
use thin_vec::ThinVec;
use tree_sitter::Node;

impl Body<'_, '_> {
    /// The name that `this` has in debug info, as a variable.
    pub(super) fn this(&mut self) -> LocalId {
        if let Some(local) = self.this {
            return local;
        }
        let local = self
            .locals
            .push(ir::Local::new(ir::THIS.to_owned(), self.span, Type::Pointer));
        self.this = Some(local);
        local
    }

    /// The structure that members of the object at hand belong to.
    pub(super) fn this_object(&mut self, node: Node) -> ExprId {
        let this = self.this();
        let this = self.push_expr(ExprKind::Var(VarRef::Local(this)), node);
        match self.kind {
            // The object's address is a member of the lambda's own object.
            BodyKind::Lambda | BodyKind::LambdaInMethod => self.push_expr(ExprKind::Deref(this), node),
            _ => this,
        }
    }

    /// `this` as a value.
    pub(super) fn this_value(&mut self, node: Node) -> ExprKind {
        let this = self.this_object(node);
        let object = self.push_expr(ExprKind::Deref(this), node);
        ExprKind::AddressOf(object)
    }

    /// A name that nothing in the function declares: a variable that a lambda captured, or a member of the object.
    pub(super) fn implicit_member(&mut self, node: Node, name: &str) -> Option<ExprKind> {
        if !self.file.is_cxx() || self.lookup(name).is_some() {
            return None;
        }
        if self.captured.contains(name) {
            let object = self.this_object(node);
            let captured = name.into();
            let address = self.push_expr(
                ExprKind::Captured {
                    object,
                    name: captured,
                },
                node,
            );
            let outer = ExprKind::Deref(address);
            // Whether a class in a function has such a member is for its bases to say, of which some may be unknown.
            if self.kind != BodyKind::Method || !self.file.is_member(name) {
                return Some(outer);
            }
            let member = self.own_member(node, name);
            return Some(self.either(outer, member, node));
        }
        if matches!(self.kind, BodyKind::Free | BodyKind::Lambda) {
            return None;
        }
        let facts = self.file.raw.visible.cxx();
        let bytes = name.as_bytes();
        let member = facts.iter().any(|facts| facts.is_member(bytes));
        let fixed = facts.iter().any(|facts| facts.is_static_member(bytes));
        let known = facts.iter().any(|facts| facts.is_global(bytes))
            || self.file.global_index.contains_key(name)
            || self.file.is_function_name(name)
            || self.file.types.contains_key(name)
            || self.file.is_class(bytes)
            || looks_like_macro(bytes)
            || name.starts_with("MPI_")
            || self.is_plain_name(node.start_byte() as u32);
        if !member && (known || fixed) {
            return None;
        }
        Some(self.own_member(node, name))
    }

    /// A member of the object at hand.
    fn own_member(&mut self, node: Node, name: &str) -> ExprKind {
        let base = self.this_object(node);
        let name = name.into();
        ExprKind::Field {
            base,
            name,
            arrow: true,
        }
    }

    /// The object of a member access. A reference names its object; the access goes through it without a sign.
    pub(super) fn object(&mut self, node: Node) -> ExprId {
        let Some(argument) = field(node, "argument") else {
            return self.push_expr(ExprKind::Unknown(ThinVec::new()), node);
        };
        if argument.kind() == "this" {
            return self.this_object(argument);
        }
        let object = self.expr(argument);
        match self.exprs[object].kind {
            ExprKind::Deref(pointer)
                if argument.kind() == "identifier"
                    && matches!(&self.exprs[pointer].kind, ExprKind::Var(VarRef::Local(local)) if self.references.contains(local)) =>
            {
                pointer
            }
            _ => object,
        }
    }

    /// `object.f(…)`, `pointer->f(…)`: the function is known by its name alone. The object's address is given away.
    pub(super) fn member_call(&mut self, node: Node, function: Node, arguments: &[Node]) -> ExprKind {
        let name = field(function, "field")
            .map(|name| self.file.last_name(name))
            .unwrap_or_default();
        let object = self.object(function);
        let arrow = self.operator(function) == b"->";
        let facts = self.file.raw.visible.cxx();
        let declared = facts.iter().any(|facts| facts.is_function(name.as_bytes()));
        if !declared && facts.iter().any(|facts| facts.is_member(name.as_bytes())) {
            // A member that is a pointer to a function, or an object that can be called.
            let callee = self.push_expr(
                ExprKind::Field {
                    base: object,
                    name: name.into(),
                    arrow,
                },
                function,
            );
            let args = self.arguments(None, arguments);
            return ExprKind::Call {
                callee: Callee::Indirect(callee),
                args: args.into(),
            };
        }
        if arguments.is_empty()
            && let Some(member) = self.accessed(&name, node)
        {
            return self.access((object, arrow), &name, member, node);
        }
        let args = self.arguments(Some(&name), arguments);
        let call = ExprKind::Call {
            callee: Callee::Named(name.into()),
            args: args.into(),
        };
        let given = match &self.exprs[object].kind {
            ExprKind::Var(VarRef::Local(local))
                if arrow || self.references.contains(local) || Some(*local) == self.this =>
            {
                self.receiver = Some(Receiver::At(object));
                return call;
            }
            ExprKind::Var(_) if arrow => {
                self.receiver = Some(Receiver::At(object));
                return call;
            }
            ExprKind::Var(_) | ExprKind::Field { .. } if !arrow => self.given(object, function),
            ExprKind::Deref(pointer) => *pointer,
            ExprKind::Field { .. } => object,
            _ => {
                let call = self.push_expr(call, node);
                return ExprKind::Comma(object, call);
            }
        };
        self.receiver = Some(Receiver::At(given));
        let call = self.push_expr(call, node);
        ExprKind::Comma(given, call)
    }

    /// An object of the type `ty` made of `value`: the call of a constructor, if the program has one.
    pub(super) fn construct(&mut self, node: Node, ty: Option<Node>, value: Option<Node>) -> ExprKind {
        let name = ty.map(|ty| self.file.last_name(ty)).unwrap_or_default();
        let nodes: Vec<Node> = match value {
            Some(value) if is_list(value) => children(value),
            Some(value) => vec![value],
            None => Vec::new(),
        };
        let nodes: Vec<Node> = nodes
            .into_iter()
            .map(|node| match node.kind() {
                "initializer_pair" => field(node, "value").unwrap_or(node),
                _ => node,
            })
            .collect();
        let standard = ty.is_some_and(|ty| is_standard_value(self.file.text(ty)));
        let scalar = ty.is_none_or(|ty| !self.is_class_type(ty)) && (nodes.len() < 2);
        if self.file.is_class(name.as_bytes()) {
            let args = self.arguments(Some(&name), &nodes);
            let callee = Callee::Named(name.into());
            return ExprKind::Call {
                callee,
                args: args.into(),
            };
        }
        let mut args = if standard || scalar {
            nodes.iter().map(|node| self.expr(*node)).collect()
        } else {
            self.arguments(None, &nodes)
        };
        let in_parentheses = value.is_some_and(|value| value.kind() == "argument_list");
        if let Some(callee) = self.calling_constructor(ty, in_parentheses, &nodes) {
            return ExprKind::Call {
                callee,
                args: args.into(),
            };
        }
        match (args.pop(), args.is_empty(), scalar) {
            (Some(only), true, true) => ExprKind::Cast(Type::Unknown, only),
            (last, ..) => {
                args.extend(last);
                let _ = node;
                ExprKind::List(args.into())
            }
        }
    }

    /// Whether a type may be a class: it is not known to be a number or a pointer.
    pub(super) fn is_class_type(&self, ty: Node) -> bool {
        match ty.kind() {
            "primitive_type" | "sized_type_specifier" | "enum_specifier" => false,
            "type_identifier" => {
                let name = self.file.name(ty);
                match self.lookup(&name) {
                    Some(Binding::Type(ty)) => matches!(ty, Type::Aggregate | Type::Unknown),
                    _ => {
                        let scalar = self.file.scalar_type(&name);
                        scalar.is_none_or(|ty| ty == Type::Unknown)
                            && !declare::is_number(self.file, name.as_bytes())
                    }
                }
            }
            // `std::ptrdiff_t` and `gmx::index`: what the last part is by itself.
            "qualified_identifier" => field(ty, "name").is_none_or(|name| self.is_class_type(name)),
            "placeholder_type_specifier" => false,
            _ => true,
        }
    }

    /// Expressions that only C++ has; `None` when `node` is none.
    pub(super) fn cxx_expr(&mut self, node: Node) -> Option<ExprKind> {
        if !self.file.is_cxx() {
            return None;
        }
        Some(match node.kind() {
            "this" => self.this_value(node),
            "user_defined_literal" => ExprKind::Constant,
            "qualified_identifier" | "template_function" => self.qualified_name(node),
            "lambda_expression" => self.lambda(node),
            "new_expression" => self.new_object(node),
            "delete_expression" => {
                let operand = children(node).last().copied()?;
                let pointer = self.expr(operand);
                // The object's destructor, which only the object knows.
                let callee = Callee::Indirect(pointer);
                let args = Vec::new();
                ExprKind::Call {
                    callee,
                    args: args.into(),
                }
            }
            "fold_expression" => ExprKind::Unknown(self.parts(node).into()),
            "parameter_pack_expansion" => {
                let pattern = field(node, "pattern").or(children(node).first().copied())?;
                return Some(ExprKind::Cast(Type::Unknown, self.expr(pattern)));
            }
            "typeid_expression" | "requires_expression" | "requires_clause" | "noexcept_expression" => {
                ExprKind::Constant
            }
            "co_await_expression" => {
                self.partial(node, Cause::Coroutine);
                ExprKind::Unknown(self.parts(node).into())
            }
            "template_type" | "type_descriptor" | "primitive_type" | "decltype" | "dependent_type" => {
                ExprKind::Constant
            }
            _ => return None,
        })
    }

    /// `A::b`: a variable outside functions, a static member, an enumerator, or a member function's name.
    fn qualified_name(&mut self, node: Node) -> ExprKind {
        let name = self.file.last_name(node);
        if let Some(value) = self.file.enumerators.get(&name) {
            return value.map_or(ExprKind::Constant, ExprKind::Int);
        }
        let scopes = self.file.named_scopes(node);
        let qualifier = scopes.last().map(String::as_str);
        if let Some(constant) = self.file.enumerator_of_header(node, &name, qualifier) {
            return constant;
        }
        self.file.note_address_of_function(name.clone());
        if let Some(exposed) = self.exposed_by(&name, node) {
            return exposed;
        }
        let facts = self.file.raw.visible.cxx();
        let member = facts.iter().any(|facts| facts.is_member(name.as_bytes()));
        // `Base::n` is a member of the object.
        if member && matches!(self.kind, BodyKind::Method | BodyKind::LambdaInMethod) {
            let base = self.this_object(node);
            let arrow = true;
            return ExprKind::Field {
                base,
                name: name.into(),
                arrow,
            };
        }
        ExprKind::Var(VarRef::Global(name.into()))
    }

    fn new_object(&mut self, node: Node) -> ExprKind {
        let mut parts: Vec<ExprId> = Vec::new();
        let placement = field(node, "placement").map(children).unwrap_or_default();
        parts.extend(placement.iter().map(|node| self.expr(*node)).collect::<Vec<_>>());
        let mut at = field(node, "declarator");
        while let Some(declarator) = at {
            let length = field(declarator, "length");
            if let Some(length) = length.filter(|length| is_expression(length.kind())) {
                parts.push(self.expr(length));
            }
            at = children(declarator)
                .into_iter()
                .find(|child| child.kind() == "new_declarator");
        }
        let object = self.construct(node, field(node, "type"), field(node, "arguments"));
        parts.push(self.push_expr(object, node));
        let parts = self.push_expr(ExprKind::List(parts.into()), node);
        ExprKind::Cast(Type::Pointer, parts)
    }

    /// What a `T x`, `T x(…)`, `T x{…}` or `T x = …` starts with.
    pub(super) fn initial(
        &mut self,
        declaration: Node,
        declarator: Node,
        value: Option<Node>,
    ) -> Option<ExprId> {
        let ty = field(declaration, "type");
        let list = value.is_some_and(|value| is_list(value));
        let class = ty.is_some_and(|ty| self.is_class_type(ty));
        match value {
            Some(value) if !list => {
                let lowered = self.expr(value);
                // An object may keep a reference to what it is made of: `std::optional<std::reference_wrapper<int>> r = x;`.
                let keeps = class && ty.is_some_and(|ty| self.may_keep(ty));
                Some(if keeps {
                    self.given(lowered, value)
                } else {
                    lowered
                })
            }
            None if !class => None,
            _ => {
                let object = self.construct(declarator, ty, value);
                Some(self.push_expr(object, declarator))
            }
        }
    }

    /// Whether an object of the type `ty` may keep a reference to a plain variable that it is made of.
    fn may_keep(&self, ty: Node) -> bool {
        let text = self.file.text(ty);
        let name = self.file.last_name(ty);
        let of_program = self.file.is_class(name.as_bytes()) && self.may_change_first(&name);
        of_program || text.contains(&b'<') && !is_standard_value(text)
    }

    /// The members and bases that a constructor initialises before its body; `node` is the constructor, or the `try` that holds its body.
    pub(super) fn initialisers_in(&mut self, node: Node) -> Vec<StmtId> {
        let mut statements = Vec::new();
        let mut within = children(node).into_iter();
        let list = within.find(|child| child.kind() == "field_initializer_list");
        let items = list.map(children).unwrap_or_default().into_iter();
        for item in items.filter(|child| child.kind() == "field_initializer") {
            let parts = children(item);
            let (Some(name), value) = (parts.first().copied(), parts.get(1).copied()) else {
                continue;
            };
            let last = self.file.last_name(name);
            let facts = self.file.raw.visible.cxx();
            let member = facts.iter().any(|facts| facts.is_member(last.as_bytes()));
            let is_class = name.kind() != "field_identifier" || !member;
            let expr = if is_class {
                let nodes = value.map(children).unwrap_or_default();
                let args = self.arguments(Some(&last), &nodes);
                let callee = Callee::Named(last.into());
                self.push_expr(
                    ExprKind::Call {
                        callee,
                        args: args.into(),
                    },
                    item,
                )
            } else {
                let nodes = value.map(children).unwrap_or_default();
                // Only an object may keep a reference to what it is made of.
                let args = if self.is_number_member(&last) {
                    nodes.iter().map(|node| self.expr(*node)).collect()
                } else {
                    self.arguments(None, &nodes)
                };
                let value = match (self.calling_member(&last, &nodes), &args[..]) {
                    (Some(callee), _) => {
                        let args = args.into();
                        self.push_expr(ExprKind::Call { callee, args }, item)
                    }
                    (None, &[only]) => only,
                    (None, _) => self.push_expr(ExprKind::List(args.into()), item),
                };
                let base = self.this_object(name);
                let (name, arrow, node) = (last, true, name);
                let target = self.push_expr(
                    ExprKind::Field {
                        base,
                        name: name.into(),
                        arrow,
                    },
                    node,
                );
                let op = None;
                self.push_expr(ExprKind::Assign { op, target, value }, item)
            };
            statements.push(self.push_stmt(StmtKind::Expr(expr), item));
        }
        statements
    }

    /// Whether all members of this name are numbers: in the structures of this file, where types have been looked up, or in all that it can see.
    pub(super) fn is_number_member(&self, name: &str) -> bool {
        let members = self.file.members.iter().filter(|member| member.name == name);
        let mut types = members.map(|member| member.ty).peekable();
        let is_number = |ty| matches!(ty, Type::Int { .. } | Type::Float { .. });
        if types.peek().is_some() {
            return types.all(is_number);
        }
        let (facts, name) = (self.file.raw.visible.cxx(), name.as_bytes());
        facts.iter().any(|facts| facts.is_member(name))
            && !facts.iter().any(|facts| facts.is_object_member(name))
    }

    /// The names of a structured binding: each stands for a part of the value.
    pub(super) fn structured_binding(&mut self, declarator: Node, value: Option<Node>) -> Vec<StmtId> {
        let value = value.map(|value| {
            let lowered = self.expr(value);
            self.referent(lowered, value)
        });
        let mut statements = Vec::new();
        let names = children(declarator)
            .into_iter()
            .filter(|child| child.kind() == "identifier");
        for name in names {
            let local = self.declare_local(name, Type::Pointer, false);
            self.references.insert(local);
            // Which part of the value each name stands for is not worked out: all lead to the whole.
            let init = Some(value.unwrap_or_else(|| self.push_expr(ExprKind::Unseen, name)));
            statements.push(self.push_stmt(StmtKind::Decl { local, init }, name));
        }
        statements
    }

    /// The parts of a declarator that is a structured binding, and its value.
    pub(super) fn binding_of<'t>(&self, declarator: Node<'t>) -> Option<(Node<'t>, Option<Node<'t>>)> {
        let inner = match declarator.kind() {
            "init_declarator" => field(declarator, "declarator")?,
            _ => declarator,
        };
        let inner = match inner.kind() {
            "reference_declarator" => children(inner).into_iter().next()?,
            _ => inner,
        };
        (inner.kind() == "structured_binding_declarator").then(|| (inner, field(declarator, "value")))
    }

    /// `declarator` is a reference, and what it is declared with.
    pub(super) fn is_reference(declared: &declare::Declared) -> bool {
        declared.derived == declare::Derived::Reference
    }
}

/// Whether a type is one of the standard library's whose objects keep no reference to what they are made of.
fn is_standard_value(text: &[u8]) -> bool {
    is_named_with_std(text) && !library::standard::keeps_references(text)
}

/// Whether a node lists what an object is made of. Parameters are one where they are arguments
/// ([`vexing_arguments`](Body::vexing_arguments)).
pub fn is_list(node: Node) -> bool {
    matches!(
        node.kind(),
        "argument_list" | "initializer_list" | "parameter_list"
    )
}
