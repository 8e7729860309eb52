use super::{Calls, Cut, Cutter, Known, NoCalls};
use crate::traces::Step;
use calltrace::{Event, Function};
use std::ops::RangeInclusive;

const NAMES: [&str; 4] = ["main", "step(int)", "sweep", "ns::sweep"];

fn calls(function: &str, numbers: RangeInclusive<u64>) -> Option<Calls> {
    Some(Calls {
        function: function.to_owned(),
        numbers,
    })
}

/// A call of a made-up trace, with the places of its events.
struct Whole {
    function: usize,
    begins: usize,
    ends: usize,
}

/// SplitMix64.
struct Rng(u64);

impl Rng {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) % bound
    }
}

fn random(rng: &mut Rng) -> (Vec<Event>, Vec<Whole>) {
    let (mut events, mut calls, mut open) = (Vec::new(), Vec::<Whole>::new(), Vec::new());
    for at in 0..60 {
        if open.len() < 6 && (open.is_empty() || rng.below(5) < 3) {
            let function = rng.below(NAMES.len() as u64) as usize;
            open.push(calls.len());
            calls.push(Whole {
                function,
                begins: at,
                ends: usize::MAX,
            });
            events.push(Event::Enter(Function::new(function as u32 + 1).unwrap()));
        } else {
            calls[open.pop().unwrap()].ends = at;
            events.push(Event::Exit);
        }
    }
    (events, calls)
}

/// By definition, one call at a time, with all calls at hand.
fn is_kept(call: &Whole, all: &[Whole], cut: &Cut, only: Option<usize>) -> bool {
    let is_of = |call: &Whole, calls: &Calls| {
        let name = NAMES[call.function];
        name.split('(').next() == Some(calls.function.as_str()) || name == calls.function
    };
    let contains = |outer: &Whole, inner: &Whole| outer.begins <= inner.begins && inner.begins < outer.ends;
    let so_far = |calls: &Calls| {
        let before = all.iter().filter(|other| other.begins <= call.begins);
        before.filter(|other| is_of(other, calls)).count() as u64
    };
    let within = cut.within.as_ref().is_none_or(|calls| {
        let of_function = all.iter().filter(|other| is_of(other, calls));
        let of_function = Vec::from_iter(of_function);
        let is_outermost = |one: &&&Whole| {
            let mut others = of_function.iter();
            !others.any(|other| other.begins != one.begins && contains(other, one))
        };
        let outermost = of_function.iter().filter(is_outermost);
        let mut numbered = outermost.zip(1_u64..);
        numbered.any(|(outer, number)| calls.numbers.contains(&number) && contains(outer, call))
    });
    within
        && cut
            .from
            .as_ref()
            .is_none_or(|calls| so_far(calls) >= *calls.numbers.start())
        && cut
            .until
            .as_ref()
            .is_none_or(|calls| so_far(calls) < *calls.numbers.start())
        && only.is_none_or(|left_out| call.function != left_out)
}

#[test]
fn a_piece_is_what_its_definition_says() {
    let mut rng = Rng(7);
    let (mut kept, mut left_out) = (0, 0);
    for _ in 0..3_000 {
        let (events, all) = random(&mut rng);
        let some = |rng: &mut Rng| {
            let first = 1 + rng.below(4);
            let names = ["main", "step", "step(int)", "sweep", "ns::sweep"];
            let named = names[rng.below(5) as usize];
            calls(named, first..=first + rng.below(3)).filter(|_| rng.below(2) == 0)
        };
        let cut = Cut {
            within: some(&mut rng),
            from: some(&mut rng),
            until: some(&mut rng),
        };
        let only = Some(rng.below(8) as usize).filter(|&function| function < NAMES.len());
        let known = NAMES.iter().enumerate().map(|(function, name)| Known {
            number: if only == Some(function) {
                0
            } else {
                function as u32 + 1
            },
            marks: cut.marks(name),
        });
        let known = Vec::from_iter(known);
        let mut cutter = Cutter::new(&cut, &known);
        for (at, &event) in events.iter().enumerate() {
            let call = all.iter().find(|call| call.begins == at || call.ends == at);
            let call = call.unwrap();
            let expected = is_kept(call, &all, &cut, only).then(|| match event {
                Event::Enter(function) => Step::Enter(function.number()),
                Event::Exit => Step::Exit,
            });
            assert_eq!(cutter.step(event), expected, "event {at} of {events:?}, {cut:?}");
            match expected {
                Some(_) => kept += 1,
                None => left_out += 1,
            }
        }
    }
    assert!(kept > 10_000 && left_out > 10_000, "{kept} and {left_out}");
}

#[test]
fn calls_are_named_by_function_and_numbers() {
    let all = 1..=u64::MAX;
    let named = |text: &str| Calls::parse(text, all.clone()).ok();
    assert_eq!(named("step"), calls("step", all.clone()));
    assert_eq!(named("step:41"), calls("step", 41..=41));
    assert_eq!(named("ns::step:2-7"), calls("ns::step", 2..=7));
    assert_eq!(named("ns::step"), calls("ns::step", all.clone()));
    assert_eq!(named("MPI_Send"), calls("MPI_Send", all.clone()));
    for (text, why) in [
        ("", NoCalls::NoName),
        (":3", NoCalls::NoName),
        ("step:0", NoCalls::Numbers),
        ("step:4-3", NoCalls::Numbers),
        ("step:4-", NoCalls::Numbers),
        ("step:4x", NoCalls::Numbers),
    ] {
        assert_eq!(Calls::parse(text, all.clone()), Err(why), "{text}");
    }
}
