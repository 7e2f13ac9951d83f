//! Messages on a stream: a header that tells a length, and so many bytes of JSON.
//!
//! A message that makes no sense is told and left out. `lsp-server` would end with it, and an editor that sends one such
//! message would have no linter from there on.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::sync::mpsc::{self, Sender};
use std::thread::{self, JoinHandle};

use lsp_server::{ErrorCode, Message, RequestId, Response};
use serde_json::Value;

use super::server::Event;

/// The longest message that is read, in bytes: a file of the largest size with every byte escaped, and more.
const LONGEST: u64 = 64 << 20;

/// The longest line of a header, in bytes.
const HEADER: u64 = 64 << 10;

/// What a header says before a length.
const LENGTH: &str = "content-length:";

/// What came in.
#[derive(Debug)]
pub(super) enum Received {
    /// A message.
    Message(Message),
    /// Something that is none, why, and the request that it was meant as, where that can be told.
    Broken(String, Option<RequestId>),
}

/// Reads messages for the event loop until there are no more.
pub(super) fn listen(input: impl Read + Send + 'static, tell: Sender<Event>) {
    // It may wait for the editor for ever, and ends with the process then.
    thread::spawn(move || {
        let mut input = BufReader::new(input);
        loop {
            let event = match next(&mut input) {
                Ok(Some(received)) => Event::Received(received),
                Ok(None) => Event::Closed,
                Err(error) => {
                    super::log(&format!("the editor cannot be read any more: {error}"));
                    Event::Closed
                }
            };
            let is_last = matches!(event, Event::Closed);
            if tell.send(event).is_err() || is_last {
                return;
            }
        }
    });
}

/// Writes what is sent to it, in a thread that ends when nobody can send any more.
pub(super) fn writer(mut output: impl Write + Send + 'static) -> (Sender<Message>, JoinHandle<io::Result<()>>) {
    let (give, take) = mpsc::channel::<Message>();
    let writer = thread::spawn(move || {
        for message in take {
            match message.write(&mut output) {
                // The editor is gone; that its messages end as well ends the rest.
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(()),
                written => written?,
            }
        }
        Ok(())
    });
    (give, writer)
}

/// The next message; none at the end.
fn next(input: &mut impl BufRead) -> io::Result<Option<Received>> {
    let Some(length) = length(input)? else {
        return Ok(None);
    };
    if length > LONGEST {
        io::copy(&mut input.take(length), &mut io::sink())?;
        let why = format!("a message of {length} bytes is longer than any that is read");
        return Ok(Some(Received::Broken(why, None)));
    }
    let mut body = vec![0; usize::try_from(length).unwrap_or_default()];
    match input.read_exact(&mut body) {
        Ok(()) => Ok(Some(message(&body))),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
        Err(error) => Err(error),
    }
}

/// The length that the next header tells; none at the end. What is no header is passed over up to the next one.
fn length(input: &mut impl BufRead) -> io::Result<Option<u64>> {
    let mut length = None;
    loop {
        let mut line = Vec::new();
        if input.by_ref().take(HEADER).read_until(b'\n', &mut line)? == 0 {
            return Ok(None);
        }
        let line = String::from_utf8_lossy(&line).to_ascii_lowercase();
        // Behind a body that was longer than its header said, the next header does not begin a line.
        if let Some(at) = line.rfind(LENGTH) {
            length = line[at + LENGTH.len()..].trim().parse().ok();
        } else if line.trim().is_empty() && length.is_some() {
            return Ok(length);
        }
    }
}

fn message(body: &[u8]) -> Received {
    let error = match serde_json::from_slice(body) {
        Ok(message) => return Received::Message(message),
        Err(error) => error,
    };
    let value: Option<Value> = serde_json::from_slice(body).ok();
    let id = value.and_then(|mut value| serde_json::from_value(value.get_mut("id")?.take()).ok());
    Received::Broken(format!("a message makes no sense: {error}"), id)
}

/// What is answered to a request that makes no sense.
pub(super) fn refusal(id: RequestId, why: String) -> Message {
    Response::new_err(id, ErrorCode::InvalidRequest as i32, why).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn framed(body: &str) -> String {
        format!("Content-Length: {}\r\n\r\n{body}", body.len())
    }

    /// The methods of the messages in a text, and `?` for what is broken.
    fn methods(text: &str) -> Vec<String> {
        let mut input = text.as_bytes();
        let mut methods = Vec::new();
        while let Some(received) = next(&mut input).expect("a text can be read") {
            methods.push(match received {
                Received::Message(Message::Notification(one)) => one.method,
                Received::Message(other) => format!("{other:?}"),
                Received::Broken(..) => "?".to_owned(),
            });
        }
        methods
    }

    #[test]
    fn what_is_broken_costs_nobody_the_next_message() {
        let good = framed(r#"{"jsonrpc":"2.0","method":"good"}"#);
        for (bad, told) in [
            (framed("{"), 1),
            (framed(r#"{"jsonrpc":"2.0"}"#), 1),
            (framed("\u{fffd}"), 1),
            ("Content-Length: many\r\n\r\n".to_owned(), 0),
            ("no header at all\r\n\r\n".to_owned(), 0),
            ("Content-Length: 2\r\n\r\n{}{} and more".to_owned(), 1),
            ("\r\n\r\n".to_owned(), 0),
        ] {
            let mut expected = vec!["good".to_owned()];
            expected.extend(vec!["?".to_owned(); told]);
            expected.push("good".to_owned());
            assert_eq!(methods(&format!("{good}{bad}{good}")), expected, "{bad:?}");
        }
    }

    #[test]
    fn a_message_that_ends_too_early_is_the_end() {
        assert_eq!(methods("Content-Length: 20\r\n\r\n{}"), [""; 0]);
        assert_eq!(methods("Content-Length: 99999999999999999999\r\n\r\n"), [""; 0]);
        assert_eq!(methods("Content-Length: 999999999999\r\n\r\n{}"), ["?"]);
    }

    #[test]
    fn a_broken_request_can_be_answered() {
        let Received::Broken(_, id) = message(br#"{"jsonrpc":"2.0","id":7,"method":4}"#) else {
            panic!("a method is a text");
        };
        assert_eq!(id, Some(RequestId::from(7)));
    }
}
