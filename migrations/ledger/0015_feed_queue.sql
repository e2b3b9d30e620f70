-- The queue of hosts that are asked for signals: how far it has come, and when lost jobs were last looked for.
create sequence job_clock_feed minvalue 0 start 0;
create sequence job_look_feed minvalue 0 start 0;
