//! Expressions.

use super::{Evaluation, Expr, Flow, Halt, Machine, Op, PieceId, Run, Ty, Value, externals, invalid};
use crate::oracle::ast::{Lvalue, MEMBERS};
use crate::oracle::truth::IndexStep;

impl Machine<'_> {
    /// Evaluates `e` one step deeper in the execution index.
    pub(super) fn under(&mut self, step: IndexStep, e: &Expr) -> Run<Value> {
        self.path.push(step);
        let value = self.eval(e)?;
        self.path.pop();
        Ok(value)
    }

    pub(super) fn truth_of(&mut self, step: IndexStep, e: &Expr) -> Run<bool> {
        let value = self.under(step, e)?;
        Ok(match value {
            Value::Int(value) => value != 0,
            Value::Real(value) => value != 0.0,
            Value::Address(_) | Value::Function(_) => true,
        })
    }

    pub(super) fn eval(&mut self, e: &Expr) -> Run<Value> {
        self.burn()?;
        self.trace_constant();
        match e {
            Expr::Int(value) => Ok(Value::Int(i128::from(*value))),
            Expr::Real(value, single) => Ok(Value::Real(if *single {
                f64::from(*value as f32)
            } else {
                *value
            })),
            Expr::Word(word) => Ok(match self.function(word) {
                Some(function) => Value::Function(function),
                None => Value::Int(0),
            }),
            Expr::Get(Lvalue::Var(name)) => {
                let (ty, cell) = self.slot(name)?;
                if matches!(ty, Ty::Array(_)) {
                    return Ok(Value::Address(cell));
                }
                self.trace_read(cell);
                self.read(cell)
            }
            Expr::Get(place) => {
                let (_, cell) = self.place(place)?;
                self.trace_place(place);
                self.trace_read(cell);
                self.read(cell)
            }
            Expr::Addr(place) => {
                self.trace_place(place);
                Ok(Value::Address(self.place(place)?.1))
            }
            Expr::Not(e) => Ok(Value::Int(i128::from(!self.truth_of(IndexStep::Phase(0), e)?))),
            Expr::Bin(op, a, b) => {
                let (a, b) = self.both(a, b)?;
                arithmetic(*op, a, b)
            }
            Expr::Logic(and, a, b) => {
                let first = self.truth_of(IndexStep::Phase(0), a)?;
                if first != *and {
                    return Ok(Value::Int(i128::from(first)));
                }
                self.trace_decide(a);
                let chosen = self.trace_take();
                let second = self.truth_of(IndexStep::Phase(1), b)?;
                self.trace_release();
                self.trace_also(chosen);
                Ok(Value::Int(i128::from(second)))
            }
            Expr::Choose(c, a, b) => {
                let yes = self.truth_of(IndexStep::Phase(0), c)?;
                self.trace_decide(c);
                let chosen = self.trace_take();
                self.path.push(IndexStep::Phase(1));
                let value = self.under(IndexStep::Arm(u8::from(!yes)), if yes { a } else { b })?;
                self.path.pop();
                self.trace_release();
                self.trace_also(chosen);
                Ok(value)
            }
            Expr::Comma(a, b) => {
                self.under(IndexStep::Phase(0), a)?;
                self.under(IndexStep::Phase(1), b)
            }
            Expr::Set(place, op, value) => {
                let value = self.eval(value)?;
                let (ty, cell) = self.place(place)?;
                self.trace_place(place);
                let value = match op {
                    Some(op) => {
                        self.trace_read(cell);
                        arithmetic(*op, self.read(cell)?, value)?
                    }
                    None => value,
                };
                self.trace_write(e, cell);
                self.write(ty, cell, value)
            }
            Expr::Step { place, up, prefix } => {
                let (ty, cell) = self.place(place)?;
                let old = self.read(cell)?;
                let op = if *up { Op::Add } else { Op::Sub };
                let new = arithmetic(op, old, Value::Int(1))?;
                let new = self.write(ty, cell, new)?;
                self.trace_place(place);
                self.trace_read(cell);
                let before = self.trace_take();
                self.trace_also(before.clone());
                self.trace_write(e, cell);
                if !*prefix {
                    self.trace_constant();
                    self.trace_also(before);
                }
                Ok(if *prefix { new } else { old })
            }
            Expr::Call { name, args, site, .. } => {
                let line = self.trace_line_of(e);
                self.call(name, args, *site, line)
            }
        }
    }

    /// Two operands in the order that this run happens to take.
    fn both(&mut self, a: &Expr, b: &Expr) -> Run<(Value, Value)> {
        if !(a.has_call() && b.has_call()) {
            let first = self.eval(a)?;
            let on = self.trace_take();
            let second = self.eval(b)?;
            self.trace_also(on);
            return Ok((first, second));
        }
        if self.flip() {
            let second = self.under(IndexStep::Operand(1), b)?;
            let on = self.trace_take();
            let first = self.under(IndexStep::Operand(0), a)?;
            self.trace_also(on);
            return Ok((first, second));
        }
        let first = self.under(IndexStep::Operand(0), a)?;
        let on = self.trace_take();
        let second = self.under(IndexStep::Operand(1), b)?;
        self.trace_also(on);
        Ok((first, second))
    }

    fn call(&mut self, name: &str, args: &[Expr], site: usize, line: Option<u32>) -> Run<Value> {
        let mut rests = vec![Vec::new(); args.len()];
        let mut values = vec![Value::Int(0); args.len()];
        let mut order: Vec<usize> = (0..args.len()).collect();
        if self.flip() || self.setting.evaluation == Evaluation::ArgumentsReversed {
            order.reverse();
        }
        let unsequenced = args.iter().filter(|arg| arg.has_call()).count() > 1;
        self.path.push(IndexStep::Phase(0));
        for index in order {
            values[index] = if unsequenced {
                self.under(
                    IndexStep::Operand(u8::try_from(index).unwrap_or(u8::MAX)),
                    &args[index],
                )?
            } else {
                self.eval(&args[index])?
            };
            rests[index] = self.trace_take();
        }
        self.path.pop();
        self.path.push(IndexStep::Phase(1));
        let result = self.invoke(name, &values, site, (line, &rests))?;
        self.path.pop();
        Ok(result)
    }

    fn invoke(
        &mut self,
        name: &str,
        values: &[Value],
        site: usize,
        (line, rests): (Option<u32>, &[Vec<PieceId>]),
    ) -> Run<Value> {
        self.trace_constant();
        if let Some(frame) = self.frames.last_mut() {
            frame.site = site;
        }
        let pointed = match self.slot(name) {
            Ok((Ty::Function, cell)) => {
                // Which function is called decides what runs in it.
                self.trace_read(cell);
                match self.read(cell)? {
                    Value::Function(function) => Some(function),
                    _ => return invalid("calls what is no function"),
                }
            }
            _ => None,
        };
        if let Some(function) = pointed.or_else(|| self.function(name)) {
            let params = &self.program.functions[function].params;
            if params.len() != values.len() {
                return invalid(format!("wrong number of arguments for '{name}'"));
            }
            let args = params
                .iter()
                .zip(values)
                .map(|((name, ty), v)| (name.clone(), *ty, *v));
            let args = args.collect();
            if pointed.is_some() {
                // Where the pointer led is like a branch.
                self.path
                    .push(IndexStep::Arm(u8::try_from(function).unwrap_or(u8::MAX)));
            }
            let depth = self.trace_depth();
            let call = self.trace_call(line, rests);
            let result = self.enter(function, args, &call)?;
            self.trace_returned(call, depth);
            if pointed.is_some() {
                self.path.pop();
            }
            return Ok(result.unwrap_or(Value::Int(0)));
        }
        self.stop(site, Some(name))?;
        self.trace_external(line, rests, matches!(name, "same" | "after"));
        match (name, values) {
            ("MPI_Comm_rank", [_, Value::Address(to)]) => {
                self.trace_result(*to);
                self.write(Ty::Int, *to, Value::Int(i128::from(self.setting.rank)))?;
                return Ok(Value::Int(0));
            }
            ("MPI_Bcast", [Value::Address(at), ..]) => {
                self.trace_result(*at);
                let value = externals::broadcast(self.setting.seed, self.broadcasts);
                self.broadcasts += 1;
                self.write(Ty::Int, *at, Value::Int(i128::from(value)))?;
                return Ok(Value::Int(0));
            }
            ("MPI_Init" | "MPI_Barrier", _) => return Ok(Value::Int(0)),
            _ => {}
        }
        let Some(index) = externals::find(name) else {
            return invalid(format!("'{name}' is no function"));
        };
        let argument = match values.first() {
            Some(Value::Int(value)) => i64::try_from(*value).unwrap_or(0),
            Some(Value::Real(value)) => *value as i64,
            _ => 0,
        };
        let count = self.calls[index];
        self.calls[index] += 1;
        Ok(Value::Int(i128::from(externals::result(
            self.run, index, count, argument,
        ))))
    }

    fn function(&self, name: &str) -> Option<usize> {
        self.program
            .functions
            .iter()
            .position(|function| function.name == name)
    }

    fn read(&self, cell: usize) -> Run<Value> {
        match self.cells.get(cell) {
            Some(cell) if cell.known => Ok(cell.value),
            _ => invalid("reads what was not set"),
        }
    }

    pub(super) fn write(&mut self, ty: Ty, cell: usize, value: Value) -> Run<Value> {
        let value = self.converted(value, ty)?;
        match self.cells.get_mut(cell) {
            Some(cell) if cell.ty == ty => {
                cell.value = value;
                cell.known = true;
                Ok(value)
            }
            _ => invalid("writes to where nothing of the type lives"),
        }
    }

    pub(super) fn place(&self, place: &Lvalue) -> Run<(Ty, usize)> {
        let member = |base: usize, member: &str| {
            let at = MEMBERS.iter().position(|(name, _)| *name == member);
            at.map(|at| (MEMBERS[at].1, base + at))
                .ok_or_else(|| Halt::Invalid(format!("no member '{member}'")))
        };
        let pointed = |name: &str, ty: Ty| match self.slot(name)? {
            (known, cell) if known == ty => match self.read(cell)? {
                Value::Address(at) => Ok(at),
                _ => invalid("not an address"),
            },
            _ => invalid(format!("'{name}' is no such pointer")),
        };
        match place {
            Lvalue::Var(name) => self.slot(name),
            Lvalue::Dot(name, field) => match self.slot(name)? {
                (Ty::Struct, cell) => member(cell, field),
                _ => invalid(format!("'{name}' is no structure")),
            },
            Lvalue::Arrow(name, field) => member(pointed(name, Ty::StructPtr)?, field),
            Lvalue::Deref(name) => Ok((Ty::Int, pointed(name, Ty::IntPtr)?)),
        }
    }

    /// A statement without a call: a task can be stopped before and after its effect.
    pub(super) fn stop_and_do(&mut self, e: &Expr, site: usize) -> Run<Flow> {
        if e.has_call() {
            self.under(IndexStep::Micro(1), e)?;
            return Ok(Flow::Next);
        }
        self.path.push(IndexStep::Micro(0));
        self.stop(site, None)?;
        self.trace_constant();
        self.trace_stop(Some(e));
        self.path.pop();
        self.eval(e)?;
        self.path.push(IndexStep::Micro(2));
        self.stop(site, None)?;
        self.trace_stop(Some(e));
        self.path.pop();
        Ok(Flow::Next)
    }
}

