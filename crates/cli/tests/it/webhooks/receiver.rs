//! A server that webhooks are sent to: it keeps every request, and answers as the test tells it.

use assay_domain::Clock;
use assay_domain::clock::Stopwatch;
use assay_notify::{Secret, verify};
use serde_json::Value;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(20);

/// One request as it came.
#[derive(Debug, Clone)]
pub struct Received {
    pub line: String,
    headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Received {
    pub fn header(&self, name: &str) -> &str {
        let found = self.headers.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| &**value).unwrap_or_else(|| panic!("no {name} in {:?}", self.headers))
    }

    pub fn id(&self) -> &str {
        self.header("webhook-id")
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    /// Whether a receiver that knows this secret believes it.
    pub fn fits(&self, secret: &str) -> bool {
        let secrets = [Secret::parse(secret).unwrap()];
        let (time, signature) = (self.header("webhook-timestamp"), self.header("webhook-signature"));
        verify(&secrets, self.id(), time, signature, &self.body, Clock::system().now().timestamp()).is_ok()
    }
}

/// The answer to a request, and its number: a status line and headers, without the empty line.
type Answers = Box<dyn Fn(&Received, usize) -> String + Send + Sync>;

pub struct Receiver {
    pub address: SocketAddr,
    received: Arc<Mutex<Vec<Received>>>,
}

impl Receiver {
    pub fn start(answers: impl Fn(&Received, usize) -> String + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let received: Arc<Mutex<Vec<Received>>> = Arc::default();
        let (kept, answers): (_, Answers) = (Arc::clone(&received), Box::new(answers));
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                serve(stream.unwrap(), &kept, &answers);
            }
        });
        Self { address, received }
    }

    /// Every request is answered alike.
    pub fn answering(answer: &'static str) -> Self {
        Self::start(move |_, _| answer.to_owned())
    }

    pub fn url(&self) -> String {
        format!("http://{}/hook?token=s3cret", self.address)
    }

    /// The settings of a server that may send here, in a time that runs fast.
    pub fn settings(&self) -> Vec<(&'static str, String)> {
        vec![
            ("ASSAY_WEBHOOKS_ALLOW_RANGES", "127.0.0.0/8".to_owned()),
            ("ASSAY_WEBHOOKS_ALLOW_HTTP", "true".to_owned()),
            ("ASSAY_WEBHOOKS_ALLOW_PORTS", self.address.port().to_string()),
            ("ASSAY_WEBHOOKS_TIME_SCALE", "100000".to_owned()),
        ]
    }

    pub fn received(&self) -> Vec<Received> {
        self.received.lock().unwrap().clone()
    }

    /// Waits until so many requests came.
    #[track_caller]
    pub fn wait(&self, count: usize) -> Vec<Received> {
        eventually(|| Some(self.received()).filter(|all| all.len() >= count))
    }
}

/// One request, read whole, then one answer.
fn serve(mut stream: TcpStream, kept: &Mutex<Vec<Received>>, answers: &Answers) {
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let (mut bytes, mut piece) = (Vec::new(), [0_u8; 4096]);
    let end = loop {
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break end;
        }
        let count = stream.read(&mut piece).unwrap_or(0);
        if count == 0 {
            return;
        }
        bytes.extend_from_slice(&piece[..count]);
    };
    let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
    let mut lines = head.split("\r\n").map(str::to_owned);
    let line = lines.next().unwrap();
    let headers: Vec<(String, String)> = lines
        .map(|line| {
            let (name, value) = line.split_once(':').unwrap();
            (name.to_lowercase(), value.trim().to_owned())
        })
        .collect();
    let length = headers.iter().find(|(name, _)| name == "content-length").unwrap().1.parse().unwrap();
    let mut body = bytes[end + 4..].to_vec();
    while body.len() < length {
        let count = stream.read(&mut piece).unwrap();
        body.extend_from_slice(&piece[..count]);
    }
    let received = Received { line, headers, body };
    let number = {
        let mut kept = kept.lock().unwrap();
        kept.push(received.clone());
        kept.len()
    };
    let answer = answers(&received, number);
    let answer = format!("HTTP/1.1 {answer}\r\nconnection: close\r\ncontent-length: 2\r\n\r\nok");
    // A sender that has heard enough may be gone.
    drop(stream.write_all(answer.as_bytes()));
}

/// Looks again and again until there is something.
#[track_caller]
pub fn eventually<T>(mut look: impl FnMut() -> Option<T>) -> T {
    let watch = Stopwatch::start();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(watch.elapsed() < PATIENCE, "it did not happen in time");
        std::thread::sleep(Duration::from_millis(20));
    }
}
