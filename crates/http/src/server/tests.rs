//! The accept loop over real sockets, with little patience.

use super::*;
use assay_domain::{Clock, Credits, RequestId};
use assay_service::fault::Fault;
use assay_service::{Reply, ReplyBody};
use axum::routing::get;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

const SHORT: Duration = Duration::from_millis(300);
const PATIENCE: Patience = Patience { head: SHORT, silence: SHORT, answer: SHORT };

struct Running {
    address: SocketAddr,
    leaving: Arc<AtomicBool>,
    stop: watch::Sender<bool>,
    tasks: JoinSet<()>,
}

async fn serve_patiently(router: Router, connections_max: usize, patience: Patience) -> Running {
    start(House { router, admission: None, patience, leaving: Arc::default() }, connections_max).await
}

async fn start(house: House, connections_max: usize) -> Running {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (stop, stopped) = watch::channel(false);
    let (leaving, mut tasks) = (Arc::clone(&house.leaving), JoinSet::new());
    tasks.spawn(receive(listener, Arc::new(house), connections_max, stopped));
    Running { address, leaving, stop, tasks }
}

async fn serve_short(router: Router) -> Running {
    serve_patiently(router, 100, PATIENCE).await
}

fn fine() -> Router {
    Router::new().route("/fine", get(|| async { "fine" }))
}

struct Client(TcpStream);

impl Client {
    async fn connect(running: &Running) -> Self {
        Self(TcpStream::connect(running.address).await.unwrap())
    }

    async fn send(&mut self, text: &str) {
        self.0.write_all(text.as_bytes()).await.unwrap();
    }

    /// Asks for a path and reads one whole answer of known length.
    async fn ask(&mut self, path: &str) -> String {
        self.send(&format!("GET {path} HTTP/1.1\r\nhost: x\r\n\r\n")).await;
        let mut text = String::new();
        loop {
            let mut buffer = [0; 4096];
            let count = self.0.read(&mut buffer).await.unwrap();
            assert!(count > 0, "the connection was closed: {text}");
            text.push_str(std::str::from_utf8(&buffer[..count]).unwrap());
            let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            if length.is_none_or(|length| body.len() >= length.parse().unwrap()) {
                return text;
            }
        }
    }

    /// Everything that comes until the server hangs up.
    async fn rest(&mut self) -> String {
        let mut bytes = Vec::new();
        // A socket with bytes nobody read is reset instead of closed; either way it is over.
        drop(self.0.read_to_end(&mut bytes).await);
        String::from_utf8(bytes).unwrap()
    }
}

#[tokio::test]
async fn a_panic_is_answered_and_the_connection_goes_on() {
    let boom = get(|| async { if true { panic!("as a test") } else { "no" } });
    let running = serve_short(fine().route("/boom", boom)).await;
    let mut client = Client::connect(&running).await;
    for _ in 0..3 {
        assert!(client.ask("/boom").await.starts_with("HTTP/1.1 500"));
        assert!(client.ask("/fine").await.ends_with("fine"));
    }
}

#[tokio::test]
async fn a_head_that_is_too_large_is_refused() {
    let running = serve_short(fine()).await;
    let many: String = (0..101).map(|number| format!("x-{number}: y\r\n")).collect();
    let long = format!("x-long: {}\r\n", "y".repeat(HEAD_BYTES_MAX));
    let endless = "y".repeat(2 * READ_AHEAD_BYTES_MAX);
    for headers in [many, long, endless] {
        let mut client = Client::connect(&running).await;
        // The server may hang up before it has read everything.
        drop(client.0.write_all(format!("GET /fine HTTP/1.1\r\n{headers}\r\n").as_bytes()).await);
        let rest = client.rest().await;
        assert!(rest.starts_with("HTTP/1.1 431"), "{} {rest}", headers.len());
    }
    let mut client = Client::connect(&running).await;
    let large = format!("GET /fine HTTP/1.1\r\nx-long: {}\r\n\r\n", "y".repeat(HEAD_BYTES_MAX - 100));
    client.send(&large).await;
    assert!(client.ask("/fine").await.starts_with("HTTP/1.1 200"));
}

#[tokio::test]
async fn silence_and_half_a_head_end_a_connection_and_answers_in_between_do_not() {
    let running = serve_short(fine()).await;
    let mut silent = Client::connect(&running).await;
    let mut slow = Client::connect(&running).await;
    slow.send("GET /fine HTTP/1.1\r\nhost").await;
    let mut calm = Client::connect(&running).await;
    let watch = assay_domain::clock::Stopwatch::start();
    for _ in 0..5 {
        calm.ask("/fine").await;
        tokio::time::sleep(SHORT / 2).await;
    }
    assert!(watch.elapsed() > 2 * SHORT);
    for client in [&mut silent, &mut slow, &mut calm] {
        assert_eq!(client.rest().await, "");
    }
}

