//! Layout of a sheet on a screen of any size. It draws and decides nothing.

use std::time::Duration;

use ratatui::Frame;
use ratatui::layout::{Alignment, Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style, Stylize as _};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Cell, Paragraph, Row, Sparkline, Table};

use super::super::error::TopError;
use super::super::sheet::{self, Fact, Sheet, Tone};
use super::super::words;

/// Columns of the names of facts, and the gap behind them.
const NAMES: usize = 12;

/// Columns of a number in a table.
const NUMBERS: u16 = 10;

/// Lines of the curve with its frame, where there are lines enough.
const CURVE: u16 = 6;

/// Lines from which on there is a curve: below it would take the tables' room.
const TALL: u16 = 36;

/// Columns from which on two tables lie beside each other with whole names.
const WIDE: u16 = 160;

/// State of the view itself.
#[derive(Debug)]
pub(super) struct State<'a> {
    /// Between looks.
    pub(super) interval: Duration,
    /// Reason why the last look failed.
    pub(super) fault: Option<&'a TopError>,
    /// Age of the figures.
    pub(super) age: Duration,
}

/// Draws everything; what finds no room is left out from the bottom.
pub(super) fn draw(frame: &mut Frame<'_>, sheet: &Sheet, state: &State<'_>) {
    let facts = u16::try_from(sheet.facts.len()).unwrap_or(u16::MAX);
    let area = frame.area();
    let [title, status, top, curve, tables] = Layout::vertical([
        Constraint::Length(1),
        Constraint::Length(1),
        Constraint::Length(facts),
        Constraint::Length(if area.height < TALL { 0 } else { CURVE }),
        Constraint::Fill(1),
    ])
    .areas(area);
    frame.render_widget(Line::from(sheet.title.as_str()).bold(), title);
    frame.render_widget(self::status(state), status);
    frame.render_widget(Paragraph::new(sheet.facts.iter().map(fact).collect::<Vec<_>>()), top);
    self::curve(frame, &sheet.points, curve);
    let layout = if area.width < WIDE {
        Layout::vertical([Constraint::Fill(3), Constraint::Fill(2)])
    } else {
        Layout::horizontal([Constraint::Fill(1); 2]).spacing(1)
    };
    let [protections, routes] = layout.areas(tables);
    table(frame, &sheet.protections, " blocked and detected, by protection ", protections);
    table(frame, &sheet.routes, " requests, by route ", routes);
}

fn status<'a>(state: &State<'_>) -> Line<'a> {
    match state.fault {
        None => Line::from(format!("every {} s; q quits", state.interval.as_secs())).dim(),
        Some(fault) => {
            let age = words::age(state.age.as_secs_f64());
            Line::from(format!("as of {age} ago: {fault}")).fg(Color::Red)
        }
    }
}

fn fact(fact: &Fact) -> Line<'_> {
    let style = match fact.tone {
        Tone::Plain => Style::new(),
        Tone::Good => Style::new().fg(Color::Green),
        Tone::Bad => Style::new().fg(Color::Red).add_modifier(Modifier::BOLD),
    };
    let name = Span::from(format!("{:<NAMES$}", fact.name)).dim();
    Line::from(vec![name, Span::styled(fact.text.as_str(), style)])
}

/// The latest points, as many as there are columns.
fn curve(frame: &mut Frame<'_>, points: &[u64], area: Rect) {
    let width = usize::from(area.width.saturating_sub(2));
    let shown = points.get(points.len().saturating_sub(width)..).unwrap_or_default();
    let highest = shown.iter().max().copied().unwrap_or_default();
    let title = format!(" requests a second, at most {} ", words::count(highest as f64));
    let block = Block::bordered().title(title);
    frame.render_widget(Sparkline::default().data(shown).block(block).fg(Color::Cyan), area);
}

