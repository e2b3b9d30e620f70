//! Who is asked for in the bar `contacts`, and what is true of them: people of the made-up world, strangers that one vendor
//! knows and the others do not, people who do not want to be found, and questions that are none.

use super::people::{Acquaintance, Deck, Stranger};
use super::truth::{Endpoint, Question, Teller, Truth};
use anyhow::{Context, Result};
use assay_world::World;
use serde_json::{Value, json};
use std::collections::HashMap;

/// How often a vendor's answer to one question may differ: as often as it is asked.
pub const VARIANTS: usize = 5;
/// What one vendor knows: its answers to each question, the first time it is asked, the second and so on.
pub type Book = HashMap<String, Vec<Value>>;

#[derive(Debug, Default)]
pub struct Cast {
    pub questions: Vec<Question>,
    pub books: HashMap<Teller, Book>,
    /// What to suppress, as arguments of the command.
    pub erased: Vec<Vec<String>>,
    /// Asked by several accounts at the same moment.
    pub rush: Vec<Question>,
}

impl Cast {
    /// So many questions of every kind.
    pub fn draw(world: &World, groups: usize) -> Result<Self> {
        let mut deck = Deck::of(world);
        let mut cast = Self::default();
        for _ in 0..groups {
            cast.draw_group(&mut deck)?;
        }
        Ok(cast)
    }

    fn draw_group(&mut self, deck: &mut Deck) -> Result<()> {
        let erased = deck.mobile()?;
        let (gone_phone, gone_email) = (deck.number()?, format!("gone{}@gmail.com", deck.stranger()));
        let gone_url = format!("https://network.example/in/gone-{}", deck.stranger());
        self.erased.push(vec!["--person".to_owned(), erased.person.id.to_string()]);
        let gone = [("--email", &gone_email), ("--phone", &gone_phone), ("--network-url", &gone_url)];
        self.erased
            .push(gone.iter().flat_map(|(flag, value)| [(*flag).to_owned(), (*value).clone()]).collect());
        self.phones(deck, &erased, &gone_phone)?;
        self.personal_emails(deck, &erased, &gone_email)?;
        let strangers = self.reverse_emails(deck, &erased, &gone_email, &gone_url)?;
        self.reverse_phones(deck, &erased, &gone_phone)?;
        self.audiences(deck, &erased, &strangers)
    }

    fn phones(&mut self, deck: &mut Deck, erased: &Acquaintance, gone: &str) -> Result<()> {
        let endpoint = Endpoint::FindPhone;
        let mobile = |number: &str| json!({ "phone": number, "line_type": "mobile" });
        let known = deck.mobile()?;
        let number = known.person.facts.phones.first().context("no phone")?.number.to_string();
        self.ask(endpoint, known.named_phone(), Truth::Graph(number));
        self.ask(endpoint, deck.fixed()?.named_phone(), Truth::Nobody { is_settled: true });
        let fixed = deck.fixed()?;
        let said = deck.numbers(VARIANTS)?;
        self.tell(Teller::Shared, &fixed.who("phone"), said.iter().map(|it| mobile(it)).collect());
        self.ask(endpoint, fixed.named_phone(), Truth::Said(Teller::Shared, said));
        for teller in Teller::ALL {
            let (stranger, said) = (Stranger::draw(deck), deck.numbers(VARIANTS)?);
            self.tell(teller, &stranger.who("phone"), said.iter().map(|it| mobile(it)).collect());
            self.ask(endpoint, stranger.named_phone(), Truth::Said(teller, said));
        }
        self.ask(endpoint, Stranger::draw(deck).named_phone(), Truth::Nobody { is_settled: false });
        let landline = Stranger::draw(deck);
        // By its country's plan it is one, whatever the vendor says.
        self.tell(Teller::Shared, &landline.who("phone"), vec![mobile("+442079460123")]);
        self.ask(endpoint, landline.named_phone(), Truth::Nobody { is_settled: true });
        self.tell(Teller::Shared, &erased.who("phone"), vec![mobile(&deck.number()?)]);
        self.ask(endpoint, erased.named_phone(), Truth::Erased);
        let gone_stranger = Stranger::draw(deck);
        self.tell(Teller::Shared, &gone_stranger.who("phone"), vec![mobile(gone)]);
        self.ask(endpoint, gone_stranger.named_phone(), Truth::ErasedAnswer);
        let malformed = json!({ "firstName": "Ada", "lastName": "Okafor", "domain": "not a domain" });
        self.ask(endpoint, malformed, Truth::Malformed);
        let (rush, said) = (Stranger::draw(deck), deck.numbers(VARIANTS)?);
        self.tell(Teller::Private, &rush.who("phone"), said.iter().map(|it| mobile(it)).collect());
        let truth = Truth::Said(Teller::Private, said);
        self.rush.push(Question { endpoint, body: rush.named_phone(), truth, asked_as: rush.who("phone") });
        Ok(())
    }

