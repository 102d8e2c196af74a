-- What the product's own role needs to emit, and nothing else: run by the owner of the schema, once.
grant usage on schema bellwire to product;
grant execute on function bellwire.emit_demo_session(text, jsonb) to product;
grant execute on function bellwire.emit_chat_conversation(text, jsonb) to product;
grant execute on function bellwire.emit(text, text, jsonb) to product;
