//! What a profiled program connects to.

use std::io::ErrorKind;
use std::net::{TcpListener, TcpStream};
use std::time::{Duration, Instant};

/// The next to connect. Nothing is waited for longer than this, nor in reading from it: the
/// program may have died.
///
/// # Panics
/// If nobody comes.
pub fn accept(listener: &TcpListener, patience: Duration) -> TcpStream {
    let start = Instant::now();
    listener.set_nonblocking(true).expect("a listener");
    loop {
        match listener.accept() {
            Ok((peer, _)) => {
                peer.set_nonblocking(false).expect("a connection");
                peer.set_read_timeout(Some(patience)).expect("a connection");
                return peer;
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                assert!(start.elapsed() < patience, "nobody has connected");
                std::thread::sleep(Duration::from_millis(2));
            }
            Err(error) => panic!("{error}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read as _;

    const SHORT: Duration = Duration::from_millis(30);

    #[test]
    #[should_panic(expected = "nobody has connected")]
    fn nobody_comes() {
        accept(&TcpListener::bind("127.0.0.1:0").unwrap(), SHORT);
    }

    #[test]
    fn somebody_is_silent() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let _other = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        assert!(accept(&listener, SHORT).read(&mut [0]).is_err());
    }
}
