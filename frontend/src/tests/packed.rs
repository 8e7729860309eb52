//! Units as bytes: what comes out is what went in, and damaged bytes give no unit that an analysis could stumble over.

use super::hostile::XorShift;
use crate::{Macros, Source, parse};
use base::Id as _;
use ir::Unit;
use ir::packed::{pack, unpack};

/// A unit must survive being bytes.
pub fn check_packing(unit: &Unit) {
    let bytes = pack(unit);
    let back = unpack(&bytes).unwrap_or_else(|error| panic!("{}: {error}", unit.path));
    // Of the largest, words would take longer than reading them did.
    if bytes.len() < 20_000 {
        assert_eq!(format!("{unit:?}"), format!("{back:?}"), "{}", unit.path);
    }
    assert!(pack(&back) == bytes, "{}: other bytes", unit.path);
}

const TEXT: &str = "#define F(x) do { if (x) goto out; } while (0)\nstruct s { int n; unsigned b : 3; union { float f; } u; };\n\
    static long total = -7; extern double d[3];\nint f(struct s *p, int n) { int i, j = 2; float x = .5f; static int k;\n\
    for (i = n; i --> 0; ) { p->n += i << 2; if (!p) continue; else k = ~k; F(g(&i, \"s\", 'c') && k || 1.25); }\n\
    do { while (i < n) ++i; } while (h(), i != 3); switch (n) { case 4: (*p).n = sizeof(int); break; default: return -1; }\n\
    #if X\n a[i] = (char) n ? i : { 1 };\n#else\n q(f);\n#endif\nout: return UNKNOWN(i, j) + (*cb)(n); }\n";

const CXX: &str = "namespace n { class A { int m; static int s; public: A(int &r); virtual void v(); ~A(); };\n\
    A::A(int &r) { try { for (auto &x : list) { r++; throw x; } } catch (int e) { m = e; } catch (...) { v(); }\n\
    auto l = [this](int q) { return q + m; }; l(3); delete this; } }\n";

fn units() -> [Unit; 2] {
    [("t.c", TEXT), ("t.cc", CXX)].map(|(path, text)| {
        let source = Source {
            path,
            text: text.as_bytes(),
        };
        parse(&source, &Macros::gather([source]))
    })
}

#[test]
fn damaged_bytes_give_no_unsound_unit() {
    const SEED: u64 = 0x5eed_0f0f_1234_5678;
    let mut random = XorShift(SEED);
    for unit in units() {
        check_packing(&unit);
        let whole = pack(&unit);
        for round in 0..4000 {
            let mut bytes = whole.clone();
            match round % 4 {
                0 => bytes.truncate(random.below(whole.len())),
                1 => bytes.extend((0..=random.below(4)).map(|_| 0)),
                _ => {
                    for _ in 0..=random.below(3) {
                        let at = random.below(whole.len());
                        bytes[at] = random.next() as u8;
                    }
                }
            }
            if let Ok(unit) = unpack(&bytes) {
                check_sound(&unit);
                // A float that is no number differs from itself, so the bytes are compared.
                let again = pack(&unit);
                assert!(
                    pack(&unpack(&again).unwrap()) == again,
                    "seed {SEED:#x}, round {round}"
                );
            }
        }
    }
}

/// Every id that analyses follow is in range; that children stand before parents is what writing the unit again checks.
fn check_sound(unit: &Unit) {
    for function in &unit.functions {
        assert!(function.params <= function.locals.len());
        assert!(function.body.index() < function.stmts.len());
        for expr in &function.exprs {
            if let ir::ExprKind::Var(ir::VarRef::Local(local)) = expr.kind {
                assert!(local.index() < function.locals.len());
            }
        }
    }
}
