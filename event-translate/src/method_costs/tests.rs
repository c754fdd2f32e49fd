use super::*;

/// A program: methods by number, with how long they run of themselves, call upon call from a
/// method that runs so long between them. The CPU time that all takes.
fn run(costs: &mut Costs, meter: &mut Meter, calls: &[(i32, u64)], between: u64) -> u64 {
    const ROUNDS: u32 = 50_000;
    const WAY: u64 = 20;
    const HANDLER: u64 = 30;
    let (mut now, mut hidden) = (0, 0);
    let mut event = |number: i32, is_entry: bool, running: Option<i32>, then: u64| {
        now += WAY;
        hidden += WAY + HANDLER;
        if !meter.is_due() {
            now += HANDLER + then;
            return;
        }
        let due = meter.end(now);
        match due {
            Due::End(method, ticks) => costs.stretch(method, ticks),
            Due::Event => costs.event(number, is_entry),
            Due::Nothing => {}
        }
        now += HANDLER;
        if due == Due::Event {
            costs.handler(HANDLER);
            meter.begin(running, now);
        }
        now += then;
    };
    for _ in 0..ROUNDS {
        for &(number, own) in calls {
            event(number, true, Some(number), own);
            event(number, false, Some(0), between);
        }
    }
    now + hidden
}

const LONGEST_WAY: f64 = 30.0;
const PROGRAM: [(i32, u64); 6] = [(1, 2), (1, 2), (1, 2), (1, 2), (2, 5), (3, 900)];

#[test]
fn small_methods_go_in_the_order_of_their_cost() {
    let mut costs = Costs::default();
    let cpu = run(&mut costs, &mut Meter::new(), &PROGRAM, 100);
    let numbers = |review: &Review| review.costly.iter().map(|it| it.number).collect::<Vec<_>>();
    let review = costs.review(cpu, LONGEST_WAY, 0.45, |_| true).unwrap();
    // 12 events of 104, the shortest method being taken for a part of the way, in a round of 2713.
    assert!((review.event - 104.0).abs() < 4.0, "{review:?}");
    assert!((review.share - 1248.0 / 2713.0).abs() < 0.02, "{review:?}");
    assert_eq!(numbers(&review), [1]);
    let calls = review.costly[0].calls;
    assert!((190_000..210_000).contains(&calls), "{calls}");
    // With nothing allowed all go but the one that is worth it, and what was called before counts.
    let cpu = run(&mut costs, &mut Meter::new(), &PROGRAM, 1);
    let review = costs.review(cpu, LONGEST_WAY, 0.0, |_| true).unwrap();
    assert_eq!(numbers(&review), [1, 2]);
    assert!(
        (380_000..420_000).contains(&review.costly[0].calls),
        "{review:?}"
    );
}

#[test]
fn nobody_goes_who_is_within_the_budget_or_may_not() {
    let mut costs = Costs::default();
    let mut meter = Meter::new();
    let cpu = run(&mut costs, &mut meter, &PROGRAM, 1);
    assert_eq!(
        costs
            .review(cpu, LONGEST_WAY, 0.6, |_| true)
            .unwrap()
            .costly,
        []
    );
    let cpu = run(&mut costs, &mut meter, &PROGRAM, 1);
    let review = costs
        .review(cpu, LONGEST_WAY, 0.0, |number| number != 1)
        .unwrap();
    assert_eq!(review.costly.len(), 1);
    assert_eq!(review.costly[0].number, 2);
}

#[test]
fn long_methods_alone_are_not_taken_for_the_way_to_them() {
    let mut costs = Costs::default();
    let cpu = run(&mut costs, &mut Meter::new(), &[(1, 900), (2, 1100)], 800);
    let review = costs.review(cpu, LONGEST_WAY, 0.0, |_| true).unwrap();
    assert_eq!(review.costly, []);
}

#[test]
fn who_loses_the_processor_is_not_worth_more() {
    let mut costs = Costs::default();
    let cpu = run(&mut costs, &mut Meter::new(), &PROGRAM, 1);
    costs.stretch(1, 1 << 30);
    let review = costs.review(cpu, LONGEST_WAY, 0.0, |_| true).unwrap();
    assert_eq!(review.costly[0].number, 1);
}

#[test]
fn little_says_nothing_and_is_kept() {
    let mut costs = Costs::default();
    let mut meter = Meter::new();
    for _ in 0..ENOUGH - 1 {
        costs.event(9, true);
    }
    assert_eq!(costs.review(1000, LONGEST_WAY, 0.0, |_| true), None);
    let cpu = run(&mut costs, &mut meter, &PROGRAM, 1);
    let review = costs.review(cpu, LONGEST_WAY, 0.0, |_| true).unwrap();
    assert!(review.costly.iter().any(|it| it.number == 9), "{review:?}");
    assert_eq!(costs.review(cpu, LONGEST_WAY, 0.0, |_| true), None);
}