    fn personal_emails(&mut self, deck: &mut Deck, erased: &Acquaintance, gone: &str) -> Result<()> {
        let endpoint = Endpoint::FindPersonalEmail;
        let valid = |address: &str| json!({ "email": address, "email_status": "valid" });
        let said_of = |name: &str| {
            (0..VARIANTS).map(|it| format!("{}.{it}@gmail.com", name.to_lowercase())).collect::<Vec<_>>()
        };
        let known = deck.mobile()?;
        let said = said_of(&format!("known{}", deck.stranger()));
        self.tell(Teller::Shared, &known.who("personal_email"), said.iter().map(|it| valid(it)).collect());
        self.ask(endpoint, known.named_email(), Truth::Said(Teller::Shared, said));
        let unlisted = deck.mobile()?;
        self.ask(endpoint, unlisted.named_email(), Truth::Nobody { is_settled: false });
        for teller in Teller::ALL {
            let stranger = Stranger::draw(deck);
            let said = said_of(&stranger.last);
            self.tell(teller, &stranger.who("personal_email"), said.iter().map(|it| valid(it)).collect());
            self.ask(endpoint, stranger.named_email(), Truth::Said(teller, said));
        }
        self.ask(endpoint, Stranger::draw(deck).named_email(), Truth::Nobody { is_settled: false });
        let at_work = Stranger::draw(deck);
        let address = format!("{}@{}", at_work.last, at_work.domain);
        self.tell(Teller::Private, &at_work.who("personal_email"), vec![valid(&address)]);
        self.ask(endpoint, at_work.named_email(), Truth::Nobody { is_settled: false });
        let unsure = Stranger::draw(deck);
        let guess = json!({ "email": format!("{}@gmail.com", unsure.last), "email_status": "unknown" });
        self.tell(Teller::Shared, &unsure.who("personal_email"), vec![guess]);
        self.ask(endpoint, unsure.named_email(), Truth::Nobody { is_settled: false });
        let again = format!("erased{}@gmail.com", deck.stranger());
        self.tell(Teller::Shared, &erased.who("personal_email"), vec![valid(&again)]);
        self.ask(endpoint, erased.named_email(), Truth::Erased);
        let gone_stranger = Stranger::draw(deck);
        self.tell(Teller::Shared, &gone_stranger.who("personal_email"), vec![valid(gone)]);
        self.ask(endpoint, gone_stranger.named_email(), Truth::ErasedAnswer);
        self.ask(endpoint, json!({ "kind": "name", "firstName": "Ada" }), Truth::Malformed);
        Ok(())
    }

    /// Gives the addresses of strangers, by whoever knows them.
    fn reverse_emails(
        &mut self,
        deck: &mut Deck,
        erased: &Acquaintance,
        gone: &str,
        gone_url: &str,
    ) -> Result<Vec<(Teller, String)>> {
        let endpoint = Endpoint::ReverseEmail;
        let asked = |email: &str| json!({ "email": email });
        let (known, shouted) = (deck.mobile()?, deck.mobile()?);
        self.ask(endpoint, asked(&known.email()), Truth::Graph(known.person.id.to_string()));
        let capitals = asked(&shouted.email().to_uppercase());
        self.ask(endpoint, capitals, Truth::Graph(shouted.person.id.to_string()));
        let mut strangers = Vec::new();
        for teller in Teller::ALL {
            let stranger = Stranger::draw(deck);
            let email = stranger.email();
            self.tell(teller, &format!("person {email}"), stranger.records(&json!({ "email": email }), None));
            self.ask(endpoint, asked(&email), Truth::Said(teller, Stranger::headlines()));
            strangers.push((teller, email));
        }
        // Nothing but a name and the address that was asked for: enough to say whose it is.
        let bare = Stranger::draw(deck);
        let records = bare.bare_records(&json!({ "email": bare.email() }));
        self.tell(Teller::Private, &format!("person {}", bare.email()), records);
        self.ask(endpoint, asked(&bare.email()), Truth::Said(Teller::Private, Stranger::headlines()));
        let nobody = Stranger::draw(deck);
        self.ask(endpoint, asked(&nobody.email()), Truth::Nobody { is_settled: false });
        let again = Stranger::draw(deck);
        let said = again.records(&json!({ "email": erased.email() }), None);
        self.tell(Teller::Shared, &format!("person {}", erased.email()), said);
        self.ask(endpoint, asked(&erased.email()), Truth::Erased);
        let stranger = Stranger::draw(deck);
        self.tell(
            Teller::Shared,
            &format!("person {gone}"),
            stranger.records(&json!({ "email": gone }), None),
        );
        self.ask(endpoint, asked(gone), Truth::Erased);
        let by_page = Stranger::draw(deck);
        let said = by_page.records(&json!({ "email": by_page.email() }), Some(gone_url));
        self.tell(Teller::Shared, &format!("person {}", by_page.email()), said);
        self.ask(endpoint, asked(&by_page.email()), Truth::ErasedAnswer);
        self.ask(endpoint, asked("not an address"), Truth::Malformed);
        Ok(strangers)
    }

