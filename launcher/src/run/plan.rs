//! The command and the environment that are run instead of the given ones.
//!
//! A java command gets the shim on its own command line. Any other command gets
//! it through `JAVA_TOOL_OPTIONS`, which every JVM that it starts reads. An
//! `-Xrunfoo` becomes an `-agentpath` option where it can be rewritten. Where it
//! cannot (a variable, an argument file, or when a shim is loaded already) it
//! stays as it is, and if only xrun finds its library, the folder of that goes on
//! `LD_LIBRARY_PATH`.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::context::Context;
use super::planner::{Fate, Planner};
use crate::base::say::Failure;
use crate::command_line::agent::{self, XrunOption};
use crate::command_line::quote;
use crate::command_line::request::RunCommand;
use crate::java::boot_class_path;
use crate::java::drops_environment;
use crate::java::java_command::{
    self, OF_THE_LAUNCHER, Origin, VARIABLES_AFTER, VARIABLES_BEFORE, VmOption, options_of_variable,
};
use crate::java::jdk::Jdk;
use crate::java::old_options::{self, FORGIVES, UNLOCKS};
use crate::java::program::Kind;
use crate::java::script::{self, Helps};
use crate::libraries::elf::target_of;
use crate::libraries::executable_stacks;

/// What to run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Plan {
    /// The command as it was named, and its arguments.
    pub(crate) words: Vec<OsString>,
    /// Variables that change.
    pub(crate) environment: Vec<(&'static str, OsString)>,
    /// Lines for the user.
    pub(crate) notes: Vec<String>,
}

impl Plan {
    /// Plans to run `command`, whose first word was found to be `program`.
    pub(crate) fn make(
        context: &Context,
        program: &Path,
        command: &RunCommand,
    ) -> Result<Self, Failure> {
        match Kind::of(program) {
            Kind::Java => java(context, program, command),
            Kind::Other => other(context, program, command),
        }
    }
}

fn java(context: &Context, program: &Path, command: &RunCommand) -> Result<Plan, Failure> {
    let mut words = command.words.iter();
    let name = words.next().cloned().unwrap_or_default();
    let front = command.xruns.iter().map(XrunOption::to_word);
    let mut args: Vec<OsString> = front.chain(words.cloned()).collect();
    let line = java_command::options_of_line(&args, &java_command::read_argument_file);
    let mut options = options_of_variables(context, VARIABLES_BEFORE);
    options.extend(line);
    options.extend(options_of_variables(context, VARIABLES_AFTER));

    let jdk = Jdk::of_program(program);
    let target = jdk.as_ref().and_then(Jdk::target);
    fits(jdk.as_ref())?;
    if let Some((what, todo)) = context.shim_misfit(target) {
        return Err(Failure::agent(format!("{what}; {todo}")));
    }
    let boot = boot_path(&options).or_else(|| Some(vec![jdk.as_ref()?.boot.clone()]));
    let mut planner = Planner::new(context, &options, boot, target);
    // The VM loads the agents of these variables before those of the command line.
    let first_in_variable = context.shim.records()
        && !planner.shim_there
        && options.iter().any(|option| {
            matches!(option.origin, Origin::Variable(name) if VARIABLES_BEFORE.contains(&name))
                && XrunOption::is_for_jvmti(&option.word)
        });
    planner.shim_there |= first_in_variable;
    for option in &options {
        if let (Some(Fate::Becomes(word)), Origin::Line(index)) =
            (planner.decide_about(option)?, &option.origin)
            && let Some(place) = args.get_mut(*index)
        {
            *place = word;
        }
    }
    let version = jdk.and_then(|jdk| jdk.major());
    if !context.keep_options {
        planner
            .notes
            .extend(of_other_times(&mut args, options, version));
    }
    if !planner.shim_there && !planner.converted {
        args.insert(0, context.shim.option()?);
    } else if planner.converted
        && context.shim.records()
        && let Some(place) = args.iter().position(|word| agent::loads_shim(word))
    {
        // It records JVMTI agents that are loaded after it.
        let word = args.remove(place);
        args.insert(0, word);
    }
    args.insert(0, name);
    let mut plan = finish(planner, args, Some(program))?;
    if first_in_variable {
        // Its settings are in JVMPI_OPTIONS.
        let shim = agent::agentpath(&context.shim.path, None)?;
        plan.environment
            .push((FIRST, prepended_to(context.variable(FIRST), &shim)));
    }
    Ok(plan)
}

/// Whether this JDK's VM is one that we can serve.
fn fits(jdk: Option<&Jdk>) -> Result<(), Failure> {
    match jdk.and_then(Jdk::trouble) {
        Some((what, todo)) => Err(Failure::agent(format!("{what}; {todo}"))),
        None => Ok(()),
    }
}

/// The variable whose options come first.
const FIRST: &str = "JAVA_TOOL_OPTIONS";

