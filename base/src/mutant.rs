//! Deliberate faults of the order, to test the tests.
//!
//! A check that has never caught anything proves nothing. Each [`Mutant`] is one way in which a rule of `dataflow`, `lov` or
//! `progress` is easily got wrong; the execution oracle must catch every one of them (`tests/tests/order_mutants.rs`).
//! They exist in builds with debug assertions only, as those that tests run are: in a release build [`on`] is a constant and the compiler removes what it
//! guards.

macro_rules! mutants {
    ($($(#[$meta:meta])* $name:ident = $word:literal,)+) => {
        /// A rule that is broken on purpose.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Mutant {
            $($(#[$meta])* $name,)+
        }

        impl Mutant {
            /// All of them.
            pub const ALL: &[Mutant] = &[$(Mutant::$name,)+];

            /// The name by which it is switched on.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Mutant::$name => $word,)+
                }
            }
        }
    };
}

mutants! {
    /// A loop is cut at its header although a variable's equal values mean an epoch, which may span the header.
    HeaderCutsEpoch = "header-cuts-epoch",
    /// On the line of a `for` header the variable is believed, before its start is set too.
    ForHeaderTrusted = "for-header-trusted",
    /// A variable that some cycles leave as it is counts as strict.
    WeakIsStrict = "weak-is-strict",
    /// A weak variable is compared across tasks whatever guards its update.
    WeakAcrossTasks = "weak-across-tasks",
    /// Whether an update happens on every path is not asked.
    ConditionalIsUnconditional = "conditional-is-unconditional",
    /// A loop that no variable decides is passed over.
    MissingVariableSkipped = "missing-variable-skipped",
    /// Values that count from different starts are compared as they are.
    StartNotSubtracted = "start-not-subtracted",
    /// The change since the header is not taken away.
    ChangeNotSubtracted = "change-not-subtracted",
    /// Who stands on the line of an update has not made it.
    UpdateLineIsBefore = "update-line-is-before",
    /// The condition of a `do` loop stands before its body.
    DoConditionFirst = "do-condition-first",
    /// Of several calls on a position the first is taken.
    FirstCallTaken = "first-call-taken",
    /// Of several points on an innermost position the first is taken.
    FirstPointTaken = "first-point-taken",
    /// The column of a call excludes the calls in its arguments.
    NestedCallExcluded = "nested-call-excluded",
    /// What a callee changes is not seen.
    CalleeUpdateIgnored = "callee-update-ignored",
    /// What changes through an address is not seen.
    AddressIgnored = "address-ignored",
    /// A static variable belongs to one call of its function.
    StaticIsLocal = "static-is-local",
    /// A name means the loop's variable wherever it was read.
    ShadowIgnored = "shadow-ignored",
    /// One case of a `switch` never runs into the next.
    FallthroughCut = "fallthrough-cut",
    /// `goto` leads forward only.
    GotoBackIgnored = "goto-back-ignored",
    /// What leaves a loop from inside belongs to no iteration.
    WaysOutOutside = "ways-out-outside",
    /// The innermost frames that both have decide, whatever the outer ones say.
    InnerFramesFirst = "inner-frames-first",
    /// A point is passed once with one value, whatever leads back to it.
    RecurrenceIgnored = "recurrence-ignored",
    /// Operands are evaluated from left to right.
    OperandsInOrder = "operands-in-order",
    /// A floating-point sum always grows.
    AbsorptionIgnored = "absorption-ignored",
    /// A product grows from any start.
    ZeroGrows = "zero-grows",
    /// A narrow variable never wraps around.
    WrapIgnored = "wrap-ignored",
    /// A call that may run before or after the update shows the value after it.
    OpenUpdateTrusted = "open-update-trusted",
}

/// Whether `mutant` is switched on: never, in this build.
#[cfg(not(debug_assertions))]
#[must_use]
pub const fn on(_mutant: Mutant) -> bool {
    false
}

/// Whether any mutant is switched on: never, in this build.
#[cfg(not(debug_assertions))]
#[must_use]
pub const fn any_is_on() -> bool {
    false
}

#[cfg(debug_assertions)]
pub use switch::{any_is_on, on, switch_on};

#[cfg(debug_assertions)]
mod switch {
    use super::Mutant;
    use std::sync::OnceLock;

    static ACTIVE: OnceLock<Mutant> = OnceLock::new();

    /// Whether `mutant` is switched on.
    #[must_use]
    pub fn on(mutant: Mutant) -> bool {
        ACTIVE.get() == Some(&mutant)
    }

    /// Whether any mutant is switched on.
    #[must_use]
    pub fn any_is_on() -> bool {
        ACTIVE.get().is_some()
    }

    /// Switches the mutant of that name on, for the rest of the process. False when there is none, or another one is on.
    pub fn switch_on(name: &str) -> bool {
        let found = Mutant::ALL.iter().find(|mutant| mutant.name() == name);
        found.is_some_and(|&mutant| ACTIVE.set(mutant).is_ok())
    }
}
