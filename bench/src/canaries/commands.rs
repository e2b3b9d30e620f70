//! The commands an operator types, with values that must not be printed back, and with everything that can go wrong.

use super::Scene;
use super::seeds::{Canary, Kind, letters};
use anyhow::Context;
use std::process::{Output, Stdio};

const AT_ONCE: usize = 7;

/// A command and what is given to it.
struct Typed<'a> {
    args: Vec<&'a str>,
    /// Settings beside the usual ones.
    variables: Vec<(&'a str, String)>,
    /// Whether even its standard output may show none: it is no answer that carries what was asked for.
    quiet: bool,
}

impl<'a> Typed<'a> {
    fn loud(args: &[&'a str]) -> Self {
        Self { args: args.to_vec(), variables: Vec::new(), quiet: false }
    }

    fn quiet(args: &[&'a str]) -> Self {
        Self { quiet: true, ..Self::loud(args) }
    }

    fn with(mut self, name: &'a str, value: impl Into<String>) -> Self {
        self.variables.push((name, value.into()));
        self
    }
}

/// Runs them all; returns how many there were.
pub fn run(scene: &mut Scene) -> anyhow::Result<usize> {
    let text = |kind: Kind| {
        let found = scene.sent.iter().find(|canary| canary.kind == kind).map(|canary| canary.text.clone());
        found.context("a canary of this kind")
    };
    let (email, phone, name) = (text(Kind::Email)?, text(Kind::Phone)?, text(Kind::Name)?);
    let (url, webhook) = (text(Kind::NetworkUrl)?, text(Kind::Webhook)?);
    let no_email = email.replace('@', " at ");
    let (no_phone, no_url) = (phone.replace('+', "0"), url.replace("network.example", "elsewhere.example"));
    let list = scene.folder.path.join("list.csv");
    std::fs::write(&list, format!("ID,Hash\n1,{email}\n{phone},{webhook}\n\"{name}\",\"{url}\"\n"))?;
    let settings = scene.folder.path.join("broken.toml");
    std::fs::write(&settings, format!("[ledger]\nurl = \"postgres://u:{}@h/d\nx = 1\n", scene.password))?;
    let odd = scene.folder.path.join("odd.toml");
    std::fs::write(
        &odd,
        format!("[ledger]\nurl = 5\nconnections_max = \"{0}\"\n[x]\n\"{0}\" = \"{0}\"\n", scene.password),
    )?;
    let account = scene.rig.accounts.first().context("an account")?.id.to_string();
    let nobody = "acc_0197f7a05c3a7d12a4b1c2d3e4f50617";
    let wrong_url = format!("postgres://postgres:{}@127.0.0.1:1/nowhere", scene.password);
    let no_url_at_all = format!("mysql://root:{}@h/d", scene.password);
    let list = list.to_string_lossy().into_owned();
    let commands = vec![
        Typed::quiet(&["config", "show"]),
        Typed::quiet(&["config", "check"]),
        Typed::quiet(&["doctor"]),
        Typed::quiet(&["migrate"]),
        Typed::quiet(&["key", "list", "--account", &account]),
        Typed::quiet(&["key", "create", "--account", nobody, "--name", &name]),
        Typed::quiet(&["key", "revoke", "key_aaaaaaaaaaaa"]),
        Typed::quiet(&["suppression", "add", "--email", &no_email]),
        Typed::quiet(&["suppression", "add", "--phone", &no_phone]),
        Typed::quiet(&["suppression", "add", "--network-url", &no_url]),
        Typed::quiet(&["suppression", "add", "--email", &email, "--phone", &phone, "--network-url", &url]),
        Typed::quiet(&["suppression", "import", &list, "--list", "email"]),
        Typed::quiet(&["suppression", "import", "/no/such/list", "--list", "phone"]),
        Typed::quiet(&["--config", settings.to_str().context("a path")?, "config", "check"]),
        Typed::quiet(&["--config", odd.to_str().context("a path")?, "doctor"]),
        Typed::quiet(&["doctor"]).with("ASSAY_LEDGER_URL", &wrong_url),
        Typed::quiet(&["serve"]).with("ASSAY_GRAPH_URL", &wrong_url),
        Typed::quiet(&["config", "show"]).with("ASSAY_LEDGER_URL", &no_url_at_all),
        Typed::quiet(&["serve"])
            .with("ASSAY_SECRETS_MASTER_KEY", format!("{}{}", scene.password, letters(20))),
        Typed::quiet(&["doctor"]).with("ASSAY_SECRETS_MASTER_KEY", "ab".repeat(32)),
        // Last, and so never beside `key list`, which shows the names that keys were given.
        Typed::loud(&["key", "create", "--account", &account, "--name", &name]),
    ];
    // Several at once: most of them wait for something that is not there.
    for part in commands.chunks(AT_ONCE) {
        let outputs = std::thread::scope(|scope| {
            let running: Vec<_> = part.iter().map(|typed| scope.spawn(|| run_one(scene, typed))).collect();
            running.into_iter().map(|one| one.join()).collect::<Vec<_>>()
        });
        for (typed, output) in part.iter().zip(outputs) {
            look(scene, typed, &output.ok().context("a command broke down")??);
        }
    }
    Ok(commands.len())
}

/// An import of people whom the database refuses.
pub fn refused_import(scene: &mut Scene, seed: u64, people: u64) -> anyhow::Result<()> {
    let (seed, people) = (seed.to_string(), people.to_string());
    let typed = Typed::quiet(&["world", "load", "--people", &people, "--seed", &seed]);
    let output = run_one(scene, &typed)?;
    look(scene, &typed, &output);
    anyhow::ensure!(!output.status.success(), "an import into a table that refuses everything succeeded");
    Ok(())
}

fn run_one(scene: &Scene, typed: &Typed<'_>) -> anyhow::Result<Output> {
    let mut command = scene.rig.command(&typed.args);
    command.envs(scene.variables()).envs(typed.variables.iter().map(|(name, value)| (name, value)));
    command.stdin(Stdio::null()).output().context("cannot run the program")
}

fn look(scene: &mut Scene, typed: &Typed<'_>, output: &Output) {
    let what = format!("assay {}", typed.args.iter().take(2).copied().collect::<Vec<_>>().join(" "));
    scene.scanner.look(&format!("{what}, standard error"), &output.stderr);
    if typed.quiet {
        scene.scanner.look(&format!("{what}, standard output"), &output.stdout);
    }
}

/// The secrets the commands are run with.
pub fn secrets(password: &str) -> Vec<Canary> {
    vec![Canary::new(Kind::Password, password), Canary::new(Kind::MasterKey, crate::rig::MASTER_KEY)]
}
