/**
 * "Check a signature": why the signature of a webhook that somebody pastes matches or does not. Pure.
 *
 * A receiver sees one thing only, that two texts differ. Here the secret is known, so each usual mistake can be tried:
 * another secret, a header that was changed, a body that was parsed and written again, a webhook that is too old. Each
 * finding is a sentence with what to do; the first that applies wins, in the order of `SignatureVerdict`.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import { SECRET_PREFIX, isSignedBy, signService, signStandard } from "../../domain/signature.ts";
import { secondsMs } from "../../lib/duration.ts";
import { bodyVariants, compareBodies, type Compared } from "./body-variants.ts";
import { type PasteOfWebhook, readPaste, type StandardHeaders } from "./pasted-webhook.ts";
import type { CheckSignatureAnswer, SignatureVerdict } from "../contract/verification.ts";
import { durationInWords, timeInWords } from "../../lib/written-times.ts";

export interface KnownSecrets {
  readonly current: { readonly secret: string; readonly sinceMs: number };
  /** While a rotation lasts. */
  readonly previous: { readonly secret: string; readonly stopsAtMs: number } | null;
  /** A secret that signs no longer; `null` when none is known. */
  readonly stopped: string | null;
  /** `whpk_…`, the current one first; none where webhooks are not signed with a key pair. */
  readonly publicKeys: readonly string[];
}

export interface SignatureToCheck {
  /** `Name: value` lines as pasted. */
  readonly headers: string;
  readonly body: string;
  readonly secrets: KnownSecrets;
  /** Lower case. */
  readonly signatureHeader: string;
  readonly nowMs: number;
  /** The body that was sent under the pasted `webhook-id`; `null` when that is not known. */
  readonly sentBody: string | null;
}

/** As Standard Webhooks advises, and as `receiver/verify.ts` has it. */
const TOLERANCE_MS = secondsMs(300);

type SecretName = "current" | "previous" | "stopped";

/** The findings so far. */
interface Findings {
  readonly check: SignatureToCheck;
  readonly paste: PasteOfWebhook;
  readonly secrets: readonly (readonly [name: SecretName, secret: string])[];
  /** Which secret made each of the two signatures of the body as it was pasted. */
  readonly service: SecretName | null;
  readonly standard: SecretName | null;
  /** Whether one of the public keys vouches for it. */
  readonly isByKey: boolean;
}

type Finding = Omit<CheckSignatureAnswer, "checks">;

export function checkSignature(check: SignatureToCheck): CheckSignatureAnswer {
  const paste = readPaste(check.headers, check.signatureHeader);
  const secrets = namedSecrets(check.secrets);
  const findings = {
    check,
    paste,
    secrets,
    ...findSigners(check.body, { paste, secrets, publicKeys: check.secrets.publicKeys }),
  };
  return { ...explain(findings), checks: toChecks(findings) };
}

function namedSecrets({ current, previous, stopped }: KnownSecrets): Findings["secrets"] {
  return [
    ["current", current.secret],
    ...(previous === null ? [] : ([["previous", previous.secret]] as const)),
    ...(stopped === null ? [] : ([["stopped", stopped]] as const)),
  ];
}

interface Signers extends Pick<Findings, "paste" | "secrets"> {
  readonly publicKeys: readonly string[];
}

function findSigners(body: string, { paste: { service, standard }, secrets, publicKeys }: Signers) {
  return {
    service:
      service === null ? null : findSigner(secrets, (secret) => isSame(service.signature, signService(body, secret))),
    standard: standard === null ? null : findSigner(secrets, (secret) => matchesStandard(standard, { body, secret })),
    isByKey: standard !== null && publicKeys.some((publicKey) => isSignedByKey(standard, { body, publicKey })),
  };
}

function findSigner(secrets: Findings["secrets"], isMadeWith: (secret: string) => boolean): SecretName | null {
  return secrets.find(([, secret]) => isMadeWith(secret))?.[0] ?? null;
}

