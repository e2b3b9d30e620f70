-- Suppressions in the order in which they were made: erasing runs alone, so whoever commits later has the greater number. The ledger
-- keeps a copy of them and remembers how far it has come.
alter table suppression add column seq bigint generated always as identity;
create unique index suppression_order on suppression (seq);
