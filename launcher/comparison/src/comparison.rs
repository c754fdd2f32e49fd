//! Two sides, noun by noun.

use std::fmt;

use shim_options::class_filter::ClassFilter;

use crate::judge::judge;
use crate::observed::Observed;
use crate::program::program;
use crate::rules::RULES;
use crate::side::{Setup, Side, Sides};
use crate::verdict::Verdict;

/// What comes out.
#[derive(Debug)]
pub struct Comparison {
    /// The agent that speaks JVMPI, and the port.
    pub agents: [String; 2],
    /// As in [`Wish`].
    pub strict: bool,
    /// What has to be known of the recordings.
    pub notes: Vec<String>,
    /// One for each rule.
    pub verdicts: Vec<Verdict>,
}

impl Comparison {
    /// Whether the port has not seen what the agent saw.
    #[must_use]
    pub fn differs(&self) -> bool {
        self.verdicts.iter().any(|it| self.is_failure(it))
    }

    /// Whether this is one of the verdicts that say so.
    #[must_use]
    pub fn is_failure(&self, verdict: &Verdict) -> bool {
        verdict.outcome.is_difference() || self.strict && verdict.unseen
    }
}

/// How the user wants it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wish<'a> {
    /// The port, where there are several.
    pub agent: Option<&'a str>,
    /// Recordings of different programs are all right.
    pub force: bool,
    /// What the old agent has and the port has not is a difference, also where nothing can be
    /// compared.
    pub strict: bool,
}

/// Why nothing can be compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wrong {
    /// The first recording has no agent that speaks JVMPI.
    NoOld,
    /// The second, or only, recording has no agent that speaks JVMTI.
    NoPort,
    /// It has several, of which one has to be named.
    Ports(Vec<String>),
    /// The one that was named is not among these.
    NoSuchPort(Vec<String>),
    /// The recordings are of these programs.
    Programs(String, String),
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoOld => f.write_str(
                "there is no agent that speaks JVMPI in it: record the old one with xrun trace -o old.rec java -Xrunfoo App",
            ),
            Self::NoPort => f.write_str(
                "there is no agent that speaks JVMTI in it: record the port with xrun trace -o new.rec java -agentpath:/path/libport.so App",
            ),
            Self::Ports(names) => write!(
                f,
                "several agents speak JVMTI in it: --agent says which ({})",
                names.join(", ")
            ),
            Self::NoSuchPort(names) => {
                write!(f, "no such agent speaks JVMTI in it: there is {}", names.join(", "))
            }
            Self::Programs(old, new) => write!(
                f,
                "the recordings are of different programs, {old} and {new}: record the same one twice, or --force compares all the same"
            ),
        }
    }
}

/// Compares what the old agent saw with what the port saw; both are in one recording if there is
/// no second.
///
/// # Errors
/// If a side is missing, or the programs are not the same and `wish` does not say that this is
/// all right.
pub fn compare(
    first: &Observed,
    second: Option<&Observed>,
    wish: Wish<'_>,
) -> Result<Comparison, Wrong> {
    let old = first.old.as_ref().ok_or(Wrong::NoOld)?;
    let last = second.unwrap_or(first);
    let (name, new) = port(last, wish.agent)?;
    let mut notes = Vec::new();
    if let Some(second) = second {
        programs(first, second, wish.force, &mut notes)?;
        if first.header.vm != second.header.vm {
            notes.push(format!(
                "The VMs are not the same: {} and {}.",
                first.header.vm, second.header.vm
            ));
        }
    }
    for (observed, which) in std::iter::once((first, "old")).chain(second.map(|it| (it, "new"))) {
        if let Some(why) = &observed.cut_off {
            let which = if second.is_some() { which } else { "only" };
            notes.push(format!(
                "The {which} recording was cut off ({why}): compared is what there is, and what came later counts as not seen."
            ));
        }
    }
    let settings = format!(
        "{},{}",
        first.header.settings,
        first.header.options.as_deref().unwrap_or_default()
    );
    for noun in &new.setup.no_nouns {
        notes.push(format!(
            "The port says that it saw `{noun}`, which is no noun that it can say: xrun_saw.h has them."
        ));
    }
    if new.setup.heard_again > 0 {
        notes.push(format!(
            "The port has several environments, which heard of {} events twice: here each counts once; see that the port counts them so.",
            new.setup.heard_again
        ));
    }
    notes.extend(beside(&old.setup));
    let chosen = chosen(&first.header.settings);
    let sides = Sides {
        old,
        new,
        in_one: second.is_none(),
        settings: &settings,
        chosen: &chosen,
    };
    let old_name = match first.header.agent.as_str() {
        "" => "the old agent".to_owned(),
        path => path.rsplit('/').next().unwrap_or(path).to_owned(),
    };
    Ok(Comparison {
        agents: [old_name, name.to_owned()],
        strict: wish.strict,
        notes,
        verdicts: RULES.iter().map(|rule| judge(rule, sides)).collect(),
    })
}

