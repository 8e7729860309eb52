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
use ir::{BinaryOp, ExprId, ExprKind, Global, Language, LoopKind, StmtId, Type, VarRef};
use library::Access;
use std::collections::BTreeMap;
use thin_vec::ThinVec;

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

    /// What frees the memory of variables, and finalises them, stands once, behind what it is done after. A jump past it is known in part, if procedures of the
    /// program have a part in it: it is done then as well.
    pub(crate) fn scope_of_fortran(&mut self, id: RowId) -> ThinVec<StmtId> {
        let end = self.rows.operand(id, 1);
        let depth = self.ends.len();
        self.ends.extend(end.filter(|&end| self.calls_procedures(end)));
        let mut items = self.items(self.rows.operand(id, 0));
        self.ends.truncate(depth);
        items.extend(self.items(end));
        items
    }

    /// Whether a tree calls more than the compiler's own functions.
    fn calls_procedures(&self, tree: RowId) -> bool {
        let mut work = vec![tree];
        while let Some(id) = work.pop() {
            let of_compiler = |function: RowId| self.rows.row(function).name.starts_with("__builtin_");
            if self.rows.code(id) == Code::CallExpr && !self.named_by(id).is_some_and(of_compiler) {
                return true;
            }
            work.extend(self.rows.operands(id).iter().flatten());
        }
        false
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

    /// A variable, or what it is another name of.
    pub(crate) fn variable_of_fortran(&mut self, id: RowId) -> Made {
        let row = self.rows.row(id);
        if row.traits.stands_for
            && let Some(whole) = self.rows.operand(id, 0)
        {
            return self.part_of_whole(row.name, whole);
        }
        if row.traits.is_outer {
            return self.outer_variable(row.name).into();
        }
        if row.traits.at_file_scope || row.traits.is_external {
            let name = crate::declare::global_name(row, Language::Fortran);
            return ExprKind::Var(VarRef::Global(name.as_str().into())).into();
        }
        ExprKind::Var(VarRef::Local(self.local(id))).into()
    }

    /// A variable of the procedure around this one: as with what a lambda has captured, only that one knows where it is.
    fn outer_variable(&mut self, name: &str) -> ExprKind {
        let object = self.push_expr(ExprKind::Constant, Standing::default());
        let name = name.into();
        ExprKind::Deref(self.push_expr(ExprKind::Captured { object, name }, Standing::default()))
    }

    /// What the variable `name` is another name of. Of a block of `common`, and of variables that an `equivalence` lays over each other, any part may have any
    /// name: each is an element of the whole, and which one is not told.
    fn part_of_whole(&mut self, name: &str, whole: RowId) -> Made {
        let root = self.root(whole);
        let row = self.rows.row(root);
        if root == whole || !matches!(row.code, Code::VarDecl | Code::ParmDecl) {
            return Made::Known(self.expr(whole));
        }
        let of_mpi = name.to_ascii_uppercase();
        if base::is_mpi(&of_mpi) {
            // Such a variable is known by its address: `MPI_BOTTOM`, `MPI_IN_PLACE`.
            return ExprKind::Var(VarRef::Global(of_mpi.as_str().into())).into();
        }
        let base = if row.traits.at_file_scope || row.traits.is_external {
            let block = format!("/{}/", row.name);
            self.file.common(&block);
            ExprKind::Var(VarRef::Global(block.as_str().into()))
        } else if row.traits.is_outer {
            self.outer_variable(row.name)
        } else {
            let local = self.local(root);
            self.locals[local].ty = Type::Array;
            self.locals[local].address_taken = true;
            ExprKind::Var(VarRef::Local(local))
        };
        let base = self.push_expr(base, Standing::default());
        let index = self.push_expr(ExprKind::Unseen, Standing::default());
        ExprKind::Index { base, index }.into()
    }

    /// The variable that something is a part of, or whatever else it begins with.
    fn root(&self, mut part: RowId) -> RowId {
        while matches!(
            self.rows.code(part),
            Code::ComponentRef | Code::ArrayRef | Code::ViewConvert | Code::NopExpr
        ) && let Some(inner) = self.rows.operand(part, 0)
        {
            part = inner;
        }
        part
    }

    /// An element of an array. A pointer to an array leads to its first element.
    pub(crate) fn element_of_fortran(&mut self, id: RowId) -> Made {
        let array = self.rows.operand(id, 0);
        let pointer = array.filter(|&array| self.rows.code(array) == Code::IndirectRef);
        let pointer = pointer.and_then(|array| self.rows.operand(array, 0));
        let base = match pointer {
            Some(pointer) => self.expr(pointer),
            None => self.operand_expr(id, 0),
        };
        let index = self.operand_expr(id, 1);
        match self.within_whole(base) {
            Some((whole, place)) => {
                let sum = ExprKind::Binary(BinaryOp::Add, place, index);
                let index = self.push_expr(sum, Standing::default());
                ExprKind::Index { base: whole, index }.into()
            }
            None => ExprKind::Index { base, index }.into(),
        }
    }

    /// The whole that an expression is an element of, if it has other names by which its parts are other things ([`Self::part_of_whole`]), and where in it.
    pub(crate) fn within_whole(&self, part: ExprId) -> Option<(ExprId, ExprId)> {
        let ExprKind::Index { base, index } = self.exprs[part].kind else {
            return None;
        };
        let mut place = index;
        while let ExprKind::Binary(BinaryOp::Add, first, _) = self.exprs[place].kind {
            place = first;
        }
        (self.exprs[place].kind == ExprKind::Unseen).then_some((base, index))
    }

    fn is_constant(&self, id: RowId) -> bool {
        matches!(
            self.rows.code(id),
            Code::IntegerCst | Code::RealCst | Code::ComplexCst | Code::StringCst
        )
    }

    /// Notes the structure of a statement of input or output that goes to a string, when its member for that is set.
    pub(crate) fn note_string(&mut self, assignment: RowId) {
        let target = self.rows.operand(assignment, 0).filter(|_| self.is_fortran());
        let target = target.filter(|&target| self.rows.code(target) == Code::ComponentRef);
        if let Some(target) = target
            && let (Some(of), Some(member)) = (self.rows.operand(target, 0), self.rows.operand(target, 1))
            && self.rows.row(member).name == "internal_unit"
        {
            self.of_strings.insert(of);
        }
    }

    /// Whether a call belongs to a statement of input or output that goes to a string.
    fn is_of_string(&self, call: RowId) -> bool {
        let statement = self.rows.operand(call, 1);
        let statement = statement.filter(|&first| self.rows.code(first) == Code::AddrExpr);
        let statement = statement.and_then(|first| self.rows.operand(first, 0));
        statement.is_some_and(|statement| self.of_strings.contains(&statement))
    }

    /// The name by which a procedure is called: that of C, if it is one of MPI's.
    pub(crate) fn name_of_called(&self, call: RowId, function: RowId) -> ir::Name {
        let row = self.rows.row(function);
        if self.is_fortran() && self.is_of_string(call) {
            return library::gfortran::of_string(row.name).as_str().into();
        }
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
                    let value = self.push_expr(ExprKind::Deref(address), standing);
                    self.by_address.insert(value);
                    value
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
        // A handle of `mpi_f08` is a structure.
        if !(is_value || is_scalar && is_read) {
            return self.expr(argument);
        }
        let value = self.expr(of);
        self.by_address.insert(value);
        value
    }

    fn is_constant_of_compiler(&self, id: RowId) -> bool {
        let value = self.rows.operand(id, 0);
        let stands_for = self.rows.row(id).traits.stands_for;
        stands_for && value.is_some_and(|value| self.is_constant(value))
    }
}

impl crate::File {
    /// Declares a block of `common`, whose variables each procedure may name as it likes.
    fn common(&mut self, block: &str) {
        if self.global_mut(block).is_none() {
            self.global(Global {
                name: block.to_owned(),
                span: base::Span::default(),
                ty: Type::Array,
                is_static: false,
                is_extern: false,
                is_constant: false,
                address_taken: true,
                initial: None,
                initial_names: Vec::new(),
                of_structures: false,
                object: None,
            });
        }
    }
}
