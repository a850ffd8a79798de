//! From the client to the upstream: frames are checked, messages judged, and their bytes forwarded as the client sent them.

use std::time::Duration;

use bytes::BytesMut;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _};
use tokio::time::{Instant, sleep_until, timeout_at};
use waf_shared::limits;

use super::super::tunnel::Moved;
use super::message::{Judged, Message};
use super::rates::Rates;
use super::report::Reporter;
use super::session::{Session, Stop, write_pending};
use crate::audit::Disposition;
use crate::http1::reader::Reader;
use crate::websocket::{Code, Fault, Frames, Header, Opcode, Part, Role, Sequence, check_control, unmask};

/// The direction to the upstream.
#[derive(Debug)]
pub(super) struct Upstream<'s, W> {
    writer: &'s mut W,
    session: Session<'s>,
    reporter: Reporter<'s>,
    frames: Frames,
    sequence: Sequence,
    rates: Rates,
    /// Head of the frame in hand, and what it is for.
    frame: Option<(Header, Role)>,
    /// Payload of the control frame in hand, as it came.
    control: Vec<u8>,
    message: Option<Message>,
    /// Bytes that may be forwarded and are not yet written.
    pending: BytesMut,
    /// True if the last byte that may be forwarded is the last of a frame.
    is_at_border: bool,
    is_closed: bool,
}

