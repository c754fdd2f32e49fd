//! `net=`: the program that a profile is sent to.
//!
//! Whoever it is, it may be slow or stop reading, by intent or not, and the profiled program
//! waits meanwhile. So there is one account of time for all that is sent: what it begins
//! with ([`PATIENCE`]) is spent in waiting and earned by taking bytes. When the VM ends there
//! is a new and shorter one, also for what is being sent just then, and until the peer has closed its end.

use std::io::{self, ErrorKind, Read as _, Write};
use std::net::{Shutdown, TcpStream, ToSocketAddrs as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

/// How long the program waits for a peer that takes nothing; also until it is connected.
const PATIENCE: Duration = Duration::from_secs(10);
/// The same when the VM ends.
const PATIENCE_AT_END: Duration = Duration::from_secs(2);
/// What a peer earns by each MiB that it takes: at one MiB a second it is never given up,
const EARNED: Duration = Duration::from_secs(1);
/// at the end, when everybody waits, at ten.
const EARNED_AT_END: Duration = Duration::from_millis(100);
/// A wait is no longer, so that the end is seen.
const SLICE: Duration = Duration::from_millis(100);

static ENDS: AtomicBool = AtomicBool::new(false);

/// The VM ends.
pub(crate) fn end_begins() {
    // Relaxed: that it is so; nobody reads anything else because of it.
    ENDS.store(true, Ordering::Relaxed);
}

/// Whether it does.
pub(crate) fn ends() -> bool {
    ENDS.load(Ordering::Relaxed)
}

/// The other end of a connection.
#[derive(Debug)]
pub(crate) struct Peer {
    stream: TcpStream,
    name: String,
    account: Arc<Mutex<Account>>,
}

/// A hand on it, for writing.
pub(crate) struct Sending {
    stream: TcpStream,
    account: Arc<Mutex<Account>>,
}

/// How much longer it is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Account {
    left: Duration,
    at_end: bool,
}

impl Account {
    const NEW: Self = Self {
        left: PATIENCE,
        at_end: false,
    };

    fn sees(&mut self, end: bool) {
        if end && !self.at_end {
            *self = Self {
                left: PATIENCE_AT_END,
                at_end: true,
            };
        }
    }

    fn waited(&mut self, time: Duration, taken: usize) {
        let (most, each) = match self.at_end {
            false => (PATIENCE, EARNED),
            true => (PATIENCE_AT_END, EARNED_AT_END),
        };
        #[allow(
            clippy::cast_precision_loss,
            reason = "a share of a second, not to the byte"
        )]
        let earned = each.mul_f64(taken as f64 / f64::from(1 << 20));
        self.left = (self.left + earned).saturating_sub(time).min(most);
    }
}

