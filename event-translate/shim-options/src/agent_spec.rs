//! The string behind `-agentpath:libjvmpi.so=` and the variable `JVMPI_OPTIONS`.
//!
//! Both name an agent, settings of ours, or both:
//!
//! ```text
//! hprof:cpu=samples,depth=8                 an agent: a ':' comes before the first '='
//! hprof                                     an agent: there is no '='
//! log=info,class-names=slashes              settings
//! log=info,agent=hprof:cpu=samples,depth=8  both; `agent=` comes last and takes the rest
//! ```

/// An agent and what it is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentSpec {
    /// A name as in `-Xrun`, or a path.
    pub name: String,
    /// The text behind the first colon; none if there is no colon, which agents
    /// can tell from an empty one (facts A.4).
    pub options: Option<String>,
}

/// `foo` of `/some/where/libfoo.so`, and of `foo`: what an agent is called.
#[must_use]
pub fn short_name(name: &str) -> &str {
    let file = name.rsplit('/').next().unwrap_or(name);
    match file.split_once(".so") {
        Some((stem, _)) => stem.strip_prefix("lib").unwrap_or(stem),
        None => file,
    }
}

/// What an agent-path string says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AgentPath {
    /// Settings in their order, as (key, value); what they mean is for
    /// [`crate::options`] to say.
    pub settings: Vec<(String, String)>,
    /// Words that are no setting, for one complaint each.
    pub malformed: Vec<String>,
    /// The agent to start.
    pub agent: Option<AgentSpec>,
}

/// Reads the text behind `-agentpath:libjvmpi.so=`.
#[must_use]
pub fn parse_agent_path(options: &str) -> AgentPath {
    if is_list(options) {
        return parse_settings(options);
    }
    let mut path = AgentPath::default();
    path.set_agent(options, options);
    path
}

/// Whether settings come first: a '=' stands before any ':'.
fn is_list(options: &str) -> bool {
    match options.split_once('=') {
        Some((before, _)) => !before.contains(':'),
        None => options.is_empty(),
    }
}

/// The name and the whole of an agent that is perhaps meant by a list of settings, none of which names one: it is
/// written as in `-agentpath:/path/libfoo.so=options`, and the first word is no option of ours.
#[must_use]
pub fn meant_as_agent(options: &str, is_option: impl Fn(&str) -> bool) -> Option<(&str, String)> {
    let (name, its_options) = options.split_once('=').filter(|_| is_list(options))?;
    let name = name.trim();
    let is_one = name.is_empty() || name.contains(',') || is_option(name);
    let names_one = parse_settings(options).agent.is_some();
    (!is_one && !names_one).then(|| (name, format!("{name}:{its_options}")))
}

/// Reads a list of settings, as in `JVMPI_OPTIONS`; `agent=` may end it here, too.
#[must_use]
pub fn parse_settings(options: &str) -> AgentPath {
    let mut path = AgentPath::default();
    let mut rest = options;
    loop {
        rest = rest.trim_start();
        if let Some(spec) = rest.strip_prefix("agent=") {
            path.set_agent(spec, rest);
            return path;
        }
        let (word, behind) = match rest.split_once(',') {
            Some((word, behind)) => (word, Some(behind)),
            None => (rest, None),
        };
        path.add_word(word.trim_end());
        match behind {
            Some(behind) => rest = behind,
            None => return path,
        }
    }
}

impl AgentPath {
    fn set_agent(&mut self, spec: &str, word: &str) {
        let (name, options) = match spec.split_once(':') {
            Some((name, options)) => (name, Some(options.to_owned())),
            None => (spec, None),
        };
        if name.is_empty() {
            self.malformed.push(word.to_owned());
        } else {
            self.agent = Some(AgentSpec {
                name: name.to_owned(),
                options,
            });
        }
    }

