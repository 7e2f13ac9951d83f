//! The state of the server, and what each message does to it.

mod answers;
mod capabilities;
mod notifications;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use lsp_server::{ErrorCode, Message, Notification, Request, Response};
use lsp_types::notification::{self, Notification as _};
use lsp_types::request::{self, Request as _};
use lsp_types::{InitializeResult, MessageType, PublishDiagnosticsParams, ServerInfo, ShowMessageParams};
use serde_json::Value;

use super::analysis::{self, Done, Job, Stale};
use super::client::Client;
use super::documents::Documents;
use super::wire::{self, Received};
use super::{Given, log};
use crate::interrupt::Stop;

/// How long an edit waits for the next one: about the time between two keys.
const PAUSE: Duration = Duration::from_millis(80);

/// What the event loop waits for.
#[derive(Debug)]
pub(super) enum Event {
    /// From the editor.
    Received(Received),
    /// The editor says nothing any more.
    Closed,
    /// From the thread that analyses.
    Analysed(Done),
}

/// Where a session stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// The editor has not said what it can do.
    Before,
    Running,
    /// The editor has asked for the end.
    After,
}

/// A session with one editor.
pub(super) struct Server {
    given: Given,
    out: Sender<Message>,
    jobs: Sender<Job>,
    phase: Phase,
    client: Arc<Client>,
    documents: Documents,
    /// What has to be analysed, and when.
    stale: Stale,
    due: Option<Instant>,
    /// The analysis that runs.
    running: Option<(u64, Stop)>,
    /// Counts jobs.
    number: u64,
    /// Requests about texts that are being analysed.
    waiting: Vec<Request>,
    /// Problems that the person has been told.
    told: BTreeSet<String>,
}

impl Server {
    pub(super) fn new(given: Given, out: Sender<Message>, tell: Sender<Event>) -> Self {
        Self {
            given,
            out,
            jobs: analysis::worker(tell),
            phase: Phase::Before,
            client: Arc::default(),
            documents: Documents::default(),
            stale: Stale::default(),
            due: None,
            running: None,
            number: 0,
            waiting: Vec::new(),
            told: BTreeSet::new(),
        }
    }

    /// Serves until the editor ends. Returns whether it has asked for the end before.
    pub(super) fn run(mut self, events: &Receiver<Event>) -> bool {
        loop {
            let event = match self.due.filter(|_| self.running.is_none()) {
                None => events.recv().ok(),
                Some(due) => match events.recv_timeout(due.saturating_duration_since(Instant::now())) {
                    Ok(event) => Some(event),
                    Err(RecvTimeoutError::Timeout) => {
                        self.analyse();
                        continue;
                    }
                    Err(RecvTimeoutError::Disconnected) => None,
                },
            };
            match event {
                Some(Event::Received(Received::Message(Message::Notification(one))))
                    if one.method == notification::Exit::METHOD =>
                {
                    break;
                }
                Some(Event::Received(received)) => self.receive(received),
                Some(Event::Analysed(done)) => self.analysed(done),
                Some(Event::Closed) | None => break,
            }
        }
        if let Some((_, stop)) = &self.running {
            stop.tell();
        }
        self.phase == Phase::After
    }

    fn receive(&mut self, received: Received) {
        match received {
            Received::Message(Message::Request(request)) => self.request(request),
            Received::Message(Message::Notification(one)) if self.phase == Phase::Running => self.notified(one),
            // Nothing is expected before the beginning and after the end, nor as an answer to the one request that is made.
            Received::Message(_) => {}
            Received::Broken(why, id) => {
                log(&why);
                if let Some(id) = id {
                    self.send(wire::refusal(id, why));
                }
            }
        }
    }

    /// Sends a message. An editor that is gone ends the loop by itself.
    fn send(&self, message: impl Into<Message>) {
        let _ = self.out.send(message.into());
    }

    fn notify<N: notification::Notification>(&self, params: N::Params) {
        self.send(Notification::new(N::METHOD.to_owned(), params));
    }

    fn request(&mut self, request: Request) {
        let refuse = |code: ErrorCode, why: &str| Response::new_err(request.id.clone(), code as i32, why.to_owned());
        let method = request.method.as_str();
        match self.phase {
            Phase::Before if method == request::Initialize::METHOD => self.initialize(&request),
            Phase::Before => self.send(refuse(
                ErrorCode::ServerNotInitialized,
                "the first request is initialize",
            )),
            Phase::After => self.send(refuse(ErrorCode::InvalidRequest, "the end was asked for")),
            Phase::Running => match method {
                request::HoverRequest::METHOD | request::CodeActionRequest::METHOD => {
                    self.waiting.push(request);
                    self.answer();
                }
                request::Shutdown::METHOD => {
                    self.phase = Phase::After;
                    for waiting in std::mem::take(&mut self.waiting) {
                        self.send(answers::canceled(waiting.id));
                    }
                    self.send(Response::new_ok(request.id, Value::Null));
                }
                request::Initialize::METHOD => {
                    self.send(refuse(ErrorCode::InvalidRequest, "the session has begun already"));
                }
                _ => self.send(refuse(ErrorCode::MethodNotFound, "there is no such request")),
            },
        }
    }

    fn initialize(&mut self, request: &Request) {
        self.client = Arc::new(Client::of(&request.params, &self.given));
        self.phase = Phase::Running;
        let result = InitializeResult {
            capabilities: capabilities::of(&self.client),
            server_info: Some(ServerInfo {
                name: "ctxlint".to_owned(),
                version: Some(env!("CARGO_PKG_VERSION").to_owned()),
            }),
        };
        self.send(Response::new_ok(request.id.clone(), result));
    }

    /// Something has changed: what is being analysed is worth nothing any more.
    fn touch(&mut self, stale: Stale, pause: Duration) {
        self.stale.and(stale);
        self.due = Some(Instant::now() + pause);
        if let Some((_, stop)) = &self.running {
            stop.tell();
        }
    }

    fn analyse(&mut self) {
        self.due = None;
        self.number += 1;
        let job = Job {
            number: self.number,
            documents: self.documents.all().cloned().collect(),
            stale: std::mem::take(&mut self.stale),
            client: Arc::clone(&self.client),
            stop: Stop::default(),
        };
        self.running = Some((self.number, job.stop.clone()));
        if self.jobs.send(job).is_err() {
            log("the thread that analyses is gone; nothing is analysed any more");
            self.running = None;
        }
    }

    fn analysed(&mut self, done: Done) {
        let ran = self.running.take_if(|(number, _)| *number == done.number);
        if ran.is_none_or(|(_, stop)| stop.told()) {
            // A newer edit has come: what was not done is done with it.
            self.stale.and(done.stale);
            return;
        }
        for (uri, shown) in done.shown {
            let Some(document) = self.documents.get_mut(&uri) else {
                continue;
            };
            let diagnostics = shown.iter().map(|one| one.diagnostic.clone()).collect();
            let version = Some(document.version);
            document.shown = Some(shown);
            self.notify::<notification::PublishDiagnostics>(PublishDiagnosticsParams::new(uri, diagnostics, version));
        }
        self.complain(done.problems);
        self.answer();
    }

    /// Tells the person what is wrong, once until it is mended.
    fn complain(&mut self, problems: Vec<String>) {
        for message in &problems {
            if !self.told.contains(message) {
                log(message);
                self.notify::<notification::ShowMessage>(ShowMessageParams {
                    typ: MessageType::ERROR,
                    message: format!("ctxlint: {message}"),
                });
            }
        }
        self.told = problems.into_iter().collect();
    }
}
