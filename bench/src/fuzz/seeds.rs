//! Where the search begins: replies of real servers, answers of nameservers and vendors, addresses and what is taken for them.

/// Labelled replies, for the tests of what they mean.
const REPLIES: &str = include_str!("../../../crates/mailbox/tests/replies.tsv");
/// What the target reads before the server's bytes: encryption wanted and working, a plain address, a sender; pieces of
/// several lengths.
const CHOICES: [u8; 4] = [0b1011, 0, 6, 40];
const ACCEPTED: &str = "250 2.1.5 Ok\r\n";

/// Whole conversations, each with one labelled reply where it belongs.
pub fn replies() -> Vec<Vec<u8>> {
    let rows = REPLIES.lines().filter(|line| !line.starts_with('#'));
    let labelled = rows.filter_map(|row| {
        let mut fields = row.split('\t');
        let (stage, code, text) = (fields.next()?, fields.next()?, fields.next()?);
        Some(format!("{}{}{ACCEPTED}221 bye\r\n", before(stage), lines(code, text)))
    });
    let encrypted = format!(
        "220 mx ESMTP\r\n250-mx\r\n250-STARTTLS\r\n250 SMTPUTF8\r\n220 go\r\n250 mx\r\n250 ok\r\n{ACCEPTED}550 5.1.1 no\r\n"
    );
    let conversations = labelled.chain([encrypted]);
    conversations.map(|text| [CHOICES.as_slice(), text.as_bytes()].concat()).collect()
}

/// What a polite server has said when this is its turn.
fn before(stage: &str) -> &'static str {
    match stage {
        "greeting" => "",
        "helo" => "220 mx ESMTP\r\n",
        "mail" => "220 mx ESMTP\r\n250-mx\r\n250 PIPELINING\r\n",
        _ => "220 mx ESMTP\r\n250-mx\r\n250 PIPELINING\r\n250 2.1.0 Ok\r\n",
    }
}

fn lines(code: &str, text: &str) -> String {
    let lines: Vec<&str> = text.split("\\n").collect();
    let marked = (1..).zip(&lines).map(|(number, line)| {
        let mark = if number == lines.len() { ' ' } else { '-' };
        format!("{code}{mark}{line}\r\n")
    });
    marked.collect()
}

const MX: u16 = 15;
const TXT: u16 = 16;
const A: u16 = 1;
const CNAME: u16 = 5;
const NS: u16 = 2;
const SOA: u16 = 6;
const AAAA: u16 = 28;

/// An answer: its result, what was asked, and the records of its second and third part.
struct Message {
    result: u8,
    kind: u16,
    answers: Vec<(u16, Vec<u8>)>,
    authorities: Vec<(u16, Vec<u8>)>,
}

impl Message {
    fn of(kind: u16, answers: Vec<(u16, Vec<u8>)>) -> Self {
        Self { result: 0, kind, answers, authorities: Vec::new() }
    }

    fn write(&self) -> Vec<u8> {
        let count = |records: &[_]| u16::try_from(records.len()).unwrap_or_default().to_be_bytes();
        let mut bytes = vec![0x12, 0x34, 0x81, 0x80 | self.result, 0, 1];
        bytes.extend(count(&self.answers));
        bytes.extend(count(&self.authorities));
        bytes.extend([0, 0]);
        bytes.extend(name("acme.example"));
        bytes.extend([self.kind.to_be_bytes(), [0, 1]].concat());
        for (kind, data) in self.answers.iter().chain(&self.authorities) {
            // The name that was asked for, which begins behind the head.
            bytes.extend([0xc0, 12]);
            bytes.extend([kind.to_be_bytes(), [0, 1], [0, 0], [0, 60]].concat());
            bytes.extend(u16::try_from(data.len()).unwrap_or_default().to_be_bytes());
            bytes.extend(data);
        }
        bytes
    }
}

fn name(text: &str) -> Vec<u8> {
    let labels = text.split('.').filter(|label| !label.is_empty());
    let mut bytes: Vec<u8> = labels.flat_map(|label| piece(label.as_bytes())).collect();
    bytes.push(0);
    bytes
}

