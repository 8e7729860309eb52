//! Where exceptions may go: the tables of call sites that the compiler writes for each function that cleans up or catches (LSDA,
//! "language-specific data area", of the C++ ABI for exceptions, section 7).

use crate::elf::Image;
use std::ops::Range;

/// Calls in this code may end in a landing pad.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LandingPad {
    pub(crate) calls: Range<u64>,
    pub(crate) pad: u64,
}

/// A pointer's encoding that says that there is none.
const OMITTED: u8 = 0xff;
const ABSOLUTE: u8 = 0x00;
const ULEB128: u8 = 0x01;
const DATA4: u8 = 0x03;
const RELATIVE_DATA4: u8 = 0x1b;

/// More than any table has.
const MOST_BYTES: usize = 1 << 20;

/// The landing pads of the function that begins at `function` and whose table is at `address`; `None` when it cannot be read.
pub(crate) fn landing_pads(image: &Image<'_>, address: u64, function: u64) -> Option<Vec<LandingPad>> {
    let bytes = image.bytes_from(address)?;
    let mut input = Input {
        bytes: &bytes[..bytes.len().min(MOST_BYTES)],
        at: 0,
        address,
    };
    let base = match input.byte()? {
        OMITTED => function,
        encoding => input.pointer(encoding)?,
    };
    if input.byte()? != OMITTED {
        // Where the table of types ends, which only says what is caught.
        input.uleb128()?;
    }
    let encoding = input.byte()?;
    let length = usize::try_from(input.uleb128()?).ok()?;
    let end = input.at.checked_add(length)?;
    let mut found = Vec::new();
    while input.at < end {
        let start = input.offset(encoding)?;
        let length = input.offset(encoding)?;
        let pad = input.offset(encoding)?;
        let _action = input.uleb128()?;
        if pad != 0 {
            let start = function.checked_add(start)?;
            found.push(LandingPad {
                calls: start..start.checked_add(length)?,
                pad: base.checked_add(pad)?,
            });
        }
    }
    (input.at == end).then_some(found)
}

struct Input<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Of the first byte.
    address: u64,
}

impl Input<'_> {
    fn byte(&mut self) -> Option<u8> {
        let byte = *self.bytes.get(self.at)?;
        self.at += 1;
        Some(byte)
    }

    fn data4(&mut self) -> Option<u32> {
        let bytes = self.bytes.get(self.at..self.at.checked_add(4)?)?;
        self.at += 4;
        Some(u32::from_le_bytes(bytes.try_into().ok()?))
    }

    fn uleb128(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..63).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }

    /// A distance from the start of the function.
    fn offset(&mut self, encoding: u8) -> Option<u64> {
        match encoding {
            ULEB128 => self.uleb128(),
            DATA4 => self.data4().map(u64::from),
            _ => None,
        }
    }

    fn pointer(&mut self, encoding: u8) -> Option<u64> {
        let place = self.address.checked_add(self.at as u64)?;
        match encoding {
            ABSOLUTE => {
                let (low, high) = (self.data4()?, self.data4()?);
                Some(u64::from(high) << 32 | u64::from(low))
            }
            ULEB128 => self.uleb128(),
            RELATIVE_DATA4 => {
                let distance = self.data4()?.cast_signed();
                place.checked_add_signed(distance.into())
            }
            _ => None,
        }
    }
}
