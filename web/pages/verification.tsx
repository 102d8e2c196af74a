/** Settings → Verification: the secret, code that checks it, and a check of one signature. */
import { CheckSignature } from "../parts/verification/check-signature.tsx";
import { SecretCard } from "../parts/verification/secret-card.tsx";
import { VerifyInCode } from "../parts/verification/verify-in-code.tsx";
import { useAnswer } from "../query.ts";
import { Card } from "../ui/card.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { Page } from "../ui/page.tsx";

export function VerificationPage() {
  const query = useAnswer("GET /verification");
  return (
    <Page
      title="Verification"
      section="Settings"
      isNarrow
      description="How your server knows that a webhook came from us and was not changed on its way."
    >
      {query.data === undefined ? (
        <Card isFlush>
          <Loaded what="the secret’s state" query={query}>
            {() => null}
          </Loaded>
        </Card>
      ) : (
        <SecretCard verification={query.data} />
      )}
      <VerifyInCode />
      <CheckSignature />
    </Page>
  );
}
