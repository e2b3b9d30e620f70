-- Work that is done later, by whichever node takes it first. What is done is deleted, so the table stays small.

-- How far a queue has come in its turns. Sequences, because a row written at every claim would slow down for as long as
-- anybody keeps a snapshot open.
create sequence job_clock_bulk minvalue 0 start 0;
create sequence job_clock_webhook minvalue 0 start 0;
create sequence job_clock_chore minvalue 0 start 0;

-- The last turn given to a share of a queue. A share that was idle gets the next turn of all, one that has much waiting
-- gets turns behind its own: so shares take turns, however much each of them has.
create table job_share (
    queue      text not null,
    share      uuid not null,
    last_turn  bigint not null,
    primary key (queue, share)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.01);

create table job (
    id            uuid primary key,
    queue         text not null,
    -- Whom the work is for: an account, a webhook's endpoint.
    share         uuid not null,
    account_id    uuid,
    -- Of two with the same key in one queue there is only one.
    unique_key    text,
    state         text not null check (state in ('waiting', 'delayed', 'running', 'failed')),
    turn          bigint not null,
    -- Not before.
    run_at        timestamptz not null,
    -- Grows with every claim: whoever still works under an older number has lost the job.
    attempt       integer not null default 0,
    attempts_max  integer not null check (attempts_max > 0),
    -- After a run it is waited this long for the next one; null: once.
    every         interval,
    lease_until   timestamptz,
    node_id       uuid,
    payload       jsonb not null,
    trouble       text,
    created_at    timestamptz not null default now(),
    constraint job_runs_under_a_lease check ((state = 'running') = (lease_until is not null))
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_insert_scale_factor = 0.05);
create index job_waiting on job (queue, turn, id) where state = 'waiting';
create index job_delayed on job (queue, run_at) where state = 'delayed';
create index job_running on job (lease_until) where state = 'running';
create index job_account on job (account_id) where account_id is not null;
create unique index job_unique on job (queue, unique_key) where unique_key is not null;