fn arithmetic(op: Op, a: Value, b: Value) -> Run<Value> {
    let real = |value: Value| match value {
        Value::Int(value) => Ok(value as f64),
        Value::Real(value) => Ok(value),
        Value::Address(_) | Value::Function(_) => invalid("arithmetic with an address"),
    };
    let flag = |value: bool| Ok(Value::Int(i128::from(value)));
    match (a, b) {
        (Value::Address(at), Value::Int(by)) if matches!(op, Op::Add | Op::Sub) => {
            let by = if op == Op::Add { by } else { -by };
            match usize::try_from(at as i128 + by) {
                Ok(at) => Ok(Value::Address(at)),
                Err(_) => invalid("an address below zero"),
            }
        }
        (Value::Address(a), Value::Address(b)) => match op {
            Op::Lt => flag(a < b),
            Op::Ne => flag(a != b),
            _ => invalid("arithmetic with addresses"),
        },
        (Value::Int(a), Value::Int(b)) => match op {
            Op::Add => Ok(Value::Int(a + b)),
            Op::Sub => Ok(Value::Int(a - b)),
            Op::Mul => Ok(Value::Int(a.saturating_mul(b))),
            Op::Div | Op::Rem if b == 0 => invalid("division by zero"),
            Op::Div => Ok(Value::Int(a / b)),
            Op::Rem => Ok(Value::Int(a % b)),
            Op::Shl if !(0..31).contains(&b) => invalid("shift out of range"),
            Op::Shl => Ok(Value::Int(a << b)),
            Op::And => Ok(Value::Int(a & b)),
            Op::Lt => flag(a < b),
            Op::Le => flag(a <= b),
            Op::Gt => flag(a > b),
            Op::Ge => flag(a >= b),
            Op::Eq => flag(a == b),
            Op::Ne => flag(a != b),
        },
        _ => {
            let (a, b) = (real(a)?, real(b)?);
            match op {
                Op::Add => Ok(Value::Real(a + b)),
                Op::Sub => Ok(Value::Real(a - b)),
                Op::Mul => Ok(Value::Real(a * b)),
                Op::Div => Ok(Value::Real(a / b)),
                Op::Lt => flag(a < b),
                Op::Le => flag(a <= b),
                Op::Gt => flag(a > b),
                Op::Ge => flag(a >= b),
                Op::Eq => flag(a == b),
                Op::Ne => flag(a != b),
                Op::Rem | Op::Shl | Op::And => invalid("an integer operator on real numbers"),
            }
        }
    }
}
