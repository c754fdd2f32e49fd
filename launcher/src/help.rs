//! What `xrun --help` says.

/// The text.
pub(crate) const TEXT: &str = "\
xrun: runs JVMPI profilers (java -Xrunfoo:opts) on today's JVMs

usage:
  xrun [FLAGS] java -Xrunfoo:opts ... Main       an old command line, xrun before it
  xrun [FLAGS] -Xrunfoo:opts [--] COMMAND ...    a command that starts java itself
                                                 (./gradlew test, mvn test, sh start.sh)
  xrun [FLAGS] doctor [FLAGS] [AGENT]            what is wrong, and what to do;
                                                 AGENT is foo or /path/to/libfoo.so
  xrun trace -o FILE [FLAGS] COMMAND ...         runs it and records what its agent does
  xrun trace dump [--json] [WHICH] FILE          a recording as text, a line for a record
  xrun trace stats FILE                          counts of events and calls
  xrun trace filter [WHICH] -o OUT FILE          a part of a recording
  xrun trace diff [--all] A B                    the first difference of two recordings
                                                 (exit code 1 if there is one); WHICH is
                                                 --event NAME, --call NAME, --thread N
  xrun replay FILE [--agent AGENT[:opts]]        plays a recording into the agent (another
   [--agents DIR] [--arenas MODEL]               one), without a JVM; as a collector of
                                                 another kind would have reported the run
                                                 (exit code 3 if the agent did something else
                                                 than there, 4 if the end was not reached)
  xrun report [--html FILE] TRACE                what the agent of a recording uses of JVMPI, and
                                                 what JVMTI has for it (Markdown on stdout)
  xrun report [--html FILE] [FLAGS] COMMAND ...  the same of a run; its stdout goes to stderr
  xrun ps                                        JVMs one may attach to
  xrun attach PID [--duration 30s] -Xrunfoo:opts an agent for a program that runs; for so long
  xrun detach PID                                it goes again, as at the VM's end (exit codes 10
                                                 to 19 of these say what was wrong: README.md)

flags:
  --check        hold the agent against the specification (CHECKS.md); findings are
                 on stderr at the end. --check=fail: exit code 3 if there are errors,
                 4 if no agent came
  --profile FILE settings for particular agents, besides ~/.config/xrun/agents.toml; or a
                 habit of the period: slashes, wall-clock, is-default, renumbered-ids
                 (repeatable); --no-settings: not even the built-in ones
  --agents DIR   look for libfoo.so in DIR, too (repeatable)
  --set K=V      an option of libjvmpi.so, such as log=info (repeatable)
  --include P    method events only of classes whose names begin so, say
                 com.acme. (repeatable); --exclude P: not of these
  --jvmpi FILE   use this libjvmpi.so instead of the one beside xrun
  --print        show the command and the changed environment, do not run it
  --force        with trace -o, trace filter -o and report --html, behind the file: replace
                 it even if it is something else than xrun writes there
  --help, --version

Files that xrun writes are readable for their owner alone.
Libraries are looked for in the JDK's own folder, --agents, LD_LIBRARY_PATH, and
beside xrun. COMMAND gets JAVA_TOOL_OPTIONS; without -Xrun before it, the folders
of --agents and of xrun are put on LD_LIBRARY_PATH, for an -Xrun that stands
inside the command. Exit code: the command's; 127 not found, 126 not executable,
1 the agent cannot be loaded, 2 wrong use of xrun.
";
