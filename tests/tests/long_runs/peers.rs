//! A program at the other end of `net=` that is out of its mind.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::time::{Duration, Instant};

use xrun_tests::jdk::each_jdk;
use xrun_tests::long_run::{Random, amount, seed, tell};
use xrun_tests::peer::accept;
use xrun_tests::product;
use xrun_tests::run::Java;

/// The modes of HPROF that obey different commands.
const MODES: [&str; 6] = [
    "cpu=samples",
    "cpu=times",
    "heap=sites",
    "heap=dump",
    "heap=all,cpu=samples,monitor=y",
    "heap=sites,format=b",
];

/// Says anything, whole commands among it; reads or does not; goes away or stays, until it is told that the
/// program has ended.
fn be_mad(random: &mut Random, peer: &mut TcpStream, until: Instant) {
    let _ = peer.set_read_timeout(Some(Duration::from_millis(20)));
    let _ = peer.set_write_timeout(Some(Duration::from_millis(20)));
    let mut some = [0; 4096];
    while Instant::now() < until {
        match random.below(12) {
            0 => {
                let noise: Vec<u8> = (0..random.below(200)).map(|_| random.any() as u8).collect();
                let _ = peer.write_all(&noise);
            }
            1..7 => {
                // A command as it should be, but for what it asks; 5 would end the program.
                let tag = *random.of_these(&[1, 2, 3, 4, 6, 7, 8, 9, 0, 255]);
                let body: Vec<u8> = (0..random.below(12))
                    .map(|_| random.any() as u8 % 9)
                    .collect();
                let length = match random.below(8) {
                    0 => random.any() as u32,
                    1 => body.len() as u32 + 1,
                    _ => body.len() as u32,
                };
                let head = [&[tag, 0, 0, 0, 1][..], &length.to_be_bytes()].concat();
                let _ = peer.write_all(&[head, body].concat());
            }
            7 => std::thread::sleep(Duration::from_millis(random.below(50) as u64)),
            8 if random.below(20) == 0 => {
                let how = random.of_these(&[Shutdown::Read, Shutdown::Write, Shutdown::Both]);
                let _ = peer.shutdown(*how);
            }
            _ => {
                let room = 1 + random.below(some.len());
                let _ = peer.read(&mut some[..room]);
            }
        }
    }
}

/// The program says what it says, in time.
#[test]
fn a_peer_that_is_mad_keeps_nobody() {
    const LIMIT: Duration = Duration::from_secs(120);
    product::hprof();
    let wanted = amount(3);
    each_jdk(|jdk| {
        for number in seed()..seed() + wanted {
            let random = &mut Random::of(number);
            let listener = TcpListener::bind("127.0.0.1:0").unwrap();
            let port = listener.local_addr().unwrap().port();
            let mode = random.of_these(&MODES);
            let options = format!("{mode},net=127.0.0.1:{port},verbose=n");
            let java = Java::with_shim(jdk).limit(LIMIT.as_secs());
            let java = java.arg(format!("-Xrunhprof:{options}")).main("Busy");
            let running = java.start();
            let mut peer = accept(&listener, LIMIT);
            let until = Instant::now() + Duration::from_millis(random.below(1500) as u64);
            be_mad(random, &mut peer, until);
            if random.below(2) == 0 {
                drop(peer);
                check(running.finish(), number);
            } else {
                // Silent, and there.
                check(running.finish(), number);
                drop(peer);
            }
        }
        tell(Some(jdk), wanted, "");
    });
}

fn check(run: xrun_tests::run::Run, number: u64) {
    let run = run.no_crash();
    assert_eq!(run.code(), 0, "seed {number}: {run}");
    assert!(run.stdout.ends_with("deep 610\n"), "seed {number}: {run}");
}
