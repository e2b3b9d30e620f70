-- A rotated key and its successors are one line. They share one monthly cap, so that a rotation is no second cap.
-- Null: the key is the first of its line, and the line has the key's id.
alter table api_key add column line_id text;
-- Grows with every change of what a key may do: a change decided on an older state is refused.
alter table api_key add column revision integer not null default 0;

-- An account's keys are listed newest first.
create index api_key_newest on api_key (account_id, created_at, id);
drop index api_key_account;

-- A node remembers the name too.
create or replace trigger api_key_changed after update of account_id, name, secret_hash, scopes, ip_allow, monthly_cap,
    requests_per_minute, expires_at, revoked_at or delete on api_key for each statement execute function count_key_change();
