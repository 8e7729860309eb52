//! Holds the front end against a C preprocessor: every `.c` file below a directory is read raw, and again after
//! `cc -E`, and the functions that came out clean in the raw text must have the same structure both times.
//!
//! `cargo run --release -p frontend --example against-cpp DIR [CC-OPTION…]`
//!
//! Functions with `Alternatives` or unexpanded macros are left out: there the raw text covers several builds.

use base::Confidence;
use frontend::{Macros, Source, parse};
use ir::{Callee, ExprId, ExprKind, Function, StmtId, StmtKind};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

fn main() -> std::io::Result<()> {
    let mut args = std::env::args().skip(1);
    let Some(root) = args.next() else {
        eprintln!("usage: against-cpp DIR [CC-OPTION...]");
        std::process::exit(2);
    };
    let options: Vec<String> = args.collect();
    let mut paths = Vec::new();
    find(Path::new(&root), &mut paths)?;
    paths.sort();
    let mut files = Vec::new();
    for path in paths {
        files.push((path.display().to_string(), std::fs::read(&path)?));
    }
    let macros = Macros::gather(files.iter().map(|(path, text)| Source { path, text }));
    let (mut same, mut different, mut skipped, mut unread) = (0, 0, 0, 0);
    for (path, text) in files.iter().filter(|(path, _)| path.ends_with(".c")) {
        let output = Command::new("cc").arg("-E").args(&options).arg(path).output()?;
        if !output.status.success() {
            unread += 1;
            continue;
        }
        let expanded = parse(
            &Source {
                path: "cpp",
                text: &output.stdout,
            },
            &Macros::default(),
        );
        let expected: BTreeMap<&str, &Function> =
            expanded.functions.iter().map(|f| (f.name.as_str(), f)).collect();
        for function in &parse(&Source { path, text }, &macros).functions {
            let other = expected
                .get(function.name.as_str())
                .filter(|f| f.confidence != Confidence::Partial);
            let (Some(other), Some(ours)) = (other, skeleton(function)) else {
                skipped += 1;
                continue;
            };
            if function.confidence == Confidence::Partial {
                skipped += 1;
                continue;
            }
            let theirs = skeleton(other).unwrap_or_default();
            if ours == theirs {
                same += 1;
            } else {
                different += 1;
                let at = ours
                    .bytes()
                    .zip(theirs.bytes())
                    .take_while(|(a, b)| a == b)
                    .count();
                let show = |text: &str| {
                    text.chars()
                        .skip(at.saturating_sub(30))
                        .take(90)
                        .collect::<String>()
                };
                println!(
                    "{path}: {}\n  raw: {}\n  cpp: {}",
                    function.name,
                    show(&ours),
                    show(&theirs)
                );
            }
        }
    }
    println!("{same} same, {different} different, {skipped} not compared; {unread} files that cc -E refused");
    Ok(())
}

fn find(directory: &Path, found: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(directory)? {
        let path = entry?.path();
        if path.is_dir() && !path.symlink_metadata()?.is_symlink() {
            find(&path, found)?;
        } else if path.extension().is_some_and(|e| e == "c" || e == "h") && path.is_file() {
            found.push(path);
        }
    }
    Ok(())
}

/// Control structure, calls and writes in order; `None` when the function covers several builds.
fn skeleton(f: &Function) -> Option<String> {
    let mut out = String::new();
    stmt(f, f.body, &mut out)?;
    Some(out)
}