#[tokio::test]
async fn requests_sent_ahead_are_answered_in_order() {
    let running = serve_patiently(fine(), 100, Patience::default()).await;
    let mut client = Client::connect(&running).await;
    let ahead = "GET /fine HTTP/1.1\r\nhost: x\r\n\r\n".repeat(500);
    let last = "GET /none HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";
    client.send(&format!("{ahead}{last}")).await;
    let answers = client.rest().await;
    assert_eq!(answers.matches("HTTP/1.1 200").count(), 500);
    assert!(answers.trim_end().contains("HTTP/1.1 404") && answers.rfind("200 OK") < answers.find("404"));
}

#[tokio::test]
async fn a_stream_that_pauses_is_not_taken_for_silence() {
    let piece = |left: u32| async move {
        tokio::time::sleep(2 * SHORT).await;
        (left > 0).then(|| (Ok::<_, Infallible>(Bytes::from_static(b"piece ")), left - 1))
    };
    let stream = get(move || async move { Body::from_stream(futures_util::stream::unfold(3, piece)) });
    let running = serve_short(Router::new().route("/stream", stream)).await;
    let mut client = Client::connect(&running).await;
    client.send("GET /stream HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n").await;
    assert_eq!(client.rest().await.matches("piece").count(), 3);
}

#[tokio::test]
async fn a_connection_that_rests_makes_room_for_one_that_asks() {
    let patience = Patience { silence: Duration::from_secs(60), head: Duration::from_secs(60), ..PATIENCE };
    let slow = get(|| async {
        tokio::time::sleep(Duration::from_secs(2)).await;
        "slow"
    });
    let running = serve_patiently(fine().route("/slow", slow), 3, patience).await;
    let mut busy = Client::connect(&running).await;
    let mut rests = Client::connect(&running).await;
    let mut half = Client::connect(&running).await;
    rests.ask("/fine").await;
    half.send("GET /fine HT").await;
    tokio::time::sleep(Duration::from_millis(1_200)).await;
    busy.send("GET /slow HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n").await;
    tokio::time::sleep(Duration::from_millis(100)).await;
    // The first newcomers find somebody who rests, whoever comes after them finds only callers.
    let mut newcomers = Vec::new();
    for _ in 0..2 {
        let mut newcomer = Client::connect(&running).await;
        assert!(newcomer.ask("/fine").await.ends_with("fine"));
        newcomers.push(newcomer);
    }
    assert_eq!((rests.rest().await, half.rest().await), (String::new(), String::new()));
    assert_eq!(Client::connect(&running).await.rest().await, "");
    assert!(busy.rest().await.ends_with("slow"));
}

#[tokio::test]
async fn a_node_that_leaves_answers_everybody_and_says_so() {
    let mut running = serve_one(fine()).await;
    let mut client = Client::connect(&running).await;
    assert!(!client.ask("/fine").await.contains("connection: close"));
    running.leaving.store(true, Ordering::Relaxed);
    let answer = client.ask("/fine").await;
    assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("connection: close"), "{answer}");
    assert_eq!(client.rest().await, "");
    // Nothing of the server runs while these connect and ask: it finds them and the order to stop together.
    let late: Vec<std::net::TcpStream> = (0..20)
        .map(|_| {
            let mut stream = std::net::TcpStream::connect(running.address).unwrap();
            std::io::Write::write_all(&mut stream, b"GET /fine HTTP/1.1\r\nhost: x\r\n\r\n").unwrap();
            stream
        })
        .collect();
    running.stop.send_replace(true);
    for stream in late {
        stream.set_nonblocking(true).unwrap();
        let answer = Client(TcpStream::from_std(stream).unwrap()).rest().await;
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    }
    assert!(running.tasks.join_next().await.unwrap().is_ok());
    assert!(TcpStream::connect(running.address).await.is_err());
}

/// A service with one place.
async fn serve_one(router: Router) -> Running {
    let refuse = |fault: &Fault| {
        let request = RequestId::from_uuid(Default::default());
        Reply {
            status: fault.code.status(),
            body: ReplyBody::Problem(format!("{{\"id\":\"{request}\"}}").into()),
            request,
            retry_after_seconds: fault.retry_after_seconds,
            charged: Credits::ZERO,
            remaining: None,
            rate: None,
            replayed: false,
            challenge: None,
            timings: Vec::new(),
        }
    };
    let admission = Some(Admission::new(refuse, (1, 0), Clock::system()));
    start(House { router, admission, patience: Patience::default(), leaving: Arc::default() }, 100).await
}