/// Puts what this version takes in the place of options that it does not; lines about that.
fn of_other_times(
    args: &mut Vec<OsString>,
    mut options: Vec<VmOption>,
    version: Option<u32>,
) -> Vec<String> {
    let mut notes = Vec::new();
    if version.is_none_or(|version| version > 8) {
        notes = prepended(args, &options);
    }
    options.retain(|option| matches!(option.origin, Origin::Variable(_)));
    notes.extend(old_options::replace(args, &options, version));
    notes
}

/// The same of a JDK's tools, whose VM gets what stands behind `-J`.
fn of_other_times_behind_j(words: &mut Vec<OsString>, version: Option<u32>) -> Vec<String> {
    let mut args: Vec<OsString> = options_behind_j(words).map(|option| option.word).collect();
    let options = java_command::options_of_line(&args, &|_| None);
    let notes = of_other_times(&mut args, options, version);
    if !notes.is_empty() {
        words.retain(|word| !word.as_bytes().starts_with(b"-J"));
        // Behind the tool's name.
        words.splice(1..1, args.iter().map(|word| behind_j(word)));
    }
    notes.into_iter().map(|note| format!("-J{note}")).collect()
}

/// What a JDK's tool is to give its VM.
fn options_behind_j(words: &[OsString]) -> impl Iterator<Item = VmOption> {
    words.iter().enumerate().filter_map(|(index, word)| {
        let word = word.as_bytes().strip_prefix(b"-J")?;
        Some(VmOption {
            word: OsStr::from_bytes(word).to_owned(),
            origin: Origin::Line(index),
        })
    })
}

/// The word by which a JDK's tool gives its VM this one.
fn behind_j(word: &OsStr) -> OsString {
    let mut whole = OsString::from("-J");
    whole.push(word);
    whole
}

/// The variables that are read, in their order: a JDK's tool is no java.
fn variables_of(is_tool: bool) -> Vec<&'static str> {
    let mut names = [VARIABLES_BEFORE, VARIABLES_AFTER].concat();
    names.retain(|name| !is_tool || *name != OF_THE_LAUNCHER);
    names
}

/// Lines about what stands in variables and a VM of this version does not take; JDK's tools but for
/// java do not read all of them.
fn of_other_times_in_variables(context: &Context, is_tool: bool, version: u32) -> Vec<String> {
    let mut options = options_of_variables(context, &variables_of(is_tool));
    let Helps { forgives, .. } = helps(context);
    let mut unlocks = false;
    options.retain(|option| {
        // From there on.
        unlocks |= option.word == UNLOCKS && option.origin == Origin::Variable(FIRST);
        let helps = Helps { forgives, unlocks };
        let refusal = old_options::refusal(&option.word, version);
        let is_helped = refusal.is_some_and(|refusal| helps.against(refusal));
        !is_helped
    });
    of_other_times(&mut Vec::new(), options, Some(version))
}

/// What the environment has to help VMs over old options. They read this variable before all others.
fn helps(context: &Context) -> Helps {
    let options = options_of_variables(context, &[FIRST]);
    let has = |word| options.iter().any(|option| option.word == word);
    Helps {
        forgives: has(FORGIVES),
        unlocks: has(UNLOCKS),
    }
}

/// Translates `-Xbootclasspath/p` where it can be; lines about what is left.
fn prepended(args: &mut Vec<OsString>, options: &[VmOption]) -> Vec<String> {
    let (mut places, mut notes) = (Vec::new(), Vec::new());
    let found = |option: &&VmOption| boot_class_path::is_prepended(&option.word);
    for option in options.iter().filter(found) {
        let place = match &option.origin {
            Origin::Line(index) => {
                places.push(*index);
                continue;
            }
            Origin::File(file) => file.display().to_string(),
            Origin::Variable(name) => (*name).to_owned(),
        };
        notes.push(format!(
            "{} stands in {place}, which is left as it is, and this VM refuses it; put it on the command line, where xrun translates it",
            option.word.display()
        ));
    }
    notes.extend(boot_class_path::translate(args, &places));
    notes
}

