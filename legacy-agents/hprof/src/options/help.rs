//! `-Xrunhprof:help`.

/// What `help` prints.
pub const HELP: &str = "\
HPROF: heap, CPU and lock profiles of a Java program

  -Xrunhprof[:help]|[:option=value,...]

  heap=dump|sites|all    objects, the places they come from, or both
                         (all, if none of heap, cpu, monitor is given)
  sample=SIZE            not every allocation, which takes most of a program's time, but
                         one in SIZE bytes on average, say 512k: heap=sites then shows
                         estimates, with their standard errors. With xrun only
  cpu=samples|times|old  looks every interval, times every call, by caller and callee
  monitor=y|n            time lost waiting for locks, and who holds which; with xrun
                         also time parked, as for those of java.util.concurrent    (n)
  format=a|b             text or binary                                            (a)
         collapsed|flame|json|pprof
                         a line per stack, a page with a flame graph, JSON, and gzipped
                         profile.proto, as go tool pprof and others read it
  file=NAME              %p is the process id, %h the host, %t the time, %x{NAME} a variable
                         of the environment           (java.hprof.txt, java.hprof, ...);
                         readable for you alone; what is there already stays until the
                         first dump is whole
  net=HOST:PORT          sends to a listening program instead, and obeys its commands:
                         one message ends the VM, nobody is asked for a password, and
                         nothing is encrypted. For lines that you trust
  commands=y|n           n: whoever is connected by net= is not obeyed             (y)
  depth=N                frames of a trace                    (4; 128 in new formats)
  traces=y|n             n: heap=dump,format=b does not say where each object was made, and
                         what costs most is left out: the VM's own dumper writes the
                         file, each time anew. With xrun only; else as with y       (y)
  cutoff=X               tables end below this share                          (0.0001)
  lineno=y|n             line numbers in traces                                    (y)
  thread=y|n             traces name their thread                                  (n)
  doe=y|n                dump on exit                                              (y)
  rewrite=TIME           every 60s, say, the profile so far takes the place of the last, so
                         that a process that crashes or is killed leaves one, after two
                         seconds the first                                        (off)
  interval=MS            between two samples                                      (10)
  clock=cpu|wall         what cpu=times measures: a thread's running time, which
                         takes longer to read, or the time that passes           (cpu)
  include=A.+B., exclude=...
                         cpu=times and cpu=old measure only calls of methods of classes
                         whose names begin so; not of those. With xrun only
  small-methods=all|skip cpu=times and cpu=old leave out methods of few bytecodes that
                         call nothing and have no loop: less is to be measured there
                         than measuring takes. With xrun only                    (all)
  method-budget=PERCENT  methods whose calls cost more to measure than they take are
                         measured no more, the most expensive first, once measuring
                         takes so much of the CPU time; the profile says which, and
                         how often they were called until then, but collapsed, which
                         has no place for it. With xrun only                    (off)
  kernel=y|n             n: cpu=samples asks only JVMPI who runs, as HPROF did once;
                         recordings of such runs can be replayed                  (y)
  force=y|n              n: a file that exists is kept, NAME.PID is written; beside
                         NAME.txt NAME.PID.txt, unless format=b                    (y)
  verbose=y|n            y: tables for people on stderr; n: errors only
  gc_okay=y|n, msa=y|n   accepted, without effect

  Instead of '=' there may be ':', for tools that cut at '=':
  jcmd PID JVMTI.agent_load /path/libjvmpi.so hprof:cpu:samples,depth:8
  kill -QUIT PID dumps at any time.
  cpu=times, cpu=old and monitor=y cannot be written with format=b, heap dumps only with a
  and b, and collapsed has one of cpu=, heap=sites and monitor=y at a time.

  java -Xrunhprof:cpu=samples,depth=8 -jar app.jar
  java -Xrunhprof:heap=sites,file=sites-%p.txt -jar app.jar
  java -Xrunhprof:heap=dump,format=b,traces=n -jar app.jar
  java -Xrunhprof:cpu=samples,heap=sites,sample=512k,format=flame -jar app.jar
  java -Xrunhprof:cpu=times,clock=wall,include=com.acme. -jar app.jar
  java -Xrunhprof:cpu=times,small-methods=skip,method-budget=20 -jar app.jar
";
