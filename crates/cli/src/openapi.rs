//! `assay openapi`: prints the API document, or checks that the stored copy is the one this program would print.

use crate::failure::Failure;
use crate::out;
use clap::Args;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Debug, Args)]
pub struct Openapi {
    /// Compare with a file instead of printing.
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "docs/openapi.json")]
    check: Option<PathBuf>,
}

impl Openapi {
    pub fn run(self) -> Result<ExitCode, Failure> {
        let document = format!("{:#}", assay_service::openapi::document());
        let Some(path) = self.check else {
            out::data(&document);
            return Ok(ExitCode::SUCCESS);
        };
        let refresh = format!("assay openapi > {}", path.display());
        let stored = std::fs::read_to_string(&path).map_err(|error| {
            Failure::new(format!("{} cannot be read: {error}", path.display()), refresh.clone())
        })?;
        if stored != format!("{document}\n") {
            return Err(Failure::new(
                format!("{} is not what this program would print", path.display()),
                refresh,
            ));
        }
        out::note(&format!("{} is up to date", path.display()));
        Ok(ExitCode::SUCCESS)
    }
}
