/**
 * Certificates made in a test: an authority, what it signs, and when that begins and ends. X.509 in DER by hand: Node
 * signs but makes no certificate, and a machine need not have another tool for it.
 *
 *     const authority = makeAuthority("Receiver's CA");
 *     const { certificate, key } = authority.issue("bellwire-client", { untilMs: nowMs + daysMs(20) });
 */
import { type KeyObject, generateKeyPairSync, randomBytes, sign } from "node:crypto";

export interface Issued {
  /** PEM. */
  readonly certificate: string;
  /** PKCS #8, PEM. */
  readonly key: string;
}

export interface Authority extends Issued {
  issue(name: string, validity?: Validity): Issued;
}

interface Validity {
  readonly fromMs?: number;
  readonly untilMs?: number;
}

/** The years 2001 to 2040 are good for all that a test's clock says. */
const FROM_MS = Date.UTC(2001, 0, 1);
const UNTIL_MS = Date.UTC(2040, 0, 1);

export function makeAuthority(name: string): Authority {
  const keys = makeKeys();
  const certificate = makeCertificate({
    subject: name,
    subjectKey: keys.publicKey,
    issuer: name,
    signKey: keys.privateKey,
    isAuthority: true,
  });
  return {
    certificate,
    key: toPem(keys.privateKey),
    issue(subject, validity = {}) {
      const { publicKey, privateKey } = makeKeys();
      const signed = { subject, subjectKey: publicKey, issuer: name, signKey: keys.privateKey, isAuthority: false };
      return { certificate: makeCertificate({ ...signed, ...validity }), key: toPem(privateKey) };
    },
  };
}

const makeKeys = () => generateKeyPairSync("ec", { namedCurve: "P-256" });

const toPem = (key: KeyObject): string => key.export({ type: "pkcs8", format: "pem" });

interface Wanted extends Validity {
  readonly subject: string;
  readonly subjectKey: KeyObject;
  readonly issuer: string;
  readonly signKey: KeyObject;
  readonly isAuthority: boolean;
}

function makeCertificate(wanted: Wanted): string {
  const { subject, subjectKey, issuer, signKey, isAuthority, fromMs = FROM_MS, untilMs = UNTIL_MS } = wanted;
  const ecdsaWithSha256 = sequence(oid("2a8648ce3d040302"));
  const basicConstraints = sequence(
    oid("551d13"),
    der(0x01, [Buffer.from([0xff])]),
    der(0x04, [sequence(...(isAuthority ? [der(0x01, [Buffer.from([0xff])])] : []))]),
  );
  const toBeSigned = sequence(
    der(0xa0, [der(0x02, [Buffer.from([2])])]),
    der(0x02, [Buffer.concat([Buffer.from([1]), randomBytes(8)])]),
    ecdsaWithSha256,
    named(issuer),
    sequence(time(fromMs), time(untilMs)),
    named(subject),
    subjectKey.export({ type: "spki", format: "der" }),
    der(0xa3, [sequence(basicConstraints)]),
  );
  const signature = der(0x03, [Buffer.from([0]), sign("sha256", toBeSigned, signKey)]);
  const text = sequence(toBeSigned, ecdsaWithSha256, signature).toString("base64");
  const lines = text.match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
}

/** A distinguished name that is a common name alone. */
export const named = (name: string): Buffer =>
  sequence(der(0x31, [sequence(oid("550403"), der(0x0c, [Buffer.from(name, "utf8")]))]));

/** GeneralizedTime, `20401231235959Z`. */
export const time = (ms: number): Buffer =>
  der(0x18, [Buffer.from(`${new Date(ms).toISOString().slice(0, 19).replaceAll(/[-:T]/g, "")}Z`)]);

export const sequence = (...parts: readonly Buffer[]): Buffer => der(0x30, parts);
export const oid = (hex: string): Buffer => der(0x06, [Buffer.from(hex, "hex")]);

export function der(tag: number, parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const head =
    length < 0x80 ? [tag, length] : length < 0x100 ? [tag, 0x81, length] : [tag, 0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from(head), content]);
}
