-- The queue of addresses that are asked for again: how far it has come, and when lost jobs were last looked for.
create sequence job_clock_mail minvalue 0 start 0;
create sequence job_look_mail minvalue 0 start 0;
