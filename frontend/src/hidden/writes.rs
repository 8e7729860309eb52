//! Which names a replacement list writes: what stands in front of an assignment, behind `++`, behind `&`.

use super::Obstacle;
use super::own::Own;
use super::reader::Reader;
use std::ops::Range;

impl Reader<'_> {
    /// The address of what begins at `at` is taken. Behind a parenthesis it may be a cast's operand; that is all the same.
    pub(super) fn address(&mut self, at: usize) {
        if self.text(at) == b"(" {
            if let Some(close) = self.partner[at] {
                // Brackets of a cast, or around the operand.
                self.give_range(at + 1..close);
                if self.is_name(close + 1) {
                    self.address(close + 1);
                }
            }
            return;
        }
        // `&a->b` and `&a[i]` are places in memory, and arrays are written anywhere.
        if self.is_name(at) && !matches!(self.text(at + 1), b"->" | b"." | b"[") {
            self.give(at);
        }
    }

    /// Every name in `range` that is an operand there may be written.
    pub(super) fn give_range(&mut self, range: Range<usize>) {
        for at in range {
            let member = matches!(self.before(at), b"." | b"->");
            let through = matches!(self.text(at + 1), b"." | b"->" | b"[" | b"(");
            if self.is_name(at) && !member && !through {
                self.give(at);
            }
        }
    }

    /// The variable named at `at` may be written.
    pub(super) fn give(&mut self, at: usize) {
        if !self.is_name(at) {
            return;
        }
        if self.before(at) == b"##" || self.text(at + 1) == b"##" {
            self.obstacle(Obstacle::Write);
            return;
        }
        self.write_name(self.text(at), at);
    }

    pub(super) fn write_name(&mut self, name: &[u8], at: usize) {
        let own = |(each, scope, _): &Own<'_>| *each == name && scope.contains(&at);
        if self.own.iter().any(own) {
            return;
        }
        if let Some(param) = self.param(name) {
            self.found.params.insert(param);
            return;
        }
        self.found.written.insert(name.into());
        self.found.acts = true;
    }

    /// What ends before `at` is written.
    pub(super) fn write_before(&mut self, at: usize) {
        let mut at = at;
        // Whether a pointer was followed, or a part of the variable is meant.
        let mut part = false;
        loop {
            let Some(last) = at.checked_sub(1) else {
                return self.obstacle(Obstacle::Write);
            };
            match self.text(last) {
                b"]" => {
                    part = true;
                    match self.partner[last] {
                        Some(open) => at = open,
                        None => return self.obstacle(Obstacle::Write),
                    }
                }
                b")" => {
                    let Some(open) = self.partner[last] else {
                        return self.obstacle(Obstacle::Write);
                    };
                    let callee = open > 0 && self.is_name(open - 1);
                    if callee && !part {
                        // What a macro or a reference makes of the arguments.
                        return self.obstacle(Obstacle::Write);
                    }
                    // `*(p) = x` and `(*p) = x` write where `p` points to.
                    let followed = part
                        || self.text(open + 1) == b"*"
                        || (self.before(open) == b"*" && !self.ends_operand(open - 1));
                    if !followed {
                        self.give_range(open + 1..last);
                    } else if part {
                        // `(x).y` is a part of `x`, and `(p)->y` is memory: neither is the variable itself.
                    }
                    return;
                }
                _ if self.is_name(last) => {
                    if matches!(self.before(last), b"." | b"->") {
                        part = true;
                        at = last - 1;
                        continue;
                    }
                    let star = last > 0 && self.before(last) == b"*" && !self.ends_operand(last - 1);
                    if !part && !star {
                        self.give(last);
                    } else if self.before(last) == b"##" {
                        self.obstacle(Obstacle::Write);
                    }
                    return;
                }
                _ => return self.obstacle(Obstacle::Write),
            }
        }
    }

    /// What begins at `at` is written.
    pub(super) fn write_after(&mut self, at: usize) {
        match self.text(at) {
            b"(" => match self.partner[at] {
                Some(close)
                    if self.text(at + 1) != b"*" && !matches!(self.text(close + 1), b"." | b"->" | b"[") =>
                {
                    self.give_range(at + 1..close);
                }
                Some(_) => {}
                None => self.obstacle(Obstacle::Write),
            },
            b"*" => {}
            _ if self.is_name(at) => {
                if !matches!(self.text(at + 1), b"." | b"->" | b"[" | b"(") {
                    self.give(at);
                }
            }
            _ => self.obstacle(Obstacle::Write),
        }
    }
}
