//! A sheet as plain text, for scripts and for terminals that are none.

use std::fmt::Write as _;

use super::sheet::{Sheet, Table};

/// Columns of the names of facts.
const NAMES: usize = 10;

/// The whole sheet, without the curve.
pub(super) fn text(sheet: &Sheet) -> String {
    let mut text = format!("{}\n", sheet.title);
    for fact in &sheet.facts {
        let _ = writeln!(text, "{:<NAMES$}  {}", fact.name, fact.text);
    }
    for rows in [&sheet.protections, &sheet.routes] {
        if !rows.rows.is_empty() {
            text.push('\n');
            table(&mut text, rows);
        }
    }
    text
}

fn table(text: &mut String, table: &Table) {
    let head = table.head.iter().map(|cell| (*cell).to_owned()).collect();
    let lines: Vec<&Vec<String>> = std::iter::once(&head).chain(&table.rows).collect();
    let width = |column: usize| {
        lines.iter().filter_map(|cells| cells.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..head.len()).map(width).collect();
    for cells in &lines {
        for (column, (cell, width)) in cells.iter().zip(&widths).enumerate() {
            let _ =
                if column == 0 { write!(text, "{cell:<width$}") } else { write!(text, "  {cell:>width$}") };
        }
        text.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::super::sheet::tests::sheet;
    use super::*;

    #[test]
    fn it_reads_like_a_page() {
        let plan = "5e".repeat(32);
        let expected = format!(
            "waf 1.2.3 (abc) at http://127.0.0.1:9090/metrics\n\
             plan        {plan}, in force for 1 min 14 s\n\
             degraded    configuration\n\
             workers     2, restarted 0\n\
             reloads     2, refused 1\n\
             requests    1,000: 990 allowed, 1 detected, 9 blocked; 4 in flight\n\
             latency     p50 1.00 ms, p90 > 1.00 ms, p99 > 1.00 ms\n\
             inspection  p50 –, p90 –, p99 –\n\
             upstreams   7 failures\n\
             audit       10 events, 0 refused\n\
             traces      0 spans dropped\n\
             \n\
             PROTECTION                  BLOCKED  DETECTED\n\
             sql-injection-union-select        6         0\n\
             scanner-detection                 0         1\n\
             \n\
             ROUTE  REQUESTS  DETECTED  BLOCKED\n\
             shop        998         1        7\n\
             -             2         0        2\n"
        );
        assert_eq!(text(&sheet(&[990])), expected);
    }
}
