//! The order: one comparison, and very many tasks.

use crate::least;
use crate::program::{self, Spread};
use progress::{Located, Order, Relation, classify};

/// Comparisons per measurement.
const PAIRS: u32 = 1_000_000;

/// Prints the table.
pub fn print() {
    let map = program::map();
    let order = Order::new(&map);
    println!("\nThe order, one thread\n");
    println!("{:<44} {:>10} {:>14}", "", "time", "");
    for (spread, words) in [
        (Spread::Few, "a few tasks behind"),
        (Spread::Own, "every task in its own iteration"),
    ] {
        let points = program::tasks(100_000, spread);
        let (locating, located) = least(|| {
            points
                .iter()
                .map(|point| order.locate(point))
                .collect::<Vec<Located>>()
        });
        let (comparing, decided) = least(|| compare(&order, &located));
        println!(
            "{:<44} {:>7.0} ns   {:.0} % decided",
            format!("compare, per pair ({words})"),
            comparing.as_secs_f64() * 1e9 / f64::from(PAIRS),
            f64::from(decided) * 100.0 / f64::from(PAIRS),
        );
        println!(
            "{:<44} {:>7.0} ms",
            "  look up 100,000 stacks in the map",
            locating.as_secs_f64() * 1e3
        );
        let (ordering, classes) = least(|| classify(&order, &located));
        println!(
            "{:<44} {:>7.0} ms   {} classes, {} hindmost",
            "  100,000 tasks into ordered classes",
            ordering.as_secs_f64() * 1e3,
            classes.classes.len(),
            classes.hindmost().len(),
        );
    }
}

/// Compares many pairs and counts those that have an order.
fn compare(order: &Order<'_>, located: &[Located]) -> u32 {
    let count = located.len() as u32;
    let mut decided = 0;
    for pair in 0..PAIRS {
        let (a, b) = (pair % count, pair.wrapping_mul(48_271) % count);
        let verdict = order.compare(&located[a as usize], &located[b as usize]);
        decided += u32::from(verdict.relation != Relation::Unknown);
    }
    decided
}
