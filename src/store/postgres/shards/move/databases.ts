/** The connections of a move: one to each shard and one to the directory, which nothing else uses. */
import { minutesMs } from "../../../../lib/duration.ts";
import { type ConnectionOptions, openPool, toBeginning } from "../../connection/connections.ts";
import { type Database, newMemory } from "../../transaction.ts";

/** Hashes of a large account take their time. One that is read in a transaction of its own takes no lock. */
const MOVE_POOL = { connectionsMax: 2, statementMsMax: minutesMs(10) };

/** Connects to nothing yet. The caller ends the pool. */
export const openMoveDatabase = (connections: ConnectionOptions): Database => ({
  pool: openPool({ name: "bellwire move", ...connections }, MOVE_POOL),
  beginning: toBeginning(connections, MOVE_POOL),
  node: newMemory(),
  onReadOnly: () => {},
});
