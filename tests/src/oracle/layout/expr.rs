//! Expressions, and the logging around them.

use super::{Position, Site, Writer};
use crate::oracle::ast::{Expr, Lvalue, MEMBERS, Op, Ty};

impl Writer {
    /// An expression for its effect; when it has no call, a task can be stopped before and after.
    pub(super) fn stop_and_do(&mut self, e: &Expr, site: usize) {
        self.mark(site, None);
        if e.has_call() {
            self.expr(e, None);
        } else {
            let visible = self.visible();
            self.log(&format!("({{ hx_stop({site}{visible}); (void) ("));
            self.expr(e, None);
            self.log(&format!("); hx_stop({site}{visible}); }})"));
        }
    }

    /// Records that `site` stands here; `outer` is the call whose argument it is.
    pub(super) fn mark(&mut self, site: usize, outer: Option<Position>) {
        let own = self.here();
        if let Some(known) = self.sites.get_mut(site) {
            *known = Site {
                own,
                outer: outer.unwrap_or(own),
            };
        }
    }

    fn place(&mut self, place: &Lvalue) {
        self.put(&place.to_string());
    }

    fn operand(&mut self, e: &Expr) {
        let plain = matches!(
            e,
            Expr::Int(_) | Expr::Real(..) | Expr::Get(_) | Expr::Call { .. } | Expr::Word(_) | Expr::Not(_)
        );
        self.put(if plain { "" } else { "(" });
        self.expr(e, None);
        self.put(if plain { "" } else { ")" });
    }

    pub(super) fn expr(&mut self, e: &Expr, outer: Option<Position>) {
        let (line, _) = self.here();
        self.lines.expr(e, line);
        match e {
            Expr::Int(value) => self.put(&value.to_string()),
            Expr::Real(value, single) => self.put(&format!("{value:?}{}", if *single { "f" } else { "" })),
            Expr::Get(place) => self.place(place),
            Expr::Addr(place) => {
                self.put("&");
                self.place(place);
            }
            Expr::Word(word) => self.put(word),
            Expr::Not(e) => {
                self.put("!");
                self.operand(e);
            }
            Expr::Bin(op, a, b) => {
                if self.logging && a.has_call() && b.has_call() {
                    self.left_to_right(*op, a, b);
                } else {
                    self.operand(a);
                    self.put(&format!(" {} ", symbol(*op)));
                    self.operand(b);
                }
            }
            Expr::Logic(and, a, b) => {
                self.operand(a);
                self.put(if *and { " &&" } else { " ||" });
                // Two calls in one condition are worth two lines.
                self.spread(a.has_call() && b.has_call(), "    ");
                self.operand(b);
            }
            Expr::Choose(c, a, b) => {
                self.operand(c);
                self.put(" ? ");
                self.operand(a);
                self.put(" :");
                self.spread(a.has_call() && b.has_call(), "    ");
                self.operand(b);
            }
            Expr::Comma(a, b) => {
                self.expr(a, None);
                self.put(", ");
                self.expr(b, None);
            }
            Expr::Set(place, op, value) => {
                self.place(place);
                self.put(&format!(" {}= ", op.map_or("", symbol)));
                self.expr(value, None);
            }
            Expr::Step { place, up, prefix } => {
                let sign = if *up { "++" } else { "--" };
                // `*p++` would move the pointer.
                let (left, right) = if matches!(place, Lvalue::Deref(_)) {
                    ("(", ")")
                } else {
                    ("", "")
                };
                self.put(if *prefix { sign } else { "" });
                self.put(left);
                self.place(place);
                self.put(right);
                self.put(if *prefix { "" } else { sign });
            }
            Expr::Call {
                name,
                args,
                site,
                spread,
            } => self.call(name, args, *site, *spread, outer),
        }
    }

    /// `a op b` with the order of evaluation fixed, for the logging build.
    fn left_to_right(&mut self, op: Op, a: &Expr, b: &Expr) {
        self.put("({ __auto_type left = ");
        self.operand(a);
        self.put("; __auto_type right = ");
        self.operand(b);
        self.put(&format!("; left {} right; }})", symbol(op)));
    }

    fn call(&mut self, name: &str, args: &[Expr], site: usize, spread: bool, outer: Option<Position>) {
        self.mark(site, outer);
        let at = outer.unwrap_or(self.here());
        if self.logging {
            self.log("({ ");
            for (index, arg) in args.iter().enumerate() {
                self.log(&format!("__auto_type a{site}_{index} = ("));
                self.expr(arg, Some(at));
                self.log("); ");
                if index + 1 < args.len() {
                    self.spread(spread, "    ");
                }
            }
            let names: Vec<String> = (0..args.len()).map(|i| format!("a{site}_{i}")).collect();
            let visible = self.visible();
            self.log(&format!(
                "hx_at({site}{visible}); {name}({}); }})",
                names.join(", ")
            ));
            return;
        }
        self.put(&format!("{name}("));
        for (index, arg) in args.iter().enumerate() {
            if index > 0 {
                self.put(",");
                self.spread(spread, "    ");
            }
            // Only what is itself a call takes the outer call's place.
            let outer = matches!(arg, Expr::Call { .. }).then_some(at);
            self.expr(arg, outer);
        }
        self.put(")");
    }

    /// `, "i", 'i', &i, …` for every variable that C sees here, and the end mark.
    pub(super) fn visible(&self) -> String {
        let mut seen: Vec<&str> = Vec::new();
        let mut list = String::new();
        for (name, ty) in self.scopes.iter().rev().flat_map(|scope| scope.iter().rev()) {
            if seen.contains(&name.as_str()) {
                continue;
            }
            seen.push(name);
            let code = |ty: &Ty| match ty {
                Ty::Int => Some('i'),
                Ty::Long => Some('l'),
                Ty::Unsigned => Some('u'),
                Ty::Size => Some('z'),
                Ty::Byte => Some('c'),
                Ty::Float => Some('f'),
                Ty::Double => Some('d'),
                Ty::IntPtr | Ty::Struct | Ty::StructPtr | Ty::Array(_) | Ty::Function => None,
            };
            match ty {
                Ty::Struct | Ty::StructPtr => {
                    let dot = if *ty == Ty::Struct { "." } else { "->" };
                    for (member, ty) in &MEMBERS {
                        if let Some(code) = code(ty) {
                            list.push_str(&format!(
                                ", \"{name}{dot}{member}\", '{code}', &{name}{dot}{member}"
                            ));
                        }
                    }
                }
                ty => {
                    if let Some(code) = code(ty) {
                        list.push_str(&format!(", \"{name}\", '{code}', &{name}"));
                    }
                }
            }
        }
        list.push_str(", (char *) 0");
        list
    }
}

fn symbol(op: Op) -> &'static str {
    match op {
        Op::Add => "+",
        Op::Sub => "-",
        Op::Mul => "*",
        Op::Div => "/",
        Op::Rem => "%",
        Op::Shl => "<<",
        Op::And => "&",
        Op::Lt => "<",
        Op::Le => "<=",
        Op::Gt => ">",
        Op::Ge => ">=",
        Op::Eq => "==",
        Op::Ne => "!=",
    }
}
