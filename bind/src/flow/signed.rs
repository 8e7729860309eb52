//! Registers that hold variables which the language keeps in their type.

use progress_map::{BoundVariable, Encoding, LocationChange, LocationEffect, MachineCode, MachineLocation};

/// Notes where a register that is counted with holds a variable of 32 bits with a sign: the language forbids that it leaves its type.
pub(crate) fn note_signed(code: &mut MachineCode, variables: &[BoundVariable]) {
    let mut found = Vec::new();
    for variable in variables
        .iter()
        .filter(|variable| variable.encoding == Encoding::Signed(4))
    {
        for location in variable.locations.iter().filter(|_| variable.path.is_empty()) {
            // DW_OP_reg0 to DW_OP_reg31, and nothing else.
            let [operation @ 0x50..=0x6f] = location.expression[..] else {
                continue;
            };
            let register = MachineLocation::Register(operation - 0x50);
            let first = code.blocks.partition_point(|block| block.end < location.start);
            let blocks = (first..).zip(&code.blocks[first..]);
            for (at, _) in blocks.take_while(|(_, block)| block.start <= location.end) {
                let Ok(block) = u32::try_from(at) else { break };
                let mut changes = code.changes_of(block).iter();
                if changes.any(|change| change.location == register && change.effect.counts()) {
                    let effect = LocationEffect::Bounded {
                        half: true,
                        steps: true,
                    };
                    found.push(LocationChange {
                        block,
                        location: register,
                        effect,
                    });
                }
            }
        }
    }
    code.changes.extend(found);
    code.changes.sort_unstable();
    code.changes.dedup();
}
