//! The headers of usual exports, and the mapping that is guessed for them.

use assay_domain::NetworkHosts;
use assay_intake::{Kind, Mapping};

use super::headers::headers;

/// `field = columns`, one a line; columns have a comma between them.
fn check(kind: Kind, columns: &str, expected: &str) {
    let hosts = NetworkHosts::new(["www.peoplebook.example"]).unwrap();
    let names: Vec<&str> = columns.split(',').map(str::trim).collect();
    let mapping = Mapping::guess(kind, &headers(&names), &hosts);
    let found: Vec<String> = mapping
        .columns
        .iter()
        .map(|(field, names)| format!("{} = {}", field.name(), names.join(", ")))
        .collect();
    let expected: Vec<&str> = expected.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    assert_eq!(found, expected);
}

#[test]
fn contacts_of_hubspot() {
    check(
        Kind::People,
        "Record ID, First Name, Last Name, Email, Phone Number, Mobile Phone Number, Contact owner, Lead Status, Job Title, \
         Company Name, Website URL, City, State/Region, Country/Region, Peoplebook URL, Last Modified Date, Work email",
        "external_ref = Record ID
         first_name = First Name
         last_name = Last Name
         title = Job Title
         city = City
         region = State/Region
         country = Country/Region
         work_emails = Work email
         emails = Email
         phones = Phone Number, Mobile Phone Number
         network_url = Peoplebook URL
         company_name = Company Name
         company_domain = Website URL
         observed_on = Last Modified Date",
    );
}

#[test]
fn companies_of_hubspot() {
    check(
        Kind::Companies,
        "Record ID, Company name, Company Domain Name, Industry, Number of Employees, Annual Revenue, Year Founded, \
         Phone Number, City, State/Region, Country/Region, Peoplebook Company Page, Description, Web Technologies, \
         Company owner, Last Modified Date",
        "external_ref = Record ID
         name = Company name
         domain = Company Domain Name
         network_url = Peoplebook Company Page
         description = Description
         industry = Industry
         employee_count = Number of Employees
         revenue_range = Annual Revenue
         founded_year = Year Founded
         city = City
         region = State/Region
         country = Country/Region
         phone = Phone Number
         technologies = Web Technologies
         observed_on = Last Modified Date",
    );
}

#[test]
fn contacts_of_salesforce() {
    check(
        Kind::People,
        "Id, FirstName, MiddleName, LastName, Salutation, Email, Phone, MobilePhone, HomePhone, Title, Department, \
         Account.Name, Account.Website, MailingStreet, MailingCity, MailingState, MailingCountry, OwnerId, LastModifiedDate",
        "external_ref = Id
         first_name = FirstName
         middle_name = MiddleName
         last_name = LastName
         title = Title
         city = MailingCity
         region = MailingState
         country = MailingCountry
         emails = Email
         phones = Phone, MobilePhone, HomePhone
         company_name = Account.Name
         company_domain = Account.Website
         observed_on = LastModifiedDate",
    );
}

#[test]
fn accounts_of_salesforce() {
    check(
        Kind::Companies,
        "Id, Name, Type, Industry, Website, Phone, NumberOfEmployees, AnnualRevenue, YearStarted, BillingCity, BillingState, \
         BillingCountry, ShippingCity, Description, OwnerId, LastModifiedDate",
        "external_ref = Id
         name = Name
         domain = Website
         description = Description
         industry = Industry
         employee_count = NumberOfEmployees
         revenue_range = AnnualRevenue
         founded_year = YearStarted
         kind = Type
         city = BillingCity
         region = BillingState
         country = BillingCountry
         phone = Phone
         observed_on = LastModifiedDate",
    );
}

#[test]
fn people_of_a_prospecting_tool() {
    check(
        Kind::People,
        "First Name, Last Name, Title, Company Name, Company Name for Emails, Email, Email Status, Email Confidence, \
         Seniority, Departments, Work Direct Phone, Home Phone, Mobile Phone, Corporate Phone, Other Phone, # Employees, \
         Industry, Keywords, Person Peoplebook Url, Website, Company Peoplebook Url, City, State, Country, Company Address, \
         Company City, Company State, Company Country, Company Phone, Technologies, Annual Revenue, Apollo Contact Id, \
         Apollo Account Id",
        "external_ref = Apollo Contact Id
         first_name = First Name
         last_name = Last Name
         title = Title
         city = City
         region = State
         country = Country
         emails = Email
         phones = Work Direct Phone, Home Phone, Mobile Phone, Other Phone
         network_url = Person Peoplebook Url
         company_name = Company Name
         company_domain = Website
         company_network_url = Company Peoplebook Url",
    );
}

#[test]
fn companies_of_a_prospecting_tool() {
    check(
        Kind::Companies,
        "Company, Company Name for Emails, Account Stage, # Employees, Industry, Website, Company Peoplebook Url, \
         Company Street, Company City, Company State, Company Country, Company Phone, Technologies, Total Funding, \
         Annual Revenue, Founded Year, SIC Codes, Short Description, Apollo Account Id, Logo Url",
        "external_ref = Apollo Account Id
         name = Company
         domain = Website
         network_url = Company Peoplebook Url
         description = Short Description
         industry = Industry
         employee_count = # Employees
         revenue_range = Annual Revenue
         founded_year = Founded Year
         city = Company City
         region = Company State
         country = Company Country
         phone = Company Phone
         technologies = Technologies",
    );
}

#[test]
fn people_of_a_data_provider() {
    check(
        Kind::People,
        "id, full_name, first_name, middle_name, last_name, sex, birth_year, peoplebook_url, peoplebook_username, \
         work_email, personal_emails, recommended_personal_email, mobile_phone, phone_numbers, industry, job_title, \
         job_title_role, job_company_id, job_company_name, job_company_website, job_company_industry, \
         job_company_peoplebook_url, job_company_location_locality, job_start_date, job_last_updated, location_name, \
         location_locality, location_region, location_country, location_continent, interests, skills, summary, \
         experience.company.name, experience.company.website, experience.company.peoplebook_url, experience.title.name, \
         experience.start_date, experience.end_date, experience.is_primary, education.school.name, education.degrees, \
         education.majors, education.start_date, education.end_date, education.gpa, languages.name, emails.address, \
         emails.type, certifications.name",
        "external_ref = id
         full_name = full_name
         first_name = first_name
         middle_name = middle_name
         last_name = last_name
         summary = summary
         title = job_title
         location = location_name
         city = location_locality
         region = location_region
         country = location_country
         work_emails = work_email
         personal_emails = personal_emails, recommended_personal_email
         emails = emails.address
         phones = mobile_phone, phone_numbers
         network_url = peoplebook_url
         company_name = job_company_name
         company_domain = job_company_website
         company_network_url = job_company_peoplebook_url
         started_on = job_start_date
         employment_title = experience.title.name
         employment_company_name = experience.company.name
         employment_company_domain = experience.company.website
         employment_started_on = experience.start_date
         employment_ended_on = experience.end_date
         education_school = education.school.name
         education_degree = education.degrees
         education_field = education.majors
         education_started_on = education.start_date
         education_ended_on = education.end_date
         skills = skills
         languages = languages.name
         certifications = certifications.name",
    );
}
