/** Beside the form of a webhook that is asked: its token, which is shown once, and how a program asks with it. */
import type { PullTokenAnswer } from "../../../src/dashboard/contract/destinations.ts";
import { useChange } from "../../query.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { CodeBlock } from "../../ui/code-block.tsx";
import { TextLink } from "../../ui/links.tsx";

interface Props {
  /** `null` while the webhook is not saved as one that is asked. */
  readonly destinationId: string | null;
  readonly ownersOnly: string | undefined;
}

export function PullCard({ destinationId, ownersOnly }: Props) {
  const make = useChange("POST /destinations/:id/pull-token", "GET /audit");
  const unsaved = destinationId === null ? "Save the webhook first." : undefined;
  return (
    <Card title="Your program’s token" description={INTRODUCTION}>
      <div className="space-y-4">
        <Button
          isBusy={make.isPending}
          disabledReason={ownersOnly ?? unsaved}
          onClick={() => destinationId !== null && make.mutate({ params: { id: destinationId } })}
        >
          Make a token
        </Button>
        {make.error !== null && <Banner tone="bad" role="alert" title={make.error.message} />}
        {make.data !== undefined && <Made made={make.data} />}
        <p className="text-sm text-ink-soft">
          Each message has the headers and the body that a request would have:{" "}
          <TextLink href="/settings/verification">verify its signature</TextLink> the same way.
        </p>
      </div>
    </Card>
  );
}

const INTRODUCTION =
  "With it a program asks for what waits here, and acknowledges it. A new token ends the one before at once.";

export function Made({ made: { token, serviceUrl } }: { readonly made: PullTokenAnswer }) {
  return (
    <div role="status" className="space-y-2">
      <CodeBlock label="Token" code={token} isWrapped />
      <p className="text-sm text-ink-soft">Keep it now: it is not shown again.</p>
      <CodeBlock label="Ask for messages" code={toCurl(serviceUrl, token)} isWrapped />
      <CodeBlock label="Or post each to your receiver" code={toCommand(serviceUrl, token)} isWrapped />
    </div>
  );
}

const toCurl = (serviceUrl: string, token: string): string =>
  `curl "${serviceUrl}/pull?wait=20" -H "authorization: Bearer ${token}"`;

const toCommand = (serviceUrl: string, token: string): string =>
  `bellwire pull --url ${serviceUrl} --to http://localhost:3000/webhooks --token ${token}`;
