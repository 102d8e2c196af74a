-- Distributed traces.

-- The place in a trace that the event was accepted in, as `traceparent` and, after a space, `tracestate`: its attempts
-- belong there too, whenever and wherever they are made. Null when it is not traced.
alter table events add column trace_context text;
