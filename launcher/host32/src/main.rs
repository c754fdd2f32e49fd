//! `xrun-host32`: to a 32-bit agent the JVM of its day, to `libjvmpi.so` in a 64-bit JVM the agent.
//!
//! Nobody calls it by hand: `libjvmpi.so` starts it with its own process number, the numbers of two
//! descriptors that are handed down (the memory that both have, and a pipe that ends when the JVM does), and the
//! agent's library. A word behind those is its own ([`stacks`]).
//!
//! # Threads
//! The main thread makes a mirror for each thread of the JVM that has an event, and runs the agent's
//! exit handlers in the end. Threads of the agent's own get a lane when they first call JVMPI.

mod answers;
mod cancellation;
mod cpu_clock;
mod mirror;
mod mirror_thread;
mod own;
mod process;
mod stacks;
mod thread_end;

use std::io::Write as _;
use std::path::PathBuf;
use std::sync::OnceLock;

use agent_host::Agent;
use lanes::{Mapped, State};

/// What 32-bit JVMs gave their threads; 2000 of them fit into 32 bits.
const STACK: usize = 512 << 10;
/// JVM_OnLoad ran on the program's first thread, which has as much as a process has: what a kernel gives by itself.
const FIRST_STACK: usize = 8 << 20;

static REGION: OnceLock<Mapped> = OnceLock::new();
static AGENT: OnceLock<Agent> = OnceLock::new();

fn main() {
    let mut words = std::env::args_os().skip(1);
    let mut number = || words.next()?.into_string().ok()?.parse().ok();
    let (pid, memory, pipe) = (number(), number(), number());
    let (Some(pid), Some(memory), Some(pipe), Some(library)) = (pid, memory, pipe, words.next())
    else {
        say("it is started by libjvmpi.so, for an agent of 32 bits");
        process::exit(2);
    };
    process::close_what_is_the_programs(&[memory, pipe]);
    let is_second_try = stacks::put_back(words.next());
    let open = |memory| Ok((Mapped::open(&process::file(memory))?, memory));
    let (region, memory) = match process::inherited(memory).and_then(open) {
        Ok((region, memory)) => (*REGION.get_or_init(|| region), memory),
        Err(error) => {
            say(&format!("the JVM's memory cannot be had: {error}"));
            process::exit(2);
        }
    };
    let pipe = match process::inherited(pipe) {
        Ok(pipe) => pipe,
        Err(error) => fail(region, &format!("the JVM cannot be watched: {error}")),
    };
    process::end_with(pid, pipe);
    // A mirror that ended alone would leave its thread of the JVM's waiting.
    std::panic::set_hook(Box::new(|panic| process::give_up(&panic.to_string())));
    process::leave_signals_to_the_jvm();
    process::note_forks();
    agent_host::install(&answers::Vm);
    match Agent::open(&PathBuf::from(&library)) {
        Ok(agent) => drop(AGENT.set(agent)),
        Err(reason) => {
            if !is_second_try {
                stacks::try_again(&reason, pid, [memory, pipe]);
            }
            fail(region, &format!("agent library {reason}"))
        }
    }
    region.set_state(State::Ready);
    let mut stack = FIRST_STACK;
    loop {
        let seen = region.bell();
        while let Some(number) = region.wanted() {
            if !mirror_thread::make(number, stack) {
                process::give_up("no thread can be made for one of the JVM's");
            }
            stack = STACK;
        }
        if matches!(region.state(), State::Ending | State::Left) {
            process::exit(0);
        }
        region.wait_bell(seen);
    }
}

fn region() -> Option<&'static Mapped> {
    REGION.get()
}

/// One line on stderr.
fn say(what: &str) {
    let _ = std::io::stderr().write_all(format!("xrun-host32: {what}\n").as_bytes());
}

fn fail(region: Mapped, what: &str) -> ! {
    say(what);
    region.fail();
    process::exit(2)
}
