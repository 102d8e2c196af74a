/**
 * Every claim that was ever made, written down by the database itself: a trigger of these runs notes each change of a
 * delivery's claim and which node made it, in the transaction that makes it. So the history is exact, whoever was
 * killed afterwards, and no node is asked about itself.
 *
 * A holder is the `application_name` of a node's connections: each life of a node has its own (see `node.ts`).
 */
import type { Cluster } from "../../test/kit/servers/postgres.ts";

export interface Claim {
  readonly holder: string;
  readonly fromMs: number;
  /** When it runs out. */
  readonly untilMs: number;
  /** `null`: it holds still, or has run out and no node has taken the delivery over. */
  readonly end: ClaimEnd | null;
}

export interface ClaimEnd {
  /**
   * - `settled`: under this claim an attempt's result was written.
   * - `given_back`: without an attempt.
   * - `taken_over`: it had run out, and another one was made.
   */
  readonly how: "settled" | "given_back" | "taken_over";
  readonly atMs: number;
}

/** By delivery, in the order in which they were made. */
export type ClaimBook = ReadonlyMap<string, readonly Claim[]>;

/** A database, with whoever can ask it. */
export interface BookPlace {
  readonly cluster: Pick<Cluster, "query">;
  readonly url: string;
}

/** `schemas`: of the shards there. */
export async function openClaimBook({ cluster, url }: BookPlace, schemas: readonly string[]): Promise<void> {
  await cluster.query(url, [CREATE_BOOK, ...schemas.map(createTriggers)].join(";\n"));
}

/** Of all databases of an installation, which are on one machine and so have one clock. */
export async function readClaimBook(places: readonly BookPlace[]): Promise<ClaimBook> {
  const parts = await Promise.all(places.map(({ cluster, url }) => cluster.query(url, LIST_MOVES)));
  const book = new Map<string, TokenClaim[]>();
  for (const move of (parts.flat() as unknown as Move[]).toSorted((a, b) => a.atMs - b.atMs)) {
    const claims = book.get(move.deliveryId) ?? [];
    book.set(move.deliveryId, claims);
    const last = claims.at(-1);
    const isOpen = last !== undefined && last.end === null;
    // Its account moved to another shard, and the claim with it.
    if (isOpen && move.token === last.token) continue;
    if (isOpen) claims.splice(-1, 1, { ...last, end: endBy(move) });
    const { holder, atMs, untilMs, token } = move;
    if (untilMs !== null) claims.push({ holder, fromMs: atMs, untilMs, end: null, token });
  }
  return book;
}

interface TokenClaim extends Claim {
  readonly token: string | null;
}

/** Claims of this holder that are not ended: they hold still, or no node has taken their deliveries over. */
export async function countOpenClaims(cluster: Cluster, url: string, holder: string): Promise<number> {
  // A holder's name is ours and needs no quoting.
  const [row] = await cluster.query(url, `${COUNT_OPEN} and move.holder = '${holder}'`);
  return row?.["open"] as number;
}

interface Move {
  readonly deliveryId: string;
  readonly holder: string;
  readonly atMs: number;
  /** `null`: no node claims it now. */
  readonly untilMs: number | null;
  readonly token: string | null;
  readonly isAttempt: boolean;
}

function endBy({ untilMs, isAttempt, atMs }: Move): ClaimEnd {
  if (untilMs !== null) return { how: "taken_over", atMs };
  return { how: isAttempt ? "settled" : "given_back", atMs };
}

const CREATE_BOOK = `
  create schema chaos;

  create table chaos.claim_moves (
    seq bigint generated always as identity primary key,
    delivery_id text not null,
    holder text not null,
    at_ms double precision not null,
    until_ms double precision,
    token text,
    is_attempt boolean not null
  );

  create index claim_moves_of_delivery on chaos.claim_moves (delivery_id, seq);

  -- What a node takes into memory as it accepts has no row yet: its event says so.
  create function chaos.note_taken_in_memory() returns trigger language plpgsql as $$
    begin
      insert into chaos.claim_moves (delivery_id, holder, at_ms, until_ms, token, is_attempt)
      select split_part(line, ' ', 1), current_setting('application_name'),
        extract(epoch from clock_timestamp()) * 1000, new.held_until, new.claim_token, false
      from unnest(string_to_array(new.in_memory, E'\\n')) as line;
      return null;
    end
  $$;

  create function chaos.note_claim_move() returns trigger language plpgsql as $$
    declare
      held_until double precision;
    begin
      -- A delivery that is settled moves to another table: what comes in there has ended, and its claim with it.
      if tg_op = 'INSERT' and new.state = 'pending' then
        held_until := (
          select until_ms from chaos.claim_moves where delivery_id = new.id order by seq desc limit 1
        );
        -- It was free and is; or whoever takes a lease over gives it a row under the claim that it has.
        if new.claim_token is null and held_until is null or new.claim_token is not null and held_until = new.due_at
        then return null; end if;
      elsif tg_op = 'UPDATE' and new.claim_token is not distinct from old.claim_token then
        return null;
      end if;
      insert into chaos.claim_moves (delivery_id, holder, at_ms, until_ms, token, is_attempt)
      values (
        new.id, current_setting('application_name'), extract(epoch from clock_timestamp()) * 1000,
        case when new.claim_token is not null then new.due_at end, new.claim_token,
        case
          when tg_op = 'INSERT' then new.state in ('delivered', 'failed')
            or new.state = 'pending' and new.attempts_made > 0
          else new.attempts_made > old.attempts_made
        end
      );
      return null;
    end
  $$`;

/** An event that a move has copied is under no lease. */
const createTriggers = (schema: string): string => `
  create trigger note_taken_in_memory after insert on ${schema}.events
  for each row when (new.in_memory is not null and new.lease_id is not null)
  execute function chaos.note_taken_in_memory();

  create trigger note_claim_move after insert or update on ${schema}.deliveries
  for each row execute function chaos.note_claim_move()`;

const COUNT_OPEN = `
  select count(*)::integer as open
  from chaos.claim_moves move
  where move.until_ms is not null and not exists (
    select from chaos.claim_moves later where later.delivery_id = move.delivery_id and later.seq > move.seq
  )`;

const LIST_MOVES = `
  select delivery_id as "deliveryId", holder, at_ms as "atMs", until_ms as "untilMs", token,
    is_attempt as "isAttempt"
  from chaos.claim_moves
  order by seq`;