fn stmt(f: &Function, id: StmtId, out: &mut String) -> Option<()> {
    match &f.stmts[id].kind {
        StmtKind::Alternatives(_) => return None,
        StmtKind::Empty => {}
        StmtKind::Expr(e) | StmtKind::Case(e) | StmtKind::ComputedGoto(e) => expr(f, *e, out)?,
        StmtKind::Decl { local, init } => {
            let _ = write!(out, "decl {} ", f.locals[*local].name);
            init.map_or(Some(()), |e| expr(f, e, out))?;
        }
        StmtKind::Block(ids) | StmtKind::Group(ids) => {
            for id in ids {
                stmt(f, *id, out)?;
            }
        }
        StmtKind::If {
            cond, then, other, ..
        } => {
            out.push_str("if(");
            expr(f, *cond, out)?;
            out.push_str("){");
            stmt(f, *then, out)?;
            out.push('}');
            if let Some(other) = other {
                out.push_str("else{");
                stmt(f, *other, out)?;
                out.push('}');
            }
        }
        StmtKind::Loop {
            kind,
            init,
            cond,
            step,
            body,
            ..
        } => {
            let _ = write!(out, "{kind:?}(");
            init.map_or(Some(()), |s| stmt(f, s, out))?;
            out.push(';');
            cond.map_or(Some(()), |e| expr(f, e, out))?;
            out.push(';');
            step.map_or(Some(()), |e| expr(f, e, out))?;
            out.push_str("){");
            stmt(f, *body, out)?;
            out.push('}');
        }
        StmtKind::Switch { value, body } => {
            out.push_str("switch(");
            expr(f, *value, out)?;
            out.push_str("){");
            stmt(f, *body, out)?;
            out.push('}');
        }
        StmtKind::Return(e) => {
            out.push_str("return ");
            e.map_or(Some(()), |e| expr(f, e, out))?;
            out.push(';');
        }
        StmtKind::Label(name) | StmtKind::Goto(name) => {
            let _ = write!(out, "{name};");
        }
        StmtKind::Default => out.push_str("default;"),
        StmtKind::Break => out.push_str("break;"),
        StmtKind::Continue => out.push_str("continue;"),
        StmtKind::Try { body, handlers, .. } => {
            out.push_str("try");
            for id in std::iter::once(body).chain(handlers) {
                stmt(f, *id, out)?;
            }
        }
        StmtKind::Throw(e) => {
            out.push_str("throw ");
            e.map_or(Some(()), |e| expr(f, e, out))?;
        }
        StmtKind::Unknown(_) => return None,
    }
    Some(())
}

fn expr(f: &Function, id: ExprId, out: &mut String) -> Option<()> {
    let (name, parts): (String, Vec<ExprId>) = match &f.exprs[id].kind {
        ExprKind::Call { callee, args } => {
            let (name, first) = match callee {
                Callee::Named(name) => (name.trim_start_matches("__builtin_").to_owned(), None),
                Callee::Indirect(e) => ("indirect".to_owned(), Some(*e)),
                Callee::Macro(_) => return None,
            };
            (name, first.into_iter().chain(args.iter().copied()).collect())
        }
        ExprKind::Assign { op, target, value } => (format!("{op:?}="), vec![*target, *value]),
        ExprKind::Step { target, up, .. } => ((if *up { "++" } else { "--" }).to_owned(), vec![*target]),
        ExprKind::Var(ir::VarRef::Local(local)) => (f.locals[*local].name.clone(), Vec::new()),
        ExprKind::And(a, b) => ("&&".to_owned(), vec![*a, *b]),
        ExprKind::Or(a, b) => ("||".to_owned(), vec![*a, *b]),
        ExprKind::Conditional(a, b, c) => ("?".to_owned(), vec![*a, *b, *c]),
        ExprKind::Binary(_, a, b) | ExprKind::Comma(a, b) | ExprKind::Index { base: a, index: b } => {
            (String::new(), vec![*a, *b])
        }
        // A constant of a header may be behind any number of these.
        ExprKind::Unary(_, a) | ExprKind::Deref(a) | ExprKind::AddressOf(a) | ExprKind::Cast(_, a) => {
            return expr(f, *a, out);
        }
        ExprKind::Field { base, name, .. } => (name.to_string(), vec![*base]),
        ExprKind::List(parts) | ExprKind::Unknown(parts) => (String::new(), parts.to_vec()),
        _ => (String::new(), Vec::new()),
    };
    let _ = write!(out, "{name}");
    if name.is_empty() {
        // Constants differ in form: folded here, written out there.
        for part in parts {
            expr(f, part, out)?;
        }
    } else if !parts.is_empty() {
        out.push('(');
        for part in parts {
            expr(f, part, out)?;
            out.push(' ');
        }
        out.push(')');
    }
    Some(())
}
