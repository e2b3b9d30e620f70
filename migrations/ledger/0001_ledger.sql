-- The ledger: who may call, what they have, what every call cost, and what it answered.
-- Amounts of credits are thousandths, in bigint, everywhere.

create table ledger_meta (
    only_row         boolean primary key default true check (only_row),
    key_fingerprint  text
);
insert into ledger_meta default values;

create table plan (
    name                 text primary key,
    rank                 smallint not null unique,
    price_minor          bigint not null check (price_minor >= 0),
    credits              bigint not null check (credits >= 0),
    requests_per_minute  integer not null check (requests_per_minute > 0),
    credits_expire_days  integer check (credits_expire_days > 0)
);
insert into plan (name, rank, price_minor, credits, requests_per_minute, credits_expire_days) values
    ('trial',   0,      0,    100000,  120,    7),
    ('indie',   1,   1500,    500000,  120, null),
    ('starter', 2,   5000,   2500000,  300, null),
    ('pro',     3,  20000,  12500000, 1000, null),
    ('scale',   4, 100000, 100000000, 6000, null);

create table organisation (
    id          uuid primary key,
    name        text not null,
    created_at  timestamptz not null default now()
);

create table app_user (
    id          uuid primary key,
    email       text not null unique,
    name        text not null,
    created_at  timestamptz not null default now()
);

create table membership (
    organisation_id  uuid not null references organisation,
    user_id          uuid not null references app_user,
    role             text not null check (role in ('owner', 'admin', 'member', 'billing')),
    created_at       timestamptz not null default now(),
    primary key (organisation_id, user_id)
);
create index membership_user on membership (user_id);

create table account (
    id               uuid primary key,
    organisation_id  uuid not null references organisation,
    name             text not null,
    plan             text not null references plan,
    trial_ends_at    timestamptz,
    created_at       timestamptz not null default now()
);
create index account_organisation on account (organisation_id);

create table api_key (
    id                   text primary key,
    account_id           uuid not null references account,
    name                 text not null,
    mode                 text not null check (mode in ('live', 'test')),
    secret_hash          bytea not null,
    scopes               text[] not null,
    ip_allow             text[] not null default '{}',
    monthly_cap          bigint check (monthly_cap >= 0),
    requests_per_minute  integer check (requests_per_minute > 0),
    created_at           timestamptz not null default now(),
    expires_at           timestamptz,
    revoked_at           timestamptz,
    last_used_at         timestamptz
);
create index api_key_account on api_key (account_id);

-- Counts the changes of keys, accounts and plans. Nodes look at it every second and forget the keys they remember when
-- it has grown, so that a revoked key dies everywhere without being read again for every call.
create table key_epoch (
    only_row  boolean primary key default true check (only_row),
    epoch     bigint not null default 1
);
insert into key_epoch default values;
create function count_key_change() returns trigger language plpgsql as $$
begin
    update key_epoch set epoch = epoch + 1;
    return null;
end $$;
create trigger api_key_changed after update of account_id, secret_hash, scopes, ip_allow, monthly_cap, requests_per_minute,
    expires_at, revoked_at or delete on api_key for each statement execute function count_key_change();
create trigger account_changed after update of plan, trial_ends_at or delete on account
    for each statement execute function count_key_change();
create trigger plan_changed after update or delete on plan for each statement execute function count_key_change();

-- What a capped key spent and holds in a month. Rows exist only for keys that have a cap.
create table key_spend (
    account_id  uuid not null,
    key_id      text not null,
    month       date not null,
    spent       bigint not null check (spent >= 0),
    held        bigint not null check (held >= 0),
    primary key (account_id, key_id, month)
);

-- The running balance of an account: a projection of its postings, kept because every charge reads it.
-- `lots` lists what is left of each live lot, earliest expiry first; `available` is their sum.
create table balance (
    account_id  uuid primary key references account,
    available   bigint not null check (available >= 0),
    held        bigint not null check (held >= 0),
    version     bigint not null,
    lots        jsonb not null,
    -- When the first of the lots ends: what the sweeper looks for. It changes rarely, so updates stay on their page.
    next_expiry timestamptz
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.01);
create index balance_next_expiry on balance (next_expiry) where next_expiry is not null;

