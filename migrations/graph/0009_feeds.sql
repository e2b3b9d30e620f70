-- Public sources that are looked at again and again, and what was read of them before.

create table feed (
    name          text primary key,
    -- Feeds that ask the same host: one node at a time asks for all of them, at one pace.
    host          text not null,
    setup         json not null,
    -- Seconds from the beginning of one look to that of the next, at least.
    every         integer not null check (every > 0),
    next_look_at  timestamptz not null default now(),
    -- The last look that was not in vain.
    looked_at     timestamptz,
    -- Looks in vain since then, and what was wrong.
    failures      integer not null default 0,
    trouble       text,
    signals       bigint not null default 0,
    added_at      timestamptz not null default now()
);
create index feed_due on feed (host, next_look_at);

-- By what a host tells that a page is still the same.
create table feed_page (
    feed          text not null references feed on delete cascade,
    url           text not null,
    etag          text,
    modified      text,
    primary key (feed, url)
);

-- What a feed listed: filings and releases that need not be read again, jobs that are open.
create table feed_item (
    feed          text not null references feed on delete cascade,
    reference     text not null,
    -- Of what it said: the same again says nothing new.
    digest        bigint not null,
    seen_at       timestamptz not null,
    -- Whether it is closed when it is listed no more; and for how many looks it was not.
    is_open       boolean not null default false,
    missing       smallint not null default 0,
    primary key (feed, reference)
);
create index feed_item_open on feed_item (feed) where is_open;
create index feed_item_seen on feed_item (seen_at) where not is_open;

-- How far somebody has come who follows the change log, and which node does it.
create table follower (
    name          text primary key,
    epoch         uuid not null,
    seq           bigint not null,
    holder        uuid,
    until         timestamptz
);

-- Notices of companies that the graph does not know, by hashes of what they are called: one that becomes known is looked for here.
create table signal_unmatched (
    key           bigint not null,
    source        text not null,
    reference     text not null,
    primary key (key, source, reference)
);
create index signal_unmatched_notice on signal_unmatched (source, reference);
