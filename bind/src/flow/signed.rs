//! Registers and slots that hold variables which the language keeps in their type.

use crate::expression::ENCODING;
use gimli::{EndianSlice, LittleEndian, Operation};
use progress_map::{
    Binding, BoundVariable, Encoding, LocationChange, LocationEffect, MachineCode, MachineLocation,
};

/// Notes where a register or slot that is counted with holds a variable of 32 bits with a sign: the language forbids that it leaves its type.
pub(crate) fn note_signed(binding: &mut Binding) {
    let signed =
        |variable: &&BoundVariable| variable.encoding == Encoding::Signed(4) && variable.path.is_empty();
    let places = binding
        .variables
        .iter()
        .filter(signed)
        .flat_map(|variable| &variable.locations);
    let mut found = Vec::new();
    for place in places {
        if let Some(location) = location(&place.expression, || {
            Some(&binding.function_at(place.start)?.frame_base)
        }) {
            found.extend(counting(&binding.code, (place.start, place.end), location));
        }
    }
    let changes = &mut binding.code.changes;
    changes.extend(found);
    changes.sort_unstable();
    changes.dedup();
}

/// The register or slot that an expression stands for, and nothing else.
pub(crate) fn location<'b>(
    expression: &[u8],
    frame_base: impl FnOnce() -> Option<&'b [u8]>,
) -> Option<MachineLocation> {
    let mut rest = EndianSlice::new(expression, LittleEndian);
    let mut operations = Vec::new();
    while !rest.is_empty() {
        operations.push(Operation::parse(&mut rest, ENCODING).ok()?);
    }
    let offset = match operations[..] {
        [Operation::Register { register }] => {
            return Some(MachineLocation::Register(u8::try_from(register.0).ok()?));
        }
        [Operation::FrameOffset { offset }] if frame_base()? == [gimli::DW_OP_call_frame_cfa.0] => offset,
        [Operation::CallFrameCFA] => 0,
        [Operation::CallFrameCFA, Operation::PlusConstant { value }] => i64::try_from(value).ok()?,
        [
            Operation::CallFrameCFA,
            Operation::UnsignedConstant { value },
            Operation::Minus,
        ] => i64::try_from(value).ok()?.checked_neg()?,
        _ => return None,
    };
    i32::try_from(offset).ok().map(MachineLocation::Slot)
}

/// The blocks in a range that count with a register or slot, as such that keep it in its type.
fn counting(code: &MachineCode, (start, end): (u64, u64), location: MachineLocation) -> Vec<LocationChange> {
    let first = code.blocks.partition_point(|block| block.end < start);
    let blocks = (0u32..).zip(&code.blocks).skip(first);
    let blocks = blocks.take_while(|(_, block)| block.start <= end);
    let counting = blocks.filter(|&(block, _)| {
        let mut changes = code.changes_of(block).iter();
        changes.any(|change| change.location == location && change.effect.counts())
    });
    let noted = counting.map(|(block, _)| LocationChange {
        block,
        location,
        effect: LocationEffect::Bounded {
            half: true,
            steps: true,
        },
    });
    noted.collect()
}

#[cfg(test)]
mod tests {
    use super::{MachineLocation, location};

    #[test]
    fn a_variable_is_in_a_register_or_in_a_slot_of_the_frame() {
        let cfa = || Some(&[0x9c][..]);
        assert_eq!(location(&[0x53], cfa), Some(MachineLocation::Register(3)));
        // DW_OP_fbreg -20.
        assert_eq!(location(&[0x91, 0x6c], cfa), Some(MachineLocation::Slot(-20)));
        // DW_OP_call_frame_cfa, DW_OP_constu 20, DW_OP_minus.
        let below_cfa = [0x9c, 0x10, 0x14, 0x1c];
        assert_eq!(location(&below_cfa, || None), Some(MachineLocation::Slot(-20)));
        // From where rbp points to, or nobody knows.
        assert_eq!(location(&[0x91, 0x6c], || Some(&[0x56][..])), None);
        assert_eq!(location(&[0x91, 0x6c], || None), None);
        // What the slot points to; the number itself; the address.
        for other in [
            &[0x91, 0x6c, 0x06][..],
            &[0x53, 0x93, 0x04],
            &[0x31, 0x9f],
            &[0x91, 0x6c, 0x9f],
            &[0x91, 0x80],
            &[],
        ] {
            assert_eq!(location(other, cfa), None, "{other:x?}");
        }
    }
}
