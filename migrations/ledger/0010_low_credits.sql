-- Whose credits are low, and was not told yet. `low_told` is the `low_since` that was.
alter table balance add column low_told timestamptz;
update balance set low_told = low_since;
create index balance_low_untold on balance (account_id) where low_since is not null and low_told is distinct from low_since;
