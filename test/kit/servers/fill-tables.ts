/** Rows for tests that read plans: each table has enough that a plan which reads all of it costs more than a search. */

/** A thousand destinations, four of them with a backlog of a thousand each, and ten times as much that is done. */
export const FILL_TABLES = `
  insert into destinations (id, account_id, state, next_due_at, owner_kind, owner_id, url, headers,
    created_at, updated_at)
  select 'dst_' || n, 'acc_' || n % 20, 'on', n, 'alert', 'alr_' || n, 'https://x.example/', '[]', 0, 0
  from generate_series(1, 1000) n;
  insert into events (id, account_id, type, accepted_at, body)
  select 'evt_' || n, 'acc_' || n % 20, 'demo_viewed', n, case when n % 2 = 0 then '' else 'x' end
  from generate_series(1, 20000) n;
  insert into deliveries (is_ended, id, event_id, account_id, destination_id, state, due_at, created_at,
    settled_at)
  select n % 11 <> 0, 'dlv_' || n, 'evt_' || 1 + n % 20000, 'acc_' || n % 20, 'dst_' || 1 + n % 4,
    case when n % 11 = 0 then 'pending' else 'delivered' end, case when n % 11 = 0 then n end, n,
    case when n % 11 = 0 then null else n end
  from generate_series(1, 60000) n;
  insert into attempts (delivery_id, number, started_at, outcome, total_ms, url, request_headers,
    response_headers)
  select 'dlv_' || n, 1, n, 'response', 1, '', '{}', '{}' from generate_series(1, 20000) n;
  insert into audit_entries (account_id, at, person, role, action, subject)
  select 'acc_' || n % 20, n, '', 'owner', 'signed_in', '' from generate_series(1, 5000) n;
  insert into destination_changes (account_id, destination_id, at, from_state, to_state, reason, actor)
  select 'acc_' || n % 20, 'dst_' || 1 + n % 4, n, 'on', 'off', '', '' from generate_series(1, 20000) n;
  insert into body_texts (account_id, id, text, used_at)
  select 'acc_' || n % 20, 'text ' || n, '{}', n from generate_series(1, 20000) n;
  insert into incidents (account_id, id, destination_id, from_at, ended_at, end_reason, interruptions,
    responses)
  select 'acc_' || n % 20, 'inc_' || n, 'dst_' || 1 + n % 4, n, n + 1, 'recovered', 0, '[]'
  from generate_series(1, 5000) n;
  insert into replays (id, account_id, filter, rate_per_second, state, deliveries, stepped_at, actor,
    state_actor, created_at, ended_at)
  select 'rpl_' || n, 'acc_' || n % 20, '', 1, case when n % 100 = 0 then 'running' else 'finished' end, 1, n,
    '', '', n, case when n % 100 = 0 then null else n end
  from generate_series(1, 5000) n;
  insert into sign_in_links (token_hash, account_id, person, role, expires_at, created_at)
  select n::text, 'acc_' || n % 20, '', 'owner', n, n from generate_series(1, 5000) n;
  insert into sessions (token_hash, account_id, id, person, role, expires_at, seen_at, created_at)
  select n::text, 'acc_' || n % 20, 'ses_' || n, '', 'owner', n, n, n from generate_series(1, 5000) n;
  insert into verification_secrets (account_id, kind, role, sealed, created_at)
  select n::text, 'secret', 'current', '', n from generate_series(1, 5000) n;
  insert into attempt_counts (destination_id, at, kind, result, code, bin, slot, count)
  select 'dst_' || 1 + n % 100, 61000 * n, 'attempt', 'delivered', '200', n % 30, 0, 1
  from generate_series(1, 20000) n on conflict do nothing;
  insert into account_attempt_counts (account_id, at, kind, result, code, bin, slot, count)
  select 'acc_' || n % 20, at, kind, result, code, bin, n % 20, 1
  from attempt_counts cross join generate_series(1, 20) n on conflict do nothing;
  insert into account_hours (account_id, at, results)
  select 'acc_' || n % 20, n / 20 * 3600000::bigint, '[]' from generate_series(1, 20000) n;
  insert into inbox (account_id, type, record, emitted_at, due_at)
  select 'acc_' || n % 20, 'demo_viewed', '{}', n, n from generate_series(1, 20000) n;
  insert into refused_records (seq, account_id, type, record, emitted_at, refused_at, code, detail, errors)
  select n, 'acc_' || n % 500, 'demo_viewed', case when n % 2 = 0 then '{}' else '' end, n, n, 'internal_error', '',
    '[]'
  from generate_series(1, 20000) n;
  insert into search_blocks (account_id, oldest_at, newest_at, events, bytes, words)
  select 'acc_' || n % 20, n, n + 1, 64, 1000, array_to_tsvector(array['m_usual', 'm_w' || n])
  from generate_series(1, 20000) n;
  insert into search_entries (event_id, block_id, type, is_test, assistant_id, accepted_at, intent_level, words)
  select 'evt_' || n, 1 + n / 64, 'demo_viewed', false, '', n, '', ' usual w' || n from generate_series(1, 20000) n;
  update events set source_id = gen_random_uuid();
  update deliveries set last_outcome = 'response', last_status = case when id like '%77' then 503 else 200 end,
    state = case when id like '%777' and state = 'delivered' then 'failed' else state end, attempts_made = 1;`;
