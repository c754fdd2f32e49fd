//! `net=`: whatever the program at the other end does, the profiled one ends as it would.
//! Longer than most: each test is a few lines about a peer of its own.

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::mpsc::{self, Receiver, TryRecvError};
use std::time::{Duration, Instant};

use xrun_tests::hprof_ascii::{self, Ascii, SiteRow};
use xrun_tests::jdk::{Jdk, each_jdk};
use xrun_tests::peer::accept;
use xrun_tests::product;
use xrun_tests::run::{Java, Run, Running};

/// How long the program may take.
const LIMIT: Duration = Duration::from_secs(180);

/// Runs this program; what it is connected to does as `peer` says, which may wait until the
/// program has ended.
fn profiled<O: Send>(
    jdk: &Jdk,
    options: &str,
    main: &str,
    peer: impl FnOnce(TcpStream, Receiver<()>) -> O + Send,
) -> (Run, O) {
    product::hprof();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let option = format!("-Xrunhprof:{options},net=127.0.0.1:{port},verbose=n");
    let java = Java::with_shim(jdk)
        .limit(LIMIT.as_secs())
        .arg(option)
        .main(main);
    let (over, until) = mpsc::channel();
    std::thread::scope(|scope| {
        let other = scope.spawn(|| peer(accept(&listener, LIMIT), until));
        // The peer may wait no longer if this fails.
        let over = over;
        let run = java.start().finish();
        drop(over);
        (run, other.join().unwrap())
    })
}

/// The VM is not kept by its peer, which has had it wait since `begun`: two seconds, and some for a slow machine, and
/// for one with much else to do as long again as it took the program to come so far.
fn assert_not_kept(started: Instant, begun: Instant) {
    const SOON: Duration = Duration::from_secs(8);
    let kept = begun.elapsed();
    let slow = begun - started;
    assert!(kept < SOON + 2 * slow, "{kept:?}, {slow:?} before");
}

/// It says what happened, in one line.
fn gave_up(run: Run) {
    let run = run.exits(0).says("done\n");
    let lines: Vec<_> = run.stderr.lines().collect();
    assert_eq!(lines.len(), 1, "{run}");
    assert!(
        lines[0].starts_with("hprof: 127.0.0.1:")
            && lines[0].ends_with("; nothing more is written"),
        "{run}"
    );
}

#[test]
fn a_slow_peer_gets_everything() {
    each_jdk(|jdk| {
        let (run, text) = profiled(jdk, "heap=all,cutoff=0", "HprofSites", |mut peer, _| {
            let mut text = Vec::new();
            let mut some = [0; 8192];
            loop {
                match peer.read(&mut some).unwrap() {
                    0 => return String::from_utf8(text).unwrap(),
                    count => text.extend_from_slice(&some[..count]),
                }
                std::thread::sleep(Duration::from_millis(2));
            }
        });
        run.exits(0).says("done\n");
        let ascii = hprof_ascii::read(&text).unwrap();
        assert_eq!((ascii.heaps.len(), ascii.sites.len()), (1, 1));
    });
}

#[test]
fn a_peer_that_leaves_in_the_middle() {
    each_jdk(|jdk| {
        for format in ["a", "b"] {
            let options = format!("heap=dump,format={format}");
            let (run, ()) = profiled(jdk, &options, "HprofMany", |mut peer, _| {
                peer.read_exact(&mut [0; 1000]).unwrap();
            });
            gave_up(run);
        }
    });
}

#[test]
fn a_peer_that_takes_nothing() {
    each_jdk(|jdk| {
        let started = Instant::now();
        let (run, (_peer, begun)) = profiled(jdk, "heap=dump", "HprofMany", |peer, until| {
            peer.peek(&mut [0]).unwrap();
            let begun = Instant::now();
            let _ = until.recv();
            (peer, begun)
        });
        assert_not_kept(started, begun);
        gave_up(run);
    });
}

/// One that takes a little all the time keeps nobody longer.
#[test]
fn a_peer_that_takes_its_time() {
    each_jdk(|jdk| {
        let started = Instant::now();
        let (run, begun) = profiled(jdk, "heap=dump", "HprofMany", |mut peer, until| {
            peer.peek(&mut [0]).unwrap();
            let begun = Instant::now();
            let mut some = [0; 20_000];
            while let Err(TryRecvError::Empty) = until.try_recv() {
                let _ = peer.read(&mut some);
                std::thread::sleep(Duration::from_millis(50));
            }
            begun
        });
        assert_not_kept(started, begun);
        gave_up(run);
    });
}