impl Peer {
    pub(crate) fn connect(host: &str, port: u16) -> Result<Self, String> {
        let name = format!("{host}:{port}");
        let cannot = |reason: io::Error| format!("cannot connect to {name}: {reason}");
        let addresses = (host, port).to_socket_addrs().map_err(cannot)?;
        let mut last = io::Error::from(ErrorKind::NotFound);
        let until = Instant::now() + PATIENCE;
        for address in addresses {
            let left = until.saturating_duration_since(Instant::now());
            // No time at all would be an error of its own.
            match TcpStream::connect_timeout(&address, left.max(SLICE)) {
                Ok(stream) => {
                    stream.set_write_timeout(Some(SLICE)).map_err(cannot)?;
                    let _ = stream.set_nodelay(true);
                    return Ok(Self {
                        stream,
                        name,
                        account: Arc::new(Mutex::new(Account::NEW)),
                    });
                }
                Err(reason) => last = reason,
            }
        }
        Err(cannot(last))
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// A second hand on the connection, for reading.
    pub(crate) fn reader(&self) -> io::Result<TcpStream> {
        self.stream.try_clone()
    }

    /// Nothing more is sent. Who closes with commands unread resets the connection, and the peer loses what it has
    /// not taken yet: so they are read until it has closed its end, if it does so in time. Nobody waits for one that
    /// was `given_up` before.
    pub(crate) fn end(&self, given_up: bool) {
        // It may be gone, here and below.
        let _ = self.stream.shutdown(Shutdown::Write);
        let mut account = self.account.lock();
        account.sees(true);
        let left = if given_up {
            Duration::ZERO
        } else {
            account.left
        };
        let until = Instant::now() + left;
        let _ = self.stream.set_read_timeout(Some(SLICE));
        let mut unread = [0; 1024];
        while Instant::now() < until {
            match (&self.stream).read(&mut unread) {
                Ok(0) => break,
                Ok(_) => {}
                Err(reason) => {
                    let goes_on = [ErrorKind::WouldBlock, ErrorKind::Interrupted];
                    if !goes_on.contains(&reason.kind()) {
                        break;
                    }
                }
            }
        }
        // Whoever waits for a command hears that none comes.
        let _ = self.stream.shutdown(Shutdown::Both);
    }

    /// To send with.
    pub(crate) fn writer(&self) -> io::Result<Sending> {
        Ok(Sending {
            stream: self.stream.try_clone()?,
            account: Arc::clone(&self.account),
        })
    }
}

impl Write for Sending {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut account = self.account.lock();
        loop {
            account.sees(ends());
            if account.left.is_zero() {
                let text = "the program at the other end reads too slowly";
                return Err(io::Error::new(ErrorKind::TimedOut, text));
            }
            let begin = Instant::now();
            let result = self.stream.write(bytes);
            account.waited(begin.elapsed(), *result.as_ref().unwrap_or(&0));
            match result {
                // What the kernel says of a send that has taken too long.
                Err(reason) if reason.kind() == ErrorKind::WouldBlock => {}
                result => return result,
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn patience_is_spent_and_earned() {
        let mut account = Account::NEW;
        for _ in 0..1000 {
            account.waited(Duration::from_secs(1), 1 << 20);
        }
        assert_eq!(account, Account::NEW);
        account.waited(Duration::from_secs(9), 100);
        account.sees(false);
        assert!(account.left > Duration::from_secs(1) && account.left < PATIENCE);
        account.sees(true);
        assert_eq!(account.left, PATIENCE_AT_END);
        // A trickle keeps nobody.
        for _ in 0..20 {
            account.waited(SLICE, 1000);
            account.sees(true);
        }
        assert!(account.left < SLICE, "{account:?}");
    }

    /// It has sent commands that nobody has read, and reads late.
    #[test]
    fn a_peer_gets_what_was_sent_before_the_end() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let peer = Peer::connect("127.0.0.1", port).unwrap();
        let (mut other, _) = listener.accept().unwrap();
        other.write_all(&[6; 9]).unwrap();
        // As much as the buffers at both ends hold.
        let mut sent = 0;
        while let Ok(count) = (&peer.stream).write(&[7; 1 << 16]) {
            sent += count;
        }
        let ended = std::thread::spawn(move || {
            peer.end(false);
            drop(peer);
        });
        std::thread::sleep(SLICE);
        let mut all = Vec::new();
        let result = other.read_to_end(&mut all);
        assert!(
            result.is_ok_and(|count| count == sent),
            "{} of {sent}",
            all.len()
        );
        drop(other);
        ended.join().unwrap();
    }

    /// One that does not close its end is not waited for longer than anybody at the end.
    #[test]
    fn a_peer_that_stays_is_left() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let peer = Peer::connect("127.0.0.1", port).unwrap();
        let other = listener.accept().unwrap();
        let begin = Instant::now();
        peer.end(false);
        assert!(begin.elapsed() >= PATIENCE_AT_END - SLICE);
        // As patient as it was at the beginning it would be gone much later.
        assert!(begin.elapsed() < PATIENCE);
        drop(other);
    }
}
