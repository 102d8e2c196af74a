/**
 * `npm run bench`: throughput and latency. `npm run bench -- isolation` and its neighbours answer the other questions;
 * what follows the name is theirs, such as `--quick`.
 */
const BENCHES = [
  "throughput",
  "isolation",
  "waiting",
  "log",
  "retention",
  "reads",
  "hostile",
  "worst",
  "strangers",
  "hostile-tls",
  "disk",
  "memory",
  "path",
  "bodies",
  "floor",
  "keys",
  "cold",
  "telemetry",
  "little",
  "many-nodes",
  "moving",
  "servers",
  "slow-line",
  "start",
  "upkeep",
  "outbox",
  "accounts",
  "search-index",
  "purge",
] as const;

const [, , name = ""] = process.argv;
const isNamed = name !== "" && !name.startsWith("-");
const found = isNamed ? BENCHES.find((bench) => bench === name) : BENCHES[0];
if (found === undefined) {
  console.error(`there is no bench "${name}"; usage: npm run bench -- [${BENCHES.join(" | ")}] [flags]`);
  process.exit(2);
}
if (isNamed) process.argv.splice(2, 1);
await import(`./${found}.ts`);
