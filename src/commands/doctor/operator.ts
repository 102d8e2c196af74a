/** The doctor's check of the operator's own webhook. It sends nothing: `bellwire notify-test` does. */
import type { Config } from "../../config/options.ts";
import { type Finding, fine, warning } from "./finding.ts";

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

export function checkOperatorWebhook({ operatorWebhookUrl: url }: Config): Finding[] {
  if (url === null) return [fine("The operator gets no notices: BELLWIRE_OPERATOR_WEBHOOK_URL is not set.")];
  const { origin, protocol, hostname } = new URL(url);
  const test = "bellwire notify-test sends a test.";
  if (protocol === "https:" || LOOPBACK.test(hostname))
    return [fine(`Notices to the operator go to ${origin}.`, [test])];
  return [
    warning(
      `Notices to the operator go to ${origin} in clear text.`,
      "They name accounts and receivers: use https.",
      test,
    ),
  ];
}