/// A dump on demand that waits for the peer when the program exits. (Where its last thread
/// returns instead, the VM tells of its end only after the dump.)
#[test]
fn the_end_comes_while_a_peer_is_waited_for() {
    each_jdk(|jdk| {
        product::hprof();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let java = Java::with_shim(jdk)
            .arg(format!(
                "-Xrunhprof:heap=dump,net=127.0.0.1:{port},verbose=n"
            ))
            .main("HprofMany wait");
        let end = java.file("end");
        let started = Instant::now();
        let mut running = java.start();
        let mut peer = accept(&listener, LIMIT);
        running.wait_for_line("ready");
        running.signal("QUIT");
        // It has begun.
        peer.read_exact(&mut [0; 1000]).unwrap();
        let asked = Instant::now();
        std::fs::write(end, "").unwrap();
        running.finish().exits(0);
        assert_not_kept(started, asked);
    });
}

/// How many bytes the program at the other end, of this machine, has not read yet.
fn unread_by(peer: &TcpStream) -> Option<u64> {
    let [theirs, ours] = [peer.peer_addr(), peer.local_addr()].map(|end| end.unwrap().port());
    let port = |end: &str| u16::from_str_radix(end.rsplit(':').next()?, 16).ok();
    let table = std::fs::read_to_string("/proc/net/tcp").unwrap();
    table.lines().find_map(|line| {
        // Number, local and remote address, state, what is to be sent and to be read.
        let words: Vec<&str> = line.split_whitespace().collect();
        let is_it = port(words.get(1)?) == Some(theirs) && port(words.get(2)?) == Some(ours);
        let (_, unread) = words.get(4)?.split_once(':')?;
        is_it.then(|| u64::from_str_radix(unread, 16).ok())?
    })
}

/// With `commands=n` the program at the other end is not obeyed.
#[test]
fn a_peer_that_commands_in_vain() {
    each_jdk(|jdk| {
        product::hprof();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let options = format!("cpu=samples,net=127.0.0.1:{port},verbose=n,commands=n");
        let java = Java::with_shim(jdk)
            .arg(format!("-Xrunhprof:{options}"))
            .main("Dumped");
        let end = java.file("end");
        let mut running = java.start();
        let mut peer = accept(&listener, LIMIT);
        running.wait_for_line("ready");
        // The heap, and the end.
        for command in [2, 5] {
            peer.write_all(&[command, 0, 0, 0, 1, 0, 0, 0, 0]).unwrap();
        }
        running.until("commands there", || {
            (unread_by(&peer) == Some(18)).then_some(())
        });
        // What is asked for later is done, and they are where they were.
        running.signal("QUIT");
        let mut text = Vec::new();
        let mut some = [0; 4096];
        while !String::from_utf8_lossy(&text).contains("CPU SAMPLES END") {
            let count = peer.read(&mut some).unwrap();
            assert!(count > 0, "{}", String::from_utf8_lossy(&text));
            text.extend_from_slice(&some[..count]);
        }
        assert_eq!(unread_by(&peer), Some(18));
        std::fs::write(end, "").unwrap();
        let run = running.finish().exits(0);
        assert!(run.stdout.ends_with("done\n"), "{run}");
        let _ = peer.read_to_end(&mut text);
        let ascii = hprof_ascii::read(&String::from_utf8_lossy(&text)).unwrap();
        assert!(ascii.heaps.is_empty());
    });
}

/// Live and allocated objects of a class of `HprofCleared`, all its sites together.
type Counts = BTreeMap<String, (u64, u64)>;

/// Asks for the sites, after a collection, until they are so: what has died is told soon, not
/// at once.
fn sites_become(peer: &mut TcpStream, text: &mut Vec<u8>, expected: &[(&str, u64, u64)]) {
    const TRIES: usize = 30;
    const COLLECT_FIRST: u8 = 4;
    let expected = expected.iter();
    let expected: Counts = expected
        .map(|&(class, live, allocated)| (format!("HprofCleared${class}"), (live, allocated)))
        .collect();
    let mut found = Counts::new();
    for _ in 0..TRIES {
        let body = [0, COLLECT_FIRST, 0, 0, 0, 0];
        let head = [3, 0, 0, 0, 1, 0, 0, 0, body.len() as u8];
        peer.write_all(&[&head[..], &body].concat()).unwrap();
        let tables = |text: &[u8]| String::from_utf8_lossy(text).matches("SITES END\n").count();
        let (before, mut some) = (tables(text), [0; 4096]);
        while tables(text) == before {
            let count = peer.read(&mut some).unwrap();
            assert!(count > 0, "{}", String::from_utf8_lossy(text));
            text.extend_from_slice(&some[..count]);
        }
        let ascii = hprof_ascii::read(&String::from_utf8_lossy(text)).unwrap();
        found.clear();
        for row in &ascii.sites.last().unwrap().rows {
            if row.class.starts_with("HprofCleared$") {
                let sum = found.entry(row.class.clone()).or_default();
                sum.0 += row.live_objects;
                sum.1 += row.allocated_objects;
            }
        }
        if found == expected {
            return;
        }
    }
    panic!("{found:?}, not {expected:?}");
}

