//! Attaching an agent, waiting, and detaching it.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use shim_options::agent_spec::short_name;
use terminal_text::raw_text;

use super::inside::our_name;
use super::libraries;
use super::process::Process;
use super::protocol::{Answer, Listener};
use super::report::{Report, Reported};
use super::system::{self, Interrupts};
use super::trouble::Trouble;
use super::vm::Vm;
use crate::base::progress::Progress;
use crate::base::say::{self, Failure};
use crate::command_line::agent::{SHIM_FILE, XrunOption};
use crate::command_line::request::{Attach, Globals, RunCommand};
use crate::libraries::elf::AgentKind;
use crate::libraries::find::file_of;
use crate::run::agent_settings;
use crate::run::context::Context;
use crate::run::planner;

/// `xrun attach`.
pub(crate) fn attach(globals: &Globals, asked: &Attach) -> Result<ExitCode, Failure> {
    let mut context = Context::new(globals)?;
    if let Some((what, remedy)) = context.shim_trouble() {
        return Err(Failure::xrun(format!("{what}; {remedy}")));
    }
    let vm = find(asked.pid)?;
    let command = RunCommand {
        xruns: vec![asked.agent.clone()],
        words: Vec::new(),
    };
    let (mut settings, notes) = agent_settings::settings_for(globals, &command, &context)?;
    settings.append(&mut context.shim.settings);
    context.shim.settings = settings;
    for note in notes {
        say::warn(&note);
    }
    let agent = agent_for(&vm, &context, &asked.agent)?;
    let shim = match &vm.shim {
        Some(loaded) => loaded.clone(),
        None => libraries::seen_by(&vm.process, &context.shim.path)?,
    };
    let spec = agent_spec(&context, &agent, &asked.agent)?;
    let mut progress = Progress::after_a_while();
    // Whoever interrupts xrun from here on ends the profile, not xrun alone, which also leaves no
    // file behind.
    let interrupts = Interrupts::hold();
    let listener = Listener::of(&vm, &interrupts, &mut progress)?;
    let reported = load(&vm, &listener, &shim, &spec, &mut progress)?;
    drop(progress);
    say_lines(&reported);
    let name = asked.agent.name.display();
    let pid = vm.process.pid;
    let Some(duration) = asked.duration else {
        say::warn(&format!(
            "{name} is in {pid} ({}); xrun detach {pid} ends it",
            vm.program()
        ));
        return Ok(ExitCode::SUCCESS);
    };
    if !wait(&vm.process, &interrupts, duration) {
        return Err(Trouble::Ended.because(format!(
            "{pid}: the program has ended; {name} has written what it writes then, unless it was killed"
        )));
    }
    // Somebody may have detached it meanwhile, and attached another.
    end(&vm, &listener, &shim, Some(&asked.agent.name))
}

/// `xrun detach`.
pub(crate) fn detach(pid: i32, name: Option<&OsStr>) -> Result<ExitCode, Failure> {
    let vm = find(pid)?;
    let Some(shim) = vm.shim.clone() else {
        return Err(nothing(pid));
    };
    let interrupts = Interrupts::hold();
    let listener = Listener::of(&vm, &interrupts, &mut Progress::after_a_while())?;
    end(&vm, &listener, &shim, name)
}

fn nothing(pid: i32) -> Failure {
    Trouble::Nothing.because(format!("{pid}: there is no agent of xrun's in it"))
}

/// The VM of this process, if it is one that we may ask.
fn find(pid: i32) -> Result<Vm, Failure> {
    let process = Process::find(pid)?;
    if system::user() != 0 && system::user() != process.uid {
        return Err(process.of_another());
    }
    let vm = Vm::of(process)?;
    match vm.too_old() {
        Some(why) => Err(Trouble::NoVm.because(format!("{pid}: {why}"))),
        None => Ok(vm),
    }
}

/// The agent's library, by the name that the VM has for it.
fn agent_for(vm: &Vm, context: &Context, agent: &XrunOption) -> Result<PathBuf, Failure> {
    let word = agent.to_word();
    let unfit = |what: String| Trouble::Unfit.because(format!("{}: {what}", word.display()));
    if agent.name == "jvmpi" {
        return Err(unfit("name the agent itself".to_owned()));
    }
    let target = vm.target();
    if let Some((what, remedy)) = context.shim_misfit(target) {
        return Err(Failure::xrun(format!("{what}; {remedy}")));
    }
    let mut search = context.search(Vec::new(), target);
    // As the VM itself: what lies in its JDK comes first, and has its name there.
    let there = vm.boot_library(&file_of(&agent.name));
    let there = there.filter(|_| !agent.name.as_bytes().contains(&b'/'));
    let there = there.and_then(|(path, held)| {
        let kind = search.examine(&our_name(&held)).ok()?;
        Some((path, kind, true))
    });
    let found = match there {
        Some(found) => Ok(found),
        None => search.find(&agent.name).map(|it| (it.path, it.kind, false)),
    };
    let (path, kind, is_its) = found.map_err(|missing| {
        search.boot = vm.boot_folder().map(Path::to_owned).into_iter().collect();
        planner::why_missing(&search, agent, &missing)
    })?;
    match kind {
        AgentKind::Jvmpi if is_its => Ok(path),
        AgentKind::Jvmpi => libraries::seen_by(&vm.process, &path),
        AgentKind::Jvmti => Err(unfit(format!(
            "{} is a JVMTI agent, not a JVMPI one; jcmd PID JVMTI.agent_load loads it, without us",
            path.display()
        ))),
        AgentKind::WithShim => Err(unfit(format!(
            "{} has libjvmpi in it; jcmd PID JVMTI.agent_load loads it, without us",
            path.display()
        ))),
        AgentKind::Neither => {
            let note = planner::as_front(agent, &path);
            say::warn(&note.map_err(|why| Trouble::Unfit.because(why))?);
            libraries::seen_by(&vm.process, &path)
        }
    }
}

