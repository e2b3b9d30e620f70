//! What no one sentence tells in full: the sides of a purchase by the words beside their names, a round by whom the release is about.

use assay_sources::press::{Announced, Release, read};
use chrono::NaiveDate;

fn read_text(title: &str, body: &str) -> Option<Announced> {
    read(&Release { title, body, published_on: NaiveDate::from_ymd_opt(2026, 3, 10).unwrap() })
}

fn sides(title: &str, body: &str) -> Option<(String, String)> {
    match read_text(title, body)? {
        Announced::Acquisition { acquirer, target, .. } => Some((acquirer, target)),
        Announced::Funding { .. } => None,
    }
}

#[test]
fn sides_are_told_by_what_stands_beside_their_names() {
    for (title, body) in [
        (
            "Lintwood gets a new parent",
            "Two centuries of family rule are over. Lintwood, the spinner of yarns, now belongs to the mill group Quarryhill. \
             Quarryhill is the buyer of four such firms so far, and nobody would name a price.",
        ),
        (
            "Sold: the mill that spun for kings",
            "The search took a year. On Monday Lintwood, a spinner of yarns, passed to the drinks house Quarryhill for a sum \
             that neither side would name.",
        ),
        (
            "Why Quarryhill wanted Lintwood",
            "Readers asked. Quarryhill, the listed group, is handing over $148m in cash for Lintwood, which spins yarns.",
        ),
    ] {
        let found = sides(title, body);
        assert_eq!(found, Some(("Quarryhill".to_owned(), "Lintwood".to_owned())), "{title}");
    }
}

#[test]
fn a_headline_that_looks_back_denies_or_searches_announces_nothing() {
    for title in [
        "Looking back: how Quarryhill bought Lintwood",
        "Quarryhill has not bought Lintwood after all",
        "From the archive: Quarryhill acquires Lintwood",
    ] {
        let body = "Quarryhill has acquired Lintwood for £4 million in cash.";
        assert_eq!(sides(title, body), None, "{title}");
    }
    assert!(
        sides("Quarryhill acquires Lintwood", "Quarryhill has acquired Lintwood for £4 million.").is_some()
    );
}

#[test]
fn a_headline_of_news_may_have_words_of_what_somebody_does() {
    for (title, body) in [
        (
            "Lintwood raises $5 million for music lessons",
            "Lintwood has raised $5 million in a seed round led by Some Ventures.",
        ),
        (
            "Lintwood raises $5 million to plant 900 hectares",
            "Lintwood has raised $5 million in a seed round led by Some Ventures.",
        ),
        (
            "Lintwood lève 5 millions d'euros pour la recherche",
            "Lintwood annonce une levée de fonds de 5 millions d'euros en amorçage, menée par Some Ventures.",
        ),
    ] {
        assert!(matches!(read_text(title, body), Some(Announced::Funding { .. })), "{title}");
    }
}

#[test]
fn a_purchase_that_the_first_sentences_undo_is_none() {
    let body = "Quarryhill said in May it would acquire Lintwood for £4 million. The talks came to nothing on Monday.";
    assert_eq!(sides("Quarryhill and Lintwood", body), None);
}

#[test]
fn a_round_is_of_whom_the_release_is_about() {
    let title = "Why we backed Tallowby";
    let body = "Most tools for plumbers are made by people who never held a wrench. Tallowby is not. Some Ventures led the \
                $5 million Series A, and Other Capital came in beside it. Tallowby has nine staff.";
    let Some(Announced::Funding { company, amount, .. }) = read_text(title, body) else { panic!("nothing") };
    assert_eq!((company.as_str(), amount.map(|sum| sum.amount)), ("Tallowby", Some(500_000_000)));
}

#[test]
fn letters_right_before_digits_are_currencies() {
    for (sum, currency) in [("N14.2bn", "NGN"), ("P1.35 billion", "PHP"), ("S/ 68 million", "PEN")] {
        let body = format!("Quarryhill has acquired Lintwood for {sum} in cash.");
        let Some(Announced::Acquisition { price: Some(price), .. }) =
            read_text("Quarryhill acquires Lintwood", &body)
        else {
            panic!("{sum}")
        };
        assert_eq!(price.currency, currency);
    }
}

#[test]
fn a_price_that_stands_alone_is_the_price() {
    let body = "Quarryhill has acquired Lintwood, a spinner of yarns. Its nine mills and the name changed hands on Monday. \
                The sisters who built it up got £7 million between them.";
    let Some(Announced::Acquisition { price, .. }) = read_text("Quarryhill acquires Lintwood", body) else {
        panic!("nothing")
    };
    assert_eq!(price.map(|sum| sum.amount), Some(700_000_000));
}

#[test]
fn names_are_told_in_full() {
    for (title, body, acquirer, target) in [
        (
            "Grupo Ribalta adquiere Molinos del Este",
            "Vigo, 4 de marzo de 2026 – Grupo Ribalta ha cerrado la compra del 70 % del capital de Molinos del Este, molinera fundada en \
             1924. Molinos del Este emplea a 80 personas. \"Buscábamos un molino\", afirma Ana Ribalta, presidenta del grupo.",
            "Grupo Ribalta",
            "Molinos del Este",
        ),
        (
            "Quarryhill buys Lintwood Yarns division",
            "Quarryhill Mills has agreed to buy the Lintwood Yarns division of Brassac Corporation for $96 million in cash. Lintwood \
             Yarns, which spins yarns at two mills, had sales of $121 million.",
            "Quarryhill Mills",
            "Lintwood Yarns",
        ),
    ] {
        let found = sides(title, body);
        assert_eq!(found, Some((acquirer.to_owned(), target.to_owned())), "{title}");
    }
}

