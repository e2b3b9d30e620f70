-- Digests of the profiles somebody had, until the ledger was asked a second time: watch lists know people by nothing else.
alter table erasure add column profiles bytea[];
