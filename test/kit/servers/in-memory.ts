/**
 * Deliveries that some node has in memory, or had when it died: their events name them, and they have no row. A test
 * that waits for everything to end counts them too, besides the rows that are pending.
 */
export const IN_MEMORY = `
  from bellwire.events e
  cross join lateral unnest(string_to_array(e.in_memory, E'\\n')) as line
  left join bellwire.deliveries d on d.id = split_part(line, ' ', 1)
  where d.id is null`;

const ACCOUNTS_HERE = "select id from bellwire.accounts";

/** Of accounts that live here: a move that died leaves copies of deliveries, which their account's shard delivers. */
export const COUNT_WAITING = `
  select ((select count(1) from bellwire.deliveries where state = 'pending' and account_id in (${ACCOUNTS_HERE})) +
    (select count(1) ${IN_MEMORY} and e.account_id in (${ACCOUNTS_HERE})))::integer as count`;

/** The same in the schema of a shard. */
export const countWaitingIn = (schema: string): string => COUNT_WAITING.replaceAll("bellwire.", `${schema}.`);
