//! CSV files as spreadsheets and exports write them: other separators, quotes, breaks, marks and letters.

use assay_domain::person::EmailKind;
use assay_intake::{Encoding, Kind, limits};

use super::files::{Folder, guess, read_people, read_with};

const PLAIN: &str = "id,Name,E-Mail,Title\n1,Jane Doe,jane@acme.example,\"Head of \"\"Sales\"\", EMEA\"\n\
                     2,Zoë Müller,zoe@acme.example,\"Chief\nof staff\"\n3,,nobody,x\n4,Jo Doe,jo@acme.example,\n";

#[test]
fn one_file_is_the_same_however_it_is_written() {
    let folder = Folder::new();
    let expected = read_people(&folder.write("plain.csv", PLAIN)).unwrap();
    assert_eq!(expected.names(), ["Jane Doe", "Zoë Müller", "Jo Doe"]);
    assert_eq!(expected.people[0].1.title.as_deref(), Some("Head of \"Sales\", EMEA"));
    assert_eq!(expected.people[1].1.title.as_deref(), Some("Chief of staff"));
    let latin: Vec<u8> = PLAIN.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect();
    let semicolons = PLAIN.replace(',', ";").replace("\"\"; EMEA", "\"\", EMEA");
    let tabs = PLAIN.replace(',', "\t").replace("\"\"\t EMEA", "\"\", EMEA");
    for (name, content) in [
        ("mark.csv", format!("\u{feff}{PLAIN}").into_bytes()),
        ("crlf.csv", PLAIN.replace('\n', "\r\n").into_bytes()),
        ("semicolon.csv", semicolons.into_bytes()),
        ("tab.tsv", tabs.into_bytes()),
        ("latin-1.csv", latin),
        ("unended.csv", PLAIN.trim_end().as_bytes().to_vec()),
    ] {
        let told = read_people(&folder.write(name, content)).unwrap();
        assert!(told.people == expected.people, "{name}");
        assert_eq!(told.rejects.len(), 1, "{name}");
        assert_eq!(
            told.rejects[0].to_string(),
            "row 3, line 5: names nobody: give it a name, an email, a phone or a network url (column `E-Mail`: the email \
             address has no @ sign)",
            "{name}"
        );
    }
}

#[test]
fn latin_1_is_seen_shown_and_also_set_by_hand() {
    let folder = Folder::new();
    let path = folder.write("p.csv", b"Pr\xe9nom;Nom;Soci\xe9t\xe9\nZo\xeb;M\xfcller;\x80uro \x96 Caf\xe9\n");
    let mapping = guess(&path, Kind::People).unwrap();
    assert_eq!(mapping.encoding, Encoding::Latin1);
    let told = read_with(&path, &mapping).unwrap();
    assert_eq!(told.names(), ["Zoë Müller"]);
    assert_eq!(told.people[0].1.company_name.as_deref(), Some("€uro – Café"));
}

#[test]
fn a_line_number_is_that_of_the_file_and_not_of_the_row() {
    let folder = Folder::new();
    let text = "\n\nname,email\n\"Jane\",\"a@x.example\n b@x.example\"\n\n\n,no\n,nothing\n";
    let told = read_people(&folder.write("p.csv", text)).unwrap();
    let places: Vec<_> = told.rejects.iter().map(|reject| (reject.row, reject.line)).collect();
    assert_eq!(places, [(2, Some(8)), (3, Some(9))]);
    assert_eq!(told.people[0].1.emails.len(), 2);
    let lines = folder.write("p.jsonl", "{\"name\":\"Jane\"}\n\n[]\n{}\n");
    let places: Vec<_> =
        read_people(&lines).unwrap().rejects.iter().map(|reject| (reject.row, reject.line)).collect();
    assert_eq!(places, [(2, Some(3)), (3, Some(4))]);
}

#[test]
fn addresses_keep_what_their_columns_say_they_are_for() {
    let folder = Folder::new();
    let path = folder.write(
        "p.csv",
        "Name,Email,Personal Email,Work Email\nJane,jane@acme.example;j@x.example,jane@home.example,JANE@acme.example\n",
    );
    let told = read_people(&path).unwrap();
    let emails: Vec<_> =
        told.people[0].1.emails.iter().map(|email| (email.address.as_str(), email.kind)).collect();
    assert_eq!(
        emails,
        [
            ("jane@acme.example", Some(EmailKind::Business)),
            ("jane@home.example", Some(EmailKind::Personal)),
            ("j@x.example", None),
        ]
    );
}

#[test]
fn records_without_an_id_get_the_same_one_in_every_file() {
    let folder = Folder::new();
    let one = folder.write(
        "one.csv",
        "Name,Email,Company,Network URL\nJane Doe,jane@acme.example,Acme,network.example/in/jane\n\
         Jo Doe,jo@acme.example,,\nAl Doe,,Acme,\n",
    );
    let other = folder.write(
        "other.csv",
        "id,Company,Name,Profile URL,E-Mail\n,ACME,al doe,,\n,,,,Jo@acme.example\n,Other,,https://www.network.example/in/Jane/,\n9,,X,,\n",
    );
    let refs = |path| -> Vec<String> {
        read_people(path).unwrap().people.into_iter().map(|(_, row)| row.external_ref).collect()
    };
    let (one, other) = (refs(&one), refs(&other));
    assert_eq!(other, [one[2].as_str(), one[1].as_str(), one[0].as_str(), "9"]);
    assert!(one[0].starts_with("network-") && one[1].starts_with("email-") && one[2].starts_with("name-"));
}

#[test]
fn columns_rows_and_values_have_limits() {
    let folder = Folder::new();
    let wide = |columns: usize| {
        let names: Vec<String> = (1..columns).map(|number| format!("c{number}")).collect();
        format!("name,{}\nJane\n", names.join(","))
    };
    let told = read_people(&folder.write("w.csv", wide(limits::COLUMNS_MAX))).unwrap();
    assert_eq!(told.names(), ["Jane"]);
    let refused = read_people(&folder.write("x.csv", wide(limits::COLUMNS_MAX + 1))).unwrap_err();
    assert_eq!(refused.to_string(), "there are more than 4096 columns");
    let summary = "x".repeat(limits::DESCRIPTION_CHARS_MAX + 1);
    let told = read_people(&folder.write("y.csv", format!("name,summary\nJane,{summary}\n"))).unwrap();
    assert_eq!(told.people[0].1.summary, None);
    assert_eq!(
        told.notes_told(),
        ["row 1, line 2, column `summary`: is longer than 5000 characters: shorten it"]
    );
    let row = "x".repeat(limits::ROW_BYTES_MAX);
    let told = read_people(&folder.write("z.csv", format!("name,notes\nJane,{row}\nJo,\n"))).unwrap();
    assert_eq!((told.names(), told.rejects[0].line), (vec!["Jo"], Some(2)));
}
