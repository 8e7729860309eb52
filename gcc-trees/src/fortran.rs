//! What is Fortran's own: loops that end by a jump, arguments that are handed over by their address, variables that are parts of others.
//!
//! Its front end has lowered more than those of C and C++: a `do` is a loop without end that begins with a test and ends with the step, both at the
//! place of the `do` itself, and what leaves it or goes on with it jumps. Trees stand at single points; one without a place of its own gets that of
//! what is around it, as in the code that gcc makes.

use crate::Code;
use crate::expression::Made;
use crate::function::{Body, Standing};
use crate::rows::RowId;
use crate::types;
use ir::{ExprId, ExprKind, Language, LoopKind, StmtId, Type};
use library::Access;
use std::collections::BTreeMap;

impl Body<'_, '_> {
    pub(crate) fn is_fortran(&self) -> bool {
        self.file.language == Language::Fortran
    }

    /// Declares the variables of a block; those that nothing names as well.
    pub(crate) fn declare_of_fortran(&mut self, block: RowId) {
        if self.is_fortran() {
            let declared = Vec::from_iter(self.rows.operands(block).iter().skip(1).flatten().copied());
            for declaration in declared {
                self.local(declaration);
            }
        }
    }

    /// The debug info of gfortran may have a variable of a `block` in the whole procedure, over another one of its name: of neither a value can be read.
    pub(crate) fn distrust_equal_names(&mut self) {
        let mut known: BTreeMap<String, usize> = BTreeMap::new();
        for local in self.locals.iter().filter(|local| !local.name.is_empty()) {
            *known.entry(local.name.clone()).or_default() += 1;
        }
        for local in self
            .locals
            .iter_mut()
            .filter(|local| known.get(&local.name) > Some(&1))
        {
            local.ty = Type::Unknown;
        }
    }

    /// Two statements, one after the other.
    pub(crate) fn one_then_other(&mut self, id: RowId) -> StmtId {
        let parts = Vec::from_iter(self.rows.operands(id).iter().flatten().copied());
        let items = self.in_order(&parts);
        self.group(items)
    }

    /// A loop that only a jump leaves.
    pub(crate) fn do_loop(&mut self, id: RowId) -> StmtId {
        let counter = self.counter(id);
        self.counters.extend(counter);
        let lowered = self.repeat(id, LoopKind::For, None, (usize::MAX, None, 0));
        if counter.is_some() {
            self.counters.pop();
        }
        lowered
    }

    /// The variable of a `do` loop: it is stepped where the loop itself stands, and no statement of the source does.
    fn counter(&self, id: RowId) -> Option<RowId> {
        let place = self.rows.row(id).place?;
        let mut work = Vec::from_iter(self.rows.operand(id, 0));
        while let Some(part) = work.pop() {
            let row = self.rows.row(part);
            match row.code {
                Code::Bind | Code::StatementList => work.extend(self.rows.operands(part).iter().flatten()),
                Code::ModifyExpr if row.place == Some(place) => {
                    let (target, value) = (self.rows.operand(part, 0)?, self.rows.operand(part, 1)?);
                    let is_step = matches!(self.rows.code(value), Code::Plus | Code::Minus)
                        && self.rows.operand(value, 0) == Some(target);
                    let target_row = self.rows.row(target);
                    let is_variable = target_row.code == Code::VarDecl
                        && !target_row.traits.is_artificial
                        && !target_row.name.is_empty();
                    if is_step && is_variable {
                        return Some(target);
                    }
                }
                _ => {}
            }
        }
        None
    }

    /// A variable, or what it is another name of. What several procedures or units may name differently is memory that a pointer leads to.
    pub(crate) fn variable_of_fortran(&mut self, id: RowId) -> Made {
        let row = self.rows.row(id);
        if row.traits.is_outer {
            return self.memory().into();
        }
        if row.traits.stands_for {
            return match self.rows.operand(id, 0) {
                Some(value) if self.is_constant(value) => Made::Known(self.expr(value)),
                _ => self.memory().into(),
            };
        }
        if row.traits.at_file_scope || row.traits.is_external {
            let name = crate::declare::global_name(row, Language::Fortran);
            return ExprKind::Var(ir::VarRef::Global(name.as_str().into())).into();
        }
        ExprKind::Var(ir::VarRef::Local(self.local(id))).into()
    }

