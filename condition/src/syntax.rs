//! Conditions as they are read, and as they are written.

use base::RankSet;
use std::fmt;

/// A condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// What it says.
    pub formula: Formula,
}

/// Facts, put together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Formula {
    /// One fact.
    Fact(Fact),
    /// It does not hold.
    Not(Box<Formula>),
    /// All of these hold; two or more.
    And(Vec<Formula>),
    /// One of these holds; two or more.
    Or(Vec<Formula>),
}

/// Something that is true of some ranks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// Of how many of whom.
    pub who: Who,
    /// What.
    pub what: What,
}

/// How many of which ranks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Who {
    /// So many of these, at least; 1 or more.
    AtLeast(u64, Ranks),
    /// All of these.
    All(Ranks),
}

/// Ranks of the world.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ranks {
    /// Those that the job has.
    Job,
    /// These, and no others.
    Set(RankSet),
}

/// What is said of a rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// It is in this call, for at least so many nanoseconds.
    In(Call, u64),
    /// It is in no call, for at least so many nanoseconds.
    Outside(u64),
    /// It has done something.
    Has {
        /// What.
        deed: Deed,
        /// So many times, at least; 1 or more.
        times: u64,
        /// Since what stands left of the fact holds.
        since: bool,
    },
}

/// A function of MPI.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Call {
    /// Any of them.
    Any,
    /// The one of this name (`MPI_Send`), or its form for large counts.
    Named(String),
}

impl Call {
    /// Whether this is the name of such a function.
    #[must_use]
    pub fn is(&self, name: &str) -> bool {
        match self {
            Self::Any => true,
            Self::Named(own) => name == own || name.strip_suffix("_c") == Some(own),
        }
    }
}

/// What a rank does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Deed {
    /// It begins to send a message, of this tag, to one of these.
    Sent(Option<i64>, Option<RankSet>),
    /// It has received a message, of this tag, from one of these.
    Received(Option<i64>, Option<RankSet>),
    /// It enters a call.
    Entered(Call),
    /// It leaves one.
    Left(Call),
}

impl Who {
    /// Whom it is about.
    #[must_use]
    pub fn ranks(&self) -> &Ranks {
        match self {
            Self::AtLeast(_, ranks) | Self::All(ranks) => ranks,
        }
    }
}

impl Ranks {
    /// Whether this rank is one of them.
    #[must_use]
    pub fn contain(&self, rank: u32) -> bool {
        match self {
            Self::Job => true,
            Self::Set(set) => set.contains(rank),
        }
    }
}

impl Condition {
    /// The facts, from left to right.
    #[must_use]
    pub fn facts(&self) -> Vec<&Fact> {
        let mut facts = Vec::new();
        let mut left = vec![&self.formula];
        while let Some(formula) = left.pop() {
            match formula {
                Formula::Fact(fact) => facts.push(fact),
                Formula::Not(inner) => left.push(inner),
                Formula::And(parts) | Formula::Or(parts) => left.extend(parts.iter().rev()),
            }
        }
        facts
    }

    /// Ranks that it asks about and a job of this size does not have.
    #[must_use]
    pub fn ranks_beyond(&self, size: u32) -> RankSet {
        let mut named = Vec::new();
        for fact in self.facts() {
            if let Ranks::Set(set) = fact.who.ranks() {
                named.push(set);
            }
            if let What::Has {
                deed: Deed::Sent(_, Some(set)) | Deed::Received(_, Some(set)),
                ..
            } = &fact.what
            {
                named.push(set);
            }
        }
        let of_job = RankSet::from_ranges(size.checked_sub(1).map(|last| (0, last)));
        RankSet::union(named).without(&of_job)
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.formula.fmt(f)
    }
}

impl fmt::Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let joined = |f: &mut fmt::Formatter<'_>, parts: &[Formula], word: &str| {
            for (at, part) in parts.iter().enumerate() {
                if at > 0 {
                    write!(f, " {word} ")?;
                }
                match part {
                    Self::Fact(_) | Self::Not(_) => write!(f, "{part}")?,
                    Self::And(_) | Self::Or(_) => write!(f, "({part})")?,
                }
            }
            Ok(())
        };
        match self {
            Self::Fact(fact) => fact.fmt(f),
            Self::Not(inner) => match &**inner {
                Self::Fact(_) | Self::Not(_) => write!(f, "not {inner}"),
                Self::And(_) | Self::Or(_) => write!(f, "not ({inner})"),
            },
            Self::And(parts) => joined(f, parts, "and"),
            Self::Or(parts) => joined(f, parts, "or"),
        }
    }
}

impl fmt::Display for Fact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.who, self.what)
    }
}

impl fmt::Display for Who {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AtLeast(1, Ranks::Job) => f.write_str("any rank"),
            Self::AtLeast(1, Ranks::Set(set)) => write!(f, "any of {set}"),
            Self::AtLeast(many, Ranks::Job) => write!(f, "{many} ranks"),
            Self::AtLeast(many, Ranks::Set(set)) => write!(f, "{many} of {set}"),
            Self::All(Ranks::Job) => f.write_str("all ranks"),
            Self::All(Ranks::Set(set)) if set.len() == 1 => write!(f, "rank {set}"),
            Self::All(Ranks::Set(set)) => write!(f, "ranks {set}"),
        }
    }
}

impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lasting = |f: &mut fmt::Formatter<'_>, nanoseconds: u64| match nanoseconds {
            0 => Ok(()),
            nanoseconds => write!(f, " for {nanoseconds}ns"),
        };
        match self {
            Self::In(call, least) => {
                write!(f, "in {call}")?;
                lasting(f, *least)
            }
            Self::Outside(least) => {
                f.write_str("outside")?;
                lasting(f, *least)
            }
            Self::Has { deed, times, since } => {
                write!(f, "has {deed}")?;
                if *times > 1 {
                    write!(f, " {times} times")?;
                }
                if *since {
                    f.write_str(" since")?;
                }
                Ok(())
            }
        }
    }
}

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Any => "MPI",
            Self::Named(name) => name,
        })
    }
}

impl fmt::Display for Deed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let message = |f: &mut fmt::Formatter<'_>, tag: &Option<i64>, word: &str, peers: &Option<RankSet>| {
            if let Some(tag) = tag {
                write!(f, " tag {tag}")?;
            }
            if let Some(peers) = peers {
                write!(f, " {word} {peers}")?;
            }
            Ok(())
        };
        match self {
            Self::Sent(tag, to) => {
                f.write_str("sent")?;
                message(f, tag, "to", to)
            }
            Self::Received(tag, from) => {
                f.write_str("received")?;
                message(f, tag, "from", from)
            }
            Self::Entered(call) => write!(f, "entered {call}"),
            Self::Left(call) => write!(f, "left {call}"),
        }
    }
}
