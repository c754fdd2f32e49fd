//! `net=`: commands from the program at the other end (facts E.5). It needs no password, and
//! one message of nine bytes ends the VM; `commands=n` starts no thread that would read it.

use std::io::{self, Read as _};
use std::net::TcpStream;
use std::sync::atomic::Ordering;

use jvmpi_headers::jvmpi::JVMPI_EVENT_OBJECT_ALLOC;

use crate::agent::Agent;
use crate::ascii::SitesBy;
use crate::dump;
use crate::ffi::host;
use crate::output::Tables;
use crate::peer;
use crate::snapshot::Parts;

mod command {
    pub(super) const COLLECT: u8 = 1;
    pub(super) const DUMP_HEAP: u8 = 2;
    pub(super) const ALLOC_SITES: u8 = 3;
    pub(super) const HEAP_SUMMARY: u8 = 4;
    pub(super) const EXIT: u8 = 5;
    pub(super) const DUMP_TRACES: u8 = 6;
    pub(super) const CPU_SAMPLES: u8 = 7;
    pub(super) const CONTROL: u8 = 8;
}

/// A command that is longer is none.
const LONGEST: usize = 64;

/// The thread's body: until the other end is gone.
pub(crate) fn run(agent: &'static Agent) {
    let stream = agent.output.lock().peer();
    if let Some(mut stream) = stream {
        while let Ok((command, body)) = read(&mut stream) {
            // The last dump is not to wait for one that is asked for now.
            if peer::ends() {
                return;
            }
            obey(agent, command, &body);
        }
    }
}

fn read(peer: &mut TcpStream) -> io::Result<(u8, Vec<u8>)> {
    // Tag, the number of the command, the length of its body.
    let mut head = [0; 9];
    peer.read_exact(&mut head)?;
    let [command, _, _, _, _, length @ ..] = head;
    let length = usize::try_from(u32::from_be_bytes(length)).unwrap_or(usize::MAX);
    if length > LONGEST {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let mut body = vec![0; length];
    peer.read_exact(&mut body)?;
    Ok((command, body))
}

fn u2(body: &[u8], at: usize) -> Option<u16> {
    let bytes = body.get(at..)?.first_chunk()?;
    Some(u16::from_be_bytes(*bytes))
}

/// A share as the bits of a float.
fn ratio(body: &[u8]) -> f64 {
    let bits = body.get(2..).and_then(|rest| rest.first_chunk());
    let ratio = bits.map_or(0.0, |bits| f32::from_bits(u32::from_be_bytes(*bits)));
    if ratio.is_finite() {
        f64::from(ratio)
    } else {
        0.0
    }
}

fn obey(agent: &'static Agent, command: u8, body: &[u8]) {
    const BY_ALLOCATION: u16 = 2;
    const COLLECT_FIRST: u16 = 4;
    let flags = u2(body, 0).unwrap_or(0);
    let tables = Tables {
        cutoff: ratio(body),
        by: if flags & BY_ALLOCATION != 0 {
            SitesBy::Allocated
        } else {
            SitesBy::Live
        },
    };
    match command {
        command::COLLECT => host::collect(),
        command::DUMP_HEAP => dump::heap_on_command(agent),
        command::ALLOC_SITES => {
            if flags & COLLECT_FIRST != 0 {
                host::collect();
            }
            dump::some(
                agent,
                Parts {
                    cpu: false,
                    sites: true,
                    locks: false,
                },
                tables,
            );
        }
        command::HEAP_SUMMARY => dump::summary(agent),
        command::EXIT => host::exit(0),
        command::DUMP_TRACES => dump::traces(agent),
        command::CPU_SAMPLES => {
            dump::some(
                agent,
                Parts {
                    cpu: true,
                    sites: false,
                    locks: false,
                },
                tables,
            );
        }
        command::CONTROL => control(agent, flags, body),
        _ => {}
    }
}

fn control(agent: &Agent, what: u16, body: &[u8]) {
    match what {
        1 => {
            host::enable(JVMPI_EVENT_OBJECT_ALLOC);
        }
        2 => host::disable(JVMPI_EVENT_OBJECT_ALLOC),
        // The thread that follows is all threads here.
        3 => agent.samples.pause(false),
        4 => agent.samples.pause(true),
        5 => agent.samples.clear(),
        6 => agent.sites.clear(),
        7 => {
            if let Some(depth) = u2(body, 2) {
                // Relaxed: see there.
                agent.depth.store(usize::from(depth), Ordering::Relaxed);
            }
        }
        _ => {}
    }
}
