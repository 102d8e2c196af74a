/** The doctor's check of the mail server: it connects and signs in as the service does, and sends no letter. */
import type { Config } from "../../config/options.ts";
import { smtpPlace } from "../../egress/smtp-protection.ts";
import { createMailer } from "../../notify/mailer.ts";
import { type Finding, fine, warning } from "./finding.ts";

/** Never "bad": webhooks go out without it. */
export async function checkMail({ smtpUrl, mailFrom: from }: Config): Promise<Finding[]> {
  if (smtpUrl === null) return [fine("Owners get no e-mail about failures: BELLWIRE_SMTP_URL is not set.")];
  await using mailer = createMailer({ smtpUrl, from });
  const place = smtpPlace(smtpUrl);
  try {
    await mailer.check();
    return [fine(`The mail server ${place} takes letters, as ${from}.`)];
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const after = "Letters about failures wait for up to a day. Webhooks are not touched by it.";
    return [warning(`The mail server ${place} cannot be used.`, reason, after)];
  }
}
