-- What mail servers said, and how fast they may be asked.

-- An address is its digest here, as everywhere: whoever reads the table learns no address from it.
create table mail_verdict (
    digest         bytea primary key check (length(digest) = 16),
    -- The word of the answer; status and score follow from it.
    reason         text not null,
    mx_found       boolean,
    provider       text,
    free_provider  boolean not null,
    catch_all      boolean,
    asked_at       timestamptz not null,
    -- When it is asked again, for an answer that was put off.
    retry_at       timestamptz,
    -- How often a server put it off.
    put_off        smallint not null
);
create index mail_verdict_asked on mail_verdict (asked_at);

-- Whether a domain takes mail for whatever stands before the @.
create table mail_domain (
    host           text primary key,
    catch_all      boolean not null,
    asked_at       timestamptz not null
);
create index mail_domain_asked on mail_domain (asked_at);

-- The pace of one operator of mail servers, for all processes together. Times are milliseconds of the epoch by the clock of this
-- server. A row is written whole at every question, so it has room beside it.
create table mail_operator (
    name           text primary key,
    per_minute     integer not null,
    due_at         bigint not null,
    next_at        bigint not null,
    resting_until  bigint not null,
    complaints     integer not null,
    good_run       integer not null,
    -- When the last one was told to come back who does not wait for a turn.
    booked_until   bigint not null,
    -- The connections that are open, and until when each counts if nobody closes it.
    open_ids       uuid[] not null,
    open_until     bigint[] not null
) with (fillfactor = 50);