/// Bytes behind their length.
fn piece(bytes: &[u8]) -> Vec<u8> {
    let length = u8::try_from(bytes.len()).unwrap_or(u8::MAX);
    [&[length], bytes].concat()
}

fn mx(preference: u8, host: &str) -> (u16, Vec<u8>) {
    (MX, [vec![0, preference], name(host)].concat())
}

fn txt(pieces: &[&str]) -> (u16, Vec<u8>) {
    (TXT, pieces.iter().flat_map(|text| piece(text.as_bytes())).collect())
}

/// What nameservers say of domains, of those that fail too.
pub fn answers() -> Vec<Vec<u8>> {
    let soa = (SOA, [name("ns.acme.example"), name("hostmaster.acme.example"), vec![0; 20]].concat());
    let failed = |result, authorities| Message { result, authorities, ..Message::of(MX, Vec::new()) };
    let policy = "v=spf1 include:_spf.google.com include:spf.protection.outlook.com ~all";
    let messages = [
        Message::of(MX, vec![mx(1, "aspmx.l.google.com"), mx(5, "alt1.aspmx.l.google.com")]),
        Message::of(MX, vec![mx(0, "acme-example.mail.protection.outlook.com")]),
        Message::of(
            MX,
            vec![mx(10, "mxa-00.pphosted.com"), mx(10, "mxb-00.pphosted.com"), txt(&[policy]), txt(&["x"])],
        ),
        Message::of(
            MX,
            vec![mx(10, "eu-smtp-1.mimecast.com"), txt(&["v=spf1 redirect=", "_spf.google.com"])],
        ),
        Message::of(MX, vec![mx(0, ".")]),
        Message::of(MX, vec![mx(0, "."), mx(20, "MX.Acme.Example"), mx(20, "127.0.0.1"), mx(9, "localhost")]),
        Message::of(MX, vec![(CNAME, name("other.example")), mx(10, "mx.other.example")]),
        Message::of(
            TXT,
            vec![txt(&["google-site-verification=1"]), txt(&[policy]), txt(&["V=SPF1", " -all"])],
        ),
        Message::of(A, vec![(A, vec![192, 0, 2, 7]), (A, vec![127, 0, 0, 2])]),
        Message::of(AAAA, vec![(AAAA, vec![0x20; 16])]),
        failed(0, vec![soa.clone()]),
        failed(0, vec![(NS, name("ns.other.example"))]),
        failed(2, Vec::new()),
        failed(3, vec![soa]),
        failed(5, Vec::new()),
    ];
    messages.iter().map(Message::write).collect()
}

const ADDRESSES: &[&str] = &[
    "jane.doe@acme.example",
    " Jane.Doe+fair@ACME.example ",
    "jürgen@bücher.example",
    "info@gmail.com",
    "jane@gmial.com",
    "jane@gmail,com",
    "jane@gmail..com",
    "jane@gmailcom",
    "jane@@hotmail.co.uk",
    "Jane Doe <jane@gmail.con>",
    "mailto:jane@t-onlne.de",
    "\"jane@yahoo.fr\";",
    "jane [at] protonmial.com",
    "jane (at) acme . example.",
    "ja\u{200b}ne\u{ff20}web.de",
    "o'brien!#$%&*/=?^_`{|}~@mailinator.com",
    "noreply@news.acme.example",
    "jane@192.0.2.7",
    "jane@xn--bcher-kva.example",
    "jane@acme.example, john@acme.example",
    "@",
    "jane",
];

pub fn addresses() -> Vec<Vec<u8>> {
    ADDRESSES.iter().map(|text| text.as_bytes().to_vec()).collect()
}

/// Which vendor and lookup, a status, how and where an answer of it is changed, and the bytes to put there: the target has the
/// answers itself.
pub fn vendor_answers() -> Vec<Vec<u8>> {
    let pieces: [&[u8]; 4] =
        [b"null", b"{\"email\":\"jane@acme.example\"}", b"[[[[]]]]", b"\"+12025550123\""];
    let chosen = (0..16_u8).flat_map(|vendor| pieces.map(|piece| (vendor, piece)));
    chosen.map(|(vendor, piece)| [&[vendor, vendor, 0, vendor, vendor, 9], piece].concat()).collect()
}