/// What the old agent was told of that no noun compares.
fn beside(old: &Setup) -> Option<String> {
    let events = old.beside.iter();
    let events: Vec<String> = events
        .map(|(kind, times)| format!("{kind} ({times})"))
        .collect();
    (!events.is_empty()).then(|| {
        format!(
            "The old agent was also told of {}, which no noun here compares: `xrun report` says what JVMTI has for them.",
            events.join(", ")
        )
    })
}

/// The old side's include= and exclude=.
fn chosen(settings: &str) -> ClassFilter {
    let mut filter = ClassFilter::default();
    for word in settings.split(',') {
        let _ = match word.split_once('=') {
            Some(("include", list)) => filter.include(list),
            Some(("exclude", list)) => filter.exclude(list),
            Some(_) | None => None,
        };
    }
    filter
}

/// Of -javaagent and of debuggers: beside a port of one's own it is not what is meant.
fn is_of_the_jdk(library: &str) -> bool {
    matches!(library, "libinstrument.so" | "libjdwp.so")
}

fn port<'a>(observed: &'a Observed, agent: Option<&str>) -> Result<(&'a str, &'a Side), Wrong> {
    let names = || observed.ports.keys().cloned().collect::<Vec<_>>();
    let mut ports = observed.ports.iter();
    let found = match agent {
        Some(agent) => ports.find(|(name, _)| {
            let plain = name
                .strip_prefix("lib")
                .and_then(|it| it.strip_suffix(".so"));
            *name == agent || plain == Some(agent)
        }),
        None => {
            let mut all = ports.clone();
            let only = all.next().filter(|_| all.next().is_none());
            let mut vendors = ports.filter(|(name, _)| !is_of_the_jdk(name));
            let vendor = vendors.next().filter(|_| vendors.next().is_none());
            let several = observed.ports.len() > 1;
            match only.or(vendor) {
                None if several => return Err(Wrong::Ports(names())),
                found => found,
            }
        }
    };
    match found {
        Some((name, side)) => Ok((name, side)),
        None if observed.ports.is_empty() => Err(Wrong::NoPort),
        None => Err(Wrong::NoSuchPort(names())),
    }
}

fn programs(
    first: &Observed,
    second: &Observed,
    force: bool,
    notes: &mut Vec<String>,
) -> Result<(), Wrong> {
    let both = [first, second].map(|it| program(&it.header.command));
    let [Some((old, old_words)), Some((new, new_words))] = both else {
        return Ok(());
    };
    if old != new {
        if !force {
            return Err(Wrong::Programs(old, new));
        }
        notes.push(format!("The programs are not the same: {old} and {new}."));
    } else if old_words != new_words {
        notes.push(format!(
            "{old} was run with other words behind it: `{old_words}` and `{new_words}`."
        ));
    }
    Ok(())
}
