//! What columns about companies are called.

use super::{Group, Names, Vocabulary};
use crate::field::CompanyField as F;

pub(super) const VOCABULARY: Vocabulary<F> = Vocabulary {
    names: NAMES,
    groups: GROUPS,
    lists: &[F::Domains, F::Keywords, F::Technologies],
    qualifiers: "other additional alternate alternative secondary all weitere andere autres otros",
};

const NAMES: Names<F> = &[
    (
        F::ExternalRef,
        "id uid uuid guid sourceid externalid externalref externalreference recordid objectid companyid accountid organizationid organisationid \
         rowid crmid companyuuid firmenid kennung identifiant identificador identreprise idempresa apolloaccountid hubspotid salesforceid",
    ),
    (
        F::Name,
        "name company companyname organization organisation organizationname organisationname account accountname \
         brand brandname tradename tradingname firm firmname displayname commonname firma firmenname unternehmen \
         unternehmensname betrieb handelsname nom nomdelentreprise nomentreprise nomdelasociete nomsociete \
         nomcommercial entreprise societe denomination nombre nombredelaempresa nombreempresa nombrecomercial \
         empresa compania",
    ),
    (
        F::LegalName,
        "legalname legalentity legalentityname legalcompanyname registeredname officialname juristischername \
         rechtlichername firmierung handelsregistername raisonsociale nomlegal denominationsociale razonsocial \
         nombrelegal nombrejuridico denominacionsocial",
    ),
    (
        F::Domain,
        "domain domainname companydomain companydomainname primarydomain maindomain website websiteurl companywebsite companyurl \
         webaddress homepage homepageurl url site web webpage webseite internetseite internetadresse \
         unternehmenswebsite domaine nomdedomaine siteweb siteinternet urldusite dominio sitioweb paginaweb \
         direccionweb urlsitioweb",
    ),
    (
        F::Domains,
        "domains alldomains otherdomains aliasdomains domainaliases aliases websites additionaldomains \
         alternativedomains weiteredomains domaines autresdomaines dominios otrosdominios",
    ),
    (
        F::NetworkUrl,
        "network networkurl networkprofile networkprofileurl networkpage networklink companynetwork \
         companynetworkurl companyprofileurl companypage companypageurl profileurl profilelink networkcompanyurl networkcompanypage \
         socialurl profil profilurl unternehmensprofil urlduprofil urldelperfil perfil pageentreprise",
    ),
    (
        F::Description,
        "description about aboutus summary overview shortdescription longdescription companydescription bio boilerplate \
         seodescription beschreibung kurzbeschreibung unternehmensbeschreibung uberuns descriptif apropos presentation \
         resume descripcion acercade resumen",
    ),
    (
        F::Industry,
        "industry industryname industries primaryindustry mainindustry sector vertical branche branchen \
         industriezweig wirtschaftszweig secteur secteurdactivite secteuractivite industrie sectordeactividad \
         industria actividad rama",
    ),
    (
        F::Keywords,
        "keywords keyword tags tag specialties specialities topics categories schlagworte schlagworter \
         stichworte motscles palabrasclave etiquetas especialidades",
    ),
    (
        F::EmployeeCount,
        "employees employee employeecount employeescount numberofemployees noofemployees numemployees nrofemployees \
         headcount staffcount staff companysize size sizeband sizerange employeerange employeesrange \
         estimatednumemployees totalemployees teamsize mitarbeiter mitarbeiterzahl mitarbeiteranzahl \
         anzahlmitarbeiter anzahldermitarbeiter beschaftigte beschaeftigte unternehmensgrosse \
         unternehmensgroesse effectif effectifs nombredesalaries nombredemployes nbsalaries taille \
         tailledelentreprise empleados numerodeempleados numempleados cantidaddeempleados plantilla tamano \
         tamanodelaempresa",
    ),
    (
        F::RevenueRange,
        "revenue annualrevenue revenuerange estimatedrevenue yearlyrevenue revenueband revenues turnover \
         annualturnover sales annualsales umsatz jahresumsatz umsatzklasse chiffredaffaires chiffreaffaires ca \
         caannuel ingresos ingresosanuales facturacion ventas volumendenegocio",
    ),
    (
        F::FoundedYear,
        "founded foundedyear yearfounded foundedin foundedon founding foundingyear foundingdate established \
         yearestablished incorporated incorporatedon incorporationyear startyear yearstarted gegrundet gegruendet \
         grundungsjahr gruendungsjahr grundung gruendung grundungsdatum anneedecreation datedecreation creation \
         fondee fondeeen anneedefondation anodefundacion fundacion fundada fundadaen fechadefundacion \
         anofundacion",
    ),
    (
        F::Kind,
        "kind type companytype organizationtype organisationtype companykind ownership ownershiptype legalform \
         businesstype typ unternehmenstyp unternehmensart rechtsform eigentumsform typedentreprise \
         typedesociete formejuridique tipo tipodeempresa formajuridica",
    ),
    (
        F::City,
        "city town locality municipality cityname hqcity headquarterscity headquartercity ort stadt firmensitz sitz \
         ville commune villedusiege siegesocial ciudad localidad municipio ciudadsede",
    ),
    (
        F::Region,
        "region state province stateprovince stateregion stateorprovince county statecode hqstate headquartersstate \
         bundesland kanton departement etat provincia estado comunidadautonoma departamento",
    ),
    (
        F::Country,
        "country countrycode countryname countryregion countryiso countryisocode isocountry hqcountry \
         headquarterscountry nation land landercode laendercode staat pays codepays pais codigopais codigodepais",
    ),
    (
        F::Location,
        "location hq headquarters headquarter headoffice hqlocation headquarterslocation mainoffice place \
         standort hauptsitz lieu siege localisation ubicacion sede sedecentral lugar",
    ),
    (
        F::Technologies,
        "technologies technology webtechnologies techstack stack technologystack tech toolsused technologiesname technologynames \
         technologien technologie tecnologias tecnologia pilatecnologica",
    ),
    (
        F::Phone,
        "phone phonenumber phones companyphone telephone telephonenumber tel telnr mainphone switchboard hqphone \
         corporatephone telefon telefonnummer rufnummer zentrale numerodetelephone numerotelephone standard \
         telefono numerodetelefono",
    ),
    (
        F::ObservedOn,
        "observedon observedat observed lastobserved asof updatedon updatedat updated updatedate updateddate dateupdated lastupdated lastupdate lastupdatedat \
         lastupdatedon lastmodified lastmodifiedat lastmodifiedon lastmodifieddate modifiedon modifiedat modified \
         datemodified modifieddate lastseen lastrefreshed refreshedat refreshedon lastverified aktualisiertam aktualisiert \
         geandertam geaendertam zuletztaktualisiert letzteaktualisierung miseajour datedemiseajour datemaj \
         dernieremiseajour modifiele actualizado actualizadoel fechadeactualizacion fechaactualizacion \
         ultimaactualizacion",
    ),
];

const GROUPS: &[Group<F>] = &[
    Group {
        words: "company companies organization organisation account business firm firma unternehmen entreprise societe \
                empresa compania primary main current attributes properties fields data record result item",
        names: None,
    },
    Group {
        words: "location locations address addresses billing headquarters headquarter hq office place geo adresse anschrift \
                standort sitz hauptsitz siege lieu sede ubicacion direccion",
        names: Some(PLACE),
    },
    Group { words: "technologies technology", names: Some(&[(F::Technologies, "name names value")]) },
    Group {
        words: "employees employee staff size",
        names: Some(&[(F::EmployeeCount, "count number range total")]),
    },
    Group { words: "revenue", names: Some(&[(F::RevenueRange, "range band text annual estimate")]) },
    Group { words: "industry industries", names: Some(&[(F::Industry, "name label primary")]) },
];

const PLACE: Names<F> = &[
    (F::City, "city town locality cityname ort stadt ville ciudad localidad"),
    (F::Region, "region state province stateprovince regionname statecode bundesland estado provincia"),
    (F::Country, "country countrycode countryname countryiso land pays pais"),
    (F::Location, "name full text display formatted label"),
];
