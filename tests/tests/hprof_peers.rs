//! `net=`: whatever the program at the other end does, the profiled one ends as it would.

use std::io::Read as _;
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{self, Receiver};
use std::time::Duration;

use xrun_tests::hprof_ascii;
use xrun_tests::jdk::{Jdk, each_jdk, each_jdk_if};
use xrun_tests::peer::accept;
use xrun_tests::product;
use xrun_tests::run::{Java, Run};

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

/// Ten seconds of patience.
#[test]
fn a_peer_that_takes_nothing() {
    let needs = |jdk: &Jdk| match xrun_tests::long() || jdk.major == 17 {
        true => Ok(()),
        false => Err("XRUN_LONG=1 runs it on all".to_owned()),
    };
    each_jdk_if(needs, |jdk| {
        let (run, _peer) = profiled(jdk, "heap=dump", "HprofMany", |peer, until| {
            let _ = until.recv();
            peer
        });
        gave_up(run);
    });
}
