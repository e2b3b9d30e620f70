//! Values that files have and ours have not: what is made of them, and what is told about the rest.

use assay_intake::Kind;

use super::files::{Folder, guess, read_companies, read_people, read_with};

#[test]
fn unreadable_values_are_dropped_and_told_without_their_text() {
    let folder = Folder::new();
    let path = folder.write(
        "p.csv",
        "Name,Email,Phone,Country,Start Date,Network URL,Languages\n\
         Jane Doe,jane@acme.example;secret at home,secret,Secretland,03/04/2020,https://secret.example/in/x,\"en, secretian\"\n\
         123,joe@acme.example,+1 202 555 0123,DE,2020,,de\n",
    );
    let told = read_people(&path).unwrap();
    assert_eq!(
        told.notes_told(),
        [
            "row 1, line 2, column `Country`: is no known country: write its ISO code, such as DE, or its name",
            "row 1, line 2, column `Email`: the email address has no @ sign",
            "row 1, line 2, column `Phone`: the phone number does not start with a plus sign and a country code",
            "row 1, line 2, column `Network URL`: the network url is not on a host of the network",
            "row 1, line 2, column `Start Date`: may be two dates: set date_format in the mapping",
            "row 1, line 2, column `Languages`: is no known language: write its ISO code, such as en, or its name",
            "row 2, line 3, column `Name`: has no letter, so it is no name",
        ]
    );
    assert!(!format!("{told:?}").contains("secret") && !format!("{told:?}").contains("Jane"), "{told:?}");
    let (_, jane) = &told.people[0];
    assert_eq!((jane.emails.len(), jane.phones.len(), jane.languages.len()), (1, 0, 1));
    assert_eq!(told.people[1].1.full_name, None);
}

#[test]
fn values_are_cleaned_of_what_programs_add() {
    let folder = Folder::new();
    let path = folder.write(
        "p.csv",
        "Name,Title,Phone,City,Company,Email\n\"  Jane\u{a0}  Doe \",N/A,'+1 202 555 0123,-,null,=\"jane@acme.example\"\n",
    );
    let told = read_people(&path).unwrap();
    let (_, jane) = &told.people[0];
    assert_eq!(jane.full_name.as_deref(), Some("Jane Doe"));
    assert_eq!((&jane.title, &jane.city, &jane.company_name), (&None, &None, &None));
    assert_eq!(jane.phones[0].as_str(), "+12025550123");
    assert_eq!(jane.emails[0].address.as_str(), "jane@acme.example");
    assert_eq!(told.notes_told(), Vec::<String>::new());
}

#[test]
fn a_person_may_be_known_by_any_one_thing() {
    let folder = Folder::new();
    let path = folder.write(
        "p.csv",
        "id,First,Last,Email,Phone,Profile URL,Title\n\
         1,Jane,,,,,\n2,,Doe,,,,\n3,,,jane@acme.example,,,\n4,,,,+12025550123,,\n5,,,,,network.example/in/jane,\n6,,,,,,CEO\n",
    );
    let told = read_people(&path).unwrap();
    assert_eq!(told.people.iter().map(|(row, _)| *row).collect::<Vec<_>>(), [1, 2, 3, 4, 5]);
    assert_eq!(
        told.reasons(),
        [(6, "names nobody: give it a name, an email, a phone or a network url".to_owned())]
    );
    assert_eq!(told.rejects[0].raw, b"6,,,,,,CEO");
    assert_eq!(told.names(), ["Jane", "Doe", "-", "-", "-"]);
}