-- What was granted, once per reason: a reason that comes again (a retried top-up) finds its row.
create table credit_lot (
    id          uuid primary key,
    account_id  uuid not null references account,
    source      text not null check (source in ('trial', 'plan', 'topup', 'refund', 'adjustment')),
    reason      text not null,
    granted     bigint not null check (granted > 0),
    expires_at  timestamptz,
    created_at  timestamptz not null default now(),
    unique (account_id, reason)
);

-- Double entry: each row moves an amount of one lot from one side of one account to another side of it.
-- Sides: 0 issued, 1 available, 2 held, 3 spent, 4 expired. Kinds: 0 grant, 1 hold, 2 capture, 3 release,
-- 4 charge, 5 refund, 6 expire.
create table posting (
    account_id  uuid not null,
    version     bigint not null,
    ordinal     smallint not null,
    kind        smallint not null check (kind between 0 and 6),
    from_side   smallint not null check (from_side between 0 and 4),
    to_side     smallint not null check (to_side between 0 and 4 and to_side <> from_side),
    amount      bigint not null check (amount > 0),
    lot_id      uuid not null,
    request_id  uuid,
    hold_id     uuid,
    at          timestamptz not null default now(),
    primary key (account_id, version, ordinal),
    constraint posting_names_its_request check (kind not in (1, 2, 4, 5) or request_id is not null)
);

create function refuse_change() returns trigger language plpgsql as $$
begin
    raise exception '% is append-only', tg_table_name;
end $$;
create trigger posting_is_append_only before update or delete or truncate on posting
    for each statement execute function refuse_change();

create table hold (
    id           uuid primary key,
    account_id   uuid not null,
    key_id       text,
    request_id   uuid not null,
    amount       bigint not null check (amount > 0),
    captured     bigint not null default 0 check (captured >= 0 and captured <= amount),
    allocations  jsonb not null,
    state        text not null default 'open' check (state in ('open', 'captured', 'released', 'expired')),
    month        date not null,
    capped       boolean not null,
    created_at   timestamptz not null default now(),
    expires_at   timestamptz not null
) with (fillfactor = 70);
create index hold_open on hold (expires_at) where state = 'open';

-- One row a call. The id is the request's UUIDv7, so partitions by id are partitions by month.
create table history (
    id                 uuid not null,
    account_id         uuid not null,
    key_id             text not null,
    at                 timestamptz not null,
    endpoint           text not null,
    status             smallint not null,
    found              boolean not null,
    credits            bigint not null check (credits >= 0),
    uncollected        bigint not null default 0 check (uncollected >= 0),
    balance_after      bigint not null,
    balance_version    bigint not null,
    latency_us         bigint not null,
    cached             boolean not null,
    cache_age_seconds  bigint,
    providers          text[] not null,
    subjects           uuid[] not null,
    primary key (account_id, id)
) partition by range (id);

-- Makes the partition of the month that holds `day`, if it is missing.
create function make_history_partition(day date) returns void language plpgsql as $$
declare
    month_start date := date_trunc('month', day);
    lower_id uuid := (lpad(to_hex((extract(epoch from month_start) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid;
    upper_id uuid := (lpad(to_hex((extract(epoch from month_start + interval '1 month') * 1000)::bigint), 12, '0')
        || repeat('0', 20))::uuid;
    name text := 'history_' || to_char(month_start, 'YYYY_MM');
begin
    if to_regclass(name) is null then
        execute format('create table if not exists %I partition of history for values from (%L) to (%L)',
            name, lower_id, upper_id);
    end if;
end $$;
select make_history_partition((current_date + make_interval(months => n))::date) from generate_series(-1, 3) n;

-- Replies to calls that named an Idempotency-Key. `key` is a digest of method, path and the client's key.
create table reply (
    account_id   uuid not null,
    key          bytea not null,
    fingerprint  bytea not null,
    state        text not null check (state in ('running', 'done')),
    attempt      integer not null,
    lease_until  timestamptz not null,
    status       smallint,
    body         bytea,
    subjects     uuid[] not null default '{}',
    created_at   timestamptz not null default now(),
    primary key (account_id, key)
) with (fillfactor = 70);
create index reply_age on reply (created_at);

-- Every person an account ever resolved.
create table resolved_person (
    account_id  uuid not null,
    person_id   uuid not null,
    first_at    timestamptz not null,
    last_at     timestamptz not null,
    endpoints   text[] not null,
    primary key (account_id, person_id)
) with (fillfactor = 85);
create index resolved_person_newest on resolved_person (account_id, first_at, person_id);
