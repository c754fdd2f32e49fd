//! Makes a page for people of the Markdown that [`crate::report`] writes. It loads nothing, leads
//! nowhere and runs nothing, whatever the names in it are: HTML in it is shown as text, and links
//! are their words.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd, html};

const HEAD: &str = "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
<meta name=\"viewport\" content=\"width=device-width\"><title>From JVMPI to JVMTI</title><style>\
:root{color-scheme:light dark}\
body{font:15px/1.45 system-ui,sans-serif;max-width:90em;margin:2em auto;padding:0 1em;color:#222;background:#fff}\
p,li,code{overflow-wrap:anywhere}td,th{border:1px solid #ccc;padding:.3em .5em;vertical-align:top;\
text-align:left;min-width:5em}table{border-collapse:collapse;margin:1em 0;display:block;max-width:100%;overflow-x:auto}\
th,code{background:#f3f3f3}code{padding:0 .2em}td:first-child{font-weight:600}td+td{overflow-wrap:anywhere}td+td+td{min-width:9em}\
@media print{table{display:table;font-size:9px}td,td+td+td,th{min-width:0;overflow-wrap:anywhere}tr{break-inside:avoid}}\
@media screen and (prefers-color-scheme:dark){body{color:#ddd;background:#181818}th,code{background:#2a2a2a}td,th{border-color:#555}}\
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
    let mut page = String::from(HEAD);
    let events = Parser::new_ext(markdown, Options::ENABLE_TABLES);
    html::push_html(&mut page, events.filter_map(harmless));
    page.push_str("</body></html>\n");
    page
}

/// What may be on the page, of an event.
fn harmless(event: Event<'_>) -> Option<Event<'_>> {
    if let Event::Html(text) | Event::InlineHtml(text) = event {
        return Some(Event::Text(text));
    }
    let leads_away = matches!(
        event,
        Event::Start(Tag::HtmlBlock | Tag::Link { .. } | Tag::Image { .. })
            | Event::End(TagEnd::HtmlBlock | TagEnd::Link | TagEnd::Image)
    );
    (!leads_away).then_some(event)
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
            "<p>text <code>x&lt;y&gt;</code> <strong>s</strong></p>",
            "<ul>\n<li>one</li>\n<li>two</li>\n</ul>",
            "<table><thead><tr><th>h</th><th>i</th></tr></thead><tbody>\n<tr><td>a</td><td>b</td></tr>\n</tbody></table>",
            "<ol>\n<li>first</li>\n</ol>",
        ] {
            assert!(html.contains(text), "{text}\n{html}");
        }
    }

    /// What stands between the page's head and its end.
    fn inside(markdown: &str) -> String {
        let html = page(markdown);
        let inside = html.strip_prefix(HEAD).expect("its head");
        inside.trim_end_matches("</body></html>\n").to_owned()
    }

    #[test]
    fn half_a_mark_stays() {
        assert_eq!(inside("a ` b"), "<p>a ` b</p>\n");
        assert_eq!(inside("`a` ` b"), "<p><code>a</code> ` b</p>\n");
    }

    #[test]
    fn code_has_no_marks_in_it() {
        assert_eq!(
            inside("`a ** b` **s** `**`"),
            "<p><code>a ** b</code> <strong>s</strong> <code>**</code></p>\n"
        );
    }

    #[test]
    fn nothing_is_loaded_or_run() {
        for (markdown, html) in [
            ("a <b>c</b>", "<p>a &lt;b&gt;c&lt;/b&gt;</p>\n"),
            ("<script>x</script>\n", "&lt;script&gt;x&lt;/script&gt;\n"),
            ("[a](javascript:b)", "<p>a</p>\n"),
            ("![a](http://b)", "<p>a</p>\n"),
            ("<http://b>", "<p>http://b</p>\n"),
        ] {
            assert_eq!(inside(markdown), html, "{markdown}");
        }
    }
}