    fn reverse_phones(&mut self, deck: &mut Deck, erased: &Acquaintance, gone: &str) -> Result<()> {
        let endpoint = Endpoint::ReversePhone;
        let asked = |phone: &str| json!({ "phone": phone });
        let said_of = |phone: &str| json!({ "phone": phone, "line_type": "mobile" });
        for _ in 0..2 {
            let known = deck.mobile()?;
            self.ask(endpoint, asked(&known.phone()?), Truth::Graph(known.person.id.to_string()));
        }
        let spaced = deck.fixed()?;
        let (head, rest) = spaced.phone().map(|it| (it[..4].to_owned(), it[4..].to_owned()))?;
        self.ask(endpoint, asked(&format!(" {head}-{rest} ")), Truth::Graph(spaced.person.id.to_string()));
        for teller in Teller::ALL {
            let (stranger, phone) = (Stranger::draw(deck), deck.number()?);
            self.tell(teller, &format!("person {phone}"), stranger.records(&said_of(&phone), None));
            self.ask(endpoint, asked(&phone), Truth::Said(teller, Stranger::headlines()));
        }
        let (bare, phone) = (Stranger::draw(deck), deck.number()?);
        self.tell(Teller::Private, &format!("person {phone}"), bare.bare_records(&said_of(&phone)));
        self.ask(endpoint, asked(&phone), Truth::Said(Teller::Private, Stranger::headlines()));
        self.ask(endpoint, asked(&deck.number()?), Truth::Nobody { is_settled: false });
        let (stranger, phone) = (Stranger::draw(deck), erased.phone()?);
        self.tell(Teller::Shared, &format!("person {phone}"), stranger.records(&said_of(&phone), None));
        self.ask(endpoint, asked(&phone), Truth::Erased);
        let stranger = Stranger::draw(deck);
        self.tell(Teller::Shared, &format!("person {gone}"), stranger.records(&said_of(gone), None));
        self.ask(endpoint, asked(gone), Truth::Erased);
        self.ask(endpoint, asked("12"), Truth::Malformed);
        Ok(())
    }

    fn audiences(&mut self, deck: &mut Deck, erased: &Acquaintance, seen: &[(Teller, String)]) -> Result<()> {
        let nobody = |deck: &mut Deck| Stranger::draw(deck).email();
        for number in 0..11 {
            let mut known = Vec::new();
            for _ in 0..number % 3 {
                known.push(deck.mobile()?.email());
            }
            let mut emails = known.clone();
            emails.extend(seen.iter().skip(number % 2).map(|(_, email)| email.clone()));
            emails.extend([nobody(deck), erased.email(), "no address".to_owned(), String::new()]);
            // The same ones again, as people write them.
            emails.push(format!("  {} ", emails[0].to_uppercase()));
            emails.push(emails[1].clone());
            let tellers = seen.iter().skip(number % 2).map(|(teller, _)| *teller).collect();
            let truth =
                Truth::Audience { graph: known.len(), tellers, distinct: emails.len() - 4, invalid: 2 };
            self.ask(Endpoint::AdAudience, json!({ "emails": emails }), truth);
        }
        let none = Truth::Audience { graph: 0, tellers: Vec::new(), distinct: 0, invalid: 2 };
        self.ask(Endpoint::AdAudience, json!({ "emails": ["@", "a@"] }), none);
        Ok(())
    }

    fn ask(&mut self, endpoint: Endpoint, body: Value, truth: Truth) {
        let asked_as = endpoint.asked_as(&body);
        self.questions.push(Question { endpoint, body, truth, asked_as });
    }

    fn tell(&mut self, teller: Teller, question: &str, answers: Vec<Value>) {
        self.books.entry(teller).or_default().insert(question.to_owned(), answers);
    }
}