/// What was allocated before counts no more, whether it has died by then or dies later; what comes
/// then does, at sites that were there and at others.
#[test]
fn a_peer_that_clears_the_sites() {
    const CLEAR_SITES: [u8; 11] = [8, 0, 0, 0, 1, 0, 0, 0, 2, 0, 6];
    each_jdk(|jdk| {
        product::hprof();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let options = format!("heap=sites,cutoff=0,net=127.0.0.1:{port},verbose=n");
        let java = Java::with_shim(jdk)
            .arg(format!("-Xrunhprof:{options}"))
            .main("HprofCleared");
        let folder = java.folder().to_owned();
        let go = |name: &str| std::fs::write(folder.join(name), "").unwrap();
        let mut running = java.start();
        let mut peer = accept(&listener, LIMIT);
        let mut text = Vec::new();
        running.wait_for_line("round 1");
        let first = [("Kept", 1000, 1000), ("Partly", 10, 710)];
        sites_become(&mut peer, &mut text, &first);
        peer.write_all(&CLEAR_SITES).unwrap();
        sites_become(&mut peer, &mut text, &[]);
        go("round 2");
        running.wait_for_line("round 2");
        let second = [("Kept", 200, 200), ("Partly", 30, 80), ("Late", 5, 5)];
        sites_become(&mut peer, &mut text, &second);
        // What was cleared is not added to what is cleared now.
        peer.write_all(&CLEAR_SITES).unwrap();
        sites_become(&mut peer, &mut text, &[]);
        go("round 3");
        running.wait_for_line("round 3");
        let third = [("Kept", 3, 3), ("Late", 2, 2)];
        sites_become(&mut peer, &mut text, &third);
        go("end");
        peer.read_to_end(&mut text).unwrap();
        running.finish().exits(0);
    });
}

/// A program of rounds, and the one that commands its profiler.
struct Commanded {
    running: Running,
    folder: PathBuf,
    rounds: usize,
    peer: TcpStream,
    text: String,
}

/// What tables end with, by the commands that ask for them.
const SITES: (u8, &str) = (3, "SITES END\n");
const SUMMARY: (u8, &str) = (4, "HEAP SUMMARY ");
const TRACES: u8 = 6;
const SAMPLES: (u8, &str) = (7, "CPU SAMPLES END\n");
const CONTROL: u8 = 8;

impl Commanded {
    fn start(jdk: &Jdk, options: &str) -> Self {
        product::hprof();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let options = format!("{options},cutoff=0,verbose=n,net=127.0.0.1:{port}");
        let java = Java::with_shim(jdk)
            .arg(format!("-Xrunhprof:{options}"))
            .main("HprofCommanded");
        let folder = java.folder().to_owned();
        let running = java.start();
        Self {
            running,
            folder,
            rounds: 0,
            peer: accept(&listener, LIMIT),
            text: String::new(),
        }
    }

    fn end(mut self) {
        std::fs::write(self.folder.join("end"), "").unwrap();
        self.peer.read_to_end(&mut Vec::new()).unwrap();
        drop(self.peer);
        self.running.finish().exits(0);
    }

    fn round(&mut self) {
        self.rounds += 1;
        let name = format!("round {}", self.rounds);
        std::fs::write(self.folder.join(&name), "").unwrap();
        self.running.wait_for_line(&name);
    }

    fn command(&mut self, tag: u8, body: &[u8]) {
        let head = [tag, 0, 0, 0, 1, 0, 0, 0, body.len() as u8];
        self.peer.write_all(&[&head[..], body].concat()).unwrap();
    }

