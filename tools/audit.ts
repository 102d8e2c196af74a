/**
 * `node tools/audit.ts`, a step of `npm run check`: known holes in the packages of run time, as npm's registry knows
 * them. Where it does not answer (a closed network, a mirror without audits) this says so in a line and passes: what a
 * machine can reach must not decide whether a change is good.
 */
import { spawnSync } from "node:child_process";
import { platform } from "node:os";

/** The number of known holes by severity, as npm counts them. */
interface Audit {
  readonly metadata: { readonly vulnerabilities: Readonly<Record<string, number>> };
  readonly vulnerabilities: Readonly<Record<string, { readonly severity: string; readonly range: string }>>;
}

const DEADLINE_MS = 30_000;

const args = ["audit", "--omit=dev", "--json", "--fetch-retries=0"];
const ran = spawnSync("npm", args, { encoding: "utf8", timeout: DEADLINE_MS, shell: platform() === "win32" });
const audit = auditIn(ran.stdout ?? "");
if (audit === null) console.log("audit: skipped, npm's registry does not answer audits here");
else tell(audit);

function tell({ vulnerabilities }: Audit): void {
  const found = Object.entries(vulnerabilities);
  if (found.length === 0) return console.log("audit: no known hole in the packages of run time");
  for (const [name, { severity, range }] of found) console.error(`audit: ${name} ${range} (${severity})`);
  process.exitCode = 1;
}

/** `null` for whatever is no answer to the question: an error of the network has another form. */
function auditIn(text: string): Audit | null {
  try {
    const answer = JSON.parse(text) as Partial<Audit>;
    return answer.metadata?.vulnerabilities === undefined || answer.vulnerabilities === undefined
      ? null
      : (answer as Audit);
  } catch {
    return null;
  }
}
