//! Every option, and what is refused.

use std::num::NonZeroU16;
use std::time::Duration;

use super::reader::MAX_DEPTH;
use super::*;

fn options(text: &str) -> Options {
    match parse(text) {
        Ok(Asked::Profile(options)) => *options,
        other => panic!("{text}: {other:?}"),
    }
}

fn refusal(text: &str) -> String {
    parse(text).expect_err(text)
}

#[test]
fn without_options_it_is_the_heap() {
    let plain = options("");
    assert!(plain.sites && plain.dump && plain.cpu.is_none() && !plain.monitor);
    assert_eq!(plain.target, Target::File("java.hprof.txt".into()));
    assert_eq!((plain.depth, plain.interval), (4, 10));
    assert!(plain.lineno && plain.doe && plain.force && !plain.thread);
    assert_eq!(plain.cutoff.to_bits(), 0.0001_f64.to_bits());
    assert!(options("depth=9,doe=n").sites);
    assert!(!options("monitor=y").sites);
    assert!(!options("cpu=samples").dump);
}

#[test]
fn every_option_is_read() {
    let all = options(
        "heap=sites,cpu=times,monitor=y,format=a,file=x-%p,depth=0,cutoff=0.5,lineno=n,thread=y,doe=n,gc_okay=n,interval=3,msa=y,force=n,verbose=n,clock=wall,kernel=n,commands=n,rewrite=5m,sample=512k,include=a.+b,exclude=c,small-methods=skip,method-budget=20",
    );
    assert_eq!(all.cpu, Some(CpuMode::Times));
    assert_eq!(all.sample, Some(524_288));
    assert_eq!(all.rewrite, Some(Duration::from_secs(300)));
    assert_eq!(all.include.as_deref(), Some("a.+b"));
    assert_eq!((all.skip_small, all.budget), (true, Some(20)));
    assert_eq!(all.exclude.as_deref(), Some("c"));
    assert!(all.sites && !all.dump && all.monitor && all.thread);
    assert!(!all.lineno && !all.doe && !all.force && !all.kernel && !all.commands);
    assert_eq!((all.depth, all.interval), (0, 3));
    assert_eq!(all.talk, Talk::Errors);
    assert_eq!(all.clock, Clock::Wall);
    assert_eq!(options("cpu=y").cpu, Some(CpuMode::Samples));
    assert_eq!(options("cpu=old,depth=7").depth, 2);
    assert_eq!(options("depth=100000").depth, MAX_DEPTH);
    assert_eq!(
        options("net=[::1]:65535").target,
        Target::Net {
            host: "::1".into(),
            port: NonZeroU16::MAX
        }
    );
    assert_eq!(
        options("format=b").target,
        Target::File("java.hprof".into())
    );
    assert_eq!(options("format=flame,cpu=samples").depth, 128);
    assert_eq!(
        options("format=pprof,cpu=samples").target,
        Target::File("java.hprof.pb.gz".into())
    );
    // Not asked for by name: what there is of the heap.
    assert!(options("format=flame").sites && !options("format=flame").dump);
    assert!(options("format=collapsed").sites);
    assert_eq!(parse("cpu=samples,help"), Ok(Asked::Help));
    for (colons, equals) in [
        ("cpu:samples,depth:8", "cpu=samples,depth=8"),
        ("net:[::1]:80,cpu=times", "net=[::1]:80,cpu=times"),
        ("file:a:b,heap:sites", "file=a:b,heap=sites"),
    ] {
        assert_eq!(parse(colons), parse(equals), "{colons}");
    }
    assert!(refusal("cpu").contains("cpu=samples, or cpu:samples"));
    assert_eq!(refusal("speed"), "\"speed\" is not an option");
    assert_eq!(
        refusal("cpu=sample"),
        "cpu=sample: samples, times or old expected (did you mean samples?)"
    );
    assert_eq!(refusal("monitor=yes"), "monitor=yes: y or n expected");
}

#[test]
fn nonsense_is_refused_in_words() {
    for text in [
        "heap=y",
        "cpu=fast",
        "monitor=maybe",
        "format=c",
        "file=",
        "net=host",
        "net=:1",
        "net=h:0",
        "net=h:65536",
        "depth=-1",
        "depth=x",
        "cutoff=2",
        "cutoff=NaN",
        "lineno=",
        "interval=0",
        "speed=9",
        "heap",
        "heap:",
        "cpu:sample",
        "net:host:x",
        ":cpu",
        "a=b=c",
        "format=b,cpu=times",
        "format=b,cpu=old",
        "format=b,monitor=y",
        "format=flame,heap=dump",
        "format=json,heap=all",
        "format=pprof,heap=dump",
        "cpu=samples,heap=sites,format=collapsed",
        "cpu=times,monitor=y,format=collapsed",
        "heap=dump,format=collapsed",
        "file=x,net=h:1",
        "cpu=samples,sample=512k",
        "heap=sites,sample=",
        "heap=sites,sample=0",
        "heap=sites,sample=k",
        "heap=sites,sample=2048m",
        "heap=sites,sample=5000m",
        "heap=sites,sample=+1",
        "heap=sites,include=a.",
        "cpu=samples,small-methods=skip",
        "heap=sites,method-budget=20",
        "cpu=times,small-methods=some",
        "cpu=times,method-budget=0",
        "cpu=times,method-budget=101",
        "cpu=samples,exclude=a.",
        "cpu=times,include=",
        "traces=n",
        "rewrite=0",
        "rewrite=",
        "rewrite=25h",
        "rewrite=+1",
        "rewrite=1d",
        "net=h:1,rewrite=60s",
        "heap=dump,traces=n",
        "heap=all,format=b,traces=n",
        "heap=dump,format=b,cpu=samples,traces=n",
        "heap=dump,format=b,sample=512k,traces=n",
        "heap=dump,format=b,net=h:1,traces=n",
    ] {
        assert!(!refusal(text).is_empty());
    }
}

#[test]
fn a_misspelt_option_gets_the_nearest() {
    let said = parse("cup=samples").unwrap_err();
    assert_eq!(said, "\"cup\" is not an option (did you mean cpu?)");
    assert_eq!(parse("qqqq=1").unwrap_err(), "\"qqqq\" is not an option");
    for key in ["traces", "small-methods", "method-budget", "msa"] {
        let said = parse(&format!("{key}x=1")).unwrap_err();
        assert!(said.ends_with(&format!("(did you mean {key}?)")), "{said}");
    }
    // Of a value all that there are are named.
    assert!(
        parse("cpu=sample")
            .unwrap_err()
            .contains("samples, times or old")
    );
}
