/** Settings → Verification: the secret, code that checks it, a check of one signature, and where webhooks come from. */
import { Suspense } from "react";
import { useSearchParams } from "wouter";
import { later } from "../later.ts";
import { CheckSignature } from "../parts/verification/check-signature.tsx";
import { PublicKeyCard } from "../parts/verification/public-key-card.tsx";
import { SecretCard } from "../parts/verification/secret-card.tsx";
import { SourceAddresses, VerifyInCode } from "../parts/verification/verify-in-code.tsx";
import { useAnswer } from "../query.ts";
import { LoadedCards } from "../ui/loaded.tsx";
import { Page } from "../ui/page.tsx";

/** The last on the page: it brings along what the forms of webhooks have, which nothing above it needs. */
const TrialCard = later(() => import("../parts/verification/trial-card.tsx"), "TrialCard");

export function VerificationPage() {
  const query = useAnswer("GET /verification");
  const [search] = useSearchParams();
  // Somebody who comes from a delivery came for this: it stands first, so that nothing above can push it out of view.
  const isCheckFirst = search.has("delivery");
  return (
    <Page
      title="Verification"
      section="Settings"
      isNarrow
      description="How your server knows that a webhook came from us, unchanged."
    >
      {isCheckFirst && <CheckSignature />}
      <LoadedCards what="the secret’s state" query={query}>
        {(verification) => (
          <>
            <SecretCard verification={verification} />
            <PublicKeyCard {...verification} />
          </>
        )}
      </LoadedCards>
      <VerifyInCode />
      {!isCheckFirst && <CheckSignature />}
      {query.data !== undefined && <SourceAddresses addresses={query.data.sourceAddresses} />}
      <Suspense>
        <TrialCard />
      </Suspense>
    </Page>
  );
}