#[tokio::test]
async fn beyond_its_limit_calls_are_refused_with_an_id_of_their_own_and_pages_are_not() {
    let hold = get(std::future::pending::<&str>);
    let running = serve_one(fine().route("/v1/hold", hold)).await;
    let mut holder = Client::connect(&running).await;
    holder.send("GET /v1/hold HTTP/1.1\r\nhost: x\r\n\r\n").await;
    tokio::time::sleep(Duration::from_millis(100)).await;
    let mut client = Client::connect(&running).await;
    let mut ids = Vec::new();
    for _ in 0..2 {
        let refusal = client.ask("/v1/any").await;
        assert!(
            refusal.starts_with("HTTP/1.1 503") && refusal.contains("\r\nretry-after: 1\r\n"),
            "{refusal}"
        );
        let header = refusal.lines().find_map(|line| line.strip_prefix("x-request-id: ")).unwrap();
        assert!(refusal.ends_with(&format!("{{\"id\":\"{header}\"}}")), "{refusal}");
        ids.push(header.to_owned());
        assert!(client.ask("/fine").await.ends_with("fine"));
    }
    assert_ne!(ids[0], ids[1]);
    // A body nobody wants does not end the connection either.
    client.send("POST /v1/any HTTP/1.1\r\nhost: x\r\ncontent-length: 3\r\n\r\n").await;
    tokio::time::sleep(Duration::from_millis(100)).await;
    client.send("abc").await;
    let refusal = client.ask("/fine").await;
    assert!(refusal.starts_with("HTTP/1.1 503"), "{refusal}");
    // Whoever hangs up gives the place back.
    drop(holder);
    tokio::time::sleep(Duration::from_millis(100)).await;
    let mut client = Client::connect(&running).await;
    assert!(client.ask("/v1/any").await.starts_with("HTTP/1.1 404"));
}

#[tokio::test]
async fn a_long_stream_and_a_call_that_steps_aside_keep_nobody_out() {
    let stream = get(|| async {
        let endless = futures_util::stream::pending::<Result<Bytes, Infallible>>();
        let first = futures_util::stream::once(async { Ok::<_, Infallible>(Bytes::from_static(b"first")) });
        Body::from_stream(futures_util::StreamExt::chain(first, endless))
    });
    let aside = get(|request: axum::extract::Request| async move {
        let slot = request.extensions().get::<Slot>().unwrap().clone();
        slot.aside(tokio::time::sleep(Duration::from_secs(60))).await;
        "never"
    });
    let running = serve_one(Router::new().route("/v1/stream", stream).route("/v1/aside", aside)).await;
    let mut clients = Vec::new();
    for path in ["/v1/stream", "/v1/aside", "/v1/aside"] {
        let mut client = Client::connect(&running).await;
        client.send(&format!("GET {path} HTTP/1.1\r\nhost: x\r\n\r\n")).await;
        tokio::time::sleep(Duration::from_millis(100)).await;
        assert!(Client::connect(&running).await.ask("/v1/any").await.starts_with("HTTP/1.1 404"), "{path}");
        clients.push(client);
    }
}

#[tokio::test]
async fn a_panic_of_a_call_frees_its_place() {
    let boom = get(|| async { if true { panic!("as a test") } else { "no" } });
    let running = serve_one(Router::new().route("/v1/boom", boom)).await;
    let mut client = Client::connect(&running).await;
    for _ in 0..3 {
        let apology = client.ask("/v1/boom").await;
        assert!(apology.starts_with("HTTP/1.1 500") && apology.contains("{\"id\":\"req_"), "{apology}");
    }
}

#[tokio::test]
async fn a_burst_of_connections_waits_to_be_accepted() {
    // What the system's own default holds is 1,024 at most.
    const BURST: usize = 1_500;
    crate::connections_that_fit(3 * BURST);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    lengthen_queue(&listener);
    let mut clients = Vec::new();
    for number in 0..BURST {
        let client = tokio::time::timeout(Duration::from_secs(5), TcpStream::connect(address)).await;
        clients.push(client.unwrap_or_else(|_| panic!("connection {number} had no place")).unwrap());
    }
    for _ in &clients {
        tokio::time::timeout(Duration::from_secs(5), listener.accept()).await.unwrap().unwrap();
    }
}