impl<'s, W: AsyncWrite + Unpin> Upstream<'s, W> {
    pub(super) fn new(writer: &'s mut W, session: Session<'s>) -> Upstream<'s, W> {
        Upstream {
            writer,
            session,
            reporter: Reporter::new(session),
            frames: Frames::default(),
            sequence: Sequence::default(),
            rates: Rates::new(Instant::now()),
            frame: None,
            control: Vec::new(),
            message: None,
            pending: BytesMut::new(),
            is_at_border: true,
            is_closed: false,
        }
    }

    /// The most severe disposition of a message.
    pub(super) fn worst(&self) -> Option<Disposition> {
        self.reporter.worst()
    }

    /// Forwards until the client ends, or something is refused.
    pub(super) async fn run<R: AsyncRead + Unpin>(
        &mut self,
        from: &mut Reader<R>,
        moved: &Moved,
    ) -> Result<(), Stop> {
        loop {
            let read = match self.deadline() {
                None => from.bytes().await,
                Some(deadline) => match timeout_at(deadline, from.bytes()).await {
                    Ok(read) => read,
                    Err(_) => return Err(self.refuse(LATE).await),
                },
            };
            let bytes = read?;
            if bytes.is_empty() {
                self.writer.shutdown().await?;
                return Ok(());
            }
            moved.now();
            self.rates.tick(Instant::now());
            if !self.is_closed {
                self.forward(&bytes).await?;
                moved.now();
            }
            if let Some(until) = self.rates.pause() {
                sleep_until(until).await;
            }
        }
    }

    /// Sends a close frame, if one can stand behind what was sent.
    pub(super) async fn close(&mut self, code: Code) -> std::io::Result<()> {
        write_pending(self.writer, &mut self.pending, |_| {}).await?;
        if self.is_at_border && !self.is_closed {
            self.writer.write_all(&code.to_upstream()).await?;
        }
        self.writer.shutdown().await
    }

    /// The time by which the message in hand has to be whole: its bytes are kept until then.
    fn deadline(&self) -> Option<Instant> {
        let began = self.message.as_ref().filter(|message| message.is_held())?.began();
        Some(began + Duration::from_secs(limits::WEBSOCKET_MESSAGE_SECONDS))
    }

    /// Takes bytes of the client, and writes those that may be forwarded.
    async fn forward(&mut self, bytes: &[u8]) -> Result<(), Stop> {
        let taken = self.take(bytes);
        self.reporter.send().await?;
        write_pending(self.writer, &mut self.pending, |_| {}).await?;
        match taken {
            Ok(()) => Ok(()),
            Err(Refused::Message(code)) => Err(Stop::Close(code)),
            Err(Refused::Frame(fault)) => Err(self.refuse(fault).await),
        }
    }

    /// Reports a break of the protocol.
    async fn refuse(&mut self, fault: Fault) -> Stop {
        self.reporter.fault(fault);
        match self.reporter.send().await {
            Ok(()) => Stop::Close(fault.code),
            Err(stop) => stop,
        }
    }

    fn take(&mut self, bytes: &[u8]) -> Result<(), Refused> {
        let mut rest = bytes;
        while !self.is_closed
            && let Some(part) = self.frames.next(&mut rest)?
        {
            match part {
                Part::Begin(header) => self.begin(header)?,
                Part::Data(data, offset) => self.data(data, offset)?,
                Part::End => self.end()?,
            }
        }
        Ok(())
    }

    fn begin(&mut self, header: Header) -> Result<(), Refused> {
        let role = self.sequence.next(&header)?;
        self.frame = Some((header, role));
        match role {
            Role::Control => {
                self.rates.control()?;
                self.control.clear();
                return Ok(());
            }
            Role::First { is_text } => {
                self.rates.message();
                self.reporter.begin_message();
                self.message = Some(Message::new(is_text, self.session));
            }
            Role::Next => {}
        }
        if header.length == 0 && !header.is_final {
            self.rates.control()?;
        }
        let Some(message) = &mut self.message else { return Ok(()) };
        message.begin_frame(&header, &mut self.pending)?;
        self.is_at_border &= message.is_held();
        Ok(())
    }

    fn data(&mut self, data: &[u8], offset: u64) -> Result<(), Refused> {
        match (self.frame, &mut self.message) {
            (Some((_, Role::Control)), _) => self.control.extend_from_slice(data),
            (Some((header, _)), Some(message)) => {
                let judged = message.data((data, header.mask, offset), &mut self.pending)?;
                self.is_at_border &= message.is_held();
                self.judged(judged)?;
            }
            _ => {}
        }
        Ok(())
    }

    fn end(&mut self) -> Result<(), Refused> {
        let Some((header, role)) = self.frame.take() else { return Ok(()) };
        if role == Role::Control {
            return self.end_control(&header);
        }
        let Some(message) = &mut self.message else { return Ok(()) };
        self.is_at_border |= !message.is_held();
        if header.is_final {
            let judged = message.finish(&mut self.pending)?;
            self.judged(judged)?;
            self.is_at_border = true;
            if let Some(message) = self.message.take() {
                self.reporter.end_message(message);
            }
        }
        Ok(())
    }

    /// Forwards a control frame ahead of the message that is held.
    fn end_control(&mut self, header: &Header) -> Result<(), Refused> {
        let mut payload = Vec::new();
        unmask(&self.control, header.mask, 0, &mut payload);
        check_control(header.opcode, &payload)?;
        let mut head = Vec::new();
        header.write(&mut head);
        self.pending.extend_from_slice(&head);
        self.pending.extend_from_slice(&self.control);
        if header.opcode == Opcode::Close {
            // No frame follows this one, so the message in hand never ends.
            self.is_closed = true;
            if let Some(message) = self.message.take() {
                self.reporter.give_back(message);
            }
        }
        Ok(())
    }

    fn judged(&mut self, judged: Judged) -> Result<(), Refused> {
        if judged == Judged::Refused
            && let Some(message) = self.message.take()
        {
            self.reporter.refused(message);
            return Err(Refused::Message(Code::POLICY));
        }
        Ok(())
    }
}

/// The refusal of something in the bytes of a client.
enum Refused {
    /// A message, which was reported.
    Message(Code),
    /// A frame.
    Frame(Fault),
}

impl From<Fault> for Refused {
    fn from(fault: Fault) -> Refused {
        Refused::Frame(fault)
    }
}

const LATE: Fault = Fault::new(Code::POLICY, "a message was not whole in time");