fn table(frame: &mut Frame<'_>, table: &sheet::Table, title: &str, area: Rect) {
    let number = |text: String| Cell::from(Line::from(text).alignment(Alignment::Right));
    let cells = |cells: Vec<String>| {
        let mut cells = cells.into_iter();
        let name = cells.next().map(Cell::from);
        Row::new(name.into_iter().chain(cells.map(number)))
    };
    let numbers = table.head.len().saturating_sub(1);
    let widths =
        std::iter::once(Constraint::Fill(1)).chain(std::iter::repeat_n(Constraint::Length(NUMBERS), numbers));
    // Rows beyond the screen need not be made.
    let rows = table.rows.iter().take(area.height.into()).cloned().map(cells);
    let head = cells(table.head.iter().map(|cell| (*cell).to_owned()).collect());
    let widget = Table::new(rows, widths)
        .header(head.add_modifier(Modifier::DIM))
        .block(Block::bordered().title(title.to_owned()));
    frame.render_widget(widget, area);
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // a failing test may panic
mod tests {
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;

    use super::super::super::sheet::tests::sheet;
    use super::*;

    fn drawn(width: u16, height: u16, sheet: &Sheet, fault: Option<&TopError>) -> Vec<String> {
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        let state = State { interval: Duration::from_secs(2), fault, age: Duration::from_secs(7) };
        terminal.draw(|frame| draw(frame, sheet, &state)).unwrap();
        let buffer = terminal.backend().buffer().clone();
        let cells: Vec<&str> = buffer.content.iter().map(ratatui::buffer::Cell::symbol).collect();
        cells.chunks(width.max(1).into()).map(|line| line.concat().trim_end().to_owned()).collect()
    }

    fn words(line: &str) -> String {
        line.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_screen_shows_everything() {
        let lines = drawn(170, 40, &sheet(&[90, 100, 120]), None);
        assert_eq!(lines[0], "waf 1.2.3 (abc) at http://127.0.0.1:9090/metrics");
        assert_eq!(lines[1], "every 2 s; q quits");
        assert_eq!(lines[2], format!("plan        {}, in force for 1 min 14 s", "5e".repeat(32)));
        assert_eq!(lines[3], "degraded    configuration");
        assert_eq!(lines[6], "requests    130 (7.5/s): 120 allowed, 1 detected, 9 blocked; 4 in flight");
        assert!(lines[12].contains("requests a second, at most 8"), "{}", lines[12]);
        assert!(lines[16].contains('\u{2588}'), "a curve: {}", lines[16]);
        assert!(lines[18].contains("by protection") && lines[18].contains("by route"), "{}", lines[18]);
        let heads = "│PROTECTION BLOCKED DETECTED A SECOND│ │ROUTE REQUESTS DETECTED BLOCKED A SECOND│";
        assert_eq!(words(&lines[19]), heads);
        assert_eq!(words(&lines[20]), "│sql-injection-union-select 6 0 0│ │shop 128 1 7 7.5│");
    }

    #[test]
    fn a_small_screen_has_room_for_the_tables() {
        let lines = drawn(80, 24, &sheet(&[90, 100, 120]), None);
        assert!(lines[12].contains("by protection"), "{lines:#?}");
        assert_eq!(words(&lines[14]), "│sql-injection-union-select 6 0 0│");
        assert!(lines.iter().any(|line| words(line) == "│shop 128 1 7 7.5│"), "{lines:#?}");
    }

    #[test]
    fn a_look_that_failed_is_told_and_the_last_figures_stay() {
        let fault = TopError::NoTerminal;
        let lines = drawn(200, 30, &sheet(&[90]), Some(&fault));
        assert_eq!(lines[1], format!("as of 7 s ago: {fault}"));
        assert!(lines[6].starts_with("requests    100:"));
    }

    #[test]
    fn any_size_will_do() {
        let mut huge = sheet(&[1, u32::MAX]);
        huge.points = vec![u64::MAX, 0, u64::MAX];
        huge.routes.rows = vec![vec!["r".repeat(80); 9]; 1000];
        for sheet in [sheet(&[]), sheet(&[90, 95]), huge] {
            for (width, height) in [(0, 0), (1, 1), (2, 40), (40, 2), (80, 24), (7, 13), (500, 200)] {
                drawn(width, height.max(1).min(height), &sheet, None);
            }
        }
    }
}
