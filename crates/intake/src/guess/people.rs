//! What columns about people are called.

use super::{Group, Names, Vocabulary};
use crate::field::PersonField as F;

pub(super) const VOCABULARY: Vocabulary<F> = Vocabulary {
    names: NAMES,
    groups: GROUPS,
    lists: &[F::Emails, F::Phones],
    // Neither "company" nor "corporate" nor "hq": what a whole company shares is no person's identifier.
    qualifiers: "work business office professional job personal private home primary main other secondary second \
                 additional alternate alternative direct best preferred recommended default all \
                 geschaftlich geschaeftlich privat beruflich dienstlich arbeit haupt weitere \
                 professionnel professionnelle pro perso personnel personnelle principal principale secondaire autre \
                 profesional laboral trabajo particular personales secundario otro",
};

/// What an address is for, by a word in the name of its column.
pub(super) const WORK_WORDS: &str = "work business office professional job pro geschaftlich geschaeftlich beruflich \
                                     dienstlich arbeit professionnel professionnelle profesional laboral trabajo";
pub(super) const PERSONAL_WORDS: &str =
    "personal private home privat perso personnel personnelle particular personales";

/// The whole name in some files, half of it in others.
pub(super) const PLAIN_NAMES: &str = "name nom nombre";

const NAMES: Names<F> = &[
    (
        F::ExternalRef,
        "id uid uuid guid sourceid externalid externalref externalreference recordid objectid personid contactid leadid profileid userid memberid \
         candidateid rowid crmid personuuid kontaktid datensatzid kennung identifiant idcontact identificador idcontacto \
         idpersona apollocontactid hubspotid salesforceid",
    ),
    (
        F::FullName,
        "name fullname displayname completename wholename namefull contactname personname leadname candidatename \
         employeename firstandlastname firstlastname nameoftheperson vollername vollstandigername vollstaendigername \
         gesamtname ansprechpartner nachnamevorname vornamenachname nom nomcomplet nomprenom prenomnom nometprenom \
         prenometnom nomduncontact nombre nombrecompleto nombreyapellidos nombreyapellido nombresyapellidos \
         apellidosynombre",
    ),
    (
        F::FirstName,
        "firstname firstnames first fname givenname givennames given forename christianname namefirst vorname vornamen \
         rufname prenom prenoms nombredepila primernombre nombres",
    ),
    (
        F::MiddleName,
        "middlename middlenames middle namemiddle secondname additionalname zweitername deuxiemeprenom segundonombre",
    ),
    (
        F::LastName,
        "lastname lastnames last lname surname surnames familyname family namelast nachname nachnamen familienname \
         zuname nomdefamille nomfamille patronyme apellido apellidos primerapellido",
    ),
    (
        F::Headline,
        "headline tagline profileheadline profiletitle networkheadline shortbio kurzprofil profiltitel slogan \
         titreprofil titreduprofil titular titulardelperfil",
    ),
    (
        F::Summary,
        "summary about aboutme bio biography profilesummary personsummary longbio uebermich ubermich zusammenfassung \
         apropos resume acercademi resumen biografia",
    ),
    (
        F::Title,
        "title jobtitle position role jobrole jobposition jobname positiontitle roletitle currenttitle currentposition \
         currentjobtitle currentrole occupation designation worktitle businesstitle berufsbezeichnung \
         stellenbezeichnung jobbezeichnung jobtitel funktion positionsbezeichnung beruf tatigkeit taetigkeit rolle \
         poste posteactuel fonction titre titreduposte intituleduposte intituleposte metier cargo puesto \
         puestodetrabajo puestoactual ocupacion profesion",
    ),
    (
        F::Emails,
        "email mail emails mails emailaddress emailaddresses mailaddress emailid mailid mailadresse emailadresse \
         epost emailsaddress emailsvalue emailsemail emailaddressesvalue emailaddressesaddress workemailaddress \
         adressemail adresseemail adresseelectronique adressedemessagerie courriel courrielpro mel correo \
         correoelectronico correos direcciondecorreo direcciondecorreoelectronico direccionemail buzon",
    ),
    (
        F::Phones,
        "phone phones phonenumber phonenumbers phoneno telephone telephonenumber telephones tel telnr telno telnumber \
         mobile mobiles mobilephone mobilenumber mobileno mobilephonenumber cell cellphone cellnumber \
         cellphonenumber directdial directdialphone directline landline phonemobile phonecell phonesnumber \
         phonesvalue phonesphone phonenumbersnumber phonenumbersvalue telefon telefonnummer telefonnr rufnummer handy \
         handynummer handynr mobil mobiltelefon mobilnummer mobilfunk mobilfunknummer mobilnr telefonmobil festnetz \
         festnetznummer durchwahl telephonemobile telephoneportable telephonefixe portable numerodetelephone \
         numerotelephone numtelephone numerodeportable telportable telmobile telefono telefonos telefonomovil \
         telefonofijo movil celular numerodetelefono numerodemovil numerotelefono telefonocelular fijo",
    ),
    (
        F::NetworkUrl,
        "network networkurl networkprofile networkprofileurl networklink networkaddress networkpage profileurl \
         profilelink profileaddress publicprofile publicprofileurl personnetwork personnetworkurl socialurl \
         socialprofile socialprofileurl urlnetwork profil profilurl profillink profiladresse netzwerkprofil \
         lienduprofil lienprofil urlduprofil urlprofil profilnetwork perfil perfilurl urldelperfil urlperfil \
         enlacedelperfil perfilnetwork",
    ),
    (
        F::CompanyName,
        "company companyname organization organisation organizationname organisationname employer employername \
         currentcompany currentcompanyname currentemployer currentorganization firm firmname workplace account \
         accountname companynameforemails nameofcompany nameofemployer firma firmenname unternehmen \
         unternehmensname arbeitgeber betrieb entreprise societe compagnie nomdelentreprise nomentreprise \
         nomdelasociete nomsociete raisonsociale employeur organisme empresa compania nombredelaempresa \
         nombreempresa nombredeempresa organizacion empleador razonsocial",
    ),
    (
        F::CompanyDomain,
        "companydomain domain domainname companywebsite companyurl companysite companyweb companyhomepage \
         currentcompanydomain employerdomain employerwebsite organizationdomain accountdomain websiteurl website \
         webpage homepage webseite internetseite firmenwebsite firmenwebseite firmendomain firmenhomepage \
         unternehmenswebsite domaine nomdedomaine siteweb siteinternet sitewebdelentreprise sitewebentreprise \
         domainedelentreprise dominio sitioweb paginaweb web sitiowebdelaempresa dominiodelaempresa \
         webdelaempresa",
    ),
    (
        F::CompanyNetworkUrl,
        "companynetwork companynetworkurl companynetworkprofile companynetworkpage companynetworklink \
         companyprofileurl companypageurl networkcompanyurl currentcompanynetworkurl employernetworkurl \
         organizationnetworkurl accountnetworkurl firmenprofil unternehmensprofil networkentreprise networkempresa",
    ),
    (
        F::City,
        "city town locality municipality citytown cityname homecity workcity ort stadt wohnort \
         arbeitsort ortschaft ville villederesidence commune localite ciudad localidad poblacion municipio",
    ),
    (
        F::Region,
        "region state province stateprovince stateregion stateorprovince stateorregion county statecode regionname \
         statename bundesland kanton bundeslandkanton departement etat provinceetat provincia estado comunidad \
         comunidadautonoma departamento regionprovincia estadoprovincia",
    ),
    (
        F::Country,
        "country countrycode countryname countryregion countryiso countryisocode isocountry isocountrycode \
         countryalpha nation land landname landercode laendercode landerkennzeichen landercodeiso staat pays codepays \
         paysderesidence nompays pais codigopais codigodepais paisderesidencia nombredelpais",
    ),
    (
        F::Location,
        "location locationname locationfull fulllocation personlocation place residence geolocation whereabouts \
         standort wohnsitz lieu lieuderesidence localisation emplacement ubicacion lugar residencia localizacion",
    ),
    (
        F::StartedOn,
        "startdate startedon startedat startedin started datestarted jobstart jobstartdate jobstartedon \
         positionstartdate currentjobstartdate rolestartdate jobstartedat employedsince since hiredate hiredon \
         dateofhire joinedon joineddate joindate startdatum beginn beginndatum eintritt eintrittsdatum seit \
         datededebut datedebut debut dateentree dateembauche datedembauche depuis fechadeinicio fechainicio inicio \
         fechadealta fechaingreso fechadeingreso desde",
    ),
    (
        F::EndedOn,
        "enddate endedon endedat endedin ended dateended jobend jobenddate jobendedon positionenddate roleenddate \
         lefton leavedate until enddatum ende austritt austrittsdatum bis datedefin datefin fin datesortie \
         datedesortie jusqua fechadefin fechafin fechadebaja fechasalida hasta",
    ),
    (
        F::Skills,
        "skills skill skillset skillsname keyskills competencies expertise specialties specialities fahigkeiten \
         faehigkeiten kenntnisse kompetenzen competences competence aptitudes habilidades competencias destrezas",
    ),
    (
        F::Languages,
        "languages language languagesspoken spokenlanguages languagesname languageslanguage languagescode \
         languageskills sprachen sprache sprachkenntnisse fremdsprachen langues langue languesparlees idiomas idioma \
         lenguas lengua",
    ),
    (
        F::Certifications,
        "certifications certification certificationsname certificates certificate certificatesname licenses \
         licensesandcertifications licensescertifications licensesname accreditations zertifikate zertifikat zertifizierungen certificats \
         certificat certificaciones certificacion certificados",
    ),
    (
        F::EducationSchool,
        "school university college almamater schoolname universityname collegename institution educationinstitution \
         highesteducationinstitution schule hochschule universitat universitaet ausbildungsstatte bildungseinrichtung \
         ecole universite etablissement escuela universidad centrodeestudios institucioneducativa",
    ),
    (
        F::EducationDegree,
        "degree degreename degrees highestdegree diploma qualification abschluss studienabschluss bildungsabschluss \
         hochschulabschluss diplome diplomes niveaudetudes titulacion grado gradoacademico titulouniversitario",
    ),
    (
        F::EducationField,
        "fieldofstudy fieldsofstudy studyfield major majors areaofstudy subject studienfach studiengang \
         fachrichtung studienrichtung domainedetudes domainedetude specialisation campodeestudio campodeestudios \
         areadeestudio carrera especialidad",
    ),
    (
        F::ObservedOn,
        "observedon observedat observed lastobserved asof updatedon updatedat updated updatedate updateddate dateupdated lastupdated lastupdate lastupdatedat \
         lastupdatedon lastmodified lastmodifiedat lastmodifiedon lastmodifieddate modifiedon modifiedat modified \
         datemodified modifieddate lastseen lastseenat lastrefreshed refreshedat refreshedon lastverified \
         aktualisiertam aktualisiert geandertam geaendertam zuletztaktualisiert zuletztgeandert letzteaktualisierung \
         letzteanderung miseajour datedemiseajour datemiseajour datemaj derniermiseajour dernieremiseajour modifiele \
         derniermodification dernieremodification actualizado actualizadoel fechadeactualizacion fechaactualizacion \
         ultimaactualizacion ultimamodificacion fechademodificacion modificadoel",
    ),
];

