-- Signals: what happened to companies and people, as all who tell of it together say.

create table signal (
    id           uuid primary key,
    revision     bigint not null,
    kind         smallint not null,
    detected_at  timestamptz not null,
    occurred_at  timestamptz not null,
    -- What the feed can be asked by. Companies by their domains: whom it is about, and the other side of a deal.
    domain       text,
    other_domain text,
    country      text,
    industry     text,
    department   text,
    stage        text,
    -- Minor units of its own currency.
    amount       bigint,
    applicants   integer,
    body         json not null,
    -- Digests of whom it names, so that erasing them finds it.
    subjects     bytea[] not null default '{}'
);
create index signal_subjects on signal using gin (subjects) where subjects <> '{}';

-- What each source said, and of which signal. Said again it is the same notice, perhaps amended.
create table signal_notice (
    source       text not null,
    reference    text not null,
    signal_id    uuid not null,
    seen_at      timestamptz not null,
    notice       json not null,
    primary key (source, reference)
);
create index signal_notice_signal on signal_notice (signal_id);

-- Where another notice of the same event is looked for: hashes of company, kind and time.
create table signal_key (
    key          bigint not null,
    signal_id    uuid not null,
    primary key (key, signal_id)
);
create index signal_key_signal on signal_key (signal_id);

-- The feed: each signal once, at the place of its newest revision in the change log, as it was then. Only the sequencer
-- writes here, so that a writer that hangs holds nobody up.
create table signal_feed (
    signal_id    uuid primary key,
    seq          bigint not null,
    revision     bigint not null,
    kind         smallint not null,
    detected_at  timestamptz not null,
    occurred_at  timestamptz not null,
    domain       text,
    other_domain text,
    country      text,
    industry     text,
    department   text,
    stage        text,
    amount       bigint,
    applicants   integer,
    body         json not null
);
-- Read by kind: an index of all kinds in one order was preferred by plans that are kept, which then read all kinds to find a page of
-- a rare one.
create unique index signal_feed_place on signal_feed (kind, seq);
create index signal_feed_domain on signal_feed (domain, kind, seq) where domain is not null;
create index signal_feed_other_domain on signal_feed (other_domain, kind, seq) where other_domain is not null;
