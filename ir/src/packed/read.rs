//! Bytes to a unit.

use super::{
    BINARY, FROM_MACRO, KIND, LOOPS, Malformed, PLAIN_TYPES, SAME_PLACE, UNARY, expr_code, stmt_code,
    type_code,
};
use crate::{
    Attribute, CallOperator, Callable, Callee, Class, ClassHead, Defaults, Expr, ExprId, ExprKind, Function,
    FunctionKind, Global, Held, Language, Local, LocalId, MacroCall, MacroCalls, Member, Name, ObjectType,
    Receiver, Stmt, StmtId, StmtKind, Type, TypeNames, Unit, VarRef,
};
use base::{Cause, Confidence, Diagnostic, Doubt, Id, IdVec, Number, Reading, Severity, Span, take_number};

pub(super) fn unit(bytes: &[u8]) -> Result<Unit, Malformed> {
    let mut input = Input {
        bytes,
        at: 0,
        names: Vec::new(),
        interned: Vec::new(),
        last: Span::default(),
        locals: 0,
    };
    input.names = input.each(|input| {
        let len = input.count()?;
        let bytes = input.take(len)?;
        match std::str::from_utf8(bytes) {
            Ok(name) => Ok(name.into()),
            Err(_) => input.malformed(),
        }
    })?;
    input.interned = vec![None; input.names.len()];
    let path = input.name()?.to_owned();
    let mut content_hash = [0; 32];
    content_hash.copy_from_slice(input.take(32)?);
    let unit = Unit {
        path,
        content_hash,
        functions: input.each(Input::function)?,
        globals: input.each(Input::global)?,
        members: input.each(Input::member)?,
        names: input.type_names()?,
        address_taken_functions: input.each(Input::owned)?,
        macros: input.each(|input| {
            let (name, callees) = (input.owned()?, input.each(Input::owned)?);
            let [after_arguments] = input.flags()?;
            Ok(MacroCalls {
                name,
                callees,
                after_arguments,
            })
        })?,
        defaults: Defaults {
            members: input.each(Input::function)?,
            arguments: input.each(|input| {
                let mut function = input.function()?;
                function.kind = FunctionKind::DefaultArguments;
                Ok(function)
            })?,
        },
        call_operators: input.each(|input| {
            let [is_lambda, is_open] = input.flags()?;
            let of = if is_lambda {
                Callable::Lambda(input.near(0)?, input.near(0)?)
            } else {
                Callable::Class(input.owned()?)
            };
            Ok(CallOperator {
                of,
                parameters: input.size()?,
                least: input.size()?,
                is_open,
            })
        })?,
        attributes: input.each(|input| {
            let (line, code) = (input.near(0)?, usize::from(input.byte()?));
            match Attribute::ALL.get(code) {
                Some(attribute) => Ok((line, *attribute)),
                None => input.malformed(),
            }
        })?,
        diagnostics: input.each(Input::diagnostic)?,
    };
    if input.at == bytes.len() {
        Ok(unit)
    } else {
        input.malformed()
    }
}

struct Input<'b> {
    bytes: &'b [u8],
    at: usize,
    names: Vec<String>,
    /// Those of them that were asked for.
    interned: Vec<Option<Name>>,
    last: Span,
    /// How many variables the function at hand has.
    locals: usize,
}

impl<'b> Input<'b> {
    fn malformed<T>(&self) -> Result<T, Malformed> {
        Err(Malformed { at: self.at })
    }