/// Settings and agent, as the shim reads them.
fn agent_spec(context: &Context, library: &Path, agent: &XrunOption) -> Result<OsString, Failure> {
    if library.as_os_str().as_bytes().contains(&b':') {
        return Err(Failure::agent(format!(
            "{}: libjvmpi.so cannot be given a path with ':' in it; put the agent into a folder without one",
            library.display()
        )));
    }
    let mut spec = context.shim.joined_settings();
    if !spec.is_empty() {
        spec.push(",");
    }
    spec.push("agent=");
    spec.push(library);
    if let Some(options) = &agent.options {
        spec.push(":");
        spec.push(options);
    }
    Ok(spec)
}

/// Has the VM load the shim, or the shim that is there do what `what` says.
fn load(
    vm: &Vm,
    listener: &Listener<'_>,
    shim: &Path,
    what: &OsStr,
    progress: &mut Progress,
) -> Result<Reported, Failure> {
    let report = Report::make(&vm.process);
    let mut options = OsString::from("xrun-report=");
    options.push(&*report.inside());
    options.push(",");
    options.push(what);
    let shim = shim.as_os_str().as_bytes();
    let words: [&[u8]; 4] = [b"load", shim, b"true", options.as_bytes()];
    let answer = listener.ask(&words, progress)?;
    let reported = report.read();
    match trouble_of(vm, &answer) {
        None => Ok(reported),
        Some(failure) => Err(reported.failure(vm.process.pid, failure)),
    }
}

/// Why the VM has not loaded it, by its own words.
fn trouble_of(vm: &Vm, answer: &Answer) -> Option<Failure> {
    let pid = vm.process.pid;
    let said = answer.text.lines().collect::<Vec<_>>().join(" / ");
    if said.contains("return code: 0") {
        return None;
    }
    if said.contains("ynamic agent loading") {
        return Some(Trouble::Forbidden.because(format!(
            "{pid}: the VM loads no agents late (-XX:-EnableDynamicAgentLoading); start it without that, or with the agent: xrun java …"
        )));
    }
    if said.contains("return code: ") {
        return Some(Failure::agent(format!(
            "{pid}: the agent is not loaded; the program's stderr says why"
        )));
    }
    let what = if said.is_empty() {
        format!("it answers {}", answer.code)
    } else {
        said
    };
    Some(Failure::agent(format!(
        "{pid}: {SHIM_FILE} is not loaded: {what}"
    )))
}

/// Ends the agent that is there, if it has this name.
fn end(
    vm: &Vm,
    listener: &Listener<'_>,
    shim: &Path,
    name: Option<&OsStr>,
) -> Result<ExitCode, Failure> {
    let mut what = OsString::from("detach");
    if let Some(name) = name {
        what.push(":");
        // As the shim calls what it was given by a path.
        let name = raw_text::decode(name.as_bytes());
        what.push(OsString::from_vec(raw_text::encode(short_name(&name))));
    }
    let mut progress = Progress::after_a_while();
    let ended = load(vm, listener, shim, &what, &mut progress);
    drop(progress);
    say_lines(&ended?);
    Ok(ExitCode::SUCCESS)
}

fn say_lines(reported: &Reported) {
    for line in &reported.lines {
        say::line(line);
    }
}

/// Waits until the time is over, or somebody interrupts it; false if the process ends before.
fn wait(process: &Process, interrupts: &Interrupts, duration: Duration) -> bool {
    const LOOK: Duration = Duration::from_millis(200);
    let mut progress = Progress::at_once();
    let begin = Instant::now();
    loop {
        if !process.lives() {
            return false;
        }
        let left = duration.saturating_sub(begin.elapsed());
        if left.is_zero() {
            return true;
        }
        progress.show(|| format!("profiling {} for {} s", process.pid, duration.as_secs()));
        if interrupts.within(left.min(LOOK)).is_some() {
            return true;
        }
    }
}
