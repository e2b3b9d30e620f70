-- When jobs of nodes that are gone were last looked for, in milliseconds of the epoch: one look serves all nodes. Sequences
-- for the same reason as the queues' clocks.
create sequence job_look_bulk minvalue 0 start 0;
create sequence job_look_webhook minvalue 0 start 0;
create sequence job_look_chore minvalue 0 start 0;
