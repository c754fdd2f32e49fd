//! Makes a page for people of the Markdown that [`super::report`] writes: headings,
//! paragraphs, lists, tables, emphasis and code. Nothing else is understood.

use std::fmt::Write;

const HEAD: &str = "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
<meta name=\"viewport\" content=\"width=device-width\"><title>From JVMPI to JVMTI</title><style>\
body{font:15px/1.45 system-ui,sans-serif;max-width:90em;margin:2em auto;padding:0 1em;color:#222}\
table{border-collapse:collapse;margin:1em 0}td,th{border:1px solid #ccc;padding:.3em .5em;vertical-align:top;\
text-align:left}th{background:#f3f3f3}code{background:#f3f3f3;padding:0 .2em}td:first-child{font-weight:600}\
</style></head><body>\n";

/// Whether a file with these first bytes is such a page.
#[must_use]
pub fn is_one(head: &[u8]) -> bool {
    const TITLE: &[u8] = b"<title>From JVMPI to JVMTI</title>";
    head.starts_with(b"<!DOCTYPE html>") && head.windows(TITLE.len()).any(|part| part == TITLE)
}

/// The page.
#[must_use]
pub fn page(markdown: &str) -> String {
    let mut html = String::from(HEAD);
    let mut open = "";
    for text in markdown.lines() {
        let kind = kind_of(text);
        if kind != open {
            close(&mut html, open);
            if matches!(kind, "ul" | "ol" | "table" | "p") {
                let _ = writeln!(html, "<{kind}>");
            }
        }
        match kind {
            "h1" | "h2" => {
                let _ = writeln!(
                    html,
                    "<{kind}>{}</{kind}>",
                    inline(text.trim_start_matches(['#', ' ']))
                );
            }
            "ul" | "ol" => {
                let item = text.split_once(' ').map_or(text, |(_, item)| item);
                let _ = writeln!(html, "<li>{}</li>", inline(item));
            }
            "table" => row(&mut html, text, open != "table"),
            "p" => {
                let _ = writeln!(html, "{}", inline(text));
            }
            _ => {}
        }
        open = kind;
    }
    close(&mut html, open);
    html.push_str("</body></html>\n");
    html
}

fn kind_of(text: &str) -> &'static str {
    let number = text
        .split_once(". ")
        .is_some_and(|(number, _)| number.parse::<u8>().is_ok());
    if text.is_empty() {
        ""
    } else if text.starts_with("## ") {
        "h2"
    } else if text.starts_with("# ") {
        "h1"
    } else if text.starts_with("- ") {
        "ul"
    } else if number {
        "ol"
    } else if text.starts_with('|') {
        "table"
    } else {
        "p"
    }
}

fn close(html: &mut String, open: &str) {
    if matches!(open, "ul" | "ol" | "table" | "p") {
        let _ = writeln!(html, "</{open}>");
    }
}

fn row(html: &mut String, text: &str, head: bool) {
    if text.starts_with("|---") {
        return;
    }
    let cell = if head { "th" } else { "td" };
    html.push_str("<tr>");
    for text in text.trim_matches('|').split('|') {
        let _ = write!(html, "<{cell}>{}</{cell}>", inline(text.trim()));
    }
    html.push_str("</tr>\n");
}

/// Escapes, then `code` and **strong**.
fn inline(text: &str) -> String {
    let text = text
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;");
    alternate(&alternate(&text, "`", "code"), "**", "strong")
}

fn alternate(text: &str, mark: &str, tag: &str) -> String {
    let mut out = String::new();
    let pieces: Vec<_> = text.split(mark).collect();
    for (place, piece) in pieces.iter().enumerate() {
        // A mark without its other half stays as it is.
        if place > 0 && place % 2 == 0 {
            let _ = write!(out, "</{tag}>");
        } else if place > 0 && place + 1 < pieces.len() {
            let _ = write!(out, "<{tag}>");
        } else if place > 0 {
            out.push_str(mark);
        }
        if tag == "code" && place % 2 == 1 && place + 1 < pieces.len() {
            // Code is as it is: nothing in it is a mark.
            out.push_str(&piece.replace('*', "&#42;"));
        } else {
            out.push_str(piece);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_reports_are_made_of() {
        let html = page(
            "# A & B\n\ntext `x<y>` **s**\n\n- one\n- two\n\n| h | i |\n|---|---|\n| a | b |\n\n1. first\n",
        );
        for text in [
            "<h1>A &amp; B</h1>",
            "<p>\ntext <code>x&lt;y&gt;</code> <strong>s</strong>\n</p>",
            "<ul>\n<li>one</li>\n<li>two</li>\n</ul>",
            "<table>\n<tr><th>h</th><th>i</th></tr>\n<tr><td>a</td><td>b</td></tr>\n</table>",
            "<ol>\n<li>first</li>\n</ol>",
        ] {
            assert!(html.contains(text), "{text}\n{html}");
        }
    }

    #[test]
    fn half_a_mark_stays() {
        assert_eq!(inline("a ` b"), "a ` b");
        assert_eq!(inline("`a` ` b"), "<code>a</code> ` b");
    }

    #[test]
    fn code_has_no_marks_in_it() {
        assert_eq!(
            inline("`a ** b` **s** `**`"),
            "<code>a &#42;&#42; b</code> <strong>s</strong> <code>&#42;&#42;</code>"
        );
    }
}
