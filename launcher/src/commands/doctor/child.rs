//! Runs a command to its end or to a time limit, and keeps what it says.

use std::io::Read;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// How a command ended.
pub(crate) struct Outcome {
    /// `None` if it was killed at the time limit.
    pub(crate) status: Option<ExitStatus>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Outcome {
    pub(crate) fn succeeded(&self) -> bool {
        self.status.is_some_and(|status| status.success())
    }

    /// The lines that tell why it failed, in one.
    pub(crate) fn complaint(&self) -> String {
        let lines: Vec<&str> = self
            .stderr
            .lines()
            .chain(self.stdout.lines())
            .map(str::trim)
            .filter(|line| !line.is_empty())
            .take(3)
            .collect();
        match self.status {
            None => "it hangs".to_owned(),
            Some(status) if lines.is_empty() => status.to_string(),
            Some(_) => lines.join(" / "),
        }
    }
}

/// Runs `command` for at most `limit`. The error is that of starting it.
pub(crate) fn run(command: &mut Command, limit: Duration) -> std::io::Result<Outcome> {
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let stdout = collect(child.stdout.take());
    let stderr = collect(child.stderr.take());
    let end = Instant::now() + limit;
    let status = loop {
        match child.try_wait()? {
            Some(status) => break Some(status),
            None if Instant::now() < end => std::thread::sleep(Duration::from_millis(5)),
            None => {
                let _ = child.kill();
                let _ = child.wait();
                break None;
            }
        }
    };
    // A grandchild may hold the pipe open: what it says is not awaited.
    let text = |from: Receiver<Vec<u8>>| {
        let bytes = from
            .recv_timeout(Duration::from_secs(1))
            .unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    };
    Ok(Outcome {
        status,
        stdout: text(stdout),
        stderr: text(stderr),
    })
}

fn collect(pipe: Option<impl Read + Send + 'static>) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    if let Some(mut pipe) = pipe {
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            let _ = pipe.read_to_end(&mut bytes);
            let _ = sender.send(bytes);
        });
    }
    receiver
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_exit_and_limit() {
        let sh = |script: &str, limit| {
            run(
                Command::new("sh").args(["-c", script]),
                Duration::from_millis(limit),
            )
            .unwrap()
        };
        let outcome = sh("echo out; echo err >&2; exit 3", 5000);
        assert_eq!((&*outcome.stdout, &*outcome.stderr), ("out\n", "err\n"));
        assert!(!outcome.succeeded());
        assert_eq!(outcome.complaint(), "err / out");
        let outcome = sh("exec sleep 60", 50);
        assert!(outcome.status.is_none());
        assert_eq!(outcome.complaint(), "it hangs");
    }
}
