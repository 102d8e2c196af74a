/** The doctor's check of the mail server: it connects and signs in as the service does, and sends no letter. */
import type { Config } from "../../config/options.ts";
import { smtpPlace, readSmtpProtection } from "../../egress/smtp-protection.ts";
import { createMailer } from "../../notify/mailer.ts";
import { type Finding, fine, warning } from "./finding.ts";

const IN_THE_CLEAR =
  "BELLWIRE_SMTP_PLAINTEXT=allow: the mail server's password goes out in the clear where STARTTLS is not offered.";

/** Never "bad": webhooks go out without it. */
export async function checkMail({ smtpUrl, smtpPlaintext: plaintext, mailFrom: from }: Config): Promise<Finding[]> {
  if (smtpUrl === null) return [fine("Owners get no e-mail about failures: BELLWIRE_SMTP_URL is not set.")];
  const clear =
    readSmtpProtection(smtpUrl, plaintext) === "allowed" ? [warning(IN_THE_CLEAR, "Use smtps:// if you can.")] : [];
  await using mailer = createMailer({ smtpUrl, from, plaintext });
  const place = smtpPlace(smtpUrl);
  try {
    await mailer.check();
    return [fine(`The mail server ${place} takes letters, as ${from}.`), ...clear];
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const after = "Letters about failures wait for up to a day. Webhooks are not touched by it.";
    return [warning(`The mail server ${place} cannot be used.`, reason, after), ...clear];
  }
}
