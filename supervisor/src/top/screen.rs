//! The live view: a look now and then, keys, and a terminal that is given back as it was, whatever happens.

mod view;

use std::io::{self, IsTerminal as _};
use std::time::{Duration, SystemTime};

use crossterm::event::{Event, EventStream, KeyCode, KeyEventKind, KeyModifiers};
use futures_util::StreamExt as _;
use ratatui::DefaultTerminal;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::task::JoinSet;
use tokio::time::{Instant, MissedTickBehavior};

use super::history::History;
use super::{Address, Sheet, TopError, figures};

/// Looks every `interval` and shows what it saw, until somebody quits. A first look that fails is an error; later the
/// last figures stay on the screen, with the reason below them.
pub(super) async fn run(address: &Address, interval: Duration) -> Result<(), TopError> {
    if !(io::stdin().is_terminal() && io::stdout().is_terminal()) {
        return Err(TopError::NoTerminal);
    }
    let mut history = History::default();
    history.add(figures(address).await?, Instant::now());
    let mut fault = None;

    let mut ends = Ends::listen().map_err(TopError::System)?;
    let mut screen = Screen::enter().map_err(TopError::Terminal)?;
    let mut keys = EventStream::new();
    let mut looks = JoinSet::new();
    let mut ticks = tokio::time::interval_at(Instant::now() + interval, interval);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        let sheet = Sheet::of(address, &history, SystemTime::now());
        let state = view::State { interval, fault: fault.as_ref(), age: history.age(Instant::now()) };
        screen.0.draw(|frame| view::draw(frame, &sheet, &state)).map_err(TopError::Terminal)?;
        tokio::select! {
            key = keys.next() => match key {
                Some(Ok(event)) if quits(&event) => return Ok(()),
                // A change of size, too, is a reason to draw.
                Some(Ok(_)) => {}
                Some(Err(error)) => return Err(TopError::Terminal(error)),
                None => return Ok(()),
            },
            _ = ticks.tick() => {
                // A look that still waits is not overtaken by another.
                if looks.is_empty() {
                    let address = address.clone();
                    looks.spawn(async move { figures(&address).await });
                }
            }
            Some(Ok(look)) = looks.join_next() => match look {
                Ok(figures) => {
                    history.add(figures, Instant::now());
                    fault = None;
                }
                Err(error) => fault = Some(error),
            },
            () = ends.next() => return Ok(()),
        }
    }
}

/// Signals that end the program.
struct Ends([Signal; 3]);

impl Ends {
    fn listen() -> io::Result<Ends> {
        let [terminate, interrupt, hangup] =
            [SignalKind::terminate(), SignalKind::interrupt(), SignalKind::hangup()].map(signal);
        Ok(Ends([terminate?, interrupt?, hangup?]))
    }

    async fn next(&mut self) {
        let [terminated, interrupted, hung_up] = &mut self.0;
        tokio::select! {
            _ = terminated.recv() => {}
            _ = interrupted.recv() => {}
            _ = hung_up.recv() => {}
        }
    }
}

/// True if somebody has seen enough. Ctrl-C is a key like others here: a terminal in raw mode makes no signal of it.
fn quits(event: &Event) -> bool {
    let Event::Key(key) = event else { return false };
    key.kind == KeyEventKind::Press
        && match key.code {
            KeyCode::Char('c') => key.modifiers.contains(KeyModifiers::CONTROL),
            KeyCode::Char('q' | 'Q') | KeyCode::Esc => true,
            _ => false,
        }
}

/// The terminal while it is ours. It is given back when this is dropped, and by the library's hook when we panic.
struct Screen(DefaultTerminal);

impl Screen {
    fn enter() -> io::Result<Screen> {
        let terminal = ratatui::try_init().inspect_err(|_| {
            // Half of the way may have been gone.
            let _ = ratatui::try_restore();
        })?;
        Ok(Screen(terminal))
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // A terminal that is gone needs nothing.
        let _ = ratatui::try_restore();
    }
}

#[cfg(test)]
mod tests {
    use crossterm::event::KeyEvent;

    use super::*;

    #[test]
    fn some_keys_quit() {
        let key = |code, modifiers| Event::Key(KeyEvent::new(code, modifiers));
        let none = KeyModifiers::NONE;
        for event in [
            key(KeyCode::Char('q'), none),
            key(KeyCode::Char('Q'), KeyModifiers::SHIFT),
            key(KeyCode::Esc, none),
            key(KeyCode::Char('c'), KeyModifiers::CONTROL),
        ] {
            assert!(quits(&event), "{event:?}");
        }
        let mut released = KeyEvent::new(KeyCode::Char('q'), none);
        released.kind = KeyEventKind::Release;
        for event in [
            key(KeyCode::Char('c'), none),
            key(KeyCode::Enter, none),
            Event::Key(released),
            Event::Resize(1, 1),
        ] {
            assert!(!quits(&event), "{event:?}");
        }
    }
}
