//! Lines, numbers and times as `printf` writes them.

/// An error is a sentence; the line is added once.
pub(super) type Result<T> = std::result::Result<T, String>;

/// The lines of a file, of which each ends.
#[derive(Debug)]
pub(super) struct Lines<'a> {
    rest: &'a str,
    last: &'a str,
    number: usize,
}

impl<'a> Lines<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            rest: text,
            last: "",
            number: 0,
        }
    }

    /// The line to come; also one that does not end, which [`Self::next`] refuses.
    pub(super) fn peek(&self) -> Option<&'a str> {
        (!self.rest.is_empty()).then(|| self.rest.split('\n').next().unwrap_or_default())
    }

    pub(super) fn next(&mut self) -> Result<&'a str> {
        let found = self.rest.split_once('\n');
        let (line, rest) = found.ok_or("the file ends in the middle")?;
        (self.last, self.rest, self.number) = (line, rest, self.number + 1);
        Ok(line)
    }

    pub(super) fn exactly(&mut self, text: &str) -> Result<()> {
        match self.next()? {
            line if line == text => Ok(()),
            _ => Err(format!("not `{text}`")),
        }
    }

    pub(super) fn blame(&self, error: &str) -> String {
        format!("line {}: {error}: `{}`", self.number, self.last)
    }
}

/// What stands between these parts, of which the first begins the line and the
/// last ends it.
pub(super) fn fields<'a, const N: usize>(line: &'a str, parts: &[&str]) -> Result<[&'a str; N]> {
    assert_eq!(parts.len(), N + 1, "one part more than fields");
    let wrong = || format!("not of the form `{}`", parts.join("…"));
    let mut rest = line.strip_prefix(parts[0]).ok_or_else(wrong)?;
    let mut found = [""; N];
    for (at, part) in parts[1..].iter().enumerate() {
        let split = if at + 1 == N {
            rest.strip_suffix(part).map(|field| (field, ""))
        } else {
            rest.split_once(part)
        };
        (found[at], rest) = split.ok_or_else(wrong)?;
    }
    Ok(found)
}

/// A number as `%u` writes it.
pub(super) fn decimal<T: std::str::FromStr + ToString>(text: &str) -> Result<T> {
    match text.parse::<T>() {
        Ok(number) if number.to_string() == text => Ok(number),
        _ => Err(format!("`{text}` is no number that fits")),
    }
}

/// A number as `%x` writes it.
pub(super) fn hex(text: &str) -> Result<u64> {
    match u64::from_str_radix(text, 16) {
        Ok(number) if format!("{number:x}") == text => Ok(number),
        _ => Err(format!("`{text}` is no hexadecimal number")),
    }
}

/// `12.34%`.
pub(super) fn percent(text: &str) -> Result<f64> {
    let number = text
        .strip_suffix('%')
        .and_then(|text| text.parse::<f64>().ok());
    number
        .filter(|number| (0.0..=100.01).contains(number))
        .ok_or_else(|| format!("`{text}` is no percentage"))
}

/// `Wed Oct  7 11:38:10 1998`.
pub(super) fn ctime(text: &str) -> Result<()> {
    const DAYS: [&str; 7] = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
    const MONTHS: [&str; 12] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ];
    let read = || {
        let words: Vec<&str> = text.split_whitespace().collect();
        let [weekday, month, day, clock, year] = words[..] else {
            return None;
        };
        let parts: Vec<u32> = clock
            .split(':')
            .map(|part| part.parse().ok())
            .collect::<Option<_>>()?;
        let [hour, minute, second] = parts[..] else {
            return None;
        };
        let (day, year): (i64, i64) = (day.parse().ok()?, year.parse().ok()?);
        let at = MONTHS.iter().position(|name| *name == month)?;
        // Zeller's, the year beginning in March: January and February are the last months of the year before.
        let (m, y) = if at < 2 {
            (at as i64 + 13, year - 1)
        } else {
            (at as i64 + 1, year)
        };
        let zeller = (day + 13 * (m + 1) / 5 + y + y / 4 - y / 100 + y / 400 + 6) % 7;
        let name = DAYS[usize::try_from(zeller).ok()?];
        let again = format!("{name} {month} {day:2} {hour:02}:{minute:02}:{second:02} {year}");
        (again == text
            && weekday == name
            && (1..=31).contains(&day)
            && hour < 24
            && minute < 60
            && second < 61)
            .then_some(())
    };
    read().ok_or_else(|| format!("`{text}` is no time as ctime writes it"))
}

/// A name of the class file: not empty, on one line. A VM allows blanks in it, but no compiler makes them, and one at its
/// edge is the writer's fault.
pub(super) fn name(text: &str) -> Result<String> {
    if text.is_empty() || text.trim() != text || text.contains(char::is_control) {
        return Err(format!("`{text}` is no name"));
    }
    Ok(text.to_owned())
}
