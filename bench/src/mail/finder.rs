//! The bar `finder`: business addresses of people of the made-up world, found through the API at real mail servers.
//!
//! The truth is what the world gives everybody, and what the servers have. The graph has the people, but neither the
//! addresses of those who are asked for nor those of all of their colleagues.

mod asking;
mod cast;
mod score;

use super::install_servers;
use crate::bar::{Complaints, Verdict, grouped, progress};
use crate::rig::{Rig, RigOptions, Server};
use anyhow::{Result, ensure};
use assay_domain::identity::IdentityKind;
use assay_testkit::mail::{Hosting, MailRig, MailRigOptions};
use assay_testkit::{PostgresOptions, Stopwatch};
use assay_world::{DEMO_AS_OF, DEMO_SEED, World};
use cast::Cast;
use score::Score;
use uuid::Uuid;

/// How large a run is.
struct Size {
    /// Of the world.
    people: u64,
    asked: usize,
}

const FULL: Size = Size { people: 20_000, asked: 5_000 };
const SHORT: Size = Size { people: 3_000, asked: 300 };
/// Several, so that what is measured is not the rate at which one may call.
const ACCOUNTS: usize = 8;
/// Enough for every address.
const CREDITS: &str = "1000000";
/// The first retry of an address is due after so much less than a minute: two seconds.
const TIME_SCALE: &str = "30";
/// Less than that.
const GREYLIST_DELAY_S: u32 = 1;

pub async fn run(short: bool) -> Result<Verdict> {
    let size = if short { SHORT } else { FULL };
    install_servers()?;
    let world = World::new(DEMO_SEED, size.people, DEMO_AS_OF);
    let cast = Cast::draw(&world, size.asked)?;
    let rig = start_rig(&size)?;
    forget(&rig, &cast.stripped).await?;
    progress(format!("starting servers for {} domains", grouped(cast.hosted.len())));
    let options = MailRigOptions {
        servers: Vec::new(),
        greylist_delay_s: GREYLIST_DELAY_S,
        hosted: cast.hosted,
        ..MailRigOptions::default()
    };
    let mail = MailRig::start(&options)?;
    let server = serve(&rig, &mail)?;
    let watch = Stopwatch::start();
    let answers = asking::ask_all(&server, &rig.accounts, &cast.asked).await?;
    progress(format!("asked within {} s", watch.elapsed().as_secs()));
    server.stop()?;
    let mut complaints = Complaints::default();
    for answer in answers.iter().filter(|answer| answer.found != answer.is_billed()) {
        complaints.add(format!("found: {}, billed: {}", answer.found, answer.is_billed()));
    }
    score::tell(&cast.asked, &answers);
    let verdict = Score::of(&cast.asked, &answers).verdict(count_sessions(&mail)?);
    Ok(Verdict { passed: verdict.passed && complaints.is_empty(), ..verdict })
}

fn start_rig(size: &Size) -> Result<Rig> {
    let rig = Rig::start(RigOptions {
        failpoints: false,
        accounts: ACCOUNTS,
        people: size.people,
        postgres: PostgresOptions::default(),
        // A world in two databases may be one that is kept for other bars, and this one takes addresses out of it.
        one_database: true,
    })?;
    for account in &rig.accounts {
        rig.cli(&["account", "topup", &account.id.to_string(), CREDITS, "--reference", "bar"])?;
    }
    Ok(rig)
}

/// Takes the addresses of these people out of the graph.
async fn forget(rig: &Rig, people: &[Uuid]) -> Result<()> {
    progress(format!("forgetting the addresses of {} people", grouped(people.len())));
    let pool = sqlx::PgPool::connect(&rig.graph_url()).await?;
    let update = "update person set facts = (facts::jsonb - 'emails')::json where id = any($1)";
    let changed = sqlx::query(update).bind(people).execute(&pool).await?.rows_affected();
    ensure!(usize::try_from(changed)? == people.len(), "the graph knows only {changed} of them");
    sqlx::query("delete from identity where entity_id = any($1) and kind = $2")
        .bind(people)
        .bind(i16::from(IdentityKind::Email.byte()))
        .execute(&pool)
        .await?;
    pool.close().await;
    Ok(())
}

fn serve(rig: &Rig, mail: &MailRig) -> Result<Server> {
    let (dns, port) = (mail.dns().to_string(), mail.smtp_port().to_string());
    rig.serve(&[
        ("ASSAY_MAIL_HELO", "verifier.test"),
        ("ASSAY_MAIL_SENDER", "probe@verifier.test"),
        ("ASSAY_MAIL_NAMESERVERS", &dns),
        ("ASSAY_MAIL_PORT", &port),
        ("ASSAY_MAIL_ALLOW_RANGES", "127.0.0.0/8"),
        ("ASSAY_MAIL_PACE", "*=3000"),
        ("ASSAY_MAIL_TIME_SCALE", TIME_SCALE),
    ])
}

fn count_sessions(mail: &MailRig) -> Result<usize> {
    let kinds = [Hosting::Plain, Hosting::CatchAll, Hosting::Greylisted];
    kinds.into_iter().try_fold(0, |sum, kind| {
        let sessions = mail.hosted_sessions(kind)?;
        progress(format!("{kind:?} servers had {} sessions", grouped(sessions)));
        Ok(sum + sessions)
    })
}
