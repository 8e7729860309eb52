//! The call instructions of an executable, as objdump shows them.

use std::io::BufRead;
use std::path::Path;
use std::process::{Command, Stdio};

/// A call instruction.
pub(crate) struct Call {
    pub(crate) address: u64,
    pub(crate) callee: Callee,
}

/// What it calls.
pub(crate) enum Callee {
    /// A function, by its name in the source.
    Named(String),
    /// Whatever an operand holds.
    Computed,
}

/// All calls of an executable, by address.
pub(crate) fn of(elf: &Path) -> Result<Vec<Call>, String> {
    let mut objdump = Command::new("objdump")
        .args(["--disassemble", "--no-show-raw-insn"])
        .arg(elf)
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| format!("objdump: {error}"))?;
    let output = objdump.stdout.take().ok_or("objdump: no output")?;
    let mut calls = Vec::new();
    for line in std::io::BufReader::new(output).split(b'\n') {
        let line = line.map_err(|error| format!("objdump: {error}"))?;
        calls.extend(call(&String::from_utf8_lossy(&line)));
    }
    let status = objdump.wait().map_err(|error| format!("objdump: {error}"))?;
    if !status.success() {
        return Err(format!("objdump failed ({status})"));
    }
    calls.sort_by_key(|call| call.address);
    Ok(calls)
}

/// The call of one line: an address, a colon, a tab, and `call   1050 <puts@plt>`.
fn call(line: &str) -> Option<Call> {
    let (address, instruction) = line.split_once(":\t")?;
    let address = u64::from_str_radix(address.trim(), 16).ok()?;
    let operand = instruction.strip_prefix("call")?;
    let callee = match operand.rsplit_once('<') {
        Some((_, name)) if !operand.contains('*') => Callee::Named(source_name(name.trim_end_matches('>'))),
        _ => Callee::Computed,
    };
    Some(Call { address, callee })
}

/// The name in the source of a symbol that may be a copy, a part, or a stub.
fn source_name(symbol: &str) -> String {
    let end = symbol.find(['@', '.', '+']).filter(|&end| end > 0);
    symbol[..end.unwrap_or(symbol.len())].to_owned()
}

/// Whether a compiler may call the first function where the source calls the second.
pub(crate) fn may_stand_for(callee: &str, written: &str) -> bool {
    match callee {
        "puts" | "putchar" => written == "printf",
        "fwrite" | "fputc" | "fputs" => matches!(written, "fprintf" | "fputs" | "fputc"),
        "memcpy" | "strcpy" | "stpcpy" => matches!(written, "sprintf" | "strcpy" | "strcat" | "memmove"),
        "strlen" => written == "strcat",
        "calloc" => written == "malloc",
        _ => callee.strip_prefix("__isoc99_") == Some(written),
    }
}

/// Whether compilers call such a function where the source calls none.
pub(crate) fn is_compilers_own(name: &str) -> bool {
    name.starts_with("__") || matches!(name, "memcpy" | "memset" | "memmove" | "memcmp" | "sincos")
}

#[cfg(test)]
mod tests {
    use super::{Callee, call};

    #[test]
    fn calls_are_read_from_a_listing() {
        let name = |line: &str| match call(line).map(|call| (call.address, call.callee)) {
            Some((address, Callee::Named(name))) => format!("{address:x} {name}"),
            Some((address, Callee::Computed)) => format!("{address:x} *"),
            None => "-".to_owned(),
        };
        assert_eq!(name("    1139:\tcall   1030 <MPI_Send@plt>"), "1139 MPI_Send");
        assert_eq!(name("    113e:\tcall   1200 <work.constprop.0>"), "113e work");
        assert_eq!(name("    1143:\tcall   *%rax"), "1143 *");
        assert_eq!(
            name("    1146:\tcall   *0x2fd2(%rip)        # 3fe0 <__libc_start_main@GLIBC_2.34>"),
            "1146 *"
        );
        assert_eq!(name("    1150:\tjmp    1030 <puts@plt>"), "-");
        assert_eq!(name("0000000000001139 <main>:"), "-");
    }
}
