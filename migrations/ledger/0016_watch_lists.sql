-- Watch lists: whom an account watches, what happened to them, and what of it was told.

create table watch_list (
    id           uuid primary key,
    account_id   uuid not null references account,
    -- Whose history and whose cap scheduled runs count in, as they were when the schedule was set.
    key_id       text not null,
    line_id      text not null,
    monthly_cap  bigint,
    name         text not null,
    kind         smallint not null check (kind in (1, 2)),
    -- A bit for each thing that is watched for.
    track        smallint not null check (track > 0),
    entry_count  integer not null default 0 check (entry_count between 0 and 50000),
    every_hours  integer check (every_hours > 0),
    max_credits  bigint check (max_credits > 0),
    next_run_at  timestamptz,
    created_at   timestamptz not null,
    last_run_at  timestamptz,
    constraint watch_list_schedule_is_whole
        check (num_nonnulls(every_hours, max_credits, next_run_at) in (0, 3))
) with (fillfactor = 80);
create index watch_list_newest on watch_list (account_id, created_at, id);
create index watch_list_due on watch_list (next_run_at) where next_run_at is not null;

create table watch_entry (
    list_id      uuid not null references watch_list on delete cascade,
    account_id   uuid not null,
    -- A keyed digest: whoever reads the table learns of nobody.
    subject      bytea not null,
    -- What the account calls it, sealed.
    named        bytea not null,
    -- What became known since then is news, however long ago it happened; of what was known before, the last 30 days are.
    added_at     timestamptz not null default now(),
    -- Whether what happened before it was added was looked for.
    looked_back  boolean not null default false,
    primary key (list_id, subject)
) with (fillfactor = 80);
create index watch_entry_subject on watch_entry (subject);
create index watch_entry_new on watch_entry (list_id, subject) where not looked_back;

-- A run under way, or one that told something. What it has taken is its own until its time is over.
create table watch_run (
    id           uuid primary key,
    list_id      uuid not null references watch_list on delete cascade,
    account_id   uuid not null,
    state        text not null check (state in ('open', 'told', 'lost')),
    entries      integer not null default 0,
    started_at   timestamptz not null default now(),
    until        timestamptz not null
) with (fillfactor = 80);
create index watch_run_of on watch_run (list_id, started_at);

-- What happened to an entry. Once told it stays for as long as it could be found again, also when the entry is gone.
create table watch_match (
    list_id      uuid not null references watch_list on delete cascade,
    account_id   uuid not null,
    subject      bytea not null,
    signal_id    uuid not null,
    transition   smallint not null,
    occurred_at  timestamptz not null,
    -- The order in which they were found.
    place        bigint generated always as identity,
    run_id       uuid,
    -- Nobody else takes it before this.
    taken_until  timestamptz,
    told_at      timestamptz,
    primary key (list_id, subject, signal_id)
) with (fillfactor = 80, autovacuum_vacuum_insert_scale_factor = 0.05);
create index watch_match_waiting on watch_match (list_id, place) where told_at is null;
create index watch_match_told on watch_match (run_id, place) where told_at is not null;
create index watch_match_old on watch_match (occurred_at);

-- How far the feed was matched with all lists.
create table watch_cursor (
    one          boolean primary key default true check (one),
    epoch        uuid not null,
    seq          bigint not null
);
