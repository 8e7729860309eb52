//! Codes of gcc's trees.
//!
//! Their numbers differ from one gcc to the next; their names do not.

/// Makes [`Code`] of a table: the variant, and gcc's name.
macro_rules! codes {
    ($($code:ident $name:literal,)*) => {
        /// What a tree is, as far as it matters here.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[allow(missing_docs, reason = "the names are gcc's")]
        pub enum Code {
            /// One that has no meaning here.
            Other,
            $($code,)*
        }

        impl Code {
            /// All that have a meaning here.
            pub const ALL: &[Code] = &[$(Code::$code,)*];

            /// The code of this name.
            pub fn of(name: &str) -> Code {
                match name {
                    $($name => Code::$code,)*
                    _ => Code::Other,
                }
            }
        }
    };
}

codes! {
    // Types.
    IntegerType "integer_type",
    EnumeralType "enumeral_type",
    BooleanType "boolean_type",
    RealType "real_type",
    PointerType "pointer_type",
    ReferenceType "reference_type",
    ArrayType "array_type",
    RecordType "record_type",
    UnionType "union_type",
    FunctionType "function_type",
    NullptrType "nullptr_type",
    // Constants.
    IntegerCst "integer_cst",
    RealCst "real_cst",
    ComplexCst "complex_cst",
    VectorCst "vector_cst",
    VoidCst "void_cst",
    PtrmemCst "ptrmem_cst",
    StringCst "string_cst",
    // Declarations.
    FunctionDecl "function_decl",
    LabelDecl "label_decl",
    FieldDecl "field_decl",
    VarDecl "var_decl",
    ConstDecl "const_decl",
    ParmDecl "parm_decl",
    TypeDecl "type_decl",
    NamespaceDecl "namespace_decl",
    UsingDecl "using_decl",
    ResultDecl "result_decl",
    // References.
    ComponentRef "component_ref",
    ArrayRef "array_ref",
    IndirectRef "indirect_ref",
    MemRef "mem_ref",
    BitFieldRef "bit_field_ref",
    RealPart "realpart_expr",
    ImagPart "imagpart_expr",
    ViewConvert "view_convert_expr",
    AddrExpr "addr_expr",
    // What changes something or is called.
    ModifyExpr "modify_expr",
    InitExpr "init_expr",
    PreIncrement "preincrement_expr",
    PostIncrement "postincrement_expr",
    PreDecrement "predecrement_expr",
    PostDecrement "postdecrement_expr",
    CallExpr "call_expr",
    AggrInit "aggr_init_expr",
    VaArg "va_arg_expr",
    // Values.
    Constructor "constructor",
    CompoundLiteral "compound_literal_expr",
    CompoundExpr "compound_expr",
    CondExpr "cond_expr",
    SaveExpr "save_expr",
    TargetExpr "target_expr",
    MaybeConst "c_maybe_const_expr",
    ExcessPrecision "excess_precision_expr",
    NonLvalue "non_lvalue_expr",
    // In Fortran brackets bind operands together.
    Paren "paren_expr",
    Annotate "annotate_expr",
    NopExpr "nop_expr",
    ConvertExpr "convert_expr",
    FloatExpr "float_expr",
    FixTrunc "fix_trunc_expr",
    TruthAndif "truth_andif_expr",
    TruthOrif "truth_orif_expr",
    TruthAnd "truth_and_expr",
    TruthOr "truth_or_expr",
    TruthXor "truth_xor_expr",
    TruthNot "truth_not_expr",
    Negate "negate_expr",
    BitNot "bit_not_expr",
    Abs "abs_expr",
    Plus "plus_expr",
    Minus "minus_expr",
    Mult "mult_expr",
    TruncDiv "trunc_div_expr",
    TruncMod "trunc_mod_expr",
    ExactDiv "exact_div_expr",
    RealDiv "rdiv_expr",
    LeftShift "lshift_expr",
    RightShift "rshift_expr",
    BitAnd "bit_and_expr",
    BitOr "bit_ior_expr",
    BitXor "bit_xor_expr",
    Lt "lt_expr",
    Le "le_expr",
    Gt "gt_expr",
    Ge "ge_expr",
    Eq "eq_expr",
    Ne "ne_expr",
    Min "min_expr",
    Max "max_expr",
    PointerPlus "pointer_plus_expr",
    PointerDiff "pointer_diff_expr",
    // Statements.
    // Without end, but for jumps.
    Loop "loop_expr",
    If "if_stmt",
    ExprStmt "expr_stmt",
    Cleanup "cleanup_stmt",
    Try "try_block",
    Handler "handler",
    EhSpec "eh_spec_block",
    MustNotThrow "must_not_throw_expr",
    Throw "throw_expr",
    TryFinally "try_finally_expr",
    TryCatch "try_catch_expr",
    Using "using_stmt",
    EmptyClass "empty_class_expr",
    StatementList "statement_list",
    Bind "bind_expr",
    DeclExpr "decl_expr",
    For "for_stmt",
    While "while_stmt",
    Do "do_stmt",
    Switch "switch_stmt",
    // As the front end of Fortran has it.
    SwitchExpr "switch_expr",
    Break "break_stmt",
    Continue "continue_stmt",
    CaseLabel "case_label_expr",
    LabelExpr "label_expr",
    Goto "goto_expr",
    Return "return_expr",
    Asm "asm_expr",
    Predict "predict_expr",
    DebugBegin "debug_begin_stmt",
    CleanupPoint "cleanup_point_expr",
    OmpParallel "omp_parallel",
    OmpFor "omp_for",
    OmpSimd "omp_simd",
    OmpCritical "omp_critical",
    OmpMaster "omp_master",
    OmpSingle "omp_single",
}

impl Code {
    /// Whether it is what the source declares: such a tree stands where it was declared, also in the trees of all that use it.
    pub fn is_declaration(self) -> bool {
        matches!(
            self,
            Code::FunctionDecl
                | Code::LabelDecl
                | Code::FieldDecl
                | Code::VarDecl
                | Code::ConstDecl
                | Code::ParmDecl
                | Code::TypeDecl
                | Code::NamespaceDecl
                | Code::UsingDecl
                | Code::ResultDecl
        )
    }

    /// Whether it is a conversion that C writes as a cast, or makes by itself.
    pub fn converts(self) -> bool {
        matches!(
            self,
            Code::NopExpr | Code::ConvertExpr | Code::FloatExpr | Code::FixTrunc | Code::ViewConvert
        )
    }

    /// Whether a tree stands around another one that is the same value.
    pub fn is_transparent(self) -> bool {
        matches!(
            self,
            Code::ExcessPrecision
                | Code::NonLvalue
                | Code::Paren
                | Code::Annotate
                | Code::CleanupPoint
                | Code::ExprStmt
                | Code::MustNotThrow
                | Code::EhSpec
        )
    }
}

#[cfg(test)]
mod tests {
    use super::Code;
    use std::collections::BTreeSet;

    #[test]
    fn names_that_mean_nothing_here_are_told_apart_from_all_others() {
        assert_eq!(Code::of("exit_expr"), Code::Other);
        assert_eq!(Code::of("for_stmt"), Code::For);
        let all = BTreeSet::from_iter(Code::ALL.iter().map(|code| format!("{code:?}")));
        assert_eq!(all.len(), Code::ALL.len());
    }
}