#[test]
fn numbers_that_are_given_back_begin_anew() {
    let mut costs = Costs::default();
    let cpu = run(&mut costs, &mut Meter::new(), &PROGRAM, 1);
    costs.review(cpu, LONGEST_WAY, 1.0, |_| true).unwrap();
    costs.forget(0..3);
    let cpu = run(&mut costs, &mut Meter::new(), &PROGRAM, 1);
    let review = costs.review(cpu, LONGEST_WAY, 0.0, |_| true).unwrap();
    assert!(review.costly[0].calls < 220_000, "{review:?}");
}

#[test]
fn distances_have_their_mean() {
    let mut meter = Meter::new();
    let events = 1_000_000_u32;
    let mut looks = 0;
    for now in 0..events {
        if meter.is_due() && meter.end(now.into()) == Due::Event {
            looks += 1;
            meter.begin(Some(1), now.into());
        }
    }
    assert!((looks * EVERY).abs_diff(events) < events / 50, "{looks}");
}

#[test]
fn distances_cannot_be_foreseen() {
    let (mut meter, mut last, mut seen) = (Meter::new(), 0, std::collections::HashSet::new());
    for now in 0..1_000_000_u32 {
        if meter.is_due() && meter.end(now.into()) == Due::Event {
            seen.insert(now - last);
            last = now;
            meter.begin(None, now.into());
        }
    }
    // Nearly all that there are.
    assert!(seen.len() > 2 * EVERY as usize - 10, "{}", seen.len());
}

#[test]
fn others_are_left_out_until_half_of_the_budget_is_left() {
    let mut costs = Costs::default();
    let cpu = run(&mut costs, &mut Meter::new(), &PROGRAM, 1);
    let review = costs.review(cpu, LONGEST_WAY, 0.3, |_| true).unwrap();
    // Without the first it is 200 of 1119.
    let numbers: Vec<_> = review.costly.iter().map(|it| it.number).collect();
    assert_eq!(numbers, [1, 2]);
}

#[test]
fn the_way_is_nobodys_time() {
    let mut costs = Costs::default();
    // Two events of 104 for 190 of its own, and between them the way of 20.
    let program = [(1, 2), (1, 2), (1, 2), (1, 2), (4, 190)];
    let cpu = run(&mut costs, &mut Meter::new(), &program, 1);
    let review = costs.review(cpu, LONGEST_WAY, 0.0, |_| true).unwrap();
    assert!(review.costly.iter().any(|it| it.number == 4), "{review:?}");
}

#[test]
fn what_is_not_worth_its_while_stays() {
    let mut costs = Costs::default();
    let cpu = run(&mut costs, &mut Meter::new(), &PROGRAM, 1);
    let review = costs.review(cpu * 10_000, LONGEST_WAY, 0.0, |_| true);
    assert_eq!(review.unwrap().costly, []);
}

/// Whose processor others use as well, its events take longer than its CPU time.
#[test]
fn events_take_no_more_than_there_is() {
    let mut costs = Costs::default();
    let cpu = run(&mut costs, &mut Meter::new(), &PROGRAM, 1);
    let review = costs.review(cpu / 10, LONGEST_WAY, 0.0, |_| true).unwrap();
    assert!((review.share - MOST).abs() < 1e-9, "{review:?}");
}

/// What an event costs after so many with these handlers and stretches.
fn event(handlers: &[(usize, u64)], stretches: &[(usize, u64)]) -> f64 {
    let mut costs = Costs::default();
    for &(count, ticks) in handlers {
        for _ in 0..count {
            costs.event(1, true);
            costs.handler(ticks);
        }
    }
    for &(count, ticks) in stretches {
        for _ in 0..count {
            costs.stretch(1, ticks);
        }
    }
    let review = costs.review(1 << 40, LONGEST_WAY, 1.0, |_| true);
    review.unwrap().event / HIDDEN
}

#[test]
fn an_event_costs_its_ordinary_handler_and_the_shortest_stretches_but_few() {
    let enough = usize::try_from(ENOUGH).unwrap();
    let is = |cost: f64, expected: f64| assert!((cost - expected).abs() < 1e-9, "{cost}");
    is(event(&[(enough, 30)], &[]), 30.0);
    is(
        event(&[(enough, 10), (enough, 30)], &[]),
        (10 * enough + 30 * (enough - enough / 25)) as f64 / (2 * enough - enough / 25) as f64,
    );
    // What met something new, or lost the processor.
    is(event(&[(enough, 30), (enough / 50, 1_000_000)], &[]), 30.0);
    is(event(&[(enough, 30)], &[(5, 1), (995, 25)]), 55.0);
    // Only the last ones count.
    is(event(&[(LENGTHS, 10), (LENGTHS, 30)], &[]), 30.0);
}
