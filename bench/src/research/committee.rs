//! The bar `committee`: whether those who are said to have a say do, by what people of the made-up world are, whatever their titles.
//!
//! Which departments have to do with a purchase is written here once more, by hand, and no table of the service is read.

use super::scene::Scene;
use crate::bar::{Verdict, grouped, progress};
use anyhow::{Result, ensure};
use assay_domain::taxonomy::{Department, Seniority};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::json;
use std::collections::HashSet;

const RIGHT_LEAST: f64 = 0.90;
const SEED: u64 = 2_017;

struct Size {
    people: u64,
    companies: usize,
}

const FULL: Size = Size { people: 200_000, companies: 300 };
const SHORT: Size = Size { people: 20_000, companies: 60 };

/// A purchase: whose budget it is, who is heard, who would use it.
type Deal = (&'static str, &'static [Department], &'static [Department], &'static [Department]);

const DEALS: &[Deal] = {
    use Department::{
        CustomerSuccess, Data, Design, Engineering, Executive, Finance, Hr, It, Legal, Marketing, Operations,
        Product, Sales, Security,
    };
    &[
        ("security", &[Security, It, Engineering], &[Security, It, Engineering], &[Security, It]),
        ("data_infra", &[Data, Engineering, It], &[Data, Engineering, It], &[Data, Engineering]),
        ("sales_ops", &[Sales], &[Sales, CustomerSuccess, Marketing], &[Sales, CustomerSuccess]),
        ("exec", &[Executive], &[Finance, Operations, Legal, Hr], &[Executive, Finance, Operations]),
        ("marketing", &[Marketing], &[Marketing, Sales, Product], &[Marketing, Design]),
        ("engineering", &[Engineering, It], &[Engineering, Product, Security], &[Engineering, Data]),
    ]
};

pub async fn run(short: bool) -> Result<Verdict> {
    let size = if short { SHORT } else { FULL };
    let mut scene = Scene::set(size.people)?;
    let (mut worst, mut twice, mut members): (f64, usize, usize) = (1.0, 0, 0);
    for deal in DEALS {
        let mut dice = ChaCha8Rng::seed_from_u64(SEED);
        let (mut right, mut all, mut companies) = (0, 0, 0);
        while companies < size.companies {
            let company = dice.random_range(0..scene.world.company_count());
            let Some(domain) = scene.domain(company).filter(|_| !scene.world.is_local_business(company))
            else {
                continue;
            };
            companies += 1;
            let staff = scene.staff(company);
            let body = json!({ "company_domain": domain, "deal_type": deal.0, "max_per_role": 2 });
            let answer = scene.ask("/v1/buying-committee", &body).await?;
            let mut seen = HashSet::new();
            for part in ["decision_maker", "influencer", "user"] {
                for member in answer["committee"][part].as_array().into_iter().flatten() {
                    let id = member["id"].as_str().unwrap_or_default();
                    twice += usize::from(!seen.insert(id.to_owned()));
                    let role = staff.get(id).map(|person| scene.world.truth().role_of(*person));
                    all += 1;
                    right += usize::from(role.is_some_and(|role| belongs(deal, part, role)));
                }
            }
        }
        let share = f64::from(u32::try_from(right)?) / f64::from(u32::try_from(all.max(1))?);
        progress(format!("{}: {:.1} % of {} belong to their part", deal.0, share * 100.0, grouped(all)));
        ensure!(all > companies, "hardly anybody sits in a committee for {}", deal.0);
        worst = worst.min(share);
        members += all;
    }
    let figure = format!(
        "committee: {} members at {} companies for each of {} purchases of the made-up world (a regression figure): at worst {:.1} % belong \
         to their part (bar {:.0} %), {twice} twice in one (bar 0)",
        grouped(members),
        size.companies,
        DEALS.len(),
        worst * 100.0,
        RIGHT_LEAST * 100.0,
    );
    Ok(Verdict { figure, passed: worst >= RIGHT_LEAST && twice == 0 })
}

/// Who decides leads a department whose budget it is, or the company; who is heard leads others; who uses it leads no department.
fn belongs(deal: &Deal, part: &str, (department, rank): (Department, Seniority)) -> bool {
    let (_, budgets, heard, users) = deal;
    match part {
        "decision_maker" => {
            rank <= Seniority::Partner && department == Department::Executive
                || rank <= Seniority::Head && budgets.contains(&department)
        }
        "influencer" => rank <= Seniority::Manager && heard.contains(&department),
        _ => rank > Seniority::Head && users.contains(&department),
    }
}
