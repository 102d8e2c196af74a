/**
 * What lists and forms show of every owner of a destination beside the owner's own fields. A secret's value never
 * leaves the server.
 */
import type { DestinationView, OwnerView } from "../../accounts/account-view.ts";
import { toSavedForm } from "../../accounts/change-saved.ts";
import type { Authentication, ClientCertificate } from "../../domain/authentication.ts";
import { readCertificateFacts } from "../../egress/client-certificate.ts";
import type { DashboardContext } from "../call/context.ts";
import type * as contract from "../contract/destinations.ts";
import { destinationViews } from "../destinations/destinations.ts";
import type { Session } from "../guard/session.ts";

interface Listed {
  readonly destination: Pick<DestinationView, "id"> | null;
}

/** The rows of a list, each with its destination and how that goes. */
export async function showList<Row extends Listed>(ctx: DashboardContext, session: Session, rows: readonly Row[]) {
  const views = await destinationViews(ctx, session, { withDeleted: false });
  return rows.map((row) => ({ ...row, destination: views.find(({ id }) => id === row.destination?.id) ?? null }));
}

/** The same of one, with what its form has to start from. */
export async function showOwner(
  ctx: DashboardContext,
  session: Session,
  { destination, revision, changed }: OwnerView,
) {
  const destinationId = destination?.id;
  const wanted = { destinationIds: [destinationId ?? ""], withDeleted: false };
  const [view = null] = destinationId === undefined ? [] : await destinationViews(ctx, session, wanted);
  return { destination: view, revision, webhook: toWebhookSettings(destination), changed };
}

function toWebhookSettings(destination: DestinationView | null): contract.WebhookSettings | null {
  if (destination === null) return null;
  const { id, authentication } = destination;
  return {
    ...toSavedForm(destination),
    destinationId: id,
    authentication: authentication === null ? null : toAuthenticationSettings(authentication),
  };
}

function toAuthenticationSettings({ oauth, certificate }: Authentication): contract.AuthenticationSettings {
  return {
    oauth: oauth === null ? null : { ...oauth, clientSecret: null },
    certificate: certificate === null ? null : { chain: certificate.chain, key: null, ...readFacts(certificate) },
  };
}

/** It was read when it was saved. */
function readFacts({ chain }: ClientCertificate): contract.CertificateFacts {
  const facts = readCertificateFacts(chain);
  return facts.ok ? facts.value : { subject: "", issuer: "", validFromMs: 0, validToMs: 0 };
}
