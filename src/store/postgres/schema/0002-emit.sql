-- How the product tells us, inside its own transactions: `select bellwire.emit(account, type, record)`. In the home
-- shard alone, whose inbox the nodes look into.

-- The product's transaction is stopped only by what a programmer must see at once, and what would not fit. All else is
-- judged later, by the code that judges what comes over HTTP: a bad field must not cost the product its own write.
create function put_into_inbox(type text, account text, record jsonb) returns bigint
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  -- `LIMITS.recordBytesMax`; a test compares them.
  record_bytes_max constant integer := 1048576;
  record_text constant text := record::text;
  emitted_at constant bigint := floor(extract(epoch from clock_timestamp()) * 1000);
  new_seq bigint;
begin
  if account is null then
    raise null_value_not_allowed using
      message = 'bellwire: the account is null',
      hint = 'Pass the id of the account whose owner is to be told: the one of PUT /v1/accounts/{account_id}.';
  end if;
  if account !~ '^[A-Za-z0-9._:-]{1,128}$' then
    raise invalid_parameter_value using
      message = 'bellwire: the account is not an id',
      hint = 'An account''s id has 1 to 128 characters of A-Z a-z 0-9 . _ : -';
  end if;
  if type is null or type !~ '^[a-z][a-z0-9]*([_.-][a-z0-9]+)*$' or length(type) > 64 then
    raise invalid_parameter_value using
      message = 'bellwire: the event type is not a name',
      hint = 'Pass the name that its declaration says, such as lead_identified; the order is account, type, record.';
  end if;
  if record is null then
    raise null_value_not_allowed using
      message = 'bellwire: the record is null',
      hint = 'Pass the record as one JSON object; jsonb_build_object() and to_jsonb() of a null row give null.';
  end if;
  if jsonb_typeof(record) <> 'object' then
    raise invalid_parameter_value using
      message = format('bellwire: the record is of type %s, not an object', jsonb_typeof(record)),
      hint = 'Pass one JSON object in each call; for many records call once for each row of a query.';
  end if;
  if octet_length(record_text) > record_bytes_max then
    raise program_limit_exceeded using
      message = format('bellwire: the record has %s bytes as text, %s are taken',
        octet_length(record_text), record_bytes_max),
      hint = 'Shorten the record. To keep the rest of the transaction, call inside a savepoint.';
  end if;
  insert into bellwire.inbox (account_id, type, record, emitted_at, due_at)
  values (account, type, record_text, emitted_at, emitted_at)
  returning seq into new_seq;
  return new_seq;
end
$$;

-- They run with the rights of the schema's owner: whoever may call them can add to the inbox, and read and change
-- nothing.
create function emit(account text, type text, record jsonb) returns bigint
language sql security definer
set search_path = pg_catalog, pg_temp
as $$ select bellwire.put_into_inbox(type, account, record) $$;

create function emit_demo_session(account text, record jsonb) returns bigint
language sql security definer
set search_path = pg_catalog, pg_temp
as $$ select bellwire.put_into_inbox('demo_viewed', account, record) $$;

create function emit_chat_conversation(account text, record jsonb) returns bigint
language sql security definer
set search_path = pg_catalog, pg_temp
as $$ select bellwire.put_into_inbox('chat_conversation_completed', account, record) $$;

comment on function emit(text, text, jsonb) is
  'Sends a record of a type to the account''s webhooks if this transaction commits. Returns the number in the inbox.';
comment on function emit_demo_session(text, jsonb) is
  'Sends a demo session to the account''s webhooks if this transaction commits. Returns the number in the inbox.';
comment on function emit_chat_conversation(text, jsonb) is
  'Sends a chat conversation to the account''s webhooks if this transaction commits. Returns the number in the inbox.';

-- Functions are everybody's unless somebody says otherwise; the operator grants these to the product's own role.
revoke execute on function put_into_inbox(text, text, jsonb) from public;
revoke execute on function emit(text, text, jsonb) from public;
revoke execute on function emit_demo_session(text, jsonb) from public;
revoke execute on function emit_chat_conversation(text, jsonb) from public;
