//! The sandbox's open door: anybody may call, each address so many times a day.

use super::{InfoResponse, Sandbox};
use crate::fault::{Code, Fault};
use crate::reply::{Reply, ReplyBody};
use assay_domain::ip_range::subscriber;
use assay_domain::{Clock, limits};
use assay_store::SandboxCounter;
use chrono::{DateTime, Days, NaiveDate, NaiveTime, Utc};
use moka::future::Cache;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

const DAY: Duration = Duration::from_secs(24 * 3_600);

/// Lets calls without a key into the sandbox, and counts them.
#[derive(Debug)]
pub struct Door {
    sandbox: Arc<Sandbox>,
    counter: SandboxCounter,
    daily_limit: u32,
    signup_url: Option<String>,
    clock: Clock,
    /// Who has used up which day: the counter need not be asked again.
    exhausted: Cache<IpAddr, NaiveDate>,
}

impl Door {
    /// `daily_limit` is the one the counter was opened with.
    pub fn new(
        sandbox: Arc<Sandbox>,
        counter: SandboxCounter,
        daily_limit: u32,
        signup_url: Option<String>,
        clock: Clock,
    ) -> Self {
        let exhausted =
            Cache::builder().max_capacity(limits::SANDBOX_EXHAUSTED_MAX).time_to_live(DAY).build();
        Self { sandbox, counter, daily_limit, signup_url, clock, exhausted }
    }

    pub fn sandbox(&self) -> &Sandbox {
        &self.sandbox
    }

    /// Counts a call of this client and says how many it has left today. The count is kept before this returns.
    pub async fn enter(&self, client: IpAddr) -> Result<u32, Fault> {
        let (now, client) = (self.clock.now(), subscriber(client));
        let today = now.date_naive();
        if self.exhausted.get(&client).await == Some(today) {
            return Err(self.used_up(now));
        }
        let left = self.counter.count(today, client).await?;
        if matches!(left, None | Some(0)) {
            self.exhausted.insert(client, today).await;
        }
        left.ok_or_else(|| self.used_up(now))
    }

    /// What the sandbox is; looking at it is not counted. A counter that cannot be read takes only its figure away.
    pub async fn info(&self, client: IpAddr) -> (Reply, Option<u32>) {
        let today = self.clock.now().date_naive();
        let remaining = match self.counter.look(today, subscriber(client)).await {
            Ok(left) => Some(left),
            Err(error) => {
                tracing::warn!(%error, "the sandbox's counter cannot be read");
                None
            }
        };
        let info = InfoResponse::new(self.daily_limit, remaining, self.signup_url.as_deref());
        let body = serde_json::to_vec(&info).unwrap_or_default();
        (self.sandbox.reply(200, ReplyBody::Json(body.into())), remaining)
    }

    fn used_up(&self, now: DateTime<Utc>) -> Fault {
        let detail = format!("this address has used its {} sandbox calls of today", self.daily_limit);
        let fault = Fault::new(Code::SandboxDailyLimit, detail);
        Fault { retry_after_seconds: Some(seconds_to_midnight(now)), ..fault }
    }
}

/// To the next UTC day, rounded up: never a second too early.
fn seconds_to_midnight(now: DateTime<Utc>) -> u32 {
    let tomorrow = now.date_naive().checked_add_days(Days::new(1)).unwrap_or(NaiveDate::MAX);
    let left = tomorrow.and_time(NaiveTime::MIN).and_utc() - now;
    let begun = i64::from(left.subsec_nanos() > 0);
    u32::try_from(left.num_seconds() + begun).unwrap_or(1).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_day_ends_at_midnight_utc_and_not_a_moment_before_the_client_is_told() {
        let seconds = |text: &str| seconds_to_midnight(text.parse().unwrap());
        assert_eq!(seconds("2026-11-15T00:00:00Z"), 86_400);
        assert_eq!(seconds("2026-11-15T00:00:00.000001Z"), 86_400);
        assert_eq!(seconds("2026-12-31T23:59:58.5Z"), 2);
        assert_eq!(seconds("2026-12-31T23:59:59.999999999Z"), 1);
    }
}
