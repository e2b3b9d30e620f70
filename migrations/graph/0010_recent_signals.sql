-- Going back through what happened, the newest first: all of a kind, and the few that have a part many lack.
create index signal_feed_when on signal_feed (kind, occurred_at, signal_id);
create index signal_feed_few_applicants on signal_feed (occurred_at, signal_id) where kind = 3 and applicants < 25;
create index signal_feed_announced on signal_feed (occurred_at, signal_id)
    where kind = 4 and body #>> '{content,said,announcement_text}' is not null;
