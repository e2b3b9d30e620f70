-- Webhooks: where an account wants to be told what happened, what it was told, and how each try went.

create table webhook_endpoint (
    id               uuid primary key,
    account_id       uuid not null references account,
    url              text not null,
    description      text not null,
    -- What it wants to be told; empty: everything.
    events           text[] not null,
    -- What messages are signed with, sealed by the program. After a rotation both sign until the old one's time is over.
    secret           bytea not null,
    previous_secret  bytea,
    previous_until   timestamptz,
    disabled_at      timestamptz,
    disabled_reason  text check (disabled_reason in ('by_request', 'gone', 'failing')),
    -- The first failure that no success came after.
    failing_since    timestamptz,
    created_at       timestamptz not null,
    updated_at       timestamptz not null,
    constraint webhook_endpoint_says_why_it_is_disabled check ((disabled_at is null) = (disabled_reason is null)),
    constraint webhook_endpoint_ends_its_old_secret check ((previous_secret is null) = (previous_until is null))
);
create index webhook_endpoint_newest on webhook_endpoint (account_id, created_at, id);
create index webhook_endpoint_rotated on webhook_endpoint (previous_until) where previous_until is not null;

-- A message to an endpoint. It names neither endpoint nor account as a foreign key: it is written inside commits of money,
-- which must not wait for somebody who changes an endpoint.
create table webhook_delivery (
    id           uuid primary key,
    account_id   uuid not null,
    endpoint_id  uuid not null,
    event        text not null,
    -- The bytes that are signed and sent: ids and counts, nothing about people.
    body         text not null,
    state        text not null check (state in ('pending', 'delivered', 'failed', 'canceled')),
    -- The job of the queue that may send it. One that was put aside for another may not.
    job_id       uuid not null,
    -- Tries since it was last put into the queue: what the next delay depends on.
    tries        smallint not null default 0,
    -- Tries ever: the number of the newest attempt.
    attempts     integer not null default 0,
    next_at      timestamptz,
    last_status  smallint,
    created_at   timestamptz not null,
    finished_at  timestamptz,
    constraint webhook_delivery_has_a_next_time_or_an_end
        check ((state = 'pending') = (next_at is not null) and (state = 'pending') = (finished_at is null))
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);
create index webhook_delivery_newest on webhook_delivery (account_id, endpoint_id, id);
create index webhook_delivery_pending on webhook_delivery (endpoint_id) where state = 'pending';

create table webhook_attempt (
    delivery_id  uuid not null references webhook_delivery on delete cascade,
    account_id   uuid not null,
    number       integer not null,
    at           timestamptz not null,
    -- Null when no answer came.
    status       smallint,
    verdict      text not null,
    took_ms      integer not null,
    -- The beginning of what was answered.
    excerpt      text not null,
    primary key (delivery_id, number)
);