    fn memory(&mut self) -> ExprKind {
        ExprKind::Deref(self.push_expr(ExprKind::Constant, Standing::default()))
    }

    fn is_constant(&self, id: RowId) -> bool {
        matches!(
            self.rows.code(id),
            Code::IntegerCst | Code::RealCst | Code::ComplexCst | Code::StringCst
        )
    }

    /// The name by which a procedure is called: that of C, if it is one of MPI's.
    pub(crate) fn name_of_called(&self, function: RowId) -> ir::Name {
        let row = self.rows.row(function);
        // What a symbol shows by its underscore, a name in the source does not have to.
        let symbol = || format!("{}_", row.name.trim_end_matches('_'));
        let of_mpi = self
            .is_of_library(function)
            .then(|| base::mpi_entry_point(&symbol()))
            .flatten();
        // One that has other arguments than in C is none of C's.
        let is_as_in_c =
            |name: &String| library::function(name).is_none() || library::fortran(row.name).is_some();
        match of_mpi.filter(is_as_in_c) {
            Some(name) => name.as_str().into(),
            None => row.name.into(),
        }
    }

    /// Whether no file that is compiled now has a procedure's body.
    fn is_of_library(&self, function: RowId) -> bool {
        self.is_fortran() && self.rows.row(function).traits.is_external
    }

    /// An argument of a call, the first is number 0. Where the procedure only reads it, it is a value; where it may be set, its address. The variable of a `do`
    /// loop around is a value as well: nobody but the loop may define it (Fortran 2018, 11.1.7.4.3). Of MPI's functions those are values that are values in C.
    pub(crate) fn argument_of_fortran(&mut self, call: RowId, number: usize, argument: RowId) -> ExprId {
        let called = self.named_by(call);
        let of_mpi = called.filter(|&called| self.is_of_library(called));
        let of_mpi = of_mpi.and_then(|called| library::fortran(self.rows.row(called).name));
        let of_mpi = of_mpi.and_then(|function| function.arguments.get(number));
        let is_value =
            of_mpi.is_some_and(|argument| matches!(argument.access, Access::Value | Access::Object));
        let only_read = called.and_then(|called| self.rows.row(called).value).unwrap_or(0);
        let only_read = only_read
            .checked_shr(u32::try_from(number).unwrap_or(u32::MAX))
            .unwrap_or(0);
        let bare = self.without_conversions(argument);
        let of = self
            .rows
            .operand(bare, 0)
            .filter(|_| self.rows.code(bare) == Code::AddrExpr);
        let Some(of) = of else {
            // What is handed on has its address already.
            return match self.rows.type_row(bare).map(|ty| ty.code) {
                Some(Code::ReferenceType | Code::PointerType) if is_value => {
                    let address = self.expr(bare);
                    let standing = self.standing(argument);
                    self.push_expr(ExprKind::Deref(address), standing)
                }
                _ => self.expr(argument),
            };
        };
        let is_scalar = matches!(
            types::of(self.rows, self.rows.row(of).ty),
            Type::Int { .. } | Type::Float { .. } | Type::Pointer
        );
        let is_read =
            is_value || only_read & 1 != 0 || self.counters.contains(&of) || self.is_constant_of_compiler(of);
        let handed = if is_scalar && is_read { of } else { argument };
        self.expr(handed)
    }

    fn is_constant_of_compiler(&self, id: RowId) -> bool {
        let value = self.rows.operand(id, 0);
        let stands_for = self.rows.row(id).traits.stands_for;
        stands_for && value.is_some_and(|value| self.is_constant(value))
    }
}
