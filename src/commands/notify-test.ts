/**
 * `bellwire notify-test`: sends a test to the operator's webhook, signed as all alerts are, and prints the
 * outcome.
 */
import { hostname } from "node:os";
import type { Config } from "../config/options.ts";
import { operatorAlertBody } from "../domain/operator-alert.ts";
import { systemClock } from "../lib/clock.ts";
import { systemRandom } from "../lib/random.ts";
import { VERSION } from "../lib/version.ts";
import { createOperatorWebhook, isTaken, metWords } from "../notify/operator-webhook.ts";
import { JSON_FLAG, JSON_HELP, readArguments, show } from "./arguments.ts";
import type { Command, CommandIo } from "./command.ts";
import { IF_ELSEWHERE } from "./installation.ts";
import { readSettings } from "./start-up.ts";

const HELP = `Usage: bellwire notify-test [--json]

Sends BELLWIRE_OPERATOR_WEBHOOK_URL an alert of the kind operator_test, signed with BELLWIRE_OPERATOR_WEBHOOK_SECRET, as
this machine reaches it. No service needs to run. Exit code 0 when it was answered with a status from 200 to 299.

${JSON_HELP}`;

export const notifyTest: Command = async (io) => {
  const given = readArguments(io, HELP, JSON_FLAG);
  if (given.kind === "done") return given.exitCode;
  const config = readSettings(io);
  return config === null ? 1 : await sendTest(io, config, given.values.json);
};

async function sendTest(io: CommandIo, config: Config, json: boolean): Promise<number> {
  const { operatorWebhookUrl: url, operatorWebhookSecret: secret, signatureHeader } = config;
  if (url === null || secret === null) {
    io.err(`BELLWIRE_OPERATOR_WEBHOOK_URL is not set here: there is nobody to tell. ${IF_ELSEWHERE}`);
    return 1;
  }
  const names = { signatureHeader, userAgent: `Bellwire/${VERSION}` };
  await using webhook = createOperatorWebhook({ url, secret, names, clock: systemClock });
  const webhookId = `ntc_${Buffer.from(systemRandom.bytes(16)).toString("hex")}`;
  const node = `${hostname()}:${process.pid}`;
  const body = operatorAlertBody("operator_test", systemClock.nowMs(), { node });
  const result = await webhook.send({ webhookId, body });
  const { origin } = new URL(url);
  const [isTold, met, totalMs] = [isTaken(result), metWords(result.outcome), Math.round(result.timings.totalMs)];
  const line = `${origin}: ${met}, ${totalMs} ms (${webhookId})`;
  const value = { is_told: isTold, origin, met, total_ms: totalMs, webhook_id: webhookId };
  if (isTold || json) show(io, json, { value, lines: () => [`Told ${line}`] });
  else io.err(`Not told ${line}`);
  return isTold ? 0 : 1;
}