const GROUPS: &[Group<F>] = &[
    Group {
        words: "person people persons contact contacts lead prospect candidate member employee user customer client \
                profile primary main current verified valid latest recent attributes properties fields data record result item kontakt \
                mitarbeiter aktuelle aktueller aktuelles contacto empleado actual actuel actuelle salarie",
        names: None,
    },
    Group {
        words: "location locations address addresses mailing home place residence geo work adresse anschrift standort lieu \
                ubicacion direccion domicilio",
        names: Some(PLACE),
    },
    Group { words: "job position role work emploi empleo anstellung", names: Some(JOB) },
    Group {
        words: "experience experiences jobs employment employments positions roles workhistory history career past \
                previous experiencia experiencias berufserfahrung emplois empleos anstellungen",
        names: Some(EMPLOYMENT),
    },
    Group {
        words: "company organization organisation employer firm account business firma unternehmen arbeitgeber \
                entreprise societe employeur empresa compania empleador",
        names: Some(COMPANY),
    },
    Group {
        words: "education educations school schools university degree degrees studies ausbildung studium formation \
                etudes educacion formacion estudios",
        names: Some(EDUCATION),
    },
];

const PLACE: Names<F> = &[
    (F::City, "city town locality cityname ort stadt ville ciudad localidad"),
    (F::Region, "region state province stateprovince regionname statecode bundesland estado provincia"),
    (F::Country, "country countrycode countryname countryiso land pays pais"),
    (F::Location, "name full text display formatted label"),
];

