//! One connection to one address of a mail host: carries a session's lines to the server and its replies back.

use std::net::SocketAddr;
use std::time::Duration;

use assay_domain::limits::MAIL_FAREWELL_DEADLINE;
use tokio::time::{Instant, sleep, timeout_at};

use super::wire::{Broken, Wire};
use super::{Ended, MailHost, Next, Prober, Progress, Unreachable, next_after, why_unreachable};
use crate::session::{Envelope, Outcome, Session, Step};

impl Prober {
    /// Answers go into the progress as they come. `Err` where there is nothing to conclude from the session.
    pub(super) async fn visit(
        &self,
        host: &MailHost,
        target: SocketAddr,
        may_encrypt: bool,
        progress: &mut Progress,
    ) -> Result<Outcome, (Ended, Next)> {
        let recipients = progress.remaining();
        let settings = &self.settings;
        let mut session = Session::new(Envelope {
            helo: settings.helo.clone(),
            sender: settings.sender.clone(),
            recipients,
            tls: may_encrypt,
        });
        let mut until = after(settings.patience.greeting);
        let mut wire = match timeout_at(until, Wire::connect(settings.source, target)).await {
            Ok(Ok(wire)) => wire,
            Ok(Err(error)) => return Err((Ended::Unreachable(why_unreachable(&error)), Next::Host)),
            Err(_) => return Err((Ended::Unreachable(Unreachable::TimedOut), Next::Host)),
        };
        progress.tls = false;
        let mut step = Step::Listen;
        loop {
            step = match step {
                Step::End(outcome) => return Ok(outcome),
                Step::Encrypt => match wire.encrypt(&self.connector, &host.name, until).await {
                    Ok(encrypted) => {
                        progress.tls = true;
                        wire = encrypted;
                        session.on_encrypted()
                    }
                    Err(_) => return Ok(Outcome::EncryptionFailed),
                },
                // A server may say at any time that it closes the connection (RFC 5321, section 3.8). Any other reply to nothing
                // means that those that follow would answer the wrong questions.
                Step::Send(_) if wire.has_more() => match wire.receive(until).await {
                    Ok(reply) if reply.code() == 421 => session.on_closed(),
                    _ => session.on_stray(),
                },
                Step::Send(line) => match wire.send(&line, until).await {
                    Ok(()) => Step::Listen,
                    Err(broken) => after_break(&mut session, broken)?,
                },
                Step::Listen => match wire.receive(until).await {
                    Ok(reply) => session.on_reply(reply),
                    Err(broken) => after_break(&mut session, broken)?,
                },
            };
            progress.answers.extend(session.take_answer().map(Into::into));
            if matches!(step, Step::Send(_)) && !session.is_leaving() && progress.is_settled() {
                step = session.leave_early();
            }
            // Time runs anew for each question; listening for its answer is part of it.
            if matches!(step, Step::Send(_) | Step::Encrypt) {
                let patience = settings.patience.command;
                until =
                    after(if session.is_leaving() { patience.min(MAIL_FAREWELL_DEADLINE) } else { patience });
            }
        }
    }
}

fn after_break(session: &mut Session, broken: Broken) -> Result<Step, (Ended, Next)> {
    match broken {
        Broken::Closed => Ok(session.on_closed()),
        Broken::Garbled => Ok(session.on_stray()),
        Broken::Deadline if session.is_leaving() => Ok(session.on_closed()),
        Broken::Deadline => Err((Ended::Deadline, next_after(session.stage()))),
    }
}

/// The timer knows when it would ring, so that nobody need ask for the time.
fn after(patience: Duration) -> Instant {
    sleep(patience).deadline()
}
