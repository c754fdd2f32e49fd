//! `net=`: commands from the program at the other end (facts E.5). It needs no password, and
//! one message of nine bytes ends the VM; `commands=n` starts no thread that would read it.

use std::io::{self, Read as _};
use std::net::TcpStream;
use std::sync::Once;
use std::sync::atomic::Ordering;

use jvmpi_headers::jvmpi::JVMPI_EVENT_OBJECT_ALLOC;

use crate::agent::Agent;
use crate::ascii::SitesBy;
use crate::ffi::host;
use crate::options::MAX_DEPTH;
use crate::snapshot::Parts;
use crate::tables::Tables;
use crate::{allocations, dump, peer, say};

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
        collected: command == command::ALLOC_SITES && flags & COLLECT_FIRST != 0,
    };
    match command {
        command::COLLECT => host::collect(),
        command::DUMP_HEAP | command::HEAP_SUMMARY if agent.options.format.is_new() => refuse(),
        command::DUMP_HEAP => dump::heap_on_command(agent),
        command::ALLOC_SITES => {
            if tables.collected {
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

/// Said once, however often it is asked for.
fn refuse() {
    static SAID: Once = Once::new();
    SAID.call_once(|| {
        say::error(format_args!(
            "the program at the other end asks for the heap, which this format= has no place for: it gets none"
        ));
    });
}

fn control(agent: &Agent, what: u16, body: &[u8]) {
    match what {
        1 => {
            // Births last: an object whose death nobody heard of would live for ever.
            for event in allocations::events(&agent.options).into_iter().rev() {
                host::enable(event);
            }
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
                let depth = u32::from(depth).min(MAX_DEPTH) as usize;
                agent.depth.store(depth, Ordering::Relaxed);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;
    use crate::agent::without_a_host;

    /// What is sent for these commands, which come with the same flags.
    fn answers(options: &str, commands: &[u8], flags: u8) -> Vec<u8> {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let agent = without_a_host(&format!("{options},net=127.0.0.1:{port},verbose=n"));
        let agent: &Agent = Box::leak(Box::new(agent));
        let (mut other, _) = listener.accept().unwrap();
        let reader = std::thread::spawn(move || {
            let mut all = Vec::new();
            other.read_to_end(&mut all).unwrap();
            all
        });
        for &command in commands {
            obey(agent, command, &[0, flags, 0, 0, 0, 0]);
        }
        dump::end(agent);
        reader.join().unwrap()
    }

    #[test]
    fn tables_of_what_is_not_counted_are_empty() {
        for options in ["heap=dump", "monitor=y", "cpu=samples"] {
            let text = answers(options, &[3, 4, 7], 0);
            let text = String::from_utf8(text).unwrap();
            for mark in [
                "SITES BEGIN (ordered by live bytes)",
                "HEAP SUMMARY (live = 0 bytes, 0 objects;",
                "CPU SAMPLES BEGIN (total = 0)",
            ] {
                assert_eq!(text.matches(mark).count(), 1, "{options}: {text}");
            }
        }
    }

    /// Bodies of records with this tag.
    fn bodies(mut file: &[u8], wanted: u8) -> Vec<&[u8]> {
        let mut found = Vec::new();
        file = &file[19 + 4 + 8..];
        while let Some((&tag, rest)) = file.split_first() {
            let length = u32::from_be_bytes(rest[4..8].try_into().unwrap()) as usize;
            let (body, rest) = rest[8..].split_at(length);
            if tag == wanted {
                found.push(body);
            }
            file = rest;
        }
        found
    }

    #[test]
    fn the_flags_of_a_command_come_back() {
        for flags in [0, 2, 4, 6] {
            let file = answers("heap=dump,format=b", &[3, 7], flags);
            let sites = bodies(&file, 0x06);
            assert_eq!(sites.len(), 1);
            assert_eq!(sites[0][..2], [0, flags]);
            assert_eq!(bodies(&file, 0x0d), [[0; 8]]);
        }
    }

    #[test]
    fn stacks_are_no_deeper_than_by_options() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let agent = without_a_host(&format!("heap=dump,net=127.0.0.1:{port},verbose=n"));
        for (asked, depth) in [(0, 0), (4096, 4096), (4097, 4096), (u16::MAX, 4096)] {
            let [high, low] = asked.to_be_bytes();
            control(&agent, 7, &[0, 7, high, low]);
            assert_eq!(agent.depth(), depth, "{asked}");
        }
    }

    #[test]
    fn formats_without_dumps_are_asked_for_none() {
        for format in ["json", "pprof", "flame", "collapsed"] {
            let sent = answers(&format!("cpu=samples,format={format}"), &[2, 4], 0);
            assert_eq!(String::from_utf8_lossy(&sent), "", "{format}");
        }
    }
}