    /// Commands come one after the other: when this is there, those before have been obeyed.
    fn ask(&mut self, (tag, mark): (u8, &str), body: &[u8]) -> Ascii {
        self.command(tag, body);
        let before = self.text.matches(mark).count();
        let mut some = [0; 4096];
        while self.text.matches(mark).count() == before || !self.text.ends_with('\n') {
            let count = self.peer.read(&mut some).unwrap();
            assert!(count > 0, "{}", self.text);
            self.text.push_str(&String::from_utf8_lossy(&some[..count]));
        }
        // The reader knows what files have.
        let lines = self
            .text
            .lines()
            .filter(|line| !line.starts_with(SUMMARY.1));
        let text: String = lines.map(|line| format!("{line}\n")).collect();
        hprof_ascii::read(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
    }

    /// The frames of each site of the program's objects, and how many were allocated there.
    fn kept(&mut self) -> Vec<(usize, u64)> {
        let ascii = self.ask(SITES, &[0; 6]);
        let rows = &ascii.sites.last().unwrap().rows;
        let own = rows.iter().filter(|row| row.class == "HprofCommanded$Kept");
        let own = own.map(|row| (ascii.traces[&row.trace].frames.len(), row.allocated_objects));
        let mut own: Vec<_> = own.collect();
        own.sort_unstable();
        own
    }

    /// Samples of a round, after all that were there have been cleared if that is wanted.
    fn samples(&mut self, clear: bool) -> u64 {
        if clear {
            self.command(CONTROL, &[0, 5]);
        }
        self.round();
        self.ask(SAMPLES, &[0; 6]).cpu.last().unwrap().total
    }
}

/// Each command does what the protocol says (facts E.5).
#[test]
fn a_peer_that_commands_in_detail() {
    const TRIES: usize = 10;
    each_jdk(|jdk| {
        let options = "heap=sites,cpu=samples,interval=2,depth=2";
        let mut program = Commanded::start(jdk, options);

        // Allocations are told of, and not.
        program.round();
        assert_eq!(program.kept(), [(2, 100)]);
        program.command(CONTROL, &[0, 2]);
        program.kept();
        program.round();
        assert_eq!(program.kept(), [(2, 100)]);
        // As nothing comes, the summary is that of the sites, if nothing has died in between.
        let equal = (0..TRIES).any(|_| {
            const COLLECT_FIRST: u8 = 4;
            program.ask(SITES, &[0, COLLECT_FIRST, 0, 0, 0, 0]);
            program.ask(SUMMARY, &[]);
            let sites = program.ask(SITES, &[0; 6]).sites.pop().unwrap();
            let sum = |of: fn(&SiteRow) -> u64| sites.rows.iter().map(of).sum::<u64>();
            let live = (sum(|row| row.live_bytes), sum(|row| row.live_objects));
            let all = (
                sum(|row| row.allocated_bytes),
                sum(|row| row.allocated_objects),
            );
            let expected = format!(
                "HEAP SUMMARY (live = {} bytes, {} objects; allocated = {} bytes, {} objects)",
                live.0, live.1, all.0, all.1
            );
            live.1 < all.1 && program.text.contains(&expected)
        });
        assert!(equal, "{}", program.text);
        program.command(CONTROL, &[0, 1]);
        program.kept();
        program.round();
        assert_eq!(program.kept(), [(2, 200)]);

        // Another depth, and what lies above a share of nearly all.
        program.command(CONTROL, &[0, 7, 0, 1]);
        program.kept();
        program.round();
        assert_eq!(program.kept(), [(1, 100), (2, 200)]);
        let share = 0.99_f32.to_bits().to_be_bytes();
        let large = program.ask(SITES, &[&[0, 0], &share[..]].concat());
        assert_eq!(large.sites.last().unwrap().rows.len(), 0);

        // Traces alone.
        let tables = |program: &Commanded| {
            ["HEAP SUMMARY ", " BEGIN "].map(|mark| program.text.matches(mark).count())
        };
        let [summaries, begun] = tables(&program);
        program.command(TRACES, &[]);
        program.ask(SUMMARY, &[]);
        program.kept();
        let expected = [summaries + 1, begun + 1];
        assert_eq!(tables(&program), expected, "{}", program.text);

        // Samples: paused, cleared, and again.
        assert!((0..TRIES).any(|_| program.samples(false) > 0));
        program.command(CONTROL, &[0, 4]);
        assert!((0..TRIES).any(|_| program.samples(true) == 0));
        program.command(CONTROL, &[0, 3]);
        assert!((0..TRIES).any(|_| program.samples(false) > 0));
        program.end();
    });
}

/// Of a program that is profiled for something else: their sites are sent, and those that die are dead.
#[test]
fn a_peer_that_has_allocations_counted_later() {
    const TRIES: usize = 30;
    const COLLECT_FIRST: u8 = 4;
    each_jdk(|jdk| {
        let mut program = Commanded::start(jdk, "monitor=y,depth=1");
        program.round();
        assert_eq!(program.kept(), []);
        program.command(CONTROL, &[0, 1]);
        program.kept();
        program.round();
        assert_eq!(program.kept(), [(1, 100)]);
        let has_died = (0..TRIES).any(|_| {
            let ascii = program.ask(SITES, &[0, COLLECT_FIRST, 0, 0, 0, 0]);
            let rows = &ascii.sites.last().unwrap().rows;
            let mut own = rows.iter().filter(|row| row.class == "java.lang.Object");
            own.any(|row| row.allocated_objects >= 100 && row.live_objects == 0)
        });
        assert!(has_died, "{}", program.text);
        assert_eq!(program.kept(), [(1, 100)]);
        // There are no samples to be had.
        let samples = program.ask(SAMPLES, &[0; 6]);
        assert_eq!(samples.cpu.last().unwrap().total, 0);
        program.end();
    });
}
