-- When an account's credits are low: below `low_mark`, since `low_since`. Kept by the statement that writes the balance, so
-- that the two never disagree.
alter table balance add column low_mark bigint not null default 0 check (low_mark >= 0);
alter table balance add column low_since timestamptz;
update balance b set low_mark = p.credits / 10, low_since = case when b.available < p.credits / 10 then now() end
from account a join plan p on p.name = a.plan where a.id = b.account_id;

-- Calls with ids before this are not kept any more: their months were dropped. Their charges have no call to be compared with.
alter table ledger_meta add column history_from uuid;