    fn take(&mut self, len: usize) -> Result<&'b [u8], Malformed> {
        match self.bytes[self.at..].split_at_checked(len) {
            Some((part, _)) => {
                self.at += len;
                Ok(part)
            }
            None => self.malformed(),
        }
    }

    fn byte(&mut self) -> Result<u8, Malformed> {
        match self.bytes.get(self.at) {
            Some(byte) => {
                self.at += 1;
                Ok(*byte)
            }
            None => self.malformed(),
        }
    }

    fn unsigned(&mut self) -> Result<u64, Malformed> {
        take_number(self.bytes, &mut self.at).or_else(|_| self.malformed())
    }

    fn signed(&mut self) -> Result<i64, Malformed> {
        Ok(self.unsigned()?.unzigzag())
    }

    fn size(&mut self) -> Result<usize, Malformed> {
        usize::try_from(self.unsigned()?).or_else(|_| self.malformed())
    }

    /// The number of things that follow, each of at least one byte.
    fn count(&mut self) -> Result<usize, Malformed> {
        let count = self.size()?;
        if count <= self.bytes.len() - self.at {
            Ok(count)
        } else {
            self.malformed()
        }
    }

    fn near(&mut self, base: u32) -> Result<u32, Malformed> {
        match i32::try_from(self.signed()?) {
            Ok(difference) => Ok(base.wrapping_add(difference.cast_unsigned())),
            Err(_) => self.malformed(),
        }
    }

    fn flags<const N: usize>(&mut self) -> Result<[bool; N], Malformed> {
        let bits = self.byte()?;
        match bits >> N {
            0 => Ok(std::array::from_fn(|index| bits >> index & 1 == 1)),
            _ => self.malformed(),
        }
    }

    fn each<T>(
        &mut self,
        mut one: impl FnMut(&mut Self) -> Result<T, Malformed>,
    ) -> Result<Vec<T>, Malformed> {
        let count = self.count()?;
        let mut items = Vec::with_capacity(count);
        for _ in 0..count {
            items.push(one(self)?);
        }
        Ok(items)
    }

    fn name(&mut self) -> Result<&str, Malformed> {
        let number = self.size()?;
        match self.names.get(number) {
            Some(name) => Ok(name),
            None => Err(Malformed { at: self.at }),
        }
    }

    fn owned(&mut self) -> Result<String, Malformed> {
        Ok(self.name()?.to_owned())
    }

    fn interned(&mut self) -> Result<Name, Malformed> {
        let number = self.size()?;
        match (self.names.get(number), self.interned.get_mut(number)) {
            (Some(text), Some(name)) => Ok(*name.get_or_insert_with(|| Name::new(text))),
            _ => Err(Malformed { at: self.at }),
        }
    }

    fn span(&mut self) -> Result<Span, Malformed> {
        let (line, column) = (self.near(self.last.line)?, self.near(self.last.column)?);
        let (end_line, end_column) = (self.near(line)?, self.near(column)?);
        self.last = Span {
            line,
            column,
            end_line,
            end_column,
        };
        Ok(self.last)
    }

    /// The kind of a node, its place, and whether a macro made it.
    fn head(&mut self) -> Result<(u8, Span, bool), Malformed> {
        let head = self.byte()?;
        let span = match head & SAME_PLACE {
            0 => self.span()?,
            _ => self.last,
        };
        Ok((head & KIND, span, head & FROM_MACRO != 0))
    }

    fn ty(&mut self) -> Result<Type, Malformed> {
        let code = self.byte()?;
        if let Some(plain) = PLAIN_TYPES.get(usize::from(code)) {
            return Ok(*plain);
        }
        match code {
            type_code::FLOAT => Ok(Type::Float { bits: self.byte()? }),
            type_code::INT..type_code::FLOAT => {
                let rest = code - type_code::INT;
                let signed = [None, Some(false), Some(true)][usize::from(rest % 3)];
                let bits = match rest / 3 {
                    0 => None,
                    _ => Some(self.byte()?),
                };
                Ok(Type::Int { signed, bits })
            }
            _ => self.malformed(),
        }
    }

    fn global(&mut self) -> Result<Global, Malformed> {
        let (name, span, ty) = (self.owned()?, self.span()?, self.ty()?);
        let [
            is_static,
            is_extern,
            address_taken,
            has_value,
            of_structures,
            is_constant,
        ] = self.flags()?;
        let object = self.object()?;
        Ok(Global {
            name,
            span,
            ty,
            is_static,
            is_extern,
            is_constant,
            address_taken,
            initial: has_value.then(|| self.signed()).transpose()?,
            initial_names: self.each(Input::owned)?,
            of_structures,
            object,
        })
    }

    fn member(&mut self) -> Result<Member, Malformed> {
        let (name, ty) = (self.owned()?, self.ty()?);
        let [in_union, of_structures, has_class, has_bases] = self.flags()?;
        let object = self.object()?;
        let class = has_class.then(|| self.owned()).transpose()?;
        Ok(Member {
            name,
            ty,
            in_union,
            class: class.map(|name| Class { name, has_bases }),
            of_structures,
            object,
        })
    }

    fn diagnostic(&mut self) -> Result<Diagnostic, Malformed> {
        Ok(Diagnostic {
            severity: self.one_of(&Severity::ALL)?,
            subject: self.owned()?,
            span: self.span()?,
            message: self.owned()?,
        })
    }

    fn doubt(&mut self) -> Result<Doubt, Malformed> {
        Ok(Doubt {
            cause: self.one_of(Cause::ALL)?,
            name: self.owned()?,
            line: self.near(0)?,
        })
    }

    fn function(&mut self) -> Result<Function, Malformed> {
        let name = self.owned()?;
        let [is_static, is_lambda, has_linkage_name, has_reason] = self.flags()?;
        let language = self.one_of(&Language::ALL)?;
        let confidence = self.one_of(&Confidence::ALL)?;
        let reading = self.one_of(&Reading::ALL)?;
        let linkage_name = has_linkage_name.then(|| self.owned()).transpose()?;
        let confidence_reason = has_reason.then(|| self.doubt()).transpose()?;
        let (span, returns) = (self.span()?, self.ty()?);
        let locals: IdVec<LocalId, Local> = self.each(Input::local)?.into();
        let params = self.size()?;
        if params > locals.len() {
            return self.malformed();
        }
        let is_beyond = |local: &Local| local.counts_for.is_some_and(|id| id.index() >= locals.len());
        if locals.iter().any(is_beyond) {
            return self.malformed();
        }
        self.locals = locals.len();
        let mut at = 0;
        let exprs: IdVec<ExprId, Expr> = self
            .each(|input| {
                let expr = input.expr(at);
                at += 1;
                expr
            })?
            .into();
        let count = exprs.len();
        let is_beyond = |local: &Local| local.container.is_some_and(|id| id.index() >= count);
        if locals.iter().any(is_beyond) {
            return self.malformed();
        }
        let receivers = self.each(|input| {
            let call: ExprId = input.back(count)?;
            let object: Option<ExprId> = input.perhaps(count)?;
            Ok((call, object.map_or(Receiver::This, Receiver::At)))
        })?;
        let receivers = receivers.into_iter().collect();
        let by_address = self.each(|input| input.back(count))?.into_iter().collect();
        let mut stmts = 0;
        let stmts: IdVec<StmtId, Stmt> = self
            .each(|input| {
                let stmt = input.stmt(exprs.len(), stmts);
                stmts += 1;
                stmt
            })?
            .into();
        let body = self.back(stmts.len())?;
        Ok(Function {
            name,
            kind: if is_lambda {
                FunctionKind::Lambda
            } else {
                FunctionKind::Source
            },
            language,
            linkage_name,
            is_static,
            span,
            locals,
            params,
            returns,
            exprs,
            receivers,
            by_address,
            stmts,
            body,
            reading,
            confidence,
            confidence_reason,
        })
    }

    fn local(&mut self) -> Result<Local, Malformed> {
        let (name, span, ty) = (self.owned()?, self.span()?, self.ty()?);
        let [is_static, address_taken, promises, of_structures, counts, is_pack] = self.flags()?;
        let object = self.object()?;
        let counts_for = if counts {
            Some(LocalId::from_index(self.size()?))
        } else {
            None
        };
        let container = match self.size()? {
            0 => None,
            above => Some(ExprId::from_index(above - 1)),
        };
        Ok(Local {
            name,
            span,
            ty,
            is_static,
            address_taken,
            promises,
            of_structures,
            is_pack,
            object,
            counts_for,
            container,
        })
    }

    fn object(&mut self) -> Result<Option<ObjectType>, Malformed> {
        match self.byte()? {
            0 => Ok(None),
            code @ (1 | 2) => Ok(Some(ObjectType::Class {
                name: self.interned()?,
                levels: self.byte()?,
                is_reference: code == 2,
            })),
            3 => Ok(Some(ObjectType::Lambda {
                line: self.near(0)?,
                column: self.near(0)?,
            })),
            code @ (4 | 5) => Ok(Some(ObjectType::Number {
                levels: self.byte()?,
                is_reference: code == 5,
            })),
            code @ 6..=9 => Ok(Some(ObjectType::Library {
                holds: if code < 8 { Held::Values } else { Held::Anything },
                levels: self.byte()?,
                is_reference: code % 2 == 1,
            })),
            _ => self.malformed(),
        }
    }

    fn type_names(&mut self) -> Result<TypeNames, Malformed> {
        let class = |input: &mut Self| {
            let name = input.owned()?;
            let [has_arrow, is_local, is_known, has_library_base] = input.flags()?;
            let bases = input.each(Input::owned)?;
            Ok(ClassHead {
                name,
                bases: is_known.then_some(bases),
                has_library_base,
                has_arrow,
                is_local,
            })
        };
        let classes = self.each(class)?;
        let (aliases, namespaces) = (self.each(Input::owned)?, self.each(Input::owned)?);
        let [in_part] = self.flags()?;
        Ok(TypeNames {
            classes,
            aliases,
            namespaces,
            in_part,
        })
    }

    fn local_id(&mut self) -> Result<LocalId, Malformed> {
        let index = self.size()?;
        if index < self.locals {
            Ok(LocalId::from_index(index))
        } else {
            self.malformed()
        }
    }

    /// An operand of a node that stands at `at`: some node before it.
    fn back<I: Id>(&mut self, at: usize) -> Result<I, Malformed> {
        match self.perhaps(at)? {
            Some(id) => Ok(id),
            None => self.malformed(),
        }
    }

    fn perhaps<I: Id>(&mut self, at: usize) -> Result<Option<I>, Malformed> {
        match self.size()? {
            0 => Ok(None),
            distance if distance <= at => Ok(Some(I::from_index(at - distance))),
            _ => self.malformed(),
        }
    }

    fn backs<I: Id>(&mut self, at: usize) -> Result<Vec<I>, Malformed> {
        self.each(|input| input.back(at))
    }

    fn expr(&mut self, at: usize) -> Result<Expr, Malformed> {
        let (code, span, from_macro) = self.head()?;
        let kind = match code {
            expr_code::INT => ExprKind::Int(self.signed()?),
            expr_code::FLOAT => {
                let mut bits = [0; 8];
                bits.copy_from_slice(self.take(8)?);
                ExprKind::Float(f64::from_bits(u64::from_le_bytes(bits)))
            }
            expr_code::STR => ExprKind::Str,
            expr_code::LOCAL => ExprKind::Var(VarRef::Local(self.local_id()?)),
            expr_code::GLOBAL => ExprKind::Var(VarRef::Global(self.interned()?)),
            expr_code::CONSTANT => ExprKind::Constant,
            expr_code::UNSEEN => ExprKind::Unseen,
            expr_code::BUILD_CHOICE => ExprKind::BuildChoice,
            expr_code::AND => ExprKind::And(self.back(at)?, self.back(at)?),
            expr_code::OR => ExprKind::Or(self.back(at)?, self.back(at)?),
            expr_code::CONDITIONAL => ExprKind::Conditional(self.back(at)?, self.back(at)?, self.back(at)?),
            expr_code::COMMA => ExprKind::Comma(self.back(at)?, self.back(at)?),
            expr_code::ASSIGN => ExprKind::Assign {
                op: None,
                target: self.back(at)?,
                value: self.back(at)?,
            },
            expr_code::ASSIGN_OP => {
                let op = self.one_of(&BINARY)?;
                ExprKind::Assign {
                    op: Some(op),
                    target: self.back(at)?,
                    value: self.back(at)?,
                }
            }
            expr_code::STEP..expr_code::CALL_NAMED => {
                let bits = code - expr_code::STEP;
                ExprKind::Step {
                    target: self.back(at)?,
                    up: bits & 1 == 1,
                    prefix: bits & 2 == 2,
                }
            }
            expr_code::CALL_NAMED => self.call(at, |input| Ok(Callee::Named(input.interned()?)))?,
            expr_code::CALL_MACRO => self.call(at, |input| {
                let (name, writes) = (input.interned()?, input.backs(at)?.into());
                Ok(Callee::Macro(Box::new(MacroCall { name, writes })))
            })?,
            expr_code::CALL_INDIRECT => self.call(at, |input| Ok(Callee::Indirect(input.back(at)?)))?,
            expr_code::FIELD | expr_code::ARROW => ExprKind::Field {
                base: self.back(at)?,
                name: self.interned()?,
                arrow: code == expr_code::ARROW,
            },
            expr_code::CAPTURED => ExprKind::Captured {
                object: self.back(at)?,
                name: self.interned()?,
            },
            expr_code::THROW => ExprKind::Throw(None),
            expr_code::THROW_VALUE => ExprKind::Throw(Some(self.back(at)?)),
            expr_code::INDEX => ExprKind::Index {
                base: self.back(at)?,
                index: self.back(at)?,
            },
            expr_code::DEREF => ExprKind::Deref(self.back(at)?),
            expr_code::ADDRESS_OF => ExprKind::AddressOf(self.back(at)?),
            expr_code::CAST => ExprKind::Cast(self.ty()?, self.back(at)?),
            expr_code::LIST => ExprKind::List(self.backs(at)?.into()),
            expr_code::UNKNOWN => ExprKind::Unknown(self.backs(at)?.into()),
            _ => {
                let unary = code
                    .checked_sub(expr_code::UNARY)
                    .and_then(|index| UNARY.get(usize::from(index)));
                let binary = code
                    .checked_sub(expr_code::BINARY)
                    .and_then(|index| BINARY.get(usize::from(index)));
                match (unary, binary) {
                    (Some(op), _) => ExprKind::Unary(*op, self.back(at)?),
                    (_, Some(op)) => ExprKind::Binary(*op, self.back(at)?, self.back(at)?),
                    _ => return self.malformed(),
                }
            }
        };
        Ok(Expr {
            kind,
            span,
            from_macro,
        })
    }

    fn call(
        &mut self,
        at: usize,
        callee: impl FnOnce(&mut Self) -> Result<Callee, Malformed>,
    ) -> Result<ExprKind, Malformed> {
        Ok(ExprKind::Call {
            callee: callee(self)?,
            args: self.backs(at)?.into(),
        })
    }

    fn one_of<T: Copy>(&mut self, all: &[T]) -> Result<T, Malformed> {
        let index = self.byte()?;
        match all.get(usize::from(index)) {
            Some(one) => Ok(*one),
            None => self.malformed(),
        }
    }

    fn stmt(&mut self, exprs: usize, stmts: usize) -> Result<Stmt, Malformed> {
        let (code, span, from_macro) = self.head()?;
        let kind = match code {
            stmt_code::EXPR => StmtKind::Expr(self.back(exprs)?),
            stmt_code::DECL => StmtKind::Decl {
                local: self.local_id()?,
                init: self.perhaps(exprs)?,
            },
            stmt_code::BLOCK => StmtKind::Block(self.backs(stmts)?.into()),
            stmt_code::GROUP => StmtKind::Group(self.backs(stmts)?.into()),
            stmt_code::IF => StmtKind::If {
                cond: self.back(exprs)?,
                then: self.back(stmts)?,
                other: self.perhaps(stmts)?,
                else_line: self.near(span.line)?,
            },
            stmt_code::LOOP..stmt_code::SWITCH => {
                let bits = code - stmt_code::LOOP;
                StmtKind::Loop {
                    kind: LOOPS[usize::from(bits % 3)],
                    init: self.perhaps(stmts)?,
                    cond: self.perhaps(exprs)?,
                    step: self.perhaps(exprs)?,
                    body: self.back(stmts)?,
                    divided: bits >= 3,
                }
            }
            stmt_code::SWITCH => StmtKind::Switch {
                value: self.back(exprs)?,
                body: self.back(stmts)?,
            },
            stmt_code::CASE => StmtKind::Case(self.back(exprs)?),
            stmt_code::DEFAULT => StmtKind::Default,
            stmt_code::LABEL => StmtKind::Label(self.interned()?),
            stmt_code::GOTO => StmtKind::Goto(self.interned()?),
            stmt_code::COMPUTED_GOTO => StmtKind::ComputedGoto(self.back(exprs)?),
            stmt_code::BREAK => StmtKind::Break,
            stmt_code::CONTINUE => StmtKind::Continue,
            stmt_code::RETURN => StmtKind::Return(self.perhaps(exprs)?),
            stmt_code::TRY => StmtKind::Try {
                body: self.back(stmts)?,
                handlers: self.backs(stmts)?.into(),
                thrown: self.back(exprs)?,
            },
            stmt_code::THROW => StmtKind::Throw(self.perhaps(exprs)?),
            stmt_code::ALTERNATIVES => StmtKind::Alternatives(self.backs(stmts)?.into()),
            stmt_code::EMPTY => StmtKind::Empty,
            stmt_code::UNKNOWN => StmtKind::Unknown(self.backs(exprs)?.into()),
            _ => return self.malformed(),
        };
        Ok(Stmt {
            kind,
            span,
            from_macro,
        })
    }
}