#[test]
fn who_merges_into_somebody_is_bought() {
    let body = "Quarryhill Bancorp, Inc. (NASDAQ: QRRY) and Lintwood Financial Corporation (NASDAQ: LNTW) jointly announced today the \
                signing of a definitive merger agreement under which Lintwood Financial will merge with and into Quarryhill Bancorp \
                in an all-stock transaction valued at approximately $412 million. Lintwood Financial has 40 branches.";
    let found = sides("Quarryhill Bancorp and Lintwood Financial Announce Merger", body);
    assert_eq!(found, Some(("Quarryhill Bancorp".to_owned(), "Lintwood Financial".to_owned())));
}

#[test]
fn what_one_share_costs_is_no_price() {
    let body = "Quarryhill Mills S.p.A. has launched a tender offer for all shares of Lintwood Yarns S.p.A. at a price of 3.85 euros a \
                share. Lintwood Yarns spins yarns.";
    let Some(Announced::Acquisition { price, .. }) =
        read_text("Quarryhill Mills launches tender offer for Lintwood Yarns", body)
    else {
        panic!("nothing")
    };
    assert_eq!(price, None);
}

#[test]
fn a_dollar_of_the_canadian_wire_is_canadian() {
    for (body, currency) in [
        (
            "TORONTO, March 3, 2026 /CNW/ - Lintwood has raised $5 million in a seed round led by Some Ventures.",
            "CAD",
        ),
        (
            "TORONTO, March 3, 2026 /CNW/ - Lintwood has raised US$5 million in a seed round led by Some Ventures.",
            "USD",
        ),
        (
            "BOSTON, March 3, 2026 - Lintwood has raised $5 million in a seed round led by Some Ventures.",
            "USD",
        ),
    ] {
        let Some(Announced::Funding { amount: Some(sum), .. }) =
            read_text("Lintwood raises seed round", body)
        else {
            panic!("{body}")
        };
        assert_eq!(sum.currency, currency, "{body}");
    }
}

#[test]
fn a_bare_dollar_is_that_of_the_country_a_release_is_from() {
    for (place, sum, currency) in [
        ("SYDNEY, 3 March 2026 -", "$5 million", "AUD"),
        ("SYDNEY, 3 March 2026 -", "US$5 million", "USD"),
        ("WINNIPEG, Manitoba, March 3, 2026 -", "$5 million", "CAD"),
        ("WINNIPEG, March 3, 2026 -", "$5 million", "USD"),
        ("AUCKLAND, 3 March 2026 -", "$5 million", "NZD"),
        ("CAIRO, 3 March 2026 -", "5 million Egyptian pounds", "EGP"),
        ("NAIROBI, 3 March 2026 -", "KSh 5 million", "KES"),
        ("JAKARTA, 3 March 2026 -", "Rp 5bn", "IDR"),
        ("SANTIAGO, 3 March 2026 - Chile:", "$500 million de pesos", "CLP"),
        ("MOOSE JAW, Sask., March 3, 2026 -", "$5 million", "CAD"),
        ("HOUSTON, March 3, 2026 - Tasmania's", "$5 million", "USD"),
        ("OSLO, 3 March 2026 -", "5 million kroner", "NOK"),
        ("OSLO, 3 March 2026 -", "5 million Danish kroner", "DKK"),
        ("DOUALA, 3 March 2026 -", "5 million CFA francs", "XAF"),
        ("KAMPALA, 3 March 2026 -", "5 million shillings", "UGX"),
        ("Accra-based", "KES 5 million", "KES"),
        ("DAYTON, March 3, 2026 - Nelson Shire's", "$5 million", "USD"),
        ("COPENHAGEN, 3 March 2026 - As planned,", "5 million kroner", "DKK"),
    ] {
        let body = format!("{place} Lintwood has raised {sum} in a seed round led by Some Ventures.");
        let Some(Announced::Funding { amount: Some(sum), .. }) =
            read_text("Lintwood raises seed round", &body)
        else {
            panic!("{body}")
        };
        assert_eq!(sum.currency, currency, "{body}");
    }
}

#[test]
fn everybody_is_weighed_where_no_sentence_tells_who_buys() {
    let body = "The oldest spinner of yarns in the valley has a new owner. Lintwood, which runs two mills and employs 140 people, is now in the \
                hands of Quarryhill Mills, a textile group from Leeds that paid £14 million for it. The seller is the founding \
                family, who had looked for a successor for three years. Quarryhill Mills had sales of £80 million last year. All jobs \
                are to stay, and the name will too.";
    let found = sides("Lintwood finds its successor in Leeds", body);
    assert_eq!(found, Some(("Quarryhill Mills".to_owned(), "Lintwood".to_owned())));
}
