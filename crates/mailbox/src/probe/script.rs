//! Mail servers for tests: each plays a script, one connection after the other, and remembers what it heard.

use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use rustls::pki_types::PrivateKeyDer;
use rustls::{ServerConfig, ServerConnection, StreamOwned};

#[derive(Debug, Clone)]
pub(super) enum Act {
    /// Bytes as they are.
    Say(Vec<u8>),
    /// The same, one by one, with a pause between them.
    Drip(Vec<u8>, Duration),
    /// A command that begins so.
    Hear(&'static str),
    Wait(Duration),
    Encrypt,
    /// The other side has said nothing more so far: it does not talk ahead of its turn.
    HearNothing(Duration),
    /// Waits until the other side goes.
    Linger,
}

pub(super) fn say(line: &str) -> Act {
    Act::Say(format!("{line}\r\n").into_bytes())
}

/// What a polite server does with so many recipients, each answered so.
pub(super) fn polite(answers: &[&str]) -> Vec<Act> {
    let mut acts = begin();
    for answer in answers {
        acts.extend([Act::Hear("RCPT TO:"), say(answer)]);
    }
    acts.extend([Act::Hear("QUIT"), say("221 bye")]);
    acts
}

/// Up to the accepted sender.
pub(super) fn begin() -> Vec<Act> {
    vec![
        say("220 mx.acme.test ESMTP"),
        Act::Hear("EHLO"),
        say("250 hello"),
        Act::Hear("MAIL FROM:"),
        say("250 ok"),
    ]
}

#[derive(Debug)]
pub(super) struct Server {
    pub(super) address: IpAddr,
    pub(super) port: u16,
    heard: Arc<Mutex<Vec<String>>>,
    peer: Arc<Mutex<Option<IpAddr>>>,
}

impl Server {
    /// One script a connection; further connections are refused.
    pub(super) fn start(scripts: Vec<Vec<Act>>) -> Self {
        Self::listen(IpAddr::V4(Ipv4Addr::LOCALHOST), 0, scripts).unwrap()
    }

    /// Servers on neighbouring addresses of this machine, with one port.
    pub(super) fn start_all(hosts: Vec<Vec<Vec<Act>>>) -> Vec<Self> {
        'again: loop {
            let mut servers: Vec<Self> = Vec::new();
            for (last, scripts) in (1..).zip(hosts.clone()) {
                let port = servers.first().map_or(0, |server| server.port);
                match Self::listen(IpAddr::V4(Ipv4Addr::new(127, 0, 0, last)), port, scripts) {
                    Ok(server) => servers.push(server),
                    Err(_) => continue 'again,
                }
            }
            return servers;
        }
    }

    fn listen(address: IpAddr, port: u16, scripts: Vec<Vec<Act>>) -> std::io::Result<Self> {
        let listener = TcpListener::bind((address, port))?;
        let port = listener.local_addr()?.port();
        let heard = Arc::new(Mutex::new(Vec::new()));
        let peer = Arc::new(Mutex::new(None));
        let (ears, eyes) = (Arc::clone(&heard), Arc::clone(&peer));
        thread::spawn(move || {
            for script in scripts {
                let Ok((stream, from)) = listener.accept() else { return };
                *eyes.lock().unwrap() = Some(from.ip());
                ears.lock().unwrap().push("CONNECTED".to_owned());
                play(stream, script, &ears);
            }
        });
        Ok(Self { address, port, heard, peer })
    }

    pub(super) fn heard(&self) -> Vec<String> {
        self.heard.lock().unwrap().clone()
    }

    /// Who connected last.
    pub(super) fn peer(&self) -> Option<IpAddr> {
        *self.peer.lock().unwrap()
    }

    pub(super) fn heard_verbs(&self) -> String {
        let heard = self.heard();
        let verbs: Vec<&str> = heard.iter().filter_map(|line| line.split([' ', ':']).next()).collect();
        verbs.join(" ")
    }
}

enum Line {
    Plain(TcpStream),
    Encrypted(Box<StreamOwned<ServerConnection, TcpStream>>),
}

impl Line {
    fn stream(&self) -> &TcpStream {
        match self {
            Self::Plain(stream) => stream,
            Self::Encrypted(stream) => &stream.sock,
        }
    }

    fn write(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        match self {
            Self::Plain(stream) => stream.write_all(bytes),
            Self::Encrypted(stream) => stream.write_all(bytes).and_then(|()| stream.flush()),
        }
    }

    fn read_byte(&mut self) -> Option<u8> {
        let mut byte = [0];
        let read = match self {
            Self::Plain(stream) => stream.read(&mut byte),
            Self::Encrypted(stream) => stream.read(&mut byte),
        };
        read.ok().filter(|length| *length == 1).map(|_| byte[0])
    }

    fn read_line(&mut self) -> Option<String> {
        let mut line = Vec::new();
        while !line.ends_with(b"\r\n") {
            line.push(self.read_byte()?);
        }
        Some(String::from_utf8_lossy(&line).trim_end().to_owned())
    }
}

/// Ends, and closes, when the script does or the other side goes or says what the script does not know.
fn play(stream: TcpStream, script: Vec<Act>, heard: &Mutex<Vec<String>>) {
    stream.set_nodelay(true).unwrap();
    let mut line = Line::Plain(stream);
    for act in script {
        let goes_on = match act {
            Act::Say(bytes) => line.write(&bytes).is_ok(),
            Act::Drip(bytes, pause) => bytes.iter().all(|byte| {
                thread::sleep(pause);
                line.write(&[*byte]).is_ok()
            }),
            Act::Wait(pause) => {
                thread::sleep(pause);
                true
            }
            Act::Hear(begin) => line.read_line().is_some_and(|said| {
                let is_expected = said.starts_with(begin);
                heard.lock().unwrap().push(said);
                is_expected
            }),
            Act::HearNothing(pause) => {
                line.stream().set_read_timeout(Some(pause)).unwrap();
                let is_silent = line.read_byte().is_none();
                line.stream().set_read_timeout(None).unwrap();
                is_silent
            }
            Act::Encrypt => {
                let Line::Plain(stream) = line else { return };
                let connection = ServerConnection::new(server_settings()).unwrap();
                line = Line::Encrypted(Box::new(StreamOwned::new(connection, stream)));
                true
            }
            Act::Linger => {
                while line.read_byte().is_some() {}
                false
            }
        };
        if !goes_on {
            return;
        }
    }
}

/// With a certificate of nobody's, for another name.
fn server_settings() -> Arc<ServerConfig> {
    let own = rcgen::generate_simple_self_signed(["elsewhere.test".to_owned()]).unwrap();
    let key = PrivateKeyDer::Pkcs8(own.signing_key.serialize_der().into());
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder =
        ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    Arc::new(builder.with_no_client_auth().with_single_cert(vec![own.cert.der().clone()], key).unwrap())
}