fn other(context: &Context, program: &Path, command: &RunCommand) -> Result<Plan, Failure> {
    let mut options = options_of_variables(context, &["JAVA_TOOL_OPTIONS"]);
    let own_jdk = Jdk::of_program(program);
    fits(own_jdk.as_ref())?;
    // The VM of a script is not known, but it must be able to load the shim.
    let target = own_jdk
        .as_ref()
        .and_then(Jdk::target)
        .or_else(|| target_of(&context.shim.path).ok());
    if let Some((what, todo)) = context.shim_misfit(target) {
        return Err(Failure::agent(format!("{what}; {todo}")));
    }
    let mut words = command.words.clone();
    let mut notes = Vec::new();
    if let Some(jdk) = own_jdk.as_ref().filter(|_| !context.keep_options) {
        notes = of_other_times_behind_j(&mut words, jdk.major());
    }
    notes.extend(drops_environment::note(program, &words));
    let is_tool = own_jdk.is_some();
    let jdk = own_jdk.or_else(|| context.likely_jdk());
    if let Some(version) = jdk
        .as_ref()
        .and_then(Jdk::major)
        .filter(|_| !context.keep_options)
    {
        notes.extend(of_other_times_in_variables(context, is_tool, version));
        if !is_tool {
            notes.extend(script::note(program, &words, version, helps(context)));
        }
    }
    if is_tool {
        options.extend(options_behind_j(&words));
    }
    let mut planner = Planner::new(context, &options, jdk.map(|jdk| vec![jdk.boot]), target);
    planner.certain = true;
    planner.notes = notes;
    // What the VMs read besides.
    planner.shim_there |= options_of_variables(context, &variables_of(is_tool))
        .iter()
        .any(|option| agent::loads_shim(&option.word));
    for option in &options {
        // A guess at the JDK is no reason to refuse what others have set.
        if !matches!(option.origin, Origin::Line(_))
            && XrunOption::parse(&option.word)
                .is_some_and(|xrun| planner.search.find(&xrun.name).is_err())
        {
            continue;
        }
        if let (Some(Fate::Becomes(word)), Origin::Line(index)) =
            (planner.decide_about(option)?, &option.origin)
            && let Some(place) = words.get_mut(*index)
        {
            *place = behind_j(&word);
        }
    }

    let mut additions = Vec::new();
    for xrun in &command.xruns {
        match planner.decide_for_variable(xrun)? {
            Fate::Stays => additions.push(xrun.to_word()),
            Fate::Becomes(word) => additions.push(word),
        }
    }
    if !planner.shim_there && !planner.converted {
        additions.insert(0, context.shim.option()?);
    }
    if command.xruns.is_empty() {
        planner.open_folders();
    }
    let java = (!is_tool).then(|| context.likely_java());
    let java = java.unwrap_or_else(|| Some(program.to_owned()));
    let mut plan = finish(planner, words, java.as_deref())?;
    if !additions.is_empty() {
        let value = match additions.as_slice() {
            // What it records is loaded after it.
            [shim] if context.shim.records() && agent::loads_shim(shim) => {
                prepended_to(context.variable("JAVA_TOOL_OPTIONS"), shim)
            }
            _ => appended(context.variable("JAVA_TOOL_OPTIONS"), &additions),
        };
        plan.environment.insert(0, ("JAVA_TOOL_OPTIONS", value));
    }
    Ok(plan)
}

/// The plan, when all is decided; `java` is the program that is, or most probably will be, a VM.
fn finish(
    planner: Planner<'_>,
    words: Vec<OsString>,
    java: Option<&Path>,
) -> Result<Plan, Failure> {
    let context = planner.context;
    let mut environment = Vec::new();
    if let Some(value) = planner
        .library_path
        .applied_to(context.variable("LD_LIBRARY_PATH"))?
    {
        environment.push(("LD_LIBRARY_PATH", value));
    }
    let stacks = context.variable(executable_stacks::VARIABLE);
    let allowed = |agent: &PathBuf| executable_stacks::for_library(agent, java?, stacks);
    if let Some(value) = planner.agents.iter().find_map(allowed) {
        environment.push((executable_stacks::VARIABLE, value));
    }
    // A shim that is there already has its option string.
    let settings = context.shim.joined_settings();
    if planner.shim_there && !settings.is_empty() {
        let mut value = planner
            .context
            .variable("JVMPI_OPTIONS")
            .unwrap_or_default()
            .to_owned();
        if !value.is_empty() {
            value.push(",");
        }
        value.push(settings);
        environment.push(("JVMPI_OPTIONS", value));
    }
    Ok(Plan {
        words,
        environment,
        notes: planner.notes,
    })
}

fn options_of_variables(context: &Context, names: &[&'static str]) -> Vec<VmOption> {
    names
        .iter()
        .filter_map(|name| Some(options_of_variable(name, context.variable(name)?)))
        .flatten()
        .collect()
}

/// The folders of a `-Dsun.boot.library.path`, which the VM searches instead.
fn boot_path(options: &[VmOption]) -> Option<Vec<PathBuf>> {
    let value = options.iter().rev().find_map(|option| {
        option
            .word
            .as_bytes()
            .strip_prefix(b"-Dsun.boot.library.path=")
    })?;
    let folders = value.split(|&b| b == b':');
    Some(
        folders
            .map(|f| PathBuf::from(OsStr::from_bytes(f)))
            .collect(),
    )
}

/// The value of an option variable with one more option, before the others.
fn prepended_to(current: Option<&OsStr>, option: &OsStr) -> OsString {
    let mut parts = vec![quote::for_option_variable(option.as_bytes())];
    parts.extend(current.map(|value| value.as_bytes().to_vec()));
    OsStr::from_bytes(&parts.join(&b' ')).to_owned()
}

/// The value of an option variable with more options at its end.
fn appended(current: Option<&OsStr>, options: &[OsString]) -> OsString {
    let mut parts: Vec<Vec<u8>> = current.iter().map(|v| v.as_bytes().to_vec()).collect();
    parts.extend(
        options
            .iter()
            .map(|o| quote::for_option_variable(o.as_bytes())),
    );
    OsStr::from_bytes(&parts.join(&b' ')).to_owned()
}

#[cfg(test)]
mod tests;
