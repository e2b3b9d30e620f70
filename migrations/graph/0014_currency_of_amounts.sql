-- Amounts are compared within one currency. The body has it, whoever writes the row.
alter table signal_feed add column currency text generated always as (body -> 'content' -> 'said' ->> 'currency') stored;
