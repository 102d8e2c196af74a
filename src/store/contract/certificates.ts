/**
 * Ends of client certificates, so that owners are told before. A certificate is saved as text, which no store reads: a
 * node does, a little later, and notes its end beside it. From then on digests have it (`mail.ts`).
 *
 *     saved ──► unread ──a node reads it──► noted ──30, 7 and 1 days before──► in each reader's next digest
 *       ▲                                     │
 *       └──────── another is saved ◄──────────┘
 */
import { inARow, OF_ACCOUNT, withLess, type VerbTable } from "./verb-table.ts";

export interface CertificatesVerbs {
  /** Those whose end is not noted yet, in any order. */
  listUnreadCertificates(params: { readonly limit: number }): Promise<readonly UnreadCertificate[]>;
  /** Does nothing when another certificate was saved meanwhile. */
  noteCertificateEnd(params: NoteCertificateEnd): Promise<void>;
}

export const CERTIFICATES_VERBS = {
  listUnreadCertificates: {
    kind: "side",
    route: {
      kind: "in all",
      none: [],
      rest: (params, found) => withLess(params, "limit", found.length),
      join: inARow,
    },
  },
  noteCertificateEnd: { kind: "side", route: OF_ACCOUNT },
} satisfies VerbTable<CertificatesVerbs>;

export interface UnreadCertificate {
  readonly accountId: string;
  readonly destinationId: string;
  /** In PEM form; `null` where the destination presents none. */
  readonly chain: string | null;
}

export interface NoteCertificateEnd extends UnreadCertificate {
  /** `null`: it has none. */
  readonly endsAtMs: number | null;
}
