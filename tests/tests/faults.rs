//! The kept faults (`mutants/`, `./check --mutants`) still fit the sources and the tests.

use xrun_tests::faults;

/// A list whose texts are gone would test nothing.
#[test]
fn each_text_stands_once_in_the_product() {
    let sources = faults::product_sources().expect("the sources can be read");
    let wrong: Vec<String> = faults::all()
        .expect("the faults can be read")
        .iter()
        .filter_map(|fault| {
            let why = fault.place(&sources).err()?;
            Some(format!("tests/mutants/{}.toml: {why}", fault.name))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn each_fault_changes_something_and_names_its_tests() {
    for fault in faults::all().expect("the faults can be read") {
        let (name, says) = (&fault.name, &fault.says);
        assert_ne!(says.find, says.replace, "{name}");
        assert!(!says.find.trim().is_empty(), "{name}");
        assert!(!says.what.trim().is_empty(), "{name}");
        assert!(!says.tests.is_empty(), "{name}");
    }
}

/// What cargo would be asked for: a test that has been renamed would be noticed by no run
/// but that of the faults themselves.
#[test]
fn each_test_that_a_fault_names_is_there() {
    let sources = faults::all_sources().expect("the sources can be read");
    for fault in faults::all().expect("the faults can be read") {
        for test in &fault.says.tests {
            // Without one nothing is built where the test is sought, and that looks like a fault that was caught.
            let has_package = test.split_whitespace().any(|word| word == "-p");
            assert!(has_package, "{}: no package of `{test}`", fault.name);
            let mut words = test.split_whitespace();
            while let Some(word) = words.next() {
                let there = match word {
                    "-p" => words.next().is_some(),
                    "--test" => words.next().is_some_and(|target| {
                        let is_it = |file: &str| {
                            let mut sources = sources.iter();
                            sources.any(|source| source.path.ends_with(file))
                        };
                        target == "integration"
                            || is_it(&format!("tests/{target}.rs"))
                            || is_it(&format!("tests/{target}/main.rs"))
                    }),
                    word if word.starts_with('-') => true,
                    filter => {
                        let name = filter.rsplit("::").next().unwrap_or(filter);
                        sources.iter().any(|source| {
                            source.text.lines().any(|line| {
                                line.trim_start().starts_with("fn ") && line.contains(name)
                            }) || source.text.contains(&format!("mod {name}"))
                        })
                    }
                };
                assert!(there, "{}: no test `{test}` ({word})", fault.name);
            }
        }
    }
}