#[test]
fn a_company_may_be_known_by_any_one_thing() {
    let folder = Folder::new();
    let path = folder.write(
        "c.csv",
        "Company,Legal Name,Website,Other Domains,Profile URL,Employees,Industry\n\
         Acme,,,,,\"1,200\",computer software\n,Acme GmbH,,,,51-200,Software Development\n,,www.acme.example,,,10001+,x\n\
         ,,,acme.example;acme.test,,many,\n,,,,network.example/company/acme,,\n,,,,network.example/in/jane,5,\n",
    );
    let told = read_companies(&path).unwrap();
    assert_eq!(told.companies.iter().map(|(row, _)| *row).collect::<Vec<_>>(), [1, 2, 3, 4, 5]);
    assert_eq!(
        told.reasons(),
        [(6, "names no company: give it a name, a domain or a network url".to_owned())]
    );
    let counts: Vec<_> =
        told.companies.iter().map(|(_, row)| row.employee_count.map(|it| (it.least, it.most))).collect();
    assert_eq!(counts, [Some((1_200, Some(1_200))), Some((51, Some(200))), Some((10_001, None)), None, None]);
    assert_eq!(told.companies[1].1.name.as_deref(), Some("Acme GmbH"));
    assert_eq!(told.companies[0].1.industry, told.companies[1].1.industry);
    let (_, fourth) = &told.companies[3];
    assert_eq!(fourth.domain.as_ref().unwrap().as_str(), "acme.example");
    assert_eq!(fourth.domains.len(), 1);
    assert_eq!(
        told.notes_told(),
        [
            "row 3, line 4, column `Industry`: is no known industry: write one of the taxonomy",
            "row 4, line 5, column `Employees`: is no number of employees: write 120 or 51-200",
            "row 6, line 7, column `Profile URL`: is the page of a person, not of a company",
        ]
    );
    assert_eq!(
        told.rejects[0].to_string(),
        "row 6, line 7: names no company: give it a name, a domain or a network url (column `Profile URL`: is the page of a \
         person, not of a company)"
    );
}

#[test]
fn a_place_in_one_text_fills_what_has_no_column() {
    let folder = Folder::new();
    let path = folder.write(
        "p.csv",
        "Name,Location,Country\nJane,\"Austin, Texas, United States\",\nJo,\"Munich, Bavaria, Germany\",Austria\n",
    );
    let told = read_people(&path).unwrap();
    let places: Vec<_> =
        told.people.iter().map(|(_, row)| (row.city.as_deref(), row.country.unwrap().as_str())).collect();
    assert_eq!(places, [(Some("Austin"), "US"), (Some("Munich"), "AT")]);
}

#[test]
fn values_that_are_too_long_or_too_many_are_told() {
    let folder = Folder::new();
    let skills: Vec<String> = (0..101).map(|number| format!("s{number}")).collect();
    let name = "x".repeat(201);
    let path =
        folder.write("p.csv", format!("Name,Email,Skills\n{name},jane@acme.example,{}\n", skills.join(";")));
    let told = read_people(&path).unwrap();
    assert_eq!(
        told.notes_told(),
        [
            "row 1, line 2, column `Name`: is longer than 200 characters: shorten it",
            "row 1, line 2, column `Skills`: has more than 100 entries: the others are left out"
        ]
    );
    assert_eq!(told.people[0].1.skills.len(), 100);
}

#[test]
fn notes_are_bounded_and_counted() {
    let folder = Folder::new();
    let path = folder.write("p.csv", format!("name,email\n{}", "Jane,nowhere\n".repeat(500)));
    let told = read_people(&path).unwrap();
    assert_eq!((told.notes.len(), told.notes_unkept), (100, 400));
}

#[test]
fn a_field_takes_its_second_column_where_the_first_says_nothing() {
    let folder = Folder::new();
    let path = folder.write("p.csv", "a,b,mail\nHead,Boss,x@acme.example\n,Boss,y@acme.example\n");
    let mut mapping = guess(&path, Kind::People).unwrap();
    let title = assay_intake::Field::find(Kind::People, "title").unwrap();
    mapping.columns.insert(title, vec!["a".to_owned(), "b".to_owned()]);
    let told = read_with(&path, &mapping).unwrap();
    let titles: Vec<_> = told.people.iter().map(|(_, row)| row.title.as_deref().unwrap()).collect();
    assert_eq!(titles, ["Head", "Boss"]);
}
