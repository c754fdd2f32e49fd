//! One run.

use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};

use agent_host::Agent;
use arena_models::Kind;
use parking_lot::{Condvar, Mutex};
use recording_format::{Recording, Value, What};
use terminal_text::raw_text;

use crate::aside::{self, Terminal};
use crate::lane::Seen;
use crate::other_arenas;
use crate::place::{Frame, pop, push};
use crate::player::Player;
use crate::script::Cause;

static PLAYER: OnceLock<Player> = OnceLock::new();

/// How a replay went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// What happened, in one line.
    pub summary: String,
    /// What was not as in the recording.
    pub differences: Vec<Difference>,
    /// The recording goes on to the VM's end.
    pub has_end: bool,
}

/// So often something was not as in the recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// One of [`DIFFERENCES`].
    pub kind: &'static str,
    /// How often.
    pub count: u64,
}

/// A recording that was not played to its end.
pub const NOT_REACHED: &str = "not-reached";

/// What can be another, by its id and in words that a number stands before. But for the last,
/// it is something that the agent did.
pub const DIFFERENCES: [(&str, &str); 5] = [
    (
        "answered-elsewhere",
        "answered from another place of the recording",
    ),
    (
        "not-recorded",
        "not in the recording (failure, or nothing done)",
    ),
    (
        "not-enabled",
        "events not played, for the agent never enabled them",
    ),
    ("left-out", "records left out, for the agent did not ask"),
    (
        NOT_REACHED,
        "records not reached, for a thread waits for what does not come",
    ),
];

/// Whether JVM_OnLoad has returned, and what.
type Loaded = Arc<(Mutex<Option<i32>>, Condvar)>;

/// Plays a recording into an agent; `None` as options takes the recorded ones, as a
/// collector the one that was recorded. On the `terminal` there is room before the agent is told of what agents
/// report at, and before the exit handlers that its JVM_OnLoad has asked for. One replay for each
/// process: agents have static data.
///
/// # Errors
/// One line, if the agent cannot be loaded or refuses to start.
pub fn replay(
    recording: Recording<'static>,
    agent: &Path,
    options: Option<Option<String>>,
    arenas: Option<Kind>,
    terminal: Terminal,
) -> Result<Outcome, String> {
    aside::set(terminal);
    let options = options.unwrap_or_else(|| recording.header.options.clone());
    let options = options.map(|options| raw_text::encode(&options));
    let recording = match arenas {
        None => recording,
        Some(kind) => other_arenas::of(&recording, kind)?,
    };
    // Threads of the agent may outlive everything.
    let player = PLAYER.get_or_init(|| Player::new(Box::leak(Box::new(recording))));
    agent_host::install(player);
    agent_host::prepare_envs(player.script.envs.iter().copied());
    let agent = Agent::open(agent)?;
    let loaded = Loaded::default();
    let (first, _) = player.script.on_load;
    let mut options = Some(options);
    for (thread, lane) in player.script.threads.iter().enumerate() {
        if lane.cause == Cause::Agent && thread != first {
            continue;
        }
        let options = (thread == first).then(|| options.take()).flatten();
        let loaded = Arc::clone(&loaded);
        let name = format!("t{}", lane.number);
        let body = move || play_lane(player, thread, agent, options, &loaded);
        let started = std::thread::Builder::new().name(name).spawn(body);
        started.map_err(|error| format!("no thread can be made: {error}"))?;
    }
    if player.script.threads.is_empty() {
        return Err("nothing was recorded".to_owned());
    }
    match wait_for(&loaded) {
        0 => {}
        code => return Err(format!("the agent's JVM_OnLoad failed ({code})")),
    }
    player.wait_for_end();
    Ok(outcome(player))
}

fn wait_for(loaded: &Loaded) -> i32 {
    let (code, wake) = &**loaded;
    let mut guard = code.lock();
    loop {
        if let Some(code) = *guard {
            return code;
        }
        wake.wait(&mut guard);
    }
}

fn play_lane(
    player: &'static Player,
    thread: usize,
    agent: Agent,
    options: Option<Option<Vec<u8>>>,
    loaded: &Loaded,
) {
    player.bind(thread);
    let mut place = 0;
    if let Some(options) = options {
        place = load(player, agent, options, loaded);
    } else {
        wait_for(loaded);
    }
    loop {
        place = player.kept(thread, place);
        let Some(Seen { node, end }) = player.at(thread, place) else {
            return;
        };
        let next = end.max(place).saturating_add(1);
        match &node.what {
            What::Event { .. } => {
                player.play_event(thread, place);
            }
            What::Run { values, .. } => run(player, thread, place, end, values),
            // What an agent that speaks JVMTI did is nobody's to play.
            What::Call { .. }
            | What::Unsent { .. }
            | What::JvmtiEvent { .. }
            | What::JvmtiCall { .. }
            | What::Defined { .. }
            | What::Leave { .. } => {}
        }
        place = next;
    }
}

/// Calls JVM_OnLoad; where the thread's list goes on.
fn load(player: &'static Player, agent: Agent, options: Option<Vec<u8>>, loaded: &Loaded) -> usize {
    let (thread, until) = player.script.on_load;
    let result = std::cell::Cell::new(0);
    let call = || result.set(agent.load(options));
    player.note_busy(thread, until);
    match player.at(thread, 0) {
        Some(seen) if matches!(seen.node.what, What::Run { .. }) => {
            player.wait_turn(thread, 0);
            player.answer(thread, 0);
            player.inside(thread, 0, seen.end, call);
        }
        _ => {
            push(Frame::new(0, until, false));
            call();
            if let Some(frame) = pop() {
                player.skip(thread, frame.next, until);
            }
        }
    }
    aside::step_at_exit();
    player.set_loaded();
    let (code, wake) = &**loaded;
    *code.lock() = Some(result.get());
    wake.notify_all();
    until
}

/// A system thread's function.
fn run(
    player: &'static Player,
    thread: usize,
    place: usize,
    end: usize,
    values: &[Value<'static>],
) {
    player.wait_turn(thread, place);
    let recorded = values.first().and_then(Value::id).unwrap_or(0);
    player.answer(thread, place);
    player.note_busy(thread, end);
    player.inside(thread, place, end, || {
        // An agent that has not asked for the thread has no function for it.
        agent_host::run_system_thread(recorded);
    });
}

fn outcome(player: &Player) -> Outcome {
    let counts = &player.counts;
    // Relaxed: counts, of threads that have been waited for under the player's lock.
    let get = |count: &std::sync::atomic::AtomicU64| count.load(Ordering::Relaxed);
    let (events, calls) = (get(&counts.events), get(&counts.calls));
    let mut summary = format!("{events} events played, {calls} calls answered as recorded");
    let early = get(&counts.early);
    if early > 0 {
        summary.push_str(&format!(", {early} of them in another order"));
    }
    let found = [
        get(&counts.elsewhere),
        get(&counts.unknown),
        get(&counts.unwanted),
        get(&counts.skipped),
        u64::try_from(player.not_reached()).unwrap_or(u64::MAX),
    ];
    let mut differences = Vec::new();
    for ((kind, what), count) in DIFFERENCES.into_iter().zip(found) {
        if count > 0 {
            summary.push_str(&format!("; {count} {what}"));
            differences.push(Difference { kind, count });
        }
    }
    let orphans = player.orphans();
    if orphans > 0 {
        summary.push_str(&format!(
            "; {orphans} calls outside of handlers, which native methods of the program made"
        ));
    }
    Outcome {
        summary,
        differences,
        has_end: player.script.has_end,
    }
}