const JOB: Names<F> = &[
    (F::Title, "title titlename name role position jobtitle titel poste cargo puesto"),
    (
        F::CompanyName,
        "company companyname organization organizationname organisation employer employername firma entreprise empresa",
    ),
    (F::CompanyDomain, "companydomain companywebsite domain website organizationdomain"),
    (F::CompanyNetworkUrl, "companynetworkurl companynetwork companyprofileurl organizationnetworkurl"),
    (F::StartedOn, "startdate startedon startedat start started from since beginn debut inicio"),
    (F::EndedOn, "enddate endedon endedat end ended to until ende fin"),
];

const EMPLOYMENT: Names<F> = &[
    (F::EmploymentTitle, "title titlename name role position jobtitle titel poste cargo puesto"),
    (
        F::EmploymentCompanyName,
        "company companyname organization organizationname organisation organisationname employer employername firma \
         entreprise empresa",
    ),
    (
        F::EmploymentCompanyDomain,
        "companydomain companywebsite companyurl domain website organizationdomain organizationwebsite \
         employerdomain",
    ),
    (F::EmploymentStartedOn, "startdate startedon startedat start started from since beginn debut inicio"),
    (F::EmploymentEndedOn, "enddate endedon endedat end ended to until ende fin"),
];

const COMPANY: Names<F> = &[
    (F::CompanyName, "name title displayname namen nom nombre"),
    (
        F::CompanyDomain,
        "domain domainname website websiteurl url site homepage primarydomain webseite siteweb domaine dominio \
         sitioweb web",
    ),
    (
        F::CompanyNetworkUrl,
        "network networkurl networkprofile networkprofileurl profileurl networkpage networklink",
    ),
];

const EDUCATION: Names<F> = &[
    (
        F::EducationSchool,
        "school schoolname name university institution college schule ecole escuela universidad",
    ),
    (
        F::EducationDegree,
        "degree degreename degrees level qualification diploma abschluss diplome titulacion",
    ),
    (F::EducationField, "field fieldofstudy fieldsofstudy major majors subject area fach domaine campo"),
    (
        F::EducationStartedOn,
        "startdate startedon startedat start started from startyear yearstarted beginn debut inicio",
    ),
    (
        F::EducationEndedOn,
        "enddate endedon endedat end ended to until endyear graduationyear graduationdate graduatedon graduated \
         yearofgraduation ende fin",
    ),
];