    fn add_word(&mut self, word: &str) {
        match word.split_once('=') {
            Some((key, value)) if !key.is_empty() => {
                self.settings.push((key.to_owned(), value.to_owned()));
            }
            Some(_) => self.malformed.push(word.to_owned()),
            // `a=1,,b=2` and a comma at the end harm nobody.
            None if word.is_empty() => {}
            None => self.malformed.push(word.to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agent(name: &str, options: Option<&str>) -> Option<AgentSpec> {
        Some(AgentSpec {
            name: name.to_owned(),
            options: options.map(str::to_owned),
        })
    }

    fn settings(path: &AgentPath) -> String {
        let words = path
            .settings
            .iter()
            .map(|(key, value)| format!("{key}={value}"));
        words.collect::<Vec<_>>().join(",")
    }

    #[test]
    fn an_agent_alone() {
        for (text, expected) in [
            ("hprof", agent("hprof", None)),
            ("hprof:", agent("hprof", Some(""))),
            ("hprof:help", agent("hprof", Some("help"))),
            (
                "hprof:cpu=samples,depth=8",
                agent("hprof", Some("cpu=samples,depth=8")),
            ),
            (
                "/opt/x/libfoo.so:a:b=c",
                agent("/opt/x/libfoo.so", Some("a:b=c")),
            ),
            ("/opt/x/libfoo.so", agent("/opt/x/libfoo.so", None)),
            // No '=', so not a list: a name with commas in it.
            ("foo,bar", agent("foo,bar", None)),
        ] {
            let path = parse_agent_path(text);
            assert_eq!(path.agent, expected, "{text}");
            assert!(path.settings.is_empty() && path.malformed.is_empty());
        }
    }

    #[test]
    fn agents_have_short_names() {
        for (name, short) in [
            ("/opt/x/libhprof.so", "hprof"),
            ("libhprof.so.1", "hprof"),
            ("x/odd.so", "odd"),
            ("hprof", "hprof"),
            ("library", "library"),
        ] {
            assert_eq!(short_name(name), short, "{name}");
        }
    }

    #[test]
    fn settings_alone() {
        let path = parse_agent_path("log=info,log-file=/tmp/a:b,x=y=z,");
        assert_eq!(settings(&path), "log=info,log-file=/tmp/a:b,x=y=z");
        assert_eq!(path.agent, None);
        assert!(path.malformed.is_empty());
        assert_eq!(parse_agent_path(""), AgentPath::default());
    }

    #[test]
    fn an_agent_takes_the_rest() {
        let path = parse_agent_path("log=off,agent=hprof:cpu=times,file=x,agent=y");
        assert_eq!(settings(&path), "log=off");
        assert_eq!(path.agent, agent("hprof", Some("cpu=times,file=x,agent=y")));
        assert_eq!(parse_agent_path("agent=foo").agent, agent("foo", None));
        assert_eq!(
            parse_settings("a=1, agent=foo:").agent,
            agent("foo", Some(""))
        );
        // The key is `agent`, not one that ends so.
        assert_eq!(settings(&parse_agent_path("my-agent=x")), "my-agent=x");
    }

    #[test]
    fn an_agent_in_the_spelling_of_jvmti_is_told_from_settings() {
        let meant = |text| meant_as_agent(text, |key| key == "log").map(|(_, spec)| spec);
        for text in [
            "",
            "log=info",
            "log=info,x=y",
            "hprof",
            "hprof:cpu=samples",
            "oops,x=y",
            "=y",
            "x=y,agent=hprof",
        ] {
            assert_eq!(meant(text), None, "{text}");
        }
        let spec = "hprof:cpu=samples,depth=8";
        assert_eq!(meant("hprof=cpu=samples,depth=8").as_deref(), Some(spec));
        assert_eq!(meant("foo=").as_deref(), Some("foo:"));
    }

    #[test]
    fn what_is_no_setting_is_named() {
        let path = parse_agent_path("log=info,oops,=7, class-names=dots ,agent=");
        assert_eq!(settings(&path), "log=info,class-names=dots");
        assert_eq!(path.malformed, ["oops", "=7", "agent="]);
        assert_eq!(path.agent, None);
        let path = parse_agent_path(":options");
        assert_eq!((path.malformed.len(), path.agent), (1, None));
        assert_eq!(parse_settings("hprof").malformed, ["hprof"]);
    }

    #[test]
    fn every_byte_of_a_list_ends_up_somewhere() {
        let alphabet = ["a", "=", ":", ",", "agent=", "é"];
        let mut texts = vec![String::new()];
        for _ in 0..5 {
            let longer = texts
                .iter()
                .flat_map(|text| alphabet.iter().map(move |more| format!("{text}{more}")));
            texts = longer.collect();
            for text in &texts {
                let path = parse_agent_path(text);
                let mut rebuilt: Vec<String> = path.malformed.clone();
                rebuilt.extend(path.settings.iter().map(|(k, v)| format!("{k}={v}")));
                if let Some(agent) = &path.agent {
                    assert!(!agent.name.is_empty());
                    rebuilt.push(agent.name.clone());
                    rebuilt.extend(agent.options.clone());
                }
                let letters = |text: &str| text.chars().filter(|&c| c == 'a' || c == 'é').count();
                let kept: usize = rebuilt.iter().map(|part| letters(part)).sum();
                // The key `agent` itself is not kept.
                let prefix = path.agent.is_some() && is_list(text);
                assert_eq!(letters(text), kept + usize::from(prefix), "{text}");
            }
        }
    }
}