/** While a secret is rotated the header carries a signature for each of the two. */
function matchesStandard(
  { id, timestampSeconds, signatures }: StandardHeaders,
  { body, secret }: { readonly body: string; readonly secret: string },
): boolean {
  const expected = signStandard({ id, timestampSeconds, body }, [secret]);
  return signatures.some((signature) => isSame(signature, expected));
}

function isSignedByKey(
  { id, timestampSeconds, keySignatures }: StandardHeaders,
  { body, publicKey }: { readonly body: string; readonly publicKey: string },
): boolean {
  const input = { id, timestampSeconds, body };
  return keySignatures.some((signature) => isSignedBy(input, { signature, publicKey }));
}

function isSame(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/* ---- the first finding that applies ---- */

function explain(findings: Findings): Finding {
  const { service, standard, isByKey, paste } = findings;
  if (paste.service === null && paste.standard === null) return missing(findings);
  const fault = paste.service?.fault ?? null;
  if (fault !== null) return malformed(findings, fault);
  if (service === null && standard === null && !isByKey) return unmatched(findings);
  if (service === null && standard === null && (paste.service !== null || has(paste, "signatures"))) return onlyByKey;
  if (paste.service !== null && service === null) return onlyOne(findings, "webhook-signature");
  if (has(paste, "signatures") && standard === null) return onlyOne(findings, paste.signatureHeader);
  if (has(paste, "keySignatures") && !isByKey) return notByKey(findings);
  return matched(findings, service ?? standard);
}

const has = ({ standard }: PasteOfWebhook, part: "signatures" | "keySignatures"): boolean =>
  standard !== null && standard[part].length > 0;

const KEY_PART = "webhook-signature (v1a)";

/** `null`: no secret, but a public key. */
function matched({ check, paste }: Findings, secret: SecretName | null): Finding {
  const { previous } = check.secrets;
  if (secret === "stopped") {
    return {
      verdict: "matches_previous",
      sentence: "The signature matches the previous secret, which has stopped.",
      advice: "Copy the current secret into your code.",
    };
  }
  const found = untimely(check, paste.standard) ?? matches(paste, secret);
  if (secret !== "previous" || previous === null || found.verdict !== "matches") return found;
  const { signatureHeader } = paste;
  return {
    verdict: "matches",
    sentence: `The signature matches the previous secret, which works until ${timeInWords(previous.stopsAtMs)}.`,
    advice: `${signatureHeader} is made with it until then, and with the current secret from then on: accept both.`,
  };
}

/** Nothing but the key that made it could vouch for it. */
const onlyByKey: Finding = {
  verdict: "matches_previous",
  sentence: "The signature matches the public key, but the secret that made the others has been replaced.",
  advice: "Copy the current secret into your code, or check with the public key alone.",
};

/** The secret vouches for the rest, so only that part is wrong. */
function notByKey({ check }: Findings): Finding {
  const isOff = check.secrets.publicKeys.length === 0;
  return {
    verdict: "no_match",
    sentence: isOff
      ? "The signature matches, but this account no longer signs with a public key: the v1a part is an earlier one's."
      : "The signature matches, but no public key of this account vouches for the v1a part.",
    advice: isOff
      ? "Check with the secret, or let an owner turn the public key on again."
      : "If the public key was replaced since, all is well: copy the current one into your code.",
  };
}

/** An old webhook is refused: a person who recorded it could send it again. */
function untimely({ nowMs }: SignatureToCheck, standard: StandardHeaders | null): Finding | null {
  if (standard === null) return null;
  const ageMs = nowMs - secondsMs(standard.timestampSeconds);
  if (Math.abs(ageMs) <= TOLERANCE_MS) return null;
  const limit = `(limit ${durationInWords(TOLERANCE_MS)})`;
  return ageMs > 0
    ? {
        verdict: "too_old",
        sentence: `The signature matches, but the webhook is ${durationInWords(ageMs)} old ${limit}.`,
        advice: "Code that checks webhook-timestamp refuses it now. If it was refused when it came, check your clock.",
      }
    : {
        verdict: "from_the_future",
        sentence: `The signature matches, but webhook-timestamp lies ${durationInWords(-ageMs)} ahead ${limit}.`,
        advice: "One of the two clocks is wrong: let your server take its time from the network (NTP).",
      };
}

function matches({ standard, service, signatureHeader }: PasteOfWebhook, secret: SecretName | null): Finding {
  const signer = secret === null ? "public key" : "current secret";
  const sentence = `The signature matches the ${signer}, and the body is exactly as it was signed.`;
  if (service !== null && standard !== null) return { verdict: "matches", sentence, advice: "" };
  const other = service === null ? signatureHeader : "webhook-id, webhook-timestamp and webhook-signature";
  return { verdict: "matches", sentence, advice: `Paste ${other} too to have everything checked.` };
}

function missing({ check, paste, secrets }: Findings): Finding {
  const names = `${paste.signatureHeader} and webhook-signature`;
  const expected = secrets.map(([, secret]) => signService(check.body, secret));
  const elsewhere = [...paste.all].find(([, value]) => expected.some((signature) => isSame(value, signature)))?.[0];
  const sentence =
    elsewhere === undefined
      ? `Neither of ${names} can be read from these headers.${paste.incomplete}`
      : `The signature is right, but it is in the header ${elsewhere} instead of ${paste.signatureHeader}.`;
  return {
    verdict: "header_missing",
    sentence,
    advice:
      elsewhere === undefined
        ? "Paste the request's headers as they came, one in a line. If they never arrive, a proxy takes them away."
        : `Read ${paste.signatureHeader}, or see what renames headers in front of your code.`,
  };
}

function malformed({ service, paste }: Findings, fault: string): Finding {
  const isRightOtherwise = service === null ? "" : " Apart from that it matches.";
  return {
    verdict: "header_malformed",
    sentence: `The value of ${paste.signatureHeader} ${fault}.${isRightOtherwise}`,
    advice: "It is standard Base64 with padding: 44 characters, and nothing else. Compare the header as it came.",
  };
}

/** The body is right, so the other header belongs to another request or was changed. */
function onlyOne({ paste }: Findings, matching: string): Finding {
  const isService = matching === paste.signatureHeader;
  const other = isService ? "webhook-signature" : paste.signatureHeader;
  return {
    verdict: "no_match",
    sentence: `${matching} matches, ${other} does not: the headers are not those of one request, or one was changed.`,
    advice: isService
      ? "webhook-id and webhook-timestamp are signed too: paste them as they came with this body."
      : "Paste all headers of the same request.",
  };
}

function unmatched(findings: Findings): Finding {
  const { check, paste } = findings;
  if (check.body.trim() === "") return EMPTY_BODY;
  const compared = check.sentBody === null ? null : compareBodies(check.body, check.sentBody);
  // How it was sent says more than where the first difference is.
  const found = variantFinding(findings) ?? (compared === null ? null : bodyFinding(compared));
  if (found !== null) return found;
  const { service } = paste;
  const isDecoded = service !== null && isSame(service.signature, signWithDecodedKey(check.body, check.secrets));
  if (isDecoded) {
    return {
      verdict: "no_match",
      sentence: `The signature was made with the bytes behind ${SECRET_PREFIX}; that is the key of webhook-signature.`,
      advice: `The key of ${paste.signatureHeader} is the secret's text exactly as it is shown, with ${SECRET_PREFIX}.`,
    };
  }
  return {
    verdict: "no_match",
    sentence: "The signature matches no secret that we know, and no usual change of the body explains it.",
    advice:
      "Check that it came from this account. " +
      `The current secret is from ${timeInWords(check.secrets.current.sinceMs)}; older ones are not kept.`,
  };
}

function variantFinding({ check, paste, secrets }: Findings): Finding | null {
  for (const { kind, how, text } of bodyVariants(check.body)) {
    const { service, standard, isByKey } = findSigners(text, { paste, secrets, publicKeys: check.secrets.publicKeys });
    if (service === null && standard === null && !isByKey) continue;
    const verdict: SignatureVerdict = kind === "trimmed" ? "body_trimmed" : "body_reformatted";
    const what = kind === "trimmed" ? "other white space around it" : "been written anew";
    return {
      verdict,
      sentence: `The body has ${what}: it was sent ${how}.`,
      advice: VERIFY_RAW,
    };
  }
  return null;
}

/** `null` when it is exactly what was sent: then it is not the body. */
function bodyFinding(compared: Compared): Finding | null {
  switch (compared.kind) {
    case "same":
      return null;
    case "trimmed":
      return {
        verdict: "body_trimmed",
        sentence: "The body has other white space around it than the one that we sent with this webhook-id.",
        advice: VERIFY_RAW,
      };
    case "reformatted":
      return {
        verdict: "body_reformatted",
        sentence: `The body was written anew: ${compared.difference}.`,
        advice: VERIFY_RAW,
      };
    case "other":
      return {
        verdict: "no_match",
        sentence: `The body is not the one that we sent with this webhook-id: ${compared.difference}.`,
        advice: "Paste headers and body of the same request. If they are, something on the way changes the body.",
      };
  }
}

/** No webhook has an empty body, so nothing can be compared with it. */
const EMPTY_BODY: Finding = {
  verdict: "no_match",
  sentence: "The pasted body is empty.",
  advice: "Paste the body as it came. If your code finds it empty too, something reads it before: take the raw bytes.",
};

const VERIFY_RAW = "Verify the raw bytes of the body as they came, before anything parses the JSON.";

function signWithDecodedKey(body: string, { current }: KnownSecrets): string {
  const key = Buffer.from(current.secret.slice(SECRET_PREFIX.length), "base64");
  return createHmac("sha256", key).update(body, "utf8").digest("base64");
}

/* ---- what each header said by itself ---- */

function toChecks({ check, paste, service, standard, isByKey }: Findings): CheckSignatureAnswer["checks"] {
  const all = [
    { header: paste.signatureHeader, matches: service !== null, note: serviceNote(paste, service) },
    { header: "webhook-signature", matches: standard !== null, note: standardNote(paste, standard) },
  ];
  const isWithKey = has(paste, "keySignatures") || check.secrets.publicKeys.length > 0;
  return isWithKey ? [...all, { header: KEY_PART, matches: isByKey, note: keyNote(paste, isByKey) }] : all;
}

function keyNote(paste: PasteOfWebhook, isByKey: boolean): string {
  if (!has(paste, "keySignatures")) return "Not among the headers.";
  return isByKey ? "A public key of this account vouches for it." : NOT_SIGNED;
}

function serviceNote({ service }: PasteOfWebhook, signer: SecretName | null): string {
  if (service === null) return "Not among the headers.";
  if (service.fault !== null) return `Its value ${service.fault}.`;
  return signer === null ? "Does not match this body." : SIGNED_WITH[signer];
}

function standardNote({ standard, incomplete }: PasteOfWebhook, signer: SecretName | null): string {
  if (standard === null) return incomplete === "" ? "Not among the headers." : incomplete.trim();
  if (standard.signatures.length === 0) return "No part with v1, in it.";
  return signer === null ? NOT_SIGNED : SIGNED_WITH[signer];
}

const NOT_SIGNED = "Does not match this webhook-id, webhook-timestamp and body.";

const SIGNED_WITH: Readonly<Record<SecretName, string>> = {
  current: "Made with the current secret.",
  previous: "Made with the previous secret.",
  stopped: "Made with the previous secret, which has stopped.",
};
